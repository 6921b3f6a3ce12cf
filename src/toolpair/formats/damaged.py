"""Damaged records: found, explained by their format's agent, and each with the ways to mend its bytes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from toolpair.formats.base import Damage, Format, Harm, Item
from toolpair.formats.lost import held_in, held_in_part, ids_in
from toolpair.rules.base import Cause, Fix, OnResume, Problem, Severity
from toolpair.rules.context import Context
from toolpair.rules.unreadable import Lost, Unreadable, repair
from toolpair.source.document import Document
from toolpair.source.mending import bad_bytes, close, doubled_keys, mended
from toolpair.source.values import big_numbers, parse
from toolpair.transcript.edits import MendBytes, Mending
from toolpair.transcript.model import Damaged, Transcript
from toolpair.transcript.words import plural

_SHOWN: Final = 60


@dataclass(frozen=True, slots=True, eq=False)
class Found:
    """One damaged record with what its agent makes of it, and the ways to mend its bytes, the best first."""

    damage: Damage
    harm: Harm
    reason: str
    ways: tuple[Fix, ...]

    @property
    def restores(self) -> Fix | None:
        """The way that makes the whole records in it readable."""
        damage = self.damage
        if damage.readable or not damage.values or (damage.rule == "record.torn" and not self.harm.complete):
            return None
        return next((way for way in self.ways if way.id != "set-aside"), None)

    @property
    def closes(self) -> bool:
        """It was cut off, and its agent can go on with what is left of it."""
        return any(way.id == "close" for way in self.ways)

    @property
    def closes_behind(self) -> Fix | None:
        """The way that writes its end, where it was cut off behind what it says."""
        partial = self.damage.partial
        if not isinstance(partial, dict) or next(reversed(partial), "message") in ("message", "payload", "content"):
            return None
        return next((way for way in self.ways if way.id == "close"), None)


@dataclass(frozen=True, slots=True)
class _Way:
    how: Mending
    behind: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class _Candidate:
    damage: Damage
    reason: str
    way: _Way | None


class DamagedRecords:
    """All damaged records of a file."""

    def __init__(self, format: Format, items: Sequence[Item], transcript: Transcript, document: Document) -> None:
        self._items = items
        self._agent = transcript.agent
        self._version = transcript.agent_version
        candidates = [*_unreadable(items, document), *_flawed(transcript, document)]
        harms = format.damage(items, transcript, [found.damage for found in candidates]) if candidates else ()
        self.found: tuple[Found, ...] = tuple(
            Found(candidate.damage, harm, candidate.reason, _ways(candidate, harm))
            for candidate, harm in zip(candidates, harms, strict=True)
            if harm is not None
        )
        self._by_place = {(found.damage.record, found.damage.rule): found for found in self.found}

    def unreadable(self) -> Unreadable:
        """By id: the calls and results that stand in records which cannot be read."""
        results: dict[str, Lost] = {}
        calls: dict[str, Lost] = {}
        for found in self.found:
            damage = found.damage
            if damage.readable:
                continue
            for held in held_in(damage.values):
                lost = Lost(damage.record, damage.line, found.reason, found.restores)
                (results if held.is_result else calls).setdefault(held.id, lost)
            for held in held_in_part(damage.partial):
                content = held.content if held.real else None
                lost = Lost(damage.record, damage.line, found.reason, found.closes_behind, content, held.is_error)
                (results if held.is_result else calls).setdefault(held.id, lost)
            named, called = ids_in(damage.raw)
            lost = Lost(damage.record, damage.line, found.reason, None)
            for id_ in named:
                results.setdefault(id_, lost)
            for id_ in called - named:
                calls.setdefault(id_, lost)
        return Unreadable(results, calls)

    def check(self, context: Context) -> None:
        """A problem for each."""
        self._drop_mended_links(context)
        told = {(problem.record, problem.rule) for problem in context.problems if problem.rule.startswith("record.")}
        for found in self.found:
            damage, harm = found.damage, found.harm
            if (damage.record, damage.rule) in told:
                continue
            fixes = [*_kept_results(context, found), *found.ways]
            context.add(
                damage.rule,
                _text(found),
                record=damage.record,
                severity=_severity(damage, harm),
                impact=harm.impact,
                cause=_cause(found),
                fixes=_one_recommended(fixes),
                no_fix=None if fixes else _NO_FIX,
            )

    def on_resume(self, problem: Problem) -> OnResume | None:
        """What the agent makes of a damaged record; None for other problems, and where there is no agent."""
        found = self._by_place.get((problem.record, problem.rule)) if problem.record is not None else None
        if found is None or self._agent is None:
            return None
        harm = found.harm
        lost = f" Lost without a word: {harm.loses}." if harm.loses and harm.effect == "dropped" else ""
        return OnResume(self._agent, self._version, harm.effect, harm.loses, f"{harm.says}.{lost}", harm.outputs)

    @property
    def passed_by(self) -> frozenset[int]:
        """The records that can be read here, and that the agent passes by all the same."""
        if self._agent is None:
            return frozenset()
        return frozenset(
            found.damage.record for found in self.found if found.damage.readable and found.harm.effect == "dropped"
        )

    @property
    def refused(self) -> str | None:
        """Why the agent does not resume the file at all, one sentence."""
        if self._agent is None:
            return None
        return next((f"{found.harm.says}." for found in self.found if found.harm.impact == "stops"), None)

    @property
    def continued(self) -> frozenset[int]:
        """The lines that only go on with the record of a damaged line before them."""
        return frozenset(
            uid
            for found in self.found
            for fix in found.ways
            for edit in fix.edits
            if isinstance(edit, MendBytes)
            for uid in edit.behind
        )

    @property
    def outputs(self) -> int:
        """Real outputs that the model does not see because they stand in damaged records."""
        return sum(found.harm.outputs for found in self.found if not found.damage.readable)

    def _drop_mended_links(self, context: Context) -> None:
        """A link to a record that stands on a damaged line is mended by mending the line."""
        there = {
            value["uuid"]
            for found in self.found
            if found.restores is not None or found.closes
            for value in (*found.damage.values, found.damage.partial)
            if isinstance(value, dict) and isinstance(value.get("uuid"), str)
        }
        if not there:
            return
        cut = {problem.record for problem in context.problems if problem.rule.startswith("chain.")}
        mended_by_line = {
            item.uid
            for item in self._items
            if item.uid in cut and isinstance(item.value, dict) and item.value.get("parentUuid") in there
        }
        context.problems[:] = [
            problem
            for problem in context.problems
            if not (problem.rule.startswith("chain.") and problem.record in mended_by_line)
        ]


# What is damaged, and what can be read of it


def _unreadable(items: Sequence[Item], document: Document) -> Iterator[_Candidate]:
    """The records that cannot be read. One that stands on several lines is one."""
    joined: set[int] = set()
    tried_up_to = -1
    for item in items:
        if not isinstance(item.value, Damaged) or item.uid in joined or item.uid not in document:
            continue
        at = document.index(item.uid)
        behind: tuple[int, ...] = ()
        whole = b""
        if item.value.rule in ("record.torn", "record.bad_json") and at > tried_up_to:
            # Within a run of damaged lines that are no record together every line is looked at by itself.
            behind, whole = document.runs_on(item.uid)
            if behind:
                joined.update(behind)
            else:
                tried_up_to = _end_of_run(document, at)
        yield _candidate(item, at, behind, whole, document)


def _end_of_run(document: Document, at: int) -> int:
    while at + 1 < len(document) and isinstance(document.records[at + 1].value, Damaged):
        at += 1
    return at


def _candidate(item: Item, at: int, behind: tuple[int, ...], whole: bytes, document: Document) -> _Candidate:
    found: Damaged = item.value
    record = document.records[at]
    raw, rule, reason = record.body, found.rule, found.reason
    values: tuple[Any, ...] = ()
    partial: Any = None
    way: _Way | None = None
    if behind:
        rule, reason = "record.torn", f"one record on {len(behind) + 1:,} lines"
        raw = b"\n".join(document.record(uid).body for uid in (item.uid, *behind))
        values = (parse(whole),)
        way = _Way("join", behind)
    elif rule == "record.torn":
        closed = close(raw)
        value = parse(closed.text) if closed is not None else None
        if closed is not None and isinstance(value, dict):
            values, partial = ((value,), None) if closed.whole else ((), value)
            way = _Way("close")
    else:
        way, values, partial = _readable(raw, rule)
    damage = Damage(
        item.uid,
        rule,
        record.line,
        False,
        values,
        partial,
        raw,
        first=at == 0,
        last=at + len(behind) + 1 == len(document),
    )
    return _Candidate(damage, reason, way)


_TRIED: Final[Mapping[str, tuple[Mending, ...]]] = {
    "record.glued": ("split",),
    "record.nul": ("nul",),
    "record.bad_json": ("escape", "trim", "nul"),
}


def _readable(raw: bytes, rule: str) -> tuple[_Way | None, tuple[Any, ...], Any]:
    for how in _TRIED.get(rule, ()):
        made = mended(raw, how)
        if made is None or not made.bodies:
            continue
        values: list[Any] = []
        partial: Any = None
        for body in made.bodies:
            value = parse(body)
            if not isinstance(value, Damaged):
                values.append(value)
            elif value.rule == "record.torn" and (closed := close(body)) is not None:
                partial = parse(closed.text)
        if values or partial is not None:
            return _Way(how), tuple(values), partial
    return None, (), None


def _flawed(transcript: Transcript, document: Document) -> Iterator[_Candidate]:
    """Flaws of records that can be read. Keys are counted only in what is sent."""
    if document.mark and document.records:
        first = document.records[0]
        damage = Damage(first.uid, "record.bom", 1, True, (), None, document.mark, first=True, front=True)
        yield _Candidate(damage, "a byte order mark in front of the file", _Way("mark"))
    sent = {uid for message in transcript.messages for uid in message.records}
    for uid, rules in document.flaws(sent).items():
        record = document.record(uid)
        at = document.index(uid)
        for rule in rules:
            damage = Damage(
                uid,
                rule,
                record.line,
                True,
                (record.value,),
                None,
                record.body,
                first=at == 0,
                last=at + 1 == len(document),
            )
            way = _FLAW_WAYS.get(rule)
            yield _Candidate(damage, _flaw(rule, record.body), _Way(way) if way is not None else None)


_FLAW_WAYS: Final[Mapping[str, Mending]] = {
    "record.bad_utf8": "utf8",
    "record.lone_surrogate": "halves",
    "record.duplicate_key": "keep_last",
    "record.bom": "bom",
}


def _flaw(rule: str, raw: bytes) -> str:
    match rule:
        case "record.bad_utf8":
            bad, places = bad_bytes(raw)
            shown = "".join(f"\\x{byte:02x}" for byte in bad)
            return shown if places == 1 else f"{shown} and others"
        case "record.duplicate_key":
            keys = doubled_keys(raw)
            named = ", ".join(key[:_SHOWN] for key in keys[:3])
            return named if len(keys) <= 3 else f"{named}, …"
        case "record.big_number":
            number = big_numbers(raw)[0].decode("ascii", "replace")
            return number if len(number) <= _SHOWN else f"{number[:_SHOWN]}…"
        case "record.bom":
            return "a byte order mark"
    return "half of a character"


# What is said, and what can be done


_CAUSES: Final = {
    "record.bad_utf8": "something wrote bytes in another encoding, or a write was torn",
    "record.lone_surrogate": "a text was cut in the middle of a character that is written as two halves",
    "record.duplicate_key": "what wrote the record wrote a key twice",
    "record.big_number": "the number has more digits than a double holds",
    "record.bom": "an editor, or files put together, left a byte order mark",
    "record.torn": "the writer stopped in the middle of a record",
    "record.glued": "a line end is missing: two writers, or one that went on behind a torn line",
    "record.nul": "a crash left NUL bytes where data was to be written",
    "record.bad_json": "something else was written into the line",
}

_NO_FIX: Final = "All its digits are in the file, and stay as they are: what they ought to be only its writer knows."


def _cause(found: Found) -> Cause:
    rule, way = found.damage.rule, found.ways[0].id if found.ways else ""
    if way == "join":
        return Cause("record.lines", "line ends within the record were written raw")
    if way == "escape":
        return Cause("record.controls", "control characters were written without escapes")
    return Cause(rule, _CAUSES.get(rule, found.reason))


def _severity(damage: Damage, harm: Harm) -> Severity:
    if harm.impact != "harmless":
        return "error"
    return "info" if damage.rule == "record.big_number" else "warning"


def _text(found: Found) -> str:
    damage, harm = found.damage, found.harm
    line = f"Line {damage.line:,}" if damage.line is not None else "This record"
    but = "so" if harm.effect in ("dropped", "rejected") else "but"
    if not damage.readable:
        if but == "but":
            return f"{line} is damaged ({found.reason}), but {harm.says}."
        return f"{line} cannot be read ({found.reason}), so {harm.says}."
    match damage.rule:
        case "record.bad_utf8":
            return f"{line} holds bytes that are no text ({found.reason}), {but} {harm.says}."
        case "record.duplicate_key":
            return f"{line} has a key twice ({found.reason}), {but} {harm.says}."
        case "record.big_number":
            return f"{line} holds a number that is too long ({found.reason}), {but} {harm.says}."
        case "record.bom" if damage.front:
            return f"The file begins with a byte order mark, {but} {harm.says}."
        case "record.bom":
            return f"{line} begins with a byte order mark, {but} {harm.says}."
    return f"{line} holds {found.reason}, {but} {harm.says}."


_TITLES: Final[Mapping[str, tuple[str, str]]] = {
    "split": ("split", "write each record on a line of its own"),
    "trim": ("trim", "keep the record, set the other text aside"),
    "nul": ("clean", "take the NUL bytes out"),
    "utf8": ("replace-bytes", "put U+FFFD in place of these bytes"),
    "halves": ("replace-half", "put U+FFFD in place of the half character"),
    "escape": ("escape", "write the control characters as escapes"),
    "bom": ("drop-mark", "take the byte order mark out"),
    "mark": ("drop-mark", "take the byte order mark out"),
    "keep_last": ("keep-last", "keep the last value, as readers do"),
}


def _ways(candidate: _Candidate, harm: Harm) -> tuple[Fix, ...]:
    damage, way = candidate.damage, candidate.way
    uid = damage.record
    found: list[Fix] = []
    if way is not None and way.how == "join":
        title = f"write these {plural(len(way.behind) + 1, 'line')} as one"
        found.append(Fix("join", title, (MendBytes(uid, "join", way.behind),), recommended=True))
    elif way is not None and way.how == "close":
        if harm.complete:
            loses = None if damage.values else "what was cut off, which is not in the file"
            found.append(
                Fix("close", "write the missing end", (MendBytes(uid, "close"),), recommended=True, loses=loses)
            )
    elif way is not None:
        id_, title = _TITLES[way.how]
        loses = f"the bytes {candidate.reason}" if way.how == "utf8" else None
        found.append(Fix(id_, title, (MendBytes(uid, way.how),), recommended=True, loses=loses))
    if damage.rule == "record.duplicate_key":
        loses = "the values that readers take now"
        found.append(Fix("keep-first", "keep the first value", (MendBytes(uid, "keep_first"),), loses=loses))
    if not damage.readable:
        aside = [MendBytes(uid, "aside"), *(MendBytes(other, "aside") for other in (way.behind if way else ()))]
        found.append(
            Fix(
                "set-aside",
                "set it aside, in a file beside this one",
                tuple(aside),
                recommended=not found and not _holds_output(damage) and not _holds_user_words(damage),
                loses="what can be read in it" if damage.values or damage.partial else None,
                several="set them aside, in a file beside this one",
            )
        )
    return tuple(found)


def _holds_output(damage: Damage) -> bool:
    """Whether a tool's output is in it, as far as can be told."""
    held = [*held_in(damage.values), *held_in_part(damage.partial)]
    return any(found.real for found in held) if held else bool(ids_in(damage.raw)[0])


def _holds_user_words(damage: Damage) -> bool:
    """Whether something that a user said can be read in it."""
    for value in (*damage.values, damage.partial):
        message = value.get("message", value.get("payload", value)) if isinstance(value, dict) else None
        if not isinstance(message, dict) or message.get("role") != "user":
            continue
        content = message.get("content")
        parts = content if isinstance(content, list) else [content]
        if any(isinstance(part, str) or (isinstance(part, dict) and "text" in part) for part in parts):
            return True
    return False


def _kept_results(context: Context, found: Found) -> list[Fix]:
    """Of a cut off record with a result: what can be read of it, as a result of the call that waits for it."""
    if found.damage.readable or found.restores is not None or found.damage.partial is None:
        return []
    ids = {held.id for held in held_in_part(found.damage.partial) if held.real}
    if not ids:
        return []
    fixes: list[Fix] = []
    for pair in context.pairing.pairs:
        if pair.call is None or pair.results or pair.call.id not in ids:
            continue
        lost = context.unreadable.of_call(pair.call)
        if lost is not None and lost.fix is None and lost.record == found.damage.record:
            fixes += repair(lost, pair.call, recommended=True)
    return fixes[:1]


def _one_recommended(fixes: Sequence[Fix]) -> list[Fix]:
    """Only the first of them is recommended."""
    first = next((fix for fix in fixes if fix.recommended), None)
    return [fix if fix is first or not fix.recommended else replace(fix, recommended=False) for fix in fixes]
