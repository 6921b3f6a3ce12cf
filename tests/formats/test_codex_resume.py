"""What Codex sends when it resumes a rollout, what toolpair says about problems, and what it does not resume at all."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.each import each
from tests.formats.codex_files import NAME, THREAD, Rollout, blocks, items_sent, ordinals, read, values_of
from toolpair.formats.codex import FORMAT
from toolpair.session.session import Session, open_session


def sent(made: Rollout) -> list[str]:
    """The calls and outputs of the request."""
    seen = FORMAT.sees(made.items, read(made))
    assert seen is not None
    return [_word(item) for item in items_sent(seen) if "call_id" in item]


def _word(item: dict[str, Any]) -> str:
    if item["type"].endswith("_output"):
        return f"{item['type']} {item['call_id']} {item.get('output', item.get('tools'))}"
    return f"call {item['call_id']}"


def begun() -> Rollout:
    made = Rollout()
    made.begins("t1", "Go.")
    return made


def test_aborted_comes_directly_after_each_call_without_output() -> None:
    made = begun()
    made.call("c1", id="fc_1")
    made.call("c2", "custom_tool_call")
    made.call("c3", "local_shell_call")
    made.call("c4", "tool_search_call")
    made.call("c5")
    made.output("c5", "five")
    assert sent(made) == [
        "call c1",
        "function_call_output c1 aborted",
        "call c2",
        "custom_tool_call_output c2 aborted",
        "call c3",
        "function_call_output c3 aborted",
        "call c4",
        "tool_search_output c4 []",
        "call c5",
        "function_call_output c5 five",
    ]
    seen = FORMAT.sees(made.items, read(made))
    assert seen is not None
    ids = [item["id"] for item in items_sent(seen) if item.get("output") == "aborted" and "id" in item]
    assert len(ids) == 1 and ids[0].startswith("fco_")


def test_outputs_without_a_call_of_their_kind_are_dropped() -> None:
    made = begun()
    made.call("c1")
    made.output("c1", "wrong kind", "custom_tool_call")
    made.output("nobody", "orphan")
    transcript = read(made)
    seen = FORMAT.sees(made.items, transcript)
    assert seen is not None
    assert sent(made) == ["call c1", "function_call_output c1 aborted"]
    assert [seen.reaches(block) for block in blocks(transcript, "result")] == [False, False]
    session = made.session()
    told = {problem.rule: problem.on_resume for problem in session.problems}
    assert {rule: (found.loses, found.outputs_lost) for rule, found in told.items() if found} == {
        "result.kind": ("the result, 10 bytes", 1),
        "result.orphan": ("the result, 6 bytes", 1),
    }
    assert all("Only its log says so" in found.text for found in told.values() if found)
    session.stage_recommended()
    assert b"wrong kind" in session.to_bytes() and b"orphan" in session.to_bytes()
    assert not [problem for problem in session.problems if problem.severity == "error"]


def test_one_output_answers_two_calls_with_one_id() -> None:
    made = begun()
    made.call("c1")
    made.output("c1", "one")
    made.user("More.")
    made.call("c1")
    made.says("Done.")
    assert sent(made) == ["call c1", "function_call_output c1 one", "call c1"]
    session = made.session()
    assert any(problem.severity == "error" and problem.impact == "stops" for problem in session.problems)
    session.stage_recommended()
    assert not [problem for problem in session.problems if problem.severity == "error"]


def test_late_and_repeated_outputs_are_sent_in_place() -> None:
    made = begun()
    made.call("c1")
    made.user("Wait.")
    made.output("c1", "one")
    made.output("c1", "two")
    assert sent(made) == ["call c1", "function_call_output c1 one", "function_call_output c1 two"]
    (problem,) = (problem for problem in made.session().problems if problem.severity == "error")
    assert (problem.rule, problem.impact) == ("result.duplicate", "stops")


@each("change", ["no id", "no time", "half a character", "a huge number", "an object"])
def test_a_record_that_codex_cannot_load_vanishes(change: str) -> None:
    made = begun()
    made.call("c1")
    out = made.output("c1", "one")
    match change:
        case "no id":
            del made.values[-2]["payload"]["call_id"]
        case "no time":
            del out["timestamp"]
        case "half a character":
            out["payload"]["output"] = "\ud83d"
        case "a huge number":
            out["number"] = 2**64
        case "an object":
            out["payload"]["output"] = {"text": "one"}
    assert sent(made) == ([] if change == "no id" else ["call c1", "function_call_output c1 aborted"])


@pytest.mark.parametrize("how", ["a mark", "a huge number", "NUL"])
def test_a_line_that_only_codex_rejects_is_not_sent(how: str) -> None:
    made = whole()
    lines = made.lines
    number = next(place for place, line in enumerate(lines) if b"function_call_output" in line)
    match how:
        case "a mark":
            lines[number] = b"\xef\xbb\xbf" + lines[number]
        case "a huge number":
            lines[number] = lines[number][:-1] + b',"n":18446744073709551617}'
        case "NUL":
            lines[number] = b"\0" + lines[number]
    session = open_session(NAME, data=b"".join(line + b"\n" for line in lines))
    seen = session.conversation.judged.seen
    assert seen is not None
    assert [item.get("output") for item in items_sent(seen) if item["type"] == "function_call_output"] == ["aborted"]
    assert any(problem.severity == "error" and problem.impact == "loses" for problem in session.problems)


def test_a_call_without_output_is_not_a_loss() -> None:
    made = begun()
    made.call("c1")
    made.user("Well?")
    (problem,) = made.session().problems
    assert (problem.rule, problem.severity, problem.impact) == ("result.missing", "error", "harmless")
    assert problem.on_resume is not None and '"aborted"' in problem.on_resume.text


def refused(session: Session) -> bool:
    seen = session.conversation.judged.seen
    return seen is not None and seen.refuses is not None and "does not resume this session" in seen.refuses


def whole() -> Rollout:
    made = begun()
    made.call("c1")
    made.output("c1", "ünïcode")
    made.uses()
    made.says("Done.")
    made.event("thread_settings_applied", thread_id=THREAD)
    return made


def damaged(kind: str) -> bytes:
    made = whole()
    lines = made.lines
    match kind:
        case "bad byte":
            lines[-2] = lines[-2].replace(b"Done", b"Do\xffne")
        case "mark":
            lines[0] = b"\xef\xbb\xbf" + lines[0]
        case "first line torn":
            lines[0] = lines[0][: lines[0].index(b'"cwd"') + 10]
        case "first line closed":
            lines[0] = lines[0][:-2]
        case "first line glued":
            lines[:2] = [lines[0] + lines[1]]
        case "first line of NUL":
            lines[0] = b"\0\0\0" + lines[0]
        case "first line gone":
            del lines[0]
        case "last ordinal":
            value = json.loads(lines[-1])
            del value["ordinal"]
            lines[-1] = json.dumps(value, ensure_ascii=False).encode()
        case "all ordinals":
            values = [{key: part for key, part in value.items() if key != "ordinal"} for value in made.values]
            lines = [json.dumps(value, ensure_ascii=False).encode() for value in values]
    return b"".join(line + b"\n" for line in lines)


REFUSED = [
    "bad byte",
    "mark",
    "first line torn",
    "first line closed",
    "first line glued",
    "first line of NUL",
    "first line gone",
    "last ordinal",
    "all ordinals",
]


@pytest.mark.parametrize("kind", REFUSED)
def test_what_stops_codex_from_resuming_is_an_error_with_a_fix(tmp_path: Path, kind: str) -> None:
    path = tmp_path / NAME
    path.write_bytes(damaged(kind))
    session = open_session(path)
    assert refused(session)
    problem = next(found for found in session.problems if found.impact == "stops")
    assert problem.severity == "error" and "Codex does not resume this session" in problem.text
    session.stage_recommended()
    assert not session.problems and not refused(session)
    values = values_of(session.to_bytes())
    assert values[0]["type"] == "session_meta" and values[0]["payload"]["id"] == THREAD
    assert ordinals(session.to_bytes()) == list(range(len(values)))
    assert "ünïcode".encode() in session.to_bytes()
    saved = session.save_as(tmp_path / "copy.jsonl")
    assert not open_session(saved.path).problems


def test_a_lost_first_line_is_not_rebuilt_if_the_id_is_uncertain(tmp_path: Path) -> None:
    made = whole()
    made.event("thread_settings_applied", thread_id="01a1fd17-0000-7c11-9e18-deaa896459f4")
    path = tmp_path / NAME
    path.write_bytes(b"\n".join(made.lines[1:]) + b"\n")
    (problem,) = open_session(path).problems
    assert problem.rule == "rollout.no_meta" and not problem.fixes and problem.no_fix


def test_only_the_last_record_needs_its_ordinal() -> None:
    made = whole()
    del made.values[3]["ordinal"]
    assert not made.session().problems
    made = Rollout(paginated=False)
    made.begins("t1", "Go.")
    assert not made.session().problems


def test_an_edit_that_shifts_offsets_in_codexs_index_is_mentioned(tmp_path: Path) -> None:
    folder = tmp_path / "sessions" / "2026" / "11" / "21"
    folder.mkdir(parents=True)
    made = whole()
    made.begins("t2", "More.")
    made.call("c2")
    made.uses()
    made.user("Well?")
    (folder / NAME).write_bytes(made.data)
    session = open_session(folder / NAME)
    session.stage_recommended()
    assert not [found for found in session.look_around() if "index" in found]
    (tmp_path / "thread_history_1.sqlite").write_bytes(b"")
    (told,) = (found for found in session.look_around() if "index" in found)
    assert str(tmp_path / "thread_history_1.sqlite") in told and f"{session.staging.grown} bytes" in told
    saved = session.save()
    assert told in saved.notes


def test_a_fork_that_would_start_after_the_end_is_mentioned(tmp_path: Path) -> None:
    made = whole()
    made.output("nobody", "aborted")
    path = tmp_path / NAME
    path.write_bytes(made.data)
    other = Rollout(history_base={"thread_id": THREAD, "end_ordinal_exclusive": 9, "end_byte_offset": len(made.data)})
    fork = tmp_path / "rollout-2026-11-21T08-00-00-01a1fd17-d37f-7833-bddc-d042d96e8488.jsonl"
    fork.write_bytes(other.data)
    session = open_session(path)
    session.stage_recommended()
    assert session.staging.grown < 0
    assert any(fork.name in found for found in session.look_around())
