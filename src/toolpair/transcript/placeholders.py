"""Telling the texts that known systems write where a tool result is missing. They are never real output.

What a person did, who stopped a tool or refused it, is none of them: that is what happened, whatever else a file knows.
"""

from __future__ import annotations

import json
import re
from functools import cache
from typing import Any, Final

from toolpair.transcript.known_systems import Placeholder, known_texts

_LONGEST: Final = 2000
"""Characters: whatever is longer says more than that there is nothing."""
_GAP: Final = r"[^\n]{0,300}?"
"""What `…` in a text stands for: a name, an id, the rest of a sentence. Never a second line."""

KNOWN: Final = known_texts()
_BEGINNINGS: Final = (*{known.text.split()[0].partition("…")[0] for known in KNOWN},)
"""With what any of them begins; the patterns are compiled when a text begins so."""
_LEAD: Final = re.compile(r"\A(?:<tool_use_error>\s*)?(?:\[?(?:tool )?error\]?:?\s+)?", re.IGNORECASE)
_LEADS: Final = frozenset("<[eEtT")
"""With what `_LEAD` begins: most words do not, and asking is quicker than looking for it."""
BEGIN: Final = frozenset((*_LEADS, *'{["', *(words[0] for words in _BEGINNINGS)))
"""What the first character of any of them may be, whatever it is wrapped in, behind white space."""
_TAIL: Final = "</tool_use_error>"
_SAYING: Final = frozenset({"error", "output", "result", "content", "message", "text"})
_BESIDE: Final = frozenset({"is_error", "isError", "success", "status", "type", "ok"})
"""What may stand beside the words in a JSON wrapping; anything else says that a tool wrote it."""


def known_placeholder(text: str) -> Placeholder | None:
    """The known text that `text` is the whole of: bare, as an error, or wrapped in JSON. None for all else."""
    if len(text) >= _LONGEST:
        return None
    bare = text.strip()
    if not bare or bare[0] not in BEGIN:
        return None
    if bare.startswith(_BEGINNINGS) and _anything().fullmatch(bare) is not None:
        return _first(bare, alone=True)
    plain = _plain(bare)
    if plain != bare and (found := _first(plain, alone=False)) is not None:
        return found
    if bare[0] in '{["':
        words = _unwrapped(bare)
        if words is not None:
            return _first(_plain(words.strip()), alone=False)
    return None


def _plain(words: str) -> str:
    """Without what marks an error around them."""
    if words.endswith(_TAIL):
        words = words.removesuffix(_TAIL).rstrip()
    return _LEAD.sub("", words) if words[:1] in _LEADS else words


def _first(words: str, *, alone: bool) -> Placeholder | None:
    if not words.startswith(_BEGINNINGS):
        return None
    return next(
        (known for known, pattern in _patterns() if (alone or not known.alone) and pattern.fullmatch(words)), None
    )


def _unwrapped(text: str) -> str | None:
    """The words in a JSON string, or in an object or a list that holds nothing but them."""
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
def _patterns() -> tuple[tuple[Placeholder, re.Pattern[str]], ...]:
    return tuple((known, re.compile(_source(known), re.DOTALL)) for known in KNOWN)


@cache
def _anything() -> re.Pattern[str]:
    return re.compile("|".join(f"(?:{_source(known)})" for known in KNOWN), re.DOTALL)


def _source(known: Placeholder) -> str:
    if known.regex is not None:
        return known.regex
    pieces = (re.sub(r"(?:\\ )+", r"\\s+", re.escape(piece)) for piece in known.text.split("…"))
    return _GAP.join(pieces)
