"""Profiles: what a provider accepts, as data. One JSON file a profile in `rules/data/`."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any, Final

from toolpair.rules.base import Severity

PROFILES: Final = ("anthropic", "openai-chat", "openai-responses")


@dataclass(frozen=True, slots=True)
class Cell:
    """What one profile says of one rule: `severity` is None where the provider accepts it."""

    severity: Severity | None
    evidence: str
    note: str | None = None
    link: str | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Profile:
    """The rules of one provider's API."""

    id: str
    title: str
    id_pattern: re.Pattern[str] | None
    id_max: int | None
    id_prefix: str
    name_pattern: re.Pattern[str]
    name_max: int
    results: str
    not_judged: tuple[str, ...]
    cells: Mapping[str, Cell]

    @property
    def judged(self) -> int:
        """How many rules this profile judges."""
        return sum(cell.severity is not None for cell in self.cells.values())

    def cell(self, rule: str) -> Cell | None:
        return self.cells.get(rule)

    def accepts_id(self, id_: Any) -> bool:
        """Whether the id as such is accepted: a str, not empty, of allowed characters and length."""
        if not isinstance(id_, str) or not id_:
            return False
        if self.id_pattern is not None and not self.id_pattern.fullmatch(id_):
            return False
        return self.id_max is None or len(id_) <= self.id_max


@cache
def profile(id_: str) -> Profile:
    """The profile with this id. Raises KeyError for an unknown one."""
    if id_ not in PROFILES:
        raise KeyError(id_)
    data = json.loads(files("toolpair.rules").joinpath("data", f"{id_}.json").read_text(encoding="utf-8"))
    return Profile(
        id=data["id"],
        title=data["title"],
        id_pattern=re.compile(data["id_pattern"]) if data["id_pattern"] else None,
        id_max=data["id_max"],
        id_prefix=data["id_prefix"],
        name_pattern=re.compile(data["name_pattern"]),
        name_max=data["name_max"],
        results=data["results"],
        not_judged=tuple(data["not_judged"]),
        cells={
            rule: Cell(cell["severity"], cell["evidence"], cell.get("note"), cell.get("link"))
            for rule, cell in data["rules"].items()
        },
    )
