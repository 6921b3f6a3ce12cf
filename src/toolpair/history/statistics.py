"""A session in numbers: calls, failures, bytes and time by tool, the largest outputs, what fills the context."""

from __future__ import annotations

from collections.abc import Callable
from heapq import heappush, heapreplace
from typing import Final, Literal

from msgspec import Struct

from toolpair.dialects.block_texts import argument_text
from toolpair.dialects.block_values import as_json
from toolpair.formats.engine.reading.call_details import DetailReader
from toolpair.formats.format import Usage
from toolpair.history.conversation import Conversation
from toolpair.history.passing import Passage, passages
from toolpair.transcript.model import Block
from toolpair.transcript.pairing import Pair

Share = Literal["outputs", "inputs", "agent", "thinking", "you", "other"]
"""What fills the context: results, calls, the agent's words, its thinking, the user's words, the rest."""
SHARES: Final[tuple[Share, ...]] = ("outputs", "inputs", "agent", "thinking", "you", "other")
LARGEST: Final = 50
"""How many outputs are listed."""
NO_NAME: Final = "(no name)"


class ToolNumbers(Struct):
    """One tool's calls. Times and sizes are sums; results without a call belong to a tool without a name."""

    name: str
    calls: int = 0
    failed: int = 0
    """Calls with an error as their result."""
    unanswered: int = 0
    seconds: float = 0.0
    timed: int = 0
    """Calls of which it is known how long they took."""
    input_bytes: int = 0
    output_bytes: int = 0


class LargeOutput(Struct, frozen=True, order=True):
    """An output, by the number of its pair."""

    bytes: int
    pair: int
    tool: str


class Statistics(Struct, frozen=True):
    """The numbers of a conversation, or of its beginning."""

    tools: tuple[ToolNumbers, ...]
    """Those with most output first."""
    shares: dict[Share, int]
    """Bytes of each."""
    largest: tuple[LargeOutput, ...]
    messages: int
    seconds: float | None
    """From the first record to the last; None where records have no time."""
    usage: Usage | None
    """That of the last response."""

    @property
    def calls(self) -> int:
        return sum(tool.calls for tool in self.tools)

    @property
    def failed(self) -> int:
        return sum(tool.failed for tool in self.tools)


def statistics_of(
    conversation: Conversation, on_progress: Callable[[Callable[[], Statistics], int], None] | None = None
) -> Statistics:
    """Read the whole conversation. `on_progress` is called now and then with what gives the numbers so far, and with
    how many messages are counted; it may raise to end it.
    """
    counting = _Counting(conversation)
    for passage in passages(conversation):
        counting.take(passage)
        if on_progress is not None:
            on_progress(counting.result, counting.messages)
    return counting.result()


class _Counting:
    """What has been counted so far: as much as there are tools, however long the conversation is."""

    def __init__(self, conversation: Conversation) -> None:
        self._details = DetailReader(conversation.format)
        self._tools: dict[str, ToolNumbers] = {}
        self._shares: dict[Share, int] = dict.fromkeys(SHARES, 0)
        self._largest: list[LargeOutput] = []
        self._begin: float | None = None
        self._end: float | None = None
        self._usage: Usage | None = None
        self.messages = 0

    def result(self) -> Statistics:
        span = None if self._begin is None or self._end is None else max(0.0, self._end - self._begin)
        return Statistics(
            tuple(sorted(self._tools.values(), key=lambda tool: (-tool.output_bytes, -tool.calls, tool.name))),
            dict(self._shares),
            tuple(sorted(self._largest, key=lambda one: (-one.bytes, one.pair))),
            self.messages,
            span,
            self._usage,
        )

    def take(self, passage: Passage) -> None:
        self._look(passage)
        for number in range(passage.lead, passage.end):
            message = passage.messages[number]
            for block in message.blocks:
                self._fill(block, str(message.role))
        for found in passage.pairs:
            if passage.lead <= found.start[0] < passage.end:
                self._count(found, found.index + passage.first_pair, passage)
        self.messages += passage.end - passage.lead

    def _look(self, passage: Passage) -> None:
        """Note when the records were written, and what they say of tokens."""
        if not self._details.timed:
            return
        for value in passage.values.values():
            time = self._details.time_of(value)
            if time is not None:
                self._begin = time if self._begin is None else min(self._begin, time)
                self._end = time if self._end is None else max(self._end, time)
            self._usage = self._details.usage_of(value) or self._usage

    def _fill(self, block: Block, role: str) -> None:
        share: Share = "other"
        if block.kind in ("result", "server_result", "mcp_result"):
            share = "outputs"
        elif block.kind in ("call", "server_call", "mcp_call"):
            share = "inputs"
        elif block.kind == "thinking":
            share = "thinking"
        elif block.kind == "text":
            share = "agent" if role == "assistant" else "you" if role == "user" else "other"
        self._shares[share] += _size(block.text if share in ("outputs", "agent", "you") else as_json(block))

    def _count(self, found: Pair, index: int, passage: Passage) -> None:
        call = found.call
        name = str(call.name) if call is not None and call.name else NO_NAME
        tool = self._tools.get(name)
        if tool is None:
            tool = self._tools[name] = ToolNumbers(name)
        size = sum(_size(result.text) for result in found.results)
        tool.output_bytes += size
        if call is not None:
            tool.calls += 1
            tool.input_bytes += _size(argument_text(call))
            tool.unanswered += not found.results
            tool.failed += any(result.is_error for result in found.results)
            values = passage.values
            answer = values.get(found.results[0].record) if found.results else None
            seconds = self._details.seconds(values.get(call.record), answer)
            if seconds is not None:
                tool.timed += 1
                tool.seconds += seconds
        if size:
            self._keep(LargeOutput(size, index, name))

    def _keep(self, output: LargeOutput) -> None:
        if len(self._largest) < LARGEST:
            heappush(self._largest, output)
        elif output > self._largest[0]:
            heapreplace(self._largest, output)


def _size(text: str) -> int:
    return len(text) if text.isascii() else len(text.encode("utf-8", "replace"))
