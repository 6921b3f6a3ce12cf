"""Finding the damaged records of a file, and what can be read of them once their bytes are repaired."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from typing import Any, Final

from msgspec import Struct

from toolpair.formats.format import Damage, Format, Item
from toolpair.source.document import Document
from toolpair.source.record_values import big_numbers, parse
from toolpair.source.repairing import bad_bytes, close, doubled_keys, repaired
from toolpair.transcript.edits import Mending
from toolpair.transcript.model import Damaged, Transcript

TORN: Final = "record.torn"
"""Of a readable record: it is the last one, and the document around it was cut off later."""
COMMA: Final = "record.trailing_comma"
HALF: Final = "record.lone_surrogate"
TOO_DEEP: Final = "record.bad_json"
"""Of a readable record: its agent's parser does not go as deep as it is nested."""
_SHOWN: Final = 60
"""Maximum characters shown of a key or a number."""
_SEARCHED: Final = 1 << 24
"""Maximum bytes of a range of lines that are searched for ids."""


class Way(Struct, frozen=True):
    how: Mending
    after: tuple[int, ...] = ()


class Candidate(Struct, frozen=True, eq=False):
    damage: Damage
    reason: str
    way: Way | None
    whole: bool = True
    """Repaired, all of it is there."""

    @property
    def is_no_number(self) -> bool:
        """Whether a record is no JSON only for a NaN or Infinity, which Python writes."""
        return self.way is not None and self.way.how == "numbers"


def unreadable(items: Sequence[Item], document: Document) -> Iterator[Candidate]:
    """The unreadable records. One that spans several lines counts once."""
    joined: set[int] = set()
    tried_up_to = -1
    for item in items:
        if not isinstance(item.value, Damaged) or item.uid in joined or item.uid not in document:
            continue
        at = document.index(item.uid)
        after: tuple[int, ...] = ()
        whole = b""
        may_go_on = item.value.rule in ("record.torn", "record.bad_json") and document.records[at].lines == 1
        if may_go_on and at > tried_up_to:
            # In a run of damaged lines that do not form a record together, every line is examined separately.
            after, whole = document.runs_on(item.uid)
            if after:
                joined.update(after)
            else:
                tried_up_to = _end_of_run(document, at)
        yield _candidate(item, at, after, whole, document)


def _end_of_run(document: Document, at: int) -> int:
    while at + 1 < len(document) and isinstance(document.records[at + 1].value, Damaged):
        at += 1
    return at


def _candidate(item: Item, at: int, after: tuple[int, ...], whole: bytes, document: Document) -> Candidate:
    found: Damaged = item.value
    record = document.records[at]
    raw, rule, reason = record.first_line, found.rule, found.reason
    values: tuple[Any, ...] = ()
    partial: Any = None
    way: Way | None = None
    if after:
        rule, reason = "record.torn", f"one record on {len(after) + 1:,} lines"
        raw = b"\n".join(document.record(uid).body for uid in (item.uid, *after))
        values = (parse(whole),)
        way = Way("join", after)
    elif not record.says:
        pass  # nothing in it can be read
    elif rule == "record.torn":
        closed = close(raw)
        value = parse(closed.text) if closed is not None else None
        if closed is not None and isinstance(value, dict):
            values, partial = ((value,), None) if closed.whole else ((), value)
            way = Way("close")
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
        last=at + len(after) + 1 == len(document),
        at=at,
        after=after,
        lines=record.lines,
        named=raw if record.lines == 1 else record.head(_SEARCHED) if record.says else b"",
    )
    return Candidate(damage, reason, way)


_TRIED: Final[Mapping[str, tuple[Mending, ...]]] = {
    "record.glued": ("split",),
    "record.nul": ("nul",),
    "record.bad_json": ("escape", "trim", "nul"),
}


def _readable(raw: bytes, rule: str) -> tuple[Way | None, tuple[Any, ...], Any]:
    for how in _TRIED.get(rule, ()):
        made = repaired(raw, how)
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
            return Way(how), tuple(values), partial
    return None, (), None


def flaws_of_file(document: Document) -> list[Damage]:
    """What is wrong with the file itself rather than with a record."""
    return [candidate.damage for candidate in _of_file(document)]


def _of_file(document: Document) -> Iterator[Candidate]:
    if document.mark and document.records:
        first = document.records[0]
        damage = Damage(first.uid, "record.bom", 1, True, (), None, document.mark, first=True, front=True)
        yield Candidate(damage, "a byte order mark at the start of the file", Way("mark"))
    yield from _around(document)
    if document.commas:
        found = document.records[-1 if document.kind == "array" else 0]
        damage = Damage(found.uid, COMMA, found.line, True, (), None, b",", first=True, front=True)
        after = "the last element" if document.kind == "array" else "each record"
        yield Candidate(damage, f"a comma after {after}", Way("commas"))
    if document.cut_end is not None and document.records:
        last = document.records[-1]
        damage = Damage(last.uid, TORN, last.line, True, (last.value,), None, document.tail, last=True)
        yield Candidate(damage, "cut off after its last message", Way("end"), document.cut_end.whole)


def _around(document: Document) -> Iterator[Candidate]:
    raw = b"".join(document.outside)
    for rule in document.flaws_around if document.records else ():
        damage = Damage(document.records[0].uid, rule, 1, True, (), None, raw, first=True, front=True)
        yield Candidate(damage, f"{_flaw(rule, raw)} outside of the messages", Way(_WAYS_AROUND[rule]))


def _matters(candidate: Candidate, document: Document, transcript: Transcript) -> bool:
    """A session's agent reads all of it; what only keeps messages may have anything around them."""
    around = candidate.way is not None and candidate.way.how in _WAYS_AROUND.values()
    return not around or document.is_request or transcript.native


def flawed(transcript: Transcript, document: Document, format: Format) -> Iterator[Candidate]:
    """Flaws of readable records, and of the file around them. Keys are checked only in what is sent."""
    yield from (one for one in _of_file(document) if _matters(one, document, transcript))
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
                at=at,
            )
            way = _FLAW_WAYS.get(rule)
            yield Candidate(damage, _flaw(rule, record.body), Way(way) if way is not None else None)
    if format.levels_refused is not None:
        yield from _too_deep(sent, document, format.levels_refused)


def _too_deep(
    sent: Container[int], document: Document, levels_refused: Callable[[Any], int | None]
) -> Iterator[Candidate]:
    """What is sent, and nested deeper than the agent's parser goes."""
    for at, record in enumerate(document.records):
        if record.uid in sent and (levels := levels_refused(record.value)) is not None:
            damage = Damage(record.uid, TOO_DEEP, record.line, True, (record.value,), None, record.body, at == 0)
            yield Candidate(damage, f"values nested more than {levels:,} levels deep", None)


_WAYS_AROUND: Final[Mapping[str, Mending]] = {
    "record.bad_utf8": "utf8_around",
    "record.lone_surrogate": "around",
    "record.bad_json": "numbers_around",
}
_FLAW_WAYS: Final[Mapping[str, Mending]] = {
    "record.bad_utf8": "utf8",
    "record.lone_surrogate": "halves",
    "record.duplicate_key": "keep_last",
    "record.bom": "bom",
    "record.bad_json": "numbers",
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
        case "record.bad_json":
            return "NaN or Infinity"
    return "half of a character"
