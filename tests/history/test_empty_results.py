"""Results that say nothing: plain where no file holds what the tool said, looked at where one does."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.formats.claude_code_files import SESSION, Log, call, text
from tests.history.opening import judged_by
from tests.history.reports import told
from toolpair.session.session import Session, open_session

ID = "toolu_01AbCdEfGhIj{:02d}"
EMPTY = 7
REJECTED = "[Tool use interrupted]"


def session(said: str, tool: str = "Bash", **details: Any) -> list[dict[str, Any]]:
    """Exchanges of which number `EMPTY` has the result `said`."""
    log = Log()
    log.user("u", "begin")
    for n in range(20):
        asked = {**call(ID.format(n)), "name": tool}
        log.says(f"a{n}", f"m{n}", asked)
        log.result(
            f"r{n}", f"a{n}", ID.format(n), said if n == EMPTY else f"output {n}", **(details if n == EMPTY else {})
        )
    log.says("d", "n", text("Done."))
    return log.values


def opened(folder: Path, values: Sequence[Any]) -> tuple[Session, Session]:
    path = folder / f"{SESSION}.jsonl"
    path.write_bytes(b"".join(json.dumps(value).encode() + b"\n" for value in values))
    with judged_by(None):
        whole = open_session(path)
    with judged_by(2):
        parted = open_session(path)
        assert parted.conversation.fixes_are_local
        assert told(parted.problems, len(values)) == told(whole.problems, len(values))
        assert parted.conversation.verdict == whole.conversation.verdict
    return whole, parted


def looked_at(session: Session) -> int:
    conversation = session.conversation
    assert conversation.fixes_are_local
    return sum(not part.clean for part in conversation.windows)


@pytest.mark.parametrize("said", ["", "  ", REJECTED])
def test_nothing_is_wrong_where_nobody_knows_more(tmp_path: Path, said: str) -> None:
    _, parted = opened(tmp_path, session(said, toolUseResult={"stdout": "", "stderr": ""}))

    assert not parted.problems
    assert looked_at(parted) == 0
    assert (parted.conversation.verdict.outputs_total, parted.conversation.verdict.placeholders) == (19, 1)


@pytest.mark.parametrize("said", ["", REJECTED])
def test_what_the_agent_noted_down_beside_it_is_found(tmp_path: Path, said: str) -> None:
    _, parted = opened(tmp_path, session(said, toolUseResult={"stdout": "the output", "stderr": ""}))

    assert [problem.rule for problem in parted.problems] == ["result.placeholder"]


def test_an_error_without_a_word_is_found(tmp_path: Path) -> None:
    values = session("")
    next(v for v in values if v["uuid"] == f"r{EMPTY}")["message"]["content"][0]["is_error"] = True

    _, parted = opened(tmp_path, values)

    assert [problem.rule for problem in parted.problems] == ["error.empty_content"]


def test_a_copy_far_behind_is_found(tmp_path: Path) -> None:
    values = session("")
    sent = [{"type": "tool_result", "tool_use_id": ID.format(EMPTY), "content": "the output"}]
    blob = {"type": "api-request-blob", "sessionId": SESSION, "message": {"role": "user", "content": sent}}

    _, parted = opened(tmp_path, [*values, blob])

    assert [problem.rule for problem in parted.problems] == ["result.placeholder"]


def test_a_copy_that_says_nothing_either_is_none(tmp_path: Path) -> None:
    values = session("")
    sent = [{"type": "tool_result", "tool_use_id": ID.format(EMPTY), "content": " "}]
    blob = {"type": "api-request-blob", "sessionId": SESSION, "message": {"role": "user", "content": sent}}

    _, parted = opened(tmp_path, [*values, blob])

    assert not parted.problems
    assert looked_at(parted) == 0


def test_an_output_that_was_stored_is_found(tmp_path: Path) -> None:
    stored = tmp_path / SESSION / "tool-results"
    stored.mkdir(parents=True)
    (stored / f"{ID.format(EMPTY)}.txt").write_text("the output")

    _, parted = opened(tmp_path, session(""))

    assert [problem.rule for problem in parted.problems] == ["result.placeholder"]


def test_an_output_in_a_forked_session_is_found(tmp_path: Path) -> None:
    fork = session("the output")
    (tmp_path / "fork.jsonl").write_text("".join(json.dumps(value, separators=(",", ":")) + "\n" for value in fork))

    _, parted = opened(tmp_path, session(""))

    assert [problem.rule for problem in parted.problems] == ["result.placeholder"]


def test_the_last_words_of_a_sub_agent_are_found(tmp_path: Path) -> None:
    folder = tmp_path / SESSION / "subagents"
    folder.mkdir(parents=True)
    own = Log()
    own.user("su", "look")
    own.says("sd", "sm", text("the output"))
    (folder / "agent-1.jsonl").write_text("".join(json.dumps(value) + "\n" for value in own.values))
    (folder / "agent-1.meta.json").write_text(json.dumps({"toolUseId": ID.format(EMPTY)}))

    _, parted = opened(tmp_path, session("", tool="Task"))

    assert [problem.rule for problem in parted.problems] == ["result.placeholder"]
