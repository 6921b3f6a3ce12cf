"""Qwen Code's sessions: read, checked, repaired and written."""

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
from tests.formats.fixing import (
    Visit,
    assert_only_changed,
    assert_settles,
    errors_but_guesses,
    errors_not_left_to_a_person,
    fixed,
    lost_words,
    outcome_of,
    seen_of,
    told,
)
from tests.qwen_sessions import ID, NAME, QwenSession, corpus, put_in, sound, take_out
from tests.rounds import some, tries
from toolpair.agents import catalog
from toolpair.agents.installed import installed_version
from toolpair.formats import get_format
from toolpair.formats.agent import SessionFile
from toolpair.formats.format import Item
from toolpair.session.session import Session, open_session
from toolpair.session.surroundings import how_to_resume
from toolpair.shell.machine import Machine

PLANTED = corpus()


def opened(tmp_path: Path, data: bytes | QwenSession, **how: Any) -> Session:
    path = tmp_path / NAME
    path.write_bytes(data if isinstance(data, bytes) else data.data())
    return open_session(path, **how)


def repaired(tmp_path: Path, data: bytes) -> bytes:
    return fixed(opened(tmp_path, data))


def sent(session: Session) -> list[str]:
    """The text of each block that would be sent, or its id."""
    seen = seen_of(session)
    parts = [part.value for message in seen.messages for part in message.parts]
    return [str(part.get("text") or part.get("id") or part.get("tool_use_id")) for part in parts]


# --- each way to break one ---------------------------------------------------------------------------------


CHANGED = {"parentUuid", "message", "toolCallResult", "systemPayload", "sessionId", "cwd"}
"""The fields of a record that is still there in which a fix may change something."""


@pytest.mark.parametrize("name", some(sorted(PLANTED), 50))
def test_a_broken_session_is_repaired_and_nothing_is_lost(name: str, tmp_path: Path) -> None:
    visit = Visit(PLANTED[name], partial(opened, tmp_path))
    if name in ("parent_absent", "type_unknown"):  # the record of a result that Qwen Code does not reach
        visit.assert_left_to_a_person()
    else:
        visit.assert_fixed("qwen-code")
    visit.assert_never_passed_over()
    if not name.startswith("one_id"):
        assert_only_changed(visit.planted.data, visit.fixed, CHANGED, "uuid", "parentUuid")


def test_a_sound_session_stays_as_it_is(tmp_path: Path) -> None:
    data = sound().data()
    session = opened(tmp_path, data)
    assert (session.format.id, session.problems, session.profile.id) == ("qwen-code", (), "openai-chat")
    assert repaired(tmp_path, data) == data
    transcript = session.conversation.transcript
    assert (transcript.agent, transcript.session_id, transcript.folder) == ("Qwen Code", ID, "/home/dev/project")
    assert [message.role for message in transcript.messages[:4]] == ["user", "assistant", "user", "assistant"]
    assert len(transcript.messages[4].results) == 3


# --- a property ---------------------------------------------------------------------------------------------

_CHANGES = (
    "take out",
    "drop",
    "twice",
    "swap",
    "rename",
    "unlink",
    "double id",
    "empty",
    "tear",
    "glue",
    "join",
    "role",
    "part",
    "session",
)


def _changed(records: list[Record], how: str, at: int, other: int) -> None:
    number, second = at % len(records), other % len(records)
    record = records[number]
    parts = record.get("message", {}).get("parts", [])
    match how:
        case "take out":
            take_out(records, number)
        case "drop":
            del records[number]
        case "twice":
            put_in(records, second, {**deepcopy(record), "uuid": f"again {at} {other}"})
        case "swap":
            records[number], records[second] = records[second], records[number]
        case "rename" if parts and isinstance(parts[0], dict) and "functionResponse" in parts[0]:
            parts[0]["functionResponse"]["id"] = ("call_one", "", "other", "call.two")[other % 4]
        case "unlink":
            record["parentUuid"] = (None, "00000000", records[second]["uuid"])[other % 3]
        case "double id":
            record["uuid"] = records[second]["uuid"]
        case "empty" if record["type"] == "assistant":
            parts.insert(0, {"text": ""})
        case "role" if parts:
            record["message"]["role"] = ("assistant", "tool", None, "function")[other % 4]
        case "part" if parts:
            parts.insert(other % 2, ("Well.", None, {}, [], 7)[other % 5])
        case "session":
            record["sessionId"] = "another"
        case "join" if (
            parts
            and isinstance(parts[0], dict)
            and "functionResponse" in parts[0]
            and records[second]["type"] == "tool_result"
        ):
            parts += deepcopy(records[second]["message"]["parts"])


def _damaged(data: bytes, changes: list[tuple[str, int, int]]) -> bytes:
    written = data.splitlines(keepends=True)
    for how, at, other in changes:
        number = at % len(written)
        if how == "tear":
            written[number] = written[number][: other * 7 % len(written[number])] + b"\n"
        elif how == "glue":
            written[number] = written[number].rstrip(b"\n")
    return b"".join(written)


@settings(max_examples=tries(150), deadline=None)
@example([("rename", 18, 1), ("glue", 4, 0)])
@example([("unlink", 10, 0), ("glue", 10, 0), ("glue", 23, 0)])
@example([("unlink", 10, 2), ("glue", 10, 0), ("glue", 23, 0)])
@example([("role", 18, 20), ("unlink", 9, 22)])
@example([("unlink", 11, 17), ("swap", 9, 21), ("double id", 6, 27), ("part", 11, 29)])
@given(st.lists(st.tuples(st.sampled_from(_CHANGES), st.integers(0, 30), st.integers(0, 30)), max_size=4))
def test_whatever_broke_is_repaired_and_a_second_run_changes_nothing(changes: list[tuple[str, int, int]]) -> None:
    records = deepcopy(sound().records)
    for change in changes:
        if len(records) > 2:
            _changed(records, *change)
    data = _damaged(lines(records), changes)
    with tempfile.TemporaryDirectory() as folder:
        before = opened(Path(folder), data)
        said = told(before)
        assert before.to_bytes() == data
        after = assert_settles(data, partial(opened, Path(folder)))
        left = errors_not_left_to_a_person(after)
        assert set(left) <= {"chain.duplicate_uuid"}  # which of two records a link means may be a guess
        if seen_of(before).refuses is None:
            assert lost_words(said, after) == []


_KEPT_CHANGES = ("drop", "twice", "swap", "rename", "rename call", "empty", "join")


def _changed_in_compression(kept: list[Record], how: str, at: int, other: int) -> None:
    number, second = 1 + at % (len(kept) - 1), 1 + other % (len(kept) - 1)
    parts = kept[number]["parts"]
    ids = ("call_kept", "call_five", "", "call.kept")
    match how:
        case "drop" if len(kept) > 2:
            del kept[number]
        case "twice":
            kept.insert(second, deepcopy(kept[number]))
        case "swap":
            kept[number], kept[second] = kept[second], kept[number]
        case "rename" if parts and isinstance(parts[0], dict) and "functionResponse" in parts[0]:
            parts[0]["functionResponse"]["id"] = ids[other % 4]
        case "rename call" if parts and "functionCall" in parts[-1]:
            parts[-1]["functionCall"]["id"] = ids[other % 4]
        case "empty" if kept[number]["role"] == "model":
            parts.insert(0, {"text": ""})
        case "join" if kept[second]["role"] == kept[number]["role"]:
            parts += deepcopy(kept[second]["parts"])


@settings(max_examples=tries(150), deadline=None)
@given(
    st.lists(st.tuples(st.sampled_from(_KEPT_CHANGES), st.integers(0, 9), st.integers(0, 9)), max_size=4),
    st.lists(
        st.tuples(st.sampled_from(("take out", "swap", "rename")), st.integers(10, 16), st.integers(10, 16)), max_size=2
    ),
)
def test_whatever_broke_in_a_compression_is_repaired(
    changes: list[tuple[str, int, int]], more: list[tuple[str, int, int]]
) -> None:
    records = [json.loads(line) for line in PLANTED["compressed_and_nothing_wrong"].data.splitlines()]
    kept = next(record for record in records if record.get("subtype") == "chat_compression")
    for change in changes:
        _changed_in_compression(kept["systemPayload"]["compressedHistory"], *change)
    for change in more:
        _changed(records, *change)
    data = lines(records)
    with tempfile.TemporaryDirectory() as folder:
        before = opened(Path(folder), data)
        said = told(before)
        assert before.to_bytes() == data
        after = assert_settles(data, partial(opened, Path(folder)))
        assert [rule for rule in errors_but_guesses(after) if not rule.startswith("chain.")] == []
        assert lost_words(said, after, ("kept", "more", "five")) == []


# --- what Qwen Code makes of it -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "rule", "expected"),
    [
        ("parallel_result_gone", "result.missing", ("placeholder", None, "harmless")),
        ("call_gone", "result.orphan", ("dropped", "the result, 15 bytes", "loses")),
        ("second_result_that_differs", "result.duplicate", ("dropped", "the result, 14 bytes", "loses")),
        ("id_sanitised", "result.id_mismatch", ("dropped", "the result, 13 bytes", "loses")),
        ("result_late", "result.not_adjacent", ("dropped", "the result, 13 bytes", "loses")),
        ("users_words_between", "result.not_adjacent", ("healed", None, "harmless")),
        ("id_reused", "call.reused_id", ("dropped", "the result, 14 bytes", "loses")),
        ("empty_text_in_a_response", "content.empty_text", ("dropped", "the response with its calls", "loses")),
        ("result_record_lost", "chain.missing_parent", ("dropped", "history", "loses")),
        ("cycle", "chain.cycle", ("dropped", "history", "loses")),
        ("last_lines_swapped", "chain.wrong_leaf", ("dropped", "history", "loses")),
        ("byte_order_mark", "record.bom", ("healed", None, "harmless")),
        ("lines_glued", "record.glued", ("healed", None, "harmless")),
        ("last_result_torn_in_its_notes", "record.torn", ("dropped", "its output", "loses")),
        ("words_damaged", "record.torn", ("dropped", None, "harmless")),
        ("invalid_utf8", "record.bad_utf8", ("healed", None, "harmless")),
        ("another_sessions_record", "rollout.envelope", ("rejected", "history", "stops")),
        ("no_folder_in_the_first_record", "rollout.envelope", ("rejected", "history", "stops")),
        ("role_of_another_api", "role.unknown", ("rejected", None, "stops")),
        ("part_that_is_a_text", "rollout.envelope", ("rejected", "history", "stops")),
        ("part_that_is_a_list", "content.empty_text", ("dropped", "the response with its calls", "loses")),
        ("words_that_are_no_list", "rollout.not_loaded", ("dropped", "the words", "loses")),
        ("compressed_to_a_text", "rollout.envelope", ("rejected", "history", "stops")),
        ("lone_surrogate", "record.lone_surrogate", ("rejected", None, "stops")),
    ],
)
def test_what_qwen_code_does(name: str, rule: str, expected: tuple[str, str | None, str], tmp_path: Path) -> None:
    assert outcome_of(opened(tmp_path, PLANTED[name].data), rule) == expected


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda records: records[4].update(sessionId="another"), "more than one"),
        (lambda records: records[4]["message"].update(role="tool"), "neither user nor model"),
        (lambda records: records[4]["message"]["parts"].append("text"), "cannot be read"),
        (lambda records: records[0].pop("cwd"), "working folder"),
    ],
)
def test_what_the_agent_does_not_resume(change: Any, words: str, tmp_path: Path) -> None:
    records = deepcopy(sound().records)
    change(records)
    seen = opened(tmp_path, lines(records)).conversation.judged.seen
    assert seen is not None and seen.refuses is not None and words in seen.refuses


def test_a_compression_stands_for_what_is_before_it(tmp_path: Path) -> None:
    session = opened(tmp_path, PLANTED["compressed"].data)
    said = sent(session)
    assert said[:2] == ["Summary: it began.", "I look again."] and "Begin." not in said
    assert [boundary.cut for boundary in session.conversation.transcript.boundaries] == [None]


@pytest.mark.parametrize(
    "name",
    [
        "words_that_are_no_list",
        "message_that_is_a_text",
        "part_that_is_a_text",
        "compressed_with_contents_that_are_none",
    ],
)
def test_words_in_another_form_are_sent_after_the_fix(name: str, tmp_path: Path) -> None:
    words = {"part_that_is_a_text": "Well.", "compressed_with_contents_that_are_none": "Go on."}.get(name, "Once more.")
    assert words in sent(opened(tmp_path, repaired(tmp_path, PLANTED[name].data)))


def test_the_files_name_says_which_session_it_is(tmp_path: Path) -> None:
    records = deepcopy(sound().records)
    for record in records[3:]:
        record["sessionId"] = "01a1fd11-0000-4000-8000-00000000000f"
    made = [json.loads(line) for line in repaired(tmp_path, lines(records)).splitlines()]
    assert {record["sessionId"] for record in made} == {ID}
    assert [{**record, "sessionId": ID} for record in records] == made


def test_a_folder_that_no_record_names_is_not_made_up(tmp_path: Path) -> None:
    records = deepcopy(sound().records)
    for record in records:
        del record["cwd"]
    session = opened(tmp_path, lines(records))
    assert [(problem.rule, len(problem.fixes), bool(problem.no_fix)) for problem in session.problems] == [
        ("rollout.envelope", 0, True)
    ]
    assert repaired(tmp_path, lines(records)) == lines(records)


def test_what_a_compression_kept_is_repaired_in_its_place(tmp_path: Path) -> None:
    data = PLANTED["compressed_without_a_result"].data
    odd = b'{ "role":"model" ,"parts":[{"text":"caf\\u00e9 \\/", "n":1.50e+2}]}'
    data = data.replace(b'{"role":"model","parts":[{"text":"Got it."}]}', odd)
    before, after = data.splitlines(), repaired(tmp_path, data).splitlines()
    changed = [(old, new) for old, new in zip(before, after, strict=True) if old != new]
    assert len(changed) == 1 and odd in changed[0][1]
    old, new = (json.loads(line)["systemPayload"] for line in changed[0])
    kept = new["compressedHistory"]
    assert [*kept[:2], *kept[3:]] == old["compressedHistory"] and new["info"] == old["info"]
    assert kept[2]["role"] == "user" and kept[2]["parts"][0]["functionResponse"]["id"] == "call_kept"


def test_the_result_of_the_last_call_that_was_kept_is_a_record(tmp_path: Path) -> None:
    data = PLANTED["compressed_without_the_last_result"].data
    before, after = data.splitlines(), repaired(tmp_path, data).splitlines()
    new = [line for line in after if line not in before]
    assert len(after) == len(before) + 1 and len(new) == 2
    compression = next(json.loads(line)["uuid"] for line in before if b"chat_compression" in line)
    assert json.loads(new[0])["parentUuid"] == compression and json.loads(new[0])["type"] == "tool_result"
    assert json.loads(new[1])["parentUuid"] == json.loads(new[0])["uuid"]


def test_glued_lines_are_part_of_what_is_sent(tmp_path: Path) -> None:
    assert told(opened(tmp_path, PLANTED["lines_glued"].data)) == told(opened(tmp_path, sound()))


@pytest.mark.parametrize("byte", [b"\0", b"\1"])
def test_a_line_with_a_control_character_in_a_text_is_not_read(byte: bytes, tmp_path: Path) -> None:
    """The agent finds records on a line that is not JSON, but such a record is none."""
    data = sound().data().replace(b"word-one-word", b"word-" + byte + b"one-word", 1)
    session = opened(tmp_path, data)
    assert "Begin." not in sent(session) and "Once more." in sent(session)
    session.stage_recommended()
    assert [problem.rule for problem in session.problems if problem.severity == "error"] == []
    verdict = session.conversation.verdict
    assert "Begin." in sent(session) and verdict.outputs_seen == verdict.outputs_total == 5


def test_what_stands_between_nul_bytes_is_read(tmp_path: Path) -> None:
    whole = sound().data().splitlines()
    data = b"\n".join([*whole[:4], b"\0\0" + whole[4] + b"\0" + whole[5], *whole[6:]]) + b"\n"
    assert told(opened(tmp_path, data)) == told(opened(tmp_path, sound()))


def test_a_command_that_the_agent_answered_is_not_sent(tmp_path: Path) -> None:
    assert "/about" not in sent(opened(tmp_path, PLANTED["command_that_was_answered"].data))


def test_an_inserted_result_is_a_record_as_the_agent_writes_it(tmp_path: Path) -> None:
    data = PLANTED["parallel_result_gone"].data
    made = repaired(tmp_path, data)
    new = json.loads(next(line for line in made.splitlines() if b"toolpair" in line))
    assert list(new) == ["uuid", "parentUuid", "sessionId", "timestamp", "type", "cwd", "version", "message"]
    assert (new["sessionId"], new["type"], new["message"]["role"]) == (ID, "tool_result", "user")
    answer = new["message"]["parts"][0]["functionResponse"]
    assert (answer["id"], answer["name"], list(answer["response"])) == ("call_three", "run_shell_command", ["error"])
    child = [record for line in made.splitlines() if (record := json.loads(line)).get("parentUuid") == new["uuid"]]
    assert len(child) == 1
    assert sum(line not in data.splitlines() for line in made.splitlines()) == 2


def test_a_new_id_is_written_into_the_notes_of_the_result_too(tmp_path: Path) -> None:
    made = repaired(tmp_path, PLANTED["id_reused"].data.replace(b'"callId":"call_five"', b'"callId":"call_one"'))
    last = next(json.loads(line) for line in made.splitlines() if word("five").encode() in line)
    assert last["message"]["parts"][0]["functionResponse"]["id"] == last["toolCallResult"]["callId"] != "call_one"


def test_a_result_that_shares_its_record_moves_alone(tmp_path: Path) -> None:
    data = PLANTED["results_in_one_record_late"].data
    records = [json.loads(line) for line in repaired(tmp_path, data).splitlines()]
    answers = [
        [part["functionResponse"]["id"] for part in record["message"]["parts"]]
        for record in records
        if record["type"] == "tool_result"
    ]
    assert answers == [["call_one"], ["call_two"], ["call_three"], ["call_four"], ["call_five"]]


def test_branches_can_be_chosen_and_are_checked(tmp_path: Path) -> None:
    session = opened(tmp_path, PLANTED["rewound"].data)
    branches = session.conversation.transcript.tree.branches
    assert [(branch.words, branch.active) for branch in branches] == [("Another way.", True), ("Thanks.", False)]
    assert "Thanks." in sent(opened(tmp_path, PLANTED["rewound"].data, leaf=branches[1].leaf))
    found = opened(tmp_path, PLANTED["rewound_between_call_and_result"].data)
    assert [problem.rule for problem in found.problems] == ["result.missing"]


# --- whose file it is ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("kind", "profile"),
    [("openai", "openai-chat"), ("qwen-oauth", "openai-chat"), ("anthropic", "anthropic"), ("gemini", "gemini")],
)
def test_the_profile_follows_from_the_provider(kind: str, profile: str, tmp_path: Path) -> None:
    made = sound()
    made.records[1]["systemPayload"]["uiEvent"]["auth_type"] = kind
    assert opened(tmp_path, made).profile.id == profile
    assert opened(tmp_path, made, profile="mistral").profile.id == "mistral"


def test_what_only_looks_like_qwen_code_is_not_claimed() -> None:
    qwen = get_format("qwen-code")
    records = sound().records
    assert qwen.sniff(records) > 0
    claude = [{**record, "message": {"role": "user", "content": "hello"}} for record in records if "message" in record]
    assert qwen.sniff(claude) == 0
    assert qwen.sniff([record["message"] for record in records if "message" in record]) == 0
    assert get_format("claude-code").sniff(records) < qwen.sniff(records)


def test_a_record_without_a_tree_is_read_all_the_same() -> None:
    odd: list[Any] = [7, "x", [], {"uuid": [], "parentUuid": {}}, {**sound().records[0], "message": {"parts": 7}}]
    odd += [{**sound().records[2], "message": {"role": [], "parts": [None, 7, {}, {"functionCall": []}]}}]
    odd += [{**sound().records[1], "subtype": "chat_compression", "systemPayload": {"compressedHistory": 7}}]
    items = [Item(number, value) for number, value in enumerate(odd)]
    qwen = get_format("qwen-code")
    assert qwen.sees(items, qwen.read(items)) is not None


# --- the agent ----------------------------------------------------------------------------------------------


def test_sessions_are_found_and_resumed(tmp_path: Path) -> None:
    path = tmp_path / ".qwen/projects/-home-dev-project/chats" / NAME
    path.parent.mkdir(parents=True)
    path.write_bytes(sound().data())
    (path.parent / f"{ID}.ledger.jsonl").write_text("{}\n")
    machine = Machine("linux", {}, tmp_path)
    found = catalog.index(machine, "/home/dev/project")
    assert [(one.agent, one.session_id, one.here) for one in found] == [("qwen-code", ID, True)]
    described = catalog.describe(found[0])
    assert (described.folder, described.words) == ("/home/dev/project", "Thanks.")
    transcript = open_session(path).conversation.transcript
    agent = catalog.agents_of_file("qwen-code", transcript, path)[0]
    file = SessionFile(path, None, ID, transcript.folder)
    assert how_to_resume(agent, file, machine) == f"cd /home/dev/project && qwen --resume {ID}"
    assert agent.home_of(path, ID) == tmp_path / ".qwen"
    assert agent.target(file, machine) == path


@pytest.mark.parametrize("variable", ["QWEN_HOME", "QWEN_RUNTIME_DIR"])
def test_variables_lead_to_the_sessions(variable: str, tmp_path: Path) -> None:
    path = tmp_path / "elsewhere/projects/-x/chats" / NAME
    path.parent.mkdir(parents=True)
    path.write_bytes(sound().data())
    found = catalog.index(Machine("linux", {variable: str(tmp_path / "elsewhere")}, tmp_path))
    assert [one.path for one in found] == [str(path)]


def test_its_version_is_read_from_its_package(tmp_path: Path) -> None:
    program = tmp_path / "lib/node_modules/@qwen-code/qwen-code/cli-entry.js"
    program.parent.mkdir(parents=True)
    program.write_text("#!/usr/bin/env node\n")
    program.chmod(0o755)
    (program.parent / "package.json").write_text(json.dumps({"name": "@qwen-code/qwen-code", "version": "0.24.4"}))
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin/qwen").symlink_to(program)
    assert installed_version("qwen-code", {"PATH": str(tmp_path / "bin")}, tmp_path) == "0.24.4"
