"""Reading Codex's rollouts: what is recognised, which records are active, and what the transcript holds."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.each import each
from tests.formats.codex_files import FOLDER, NAME, THREAD, Rollout, blocks, read, shape
from toolpair.formats import all_formats
from toolpair.formats.codex import FORMAT
from toolpair.history.sent_rows import seen_rows
from toolpair.session.session import open_session


def plain() -> Rollout:
    made = Rollout()
    made.user("<environment_context>here</environment_context>")
    made.begins("t1", "Look.")
    made.says("I look.")
    made.call("c1")
    made.call("c2")
    made.ran("c1", "one")
    made.output("c1", "one")
    made.output("c2", "two")
    made.says("Done.")
    made.ends()
    return made


def test_a_rollout_is_recognised_before_all_other_formats() -> None:
    values = plain().values
    scores = {found.id: found.sniff(values) for found in all_formats()}
    assert max(scores, key=lambda id_: scores[id_]) == "codex"
    assert scores["codex"] > 90
    assert all(score == 0 for id_, score in scores.items() if id_ != "codex")


@each(
    "values",
    [
        [
            {"type": "thread.started", "thread_id": "x"},
            {"type": "item.completed", "item": {"type": "command_execution"}},
        ],
        [{"type": "user", "message": {"role": "user", "content": "hi"}, "uuid": "u", "sessionId": "s"}],
        [{"role": "user", "content": "hi"}, {"role": "assistant", "content": "yo"}],
        [{"type": "message", "role": "user", "content": []}, {"type": "function_call", "call_id": "c"}],
        [{"type": "session_meta", "payload": "text"}],
        [],
    ],
)
def test_other_files_are_not_rollouts(values: list[Any]) -> None:
    assert FORMAT.sniff(values) == 0


def test_the_first_versions_wrote_bare_items() -> None:
    values: list[dict[str, Any]] = [
        {"id": THREAD, "timestamp": "2025-08-01T00:00:00Z", "instructions": None, "git": {}},
        {"record_type": "state"},
        {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "Look."}]},
        {"type": "function_call", "name": "shell", "arguments": "{}", "call_id": "c1"},
        {"type": "function_call_output", "call_id": "c1", "output": "one"},
        {"record_type": "state"},
    ]
    assert FORMAT.sniff(values) >= 90
    made = Rollout(paginated=False)
    made.values = values
    transcript = read(made)
    assert shape(transcript) == ["user: Look.", "call c1", "out c1 one"]
    assert transcript.session_id == THREAD


def test_facts_about_the_session() -> None:
    transcript = read(plain())
    assert (transcript.agent, transcript.agent_version) == ("Codex", "0.169.0")
    assert (transcript.session_id, transcript.folder, transcript.model) == (THREAD, FOLDER, "gpt-5.5")
    command = plain().session().resume_command()
    assert command == f"cd '{FOLDER}' && codex resume {THREAD}"


def test_items_of_the_model_make_one_message_and_events_never_count() -> None:
    transcript = read(plain())
    assert [(message.role, len(message.blocks)) for message in transcript.messages] == [
        ("user", 1),
        ("user", 1),
        ("assistant", 3),
        ("tool", 1),
        ("tool", 1),
        ("assistant", 1),
    ]
    assert transcript.messages[0].note == "meta"
    assert not transcript.scopes


def test_unknown_records_and_items_are_skipped() -> None:
    made = plain()
    made.record("something_new", {"type": "function_call", "call_id": "x", "name": "n", "arguments": "{}"})
    made.item("something_else", call_id="y")
    assert shape(read(made)) == shape(read(plain()))


def compacted(notes: Any = "none") -> Rollout:
    made = plain()
    kept = [{"type": "message", "role": "user", "content": [{"type": "input_text", "text": "Look."}]}]
    made.begins("t2", "More.")
    made.compacted(kept, **({} if notes == "none" else {"replacement_history_metadata": notes}))
    made.call("c3")
    made.output("c3", "three")
    made.ends()
    return made


@pytest.mark.parametrize("notes", ["none", None, [{}]])
def test_a_compaction_replaces_everything_before_it(notes: Any) -> None:
    transcript = read(compacted(notes))
    assert shape(transcript) == ["user: Look.", "call c3", "out c3 three"]
    assert sum(block.kind == "call" for block in transcript.inactive_blocks) == 2
    assert [(line.cut, line.message) for line in transcript.boundaries] == [(None, 1)]
    inactive = [uid for uid, scope in transcript.scopes.items() if scope == "inactive"]
    assert len(inactive) == 9


@pytest.mark.parametrize("notes", [[], [{}, {}], {}])
def test_a_compaction_with_lists_of_different_length_does_not_count(notes: Any) -> None:
    made = compacted(notes)
    assert "call c1" in shape(read(made))
    session = made.session()
    (problem,) = session.problems
    assert problem.rule == "rollout.compaction_ignored"
    session.stage(problem)
    assert not session.problems
    assert [f"{block.kind} {block.id}" for m in session.conversation.transcript.messages for block in m.blocks][1:] == [
        "call c3",
        "result c3",
    ]


def test_a_compaction_with_only_a_summary_keeps_the_users_words() -> None:
    made = plain()
    made.compacted(None, "They looked.")
    made.begins("t2", "More.")
    assert shape(read(made)) == ["user: Look.", "user: They looked.", "user: More."]


def test_rolled_back_turns_are_inactive_with_their_context() -> None:
    made = plain()
    made.user("<environment_context>there</environment_context>")
    made.begins("t2", "Wrong.")
    made.call("c3")
    made.user("<turn_aborted>\nstopped")
    made.event("thread_rolled_back", num_turns=1)
    made.begins("t3", "Right.")
    words = shape(read(made))
    assert words[-2:] == ["assistant: Done.", "user: Right."]
    assert "call c3" not in words
    assert not made.session().problems


def test_rolling_back_beyond_the_first_turn_keeps_what_came_before() -> None:
    made = plain()
    made.event("thread_rolled_back", num_turns=9)
    assert shape(read(made)) == ["user: <environment_context>here</environment_context>"]


def test_a_compaction_in_a_rolled_back_turn_does_not_count() -> None:
    made = compacted()
    before = shape(read(plain()))
    made.event("thread_rolled_back", num_turns=1)
    assert shape(read(made)) == before


def test_an_older_compaction_counts_again_when_the_newer_one_is_rolled_back() -> None:
    made = compacted()
    after_first = shape(read(made))
    made.begins("t3", "Still more.")
    made.compacted([{"type": "message", "role": "user", "content": [{"type": "input_text", "text": "NEWER"}]}])
    made.ends()
    assert shape(read(made)) == ["user: NEWER"]
    made.event("thread_rolled_back", num_turns=1)
    assert shape(read(made)) == after_first


def test_one_id_for_two_kinds_pairs_within_the_kind() -> None:
    made = Rollout()
    made.begins("t1", "Go.")
    made.call("same", "function_call")
    made.call("same", "custom_tool_call", "apply_patch")
    made.output("same", "of the patch", "custom_tool_call")
    made.output("same", "of the command", "function_call")
    pairs = made.session().conversation.pairs
    assert [(pair.call.name, pair.result.value["output"]) for pair in pairs if pair.call and pair.result] == [
        ("exec_command", "of the command"),
        ("apply_patch", "of the patch"),
    ]


def test_searches_by_the_server_need_no_output() -> None:
    made = plain()
    made.item("tool_search_call", execution="server", call_id=None, arguments={})
    made.item("tool_search_output", execution="server", call_id=None, tools=[])
    made.item("web_search_call", id="ws_1", status="completed")
    made.says("Found.")
    assert not made.session().problems
    assert len(blocks(read(made), "call")) == 2


def test_a_local_shell_call_may_only_have_an_item_id() -> None:
    made = Rollout()
    made.begins("t1", "Go.")
    made.item("local_shell_call", id="ls_1", status="completed", action={"type": "exec", "command": ["ls"]})
    made.output("ls_1", "files")
    (call,) = blocks(read(made), "call")
    assert (call.id, call.name) == ("ls_1", "local_shell")


def test_an_output_that_is_only_in_an_event_is_found() -> None:
    made = Rollout()
    made.begins("t1", "Go.")
    made.call("c1")
    made.call("c2", name="shell")
    made.call("c3", "custom_tool_call", "apply_patch")
    made.call("c4", name="server__tool")
    made.call("c5")
    made.ran("c1", "one\n", 3)
    made.event(
        "exec_command_end", call_id="c2", aggregated_output="two\n", exit_code=0, duration={"secs": 2, "nanos": 0}
    )
    made.event("patch_apply_end", call_id="c3", success=True, stdout="Success.\n", stderr="")
    made.event("mcp_tool_call_end", call_id="c4", result={"Ok": {"content": [{"type": "text", "text": "four"}]}})
    made.ran("c5", "", -1)
    made.uses()
    made.says("Done.")
    found = dict(read(made).copies)
    assert found == {
        "c1": ("Wall time: 1.2500 seconds\nProcess exited with code 3\nOutput:\none\n", "in an event, line 10"),
        "c2": ("Exit code: 0\nWall time: 2.0 seconds\nOutput:\ntwo\n", "in an event, line 11"),
        "c3": ("Exit code: 0\nWall time: 0 seconds\nOutput:\nSuccess.\n", "in an event, line 12"),
        "c4": ("four", "in an event, line 13"),
    }
    session = made.session()
    session.stage_recommended()
    assert [pair.result.value["output"][-5:] for pair in session.conversation.pairs if pair.result] == [
        "\none\n",
        "\ntwo\n",
        "ess.\n",
        "four",
        session.conversation.pairs[4].result.value["output"][-5:],  # type: ignore[union-attr]
    ]
    assert "No result was recorded" in session.conversation.pairs[4].result.value["output"]  # type: ignore[union-attr]


def test_an_event_with_a_shared_id_is_not_trusted() -> None:
    made = Rollout()
    for turn in ("t1", "t2"):
        made.begins(turn, "Go.")
        made.call("call_0")
        made.ran("call_0", f"of {turn}")
    assert not dict(read(made).copies)
    made.remove(made.values[-1])
    assert not dict(read(made).copies), "the one event that is left may tell of either call"


def test_contradicting_events_are_not_trusted() -> None:
    made = Rollout()
    made.begins("t1", "Go.")
    made.call("c1")
    made.ran("c1", "one")
    made.ran("c1", "one")
    assert "Output:\none" in read(made).copies["c1"][0]
    made.ran("c1", "another")
    assert not dict(read(made).copies)


def stopped(text: str) -> Rollout:
    made = Rollout()
    made.begins("t1", "Go.")
    made.call("c1")
    made.output("c1", text)
    made.ran("c1", "the real one")
    made.says("Done.")
    return made


def test_codexs_text_for_a_missing_output_is_not_real_output() -> None:
    session = stopped("aborted").session()
    session.stage_recommended()
    assert session.conversation.pairs[0].result is not None
    assert session.conversation.pairs[0].result.value["output"].endswith("the real one")


@pytest.mark.parametrize("text", ["Wall time: 1.5 seconds\naborted by user", "aborted by user after 3.1s"])
def test_a_call_that_a_person_stopped_stays_stopped(text: str) -> None:
    made = stopped(text)
    session = made.session()
    assert not session.problems and session.conversation.verdict.placeholders == 0
    assert (session.conversation.verdict.outputs_seen, session.conversation.verdict.outputs_total) == (1, 1)
    session.stage_recommended()
    assert session.to_bytes() == made.data


PARENT = "01a1fd17-d37f-7833-bddc-d042d96e8488"
PARENT_NAME = f"rollout-2026-11-21T07-52-39-{PARENT}"


def parent() -> Rollout:
    made = Rollout(id=PARENT)
    made.begins("t1", "First.")
    made.call("c1")
    made.output("c1", "of the parent")
    made.says("Done.")
    made.ends()
    return made


def fork(folder: Path, **more: Any) -> Path:
    base = {"thread_id": PARENT, "end_ordinal_exclusive": 21, "end_byte_offset": 0, **more}
    made = Rollout(first=21, forked_from_id=PARENT, history_base=base)
    made.begins("t9", "Branch off.")
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / NAME
    path.write_bytes(made.data)
    return path


@pytest.mark.parametrize("where", [".", "../19", "../../../../archived_sessions"])
@pytest.mark.parametrize("ending", ["jsonl", "jsonl.zst"])
def test_a_fork_whose_parent_is_there(tmp_path: Path, where: str, ending: str) -> None:
    # The parent's id starts with the time 2026-11-21, 07:52 UTC.
    path = fork(tmp_path / "sessions" / "2026" / "11" / "20")
    home = path.parent / where
    home.mkdir(parents=True, exist_ok=True)
    if where == "../19":
        home = path.parent / "../21"
        home.mkdir()
    (home / f"{PARENT_NAME}.{ending}").write_bytes(b"")
    assert not open_session(path).problems


@pytest.mark.parametrize("where", [".", "../20", "../../03/07"])
def test_a_fork_is_sent_with_its_parents_part(tmp_path: Path, where: str) -> None:
    before = parent()
    path = fork(tmp_path / "sessions" / "2026" / "11" / "21", end_byte_offset=len(before.data))
    home = path.parent / where
    home.mkdir(parents=True, exist_ok=True)
    before.user("Said after the fork.")
    (home / f"{PARENT_NAME}.jsonl").write_bytes(before.data)
    session = open_session(path)
    assert not session.problems and shape(session.conversation.transcript) == ["user: Branch off."]
    told = [(row.fate, row.role) for row in seen_rows(session.conversation.judged)]
    assert told == [
        ("inherited", "user"),
        ("inherited", "assistant"),
        ("inherited", "tool"),
        ("inherited", "assistant"),
        ("sent", "user"),
    ]
    assert "of the parent" in [row.text for row in seen_rows(session.conversation.judged)]
    # Only the file's own outputs are counted.
    assert session.conversation.verdict.outputs_total == 0


def test_a_fork_whose_parent_became_shorter_is_not_resumed(tmp_path: Path) -> None:
    before = parent()
    path = fork(tmp_path / "sessions" / "2026" / "11" / "21", end_byte_offset=len(before.data) + 1)
    (path.parent / f"{PARENT_NAME}.jsonl").write_bytes(before.data)
    session = open_session(path)
    (problem,) = session.problems
    assert (problem.rule, problem.impact) == ("rollout.parent_missing", "stops")
    assert "became shorter" in problem.text
    seen = session.conversation.judged.seen
    assert seen is not None and seen.refuses is not None and "became shorter" in session.conversation.verdict.sentence


def test_parents_that_name_each_other_are_reported(tmp_path: Path) -> None:
    other = "01a1fd17-7a6c-7c11-9e18-deaa896459f4"
    before = parent()
    before.values[0]["payload"]["history_base"] = {"thread_id": PARENT, "end_byte_offset": 5}
    path = fork(tmp_path / "sessions" / "2026" / "11" / "21", end_byte_offset=len(before.data))
    (path.parent / f"{PARENT_NAME}.jsonl").write_bytes(before.data)
    assert other in path.name
    (problem,) = open_session(path).problems
    assert problem.rule == "rollout.parent_missing"


def test_a_fork_without_its_parent_is_reported(tmp_path: Path) -> None:
    (problem,) = open_session(fork(tmp_path / "sessions" / "2026" / "11" / "21")).problems
    assert (problem.rule, problem.severity, problem.impact) == ("rollout.parent_missing", "warning", "stops")
    assert "01a1fd17-d37f-7833-bddc-d042d96e8488" in problem.text
