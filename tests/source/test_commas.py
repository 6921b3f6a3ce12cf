"""Commas that JSON does not allow: after the last element of an array, or after the record of each line."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.formats.claude_code_files import Log, call
from tests.formats.codex_files import Rollout
from tests.source.files import file_bytes
from toolpair.formats.format import Item
from toolpair.session.session import Session, open_session
from toolpair.source.changes import changes
from toolpair.source.container_reading import read_container
from toolpair.source.errors import UnreadableFile
from toolpair.source.rewriting import repair_all, rewritten

MESSAGES = st.fixed_dictionaries(
    {"role": st.sampled_from(["user", "assistant"]), "content": st.sampled_from(["go", "a, b,", "],", "{},\n", 'x",'])}
)
LISTS = st.lists(MESSAGES, min_size=1, max_size=6)


def lines(values: list[Any], last: bytes = b",\n", between: bytes = b",\n") -> bytes:
    return between.join(json.dumps(value).encode() for value in values) + last


def array(values: list[Any], indent: int | None) -> bytes:
    text = json.dumps(values, indent=indent).encode()
    return text[:-1].rstrip() + b"," + (b"\n]\n" if indent else b"]")


WRITTEN = st.one_of(
    st.tuples(
        LISTS, st.sampled_from([b",\n", b"\n", b"", b",", b" , \n\n"]), st.sampled_from([b",\n", b" ,\r\n", b",\n\n"])
    ).map(lambda made: (made[0], lines(*made))),
    st.tuples(LISTS, st.sampled_from([None, 1, 2])).map(lambda made: (made[0], array(*made))),
    st.tuples(LISTS, st.sampled_from([None, 1])).map(
        lambda made: (made[0], b'{"model":"m","messages":' + array(*made).strip() + b',"n":1}')
    ),
)


@given(made=WRITTEN)
def test_the_records_are_read_and_the_bytes_stay(made: tuple[list[Any], bytes]) -> None:
    values, data = made
    for content in (data, file_bytes(data)):
        container = read_container(content, "s")
        (source,) = container.conversations
        assert [record.value for record in source.document.records] == values
        assert container.to_bytes() == data


def without(data: bytes) -> bytes:
    """The file with those commas removed."""
    container = read_container(data, "s")
    (source,) = container.conversations
    if not source.document.commas:
        return data
    bare = repair_all(source.document, [(source.document.records[0].uid, "commas", ())])
    assert not bare.commas
    told = {change.record for change in changes(source.document, bare)}
    assert told == ({len(bare) - 1} if bare.kind == "array" else told)
    return container.to_bytes([bare])


@given(made=WRITTEN)
def test_any_parser_reads_the_file_without_the_commas(made: tuple[list[Any], bytes]) -> None:
    values, data = made
    bare = without(data)
    assert without(bare) == bare
    try:
        whole = json.loads(bare)
        found = whole if isinstance(whole, list) else whole.get("messages", [whole])
    except ValueError:
        found = [json.loads(line) for line in bare.split(b"\n") if line.strip()]
    assert found == values
    assert bare.replace(b",", b"").split() == data.replace(b",", b"").split()


@given(made=WRITTEN, data=st.data())
def test_an_edited_file_is_read_again(made: tuple[list[Any], bytes], data: st.DataObject) -> None:
    """New records are added, others removed or moved, and the file reads as intended."""
    container = read_container(made[1], "s")
    (source,) = container.conversations
    items = [Item(record.uid, record.value) for record in source.document.records]
    items = data.draw(st.permutations(items))[: data.draw(st.integers(1, len(items)))]
    items.insert(data.draw(st.integers(0, len(items))), Item(-1, {"role": "user", "content": "new"}))
    out = container.to_bytes([rewritten(source.document, items)])
    again = read_container(out, "s").conversations[0].document
    assert [record.value for record in again.records] == [item.value for item in items]


@pytest.mark.parametrize("data", [b"[,]", b'[{"role":"user"},,]', b'[{"role":"user","content":"x"} 1,]'])
def test_other_mistakes_are_still_mistakes(data: bytes) -> None:
    with pytest.raises(UnreadableFile):
        read_container(data, "s")


def opened(data: bytes) -> Session:
    return open_session("session.jsonl", data=data)


def test_claude_code_ignores_them() -> None:
    log = Log()
    log.record("user", "u1", message={"role": "user", "content": "go"})
    log.says("a1", "m1", call("toolu_1"))
    log.result("r1", "a1", "toolu_1", "seen")
    session = opened(lines(log.values))
    assert session.format.id == "claude-code" and not session.problems
    assert session.conversation.verdict.outputs_seen == 1


def test_codex_does_not_resume_such_a_file() -> None:
    made = Rollout()
    made.begins("t1", "Go.")
    made.call("c1")
    made.output("c1", "seen")
    made.says("Done.")
    session = opened(lines(made.values))
    (problem,) = session.problems
    assert (problem.rule, problem.severity, problem.impact) == ("record.trailing_comma", "error", "stops")
    assert "does not resume this session" in problem.text and session.conversation.verdict.outputs_seen == 0
    session.stage_recommended()
    assert not session.problems and session.conversation.verdict.outputs_seen == 1
    assert session.to_bytes() == lines(made.values, b"\n", b"\n")


@pytest.mark.parametrize("container", ["lines", "array"])
def test_a_list_has_one_problem_and_one_fix(container: str) -> None:
    values = [{"role": role, "content": "so"} for _ in range(600) for role in ("user", "assistant")]
    session = opened(lines(values) if container == "lines" else array(values, 1))
    assert session.conversation.counts.messages == 1200
    (problem,) = session.problems
    assert (problem.rule, problem.severity) == ("record.trailing_comma", "error")
    session.stage_recommended()
    assert not session.problems
    assert len(list(session.staging.changes())) == (1200 if container == "lines" else 1)
    assert not open_session("again", data=session.to_bytes()).problems


def test_one_line_with_a_comma_is_a_damaged_line() -> None:
    made = Rollout()
    made.begins("t1", "Go.")
    made.call("c1")
    made.output("c1", "seen")
    made.says("Done.")
    marked = made.lines
    marked[-2] += b","
    session = opened(b"\n".join(marked) + b"\n")
    assert next(problem.rule for problem in session.problems if problem.impact == "loses") == "record.bad_json"
    session.stage_recommended()
    assert not session.problems and session.to_bytes() == made.data
    assert not session.conversation.document.aside, "a comma is nothing that is put aside"


@pytest.mark.parametrize("indent", [None, 1])
def test_a_part_of_an_array_keeps_the_separator_after_it(indent: int | None) -> None:
    document = read_container(json.dumps([{"role": "user", "content": "go"}] * 6, indent=indent).encode(), "x.json")
    whole = document.conversations[0].document
    assert not whole.commas and not any(whole.part(at, at + 2, 10).commas for at in (0, 2, 4))
