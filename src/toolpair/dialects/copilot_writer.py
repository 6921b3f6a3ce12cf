"""Writing Copilot CLI's events: a result is one of its own, what did not change since it was read stays the same."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Final

from toolpair.dialects.anthropic_writer import AnthropicWriter
from toolpair.dialects.block_texts import text_of
from toolpair.dialects.copilot import ATTACHED, CALLS, attachment_of, call_of, is_media, result_of, user_key
from toolpair.dialects.media import HeldMedia
from toolpair.transcript.draft import DraftBlock

_OF_RESULT: Final = ("toolCallId", "toolName", "success", "error", "model")


class CopilotWriter(AnthropicWriter):
    """A message is the `data` of an event; the format says of which type the event of a new one is."""

    results_are_messages = True
    words_stay_in_record = False

    def result(self, call: DraftBlock, content: Any, is_error: bool, id_: str | None) -> DraftBlock:
        spelled = {"tool_use_id": id_ or call.id, "content": content, "is_error": is_error}
        value = result_of(spelled, None, {"toolCallId": None})
        return DraftBlock("result", value, value["toolCallId"])

    def message(self, role: str, content: str | list[Any]) -> dict[str, Any]:
        words = text_of(content)
        return {"content": words, **({CALLS: []} if role == "assistant" else {"transformedContent": words})}

    def words(self, result: Any, content: str | list[Any]) -> dict[str, Any]:
        """What was recorded beside the output stays beside its text, where the agent does not look at it."""
        beside = {key: said for key, said in result.items() if key not in _OF_RESULT}
        if isinstance(whole := beside.get("result"), dict):
            beside["result"] = {key: said for key, said in whole.items() if key != "content"}
        return {**self.message("user", content), **{key: said for key, said in beside.items() if said}}

    def holder(self, role: str) -> dict[str, Any]:
        return self.message(role, "")

    def with_blocks(self, value: Any, blocks: Iterable[DraftBlock]) -> Any:
        # What is attached is sent after the words, and so is what stands in its place.
        found = sorted(blocks, key=lambda block: block.source is not None and block.source.kind == "media")
        result = next((block for block in found if block.kind == "result"), None)
        if result is not None:
            return result.value if result.source is None else result_of(result.value, result.source, result.written)
        words = [text_of([block.value]) for block in found if block.kind != "call" and not _is_media(block)]
        made = _with_attachments(value, [block for block in found if _is_media(block)])
        calls = [call_of(block.value, block.source, block.written) for block in found if block.kind == "call"]
        if CALLS in made or calls:
            made[CALLS] = calls
        texts = "\n\n".join(word for word in words if word)
        key = "content" if CALLS in made else user_key(made)
        if texts != (made.get(key) or ""):
            made[key] = texts
        return made

    def complete(self, value: Any, known: Sequence[DraftBlock]) -> Sequence[DraftBlock]:
        return known


def _is_media(block: DraftBlock) -> bool:
    return isinstance(block.value, HeldMedia)


def _with_attachments(value: dict[str, Any], media: Sequence[DraftBlock]) -> dict[str, Any]:
    """The event's data with these images and documents; what else is attached stays in its place."""
    found = value.get(ATTACHED)
    old = found if isinstance(found, list) else []
    left = list(media)
    made: list[Any] = []
    for part in old:
        own = next((block for block in left if block.written is part), None)
        if own is not None:
            left.remove(own)
            made.append(attachment_of(own.value, own.source, part))
        elif not is_media(part):
            made.append(part)
    made += [attachment_of(block.value, None, block.written or {}) for block in left]
    same = len(made) == len(old) and all(new is part for new, part in zip(made, old, strict=True))
    return dict(value) if same else {**value, ATTACHED: made}
