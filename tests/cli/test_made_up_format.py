"""A new agent is a folder and a line: what knows sessions, commands and pages knows it then."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests import made_up_format
from tests.cli.conftest import Run
from toolpair import formats


@pytest.fixture
def heron(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Path]:
    """Heron's one line in the registry, and its folder of sessions."""
    monkeypatch.setitem(sys.modules, "toolpair.formats.heron", made_up_format)
    monkeypatch.setattr(formats, "FORMATS", (*formats.FORMATS, "heron:FORMAT"))
    monkeypatch.setenv("HOME", str(tmp_path))
    formats.by_id.cache_clear()
    (tmp_path / ".heron").mkdir()
    yield tmp_path / ".heron"
    formats.by_id.cache_clear()


def _call(id_: str) -> dict[str, Any]:
    return {"role": "assistant", "content": [{"type": "tool_use", "id": id_, "name": "run", "input": {"at": id_}}]}


def _result(id_: str) -> dict[str, Any]:
    return {"role": "user", "content": [{"type": "tool_result", "tool_use_id": id_, "content": f"output of {id_}"}]}


LOST = [
    {"heron": "1.0", "folder": "/home/you/shop"},
    {"role": "user", "content": "Run both."},
    _call("toolu_one"),
    _result("toolu_one"),
    _call("toolu_two"),
    {"role": "user", "content": "And?"},
]


def _written(path: Path, records: list[dict[str, Any]]) -> Path:
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    return path


def test_its_sessions_are_found_read_judged_and_fixed(heron: Path, run: Run) -> None:
    path = _written(heron / "s1.jsonl", LOST)
    (found,) = run("check", path, "--output-format", "json").json["files"]
    assert found["format"] == "heron" and found["counts"]["calls"] == 2
    (problem,) = found["problems"]
    assert problem["rule"] == "result.missing" and problem["severity"] == "error"
    before = path.read_bytes()
    assert run("fix", path, "--in-place").code == 0
    assert path.read_bytes().startswith(before[: before.index(b'{"role": "user", "content": "And?"}')])
    assert run("check", path).code == 0
    assert run("fix", path, "--in-place").code == 0


def test_what_it_sends_is_shown(heron: Path, run: Run) -> None:
    path = _written(heron / "s1.jsonl", LOST)
    shown = run("sees", path).out
    assert "toolu_two" in shown and "Heron" in shown


def test_it_is_in_the_lists(heron: Path, run: Run) -> None:
    _written(heron / "s1.jsonl", LOST)
    assert "Heron" in run("sessions").out
    assert "heron  Heron" in run("formats").out


def test_a_damaged_line_is_what_its_folder_says(heron: Path, run: Run) -> None:
    path = _written(heron / "s1.jsonl", LOST[:4])
    path.write_bytes(path.read_bytes() + b'{"role": "assist')
    (found,) = run("check", path, "--output-format", "json").json["files"][0]["problems"]
    assert found["rule"] == "record.torn" and found["severity"] == "warning"
    assert "Heron skips it" in run("check", path).out
