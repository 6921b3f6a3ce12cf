"""`y`: the request that produced the turn under the cursor, copied as a body."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from textual.pilot import Pilot

import toolpair
from tests.reports import one_of_everything as everything
from tests.reports.recorded_requests import recording
from tests.tui.driving import drive, frame, press
from tests.tui.test_main_screen import main_screen
from toolpair.tui.app import ToolpairApp
from toolpair.tui.controllers import request_copy


async def choose(pilot: Pilot[Any], label: str) -> None:
    """Open the copy menu and choose the entry that begins so."""
    await press(pilot, "y")
    entries = pilot.app.screen._entries  # type: ignore[attr-defined]
    number = next(number for number, entry in enumerate(entries, 1) if label in entry.label)
    await press(pilot, str(number))


async def copied(app: ToolpairApp, pilot: Pilot[Any]) -> str:
    for _ in range(200):
        if "making the request" not in frame(app):
            break
        await pilot.pause(0.02)
    return app.clipboard


def test_the_request_of_the_call_under_the_cursor(tmp_path: Path) -> None:
    path = tmp_path / "session.jsonl"
    made = recording()
    path.write_bytes(made.to_bytes())

    async def play(app: ToolpairApp, pilot: Pilot[Any]) -> None:
        await press(pilot, "G")
        row = main_screen(app).pairs.row
        assert row is not None and row.pair is not None and row.pair.call is not None and row.pair.call.id == "toolu_3"
        await choose(pilot, "the request that produced this turn")
        assert "as it was sent" in frame(app)
        await press(pilot, "1")
        assert json.loads(await copied(app, pilot))["messages"] == made.sent[2]["messages"]
        assert "the request of turn 3 of 3" in frame(app)

    drive(path, play)


def test_another_api_and_what_it_cannot_carry(tmp_path: Path) -> None:
    path = tmp_path / "body.json"
    path.write_text(json.dumps(everything.anthropic()))

    async def play(app: ToolpairApp, pilot: Pilot[Any]) -> None:
        await choose(pilot, "the request that produced this turn")
        await press(pilot, "2")
        body = json.loads(await copied(app, pilot))
        assert body == toolpair.export(everything.anthropic(), to="openai-chat", turn=1).body
        assert "notes: " in frame(app)

    drive(path, play)


def test_a_body_that_is_too_long_is_not_cut_but_named(tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.setattr(request_copy, "MOST", 10)
    path = tmp_path / "body.json"
    path.write_text(json.dumps(everything.anthropic()))

    async def play(app: ToolpairApp, pilot: Pilot[Any]) -> None:
        await choose(pilot, "the request that produced this turn")
        await press(pilot, "1")
        assert await copied(app, pilot) == ""
        assert "too long to copy" in frame(app) and "--to anthropic" in frame(app)

    drive(path, play, size=(200, 40))
