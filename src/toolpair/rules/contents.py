"""Contents: empty, null, blank, or of a type that the API refuses."""

from __future__ import annotations

import json
from typing import Any, Final

from toolpair.rules.base import Cause, Fix
from toolpair.rules.context import Context, tool_of
from toolpair.transcript.content import result_content
from toolpair.transcript.edits import ABSENT, InsertMessage, Remove, RemoveMessage, SetField, SetValue
from toolpair.transcript.items import type_name
from toolpair.transcript.model import Block, Message, kept_output_label
from toolpair.transcript.pairing import Pair

_NO_CONTENT: Final = "(no content)"
_ALLOWED_PARTS: Final = {
    "blocks": frozenset({"text", "image", "document", "search_result", "tool_reference", "browser_state"}),
    "tool_messages": frozenset({"text"}),
}
_ITEM_PARTS: Final = frozenset({"input_text", "input_image", "input_file", "encrypted_content"})
"""What the output of a Responses item may hold."""


def check(context: Context) -> None:
    for number, message in enumerate(context.messages):
        if context.tool_messages:
            _chat_message(context, number, message)
        else:
            _message(context, number, message)
    for pair in context.pairing.pairs:
        for result, at in zip(pair.results, pair.results_at, strict=True):
            _result(context, pair, result, at)


def _message(context: Context, number: int, message: Message) -> None:
    if (message.shape in ("null", "absent", "other") and not message.blocks) or message.shape == "other":
        _no_content(context, number, message)
        return
    empty = not message.blocks or (message.shape == "string" and message.blocks[0].value == "")
    if empty:
        if message.role == "user":
            _empty_message(context, number, message)
        return
    real = [block for block in message.blocks if not _blank(block)]
    for position, block in enumerate(message.blocks):
        if not _blank(block):
            continue
        if real or (len(message.blocks) > 1 and position):
            fix = Fix("remove-block", "remove the empty text", (Remove(block),), recommended=True)
        elif message.shape == "string":
            fix = Fix("fill", f'write "{_NO_CONTENT}"', (SetField(message, "content", _NO_CONTENT),), recommended=True)
        else:
            kept = block.value if isinstance(block.value, dict) else {"type": "text"}
            fix = Fix(
                "fill",
                f'write "{_NO_CONTENT}"',
                (SetValue(block, {**kept, "text": _NO_CONTENT}),),
                recommended=True,
            )
        context.add(
            "content.empty_text",
            f"A text of the {message.role} is empty or blank, which {context.profile.title} refuses.",
            at=(number, position),
            about=message,
            others=(block,),
            record=block.record,
            cause=Cause("empty_text", "an empty text was saved beside the calls"),
            fixes=(fix,),
        )


def _blank(block: Block) -> bool:
    """A text that is empty, blank, or not there."""
    if block.kind != "text":
        return False
    if isinstance(block.value, str):
        return block.value.strip() == ""
    text = block.value.get("text")
    return text is None or (isinstance(text, str) and text.strip() == "")


def _no_content(context: Context, number: int, message: Message) -> None:
    what = {"null": "null", "absent": "absent"}.get(message.shape, "neither text nor a list")
    fill: Any = [] if message.role == "assistant" else _NO_CONTENT
    if message.shape == "other" and message.blocks:
        fill = json.dumps(message.blocks[0].value, ensure_ascii=False)
    context.add(
        "content.null",
        f"The content of a message of the {message.role} is {what}.",
        at=(number, None),
        about=message,
        cause=Cause("content_null", "another API writes null where this one wants an empty list"),
        fixes=(
            Fix(
                "fill",
                "write an empty list"
                if fill == []
                else f'write "{_NO_CONTENT}"'
                if fill == _NO_CONTENT
                else "write it as text",
                (SetField(message, "content", fill),),
                recommended=True,
            ),
            Fix("remove-message", "remove the message", (RemoveMessage(message),)),
        ),
    )


def _empty_message(context: Context, number: int, message: Message) -> None:
    context.add(
        "content.empty_message",
        f"A message of the {message.role} is empty, which {context.profile.title} refuses.",
        at=(number, None),
        about=message,
        cause=Cause("empty_message", "everything in it was removed, or nothing was typed"),
        fixes=(
            Fix("remove-message", "remove the empty message", (RemoveMessage(message),), recommended=True),
            Fix("fill", f'write "{_NO_CONTENT}"', (SetField(message, "content", _NO_CONTENT),)),
        ),
    )


def _chat_message(context: Context, number: int, message: Message) -> None:
    value = message.value if isinstance(message.value, dict) else {}
    if value.get("tool_calls") == [] and "tool_calls" in value:
        context.add(
            "content.empty_tool_calls",
            "An assistant message has an empty list of tool calls, which the API refuses.",
            at=(number, None),
            about=message,
            cause=Cause("empty_tool_calls", "a client wrote the list although there was no call"),
            fixes=(
                Fix(
                    "remove-key", "remove the empty list", (SetField(message, "tool_calls", ABSENT),), recommended=True
                ),
            ),
        )
    if message.role in ("tool", "function") or message.calls:
        return
    content = value.get("content")
    says_otherwise = any(value.get(key) for key in ("refusal", "audio", "reasoning_content"))
    if (content is None or content == []) and not says_otherwise:
        last = number == len(context.messages) - 1
        context.add(
            "content.empty_message",
            f"A message of the {message.role} is empty, which {context.profile.title} refuses.",
            at=(number, None),
            about=message,
            cause=Cause("empty_message", "everything in it was removed, or nothing was typed"),
            fixes=(
                Fix("remove-message", "remove the empty message", (RemoveMessage(message),), recommended=not last),
                Fix("fill", f'write "{_NO_CONTENT}"', (SetField(message, "content", _NO_CONTENT),), recommended=last),
            ),
        )


def _result(context: Context, pair: Pair, result: Block, at: tuple[int, int]) -> None:
    if not isinstance(result.value, dict):
        return
    if result.value.get("type") == "tool_search_output":
        return  # it holds tools, not words
    content = result_content(result)
    whose = f"The result of {tool_of(pair.call)}"
    if content is None and context.judges("content.empty_result"):
        context.add(
            "content.empty_result",
            f"{whose} has no content.",
            at=at,
            pair=pair,
            call=pair.call,
            result=result,
            record=result.record,
            cause=Cause("empty_result", "the tool said nothing, and null was written"),
            fixes=(
                Fix(
                    "empty-string",
                    "write an empty string",
                    (SetValue(result, {**result.value, _key(result): ""}),),
                    recommended=True,
                ),
            ),
        )
    if content is None:
        return
    if isinstance(content, str) or (isinstance(content, list) and not content):
        if result.is_error and not content and not context.tool_messages:
            context.add(
                "error.empty_content",
                f"{whose} is an error without a word of content.",
                at=at,
                pair=pair,
                call=pair.call,
                result=result,
                record=result.record,
                fixes=(
                    Fix(
                        "fill",
                        'write "(no output)"',
                        (SetValue(result, {**result.value, "content": "(no output)"}),),
                        recommended=True,
                    ),
                ),
            )
        return
    _parts(context, pair, result, at, content, whose)


def _key(result: Block) -> str:
    """Where a result says what it says: an item of the Responses API has `output`."""
    return "output" if str(result.value.get("type")).endswith("_output") else "content"


def _said(part: Any) -> str:
    """What a part of another API says."""
    if isinstance(part, dict) and part.get("type") in ("text", "output_text") and isinstance(part.get("text"), str):
        return str(part["text"])
    return part if isinstance(part, str) else json.dumps(part, ensure_ascii=False)


def _text_type(result: Block) -> str:
    return "input_text" if _key(result) == "output" else "text"


def _parts(context: Context, pair: Pair, result: Block, at: tuple[int, int], content: Any, whose: str) -> None:
    allowed = _ITEM_PARTS if _key(result) == "output" else _ALLOWED_PARTS[context.transcript.layout]
    parts = content if isinstance(content, list) else [content]
    bad = [part for part in parts if type_name(part) not in allowed]
    if context.transcript.native:
        # An agent's own form, which it turns into text before it sends.
        bad = [part for part in bad if not (isinstance(part, dict) and "type" not in part)]
    if bad or not isinstance(content, list):
        mended: Any = [
            {
                "type": _text_type(result),
                "text": _said(part),
            }
            if any(part is found for found in bad)
            else part
            for part in parts
        ]
        if not isinstance(content, list):
            mended = json.dumps(content, ensure_ascii=False)
        images = [part for part in bad if isinstance(part, dict) and part.get("type") == "image_url"]
        fixes = [
            Fix(
                "as-text",
                "write it as text",
                (SetValue(result, {**result.value, _key(result): mended}),),
                recommended=not images,
            )
        ]
        if images and context.tool_messages and len(images) == len(bad):
            fixes.insert(0, _images_behind(context, result, at[0], parts, images))
        context.add(
            "result.type_not_allowed",
            f"{whose} holds something that a result may not hold.",
            at=at,
            pair=pair,
            call=pair.call,
            result=result,
            record=result.record,
            cause=Cause("result_type", "another API's content was written into the result"),
            fixes=fixes,
        )
        return
    media = [part for part in parts if isinstance(part, dict) and part.get("type") != "text"]
    if result.is_error and media and not context.tool_messages:
        kept = [part for part in parts if not any(part is found for found in media)]
        context.add(
            "error.non_text",
            f"{whose} is an error with something else than text in it, which the API refuses.",
            at=at,
            pair=pair,
            call=pair.call,
            result=result,
            record=result.record,
            cause=Cause("error_non_text", "the tool failed and handed back an image all the same"),
            fixes=(
                Fix(
                    "error-as-words",
                    "say in words that it failed, and take the error mark off",
                    (
                        SetValue(
                            result,
                            {
                                **result.value,
                                "is_error": False,
                                "content": [{"type": "text", "text": "[The tool reported an error.]"}, *parts],
                            },
                        ),
                    ),
                    recommended=True,
                ),
                Fix(
                    "text-only",
                    "keep the text only",
                    (SetValue(result, {**result.value, "content": kept}),),
                    loses=f"{len(media)} image{'s' if len(media) > 1 else ''} or document",
                ),
            ),
        )


def _images_behind(context: Context, result: Block, at: int, parts: list[Any], images: list[Any]) -> Fix:
    """A tool message may hold text alone: its images follow the run of results in a message of the user."""
    last = at
    while last + 1 < len(context.messages) and context.messages[last + 1].role in ("tool", "function"):
        last += 1
    texts = [part for part in parts if not any(part is image for image in images)]
    label = {"type": "text", "text": kept_output_label(result.name)}
    return Fix(
        "images-behind",
        "move its images into a message of the user behind it",
        (
            SetValue(result, {**result.value, "content": texts or "[The image follows.]"}),
            InsertMessage(context.messages[last], "user", [label, *images]),
        ),
        recommended=True,
    )
