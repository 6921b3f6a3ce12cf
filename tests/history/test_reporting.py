"""A file that is opened for a report tells the same, and keeps nothing of what its records say."""

from __future__ import annotations

import gc
from pathlib import Path

import pytest

import toolpair
from benchmarks.generate import generate, messages
from benchmarks.sessions.options import FORMATS, Options
from tests.garbage import only_new_garbage
from tests.rounds import tries
from toolpair.cli.file_report import describe
from toolpair.session.session import open_session
from toolpair.transcript.model import Block


@pytest.fixture(params=FORMATS, scope="module")
def broken(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp(request.param) / "session.jsonl"
    generate(Options(pairs=tries(1500, 300), problems=12, format=request.param), path)
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
