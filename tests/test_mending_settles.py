"""A recipe leaves nothing that a second run would change, whatever its fixes do."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import pytest
from msgspec.structs import replace

import toolpair
from tests.each import each
from toolpair.recipes.engine import apply_fixes
from toolpair.recipes.recommended import pick
from toolpair.rules.problem import Fix, Problem
from toolpair.rules.profiles import profile_names
from toolpair.session.session import open_session
from toolpair.transcript.edits import Edit, RemoveRecord


@dataclass(frozen=True)
class State:
    """A file of which some records are wrong. Those that need another are mended only once that one is."""

    wrong: tuple[int, ...]
    needs: tuple[tuple[int, int], ...] = ()
    tried: int = 0
    """How often something was done that did not help: it shows in the file."""

    @property
    def problems(self) -> Sequence[Problem]:
        return [wrong(number) for number in self.wrong]


def wrong(number: int) -> Problem:
    fix = Fix("mend", "mend it", (RemoveRecord(number),), recommended=True)
    return Problem(f"rule.{number}", "error", "loses", "", "It is wrong.", None, None, None, number, fixes=(fix,))


def apply(state: State, edits: Sequence[Edit]) -> State:
    done, tried = set[int](), state.tried
    for edit in edits:
        assert isinstance(edit, RemoveRecord)
        need = dict(state.needs).get(edit.record)
        if need is None or need not in state.wrong:
            done.add(edit.record)
        else:
            tried += 1
    return type(state)(tuple(number for number in state.wrong if number not in done), state.needs, tried)


def run(state: State) -> State:
    for step in apply_fixes(state, apply, pick):
        state = step.after
    return state


def test_a_fix_that_does_not_take_is_not_put_on() -> None:
    state = State((1, 2, 3), needs=((2, 2),))
    once = run(state)
    assert once == State((2,), state.needs)
    assert run(once) == once and list(apply_fixes(once, apply, pick)) == []


def test_a_fix_that_takes_only_behind_another_is_tried_again() -> None:
    assert run(State((1, 2, 3), needs=((1, 2), (2, 3)))).wrong == ()


@dataclass(frozen=True)
class Alike(State):
    """The same, and all its problems are of one kind: their fixes make one step."""

    @property
    def problems(self) -> Sequence[Problem]:
        return [replace(wrong(number), rule="rule") for number in self.wrong]


def test_a_fix_of_a_step_that_does_not_help_is_left_out_of_it() -> None:
    state = Alike((1, 2, 3, 4), needs=((2, 2), (3, 3)))
    assert run(state) == Alike((2, 3), state.needs)


def test_a_fix_whose_problem_comes_back_is_tried_again() -> None:
    """A step may help although a problem of it stays, which what is fixed later makes room for."""
    state = Alike((1, 2), needs=((2, 1),))
    assert run(state).wrong == ()


LEGACY: list[dict[str, Any]] = [
    {"role": "user", "content": "run it"},
    {
        "role": "assistant",
        "content": None,
        "tool_calls": [{"id": "", "type": "function", "function": {"name": "run", "arguments": "{}"}}],
    },
    {"role": "function", "name": "run", "content": "3 passed"},
    {"role": "assistant", "content": "All pass."},
]


@each("profile", profile_names())
def test_a_legacy_result_gets_the_id_of_its_call_once(profile: str) -> None:
    mended = toolpair.repair(LEGACY, profile)
    assert len(mended.taken) <= 3 and "id.empty" not in [problem.rule for problem in mended.left]
    assert toolpair.repair(mended.messages, profile).messages is mended.messages
    if any(taken.rule == "id.empty" for taken in mended.taken):
        asks, tells = mended.messages[1]["tool_calls"][0], mended.messages[2]
        assert tells["role"] == "tool" and tells["tool_call_id"] == asks["id"] != ""


def test_an_id_of_a_providers_own_tool_that_is_empty_gets_one_that_is_accepted() -> None:
    search = {"type": "server_tool_use", "id": "", "name": "web_search", "input": {}}
    messages = [{"role": "user", "content": "look"}, {"role": "assistant", "content": [search]}]
    mended = toolpair.repair(messages, "anthropic")
    assert mended.ok and toolpair.repair(mended.messages, "anthropic").messages is mended.messages


@pytest.mark.parametrize("content", [{"text": "hello"}, 7, True])
def test_a_content_of_another_kind_is_judged_whatever_shape_the_others_have(content: Any) -> None:
    orphan = {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "a", "content": "out"}]}
    messages = [{"role": "user", "content": "go"}, {"role": "assistant", "content": content}, orphan]
    mended = toolpair.repair(messages, "moonshot")
    assert mended.ok and toolpair.repair(mended.messages, "moonshot").messages is mended.messages


def roo() -> list[dict[str, Any]]:
    messages: list[dict[str, Any]] = [{"role": "user", "content": [{"type": "text", "text": "go"}], "ts": 1}]
    for number in range(1, 4):
        asks = {"type": "tool_use", "id": f"abcdefgh{number}", "name": "read", "input": {}}
        says = {"type": "text", "text": f"Step {number}."}
        told = {"type": "tool_result", "tool_use_id": f"abcdefgh{number}", "content": f"output {number}"}
        messages.append({"role": "assistant", "content": [says, asks], "ts": 2 * number})
        messages.append({"role": "user", "content": [told], "ts": 2 * number + 1})
    return messages


@pytest.mark.parametrize("profile", ["mistral/v2", "bedrock-converse/separate", "mistral/v3"])
def test_messages_that_are_put_in_leave_the_file_what_it_is(profile: str) -> None:
    session = open_session("api_conversation_history.json", data=json.dumps(roo()).encode(), profile=profile)
    staged = session.stage_recommended()
    if profile == "mistral/v2":
        assert staged is not None and staged.count < 10, "the agent merges what is put beside a message of its role"
    data = session.to_bytes()
    again = open_session("api_conversation_history.json", data=data, profile=profile)
    assert again.format.id == session.format.id == "roo-code"
    assert [problem.rule for problem in again.problems if problem.severity == "error"] == []
    assert again.stage_recommended() is None and again.to_bytes() == data
    assert all("ts" in message for message in json.loads(data))
