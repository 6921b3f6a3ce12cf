"""What Copilot CLI would send, as compared with the agent itself."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from toolpair.dialects.block_values import whole_characters
from toolpair.formats.copilot_cli.detection import CHAT
from toolpair.formats.copilot_cli.events import lacks_text
from toolpair.formats.copilot_cli.history import NOT_LOADED, TITLE, EventHistory, history_of
from toolpair.formats.engine.reading.between import said_around
from toolpair.formats.engine.reading.reading import blocks_by_key, facts_of
from toolpair.formats.engine.reading.turns import Turn
from toolpair.formats.engine.sending import Said, no_result, request, with_id
from toolpair.formats.format import Item, SentPart, SentRequest
from toolpair.transcript.model import Block, Damaged, Transcript

NEWEST: Final = "1.0.102"
NO_RESULT: Final = "The execution of this tool, or a previous tool was interrupted."
NOT_RECORDED: Final = (
    "Tool execution was interrupted before a result was recorded. Its effects may be absent, partial, or already "
    "complete, and other tools may have completed successfully. Check the current state before retrying; do not "
    "assume success or replay this operation blindly."
)
"""What a call is answered with that the agent was working on when it ended; the agent also writes it to the file."""
_FAILED: Final = "Tool execution failed"


def sees(items: Sequence[Item], transcript: Transcript) -> SentRequest:
    known = facts_of(transcript, EventHistory)
    history = known if known.items is items else history_of(items)
    own = blocks_by_key(transcript)
    before, after = said_around(transcript)
    answers = Answers(history, goes_on=bool(after))
    said: list[Said] = [*before]
    for turn in history.turns:
        if turn.role == "result":
            continue
        parts = [
            SentPart(value, own.get(block.key, block))
            for block in turn.blocks
            if (value := _part(answers, block)) is not None
        ]
        if parts or turn.role == "user":
            said.append((turn.role, parts))
        results = [_answer(answers, own, block) for block in turn.blocks if block.kind == "call" and block.id != ""]
        if results:
            said.append(("user", results))
    return request(TITLE, NEWEST, [*said, *after], own.values(), _refuses(history))


def _part(answers: Answers, block: Block) -> Any:
    if block.kind == "other":
        return None
    new = answers.renamed.get(block.key)
    return _whole(block.value) if new is None else with_id(block.value, new)


def _whole(value: Any) -> Any:
    """A text without halves of characters; the same object where it has none."""
    return whole_characters(value) if isinstance(value, str) else value


def _answer(answers: Answers, own: Mapping[Any, Block], call: Block) -> SentPart:
    """The result that a call is sent with."""
    result = answers.of_call.get(call.key)
    id_ = answers.renamed.get(call.key, call.id)
    if result is None:
        last = answers.unfinished == call.record
        text = NOT_RECORDED if last else NO_RESULT
        return SentPart(no_result(id_, text))
    content = _whole(result.value["content"])
    value = result.value if content is result.value["content"] else {**result.value, "content": content}
    if value.get("is_error") and not value.get("content"):
        value = {**value, "content": _FAILED}
    return SentPart(with_id(value, id_), own.get(result.key, result))


class Answers:
    """Which result the agent sends with which call: it finds them by their ids.

    A result may be late, or stand before its call. But when the user stops the agent, or resumes the session, each call
    that waits is answered with a placeholder, and a later result is left out. A later response's call whose id was used
    before gets a new one, and so do the results that follow it, unless the call before it still waits for its own. That
    is so for an API of chat messages; to others ids are sent as they are.
    """

    def __init__(self, history: EventHistory, goes_on: bool = False) -> None:
        """`goes_on`: more follows it in the file."""
        self._renames = history.api == CHAT
        self.renamed: dict[Any, str] = {}
        """Key of a call -> its new id."""
        self.of_call: dict[Any, Block] = {}
        self.too_late: list[tuple[Block, Block]] = []
        """Calls, and the results that came after their placeholders."""
        last = next((turn.node for turn in reversed(history.turns) if turn.role == "assistant"), None)
        stopped = max(history.stops, default=-1)
        self.unfinished = last.uid if last is not None and last.place > stopped and not goes_on else None
        """uid of the last response, if the agent ended while it worked on its calls."""
        self._used: dict[str, int] = {}
        self._now: dict[str, str] = {}
        """Id -> the id that results with it have from here on."""
        self._pending: dict[str, Block] = {}
        self._done: dict[str, Block | None] = {}
        """Id -> its call, if that was answered with a placeholder."""
        early: dict[str, Block] = {}
        stops = iter(sorted(history.stops))
        stop = next(stops, None)
        for turn in history.turns:
            while stop is not None and stop < turn.node.place and not turn.summary:
                self._done.update(self._pending)
                self._pending.clear()
                early.clear()
                stop = next(stops, None)
            if turn.role == "assistant":
                self._ask(turn)
            elif turn.role == "result" and isinstance(turn.blocks[0].id, str):
                self._answer(turn.blocks[0], early)
        if stop is None:
            self.of_call.update({call.key: early[id_] for id_, call in self._pending.items() if id_ in early})

    def _ask(self, turn: Turn) -> None:
        calls = [block for block in turn.blocks if block.kind == "call" and isinstance(block.id, str) and block.id]
        used = self._used if self._renames else {}
        again = {block.id: _renamed(block.id, used[block.id]) for block in calls if block.id in used}
        for id_, new in again.items():
            if self._now.get(id_, id_) in self._done:
                self._now[id_] = new
        for block in calls:
            if block.id in again:
                self.renamed[block.key] = again[block.id]
            self._pending.setdefault(again.get(block.id, block.id), block)
        for id_ in {block.id for block in calls}:
            self._used[id_] = self._used.get(id_, 0) + 1

    def _answer(self, result: Block, early: dict[str, Block]) -> None:
        id_ = self._now.get(result.id, result.id)
        if (call := self._pending.pop(id_, None)) is not None:
            self.of_call[call.key] = result
            self._done[id_] = None
        elif id_ not in self._done:
            early.setdefault(id_, result)
        elif (call := self._done[id_]) is not None:
            self.too_late.append((call, result))
            self._done[id_] = None


def _renamed(id_: str, times: int) -> str:
    """What stands for the new id, which is the agent's hash of these two: how it makes that is not known."""
    return f"not known (use {times + 1} of {id_})"


def _refuses(history: EventHistory) -> str | None:
    """Why the agent does not load the file."""
    if history.start is None:
        return f"{NOT_LOADED}: no line of it says that it is one."
    if isinstance(history.items[0].value, Damaged):
        return f"{NOT_LOADED}: its first line cannot be read."
    if history.flawed or any(lacks_text(node.value) for node in history.nodes):
        return f"{NOT_LOADED}: one of its events lacks what it needs."
    return None
