"""A table drafted from a file of an unknown form: what it is read by, and what is not guessed."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import Run
from tests.forms.made_lists import made_lists
from toolpair.session.session import open_session
from toolpair.transcript.pairing import pair

MADE = made_lists()
OTHERS: dict[str, Callable[[int], list[Any]]] = {
    "roles are keys": lambda n: [
        {"human": {"text": "look at it"}},
        {"ai": {"text": "I do so", "calls": [{"id": f"c-{n}", "name": "find", "args": {"n": n}}]}},
        {"tool": {"id": f"c-{n}", "output": "found it"}},
        {"ai": {"text": "it is there"}},
    ],
    "names in order, without ids": lambda n: [
        {"from": "user", "chunks": [{"text": "look at it"}]},
        {"from": "model", "chunks": [{"invoke": {"fn": "find", "args": {"n": n}}}]},
        {"from": "user", "chunks": [{"answer": {"fn": "find", "value": "found it"}}]},
        {"from": "model", "chunks": [{"text": "it is there"}]},
    ],
    "a result repeats its call": lambda n: [
        {"role": "user", "content": [{"text": "look at it"}]},
        {"role": "assistant", "content": [{"call": {"tool_name": "find", "arguments": {"n": n}, "id": f"c-{n}"}}]},
        {"role": "tool", "content": [{"done": {"result": "found it", "origin": {"tool_name": "find",
                                               "arguments": {"n": n}, "id": f"c-{n}"}}}]},
        {"role": "assistant", "content": [{"text": "it is there"}]},
    ],
    "what counts is in a body": lambda n: [
        {"direction": "in", "body": {"say": "look at it"}},
        {"direction": "out", "body": {"tool": "find", "call": f"c-{n}", "args": {"n": n}}},
        {"direction": "in", "body": {"call": f"c-{n}", "out": "found it"}},
        {"direction": "out", "body": {"say": "it is there"}},
    ],
    "no word is known": lambda n: [
        {"角色": "用户", "内容": "看看订单"},
        {"角色": "助手", "内容": "", "工具调用": [{"编号": f"c-{n}", "工具": "find", "参数": {"n": n}}]},
        {"角色": "工具", "编号": f"c-{n}", "内容": f"订单 {n} 已发货"},
        {"角色": "助手", "内容": "已发货"},
    ],
    "ids that are used again": lambda n: [
        {"role": "user", "text": "look at it"},
        {"role": "assistant", "text": "", "calls": [{"id": "1", "tool": "find", "input": {"n": n}}]},
        {"role": "tool", "call_id": "1", "result": "found it"},
        {"role": "assistant", "text": "it is there"},
    ],
    "kinds without a role": lambda n: [
        {"t": "asked", "line": "look at it"},
        {"t": "exec", "job": f"job-{n}", "command": "find", "env": {"n": n}},
        {"t": "exit", "job": f"job-{n}", "code": 0, "stdout": "found it"},
        {"t": "told", "line": "it is there"},
    ],
}  # fmt: skip
"""A user's text, a call, its result and the model's text, as nobody's known form has them."""
Facts = tuple[set[tuple[Any, Any]], set[tuple[Any, str]], int]


def _block(n: int) -> list[Any]:
    asks = [{"kind": "invoke", "key": f"k-{i}{n}", "tool": "find", "args": {"n": i}} for i in (1, 2)]
    gives = [{"kind": "outcome", "for_key": f"k-{i}{n}", "output": f"found it {i}"} for i in (1, 2)]
    return [
        {"who": "human", "parts": [{"kind": "words", "text": "look at it"}]},
        {"who": "bot", "parts": [{"kind": "words", "text": "I do so"}, *asks]},
        {"who": "human", "parts": gives},
    ]


def _message(n: int) -> list[Any]:
    asks = [{"call_ref": f"c_{i}{n}", "function": {"name": "find", "arguments": json.dumps({"n": i})}} for i in (1, 2)]
    gives = [{"author": "tool", "call_ref": f"c_{i}{n}", "body": f"found it {i}", "ok": i == 1} for i in (1, 2)]
    return [{"author": "user", "body": "look at it"}, {"author": "agent", "body": "", "requests": asks}, *gives]


def _item(n: int) -> list[Any]:
    return [
        {"event": "turn", "who": "customer", "say": "Where is it?"},
        {"event": "tool.start", "run": f"r-{n}", "tool": "find", "with": {"n": n}},
        {"event": "tool.end", "run": f"r-{n}", "ok": True, "got": "it is on its way"},
        {"event": "turn", "who": "bot", "say": "On its way."},
    ]


def _inside(n: int) -> list[Any]:
    steps = [{"op": "text", "text": "I look"}, {"op": "tool", "callId": f"x{n}", "toolName": "find", "input": {"n": n}}]
    return [
        {"role": "user", "steps": [{"op": "text", "text": "look at it"}]},
        {"role": "assistant", "steps": [*steps[:1], {**steps[1], "status": "done", "result": "found it"}]},
    ]


def _listed(n: int) -> list[Any]:
    return [
        {"from": "human", "msg": "look at it"},
        {
            "from": "bot",
            "msg": "I do so",
            "calls": [{"id": f"c-{n}", "operation": "find", "argumentsJson": '{"n": 1}'}],
        },
        {"from": "tool", "reply_to": [f"c-{n}"], "msg": "found it"},
    ]


SHAPES: dict[str, Callable[[int], list[Any]]] = {
    "block": _block,
    "message": _message,
    "item": _item,
    "inside": _inside,
    "listed": _listed,
}


def facts(path: Path, form: str | None = None) -> Facts:
    """The calls, the results and the number of the pairs that are found in a file."""
    calls, results, pairs = set(), set(), 0
    for conversation in open_session(path, format=form).file.conversations:
        blocks = [block for message in conversation.transcript.messages for block in message.blocks]
        calls |= {(block.id, block.name) for block in blocks if block.kind == "call"}
        results |= {(block.id, json.dumps(block.value.get("content"))) for block in blocks if block.kind == "result"}
        pairs += sum(bool(one.call and one.results) for one in pair(conversation.transcript).pairs)
    return calls, results, pairs


def drafted(run: Run, tmp_path: Path, value: Any, lines: bool = False) -> tuple[Path, str]:
    """A file with this value, and the table that is drafted from it."""
    path, table = tmp_path / "log.json", tmp_path / "ours.toml"
    path.write_text("".join(json.dumps(one) + "\n" for one in value) if lines else json.dumps(value))
    ran = run("form", "draft", path, "-o", table)
    assert ran.code == 0, ran.err
    return path, str(table)


@pytest.mark.parametrize("around", ["list", "lines", "object"])
@pytest.mark.parametrize("shape", SHAPES)
def test_each_shape(run: Run, tmp_path: Path, shape: str, around: str) -> None:
    elements = [one for n in range(3) for one in SHAPES[shape](n)]
    value = {"run": {"log": elements}} if around == "object" else elements
    path, table = drafted(run, tmp_path, value, around == "lines")
    calls, results, pairs = facts(path, table)
    assert {name for _, name in calls} == {"find"}
    assert len(calls) == len(results) == pairs == (6 if shape in ("block", "message") else 3)
    checked = run("check", path, "--form", table)
    assert checked.code == 0, checked.out


@pytest.mark.parametrize("name", OTHERS)
def test_lists_that_nobody_has_a_form_for(run: Run, tmp_path: Path, name: str) -> None:
    path, table = drafted(run, tmp_path, [one for n in range(3) for one in OTHERS[name](n)])
    transcript = open_session(path, format=table).file.conversations[0].transcript
    roles = {block.text: message.role for message in transcript.messages for block in message.blocks}
    asked, told = ("看看订单", "已发货") if name == "no word is known" else ("look at it", "it is there")
    assert (roles[asked], roles[told]) == ("user", "assistant")
    found = [one for one in pair(transcript).pairs if one.call and one.results]
    assert [one.call.value["input"] for one in found if one.call] == [{"n": n} for n in range(3)]
    assert [one.call.name for one in found if one.call] == ["find"] * 3


@pytest.mark.parametrize("shape", ["block", "message", "item"])
def test_a_lost_result_is_shown(run: Run, tmp_path: Path, shape: str) -> None:
    elements = [one for n in range(3) for one in SHAPES[shape](n)]
    whole = json.dumps(elements)
    if shape == "block":
        del elements[5]["parts"][0]
    else:
        del elements[6]
    assert whole != json.dumps(elements)
    path, table = drafted(run, tmp_path, elements)
    calls, results, pairs = facts(path, table)
    assert len(calls) - 1 == len(results) == pairs
    assert run("check", path, "--form", table).code == 1
    assert "not say what a new result looks like" in run("fix", path, "--in-place", "--form", table).err


@pytest.mark.parametrize("name", sorted(MADE))
def test_the_lists_of_known_forms(run: Run, tmp_path: Path, name: str) -> None:
    """A draft reads in them what the tables read that people wrote, or says that it finds nothing."""
    path = tmp_path / ("s.jsonl" if MADE[name].lines else "s.json")
    path.write_bytes(MADE[name].data())
    ran = run("form", "draft", path, "-o", tmp_path / "ours.toml")
    if ran.code:
        assert ran.code == 2 and "No calls and results" in ran.err
        return
    calls, results, pairs = facts(path, str(tmp_path / "ours.toml"))
    known = facts(path)
    assert (calls, {id_ for id_, _ in results}, pairs) == (known[0], {id_ for id_, _ in known[1]}, known[2])


@pytest.mark.parametrize(
    "value",
    [
        pytest.param([{"role": "user", "content": f"go on {n}"} for n in range(9)], id="no calls"),
        pytest.param([{"id": n, "tool": "find", "args": {}} for n in range(9)], id="ids that are numbers"),
        pytest.param({"calls": {"c-1": {"tool": "find", "args": {}, "output": "x"}}}, id="a map keyed by ids"),
        pytest.param([{"tool": "find", "args": {"n": 1}, "observation": "found it"}] * 9, id="no ids"),
        pytest.param([{"id": f"m-{n}", "parent_id": f"m-{n - 1}", "text": "go on"} for n in range(9)], id="a tree"),
        pytest.param([{"id": f"u-{n}", "name": "Ann", "data": {"age": n}} for n in range(9)], id="people"),
        pytest.param([{"k" * 5000: "x", "b": [[[{}]]], '"': {"\\": 1}}] * 2, id="huge and odd keys"),
        pytest.param(
            [
                one
                for n in range(9)
                for one in (
                    {"sku": f"s-{n}", "label": "lamp", "traits": {"w": n}},
                    {"sku": f"s-{n}", "review": "a good lamp"},
                )
            ],
            id="goods and what is said of them",
        ),
        pytest.param([], id="nothing"),
        pytest.param("a text", id="a text"),
    ],
)
@pytest.mark.parametrize("lines", [False, True])
def test_what_is_not_guessed(run: Run, tmp_path: Path, value: Any, lines: bool) -> None:
    path = tmp_path / "log.json"
    several = lines and isinstance(value, list)
    path.write_text("".join(json.dumps(one) + "\n" for one in value) if several else json.dumps(value))
    ran = run("form", "draft", path, "-o", tmp_path / "ours.toml")
    assert (ran.code, ran.out, len(ran.err.splitlines())) == (2, "", 1)
    assert not (tmp_path / "ours.toml").exists()


@pytest.mark.parametrize(
    "data",
    [b"", b"\xff\xfe\x00", b"{" * 9000, b'{"a":' * 9000, b"[" * 90_000, b'[{"id": "a1", "na', b"no JSON\nat all\n"],
)
def test_hostile_bytes(run: Run, tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "log.json"
    path.write_bytes(data)
    ran = run("form", "draft", path)
    assert (ran.code, ran.out, len(ran.err.splitlines())) == (2, "", 1)
    assert "toolpair itself failed" not in ran.err


def test_odd_names_and_values_are_spelled_as_they_are(run: Run, tmp_path: Path) -> None:
    odd = "tool.call [a]=b,c|d"
    elements = [
        element
        for n in range(3)
        for element in (
            {odd: {"call.id": f"c-{n}", "tool name": "find", "arguments": {"'\x1b[31m": "'''"}}, "type": "ask's"},
            {"type": "gi\x1bve", "call_id": f"c-{n}", "output": "it's found\x1b\x7f", "ünï": "'''\x9b\x7f"},
        )
    ]
    path, table = drafted(run, tmp_path, elements)
    calls, results, pairs = facts(path, table)
    assert (len(calls), len(results), pairs) == (3, 3, 3)
    assert all(line.isprintable() for line in Path(table).read_text().splitlines())


def test_a_table_that_is_there_is_kept(run: Run, tmp_path: Path) -> None:
    path, table = drafted(run, tmp_path, _item(1) + _item(2))
    Path(table).write_text("# mine")
    assert run("form", "draft", path, "-o", table).code == 3
    assert Path(table).read_text() == "# mine"
    assert run("form", "draft", path).out.startswith("# Drafted")


def test_the_draft_with_its_example_writes_fixes(run: Run, tmp_path: Path) -> None:
    """The comment under a draft is what a user has to fill in."""
    elements = [one for n in range(3) for one in _item(n)]
    del elements[6]
    path, table = drafted(run, tmp_path, elements, lines=True)
    assert "the file has 3 calls and 2 results: 2 of 3 are pairs" in Path(table).read_text()
    head, _, example = Path(table).read_text().partition("# [new]\n")
    Path(table).write_text(f"{head}[new]\n{example.replace('# ', '')}")
    assert run("fix", path, "--in-place", "--form", table).code == 0
    assert '"turn", "who": "customer", "say": "$text"' in example
    calls, results, pairs = facts(path, table)
    assert len(calls) == len(results) == pairs == 3


def test_the_refusal_of_an_unknown_list_names_it(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "log.json"
    for value in ([{"x": 1}, {"x": 2}], {"a": {"b": [{"x": 1}, {"x": 2}]}}):
        path.write_text(json.dumps(value))
        ran = run("check", path)
        assert ran.code == 2
        assert "form draft FILE" in ran.err
    path.write_text('{"x": 1}')
    assert "form draft" not in run("check", path).err


def test_a_long_list_is_sampled(run: Run, tmp_path: Path) -> None:
    elements = [one for n in range(1500) for one in _item(n)]
    path, table = drafted(run, tmp_path, elements)
    assert "the first 2,000 elements have 500 calls and 500 results: 500 of 500 are pairs" in Path(table).read_text()
    assert facts(path, table)[2] == 1500
