"""Statistics: what is counted, where each number leads, and that long ones never hold up a key."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot

from tests.history.opening import both
from tests.rounds import some
from tests.session_folders import claude_session
from tests.tui.driving import SIZES, drive, frame, lines_of, press
from toolpair.history.statistics import Statistics, statistics_of
from toolpair.session.session import open_session
from toolpair.tui.app import ToolpairApp
from toolpair.tui.screens.pair_screen import PairScreen
from toolpair.tui.screens.statistics import StatisticsScreen


def tool(name: str, id_: str, output: str, failed: bool = False) -> list[Any]:
    call = {"type": "tool_use", "id": id_, "name": name, "input": {"path": f"{name} {id_}"}}
    result = {"type": "tool_result", "tool_use_id": id_, "content": output, **({"is_error": True} if failed else {})}
    return [{"role": "assistant", "content": [call]}, {"role": "user", "content": [result]}]


@pytest.fixture
def mixed(tmp_path: Path) -> Path:
    of: list[Any] = [{"role": "user", "content": "go on then"}]
    of += [one for n in range(4) for one in tool("Read", f"r{n}", "x" * 100)]
    of += tool("Bash", "b0", "é" * 3_000) + tool("Bash", "b1", "no", failed=True) + tool("mcp__a", "m", "")
    of.append({"role": "assistant", "content": [{"type": "text", "text": "Done."}]})
    path = tmp_path / "mixed.json"
    path.write_text(json.dumps(of))
    return path


def test_what_is_counted(mixed: Path) -> None:
    found = statistics_of(open_session(mixed).conversation)
    assert {one.name: (one.calls, one.failed, one.output_bytes) for one in found.tools} == {
        "Bash": (2, 1, 6_002), "Read": (4, 0, 400), "mcp__a": (1, 0, 0),
    }  # fmt: skip
    assert (found.calls, found.failed, found.messages, found.seconds, found.usage) == (7, 1, 16, None, None)
    assert found.shares["outputs"] == 6_402 and found.shares["you"] == 10 and found.shares["agent"] == 5
    assert [(one.bytes, one.pair) for one in found.largest[:2]] == [(6_000, 4), (100, 0)]


def test_times_and_tokens_of_records_that_have_them(tmp_path: Path) -> None:
    path = claude_session(tmp_path, pairs=3)
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    usage = {"input_tokens": 7, "cache_read_input_tokens": 1_000, "output_tokens": 5}
    next(line for line in reversed(lines) if line["type"] == "assistant")["message"]["usage"] = usage
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    found = statistics_of(open_session(path).conversation)
    assert found.usage is not None and (found.usage.context, found.usage.written) == (1_012, 5)
    assert found.seconds == len(lines) - 1 and found.tools[0].seconds == 3 and found.tools[0].timed == 3


@pytest.mark.parametrize("least", [1, 24])
def test_a_long_history_counts_as_the_whole(tmp_path: Path, least: int) -> None:
    data = claude_session(tmp_path, pairs=40).read_bytes()
    whole, long = both(data, "claude-code", None, least)
    assert long.conversation.fixes_are_local
    expected = statistics_of(whole.conversation)
    seen: list[int] = []

    def on_progress(result: Any, messages: int) -> None:
        assert isinstance(result(), Statistics)
        seen.append(messages)

    assert statistics_of(long.conversation, on_progress) == expected
    assert seen == sorted(seen) and seen[-1] == expected.messages


@pytest.mark.parametrize("size", some(SIZES, 2))
@pytest.mark.parametrize("ascii", [False, True])
def test_the_screen_at_every_size(mixed: Path, size: tuple[int, int], ascii: bool) -> None:
    async def play(app: ToolpairApp, pilot: Pilot[Any]) -> None:
        await press(pilot, "S")
        shown = frame(app)
        assert "7 calls, 1 failed" in shown and "outputs" in shown and "largest outputs" in shown
        assert "Bash" in lines_of(app)[2] and "6.0 KB" in lines_of(app)[2]
        assert all(len(line) <= size[0] for line in lines_of(app))
        assert not ascii or shown.replace("é", "").isascii()

    drive(mixed, play, size, ascii=ascii)


def test_tools_are_sorted_and_copied_and_enter_shows_their_pairs_or_an_output(mixed: Path) -> None:
    async def play(app: ToolpairApp, pilot: Pilot[Any]) -> None:
        await press(pilot, "S", "j", "enter")
        assert isinstance(app.screen, PairScreen) and " · 4 rows (esc)" in frame(app) and "call · tool:" in frame(app)
        assert "mcp__a" not in frame(app) and "Read r0" in frame(app)
        await press(pilot, "S", "tab", "enter")
        assert isinstance(app.screen, PairScreen) and "filter" not in lines_of(app)[3]
        row = app.screen.pairs.row
        assert row is not None and row.pair is not None and row.pair.index == 4

        await press(pilot, "S", "l")
        assert "tool ↓" in frame(app) and lines_of(app)[2].startswith("▌Bash")
        await press(pilot, "l")
        assert "calls ↓" in frame(app) and lines_of(app)[2].startswith("▌Read")
        await press(pilot, "y")
        assert "copied" in frame(app) and app.clipboard.splitlines()[1] == "Bash,2,1,0,,38,6002"
        await press(pilot, "q")
        assert isinstance(app.screen, PairScreen)

    drive(mixed, play)


def test_an_empty_history(tmp_path: Path) -> None:
    path = tmp_path / "hello.json"
    path.write_text('[{"role": "user", "content": "Hello"}]')

    async def play(app: ToolpairApp, pilot: Pilot[Any]) -> None:
        await press(pilot, "S")
        assert "0 calls" in frame(app)
        await press(pilot, "enter", "tab", "enter", *"jkhlGgy", "tab")
        assert isinstance(app.screen, StatisticsScreen)

    drive(path, play)
