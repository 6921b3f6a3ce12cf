"""What all profiles say of a rule, in one letter each."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from typing import Any, Final

from toolpair.rules.profiles import PROFILES

SIGNS: Final = {"error": "E", "warning": "w", "info": "i"}
ACCEPTED: Final = "·"
MEANING: Final = "E error, w warning, i note, · accepted"
EVIDENCE: Final = {
    "documented": "in the provider's documentation, types or published validator",
    "executed": "the provider's own validator was run",
    "live": "a recorded request and its answer",
    "observed": "the provider's words in somebody's report",
    "claimed": "somebody says so, without showing it",
    "inferred": "it follows from a sibling of the API, and was not seen",
    "unknown": "nothing is known",
}
"""Each grade of evidence, the strongest first."""
_GROUP: Final = 4


@cache
def letters() -> Mapping[str, str]:
    """Profile -> the letter that stands for it: the first of its name that no profile before it has."""
    found: dict[str, str] = {}
    for profile in PROFILES:
        found[profile] = next(
            letter for letter in (char.upper() for char in profile if char.isalpha()) if letter not in found.values()
        )
    return found


def signs(entry: Mapping[str, Any], shown: Iterable[str] = PROFILES) -> list[str]:
    """What each of these profiles says of the rule of a `rule_entry`."""
    judged = entry["profiles"]
    return [SIGNS[judged[profile]["severity"]] if profile in judged else ACCEPTED for profile in shown]


def grouped(row: Sequence[str]) -> str:
    """The letters in one word, with a space here and there to find a column by."""
    return " ".join("".join(row[start : start + _GROUP]) for start in range(0, len(row), _GROUP))
