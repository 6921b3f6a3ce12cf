"""Kimi Code's events: read, checked, fixed, written back, and what it would send."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.broken_sessions import lines, word
from tests.formats.fixing import Visit, errors, fixed, outcome_of, seen_of, sent_rows
from tests.history.opening import judged_by
from tests.history.reports import sent
from tests.kimi_code_sessions import DEFECTS, GUESSES, ID, NAME, call_of, corpus, result_of, sound
from tests.rounds import some
from toolpair.cli.file_report import describe
from toolpair.formats import get_agent
from toolpair.session.session import Session, open_session
from toolpair.shell.machine import Machine


def opened(folder: Path, data: bytes) -> Session:
    path = folder / NAME
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    return open_session(path)


@pytest.mark.parametrize("name", some(corpus(), 30))
def test_a_broken_session_is_fixed_whole(name: str, tmp_path: Path) -> None:
    visit = Visit(corpus()[name], lambda data: opened(tmp_path, data))
    visit.assert_never_passed_over()
    if name in GUESSES:
        visit.assert_left_as_a_guess()
        return
    visit.assert_fixed("kimi-code")


@pytest.mark.parametrize("where", [call_of, result_of])
def test_an_id_that_is_no_text_answers_no_other(where: Any, tmp_path: Path) -> None:
    records = sound().records
    records[where("one")(records)]["event"]["toolCallId"] = ["call_one"]
    assert errors(opened(tmp_path, lines(records))) == ["result.id_mismatch"]


def test_a_history_that_was_cleared_after_a_compaction_begins_anew(tmp_path: Path) -> None:
    records = sound().records
    for name in ("compacted", "cleared"):
        DEFECTS[name][0](records)
    assert errors(opened(tmp_path, lines(records))) == []


@pytest.mark.parametrize(
    ("name", "rule", "outcome"),
    [
        ("result_gone", "result.missing", ("placeholder", None, "harmless")),
        ("call_gone", "result.orphan", ("dropped", "the result, 14 bytes", "loses")),
        ("result_behind_the_end", "rollout.not_loaded", ("dropped", "the line", "loses")),
        ("torn", "record.torn", ("dropped", "all after it, with 3 outputs", "loses")),
        ("torn_at_the_end", "record.torn", ("dropped", "the line", "loses")),
        ("name_missing", "name.missing", ("rejected", None, "stops")),
    ],
)
def test_what_becomes_of_a_problem(name: str, rule: str, outcome: Any, tmp_path: Path) -> None:
    assert outcome_of(opened(tmp_path, corpus()[name].data), rule) == outcome


def test_lines_that_are_left_out_for_different_reasons_have_different_causes(tmp_path: Path) -> None:
    """One decision is for all problems of a cause, and an excerpt shows the one that was chosen."""
    late, unknown, begun = (
        problem.cause.id
        for name in ("result_behind_the_end", "step_unknown", "step_not_begun")
        for problem in opened(tmp_path, corpus()[name].data).problems
        if problem.rule == "rollout.not_loaded" and problem.cause is not None
    )
    assert len({late, unknown, begun}) == 3


def test_what_is_sent_after_a_summary_an_undo_and_a_clear(tmp_path: Path) -> None:
    def texts(name: str) -> list[str]:
        return [text for role, _, text in sent_rows(opened(tmp_path, corpus()[name].data)) if role == "user"]

    assert texts("compacted")[:2] == ["Begin.", "Summary: they looked."]
    assert texts("compacted_as_before")[0] == "Summary: they looked."
    assert texts("undone") == ["Begin.", "Thanks."]
    assert texts("undone_in_a_branch") == ["Begin.", "Thanks."]
    assert texts("cleared")[0] == "Once more."
    assert texts("undone_too_much") == texts("nothing")
    assert word("five") not in str(sent_rows(opened(tmp_path, corpus()["undone_in_a_branch"].data)))
    assert seen_of(opened(tmp_path, corpus()["torn"].data)).messages[-1].role == "tool"
    assert "no prompt works any more" in (seen_of(opened(tmp_path, corpus()["name_missing"].data)).refuses or "")


def test_a_call_kept_as_text_stays_a_part_of_its_response(tmp_path: Path) -> None:
    session = opened(tmp_path, corpus()["result_gone"].data)
    (problem,) = session.problems
    session.stage(problem, next(fix for fix in problem.fixes if fix.id == "call-as-text"))
    lines = [json.loads(line) for line in session.to_bytes().splitlines()]
    line = lines[call_of("one")(sound().records)]["event"]
    assert line.keys() == {"type", "uuid", "turnId", "step", "stepUuid", "part"}
    assert (line["type"], line["part"]["type"]) == ("content.part", "text") and "echo one" in line["part"]["text"]
    assert errors(session) == []


def test_a_last_line_that_was_cut_off_gets_its_line_feed_too(tmp_path: Path) -> None:
    """Kimi Code writes its next line right after it."""
    data = corpus()["torn_at_the_end"].data
    session = opened(tmp_path, data)
    assert fixed(session).endswith(b"}\n") and not data.endswith(b"\n")


def test_a_new_result_stands_before_the_end_of_its_response(tmp_path: Path) -> None:
    lines = [json.loads(line) for line in fixed(opened(tmp_path, corpus()["result_gone"].data)).splitlines()]
    at = result_of("one")(lines)
    assert lines[at]["event"]["parentUuid"] == "call-one" and lines[at]["event"]["result"]["isError"] is True
    assert lines[at + 1]["event"]["type"] == "step.end"


def test_it_is_found_and_resumed_in_its_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("KIMI_CODE_HOME", raising=False)
    session = opened(tmp_path, corpus()["nothing"].data)
    (tmp_path / NAME).parents[2].joinpath("state.json").write_text(json.dumps({"id": ID, "cwd": str(tmp_path)}))
    (found,) = get_agent("kimi-code").sessions(Machine.here())
    assert (found.session_id, found.folder) == (ID, str(tmp_path))
    assert get_agent("kimi-code").describe(found)[1] == "Thanks."
    command = session.resume_command()
    assert command is not None and command.endswith(f"kimi --session {ID}")


def test_windows_together_tell_what_the_whole_does(tmp_path: Path) -> None:
    parts = 0
    for planted in some(corpus().values(), 16):
        opened(tmp_path, planted.data)
        with judged_by(None):
            alone = open_session(tmp_path / NAME)
            whole = describe(alone, "x")
        with judged_by(1):
            session = open_session(tmp_path / NAME, reporting=True)
            assert describe(session, "x").entry == whole.entry
            assert sent(open_session(tmp_path / NAME).conversation) == sent(alone.conversation)
        parts += len(session.conversation.windows) > 1
    assert parts > 3


@pytest.mark.parametrize("odd", [["x"], {"x": 1}, None, 5])
def test_an_id_that_is_no_text_is_no_others(odd: Any, tmp_path: Path) -> None:
    made = sound().records
    made[call_of("two")(made)]["event"]["toolCallId"] = odd
    made[result_of("three")(made)]["event"]["toolCallId"] = odd
    opened(tmp_path, lines(made))
    with judged_by(None):
        whole = describe(open_session(tmp_path / NAME), "x")
    with judged_by(1):
        assert describe(open_session(tmp_path / NAME, reporting=True), "x").entry == whole.entry
    assert {problem["severity"] for problem in whole.entry["problems"]} >= {"error"}


@pytest.mark.parametrize("key", ["created_at", "protocol_version"])
def test_a_first_line_that_lacks_something_is_no_other_agents(key: str, tmp_path: Path) -> None:
    records = sound().records
    del records[0][key]
    session = opened(tmp_path, lines(records))
    assert (session.format.id, errors(session)) == ("kimi-code", [])
