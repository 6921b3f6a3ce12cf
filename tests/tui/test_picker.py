"""The list of sessions: what it shows, what is typed into it, and the way to a session and back."""

from __future__ import annotations

import asyncio
import os
import re
import threading
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot

from tests.patience import PATIENCE
from tests.rounds import some
from tests.session_folders import claude_session, codex_session, set_age
from tests.tui.driving import SIZES, at_rest, frame, lines_of
from tests.tui.driving import press as press_keys
from toolpair.formats.agent import FoundSession
from toolpair.session.session import open_session
from toolpair.shell.machine import Machine
from toolpair.tui import content_search, picker_checks
from toolpair.tui.app import ToolpairApp
from toolpair.tui.content_search import ContentSearch
from toolpair.tui.picker_checks import Checked, Glimpse, Mark, ProcessJudge
from toolpair.tui.picker_text import haystack
from toolpair.tui.picker_worker import glimpse_of, said_in, verdict_on
from toolpair.tui.screens import picker
from toolpair.tui.screens.pair_screen import PairScreen
from toolpair.tui.screens.picker import PickerScreen
from toolpair.tui.screens.review import ReviewScreen
from toolpair.tui.session_list import Sessions
from toolpair.tui.widgets.row_list import RowList

SHOP = "/home/dev/shop"


class DirectJudge:
    """Judges at once, in the same process, and keeps the order in which it was asked."""

    def __init__(self) -> None:
        self.asked: list[str] = []
        self.closed = False

    def judge(self, path: str) -> Mark:
        self.asked.append(path)
        return verdict_on(path)

    def glimpse(self, path: str) -> Glimpse | None:
        return glimpse_of(path)

    def find(self, path: str, words: str) -> str | None:
        return said_in(path, words)

    def close(self) -> None:
        self.closed = True


class NeverJudge(DirectJudge):
    def __init__(self) -> None:
        super().__init__()
        self._end = threading.Event()

    def judge(self, path: str) -> Mark:
        self.asked.append(path)
        self._end.wait(PATIENCE)
        return None

    def close(self) -> None:
        super().close()
        self._end.set()


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """Four sessions: two of /home/dev/shop, one of another folder, one that cannot be read; the newest is elsewhere."""
    claude = tmp_path / ".claude"
    set_age(claude_session(claude, SHOP, "11111111-0000-4000-8000-000000000000"), 10)
    set_age(claude_session(claude, "/home/dev/ブログ", "22222222-0000-4000-8000-000000000000", missing=1), 40)
    set_age(codex_session(tmp_path / ".codex", 1, SHOP, "mend the build"), 20)
    bad = claude / "projects" / "-home-dev-x" / "33333333-0000-4000-8000-000000000000.jsonl"
    bad.parent.mkdir()
    bad.write_bytes(b"\x7fELF" * 400)
    set_age(bad, 30)
    return tmp_path


def sessions(home: Path, judge: Callable[[], DirectJudge] = DirectJudge) -> Sessions:
    return Sessions(open_session, Machine("linux", {}, home), SHOP, judge)


def drive(
    of: Sessions, play: Callable[[ToolpairApp, Pilot[Any]], Awaitable[None]], size: tuple[int, int] = (80, 24)
) -> ToolpairApp:
    async def run() -> ToolpairApp:
        app = ToolpairApp(None, sessions=lambda: of)
        async with app.run_test(size=size) as pilot:
            await pilot.pause()
            await play(app, pilot)
        return app

    return asyncio.run(run())


async def until(pilot: Pilot[Any], true: Callable[[], bool]) -> None:
    for _ in range(400):
        if true():
            await still(pilot)
            if true():
                return
        await pilot.pause(0.01)
    raise AssertionError(frame(pilot.app))  # type: ignore[arg-type]


async def still(pilot: Pilot[Any]) -> None:
    """A preview that arrives moves the lines around it, which are drawn anew one after the other."""
    app, shown = pilot.app, ""
    for _ in range(100):
        if not isinstance(app, ToolpairApp) or not app.is_running or shown == (shown := frame(app)):
            return
        await pilot.pause(0.01)


async def press(pilot: Pilot[Any], *keys: str) -> None:
    await press_keys(pilot, *keys)
    await still(pilot)


def rows(app: ToolpairApp) -> list[str]:
    shown = app.screen.query_one(RowList).region
    return [line for line in lines_of(app)[shown.y : shown.bottom] if line.strip()]


def test_those_of_this_folder_come_first_with_all_that_tells_them(home: Path) -> None:
    async def play(app: ToolpairApp, pilot: Pilot[Any]) -> None:
        await until(pilot, lambda: "1 PROBLEM" in frame(app))
        shown = rows(app)
        # The Codex rollout is of this folder and newer, so it stands first.
        assert "Codex" in shown[0] and SHOP in shown[0] and "mend the build" in shown[0]
        assert "Claude Code" in shown[1] and SHOP in shown[1] and "now run the tests" in shown[1]
        assert "1 PROBLEM" in shown[2] and "dev/ブログ" in shown[2]
        assert shown[1].lstrip("▌ ").startswith("READY TO RESUME")
        assert shown[3].lstrip("▌ ").startswith("NOT READABLE")
        assert re.search(r"\d (?:KB|MB|B)", shown[0])
        assert "4 sessions" in lines_of(app)[0]

    drive(sessions(home), play, (120, 40))


@pytest.mark.parametrize("size", some(SIZES, 2))
def test_each_line_fits(home: Path, size: tuple[int, int]) -> None:
    async def play(app: ToolpairApp, pilot: Pilot[Any]) -> None:
        from rich.cells import cell_len

        shown = ("1 PROBLEM", "now run", "Codex", "enter open", "ブログ")
        await until(pilot, lambda: all(words in frame(app) for words in shown))
        assert all(cell_len(line) == size[0] for line in lines_of(app))

    drive(sessions(home), play, size)


def test_marks_wait_for_their_turn_and_no_key_waits_for_them(home: Path) -> None:
    judges: list[NeverJudge] = []

    def judge() -> NeverJudge:
        judges.append(NeverJudge())
        return judges[-1]

    async def play(app: ToolpairApp, pilot: Pilot[Any]) -> None:
        await press(pilot, "down", "text:shop")
        assert len(rows(app)) == 2
        assert all("…" in row[:4] for row in rows(app))
        await press(pilot, "enter")
        await until(pilot, lambda: isinstance(app.screen, PairScreen))
        await until(pilot, lambda: judges[0].closed)

    drive(sessions(home, judge), play)
    assert len(judges[0].asked) == 1


def test_the_newest_are_judged_first_and_the_big_ones_last(home: Path) -> None:
    with codex_session(home / ".codex", 2, SHOP).open("ab") as big:
        big.truncate(25_000_000)
    judge = DirectJudge()

    async def play(app: ToolpairApp, pilot: Pilot[Any]) -> None:
        await until(pilot, lambda: judge.closed)

    drive(sessions(home, lambda: judge), play)
    assert [os.path.getsize(path) > 20_000_000 for path in judge.asked] == [False] * 4 + [True]
    assert "rollout" in judge.asked[0] and "11111111" in judge.asked[1]


def test_every_word_of_the_filter_has_to_fit_and_esc_takes_it_off(home: Path) -> None:
    async def play(app: ToolpairApp, pilot: Pilot[Any]) -> None:
        await until(pilot, lambda: "1 PROBLEM" in frame(app))
        await press(pilot, "text:claude dev")
        assert len(rows(app)) == 2 and not any("Codex" in row for row in rows(app))
        assert "2 of 4" in frame(app)
        await press(pilot, "text: q")
        assert "No session matches. ctrl+f looks for it in what was said" in frame(app)
        await press(pilot, "escape")
        assert len(rows(app)) == 4 and app.is_running
        await press(pilot, "text:2222")
        assert len(rows(app)) == 1
        await press(pilot, "escape", "escape")
        assert not app.is_running

    drive(sessions(home), play)


def test_the_text_of_a_session_is_made_once_and_the_filter_runs_once_a_key(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However many sessions there are, and however many are judged meanwhile."""
    goes_on = threading.Event()
    texts: list[str] = []
    runs: list[str | None] = []

    class WaitingJudge(DirectJudge):
        def judge(self, path: str) -> Mark:
            assert goes_on.wait(PATIENCE)
            return super().judge(path)

    def text_of(found: Any, home: str) -> str:
        texts.append(found.path)
        return haystack(found, home)

    def run(self: PickerScreen, path: str | None) -> None:
        runs.append(path)
        filter_(self, path)

    judge, filter_ = WaitingJudge(), PickerScreen._filter
    monkeypatch.setattr(picker, "haystack", text_of)
    monkeypatch.setattr(PickerScreen, "_filter", run)

    async def play(app: ToolpairApp, pilot: Pilot[Any]) -> None:
        await press(pilot, "down", "text:d")
        texts.clear()
        runs.clear()
        await press(pilot, "text:ev")
        goes_on.set()
        await until(pilot, lambda: judge.closed)
        assert (texts, len(runs)) == ([], 2)
        await press(pilot, "text: !")
        assert any("ブログ" in row for row in rows(app))
        assert len(runs) == 4

    drive(sessions(home, lambda: judge), play)


def test_enter_opens_and_ctrl_o_comes_back_to_the_same_place(home: Path) -> None:
    async def play(app: ToolpairApp, pilot: Pilot[Any]) -> None:
        await until(pilot, lambda: "1 PROBLEM" in frame(app))
        await press(pilot, "end", "up", "up", "down", "home", "down", "down")
        assert rows(app)[2].startswith("▌")
        await press(pilot, "enter")
        await until(pilot, lambda: isinstance(app.screen, PairScreen))
        assert "1 PROBLEM" in frame(app)
        await press(pilot, "ctrl+o")
        assert isinstance(app.screen, PickerScreen)
        assert rows(app)[2].startswith("▌") and "1 PROBLEM" in rows(app)[2]
        await press(pilot, "home", "enter")
        await until(pilot, lambda: isinstance(app.screen, PairScreen))
        await press(pilot, "q")
        assert not app.is_running

    of = sessions(home)
    of.open = lambda path, **how: open_session(
        sorted((home / ".claude").rglob("2222*"))[0] if "rollout" in path else path, **how
    )
    drive(of, play)


def test_the_list_comes_and_goes_with_all_that_is_staged_and_discarding_it_is_asked_about(home: Path) -> None:
    async def play(app: ToolpairApp, pilot: Pilot[Any]) -> None:
        await press(pilot, "text:3333", "enter")
        await until(pilot, lambda: "is a program" in frame(app))
        assert isinstance(app.screen, PickerScreen), "what cannot be opened is said, and the list stays"
        await press(pilot, "escape")
        assert len(rows(app)) == 4

        await until(pilot, lambda: "1 PROBLEM" in frame(app))
        await press(pilot, "text:2222", "enter")
        await until(pilot, lambda: isinstance(app.screen, PairScreen))
        await press(pilot, "space")
        before = await at_rest(pilot, app)
        await press(pilot, "ctrl+o")
        assert isinstance(app.screen, PickerScreen) and "not saved" not in frame(app) and "esc back" in frame(app)
        await press(pilot, "text:claude", "escape", "escape")
        assert isinstance(app.screen, PairScreen) and await at_rest(pilot, app) == before and app.open_sessions.unsaved
        await press(pilot, "ctrl+o", "text:2222", "enter")
        assert isinstance(app.screen, PairScreen) and await at_rest(pilot, app) == before and app.open_sessions.unsaved

        await press(pilot, "ctrl+o", "text:3333", "enter")
        await pilot.pause(0.5)
        await press(pilot, "D")
        await until(pilot, lambda: "is a program" in frame(app))
        await press(pilot, "escape", "escape")
        assert isinstance(app.screen, PairScreen) and app.open_sessions.unsaved, "it takes nothing away"

        path = app.session.path
        await press(pilot, "ctrl+o", "text:1111", "enter")
        assert "1 fix is applied but not saved." in frame(app)
        await press(pilot, "escape")
        assert isinstance(app.screen, PickerScreen) and app.open_sessions.unsaved
        await press(pilot, "enter")
        await pilot.pause(0.5)
        await press(pilot, "w")
        assert isinstance(app.screen, ReviewScreen) and app.session.path == path
        await press(pilot, "escape", "ctrl+o", "text:1111", "enter")
        await pilot.pause(0.5)
        await press(pilot, "D")
        await until(pilot, lambda: isinstance(app.screen, PairScreen) and app.session.path != path)
        assert not app.open_sessions.unsaved

    drive(sessions(home), play)


def test_nothing_found_names_where_was_looked(tmp_path: Path) -> None:
    async def play(app: ToolpairApp, pilot: Pilot[Any]) -> None:
        text = frame(app)
        assert "No agent sessions were found on this machine." in text
        assert "Claude Code: ~/.claude/projects" in text and "Codex: ~/.codex/sessions" in text
        assert "toolpair FILE" in text
        await press(pilot, "enter", "down", "end")
        assert app.is_running

    drive(sessions(tmp_path), play)


def test_hostile_names_and_words_are_shown_and_obeyed_by_nothing(tmp_path: Path) -> None:
    folder = tmp_path / ".claude" / "projects" / "-x"
    folder.mkdir(parents=True)
    evil = "\x1b]0;own\x07\x1b[2J[bold]x[/bold]\u202e\n\r"
    good = (
        claude_session(tmp_path / "other", "/h" + evil).read_bytes().replace(b"now run", rb"[red]\u001b[31m\u202enow")
    )
    (folder / (os.fsdecode(b"a\xff") + "\x1b[2J\n\u202e.jsonl")).write_bytes(good)

    async def play(app: ToolpairApp, pilot: Pilot[Any]) -> None:
        await until(pilot, lambda: "READY TO RESUME" in frame(app))
        drawn = "".join(lines_of(app))
        assert not re.search("[\x00-\x1f\x7f-\x9f\u202e\udcff]", drawn)
        assert "[red]" in drawn
        await press(pilot, "enter")
        await until(pilot, lambda: isinstance(app.screen, PairScreen))

    drive(sessions(tmp_path), play)


def test_the_process_that_judges(home: Path) -> None:
    judge = ProcessJudge()
    found = [str(path) for name in ("1111", "2222", "3333") for path in (home / ".claude").rglob(name + "*.jsonl")]
    try:
        marks = [judge.judge(path) for path in [*found, os.fsdecode(b"/no/\xff\n.jsonl"), found[1]]]
        glimpse, said = judge.glimpse(found[1]), [judge.find(path, "OK 2") for path in found]
    finally:
        judge.close()
    sound, broken = Checked(0, "ready", "READY TO RESUME"), Checked(1, "loses", "RESUMES, 1 PROBLEM")
    assert marks == [sound, broken, None, None, broken] and said == ["ok 2", "ok 2", None]
    assert glimpse is not None and (glimpse.first, glimpse.last, glimpse.reply) == (
        "now run the tests",
        "go on",
        "Done.",
    )


def test_the_session_under_the_cursor_is_previewed_once_it_rests(home: Path) -> None:
    """It is read in a thread, in place of the one before."""
    goes_on = threading.Event()
    judges: list[SlowJudge] = []
    read: list[tuple[str, bool]] = []

    class SlowJudge(DirectJudge):
        def __init__(self) -> None:
            super().__init__()
            judges.append(self)

        def glimpse(self, path: str) -> Glimpse | None:
            read.append((path, threading.current_thread() is threading.main_thread()))
            if len(read) == 1:
                goes_on.wait(PATIENCE)
            return super().glimpse(path)

    async def play(app: ToolpairApp, pilot: Pilot[Any]) -> None:
        await until(pilot, lambda: len(read) == 1)
        assert " last  mend the build" in frame(app) and "reading …" in frame(app)
        await press(pilot, "end", "up")
        await until(pilot, lambda: "2222" in read[-1][0] and " first now run the tests" in frame(app))
        text = frame(app)
        assert len(read) == 2 and sum(judge.closed for judge in judges) >= 1
        assert (
            " last  go on" in text
            and " reply Done." in text
            and " RESUMES, 1 PROBLEM" in text
            and "1 problem." not in text
        )
        assert " 1 × nothing came back before the user's next words" in text
        goes_on.set()
        await press(pilot, "down")
        await until(pilot, lambda: " cannot be read" in frame(app))
        await press(pilot, "up")
        await until(pilot, lambda: " reply Done." in frame(app))
        assert len(read) == 3 and not any(in_ui for _, in_ui in read)

    drive(sessions(home, SlowJudge), play, (100, 40))


def test_what_was_said_is_found_as_the_sessions_are_read(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    claude_session(home / ".claude", "/home/dev/more", "44444444-0000-4000-8000-000000000000", pairs=9)
    monkeypatch.setattr(content_search, "LARGEST", 7_000)
    judges: list[FindingJudge] = []
    goes_on = threading.Event()

    class FindingJudge(DirectJudge):
        def __init__(self) -> None:
            super().__init__()
            self.found: list[str] = []
            judges.append(self)

        def find(self, path: str, words: str) -> str | None:
            while self.found and not self.closed and not goes_on.wait(0.01):
                pass
            self.found.append(path)
            time.sleep(0.11)
            return super().find(path, words) if not self.closed else None

    async def play(app: ToolpairApp, pilot: Pilot[Any]) -> None:
        await until(pilot, lambda: "1 PROBLEM" in frame(app))
        await press(pilot, "ctrl+f")
        assert "type what was said, then ctrl+f" in frame(app)
        await press(pilot, "text:OK  2", "ctrl+f")
        shown = ("1 found, 1 of 3 searched", "what was said", "esc end the search", "ok 2")
        await until(pilot, lambda: all(words in frame(app) for words in shown))
        assert len(rows(app)) == 1 and "ok 2" in rows(app)[0]
        goes_on.set()
        await until(pilot, lambda: "2 found ──" in frame(app) and ["ok 2" in row for row in rows(app)] == [True, True])
        assert "2 sessions of more than 7.0 KB are not searched" in frame(app)
        assert judges[-1].closed and len(judges[-1].found) == 3
        await press(pilot, "escape")
        assert len(rows(app)) == 5 and "5 sessions" in frame(app) and "last words" in lines_of(app)[2]
        await press(pilot, "text:no such words", "ctrl+f")
        await until(pilot, lambda: "No session says it. esc ends the search." in frame(app))
        goes_on.clear()
        await press(pilot, "backspace", "ctrl+f", "x")
        assert judges[-1].closed and "0 of 5" in frame(app)
        goes_on.set()
        await press(pilot, "escape", "text:ok 1", "ctrl+f")
        await until(pilot, lambda: "1 found ──" in frame(app))
        await press(pilot, "f1")
        first = lines_of(app).index(next(line for line in lines_of(app) if "In the list of sessions" in line))
        assert first < 4 and "find what was typed in what was said" in frame(app)
        await press(pilot, "escape", "enter")
        await until(pilot, lambda: "ok 1: match 1 of 1" in frame(app))

    drive(sessions(home, FindingJudge), play, (120, 40))


def test_a_session_that_takes_too_long_to_search_does_not_hold_the_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    slow, good = tmp_path / "slow.jsonl", tmp_path / "good.jsonl"
    slow.write_bytes(b'{"text":"' + b"\\" * 400_000 + b'y"}\n{"text":"the words"}\n')
    good.write_text('{"text":"here are \\\\x the words"}\n')
    words = "\\x the words"
    sessions = [
        FoundSession("claude-code", "Claude Code", str(path), path.stem, 0.0, path.stat().st_size)
        for path in (slow, good)
    ]
    judge = ProcessJudge()
    assert judge.find(str(good), words) == "here are \\x the words"
    monkeypatch.setattr(picker_checks, "FIND_LIMIT", 0.2)
    with pytest.raises(TimeoutError):
        judge.find(str(slow), words)
    monkeypatch.undo()

    class Found(DirectJudge):
        def find(self, path: str, words: str) -> str | None:
            if path == str(slow):
                raise TimeoutError
            return judge.find(path, words)

    class Here:
        stopped = False

        def run_in_ui(self, what: Callable[[], None]) -> None:
            what()

    search = ContentSearch(words, Found(), sessions)
    search.run(Here(), lambda: None)  # type: ignore[arg-type]
    judge.close()
    assert list(search.hits) == [str(good)] and search.done
    assert search.limits == "1 session took more than 20 s and was left out"


def test_broken_sessions_are_gone_to_and_shown_alone(home: Path) -> None:
    async def play(app: ToolpairApp, pilot: Pilot[Any]) -> None:
        await until(pilot, lambda: "…" not in "".join(line[:6] for line in rows(app)))
        broken = [line[1:] for line in rows(app) if not re.match(r"[▌ ] (READY|NOT)", line)]
        assert len(broken) == 2 and "WON'T RESUME" in broken[0] and "1 PROBLEM" in broken[1], broken
        seen = []
        for _ in range(3):
            seen += [line[1:] for line in rows(app) if line.startswith("▌")]
            await press(pilot, "right_square_bracket")
        assert seen == [broken[0], broken[1], broken[0]]
        await press(pilot, "left_square_bracket")
        assert [line[1:] for line in rows(app) if line.startswith("▌")] == broken[:1]
        await press(pilot, "exclamation_mark")
        assert [line[1:] for line in rows(app)] == broken
        await press(pilot, "escape")
        assert "4 sessions" in lines_of(app)[0]

    drive(sessions(home), play)


def test_where_nothing_is_known_to_be_broken_the_list_says_so(home: Path) -> None:
    async def play(app: ToolpairApp, pilot: Pilot[Any]) -> None:
        await press(pilot, "right_square_bracket")
        assert "no problems are known" in frame(app)

    drive(sessions(home, NeverJudge), play)


def test_the_list_has_heads_and_is_sorted_by_them(home: Path) -> None:
    def verdicts(app: ToolpairApp) -> list[str]:
        return [" ".join(line[2:18].split()) for line in rows(app)]

    async def play(app: ToolpairApp, pilot: Pilot[Any]) -> None:
        await until(pilot, lambda: "…" not in "".join(line[:6] for line in rows(app)))
        heads = lines_of(app)[2]
        assert heads.split() == ["verdict", "age", "agent", "folder", "last", "words", "size"]
        assert "NOT READABLE" in rows(app)[3] and rows(app)[0].index("Codex") == heads.index("agent")
        here = rows(app)[0]
        await press(pilot, "ctrl+s")
        assert "age ▾" in lines_of(app)[2] and "NOT READABLE" in rows(app)[1]
        await press(pilot, "ctrl+s")
        assert "size ▾" in lines_of(app)[2] and "31 KB" in rows(app)[0]
        await press(pilot, "ctrl+s")
        assert "verdict ▾" in lines_of(app)[2]
        assert verdicts(app) == ["WON'T RESUME", "1 PROBLEM", "READY TO RESUME", "NOT READABLE"]
        assert [line[1:] for line in rows(app) if line.startswith("▌")] == [here[1:]], "the cursor has stayed there"
        await press(pilot, "ctrl+s", "ctrl+s", "ctrl+s")
        assert rows(app)[0] == here and "▾" not in lines_of(app)[2]

    drive(sessions(home), play, (120, 24))
