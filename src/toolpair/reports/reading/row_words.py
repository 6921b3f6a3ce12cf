"""What stands in the place of a call, a result or an id that is not there."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from toolpair.rules.problem import Problem
    from toolpair.transcript.pairing import Pair

NO_RESULT: Final = "no result anywhere in this file"
ELSEWHERE: Final = "lost here, found elsewhere"
NOT_SURE: Final = "perhaps answered by a result below"
INTERRUPTED: Final = "interrupted, no output"
NO_CALL: Final = "no call for this result"
ANOTHER: Final = "another result of this call"
_TIME: Final = re.compile(r"\s*<(current_datetime)>[^<]*</\1>")
"""The time that an agent puts in front of what the user says."""


def words_of(label: str) -> str:
    """What a message says, on one line, beginning with its words."""
    return " ".join(label[found.end() :].split()) if (found := _TIME.match(label)) else " ".join(label.split())


def id_words(value: object) -> object:
    """An id; any JSON value may be in its place."""
    return "(no id)" if value is None else "(empty id)" if value == "" else value


def lack_of(pair: Pair, worst: Problem | None) -> str:
    """Why a call has no result. `worst` is the worst problem of the pair."""
    if pair.candidates:
        return NOT_SURE
    if pair.state == "pending":
        return INTERRUPTED
    # Whether its output is known from elsewhere is half the rescue.
    return ELSEWHERE if worst is not None and any(fix.id.startswith("use-copy") for fix in worst.fixes) else NO_RESULT
