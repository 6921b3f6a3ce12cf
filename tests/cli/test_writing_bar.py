"""The bar of a long save: on a terminal alone, and gone when it is done."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Run
from toolpair.cli import progress

BROKEN = [
    {"role": "user", "content": "go"},
    {"role": "assistant", "content": [{"type": "tool_use", "id": "toolu_1", "name": "run", "input": {}}]},
    {"role": "user", "content": "and?"},
]


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "history.json"
    path.write_text(json.dumps(BROKEN))
    return path


COMMANDS = (["fix", "{}", "-o", "{}.out"], ["fix", "{}", "--in-place"], ["restore", "{}", "--backup", "latest"])


def test_a_bar_on_a_terminal(file: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progress, "_PATIENCE", 0.0)
    monkeypatch.setattr(progress, "can_draw", lambda stream: True)
    for command in COMMANDS:
        ran = run(*(word.format(file) for word in command))
        drawn, *rest = ran.err.split("\x1b[2K")
        assert drawn.startswith("writing ") and "history.json" in drawn and "%" in drawn, command
        assert "writing" not in rest[-1], "it is taken away before anything else is said"


def test_none_in_a_pipe(file: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progress, "_PATIENCE", 0.0)
    for command in COMMANDS:
        assert "\x1b" not in run(*(word.format(file) for word in command)).err
