"""What the writers of all formats share: ids, a clock, and bytes for a record."""

from __future__ import annotations

import random
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any, ClassVar, Final

import orjson

from benchmarks.sessions.contents import Image
from benchmarks.sessions.story import Exchange, Result, Step

Json = dict[str, Any]
_BEGIN: Final = datetime(2026, 3, 2, 8, 0, tzinfo=UTC)


class Writer:
    """Turns steps into records. One for each session; it remembers what the next record refers to."""

    OVERHEAD: ClassVar[int]
    """What a pair costs beside its output, in bytes, roughly."""
    COPIES: ClassVar[float]
    """How often an output stands in the file."""

    def __init__(self, seed: int) -> None:
        self._rng = random.Random(seed ^ 0x5E55)
        self._clock = 0

    def begin(self) -> Iterator[Json]:
        """Records that stand before the first step."""
        return iter(())

    def records(self, step: Step) -> Iterator[Json]:
        raise NotImplementedError

    def uuid(self) -> str:
        digits = f"{self._rng.getrandbits(128):032x}"
        return f"{digits[:8]}-{digits[8:12]}-4{digits[13:16]}-a{digits[17:20]}-{digits[20:]}"

    def hex(self, digits: int) -> str:
        return f"{self._rng.getrandbits(digits * 4):0{digits}x}"

    def time(self, milliseconds: int = 0) -> str:
        """A moment later than all before it."""
        self._clock += milliseconds or self._rng.randrange(3, 900)
        moment = _BEGIN + timedelta(milliseconds=self._clock)
        return moment.strftime("%Y-%m-%dT%H:%M:%S.") + f"{moment.microsecond // 1000:03d}Z"

    @property
    def epoch(self) -> int:
        """The clock in milliseconds."""
        return int(_BEGIN.timestamp() * 1000) + self._clock


def line(record: Json) -> bytes:
    return orjson.dumps(record)


def chat_calls(exchange: Exchange) -> list[Json]:
    """The `tool_calls` of a chat message."""
    return [
        {
            "id": call.id,
            "type": "function",
            "function": {"name": call.name, "arguments": orjson.dumps(call.arguments).decode()},
        }
        for call in exchange.calls
    ]


def anthropic_content(result: Result) -> str | list[Json]:
    """The `content` of a tool_result block."""
    output = result.content
    if isinstance(output, Image):
        source = {"type": "base64", "data": output.data, "media_type": "image/png"}
        return [{"type": "image", "source": source}]
    return output


def plain_content(result: Result) -> str:
    """An output where only text can stand."""
    output = result.content
    return f"data:image/png;base64,{output.data}" if isinstance(output, Image) else output
