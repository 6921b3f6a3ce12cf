"""Keys are shown once, are found by searching, and mean one thing on every screen."""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot

from tests.tui.driving import drive, frame, lines_of, press
from toolpair.tui.app import ToolpairApp
from toolpair.tui.keys import GROUPS, key_names
from toolpair.tui.screens.pair_screen import PairScreen
from toolpair.tui.widgets.line_list import LineList

MAIN = " ] next  u undo  w review and save  @ paste an error  / find  ? all keys  q quit"
REVIEW = " enter save    s save a copy    p exact diff    x exclude one    esc back"


def test_key_lines_help_and_palette_say_what_the_keys_do(broken: Path) -> None:
    async def play(app: ToolpairApp, pilot: Pilot[Any]) -> None:
        assert lines_of(app)[-1].rstrip() == MAIN

        await press(pilot, "question_mark")
        assert "restore an original" in frame(app) or "suspend" not in frame(app)
        await press(pilot, "slash", "text:suspend", "enter")
        assert "suspend; fg in the shell" in frame(app), "help is searched as any text is"
        await press(pilot, "slash", "text:nowhere", "enter")
        assert "not found: nowhere" in frame(app)
        await press(pilot, "q")
        assert isinstance(app.screen, PairScreen)

        await press(pilot, "ctrl+p")
        entries = [entry.label for entry in app.screen._shown]  # type: ignore[attr-defined]
        assert len(entries) == len(set(entries)) > 15, "the palette says nothing twice"
        await press(pilot, "text:all keys")
        assert [entry.label for entry in app.screen._shown] == ["all keys"]  # type: ignore[attr-defined]
        assert app.screen.query_one(LineList).cursor == 0
        await press(pilot, "enter")
        assert "In the review" in frame(app) or "Problems and fixes" in frame(app)

        await press(pilot, "escape", "p")
        assert "what differs" in frame(app), "a diff is shown by p on every screen"
        await press(pilot, "escape", "A")
        assert lines_of(app)[-1].rstrip() == REVIEW
        await press(pilot, "p")
        assert "All changes" in frame(app)

    drive(broken, play)


def test_without_a_problem_no_key_leads_to_the_next_one(sound: Path) -> None:
    async def play(app: ToolpairApp, pilot: Pilot[Any]) -> None:
        assert lines_of(app)[-1].startswith(" enter open  / find")

    drive(sound, play)


def test_help_says_nothing_twice(broken: Path) -> None:
    shown = [(key.keys, key.label) for group in GROUPS for key in group.keys if key.listed]
    labels = [label for _, label in shown]
    assert len(set(shown)) == len(shown) and len(set(labels)) == len(labels)
    actions: dict[tuple[str, str], int] = defaultdict(int)
    for group in GROUPS:
        for key in group.keys:
            if key.listed and group.id not in ("saved", "picker"):  # there a key does to a save what it did to a fix
                actions[key.keys, key.action] += 1
    assert [key for key, count in actions.items() if count > 1] == []

    async def play(app: ToolpairApp, pilot: Pilot[Any]) -> None:
        await press(pilot, "question_mark")
        lines = [line.strip("│▕ ") for line in lines_of(app)]
        for keys, label in shown:
            line = f"{key_names(keys):<16} {label}"
            assert lines.count(line) == 1, line

    drive(broken, play, (120, 160))


@pytest.mark.parametrize("size", [(80, 24), (120, 40)])
def test_a_decision_is_excluded_by_x_alone(broken: Path, size: tuple[int, int]) -> None:
    """`space` fixes and goes on: typed ahead of the review it must not take anything back."""

    async def play(app: ToolpairApp, pilot: Pilot[Any]) -> None:
        await press(pilot, "A")
        staged = app.session.staged
        await press(pilot, "space")
        assert app.session.staged == staged and "[ ]" not in frame(app)
        await press(pilot, "x")
        assert len(app.session.staged) == len(staged) - 1 and "excluded" in frame(app)
        await press(pilot, "x")
        assert len(app.session.staged) == len(staged) and "[ ]" not in frame(app)

    drive(broken, play, size)
