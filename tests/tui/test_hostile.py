"""Whatever a transcript holds, the terminal gets Textual's own sequences and nothing else."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot

from tests.rounds import ROUNDS, some
from tests.tui.driving import Recorder, array_file, drive, frame, lines_of, press
from toolpair.tui.app import ToolpairApp

HOSTILE = {
    "escape": "\x1b[2J\x1b[31mred",
    "clipboard": "\x1b]52;c;ZXZpbA==\x07",
    "link": "\x1b]8;;https://evil.example\x1b\\click\x1b]8;;\x1b\\",
    "title": "\x1b]0;evil\x07",
    "c1": "\x9b2J\x9d52;c;ZXZpbA==\x9c",
    "bidi": "\u202eevil\u2066\u2069\u200f",
    "zero-width": "a\u200b\u2060\ufeff\u00adb",
    "markup": "[/] [/b] [@click=app.quit]x[/] [bold]",
    "surrogate": "\ud800 \udfff",
    "separators": "a\u2028b\u2029c\x85d",
    "tags": "\U000e0041\U000e0042",
    "controls": "".join(map(chr, range(32))) + "\x7f",
    "marks": "e" + "\u0301" * 500,
    "wide": "漢字😀👩\u200d👩\u200d👧" * 30,
}
OWN = re.compile(r"\x1b(?:\[[0-9;?<>=$ ]*[A-Za-z]|\][0-9]+;[^\x07\x1b]*(?:\x07|\x1b\\)|P[^\x1b]*\x1b\\|[=>78])")


TOGETHER = ("escape clipboard bidi link markup", "tags title surrogate marks c1", "separators zero-width controls wide")
"""Each of several is at the front of something that is shown."""


@pytest.mark.parametrize("names", [*TOGETHER, *(HOSTILE if ROUNDS else ())])
def test_nothing_raw_leaves(tmp_path: Path, names: str) -> None:
    strings = [HOSTILE[name] for name in names.split()]
    evil, *others = (strings * 5)[:5]
    path = array_file(
        tmp_path / "evil.json", 4, mismatched={1}, missing={2},
        output="".join((others[0], *strings)), tool=f"T{others[1]}{evil}", text=others[2] + evil, suffix=evil + others[0],
        argument=others[3] + evil + "{n}",
    )  # fmt: skip

    async def play(app: ToolpairApp, pilot: Pilot[Any]) -> None:
        await press(
            pilot, "l", "enter", "l", "l", "z", "v", "O", "enter", "vertical_line", "escape", "f", "j", "escape"
        )
        await press(pilot, "enter", "slash", f"text:{evil[:9]}" if evil.isprintable() else "text:e", "enter", "n", "q")
        await press(pilot, "p", "O", "vertical_line", "l", "escape", "y", "escape")
        await press(
            pilot, "j", "k", "g", "y", "1", "a", "escape", "A", "p", "escape", "escape", "slash", "text:evil", "enter"
        )
        await app.workers.wait_for_complete()
        assert app.is_running
        lines = lines_of(app)
        assert len(lines) == 24

    app = drive(path, play, recorder=True)
    assert isinstance(app._driver, Recorder) or app._driver is None
    written = "".join(RECORDED)
    assert written
    # What the user copied is the one OSC 52, and it is base64.
    rest = OWN.sub("", written)
    assert not re.search("[\x00-\x09\x0b\x0c\x0e-\x1f\x7f-\x9f]", rest), ascii(rest[:200])
    assert not re.search("[\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\xad\ud800-\udfff\U000e0000-\U000e0fff]", rest)
    for sequence in OWN.findall(written):
        assert not sequence.startswith(("\x1b]0;", "\x1b]8;"))
        if sequence.startswith("\x1b]52;"):
            assert re.fullmatch(r"\x1b\]52;c;[A-Za-z0-9+/=]*\x07", sequence) and "ZXZpbA" not in sequence


RECORDED: list[str] = []


@pytest.fixture(autouse=True)
def recording(monkeypatch: pytest.MonkeyPatch) -> None:
    RECORDED.clear()
    monkeypatch.setattr(Recorder, "write", lambda self, data: RECORDED.append(data))


def test_odd_values_in_the_place_of_ids_and_contents(tmp_path: Path) -> None:
    messages = [
        {"role": "user", "content": None},
        {"role": "assistant", "content": [
            {"type": "tool_use", "id": 5, "name": None, "input": "x"},
            {"type": "tool_use", "id": None, "name": ["a"], "input": None},
            {"type": "tool_use", "id": "", "name": "", "input": {}},
        ]},
        {"role": "user", "content": [
            {"type": "tool_result", "tool_use_id": {"a": 1}, "content": 7},
            {"type": "tool_result", "content": [{"type": "image"}, None]},
        ]},
    ]  # fmt: skip
    path = tmp_path / "odd.json"
    path.write_text(json.dumps(messages))

    async def play(app: ToolpairApp, pilot: Pilot[Any]) -> None:
        for key in ("j", "k", "enter", "escape", "f", "escape", "p", "escape", "A", "escape", "l", "enter", "escape"):
            await press(pilot, key)
        assert app.is_running

    drive(path, play)


HUGE = 1_000_000 if ROUNDS else 100_000


@pytest.mark.parametrize(
    "output", ["x" * HUGE, "漢" * HUGE, "line of text\n" * (2 * HUGE // 5)], ids=["line", "wide", "lines"]
)
def test_huge_outputs(tmp_path: Path, output: str) -> None:
    path = array_file(tmp_path / "big.json", 3, mismatched={1}, output=output)

    async def play(app: ToolpairApp, pilot: Pilot[Any]) -> None:
        await press(pilot, "l", "enter", "G", "ctrl+b", "z", "greater_than_sign", "z", "g", "escape", "p", "escape")
        assert "Problem 1" in frame(app)

    drive(path, play)


def test_no_color_is_told_by_shapes(broken: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")

    async def play(app: ToolpairApp, pilot: Pilot[Any]) -> None:
        assert app.no_color
        shown = frame(app)
        assert "≠" in shown and "▌" in shown and "^" in shown
        await press(pilot, "j")

    drive(broken, play, recorder=True)
    colours = re.findall(r"\x1b\[(?:[0-9;]*;)?38;2;(\d+);(\d+);(\d+)", "".join(RECORDED))
    assert all(r == g == b for r, g, b in colours)


@pytest.mark.parametrize("size", some([(80, 24), (60, 20), (120, 40)], 1))
def test_ascii_draws_nothing_else(broken: Path, size: tuple[int, int]) -> None:
    async def play(app: ToolpairApp, pilot: Pilot[Any]) -> None:
        for key in ("j", "l", "question_mark", "escape", "f", "escape", "p", "escape", "enter", "escape", "a", "escape",
                    "ctrl+p", "escape", "at", "escape", "y", "escape", "A", "enter"):  # fmt: skip
            await press(pilot, key)
            shown = "\n".join(lines_of(app))
            assert shown.isascii(), (key, [c for c in shown if not c.isascii()][:5])

    drive(broken, play, size, ascii=True)


def test_a_screenshot(broken: Path) -> None:
    from toolpair.tui.screenshot import screenshot

    svg = screenshot(broken, (80, 24), ["j"])
    assert svg.startswith("<svg") and "font-variant-ligatures: none" in svg
