"""The interface on a folder of sessions: one of them chosen, fixed, saved, and the save undone; the others a key away."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from textual.pilot import Pilot

from tests.opencode_folders import files, written
from tests.opencode_sessions import ID, another, corpus
from tests.tui.driving import frame, press
from tests.tui.test_databases import sessions
from tests.tui.test_picker import drive, until
from toolpair.tui.app import ToolpairApp
from toolpair.tui.screens.pair_screen import PairScreen
from toolpair.tui.screens.picker import PickerScreen
from toolpair.tui.screens.saved import SavedScreen


def test_a_session_of_a_folder_is_fixed_and_the_save_undone(tmp_path: Path) -> None:
    storage = written(tmp_path, corpus()["message_failed"].session, another())
    before = files(storage)

    async def play(app: ToolpairApp, pilot: Pilot[Any]) -> None:
        await until(pilot, lambda: "1 PROBLEM" in frame(app))
        assert "Sessions in storage" in frame(app) and "A session: Once more." in frame(app)
        await press(pilot, "enter")
        await until(pilot, lambda: isinstance(app.screen, PairScreen) and "opencode 1.1.65" in frame(app))
        await press(pilot, "A", "s")
        assert f"storage-{ID}.fixed.jsonl" in frame(app)
        await press(pilot, "escape")
        assert "Original kept as storage.toolpair-" in frame(app)
        await pilot.pause(0.5)
        await press(pilot, "enter")
        await until(pilot, lambda: isinstance(app.screen, SavedScreen) and "READY TO RESUME" in frame(app))
        assert "XDG_DATA_HOME=" in frame(app)
        assert files(storage) != before
        await press(pilot, "u")
        await pilot.pause(0.5)
        await press(pilot, "enter")
        await until(pilot, lambda: isinstance(app.screen, PairScreen))
        assert files(storage) == before
        await press(pilot, "u", "c")
        assert isinstance(app.screen, PickerScreen) and "Another session" in frame(app)

    drive(sessions(storage), play, (120, 40))
