"""Fixes as changes to a rollout's records: new outputs, moved ones, ids, and the records' ordinals."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.formats.codex_files import NAME, THREAD, Rollout, blocks, items_of, line_changes, ordinals, read, values_of
from toolpair.formats.codex import FORMAT
from toolpair.formats.codex.forks import fork_notes
from toolpair.formats.format import Item
from toolpair.session.session import Session
from toolpair.source.sibling_files import FilesBeside
from toolpair.transcript.edits import (
    InsertMessage,
    InsertResult,
    MoveRecord,
    Remove,
    RemoveMessage,
    RemoveRecord,
    Rename,
    ReplaceWithText,
)
from toolpair.transcript.model import Block


def turn(paginated: bool = True) -> Rollout:
    made = Rollout(paginated)
    made.begins("t1", "Go.")
    made.thinks()
    made.call("c1", internal_chat_message_metadata_passthrough={"turn_id": "t1"})
    made.call("c2")
    made.call("c3")
    made.uses()
    made.output("c1", "one")
    made.output("c2", "two")
    made.output("c3", "three")
    made.says("Done.")
    made.ends()
    return made


def of(made: Rollout, id_: str, side: str) -> dict[str, Any]:
    return next(
        value
        for value in made.values
        if value["type"] == "response_item"
        and value["payload"].get("call_id") == id_
        and value["payload"]["type"].endswith("_output") == (side == "out")
    )


def order(session: Session) -> list[str]:
    """Calls and outputs in file order."""
    return [
        f"{'out' if item['type'].endswith('_output') else 'call'} {item['call_id']}"
        for item in items_of(values_of(session.to_bytes()))
        if "call_id" in item
    ]


def found(made: Rollout, kind: str, id_: str) -> Block:
    return next(block for block in blocks(read(made), kind) if block.id == id_)


@pytest.mark.parametrize("gone", ["c1", "c2", "c3"])
@pytest.mark.parametrize("paginated", [True, False])
def test_a_new_output_goes_in_call_order_after_the_calls_of_its_turn(gone: str, paginated: bool) -> None:
    made = turn(paginated)
    made.remove(of(made, gone, "out"))
    session = made.session()
    session.stage_recommended()
    assert order(session) == ["call c1", "call c2", "call c3", "out c1", "out c2", "out c3"]
    assert not session.problems
    removed, (new,) = line_changes(made.data, session.to_bytes())
    assert not removed
    assert b'"timestamp":"2026-' in new and b'"type":"function_call_output"' in new and b"is_error" not in new
    if paginated:
        numbers = ordinals(session.to_bytes())
        assert numbers == list(range(len(numbers)))
    else:
        assert b"ordinal" not in session.to_bytes()


def test_all_outputs_of_a_turn_are_in_call_order() -> None:
    made = turn()
    made.remove(*(of(made, id_, "out") for id_ in ("c1", "c2", "c3")))
    session = made.session()
    session.stage_recommended()
    assert order(session) == ["call c1", "call c2", "call c3", "out c1", "out c2", "out c3"]


def test_the_kinds_of_outputs() -> None:
    made = Rollout()
    made.begins("t1", "Go.")
    for id_, kind in (
        ("f", "function_call"),
        ("c", "custom_tool_call"),
        ("l", "local_shell_call"),
        ("s", "tool_search_call"),
    ):
        made.call(id_, kind)
    made.uses()
    made.says("Done.")
    session = made.session()
    session.stage_recommended()
    outputs = {
        item["call_id"]: item["type"] for item in items_of(values_of(session.to_bytes())) if "_output" in item["type"]
    }
    assert outputs == {
        "f": "function_call_output",
        "c": "custom_tool_call_output",
        "l": "function_call_output",
        "s": "tool_search_output",
    }
    assert not session.problems


def test_a_new_record_takes_a_free_number_in_a_gap() -> None:
    made = turn()
    made.values = [value for value in made.values if value is not of(made, "c3", "out")]
    before = ordinals(made.data)
    session = made.session()
    (problem,) = session.problems
    assert problem.recommended is not None and problem.recommended.note is None
    session.stage_recommended()
    assert ordinals(session.to_bytes()) == list(range(len(before) + 1))
    removed, new = made.lines, session.to_bytes().splitlines()
    assert [line for line in removed if line not in new] == []


def test_a_new_record_without_a_gap_says_how_many_get_new_numbers() -> None:
    made = turn()
    made.remove(of(made, "c2", "out"))
    session = made.session()
    (problem,) = session.problems
    assert problem.recommended is not None
    assert "renumbers the 3 records after it" in (problem.recommended.note or "")
    session.stage_recommended()
    changed = [line for line in made.lines if line not in session.to_bytes().splitlines()]
    assert len(changed) == 3
    undone = session.undo()
    assert undone is not None and session.to_bytes() == made.data


def test_a_new_record_at_the_end_changes_no_other_record() -> None:
    made = turn()
    made.begins("t2", "More.")
    made.call("c4")
    session = made.session()
    (problem,) = session.problems
    session.stage(problem)
    assert session.to_bytes().startswith(made.data)
    assert ordinals(session.to_bytes()) == list(range(len(made.values) + 1))


def test_a_late_output_moves_to_its_call() -> None:
    made = turn()
    late = of(made, "c1", "out")
    made.remove(late)
    made.values.append(late)
    late["ordinal"] = len(made.values) - 1
    session = made.session()
    (problem,) = session.problems
    assert (problem.rule, problem.severity, problem.impact) == ("result.not_adjacent", "info", "harmless")
    session.stage(problem)
    assert order(session)[3:] == ["out c1", "out c2", "out c3"]
    assert ordinals(session.to_bytes()) == list(range(len(made.values)))
    assert line_changes(made.data, session.to_bytes()) == ([], [])


def test_a_removed_call_takes_its_reasoning_with_it_unless_the_model_goes_on() -> None:
    made = Rollout()
    made.begins("t1", "Go.")
    made.thinks("rs_1")
    made.call("c1")
    made.user("What now?")
    session = made.session()
    (problem,) = session.problems
    fix = next(fix for fix in problem.fixes if fix.id == "remove-call")
    assert "the reasoning right before the call is removed with it" in (fix.note or "")
    session.stage(problem, fix)
    assert [item["type"] for item in items_of(values_of(session.to_bytes()))] == ["message", "message"]
    assert ordinals(session.to_bytes()) == list(range(len(made.values) - 2))
    assert not session.problems


def test_the_reasoning_of_parallel_calls_stays() -> None:
    made = turn()
    items = FORMAT.apply(made.items, transcript := read(made), [Remove(next(iter(blocks(transcript, "call"))))])
    kinds = [item.value["payload"]["type"] for item in items if item.value["type"] == "response_item"]
    assert kinds[1:3] == ["reasoning", "function_call"]


def test_an_id_changes_in_events_and_older_histories_too() -> None:
    made = turn()
    copy = dict(of(made, "c1", "call")["payload"], id="fc_1")
    of(made, "c1", "call")["payload"]["id"] = "fc_1"
    made.ran("c1", "one")
    made.event("exec_command_begin", call_id="c1")
    made.record("compacted", {"message": "x", "replacement_history": [copy], "replacement_history_metadata": []})
    transcript = read(made)
    items = FORMAT.apply(
        made.items,
        transcript,
        [Rename(b, "new") for b in (*blocks(transcript, "call")[:1], *blocks(transcript, "result")[:1])],
    )
    text = repr([item.value for item in items])
    assert "'c1'" not in text and text.count("'new'") == 5


def test_only_the_renamed_calls_events_follow() -> None:
    made = Rollout()
    for number in ("one", "two"):
        made.begins(number, "Go.")
        made.call("call_0")
        made.ran("call_0", number)
        made.output("call_0", number)
    session = made.session()
    (problem,) = session.problems
    assert problem.rule == "call.reused_id"
    session.stage(problem)
    told = {
        value["payload"]["item"]["aggregated_output"]: value["payload"]["item"]["id"]
        for value in values_of(session.to_bytes())
        if value["payload"].get("type") == "item_completed"
    }
    assert told["one"] == "call_0" and told["two"] != "call_0"
    assert {pair.call.id for pair in session.conversation.pairs if pair.call} == set(told.values())


def in_history() -> Rollout:
    made = Rollout()
    call = {"type": "function_call", "call_id": "h1", "name": "exec_command", "arguments": "{}"}
    words = {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "Before."}]}
    orphan = {"type": "function_call_output", "call_id": "lost", "output": "real"}
    made.compacted([words, call, orphan], replacement_history_metadata=[{"n": 1}, {"n": 2}, {"n": 3}])
    made.begins("t1", "Go.")
    return made


def test_calls_and_outputs_inside_a_compaction_are_fixed_there() -> None:
    made = in_history()
    session = made.session()
    assert session.stage_recommended() is None  # position alone tells that they belong together
    session.stage(session.problems[0], session.problems[0].without_guessing)
    payload = values_of(session.to_bytes())[1]["payload"]
    assert not session.problems
    assert len(payload["replacement_history"]) == len(payload["replacement_history_metadata"])
    assert b"real" in session.to_bytes()
    assert len(session.to_bytes().splitlines()) == len(made.lines)


def test_an_output_kept_as_text_goes_after_the_other_outputs() -> None:
    made = turn()
    made.remove(of(made, "c2", "call"))
    session = made.session()
    session.stage_recommended()
    kinds = [item["type"] for item in items_of(values_of(session.to_bytes()))][4:8]
    assert kinds == ["function_call_output", "function_call_output", "message", "message"]
    kept = items_of(values_of(session.to_bytes()))[6]
    assert kept["role"] == "user" and kept["content"][0]["type"] == "input_text"
    assert kept["content"][0]["text"].endswith("two")


def test_images_stay_images_when_an_output_is_kept_as_text() -> None:
    made = turn()
    image = {"type": "input_image", "image_url": "data:image/png;base64,AAAA"}
    of(made, "c2", "out")["payload"]["output"] = [{"type": "input_text", "text": "see"}, image]
    made.remove(of(made, "c2", "call"))
    session = made.session()
    session.stage_recommended()
    assert b'"image_url":"data:image/png;base64,AAAA"' in session.to_bytes()
    assert not session.problems


def test_messages_are_inserted_and_removed_as_records() -> None:
    made = turn()
    transcript = read(made)
    last = transcript.messages[-1]
    items = FORMAT.apply(made.items, transcript, [InsertMessage(last, "user", "Next."), RemoveMessage(last)])
    made.values = [item.value for item in items]
    assert ordinals(made.data) == list(range(len(made.values)))
    assert items_of(made.values)[-1] == {
        "type": "message",
        "role": "user",
        "content": [{"type": "input_text", "text": "Next."}],
    }


def test_a_call_kept_as_text_is_assistant_text() -> None:
    made = turn()
    items = FORMAT.apply(made.items, read_ := read(made), [ReplaceWithText(blocks(read_, "call")[0], "It called.")])
    assert {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "It called."}]} in [
        item.value["payload"] for item in items
    ]


def test_records_are_moved_and_removed() -> None:
    made = turn()
    items = made.items
    moved = FORMAT.apply(items, read(made), [MoveRecord(5, 7), RemoveRecord(2)])
    assert [item.uid for item in moved] == [0, 1, 3, 4, 6, 7, 5, *range(8, len(items))]
    assert [item.value["ordinal"] for item in moved] == list(range(len(items) - 1))


def test_records_without_edits_stay_the_same() -> None:
    made = turn()
    made.remove(of(made, "c3", "out"))
    items: list[Item] = made.items
    transcript = read(made)
    call = next(block for block in blocks(transcript, "call") if block.id == "c3")
    after = FORMAT.apply(items, transcript, [InsertResult(call, "three", False)])
    same = [item for item in after if any(item is found for found in items)]
    assert len(same) == items.index(next(item for item in items if item.value["payload"].get("role") == "assistant"))
    new = next(item for item in after if item.uid < 0)
    assert new.value["payload"] == {"type": "function_call_output", "call_id": "c3", "output": "three"}


def test_a_new_output_gets_the_turn_id_of_its_call() -> None:
    made = turn()
    made.remove(of(made, "c1", "out"))
    after = FORMAT.apply(made.items, read_ := read(made), [InsertResult(blocks(read_, "call")[0], "one", False)])
    new = next(item for item in after if item.uid < 0)
    assert new.value["payload"]["internal_chat_message_metadata_passthrough"] == {"turn_id": "t1"}


@pytest.mark.parametrize(
    ("item", "mended"),
    [
        ({"output": {"content": "one", "success": True}}, {"output": "one"}),
        ({"output": [{"type": "text", "text": "one"}]}, {"output": [{"type": "input_text", "text": "one"}]}),
    ],
)
def test_an_output_that_codex_cannot_load_is_rewritten(item: dict[str, Any], mended: dict[str, Any]) -> None:
    made = turn()
    of(made, "c1", "out")["payload"].update(item)
    session = made.session()
    assert [(problem.severity, problem.impact) for problem in session.problems] == [("error", "loses")]
    session.stage_recommended()
    assert not session.problems
    assert of_session(session, "c1")["output"] == mended["output"]


def of_session(session: Session, id_: str) -> dict[str, Any]:
    return next(
        item
        for item in items_of(values_of(session.to_bytes()))
        if item.get("call_id") == id_ and item["type"].endswith("_output")
    )


@pytest.mark.parametrize("given", [{"cmd": "ls"}, None])
def test_arguments_that_are_not_a_string_become_one(given: Any) -> None:
    made = turn()
    of(made, "c1", "call")["payload"]["arguments"] = given
    if given is None:
        del of(made, "c1", "call")["payload"]["arguments"]
    session = made.session()
    (problem,) = session.problems
    assert (problem.severity, problem.impact) == ("error", "loses")
    session.stage_recommended()
    assert not session.problems
    call = next(item for item in items_of(values_of(session.to_bytes())) if item.get("call_id") == "c1")
    assert call["arguments"] == ('{"cmd": "ls"}' if given else "{}")


def test_a_record_without_a_time_gets_one() -> None:
    made = turn()
    del of(made, "c1", "out")["timestamp"]
    session = made.session()
    (problem,) = session.problems
    assert (problem.rule, problem.severity, problem.impact) == ("rollout.no_timestamp", "error", "loses")
    session.stage_recommended()
    assert not session.problems
    assert all(list(value)[:2] == ["timestamp", "ordinal"] for value in values_of(session.to_bytes()))


@pytest.mark.parametrize("mark", [False, True])
def test_the_call_and_the_result_of_an_id_are_found(mark: bool) -> None:
    made = turn()
    assert found(made, "result" if mark else "call", "c2").call_kind == "function"


@pytest.mark.parametrize(("grows", "base", "told"), [(0, 100, None), (7, 100, "end elsewhere"), (-7, 10**9, "resume")])
def test_forks_are_mentioned_before_their_bytes_move(tmp_path: Path, grows: int, base: int, told: str | None) -> None:
    meta = {"id": "b", "history_base": {"thread_id": THREAD, "end_ordinal_exclusive": 2, "end_byte_offset": base}}
    record = {"timestamp": "2026-11-21T07:00:00Z", "type": "session_meta", "payload": meta}
    (tmp_path / NAME).write_bytes(b"")
    (tmp_path / "rollout-fork.jsonl").write_text(json.dumps(record))
    (tmp_path / "rollout-other.jsonl").write_text(json.dumps(record).replace(THREAD, "other"))
    notes = fork_notes(THREAD, FilesBeside(tmp_path / NAME), 1000, 1000 + grows)
    assert len(notes) == (told is not None)
    assert all("rollout-fork.jsonl" in note and told is not None and told in note for note in notes)
