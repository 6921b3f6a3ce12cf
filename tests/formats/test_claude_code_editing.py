"""Edits as changes to Claude Code's records: the intended pairs, an unbroken chain, everything else untouched."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from copy import deepcopy
from typing import Any

import pytest

from tests.each import each
from tests.formats.claude_code_files import (
    Log,
    again,
    block,
    broken,
    call,
    changed,
    check_records,
    items_of,
    lost_parents,
    outputs,
    session,
    shape,
    text,
    without,
)
from tests.rounds import some
from tests.work import growing
from toolpair.formats.claude_code import FORMAT
from toolpair.formats.format import Item
from toolpair.transcript.edits import (
    Edit,
    InsertMessage,
    InsertResult,
    MoveResult,
    MoveToRole,
    Remove,
    RemoveMessage,
    Rename,
    Reorder,
    ReplaceWithText,
    SetField,
    SetValue,
)
from toolpair.transcript.model import PLACEHOLDER, Transcript


def apply(items: Sequence[Item], edits: Sequence[Edit], transcript: Transcript) -> tuple[list[Item], Transcript]:
    after = FORMAT.apply(items, transcript, edits)
    check_records(items, after)
    same = FORMAT.apply(items, transcript, edits)
    assert [item.value for item in same] == [item.value for item in after]
    return after, FORMAT.read(after)


def values(items: Sequence[Item]) -> dict[str, dict[str, Any]]:
    return {item.value["uuid"]: item.value for item in items if item.value.get("uuid")}


def chain_length(items: Sequence[Item]) -> int:
    found, by_uuid = 0, values(items)
    uuid = "a7"
    while uuid in by_uuid:
        found += 1
        uuid = by_uuid[uuid]["parentUuid"]
    return found


@pytest.mark.parametrize("relink", [True, False])
@pytest.mark.parametrize("gone", ["r1", "r2", "r3", "r4"])
def test_a_lost_result_is_filled_in(gone: str, relink: bool) -> None:
    items = without(session(), gone, relink=relink)
    transcript = FORMAT.read(items)
    missing = next(b for m in transcript.messages for b in m.calls if f"call {b.id}" in broken(transcript))
    after, read = apply(items, [InsertResult(missing, PLACEHOLDER, True)], transcript)
    assert not broken(read) and len(outputs(read)) == 4
    assert lost_parents(after) == set()
    assert chain_length(after) == chain_length(session().items)
    new = next(item.value for item in after if item.uid < 0)
    source = values(items)[missing.link or ""]
    assert new["parentUuid"] == new["sourceToolAssistantUUID"] == missing.link
    assert new["toolUseResult"] == PLACEHOLDER and new["promptId"] == "p1"
    assert all(
        new[key] == source[key] for key in ("sessionId", "cwd", "version", "gitBranch", "isSidechain", "userType")
    )
    assert source["timestamp"] < new["timestamp"]
    if gone == "r4":
        assert new["timestamp"] <= values(items)["a7"]["timestamp"]
        assert values(after)["a7"]["parentUuid"] == new["uuid"]
    assert after[-1].value["type"] == "last-prompt" and after[-2].value["uuid"] == "a7"


def test_answers_are_in_call_order() -> None:
    items = without(session(), "r1", "r2")
    transcript = FORMAT.read(items)
    edits = [InsertResult(block(transcript, "call", id_), "again", False) for id_ in ("toolu_B", "toolu_A")]
    _, read = apply(items, edits, transcript)
    assert sorted(shape(read)[2][1]) == ["result toolu_A", "result toolu_B", "result toolu_C"]
    assert not broken(read)


def test_an_answer_at_the_end_of_the_session_can_be_the_leaf() -> None:
    log = Log()
    log.user("u1", "go")
    log.says("a1", "m1", call("toolu_A"))
    log.says("a2", "m1", call("toolu_B"))
    log.note("last-prompt", leafUuid="a2")
    transcript = FORMAT.read(log.items)
    edits = [InsertResult(b, PLACEHOLDER, True) for b in transcript.messages[1].calls]
    _, read = apply(log.items, edits, transcript)
    assert shape(read)[-1] == ("user", ["result toolu_A", "result toolu_B"])


def test_a_result_of_a_kept_call_is_listed_as_kept() -> None:
    log = session()
    kept = ["a6", "a7"]
    metadata = {"preservedMessages": {"anchorUuid": "c2", "uuids": kept, "allUuids": [*kept, "x"]}}
    log.record("system", "c1", None, subtype="compact_boundary", compactMetadata=metadata)
    log.user("c2", "This session is being continued", isCompactSummary=True)
    log.user("u9", "go on")
    log.note("last-prompt", leafUuid="u9")
    transcript = FORMAT.read(log.items)
    assert broken(transcript) == ["call toolu_D"]
    after, read = apply(log.items, [InsertResult(block(transcript, "call", "toolu_D"), PLACEHOLDER, True)], transcript)
    assert not broken(read)
    new = next(item.value for item in after if item.uid < 0)["uuid"]
    lists = values(after)["c1"]["compactMetadata"]["preservedMessages"]
    assert lists == {"anchorUuid": "c2", "uuids": ["a6", new, "a7"], "allUuids": ["a6", new, "a7", "x"]}


def test_renaming_includes_the_structural_copies() -> None:
    log = session()
    log.note(
        "api-request-blob", message={"role": "user", "content": [{"type": "tool_result", "tool_use_id": "toolu_D"}]}
    )
    log.note("content-replacement", replacements=[{"toolUseId": "toolu_D"}, {"toolUseId": "other"}])
    items = log.items
    transcript = FORMAT.read(items)
    both = [Rename(block(transcript, kind, "toolu_D"), "toolu_new") for kind in ("call", "result")]
    after, read = apply(items, both, transcript)
    assert not broken(read)
    assert values(after)["t3"]["attachment"]["toolUseID"] == "toolu_new"
    assert after[-1].value["replacements"] == [{"toolUseId": "toolu_new"}, {"toolUseId": "other"}]
    assert after[-2] is items[-2]
    assert sum(a is not b for a, b in zip(items, after, strict=True)) == 4
    # One side alone leaves the copies, which still name the other side.
    after, _ = apply(items, both[:1], transcript)
    assert sum(a is not b for a, b in zip(items, after, strict=True)) == 1


def test_a_late_result_is_moved_after_its_call() -> None:
    log = Log()
    log.user("u1", "go")
    log.says("a1", "m1", call("toolu_A"))
    log.says("a2", "m2", text("meanwhile"))
    log.user("u2", "and?")
    late = log.result("r1", "a1", "toolu_A", "late", parent="u2")
    log.record("attachment", "t1", attachment={})
    log.says("a3", "m3", text("end"))
    transcript = FORMAT.read(log.items)
    result = block(transcript, "result", "toolu_A")
    edit = MoveResult(result, block(transcript, "call", "toolu_A"))
    after, read = apply(log.items, [edit], transcript)
    assert not broken(read)
    assert [role for role, _ in shape(read)] == ["user", "assistant", "user", "assistant", "user", "assistant"]
    assert values(after)["t1"]["parentUuid"] == "u2" and values(after)["a2"]["parentUuid"] == "r1"
    assert [item.value["uuid"] for item in after] == ["u1", "a1", "r1", "a2", "u2", "t1", "a3"]
    # With text in the same record, the result is split off.
    late["message"]["content"].append(text("words"))
    items = items_of(deepcopy(log.values))
    transcript = FORMAT.read(items)
    edit = MoveResult(block(transcript, "result", "toolu_A"), block(transcript, "call", "toolu_A"))
    after, read = apply(items, [edit], transcript)
    assert not broken(read) and shape(read)[-2] == ("user", ["and?", "words"])


def test_a_result_in_an_assistant_record_is_placed() -> None:
    items = changed(session(), "r4", type="assistant")
    values(items)["r4"]["message"].update(role="assistant", id="msg_2")
    transcript = FORMAT.read(items)
    assert broken(transcript)
    edit = MoveResult(block(transcript, "result", "toolu_D"), block(transcript, "call", "toolu_D"))
    _after, read = apply(items, [edit], transcript)
    assert not broken(read) and shape(read)[-1] == ("assistant", ["Done."])


@each("ids", [("A",), ("B",), ("C",), ("D",), ("A", "C"), ("A", "B", "C"), ("A", "B", "C", "D")])
def test_removed_pairs_leave_the_chain_unbroken(ids: tuple[str, ...]) -> None:
    items = session().items
    transcript = FORMAT.read(items)
    edits = [Remove(block(transcript, kind, f"toolu_{id_}")) for id_ in ids for kind in ("call", "result")]
    after, read = apply(items, edits, transcript)
    assert not broken(read) and len(outputs(read)) == 4 - len(ids)
    said = [entry for _, entries in shape(read) for entry in entries]
    assert {"do three things", "Three at once.", "One more.", "Done."} <= set(said)
    assert lost_parents(after) == set()


@pytest.mark.parametrize("id_", ["A", "B", "C", "D"])
def test_outputs_kept_as_text_stay_in_the_history(id_: str) -> None:
    items = session().items
    transcript = FORMAT.read(items)
    edits = [
        ReplaceWithText(block(transcript, "result", f"toolu_{id_}"), "kept output"),
        InsertResult(block(transcript, "call", f"toolu_{id_}"), PLACEHOLDER, True),
    ]
    _, read = apply(items, edits, transcript)
    assert not broken(read)
    number = 4 if id_ == "D" else 2
    assert shape(read)[number][1][-1] == "kept output"
    edits[1] = Remove(block(transcript, "call", f"toolu_{id_}"))
    _after, read = apply(items, edits, transcript)
    assert not broken(read)
    assert "kept output" in [entry for _, entries in shape(read) for entry in entries]


def test_blocks_are_arranged_inside_their_record() -> None:
    log = Log()
    log.user("u1", "go")
    log.says("a1", "m1", call("toolu_A"), text("words"))
    log.result("r1", "a1", "toolu_A", "output A")["message"]["content"].insert(0, text("first"))
    items = log.items
    transcript = FORMAT.read(items)
    edits = [Reorder(transcript.messages[1], "calls_last"), Reorder(transcript.messages[2], "results_first")]
    after, read = apply(items, edits, transcript)
    assert shape(read)[1:] == [("assistant", ["words", "call toolu_A"]), ("user", ["result toolu_A", "first"])]
    old, new = items[2].value["message"]["content"], after[2].value["message"]["content"]
    assert new[0] is old[1] and new[1] is old[0]


def test_results_are_put_in_call_order() -> None:
    items = session().items
    transcript = FORMAT.read(items)
    order = tuple(block(transcript, "result", f"toolu_{id_}") for id_ in "ABC")
    _, read = apply(items, [Reorder(transcript.messages[2], "call_order", order)], transcript)
    assert shape(read)[2][1] == ["result toolu_A", "result toolu_B", "result toolu_C"]
    assert not broken(read)


def test_a_call_in_a_user_record_gets_a_message_of_its_own() -> None:
    log = Log()
    first = log.user("u1", "go")
    first["message"]["content"] = [text("go"), call("toolu_A"), text("please")]
    log.result("r1", "u1", "toolu_A", "output A")
    log.says("a2", "m2", text("end"))
    items = log.items
    transcript = FORMAT.read(items)
    _after, read = apply(items, [MoveToRole(block(transcript, "call", "toolu_A"), "assistant")], transcript)
    assert shape(read) == [
        ("user", ["go"]),
        ("assistant", ["call toolu_A"]),
        ("user", ["result toolu_A", "please"]),
        ("assistant", ["end"]),
    ]
    assert not broken(read)


def test_each_of_several_calls_in_a_user_record_gets_a_message() -> None:
    log = Log()
    log.user("u1", "go")
    content = [text("a"), call("toolu_A"), text("b"), call("toolu_B"), call("toolu_C"), text("c")]
    log.record("user", "u2", message={"role": "user", "content": content})
    log.says("a1", "m1", text("end"))
    items = log.items
    transcript = FORMAT.read(items)
    calls = [block(transcript, "call", f"toolu_{name}") for name in "ABC"]
    after, read = apply(items, [MoveToRole(one, "assistant") for one in calls], transcript)
    assert shape(read) == [
        ("user", ["go", "a"]),
        ("assistant", ["call toolu_A"]),
        ("user", ["b"]),
        ("assistant", ["call toolu_B", "call toolu_C"]),
        ("user", ["c"]),
        ("assistant", ["end"]),
    ]
    assert [item.value["uuid"] for item in after][:2] == ["u1", "u2"]
    moved = FORMAT.apply(items, transcript, [MoveToRole(calls[1], "assistant"), InsertResult(calls[1], "x", True)])
    assert ("user", ["result toolu_B", "call toolu_C", "c"]) in shape(FORMAT.read(moved)), "also where it has gone to"


@pytest.mark.parametrize("known", some([True, False], 1))
def test_twice_the_results_to_move_are_twice_the_work(known: bool) -> None:
    def moved(count: int) -> Callable[[], Any]:
        log = Log(0.001)
        log.user("u0", "go")
        for number in range(count):
            log.says(f"a{number}", "m", call(f"t{number}"))
        for number in range(count):
            log.result(f"r{number}", f"a{number}", f"{'t' if known else 'x'}{number}", "out", parent=log.last)
        items = log.items
        transcript = FORMAT.read(items)
        calls, results = transcript.messages[1].calls, transcript.messages[2].results
        edits = [MoveResult(result, one) for result, one in zip(reversed(results), calls, strict=True)]
        return lambda: FORMAT.apply(items, transcript, edits)

    assert growing(moved, (25, 50, 100)) == []


def test_reports_that_hang_on_each_other_end_the_search_for_what_they_hang_beside() -> None:
    log = Log(0.01)
    log.user("u0", "go")
    for uuid in ("t1", "t2", "u0"):
        log.record("attachment", uuid, attachment={"type": "environment"})
    log.record("attachment", "t4", "gone", attachment={"type": "environment"})
    log.says("a1", "m1", call("toolu_A"))
    log.user("u2", "and?")
    items = log.items
    transcript = FORMAT.read(items)
    after = FORMAT.apply(items, transcript, [InsertResult(block(transcript, "call", "toolu_A"), "x", True)])
    assert outputs(FORMAT.read(after)) == ["x"]


def test_values_fields_and_messages() -> None:
    items = session().items
    transcript = FORMAT.read(items)
    done = transcript.messages[-1]
    edits: list[Edit] = [
        SetValue(done.blocks[0], {"type": "text", "text": "Finished."}),
        InsertMessage(transcript.messages[0], "assistant", "a word"),
        InsertMessage(None, "user", "before all"),
    ]
    after, read = apply(items, edits, transcript)
    assert shape(read)[0] == ("user", ["before all", "do three things"])
    assert shape(read)[1] == ("assistant", ["a word"])
    assert shape(read)[-1] == ("assistant", ["Finished."])
    after, read = apply(items, [SetField(transcript.messages[0], "content", "other words")], transcript)
    assert shape(read)[0] == ("user", ["other words"])
    after, read = apply(
        items, [RemoveMessage(transcript.messages[3]), RemoveMessage(transcript.messages[4])], transcript
    )
    assert not broken(read) and [role for role, _ in shape(read)] == ["user", "assistant", "user", "assistant"]
    assert lost_parents(after) == set()


@pytest.mark.parametrize("compacted", [False, True])
def test_messages_inserted_at_the_start_keep_their_order(compacted: bool) -> None:
    log = session()
    if compacted:
        log.record("system", "c1", None, subtype="compact_boundary", compactMetadata={})
        log.user("c2", "This session is being continued", isCompactSummary=True)
        log.note("last-prompt", leafUuid="c2")
    edits = [InsertMessage(None, "assistant", "one"), InsertMessage(None, "user", "two")]
    _, read = apply(log.items, edits, FORMAT.read(log.items))
    said = [block.text for message in read.messages for block in message.blocks]
    assert said[:2] == ["one", "two"]


def test_a_removed_record_does_not_come_back_from_an_earlier_line() -> None:
    log = session()
    log.values.append(deepcopy(next(value for value in log.values if value.get("uuid") == "a7")))
    transcript = FORMAT.read(log.items)
    _, read = apply(log.items, [RemoveMessage(transcript.messages[-1])], transcript)
    assert shape(read)[-1] == ("user", ["result toolu_D"])


def test_a_fixed_session_stays_fixed() -> None:
    items = without(session(), "r4", relink=False)
    transcript = FORMAT.read(items)
    after, read = apply(items, [InsertResult(block(transcript, "call", "toolu_D"), PLACEHOLDER, True)], transcript)
    assert not broken(read) and not broken(FORMAT.read(again(after)))
    assert FORMAT.apply(after, read, []) == after


def test_references_to_a_removed_record_name_the_one_before_it() -> None:
    log = session()
    log.note("summary", summary="a title", leafUuid="a7")
    log.note("file-history-snapshot", messageId="a7", snapshot={"messageId": "a7", "trackedFileBackups": {}})
    log.record("system", "s1", "a7", subtype="turn_duration", logicalParentUuid="a7")
    items = log.items
    transcript = FORMAT.read(items)
    after, read = apply(items, [RemoveMessage(transcript.messages[-1])], transcript)
    assert shape(read)[-1] == ("user", ["result toolu_D"])
    by_type = {item.value["type"]: item.value for item in after}
    assert by_type["summary"]["leafUuid"] == by_type["last-prompt"]["leafUuid"] == "r4"
    assert by_type["file-history-snapshot"] == {
        **log.values[-2],
        "messageId": "r4",
        "snapshot": {"messageId": "r4", "trackedFileBackups": {}},
    }
    assert values(after)["s1"]["parentUuid"] == values(after)["s1"]["logicalParentUuid"] == "r4"


def test_removing_a_kept_pair_keeps_the_rest_of_what_was_kept() -> None:
    log = session()
    kept = ["a6", "r4", "a7"]
    lists = {"anchorUuid": "c2", "uuids": kept, "allUuids": kept}
    segment = {"headUuid": "a6", "anchorUuid": "c2", "tailUuid": "a7"}
    metadata = {"preservedMessages": lists, "preservedSegment": segment}
    log.record("system", "c1", None, subtype="compact_boundary", compactMetadata=metadata)
    log.user("c2", "This session is being continued", isCompactSummary=True)
    log.user("u9", "go on", parent="a7")
    transcript = FORMAT.read(log.items)
    pair: list[Edit] = [Remove(block(transcript, kind, "toolu_D")) for kind in ("call", "result")]
    after, read = apply(log.items, pair, transcript)
    assert [words for _, words in shape(read)] == [["This session is being continued"], ["Done."], ["go on"]]
    metadata = values(after)["c1"]["compactMetadata"]
    assert metadata["preservedMessages"] == {"anchorUuid": "c2", "uuids": ["a7"], "allUuids": ["a7"]}
    assert metadata["preservedSegment"] == {"headUuid": "a7", "anchorUuid": "c2", "tailUuid": "a7"}


def test_a_message_of_several_parts_is_inserted_as_it_is() -> None:
    items = session().items
    transcript = FORMAT.read(items)
    picture = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "aGk="}}
    after, _ = apply(items, [InsertMessage(transcript.messages[-1], "user", [text("look"), picture])], transcript)
    new = next(item.value for item in after if item.uid < 0)
    assert new["message"]["content"] == [text("look"), picture] and new["parentUuid"] == "a7"
