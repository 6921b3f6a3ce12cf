"""Sessions of Cline's command line: read, checked, mended and written."""

from __future__ import annotations

import json
import random
import re
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from tests.broken_sessions import word
from tests.cline_sessions import (
    ID,
    NAME,
    SUMMARY,
    ClineSession,
    call,
    compaction,
    corpus,
    document,
    reads,
    result,
    sound,
    words,
    written,
)
from tests.each import each
from tests.formats.fixing import Visit, errors, fixed, sent_messages, told
from tests.rounds import some
from toolpair.agents import catalog
from toolpair.dialects.block_texts import call_summary
from toolpair.formats import get_format
from toolpair.formats.cline_cli.outdated import OUTDATED
from toolpair.session.session import Session, open_session
from toolpair.shell.machine import Machine

PLANTED = corpus()
NEEDS_YOU = {"message_is_text"}
"""Nobody but the user knows what these were meant to be."""
UNREADABLE = {"nul_bytes_in_a_message"}
MENDED = sorted(PLANTED.keys() - NEEDS_YOU - UNREADABLE)
OPENED = sorted(PLANTED.keys() - UNREADABLE)


def opened(tmp_path: Path, data: bytes, **how: Any) -> Session:
    path = tmp_path / ID / NAME
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(data)
    return open_session(path, **how)


def mended(tmp_path: Path, data: bytes) -> bytes:
    return fixed(opened(tmp_path, data))


def messages_in(data: bytes) -> list[Any]:
    value = json.loads(data.decode("utf-8-sig", "replace"))
    found: list[Any] = value if isinstance(value, list) else value["messages"]
    return found


# --- each way to break one ---------------------------------------------------------------------------------


CLOSED = {"cut_off_after_a_message", "cut_off_in_a_result", "last_comma"}
"""Not JSON before the fix."""


@pytest.mark.parametrize("name", some(OPENED, 40))
def test_a_broken_session_is_mended_and_nothing_is_lost(name: str, tmp_path: Path) -> None:
    visit = Visit(PLANTED[name], partial(opened, tmp_path))
    if name == "two_calls_with_one_id_and_one_result":
        visit.assert_left_as_a_guess()
    elif name not in NEEDS_YOU:
        visit.assert_fixed("cline-cli")
    if name not in NEEDS_YOU | CLOSED:
        assert_messages_keep_their_bytes(visit.planted.data, visit.fixed)


def assert_messages_keep_their_bytes(before: bytes, after: bytes) -> None:
    """What is a message before and after has its bytes, but for the blocks that were mended."""
    now = [message for message in messages_in(after) if isinstance(message, dict)]
    for message in messages_in(before):
        if message in now and before.count(b'"id": "msg_') > 10:
            own = json.dumps(message, indent=2, ensure_ascii=False).replace("\n", "\n    ")
            if own.encode("utf-8", "surrogatepass") in before:
                assert own.encode("utf-8", "surrogatepass") in after


@pytest.mark.parametrize("name", sorted(NEEDS_YOU))
def test_what_only_the_user_knows_is_left_alone(name: str, tmp_path: Path) -> None:
    session = opened(tmp_path, PLANTED[name].data)
    (problem,) = session.problems
    assert (problem.severity, problem.impact) == ("error", "stops")
    assert problem.on_resume is not None and "stops" in problem.on_resume.text
    assert mended(tmp_path, PLANTED[name].data) == PLANTED[name].data


def test_every_error_says_what_becomes_of_it(tmp_path: Path) -> None:
    silent = {
        (name, problem.rule)
        for name in OPENED
        for problem in opened(tmp_path, PLANTED[name].data).problems
        if problem.severity == "error" and problem.on_resume is None
    }
    assert silent == set()


# --- reading -----------------------------------------------------------------------------------------------


def test_a_sound_session_stays_as_it_is(tmp_path: Path) -> None:
    data = sound().data()
    session = opened(tmp_path, data)
    assert (session.format.id, session.problems, session.profile.id) == ("cline-cli", (), "openai-chat")
    assert mended(tmp_path, data) == data
    transcript = session.conversation.transcript
    assert (transcript.agent, transcript.session_id, transcript.model) == ("Cline CLI", ID, "mock-model")
    assert [message.role for message in transcript.messages[:4]] == ["user", "assistant", "user", "assistant"]
    assert len(transcript.messages[4].results) == 3


@pytest.mark.parametrize(
    ("provider", "profile"),
    [
        ("anthropic", "anthropic"),
        ("bedrock", "bedrock-converse"),
        ("vertex", "vertex-anthropic"),
        ("openai-native", "openai-responses"),
        ("gemini", "gemini"),
        ("openrouter", "openai-chat"),
        ("cline", "openai-chat"),
        (None, "anthropic"),
        (["odd"], "openai-chat"),
    ],
)
def test_it_is_checked_against_the_api_of_its_last_response(provider: Any, profile: str, tmp_path: Path) -> None:
    made = ClineSession()
    made.user("Begin.")
    made.says("Yes?", provider="openai-compatible")
    made.says("Yes!", provider=provider)
    if provider is None:
        for record in made.records:
            record.pop("modelInfo", None)
    assert opened(tmp_path, made.data()).profile.id == profile


OTHERS = [
    [{"role": "user", "content": "hello", "ts": 1_795_248_707_000}],
    [{"id": "a", "role": "user", "content": "hello"}],
    [{"id": "a", "role": "user", "content": "hello", "ts": 5}],
    [{"id": "a", "role": "tool", "content": "hello", "ts": 1_795_248_707_000}],
    [{"id": "a", "role": "user", "content": [], "ts": 1_795_248_707_000, "condenseParent": "x"}],
    [{"id": 1, "role": "user", "parts": [], "ts": 1_795_248_707_000}],
    [1, "two", None],
    [],
]


@each("values", OTHERS)
def test_other_lists_are_not_taken_for_it(values: list[Any]) -> None:
    assert get_format("cline-cli").sniff(values) == 0


# --- what is sent ------------------------------------------------------------------------------------------


def test_results_go_out_as_json_and_words_without_the_tag_around_them(tmp_path: Path) -> None:
    shown = sent_messages(opened(tmp_path, sound().data()))
    assert shown[0] == ("user", [words("Begin.")])
    content = f'[{{"query":"echo one","result":"{word("one")}","success":true}}]'
    assert shown[2] == ("user", [{"type": "tool_result", "tool_use_id": "toolu_one", "content": content}])
    assert shown[1][1][1]["function"] == {"name": "run_commands", "arguments": '{"commands":["echo one"]}'}
    assert len(shown[4][1]) == 3


def test_a_call_that_the_agent_takes_for_answered_stops_it(tmp_path: Path) -> None:
    """An earlier result has its id."""
    session = opened(tmp_path, PLANTED["id_used_again_and_last_unanswered"].data)
    (problem,) = [problem for problem in session.problems if problem.severity == "error"]
    assert (problem.rule, problem.impact) == ("turn.trailing_call", "stops")
    seen = session.conversation.judged.seen
    assert seen is not None and problem.on_resume is not None and problem.on_resume.text == seen.refuses
    session.stage_recommended()
    seen = session.conversation.judged.seen
    assert seen is not None and seen.refuses is None


def test_a_file_of_json_that_is_nested_too_deeply_is_read_as_text(tmp_path: Path) -> None:
    made = ClineSession()
    made.user("Begin.")
    made.says("I read.", "one")
    read = made.result("one")["content"][0]
    read.update(name="read_files", content=[words("[" * 5000)])
    made.records[1]["content"][1]["name"] = "read_files"
    seen = opened(tmp_path, made.data()).conversation.judged.seen
    assert seen is not None and seen.refuses is None and "[" * 5000 in str(seen.messages[-1].parts[0].value)


def test_a_call_without_result_is_answered_with_the_results_that_follow(tmp_path: Path) -> None:
    shown = sent_messages(opened(tmp_path, PLANTED["middle_of_three_gone"].data))
    assert [part["tool_use_id"] for part in shown[4][1]] == ["toolu_two", "toolu_four", "toolu_three"]
    assert "was interrupted before a result was produced. Tool: run_commands." in shown[4][1][2]["content"]


def test_an_answer_anywhere_counts_as_one(tmp_path: Path) -> None:
    """A late result is sent late, and no placeholder in its place."""
    session = opened(tmp_path, PLANTED["result_late"].data)
    assert "interrupted" not in told(session)
    assert errors(session) == ["result.not_adjacent"]


def test_a_long_output_loses_its_middle(tmp_path: Path) -> None:
    session = opened(tmp_path, PLANTED["output_is_long"].data)
    seen = session.conversation.judged.seen
    assert seen is not None and len(seen.shortened) == 1
    (text,) = [
        json.loads(p["content"])[0]["result"] for _, parts in sent_messages(session) for p in parts if "aaaa" in str(p)
    ]
    assert 7990 < len(text.encode("utf-16-le")) // 2 <= 8000
    assert re.search(r"\n\n\.\.\.\[truncated 8\d\d\d chars\]\.\.\.\n\n", text)


def test_what_is_only_shown_is_not_sent(tmp_path: Path) -> None:
    session = opened(tmp_path, PLANTED["shown_only"].data)
    assert word("two") not in told(session)
    assert list(session.conversation.transcript.scopes.values()) == ["inactive", "inactive"]


def test_what_was_read_again_is_not_sent_once_that_saves_enough(tmp_path: Path) -> None:
    few, many = (told(opened(tmp_path, reads(count).data())) for count in (10, 12))
    assert OUTDATED not in few and all(f"read-{number} " in few for number in range(10))
    assert many.count(OUTDATED) == 10 and [n for n in range(12) if f"read-{n} " in many] == [1, 11]
    verdict = opened(tmp_path, reads(12).data()).conversation.verdict
    assert (verdict.outputs_seen, verdict.outputs_shortened, verdict.errors) == (12, 10, 0)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"commands": ["pytest -q", "ls  -l"]}, "pytest -q; ls -l"),
        ({"files": [{"path": "/shop/pair.py", "start_line": 1}]}, "/shop/pair.py"),
        ({"file_paths": ["a", "b"]}, "a; b"),
        ({"commands": []}, '{"commands": []}'),
        ({"commands": [7]}, '{"commands": [7]}'),
    ],
)
def test_a_call_is_named_by_its_commands_or_files(given: Any, said: str, tmp_path: Path) -> None:
    made = sound()
    made.records[1]["content"][1]["input"] = given
    calls = opened(tmp_path, made.data()).conversation.transcript.messages[1].calls
    assert call_summary(calls[0]) == said


def compacted(tmp_path: Path, beside: bytes, data: bytes | None = None) -> Session:
    (tmp_path / ID).mkdir(exist_ok=True)
    (tmp_path / ID / f"{ID}.compaction.json").write_bytes(beside)
    return opened(tmp_path, sound().data() if data is None else data)


def test_a_compaction_is_sent_in_place_of_the_first_messages(tmp_path: Path) -> None:
    session = compacted(tmp_path, compaction())
    assert SUMMARY in told(session) and word("four") not in told(session) and word("five") in told(session)
    scopes = session.conversation.transcript.scopes
    assert [scopes.get(item.uid) for item in session.conversation.document.records][:8] == ["inactive"] * 7 + [None]
    assert [problem.rule for problem in session.problems] == []
    assert session.conversation.verdict.outputs_total == 1


def test_what_a_compaction_stands_for_is_not_broken(tmp_path: Path) -> None:
    records = sound().records
    del records[2]
    edited = compaction(6, source_prefix_hash="", source_last_message_key=f"id:{records[5]['id']}")
    assert errors(opened(tmp_path, written(records))) == ["result.missing"]
    session = compacted(tmp_path, edited, written(records))
    assert errors(session) == [] and "interrupted" not in told(session)


@pytest.mark.parametrize(
    "beside",
    [
        compaction(conversation_id="another"),
        compaction(source_prefix_hash="sha256:00"),
        compaction(6),
        compaction(99),
        compaction(-1),
        compaction(True),
        compaction(version=2),
        compaction(messages=[7]),
        compaction(messages=[{"role": "user"}]),
        compaction(updated_at=None),
        compaction(system_prompt=7),
        compaction(source_prefix_hash=None, source_last_message_key="id:msg_abcde006"),
        compaction(messages={}),
        compaction(source_prefix_hash=""),
        compaction(source_prefix_hash="", source_last_message_key="id:other"),
        b"[]",
        b"{",
        b"\xff",
        b"",
    ],
)
def test_a_compaction_of_something_else_is_not_used(beside: bytes, tmp_path: Path) -> None:
    session = compacted(tmp_path, beside)
    assert SUMMARY not in told(session) and word("one") in told(session)
    assert session.conversation.verdict.outputs_total == 5


def test_a_fix_after_a_compaction_leaves_it_in_use(tmp_path: Path) -> None:
    records = sound().records
    records[10]["content"][0]["tool_use_id"] = "toolu.five"
    session = compacted(tmp_path, compaction(), written(records))
    assert errors(session) != []
    session.stage_recommended()
    after = compacted(tmp_path, compaction(), session.to_bytes())
    assert errors(after) == [] and SUMMARY in told(after) and word("five") in told(after)


def test_a_file_that_is_no_json_is_replaced_by_an_empty_session(tmp_path: Path) -> None:
    session = opened(tmp_path, PLANTED["cut_off_in_a_result"].data)
    assert sent_messages(session) == []
    assert "empty session" in str(session.problems[0].on_resume)


def test_with_the_messages_api_texts_of_a_result_stay_blocks(tmp_path: Path) -> None:
    made = ClineSession()
    made.user("Begin.")
    made.says("", "one", provider="anthropic")
    made.result("one")["content"][0]["content"] = [words("a"), words("b")]
    made.says("", "two", provider="anthropic")
    made.result("two")
    shown = sent_messages(opened(tmp_path, made.data()))
    assert shown[2][1][0]["content"] == [words("a"), words("b")]
    assert isinstance(shown[4][1][0]["content"], str)
    assert shown[1][1][0] == call("one")


# --- writing -----------------------------------------------------------------------------------------------


def test_a_new_result_is_a_message_of_its_own(tmp_path: Path) -> None:
    data = mended(tmp_path, PLANTED["killed_then_asked"].data)
    before, after = messages_in(PLANTED["killed_then_asked"].data), messages_in(data)
    (new,) = [message for message in after if message not in before]
    assert list(new) == ["id", "role", "content", "ts"]
    assert list(new["content"][0])[:3] == ["type", "tool_use_id", "name"]
    assert new["content"][0]["name"] == "run_commands" and new["content"][0]["is_error"] is True
    assert after.index(new) == 10 and len({message["id"] for message in after}) == len(after)
    lines = set(PLANTED["killed_then_asked"].data.split(b"\n"))
    added = [line for line in data.split(b"\n") if line not in lines]
    assert len(added) <= 6


def test_a_moved_result_is_a_message_of_its_own(tmp_path: Path) -> None:
    data = mended(tmp_path, PLANTED["result_late"].data)
    assert [len(message["content"]) for message in messages_in(data)][2] == 1
    assert messages_in(data)[2]["content"][0] == result("one")


def test_two_results_beside_one_that_is_there(tmp_path: Path) -> None:
    made = sound()
    del made.records[6], made.records[4]
    after = messages_in(mended(tmp_path, made.data()))
    ids = [[part["tool_use_id"] for part in message["content"]] for message in after[4:7]]
    assert ids == [["toolu_two"], ["toolu_three"], ["toolu_four"]]
    assert after[5] == made.records[4]


def test_what_stands_around_the_messages_stays(tmp_path: Path) -> None:
    odd = document(sound().records, later=[1.50, "\u00e9"])
    del odd["messages"][2]
    data = json.dumps(odd, indent="\t").encode() + b"\n"
    after = mended(tmp_path, data)
    assert json.loads(after)["later"] == [1.5, "\u00e9"] and b'"later": [\n\t\t1.5,\n\t\t"\\u00e9"' in after
    assert b'\n\t\t\t"role": "user"' in after


@pytest.mark.parametrize("seed", range(12))
def test_any_damage_is_mended_once(seed: int, tmp_path: Path) -> None:
    """No way to break a session ends in a traceback, and a second fix finds nothing to do."""
    rng = random.Random(seed)
    for _ in range(6):
        data = _broken(rng)
        session = opened(tmp_path, data)
        session.stage_recommended()
        once = session.to_bytes()
        assert mended(tmp_path, once) == once
        sent_messages(opened(tmp_path, once))


def _broken(rng: random.Random) -> bytes:
    records: list[Any] = sound().records
    for _ in range(rng.randint(1, 4)):
        at = rng.randrange(len(records))
        record = records[at]
        match rng.randrange(9):
            case 0:
                del records[at]
            case 1:
                records.insert(rng.randrange(len(records) + 1), records.pop(at))
            case 2:
                records.insert(at, json.loads(json.dumps(record)))
            case 3 if record["content"]:
                record["content"].pop(rng.randrange(len(record["content"])))
            case 4:
                record["content"] += json.loads(json.dumps(rng.choice(records)["content"]))
            case 5:
                record["role"] = rng.choice(["user", "assistant"])
            case 6:
                for part in record["content"]:
                    part.update(
                        {key: rng.choice(["", "toolu_one", "x.y"]) for key in ("id", "tool_use_id") if key in part}
                    )
            case 7:
                record["content"] = rng.choice(["words", [], [words("")], record["content"]])
            case _:
                record.pop(rng.choice(["id", "ts"]), None)
        if not records:
            return sound().data()
        for one in records:
            if isinstance(one["content"], str):
                one["content"] = [words(one["content"])]
    return written(records)


# --- on this machine ---------------------------------------------------------------------------------------


def home_with(tmp_path: Path, folder: str = ".cline") -> Path:
    place = tmp_path / folder / "data" / "sessions" / ID
    place.mkdir(parents=True)
    (place / NAME).write_bytes(sound().data())
    (place / f"{ID}.json").write_text(json.dumps({"cwd": "/home/dev/shop", "prompt": "Begin."}, indent=2))
    return place / NAME


def test_it_is_found_described_and_resumed(tmp_path: Path) -> None:
    path = home_with(tmp_path)
    (found,) = catalog.index(Machine("linux", {}, tmp_path))
    assert (found.agent, found.session_id, found.understood) == ("cline-cli", ID, True)
    assert open_session(path).resume_command() == f"cd /home/dev/shop && cline --id {ID}"


@pytest.mark.parametrize(("variable", "below"), [("CLINE_DIR", ".cline"), ("CLINE_DATA_DIR", ".cline/data")])
def test_its_folder_can_be_elsewhere(variable: str, below: str, tmp_path: Path) -> None:
    home_with(tmp_path / "else")
    machine = Machine("linux", {variable: str(tmp_path / "else" / below)}, tmp_path / "home")
    assert [found.agent for found in catalog.index(machine)] == ["cline-cli"]


def test_a_sub_agents_session_is_not_resumed(tmp_path: Path) -> None:
    path = home_with(tmp_path)
    other = path.parent / "agent_1.messages.json"
    other.write_bytes(sound().data())
    session = open_session(other)
    assert session.conversation.transcript.agent == "a sub-agent of Cline CLI"
    assert f"cline --id {ID}" not in str(session.resume_command())
    found = open_session(path).conversation
    beside = found.judged.view.beside
    assert beside is not None
    listed = list(get_format("cline-cli").subagent_sessions(found.judged.items, found.transcript, beside))  # type: ignore[attr-defined]
    assert [(one.path, one.label) for one in listed] == [(other, "agent_1")]
