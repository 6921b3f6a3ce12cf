"""The active history of Claude Code's files, as the agent rebuilds it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from tests.formats.claude_code_files import (
    Log,
    broken,
    call,
    changed,
    items_of,
    outputs,
    session,
    shape,
    text,
    without,
)
from tests.session_folders import line
from toolpair.formats.claude_code import FORMAT
from toolpair.session.session import open_session
from toolpair.transcript.edits import Relink
from toolpair.transcript.model import Damaged


def read(log: Any) -> Any:
    return FORMAT.read(log.items if isinstance(log, Log) else log)


def cuts(transcript: Any) -> list[str]:
    return [boundary.text for boundary in transcript.boundaries if boundary.cut is not None]


def resume_command(values: Iterable[Any]) -> str | None:
    return open_session("x", data=b"".join(map(line, values))).resume_command()


def test_parallel_calls_are_one_message_and_so_are_their_results() -> None:
    transcript = read(session())
    assert shape(transcript) == [
        ("user", ["do three things"]),
        ("assistant", ["Three at once.", "call toolu_A", "call toolu_B", "call toolu_C"]),
        ("user", ["result toolu_B", "result toolu_A", "result toolu_C"]),
        ("assistant", ["One more.", "call toolu_D"]),
        ("user", ["result toolu_D"]),
        ("assistant", ["Done."]),
    ]
    assert not broken(transcript)
    assert transcript.boundaries == () and not transcript.scopes
    assert (transcript.agent, transcript.agent_version, transcript.model) == ("Claude Code", "2.1.329", "m")
    links = {
        block.id: block.link for message in transcript.messages for block in message.blocks if block.kind == "call"
    }
    assert links["toolu_B"] == "a3"


def test_the_command_to_resume_is_quoted() -> None:
    command = resume_command(session().values)
    assert command == "cd '/home/dev/my project' && claude --resume 0d3f3a52-6c0a-4a57-9f0e-2f9a3a1c7e11"


def test_sniff_looks_beyond_the_first_line() -> None:
    log = Log()
    log.note("summary", summary="x", leafUuid="a")
    log.note("queue-operation", operation="enqueue")
    assert 0 < FORMAT.sniff(log.values) < 60
    log.user("u", "hello")
    log.says("a", "m", text("hi"))
    assert FORMAT.sniff(log.values) >= 90
    assert FORMAT.sniff([{"role": "user", "content": "x"}]) == 0
    assert FORMAT.sniff([{"type": "session_meta", "payload": {}}, 3, None, []]) == 0


def test_the_last_chain_record_is_the_leaf_unless_the_last_prompt_names_another_branch() -> None:
    log = session()
    log.user("x1", "another branch", parent="a1")
    log.says("x2", "msg_x", text("there"))
    assert shape(read(log))[-1] == ("assistant", ["Done."])
    del log.values[next(i for i, v in enumerate(log.values) if v["type"] == "last-prompt" and v["leafUuid"] == "a7")]
    # Nor does the branch descend from a4, which the earlier last-prompt names.
    assert shape(read(log))[-1][1][-1] != "there"
    values = [value for value in log.values if value["type"] != "last-prompt"]
    transcript = read(items_of(values))
    assert shape(transcript)[-1] == ("assistant", ["there"])
    assert set(transcript.scopes.values()) == {"inactive"}


def test_a_lost_parent_is_bridged_over_five_seconds_and_no_more() -> None:
    for step, found in ((1.0, 6), (6.0, 1)):
        log = Log(step)
        log.user("u1", "one")
        log.says("a1", "m1", text("two"))
        log.user("u2", "three")
        log.says("a2", "m2", text("four"))
        log.user("u3", "five")
        log.says("a3", "m3", text("six"), parent="lost")
        transcript = read(log)
        assert len(transcript.messages) == found
        assert cuts(transcript) == (
            [] if found == 6 else ["The agent forgets all above: 5 messages, 0 outputs. Link lost"]
        )


def test_a_null_parent_in_the_middle_and_a_cycle_cut_the_history() -> None:
    log = Log(6.0)
    log.user("u1", "one")
    log.says("a1", "m1", call("toolu_A"))
    log.result("r1", "a1", "toolu_A", "x")
    log.says("a2", "m2", text("two"))
    log.user("u2", "three")
    for parent in (None, "u2", "a2"):
        transcript = read(changed(log, "a2", parentUuid=parent))
        assert cuts(transcript) == ["The agent forgets all above: 3 messages, 1 output. Link lost"]
        assert transcript.boundaries[0].record == 3


def test_what_the_last_prompt_leaves_after_a_break_is_reported() -> None:
    log = Log(6.0)
    log.user("u1", "one")
    log.says("a1", "m1", text("two"))
    log.note("last-prompt", leafUuid="a1")
    log.user("u2", "three", parent="lost")
    log.says("a2", "m2", text("four"))
    transcript = read(log)
    assert len(transcript.messages) == 2
    assert cuts(transcript) == ["The agent does not see what follows: 2 messages, 0 outputs. Link lost"]
    assert transcript.boundaries[0].message == 2


def test_a_slice_of_a_session_and_a_new_start_are_not_cuts() -> None:
    log = Log(6.0)
    log.user("u1", "one", parent="before-the-slice")
    log.says("a1", "m1", text("two"))
    assert not cuts(read(log))
    log.record("progress", "p1", None, data={"hookEvent": "SessionStart"})
    log.user("u2", "three")
    assert not cuts(read(log))


def test_a_later_line_with_the_same_uuid_wins() -> None:
    log = session()
    log.values.insert(3, {**log.values[2], "message": {**log.values[2]["message"], "content": [text("Replaced.")]}})
    assert shape(read(log))[1][1][0] == "Replaced."


def test_history_begins_at_the_compaction() -> None:
    log = session()
    log.record("system", "c1", None, subtype="compact_boundary", logicalParentUuid="a7", compactMetadata={})
    log.user("c2", "This session is being continued", isCompactSummary=True)
    log.says("a8", "msg_8", call("toolu_E"))
    log.result("r5", "a8", "toolu_E", "output E")
    log.note("last-prompt", leafUuid="r5")
    transcript = read(log)
    assert [message.note for message in transcript.messages] == ["summary", None, None]
    assert [(boundary.cut, boundary.text) for boundary in transcript.boundaries] == [
        (None, "replaced by a summary (normal)")
    ]
    assert sum(block.kind == "call" for block in transcript.inactive_blocks) == 4
    assert len(transcript.inactive_blocks) == 8


def test_what_a_compaction_kept_follows_its_summary() -> None:
    log = session()
    kept = ["a6", "r4", "a7"]
    metadata = {"preservedMessages": {"anchorUuid": "c2", "uuids": kept, "allUuids": kept}}
    log.record("system", "c1", None, subtype="compact_boundary", compactMetadata=metadata)
    log.user("c2", "This session is being continued", isCompactSummary=True)
    log.user("u9", "go on")
    log.note("last-prompt", leafUuid="u9")
    assert shape(read(log)) == [
        ("user", ["This session is being continued"]),
        ("assistant", ["call toolu_D"]),
        ("user", ["result toolu_D"]),
        ("assistant", ["Done."]),
        ("user", ["go on"]),
    ]
    segment = {"preservedSegment": {"headUuid": "a6", "anchorUuid": "c2", "tailUuid": "a7"}}
    log.values[-3]["parentUuid"], log.values[-4]["compactMetadata"] = "c1", segment
    assert len(read(log).messages) == 5


def test_the_agents_error_messages_are_not_sent_but_its_own_words_are() -> None:
    log = Log()
    log.user("u1", "one")
    error = log.says("e1", "x", text("API Error: 400"), isApiErrorMessage=True)
    error["message"]["model"] = "<synthetic>"
    log.user("u2", "two", isMeta=True)
    own = log.says("s1", "y", text("No response requested."))
    own["message"]["model"] = "<synthetic>"
    assert shape(read(log)) == [("user", ["one", "two"]), ("assistant", ["No response requested."])]


def test_results_come_first_among_several_records_but_not_inside_one() -> None:
    log = Log()
    log.user("u1", "go")
    log.says("a1", "m1", call("toolu_A"))
    log.user("w1", "words between")
    log.result("r1", "a1", "toolu_A", "output A", parent="w1")
    assert shape(read(log))[-1] == ("user", ["result toolu_A", "words between"])
    lone = Log()
    lone.user("u1", "go")
    lone.says("a1", "m1", call("toolu_A"))
    lone.result("r1", "a1", "toolu_A", "output A")["message"]["content"].insert(0, text("first"))
    assert shape(read(lone))[-1] == ("user", ["first", "result toolu_A"])


def test_results_off_the_chain_go_to_their_call() -> None:
    for fields in ({"parentUuid": None}, {"parentUuid": "nowhere", "sourceToolAssistantUUID": None}):
        transcript = read(changed(session(), "r1", **fields))
        assert not broken(transcript) and len(outputs(transcript)) == 4
    early = session()
    at = next(i for i, v in enumerate(early.values) if v.get("uuid") == "a6")
    early.values[at]["parentUuid"] = "r4"
    early.values[at + 2]["parentUuid"] = "a5"
    early.values[-2]["parentUuid"] = "a6"
    assert not broken(read(early))


def test_a_result_after_another_response_stays_there() -> None:
    log = Log()
    log.user("u1", "go")
    log.says("a1", "m1", call("toolu_A"))
    log.says("a2", "m2", text("meanwhile"))
    log.result("r1", "a1", "toolu_A", "late", parent="a2")
    log.says("a3", "m3", text("end"))
    assert [role for role, _ in shape(read(log))] == ["user", "assistant", "assistant", "user", "assistant"]


def test_ids_reused_in_every_turn_stay_with_their_turn() -> None:
    log = session()
    for value in log.values:
        for part in (value.get("message") or {}).get("content", ()):
            if isinstance(part, dict):
                part.update({key: "call_0" for key in ("id", "tool_use_id") if key in part})
    assert [len(message.results) for message in read(log).messages] == [0, 0, 3, 0, 1, 0]


def test_sub_agents_inside_an_old_file_are_inactive_and_their_own_file_is_read() -> None:
    log = session()
    log.user("s1", "sub-agent", parent=None, isSidechain=True)
    log.says("s2", "sm", call("toolu_S"), isSidechain=True)
    transcript = read(log)
    assert (
        not broken(transcript)
        and sum(block.kind == "call" for block in transcript.inactive_blocks) == 1
        and not transcript.boundaries
    )
    own = read(items_of([value for value in log.values if value.get("isSidechain") is True]))
    assert len(own.messages) == 2 and own.agent == "Claude Code sub-agent"
    assert resume_command([value for value in log.values if value.get("isSidechain") is True]) is None


def test_copies_of_outputs_are_found() -> None:
    log = session()
    reminder = "\n\n<system-reminder>\n<total_tokens>5 tokens left</total_tokens>\n</system-reminder>"
    sent = {"type": "tool_result", "tool_use_id": "toolu_C", "content": "output C" + reminder}
    log.note("api-request-blob", hash="h", message={"role": "user", "content": [sent]})
    log.values[7]["message"]["content"][0]["content"] = ""
    log.values[7]["toolUseResult"] = {"stdout": "output B", "stderr": ""}
    progress = {"type": "bash_progress", "output": "so far"}
    log.record("progress", "p9", parentToolUseID="toolu_D", data=progress)
    copies = read(log).copies
    assert {id_: content for id_, (content, _) in copies.items()} == {
        "toolu_C": "output C",
        "toolu_B": "output B",
        "toolu_D": "so far",
    }


def test_odd_records_are_read_without_errors() -> None:
    log = session()
    odd: list[Any] = [3, None, [], {"type": []}, {"type": "user"}, {"type": "user", "uuid": 4, "message": 5}]
    odd += [{"type": "assistant", "uuid": "z", "parentUuid": [1], "message": {"content": {"a": 1}}, "timestamp": 7}]
    odd += [
        {"type": "system", "subtype": "compact_boundary", "compactMetadata": {"preservedMessages": {"uuids": [[]]}}}
    ]
    odd += [Damaged("record.torn", "cut off"), {"type": "last-prompt", "leafUuid": {}}]
    items = items_of([*odd, *log.values])
    transcript = read(items)
    assert len(transcript.messages) == 6
    assert transcript.scopes[odd.index(next(o for o in odd if isinstance(o, Damaged)))] == "malformed"
    assert FORMAT.apply(items, transcript, []) == items
    assert read([]).messages == ()


def test_an_orphan_stays_visible_when_its_calls_record_is_lost() -> None:
    transcript = read(without(session(), "a6"))
    assert broken(transcript) == ["result toolu_D"]


def test_a_cut_is_fixed_with_the_record_before_it() -> None:
    log = Log(6.0)
    log.user("u1", "one")
    log.says("a1", "m1", call("toolu_A"))
    log.result("r1", "a1", "toolu_A", "x")
    log.says("a2", "m2", text("two"))
    log.user("u2", "three")
    for parent in (None, "lost", "u2", "a2"):
        items = changed(log, "a2", parentUuid=parent)
        cut = read(items).boundaries[0].cut
        assert cut is not None and cut.repair is not None
        mended = FORMAT.apply(items, read(items), [Relink(*link) for link in cut.repair.relink])
        assert [item is old for item, old in zip(mended, items, strict=True)] == [True, True, True, False, True]
        assert len(read(mended).messages) == 5 and not cuts(read(mended))
