"""Roo Code's id sanitising: other characters become "_", on calls and results."""

from __future__ import annotations

import hashlib
import re
from typing import Final

from toolpair.recipes.recipe import Options, Recipe
from toolpair.recipes.replica_steps import ReplicaActions, replica

_REFUSED: Final = re.compile(r"[^a-zA-Z0-9_-]")
_HASH: Final = 8
OPENAI_MOST: Final = 64
"""The length to which Roo Code truncates ids for OpenAI."""


def sanitized(id_: str) -> str:
    """`sanitizeToolUseId`: "_" for each character other than letters, digits, "_" and "-".

    Characters outside the BMP count as two, as they do in JavaScript.
    """
    return _REFUSED.sub(lambda found: "__" if found[0] > "\uffff" else "_", id_)


def truncated(id_: str, most: int = OPENAI_MOST) -> str:
    """`truncateOpenAiCallId`: a longer id is truncated, ending in the start of its MD5."""
    if len(id_) <= most:
        return id_
    digest = hashlib.md5(id_.encode("utf-8", "replace"), usedforsecurity=False).hexdigest()
    return f"{id_[: most - _HASH - 1]}_{digest[:_HASH]}"


def fitted(id_: str, most: int | None) -> str:
    """`sanitizeOpenAiCallId`: sanitised, then truncated; not truncated if `most` is None."""
    return sanitized(id_) if most is None else truncated(sanitized(id_), most)


def _run(actions: ReplicaActions, options: Options) -> None:
    for message in actions.transcript.messages:
        for block in (*message.calls, *message.results):
            if isinstance(block.id, str) and (new := fitted(block.id, options.max_id_length)) != block.id:
                actions.rename(block, new)


RECIPE: Final = Recipe(
    "roo-code-sanitize",
    'As Roo Code writes ids: every character except letters, digits, "_" and "-" becomes "_", on calls and results.',
    replica(_run),
    does=(
        (
            'Each character of an id except letters, digits, "_" and "-" becomes "_", one for one, on calls and on '
            "results."
        ),
        "With a maximum length, an id that is still longer is cut and ends in the first characters of its MD5.",
    ),
    copies=(
        "Roo Code's sanitizeToolUseId (pull requests 10649, 11131), with a maximum length its sanitizeOpenAiCallId "
        "(10763)"
    ),
    loses=(
        'Ids that differ only in replaced characters become the same: "a.b" and "a:b" are both "a_b", and nobody can '
        "tell any more which result belongs to which call. An empty id stays empty. When Roo Code saves such a "
        "response it leaves out the second call; this recipe only changes ids, and keeps every call."
    ),
    instead=(
        "The default gives a refused id a new one that no other call in the transcript has, on the call and on its "
        "own results, and leaves ids alone that the provider accepts."
    ),
    links=(
        "https://github.com/RooCodeInc/Roo-Code/pull/10649",
        "https://github.com/RooCodeInc/Roo-Code/pull/11131",
        "https://github.com/RooCodeInc/Roo-Code/pull/10763",
    ),
    options=frozenset({"max_id_length"}),
)
