"""Rules about the form of a message's content: a list of parts where one text is wanted, and the other way round."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from toolpair.dialects.block_texts import result_content
from toolpair.dialects.block_values import saying
from toolpair.dialects.openai_chat import content_of, text_of_parts
from toolpair.rules.context import Context
from toolpair.rules.problem import Cause, Fix, Severity
from toolpair.rules.where import NamedPlace, Where, at_message
from toolpair.transcript.counting import plural
from toolpair.transcript.edits import Edit, SetField
from toolpair.transcript.model import Message

_RULE: Final = "content.not_a_string"
_NOT_A_LIST: Final = "content.not_a_list"
_Found = tuple[int, Message, str | None]
"""With its texts as one; None where there is more than text in it."""


def check_lists(context: Context) -> None:
    """What is known of Groq is that it refuses the lists of some roles; others refuse all."""
    if context.judges(_RULE):
        refused = _of_role(context, None)
        groq = context.provider == "groq"
        _add(context, [one for one in refused if not groq or one[1].role in ("assistant", "system")])


def named_list(context: Context, place: NamedPlace) -> None:
    """A list that an API refused; it would refuse the next of this role as well. Without a place, any list."""
    role = None if place.message is None else context.messages[place.message].role
    found = [one for one in _of_role(context, role) if one[2] is not None]
    if place.message is None or any(number == place.message for number, _, _ in found):
        _add(context, found, place.message, "error")


def _of_role(context: Context, role: Any) -> list[_Found]:
    """All of a role; of any for None."""
    if context.written != "chat" or context.transcript.native:
        return []
    lists = (
        (number, message, result_content(message.results[0]) if message.results else content_of(message))
        for number, message in enumerate(context.messages)
        if role in (None, message.role)
    )
    return [
        (number, message, text_of_parts(content))
        for number, message, content in lists
        if isinstance(content, list) and content
    ]


def _add(context: Context, found: Sequence[_Found], named: int | None = None, severity: Severity | None = None) -> None:
    if not found:
        return
    number, message, _ = next((one for one in found if one[0] == named), found[0])
    roles = {one.role for _, one, _ in found}
    kind = f"{message.role} message" if len(roles) == 1 else "message"
    edits = tuple(_edit(one, text) for _, one, text in found if text is not None)
    title = "write it as one text" if len(edits) == 1 else f"write the {len(edits)} {kind}s as one text each"
    more = (
        "" if len(edits) == len(found) else " Where there is more than text in it, remove that, or use another model."
    )
    context.add(
        _RULE,
        f"The content of {plural(len(found), f'{kind} is', f'{kind}s is')} a list, and "
        f"{context.profile.title} takes one text.{more}",
        # Of several roles it is about the conversation: at a message it would be taken for those of one.
        at_message(number, message) if len(roles) == 1 else Where(about=message),
        cause=Cause("content_in_parts", "another API's client wrote it, or it was put into parts for a cache mark"),
        fixes=(Fix("as-one-text", title, edits, recommended=True),) if edits else (),
        no_fix=None if edits else "There is more than text in it. Remove that part, or use a model that reads it.",
        severity=severity,
    )


def _edit(message: Message, content: Any) -> Edit:
    return saying(message.results[0], content) if message.results else SetField(message, "content", content)


def named_text(context: Context, place: NamedPlace) -> None:
    """A text that was refused where a list of parts is wanted; any other would be as well."""
    if context.written != "chat" or context.transcript.native:
        return
    found = [
        (number, message, message.blocks[0])
        for number, message in enumerate(context.messages)
        if message.shape == "string" and message.blocks and message.blocks[0].kind == "text"
    ]
    if not found or (place.message is not None and all(number != place.message for number, _, _ in found)):
        return
    number, message, _ = next((one for one in found if one[0] == place.message), found[0])
    many = "it as a list of one text" if len(found) == 1 else f"each of the {len(found)} texts as a list of one"
    edits = tuple(SetField(one, "content", [{"text": block.text}]) for _, one, block in found)  # Nova takes no type
    context.add(
        _NOT_A_LIST,
        f"The content of {plural(len(found), 'message is', 'messages is')} a text, and the API wants a list of parts.",
        at_message(number, message) if place.message is not None else Where(about=message),
        cause=Cause("content_as_text", "most APIs take a text, too, and a client wrote it so"),
        fixes=(Fix("as-list", f"write {many}", edits, recommended=True),),
        severity="error",
    )
