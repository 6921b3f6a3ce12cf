"""Every kind of log: a new one is a module and a line here. `bodies` is the last."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

from toolpair.reports.first_break.logs import (
    bodies,
    claude_code,
    har,
    helicone,
    inspect_ai,
    langfuse,
    litellm,
    open_telemetry,
)
from toolpair.reports.first_break.logs.kind import LogKind

KINDS: Final[tuple[LogKind, ...]] = (
    claude_code.KIND,
    inspect_ai.KIND,
    har.KIND,
    open_telemetry.KIND,
    litellm.KIND,
    helicone.KIND,
    langfuse.KIND,
    bodies.KIND,
)
UNDERSTOOD: Final = (
    "JSON Lines or a JSON array of request bodies, LiteLLM, Langfuse, Helicone, HAR, OpenTelemetry, Inspect, "
    "or a session of Claude Code that records its requests"
)


_OFTEN: Final = 4


def kind_of(records: Iterable[Any]) -> LogKind | None:
    """The kind that most of these records fit; None when none does.

    Plain bodies count for less than a tool's own records, which may hold something that looks like a body.
    """
    counts = [0] * len(KINDS)
    for record in records:
        for number, one in enumerate(KINDS):
            if one.fits(record):
                counts[number] += 1
                break
    own = max(range(len(KINDS) - 1), key=counts.__getitem__)
    if counts[own] * _OFTEN >= max(counts[-1], 1):
        return KINDS[own]
    return KINDS[-1] if counts[-1] else None
