"""The responses of a transcript while results are added and moved: their records and results, and their order."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain, pairwise
from typing import Any

from toolpair.formats.claude_code.answering import Answers
from toolpair.formats.claude_code.frames import ChainFrame
from toolpair.formats.claude_code.working import Working, kind_of
from toolpair.transcript.draft import DraftMessage


class Responses:
    """Each response is known by the number of its message in the transcript."""

    def __init__(self, work: Working) -> None:
        self.work = work
        self.messages = messages = work.transcript.messages
        frame = work.transcript.frame
        self._front = [work.lines[uid] for uid in frame.front] if isinstance(frame, ChainFrame) else []
        self.message_of = {uid: number for number, message in enumerate(messages) for uid in message.records}
        """uid of a record -> the number of its message, as it was read."""
        self.last = max((number for number, message in enumerate(messages) if message.role == "assistant"), default=-1)
        self.answers = Answers(work)
        self._groups: dict[int, list[DraftMessage]] = {}
        self._together: set[int] = set()
        self._prompts: dict[int, Any] = {}
        self._last_user: list[int] = []
        """Of each message the number of the last one of the user before it; -1 where there is none."""
        for number, message in enumerate(messages[:-1]):
            follower = messages[number + 1]
            if message.role == "assistant" and follower.role == "user":
                for line in (work.lines[uid] for uid in follower.records):
                    if work.has_result(line):
                        self.answers.add(number, line)

    def group(self, number: int) -> list[DraftMessage]:
        """The records of a message as it was read."""
        if number not in self._groups:
            self._groups[number] = [self.work.lines[uid] for uid in self.messages[number].records]
        return self._groups[number]

    def has(self, number: int, line: DraftMessage) -> bool:
        """Whether the record is one of the response, as it was read, or holds results of it."""
        return self.message_of.get(line.uid) == number or (
            self.answers.has(number, line) and self.work.has_result(line)
        )

    def bring_together(self, number: int) -> None:
        """Link the parts of a response in a row, once."""
        if number not in self._together and self.messages[number].role == "assistant":
            self._together.add(number)
            before = self.work.puts
            bring_together(self.work, self.group(number))
            if self.work.puts != before:
                self.answers.forget()

    def bridged_beside(self, number: int) -> list[DraftMessage]:
        """Records that lost their parent next to the response or its results."""
        if not self.work.history.bridged:
            return []
        still = filter(self.work.has_result, self.answers.of(number))
        return self.work.bridged_beside([*self.group(number), *still])

    # --- prompts -----------------------------------------------------------------------------------------

    def prompt_id(self, number: int) -> Any:
        """The prompt that the turn belongs to: the results of one turn name the same."""
        if number not in self._prompts:
            lines = chain(self.answers.of(number), self._user_before(number))
            named = (self.work.get(line, "promptId") for line in lines)
            self._prompts[number] = next((found for found in named if found is not None), None)
        return self._prompts[number]

    def forget_prompts(self) -> None:
        self._prompts.clear()

    def _user_before(self, number: int) -> Sequence[DraftMessage]:
        """The records of the user's message before the response."""
        if not self._last_user:
            last = -1
            for place, message in enumerate(self.messages):
                self._last_user.append(last)
                last = place if message.role == "user" else last
        before = self._last_user[number]
        return self.group(before) or self._front if before >= 0 else []


def bring_together(work: Working, response: Sequence[DraftMessage]) -> None:
    """Link each later part of a response directly after the earlier ones if another response lies between them.

    The agent sends the parts as one message in the place of the first, and results after the last part, thus after
    the other response: a new result would not follow its call.
    """
    parts = [
        line
        for line in response
        if line.uid in work.on_chain and work.is_there(line) and work.get(line, "type") == "assistant"
    ]
    parts.sort(key=lambda line: work.chain_index.get(line.uid, -1))
    own = {line.uid for line in parts}
    used = [value for line in response for value in work.values(line) if kind_of(value) == "tool_use"]
    calls = {repr(value.get("id")) for value in used}
    for earlier, later in pairwise(parts):
        between = _between(work, earlier, later)
        if any(work.get(line, "type") == "assistant" for line in between):
            _swap(work, earlier, between, _with_results(work, later, own, calls))


def _between(work: Working, above: DraftMessage, below: DraftMessage) -> list[DraftMessage]:
    """The chain's lines between two, top down; empty when the chain does not lead there."""
    found: list[DraftMessage] = []
    seen = {below.uid}
    line = work.named(work.parent_of(below))
    while line is not None and line is not above:
        if line.uid in seen or not work.is_there(line):
            return []
        seen.add(line.uid)
        found.append(line)
        line = work.named(work.parent_of(line))
    return found[::-1] if line is above else []


def _with_results(work: Working, part: DraftMessage, own: set[int], calls: set[str]) -> list[DraftMessage]:
    """A part of a response, with what directly follows it of the same response: more parts and results."""
    run = [part]
    inside = {part.uid}
    while True:
        follower = next((line for line in work.chain_children_of(run[-1]) if _belongs(work, line, own, calls)), None)
        if follower is None or follower.uid in inside:
            return run
        inside.add(follower.uid)
        run.append(follower)


def _belongs(work: Working, line: DraftMessage, own: set[int], calls: set[str]) -> bool:
    if line.uid in own:
        return True
    values = work.values(line)
    return bool(values) and all(
        kind_of(value) == "tool_result" and repr(value.get("tool_use_id")) in calls for value in values
    )


def _swap(work: Working, above: DraftMessage, between: Sequence[DraftMessage], run: Sequence[DraftMessage]) -> None:
    """above, between, run, the rest: becomes above, run, between, the rest. In the file too: its end is the leaf."""
    kept = {None, *work.history.preserved}
    if any(work.id_of(line) in kept for line in (above, *between, *run)):
        return
    rest = [line for line in work.chain_children_of(run[-1]) if line not in run]
    if not rest and work.history.chosen:
        return
    work.link(run[0], work.id_of(above))
    for line in rest:
        work.link(line, work.id_of(between[-1]))
    work.link(between[0], work.id_of(run[-1]))
    previous = above
    for line in run:
        work.put_after(line, previous)
        previous = line
    order = sorted(work.chain_index[line.uid] for line in (*between, *run) if line.uid in work.chain_index)
    moved = [line for line in (*run, *between) if line.uid in work.chain_index]
    work.chain_index.update(zip((line.uid for line in moved), order, strict=True))


def permute(work: Working, lines: Sequence[DraftMessage]) -> None:
    """Put records of the chain into this order, each in the place of another, on the chain and in the file."""
    slots = sorted(lines, key=lambda line: work.chain_index.get(line.uid, -1))
    kept = {None, *work.history.preserved}
    if any(line.uid not in work.on_chain or work.id_of(line) in kept for line in lines):
        return
    above = [work.parent_of(slot) for slot in slots]
    below = [work.chain_children_of(slot) for slot in slots]
    indexes = [work.chain_index[slot.uid] for slot in slots]
    own = {line.uid for line in lines}
    now = {work.id_of(slot): work.id_of(line) for slot, line in zip(slots, lines, strict=True)}
    for line, parent, children, index in zip(lines, above, below, indexes, strict=True):
        work.link(line, now.get(parent, parent))
        for child in children:
            if child.uid not in own:
                work.link(child, work.id_of(line))
        work.chain_index[line.uid] = index
    work.put_in_places(lines, slots)
