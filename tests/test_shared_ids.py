"""Calls of one turn that share an id, and fewer results than calls: which call is answered, the file does not say."""

from __future__ import annotations

from typing import Any

import pytest

import toolpair
from toolpair.transcript.model import PLACEHOLDER

Messages = list[dict[str, Any]]
OUTPUT = "what only one of them said"


def blocks(*inputs: str, results: int = 1, tool: str = "look") -> Messages:
    calls = [{"type": "tool_use", "id": "toolu_1", "name": tool, "input": {"at": said}} for said in inputs]
    given = [{"type": "tool_result", "tool_use_id": "toolu_1", "content": OUTPUT} for _ in range(results)]
    return [
        {"role": "user", "content": "go"},
        {"role": "assistant", "content": calls},
        {"role": "user", "content": given},
        {"role": "assistant", "content": "Done."},
        {"role": "user", "content": "Thanks."},
    ]


def chat(*names: str, results: int = 1, **said: str) -> Messages:
    calls = [
        {"id": "call_1", "type": "function", "function": {"name": name, "arguments": f'{{"of": "{name}"}}'}}
        for name in names
    ]
    return [
        {"role": "user", "content": "go"},
        {"role": "assistant", "content": None, "tool_calls": calls},
        *({"role": "tool", "tool_call_id": "call_1", "content": OUTPUT, **said} for _ in range(results)),
        {"role": "assistant", "content": "Done."},
        {"role": "user", "content": "Thanks."},
    ]


def items(*names: str) -> Messages:
    calls = [{"type": "function_call", "call_id": "call_1", "name": name, "arguments": "{}"} for name in names]
    output = {"type": "function_call_output", "call_id": "call_1", "output": OUTPUT}
    return [{"role": "user", "content": "go"}, *calls, output, {"role": "user", "content": "Thanks."}]


CASES = {
    "anthropic": blocks("a", "b"),
    "anthropic, three calls, two results": blocks("a", "b", "c", results=2),
    "openai-chat": chat("look", "read"),
    "openai-responses": items("look", "read"),
}


def results_of(messages: Messages) -> list[str]:
    """What the results say, without the texts beside them."""
    found = []
    for message in messages:
        content = message.get("content")
        if message.get("role") == "tool" or message.get("type") == "function_call_output":
            found.append(message.get("output") or message["content"])
        elif isinstance(content, list):
            found += [block["content"] for block in content if block["type"] == "tool_result"]
    return found


@pytest.mark.parametrize("case", CASES)
def test_an_output_that_either_call_may_have_is_given_to_neither(case: str) -> None:
    messages, profile = CASES[case], case.partition(",")[0]
    report = toolpair.check(messages, profile=profile)
    (problem,) = [one for one in report.problems if one.severity == "error"]
    assert (problem.rule, problem.guess) == ("call.duplicate_id", True)
    assert [fix.id for fix in problem.fixes if not fix.certain] == ["nearest"]
    assert problem.recommended is None and problem.no_fix is not None
    made = toolpair.repair(messages, profile=profile)
    assert made.messages is messages and made.left


def test_calls_that_are_the_same_share_one_meaning() -> None:
    """Whichever of two equal calls is answered, the output says the same of both."""
    made = toolpair.repair(blocks("a", "a"), profile="anthropic")
    assert results_of(made.messages) == [OUTPUT, PLACEHOLDER]


def test_a_result_for_each_call_is_taken_in_order() -> None:
    made = toolpair.repair(blocks("a", "b", results=2), profile="anthropic")
    assert results_of(made.messages) == [OUTPUT, OUTPUT]


def test_a_result_that_names_its_tool_is_that_calls() -> None:
    made = toolpair.repair(chat("look", "read", name="read"), profile="openai-chat")
    (answered,) = [one for one in made.messages if one.get("content") == OUTPUT]
    (call,) = [one for one in made.messages[1]["tool_calls"] if one["id"] == answered["tool_call_id"]]
    assert call["function"]["name"] == "read"
