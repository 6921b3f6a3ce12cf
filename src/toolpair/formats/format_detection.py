"""Telling the format of records by what is in them, and saying why when none is told.

The beginning of a file gives an answer at once. An agent's own records are told by it for certain; of plain lists
every record is heard before the answer counts.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Any, Final

from toolpair.formats import LIVES_IN, REGISTRY, SUREST, get_format
from toolpair.formats.format import Format, OfSeveralApis
from toolpair.formats.telling import Told
from toolpair.shell.program import command
from toolpair.source.document import Document
from toolpair.source.floods import Flood
from toolpair.source.indexed_records import IndexedRecords
from toolpair.source.mending import close
from toolpair.source.record_values import parse
from toolpair.source.sampling import are_all_read, values_of
from toolpair.transcript.model import Damaged, EmptyObject

BEGINNING: Final = 200
"""Records from the start that are looked at first."""
_PLAIN: Final = frozenset({"anthropic", "openai-chat", "openai-responses", "roo-code"})


def format_of(document: Document, profile: str | None = None) -> Format | None:
    """The format that claims the first records with most evidence; None when none does."""
    records = document.records[: BEGINNING + 1]  # the others need not be known yet
    values = [value for value in values_of(records[:BEGINNING]) if not isinstance(value, (Damaged, EmptyObject))]
    if len(records) <= BEGINNING:
        values += _cut_off(document)
    best = _surest(values, document.kind)
    return _for_profile(best, values, profile)


def _surest(values: Sequence[Any], kind: str) -> Format | None:
    best, best_score = None, 0
    for id_ in REGISTRY:
        if kind not in LIVES_IN[id_] or SUREST[id_] <= best_score:
            continue
        candidate = get_format(id_)
        score = candidate.sniff(values)
        if score > best_score:
            best, best_score = _of_its_api(candidate, values), score
    return best


def _of_its_api(found: Format, values: Sequence[Any]) -> Format:
    """The format with the profile of the API that the session speaks."""
    return found.for_records(values) if isinstance(found, OfSeveralApis) else found


def _for_profile(best: Format | None, values: Iterable[Any], profile: str | None) -> Format | None:
    """Where the messages may be of several APIs: the one that they are to be judged by."""
    if best is None or profile is None or best.id not in ("anthropic", "openai-chat"):
        return best
    shape = Told().hear_all(values).shape(profile)
    return best if shape is None else get_format(shape)


def is_settled(document: Document, found: Format | None) -> bool:
    """Whether no record behind the first ones can change what `format_of` said."""
    if found is not None and found.id not in _PLAIN:
        return True
    records = document.records[: BEGINNING + 1]  # the others need not be known yet
    return len(records) <= BEGINNING and are_all_read(records)


def format_of_all(document: Document, profile: str | None = None, *, keep: bool = False) -> Format | None:
    """The format of the records, all of which are heard; None when they are of none.

    `keep`: what they say is asked for again afterwards.
    """
    told = Told()
    for batch in _batches(record.value for record in document.records) if keep else _batches(_passing(document)):
        found = _surest(batch, document.kind)
        if found is not None and found.id not in _PLAIN:
            return found
        told.hear_all(batch)
    told.hear_all(_cut_off(document))
    return told_format(told, document.kind, profile)


def told_format(told: Told, kind: str, profile: str | None = None) -> Format | None:
    """The format of a plain list, by what all of its records tell."""
    if kind == "array" and told.is_roo:
        return get_format("roo-code")
    shape = told.shape(profile)
    return None if shape is None else get_format(shape)


def _cut_off(document: Document) -> list[Any]:
    """What the last record says once its end is written: closing it makes the list no other one."""
    last = document.records[-1] if document.records else None
    if last is None or not isinstance(last.value, Damaged) or last.value.rule != "record.torn":
        return []
    closed = close(last.body)
    value = parse(closed.text) if closed is not None else None
    return [value] if isinstance(value, dict) and value else []


def _passing(document: Document) -> Iterator[Any]:
    """What all records say, none of which is kept."""
    records = document.records
    if isinstance(records, IndexedRecords):
        for _, bodies in records.positions.bodies():
            for body in bodies:
                if not isinstance(body, Flood):
                    yield parse(bytes(body))
    else:
        for record in records:
            yield parse(record.body)


def _batches(values: Iterator[Any]) -> Iterator[list[Any]]:
    whole = (value for value in values if not isinstance(value, Damaged))
    while batch := list(islice(whole, BEGINNING)):
        yield batch


def not_recognised(documents: Sequence[Document], shown: str) -> str:
    """One sentence on a file of which no document has a known format."""
    seen = {
        key
        for document in documents
        for record in document.records[:BEGINNING]
        if isinstance(value := record.value, dict)
        for key in value
    }
    what = "has no conversation in it that toolpair understands"
    if "parts" in seen:
        what = "looks like a Gemini conversation, which this version cannot read"
    elif sum(len(document.records) for document in documents) <= 1:
        what = "is JSON, but has no list of messages in it"
    return f"{shown} {what}; `{command('formats')}` lists what it can read, and --format picks one."


def no_such_format(name: str) -> str:
    """One sentence on a name that no format has."""
    import difflib

    close = difflib.get_close_matches(name.casefold().strip(), REGISTRY, n=1)
    hint = f"Did you mean {close[0]}?" if close else f"`{command('formats')}` lists them."
    return f"There is no format {name!r}. {hint}"
