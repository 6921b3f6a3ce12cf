"""`V` in the interface: it asks first, tells what the agent sends now and after the fixes, and escape ends it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot

from tests.proof.conftest import program
from tests.tui.driving import drive, frame, press
from toolpair.tui.app import ToolpairApp

_THREADS = ("search", "work", "prove")


def test_the_agent_is_asked(session: Path, home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lines = session.read_text().splitlines()
    session.write_text("\n".join([lines[0], lines[1], lines[3]]) + "\n")
    program(tmp_path, "whole")
    monkeypatch.setenv("PATH", str(tmp_path))

    async def play(app: ToolpairApp, pilot: Pilot[Any]) -> None:
        await press(pilot, "V")
        assert "What Claude Code really sends" in frame(app) and "resumes a copy" in frame(app)
        assert not (tmp_path / "seen.json").exists()
        app.screen.seen_since = 0.0
        await press(pilot, "enter", names=_THREADS)
        assert "now: Claude Code sends" in frame(app) and "after 1 fix: Claude Code sends" in frame(app)
        await press(pilot, "escape")
        assert "really sends" not in frame(app) and not app.session.changed

    drive(session, play)
    assert not list(home.rglob("*claude*")) and json.loads((tmp_path / "seen.json").read_text())["env"]["HOME"]


def test_escape_ends_it(session: Path, home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program(tmp_path, "hangs")
    monkeypatch.setenv("PATH", str(tmp_path))

    async def play(app: ToolpairApp, pilot: Pilot[Any]) -> None:
        await press(pilot, "V")
        app.screen.seen_since = 0.0
        await press(pilot, "V")
        assert "asking Claude Code" in frame(app)
        await press(pilot, "escape")
        await press(pilot, names=_THREADS)
        assert "really sends" not in frame(app)

    drive(session, play)


def test_why_it_cannot_be_asked(session: Path, home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path / "nothing"))

    async def play(app: ToolpairApp, pilot: Pilot[Any]) -> None:
        await press(pilot, "V")
        assert "Claude Code is not installed here" in frame(app)

    drive(session, play)
