"""What can be wrong with Gemini CLI's files alone, and what it does about damaged lines."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence

from toolpair.formats.engine.damage.own_problems import add_error, no_first_line, recommended
from toolpair.formats.engine.reading.reading import facts_of
from toolpair.formats.engine.reading.tree_history import NodeTree, SkippedLines
from toolpair.formats.format import Damage, Item, ResumeEffect, View
from toolpair.formats.gemini_cli.history import TALK, TITLE, GeminiHistory, is_named
from toolpair.formats.gemini_cli.left_out import check as check_left_out
from toolpair.formats.gemini_cli.sending import is_void, refused
from toolpair.rules.context import Context
from toolpair.rules.problem import Cause
from toolpair.transcript.edits import Remove
from toolpair.transcript.model import Damaged, Transcript


def damage(items: Sequence[Item], transcript: Transcript, found: Sequence[Damage]) -> Iterator[ResumeEffect | None]:
    history = facts_of(transcript, GeminiHistory)
    place = {item.uid: number for number, item in enumerate(history.items)}
    skipped = SkippedLines(TITLE, NodeTree(()), transcript, place, talks=lambda value: value.get("type") in TALK)
    for damage in found:
        lost = not history.listed and not history.named_below
        if damage.first and lost and not (damage.readable and damage.rule != "record.bom"):
            whole = damage.values[0] if damage.values else damage.partial
            complete = isinstance(whole, dict) and is_named(whole)
            says = "Gemini CLI begins an empty session in its place"
            yield ResumeEffect("loses", says, "dropped", "history", complete=complete, begins_anew=True)
        elif history.listed and damage.rule in ("record.torn", "record.bad_json"):
            # The older form is one document, which is read as a whole or not at all.
            effect = skipped.effect(damage)
            complete = effect is None or effect.complete
            says = f"{TITLE} reads none of it"
            yield ResumeEffect("loses", says, "dropped", "history", complete=complete, begins_anew=True)
        else:
            yield skipped.effect(damage)


def check(context: Context, items: Sequence[Item], view: View) -> None:
    history = facts_of(context.transcript, GeminiHistory)
    _check_first_line(context, history, view)
    check_left_out(context, history.left_out)
    lost = refused(history.turns)
    for turn in history.turns if lost else ():
        void = [block for block in turn.blocks if is_void(block)] if id(turn) in lost else []
        if void:
            text = "The empty text in this response makes Gemini CLI leave the response out, with its calls."
            cause = Cause("content.empty_text", "the response was written with a text that says nothing")
            fix = recommended("remove-block", "remove the empty text", *map(Remove, void))
            add_error(context, "content.empty_text", text, turn.entry.uid, "loses", cause, fix)


def _check_first_line(context: Context, history: GeminiHistory, view: View) -> None:
    """A file that does not say which session it is."""
    first = next(iter(history.items), None)
    if history.listed or is_named(history.header) or first is None or isinstance(first.value, Damaged):
        return
    path = view.beside.path if view.beside is not None else None
    id_ = history.header.get("sessionId") or (path.stem.rpartition("-")[2] if path is not None else "") or "restored"
    project = path.parent.parent.name if path is not None else ""
    time = next((entry.value.get("timestamp") for entry in history.entries if entry.value.get("timestamp")), None)
    header = {
        "sessionId": id_,
        "projectHash": history.header.get("projectHash") or hashlib.sha256(project.encode()).hexdigest(),
        "startTime": time,
        "lastUpdated": time,
        "kind": "main",
    }
    overruled = any(key in history.header and not history.header[key] for key in ("sessionId", "projectHash"))
    line = {key: value for key, value in header.items() if value is not None}
    text = "The file does not start with its session line, so Gemini CLI begins a new, empty session in its place."
    no_first_line(context, first.uid, text, None if overruled else line, impact="loses")
