"""Kimi CLI's sessions: `context.jsonl`, one chat message in each line. As measured on 1.49.0.

What is sent was read in Kimi CLI's own code (`soul/context.py`, and kosong's messages) and compared with what it sends.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from msgspec import Struct
from msgspec.structs import replace

from toolpair.dialects import kimi as dialect
from toolpair.dialects.block_texts import text_of
from toolpair.dialects.openai_chat import waiting_in
from toolpair.formats.engine.damage.lost import can_be_closed, effect_on_readers, held_in, held_in_part
from toolpair.formats.engine.damage.own_problems import add_error
from toolpair.formats.engine.reading.between import BETWEEN
from toolpair.formats.engine.reading.clock import count_in, usage_of
from toolpair.formats.engine.reading.part_of_file import part_facts
from toolpair.formats.engine.reading.reading import facts_of, malformed_in
from toolpair.formats.engine.sending import Said, request
from toolpair.formats.engine.writing.linear import Linear
from toolpair.formats.format import (
    AS_RESUMED,
    Beside,
    Damage,
    Item,
    KeptRequest,
    ResumeEffect,
    SentPart,
    SentRequest,
    SubagentSession,
    Usage,
    View,
)
from toolpair.formats.kimi_cli import files
from toolpair.formats.kimi_cli.detection import role_of
from toolpair.formats.kimi_cli.files import ShownOutputs, place_of, projects_in
from toolpair.rules.context import Context
from toolpair.rules.problem import Cause, Fix, Impact
from toolpair.rules.where import Where
from toolpair.transcript.edits import Edit, MendBytes
from toolpair.transcript.model import COMPACTED, Block, Boundary, Damaged, Message, Scope, Transcript

if TYPE_CHECKING:
    from toolpair.transcript.draft import DraftMessage

# --- data --------------------------------------------------------------------------------------------------


TITLE: Final = "Kimi CLI"
NEWEST: Final = "1.49.0"
SUB_AGENT: Final = "a sub-agent of Kimi CLI"
_PROMPT: Final = "_system_prompt"
_CHECKPOINT: Final = "_checkpoint"
_USAGE: Final = "_usage"
NOTES: Final = (_PROMPT, _CHECKPOINT, _USAGE)
"""Roles of lines that are no messages."""
COMPACTED_BEGINS: Final = "<system>Previous context has been compacted."
"""How the summary begins that stands for an older history."""
OF_ITS_OWN: Final = ("<system-reminder>", "<system>", "<notification ")
"""How messages begin that Kimi CLI writes in the user's name."""
_NOTIFICATION: Final = "<notification "
_DIGITS: Final = 4300
"""A number with more of them ends the reading."""
STOPS: Final = "Kimi CLI does not start with this session"
_WITHIN: Final = ("result.type_not_allowed",)
"""Rules whose problems are part of why a line is not read."""


# --- read --------------------------------------------------------------------------------------------------


class LineFaults(Struct, frozen=True, eq=False):
    faults: Mapping[int, dialect.Fault]
    """uids of the lines that Kimi CLI does not read as messages."""
    prompted: bool
    """The file has a system prompt, so nothing is put before it when the session is resumed."""


def _is_prompt(value: Any) -> bool:
    return role_of(value) == _PROMPT and isinstance(value.get("content"), str)


def read(items: Sequence[Item], view: View = AS_RESUMED) -> Transcript:
    spoken = [item for item in items if isinstance(item.value, dict) and role_of(item.value) not in NOTES]
    waiting = waiting_in([item.value for item in spoken])
    scopes: dict[int, Scope] = malformed_in(items)
    faults: dict[int, dialect.Fault] = {}
    messages: list[Message] = []
    for item in spoken:
        fault = dialect.fault_of(item.value)
        if fault is not None:
            faults[item.uid] = fault
        message = dialect.message_of(item.value, item.uid, waiting) if _speaks(item.value) else None
        if message is None:
            scopes[item.uid] = "malformed"
        else:
            messages.append(replace(message, note=_note_of(message)))
    scopes.update((item.uid, "malformed") for item in items if not isinstance(item.value, (dict, Damaged)))
    place = place_of(view.beside.path.resolve()) if view.beside is not None else None
    calls = (block for message in messages for block in message.calls)
    return Transcript(
        tuple(messages),
        layout="tool_messages",
        native=True,
        agent=SUB_AGENT if place is not None and place.sub_agent else TITLE,
        agent_facts=LineFaults(faults, any(_is_prompt(item.value) for item in items)),
        session_id=place.session if place is not None else None,
        folder=projects_in(place.home).get(place.project) if place is not None else None,
        scopes=scopes,
        copies=ShownOutputs(view.beside, calls) if view.beside is not None else {},
        boundaries=tuple(
            Boundary(number, COMPACTED, message.records[0])
            for number, message in enumerate(messages)
            if message.note == "summary"
        ),
        frame=None if part_facts(view) is None else BETWEEN,
    )


def _speaks(value: dict[str, Any]) -> bool:
    """Whether a line says something, or calls: what Kimi CLI's newer versions may note does not."""
    role = value.get("role")
    return ("content" in value or "tool_calls" in value) and not (isinstance(role, str) and role.startswith("_"))


def _note_of(message: Message) -> str | None:
    text = message.blocks[0].text.lstrip() if message.role == "user" and message.blocks else ""
    return "summary" if text.startswith(COMPACTED_BEGINS) else "meta" if text.startswith(OF_ITS_OWN) else None


# --- what is sent ------------------------------------------------------------------------------------------


def sees(items: Sequence[Item], transcript: Transcript) -> SentRequest:
    """Neighbouring messages of the user are sent as one, of which only the contents are left."""
    faults = facts_of(transcript, LineFaults).faults
    values = {item.uid: item.value for item in items if item.uid not in faults and isinstance(item.value, dict)}
    sent: list[Said] = []
    apart = True
    for message in transcript.messages:
        stands_in = {"role": message.role}  # for what is around a window
        value = values.get(message.records[0]) if message.records else stands_in
        if value is None:
            continue
        role, parts = value["role"], [*map(_part, message.blocks)]
        notified = _is_notification(message)
        if role == "user" and not (apart or notified):
            sent[-1] = role, [*_contents((*sent[-1][1], *parts))]
        else:
            sent.append((role, parts))
        apart = role != "user" or notified
    refuses = f"{STOPS}: it has a line that cannot be read." if "stops" in faults.values() else None
    blocks = (block for message in transcript.messages for block in message.blocks)
    return request(TITLE, NEWEST, sent, blocks, refuses)


def _part(block: Block) -> SentPart:
    return SentPart(dialect.without_thinking(block.value), block) if block.kind == "result" else SentPart.of(block)


def _contents(parts: Iterable[SentPart]) -> Iterator[SentPart]:
    for part in parts:
        if part.block is not None and part.block.kind == "result":
            yield SentPart(text_of(part.block.value.get("content")), part.block)
        elif part.block is None or part.block.kind != "call":
            yield part


def _is_notification(message: Message) -> bool:
    blocks = message.blocks
    return len(blocks) == 1 and blocks[0].kind == "text" and blocks[0].text.lstrip().startswith(_NOTIFICATION)


# --- what becomes of damage --------------------------------------------------------------------------------


def _damage(damage: Damage, transcript: Transcript) -> ResumeEffect | None:
    """A line that is not JSON is skipped."""
    facts = facts_of(transcript, LineFaults)
    if damage.rule == "record.bad_utf8" and not facts.prompted:
        return ResumeEffect("stops", f"{STOPS}: it fails to write a system prompt before these bytes", "rejected")
    if damage.rule == "record.big_number" and max(map(len, re.findall(rb"\d+", damage.raw)), default=0) > _DIGITS:
        return ResumeEffect("stops", f"{STOPS}: it fails to read the number", "rejected")
    if damage.rule == "record.trailing_comma":
        return ResumeEffect("stops", f"{TITLE} skips every line that ends in a comma", "dropped", "the whole history")
    if damage.rule == "record.bad_json" and _is_read(damage.raw):
        return ResumeEffect("harmless", f"{TITLE} reads it as it is", "healed")
    if damage.readable and damage.rule not in ("record.bom", "record.big_number"):
        return effect_on_readers(damage, TITLE)
    if damage.rule == "record.big_number":
        return None
    first = [message.value for message in transcript.messages if message.records[0] == damage.record]
    values = damage.values or ((damage.partial,) if damage.partial is not None else first)
    held = [*held_in(tuple(values)), *held_in_part(damage.partial)]
    outputs = len({one.id for one in held if one.real})
    loses = "what it says" if any(_is_message(value) for value in values) else None
    whole = values[0] if values else None
    complete = _can_be_closed(whole, bool(damage.values)) if loses else True
    says = f"{TITLE} skips {'the first line' if damage.front else 'it'}"
    impact: Impact = "loses" if loses else "harmless"
    return ResumeEffect(impact, says, "dropped", loses, outputs, complete, ends_line=damage.last)


def _can_be_closed(value: Any, whole: bool) -> bool:
    """Whether a message that was cut off is one that can be read."""
    return isinstance(value, dict) and can_be_closed(value, whole) and dialect.fault_of(value) is None


def _is_message(value: Any) -> bool:
    return isinstance(value, dict) and role_of(value) not in NOTES and _speaks(value)


def _is_read(raw: bytes) -> bool:
    """Whether Kimi CLI reads a line that is not JSON: it takes control characters, and NaN."""
    try:
        return isinstance(json.loads(raw.decode("utf-8", "replace"), strict=False), dict)
    except (ValueError, RecursionError):
        return False


# --- lines that are not read -------------------------------------------------------------------------------


def _check(context: Context, items: Sequence[Item]) -> None:
    """Lines that are not read. That results name no tool is how Kimi CLI writes them."""
    context.problems[:] = [p for p in context.problems if p.rule != "result.name" or p.severity != "info"]
    faults = facts_of(context.transcript, LineFaults).faults
    if not faults:
        return
    told = {id(problem.call) for problem in context.problems if problem.rule.startswith("args.") and problem.fixes}
    messages = {message.records[0]: (n, message) for n, message in enumerate(context.messages) if message.records}
    for item in items:
        fault = faults.get(item.uid)
        if fault is None:
            continue
        number, message = messages.get(item.uid, (None, None))
        edits = dialect.mended(item.value, message, told) if message is not None else ()
        if not edits and message is not None and _told_of(context, item.uid, number):
            continue
        fixes = [Fix("set-aside", "set it aside, in a file beside this one", (MendBytes(item.uid, "aside"),))]
        if edits:
            context.problems[:] = [p for p in context.problems if p.record != item.uid or p.rule not in _WITHIN]
            fixes.insert(0, Fix("fix-item", "write it as Kimi CLI reads it", edits, recommended=True))
        elif message is None:
            fixes[0] = replace(fixes[0], recommended=True)
        stops = fault == "stops"
        text = f"This line is not a message that Kimi CLI can read, so {STOPS if stops else 'Kimi CLI skips it'}."
        where = Where(at=(number, None) if number is not None else None, about=message, record=item.uid)
        cause = Cause("rollout.not_loaded", "another program wrote it")
        add_error(context, "rollout.not_loaded", text, where, "stops" if stops else "loses", cause, *fixes)


def _told_of(context: Context, uid: int, number: int | None) -> bool:
    """Whether other problems of a line say why it is not read; they are errors then."""
    told = False
    for at, problem in enumerate(context.problems):
        blocks = (problem.call, problem.result, *problem.others)
        of_it = problem.record == uid or any(block is not None and block.record == uid for block in blocks)
        if (of_it or problem.message == number) and any(fix.recommended for fix in problem.fixes):
            told = True
            context.problems[at] = replace(problem, severity="error")
    return told


# --- written -----------------------------------------------------------------------------------------------


class _Lines(Linear):
    """Thinking is written as a part of the content."""

    def written(self, message: DraftMessage) -> Any:
        if message.fields is None or dialect.REASONING not in message.fields:
            return super().written(message)
        thinking = message.fields.pop(dialect.REASONING)
        return dialect.with_thinking(super().written(message), thinking)


def apply(items: Sequence[Item], transcript: Transcript, edits: Sequence[Edit]) -> list[Item]:
    return _Lines(items, transcript, dialect.WRITER).run(edits)


def damage(items: Sequence[Item], transcript: Transcript, found: Sequence[Damage]) -> Sequence[ResumeEffect | None]:
    return [_damage(damage, transcript) for damage in found]


def check(context: Context, items: Sequence[Item], view: View) -> None:
    _check(context, items)


def subagent_sessions(items: Sequence[Item], transcript: Transcript, beside: Beside) -> Iterable[SubagentSession]:
    return files.subagent_sessions((block for message in transcript.messages for block in message.results), beside)


def request_kept(items: Sequence[Item], response: int | None) -> KeptRequest:
    return KeptRequest(system=next((item.value["content"] for item in reversed(items) if _is_prompt(item.value)), None))


def usage(value: Any) -> Usage | None:
    return usage_of(count_in(value, "token_count"), 0) if role_of(value) == _USAGE else None
