"""What Gemini CLI would send, as read in the agent's own code and held against the agent itself."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import Any, Final

from toolpair.formats.engine.reading.between import said_around
from toolpair.formats.engine.reading.reading import blocks_by_key, facts_of
from toolpair.formats.engine.sending import Said, merged, request
from toolpair.formats.format import Item, SentPart, SentRequest
from toolpair.formats.gemini_cli.history import (
    NEWEST,
    TITLE,
    GeminiHistory,
    GeminiTurn,
    history_of,
    is_named,
    is_unread,
)
from toolpair.transcript.draft import value_at
from toolpair.transcript.model import Block, Transcript

INTERRUPTED: Final = "[The previous response was interrupted before it completed.]"
"""What the agent answers itself with, where a history ends with a result."""
_EMPTY_SESSION: Final = "Gemini CLI begins a new, empty session: no line of the file says which session it is."


def sees(items: Sequence[Item], transcript: Transcript) -> SentRequest:
    known = facts_of(transcript, GeminiHistory)
    history = known if known.items is items else history_of(items)
    own = blocks_by_key(transcript)
    made, lost = _made_ids(history.turns), refused(history.turns)
    lost.update(id(turn) for turn in history.turns if turn.role == "user" and is_unread(turn.entry))
    said: list[Said] = [
        (
            turn.role,
            [SentPart(_as_sent(turn, block, made), own.get(block.key, block)) for block in turn.blocks if _goes(block)],
        )
        for turn in history.turns
        if id(turn) not in lost
    ]
    before, after = said_around(transcript)
    sent = merged((one for one in (*before, *said, *after) if one[1]), lambda role, _: role)
    last = history.turns[-1] if history.turns and not after else None
    if last is not None and last.role == "user" and any(block.kind == "result" for block in last.blocks):
        sent.append(("assistant", [SentPart({"text": INTERRUPTED})]))
    refuses = None if history.listed or is_named(history.header) else _EMPTY_SESSION
    return request(TITLE, NEWEST, sent, own.values(), refuses, changed=(), missed=("call", "result", "text"))


def refused(turns: Sequence[GeminiTurn]) -> set[int]:
    """id() of the responses that are left out: those in a row of which one has a part without content."""
    lost: set[int] = set()
    for role, run in groupby(turns, lambda turn: turn.role):
        found = list(run)
        if role == "assistant" and any(is_void(block) for turn in found for block in turn.blocks):
            lost.update(map(id, found))
    return lost


def is_void(block: Block) -> bool:
    return block.value == {} or (block.kind == "text" and not block.text)


def _goes(block: Block) -> bool:
    """Whether it is sent: neither thinking nor a text without a letter."""
    return block.kind != "thinking" and (block.kind != "text" or bool(block.text))


def _as_sent(turn: GeminiTurn, block: Block, made: Mapping[int, str]) -> Any:
    """The part that the agent makes of a block. Its id is sent without the function's name in front."""
    part = value_at(turn.entry.value, block.slot[len(turn.entry.slot) :])
    if isinstance(part, str) and block.kind == "result":
        part = {"functionResponse": {"id": block.id, "name": block.name, "response": {"output": part}}}
    elif block.slot[-2:-1] == ("toolCalls",):
        part = {"functionCall": {key: part[key] for key in ("id", "name", "args") if key in part}}
    elif isinstance(part, str):
        part = {"text": part}
    key = {"call": "functionCall", "result": "functionResponse"}.get(block.kind)
    if key is None or not isinstance(part.get(key), dict):
        return part
    prefix, id_ = f"{(block.name or '').strip() or 'generic_tool'}__", block.id
    if id(block) in made:
        id_ = made[id(block)]
    elif isinstance(id_, str) and id_.startswith(prefix):
        id_ = id_[len(prefix) :]
    return part if id_ == block.id else {**part, key: {**part[key], "id": id_}}


def _made_ids(turns: Sequence[GeminiTurn]) -> dict[int, str]:
    """id() of each call and result without an id -> the one that the agent gives it."""
    made: dict[int, str] = {}
    for number, turn in enumerate(turns):
        before = turns[number - 1] if number else None
        after = turns[number + 1] if number + 1 < len(turns) else None
        for place, block in enumerate(turn.blocks):
            if block.id or id(block) in made or block.kind not in ("call", "result"):
                continue
            own = f"synth_{block.name}_{_derived(turn, number, place)}"
            if block.kind == "call":
                made[id(block)] = own
                answer = _without_id(after, "user", "result", block.name, made)
                if answer is not None:
                    made[id(answer)] = own
                continue
            call = _without_id(before, "assistant", "call", block.name, made)
            if call is None or before is None:
                made[id(block)] = f"synth_orph_{block.name}_{_derived(turn, number, place)}"
            else:
                made[id(call)] = made[id(block)] = f"synth_{block.name}_{_derived(before, number - 1, place)}"
    return made


def _without_id(
    turn: GeminiTurn | None, role: str, kind: str, name: str | None, made: Mapping[int, str]
) -> Block | None:
    found = turn.blocks if turn is not None and turn.role == role else ()
    same = (block for block in found if block.kind == kind and block.name == name)
    return next((block for block in same if not block.id and id(block) not in made), None)


def _derived(turn: GeminiTurn, number: int, place: int) -> str:
    own = f"{turn.entry.value.get('id')}{'_response' if turn.results else ''}"
    counted = str(number + 1)  # a turn of the agent's own stands in front
    return hashlib.sha256("|".join(sorted((own, counted, str(place)))).encode()).hexdigest()[:32]
