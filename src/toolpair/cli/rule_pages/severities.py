"""The severity of a rule in every profile, as one letter each."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from string import ascii_uppercase
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
"""The grades of evidence, strongest first."""
_GROUP: Final = 5


@cache
def letters() -> Mapping[str, str]:
    """Profile -> its letter: the first of its name that no earlier profile has taken, else of the alphabet."""
    found: dict[str, str] = {}
    for profile in PROFILES:
        own = [char for char in profile.upper() if char.isalpha()]
        found[profile] = next(letter for letter in (*own, *ascii_uppercase) if letter not in found.values())
    return found


def signs(entry: Mapping[str, Any], shown: Iterable[str] = PROFILES) -> list[str]:
    """Each of these profiles' sign for the rule of a `rule_entry`."""
    judged = entry["profiles"]
    return [SIGNS[judged[profile]["severity"]] if profile in judged else ACCEPTED for profile in shown]


def grouped(row: Sequence[str]) -> str:
    """The letters as one word, with spaces here and there so that columns are easy to find."""
    return " ".join("".join(row[start : start + _GROUP]) for start in range(0, len(row), _GROUP))
