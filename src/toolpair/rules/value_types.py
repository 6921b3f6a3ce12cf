"""Rules about values of a type that no API takes: blocks that are not objects, texts that are not strings, and the
like.

What a provider's published types say counts as `documented`. Only lists written by a program are checked: an agent
reads its own files as it likes. A block of an unknown type is left alone, since new ones appear.
"""

from __future__ import annotations

from typing import Any, Final

from msgspec.structs import replace

from toolpair.dialects import anthropic, openai_chat, openai_responses
from toolpair.dialects.block_texts import result_content
from toolpair.dialects.block_values import (
    field_of,
    hands_back_tools,
    is_bare_text,
    is_object,
    is_output,
    mended_parts,
    rewritten,
    saying,
    text_type,
    type_of,
    words,
)
from toolpair.rules.context import Context, tool_of, with_edits
from toolpair.rules.pair_states import fit_of, moved
from toolpair.rules.problem import Cause, Fix
from toolpair.rules.where import Where
from toolpair.transcript.edits import Edit, RemoveMessage, SetField
from toolpair.transcript.model import Block, Message
from toolpair.transcript.pairing import Pair

_RULE: Final = "field.missing"
_CAUSE: Final = Cause("wrong_type", "a client wrote a value of a different type from what the API accepts")
_OTHER_FORM: Final = Cause("other_form", "what wrote it mixes the forms of two APIs")
_AS_TEXT: Final = Cause(
    "other_form",
    "Cline kept the output as a text, and not as the result of the call",
    'when it sends, Cline answers the call with "result missing" and keeps the text after it; today\'s Cline, which '
    'takes the task over, with "[migration] Tool result missing in legacy conversation history."',
    "Cline",
)
_ITEM_ROLES: Final = ("user", "assistant", "system", "developer")


def check(context: Context) -> None:
    _other_forms(context)
    if context.written == "blocks":
        _wrong_types(context)
    if context.transcript.native:
        return
    judged = {"blocks": _blocks, "chat": _chat}.get(context.written, _items)
    for number, message in enumerate(context.messages):
        judged(context, number, message)
        for position, block in enumerate(message.blocks):
            if block.kind == "result" and is_object(block):
                content = result_content(block)
                if not isinstance(content, str):
                    _result(context, (number, position), block, content)


def _wrong_types(context: Context) -> None:
    """Results with the wrong type; those without a type, in lists that a program wrote, are reported later."""
    for number, message in enumerate(context.messages):
        for position, block in enumerate(message.blocks):
            if block.kind != "result" or anthropic.says_that_it_is_a_result(block):
                continue
            type_ = type_of(block)
            if type_ is None and not context.transcript.native:
                continue
            what = "a block without a type" if type_ is None else f"a block of the type {type_}"
            text = f"A result is written as {what}."
            edits = (anthropic.as_result(block),)
            _add(context, text, (number, position), message, block, edits, "write it as a result")


def _other_forms(context: Context) -> None:
    """Calls, and results of a known call, that are written as another API spells them.

    What is to become text, or to go, needs no other spelling.
    """
    for pair in context.pairing.pairs:
        if pair.call is None or pair.call_at is None:
            continue
        if pair.call.form:
            _other_form(context, pair, pair.call, pair.call, pair.call_at)
        if fit_of(context, pair) not in ("orphan", "duplicate"):
            for result, at in zip(pair.results, pair.results_at, strict=True):
                if result.form:
                    _other_form(context, pair, pair.call, result, at)


def _other_form(context: Context, pair: Pair, call: Block, block: Block, at: tuple[int, int]) -> None:
    is_result = block.kind == "result"
    where = "file" if context.transcript.native else "list"
    noun = "result" if is_result else "call"
    as_text = block.form == anthropic.TEXT_RESULT
    move = moved(context, pair, block) if is_result and pair.certain else None
    context.add(
        _RULE,
        f"The {noun} of {tool_of(call)} stands as {block.form}, which is not the form of this {where}.",
        Where(
            at=at,
            pairs=(pair,),
            call=call,
            result=block if is_result else None,
            about=context.messages[at[0]],
            record=block.record,
        ),
        severity="error",
        impact="harmless" if as_text else None,
        cause=_AS_TEXT if as_text else _OTHER_FORM,
        fixes=(
            Fix(
                "own-form",
                f"write it in the form of this {where}",
                with_edits(rewritten(block, call), move),
                recommended=True,
                several=f"write them in the form of this {where}",
            ),
        ),
    )


def check_request(context: Context) -> None:
    """What is certain of a list about to be sent: Anthropic refuses any message key but role and content.

    For a file it is not certain: the program that keeps its own keys there may remove them before sending.
    """
    if context.wire != "anthropic" or context.written != "blocks":
        return
    context.problems[:] = [
        replace(problem, severity="error", own_impact="stops")
        if problem.rule == "field.unsupported" and problem.block is None
        else problem
        for problem in context.problems
    ]


def _blocks(context: Context, number: int, message: Message) -> None:
    if message.shape == "other" and not context.judges("content.null"):
        _content(context, number, message, message, "text")
    if message.shape != "blocks":
        return
    for position, block in enumerate(message.blocks):
        if is_bare_text(block):
            continue  # reported as a text without a type
        if not anthropic.is_typed(block):
            what = "a block without a type" if is_object(block) else "something that is not a block"
            edit = anthropic.as_block(block)
        elif anthropic.has_no_text(block):
            what, edit = "a text block whose text is not text", anthropic.text_as_words(block)
        else:
            continue
        text = f"This {message.role} message has {what} in it."
        _add(context, text, (number, position), message, block, (edit,), "write it as a block")


def _chat(context: Context, number: int, message: Message) -> None:
    # Items that are only messages look like chat, and so do outputs whose calls the API stores.
    if not message.results and type_of(message) in (None, "message"):
        _content(context, number, message, message, "text")
        if context.wire == "responses" and not message.calls:
            _role(context, number, message, message)
    edit = openai_chat.only_calls(message)
    if edit is None:
        return
    text = "Something among the tool calls of this message is not a call."
    _add(context, text, (number, None), message, None, (edit,), "remove it", "what was there, which is not a call")


def _items(context: Context, number: int, message: Message) -> None:
    for position, block in enumerate(message.blocks):
        if not is_object(block):
            continue
        if block.kind == "result":
            if openai_responses.output_family(block) is None:
                _output_item(context, (number, position), message, block)
            continue
        if openai_responses.is_message(block):
            _content(context, number, message, block, openai_responses.text_type(block))
            _role(context, number, message, block)
        elif type_of(block) is None:
            edit = openai_responses.as_item(block)
            edits: tuple[Edit, ...] = (edit or RemoveMessage(message),)
            title = "write its type" if edit is not None else "remove the empty item"
            _add(context, "An item has no type.", (number, position), message, block, edits, title)
        elif openai_responses.lacks_arguments(block):
            edits = (openai_responses.with_no_arguments(block),)
            text = "A call has no arguments."
            _add(context, text, (number, position), message, block, edits, "write an empty object")


def _output_item(context: Context, at: tuple[int, int], message: Message, block: Block) -> None:
    """An output with the wrong type."""
    type_ = type_of(block)
    what = f"as an item of the type {type_}" if type_ is not None else "without its type"
    text = f"An output is written {what}."
    _add(context, text, at, message, block, (openai_responses.as_output(block),), "write it as an output")


def _role(context: Context, number: int, message: Message, of: Block | Message) -> None:
    if field_of(of, "role") not in _ITEM_ROLES:
        edits = (_set(message, of, "role", "user"),)
        text = "A message has no known role."
        _add(context, text, (number, None), message, None, edits, "make it a user message")


def _content(context: Context, number: int, message: Message, of: Block | Message, kind: str) -> None:
    """The content of a message: a string or a list of parts, whose texts are strings."""
    content = field_of(of, "content")
    if isinstance(content, list):
        mended: Any = mended_parts(content, kind)
        if mended is None:
            return
    elif content is None and context.written == "chat":
        return  # checked as empty content
    elif isinstance(content, str):
        return
    else:
        mended = words(content) if content is not None else ""
    text = f"The content of this {message.role} message is neither text nor a list of parts."
    _add(context, text, (number, None), message, None, (_set(message, of, "content", mended),), "write it as text")


def _set(message: Message, of: Block | Message, key: str, value: Any) -> Edit:
    """Set a key of the message, or of the item, where several items are one message."""
    return openai_responses.with_field(of, key, value) if isinstance(of, Block) else SetField(message, key, value)


def _result(context: Context, at: tuple[int, int], block: Block, content: Any) -> None:
    """The content of a result that is not a string: parts, whose texts are strings."""
    if hands_back_tools(block):
        return
    if isinstance(content, list):
        mended: Any = mended_parts(content, text_type(block))
        if mended is None:
            return
    elif content is None and (not is_output(block) or context.judges("content.empty_result")):
        return
    else:
        mended = words(content) if content is not None else ""
    text = "The content of a result is neither text nor a list of blocks."
    edits = (saying(block, mended),)
    _add(context, text, at, context.messages[at[0]], block, edits, "write it as text")


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
        Where(
            at=at,
            pairs=(pair,),
            result=block if is_result else None,
            others=(block,) if block is not None and not is_result else (),
            about=about,
            record=block.record if block is not None else None,
        ),
        severity="error",
        cause=_CAUSE,
        fixes=(Fix("right-type", title, edits, recommended=True, loses=loses),),
    )
