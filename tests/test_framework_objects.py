"""Lists of a framework's own messages, checked and repaired. The real ones where they are installed (extra
`frameworks`), and a stand-in that has what toolpair uses of them.
"""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass, field
from typing import Any

import pytest

import toolpair
from tests.forms.libraries import LIBRARIES
from tests.forms.test_libraries import DEFECTS, whole, written
from toolpair.library import framework_objects
from toolpair.library.framework_objects import Framework

NO_RESULT = "No result was recorded"


@dataclass
class Message:
    """A message as LangChain's: its JSON is that of the form langchain-state."""

    type: str
    content: str
    more: dict[str, Any] = field(default_factory=dict)
    artifact: Any = None

    def as_json(self) -> dict[str, Any]:
        return {"type": self.type, "content": self.content, "additional_kwargs": {}, **self.more}

    @classmethod
    def made(cls, value: dict[str, Any]) -> Message:
        return cls(value["type"], value["content"], {k: v for k, v in value.items() if k not in ("type", "content")})


def call(id_: str, name: str = "look") -> dict[str, Any]:
    return {"id": id_, "name": name, "args": {}, "type": "tool_call"}


@pytest.fixture
def stand_in(monkeypatch: pytest.MonkeyPatch) -> None:
    def plain(message: Any) -> dict[str, Any]:
        return (Message("human", message["content"]) if isinstance(message, dict) else message).as_json()

    own = Framework(__name__, "langchain-state", lambda value, like: Message.made(value), plain, True, "artifact")
    monkeypatch.setattr(framework_objects, "FRAMEWORKS", (own,))


@pytest.mark.usefixtures("stand_in")
def test_what_was_not_changed_is_the_same_object_and_what_is_new_is_of_the_same_kind() -> None:
    given = [
        Message("human", "go"),
        Message("ai", "", {"tool_calls": [call("call_1"), call("call_2")]}),
        Message("tool", "there", {"tool_call_id": "call_2"}),
        Message("human", "and?"),
    ]
    assert [problem.rule for problem in toolpair.check(given).errors] == ["result.missing"]
    repaired = toolpair.repair(given)
    assert repaired.left == ()
    assert [one for one in repaired.messages if any(one is was for was in given)] == given
    (made,) = (one for one in repaired.messages if not any(one is was for was in given))
    assert (type(made), made.type, made.more["tool_call_id"]) == (Message, "tool", "call_1")
    assert NO_RESULT in made.content
    assert toolpair.check(repaired.messages).ok


@pytest.mark.usefixtures("stand_in")
def test_what_a_framework_takes_besides_and_what_it_never_sends() -> None:
    """Dicts of another kind count as its own messages; what no JSON can hold stays with a message that was changed."""
    held = object()
    result = Message("tool", "there", {"tool_call_id": "call.1"}, held)
    given = [{"role": "user", "content": "go"}, Message("ai", "", {"tool_calls": [call("call_1")]}), result]
    repaired = toolpair.repair(given)
    assert [taken.fix for taken in repaired.taken] == ["rename-result"]
    assert repaired.messages[:2] == given[:2]
    made = repaired.messages[2]
    assert (made is result, made.more["tool_call_id"], made.artifact is held) == (False, "call_1", True)


@pytest.mark.usefixtures("stand_in")
def test_the_provider_is_the_one_that_the_messages_name() -> None:
    more = {"tool_calls": [call("call_1")], "response_metadata": {"model_provider": "anthropic"}}
    report = toolpair.check([Message("human", "go"), Message("ai", "", more), Message("human", "and?")])
    assert (report.profile, [problem.rule for problem in report.errors]) == ("anthropic", ["result.missing"])


OBJECTS = ["langchain", "pydantic-ai", "google-genai", "google-adk", "autogen", "semantic-kernel", "agent-framework"]


@pytest.mark.parametrize("name", [*OBJECTS, "llamaindex", "livekit"])
def test_what_is_handed_back_is_of_the_same_kind(name: str) -> None:
    library = LIBRARIES[name]
    pytest.importorskip(library.module)
    turns = DEFECTS["missing"][0](whole(library.prefix))
    loaded = library.load(written(library, turns))
    given = getattr(loaded, "messages", getattr(loaded, "events", loaded))
    if name == "agent-framework":
        given = [sys.modules["agent_framework"].Message.from_dict(one) for one in given]
    assert [problem.rule for problem in toolpair.check(given).errors] == ["result.missing"]
    repaired = toolpair.repair(given)
    assert toolpair.check(repaired.messages).ok
    new = [one for one in repaired.messages if not any(one is was for was in given)]
    assert [type(one) in map(type, given) for one in new] == [True]


def test_items_of_a_run_of_the_agents_sdk() -> None:
    items = pytest.importorskip("agents.items")
    agent = sys.modules["agents"].Agent("helper")
    raw = {"type": "function_call", "call_id": "call_1", "name": "look", "arguments": "{}", "id": "fc_1"}
    given = [{"role": "user", "content": "go"}, items.ToolCallItem(agent=agent, raw_item=raw)]
    given.append({"role": "user", "content": "and?"})
    assert [problem.rule for problem in toolpair.check(given).errors] == ["result.missing"]
    made = toolpair.repair(given).messages[2]
    assert isinstance(made, items.ToolCallOutputItem)
    assert (made.agent, made.to_input_item()["call_id"]) == (agent, "call_1")


@pytest.mark.usefixtures("stand_in")
def test_an_object_that_cannot_be_read_is_named() -> None:
    class Broken(Message):
        def as_json(self) -> dict[str, Any]:
            raise RuntimeError("no")

    with pytest.raises(ValueError, match=r"message 0, a Broken, cannot be read"):
        toolpair.check([Broken("human", "go")])


def test_lists_of_dicts_in_a_form() -> None:
    given = [
        {"role": "user", "content": [{"text": "go"}]},
        {"role": "assistant", "content": [{"toolUse": {"toolUseId": "tooluse_1", "name": "look", "input": {}}}]},
        {"role": "user", "content": [{"text": "and?"}]},
    ]
    report = toolpair.check(given)
    assert (report.profile, [problem.rule for problem in report.errors]) == ("bedrock-converse", ["result.missing"])
    repaired = toolpair.repair(given)
    assert toolpair.check(repaired.messages).ok
    result = repaired.messages[2]["content"][0]["toolResult"]
    assert (result["toolUseId"], result["status"]) == ("tooluse_1", "error")


def test_messages_of_langchain() -> None:
    messages = pytest.importorskip("langchain_core.messages")
    given = [
        messages.HumanMessage("go"),
        messages.AIMessage("", tool_calls=[call("call_1"), call("call_2")]),
        messages.ToolMessage("there", tool_call_id="call_2"),
        messages.HumanMessage("and?"),
    ]
    repaired = toolpair.repair(given)
    assert (repaired.left, toolpair.check(repaired.messages).ok) == ((), True)
    made = next(one for one in repaired.messages if not any(one is was for was in given))
    assert isinstance(made, messages.ToolMessage)
    sent = messages.convert_to_openai_messages(repaired.messages)
    assert [one.get("tool_call_id") for one in sent] == [None, None, "call_1", "call_2", None]


def test_messages_of_pydantic_ai() -> None:
    messages = pytest.importorskip("pydantic_ai.messages")
    given = [
        messages.ModelRequest(parts=[messages.UserPromptPart("go")]),
        messages.ModelResponse(
            parts=[messages.ToolCallPart("look", {"x": 1}, "call_1"), messages.ToolCallPart("look", "{}", "call_2")]
        ),
        messages.ModelRequest(parts=[messages.ToolReturnPart("look", "there", "call_2")]),
    ]
    repaired = toolpair.repair(given)
    assert (repaired.left, toolpair.check(repaired.messages).ok) == ((), True)
    assert repaired.messages[:2] == given[:2]
    parts = [(part.part_kind, part.tool_call_id) for part in repaired.messages[2].parts]
    assert parts == [("tool-return", "call_1"), ("tool-return", "call_2")]
    assert json.loads(messages.ModelMessagesTypeAdapter.dump_json(repaired.messages))


def test_contents_of_google_genai() -> None:
    types = pytest.importorskip("google.genai.types")

    def called(name: str) -> Any:
        return types.Part(function_call=types.FunctionCall(name=name, args={}))

    def answered(name: str) -> Any:
        return types.Part(function_response=types.FunctionResponse(name=name, response={"result": "there"}))

    given = [
        types.Content(role="user", parts=[types.Part(text="go")]),
        types.Content(role="model", parts=[called("look"), called("listen")]),
        types.Content(role="user", parts=[answered("listen")]),
    ]
    repaired = toolpair.repair(given)
    assert (repaired.left, toolpair.check(repaired.messages).ok) == ((), True)
    assert [part.function_response.name for part in repaired.messages[2].parts] == ["look", "listen"]
    assert isinstance(repaired.messages[2], types.Content)
