"""Thinking that an API does not take back, which only its answer shows: removed here or everywhere, or made text.

What is removed stays in a file beside the session.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from toolpair.dialects.openai_responses import is_reasoning, listed_items
from toolpair.rules.binding import of_other_models, thinking_out, without_thinking
from toolpair.rules.context import Context
from toolpair.rules.problem import Cause, Fix
from toolpair.rules.where import NamedPlace, Where
from toolpair.transcript.edits import Edit, KeepAside, Remove, RemoveThinking, ReplaceWithText, Thinking
from toolpair.transcript.model import Block, Message

_KEPT: Final = "kept in a file beside this one"
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
                loses=f"nothing that can be read; what is removed is {_KEPT}" if _removes(edits) else None,
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
        fixes=fixes,
    )


def _thinking(message: Message) -> tuple[Block, ...]:
    return tuple(block for block in message.blocks if block.kind == "thinking")


class _Fixes:
    """The ways to take thinking out, as seen from one message."""

    def __init__(self, context: Context, number: int, noun: str) -> None:
        self._context = context
        self._number = number
        self._message = context.messages[number]
        self.noun = noun

    def _fix(self, id_: str, title: str, lost: str, edits: Sequence[Edit]) -> Fix:
        calls = self._context.wire in ("anthropic", "bedrock") and self._context.messages[self._number :]
        note = _ASKED_FOR if calls and any(message.calls for message in calls) else None
        return Fix(id_, title, tuple(edits), loses=f"the model's {self.noun} {lost}, {_KEPT}", note=note)

    def of_message(self) -> Fix:
        edits = tuple(without_thinking([self._message]))
        return self._fix("remove-thinking", f"remove the {self.noun} from this message", "in this message", edits)

    def from_here(self) -> Fix:
        title = f"remove the {self.noun} from this message and all after it"
        return self._fix("remove-thinking-from-here", title, "from here on", self._wide("from_here"))

    def all(self) -> Fix:
        return self._fix("remove-all-thinking", f"remove all {self.noun}", "everywhere", self._wide("all"))

    def of_others(self) -> Sequence[Fix]:
        if not of_other_models(self._context.messages):
            return ()
        title = f"remove the {self.noun} that other models wrote"
        return (self._fix("remove-other-thinking", title, "from other models", self._wide("of_others")),)

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

    def _wide(self, which: Thinking) -> Sequence[Edit]:
        record = self._message.records[0]
        if self._context.transcript.edges is not None:
            return (RemoveThinking(record, which),)
        return tuple(thinking_out(self._context.transcript, record, which))


def _can_be_read(block: Block) -> bool:
    return isinstance(block.value, dict) and bool(str(block.value.get("thinking") or "").strip())
