"""The interface on a database: its sessions in a list, one of them fixed, saved, and the save undone."""

from __future__ import annotations

import asyncio
import sqlite3
import threading
from collections.abc import Awaitable, Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace
from textual.events import Key
from textual.pilot import Pilot

from tests.docker_agent_databases import copies_of_sample, items_of
from tests.formats import test_agents_sdk as agents_sdk
from tests.goose_sessions import SESSION, with_a_row_in_the_way
from tests.listed import listed as all_listed
from tests.tui.driving import frame, press
from tests.tui.test_picker import DirectJudge, drive, until
from tests.tui.test_typed_ahead import at_once
from toolpair.formats.engine.agents import databases
from toolpair.session.session import Session, open_session
from toolpair.shell.machine import Machine
from toolpair.source.rows import save
from toolpair.source.rows.session_rows import StoredRows
from toolpair.tui.app import ToolpairApp
from toolpair.tui.open_sessions import OpenSessions
from toolpair.tui.screens import base_screen, review, writing
from toolpair.tui.screens.base_screen import BaseScreen
from toolpair.tui.screens.pair_screen import PairScreen
from toolpair.tui.screens.picker import PickerScreen
from toolpair.tui.screens.prompt import PromptScreen
from toolpair.tui.screens.review import ReviewScreen
from toolpair.tui.screens.saved import SavedScreen
from toolpair.tui.screens.writing import WritingScreen
from toolpair.tui.session_list import Sessions


def test_a_row_in_the_way_can_be_set_aside(tmp_path: Path) -> None:
    path = with_a_row_in_the_way(tmp_path / "sessions.db")

    async def play(app: ToolpairApp, pilot: Pilot[Any]) -> None:
        await press(pilot, "A")
        await pilot.pause(0.5)
        await press(pilot, "enter")
        await until(pilot, lambda: "It can be set aside" in frame(app))
        await press(pilot, "enter")
        assert isinstance(app.screen, ReviewScreen) and "set it aside" in frame(app)
        await pilot.pause(0.5)
        await press(pilot, "enter")
        await until(pilot, lambda: shows(app, SavedScreen))

    drive_session(path, play, open_session(f"{path}::{SESSION}"))


@pytest.fixture
def several(tmp_path: Path) -> Path:
    return copies_of_sample(tmp_path / "session.db", "newest", "middle", "oldest")


def sessions(path: Path) -> Sessions:
    machine = Machine("linux", {}, path.parent / "nobody")
    return Sessions(open_session, machine, "/home/dev/shop", DirectJudge, of=str(path))


def drive_session(
    path: Path, play: Callable[[ToolpairApp, Pilot[Any]], Awaitable[None]], session: Session | None = None
) -> None:
    """Open the session called `middle`."""

    async def run() -> None:
        app = ToolpairApp(session or open_session(f"{path}::middle"), sessions=lambda: sessions(path))
        async with app.run_test(size=(120, 40)) as pilot:
            await pilot.pause()
            await play(app, pilot)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(base_screen, "HELD", 0.0)
        asyncio.run(run())


def test_a_session_is_chosen_fixed_saved_and_the_save_undone(several: Path) -> None:
    before = {name: items_of(several, name) for name in ("newest", "middle", "oldest")}

    async def play(app: ToolpairApp, pilot: Pilot[Any]) -> None:
        await until(pilot, lambda: frame(app).count("LOSES 1 OUTPUT") >= 3)
        assert "Sessions in session.db" in frame(app) and "About oldest: It stopped. Go on." in frame(app)
        await press(pilot, "down", "enter")
        await until(pilot, lambda: shows(app, PairScreen) and "middle · docker-agent" in frame(app))
        await press(pilot, "A")
        assert "Original kept as session.db.toolpair-" in frame(app)
        await pilot.pause(0.5)
        await press(pilot, "enter")
        await until(pilot, lambda: shows(app, SavedScreen) and "READY TO RESUME" in frame(app))
        assert "--session middle" in frame(app)
        assert items_of(several, "middle") != before["middle"]
        assert items_of(several, "newest") == before["newest"] and items_of(several, "oldest") == before["oldest"]
        await press(pilot, "u")
        assert "Undo the save? The session gets back what it held before" in " ".join(frame(app).split())
        assert "Other sessions stay as they are." in " ".join(frame(app).split())
        await pilot.pause(0.5)
        await press(pilot, "enter")
        await until(pilot, lambda: shows(app, PairScreen) and "not saved" in frame(app))
        assert {name: items_of(several, name) for name in before} == before
        await press(pilot, "u", "u")

    drive(sessions(several), play, (120, 40))


def test_a_session_that_any_program_may_keep_is_chosen_fixed_and_saved(tmp_path: Path) -> None:
    path = agents_sdk.database(tmp_path / "some.db", it=agents_sdk.BROKEN["missing"], other=agents_sdk.OTHER)

    async def play(app: ToolpairApp, pilot: Pilot[Any]) -> None:
        await until(pilot, lambda: "1 PROBLEM" in frame(app) and "Agents SDK" in frame(app))
        assert "1 problem." not in frame(app), "the badge has said so"
        await press(pilot, "down", "enter")
        await until(pilot, lambda: shows(app, PairScreen))
        await press(pilot, "A")
        await pilot.pause(0.5)
        await press(pilot, "enter")
        await until(pilot, lambda: shows(app, SavedScreen))
        assert len(agents_sdk.items(path)) == 5

    drive(sessions(path), play, (120, 40))


def test_originals_are_those_of_the_session(several: Path) -> None:
    other = open_session(f"{several}::oldest")
    other.stage_recommended()
    other.save()

    async def play(app: ToolpairApp, pilot: Pilot[Any]) -> None:
        await press(pilot, "R")
        assert "no original of this session has been kept" in frame(app)
        await press(pilot, "A", "enter")
        await until(pilot, lambda: "session.db::middle --backup latest" in " ".join(frame(app).split()))
        await press(pilot, "escape", "R")
        await until(pilot, lambda: "Originals kept" in frame(app))
        assert frame(app).count("session.db.toolpair-") == 1
        await press(pilot, "enter")
        assert "Other sessions stay as they are." in " ".join(frame(app).split())
        await press(pilot, "escape")
        assert any(f"restore {several}::middle --backup latest" in line for line in app.result.lines)

    drive_session(several, play)


def shows(app: ToolpairApp, kind: type[BaseScreen[Any]]) -> bool:
    """Whether such a screen is on top, all of it: one that is still being made cannot be left."""
    return isinstance(app.screen, kind) and app.screen.drawn


def test_the_other_sessions_are_a_key_away_and_a_database_that_is_gone_is_said(several: Path) -> None:
    async def play(app: ToolpairApp, pilot: Pilot[Any]) -> None:
        await until(pilot, lambda: frame(app).count("LOSES 1 OUTPUT") >= 3)
        await press(pilot, "enter")
        await until(pilot, lambda: shows(app, PairScreen))
        await press(pilot, "c")
        assert isinstance(app.screen, PickerScreen)
        assert "Sessions in session.db" in frame(app)
        await press(pilot, "o", "l", "d", "e", "s", "t", "enter")
        await until(pilot, lambda: shows(app, PairScreen) and "oldest · docker-agent" in frame(app))

        several.rename(several.with_name("elsewhere.db"))
        await press(pilot, "c")
        await until(pilot, lambda: "No such file" in frame(app) or "does not exist" in frame(app))
        await press(pilot, "escape")
        assert isinstance(app.screen, PairScreen) and "oldest · docker-agent" in frame(app), "the session stays"

    drive(sessions(several), play, (120, 40))


def test_what_another_program_writes_is_followed(several: Path) -> None:
    session = open_session(f"{several}::middle")
    assert session.follow() is None

    with closing(sqlite3.connect(several)) as agent:
        agent.execute("UPDATE sessions SET title = 'of another one' WHERE id = 'oldest'")
        agent.commit()
    assert session.follow() is None, "another session's rows are not this one's"
    add_word(several, "and now?")
    session.stage_recommended()
    followed = session.follow()
    assert followed is not None and followed.records == 1
    session.save()
    assert len(items_of(several, "middle")) == 10


def listed_slowly(monkeypatch: pytest.MonkeyPatch) -> tuple[threading.Event, threading.Event]:
    """There is a list only when the second event is set; the first one says that it was asked for."""
    asked, listed = threading.Event(), threading.Event()
    pages = Sessions.pages

    def slow(self: Sessions) -> Any:
        asked.set()
        assert listed.wait(30)
        return pages(self)

    monkeypatch.setattr(Sessions, "pages", slow)
    return asked, listed


def test_keys_typed_before_there_is_a_list_act_on_it(several: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked, listed = listed_slowly(monkeypatch)

    async def play(app: ToolpairApp, pilot: Pilot[Any]) -> None:
        await until(pilot, asked.is_set)
        assert "Looking for sessions" in frame(app)
        await press(pilot, "down", "down", "enter")
        listed.set()
        await until(pilot, lambda: "oldest · docker-agent" in frame(app))

    drive(sessions(several), play, (120, 40))


def test_letters_after_a_key_for_the_list_wait_with_it(several: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked, listed = listed_slowly(monkeypatch)

    async def play(app: ToolpairApp, pilot: Pilot[Any]) -> None:
        await until(pilot, asked.is_set)
        await press(pilot, "o", "l", "x", "backspace", "enter", "A")
        listed.set()
        await until(pilot, lambda: shows(app, ReviewScreen))
        assert app.session.file.address == f"{several}::oldest"

    drive(sessions(several), play, (120, 40))


def test_a_key_that_was_let_in_before_the_list_came_stays_in_its_place(
    several: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked, listed = listed_slowly(monkeypatch)
    list_them = PickerScreen._list_them

    def with_a_key_on_its_way(self: PickerScreen, *found: Any) -> None:
        key = Key("enter", "\r")
        assert self.tool.typed_ahead.admits(key)
        self.post_message(key)
        self.tool.typed_ahead.handled()
        list_them(self, *found)

    monkeypatch.setattr(PickerScreen, "_list_them", with_a_key_on_its_way)

    async def play(app: ToolpairApp, pilot: Pilot[Any]) -> None:
        await until(pilot, asked.is_set)
        await press(pilot, "down", "down")
        listed.set()
        await until(pilot, lambda: shows(app, PairScreen))
        assert app.session.file.address == f"{several}::oldest"

    drive(sessions(several), play, (120, 40))


def opened_slowly(path: Path) -> tuple[Sessions, threading.Event, threading.Event]:
    """Its sessions, each of which opens only when the second event is set; the first one says that it was asked for."""
    asked, may_open = threading.Event(), threading.Event()

    def slow(name: str, **options: Any) -> Session:
        asked.set()
        assert may_open.wait(30)
        return open_session(name, **options)

    return replace(sessions(path), open=slow), asked, may_open


def test_keys_typed_while_a_session_opens_are_for_it(several: Path) -> None:
    listed, asked, may_open = opened_slowly(several)

    async def play(app: ToolpairApp, pilot: Pilot[Any]) -> None:
        await until(pilot, lambda: frame(app).count("LOSES 1 OUTPUT") >= 3)
        at_once(app, "down", "enter", "j", "A", "up", "s")
        await until(pilot, asked.is_set)
        assert "esc stop" in frame(app)
        may_open.set()
        await until(pilot, lambda: shows(app, PromptScreen))
        assert app.session.file.address == f"{several}::middle"

    drive(listed, play, (120, 40))


def test_keys_that_were_kept_come_before_those_that_wait(several: Path) -> None:
    listed, asked, may_open = opened_slowly(several)

    async def play(app: ToolpairApp, pilot: Pilot[Any]) -> None:
        await until(pilot, lambda: frame(app).count("LOSES 1 OUTPUT") >= 3)
        await press(pilot, "enter", names=())
        await until(pilot, asked.is_set)
        kept = [Key(name, None) for name in ("a", "b")]
        app.typed_ahead.again([Key(name, None) for name in ("slash", "x", "y")])
        copies = list(app.typed_ahead._waiting)
        app.typed_ahead.again(kept)
        assert [key.key for key in app.typed_ahead._waiting if isinstance(key, Key)] == [
            "a",
            "b",
            *(key.key for key in copies if isinstance(key, Key)),
        ]
        may_open.set()

    drive(listed, play, (120, 40))


def test_a_key_that_was_let_in_before_the_session_came_is_for_it(
    several: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    listed, asked, may_open = opened_slowly(several)
    show = OpenSessions.show

    def with_a_key_on_its_way(self: OpenSessions, *shown: Any) -> PairScreen:
        list_on_top.post_message(Key("A", "A"))
        return show(self, *shown)

    async def play(app: ToolpairApp, pilot: Pilot[Any]) -> None:
        nonlocal list_on_top
        await until(pilot, lambda: frame(app).count("LOSES 1 OUTPUT") >= 3)
        await press(pilot, "enter", names=())
        await until(pilot, asked.is_set)
        list_on_top = app.screen
        monkeypatch.setattr(OpenSessions, "show", with_a_key_on_its_way)
        may_open.set()
        await until(pilot, lambda: shows(app, ReviewScreen))

    list_on_top: Any = None
    drive(listed, play, (120, 40))


def test_escape_while_a_session_opens_is_back_in_the_list(several: Path) -> None:
    listed, _, may_open = opened_slowly(several)

    async def play(app: ToolpairApp, pilot: Pilot[Any]) -> None:
        await until(pilot, lambda: frame(app).count("LOSES 1 OUTPUT") >= 3)
        await press(pilot, "enter", "x", "y", "escape", "m", "i", names=())
        assert frame(app).splitlines()[1].strip() == "mi"
        may_open.set()
        await press(pilot, "enter")
        await until(pilot, lambda: shows(app, PairScreen))
        assert app.session.file.address == f"{several}::middle"

    drive(listed, play, (120, 40))


def test_a_session_that_is_gone_when_it_is_chosen_leaves_the_list_as_it_was(several: Path) -> None:
    async def play(app: ToolpairApp, pilot: Pilot[Any]) -> None:
        await until(pilot, lambda: frame(app).count("LOSES 1 OUTPUT") >= 3)
        with closing(sqlite3.connect(several)) as agent:
            agent.execute("DELETE FROM session_items WHERE session_id = 'newest'")
            agent.execute("DELETE FROM sessions WHERE id = 'newest'")
            agent.commit()
        at_once(app, "enter", "x")
        await until(pilot, lambda: "has no session 'newest'" in " ".join(frame(app).split()))
        await press(pilot, "o", "l", "enter")
        await until(pilot, lambda: "oldest · docker-agent" in frame(app))

    drive(sessions(several), play, (120, 40))


def slowed_down(monkeypatch: pytest.MonkeyPatch, where: Any, name: str) -> tuple[threading.Event, threading.Event]:
    """This function goes on when the second event is set; the first one says that it has begun."""
    begun, goes_on = threading.Event(), threading.Event()
    quick = getattr(where, name)

    def slow(*arguments: Any, **options: Any) -> Any:
        begun.set()
        assert goes_on.wait(30)
        return quick(*arguments, **options)

    monkeypatch.setattr(where, name, slow)
    return begun, goes_on


def test_a_save_into_a_database_and_its_undoing_keep_no_key_waiting(
    several: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The database may be locked, or large, however small the session is."""
    begun, goes_on = slowed_down(monkeypatch, save.RowsChange, "carry_out")

    async def play(app: ToolpairApp, pilot: Pilot[Any]) -> None:
        await press(pilot, "A")
        await press(pilot, "enter")
        await until(pilot, begun.is_set)
        await until(pilot, lambda: "saving" in frame(app).splitlines()[-1])
        await press(pilot, "j")
        assert "not while saving" in frame(app)
        goes_on.set()
        await until(pilot, lambda: shows(app, SavedScreen))
        begun.clear(), goes_on.clear()
        await press(pilot, "u")
        await press(pilot, "enter")
        await until(pilot, begun.is_set)
        assert isinstance(app.screen, WritingScreen)
        goes_on.set()
        await until(pilot, lambda: "the save is undone" in frame(app))

    drive_session(several, play)


def test_a_key_typed_before_a_save_is_seen_to_last_is_for_what_comes(
    several: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(writing, "_PATIENCE", 60.0)

    async def play(app: ToolpairApp, pilot: Pilot[Any]) -> None:
        await press(pilot, "A")
        at_once(app, "enter", "u")
        await until(pilot, lambda: "Undo the save?" in frame(app))

    drive_session(several, play)


def test_a_key_that_was_let_in_before_a_save_ended_is_for_what_comes(
    several: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(writing, "_PATIENCE", 60.0)
    end = WritingScreen._end

    def with_a_key_on_its_way(self: WritingScreen[Any], result: Any) -> None:
        self.post_message(Key("u", "u"))
        end(self, result)

    monkeypatch.setattr(WritingScreen, "_end", with_a_key_on_its_way)

    async def play(app: ToolpairApp, pilot: Pilot[Any]) -> None:
        await press(pilot, "A", "enter")
        await until(pilot, lambda: "Undo the save?" in frame(app))

    drive_session(several, play)


def test_a_session_is_read_again_without_a_key_waiting(several: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    begun, goes_on = slowed_down(monkeypatch, review, "reopened")

    async def play(app: ToolpairApp, pilot: Pilot[Any]) -> None:
        await press(pilot, "A")
        with closing(sqlite3.connect(several)) as agent:
            agent.execute("UPDATE session_items SET agent_name = 'other' WHERE session_id = 'middle'")
            agent.commit()
        await press(pilot, "enter")
        await until(pilot, lambda: "r read it again" in frame(app))
        await press(pilot, "r", "r", names=())
        await until(pilot, begun.is_set)
        await until(pilot, lambda: "reading it again" in frame(app).splitlines()[-1])
        await press(pilot, "escape", names=())
        goes_on.set()
        await until(pilot, lambda: "stopped: it was not read again" in frame(app))
        assert app.session.staged
        await press(pilot, "r", "r", names=())
        await until(pilot, lambda: shows(app, PairScreen))
        assert not app.session.staged

    drive_session(several, play)


def test_following_keeps_no_key_waiting(several: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    begun, goes_on = slowed_down(monkeypatch, StoredRows, "read")
    goes_on.set()
    session = open_session(f"{several}::middle")
    goes_on.clear(), begun.clear()

    async def play(app: ToolpairApp, pilot: Pilot[Any]) -> None:
        add_word(several, "and now?")
        await press(pilot, "F")
        await until(pilot, begun.is_set)
        await press(pilot, "A", "x", names=())
        assert isinstance(app.screen, ReviewScreen)
        goes_on.set()
        await press(pilot, "escape", "G")
        await until(pilot, lambda: "1 record added. F stops following" in frame(app) and "and now?" in frame(app))
        await press(pilot, "F")

    drive_session(several, play, session)


def add_word(path: Path, said: str) -> None:
    with closing(sqlite3.connect(path)) as agent:
        agent.execute(
            "INSERT INTO session_items (session_id, position, item_type, message_json) VALUES ('middle', 8, 'message', ?)",
            (f'{{"role":"user","content":"{said}"}}',),
        )
        agent.commit()


def test_sessions_that_have_no_text_as_id_are_counted(several: Path) -> None:
    with closing(sqlite3.connect(several)) as agent:
        agent.execute("INSERT INTO sessions (id, created_at, title) VALUES (NULL, '2026-11-01T00:00:00Z', 'Nameless')")
        agent.commit()

    async def play(app: ToolpairApp, pilot: Pilot[Any]) -> None:
        await until(pilot, lambda: frame(app).count("LOSES 1 OUTPUT") >= 3)
        said = " ".join(frame(app).split())
        assert "1 session in" in said and "its id is not text." in said
        assert "Nameless" not in frame(app)

    drive(sessions(several), play, (120, 40))


def test_of_many_sessions_the_newest_are_there_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = copies_of_sample(tmp_path / "session.db", *(f"number-{n}" for n in range(30)))
    whole = [one.session_id for one in all_listed(path)[0]]
    go_on, asked = threading.Event(), databases.sessions_in
    monkeypatch.setattr(databases, "AT_ONCE", 5)
    monkeypatch.setattr(databases, "sessions_in", lambda *names: (go_on.wait(10), asked(*names))[1])

    async def play(app: ToolpairApp, pilot: Pilot[Any]) -> None:
        await until(pilot, lambda: "5 sessions" in frame(app))
        await press(pilot, "down", "down")
        screen = app.screen
        assert isinstance(screen, PickerScreen) and screen.current is not None
        assert screen.current.session_id == whole[2]
        go_on.set()
        await until(pilot, lambda: "30 sessions" in frame(app))
        assert screen.current.session_id == whole[2]
        await until(pilot, lambda: frame(app).count("LOSES 1 OUTPUT") > 10)
        await press(pilot, "end")
        assert screen.current.session_id == whole[-1] and screen.current.described

    drive(sessions(path), play, (120, 40))


def test_the_session_opened_last_is_found_among_many(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = copies_of_sample(tmp_path / "session.db", *(f"number-{n}" for n in range(30)))
    last = all_listed(path)[0][20]
    monkeypatch.setattr(databases, "AT_ONCE", 5)
    of = sessions(path)
    of.last = last.path

    async def play(app: ToolpairApp, pilot: Pilot[Any]) -> None:
        await until(pilot, lambda: "30 sessions" in frame(app))
        screen = app.screen
        assert isinstance(screen, PickerScreen) and screen.current is not None
        assert screen.current.session_id == last.session_id

    drive(of, play, (120, 40))


def test_a_list_of_which_the_rest_cannot_be_read_keeps_what_is_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = copies_of_sample(tmp_path / "session.db", *(f"number-{n}" for n in range(30)))
    monkeypatch.setattr(databases, "AT_ONCE", 5)

    def fails(*names: str) -> databases.Listed:
        raise databases.UnreadableFile("session.db was written to while it was read; try again.")

    monkeypatch.setattr(databases, "sessions_in", fails)

    async def play(app: ToolpairApp, pilot: Pilot[Any]) -> None:
        await until(pilot, lambda: "try again" in frame(app))
        assert "5 sessions" in frame(app)
        await until(pilot, lambda: frame(app).count("LOSES 1 OUTPUT") >= 5)

    drive(sessions(path), play, (120, 40))
