"""What is applied and not saved survives: it is kept, offered, taken up or forgotten, and gone when it is saved."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot

from tests.journal.test_folder import Failing
from tests.tui import driving
from tests.tui.driving import frame, press, settled
from tests.tui.test_native_sessions import broken_with_sub_agent
from toolpair.session.journal.folder import Folder
from toolpair.session.journal.keeper import Keeper
from toolpair.session.session import Session, open_session
from toolpair.tui.app import ToolpairApp
from toolpair.tui.screens.pair_screen import PairScreen
from toolpair.tui.screens.saved import SavedScreen

Play = Callable[[ToolpairApp, Pilot[Any]], Awaitable[None]]
OFFER = "from 12 minutes ago"


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    return Folder(tmp_path / "state" / "toolpair")


def files(folder: Folder) -> list[Path]:
    return sorted(folder.path.iterdir()) if folder.path.exists() else []


def left_behind(folder: Folder, session: Session, minutes: float = 12.5) -> Path:
    """As after a kill, so many minutes ago."""
    keeper = Keeper(lambda: folder, str(session.path))
    keeper.keep(session)
    keeper.flush()
    assert keeper._locked is not None
    keeper._locked.close()
    path = folder.path / keeper._name
    value = json.loads(path.read_bytes())
    value["time"] = time.time() - 60 * minutes
    path.write_bytes(json.dumps(value).encode())
    return path


def staged(path: Path, count: int = 3) -> Session:
    session = open_session(path)
    for _ in range(count):
        session.stage(next(each for each in session.problems if each.recommended is not None))
    return session


def drive(path: Path, folder: Folder, play: Play, size: tuple[int, int] = (80, 24)) -> ToolpairApp:
    async def offered(app: ToolpairApp, pilot: Pilot[Any]) -> None:
        await settled(pilot, names=("search", "work", "aside"))
        await play(app, pilot)

    return driving.drive(path, offered, size, journal=folder)


async def kept(pilot: Pilot[Any], folder: Folder, count: int) -> None:
    """Until so many files are there; it may not take longer than a second."""
    for _ in range(100):
        if len(files(folder)) == count and not any(path.suffix == ".tmp" for path in files(folder)):
            return
        await pilot.pause(0.01)
    raise AssertionError(files(folder))


def test_it_is_written_within_a_second_and_follows_every_change_and_save(broken: Path, folder: Folder) -> None:
    async def play(app: ToolpairApp, pilot: Pilot[Any]) -> None:
        assert not files(folder)
        await press(pilot, "space")
        await kept(pilot, folder, 1)
        assert json.loads(files(folder)[0].read_bytes())["fixes"] == 1
        await press(pilot, "space")
        for _ in range(100):
            if json.loads(files(folder)[0].read_bytes())["fixes"] == 2:
                break
            await pilot.pause(0.01)
        else:
            raise AssertionError("not written within a second")
        await press(pilot, "u", "u")
        await kept(pilot, folder, 0)

        await press(pilot, "A")
        await kept(pilot, folder, 1)
        await press(pilot, "enter")
        assert isinstance(app.screen, SavedScreen)
        await kept(pilot, folder, 0)  # a save takes it away, and undoing the save brings it back
        await press(pilot, "u", "enter")
        await kept(pilot, folder, 1)
        await press(pilot, "w", "s", "enter")
        await kept(pilot, folder, 0)

    drive(broken, folder, play)


def test_who_quits_and_discards_wants_nothing_kept(broken: Path, folder: Folder) -> None:
    async def play(app: ToolpairApp, pilot: Pilot[Any]) -> None:
        await press(pilot, "space")
        await kept(pilot, folder, 1)
        await press(pilot, "q", "D")

    drive(broken, folder, play)
    assert not files(folder)


def test_a_crash_keeps_it(broken: Path, folder: Folder, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*_: Any) -> Any:
        raise RuntimeError("a fault of the program's own")

    async def play(app: ToolpairApp, pilot: Pilot[Any]) -> None:
        await press(pilot, "space")
        monkeypatch.setattr(PairScreen, "action_undo", fails)
        await pilot.press("u")
        await pilot.pause(0.1)

    with pytest.raises(RuntimeError):
        drive(broken, folder, play)
    assert len(files(folder)) == 1


def test_what_was_left_is_offered_and_taken_up(broken: Path, folder: Folder) -> None:
    session = staged(broken)
    left_behind(folder, session)

    async def play(app: ToolpairApp, pilot: Pilot[Any]) -> None:
        shown = frame(app)
        assert f"3 fixes {OFFER} were applied but not saved." in shown
        assert "enter apply them" in shown and "D discard them" in shown and "changed since" not in shown
        await press(pilot, "enter")
        assert app.session.to_bytes() == session.to_bytes() and app.open_sessions.unsaved
        assert "3 fixes are applied again" in frame(app) and "3 fixes, not saved" in frame(app)
        await press(pilot, "u")
        assert sum(row.count for row in app.session.staged) == 2, "as steps that can be undone"
        await kept(pilot, folder, 1)
        await press(pilot, "w", "enter")
        await kept(pilot, folder, 0)

    drive(broken, folder, play)


def test_one_fix_is_one(broken: Path, folder: Folder) -> None:
    left_behind(folder, staged(broken, 1), 60 * 24 * 3)

    async def play(app: ToolpairApp, pilot: Pilot[Any]) -> None:
        shown = frame(app)
        assert "1 fix from 3 days ago was applied but not saved." in shown and "enter apply it" in shown

    drive(broken, folder, play)


def test_discarding_is_asked_first(broken: Path, folder: Folder) -> None:
    path = left_behind(folder, staged(broken))

    async def play(app: ToolpairApp, pilot: Pilot[Any]) -> None:
        await press(pilot, "D")
        assert f"Discard 3 fixes {OFFER}?" in frame(app) and path.exists()
        await press(pilot, "escape")
        assert f"3 fixes {OFFER} were applied" in frame(app) and path.exists()
        await press(pilot, "D", "D")
        assert not path.exists() and not app.session.changed and isinstance(app.screen, PairScreen)

    drive(broken, folder, play)


def test_a_held_d_discards_nothing(broken: Path, folder: Folder) -> None:
    path = left_behind(folder, staged(broken))

    async def play(app: ToolpairApp, pilot: Pilot[Any]) -> None:
        await pilot.pause(0.5)
        for _ in range(8):
            await pilot.press("D")
        await settled(pilot)
        assert path.exists() and "Discard" in frame(app)

    async def offered(app: ToolpairApp, pilot: Pilot[Any]) -> None:
        await settled(pilot, names=("aside",))
        await play(app, pilot)

    driving.drive(broken, offered, held=0.4, journal=folder)


def test_who_does_not_answer_is_offered_it_again(broken: Path, folder: Folder) -> None:
    path = left_behind(folder, staged(broken))

    async def later(app: ToolpairApp, pilot: Pilot[Any]) -> None:
        await press(pilot, "escape")
        assert "to be asked again" in frame(app)
        await press(pilot, "space", "q", "D")

    async def again(app: ToolpairApp, pilot: Pilot[Any]) -> None:
        assert f"3 fixes {OFFER}" in frame(app)

    drive(broken, folder, later)
    assert path.exists()
    drive(broken, folder, again)


def test_it_waits_until_nothing_lies_over_the_session(broken: Path, folder: Folder) -> None:
    left_behind(folder, staged(broken))

    async def play(app: ToolpairApp, pilot: Pilot[Any]) -> None:
        await pilot.press("question_mark")
        await settled(pilot, names=("aside",))
        assert OFFER not in frame(app)
        await press(pilot, "escape")
        await settled(pilot)
        assert OFFER in frame(app)

    driving.drive(broken, play, journal=folder)


def test_it_comes_on_top_of_what_is_applied_by_then(broken: Path, folder: Folder) -> None:
    """The first of the three was fixed by hand meanwhile; the others are applied to it."""
    session = staged(broken)
    left_behind(folder, session)

    async def play(app: ToolpairApp, pilot: Pilot[Any]) -> None:
        app.session.stage(app.session.problems[0])
        app.open_sessions.changed(app.open_sessions.desks[0])
        await press(pilot, "enter")
        assert "1 fix could not be applied again" in frame(app) and "the problem is gone" in frame(app)
        await press(pilot, "escape")
        assert app.session.to_bytes() == session.to_bytes()

    drive(broken, folder, play)


def test_a_file_that_has_changed_is_told_and_what_does_not_fit_says_why(broken: Path, folder: Folder) -> None:
    left_behind(folder, staged(broken))
    messages = json.loads(broken.read_bytes())
    for message in messages:
        for block in message["content"] if isinstance(message["content"], list) else ():
            if block.get("tool_use_id") == "toolu.read.file:005":
                block["tool_use_id"] = "toolu_read_file_005"
    broken.write_text(json.dumps(messages, indent=1))

    async def play(app: ToolpairApp, pilot: Pilot[Any]) -> None:
        assert "The file has changed since then" in frame(app)
        await press(pilot, "enter")
        shown = frame(app)
        assert "1 fix could not be applied again:" in shown
        assert "result.id_mismatch: the problem is gone." in shown
        await press(pilot, "escape")
        assert "2 fixes are applied again" in frame(app)

    drive(broken, folder, play, (120, 30))


def test_a_damaged_one_is_a_sentence(broken: Path, folder: Folder) -> None:
    path = left_behind(folder, staged(broken))
    path.write_bytes(path.read_bytes()[:-30])

    async def play(app: ToolpairApp, pilot: Pilot[Any]) -> None:
        assert isinstance(app.screen, PairScreen) and "journal is damaged" in frame(app)
        await press(pilot, "space")
        assert app.session.changed

    drive(broken, folder, play, (120, 30))


def test_what_is_kept_in_vain_is_one_note(broken: Path, tmp_path: Path) -> None:
    folder = Folder(tmp_path / "state" / "toolpair", Failing("write", 28))

    async def play(app: ToolpairApp, pilot: Pilot[Any]) -> None:
        await press(pilot, "space")
        for _ in range(200):
            if "journal cannot be written" in frame(app):
                break
            await pilot.pause(0.01)
        else:
            raise AssertionError(frame(app))
        await press(pilot, "space")
        await pilot.pause(1.0)
        assert "journal cannot be written" not in frame(app) and len(app.session.staged) == 2
        await press(pilot, "A", "enter")
        assert isinstance(app.screen, SavedScreen)

    drive(broken, folder, play, (120, 30))


def test_without_a_journal_nothing_is_kept_or_offered(broken: Path, folder: Folder) -> None:
    left_behind(folder, staged(broken))

    async def play(app: ToolpairApp, pilot: Pilot[Any]) -> None:
        assert isinstance(app.screen, PairScreen)
        await press(pilot, "space")
        await pilot.pause(1.0)
        assert len(files(folder)) == 1

    driving.drive(broken, play)


def test_a_sub_agents_history_has_its_own(tmp_path: Path, folder: Folder) -> None:
    path = broken_with_sub_agent(tmp_path)

    async def play(app: ToolpairApp, pilot: Pilot[Any]) -> None:
        await press(pilot, "space")
        await kept(pilot, folder, 1)
        await press(pilot, "b", "enter", "right_square_bracket", "space")
        await kept(pilot, folder, 2)
        assert {os.path.basename(json.loads(each.read_bytes())["path"]) for each in files(folder)} == {
            "0d3f3a52.jsonl", "agent-a1.jsonl",
        }  # fmt: skip
        await press(pilot, "q", "D")
        await kept(pilot, folder, 1)

    drive(path, folder, play, (100, 30))


def test_much_is_applied_beside_the_keys(tmp_path: Path, folder: Folder) -> None:
    path = driving.array_file(tmp_path / "many.json", 700, mismatched=range(600))
    session = open_session(path)
    session.stage_recommended()
    left_behind(folder, session)

    async def play(app: ToolpairApp, pilot: Pilot[Any]) -> None:
        assert f"600 fixes {OFFER}" in frame(app)
        await press(pilot, "enter")
        await settled(pilot)
        assert app.session.to_bytes() == session.to_bytes() and "600 fixes are applied again" in frame(app)

    drive(path, folder, play)
