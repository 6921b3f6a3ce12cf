"""Recognising the texts that known systems write in place of a missing tool result. They are never real output.

A text that a person stopped or refused a tool is not one of them: it reports what happened.
"""

from __future__ import annotations

import json
import re
from functools import cache
from typing import Any, Final

from toolpair.transcript.known_systems import Placeholder, known_texts

_LONGEST: Final = 2000
"""In characters: a longer text is not a placeholder."""
_GAP: Final = r"([^\n]{0,300}?)"
"""What `…` in a text matches: a name, an id, the rest of a sentence. Never more than one line."""

KNOWN: Final = known_texts()
_BEGINNINGS: Final = (*{known.text.split()[0].partition("…")[0] for known in KNOWN},)
"""How placeholders start. Patterns are only compiled when a text starts like this."""
_LEAD: Final = re.compile(r"\A(?:<tool_use_error>\s*)?(?:\[?(?:tool )?error\]?:?\s+)?", re.IGNORECASE)
_LEADS: Final = frozenset("<[eEtT")
"""The first characters of `_LEAD`. Checking them first is quicker than the pattern for most texts."""
BEGIN: Final = frozenset((*_LEADS, *'{["', *(words[0] for words in _BEGINNINGS)))
"""Possible first characters of a placeholder, however it is wrapped, after white space."""
_TAIL: Final = "</tool_use_error>"
_SAYING: Final = frozenset({"error", "output", "result", "content", "message", "text"})
_BESIDE: Final = frozenset({"is_error", "isError", "success", "status", "type", "ok"})
"""Keys allowed next to the text in a JSON wrapper; any other key means that a tool wrote it."""


def known_placeholder(text: str) -> Placeholder | None:
    """The placeholder that makes up the whole of `text`: bare, as an error, or wrapped in JSON. Else None."""
    if len(text) >= _LONGEST:
        return None
    bare = text.strip()
    if not bare or bare[0] not in BEGIN:
        return None
    if (found := _first(bare, alone=True)) is not None:
        return found
    plain = _plain(bare)
    if plain != bare and (found := _first(plain, alone=False)) is not None:
        return found
    if bare[0] in '{["':
        words = _unwrapped(bare)
        if words is not None:
            return _first(_plain(words.strip()), alone=False)
    return None


def spans_of(text: str) -> list[tuple[int, int]]:
    """Where in a text that is a placeholder its own words are: without what varies in it, or is around it."""
    matches = [match for _, pattern in _patterns() if (match := pattern.search(text)) is not None]
    if not matches:
        return []
    found = max(matches, key=lambda match: len(match[0]))
    edges = [
        found.start(),
        *(edge for group in range(1, found.re.groups + 1) for edge in found.span(group)),
        found.end(),
    ]
    return [(start, end) for start, end in zip(edges[::2], edges[1::2], strict=True) if end > start]


def _plain(words: str) -> str:
    """Remove error markers around the text."""
    if words.endswith(_TAIL):
        words = words.removesuffix(_TAIL).rstrip()
    return _LEAD.sub("", words) if words[:1] in _LEADS else words


def _first(words: str, *, alone: bool) -> Placeholder | None:
    if not words.startswith(_BEGINNINGS):
        return None
    found = [
        known
        for start in _BEGINNINGS
        if words.startswith(start) and _any(start).fullmatch(words)
        for known, pattern in _patterns(start)
        if (alone or not known.alone) and pattern.fullmatch(words)
    ]
    return min(found, key=KNOWN.index, default=None)


def _unwrapped(text: str) -> str | None:
    """The text of a JSON string, or of an object or a list that holds nothing else; else None."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return _only_words(value)


def _only_words(value: Any) -> str | None:
    for _ in range(4):
        if isinstance(value, str):
            return value
        if isinstance(value, list):
            if len(value) != 1:
                return None
            value = value[0]
        elif isinstance(value, dict):
            saying = [key for key in value if key in _SAYING]
            plain = all(isinstance(value[key], (bool, str)) for key in value if key in _BESIDE)
            if len(saying) != 1 or not plain or any(key not in _SAYING and key not in _BESIDE for key in value):
                return None
            value = value[saying[0]]
        else:
            return None
    return None


@cache
def _patterns(start: str = "") -> tuple[tuple[Placeholder, re.Pattern[str]], ...]:
    """Those of the placeholders that start so."""
    return tuple((known, re.compile(_source(known), re.DOTALL)) for known in KNOWN if known.text.startswith(start))


@cache
def _any(start: str) -> re.Pattern[str]:
    """The same as one: most texts that start so are none."""
    return re.compile("|".join(f"(?:{pattern.pattern})" for _, pattern in _patterns(start)), re.DOTALL)


def _source(known: Placeholder) -> str:
    if known.regex is not None:
        return known.regex
    pieces = (re.sub(r"(?:\\ )+", r"\\s+", re.escape(piece)) for piece in known.text.split("…"))
    return _GAP.join(pieces)
