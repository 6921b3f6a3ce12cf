"""A save that lasts: a bar, keys that say so, and escape."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot

from tests.patience import PATIENCE
from tests.tui.driving import drive, frame, press
from toolpair.source.saving.in_place import FileSave
from toolpair.tui.app import ToolpairApp
from toolpair.tui.screens import writing
from toolpair.tui.screens.pair_screen import PairScreen
from toolpair.tui.screens.review import ReviewScreen
from toolpair.tui.screens.writing import WritingScreen


@pytest.fixture
def disk(monkeypatch: pytest.MonkeyPatch) -> Iterator[threading.Event]:
    """A disk that takes half of each file at once, and the rest when the event is set. Each file is a large one."""
    goes_on = threading.Event()
    write = FileSave.write

    def slowly(self: FileSave, progress: Any = None) -> Any:
        def told(done: int) -> None:
            while not goes_on.is_set():
                progress(done // 2)
                time.sleep(0.005)
            progress(done)

        return write(self, told)

    monkeypatch.setattr(FileSave, "write", slowly)
    monkeypatch.setattr(writing, "LARGE", 0)
    monkeypatch.setattr(writing, "_PATIENCE", 0.0)
    yield goes_on
    goes_on.set()


async def until(pilot: Pilot[Any], words: str) -> str:
    for _ in range(500):
        await pilot.pause(0.01)
        if words in frame(pilot.app):  # type: ignore[arg-type]
            break
    return frame(pilot.app)  # type: ignore[arg-type]


def test_the_bar_says_how_far_and_keys_wait(broken: Path, disk: threading.Event) -> None:
    original = broken.read_bytes()

    async def play(app: ToolpairApp, pilot: Pilot[Any]) -> None:
        await press(pilot, "A", "enter")
        assert "saving" in await until(pilot, "50 %")
        assert "esc stops" in frame(app)
        staged = app.session.staged
        for key in ("x", "enter", "s", "p", "q", "ctrl+q"):
            await press(pilot, key)
            assert "not while saving" in frame(app), key
            assert isinstance(app.screen, WritingScreen)
        assert app.session.staged == staged and broken.read_bytes() == original
        disk.set()
        assert "toolpair restore" in await until(pilot, "toolpair restore")
        await press(pilot, "enter")
        assert isinstance(app.screen, PairScreen) and "nothing changed" in frame(app)

    drive(broken, play, size=(120, 40))
    assert broken.read_bytes() != original


def test_escape_gives_up_and_nothing_is_written(broken: Path, disk: threading.Event) -> None:
    original = broken.read_bytes()

    async def play(app: ToolpairApp, pilot: Pilot[Any]) -> None:
        await press(pilot, "A", "enter")
        await until(pilot, "50 %")
        await press(pilot, "escape")
        assert "stopped: nothing was written" in await until(pilot, "stopped:")
        assert isinstance(app.screen, ReviewScreen) and app.session.changed
        assert [path.name for path in broken.parent.iterdir()] == [broken.name]
        disk.set()
        await press(pilot, "enter")
        assert "toolpair restore" in await until(pilot, "toolpair restore")

    drive(broken, play)
    assert broken.read_bytes() != original


def test_after_the_file_has_its_name_escape_comes_too_late(
    broken: Path, disk: threading.Event, monkeypatch: pytest.MonkeyPatch
) -> None:
    reading = threading.Event()
    read_again = FileSave.read_again

    def slowly(self: FileSave) -> Any:
        reading.wait(PATIENCE)
        return read_again(self)

    monkeypatch.setattr(FileSave, "read_again", slowly)
    disk.set()

    async def play(app: ToolpairApp, pilot: Pilot[Any]) -> None:
        await press(pilot, "A", "enter")
        assert "saved, checking it" in await until(pilot, "reading it again")
        await press(pilot, "escape")
        await asyncio.sleep(0.05)
        reading.set()
        assert "toolpair restore" in await until(pilot, "toolpair restore")

    assert drive(broken, play).result.saved == [broken]
