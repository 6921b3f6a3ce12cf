"""The envelope of a new Claude Code record: the fields around its message, copied from a neighbour."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import Any, Final

from toolpair.formats.engine.reading.clock import seconds_of

_BEFORE: Final = ("isSidechain", "promptId", "agentId", "teamName")
_AFTER: Final = ("userType", "entrypoint", "cwd", "sessionId", "version", "gitBranch", "slug", "sessionKind")
_EPOCH: Final = "1970-01-01T00:00:00.000Z"


def record(
    neighbour: dict[str, Any],
    type_: str,
    message: dict[str, Any],
    uuid: str,
    parent: str | None,
    timestamp: str,
    **extra: Any,
) -> dict[str, Any]:
    """A record with its fields in the agent's order. Extra fields that are None are left out."""
    value: dict[str, Any] = {"parentUuid": parent}
    value.update((key, neighbour[key]) for key in _BEFORE if key in neighbour)
    prompt = extra.pop("promptId", None)
    if prompt is not None:
        value["promptId"] = prompt
    elif type_ != "user":
        value.pop("promptId", None)
    value.update(type=type_, message=message, uuid=uuid, timestamp=timestamp)
    value.update((key, given) for key, given in extra.items() if given is not None)
    value.update((key, neighbour[key]) for key in _AFTER if key in neighbour)
    return value


def moment_between(before: Any, after: Iterable[Any]) -> str:
    """A timestamp one millisecond after `before`, but not after any of `after`. Always a readable one."""
    limits = [stamp for stamp in after if seconds_of(stamp) is not None]
    earliest = min(limits, key=lambda stamp: seconds_of(stamp) or 0.0, default=None)
    start = seconds_of(before)
    if start is None:
        return earliest if isinstance(earliest, str) else _EPOCH
    moment = datetime.fromisoformat(before) + timedelta(milliseconds=1)
    limit = seconds_of(earliest)
    if limit is not None and limit < moment.timestamp():
        return earliest if isinstance(earliest, str) else _EPOCH
    text = moment.isoformat(timespec="milliseconds")
    return text.removesuffix("+00:00") + "Z" if text.endswith("+00:00") and str(before).endswith("Z") else text
