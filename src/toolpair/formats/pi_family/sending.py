"""What is sent of a history as pi writes it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, ClassVar, Final

from toolpair.dialects.block_values import without_halves
from toolpair.dialects.item_types import type_name
from toolpair.formats.engine.reading.between import said_around
from toolpair.formats.engine.reading.reading import blocks_by_key
from toolpair.formats.engine.reading.turns import Turn
from toolpair.formats.engine.sending import Said, is_blank, merged, no_result, request, with_id
from toolpair.formats.format import Item, SentPart, SentRequest
from toolpair.formats.pi_family.history import Model, PiHistory, history, history_of, model_at
from toolpair.transcript.id_shapes import sanitised
from toolpair.transcript.model import Block, Transcript

IMAGE_ONLY: Final = "(see attached image)"


def sees(items: Sequence[Item], transcript: Transcript) -> SentRequest:
    known = history_of(transcript)
    ways = known.ways
    found = known if known.items is items else history(items, transcript.tree.leaf, ways)
    return request_for(found, transcript)


def request_for(found: PiHistory, transcript: Transcript) -> SentRequest:
    """What is sent of a history: results where they stand, and what is missing filled in."""
    ways, own = found.ways, blocks_by_key(transcript)
    turns = () if ways.needs_header and found.header is None else ways.paired(found.turns)
    sending: PiSending = ways.sending(found.model)
    before, after = said_around(transcript)
    filled = (one for one in _filled(turns, own, sending) if one[1])
    said = merged([*before, *filled, *after], lambda role, _: role == "result" or None)
    for role, parts in said:
        if role == "result":
            parts.extend([SentPart(value) for part in parts for value in sending.behind(part)])
    sent = (("user" if role == "result" else role, parts) for role, parts in said)
    return request(ways.title, ways.version, sent, own.values(), ways.refuses(found))


def _filled(turns: Sequence[Turn], own: Mapping[Any, Block], sending: PiSending) -> Iterator[Said]:
    """What goes out, turn by turn: a call that nothing answered is answered before anybody says something else."""
    waiting: list[tuple[str, Any]] = []
    answered: set[str] = set()
    for turn in (*turns, None):
        if turn is None or turn.role != "result":
            yield "result", [SentPart(sending.no_result(id_)) for key, id_ in waiting if key not in answered]
            waiting, answered = [], set()
        if turn is None or turn.broken_off:
            continue
        parts = []
        if turn.answers is not None and not turn.blocks:
            parts.append(SentPart(sending.no_result(turn.answers)))
            answered.add(repr(parts[0].value.get("tool_use_id")))
        for block in turn.blocks:
            value = sending.part(turn, block)
            if turn.role == "result":
                answered.add(repr(sending.key_of(turn, block, value)))
            elif block.kind == "call":
                waiting.append((repr(sending.key_of(turn, block, value)), sending.id_of(turn, block)))
            if value is not None:
                parts.append(SentPart(value, own.get((block.record, block.slot), block)))
        yield turn.role, parts


class PiSending:
    """What was another model's, goes out without its signatures, and with ids that this one takes."""

    no_output: ClassVar[str] = "No result provided"
    """What a call without a result is answered with."""
    clean: Callable[[Any], Any] = staticmethod(without_halves)
    """What it makes of lone surrogates in a part."""

    def __init__(self, model: Model) -> None:
        self.model = model
        self.renamed: dict[str, str] = {}

    def part(self, turn: Turn, block: Block) -> Any:
        """The part as it goes out; the same object when nothing is changed, None when it is left out."""
        value = block.value
        match block.kind:
            case "result":
                id_ = self.renamed.get(repr(self.stored(turn, block)), block.id)
                return with_id(_with_texts(value, self.clean), id_)
            case "call":
                return with_id(value, self.id_of(turn, block))
            case "thinking":
                if self._is_own(turn) and (value.get("signature") or value.get("data")):
                    return self.clean(value)
                words = value.get("thinking")
                return {"type": "text", "text": words} if isinstance(words, str) and words.strip() else None
        return None if block.kind == "other" or is_blank(block) else self.clean(value)

    def id_of(self, turn: Turn, call: Block) -> Any:
        """The id that a call goes out with."""
        if self._is_own(turn) or self.model[1] != "anthropic-messages" or not isinstance(call.id, str):
            return call.id
        return self.renamed.setdefault(repr(call.id), sanitised(call.id)[:64])

    def stored(self, turn: Turn, block: Block) -> Any:
        """The id that a call or a result is known by."""
        return block.id

    def key_of(self, turn: Turn, block: Block, value: Any) -> Any:
        """What a call and its result have in common; the id that goes out, unless its agent compares others.

        `value` is what goes out of the block.
        """
        return value.get("tool_use_id") if block.kind == "result" else self.id_of(turn, block)

    def behind(self, part: SentPart) -> Sequence[Any]:
        """What goes out of a result after all results of its turn."""
        return ()

    def no_result(self, id_: Any) -> Any:
        """What goes out as the result of a call that has none."""
        return no_result(id_, self.no_output)

    def _is_own(self, turn: Turn) -> bool:
        return model_at(turn.node) == self.model


def _with_texts(result: dict[str, Any], clean: Callable[[Any], Any]) -> dict[str, Any]:
    """A result as it goes out: without halves of characters, and with words beside its images."""
    content = result.get("content")
    if not isinstance(content, list):
        return result
    made = [clean(part) for part in content]
    kinds = {type_name(part) for part in content}
    if "image" in kinds and "text" not in kinds:
        made = [{"type": "text", "text": IMAGE_ONLY}, *made]
    same = len(made) == len(content) and all(new is old for new, old in zip(made, content, strict=True))
    return result if same else {**result, "content": made}
