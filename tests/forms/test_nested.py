"""Tables whose texts, calls and results lie inside other parts: one of them changes, and what is beside it stays."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from toolpair.cli.main import main

NOVA = "Malformed input request: #/messages/0/content: expected type: JSONArray, found: String"

_TABLE = """title = "Nested"
where = "a test"
profile = "anthropic"
lists = ["msgs[]"]
role = ["who"]
roles = {{ u = "user", a = "assistant" }}
text = ["{text}"]
[evidence]
each = ["who=u|a", "body"]
some = ["who"]
[[call]]
at = "{calls}"
id = "call"
name = "name"
arguments = "args"
arguments_are = "object"
[[result]]
at = "{results}"
id = "answers"
content = "out"
[new]
into = ["who=u"]
result = {{ answers = "$id", out = "$text" }}
message = {{ who = "u", body = "$results" }}
text = {{ who = "u", body = [ {{ text = "$text" }} ] }}
"""


def fixed(folder: Path, capsys: pytest.CaptureFixture[str], messages: list[Any], **table: str) -> Any:
    (folder / "nested.toml").write_text(_TABLE.format(**table))
    (folder / "list.json").write_text(json.dumps({"msgs": messages}))
    assert main(["fix", "--form", str(folder / "nested.toml"), str(folder / "list.json"), "-o", "-"]) == 0
    return json.loads(capsys.readouterr().out)["msgs"]


def test_an_empty_text_is_taken_out_from_among_others(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    blocks = [{"text": "keep me", "k": 1}, {"text": "", "k": 2}, {"text": "third", "k": 3}]
    messages = [
        {"who": "u", "body": [{"blocks": blocks}]},
        {"who": "a", "body": [{"call": "c1", "name": "f", "args": {"x": 1}}]},
        {"who": "u", "body": [{"answers": "c1", "out": "output"}]},
        {"who": "a", "body": [{"blocks": [{"text": "done"}]}]},
    ]
    table = {"text": "body[].blocks[].text", "calls": "body[call]", "results": "body[answers]"}
    made = fixed(tmp_path, capsys, messages, **table)
    assert made[0] == {"who": "u", "body": [{"blocks": [blocks[0], blocks[2]]}]} and made[1:] == messages[1:]


def test_nested_calls_and_results_get_other_ids_and_keep_the_rest(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    calls = [{"call": f"c.{n}:0", "name": "f", "args": {"x": n}, "k": n} for n in (1, 2)]
    results = [{"answers": f"c.{n}:0", "out": f"output {n}", "k": n} for n in (1, 2)]
    messages = [
        {"who": "u", "body": [{"text": "go"}]},
        {"who": "a", "body": [{"text": "t", "calls": calls}]},
        {"who": "u", "body": [{"results": results}]},
        {"who": "a", "body": [{"text": "done"}]},
    ]
    table = {"text": "body[].text", "calls": "body[].calls[]", "results": "body[].results[]"}
    made = fixed(tmp_path, capsys, messages, **table)
    ids = [call["call"] for call in made[1]["body"][0]["calls"]]
    assert len(set(ids)) == 2 and not any(character in "".join(ids) for character in ".:")
    assert made[1]["body"][0]["calls"] == [{**call, "call": id_} for call, id_ in zip(calls, ids, strict=True)]
    assert made[2]["body"][0]["results"] == [{**one, "answers": id_} for one, id_ in zip(results, ids, strict=True)]


def test_the_arguments_of_a_call_are_no_text_of_its_message(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    call = {"id": "b", "type": "function", "function": {"name": "f", "arguments": '{"q":2}'}}
    messages = [
        {"role": "user", "content": "hi"},
        {"role": "assistant", "content": "", "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "b", "content": "output"},
    ]
    path = tmp_path / "list.json"
    path.write_text(json.dumps({"messages": messages}))
    assert main(["fix", str(path), "--for-error", NOVA, "-o", "-"]) == 0
    made = json.loads(capsys.readouterr().out)["messages"]
    assert made[1] == messages[1] and made[0]["content"] == [{"text": "hi"}]
