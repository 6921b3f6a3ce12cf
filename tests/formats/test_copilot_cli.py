"""Copilot CLI's sessions: read, checked, mended and written."""

from __future__ import annotations

import json
import tempfile
from copy import deepcopy
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tests.broken_sessions import Record, lines, word
from tests.copilot_sessions import FOLDER, ID, CopilotSession, corpus, link, put_in, sound, take_out
from tests.each import each
from tests.formats.fixing import (
    Visit,
    assert_only_changed,
    assert_settles,
    errors,
    errors_but_guesses,
    fixed,
    lost_words,
    outcome_of,
    seen_of,
    sent_rows,
    told,
)
from tests.rounds import some, tries
from toolpair.agents import catalog
from toolpair.formats import get_agent, get_format
from toolpair.formats.agent import SessionFile
from toolpair.formats.copilot_cli.events import NEEDS
from toolpair.formats.format import Usage
from toolpair.reports.reading.row_words import words_of
from toolpair.session.session import Session, open_session
from toolpair.session.surroundings import how_to_resume
from toolpair.shell.machine import Machine

PLANTED = corpus()
GUESSES = {"id_of_the_call_absent", "id_of_the_call_empty", "id_reused_and_results_late", "unknown_id"}


def opened(tmp_path: Path, data: bytes | CopilotSession, **how: Any) -> Session:
    folder = tmp_path / ".copilot" / "session-state" / ID
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "events.jsonl"
    path.write_bytes(data if isinstance(data, bytes) else data.data())
    return open_session(path, **how)


def mended(tmp_path: Path, data: bytes) -> bytes:
    return fixed(opened(tmp_path, data))


# --- each way to break one ---------------------------------------------------------------------------------


@pytest.mark.parametrize("name", some(sorted(PLANTED), 60))
def test_a_broken_session_is_mended_and_nothing_is_lost(name: str, tmp_path: Path) -> None:
    """An event that is still there has its fields as they were, but for its link, and what was mended."""
    visit = Visit(PLANTED[name], partial(opened, tmp_path))
    if name in GUESSES:
        visit.assert_left_as_a_guess()
    else:
        visit.assert_fixed("copilot-cli")
    assert_only_changed(visit.planted.data, visit.fixed, {"parentId", "data", "timestamp"}, single=True)


def test_a_sound_session_stays_as_it_is(tmp_path: Path) -> None:
    data = sound().data()
    session = opened(tmp_path, data)
    assert (session.format.id, session.problems, session.profile.id) == ("copilot-cli", (), "openai-chat")
    assert mended(tmp_path, data) == data
    transcript = session.conversation.transcript
    assert (transcript.agent, transcript.session_id, transcript.folder) == ("GitHub Copilot CLI", ID, FOLDER)
    assert (transcript.agent_version, transcript.model) == ("1.0.102", "mock-model")
    assert [message.role for message in transcript.messages[:4]] == ["user", "assistant", "user", "assistant"]
    assert len(transcript.messages[4].results) == 3


_ODD = '{"type": "user.message",\t"data":{"content":"a\\u00e9\\/","n":1.50e+2},"id":"0a0a0a0a-0000-4000-8000-000000000000","timestamp":"2026-11-21T08:07:00Z","parentId":%s}'


def test_bytes_outside_a_changed_value_are_kept(tmp_path: Path) -> None:
    records = sound().records
    take_out(records, 5)
    above = records[4]["id"]
    odd = (_ODD % json.dumps(above)).encode() + b"\r\n"
    data = lines(records[:5]) + odd + lines(records[5:])
    made = mended(tmp_path, data)
    new = next(line for line in made.splitlines() if b"toolpair" in line)
    assert (_ODD % json.dumps(json.loads(new)["id"])).encode() + b"\r\n" in made
    assert len(set(made.splitlines()) - set(data.splitlines())) == 2


# --- a property ---------------------------------------------------------------------------------------------

_CHANGES = ("take out", "drop", "twice", "swap", "rename", "rename call", "unlink", "stop", "envelope")


def _changed(records: list[Record], how: str, at: int, other: int) -> None:
    number, second = 1 + at % (len(records) - 1), 1 + other % (len(records) - 1)
    record = records[number]
    ids = ("call_one", "", "other", "call.two")
    match how:
        case "take out":
            take_out(records, number)
        case "drop":
            del records[number]
        case "twice":
            put_in(records, second, {**deepcopy(record), "id": f"{at:08x}-2222-4222-8333-{other:012x}"})
        case "swap":
            records[number], records[second] = records[second], records[number]
        case "rename" if "toolCallId" in record["data"]:
            record["data"]["toolCallId"] = ids[other % 4]
        case "rename call" if record["data"].get("toolRequests"):
            record["data"]["toolRequests"][0]["toolCallId"] = ids[other % 4]
        case "unlink":
            record["parentId"] = (None, "e1", records[second]["id"])[other % 3]
        case "stop":
            made = CopilotSession()
            made.add(("abort", "session.resume")[other % 2], reason="user_initiated")
            put_in(records, number, {**made.records[1], "id": f"{at:08x}-3333-4222-8333-{other:012x}"})
        case "envelope":
            record.pop(("id", "timestamp", "data", "parentId")[other % 4], None)


@settings(max_examples=tries(200), deadline=None)
@example([("rename", 12, 1), ("stop", 7, 0)])
@example([("twice", 0, 38), ("twice", 12, 2), ("stop", 2, 0)])
@given(st.lists(st.tuples(st.sampled_from(_CHANGES), st.integers(0, 40), st.integers(0, 40)), max_size=4))
def test_whatever_broke_is_mended_and_a_second_run_changes_nothing(changes: list[tuple[str, int, int]]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        records = deepcopy(sound().records)
        for change in changes:
            if len(records) > 2 and all({"data", "id"} <= record.keys() for record in records):
                _changed(records, *change)
        data = lines(records)
        before = opened(Path(folder), data)
        said = told(before)
        after = assert_settles(data, partial(opened, Path(folder)))
        assert errors_but_guesses(after) == []
        if seen_of(before).refuses is None:
            assert lost_words(said, after) == []


# --- what Copilot CLI makes of it ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "rule", "expected"),
    [
        ("parallel_result_gone", "result.missing", ("placeholder", None, "harmless")),
        ("call_gone", "result.orphan", ("dropped", "the result, 15 bytes", "loses")),
        ("second_result_that_differs", "result.duplicate", ("dropped", "the result, 14 bytes", "loses")),
        ("id_sanitised", "result.id_mismatch", ("dropped", "the result, 13 bytes", "loses")),
        ("result_late", "result.not_adjacent", ("healed", None, "harmless")),
        ("resumed_before_the_result", "result.not_adjacent", ("dropped", "the result, 13 bytes", "loses")),
        ("id_reused", "call.reused_id", ("healed", None, "harmless")),
        ("id_too_long", "id.length", ("kept", None, "harmless")),
        ("two_calls_with_one_id", "call.duplicate_id", ("rejected", "the result, 15 bytes", "stops")),
        ("result_before_its_call", "result.orphan", ("healed", None, "harmless")),
        ("id_empty_on_both_sides", "id.empty", ("rejected", "the result, 13 bytes", "stops")),
        ("id_that_is_no_uuid", "rollout.envelope", ("rejected", "history", "stops")),
        ("first_line_lost", "rollout.no_meta", ("rejected", "history", "stops")),
        ("first_line_torn", "record.torn", ("rejected", None, "stops")),
        ("first_line_glued_to_the_next", "record.glued", ("rejected", None, "stops")),
        ("first_line_of_another_type", "rollout.no_meta", ("rejected", "history", "stops")),
        ("event_that_lacks_a_field", "rollout.envelope", ("rejected", "history", "stops")),
        ("result_whose_text_is_a_list", "rollout.envelope", ("rejected", "history", "stops")),
        ("line_damaged", "record.torn", ("dropped", "its output", "loses")),
        ("words_damaged", "record.torn", ("dropped", "the record", "loses")),
        ("start_of_a_call_torn", "record.torn", ("dropped", None, "harmless")),
        ("invalid_utf8", "record.bad_utf8", ("dropped", "its output", "loses")),
        ("byte_order_mark", "record.bom", ("healed", None, "harmless")),
        ("nul_line", "record.nul", ("healed", None, "harmless")),
        ("lone_surrogate", "record.lone_surrogate", ("healed", None, "harmless")),
    ],
)
def test_what_copilot_does(name: str, rule: str, expected: tuple[str, str | None, str], tmp_path: Path) -> None:
    assert outcome_of(opened(tmp_path, PLANTED[name].data), rule) == expected


def test_an_event_that_is_never_sent_is_no_loss(tmp_path: Path) -> None:
    records = sound().data().splitlines()
    number = next(n for n, line in enumerate(records) if b"execution_start" in line)
    records[number] = records[number][: records[number].index(b'"arguments"')]
    session = opened(tmp_path, b"\n".join(records) + b"\n")
    assert outcome_of(session, "record.torn") == ("dropped", None, "harmless") and errors(session) == []


def test_it_is_said_why_a_line_cannot_be_repaired(tmp_path: Path) -> None:
    records = sound().data().splitlines()
    number = next(n for n, line in enumerate(records) if b"assistant.message" in line)
    records[number] = records[number][: records[number].index(b'"arguments"')]
    (problem,) = [one for one in opened(tmp_path, b"\n".join(records)).problems if one.rule == "record.torn"]
    assert problem.severity == "error" and [fix.recommended for fix in problem.fixes] == [False]
    assert problem.no_fix is not None and "set it aside" in problem.no_fix


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("result_gone", "The execution of this tool, or a previous tool was interrupted."),
        ("ends_at_a_call", "Tool execution was interrupted before a result was recorded."),
        ("interrupted_at_the_end", "The execution of this tool, or a previous tool was interrupted."),
        ("failed_without_a_message", "Tool execution failed"),
    ],
)
def test_the_words_of_its_placeholders(name: str, text: str, tmp_path: Path) -> None:
    assert any(said.startswith(text) for _, _, said in sent_rows(opened(tmp_path, PLANTED[name].data)))


def test_a_summary_stands_for_what_is_before_it(tmp_path: Path) -> None:
    session = opened(tmp_path, PLANTED["compacted_twice"].data)
    said = sent_rows(session)
    assert said[0][2].startswith("Some of the conversation history has been summarized")
    assert "<user_message>\nBegin.\n</user_message>\n<user_message>\nOnce more." in said[0][2]
    assert said[1][2].endswith("Thanks.")
    assert session.conversation.counts.inactive == 12


def test_the_events_of_sub_agents_are_histories_of_their_own(tmp_path: Path) -> None:
    for name in ("sub_agent", "sub_agent_in_the_old_way"):
        session = opened(tmp_path, PLANTED[name].data)
        assert not any("Inside." in text for _, _, text in sent_rows(session))
        assert errors(session) == []
    records = [json.loads(line) for line in PLANTED["sub_agent"].data.splitlines()]
    inner = next(
        n for n, r in enumerate(records) if r["data"].get("toolCallId") == "call_inner" and "success" in r["data"]
    )
    take_out(records, inner)
    session = opened(tmp_path, lines(records))
    assert errors(session) == []
    found = [(problem.rule, problem.scope) for problem in session.conversation.inactive_problems()]
    assert found == [("result.missing", "inactive")]


def test_what_the_user_ran_is_no_call(tmp_path: Path) -> None:
    session = opened(tmp_path, PLANTED["call_of_the_users"].data)
    assert session.problems == ()
    said = next(text for _, _, text in sent_rows(session) if "shell command" in text)
    assert "Command:\nls\n" in said and word("shell") in said


def test_an_inserted_result_is_an_event_as_copilot_writes_it(tmp_path: Path) -> None:
    data = PLANTED["parallel_result_gone"].data
    made = [json.loads(line) for line in mended(tmp_path, data).splitlines()]
    at = next(n for n, record in enumerate(made) if "toolpair" in json.dumps(record))
    new = made[at]
    assert list(new) == ["type", "data", "id", "timestamp", "parentId"]
    assert new["type"] == "tool.execution_complete" and len(new["id"]) == 36
    assert new["data"]["toolCallId"] == "call_three" and new["data"]["success"] is False
    assert "No result was recorded" in new["data"]["error"]["message"]
    assert (new["parentId"], made[at + 1]["parentId"]) == (made[at - 1]["id"], new["id"])


def test_an_inserted_result_follows_the_start_of_its_call(tmp_path: Path) -> None:
    made = [json.loads(line) for line in mended(tmp_path, PLANTED["result_gone"].data).splitlines()]
    at = next(n for n, record in enumerate(made) if "toolpair" in json.dumps(record))
    assert made[at - 1]["type"] == "tool.execution_start"


def test_results_that_fail_keep_their_other_fields(tmp_path: Path) -> None:
    records = sound().records
    made = CopilotSession()
    made.fails("one", "no such file")
    records[5] = {**made.records[1], "id": records[5]["id"]}
    records[5]["data"]["toolCallId"] = "call.one"
    records[3]["data"]["toolRequests"][0]["toolCallId"] = "call:one"
    link(records)
    result = next(
        record for line in mended(tmp_path, lines(records)).splitlines()
        if (record := json.loads(line))["data"].get("toolCallId") == records[3]["data"]["toolRequests"][0]["toolCallId"]
        and record["type"] == "tool.execution_complete"
    )  # fmt: skip
    assert result["data"] == {**records[5]["data"], "toolCallId": result["data"]["toolCallId"]}


@pytest.mark.parametrize("kind", some(sorted(NEEDS), 18))
def test_an_event_that_says_nothing_stops_and_is_repaired(kind: str, tmp_path: Path) -> None:
    records = sound().records
    put_in(records, 5, {**deepcopy(records[5]), "type": kind, "data": {}, "id": f"{7:08x}-2222-4222-8333-444444444444"})
    before = opened(tmp_path, lines(records))
    seen = before.conversation.judged.seen
    assert seen is not None and seen.refuses is not None and "rollout.envelope" in errors(before)
    after = opened(tmp_path, mended(tmp_path, lines(records)))
    seen = after.conversation.judged.seen
    assert seen is not None and seen.refuses is None and errors(after) == []
    assert [name for name in ("one", "two", "three", "four", "five") if word(name) not in told(after)] == []


def test_what_a_line_lacks_comes_from_the_others(tmp_path: Path) -> None:
    made = [
        json.loads(line) for line in mended(tmp_path, PLANTED["start_of_a_call_without_its_tool"].data).splitlines()
    ]
    assert made == [json.loads(line) for line in sound().data().splitlines()]
    records = sound().records
    del records[0]["data"]["sessionId"]
    assert json.loads(mended(tmp_path, lines(records)).splitlines()[0])["data"]["sessionId"] == ID


def _counted(address: str) -> Record:
    made = CopilotSession()
    return made.add(
        "session.usage_record",
        usage={
            "model": "m",
            "apiEndpoint": address,
            "inputTokens": 1000,
            "outputTokens": 5,
            "cacheReadTokens": 900,
            "maxPromptTokens": 128000,
        },
    )


@pytest.mark.parametrize(
    ("address", "profile"),
    [("/v1/messages", "anthropic"), ("/responses", "openai-responses"), ("/chat/completions", "openai-chat")],
)
def test_the_address_that_was_asked_says_which_api_it_is(address: str, profile: str, tmp_path: Path) -> None:
    records = sound().records
    put_in(records, len(records) - 1, _counted(address))
    assert opened(tmp_path, lines(records)).profile.id == profile


def test_an_id_that_is_used_again_gets_a_new_one_in_chat_alone(tmp_path: Path) -> None:
    data = PLANTED["id_reused"].data
    chat = opened(tmp_path, data)
    assert [id_ for _, id_, _ in sent_rows(chat)].count("call_one") == 2
    assert "not known (use 2 of call_one)" in told(chat)
    session = opened(tmp_path, data.replace(b"call_", b"toolu_"))
    assert [id_ for _, id_, _ in sent_rows(session)].count("toolu_one") == 4
    assert outcome_of(session, "call.reused_id") == ("rejected", None, "stops")


def test_what_stands_beside_an_output_stays_when_it_is_kept_as_text(tmp_path: Path) -> None:
    records = sound().records
    for record in records:
        if record["type"] == "tool.execution_complete":
            record["data"]["result"]["detailedContent"] = f"diff of {record['data']['toolCallId']}"
    for record in records:
        if record["type"] == "assistant.message":
            record["data"]["toolRequests"] = record["data"]["toolRequests"][1:]
    data = lines(records)
    session = opened(tmp_path, data)
    assert "result.orphan" in errors(session)
    made = fixed(session)
    assert made.count(b"diff of ") == data.count(b"diff of ")
    assert "diff of" not in told(opened(tmp_path, made))


def test_the_cost_of_a_response_is_counted(tmp_path: Path) -> None:
    format = get_format("copilot-cli")
    assert format.usage_of is not None
    assert format.usage_of(_counted("/responses")) == Usage(1005, 5, 128000)
    assert format.usage_of(sound().records[3]) is None


@pytest.mark.parametrize("name", ["parallel_result_gone", "results_in_another_order", "event_that_lacks_a_field"])
def test_a_link_that_is_written_anew_is_no_loss(name: str, tmp_path: Path) -> None:
    session = opened(tmp_path, PLANTED[name].data)
    session.stage_recommended()
    assert session.staging.losses.text is None


def test_a_row_begins_with_what_the_user_said(tmp_path: Path) -> None:
    label = "<current_datetime>2026-11-21T08:07:01.000Z</current_datetime>\n\nBegin.\nNow."
    assert words_of(label) == "Begin. Now."
    assert words_of("<current_datetime> and more") == "<current_datetime> and more"


# --- recognised, found, resumed ------------------------------------------------------------------------------


@each(
    "values",
    [
        [],
        [{"type": "session.start", "data": {}}],
        [{"type": "user.message", "data": {"content": "x"}}],
        [{"type": "event.created", "data": {"x": 1}, "id": "1", "parentId": None, "timestamp": "x"}],
        [{"role": "user", "content": "x"}],
        [{"type": "session", "id": "x", "version": 3}],
    ],
)
def test_other_files_are_not_taken_for_it(values: list[Any]) -> None:
    assert get_format("copilot-cli").sniff(values) == 0


def test_ids_of_anthropics_choose_its_profile(tmp_path: Path) -> None:
    data = sound().data().replace(b"call_", b"toolu_")
    assert opened(tmp_path, data).profile.id == "anthropic"
    assert opened(tmp_path, b"\n".join(data.splitlines()[3:])).format.id == "copilot-cli"


def test_sessions_are_found_and_described(tmp_path: Path) -> None:
    opened(tmp_path, sound())
    found = catalog.index(Machine("linux", {}, tmp_path), FOLDER)
    assert [(one.agent, one.session_id, one.here) for one in found] == [("copilot-cli", ID, True)]
    described = catalog.describe(found[0])
    assert (described.folder, described.words) == (FOLDER, "Thanks.")
    moved = Machine("linux", {"COPILOT_HOME": str(tmp_path / ".copilot")}, tmp_path / "elsewhere")
    assert [one.path for one in catalog.index(moved)] == [found[0].path]


def test_the_way_back(tmp_path: Path) -> None:
    opened(tmp_path, sound())
    path = tmp_path / ".copilot" / "session-state" / ID / "events.jsonl"
    machine = Machine("linux", {}, tmp_path)
    file = SessionFile(path, None, ID, FOLDER)
    agent = get_agent("copilot-cli")
    assert how_to_resume(agent, file, machine) == f"cd / && copilot --resume={ID}"
    elsewhere = Machine("linux", {}, tmp_path / "other")
    assert how_to_resume(agent, file, elsewhere) == f"cd / && COPILOT_HOME={tmp_path}/.copilot copilot --resume={ID}"
    copy = SessionFile(tmp_path / "copy.jsonl", None, ID, FOLDER)
    said = how_to_resume(agent, copy, machine)
    assert said is not None and said.startswith(f"put this file at {path}, then run")
