"""Guesses are asked about, the counts agree, errors are told in words."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from textual import events
from textual.pilot import Pilot

from tests.tui.driving import array_file, drive, frame, lines_of, press
from toolpair.reports.page.files import report
from toolpair.tui.app import ToolpairApp
from toolpair.tui.controllers import working
from toolpair.tui.screens import pair_screen as main_module
from toolpair.tui.screens.confirm import ConfirmScreen
from toolpair.tui.screens.review import ReviewScreen


@pytest.fixture
def unsure(tmp_path: Path) -> Path:
    """Two calls and two results whose ids tell nothing."""
    calls = [{"type": "tool_use", "id": f"toolu_{n}", "name": "Bash", "input": {"command": f"cmd {n}"}} for n in "ab"]
    results = [{"type": "tool_result", "tool_use_id": f"toolu_{n}", "content": f"output {n}"} for n in "xy"]
    messages = [
        {"role": "user", "content": "go"}, {"role": "assistant", "content": calls},
        {"role": "user", "content": results}, {"role": "assistant", "content": "done"},
    ]  # fmt: skip
    path = tmp_path / "unsure.json"
    path.write_text(json.dumps(messages, indent=1))
    return path


def test_space_on_a_guess_asks(unsure: Path) -> None:
    async def play(app: ToolpairApp, pilot: Pilot[Any]) -> None:
        shown = frame(app)
        assert "perhaps answered" in shown and "no result anywhere" not in shown
        problem = app.overview.current
        assert problem is not None and problem.guess
        await press(pilot, "space")
        assert isinstance(app.screen, ConfirmScreen) and not app.session.changed
        shown = frame(app)
        assert (
            "3 the safe way" in shown
            and "1 link toolu_x    2 link toolu_y" in shown
            and "output x" in shown
            and "output y" in shown
            and "command  cmd " in shown
        )
        await press(pilot, "enter", "escape")
        assert not app.session.changed
        await press(pilot, "space", "1")
        assert len(app.session.staged) == 1
        assert app.session.staged[0].fix_ids[0].startswith("link")
        await press(pilot, "u")

        orphan = next(p for p in app.session.problems if p.rule == "result.orphan")
        app.overview.current = orphan
        await press(pilot, "f", "enter")
        assert app.session.staged[0].fix_ids == ("keep-as-text",), "other ways open on the recommended one"

    drive(unsure, play, (100, 30))


@pytest.fixture
def elsewhere(tmp_path: Path) -> Path:
    """A call without a result, whose id stands in a text."""
    messages = [
        {"role": "user", "content": "go"},
        {"role": "assistant", "content": [{"type": "tool_use", "id": "toolu_one_1", "name": "Bash", "input": {}}]},
        {"role": "user", "content": "toolu_one_1 printed: all is well"},
    ]
    path = tmp_path / "elsewhere.json"
    path.write_text(json.dumps(messages, indent=1))
    return path


def test_why_no_fix_is_recommended_is_said_where_it_is_left(elsewhere: Path) -> None:
    why = "Its id also stands in message 2, where its output may be."

    async def play(app: ToolpairApp, pilot: Pilot[Any]) -> None:
        assert f"No safe fix: {why} f shows the other ways." in " ".join(frame(app).split())
        await press(pilot, "A")
        assert "1 left for you" in frame(app) and "guess" not in frame(app)

    drive(elsewhere, play, (160, 40))
    for form in ("html", "markdown"):
        assert why in report(elsewhere, form=form)  # type: ignore[call-overload]


def test_the_card_counts_as_the_head_does(broken: Path, sound: Path, samples: Path) -> None:
    for path in [broken, sound, *sorted(samples.glob("*.json")), *sorted(samples.glob("*.jsonl"))][::3]:

        async def play(app: ToolpairApp, pilot: Pilot[Any]) -> None:
            verdict, seen = app.session.conversation.verdict, []
            for _ in app.overview.walk:
                await press(pilot, "right_square_bracket")
                assert app.overview.current is not None
                seen.append((app.overview.current.severity, app.overview.index.number(app.overview.current)))
            assert sum(severity == "error" for severity, _ in seen) == verdict.errors
            assert ("Problem 1 of" in frame(app)) <= bool(verdict.errors)
            assert app.overview.index.causes == verdict.causes

        drive(path, play)


def test_going_to_an_error_speaks_of_it_in_words(broken: Path) -> None:
    async def play(app: ToolpairApp, pilot: Pilot[Any]) -> None:
        error = "messages.3: `tool_use` ids were found without `tool_result` blocks immediately after: toolu_nothere. "
        rest = "Each `tool_use` block must have a corresponding `tool_result` block in the next message."
        await press(pilot, "at")
        app.post_message(events.Paste(error + rest))
        await pilot.pause()
        await press(pilot, "enter")
        shown = frame(app)
        assert re.search(r"\bANT\d", shown) is None and "The id toolu_nothere is not in this file" in shown

    drive(broken, play, (200, 40))


@pytest.mark.parametrize("size", [(72, 24), (80, 24), (120, 40)], ids=str)
def test_the_card_names_bytes_rule_and_the_words_of_the_api(broken: Path, size: tuple[int, int]) -> None:
    async def play(app: ToolpairApp, pilot: Pilot[Any]) -> None:
        await press(pilot, "right_square_bracket", "right_square_bracket")
        shown = frame(app)
        assert app.overview.current is not None and app.overview.current.api_says
        assert "p exact bytes" in shown and "The API would say: " in shown
        if size[0] >= 110:
            assert "result.missing" in shown

    drive(broken, play, size)


@pytest.mark.parametrize("size", [(40, 10), (60, 16)], ids=str)
def test_a_narrow_head_keeps_state_and_hint(tmp_path: Path, size: tuple[int, int]) -> None:
    path = array_file(tmp_path / ("long-name-" * 8 + ".json"), 20, mismatched={5, 6}, missing={8})

    async def play(app: ToolpairApp, pilot: Pilot[Any]) -> None:
        lines = lines_of(app)
        assert "…" in lines[0] and lines[0].rstrip().endswith("nothing changed")
        assert any("A fix" in line for line in lines[:4])

    drive(path, play, size)


def test_a_long_change_is_announced(broken: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(working, "MANY_MESSAGES", 1)
    said: list[str] = []
    say = main_module.PairScreen.say
    monkeypatch.setattr(main_module.PairScreen, "say", lambda self, note: (said.append(note), say(self, note))[1])

    async def play(app: ToolpairApp, pilot: Pilot[Any]) -> None:
        await press(pilot, "A")
        await pilot.pause()
        assert isinstance(app.screen, ReviewScreen)
        await press(pilot, "space", "space")
        await pilot.pause()
        assert app.session.changed
        await press(pilot, "escape", "u", "space")
        await pilot.pause()
        assert app.session.changed

    drive(broken, play)


def test_the_way_back_is_a_command(tmp_path: Path) -> None:
    path = array_file(tmp_path / "my session's.json", 4, mismatched={1})

    async def play(app: ToolpairApp, pilot: Pilot[Any]) -> None:
        await press(pilot, "A", "enter")
        assert "copy the command" not in frame(app)

    told = drive(path, play).result.lines
    assert any(line.endswith("'\"'\"'s.json' --backup latest") for line in told)
    assert any("1 ×" in line for line in told)
