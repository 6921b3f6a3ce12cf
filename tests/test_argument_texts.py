"""Broken arguments of calls: what is certain is read, nothing is made up, and the rest is kept as it is."""

from __future__ import annotations

import json
from typing import Any

import pytest

import toolpair
from toolpair.dialects.argument_texts import said_arguments
from toolpair.session.session import open_session

READ = [
    ('{"path": "a", "content": "x', "closed", '{"path": "a", "content": "x"}'),
    ('{"a": "de\\', "closed", '{"a": "de"}'),
    ('{"a": "de\\u12', "closed", '{"a": "de"}'),
    ('{"a": "d\\ud83d\\ude', "closed", '{"a": "d"}'),
    ('{"a": "x\\\\', "closed", '{"a": "x\\\\"}'),
    ('{"a": 1.50, ', "closed", '{"a": 1.50}'),
    ("{", "closed", "{}"),
    ('{"a": [1, {"b": "c"}', "closed", '{"a": [1, {"b": "c"}]}'),
    ("{'a': 'x", "closed", '{"a": "x"}'),
    ("{'a': None, 'b': True, \"c\": [1.5, -2, ], 'd': false}", "python", '{"a": null, "b": true, "c": [1.5, -2], "d": false}'),
    ("{'a': 'it\\'s \\ud83d\\ude00\\/'}", "python", '{"a": "it\'s 😀/"}'),
    ('{"a": "x\ny"}', "python", '{"a": "x\\ny"}'),
    ('{}{"a": 1}', "glued", '{"a": 1}'),
    ('{"a": 1} {"a": 1}', "glued", '{"a": 1}'),
    ('"{\\"a\\": 1}"', "inside", '{"a": 1}'),
]  # fmt: skip
UNCLEAR = [
    *('{"a": 1, "b": 12', '{"a": 1, "b": tru', '{"a": 1, "b', '{"a": 1, "b"', '{"a": 1, "b":', '{"', "", "x", "[1", "12"),
    *('{"a": 1}{"b": 1}', '{"a": 1} and', '{"a": 1}}', '{"a": NaN}', '{"a": 1, "a": 2', "{'a': (1, 2)}", "{'a': f'x'}"),
    *('{"a" "b"}', '{"a": }', "{,}", '{"a": 1,,}', '{"a": 1 "b": 2}', '{"a": ]', '{"a": 1, b": "x"}', "{'a': '\\q'}"),
    *('{"a": "b": "c"}', "{'a': 'b' 'c'}", '{"a":' * 300),
]  # fmt: skip


def test_what_a_broken_text_says() -> None:
    for text, how, wanted in READ:
        found = said_arguments(text)
        assert found is not None and (found.how, found.text) == (how, wanted), text
        assert json.loads(found.text) == found.value
    for text in UNCLEAR:
        assert said_arguments(text) is None, text


def test_every_cut_of_arguments_keeps_what_was_said() -> None:
    """At each character: either nothing is claimed, or each text and number is one that was said, or its beginning."""
    whole = {
        "path": "a/b\\c.py",
        "lines": [1, 22],
        "new": 'say "hi"\n\u00e9\U0001f600',
        "deep": {"on": True, "off": None},
    }
    for escaped in (True, False):
        text = json.dumps(whole, ensure_ascii=escaped)
        closed = 0
        for end in range(len(text)):
            found = said_arguments(text[:end])
            if found is None:
                continue
            closed += 1
            for key, value in found.value.items():
                said: Any = whole[key]
                assert value == said or (isinstance(value, str) and said.startswith(value)) or key in ("lines", "deep")
            said_texts = found.text.removesuffix("}").removesuffix("]").removesuffix('"')
            assert text.startswith(said_texts.rstrip('}]"'))
        assert closed > 40


@pytest.mark.parametrize(
    "text", ['{"a": "' + '\\"' * 500_000, '{"a": [' + "1," * 200_000, "{}" * 100_000, "{'" * 300_000]
)
def test_long_arguments_are_read(text: str) -> None:
    """In one pass: whoever walked them again from each place would not end."""
    found = said_arguments(text)
    assert found is None or isinstance(found.value, dict)


@pytest.mark.parametrize("given", ['{"path": "a", "content": "x', "{'path': 'a', 'content': 'x'}"])
def test_a_call_gets_arguments_that_every_provider_takes(given: str) -> None:
    wanted = {"path": "a", "content": "x"}
    function = {"id": "c", "type": "function", "function": {"name": "write", "arguments": given}}
    shapes: list[tuple[str, list[Any]]] = [
        ("openai-chat", [{"role": "assistant", "content": "", "tool_calls": [function]},
                         {"role": "tool", "tool_call_id": "c", "content": "bad"}]),
        ("openai-responses", [{"type": "function_call", "call_id": "c", "name": "write", "arguments": given},
                              {"type": "function_call_output", "call_id": "c", "output": "bad"}]),
        ("anthropic", [
            {"role": "assistant", "content": [{"type": "tool_use", "id": "c", "name": "write", "input": given}]},
            {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "c", "content": "bad"}]},
        ]),
    ]  # fmt: skip
    for profile, tail in shapes:
        session = open_session(
            "x.json", data=json.dumps([{"role": "user", "content": "go"}, *tail]).encode(), profile=profile
        )
        (problem,) = session.problems
        assert problem.severity == ("error" if profile == "anthropic" else "warning")
        assert [fix.recommended for fix in problem.fixes] == [True, False]
        session.stage(problem)
        assert not session.problems and not session.staging.losses
        made = json.loads(session.to_bytes())[1]
        said = made["tool_calls"][0]["function"] if "tool_calls" in made else made
        assert (said["content"][0]["input"] if "content" in said else json.loads(said["arguments"])) == wanted
    kept = toolpair.repair([{"role": "user", "content": "go"}, *shapes[0][1]], profile="anthropic")
    assert kept.ok and json.loads(kept.messages[1]["tool_calls"][0]["function"]["arguments"]) == wanted
