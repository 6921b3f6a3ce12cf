"""Forks: Claude Code copies the records that a fork continues, with their uuids, into a file of its own."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

from toolpair.formats.claude_code.record_kinds import text_or_none
from toolpair.formats.format import Beside

_START: Final = 64 << 10
_MOST: Final = 60
"""How many files are looked into."""


def relatives(first: Sequence[Any], beside: Beside) -> Iterator[tuple[str, str]]:
    """The files of the same folder in which the first record of this one stands, too."""
    uuids = (text_or_none(value.get("uuid")) for value in first if isinstance(value, dict))
    uuid = next((found for found in uuids if found is not None), None)
    if uuid is None:
        return
    wanted = uuid.encode("utf-8", "replace")
    names = [name for name in beside.names(".") if name.endswith(".jsonl") and name != beside.path.name]
    for name in names[:_MOST]:
        if wanted in beside.start(name, _START):
            yield "begins with the same message", name
