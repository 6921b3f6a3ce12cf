"""Thinking that an API does not take back, which only its answer shows: removed here or everywhere, or made text.

What is removed stays in a file beside the session.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from msgspec.structs import replace

from toolpair.dialects.block_values import model_of
from toolpair.dialects.openai_responses import is_reasoning, listed_items
from toolpair.rules.context import Context
from toolpair.rules.problem import KEPT_ASIDE, Cause, Fix
from toolpair.rules.where import NamedPlace, Where
from toolpair.transcript.edits import Edit, KeepAside, Remove, ReplaceWithText
from toolpair.transcript.model import Block, Message

_ASKED_FOR: Final = (
    "if the API then asks for the thinking before the last calls, send the next request with thinking turned off"
)


def refused(context: Context, place: NamedPlace) -> None:
    """Thinking whose signature an API does not accept, or that it cannot decrypt."""
    _named(context, place, "reasoning.bad_signature")


def bound(context: Context, place: NamedPlace) -> None:
    """Thinking before which something was changed: what follows it is bound to that as well."""
    _named(context, place, "reasoning.prefix_changed")


def not_stored(context: Context, place: NamedPlace) -> None:
    """Ids of items that the provider has not stored, or not for this key."""
    if context.written != "items":
        return
    edits: list[Edit] = []
    named = [item for item in listed_items(context.messages) if item.id is not None]
    for item in named:
        if item.kind == "item_reference" or (item.kind == "reasoning" and not item.is_sealed):
            edits += [] if item.block is None else [KeepAside(item.block, item.value), Remove(item.block)]
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
    thinks = [number for number, message in enumerate(context.messages) if _thinking(message)]
    if not thinks:
        return
    here = place.message if place.message in thinks else None
    number = thinks[0] if here is None else here
    message = context.messages[number]
    block = _thinking(message)[0]
    items = is_reasoning(block)
    made = _Fixes(context, number, "reasoning" if items else "thinking")
    if here is None:
        fixes = [made.all(), *made.of_others()]
    elif items:
        fixes = [made.all(), made.of_message()]  # what one key cannot read of it, it cannot read of the others
    elif rule == "reasoning.prefix_changed":
        fixes = [made.from_here(), made.of_message(), made.all()]
    else:
        fixes = [made.of_message(), made.from_here(), made.all(), *made.of_others(), *made.as_text()]
    context.add(
        rule,
        f"The {made.noun} {'of this message' if here is not None else 'in this conversation'} is not accepted.",
        Where(at=(number, message.blocks.index(block)), others=_thinking(message), about=message, record=block.record),
        severity="error",
        cause=_OTHER_KEY,
        fixes=(replace(fixes[0], recommended=True), *fixes[1:]),
    )


def _thinking(message: Message) -> tuple[Block, ...]:
    return tuple(block for block in message.blocks if block.kind == "thinking")


def _of_other_models(messages: Sequence[Message]) -> list[Message]:
    """The messages with thinking of another model than the newest one's, as far as messages name their model."""
    named = [(message, model) for message in messages if (model := model_of(message)) is not None]
    newest = named[-1][1] if named else None
    return [message for message, model in named if model != newest and _thinking(message)]


def _without_thinking(messages: Sequence[Message]) -> Iterator[Edit]:
    """The edits that set the thinking of these messages aside. An item that had to follow it loses its id."""
    for block in (block for message in messages for block in message.blocks if block.kind == "thinking"):
        yield KeepAside(block, block.value)
        yield Remove(block)
    led = False
    for item in listed_items(messages):
        led = item.is_of_model and (led or item.kind == "reasoning")
        if led and item.kind != "reasoning" and item.id is not None:
            yield item.without_id()


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
    return isinstance(block.value, dict) and bool(str(block.value.get("thinking") or "").strip())
