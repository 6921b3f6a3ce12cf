"""What is sent of a history as pi writes it."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any, Final

from toolpair.dialects.block_values import without_halves
from toolpair.dialects.item_types import type_name
from toolpair.formats.engine.reading.turns import Sending, Turn, is_blank, request_of
from toolpair.formats.format import Item, SentRequest
from toolpair.formats.pi_family.history import History, Model, history, history_of, model_at, model_of
from toolpair.transcript.model import Block, Transcript

NO_RESULT: Final = "No result provided"
IMAGE_ONLY: Final = "(see attached image)"
_NO_ID: Final = re.compile(r"[^a-zA-Z0-9_-]")


def sees(items: Sequence[Item], transcript: Transcript) -> SentRequest:
    known = history_of(transcript)
    ways = known.ways
    found = known if known.items is items else history(items, transcript.tree.leaf, ways)
    return request_for(found, transcript)


def request_for(found: History, transcript: Transcript) -> SentRequest:
    """What is sent of a history."""
    ways = found.ways
    turns = () if ways.needs_header and found.header is None else ways.paired(found.turns)
    sending = ways.sending(model_of(found.path))
    return request_of(turns, transcript, sending, ways.title, ways.version, ways.refuses(found))


class PiSending(Sending):
    """What was another model's, goes out without its signatures, and with ids that this one takes."""

    clean: Callable[[Any], Any] = staticmethod(without_halves)
    """What it makes of lone surrogates in a part."""

    def __init__(self, model: Model) -> None:
        self.model = model
        self.renamed: dict[str, str] = {}

    def part(self, turn: Turn, block: Block) -> Any:
        value = block.value
        match block.kind:
            case "result":
                id_ = self.renamed.get(repr(self.stored(turn, block)), block.id)
                value = _with_texts(value, self.clean)
                return value if id_ == block.id else {**value, "tool_use_id": id_}
            case "call":
                id_ = self.id_of(turn, block)
                return value if id_ == block.id else {**value, "id": id_}
            case "thinking":
                if self._is_own(turn) and (value.get("signature") or value.get("data")):
                    return self.clean(value)
                words = value.get("thinking")
                return {"type": "text", "text": words} if isinstance(words, str) and words.strip() else None
        return None if block.kind == "other" or is_blank(block) else self.clean(value)

    def id_of(self, turn: Turn, call: Block) -> Any:
        if self._is_own(turn) or self.model[1] != "anthropic-messages" or not isinstance(call.id, str):
            return call.id
        return self.renamed.setdefault(repr(call.id), _NO_ID.sub("_", call.id)[:64])

    def stored(self, turn: Turn, block: Block) -> Any:
        """The id that a call or a result is known by."""
        return block.id

    def no_result(self, id_: Any) -> Any:
        return {"type": "tool_result", "tool_use_id": id_, "content": NO_RESULT, "is_error": True}

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
