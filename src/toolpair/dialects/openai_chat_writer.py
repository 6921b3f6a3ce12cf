"""Writing chat messages: each result is a message of its own, with a single block."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Final

from toolpair.dialects.anthropic_writer import is_as_read
from toolpair.dialects.block_texts import text_of
from toolpair.dialects.writer import Writer
from toolpair.transcript.draft import DraftBlock

_LEGACY: Final = "function_call"


class ChatWriter(Writer):
    results_are_messages = True
    words_stay_in_record = False

    def renamed(self, block: DraftBlock, id_: str) -> Any:
        if block.kind == "call":
            return {**block.value, "id": id_}
        value = {**block.value, "tool_call_id": id_}
        if value.get("role") == "function":
            # A legacy result has no id; only a tool message can answer a call with one.
            value["role"] = "tool"
        return value

    def result(self, call: DraftBlock, content: Any, is_error: bool, id_: str | None) -> DraftBlock:
        text = content if isinstance(content, str) or _text_parts(content) else text_of(content)
        if _is_legacy(call):
            value = {"role": "function", "name": call.value.get("name") or "unknown_tool", "content": text}
        else:
            value = {"role": "tool", "tool_call_id": id_ or call.id, "content": text}
        return DraftBlock("result", value, value.get("tool_call_id"))

    def stands_alone(self, block: DraftBlock) -> bool:
        return block.kind == "result"

    def said(self, text: str) -> Any:
        return text

    def holder(self, role: str) -> dict[str, Any]:
        return {"role": role, "content": None, "tool_calls": []}

    def with_blocks(self, value: Any, blocks: Iterable[DraftBlock]) -> Any:
        found = list(blocks)
        if found and found[0].kind == "result":
            return dict(found[0].value)
        if any(block.slot == () for block in found):
            value = self.holder("assistant")  # the call was an element of its own
        made = dict(value)
        calls = [block for block in found if moves(block) or (block.kind == "call" and not _is_part(block))]
        listed = [block.value for block in calls if not _is_legacy(block)]
        if listed:
            made["tool_calls"] = listed
        elif made.get("tool_calls"):
            del made["tool_calls"]
        legacy = [block.value for block in calls if _is_legacy(block)]
        if legacy:
            made[_LEGACY] = legacy[0]
        else:
            made.pop(_LEGACY, None)
        content = made.get("content")
        if isinstance(content, list):
            own = (block for block in found if block.slot and block.slot[-2:-1] == ("content",))
            parts = [block.value if block.kind != "call" else block.written for block in own if not moves(block)]
            if len(parts) != len(content) or any(a is not b for a, b in zip(parts, content, strict=True)):
                made["content"] = parts or None
        elif isinstance(content, str):
            made["content"] = next(
                (block.value for block in found if block.slot and block.slot[-1] == "content"), content
            )
        return made

    def finished(self, value: Any, blocks: Iterable[DraftBlock]) -> Any:
        words = [block.value for block in blocks if block.kind == "text" and block.slot is None]
        return {**value, "content": _with_words(value.get("content"), words)} if words else value


def _is_part(block: DraftBlock) -> bool:
    return block.slot is not None and block.slot[-2:-1] == ("content",)


def moves(block: DraftBlock) -> bool:
    """Whether it is a call of another API's among the parts that an edit has changed: it becomes one of this API's."""
    return block.kind == "call" and _is_part(block) and not is_as_read(block)


def _with_words(content: Any, words: Sequence[str]) -> Any:
    """The message's content with the texts of former calls appended."""
    if isinstance(content, list):
        return [*content, *({"type": "text", "text": text} for text in words)]
    said = [str(content)] if content else []
    for text in words:
        if said == [""]:
            said.clear()
        said.append(text)
    return "\n".join(said)


def _is_legacy(call: DraftBlock) -> bool:
    return call.slot is not None and call.slot[-1:] == (_LEGACY,)


def _text_parts(content: Any) -> bool:
    return isinstance(content, list) and all(isinstance(part, dict) and part.get("type") == "text" for part in content)


WRITER: Final = ChatWriter()
