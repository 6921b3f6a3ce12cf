"""The texts about a damaged record, and the fixes that repair its bytes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from msgspec import Struct

from toolpair.formats.engine.damage.found import TOO_DEEP, TORN, Candidate
from toolpair.formats.engine.damage.lost import NO_TEXT, held_in, held_in_part, ids_in
from toolpair.formats.format import Damage, ResumeEffect
from toolpair.rules.odd_records import AS_TEXT, NO_NUMBER
from toolpair.rules.problem import Cause, Fix, Severity
from toolpair.transcript.counting import plural
from toolpair.transcript.edits import MendBytes


class FoundDamage(Struct, frozen=True, eq=False):
    """One damaged record with its effect on resume, and the repairs for its bytes, best first."""

    damage: Damage
    effect_on_resume: ResumeEffect
    reason: str
    ways: tuple[Fix, ...]

    @property
    def restores(self) -> Fix | None:
        """The repair that makes the complete records in it readable."""
        damage = self.damage
        if (
            damage.readable
            or not damage.values
            or (damage.rule == "record.torn" and not self.effect_on_resume.complete)
        ):
            return None
        return next((way for way in self.ways if way.id != "set-aside"), None)

    @property
    def closes(self) -> bool:
        """It was cut off, and its agent can continue with what is left of it."""
        return any(way.id == "close" for way in self.ways)

    @property
    def closes_after(self) -> Fix | None:
        """The repair that adds its end, if it was cut off after all of its content."""
        partial = self.damage.partial
        if not isinstance(partial, dict) or next(reversed(partial), "message") in ("message", "payload", "content"):
            return None
        return next((way for way in self.ways if way.id == "close"), None)


_CAUSES: Final = {
    "record.bad_utf8": "something wrote bytes in another encoding, or a write was cut off",
    "record.lone_surrogate": "a text was cut in the middle of a character that is written as two halves",
    "record.duplicate_key": "whatever wrote the record wrote a key twice",
    "record.big_number": "a number of more than 64 bits was written",
    "record.bom": "an editor, or joining files, left a byte order mark",
    "record.trailing_comma": "the records were cut out of an array, or an element of one was removed by hand",
    "record.torn": "the writer stopped in the middle of a record",
    "record.glued": "a line break is missing: two programs wrote at once, or one continued after a torn line",
    "record.nul": "a crash left NUL bytes where data should have been written",
    "record.bad_json": "something else was written into the line",
}

_CUT_OFF: Final = "what was cut off, which is not in the file"
_ASIDE: Final = (
    "What is left of it is too little to repair it; set it aside to keep its bytes in a file beside this one."
)
_DEEP: Final = "All of it stays as it is: only its writer knows what can be removed."
_NUMBER: Final = "All its digits are in the file, and stay as they are: only its writer knows what they should be."


def no_fix_of(rule: str, severity: Severity, fixes: Sequence[Fix]) -> str | None:
    """Why none of these fixes is recommended, where one should be."""
    if not fixes:
        return _DEEP if rule == TOO_DEEP else _NUMBER
    return _ASIDE if severity == "error" and not any(fix.recommended for fix in fixes) else None


def cause_of(found: FoundDamage) -> Cause:
    rule, way = found.damage.rule, found.ways[0].id if found.ways else ""
    if way == "join":
        return Cause("record.lines", "line breaks inside the record were not escaped")
    if way == "escape":
        return Cause("record.controls", "control characters were not escaped")
    if found.damage.readable and rule == TORN:
        return Cause(rule, "the writer stopped before the end of the file")
    if way == "as-text":
        return NO_NUMBER
    if found.damage.readable and rule == TOO_DEEP:
        return Cause("record.deep", "whatever wrote the record nested values deeper than its agent reads")
    return Cause(rule, _CAUSES.get(rule, found.reason))


def severity_of(damage: Damage, effect_on_resume: ResumeEffect) -> Severity:
    if effect_on_resume.impact != "harmless":
        return "error"
    return "info" if damage.rule == "record.big_number" else "warning"


def text_of_unreadable(lines: tuple[int, int] | None, reason: str, effect_on_resume: ResumeEffect) -> str:
    """What is wrong with a line, or with a range of lines."""
    first, last = lines or (0, 0)
    line = "This entry" if lines is None else f"Line {first:,}" if first == last else f"Lines {first:,} to {last:,}"
    if effect_on_resume.effect in ("dropped", "rejected"):
        return f"{line} cannot be read ({reason}), so {effect_on_resume.says}."
    return f"{line} {'is' if first == last else 'are'} damaged ({reason}), but {effect_on_resume.says}."


def text_of_flaw(found: FoundDamage) -> str:
    """What is wrong with a readable record."""
    damage, effect_on_resume = found.damage, found.effect_on_resume
    line = f"Line {damage.line:,}" if damage.line is not None else "This entry"
    but = "so" if effect_on_resume.effect in ("dropped", "rejected") else "but"
    match damage.rule:
        case "record.lone_surrogate" | "record.bad_json" if damage.front:
            return f"The file has {found.reason}, {but} {effect_on_resume.says}."
        case "record.bad_utf8":
            line = "The file" if damage.front else line
            says = effect_on_resume.says.replace(NO_TEXT, "them")
            return f"{line} has {NO_TEXT} ({found.reason}), {but} {says}."
        case "record.duplicate_key":
            return f"{line} has a key twice ({found.reason}), {but} {effect_on_resume.says}."
        case "record.big_number":
            linked = "and" if but == "but" else but
            return f"{line} has a number that is too long ({found.reason}), {linked} {effect_on_resume.says}."
        case "record.torn":
            return f"The file is {found.reason}, {but} {effect_on_resume.says}."
        case "record.trailing_comma":
            return f"The file has {found.reason}, {but} {effect_on_resume.says}."
        case "record.bom" if damage.front:
            return f"The file starts with a byte order mark, {but} {effect_on_resume.says}."
        case "record.bom":
            return f"{line} starts with a byte order mark, {but} {effect_on_resume.says}."
    return f"{line} has {found.reason}, {but} {effect_on_resume.says}."


_TITLES: Final[Mapping[str, tuple[str, str]]] = {
    "split": ("split", "write each on its own line"),
    "trim": ("trim", "keep what can be read, set the other text aside"),
    "nul": ("clean", "remove the NUL bytes"),
    "utf8": ("replace-bytes", "replace these bytes with U+FFFD"),
    "halves": ("replace-half", "replace the half character with U+FFFD"),
    "numbers": ("as-text", AS_TEXT),
    "around": ("replace-half", "replace the half character with U+FFFD"),
    "numbers_around": ("as-text", AS_TEXT),
    "utf8_around": ("replace-bytes", "replace these bytes with U+FFFD"),
    "escape": ("escape", "escape the control characters"),
    "bom": ("drop-mark", "remove the byte order mark"),
    "mark": ("drop-mark", "remove the byte order mark"),
    "commas": ("drop-commas", "remove the commas that nothing follows"),
    "keep_last": ("keep-last", "keep the last value, as programs read it"),
}


def repairs_for(candidate: Candidate, effect_on_resume: ResumeEffect) -> tuple[Fix, ...]:
    damage, way = candidate.damage, candidate.way
    uid = damage.record
    found: list[Fix] = []
    if way is not None and way.how == "join":
        title = f"write these {plural(len(way.after) + 1, 'line')} as one"
        several = "write each record as a single line"
        found.append(Fix("join", title, (MendBytes(uid, "join", way.after),), recommended=True, several=several))
    elif way is not None and way.how == "close":
        if effect_on_resume.complete:
            loses = None if damage.values else _CUT_OFF
            found.append(
                Fix(
                    "close",
                    "write the missing end",
                    (MendBytes(uid, "close_line" if effect_on_resume.ends_line else "close"),),
                    recommended=True,
                    loses=loses,
                    several="write the missing ends",
                )
            )
    elif way is not None and way.how == "end":
        loses = None if candidate.whole else _CUT_OFF
        found.append(Fix("close", "write the missing end", (MendBytes(uid, "end"),), recommended=True, loses=loses))
    elif way is not None and (way.how != "split" or effect_on_resume.splits):
        id_, title = _TITLES[way.how]
        loses = f"the bytes {candidate.reason}" if way.how in ("utf8", "utf8_around") else None
        loses = "the first value, which no program reads" if way.how == "keep_last" else loses
        found.append(Fix(id_, title, (MendBytes(uid, way.how),), recommended=True, loses=loses))
    if damage.rule == "record.big_number" and effect_on_resume.impact == "loses":
        title = "write the number as a fraction (ending in .0), which Codex can read"
        found.append(Fix("as-fraction", title, (MendBytes(uid, "fraction"),), recommended=True))
    if damage.rule == "record.duplicate_key":
        loses = "the value that programs read now"
        found.append(Fix("keep-first", "keep the first value", (MendBytes(uid, "keep_first"),), loses=loses))
    if not damage.readable:
        aside = [MendBytes(uid, "aside"), *(MendBytes(other, "aside") for other in (way.after if way else ()))]
        found.append(
            Fix(
                "set-aside",
                "set it aside, in a file beside this one",
                tuple(aside),
                recommended=not (
                    found or effect_on_resume.holds_output or _holds_output(damage) or _holds_user_words(damage)
                ),
                loses="what can be read in it" if damage.values or damage.partial else None,
                several="set them aside, in a file beside this one",
            )
        )
    return tuple(found)


def _holds_output(damage: Damage) -> bool:
    """Whether it seems to contain a tool's output."""
    held = [*held_in(damage.values), *held_in_part(damage.partial)]
    return any(found.real for found in held) if held else bool(ids_in(damage.raw)[0])


def _holds_user_words(damage: Damage) -> bool:
    """Whether it contains readable user text."""
    for value in (*damage.values, damage.partial):
        message = value.get("message", value.get("payload", value)) if isinstance(value, dict) else None
        if not isinstance(message, dict) or message.get("role") != "user":
            continue
        content = message.get("content")
        parts = content if isinstance(content, list) else [content]
        if any(isinstance(part, str) or (isinstance(part, dict) and "text" in part) for part in parts):
            return True
    return False
