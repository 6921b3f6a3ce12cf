"""A tool's name that a provider refuses is changed in the call, and in the result where that repeats it."""

from __future__ import annotations

from pathlib import Path

import pytest

from toolpair.session.session import open_session

REFUSED = "fs/read file"
SAMPLES = (
    "claude-code-branches.jsonl",
    "codex-killed.jsonl",
    "pi-lost-line.jsonl",
    "qwen-late-result.jsonl",
    "gemini-doubled.jsonl",
    "copilot-damaged-line.jsonl",
    "continue-cancelled.json",
    "cline-late-result.json",
    "sanitised-on-one-side.json",
    "reused-ids.json",
    "responses-request.json",
)


@pytest.mark.parametrize("name", SAMPLES)
def test_both_sides_get_the_new_name(name: str, samples: Path) -> None:
    plain = open_session(samples / name)
    tool = next(
        pair.call.name for pair in plain.conversation.pairs if pair.call is not None and pair.result is not None
    )
    assert tool is not None
    data = (samples / name).read_bytes().replace(f'"{tool}"'.encode(), f'"{REFUSED}"'.encode())
    session = open_session(name, data=data, format=plain.format.id)
    for _ in range(len(session.conversation.pairs)):
        found = next((problem for problem in session.problems if problem.rule == "name.pattern"), None)
        if found is not None:
            session.stage(found)
    again = open_session(name, data=session.to_bytes(), format=plain.format.id)
    assert session.staged and not session.staging.losses
    for pair in again.conversation.pairs:
        names = {block.name for block in (pair.call, *pair.results) if block is not None and block.name}
        assert REFUSED not in names and len(names) <= 1
