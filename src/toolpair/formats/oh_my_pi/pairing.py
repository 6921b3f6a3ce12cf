"""How oh-my-pi pairs calls and results before it sends them: what it leaves out, moves, renames and sends as text."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Iterator, Sequence
from typing import Any, Final

from msgspec.structs import replace

from toolpair.dialects.block_texts import WrittenBlock
from toolpair.formats.engine.reading.turns import Turn
from toolpair.transcript.model import Block

_LONGEST: Final = 64
"""The longest id with a number at its end, in characters."""


class Names:
    """The ids that calls go out with, in their order: an id that is in use gets a number at its end."""

    def __init__(self) -> None:
        self._uses: Counter[str] = Counter()

    def next(self, id_: Any) -> Any:
        if not isinstance(id_, str):
            return id_
        number = self._uses[id_]
        if not number:
            self._uses[id_] = 1
            return id_
        while (name := _numbered(id_, number)) in self._uses:
            number += 1
        self._uses[id_] = number + 1
        self._uses[name] = 1
        return name


def _numbered(id_: str, number: int) -> str:
    suffix = f"_dup{number}"
    return id_[: _LONGEST - len(suffix)] + suffix if len(id_) + len(suffix) > _LONGEST else id_ + suffix


def paired(turns: Sequence[Turn]) -> Sequence[Turn]:
    """The turns as they go out: each response directly followed by the results of its calls."""
    whole = list(_without_malformed(_without_broken_off(_with_answered_calls(turns))))
    return _in_their_places(*_named(whole))


def _calls(turn: Turn) -> list[Block]:
    return [block for block in turn.blocks if block.kind == "call"] if turn.role == "assistant" else []


def _answer(turn: Turn) -> str:
    return repr(turn.blocks[0].id)


def _with_answered_calls(turns: Sequence[Turn]) -> Iterator[Turn]:
    """Calls without a result anywhere are left out; thinking in such a response is no longer signed."""
    answered = {_answer(turn) for turn in turns if turn.role == "result"}
    for turn in turns:
        kept = [block for block in turn.blocks if block.kind != "call" or repr(block.id) in answered]
        if turn.role != "assistant" or len(kept) == len(turn.blocks):
            yield turn
        elif blocks := tuple(made for block in kept if (made := _unsigned(block)) is not None):
            yield replace(turn, blocks=blocks)


def _unsigned(block: Block) -> Block | None:
    if block.kind != "thinking" or not isinstance(block.value, dict):
        return block
    value = {key: field for key, field in block.value.items() if key not in ("signature", "data")}
    return None if "data" in block.value else WrittenBlock("thinking", value, block.record, block.slot)


def _without_broken_off(turns: Iterator[Turn]) -> Iterator[Turn]:
    """A response that broke off is left out, with all later results that have the ids of its calls."""
    gone: set[str] = set()
    for turn in turns:
        if turn.broken_off:
            gone |= {repr(call.id) for call in _calls(turn)}
        elif turn.role != "result" or _answer(turn) not in gone:
            yield turn


def _without_malformed(turns: Iterator[Turn]) -> Iterator[Turn]:
    """Calls without an id or a name are left out, with the results that directly follow."""
    waiting: dict[str, deque[bool]] = {}
    for turn in turns:
        if turn.role == "result":
            found = waiting.get(_answer(turn))
            if not (found and found.popleft()):
                yield turn
            continue
        waiting = {}
        for call in _calls(turn):
            waiting.setdefault(repr(call.id), deque()).append(_is_malformed(call))
        blocks = tuple(block for block in turn.blocks if block.kind != "call" or not _is_malformed(block))
        if len(blocks) == len(turn.blocks) or turn.role != "assistant":
            yield turn
        elif blocks:
            yield replace(turn, blocks=blocks)


def _is_malformed(call: Block) -> bool:
    return not (isinstance(call.id, str) and call.id.strip() and isinstance(call.name, str) and call.name.strip())


def _named(turns: Sequence[Turn]) -> tuple[list[Turn], list[list[str]]]:
    """The turns, results with the id that they go out with; and those of each turn's calls."""
    names, queues = Names(), dict[str, deque[str]]()
    made: list[Turn] = []
    called: list[list[str]] = []
    for turn in turns:
        calls = _calls(turn)
        for id_ in {repr(call.id) for call in calls}:
            queues[id_] = deque()
        ids = [names.next(call.id) for call in calls]
        for call, id_ in zip(calls, ids, strict=True):
            queues[repr(call.id)].append(id_)
        if turn.role == "result":
            queue = queues.get(_answer(turn))
            id_ = turn.blocks[0].id
            turn = replace(turn, answers=queue.popleft() if queue else id_ if isinstance(id_, str) else repr(id_))
        made.append(turn)
        called.append(ids)
    return made, called


def _in_their_places(turns: Sequence[Turn], called: Sequence[Sequence[str]]) -> list[Turn]:
    """Results after their calls, each once; those without a call as text, where no call waits."""
    known = {id_ for ids in called for id_ in ids}
    later: dict[str, list[int]] = {}
    for number, turn in enumerate(turns):
        if turn.role == "result":
            later.setdefault(turn.answers, []).append(number)
    made: list[Turn] = []
    waiting: Sequence[str] = ()
    since, taken, done = -1, set[int](), set[str]()

    def fill(node_of: Turn) -> None:
        for id_ in waiting:
            if id_ not in done:
                found = next((n for n in later.get(id_, ()) if n > since and n not in taken), None)
                made.append(turns[found] if found is not None else Turn("result", node_of.node, (), answers=id_))
                taken.add(-1 if found is None else found)
                done.add(id_)

    for number, turn in enumerate(turns):
        if turn.role != "result":
            fill(turn)
            waiting, since = (called[number], number) if called[number] else ((), since)
            made.append(turn)
        elif turn.answers in waiting and turn.answers not in done:
            done.add(turn.answers)
            made.append(turn)
        elif turn.answers not in known and turn.answers not in done and all(id_ in done for id_ in waiting):
            made += _as_text(turn)
    if turns:
        fill(turns[-1])
    return made


def _as_text(turn: Turn) -> Iterator[Turn]:
    """A result whose call is not there, as words of the user's."""
    block = turn.blocks[0]
    content = block.value.get("content")
    parts = content if isinstance(content, list) else []
    texts = [part["text"] for part in parts if isinstance(part, dict) and isinstance(part.get("text"), str)]
    said = "\n".join(text for text in texts if text.strip())
    if said:
        error = ' is-error="true"' if block.value.get("is_error") else ""
        words = f'<stale-tool-result tool="{block.name}" id="{block.id}"{error}>\n{said}\n</stale-tool-result>'
        yield Turn("user", turn.node, (WrittenBlock("text", words, block.record, block.slot),))
