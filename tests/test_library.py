"""The Python API: plain lists and the SDKs' own objects."""

from __future__ import annotations

import copy
import json
import math
from dataclasses import dataclass, field
from typing import Any

import pytest

import toolpair
from toolpair.library import message_lists

BROKEN: list[dict[str, Any]] = [
    {"role": "user", "content": "run the tests"},
    {"role": "assistant", "content": [{"type": "tool_use", "id": "toolu_1", "name": "Bash", "input": {}}]},
    {"role": "user", "content": "and?"},
]
VALID: list[dict[str, Any]] = [
    *BROKEN[:2],
    {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "toolu_1", "content": "3 passed"}]},
]


class Model:
    """What an SDK's pydantic object looks like from outside."""

    def __init__(self, **values: Any) -> None:
        self.values = values

    def model_dump(self, **_: Any) -> dict[str, Any]:
        return {key: value for key, value in self.values.items() if value is not None}


@dataclass
class ToolUse:
    id: str
    name: str
    input: dict[str, Any] = field(default_factory=dict)
    type: str = "tool_use"
    caller: None = None


LONG = 800


def long_list(
    shape: str, call: Any = None, output: Any = "done", beside: Any = None, words: Any = "Go on."
) -> list[Any]:
    """Many exchanges, of which one in the middle has these parts."""
    made: list[Any] = []
    for number in range(LONG // 4):
        is_it = number == LONG // 8
        id_, said = f"toolu_{number}", output if is_it else "done"
        more = {"beside": beside} if is_it and beside is not None else {}
        given = call if is_it and call is not None else {"path": f"{number}.txt"}
        made.append({"role": "user", "content": words if is_it else "Go on."})
        if shape == "anthropic":
            made.append(
                {"role": "assistant", "content": [{"type": "tool_use", "id": id_, "name": "Read", "input": given}]}
            )
            result = {"type": "tool_result", "tool_use_id": id_, "content": said, **more}
            made.append({"role": "user", "content": [result]})
        else:
            function = {"name": "Read", "arguments": "{}", **({"parsed": given} if is_it and call else {})}
            asked = {"id": id_, "type": "function", "function": function}
            made.append({"role": "assistant", "content": None, "tool_calls": [asked]})
            made.append({"role": "tool", "tool_call_id": id_, "content": said, **more})
        made.append({"role": "assistant", "content": "Done."})
    return made


def test_check_names_rule_place_and_words() -> None:
    report = toolpair.check(BROKEN)
    assert not report and report.profile == "anthropic"
    (problem,) = report.errors
    assert (problem.rule, problem.message, problem.block) == ("result.missing", 1, 0)
    assert problem.text == "Bash was called, but no result for it is in this file."
    assert problem.api_says is not None and "messages.2" in problem.api_says and "toolu_1" in problem.api_says


def test_repair_hands_untouched_messages_back_and_leaves_its_input_alone() -> None:
    before = copy.deepcopy(BROKEN)
    repaired = toolpair.repair(BROKEN)
    assert before == BROKEN
    assert repaired.ok and [taken.fix for taken in repaired.taken] == ["insert-placeholder"]
    assert repaired.messages[0] is BROKEN[0] and repaired.messages[1] is BROKEN[1]
    result, words = repaired.messages[2]["content"]
    assert result["is_error"] is True and "No result was recorded" in result["content"]
    assert words == {"type": "text", "text": "and?"}
    assert toolpair.repair(repaired.messages).messages is repaired.messages


def test_a_long_valid_list_is_not_read_as_a_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    """To repair it costs what to check it does."""
    messages: list[dict[str, object]] = [{"role": "user", "content": "go"}]
    for number in range(2000):
        id_ = f"toolu_{number:024}"
        messages.append({"role": "assistant", "content": [{"type": "tool_use", "id": id_, "name": "ls", "input": {}}]})
        messages.append({"role": "user", "content": [{"type": "tool_result", "tool_use_id": id_, "content": "a.py"}]})

    def whole(*_: object) -> None:
        raise AssertionError("read as a whole")

    monkeypatch.setattr(message_lists, "_judged", whole)
    assert toolpair.repair(messages).messages is messages
    assert toolpair.guard(messages, mode="repair") is messages


@pytest.mark.parametrize("number", [math.nan, -math.inf])
@pytest.mark.parametrize("shape", ["anthropic", "openai-chat"])
def test_nan_is_found_wherever_it_is_and_written_as_text(shape: str, number: float) -> None:
    """In long lists, too, which are looked at quickly."""
    spoilt = [{"call": {"t": number}}, {"output": number}, {"beside": [number]}, {"words": number}]
    for one in spoilt:
        messages = long_list(shape, **one)
        for some in (messages, messages[LONG // 2 - 4 : LONG // 2 + 4]):
            found = [problem for problem in toolpair.check(some).problems if problem.rule == "record.bad_json"]
            assert [problem.severity for problem in found] == ["error"], (one, len(some))
        if "words" in one or "output" in one:
            continue  # it is in the place of a text, which is another problem
        repaired = toolpair.repair(messages)
        assert [(taken.rule, taken.fix) for taken in repaired.taken] == [("record.bad_json", "as-text")]
        json.dumps(repaired.messages, allow_nan=False)


def test_a_valid_list_is_handed_back_itself() -> None:
    assert toolpair.check(VALID).ok
    assert toolpair.repair(VALID).messages is VALID


@pytest.mark.parametrize(
    "call", [ToolUse("toolu_1", "Bash"), Model(type="tool_use", id="toolu_1", name="Bash", input={})]
)
def test_the_sdks_objects_in_the_list(call: Any) -> None:
    messages: list[Any] = [BROKEN[0], {"role": "assistant", "content": [call]}, BROKEN[2]]
    assert [problem.rule for problem in toolpair.check(messages).errors] == ["result.missing"]
    repaired = toolpair.repair(messages)
    assert repaired.ok and repaired.messages[1] is messages[1]


def test_a_whole_message_object() -> None:
    message = Model(
        role="assistant",
        content=None,
        tool_calls=[{"id": "call_1", "type": "function", "function": {"name": "t", "arguments": "{}"}}],
    )
    messages: list[Any] = [{"role": "user", "content": "hi"}, message, {"role": "user", "content": "next"}]
    repaired = toolpair.repair(messages)
    assert repaired.messages[1] is message
    assert repaired.messages[2]["role"] == "tool" and repaired.messages[2]["tool_call_id"] == "call_1"


def test_guard() -> None:
    with pytest.raises(toolpair.InvalidMessages, match="Bash was called") as raised:
        toolpair.guard(BROKEN)
    assert raised.value.report.errors
    assert toolpair.guard(VALID) is VALID
    assert toolpair.check(toolpair.guard(BROKEN, mode="repair")).ok
    assert len(toolpair.guard(BROKEN, mode="report").errors) == 1


def test_a_fault_inside_the_guard_lets_the_messages_through() -> None:
    odd: list[Any] = [object()]
    with pytest.warns(RuntimeWarning, match="let the messages through"):
        assert toolpair.guard(odd) is odd


def test_what_is_not_understood_is_never_ok() -> None:
    with pytest.raises(ValueError, match="neither"):
        toolpair.check([{"type": "said"}])
    with pytest.raises(ValueError, match="no profile"):
        toolpair.check(VALID, profile="nobody")
    with pytest.raises(ValueError, match="no recipe"):
        toolpair.repair(VALID, recipe="nothing")
