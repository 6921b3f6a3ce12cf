"""Values of a type that no API takes: blocks that are none, texts that are no text, contents that are neither.

What a provider's own types say is `documented`. Only lists that a program wrote are judged: an agent reads its own
files as it likes. A block of a type that is not known here is left alone, since new ones come.
"""

from __future__ import annotations

import json
from typing import Any, Final

from msgspec.structs import replace

from toolpair.rules.context import Context
from toolpair.rules.problem import Cause, Fix
from toolpair.transcript.content import result_content
from toolpair.transcript.edits import Edit, RemoveMessage, SetField, SetValue
from toolpair.transcript.item_types import OUTPUT_FAMILY, OUTPUT_OF, content_key, type_name
from toolpair.transcript.model import Block, Message

_RULE: Final = "field.missing"
_CAUSE: Final = Cause("wrong_type", "a client wrote a value of a different type from what the API accepts")
_NO_CONTENT: Final = "(no content)"
_ITEM_ROLES: Final = ("user", "assistant", "system", "developer")
_TEXTS: Final = ("text", "input_text", "output_text")


def check(context: Context) -> None:
    if context.written == "blocks":
        _wrong_types(context)
    if context.transcript.native:
        return
    judged = {"blocks": _blocks, "chat": _chat}.get(context.written, _items)
    for number, message in enumerate(context.messages):
        judged(context, number, message)
        for position, block in enumerate(message.blocks):
            if block.kind == "result" and isinstance(block.value, dict):
                content = result_content(block)
                if not isinstance(content, str):
                    _result(context, (number, position), block, content)


def _wrong_types(context: Context) -> None:
    """Results that say that they are something else; of lists that a program wrote those without a type come later."""
    for number, message in enumerate(context.messages):
        for position, block in enumerate(message.blocks):
            type_ = type_name(block.value)
            if block.kind != "result" or type_ == "tool_result" or (type_ is None and not context.transcript.native):
                continue
            what = "a block without a type" if type_ is None else f"a block of the type {type_}"
            text = f"A result is written as {what}."
            mended = {**block.value, "type": "tool_result"}
            _add(context, text, (number, position), message, block, (SetValue(block, mended),), "write it as a result")


def check_request(context: Context) -> None:
    """What is sure of a list that is about to be sent: Anthropic refuses any key of a message but role and content.

    Of a file that is not sure: the program that keeps keys of its own there may take them out before it sends.
    """
    if context.wire != "anthropic" or context.written != "blocks":
        return
    context.problems[:] = [
        replace(problem, severity="error", impact="stops")
        if problem.rule == "field.unsupported" and problem.block is None
        else problem
        for problem in context.problems
    ]


def _blocks(context: Context, number: int, message: Message) -> None:
    if message.shape == "other" and not context.judges("content.null"):
        _content(context, number, message, message.value, "text")
    if message.shape != "blocks":
        return
    for position, block in enumerate(message.blocks):
        value = block.value
        if isinstance(value, str):
            continue  # told as a text without a type
        if not isinstance(value, dict) or not isinstance(value.get("type"), str):
            what = "something that is not a block" if not isinstance(value, dict) else "a block without a type"
            mended = _as_block(value)
        elif value["type"] == "text" and _is_wrong(value.get("text")):
            what, mended = "a text block whose text is not text", {**value, "text": _words(value["text"])}
        else:
            continue
        text = f"This {message.role} message has {what} in it."
        _add(context, text, (number, position), message, block, (SetValue(block, mended),), "write it as a block")


def _chat(context: Context, number: int, message: Message) -> None:
    value = message.value if isinstance(message.value, dict) else {}
    # Items that are messages alone look like chat, and so do outputs whose calls the API keeps.
    if not message.results and type_name(value) in (None, "message"):
        _content(context, number, message, value, "text")
        if context.wire == "responses" and not message.calls:
            _role(context, number, message, value)
    calls = value.get("tool_calls")
    if not isinstance(calls, list) or all(isinstance(call, dict) for call in calls):
        return
    kept = [call for call in calls if isinstance(call, dict)]
    text = "Something among the tool calls of this message is not a call."
    edits = (SetField(message, "tool_calls", kept),)
    _add(context, text, (number, None), message, None, edits, "remove it", "what was there, which is not a call")


def _items(context: Context, number: int, message: Message) -> None:
    for position, block in enumerate(message.blocks):
        value, type_ = block.value, type_name(block.value)
        if not isinstance(value, dict):
            continue
        if block.kind == "result":
            if type_ not in OUTPUT_FAMILY:
                _output_item(context, (number, position), message, block)
            continue
        if type_ == "message" or (type_ is None and "role" in value):
            kind = "output_text" if value.get("role") == "assistant" else "input_text"
            _content(context, number, message, value, kind)
            _role(context, number, message, value)
        elif type_ is None:
            edits: tuple[Edit, ...] = (SetValue(block, _as_item(value)),) if value else (RemoveMessage(message),)
            title = "write its type" if value else "remove the empty item"
            _add(context, "An item has no type.", (number, position), message, block, edits, title)
        elif type_ == "function_call" and "arguments" not in value:
            mended = {**value, "arguments": "{}"}
            text = "A call has no arguments."
            _add(context, text, (number, position), message, block, (SetValue(block, mended),), "write an empty object")


def _output_item(context: Context, at: tuple[int, int], message: Message, block: Block) -> None:
    """An output that says that it is something else."""
    type_ = type_name(block.value)
    what = f"as an item of the type {type_}" if type_ is not None else "without its type"
    mended = {key: value for key, value in block.value.items() if key not in ("role", "content")}
    mended["type"] = OUTPUT_OF[block.family or "function"]
    text = f"An output is written {what}."
    _add(context, text, at, message, block, (SetValue(block, mended),), "write it as an output")


def _role(context: Context, number: int, message: Message, value: dict[str, Any]) -> None:
    if value.get("role") not in _ITEM_ROLES:
        edits = (SetField(message, "role", "user"),)
        text = "A message has no known role."
        _add(context, text, (number, None), message, None, edits, "make it a user message")


def _content(context: Context, number: int, message: Message, value: dict[str, Any], kind: str) -> None:
    """The content of a message: a text or a list of parts, and their texts texts."""
    content = value.get("content")
    if isinstance(content, list):
        parts = [_mended_part(part, kind) for part in content]
        if all(made is part for made, part in zip(parts, content, strict=True)):
            return
        mended: Any = parts
    elif content is None and context.written == "chat":
        return  # judged as empty
    elif isinstance(content, str):
        return
    else:
        mended = _words(content) if content is not None else ""
    text = f"The content of this {message.role} message is neither text nor a list of parts."
    _add(context, text, (number, None), message, None, (SetField(message, "content", mended),), "write it as text")


def _mended_part(part: Any, kind: str) -> Any:
    if not isinstance(part, dict):
        return {"type": kind, "text": part if isinstance(part, str) else _words(part)}
    if part.get("type") in _TEXTS and not isinstance(part.get("text"), str):
        return {**part, "text": _words(part["text"]) if part.get("text") is not None else _NO_CONTENT}
    return part


def _result(context: Context, at: tuple[int, int], block: Block, content: Any) -> None:
    """The content of a result that is no text: parts, and their texts texts."""
    key = content_key(block.value)
    if type_name(block.value) == "tool_search_output":
        return
    if isinstance(content, list):
        kind = "input_text" if key == "output" else "text"
        parts = [_mended_part(part, kind) for part in content]
        if all(made is part for made, part in zip(parts, content, strict=True)):
            return
        mended: Any = parts
    elif content is None and (key == "content" or context.judges("content.empty_result")):
        return
    else:
        mended = _words(content) if content is not None else ""
    text = "The content of a result is neither text nor a list of blocks."
    edits = (SetValue(block, {**block.value, key: mended}),)
    _add(context, text, at, context.messages[at[0]], block, edits, "write it as text")


def _is_wrong(text: Any) -> bool:
    return text is not None and not isinstance(text, str)


def _words(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, default=str)


def _as_block(value: Any) -> dict[str, Any]:
    """The block that a value without a type was: by the keys that only a call or a result has, else its text."""
    if isinstance(value, dict):
        if isinstance(value.get("tool_use_id"), str):
            return {**value, "type": "tool_result"}
        if isinstance(value.get("id"), str) and isinstance(value.get("name"), str) and "input" in value:
            return {**value, "type": "tool_use"}
        if isinstance(value.get("text"), str):
            return {**value, "type": "text"}
    return {"type": "text", "text": _words(value)}


def _as_item(value: dict[str, Any]) -> dict[str, Any]:
    """The item that a value without a type was: by the keys that only a call or an output has, else its words."""
    if isinstance(value.get("call_id"), str):
        if isinstance(value.get("output"), (str, list)):
            return {**value, "type": "function_call_output"}
        if isinstance(value.get("name"), str) and isinstance(value.get("arguments"), str):
            return {**value, "type": "function_call"}
    content = value.get("content")
    return {"type": "message", "role": "user", "content": content if isinstance(content, str) else _words(value)}


def _add(
    context: Context,
    text: str,
    at: tuple[int, int | None],
    about: Message,
    block: Block | None,
    edits: tuple[Edit, ...],
    title: str,
    loses: str | None = None,
) -> None:
    pair = context.pairing.pair_of(block) if block is not None else None
    is_result = block is not None and block.kind == "result"
    context.add(
        _RULE,
        text,
        at=at,
        pair=pair,
        about=about,
        result=block if is_result else None,
        others=(block,) if block is not None and not is_result else (),
        record=block.record if block is not None else None,
        severity="error",
        cause=_CAUSE,
        fixes=(Fix("right-type", title, edits, recommended=True, loses=loses),),
    )
