"""Which form a file is in: the majority of its elements decides, and what is not clear is refused."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import toolpair
from tests.each import each
from tests.forms.made_lists import made_lists, responses
from toolpair.formats.forms.registry import shipped
from toolpair.session.session import SessionError, open_session

MADE = made_lists()


def opened(value: Any) -> str:
    return open_session("s.json", data=json.dumps(value).encode()).format.id


@each("name", sorted(MADE))
def test_no_other_form_fits(name: str) -> None:
    made = MADE[name]
    around = json.loads(made.data()) if not made.lines else None
    assert [form.id for form in shipped() if form.fits(made.elements, (around,))] == [made.form]


@each("name", sorted(MADE))
def test_a_list_with_a_few_odd_elements_is_still_in_its_form(name: str) -> None:
    elements = list(MADE[name].elements)
    elements[1:1] = [{"nobody": "knows"}]
    form = next(form for form in shipped() if form.id == MADE[name].form)
    around = MADE[name].around(elements)
    assert form.fits(elements, (around,))


def test_a_form_that_fits_half_of_a_file_is_not_taken() -> None:
    for one, other in (("model", "langchain dict"), ("pydantic-ai", "gemini list"), ("converse body", "kiro")):
        count = min(len(MADE[one].elements), len(MADE[other].elements))
        mixed = [*MADE[one].elements[:count], *MADE[other].elements[:count]]
        with pytest.raises(SessionError):
            opened(mixed)
    with pytest.raises(SessionError):  # whose elements have a role, as those have, but say nothing where it looks
        opened([*MADE["gemini list"].elements * 3, *MADE["tau2"].elements])


@pytest.mark.parametrize(
    ("one", "other"),
    [("converse snake", "agents sdk"), ("letta", "stream-json"), ("letta", "converse snake"), ("model", "letta")],
)
def test_nothing_that_calls_is_passed_over_in_silence(one: str, other: str) -> None:
    """Where what is there of each is seen by another's rules, it is named; else the list is refused."""
    for first, second in ((one, other), (other, one)):
        try:
            session = open_session("s.json", data=json.dumps([*MADE[first].elements, *MADE[second].elements]).encode())
        except SessionError:
            continue
        assert {"field.missing", "record.no_message"} & {p.rule for p in session.problems if p.severity == "error"}


def test_two_forms_that_fit_are_both_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("mine", "yours"):
        (tmp_path / f"{name}.toml").write_text(f'like = "ai-sdk-model"\ntitle = "{name.capitalize()}"\n')
    monkeypatch.setattr("toolpair.formats.forms.registry.user_folder", lambda: tmp_path)
    data = MADE["model"].data()
    with pytest.raises(SessionError, match=r"either of these: Mine \(--format mine\) and Yours \(--format yours\)"):
        open_session("s.json", data=data)
    assert open_session("s.json", data=data, format="mine").format.id == "mine"


def test_what_was_read_before_is_read_as_before() -> None:
    assert opened(responses()) == "openai-responses"
    assert opened([{"role": "user", "content": "hi"}, {"role": "assistant", "content": "ho"}]) == "openai-chat"
    assert opened([{"role": "user", "content": [{"type": "text", "text": "hi"}]}]) == "anthropic"


@each(
    "value",
    [{"contents": "text"}, {"contents": [1, 2]}, [{"kind": "request"}], {"values": {"messages": []}}, {"a": {}}],
)
def test_what_is_in_no_form_is_refused(value: Any) -> None:
    with pytest.raises(SessionError):
        opened(value)


def test_a_forced_form_that_does_not_fit_is_refused() -> None:
    with pytest.raises(SessionError, match="is not understood as LangGraph state"):
        open_session("s.json", data=MADE["model"].data(), format="langchain-state")


def test_lines_may_each_be_the_body_of_a_request() -> None:
    body = json.dumps({"contents": MADE["gemini list"].elements}).encode()
    session = open_session("log.jsonl", data=body + b"\n" + body + b"\n")
    assert session.format.id == "gemini-contents"
    assert [one.counts.pairs for one in session.file.conversations] == [2, 2]


def test_a_body_that_is_cut_off_opens_where_it_is_known() -> None:
    data = MADE["gemini list"].data()
    session = open_session("s.json", data=data[: data.rindex(b'"parts"')])
    assert session.format.id == "gemini-contents"
    assert session.file.conversations[0].counts.pairs == 2


def test_a_list_without_what_is_around_it_is_still_in_its_form() -> None:
    """As a program has it in memory, or has saved it alone."""
    for name in sorted(MADE.keys() - {"agents sdk", "letta"}):  # which are lists of an API, too
        made = MADE[name]
        assert opened(made.elements) == made.form
        assert toolpair.check(made.elements).errors == (), name


@pytest.mark.parametrize("form", ["autogen-state", "langchain-state"])
def test_an_element_of_a_form_in_a_list_of_the_responses_api_is_said(form: str) -> None:
    """It has a content where the API looks for one; what it calls is not seen."""
    elements = next(made for made in MADE.values() if made.form == form).elements
    session = open_session("s.json", data=json.dumps([*responses(), elements[1]]).encode())
    assert session.format.id == "openai-responses"
    assert [problem.rule for problem in session.problems if problem.severity == "error"] == ["record.no_message"]


FIRST = ["langchain-dict", "pydantic-ai", "strands", "autogen-state"]
FIRST += ["gemini-contents", "ai-sdk-model", "openai-agents", "mini-swe-agent-responses"]
SECOND = ["langchain-dict", "pydantic-ai", "strands", "autogen-state", "openai-agents"]
SECOND += ["ai-sdk-ui", "bedrock-converse", "mastra", "opencode-export", "inspect-log"]


@pytest.mark.parametrize("first", FIRST)
def test_two_forms_in_one_list_are_never_called_valid(first: str) -> None:
    made = {made.form: made for made in made_lists().values()}
    for second in SECOND:
        elements = made[first].elements * 2 + made[second].elements[-3:]
        try:
            session = open_session("s.json", data=json.dumps(elements).encode())
        except SessionError:
            continue
        errors = [problem.rule for problem in session.problems if problem.severity == "error"]
        assert errors or first == second, second


@pytest.mark.parametrize(
    ("most", "few"),
    [("converse body", "stream-json"), ("converse body", "pydantic-ai"), ("kiro", "adk"), ("converse body", "livekit")],
)
def test_what_is_said_in_another_spelling_is_no_empty_message(most: str, few: str) -> None:
    others = [{"role": "user", "content": "Only here, in plain words."}, *MADE[few].elements]
    session = open_session("s.json", data=json.dumps([*MADE[most].elements * 3, *others]).encode())
    assert session.format.id == MADE[most].form
    found = [problem for problem in session.problems if problem.rule == "record.no_message"]
    unread = {
        uid for problem in found for uid in range(problem.record or 0, (problem.until or problem.record or 0) + 1)
    }
    assert len(MADE[most].elements) * 3 in unread
    assert not [one for one in session.problems if one.rule == "content.empty_message" and one.record in unread]
    session.stage_recommended()
    assert [element for element in json.loads(session.to_bytes()) if element in others] == others


def test_what_two_forms_can_read_is_named_as_both() -> None:
    parts = [element["parts"] for element in MADE["ui"].elements]
    elements = MADE["converse body"].elements
    both = [element | {"id": "m", "parts": (parts * 3)[number]} for number, element in enumerate(elements)]
    with pytest.raises(SessionError, match=r"either of these: AI SDK UI messages .* and Bedrock Converse messages"):
        opened(both)
    two = {"messages": MADE["converse body"].elements, "contents": MADE["gemini list"].elements}
    with pytest.raises(SessionError, match=r"either of these: Bedrock Converse messages .* and Gemini contents"):
        opened(two)
    forced = open_session("s.json", data=json.dumps(two).encode(), format="gemini-contents")
    assert forced.conversation.counts.pairs == 2 and forced.to_bytes() == json.dumps(two).encode()
