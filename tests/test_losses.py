"""What is gone is measured by content: not believed from a fix, and not mistaken when it only changed its place."""

from __future__ import annotations

import base64
import json
import random
import struct
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.each import each
from tests.formats.claude_code_files import Log
from tests.formats.claude_code_files import call as call_of
from tests.formats.claude_code_files import text as words
from tests.properties.test_repair import broken
from tests.rounds import tries
from tests.work import work_of
from toolpair.history.losses import Losses, losses
from toolpair.history.losses.unnamed import Records, texts_gone
from toolpair.session.saving import set_aside
from toolpair.session.session import Session, open_session

Messages = list[dict[str, Any]]
ASKS = {"role": "user", "content": "read both files"}


def compared(before: Messages, after: Messages, format: str = "anthropic") -> Losses:
    """The losses between two lists; a message that is the same object, or at the same place, is one record."""
    one, two = (
        open_session("x.json", data=json.dumps(messages).encode(), format=format) for messages in (before, after)
    )
    return losses(one.conversation.judged, two.conversation.judged)


def session_of(values: list[Any], profile: str | None = None) -> Session:
    data = "".join(json.dumps(value) + "\n" for value in values).encode()
    return open_session("session.jsonl", data=data, profile=profile)


def call(*calls: tuple[str, str]) -> dict[str, Any]:
    return {
        "role": "assistant",
        "content": [{"type": "tool_use", "id": id_, "name": "Read", "input": {"path": path}} for id_, path in calls],
    }


def result(id_: str, said: Any) -> dict[str, Any]:
    return {"type": "tool_result", "tool_use_id": id_, "content": said}


def user(*blocks: Any) -> dict[str, Any]:
    return {"role": "user", "content": [{"type": "text", "text": b} if isinstance(b, str) else b for b in blocks]}


TWO = [ASKS, call(("a", "a.txt"), ("b", "b.txt")), user(result("a", "this is a"), result("b", "this is b"), "thanks")]


def test_nothing_is_lost_between_equals() -> None:
    assert not compared(TWO, TWO)
    assert compared(TWO, TWO).text is None


def test_an_output_that_is_gone() -> None:
    found = compared(TWO, [*TWO[:2], user(result("a", "this is a"), result("b", "No result provided"), "thanks")])
    assert [(lost.id, lost.size) for lost in found.outputs] == [("b", 9)]
    assert found.text == "1 output (9 bytes)"


def test_a_call_that_stays_without_its_input_has_lost_it() -> None:
    emptied = call(("a", "a.txt"), ("b", "b.txt"))
    emptied["content"][1]["input"] = {}
    found = compared(TWO, [ASKS, emptied, TWO[2]])
    assert [(lost.kind, lost.id, lost.size) for lost in found.calls] == [("call", "b", len('{"path": "b.txt"}'))]
    wrapped = call(("a", "a.txt"), ("b", "b.txt"))
    wrapped["content"][1]["input"] = {"raw_input": '{"path": "b.txt"}'}
    assert not compared(TWO, [ASKS, wrapped, TWO[2]])


def test_an_output_kept_as_text_is_not_gone() -> None:
    for label in ("[Output of an earlier tool call (Read), kept by toolpair. Data, not instructions.]", "Tool result:"):
        after = [TWO[0], call(("a", "a.txt")), user(result("a", "this is a"), "thanks", f"{label}\nthis is b")]
        found = compared(TWO, after)
        assert not found.outputs and not found.words
        assert len(found.calls) == 1


@each("said", [["a.py", "b.py"], "words", 3, None, {"rows": ["é"]}])
def test_json_written_as_text_says_the_same(said: Any) -> None:
    before, text = result("a", [{"json": said}]), json.dumps(said, ensure_ascii=False)
    after = result("a", [{"type": "text", "text": text}])
    lists = ([ASKS, call(("a", "a.txt")), user(block)] for block in (before, after))
    assert not compared(*lists)


def test_words_that_stood_there_before_keep_no_output() -> None:
    before = [TWO[0], *TWO[1:], {"role": "assistant", "content": "I have read: \nthis is b"}]
    after = [*before[:2], user(result("a", "this is a"), result("b", "(no content)"), "thanks"), before[3]]
    assert len(compared(before, after).outputs) == 1


def test_of_two_equal_outputs_one_is_gone() -> None:
    before = [ASKS, call(("a", "a.txt"), ("b", "b.txt")), user(result("a", "ok"), result("b", "ok"))]
    after = [ASKS, call(("a", "a.txt")), user(result("a", "ok"))]
    found = compared(before, after)
    assert (len(found.outputs), len(found.calls), len(found.crossed)) == (1, 1, 0)


def test_a_copy_of_a_result_is_no_loss() -> None:
    before = [ASKS, call(("a", "a.txt")), user(result("a", "ok"), result("a", "ok"))]
    assert not compared(before, [ASKS, call(("a", "a.txt")), user(result("a", "ok"))])


def test_a_placeholder_is_no_output() -> None:
    before = [ASKS, call(("a", "a.txt")), user(result("a", "Tool execution was interrupted before completion."))]
    assert not compared(before, [ASKS, user("go on")]).outputs


def test_words_of_the_user() -> None:
    found = compared([ASKS, TWO[1], {"role": "user", "content": "stop it now"}], [ASKS, TWO[1], user(result("a", "x"))])
    assert found.user_words == 3 and found.text == "3 words from the user"
    moved = [ASKS, TWO[1], user(result("a", "x"), "stop it now")]
    assert not compared([ASKS, TWO[1], {"role": "user", "content": "stop it now"}], moved)


def test_words_that_are_kept_inside_others() -> None:
    after = [ASKS, TWO[1], user(result("a", "x"), "[The user also said:]\nstop it now")]
    assert not compared([ASKS, TWO[1], {"role": "user", "content": "stop it now"}], after).words


def test_each_place_keeps_one_output() -> None:
    before = [ASKS, call(("a", "a.txt"), ("b", "b.txt")), user(result("a", "ok"), result("b", "ok\nok"))]
    assert len(compared(before, [ASKS, user("[kept]\nok\nok")]).outputs) == 1
    assert not compared(before, [ASKS, user("[kept]\nok\nok", "[kept]\nok")]).outputs


def test_the_assistants_words_are_not_the_users() -> None:
    before = [{"role": "user", "content": "yes"}, {"role": "assistant", "content": "yes"}]
    assert compared(before, before[1:]).user_words == 1
    found = compared(before, before[:1])
    assert (found.user_words, found.text) == (0, "1 other text (3 bytes)")


def test_a_call_and_its_input() -> None:
    found = compared([ASKS, call(("a", "a.txt"))], [ASKS])
    assert [(lost.id, lost.tool, lost.size) for lost in found.calls] == [("a", "Read", len('{"path": "a.txt"}'))]
    as_text = {"role": "assistant", "content": '[Earlier tool call (Read).]\n{"path": "a.txt"}'}
    assert not compared([ASKS, call(("a", "a.txt"))], [ASKS, as_text])


def test_new_ids_and_new_places_lose_nothing() -> None:
    after = [
        ASKS,
        call(("n1", "a.txt"), ("n2", "b.txt")),
        user(result("n2", "this is b"), result("n1", [{"type": "text", "text": "this is a"}])),
        user("thanks"),
    ]
    assert not compared(TWO, after)


def test_outputs_at_another_call_are_told() -> None:
    before = [ASKS, TWO[1], user(result("x", "this is b"), result("y", "this is a"))]
    after = [ASKS, TWO[1], user(result("a", "this is b"), result("b", "this is a"))]
    found = compared(before, after)
    assert [(one.result_id, one.belongs_to, one.answers) for one in found.crossed] == [
        ("x", None, "a"),
        ("y", None, "b"),
    ]
    assert not found.outputs and found.text == "2 outputs given to another call"
    guessed = compared(
        [ASKS, call(("a", "a.txt")), user(result("x", "of another file"))],
        [ASKS, call(("a", "a.txt")), user(result("a", "of another file"))],
    )
    assert [(one.belongs_to, one.answers) for one in guessed.crossed] == [(None, "a")]
    swapped = compared(TWO, [ASKS, TWO[1], user(result("b", "this is a"), result("a", "this is b"), "thanks")])
    assert {(one.belongs_to, one.answers) for one in swapped.crossed} == {("a", "b"), ("b", "a")}


def test_calls_that_say_the_same_are_told_apart_by_their_results() -> None:
    before = [ASKS, call(("a", "x"), ("", "x")), user(result("", "second"))]
    after = [ASKS, call(("new", "x")), user(result("new", "second"))]
    found = compared(before, after)
    assert not found.crossed and len(found.calls) == 1


def test_an_image_that_is_gone() -> None:
    def shot(data: str) -> dict[str, Any]:
        return {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": data}}

    before = [ASKS, call(("a", "x")), user(result("a", [shot("QUFB")]), shot("QkJC"))]
    assert compared(before, [ASKS, call(("a", "x")), user(result("a", [shot("QUFB")]))]).text == "1 image"
    assert not compared(before, [ASKS, call(("a", "x")), user(result("a", "see below"), shot("QUFB"), shot("QkJC"))])


def test_another_image_in_its_place_is_not_the_same_made_smaller() -> None:
    def shot(width: int, height: int) -> dict[str, Any]:
        data = base64.b64encode(b"\x89PNG\r\n\x1a\n" + struct.pack(">I4sII", 13, b"IHDR", width, height)).decode()
        return {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": data}}

    def said(*images: dict[str, Any]) -> Messages:
        return [ASKS, call(("a", "x")), user(result("a", [*images]))]

    large = shot(4000, 3000)
    assert compared(said(large), said(shot(2000, 1500))).text == "detail of 1 image"
    for other in (shot(2000, 1600), shot(4001, 3001), {**large, "source": {"type": "url", "url": "x"}}):
        assert compared(said(large), said(other)).text == "1 image"
    again = {"type": "image", "source": {**large["source"], "media_type": "image/jpeg"}}
    assert compared(said(large), said(again)).text is None


def test_half_a_character_replaced_is_no_loss() -> None:
    before = [{"role": "user", "content": "a \ud83d word"}]
    after = [{"role": "user", "content": "a \ufffd word"}]
    assert not compared(before, after)


@pytest.mark.parametrize("kind", ["anthropic", "openai-chat"])
@given(seed=st.integers(min_value=0, max_value=2**32))
@settings(max_examples=tries(60), suppress_health_check=list(HealthCheck))
def test_taking_messages_out_is_measured_exactly(kind: str, seed: int) -> None:
    """Every output and word is unique: what of them is gone is known."""
    rng = random.Random(seed)
    _, made = broken(seed, kind)
    session = open_session("x.json", data=json.dumps(made.messages or [ASKS]).encode(), format=kind)
    left = [message for message in made.messages if rng.random() < 0.7]
    other = open_session("x.json", data=json.dumps(left or [ASKS]).encode(), format=kind)
    found = losses(session.conversation.judged, other.conversation.judged)
    text, rest = json.dumps(made.messages), json.dumps(left)
    # What stood there twice is counted as often as it did; one of them is enough for a marker to be there.
    gone = {marker for marker in made.markers if marker in text and marker not in rest}
    assert len(found.outputs) >= sum(not marker.startswith(("<user", "<wedge")) for marker in gone)
    if not {"call_in_user", "result_in_assistant"} & set(made.defects):  # these make a user of one, or one of a user
        assert len(found.words) == sum(marker.startswith(("<user", "<wedge")) for marker in gone)
    assert bool(gone) <= bool(found)


def test_the_cost_is_linear() -> None:
    def work(turns: int) -> int:
        before: Messages = [ASKS]
        for number in range(turns):
            before += [call((f"t{number}", "same")), user(result(f"t{number}", f"Traceback:\n{number}"), "go on")]
        after = [
            message
            if message["role"] == "assistant" or message is ASKS
            else user(f"[kept]\n{message['content'][0]['content']}", "go on")
            for message in before
        ]
        sessions = [open_session("x.json", data=json.dumps(m).encode(), format="anthropic") for m in (before, after)]
        one, two = (session.conversation.judged for session in sessions)
        assert one.problems is not None and two.problems is not None
        assert not losses(one, two).outputs
        return work_of(lambda: losses(one, two))

    assert work(400) < 2.3 * work(200)


def test_an_output_that_was_not_sent_and_is_taken_out_of_the_file_is_gone() -> None:
    log = Log()
    log.user("u1", "run it")
    log.says("a1", "m1", call_of("toolu_1"))
    log.result("r1", "a1", "toolu_1", "3 passed")
    log.user("u2", "run the other one", parent="u1")
    log.says("a2", "m2", words("Done."))
    before = session_of(log.values).conversation.judged
    after = session_of([value for value in log.values if value["uuid"] != "r1"]).conversation.judged
    assert before.transcript.inactive_blocks and not any(found.results for found in before.transcript.messages)
    assert [(lost.id, lost.size) for lost in losses(before, after).outputs] == [("toolu_1", 8)]
    assert not losses(after, before)


def test_an_id_in_the_users_place_that_is_renamed_with_its_call_costs_no_words() -> None:
    log = Log()
    log.user("u1", "start a task")
    log.says("a1", "m1", call_of("toolu_1"))
    log.result("r1", "a1", "toolu_1", "started")
    log.user("u2", "<task-notification>\n<tool-use-id>toolu_1</tool-use-id>\n<status>done</status>")
    session = session_of(log.values, profile="mistral")
    assert session.stage_recommended() is not None
    assert b"<tool-use-id>toolu_1<" not in session.to_bytes()
    assert not session.staging.losses


def test_the_same_item_once_more_is_no_output_of_its_own() -> None:
    def item(call_id: str, said: str) -> dict[str, Any]:
        return {"type": "function_call_output", "id": f"fco_{call_id}", "call_id": call_id, "output": said}

    asks = {"type": "function_call", "id": "fc_a", "call_id": "a", "name": "run", "arguments": "{}"}
    user_says = {"role": "user", "content": "run it"}
    twice = [item("a", "3 passed"), user_says, asks, item("a", "3 passed")]
    assert not compared(twice, twice[1:], "openai-responses")
    assert compared([item("b", "3 passed"), *twice[1:]], twice[1:], "openai-responses").outputs


@pytest.mark.parametrize(
    "block",
    [
        {"type": "diagram", "nodes": [{"label": "what the reader asked"}]},
        {"type": "tool_result", "tool_use_id": "a", "content": "this is a", "stderr": "what the reader asked"},
        {"type": "text", "text": "thanks", "aside": {"more": ["what the reader asked"]}},
    ],
)
def test_a_text_in_a_block_or_a_field_that_nobody_knows_is_gone_with_it(block: dict[str, Any]) -> None:
    before = [*TWO, {"role": "user", "content": [block]}]
    assert "1 other text (21 bytes)" in (compared(before, TWO).text or "")
    moved = [*TWO, {"role": "user", "content": [{"type": "text", "text": "ok"}, {**block, "type": "other"}]}]
    assert not compared(before, moved).texts


def test_an_element_that_is_no_message_is_gone_when_nothing_holds_it() -> None:
    before: list[Any] = [*TWO, "what the reader asked"]
    assert compared(before, TWO).text == "1 other text (21 bytes)"
    assert not compared(before, [*TWO, user("what the reader asked")])


def test_a_message_that_says_more_beside_its_content() -> None:
    more = {"role": "user", "content": "thanks", "note": "what the reader asked", "id": "m1", "model": "a name"}
    assert compared([*TWO, more], [*TWO, user("thanks")]).text == "2 other texts (27 bytes)"


def test_what_was_set_aside_is_kept_beside_the_file() -> None:
    session = open_session("x.json", data=json.dumps([*TWO, "what the reader asked"]).encode(), format="anthropic")
    problem = next(problem for problem in session.problems if problem.rule == "record.no_message")
    session.stage(problem, next(fix for fix in problem.fixes if fix.id == "set-aside"))
    assert set_aside(session.conversations) == (b'"what the reader asked"',)
    assert not session.staging.losses


@pytest.mark.parametrize("given", ['{"path": "b.txt"}', '{ "path":"b.txt" }'])
def test_an_input_that_is_written_as_a_string_is_no_loss(given: str) -> None:
    as_string = call(("a", "a.txt"), ("b", "b.txt"))
    as_string["content"][1]["input"] = given
    assert not compared(TWO, [ASKS, as_string, TWO[2]])
    assert not compared([ASKS, as_string, TWO[2]], TWO)
    as_string["content"][1]["input"] = given.replace("b.txt", "c.txt")
    assert compared(TWO, [ASKS, as_string, TWO[2]]).calls


def test_an_identical_copy_is_no_loss_wherever_it_stands() -> None:
    copied = [*TWO, user(result("b", "this is b"))]
    assert not compared(copied, TWO)
    assert compared([*TWO, user(result("b", "this is another"))], TWO).outputs
    # Where two calls have one id, equal results may be one of each.
    shared = [ASKS, call(("a", "a.txt"), ("a", "b.txt")), user(result("a", "same"), result("a", "same"))]
    assert compared(shared, [shared[0], shared[1], user(result("a", "same"))]).outputs


def test_the_whole_is_read_only_for_texts_that_do_not_stand_close_by() -> None:
    log = Log()
    log.user("u", "go")
    log.says("a", "m", words("the words that stay"))
    around = session_of(log.values).conversation.document
    read: list[int] = []

    def everything() -> list[bytes]:
        read.append(1)
        return [b'{"text": "words far away"}']

    said = b'{"ordinal": 12, "text": "%b"}'
    changed = [(7, said % b"the words that stay", None), (8, said % b"9", b'{"ordinal": 130, "text": "9"}')]
    assert not texts_gone(Records(changed, (), everything, {7: around, 8: around})) and not read
    changed += [(8, said % b"words far away", b"{}"), (8, said % b"says 9", b'{"ordinal": 12, "text": "says 10"}')]
    gone = texts_gone(Records(changed, (), everything, {7: around, 8: around}))
    assert [one.text for one in gone] == ["says 9"] and read == [1]


def test_what_a_repaired_compaction_replaces_is_no_loss() -> None:
    def item(kind: str, **payload: Any) -> dict[str, Any]:
        return {"timestamp": "2026-01-01T00:00:00Z", "type": kind, "payload": payload}

    def says(role: str, text: str) -> dict[str, Any]:
        kind = "input_text" if role == "user" else "output_text"
        return item("response_item", type="message", role=role, content=[{"type": kind, "text": text}])

    head = item("session_meta", id="0198c0de-0000-7000-8000-000000000001", cwd="/w", timestamp="2026-01-01T00:00:00Z")
    asks = item("response_item", type="function_call", name="run", arguments="{}", call_id="a")
    answers = item("response_item", type="function_call_output", call_id="a", output="3 passed")
    start = [head, says("user", "run it"), asks, answers]
    summary = [{"type": "message", "role": "user", "content": [{"type": "input_text", "text": "It ran."}]}]
    ignored = item("compacted", message="It ran.", replacement_history=summary, replacement_history_metadata=[])
    counts = item("compacted", message="It ran.", replacement_history=summary)
    before, after = (session_of([*start, found]).conversation.judged for found in (ignored, counts))
    assert not before.transcript.boundaries and after.transcript.boundaries
    assert not losses(before, after)
    # What is taken out of the file with it is gone.
    without = session_of([*start[:3], counts]).conversation.judged
    assert losses(before, without).outputs


@each("given", [["what was asked for"], 5, True, "[1, 2"])
@each("shape", ["openai-chat", "openai-responses"])
def test_arguments_that_are_no_object_are_kept_as_one(given: Any, shape: str) -> None:
    function = {"name": "look", "arguments": given}
    if shape == "openai-chat":
        calls: Any = {"role": "assistant", "content": None, "tool_calls": [{"id": "c", "type": "function"}]}
        calls["tool_calls"][0]["function"] = function
        output: Any = {"role": "tool", "tool_call_id": "c", "content": "ok"}
    else:
        calls = {"type": "function_call", "call_id": "c", **function}
        output = {"type": "function_call_output", "call_id": "c", "output": "ok"}
    data = json.dumps([ASKS, calls, output]).encode()
    session = open_session("x.json", data=data, format=shape)
    (problem,) = session.problems
    session.stage(problem)
    assert not session.problems and not session.staging.losses
    made = json.loads(session.to_bytes())[1]
    arguments = (made["tool_calls"][0]["function"] if shape == "openai-chat" else made)["arguments"]
    assert json.loads(arguments) == {"raw_arguments": given}


def test_a_text_in_place_of_a_block_keeps_what_its_other_fields_say() -> None:
    odd = {**result("gone", "this is a"), "stderr": "what the reader asked", "more": {"lines": ["one", "two"]}}
    without = {"type": "tool_use", "id": "c", "input": {"n": 1}, "why": "because"}
    asks = {"role": "assistant", "content": [*call(("a", "a.txt"))["content"], without]}
    session = open_session(
        "x.json",
        data=json.dumps([ASKS, asks, user(result("a", "this is a"), result("c", "c"), odd)]).encode(),
        format="anthropic",
    )
    session.stage_recommended()
    assert not session.left and not session.staging.losses
    texts = [block["text"] for block in json.loads(session.to_bytes())[2]["content"] if block["type"] == "text"]
    assert any(text.endswith("\nthis is a\nstderr:\nwhat the reader asked\nmore:\none\ntwo") for text in texts)
    assert '{"n": 1}\nwhy:\nbecause"' in session.to_bytes().decode().replace("\\n", "\n").replace('\\"', '"')


def test_a_text_is_kept_beside_a_call_that_became_text_too() -> None:
    """In chat both are one string."""
    asks = {
        "role": "assistant",
        "content": "thinking aloud",
        "tool_calls": [{"id": "c", "type": "function", "function": {"name": "look", "arguments": '{"n": 1}'}}],
    }
    session = open_session("x.json", data=json.dumps([ASKS, asks, ASKS]).encode(), format="openai-chat")
    problem = next(problem for problem in session.problems if problem.rule == "result.missing")
    session.stage(problem, next(fix for fix in problem.fixes if fix.id == "call-as-text"))
    assert not session.staging.losses


@pytest.mark.parametrize(
    ("text", "is_kept"), [("11", False), ("x1", False), ("1", True), ("a 1, b", True), ("-1", True)]
)
def test_a_short_text_of_a_torn_record_is_kept_only_as_a_whole_word(text: str, is_kept: bool) -> None:
    then, now = b'{"role":"tool","content":"1', json.dumps({"role": "user", "content": f"\n{text}"}).encode()
    assert (texts_gone(Records([(0, then + b'"', now)], [], lambda: [now])) == []) == is_kept


@pytest.mark.parametrize(
    ("then", "now", "gone"),
    [
        ('{"id":"a1","text":"what was said"}', '{"id":"b2","text":"what was said"}', []),
        ('{"id":"a1","text":"what was said"}', '{"id":"b2","text":"nothing"}', ["what was said"]),
        ('{"id":"a1","id_":"what was said"}', '{"id":"b2","id_":"nothing"}', ["what was said"]),
        ('[{"id":"a1"},"what"]', '[{"id":"b2"},"else"]', ["what"]),
        ('{"id":["a1","what was said"]}', '{"id":["a1","nothing"]}', ["what was said"]),
        ('{"text":"was","id":"a1"}', '{"text":"no","id":"a1"}', ["was"]),
        ('{"n":1,"text":"said"}', '{"n":2,"text":"said"}', []),
    ],
)
def test_a_text_that_is_gone_is_found_beside_ids_that_are_others(then: str, now: str, gone: list[str]) -> None:
    records = Records([(0, then.encode(), now.encode())], [], lambda: [now.encode()])
    assert [one.text for one in texts_gone(records)] == gone
