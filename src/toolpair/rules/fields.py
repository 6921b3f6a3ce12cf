"""Rules about missing fields, and about fields that the API refuses."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from toolpair.dialects import anthropic, openai_chat
from toolpair.dialects.block_values import extra_fields, is_bare_text, without_fields
from toolpair.rules import value_types
from toolpair.rules.context import Context, tool_of
from toolpair.rules.problem import Cause, Fix
from toolpair.rules.rule import Rule
from toolpair.rules.where import Where, at_block, at_message
from toolpair.transcript.counting import plural
from toolpair.transcript.edits import ABSENT, Edit, SetField
from toolpair.transcript.model import Block, Message


def check(context: Context) -> None:
    if context.tool_messages:
        _missing_fields(context)
        _calls_no_list(context)
        if context.written == "chat" and context.wire == "chat":
            _extra_keys(context)
    elif not context.transcript.native and context.wire in ("anthropic", "bedrock"):
        _bare_texts(context)
        if context.wire == "anthropic":
            _extra_fields(context)
    value_types.check(context)


RULES: Final = (
    Rule("field.missing", "fields", check, fix_order=110),
    Rule("field.unsupported", "fields", check, fix_order=110, whole_history=True),
)


def _extra_fields(context: Context) -> None:
    """Report unknown fields: one problem for each kind of block and set of fields, however many blocks have them."""
    if not context.judges("field.unsupported"):
        return
    found: dict[tuple[str, tuple[str, ...]], list[tuple[int, Message, Block | None]]] = {}
    for number, message in enumerate(context.messages):
        if (extra := extra_fields(message, anthropic.MESSAGE_FIELDS)) and not _is_of_another(message):
            found.setdefault(("message", extra), []).append((number, message, None))
        for part in message.blocks:
            kind = anthropic.type_meant(part)
            known = anthropic.BLOCK_FIELDS.get(kind)
            if known and (extra := extra_fields(part, known)):
                found.setdefault((kind, extra), []).append((number, message, part))
    for (kind, extra), places in found.items():
        edits: list[Edit] = []
        for _, owner, holder in places:
            if holder is None:
                edits.extend(SetField(owner, key, ABSENT) for key in extra)
            else:
                edits.append(without_fields(holder, extra))
        number, first, block = places[0]
        named = ", ".join(extra)
        noun = kind if kind == "message" else f"{kind} block"
        context.add(
            "field.unsupported",
            f"{plural(len(places), noun + ' has', noun + 's have')} fields that the API may refuse: {named}.",
            Where(
                at=(number, first.blocks.index(block) if block is not None else None),
                about=first,
                record=block.record if block is not None else None,
            ),
            cause=Cause("extra_fields", "a client saved fields of its own next to the API's"),
            fixes=(
                Fix(
                    "remove-fields",
                    f"remove {named}",
                    tuple(edits),
                    recommended=True,
                    loses=f"the fields {named}",
                ),
            ),
        )


def _is_of_another(message: Message) -> bool:
    """Whether something in it is in another API's form: its fields are judged once it is in the list's own."""
    return any(block.form for block in message.blocks)


def _extra_keys(context: Context) -> None:
    """Keys of chat messages that the provider refuses as unknown: one problem for each set."""
    if not context.judges("field.unsupported"):
        return
    found: dict[tuple[str, tuple[str, ...]], list[tuple[int, Message]]] = {}
    for number, message in enumerate(context.messages):
        known = openai_chat.MESSAGE_FIELDS.get(message.role) if isinstance(message.role, str) else None
        if known is not None and (extra := extra_fields(message, known)) and not _is_of_another(message):
            found.setdefault((message.role, extra), []).append((number, message))
    for (role, extra), places in found.items():
        number, first = places[0]
        named = ", ".join(extra)
        thinking = bool(openai_chat.THINKING_FIELDS.intersection(extra))
        context.add(
            "field.unsupported",
            f"{plural(len(places), f'{role} message has', f'{role} messages have')} fields that "
            f"{context.profile.title} does not know: {named}.",
            at_message(number, first),
            cause=Cause("extra_fields", "a client or another provider added fields of its own"),
            fixes=(
                Fix(
                    "remove-fields",
                    f"remove {named}",
                    tuple(_keys_out(places, extra)),
                    recommended=True,
                    loses=f"the fields {named}" + (", which hold the model's thinking" if thinking else ""),
                ),
            ),
        )


def _keys_out(places: list[tuple[int, Message]], extra: tuple[str, ...]) -> Iterator[Edit]:
    for _, message in places:
        if message.results:  # a tool message is its result
            yield without_fields(message.results[0], extra)
        else:
            yield from (SetField(message, key, ABSENT) for key in extra)


def _missing_fields(context: Context) -> None:
    for pair in context.pairing.pairs:
        call = pair.call
        if call is None or not openai_chat.lacks_type(call):
            continue
        context.add(
            "field.missing",
            f"The call of {tool_of(call)} has no type.",
            Where(at=pair.call_at, pairs=(pair,), call=call),
            cause=Cause("field_missing", "a client left out a field that the API requires"),
            fixes=(
                Fix(
                    "set-type",
                    'write "type": "function"',
                    (openai_chat.with_type(call),),
                    recommended=True,
                ),
            ),
        )


def _calls_no_list(context: Context) -> None:
    """`tool_calls` that is a single call, or not a call at all, instead of a list."""
    for number, message in enumerate(context.messages):
        instead = openai_chat.unlisted_calls(message)
        if instead is None:
            continue
        fix = (
            Fix(
                "as-list",
                "write the call as a list of one",
                (openai_chat.call_as_list(message),),
                recommended=True,
            )
            if instead == "call"
            else Fix(
                "remove-key",
                "remove the tool_calls",
                (openai_chat.without_calls(message),),
                recommended=True,
                loses="what was there instead",
            )
        )
        context.add(
            "field.missing",
            "The tool_calls of this message are not a list, and they must be one.",
            at_message(number, message),
            cause=Cause("calls_no_list", "a client wrote something else instead of the list"),
            fixes=(fix,),
        )


def _bare_texts(context: Context) -> None:
    """A bare string among the blocks: the API wants an object with a type."""
    for number, message in enumerate(context.messages):
        if message.shape != "blocks":
            continue
        for position, block in enumerate(message.blocks):
            if is_bare_text(block):
                context.add(
                    "field.missing",
                    f"A text among the blocks of this {message.role} message has no type.",
                    at_block(number, position, message),
                    severity="error",
                    cause=Cause("bare_text", "a bare text was written where a block is required"),
                    fixes=(
                        Fix(
                            "as-block",
                            "write it as a text block",
                            (anthropic.as_text_block(block),),
                            recommended=True,
                        ),
                    ),
                )
