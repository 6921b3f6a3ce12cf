"""A file that is opened for a report tells the same, and keeps nothing of what its records say."""

from __future__ import annotations

import gc
import json
from pathlib import Path
from typing import Any

import pytest

import toolpair
from benchmarks.generate import generate, messages
from benchmarks.sessions.options import FORMATS, Options
from tests.garbage import only_new_garbage
from tests.history.opening import judged_by
from tests.rounds import tries
from toolpair.cli.file_report import describe
from toolpair.session.session import open_session
from toolpair.transcript.model import Block


@pytest.fixture(params=FORMATS, scope="module")
def broken(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp(request.param) / "session.jsonl"
    generate(Options(pairs=tries(1500, 200), problems=12, format=request.param), path)
    return path


def test_it_tells_the_same(broken: Path) -> None:
    for profile in (None, "openai-chat", "bedrock-converse"):
        told = describe(open_session(broken, profile=profile), "x")
        reported = describe(open_session(broken, profile=profile, reporting=True), "x")
        assert reported.entry == told.entry
        assert reported.verdict == told.verdict
        assert told.entry["problems"]


def test_problems_keep_no_record(broken: Path) -> None:
    session = open_session(broken, reporting=True)
    assert session.conversation.fixes_are_local
    blocks = [block for problem in session.problems for block in (problem.call, problem.result) if block is not None]
    assert blocks
    assert all(block.value is None for block in blocks)
    assert all(problem.about is None and not problem.others for problem in session.problems)


def test_what_was_judged_is_given_back_at_once(broken: Path) -> None:
    session = open_session(broken)
    block = next(found for problem in session.problems for found in (problem.call, problem.result) if found)
    assert block.value is not None
    with only_new_garbage():
        session = open_session(broken, reporting=True)
        session.problems  # noqa: B018
        blocks = [found for found in gc.get_objects() if isinstance(found, Block) and found.record >= 0]
    assert not [found for found in blocks if found.value is not None]


def test_it_recommends_the_same_where_an_output_may_be_elsewhere() -> None:
    lines: list[Any] = []
    for number in range(60):
        call = {"type": "tool_use", "id": f"toolu_{number:024}", "name": "Bash", "input": {}}
        result = {"type": "tool_result", "tool_use_id": call["id"], "content": "done"}
        lines += [{"role": "assistant", "content": [call]}, {"role": "user", "content": [result]}]
    lines = [{"role": "user", "content": "go"}, *lines[:40], *lines[40:41], *lines[40:41], *lines[42:]]
    lines[44]["content"].append({"type": "text", "text": f"the output of toolu_{20:024} was: 7"})
    data = b"".join(json.dumps(line).encode() + b"\n" for line in lines)
    told = open_session("x", data=data, format="anthropic")
    with judged_by(1):
        reported = open_session("x", data=data, format="anthropic", reporting=True)
    assert len(reported.conversation.windows) > 1
    assert describe(reported, "x").entry == describe(told, "x").entry
    assert any("where its output may be" in (problem.no_fix or "") for problem in reported.problems)
    assert not any(fix.recommended for problem in reported.problems for fix in problem.fixes)


@pytest.mark.parametrize("format", ["anthropic", "openai-chat"])
@pytest.mark.parametrize("problems", [2, 300])
def test_the_library_leaves_nothing_to_the_collector(format: str, problems: int) -> None:
    given = messages(Options(pairs=300, problems=problems, kinds=("renamed", "missing", "duplicate"), format=format))
    toolpair.check(given, profile=format)  # loads what is loaded late
    with only_new_garbage():
        report = toolpair.check(given, profile=format)
        assert report.problems
        del report
        left = gc.collect()
    assert left < 100
