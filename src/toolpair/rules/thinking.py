"""Thinking that an API does not take back, which only its answer shows: removed here or everywhere, or made text.

What is removed stays in a file beside the session.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from msgspec.structs import replace

from toolpair.dialects import openai_chat
from toolpair.dialects.block_values import field_of, model_of
from toolpair.dialects.openai_responses import ListedItem, is_encrypted, is_reasoning, listed_items
from toolpair.rules.context import Context, tool_of
from toolpair.rules.problem import KEPT_ASIDE, Cause, Fix
from toolpair.rules.signatures import (
    OFF,
    SKIP_SIGNATURE,
    can_be_signed,
    empty_thinking,
    google_signature,
    last_asked,
    skipping,
)
from toolpair.rules.where import NamedPlace, Where, at_block, at_message
from toolpair.transcript.counting import plural
from toolpair.transcript.edits import Edit, KeepAside, Remove, ReplaceWithText, set_aside
from toolpair.transcript.model import Block, Message

_ASKED_FOR: Final = (
    "if the API then asks for the thinking before the last calls, send the next request with thinking turned off"
)


def refused(context: Context, place: NamedPlace) -> None:
    """Thinking whose signature an API does not accept, or that it cannot decrypt."""
    if context.wire == "gemini":
        signed = [one for one in _calls(context, place) if google_signature(one[2]) not in (None, SKIP_SIGNATURE)]
        _of_google(context, signed, "reasoning.bad_signature", "is not accepted")
    _named(context, place, "reasoning.bad_signature")


def bound(context: Context, place: NamedPlace) -> None:
    """Thinking before which something was changed: what follows it is bound to that as well."""
    _named(context, place, "reasoning.prefix_changed")


def unsigned(context: Context, place: NamedPlace) -> None:
    """Calls of the current turn that Gemini wants signed, the first of each step: it asks for that of the next as soon
    as it has this one's.
    """
    if context.wire != "gemini":
        return
    asked = last_asked(context)
    first = [one for one in _calls(context, NamedPlace()) if one[0] > asked and one[2] is one[1].calls[0]]
    without = [one for one in first if not google_signature(one[2])]
    named = [one for one in without if place.message in (None, one[0])]
    if named:
        rest = [one for one in without if one is not named[0]]
        _of_google(context, [named[0], *rest], "reasoning.missing_signature", "is missing")


_Calls = Sequence[tuple[int, Message, Block]]


def _calls(context: Context, place: NamedPlace) -> Iterator[tuple[int, Message, Block]]:
    for number, message in enumerate(context.messages):
        if place.message is None or number == place.message:
            yield from ((number, message, call) for call in message.calls)


def _of_google(context: Context, calls: _Calls, rule: str, what: str) -> None:
    if not calls:
        return
    number, message, call = calls[0]
    pair = context.pairing.pair_of(call)
    able = [call for _, _, call in calls if can_be_signed(context, call)]
    context.add(
        rule,
        f"The thought signature of the call of {tool_of(call)} {what}.",
        Where(at=(number, message.blocks.index(call)), pairs=(pair,), call=call, about=message),
        severity="error",
        cause=_OTHER_KEY,
        fixes=(skipping(context, able),) if len(able) == len(calls) else (),
        no_fix="Only the calls since the user's last words are checked: say something, and go on from there.",
    )


def missing(context: Context, place: NamedPlace) -> None:
    """Thinking that an API asks for: it asks for that of the next message as soon as it has this one's."""
    if context.written == "items":
        _ids_without_reasoning(context, place)
        return
    calling = [(number, message) for number, message in enumerate(context.messages) if message.calls]
    without = [(number, message) for number, message in calling if not _brings(message)]
    if context.wire in ("anthropic", "bedrock"):
        without = without[-1:]  # only the last turn with calls has to begin with it
    if not without or (place.message is not None and place.message not in dict(without)):
        return
    number, message = next((one for one in without if one[0] == place.message), without[0])
    can_be_empty = context.wire == "chat" and context.written == "chat"
    context.add(
        "reasoning.missing_before_call",
        f"{plural(len(without), 'message')} with calls {'has' if len(without) == 1 else 'have'} no thinking, and the "
        "API requires it.",
        at_message(number, message),
        severity="error",
        cause=Cause("thinking_dropped", "a client or a converter left out the model's thinking in some messages"),
        fixes=[replace(empty_thinking(context, [one for _, one in without]), recommended=True)] if can_be_empty else (),
        no_fix=OFF,
    )


def _brings(message: Message) -> bool:
    return openai_chat.brings_thinking(message) or bool(_thinking(message))


def _ids_without_reasoning(context: Context, place: NamedPlace) -> None:
    """Items with an id of their own whose reasoning is gone: the API looks for it by that id."""
    items = _after_reasoning(context.messages)
    found = [item for item, led in items if item.is_of_model and not led and item.id is not None]
    if not found:
        return
    at = next((item for item in found if item.at[0] == place.message), found[0])
    context.add(
        "reasoning.missing_before_call",
        f"The reasoning before this {at.noun} ({at.id}) is gone.",
        Where(at=at.at, others=() if at.block is None else (at.block,), about=at.message, record=at.record),
        severity="error",
        cause=Cause("thinking_dropped", "a client or a converter left out the model's thinking in some messages"),
        fixes=(
            Fix(
                "without-item-id",
                "remove the item's id" if len(found) == 1 else f"remove the ids of {len(found):,} items",
                tuple(item.without_id() for item in found),
                recommended=True,
                note="an item does not need its own id; its call_id stays",
                several="remove the ids of these items",
            ),
        ),
    )


def final(context: Context, place: NamedPlace) -> None:
    """Thinking in the last message, for a request that does not ask for any."""
    number = len(context.messages) - 1
    if number >= 0 and _thinking(context.messages[number]):
        _named(context, NamedPlace(number), "reasoning.final_thinking_disabled")


def not_stored(context: Context, place: NamedPlace) -> None:
    """Ids of items that the provider has not stored, or not for this key."""
    if context.written != "items":
        return
    edits: list[Edit] = []
    named = [item for item in listed_items(context.messages) if item.id is not None]
    for item in named:
        if item.is_reference or (item.kind == "reasoning" and not item.is_sealed):
            edits += () if item.block is None else set_aside(item.block)
        else:
            edits.append(item.without_id())
    if not edits:
        return
    at = next((item for item in named if item.at[0] == place.message), named[0])
    context.add(
        "reasoning.unresolvable_ref",
        f"The id of this {at.noun} ({at.id}) is one that the provider does not know.",
        Where(at=at.at, others=() if at.block is None else (at.block,), about=at.message, record=at.record),
        severity="error",
        cause=_OTHER_KEY,
        fixes=(
            Fix(
                "without-item-ids",
                "remove the ids of all items, and the reasoning that only the provider has",
                tuple(edits),
                recommended=True,
                loses=f"reasoning that only the provider can read{KEPT_ASIDE}" if _removes(edits) else None,
            ),
        ),
    )


_OTHER_KEY: Final = Cause("other_key", "another key, account or model wrote it, or the provider has stored nothing")


def _removes(edits: Sequence[Edit]) -> bool:
    return any(isinstance(edit, Remove) for edit in edits)


def _named(context: Context, place: NamedPlace, rule: str) -> None:
    if context.written == "items" and rule == "reasoning.bad_signature":
        _undecrypted(context, place)
        return
    thinks = [number for number, message in enumerate(context.messages) if _thinks(message)]
    here = place.message
    if not thinks or (here is not None and here not in thinks):
        return
    number = thinks[0] if here is None else here
    message = context.messages[number]
    block = next(iter(_thinking(message)), None)
    made = _Fixes(context, number, "thinking")
    if here is None:
        fixes = [made.all(), *made.of_others()]
    elif rule == "reasoning.prefix_changed":
        fixes = [made.from_here(), made.of_message(), made.all()]
    else:
        fixes = [made.of_message(), made.from_here(), made.all(), *made.of_others(), *made.as_text()]
    context.add(
        rule,
        f"The thinking {'of this message' if here is not None else 'in this conversation'} is not accepted.",
        at_message(number, message)
        if block is None
        else at_block(number, message.blocks.index(block), message, *_thinking(message)),
        severity="error",
        cause=_OTHER_KEY,
        fixes=(replace(fixes[0], recommended=True), *fixes[1:]),
    )


def _undecrypted(context: Context, place: NamedPlace) -> None:
    """Encrypted items: what a key cannot read of one, it cannot read of the others that came with it."""
    sealed = [
        (number, message, block)
        for number, message in enumerate(context.messages)
        for block in message.blocks
        if block.kind in ("thinking", "other") and is_encrypted(block)
    ]
    here = [one for one in sealed if one[0] == place.message]
    meant = [one for one in here if place.block in (None, one[1].blocks.index(one[2]))]
    if not sealed or (place.message is not None and not meant):
        return
    number, message, block = (meant or sealed)[0]
    made = _Fixes(context, number, "reasoning")
    fixes = [made.all()] if any(is_reasoning(one) for _, _, one in sealed) else []
    if is_reasoning(block) and len(here) < len(sealed):
        fixes.append(made.of_message())
    summaries = [one for _, _, one in sealed if not is_reasoning(one)]
    if summaries:
        whole = Fix(
            "remove-encrypted",
            "remove all that is encrypted, also the summaries of what came before",
            tuple(_without_thinking(context.messages, summaries)),
            loses=f"what the summaries say, and reasoning, which only the provider can read{KEPT_ASIDE}",
        )
        fixes.insert(len(fixes) if is_reasoning(block) else 0, whole)
    context.add(
        "reasoning.bad_signature",
        "The encrypted content of this conversation cannot be read by the API.",
        Where(at=(number, message.blocks.index(block)), others=(block,), about=message, record=block.record),
        severity="error",
        cause=_OTHER_KEY,
        fixes=(replace(fixes[0], recommended=True), *fixes[1:]),
    )


def _thinking(message: Message) -> tuple[Block, ...]:
    return tuple(block for block in message.blocks if block.kind == "thinking")


def _thinks(message: Message) -> bool:
    return bool(_thinking(message) or openai_chat.thinking_beside(message))


def _of_other_models(messages: Sequence[Message]) -> list[Message]:
    """The messages with thinking of another model than the newest one's, as far as messages name their model."""
    named = [(message, model) for message in messages if (model := model_of(message)) is not None]
    newest = named[-1][1] if named else None
    return [message for message, model in named if model != newest and _thinks(message)]


def _without_thinking(messages: Sequence[Message], also: Sequence[Block] = ()) -> Iterator[Edit]:
    """The edits that set the thinking of these messages aside. An item that had to follow it loses its id."""
    thinking = (block for message in messages for block in message.blocks if block.kind == "thinking")
    for block in (*thinking, *also):
        yield from set_aside(block)
    for message in messages:
        if beside := openai_chat.thinking_beside(message):
            yield KeepAside(None, beside, message)
            yield from openai_chat.without_thinking_beside(message)
    for item, led in _after_reasoning(messages):
        if led and item.kind != "reasoning" and item.id is not None:
            yield item.without_id()


def _after_reasoning(messages: Sequence[Message]) -> Iterator[tuple[ListedItem, bool]]:
    """The items, each with whether its response began with reasoning."""
    led = False
    for item in listed_items(messages):
        led = item.is_of_model and (led or item.kind == "reasoning")
        yield item, led


class _Fixes:
    """The ways to take thinking out, as seen from one message."""

    def __init__(self, context: Context, number: int, noun: str) -> None:
        self._messages = context.messages
        self._number = number
        self._message = context.messages[number]
        self._may_be_asked_for = context.wire in ("anthropic", "bedrock")
        self.noun = noun

    def _fix(self, id_: str, title: str, lost: str, messages: Sequence[Message]) -> Fix:
        calls = self._may_be_asked_for and any(message.calls for message in messages)
        return Fix(
            id_,
            title,
            tuple(_without_thinking(messages)),
            loses=f"the model's {self.noun} {lost}{KEPT_ASIDE}",
            note=_ASKED_FOR if calls else None,
        )

    def of_message(self) -> Fix:
        title = f"remove the {self.noun} from this message"
        return self._fix("remove-thinking", title, "in this message", [self._message])

    def from_here(self) -> Fix:
        title = f"remove the {self.noun} from this message and all after it"
        return self._fix("remove-thinking-from-here", title, "from here on", self._messages[self._number :])

    def all(self) -> Fix:
        return self._fix("remove-all-thinking", f"remove all {self.noun}", "everywhere", self._messages)

    def of_others(self) -> Sequence[Fix]:
        others = _of_other_models(self._messages)
        title = f"remove the {self.noun} that other models wrote"
        return [self._fix("remove-other-thinking", title, "from other models", others)] if others else []

    def as_text(self) -> Sequence[Fix]:
        thinking = _thinking(self._message)
        edits: list[Edit] = [KeepAside(block, block.value) for block in thinking]
        said = [block for block in thinking if _can_be_read(block)]
        if not said:
            return ()
        edits += [ReplaceWithText(block, block.text) if block in said else Remove(block) for block in thinking]
        return (
            Fix(
                "thinking-as-text",
                "turn the thinking of this message into text",
                tuple(edits),
                loses="its signature; the model reads it as something that it said",
            ),
        )


def _can_be_read(block: Block) -> bool:
    return bool(str(field_of(block, "thinking") or "").strip())
