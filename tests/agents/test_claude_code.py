"""The real Claude Code resumes broken files, and the same files mended: what it sends is what was said it would send."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

import pytest

import toolpair
from tests.agents import claude_code, claude_code_beside, planted
from tests.agents.claude_code_requests import modelled, really_sent
from tests.agents.running import Resumed
from tests.conftest import SAMPLES
from toolpair.session.session import Session, open_session

pytestmark = [pytest.mark.agents, pytest.mark.usefixtures("claude")]

# A response without an id, or one id for all responses, is nothing that the agent writes: what it makes of these hangs
# on more than the file.
NOT_MODELLED = {"message_ids_all_equal", "message_ids_absent"}
FILES = {name: data for name, data in planted.corpus().items() if name not in NOT_MODELLED}
FILES |= claude_code_beside.sessions()
FILES["sample session"] = (SAMPLES / "claude-code-branches.jsonl").read_bytes()
NEWER_FINDS_IT = "no_timestamp_at_end"
"""Version 2.1.329 does not find such a session; 2.1.330 does."""


def opened(data: bytes) -> Session:
    return open_session("session.jsonl", data=data)


def mended(data: bytes) -> bytes:
    session = opened(data)
    session.stage_recommended()
    return session.to_bytes()


@pytest.fixture(scope="module")
def as_they_are() -> Mapping[str, Resumed]:
    return claude_code.resume(FILES)


@pytest.fixture(scope="module")
def after_mending() -> Mapping[str, Resumed]:
    return claude_code.resume({name: mended(data) for name, data in FILES.items()})


@pytest.mark.parametrize("name", FILES)
def test_the_model_says_what_is_really_sent(name: str, as_they_are: Mapping[str, Resumed]) -> None:
    seen = opened(FILES[name]).conversation.judged.seen
    found = as_they_are[name]
    if name == "all_sidechain":
        assert found.messages is None and seen is None
        return
    assert seen is not None
    if found.messages is None:
        assert seen.refuses is not None, found.note
        return
    assert seen.refuses is None or name == NEWER_FINDS_IT
    assert modelled(seen) == really_sent(found.messages)


# What is hidden there by the user or by a compaction, and no fix brings back unasked; or only a person can say.
HIDDEN = {"boundary_between", "fork", "second_root", "all_sidechain"}


@pytest.mark.parametrize("name", [name for name in FILES if name not in HIDDEN])
def test_what_is_sent_of_a_mended_file_is_valid_and_holds_every_output(
    name: str, after_mending: Mapping[str, Resumed]
) -> None:
    sent = after_mending[name].messages
    assert sent is not None, after_mending[name].note
    report = toolpair.check(sent, "anthropic")
    assert [problem.rule for problem in report.problems if problem.severity == "error"] == []
    for output in set(re.findall(rb"(?:another output|output [A-H]|[0-9]+ passed in)", FILES[name])):
        assert output.decode() in str(sent)


@pytest.mark.parametrize("name", [name for name in FILES if name not in HIDDEN])
def test_the_agent_goes_on_writing_to_a_mended_file(name: str, after_mending: Mapping[str, Resumed]) -> None:
    before, after = mended(FILES[name]), after_mending[name].after
    assert after.startswith(before) and len(after) > len(before)
    session = opened(after)
    assert [problem.rule for problem in session.problems if problem.severity == "error"] == []
    assert session.conversation.verdict.outputs_seen == session.conversation.verdict.outputs_total


def test_it_is_the_file_that_was_given(as_they_are: Mapping[str, Resumed], tmp_path: Path) -> None:
    """The agent wrote behind what stood there, and nothing else."""
    assert as_they_are["sound"].after.startswith(FILES["sound"])
