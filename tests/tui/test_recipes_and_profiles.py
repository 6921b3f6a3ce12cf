"""Judging by other providers and mending by a recipe, from the main screen."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot

from tests.tui.driving import array_file, drive, frame, press
from toolpair.recipes import RECIPES
from toolpair.rules.profiles import profile, profile_names
from toolpair.session.session import open_session
from toolpair.tui.app import ToolpairApp


@pytest.fixture
def broken(tmp_path: Path) -> Path:
    return array_file(tmp_path / "history.json", 6, mismatched={2}, missing={4})


SAMPLES = Path(__file__).parents[2] / "sample_sessions"


async def until(app: ToolpairApp, pilot: Pilot[Any], words: str) -> str:
    """The frame as soon as it says `words`."""
    for _ in range(200):
        shown = frame(app)
        if words in shown:
            return shown
        await pilot.pause(0.02)
    raise AssertionError(f"never shown: {words}\n{frame(app)}")


async def counted(app: ToolpairApp, pilot: Pilot[Any]) -> dict[str, str]:
    """What the list of profiles says of each of them, once all are counted."""
    for _ in range(400):
        lines = [line[1:] for line in frame(app).splitlines()]
        rows = {line.split()[0]: line for line in lines if line.split() and line.split()[0] in profile_names()}
        if len(rows) == len(profile_names()) and not any("…" in row.split(None, 2)[1] for row in rows.values()):
            return rows
        await pilot.pause(0.02)
    raise AssertionError(frame(app))


def test_each_profile_says_how_many_problems_it_finds(broken: Path) -> None:
    async def play(app: ToolpairApp, pilot: Pilot[Any]) -> None:
        await press(pilot, "P")
        rows = await counted(app, pilot)
        for id_, row in rows.items():
            errors = app.session.conversation.by(profile(id_)).verdict.errors
            assert (f"{errors} problem" if errors else "no problems") in row or "warning" in row
        assert "now" in rows["anthropic"] and "now" not in rows["mistral"]
        assert app.session.profile.id == "anthropic", "looking changes nothing"

    drive(broken, play, (120, 80))


def test_the_title_of_the_profile_under_the_cursor_is_never_cut(broken: Path) -> None:
    async def play(app: ToolpairApp, pilot: Pilot[Any]) -> None:
        await press(pilot, "P", "G", "up")
        assert profile("lm-studio/text-only").title in frame(app) and "check against this one" in frame(app)

    drive(broken, play, (80, 24))


def test_a_switch_to_mistral_asks_for_ids_of_nine_and_gets_them(broken: Path) -> None:
    async def play(app: ToolpairApp, pilot: Pilot[Any]) -> None:
        down = list(profile_names()).index("mistral")
        await press(pilot, "P", *["j"] * down, "enter")
        shown = await until(app, pilot, "checked against Mistral")
        assert "does not accept the id" in shown
        await press(pilot, "A")
        await until(app, pilot, "Review")
        await press(pilot, "enter")
        ids = re.findall(r'"(?:id|tool_use_id)": "([^"]*)"', broken.read_text())
        assert ids and all(re.fullmatch("[A-Za-z0-9]{9}", id_) for id_ in ids)

    drive(broken, play)


def test_an_agents_session_says_by_whose_rules_it_is_judged_otherwise() -> None:
    async def play(app: ToolpairApp, pilot: Pilot[Any]) -> None:
        assert "checked against" not in frame(app).splitlines()[0]
        down = list(profile_names()).index("moonshot")
        await press(pilot, "P", *["j"] * down, "enter")
        await until(app, pilot, "checked against Moonshot")
        assert "checked against Moonshot" in frame(app).splitlines()[0]

    drive(SAMPLES / "sanitised-on-one-side.json", play, (100, 30))


def test_a_recipe_and_what_it_loses_are_shown_before_it_is_applied(broken: Path) -> None:
    before = broken.read_bytes()

    async def play(app: ToolpairApp, pilot: Pilot[Any]) -> None:
        await press(pilot, "M")
        shown = await until(app, pilot, "no error is left")
        assert "give the result the call's id" in shown and "loses nothing" in shown
        await press(pilot, "q")
        assert not app.session.staged and not app.session.changed

        recipes = [recipe.name for recipe in RECIPES.values()]
        await press(pilot, "M", *["j"] * (recipes.index("docker-agent") + 1))
        shown = await until(app, pilot, "Compared with what is sent now")
        assert "1 output (" in shown, "what it loses is measured"
        await press(pilot, "enter")
        shown = await until(app, pilot, "Review")
        assert re.search(r"user words removed +1 output \(\d+ bytes\)", shown)
        assert re.search(r"model sees +█+ 5 +\S+ +4/5, 2 placeholders", shown), "what is lost is still counted"
        mended = app.session.to_bytes()
        await press(pilot, "x", "x")
        assert app.session.to_bytes() == mended
        assert "included again" in frame(app) and "cannot" not in frame(app) and "[ ]" not in frame(app)

    drive(broken, play, (100, 40))
    assert broken.read_bytes() == before


def test_a_copy_of_another_system_is_one_decision(broken: Path) -> None:
    expected = open_session(broken)
    expected.stage_recipe("roo-code")
    mended = expected.to_bytes()

    async def play(app: ToolpairApp, pilot: Pilot[Any]) -> None:
        recipes = [recipe.name for recipe in RECIPES.values()]
        await press(pilot, "M")
        await until(app, pilot, "docker-agent")
        # The recipe that can cut ids stands there twice.
        await press(pilot, *["j"] * (recipes.index("roo-code") + 1))
        await until(app, pilot, "What roo-code would do")
        await until(app, pilot, "Here it would")
        await press(pilot, "enter")
        shown = await until(app, pilot, "Review")
        assert "do as Roo Code's validateAndFixToolResultIds" in shown
        await press(pilot, "x")
        assert not app.session.changed and "[ ]" in frame(app)
        await press(pilot, "x")
        assert app.session.to_bytes() == mended and "[x]" in frame(app)
        await press(pilot, "escape", "u")
        assert not app.session.changed
        await press(pilot, "ctrl+r", "w", "enter")

    drive(broken, play, (100, 40))
    assert broken.read_bytes() == mended
    assert json.loads(mended)


def test_the_preview_can_be_read_to_its_end_and_is_plain_where_it_is_asked_for(broken: Path) -> None:
    async def play(app: ToolpairApp, pilot: Pilot[Any]) -> None:
        await press(pilot, "M", "G")
        shown = await until(app, pilot, "Compared with what")
        assert shown.isascii() and "tab read on below" in shown and "What the default does instead" not in shown
        assert "Fix with a recipe: nothing is written yet" in shown
        await press(pilot, "tab", "G")
        shown = frame(app)
        assert "What the default does instead" in shown and "tab back to the list" in shown
        await press(pilot, "enter")
        assert "do as docker-agent's" in await until(app, pilot, "Review")
        await press(pilot, "escape", "u", "space", "M")
        assert "Fix the rest with a recipe" in frame(app)

    drive(broken, play, ascii=True)
