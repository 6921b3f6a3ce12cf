"""The tables of what becomes of contents: each key that is said is in them, and what they call carried is carried."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import toolpair
from tests.each import each
from tests.reports import one_of_everything as everything
from toolpair.reports.export.targets import TARGETS
from toolpair.reports.export.ways import COMMON

SOURCE = Path(toolpair.__file__).parent
SAID = re.compile(r"\b(?:say|_say)\(\s*([^)]*)")


def test_every_key_that_is_said_has_its_sentence() -> None:
    known = {*COMMON, *(key for target in TARGETS.values() for key in target.ways)}
    said: set[str] = set()
    for path in (*(SOURCE / "dialects").glob("*.py"), *(SOURCE / "reports" / "export").glob("*.py")):
        for call in SAID.findall(path.read_text("utf-8")):
            said.update(re.findall(r'"([a-z_]+)"', call.partition("names=")[0]))
    assert said - known == set()
    assert {"thinking", "failed", "stored", "media"} <= said


@each("to", TARGETS)
@each("make", [everything.anthropic, everything.chat, everything.responses])
def test_what_is_called_carried_is_never_said_to_change(to: str, make: Callable[[], Any]) -> None:
    noted = {note.what for note in toolpair.export(make(), to=to).notes}
    assert not noted & TARGETS[to].carries


def test_ways_are_sentences_with_a_count() -> None:
    for way in (*COMMON.values(), *(way for target in TARGETS.values() for way in target.ways.values())):
        assert "{count}" in way.text and way.text.endswith(".") and way.short
