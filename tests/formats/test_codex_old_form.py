"""Rollouts that Codex no longer loads, or never did: from 2025, without times, with an odd first line."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.formats.codex_files import NAME, THREAD, Rollout
from toolpair.session.session import Session, open_session

TIME = "2025-08-18T01:16:13.522Z"
TOLD = "<environment_context>\n  <cwd>/home/dev/shop</cwd>\n</environment_context>"


def old() -> list[dict[str, Any]]:
    def words(role: str, text: str) -> dict[str, Any]:
        kind = "output_text" if role == "assistant" else "input_text"
        return {"type": "message", "id": None, "role": role, "content": [{"type": kind, "text": text}]}

    return [
        {"id": THREAD, "timestamp": TIME, "instructions": "Be kind.", "git": {"branch": "main"}},
        {"record_type": "state"},
        words("user", TOLD),
        words("user", "List the files."),
        {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "abc"},
        {"type": "function_call", "id": "fc_1", "name": "shell", "arguments": "{}", "call_id": "call_1"},
        {"type": "function_call_output", "call_id": "call_1", "output": '{"output": "a\\u00e9.txt", "n": 1.0}'},
        {"record_type": "state"},
        words("assistant", "There it is."),
    ]


def opened(folder: Path, values: list[Any], name: str = "session.jsonl") -> Session:
    path = folder / name
    path.write_bytes(
        b"".join(json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode() + b"\n" for value in values)
    )
    return open_session(path)


def refuses(session: Session) -> str | None:
    seen = session.conversation.judged.seen
    assert seen is not None
    return seen.refuses


def test_a_rollout_from_2025_gets_todays_form(tmp_path: Path) -> None:
    session = opened(tmp_path, old())
    assert refuses(session) == "Codex does not resume this session: no line of it is in the form that Codex reads."
    assert session.conversation.verdict.outputs_seen == 0 and session.conversation.verdict.outputs_total == 1
    (problem,) = session.problems
    assert (problem.rule, problem.severity, problem.impact) == ("rollout.old_form", "error", "stops")
    assert "does not load it" in problem.text
    before = session.to_bytes().splitlines()
    session.stage_recommended()
    assert not session.problems and refuses(session) is None
    assert session.conversation.verdict.outputs_seen == 1
    after = session.to_bytes().splitlines()
    assert len(after) == len(before)
    head = json.loads(after[0])
    assert (head["type"], head["payload"]["id"], head["payload"]["cwd"]) == ("session_meta", THREAD, "/home/dev/shop")
    assert head["payload"]["instructions"] == "Be kind." and head["payload"]["git"] == {"branch": "main"}
    for was, now in zip(before[1:], after[1:], strict=True):
        # Each line keeps its bytes; the first versions' state records are not read.
        assert was in now and (was == now) is (b"record_type" in was)
    assert not session.staging.losses


def test_a_second_run_changes_nothing(tmp_path: Path) -> None:
    session = opened(tmp_path, old())
    session.stage_recommended()
    again = open_session("x.jsonl", data=session.to_bytes())
    assert again.format.id == "codex" and again.stage_recommended() is None


def test_lines_from_2025_among_new_ones_are_skipped_and_reported(tmp_path: Path) -> None:
    made = Rollout(paginated=False)
    made.begins("t1", "Go.")
    made.call("c1")
    made.values.append({"type": "function_call_output", "call_id": "c1", "output": "real"})
    made.says("Done.")
    session = made.session()
    assert refuses(session) is None
    assert session.conversation.verdict.outputs_seen == 0
    (problem,) = (found for found in session.problems if found.rule == "rollout.old_form")
    assert problem.impact == "loses" and "1 line of this rollout is" in problem.text
    session.stage_recommended()
    assert not session.problems and session.conversation.verdict.outputs_seen == 1


def test_the_id_must_be_one_that_codex_accepts(tmp_path: Path) -> None:
    values = old()
    values[0]["id"] = "session-7"
    (problem,) = opened(tmp_path, values).problems
    assert not problem.fixes and problem.no_fix
    session = opened(tmp_path, values, NAME)
    session.stage_recommended()
    assert json.loads(session.to_bytes().splitlines()[0])["payload"]["id"] == THREAD


def plain() -> Rollout:
    made = Rollout(paginated=False)
    made.begins("t1", "Go.")
    made.call("c1")
    made.output("c1", "real")
    made.says("Done.")
    return made


def test_a_copy_without_times_is_not_loaded(tmp_path: Path) -> None:
    made = plain()
    for value in made.values:
        del value["timestamp"]
    session = opened(tmp_path, made.values)
    assert refuses(session) is not None
    rules = {problem.rule for problem in session.problems}
    assert rules == {"rollout.no_timestamp", "rollout.no_meta"}
    session.stage_recommended()
    assert not session.problems and refuses(session) is None
    times = {json.loads(line)["timestamp"] for line in session.to_bytes().splitlines()}
    assert times == {"2026-11-21T07:52:16.000Z"}


@pytest.mark.parametrize(
    ("key", "value", "stays"),
    [
        ("originator", None, "toolpair"),
        ("cli_version", 5, "0.0.0"),
        ("timestamp", "soon", "2026-11-21T07:00:00.000Z"),
        ("history_mode", "default", None),
        ("git", {"branch": 5}, None),
        ("dynamic_tools", {"a": 1}, None),
        ("cwd", None, "/home/dev/my project"),
    ],
)
def test_a_first_line_that_codex_cannot_read_is_completed(tmp_path: Path, key: str, value: Any, stays: Any) -> None:
    made = plain()
    made.values[0]["payload"][key] = value
    session = opened(tmp_path, made.values)
    assert f"cannot read {key}" in (refuses(session) or "")
    (problem,) = session.problems
    assert (problem.rule, problem.severity, problem.impact) == ("rollout.no_meta", "error", "stops")
    session.stage_recommended()
    assert not session.problems and refuses(session) is None
    assert json.loads(session.to_bytes().splitlines()[0])["payload"].get(key) == stays
    assert session.to_bytes().splitlines()[1:] == made.lines[1:]


def test_a_first_line_without_a_time_gets_the_sessions(tmp_path: Path) -> None:
    made = plain()
    del made.values[0]["timestamp"]
    session = opened(tmp_path, made.values)
    assert refuses(session) is not None
    session.stage_recommended()
    assert not session.problems and refuses(session) is None
