"""A save that has happened is said first, and nothing that follows makes it look like one that failed."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, NoReturn

import pytest
from textual.pilot import Pilot

from tests.cli.conftest import Run
from tests.tui.driving import drive, frame, press
from toolpair.session.saving import SaveInPlace
from toolpair.session.session import open_session
from toolpair.tui.app import ToolpairApp

BROKEN = "sanitised-on-one-side.json"


def fails(*_: object, **__: object) -> NoReturn:
    raise RuntimeError("nobody has foreseen this")


@pytest.mark.parametrize("form", ["text", "json"])
@pytest.mark.parametrize(
    "what", ["session.surroundings.warnings", "session.surroundings.index_notes", "session.surroundings.resume_command"]
)
def test_what_follows_adds_a_note(
    run: Run, copy: Callable[[str], Path], monkeypatch: pytest.MonkeyPatch, what: str, form: str
) -> None:
    path = copy(BROKEN)
    before = path.read_bytes()
    monkeypatch.setattr(f"toolpair.{what}", fails)
    ran = run("fix", path, "--in-place", "--output-format", form)
    assert ran.code in (0, 4) and path.read_bytes() != before
    assert "The file is saved, but" in ran.err + ran.out and "nobody has foreseen this" in ran.err + ran.out
    if form == "text":
        said = ran.err.splitlines()
        told = next(n for n, line in enumerate(said) if "Written to" in line)
        assert told < next(n for n, line in enumerate(said) if "nobody has foreseen" in line)
    else:
        assert ran.json["output"] == str(path) and ran.json["backup"]


def test_the_library_gives_back_what_was_saved(copy: Callable[[str], Path], monkeypatch: pytest.MonkeyPatch) -> None:
    path = copy(BROKEN)
    session = open_session(path)
    session.stage_recommended()
    monkeypatch.setattr(SaveInPlace, "after", fails)
    saved = session.save()
    assert saved.path == path and saved.backup is not None
    assert any("what it holds now could not be looked up" in note for note in saved.notes)
    assert not open_session(path).conversation.verdict.errors


def test_the_interface_says_that_it_is_saved(copy: Callable[[str], Path], monkeypatch: pytest.MonkeyPatch) -> None:
    path = copy(BROKEN)
    monkeypatch.setattr(SaveInPlace, "after", fails)

    async def play(app: ToolpairApp, pilot: Pilot[Any]) -> None:
        await press(pilot, "A", "enter")
        shown = frame(app)
        assert "Saved" in shown and "Not saved" not in shown and "could not be looked up" in shown
        assert not app.open_sessions.unsaved

    app = drive(path, play, (120, 40))
    assert app.result.error is None and app.result.saved == [path]
    assert not open_session(path).conversation.verdict.errors
