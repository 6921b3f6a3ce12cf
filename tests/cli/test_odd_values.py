"""Odd values that were seen to end in a traceback, each where it hurt."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import Run
from tests.hostile.sessions import chat, claude_code, codex, written
from tests.rounds import some
from toolpair.session.session import open_session


def laid_down(path: Path, name: str, value: Any) -> Path:
    path.write_bytes(written(name, value))
    return path


@pytest.mark.parametrize(
    "folder", ["/a\0b", "/home/\ud800", "/home/dev\n", "-rf", "", 7, ["/"], {"a": 1}, None], ids=ascii
)
def test_the_folder_of_a_session(run: Run, tmp_path: Path, folder: Any) -> None:
    """Whoever works in it is looked for after a save, which stands whatever that finds."""
    records = claude_code()
    for record in records:
        if "cwd" in record:
            record["cwd"] = folder
    path = laid_down(tmp_path / "session.jsonl", "claude-code", records)
    before = path.read_bytes()
    ran = run("fix", path, "--in-place")
    assert ran.code in (0, 1, 4) and "Written to" in ran.err
    assert path.read_bytes() != before
    assert run("check", path).code in (0, 1)


@pytest.mark.parametrize("parent", [{"a": None}, [{"type": "text"}], "\ud83d"], ids=ascii)
def test_the_parent_of_a_record(run: Run, tmp_path: Path, parent: Any) -> None:
    """Ids are renamed in what hangs on a call: the recipes that rename do so without a look at what is no id."""
    for number in some(range(len(claude_code())), 4):
        records = claude_code()
        if "parentUuid" in records[number]:
            records[number]["parentUuid"] = parent
            path = laid_down(tmp_path / f"{number}.jsonl", "claude-code", records)
            assert run("compare", path).code in (0, 1)


def test_half_characters_in_ids(run: Run, tmp_path: Path) -> None:
    """New uuids are made of old ones."""
    records = json.loads(json.dumps(claude_code()).replace('"a3"', '"a3\\ud83d"').replace("toolu_2", "toolu\\ud800_2"))
    path = laid_down(tmp_path / "session.jsonl", "claude-code", records)
    assert run("compare", path).code in (0, 1)
    assert run("fix", path, "--in-place").code in (0, 1, 4)
    rollout = json.loads(json.dumps(codex()).replace("fc_1", "fc_\\ud800").replace("call_5", "call_\\udc00"))
    path = laid_down(tmp_path / "rollout.jsonl", "codex", rollout[:-2])
    assert run("compare", path).code in (0, 1) and run("sees", path).code == 0


def test_a_duration_beyond_every_number(tmp_path: Path) -> None:
    records = codex()
    for record in records:
        if record["payload"].get("type") == "item_completed":
            record["payload"]["item"]["duration"]["secs"] = 10**400
    assert open_session(laid_down(tmp_path / "rollout.jsonl", "codex", records)).problems


def test_calls_beside_an_empty_list_of_contents(tmp_path: Path) -> None:
    messages = chat()
    messages[2]["content"] = []
    session = open_session(laid_down(tmp_path / "chat.json", "chat", messages))
    session.stage_recommended()
    calls = json.loads(session.to_bytes())[2]["tool_calls"]
    assert [call["id"] for call in calls] == ["call_1", "call_2"] and not session.left
