"""Times beside the rows: what the file says and nothing else, in columns that leave when there is no room."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot

from tests.history.opening import judged_by
from tests.rounds import some
from tests.session_folders import claude_session, line
from tests.tui.driving import at_rest, drive, frame, lines_of, press
from toolpair.history.row_times import RowTimes
from toolpair.session.session import open_session
from toolpair.tui.app import ToolpairApp
from toolpair.tui.layout import SPACIOUS
from toolpair.tui.screens.pair_screen import PairScreen
from toolpair.tui.timeline import took_text

SAMPLES = Path(__file__).resolve().parents[2] / "sample_sessions"
SESSION = "7c3e1b2a-0d1f-4c57-9f0e-2f9a3a1c7e11"


@pytest.fixture(autouse=True)
def utc(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("TZ", "UTC")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


def records(calls: list[tuple[str, str, str | None, list[str]]]) -> bytes:
    """A Claude Code session. A call: its tool, when it was made and answered, the outputs of it and its siblings."""
    out: list[dict[str, Any]] = []

    def record(kind: str, at: str | None, **message: Any) -> None:
        number = len(out) + 1
        made = {
            "parentUuid": out[-1]["uuid"] if out else None, "isSidechain": False, "type": kind,
            "uuid": f"{number:08x}-0000-4000-8000-000000000000", "cwd": "/home/dev/shop", "sessionId": SESSION,
            "version": "2.1.329", "message": message,
        }  # fmt: skip
        out.append(made if at is None else {**made, "timestamp": at})

    record("user", calls[0][1] or None, role="user", content="go on then")
    for n, (tool, begun, ended, outputs) in enumerate(calls):
        usage = {"input_tokens": 10, "output_tokens": 1_234 + n}
        content = [
            {"type": "tool_use", "id": f"toolu_{n}_{m}", "name": tool, "input": {"command": f"make {n}"}}
            for m in range(len(outputs))
        ]
        for one in content:
            record("assistant", begun or None, id=f"msg_{n}", role="assistant", content=[one], usage=usage)
        if ended is None:
            continue
        for m, output in enumerate(outputs):
            result = {"type": "tool_result", "tool_use_id": f"toolu_{n}_{m}", "content": output}
            record("user", ended or None, role="user", content=[result])
    return b"".join(map(line, out))


@pytest.fixture
def timed(tmp_path: Path) -> Path:
    path = tmp_path / f"{SESSION}.jsonl"
    path.write_bytes(
        records([
            ("Bash", "2026-11-21T23:58:01.000Z", "2026-11-21T23:58:01.250Z", ["one"]),
            ("Read", "2026-11-21T23:59:00.000Z", "2026-11-22T00:01:40.000Z", ["two", "three"]),
            ("Bash", "2026-11-22T00:02:00.000Z", "2026-11-22T00:02:00.000Z", ["4 " * 2_000]),
            ("Bash", "2026-11-22T00:05:00.000Z", None, ["never"]),
        ])
    )  # fmt: skip
    return path


NAMES = [" at", " took", " tokens", "─ size"]


def row_with(app: ToolpairApp, words: str) -> str:
    return next(line.rstrip(" ┃─━") for line in lines_of(app) if words in line)


def main_screen(app: ToolpairApp) -> PairScreen:
    return next(screen for screen in app.screen_stack if isinstance(screen, PairScreen))


def test_each_row_shows_when_and_how_long_and_its_tokens(timed: Path) -> None:
    async def play(app: ToolpairApp, pilot: Pilot[Any]) -> None:
        before = await at_rest(pilot, app)
        await press(pilot, "t")
        title = row_with(app, "took")
        assert title.endswith("tokens") and title.count(" at ") == 1
        assert row_with(app, "go on then").endswith("21 Nov 23:58"), "the day stands where it begins"
        assert row_with(app, "Bash make 0").endswith("    23:58:01 ▊            0.2 s   1,234")
        assert row_with(app, "│ two").endswith("    23:59:00 ██████▊   2 m 40 s   1,235")
        assert row_with(app, "│ three").endswith("    23:59:00 ██████▊   2 m 40 s"), (
            "the tokens of a response are counted once"
        )
        assert row_with(app, "Bash make 2").endswith("22 Nov 00:02 ▏            0.0 s   1,236")
        assert row_with(app, "│ ┄┄").endswith("    00:05:00                      1,237"), "nothing is estimated"
        assert {len(line) for line in lines_of(app)} == {120}
        await press(pilot, "t")
        assert await at_rest(pilot, app) == before

        view = main_screen(app).pairs
        await press(pilot, "t", "g")
        y = next(n for n, line in enumerate(lines_of(app)) if "│ one" in line)
        x = lines_of(app)[y].index("│")
        for at, side in ((x + 1, "result"), (x - 1, "call"), (110, "result")):
            await pilot.click(offset=(at, y))
            await pilot.pause()
            assert view.side == side and view.row is not None and view.row.result is not None, "the cell clicked on"

    drive(timed, play, (120, 40))


@pytest.mark.parametrize(("size", "columns"), some([((200, 60), 4), ((139, 40), 3), ((110, 24), 3), ((80, 24), 2), ((72, 20), 2), ((71, 20), 0), ((40, 10), 0)], 4))  # fmt: skip
def test_the_columns_leave_when_there_is_no_room(timed: Path, size: tuple[int, int], columns: int) -> None:
    async def play(app: ToolpairApp, pilot: Pilot[Any]) -> None:
        if size[0] >= SPACIOUS:
            await press(pilot, "t")
            assert "21 Nov 23:58" not in frame(app), "there they are shown unasked"
        await press(pilot, "t", "g")
        shown = frame(app)
        titles = "\n".join(lines_of(app)[:6]).replace("-", "─")
        assert [name for name in NAMES if name in titles] == NAMES[:columns]
        assert ("21 Nov 23:58" in shown) == bool(columns)
        assert {len(line) for line in lines_of(app)} == {size[0]}
        if not columns:
            await press(pilot, "t", "t")
            assert "from 72 columns" in frame(app)

    drive(timed, play, size)
    drive(timed, play, size, ascii=True)


def test_the_columns_come_and_go_with_the_size(timed: Path) -> None:
    async def play(app: ToolpairApp, pilot: Pilot[Any]) -> None:
        await press(pilot, "t")
        for width, shown in ((60, False), (90, True), (71, False), (130, True)):
            await pilot.resize_terminal(width, 24)
            await pilot.pause()
            assert ("0.2 s" in frame(app)) == shown, width
            assert {len(line) for line in lines_of(app)} == {width}

    drive(timed, play)


def test_a_file_without_times_says_so(sound: Path, tmp_path: Path) -> None:
    async def play(app: ToolpairApp, pilot: Pilot[Any]) -> None:
        before = lines_of(app)[3:15]
        await press(pilot, "t")
        assert "does not say when" in frame(app) and "took" not in frame(app)
        assert lines_of(app)[3:15] == before and not app.shows_times

    drive(sound, play)
    bare = tmp_path / "bare.jsonl"
    bare.write_bytes(records([("Bash", "", "", ["one"])] * 3))
    drive(bare, play)


def test_times_stay_for_what_is_opened_next_and_for_filtered_rows(timed: Path) -> None:
    async def play(app: ToolpairApp, pilot: Pilot[Any]) -> None:
        await press(pilot, "t", "S", "q", "A", "escape", "u")
        assert "23:58:01" in frame(app) and "took" in frame(app)
        app.open_sessions.show(open_session(timed), keep=1)
        await press(pilot, "g")
        assert "23:58:01" in frame(app)

        await press(pilot, "ampersand", "text:tool:Bash", "enter")
        assert row_with(app, "Bash make 0").count("21 Nov 23:58") == 1, "the day where it changes among what is shown"
        assert row_with(app, "Bash make 2").count("22 Nov 00:02") == 1
        assert "    00:05:00" in row_with(app, "│ ┄┄")

    drive(timed, play)


def test_tokens_that_a_later_record_counts(tmp_path: Path) -> None:
    values = [json.loads(line) for line in (SAMPLES / "codex-killed.jsonl").read_bytes().splitlines()]
    outputs = [n for n, value in enumerate(values) if value["payload"].get("type") == "function_call_output"]
    count = {"type": "token_count", "info": {"last_token_usage": {"total_tokens": 900, "output_tokens": 77}}}
    values.insert(outputs[1] + 1, {**values[outputs[1]], "type": "event_msg", "payload": count})
    path = tmp_path / "rollout.jsonl"
    path.write_bytes(b"".join(map(line, values)))
    conversation = open_session(path).conversation
    times = RowTimes(conversation)
    tokens = [times.tokens(row) for row in conversation.rows if row.pair is not None]
    assert [n for n, count in enumerate(tokens) if count is not None] == [3] and tokens[3] == 77


@pytest.mark.parametrize("least", [1, 3])
def test_windows_say_the_same_times(timed: Path, least: int) -> None:
    def facts(make: Callable[[], Any]) -> list[Any]:
        conversation = make().conversation
        times = RowTimes(conversation)
        return [(times.written(row), times.seconds(row), times.tokens(row)) for row in conversation.rows]

    def in_windows() -> Any:
        with judged_by(least):
            return open_session(timed)

    assert facts(in_windows) == facts(lambda: open_session(timed))


def test_only_rows_in_view_are_asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / f"{SESSION}.jsonl"
    path.write_bytes(records([("Bash", "2026-11-21T08:00:00Z", "2026-11-21T08:00:01Z", ["ok"])] * 600))
    asked: list[int] = []
    read = RowTimes._read
    monkeypatch.setattr(RowTimes, "_read", lambda times, uid: (asked.append(uid), read(times, uid))[1])

    async def play(app: ToolpairApp, pilot: Pilot[Any]) -> None:
        assert not asked
        await press(pilot, "t", "G", "g", "ctrl+d", "j", "j")
        assert 0 < len(asked) < 400

    drive(path, play)


@pytest.mark.parametrize("seconds", [0, 0.04, 9.96, 59.6, 61, 3599, 3600, 86_399, 90_000, 360_000, 9_999_999])
def test_durations_fit_their_column(seconds: float) -> None:
    assert len(took_text(seconds)) <= 9


def test_odd_times_are_blank_or_shown_and_never_fail(timed: Path) -> None:
    stamps: list[Any] = ["0001-01-01T00:00:00", "9999-12-31T23:59:59Z", "yesterday", 12, None, {"a": 1}]
    sound = ("Bash", "2026-11-21T08:00:00Z", "2026-11-21T08:00:01Z", ["ok"])
    values = [json.loads(line) for line in records([sound] * 2 * len(stamps)).splitlines()]
    for n, stamp in enumerate(stamps):
        values[1 + 4 * n]["timestamp"] = stamp
    timed.write_bytes(b"".join(map(line, values)))

    async def play(app: ToolpairApp, pilot: Pilot[Any]) -> None:
        await press(pilot, "t", "g")
        assert "took" in frame(app) and all(f"Bash make {2 * n}" in frame(app) for n in range(len(stamps)))
        assert {len(line) for line in lines_of(app)} == {80}

    drive(timed, play, (80, 40))


def test_a_column_that_nothing_is_known_for_is_left_out(tmp_path: Path) -> None:
    async def play(app: ToolpairApp, pilot: Pilot[Any]) -> None:
        title = next(line for line in lines_of(app) if " at " in line)
        assert " took" in title and title.endswith("size─") and "tokens" not in title

    drive(claude_session(tmp_path / ".claude"), play, (160, 45))
