"""Kimi Code's sessions: the events of an agent, read and written by the table that says where in one the message is."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from msgspec import Struct
from msgspec.structs import replace

from toolpair.dialects.block_texts import WrittenBlock
from toolpair.formats.engine.damage.lost import effect_on_readers
from toolpair.formats.engine.damage.own_problems import add_error, recommended
from toolpair.formats.engine.reading.between import BETWEEN
from toolpair.formats.engine.reading.clock import seconds
from toolpair.formats.engine.reading.part_of_file import as_file, part_facts
from toolpair.formats.engine.reading.reading import as_text, facts_of, malformed_in, pairs_in
from toolpair.formats.format import AS_RESUMED, Damage, Item, ResumeEffect, View
from toolpair.formats.forms.registry import Form, form_in
from toolpair.formats.forms.writing import FormLinear, FormWriter
from toolpair.formats.kimi_code.detection import EVENT, MESSAGE, event_in, kind_of
from toolpair.formats.kimi_code.folding import Fold, Folded, chain_of
from toolpair.rules.problem import Cause
from toolpair.transcript.counting import plural
from toolpair.transcript.edits import Edit, InsertRecord, MoveRecord, SetInRecord
from toolpair.transcript.model import COMPACTED, Boundary, Damaged, Message, Scope, Transcript

if TYPE_CHECKING:
    from toolpair.rules.context import Context

TITLE: Final = "Kimi Code"
NEWEST: Final = "2.1.0"
_READ: Final = (MESSAGE, EVENT)
_OF_CALL: Final = ("toolCallId", "name", "args", "display", "extras")


class KimiEvents(Struct, frozen=True, eq=False):
    folded: Folded
    unread: int | None
    """The uid of the first line that cannot be read: Kimi Code deletes it, and all after it."""


@cache
def form() -> Form:
    return form_in(Path(__file__).with_name("events.toml"))


def read(items: Sequence[Item], view: View = AS_RESUMED) -> Transcript:
    facts = part_facts(view)
    whole = [
        item for item in (items if facts is None else as_file(items, facts)) if not isinstance(item.value, Damaged)
    ]
    folded = Fold().run(chain_of(whole))
    shown = [item for item in whole if item.uid in folded.active and kind_of(item.value) in _READ]
    beside = [item for item in whole if item.uid not in folded.active and kind_of(item.value) in _READ]
    made = form().read(shown, view)
    before = form().read(beside, view)
    scopes: dict[int, Scope] = {**malformed_in(items), **made.scopes}
    scopes.update((item.uid, "inactive") for item in beside)
    messages = list(made.messages)
    boundaries: tuple[Boundary, ...] = ()
    if folded.summary is not None:
        kept = next(place for place, entry in enumerate(folded.entries) if folded.summary in entry.uids)
        after = {uid for entry in folded.entries[kept + 1 :] for uid in entry.uids}
        place = next((n for n, one in enumerate(messages) if after.intersection(one.records)), len(messages))
        messages.insert(place, _summary(next(item for item in whole if item.uid == folded.summary)))
        boundaries = (Boundary(place, COMPACTED, folded.summary),)
    bound: dict[str, Any] = next((item.value for item in whole if kind_of(item.value) == "profile.bind"), {})
    path = view.beside.path if view.beside is not None else None
    unread = next((item.uid for item in items if isinstance(item.value, Damaged)), None)
    return replace(
        made,
        messages=tuple(messages),
        native=True,
        agent=TITLE,
        agent_facts=KimiEvents(folded, unread),
        session_id=path.parents[2].name if path is not None and path.match("*/*/wire.jsonl") else None,
        model=as_text(bound.get("modelAlias")),
        scopes=scopes,
        inactive_blocks=pairs_in(block for message in before.messages for block in message.blocks),
        boundaries=boundaries,
        frame=None if facts is None else BETWEEN,
    )


def _summary(item: Item) -> Message:
    """What is sent in the place of all that was compacted."""
    said = next((item.value[key] for key in ("contextSummary", "summary") if isinstance(item.value.get(key), str)), "")
    key = "contextSummary" if isinstance(item.value.get("contextSummary"), str) else "summary"
    block = WrittenBlock("text", {"type": "text", "text": said}, item.uid, (key,))
    return Message("user", (block,), (item.uid,), note="summary")


def apply(items: Sequence[Item], transcript: Transcript, edits: Sequence[Edit]) -> list[Item]:
    work = FormLinear(items, transcript, FormWriter(form().compiled, form().reader))
    return list(map(_as_part, work.run(edits)))


def _as_part(item: Item) -> Item:
    """A call that became a text is a part of its response as others are."""
    event = event_in(item.value)
    if event.get("type") != "tool.call" or "part" not in event:
        return item
    kept = {key: value for key, value in event.items() if key not in _OF_CALL}
    part = {"type": "text", **event["part"]}
    return Item(item.uid, {**item.value, "event": {**kept, "type": "content.part", "part": part}})


def check(context: Context, items: Sequence[Item], view: View) -> None:
    """Lines of a response that has not begun, or has ended: Kimi Code skips them."""
    folded = facts_of(context.transcript, KimiEvents).folded
    values = {item.uid: item.value for item in items if item.uid in folded.left_out}
    calls = {block.id: block for message in context.messages for block in message.calls if isinstance(block.id, str)}
    told = {block.record for problem in context.problems for block in (problem.result, *problem.others) if block}
    begun: list[Any] = []
    for uid, value in values.items():
        event, step = event_in(value), folded.left_out[uid]
        call = calls.get(str(event.get("toolCallId")))
        if event.get("type") == "tool.result":
            if uid in told or call is None or call.record in folded.left_out:
                continue
            kind, text = "late", "This result comes after the end of its response, so Kimi Code skips it."
            fix = recommended("move", "move it after its call", MoveRecord(uid, call.record))
        elif step is not None:
            kind = "of_another"
            text = "This line is of another response than the one that it is in, so Kimi Code skips it."
            edit = SetInRecord(uid, ("event", "stepUuid"), step)
            fix = recommended("relink", "make it a part of that response", edit)
        elif event.get("stepUuid") in begun:
            continue
        else:
            kind, text = "not_begun", "This line is of a response that has not begun, so Kimi Code skips it."
            begun.append(event.get("stepUuid"))
            first = {"type": "step.begin", "uuid": event.get("stepUuid")}
            line = {"type": EVENT, "agentId": value.get("agentId"), "event": first, "time": value.get("time")}
            fix = recommended("begin", "write the line that begins it", InsertRecord(line, uid))
        cause = Cause(f"rollout.not_loaded:{kind}", "lines were lost, or written in another order")
        add_error(context, "rollout.not_loaded", text, uid, "loses", cause, fix)


def damage(items: Sequence[Item], transcript: Transcript, found: Sequence[Damage]) -> Sequence[ResumeEffect | None]:
    """Kimi Code writes the file again without the first line that it cannot read, and without all after it."""
    places = {item.uid: place for place, item in enumerate(items)}

    def effect(damage: Damage) -> ResumeEffect | None:
        if damage.readable:
            return effect_on_readers(damage, TITLE)
        place = places.get(damage.record, len(items))
        after = {item.uid for item in items[place + 1 :]}
        blocks = [block for message in transcript.messages for block in message.results if block.record in after]
        outputs = len(blocks)
        if not after:
            # It appends to what is there: a last line that is closed needs its line end.
            says = f"{TITLE} deletes it from the file"
            return ResumeEffect("loses", says, loses="the line", outputs=0, ends_line=damage.last)
        loses = f"all after it, with {plural(outputs, 'output')}" if outputs else "all after it"
        return ResumeEffect("loses", f"{TITLE} deletes it and all lines after it", loses=loses, outputs=outputs)

    return list(map(effect, found))


def time_of(value: Any) -> float | None:
    return seconds(value.get("time"), 1000) if isinstance(value, dict) else None
