"""Filling in what a table says new elements and blocks look like."""

from __future__ import annotations

from typing import Any, Final

from msgspec import Struct

from toolpair.formats.forms.compiled import Slot
from toolpair.formats.forms.paths import At, Each, Key, Only, Path, path_of
from toolpair.formats.forms.table import BRANCHES
from toolpair.transcript.draft import value_at


class _Gone:
    """The value of a key that is left out."""


_GONE: Final = _Gone()


class Filling(Struct):
    """What the words of a template stand for. What stays None is not known."""

    beside: Any = None
    """The element beside the new one."""
    id: Any = None
    name: str | None = None
    text: Any = None
    new: str | None = None
    results: list[Any] | None = None
    number: int | None = None
    is_error: bool = True

    def fill(self, template: Any) -> Any:
        """The template with its words filled in; a key is left out where its value is not known."""
        made = self._filled(template)
        return None if made is _GONE else made

    def _filled(self, template: Any) -> Any:
        if isinstance(template, str):
            return self._word(template)
        if isinstance(template, list):
            return [part for part in map(self._filled, template) if part is not _GONE]
        if not isinstance(template, dict):
            return template
        made: dict[str, Any] = {}
        for key, part in template.items():
            if key not in BRANCHES:
                made[key] = self._filled(part)
            elif key == BRANCHES[not self.is_error]:
                made |= self._filled(part)
        return {key: part for key, part in made.items() if part is not _GONE}

    def _word(self, word: str) -> Any:
        if not word.startswith("$"):
            return word
        head, _, path = word[1:].partition(".")
        if head == "null":
            return None
        found = at_path(path_of(path), self.beside) if head == "beside" else getattr(self, head)
        return _GONE if found is None else found


def place_of(path: Path, value: Any) -> Slot | None:
    """Where in a value the end of a path is, or would be set; None for a path that has no single end."""
    slot: Slot = ()
    for step in path:
        here = value_at(value, slot)
        match step:
            case Key(names):
                held = here if isinstance(here, dict) else {}
                slot = (*slot, next((name for name in names if held.get(name) is not None), names[0]))
            case At(index) if isinstance(here, list) and -len(here) <= index < len(here):
                slot = (*slot, index % len(here))
            case Only():
                pass
            case _:
                return None
    return slot


def at_path(path: Path, value: Any) -> Any:
    slot = place_of(path, value)
    return None if slot is None else value_at(value, slot)


def part_from(path: Path, text: str) -> Any:
    """A part of a list that the path to its text describes: `content[type=text].text` is an object with both keys."""
    at = next(n for n, step in enumerate(path) if isinstance(step, Each))
    made: Any = text
    for step in reversed(path[at + 1 :]):
        if isinstance(step, Key):
            made = {step.names[0]: made}
    part = path[at]
    if not isinstance(made, dict) or not isinstance(part, Each):
        return made
    marks = {
        one.path[0].names[0]: one.values[0]
        for one in part.conditions
        if one.operator == "is" and len(one.path) == 1 and isinstance(one.path[0], Key)
    }
    return {**marks, **made}
