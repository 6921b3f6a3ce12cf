"""Every shipped table: its lists are recognised, judged, mended and written back as they were."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.forms.made_lists import ANSWER, ASK, BERGEN, GO_ON, OSLO, TOOL, A, B, MadeList, made_lists
from toolpair.cli.main import main
from toolpair.dialects.block_texts import result_text
from toolpair.formats.format import Item
from toolpair.formats.forms.reading import own_slot
from toolpair.formats.forms.registry import Form, form_named, shipped
from toolpair.formats.forms.table import FOLDER, parsed
from toolpair.reports.excerpt.excerpts import excerpt_of
from toolpair.reports.export.exporting import export
from toolpair.reports.redaction.copies import redacted
from toolpair.session.session import Session, open_session
from toolpair.source.errors import NotUnderstood, UnreadableFile
from toolpair.transcript.draft import value_at
from toolpair.transcript.edits import InsertMessage, Remove, Rename, ReplaceWithText
from toolpair.transcript.model import PLACEHOLDER, Transcript
from toolpair.transcript.pairing import pair

NAMES = sorted(made_lists())
every = pytest.mark.parametrize("name", NAMES)
every_written = pytest.mark.parametrize(
    "name", [name for name in NAMES if form_named(made_lists()[name].form).table.new.is_known]
)


def opened(made: MadeList) -> Session:
    return open_session("s.json", data=made.data())


def errors(session: Session) -> list[str]:
    """With calls without a result, which some servers answer all the same."""
    return [one.rule for one in session.problems if one.severity == "error" or one.rule == "result.missing"]


def said(transcript: Transcript) -> list[tuple[str, Any]]:
    """All texts and calls, in order."""
    return [
        (block.kind, result_text(block) if block.kind == "result" else block.text)
        for message in transcript.messages
        for block in message.blocks
        if block.kind in ("text", "result")
    ]


def without_second_result(made: MadeList) -> MadeList:
    """The list as an agent leaves it that was stopped during the second call."""
    form = form_named(made.form)
    for number, element in enumerate(made.elements):
        for block in form.reader.blocks(element, 0):
            if block.kind != "result" or "Bergen" not in result_text(block):
                continue
            if form.table.shape == "inside":
                part = value_at(element, own_slot(block))
                if "toolInvocation" in part:
                    del part["toolInvocation"]["result"]
                    part["toolInvocation"]["state"] = "call"
                elif "state" in part and isinstance(part["state"], dict):
                    part["state"] = {"status": "running", "input": part["state"]["input"]}
                else:
                    del part["output"]
                    part["state"] = "input-available"
            elif not block.slot or form.table.shape in ("message", "item"):
                del made.elements[number]
            else:
                where = element
                for step in block.slot[: next(n for n, step in enumerate(block.slot) if isinstance(step, int))]:
                    where = where[step]
                element.get("data", {}).get("results", {}).pop(B, None)  # what Kiro keeps of it besides
                del where[block.slot[next(n for n, step in enumerate(block.slot) if isinstance(step, int))]]
            return made
    raise AssertionError("it has no second result")


def test_every_table_is_right_in_all_its_paths() -> None:
    for path in FOLDER.glob("*.toml"):
        assert parsed(path.read_text(encoding="utf-8"), str(path)) == form_named(path.stem).table


def test_each_table_has_a_list() -> None:
    assert {made.form for made in made_lists().values()} == {form.id for form in shipped()}


@every
def test_a_sound_list_is_read_and_left_alone(name: str) -> None:
    made = made_lists()[name]
    session = opened(made)
    assert session.format.id == made.form
    assert errors(session) == []
    (conversation,) = session.file.conversations
    assert (conversation.counts.calls, conversation.counts.results, conversation.counts.pairs) == (2, 2, 2)
    told = said(conversation.transcript)
    assert ("text", ASK) in told and ("text", ANSWER) in told and ("text", GO_ON) in told
    assert [text for kind, text in told if kind == "result"] == [OSLO, BERGEN]
    assert [block.name for message in conversation.transcript.messages for block in message.calls] == [TOOL, TOOL]
    session.stage_recommended()
    assert session.to_bytes() == made.data()


@every_written
def test_a_missing_result_is_found_and_written_in_the_lists_own_form(name: str) -> None:
    made = without_second_result(made_lists()[name])
    data = made.data()
    session = opened(made)
    assert session.format.id == made.form
    assert errors(session) == ["result.missing"]
    session.stage_where(lambda problem: problem.recommended if problem.rule == "result.missing" else None)
    assert errors(session) == []
    written = session.to_bytes()
    again = open_session("s.json", data=written)
    assert again.format.id == made.form
    assert errors(again) == []
    counts = again.file.conversations[0].counts
    assert (counts.calls, counts.results, counts.pairs) == (2, 2, 2)
    told = said(again.file.conversations[0].transcript)
    assert [text for kind, text in told if kind == "result"] == [OSLO, PLACEHOLDER]
    assert [text for kind, text in told if kind == "text"] == [
        text for kind, text in said(session.file.conversations[0].transcript) if kind == "text"
    ]
    _assert_rest_is_the_same(form_named(made.form), data, written)


def _assert_rest_is_the_same(form: Form, before: bytes, after: bytes) -> None:
    """Only one stretch of the file differs; where a result is no part of its call, something was only put in."""
    start = next(n for n, (a, b) in enumerate(zip(before, after, strict=False)) if a != b)
    shorter = min(len(before), len(after)) - start
    end = next((n for n in range(shorter) if before[-1 - n] != after[-1 - n]), shorter)
    if form.table.shape != "inside":
        assert start + end >= len(before)
    assert len(before) - start - end < 300


def items_of(made: MadeList) -> list[Item]:
    return [Item(number, element) for number, element in enumerate(made.elements)]


@every_written
def test_edits_are_written_by_the_table(name: str) -> None:
    """A pair is renamed, removed, or kept as text, and a message comes in: what is read again shows it."""
    made = made_lists()[name]
    form = form_named(made.form)
    items = items_of(made)
    transcript = form.read(items)
    first = pair(transcript).pairs[0]
    call, (result,) = first.call, first.results
    assert call is not None
    written = json.dumps(made.elements).count(json.dumps(A))

    renamed = form.apply(items, transcript, [Rename(call, "call_new"), Rename(result, "call_new")])
    told = json.dumps([item.value for item in renamed])
    assert told.count('"call_new"') == (written or 2) and json.dumps(A) not in told
    assert _pairs(form, renamed) == 2

    removed = form.apply(items, transcript, [Remove(call), Remove(result)])
    assert json.dumps(A) not in json.dumps([item.value for item in removed])
    assert _pairs(form, removed) == 1

    edits = [ReplaceWithText(call, "was a call"), ReplaceWithText(result, f"was a result: {OSLO}")]
    as_text = form.apply(items, transcript, edits if form.table.shape != "inside" else edits[:1])
    assert _pairs(form, as_text) == 1
    texts = [
        block.text for message in form.read(as_text).messages for block in message.blocks if block.kind != "result"
    ]
    assert any("was a call" in text for text in texts)
    assert form.table.shape == "inside" or any("was a result" in text for text in texts)
    assert all(any(kept in text for text in texts) for kept in (ASK, ANSWER, GO_ON))

    said_more = form.apply(items, transcript, [InsertMessage(transcript.messages[-1], "user", "go on")])
    assert said(form.read(said_more))[-1] == ("text", "go on")
    assert [a is b for a, b in zip(items, said_more, strict=False)] == [True] * len(items)


def _pairs(form: Form, items: list[Item]) -> int:
    """How many pairs there are; all are whole."""
    found = pair(form.read(items)).pairs
    assert all(one.call is not None and one.results and one.evidence != "guess" for one in found)
    return len(found)


def test_a_session_of_kiro_is_judged_and_never_written(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    made = without_second_result(made_lists()["kiro"])
    path, out = tmp_path / "s.jsonl", tmp_path / "out.jsonl"
    path.write_bytes(made.data())
    session = open_session(path)
    assert errors(session) == ["result.missing"] and session.stage_recommended() is None
    assert all(not one.fixes and one.no_fix == session.format.read_only for one in session.problems)
    for where in (["-o", str(out)], ["-o", "-"]):
        assert main(["fix", str(path), *where]) == 3
    assert main(["fix", str(path), "--in-place"]) == 1
    assert path.read_bytes() == made.data() and list(tmp_path.iterdir()) == [path]
    told = capsys.readouterr()
    assert told.out == "" and told.err.count("s.jsonl has 1 error. Kiro CLI's sessions are only read") == 2


@every
def test_it_is_handed_on(name: str) -> None:
    """Redacted, the broken list has the same problem; an excerpt shows it; any API's body can be made of it."""
    made = without_second_result(made_lists()[name])
    session = opened(made)
    copy = redacted(session, key=b"the same in each test")
    assert copy.session.format.id == made.form and errors(copy.session) == ["result.missing"]
    assert not any(word.encode() in copy.data for word in ("Oslo", "Bergen", TOOL, ASK))
    assert errors(open_session("s.json", data=excerpt_of(session).data)) == ["result.missing"]
    for api in ("anthropic", "gemini"):
        assert b"Oslo" in export(session, api).json


@pytest.mark.parametrize("name", ["openhands-events", "strands"])
def test_one_file_of_a_folder_is_no_session(name: str) -> None:
    """Its pairs are in the other files: no placeholder is offered for what they have."""
    made = next(made for made in made_lists().values() if made.form == name)
    element = json.dumps(made.elements[1], indent=1).encode()
    for wanted in (None, name):
        with pytest.raises(NotUnderstood, match="one file of a session that is a folder"):
            open_session("message_1.json", data=element, format=wanted)


@every
def test_an_output_in_a_cut_off_element_is_not_set_aside_for_a_placeholder(name: str) -> None:
    made = made_lists()[name]
    data = made.data()
    end = data.index(BERGEN.encode()) + len(BERGEN) + 1
    try:
        session = open_session("s.json", data=data[:end])
    except (NotUnderstood, UnreadableFile):
        return
    session.stage_recommended()
    written = session.to_bytes().decode()
    assert BERGEN in written
    is_named = B.encode() in data[data.index(OSLO.encode()) : end]  # else the id of its call stood behind it
    assert not is_named or PLACEHOLDER not in written


@pytest.mark.parametrize(("name", "rule"), [("google-adk", "call.duplicate_id"), ("livekit", "call.reused_id")])
def test_calls_that_a_program_tells_apart_by_ids_alone_need_one_each(name: str, rule: str) -> None:
    made = next(made for made in made_lists().values() if made.form == name)
    if rule == "call.reused_id":  # in another response
        call = next(one for one in made.elements if one["type"] == "function_call" and one["call_id"] == B)
        result = next(one for one in made.elements if one["type"] == "function_call_output" and one["call_id"] == B)
        made.elements = [one for one in made.elements if one not in (call, result)] + [call, result]
    session = open_session("s.json", data=made.data().replace(B.encode(), A.encode()))
    assert errors(session) == [rule]
    session.stage_recommended()
    assert errors(opened_again(session)) == []
    assert OSLO in session.to_bytes().decode() and BERGEN in session.to_bytes().decode()


def test_a_table_may_be_stricter_than_the_api() -> None:
    """Gemini's API pairs by order; ADK leaves out what its ids do not pair, so that is an error."""
    made = next(made for made in made_lists().values() if made.form == "google-adk")
    response = next(part for one in made.elements for part in one["content"]["parts"] if "functionResponse" in part)
    response["functionResponse"]["id"] = "adk-of-no-call"
    session = opened(made)
    assert errors(session) == ["result.id_mismatch"]
    session.stage_recommended()
    assert errors(opened_again(session)) == []


def opened_again(session: Session) -> Session:
    return open_session("s.json", data=session.to_bytes())


@every
def test_no_placeholder_stands_in_for_an_output_that_was_cut_off(name: str) -> None:
    """Where an element was cut off within a result, its id and kind may have come later: the output stays, and is said."""
    made = made_lists()[name]
    data = made.data()
    at = data.index(BERGEN.encode()) + len(BERGEN) - 2
    try:
        session = open_session("s.json", data=data[:at], format=made.form)
    except UnreadableFile:
        return  # a document that is cut off within its list has no element that is whole
    session.stage_recommended()
    fixed = session.to_bytes()
    assert BERGEN.encode()[:-2] in fixed
    assert PLACEHOLDER.encode() not in fixed or BERGEN.encode()[:-2] in said_by(session)


def said_by(session: Session) -> bytes:
    return json.dumps([text for _, text in said(session.conversation.transcript)], ensure_ascii=False).encode()


def test_what_a_simulated_user_calls_is_not_the_agents() -> None:
    made = made_lists()["tau2"]
    asks = {"role": "user", "content": None, "tool_calls": [{"id": "u1", "name": "look_out", "requestor": "user"}]}
    sees = {"id": "u1", "role": "tool", "content": "clouds", "requestor": "user", "error": False}
    made.elements[:0] = [asks, sees]
    assert opened(made).conversation.counts.calls == 2 and errors(opened(made)) == []
