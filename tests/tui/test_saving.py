"""Review, save, quit."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot

from tests.tui.driving import drive, frame, press
from toolpair.tui.app import ToolpairApp
from toolpair.tui.screens.pair_screen import PairScreen
from toolpair.tui.screens.review import ReviewScreen


def test_a_rescue_is_open_mend_all_enter(broken: Path) -> None:
    original = broken.read_bytes()

    async def play(app: ToolpairApp, pilot: Pilot[Any]) -> None:
        await press(pilot, "A")
        shown = frame(app)
        assert "nothing is written yet" in shown and "stay byte for byte" in shown and "loses nothing" in shown
        assert broken.read_bytes() == original
        await press(pilot, "enter")
        shown = frame(app)
        assert "Saved" in shown and "toolpair restore" in shown
        await press(pilot, "enter")
        assert isinstance(app.screen, PairScreen) and "nothing changed" in frame(app)
        assert "have results" in frame(app)

    app = drive(broken, play)
    assert app.result.saved == [broken]
    assert any("toolpair restore" in line for line in app.result.lines)
    json.loads(broken.read_bytes())
    assert broken.read_bytes() != original
    backups = list(broken.parent.glob("*.bak"))
    assert len(backups) == 1 and backups[0].read_bytes() == original


def test_a_held_key_cannot_open_and_confirm(broken: Path) -> None:
    original = broken.read_bytes()

    async def play(app: ToolpairApp, pilot: Pilot[Any]) -> None:
        await press(pilot, "A", "enter", "enter", "enter")
        assert isinstance(app.screen, ReviewScreen) and "press enter again" in frame(app)

    drive(broken, play, held=30)
    assert broken.read_bytes() == original


def test_saving_a_copy_leaves_the_file_alone(broken: Path, tmp_path: Path) -> None:
    original = broken.read_bytes()

    async def play(app: ToolpairApp, pilot: Pilot[Any]) -> None:
        await press(pilot, "A", "s", "enter")
        assert "Saved" in frame(app)
        await press(pilot, "q")

    app = drive(broken, play)
    copy = tmp_path / "broken.fixed.json"
    assert app.result.saved == [copy] and copy.exists() and broken.read_bytes() == original


def test_a_refused_save_is_said_and_nothing_is_lost(broken: Path, tmp_path: Path) -> None:
    (tmp_path / "broken.fixed.json").write_text("mine")

    async def play(app: ToolpairApp, pilot: Pilot[Any]) -> None:
        await press(pilot, "A", "s", "enter")
        assert isinstance(app.screen, ReviewScreen) and "Not saved" in frame(app)
        assert "--force" not in frame(app) and "give another name" in frame(app)
        await press(pilot, "escape")
        assert app.session.changed

    drive(broken, play)
    assert (tmp_path / "broken.fixed.json").read_text() == "mine"


@pytest.mark.parametrize("key", ["q", "ctrl+q", "ctrl+c"])
def test_quitting_with_fixes_asks_and_staying_is_the_default(broken: Path, key: str) -> None:
    original = broken.read_bytes()

    async def play(app: ToolpairApp, pilot: Pilot[Any]) -> None:
        await press(pilot, "space", key)
        assert "not saved" in frame(app) and "discard" in frame(app)
        await press(pilot, key, "enter", "escape")
        assert app.is_running and app.session.changed
        await press(pilot, key, "w")
        assert isinstance(app.screen, ReviewScreen)
        await press(pilot, "escape", key, "D")

    assert drive(broken, play).result.lines == ["Nothing was changed."]
    assert broken.read_bytes() == original


def test_what_cannot_be_written_is_offered_as_a_copy(samples: Path) -> None:
    async def play(app: ToolpairApp, pilot: Pilot[Any]) -> None:
        assert not app.session.file.writable
        await press(pilot, "A")
        shown = frame(app)
        if isinstance(app.screen, ReviewScreen):
            assert "only be saved as a copy" in shown and "enter save" not in shown
            await press(pilot, "s")
            assert "python-repr.fixed.json" in frame(app)

    drive(samples / "python-repr.txt", play)


def test_what_is_excluded_stays_in_view_and_can_be_included_again(broken: Path) -> None:
    async def play(app: ToolpairApp, pilot: Pilot[Any]) -> None:
        await press(pilot, "A", "p")
        assert "toolu.read.file:005" in frame(app), "the diff is read"
        await press(pilot, "escape")
        before = len(app.session.staged)
        await press(pilot, "x")
        assert len(app.session.staged) == before - 1
        await press(pilot, "escape")
        assert isinstance(app.screen, PairScreen) and "problem" in frame(app)
        while app.session.changed:
            await press(pilot, "u")

        await press(pilot, "A")
        whole = app.session.to_bytes()
        await press(pilot, "x", "j", "x")
        assert isinstance(app.screen, ReviewScreen) and not app.session.changed
        assert frame(app).count("[ ]") == 2 and "[x]" not in frame(app)
        await press(pilot, "enter")
        assert isinstance(app.screen, ReviewScreen) and "nothing to save" in frame(app)
        await press(pilot, "x", "k", "x")
        assert app.session.to_bytes() == whole and frame(app).count("[x]") == 2
        await press(pilot, "x", "j", "x", "escape")
        assert isinstance(app.screen, PairScreen) and "every problem has a fix" not in frame(app)
        assert "4 problems" in frame(app)

    drive(broken, play)


def test_the_review_tells_about_all_conversations(samples: Path) -> None:
    async def play(app: ToolpairApp, pilot: Pilot[Any]) -> None:
        await press(pilot, "A", "escape")
        changed = app.session.current
        total = sum(len(found.document.records) for found in app.session.conversations)
        await press(pilot, "c")
        assert "problem" in frame(app)
        await press(pilot, "k", "enter")
        assert app.session.current != changed
        assert f"in conversation {changed + 1}" in frame(app)
        await press(pilot, "w")
        assert f"of {total:,} " in frame(app) and f"(conversation {changed + 1})" in frame(app)
        await press(pilot, "escape", "u")
        assert f"undone in conversation {changed + 1}" in frame(app)

    drive(samples / "request-log.jsonl", play, (120, 40))


def test_a_file_that_changed_meanwhile_is_read_again(broken: Path) -> None:
    async def play(app: ToolpairApp, pilot: Pilot[Any]) -> None:
        await press(pilot, "A")
        broken.write_bytes(broken.read_bytes() + b"\n")
        await press(pilot, "enter")
        assert "r read it again" in frame(app)
        await press(pilot, "r", "r")
        assert isinstance(app.screen, PairScreen) and not app.session.changed and "4 problems" in frame(app)
        await press(pilot, "A", "enter")
        assert app.result.saved == [broken]

    drive(broken, play)


def test_a_file_with_other_names_is_saved_only_when_the_user_says_so(broken: Path) -> None:
    original = broken.read_bytes()
    other = broken.with_name("other.json")
    other.hardlink_to(broken)

    async def play(app: ToolpairApp, pilot: Pilot[Any]) -> None:
        await press(pilot, "A", "enter")
        assert "other names (hard links)" in frame(app) and broken.read_bytes() == original
        await press(pilot, "escape")
        assert broken.read_bytes() == original
        await press(pilot, "enter", "enter")
        assert broken.read_bytes() != original and other.read_bytes() == original

    drive(broken, play)
