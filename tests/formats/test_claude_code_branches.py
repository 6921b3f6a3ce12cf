"""Branches of a Claude Code file that forks, what is not sent, and sub-agents' sessions beside it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.formats.claude_code_files import SESSION, Log, call, shape, text
from tests.formats.test_claude_code_chain import STEP, data_of, long_session, opened
from tests.work import work_of
from toolpair.cli.main import main
from toolpair.session.session import SessionError, open_session
from toolpair.session.surroundings import subagent_sessions_of


def forked() -> Log:
    """The user went back to the second prompt; a call on the abandoned branch has no result."""
    log = long_session()
    log.user("u3", "left behind", parent="a9")
    log.says("a10", "m10", call("toolu_X"))
    log.says("a11", "m11", text("And on."))
    log.user("u4", "second, in other words", parent="a6")
    log.says("a12", "m12", text("The newer way."))
    return log


def test_each_end_is_a_branch_with_its_last_words() -> None:
    session = opened(forked().values)
    found = [(b.leaf, b.kind, b.words, b.messages, b.active) for b in session.conversation.transcript.tree.branches]
    assert found == [
        ("a12", "branch", "second, in other words", 8, True),
        ("a11", "branch", "left behind", 15, False),
    ]
    assert session.conversation.transcript.tree.branches[1].time == "2026-11-21T08:06:40.000Z"


def test_a_session_without_forks_has_no_branches() -> None:
    """Parallel calls form a tree, and hook reports link to the chain from the side: neither is a branch."""
    log = long_session()
    log.record("attachment", "h1", "r4", attachment={"type": "hook_success", "toolUseID": "toolu_B"})
    log.record("progress", "g1", "a7", data={"type": "bash_progress"})
    log.note("last-prompt", leafUuid="a9")
    session = opened(log.values)
    assert session.conversation.transcript.tree.branches == ()
    assert not session.conversation.transcript.scopes


def test_what_a_compaction_replaced_is_inactive_but_not_a_branch() -> None:
    log = long_session()
    log.record("system", "c1", None, subtype="compact_boundary", logicalParentUuid="a9", compactMetadata={})
    log.user("c2", "This session is being continued", isCompactSummary=True)
    log.user("u3", "go on")
    log.says("a10", "m10", text("Yes."))
    session = opened(log.values)
    assert session.conversation.transcript.tree.branches == ()
    assert (
        set(session.conversation.transcript.scopes.values()) == {"inactive"}
        and len(session.conversation.transcript.scopes) == 17
    )
    assert not session.problems


def test_another_leaf_is_checked_and_fixed() -> None:
    session = opened(forked().values)
    assert not session.problems
    before = session.conversation.verdict.sentence
    session.choose_leaf("a11")
    assert [problem.rule for problem in session.problems] == ["result.missing"]
    assert session.conversation.transcript.tree.leaf == "a11" and shape(session.conversation.transcript)[-1] == (
        "assistant",
        ["And on."],
    )
    assert session.conversation.verdict.sentence.endswith("This is not the branch that the agent resumes.")
    session.stage_recommended()
    with pytest.raises(ValueError, match="applied"):
        session.choose_leaf(None)
    assert not session.problems and shape(session.conversation.transcript)[-1] == ("assistant", ["And on."])
    mended = open_session("session.jsonl", data=session.to_bytes())
    assert shape(mended.conversation.transcript) == shape(opened(forked().values).conversation.transcript)
    mended.choose_leaf("a11")
    assert not mended.problems
    session.undo()
    session.choose_leaf(None)
    assert session.conversation.verdict.sentence == before and session.conversation.transcript.tree.leaf is None


def test_the_start_of_an_id_names_a_leaf_if_it_is_unique() -> None:
    values = forked().values
    assert opened(values, leaf="a11").conversation.transcript.tree.leaf == "a11"
    values[-1]["uuid"] = "only-one-begins-so"
    assert opened(values, leaf="only").conversation.transcript.tree.leaf == "only-one-begins-so"
    for unknown in ("a", "zz", ""):
        with pytest.raises(SessionError, match="has no history that ends at"):
            opened(values, leaf=unknown)
    session = opened(values)
    with pytest.raises(ValueError, match="has no history"):
        session.choose_leaf("zz")
    assert session.conversation.transcript.tree.leaf is None


def test_a_history_may_end_at_any_record() -> None:
    session = opened(forked().values, leaf="r7")
    assert shape(session.conversation.transcript)[-1] == ("user", ["result toolu_D"])
    assert not session.problems


def test_what_is_not_sent_is_checked_on_its_own() -> None:
    session = opened(forked().values)
    conversation = session.conversation
    [problem] = conversation.inactive_problems()
    assert (problem.rule, problem.scope, problem.severity, problem.impact) == (
        "result.missing",
        "inactive",
        "warning",
        "harmless",
    )
    assert session.location(problem, conversation).line == 19
    assert "--leaf a11" in (problem.no_fix or "")
    assert session.stage_recommended() is None


def test_a_sub_agent_in_an_old_file_has_its_own_history() -> None:
    log = long_session()
    log.user("s1", "look at the files", parent=None, isSidechain=True)
    log.says("s2", "ms", call("toolu_S"), isSidechain=True)
    log.says("s3", "mt", text("Nothing there."), isSidechain=True)
    log.user("u3", "thanks", parent="a9")
    session = opened(log.values)
    assert [(b.leaf, b.kind, b.words, b.messages) for b in session.conversation.transcript.tree.branches] == [
        ("u3", "branch", "thanks", 13),
        ("s3", "sub-agent", "look at the files", 3),
    ]
    assert not session.problems
    assert [p.rule for p in session.conversation.inactive_problems()] == ["result.missing"]
    session.choose_leaf("s3")
    assert [p.rule for p in session.problems] == ["result.missing"]
    assert "never resumed or healed" in session.conversation.verdict.sentence
    assert session.resume_command() is None
    session.stage_recommended()
    assert not session.problems
    other = open_session("session.jsonl", data=session.to_bytes())
    assert shape(other.conversation.transcript) == shape(opened(log.values).conversation.transcript)


def sub_agent_file(call_id: str = "toolu_S") -> bytes:
    log = Log(STEP)
    log.user("s1", "look at the files", isSidechain=True, agentId="abc")
    log.says("s2", "ms", call(call_id), isSidechain=True, agentId="abc")
    return data_of(log.values)


def test_sub_agents_files_are_found_with_their_calls(tmp_path: Path) -> None:
    log = long_session()
    for value in log.values:
        if value.get("uuid") == "r8":
            value["toolUseResult"] = {"agentId": "old1", "content": []}
    (tmp_path / f"{SESSION}.jsonl").write_bytes(data_of(log.values))
    folder = tmp_path / SESSION / "subagents"
    (folder / "workflows" / "run1").mkdir(parents=True)
    (folder / "agent-new1.jsonl").write_bytes(sub_agent_file())
    meta = {"agentType": "general-purpose", "description": "Look around", "toolUseId": "toolu_D"}
    (folder / "agent-new1.meta.json").write_text(json.dumps(meta))
    (folder / "journal.jsonl").write_text("{}\n")
    (folder / "workflows" / "run1" / "agent-deep.jsonl").write_bytes(sub_agent_file())
    (tmp_path / "agent-old1.jsonl").write_bytes(sub_agent_file())
    (tmp_path / "agent-other.jsonl").write_bytes(sub_agent_file().replace(SESSION.encode(), b"another session"))
    session = open_session(tmp_path / f"{SESSION}.jsonl")
    assert [
        (found.path.name, found.label, found.call, found.kind)
        for found in subagent_sessions_of(session.conversation, session.reader.view.beside)
    ] == [
        ("agent-new1.jsonl", "Look around", "toolu_D", "general-purpose"),
        ("agent-deep.jsonl", "look at the files", None, None),
        ("agent-old1.jsonl", "look at the files", "toolu_E", None),
    ]
    own = open_session(subagent_sessions_of(session.conversation, session.reader.view.beside)[0].path)
    assert "never resumed or healed" in own.conversation.verdict.sentence
    assert own.resume_command() is None and subagent_sessions_of(own.conversation, own.reader.view.beside) == ()


def test_the_report_lists_branches_and_checks_what_is_not_sent(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "s.jsonl"
    path.write_bytes(data_of(forked().values))

    def report(*options: str) -> tuple[int, dict[str, Any]]:
        code = main(["check", str(path), "--output-format", "json", *options])
        return code, json.loads(capsys.readouterr().out)["files"][0]

    code, plain = report()
    assert code == 0 and plain["problems"] == [] and plain["counts"]["inactive"] == 9
    assert [(b["leaf"], b["line"], b["active"]) for b in plain["branches"]] == [("a12", 22, True), ("a11", 20, False)]
    assert "words" not in plain["branches"][0]
    code, inactive = report("--inactive", "--show-content")
    assert code == 0 and inactive["branches"][1]["words"] == "left behind"
    assert [(p["rule"], p["scope"], p["severity"]) for p in inactive["problems"]] == [
        ("result.missing", "inactive", "warning")
    ]
    code, other = report("--leaf", "a11")
    assert code == 1 and [p["scope"] for p in other["problems"]] == ["active"]
    assert main(["check", str(path), "--leaf", "nothing"]) == 2
    assert "has no history that ends at 'nothing'" in "".join(capsys.readouterr())
    assert main(["check", str(tmp_path), "--leaf", "a11"]) == 2
    assert main(["fix", str(path), "--leaf", "a11", "-o", str(tmp_path / "out.jsonl")]) == 0
    assert main(["check", str(tmp_path / "out.jsonl"), "--leaf", "a11"]) == 0


def test_ten_times_the_branches_cost_ten_times_the_work() -> None:
    def look(count: int) -> int:
        log = long_session()
        log.step = 0.1
        for number in range(count):
            log.user(f"b{number}", f"try {number}", parent="a6")
            log.says(f"c{number}", f"mb{number}", call(f"toolu_{number}"))
            log.says(f"d{number}", f"md{number}", text("no"))
        session = opened(log.values)

        def run() -> None:
            assert len(session.conversation.transcript.tree.branches) == count + 1
            assert len(session.conversation.inactive_problems()) == count - 1

        return work_of(run)

    assert look(400) < 12 * look(40)
