"""Fixtures of the interface: in colour unless a test says otherwise, and without animation."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.formats.claude_code_files import Log, call, text
from tests.tui.driving import array_file


@pytest.fixture(autouse=True)
def plain_terminal(pinned_environment: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.delenv("COLORFGBG", raising=False)
    monkeypatch.setenv("TEXTUAL_ANIMATIONS", "none")


@pytest.fixture
def broken(tmp_path: Path) -> Path:
    """20 pairs: 5, 6 and 12 have another id on the result, 8 has no result."""
    return array_file(tmp_path / "broken.json", 20, mismatched={5, 6, 12}, missing={8})


@pytest.fixture
def sound(tmp_path: Path) -> Path:
    return array_file(tmp_path / "sound.json", 6)


@pytest.fixture
def native(tmp_path: Path) -> Path:
    """A session that loses outputs: of ten calls the third and the fifth have other ids on their results, the eighth
    has none.
    """
    log = Log()
    log.user("u", "go")
    for n in range(10):
        id_ = f"functions_read_{n}"
        log.says(f"a{n}", f"m{n}", {**call(id_), "input": {"command": f"echo {n} \\\n  | sort"}})
        if n == 7:
            log.user(f"r{n}", "go on", parent="last")
            continue
        log.result(f"r{n}", f"a{n}", f"functions.read:{n}" if n in (2, 4) else id_, f"first line of {n}\nsecond line")
    log.says("end", "m-end", text("done"))
    path = tmp_path / "mine.jsonl"
    path.write_text("".join(json.dumps(value) + "\n" for value in log.values))
    return path
