"""Screens that only look: what the model sees, the lines of the file, and originals that a save has kept."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot

from tests.conftest import SAMPLES
from tests.formats.claude_code_files import Log, call
from tests.reports.recorded_requests import recording
from tests.tui.driving import array_file, drive, frame, press
from toolpair.session.session import Session
from toolpair.tui.app import ToolpairApp


def test_what_would_be_sent_is_shown_before_and_after_the_fixes(tmp_path: Path) -> None:
    path = array_file(tmp_path / "a.json", 3, missing=[1])

    async def play(app: ToolpairApp, pilot: Pilot[Any]) -> None:
        await press(pilot, "m")
        assert "It is not known which program sends this history" in frame(app)
        assert "call Read src/0.py" in frame(app) and "import os" in frame(app)
        await press(pilot, "q", "space", "m")
        assert "[after saving]" in frame(app) and "No result was recorded" in frame(app)
        await press(pilot, "h")
        assert "[now]" in frame(app) and "No result was recorded" not in frame(app)

    drive(path, play, (100, 40))


def test_two_keys_walk_through_the_requests_in_time(tmp_path: Path) -> None:
    path = array_file(tmp_path / "a.json", 4, mismatched=[1])

    async def play(app: ToolpairApp, pilot: Pilot[Any]) -> None:
        await press(pilot, "m", ".")
        assert ", goes to the requests before" in frame(app) and ", . walk in time" in frame(app)
        await press(pilot, ",")
        shown = frame(app)
        assert "[request 4 of 4]" in shown and "3 calls with their results" not in shown
        assert "Request 4, answered in line" in shown and "as modelled: the messages" in shown
        assert "2 calls with their results. Since the request before: 1 more (Read)." in shown
        assert "✗ This result has a different id from its call, Read." in shown
        assert "the first broken request is 3" in shown and "[ where it broke" in shown
        await press(pilot, "[")
        shown = frame(app)
        assert "[request 3 of 4]" in shown and "✗ new: This result" in shown
        assert "request 3: the first broken one" in shown
        await press(pilot, ",", ",", ",")
        assert "[request 1 of 4]" in frame(app) and "this is the first request" in frame(app)
        assert "0 calls with their results." in frame(app) and "now run the tests" in frame(app)
        await press(pilot, ".", ".", ".", ".")
        assert "[as sent]" in frame(app) and "It is not known which program" in frame(app)
        await press(pilot, "l", "l", ",")
        assert "[request 4 of 4]" in frame(app), "from another page, too"

    drive(path, play)


def test_a_request_that_the_agent_recorded_is_shown_as_it_was(tmp_path: Path) -> None:
    path = tmp_path / "0a1b.jsonl"
    path.write_bytes(recording().to_bytes())

    async def play(app: ToolpairApp, pilot: Pilot[Any]) -> None:
        await press(pilot, "m", ",", ",")
        shown = frame(app)
        assert "[request 2 of 3]" in shown and "as Claude Code recorded it." in shown
        assert "after toolu_1" in shown, "the reminder that only the request had"
        assert "2 calls with their results. Since the request before: 2 more (Bash)." in shown
        assert "nothing broke in any request" in shown

    drive(path, play, (100, 40))


def test_what_is_not_known_of_earlier_requests_is_said(tmp_path: Path) -> None:
    path = shutil.copy(SAMPLES / "openclaw-cut-history.db", tmp_path / "a.db")

    async def play(app: ToolpairApp, pilot: Pilot[Any]) -> None:
        for key in ("m", ",", ",", "]"):
            await press(pilot, key)
            assert "[as sent]" in frame(app)
            assert key == "m" or "sent of this file before now is not known" in frame(app)

    drive(Path(path), play, (120, 40))


def test_every_line_has_its_scope(tmp_path: Path) -> None:
    path = array_file(tmp_path / "a.json", 2)

    async def play(app: ToolpairApp, pilot: Pilot[Any]) -> None:
        await press(pilot, "m", "l", "l")
        assert frame(app).count(" active ") == 5

    drive(path, play)


def test_an_original_is_put_back_from_the_screen(tmp_path: Path) -> None:
    path = array_file(tmp_path / "a.json", 2, mismatched=[1])
    original = path.read_bytes()

    async def play(app: ToolpairApp, pilot: Pilot[Any]) -> None:
        await press(pilot, "R")
        assert "no original of this file has been kept" in frame(app)
        await press(pilot, "space", "w", "enter", "enter")
        mended = path.read_bytes()
        assert mended != original
        await press(pilot, "R", "enter")
        assert "Restore a.json.toolpair-" in frame(app) and path.read_bytes() == mended
        await press(pilot, "enter")
        assert path.read_bytes() == original
        assert "1 problem" in frame(app), "the interface goes on with what the file holds now"

    app = drive(path, play)
    assert any("kept as" in line for line in app.result.lines)


def test_a_file_that_grows_is_followed(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    begun = {"type": "tool_use", "id": "toolu_1", "name": "Bash", "input": {"command": "make"}}
    result = {"type": "tool_result", "tool_use_id": "toolu_1", "content": "built"}
    lines = [
        {"role": "user", "content": "go"},
        {"role": "assistant", "content": [begun]},
        {"role": "user", "content": [result]},
        {"role": "assistant", "content": "done"},
    ]
    texts = [json.dumps(line) + "\n" for line in lines]
    path.write_text("".join(texts[:2]), encoding="utf-8")

    async def play(app: ToolpairApp, pilot: Pilot[Any]) -> None:
        await press(pilot, "F")
        assert "built" not in frame(app)
        with path.open("a", encoding="utf-8") as file:
            file.write("".join(texts[2:]))
        for _ in range(100):
            await pilot.pause(0.1)
            if "built" in frame(app):
                break
        assert "built" in frame(app) and "All 1 calls" not in frame(app)
        assert "2 records added: 1 result" in frame(app)
        await press(pilot, "F")
        assert "stopped following" in frame(app)

    drive(path, play, (120, 40))


def test_who_works_with_the_file_is_said_at_opening(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = array_file(tmp_path / "a.json", 1)
    warning = "Claude Code is running in ~/shop (pid 4121) with the old history: quit it first."
    monkeypatch.setattr(Session, "look_around", lambda self: (warning,))

    async def play(app: ToolpairApp, pilot: Pilot[Any]) -> None:
        await app.workers.wait_for_complete()
        await pilot.pause()
        assert "! Claude Code is running in ~/shop (pid 4121)" in frame(app)

    drive(path, play, (120, 40))


def test_another_branch_is_looked_at_and_left_again(tmp_path: Path) -> None:
    path = tmp_path / "session.jsonl"
    log = Log(step=10)
    log.user("u1", "begin")
    for number, way in enumerate(("left", "right"), 2):
        log.user(f"u{number}", f"go {way}", parent="u1")
        log.says(f"a{number}", f"msg_{number}", call(f"toolu_{number}"))
        log.result(f"r{number}", f"a{number}", f"toolu_{number}", f"{way} output")
    path.write_text("".join(json.dumps(value) + "\n" for value in log.values), encoding="utf-8")

    async def play(app: ToolpairApp, pilot: Pilot[Any]) -> None:
        assert "right output" in frame(app) and "left output" not in frame(app)
        await press(pilot, "b")
        assert "go left" in frame(app) and "go right" in frame(app)
        await press(pilot, "2")
        assert "left output" in frame(app) and "right output" not in frame(app)
        await press(pilot, "b", "1")
        assert "right output" in frame(app) and "left output" not in frame(app)

    drive(path, play, (120, 40))
