"""Telling the format of records by what is in them, and saying why when none is told."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from toolpair.formats import LIVES_IN, REGISTRY, SUREST, get_format
from toolpair.formats.base import Format
from toolpair.program import command
from toolpair.source.document import Document
from toolpair.source.sampling import values_of
from toolpair.transcript.model import Damaged, EmptyObject

_SAMPLE: Final = 200
"""Records from the start that are looked at."""


def format_of(document: Document) -> Format | None:
    """The format that claims the records with most evidence; None when none does."""
    told = values_of(document.records[:_SAMPLE])
    values = [value for value in told if not isinstance(value, (Damaged, EmptyObject))]
    best, best_score = None, 0
    for id_ in REGISTRY:
        if document.kind not in LIVES_IN[id_] or SUREST[id_] <= best_score:
            continue
        candidate = get_format(id_)
        score = candidate.sniff(values)
        if score > best_score:
            best, best_score = candidate, score
    return best


def not_recognised(documents: Sequence[Document], shown: str) -> str:
    """One sentence on a file of which no document has a known format."""
    seen = {
        key
        for document in documents
        for record in document.records[:_SAMPLE]
        if isinstance(value := record.value, dict)
        for key in value
    }
    what = "holds no transcript that toolpair understands"
    if "parts" in seen:
        what = "looks like a Gemini conversation, which this version does not read"
    elif sum(len(document.records) for document in documents) <= 1:
        what = "is JSON, but there is no list of messages in it"
    return f"{shown} {what}; `{command('formats')}` lists what it reads, and --format names one."


def no_such_format(name: str) -> str:
    """One sentence on a name that no format has."""
    import difflib

    close = difflib.get_close_matches(name.casefold().strip(), REGISTRY, n=1)
    hint = f"Did you mean {close[0]}?" if close else f"`{command('formats')}` lists them."
    return f"There is no format {name!r}. {hint}"
