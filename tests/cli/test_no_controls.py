"""What a command prints never holds a control character of a session, wherever it is printed to."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from tests.cli.conftest import Run

_WORDS = "\x9b31mred \x85 \x7f \x1b]0;owned\x07 \u202e"
_CONTROLS = re.compile(rb"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]|\xc2[\x80-\x9f]")
COMMANDS = [
    "check FILE --show-content", "check FILE --output-format json --show-content", "check FILE --output-format sarif",
    "fix FILE --diff", "fix FILE --diff --output-format json --show-content", "sees FILE", "sees FILE --output-format json",
    "compare FILE", "diff FILE OTHER", "explain - FILE", "export FILE --to openai-chat", "export FILE --to anthropic",
    "report FILE -o OUT/report.html", "report FILE -o OUT/report.md", "excerpt FILE", "excerpt FILE --no-redact", "excerpt FILE --no-redact --issue",
    "excerpt DAMAGED --no-redact", "check DAMAGED --show-content", "fix DAMAGED --diff", "restore FILE", "check FOLDER --statistics",
]  # fmt: skip


@pytest.mark.parametrize("command", COMMANDS)
def test_none_is_printed_or_written(run: Run, tmp_path: Path, command: str) -> None:
    messages = [
        {"role": "user", "content": _WORDS},
        {
            "role": "assistant",
            "content": [{"type": "tool_use", "id": f"t{_WORDS}", "name": f"n{_WORDS}", "input": {_WORDS: _WORDS}}],
        },
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t2", "content": _WORDS}]},
    ]
    lines = "".join(json.dumps(one, ensure_ascii=False) + "\n" for one in messages)
    (tmp_path / "folder").mkdir()
    (tmp_path / "out").mkdir()
    places = {
        "FILE": tmp_path / "folder" / "session.jsonl",
        "OTHER": tmp_path / "folder" / "other.jsonl",
        "DAMAGED": tmp_path / "folder" / "damaged.jsonl",
        "FOLDER": tmp_path / "folder",
        "OUT": tmp_path / "out",
    }
    places["FILE"].write_text(lines)
    places["OTHER"].write_text(lines.replace("red", "blue"))
    places["DAMAGED"].write_text(lines + '{"role": "user", "content": "\x1b[31m \x9b1m\x00')
    for name, path in places.items():
        command = re.sub(rf"\b{name}\b", str(path), command)
    ran = run(*command.split(), stdin=f"400: `tool_use` ids were found {_WORDS}".encode())
    for data in (ran.raw, ran.err.encode(), *(path.read_bytes() for path in places["OUT"].iterdir())):
        found = _CONTROLS.search(data)
        assert found is None, data[max(found.start() - 80, 0) : found.end() + 20]
    assert ran.raw or ran.err or list(places["OUT"].iterdir())


def test_an_excerpt_means_the_same_without_them(run: Run, tmp_path: Path) -> None:
    """A control character that JSON may hold is escaped, so that what is read is the same."""
    path = tmp_path / "session.json"
    call = {"type": "tool_use", "id": "toolu_1", "name": "look", "input": {"at": "\x9b31m\x7f"}}
    messages = [
        {"role": "user", "content": "go"},
        {"role": "assistant", "content": [call]},
        {"role": "user", "content": "on"},
    ]
    path.write_text(json.dumps(messages, ensure_ascii=False))
    ran = run("excerpt", path, "--no-redact")
    assert call in json.loads(ran.raw)[1]["content"] and "as signs" not in ran.err
