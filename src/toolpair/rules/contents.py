"""Rules about message contents: empty, null or blank."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from toolpair.dialects import openai_chat
from toolpair.dialects.anthropic import marks_empty_text, without_cache_marks
from toolpair.dialects.besides import keys_of_content, named_keys, says_besides
from toolpair.dialects.block_texts import media_of, result_content
from toolpair.dialects.block_values import as_json, is_object, text_in, with_text
from toolpair.rules.content_lists import check_lists, named_list, named_text
from toolpair.rules.context import Context, tool_of
from toolpair.rules.message_neighbours import text_beside_calls
from toolpair.rules.problem import Cause, Fix, Severity
from toolpair.rules.rule import Rule, when_named
from toolpair.rules.where import Where, at_message
from toolpair.rules.wire import is_system
from toolpair.transcript.edits import Remove, RemoveMessage, SetField
from toolpair.transcript.model import Block, Message

_NO_CONTENT: Final = "(no content)"
_LEFT_ALONE: Final = "It is left alone: only you know what is meant to be sent."

_OF_FORM: Final = r"(?i)\b(?:lists?|arrays?|sequence|iterable|str|strings?)\b"
"""Words about the form of a content."""


def check(context: Context) -> None:
    if context.written == "blocks":
        for number, message in enumerate(context.messages):
            _message(context, number, message)
    elif context.written == "chat":
        for number, message in enumerate(context.messages):
            _chat_message(context, number, message)


def _check_images(context: Context) -> None:
    if any(_holds_media(block) for message in context.messages for block in message.blocks):
        from toolpair.rules.images import check  # few files need it

        check(context)


def _holds_media(block: Block) -> bool:
    return block.kind == "media" or (block.kind == "result" and bool(media_of(result_content(block))))


RULES: Final = (
    Rule("content.null", "contents", check, fix_order=140, alike=("content.empty_message",)),
    Rule(
        "content.empty_message",
        "contents",
        check,
        fix_order=150,
        decided_by="neighbours",
        sent_as=("content.empty_text",),
    ),
    Rule("content.empty_text", "contents", check),
    Rule("content.empty_tool_calls", "contents", check),
    Rule("content.not_a_string", "contents", check_lists, named=named_list, whole_history=True, offered_by=_OF_FORM),
    Rule("content.not_a_list", "contents", named=named_text, whole_history=True, offered_by=_OF_FORM),
    Rule("content.mixed_with_tool", "contents", check, whole_history=True, sums=text_beside_calls),
    Rule("content.image_too_large", "contents", _check_images, named=when_named("images:named_large")),
    Rule("content.too_many_images", "contents", named=when_named("images:named_many"), whole_history=True),
    Rule("content.too_many_cache_marks", "contents", named=when_named("cache_marks:named"), whole_history=True),
)


def _message(context: Context, number: int, message: Message) -> None:
    if (message.shape in ("null", "absent", "other") and not message.blocks) or message.shape == "other":
        if context.judges("content.null") or message.blocks:
            _no_content(context, number, message)
        else:
            _empty_message(context, number, message)
        return
    empty = not message.blocks or (message.shape == "string" and text_in(message.blocks[0]) == "")
    if empty:
        if _refuses_empty(context, message.role):
            _empty_message(context, number, message)
        return
    if context.wire == "anthropic":
        for position, block in enumerate(message.blocks):
            if block.kind == "result" and marks_empty_text(block):
                _marked_empty(context, number, position, message)
    blank = [(position, block) for position, block in enumerate(message.blocks) if _blank(block)]
    real = len(blank) < len(message.blocks)
    for position, block in blank:
        if real or (len(message.blocks) > 1 and position):
            fix = Fix("remove-block", "remove the empty text", (Remove(block),), recommended=True)
        elif message.shape == "string":
            fix = Fix("fill", f'write "{_NO_CONTENT}"', (SetField(message, "content", _NO_CONTENT),), recommended=True)
        else:
            fix = _filled(block)
        _empty_text(context, number, position, message, block, fix)


def _refuses_empty(context: Context, role: Any) -> bool:
    """Whether a message of this role must not be empty. A chat API gets an empty text instead."""
    if context.wire == "chat":
        return context.provider == "moonshot" or (role == "assistant" and _words_or_calls(context))
    return role == "user" if context.wire == "anthropic" else True


def _words_or_calls(context: Context) -> bool:
    """Mistral's models that take text or calls require one of them; those that take both accept neither as well."""
    return context.provider == "mistral" and context.judges("content.mixed_with_tool")


def _filled(block: Block) -> Fix:
    return Fix("fill", f'write "{_NO_CONTENT}"', (with_text(block, _NO_CONTENT),), recommended=True)


def _empty_text(
    context: Context,
    number: int,
    position: int | None,
    message: Message,
    block: Block | None,
    fix: Fix,
    severity: Severity | None = None,
) -> None:
    kept = block is not None and says_besides(block)
    refuses = context.refuses("content.empty_text", severity)
    context.add(
        "content.empty_text",
        f"This {message.role} message has an empty or blank text, which {context.profile.title} {refuses}.",
        Where(
            at=(number, position),
            others=(block,) if block is not None else (),
            about=message,
            record=block.record if block is not None else None,
        ),
        severity=severity,
        cause=Cause("empty_text", "an empty text was saved with the message"),
        fixes=() if kept else (fix,),
        no_fix=f"It says something under another key. {_LEFT_ALONE}" if kept else None,
    )


def _marked_empty(context: Context, number: int, position: int, message: Message) -> None:
    """In a result an empty text is accepted, but not one with a cache mark."""
    result = message.blocks[position]
    pair = context.pairing.pair_of(result)
    context.add(
        "content.empty_text",
        f"An empty text in the result of {tool_of(pair.call if pair else None)} has a cache mark, which "
        f"{context.profile.title} {context.refuses('content.empty_text')}.",
        Where(at=(number, position), pairs=(pair,), result=result, about=message, record=result.record),
        cause=Cause("marked_empty", "a client put its cache mark on the last text, which was empty"),
        fixes=(
            Fix(
                "remove-cache-mark",
                "remove its cache mark",
                (without_cache_marks(result),),
                recommended=True,
                note="a mark says nothing to the model; it makes the next request cheaper",
            ),
        ),
    )


def _blank(block: Block) -> bool:
    """Whether a text is empty, blank, or missing."""
    if block.kind != "text":
        return False
    text = text_in(block)
    return text is None or (isinstance(text, str) and text.strip() == "")


def _no_content(context: Context, number: int, message: Message) -> None:
    elsewhere = keys_of_content(message) if not message.blocks else ()
    if elsewhere:
        _content_elsewhere(context, "content.null", number, message, elsewhere)
        return
    what = {"null": "null", "absent": "absent"}.get(message.shape, "neither text nor a list")
    fill: Any = [] if message.role == "assistant" and context.wire == "anthropic" else _NO_CONTENT
    if message.shape == "other" and message.blocks:
        fill = as_json(message.blocks[0])
    context.add(
        "content.null",
        f"The content of this {message.role} message is {what}.",
        at_message(number, message),
        cause=Cause("content_null", "another API writes null where this one requires an empty list"),
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


def _says_nothing(context: Context, message: Message) -> str:
    whose = f"{message.role} message" if isinstance(message.role, str) and message.role.strip() else "message"
    return f"This {whose} is empty, which {context.profile.title} {context.refuses('content.empty_message')}."


def _empty_message(context: Context, number: int, message: Message, *, removed: bool = True) -> None:
    """`removed`: it is best removed; else a text is written into it."""
    elsewhere = keys_of_content(message)
    if elsewhere:
        _content_elsewhere(context, "content.empty_message", number, message, elsewhere)
        return
    context.add(
        "content.empty_message",
        _says_nothing(context, message),
        at_message(number, message),
        cause=Cause("empty_message", "everything in it was removed, or nothing was typed"),
        fixes=(
            Fix("remove-message", "remove the empty message", (RemoveMessage(message),), recommended=removed),
            Fix(
                "fill", f'write "{_NO_CONTENT}"', (SetField(message, "content", _NO_CONTENT),), recommended=not removed
            ),
        ),
    )


def _content_elsewhere(context: Context, rule: str, number: int, message: Message, keys: Sequence[str]) -> None:
    """A message that is not empty, although it says nothing where the provider looks for it."""
    where = named_keys(keys)
    remove = Fix("remove-message", "remove the message", (RemoveMessage(message),), loses=f"what is under {where}")
    context.add(
        rule,
        f"This {message.role} message has its content under other keys ({where}), where {context.profile.title} does "
        "not look for it.",
        at_message(number, message),
        cause=Cause("content_elsewhere", "another program wrote this message"),
        fixes=(remove,),
        no_fix=_LEFT_ALONE,
    )


def _chat_message(context: Context, number: int, message: Message) -> None:
    if openai_chat.lists_no_calls(message):
        context.add(
            "content.empty_tool_calls",
            "An assistant message has an empty list of tool calls, which the API "
            f"{context.refuses('content.empty_tool_calls')}.",
            at_message(number, message),
            cause=Cause("empty_tool_calls", "a client wrote the list although there was no call"),
            fixes=(
                Fix("remove-key", "remove the empty list", (openai_chat.without_calls(message),), recommended=True),
            ),
        )
    content = openai_chat.content_of(message)
    if message.role in ("tool", "function") or (context.in_turns and is_system(message)):
        return
    _empty_parts(context, number, message, content)
    if message.calls:
        if content is None and context.wire == "chat" and context.judges("content.null"):
            _null_beside_calls(context, number, message)
        return
    if _refused_as_empty(context, message.role, content) and not openai_chat.says_otherwise(message):
        _empty_message(context, number, message, removed=number < len(context.messages) - 1)


def _null_beside_calls(context: Context, number: int, message: Message) -> None:
    context.add(
        "content.null",
        f"This message has calls and no content, which {context.profile.title} {context.refuses('content.null')}.",
        at_message(number, message),
        cause=Cause("content_null", "most chat APIs accept null beside calls"),
        fixes=(Fix("fill", f'write "{_NO_CONTENT}"', (SetField(message, "content", _NO_CONTENT),), recommended=True),),
    )


def _refused_as_empty(context: Context, role: Any, content: Any) -> bool:
    """Whether the provider refuses a chat message with this content and no calls as empty."""
    if context.wire == "anthropic":
        return role != "assistant" and content in (None, "", [])
    if context.provider == "mistral" and role == "assistant":
        return _words_or_calls(context) and content in (None, "", [])
    if context.provider == "mistral":
        return content is None
    if context.wire in ("bedrock", "gemini"):
        return content in (None, "", [])
    return content is None or content == []


def _empty_parts(context: Context, number: int, message: Message, content: Any) -> None:
    """Empty texts in a chat message, where the provider checks them."""
    if not context.judges("content.empty_text") or (
        not message.calls and _refused_as_empty(context, message.role, content)
    ):
        return
    texts = [(position, block) for position, block in enumerate(message.blocks) if block.kind == "text"]
    if isinstance(content, str):
        if content.strip() or (content == "" and (context.in_turns or message.calls)):
            return  # an empty text next to calls is left out; alone it is a message without content
        fill: Any = None if message.calls else _NO_CONTENT
        title = "remove the empty text" if fill is None else f'write "{_NO_CONTENT}"'
        fix = Fix("remove-text" if fill is None else "fill", title, (SetField(message, "content", fill),), True)
        # Some converters turn blank text next to calls into nothing.
        severity: Severity | None = "warning" if message.calls and context.is_error("content.empty_text") else None
        _empty_text(context, number, 0 if texts else None, message, texts[0][1] if texts else None, fix, severity)
        return
    real = len(texts) < len(message.blocks) or any(not _blank(block) for _, block in texts)
    for position, block in texts:
        if is_object(block) and _blank(block):
            removable = real or position != texts[0][0]
            fix = Fix("remove-block", "remove the empty text", (Remove(block),), True) if removable else _filled(block)
            _empty_text(context, number, position, message, block, fix)
