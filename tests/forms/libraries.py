"""What the libraries themselves write, load and send: one entry each. They are imported when they are asked for."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
from collections.abc import AsyncGenerator, Callable, Iterable, Iterator
from dataclasses import dataclass, field
from itertools import groupby, pairwise
from pathlib import Path
from typing import Any

GO_ON = "go on with it"


@dataclass(frozen=True)
class Says:
    role: str
    text: str


@dataclass(frozen=True)
class Calls:
    calls: tuple[tuple[str, str, dict[str, Any]], ...]
    text: str = ""


@dataclass(frozen=True)
class Result:
    id: str
    name: str
    text: str


Turn = Says | Calls | Result
Turns = list[Turn]


@dataclass(frozen=True)
class Library:
    """`write`: turns as the library stores them. `load`: what it makes of that. `sends`: what its next request has.
    `finds`: the rules that are broken where its API is not judged as most are. `unsent`: it never sends this word.
    """

    module: str
    form: str
    write: Callable[[Turns], str | bytes]
    load: Callable[[bytes], Any]
    sends: Callable[[Any], Any] | None = None
    finds: dict[str, str | None] = field(default_factory=dict)
    prefix: str = "call_"
    unsent: str = ""


def with_results_together(turns: Turns) -> Iterator[Turn | list[Result]]:
    for is_result, some in groupby(turns, lambda turn: isinstance(turn, Result)):
        together: Any = list(some)
        yield from [together] if is_result else together


# LangChain


def langchain(turns: Turns) -> list[Any]:
    from langchain_core.messages import AIMessage, HumanMessage, ToolMessage

    made: list[Any] = []
    for number, turn in enumerate(turns):
        match turn:
            case Says("user", text):
                made.append(HumanMessage(text, id=f"h{number}"))
            case Says(_, text):
                made.append(AIMessage(text, id=f"run-{number}"))
            case Calls(calls, text):
                own = [{"id": id, "name": name, "args": args} for id, name, args in calls]
                kept = [
                    {"id": id, "type": "function", "function": {"name": name, "arguments": json.dumps(args)}}
                    for id, name, args in calls
                ]
                more = {"tool_calls": kept}
                made.append(AIMessage(text, id=f"run-{number}", tool_calls=own, additional_kwargs=more))
            case Result(id, name, text):
                made.append(ToolMessage(text, tool_call_id=id, name=name, id=f"t{number}"))
    return made


def _langchain_dict(turns: Turns) -> str:
    from langchain_core.messages import messages_to_dict

    return json.dumps(messages_to_dict(langchain(turns)))


def _langchain_dict_load(data: bytes) -> Any:
    from langchain_core.messages import messages_from_dict

    return messages_from_dict(json.loads(data))


def _langchain_dumps(turns: Turns) -> str:
    from langchain_core.load import dumps

    return dumps(langchain(turns), pretty=True)


def _langchain_loads(data: bytes) -> Any:
    from langchain_core.load import loads

    return loads(data.decode())


def _langgraph_state(turns: Turns) -> str:
    state = {"messages": [message.model_dump() for message in langchain(turns)]}
    return json.dumps({"values": state, "next": [], "metadata": {"step": 3}}, indent=2)


def _langgraph_load(data: bytes) -> Any:
    from langchain_core.messages import convert_to_messages

    return convert_to_messages(json.loads(data)["values"]["messages"])


def _langgraph_sends(messages: Any) -> Any:
    from langgraph.prebuilt import chat_agent_executor

    chat_agent_executor._validate_chat_history(messages)
    return _langchain_sends(messages)


def _langchain_sends(messages: Any) -> Any:
    from langchain_core.messages import HumanMessage, convert_to_openai_messages

    return convert_to_openai_messages([*messages, HumanMessage(GO_ON)])


# pydantic-ai


def _pydantic_ai(turns: Turns) -> bytes:
    from pydantic_ai.messages import (
        ModelMessagesTypeAdapter,
        ModelRequest,
        ModelResponse,
        TextPart,
        ToolCallPart,
        ToolReturnPart,
        UserPromptPart,
    )

    made: list[Any] = []
    for turn in with_results_together(turns):
        match turn:
            case Says("user", text):
                made.append(ModelRequest(parts=[UserPromptPart(text)]))
            case Says(_, text):
                made.append(ModelResponse(parts=[TextPart(text)], model_name="gpt-5", provider_name="openai"))
            case Calls(calls, text):
                parts = [ToolCallPart(name, json.dumps(args), id) for id, name, args in calls]
                made.append(
                    ModelResponse(
                        parts=[*([TextPart(text)] if text else []), *parts], model_name="gpt-5", provider_name="openai"
                    )
                )
            case list():
                made.append(ModelRequest(parts=[ToolReturnPart(one.name, one.text, one.id) for one in turn]))
    return ModelMessagesTypeAdapter.dump_json(made, indent=1)


def _pydantic_ai_load(data: bytes) -> Any:
    from pydantic_ai.messages import ModelMessagesTypeAdapter

    return ModelMessagesTypeAdapter.validate_json(data)


def _pydantic_ai_sends(messages: Any) -> Any:
    from pydantic_ai import Agent
    from pydantic_ai.messages import ModelResponse, TextPart
    from pydantic_ai.models.function import FunctionModel

    seen: list[Any] = []

    def answer(given: list[Any], _: Any) -> Any:
        seen.append(list(given))
        return ModelResponse(parts=[TextPart("done")])

    agent = Agent(FunctionModel(answer))
    for name in ("find_order", "find_parcel"):
        agent.tool_plain(lambda order: "", name=name)
    agent.run_sync(GO_ON, message_history=messages)
    return seen[0]


# Google


def _contents(turns: Turns) -> list[Any]:
    from google.genai import types

    made = []
    for turn in with_results_together(turns):
        match turn:
            case Says(role, text):
                made.append(types.Content(role="user" if role == "user" else "model", parts=[types.Part(text=text)]))
            case Calls(calls, text):
                parts = [types.Part(function_call=types.FunctionCall(id=i, name=n, args=a)) for i, n, a in calls]
                made.append(types.Content(role="model", parts=[*([types.Part(text=text)] if text else []), *parts]))
            case list():
                responses = [
                    types.FunctionResponse(id=one.id, name=one.name, response={"result": one.text}) for one in turn
                ]
                made.append(types.Content(role="user", parts=[types.Part(function_response=one) for one in responses]))
    return made


def _gemini(turns: Turns) -> str:
    contents = [one.model_dump(exclude_none=True, by_alias=True, mode="json") for one in _contents(turns)]
    return json.dumps({"contents": contents, "generationConfig": {"temperature": 0}})


def _gemini_load(data: bytes) -> Any:
    from google.genai import types

    return [types.Content.model_validate(one) for one in json.loads(data)["contents"]]


def adk_events(turns: Turns) -> Iterator[Any]:
    from google.adk.events import Event

    for number, turn in enumerate(turns):
        author = "user" if isinstance(turn, Says) and turn.role == "user" else "helper"
        content = _contents([turn])[0]
        yield Event(author=author, invocation_id="e-1", content=content, id=f"ev{number}", timestamp=float(number))


def _adk(turns: Turns) -> str:
    from google.adk.sessions import Session

    session = Session(id="s1", app_name="app", user_id="u", events=list(adk_events(turns)), state={})
    return session.model_dump_json(by_alias=True, exclude_none=True)


def _adk_load(data: bytes) -> Any:
    from google.adk.sessions import Session

    return Session.model_validate_json(data)


def _adk_sends(session: Any) -> Any:
    from google.adk.sessions import InMemorySessionService

    async def run() -> Any:
        sessions = InMemorySessionService()
        new = await sessions.create_session(app_name="app", user_id="u", session_id="s1")
        for event in session.events:
            await sessions.append_event(new, event)
        return await adk_sends(sessions)

    return asyncio.run(run())


async def adk_sends(sessions: Any) -> Any:
    """What an agent sends that goes on with the session `s1`."""
    from google.adk.agents import LlmAgent
    from google.adk.models import BaseLlm, LlmResponse
    from google.adk.runners import Runner
    from google.genai import types

    seen: list[Any] = []

    class Model(BaseLlm):
        async def generate_content_async(self, llm_request: Any, stream: bool = False) -> AsyncGenerator[Any, None]:
            seen.append(llm_request.contents)
            yield LlmResponse(content=types.Content(role="model", parts=[types.Part(text="done")]))

    runner = Runner(app_name="app", agent=LlmAgent(name="helper", model=Model(model="m")), session_service=sessions)
    prompt = types.Content(role="user", parts=[types.Part(text=GO_ON)])
    async for _ in runner.run_async(user_id="u", session_id="s1", new_message=prompt):
        pass
    return seen[0]


# Strands


def converse(turns: Turns) -> Iterator[dict[str, Any]]:
    for role, some in groupby(
        turns, lambda turn: "user" if isinstance(turn, Result) else getattr(turn, "role", "assistant")
    ):
        content: list[Any] = []
        for turn in some:
            if not isinstance(turn, Result):
                content += [{"text": turn.text}] if turn.text else []
            if isinstance(turn, Calls):
                content += [
                    {"toolUse": {"toolUseId": id, "name": name, "input": args}} for id, name, args in turn.calls
                ]
            if isinstance(turn, Result):
                result = {"toolUseId": turn.id, "status": "success", "content": [{"text": turn.text}]}
                content.append({"toolResult": result})
        yield {"role": role, "content": sorted(content, key=lambda block: "toolResult" not in block)}


def _strands(turns: Turns) -> str:
    from strands.types.session import SessionMessage

    made: Iterable[Any] = converse(turns)
    return json.dumps([SessionMessage.from_message(one, number).to_dict() for number, one in enumerate(made)])


def _strands_load(data: bytes) -> Any:
    from strands.types.session import SessionMessage

    return [SessionMessage.from_dict(one).to_message() for one in json.loads(data)]


def _strands_sends(messages: Any) -> Any:
    """A session is mended when it is loaded, and what is still open when the next prompt comes."""
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        strands_folder(folder, messages)
        return strands_sends(folder)


def strands_folder(folder: str, messages: Iterable[Any]) -> None:
    """Write a session `s1` with these messages of the agent `a`."""
    from strands.session.file_session_manager import FileSessionManager
    from strands.types.session import SessionMessage

    manager = FileSessionManager(session_id="s1", storage_dir=folder)
    _strands_agent(manager, [])
    for number, message in enumerate(messages):
        manager.create_message("s1", "a", SessionMessage.from_message(message, number))


def strands_sends(folder: str) -> Any:
    """What the agent sends that goes on with the session in a folder."""
    from strands.session.file_session_manager import FileSessionManager

    seen: list[Any] = []
    _strands_agent(FileSessionManager(session_id="s1", storage_dir=folder), seen)(GO_ON)
    return seen[0]


def _strands_agent(manager: Any, seen: list[Any]) -> Any:
    from strands import Agent
    from strands.models import Model

    class Stub(Model):
        def update_config(self, **_: Any) -> None: ...

        def get_config(self) -> Any:
            return {}

        def structured_output(self, *_: Any, **__: Any) -> Any: ...

        async def stream(self, messages: Any, *_: Any, **__: Any) -> Any:
            seen.append(json.loads(json.dumps(messages)))
            yield {"messageStart": {"role": "assistant"}}
            yield {"contentBlockDelta": {"delta": {"text": "done"}}}
            yield {"contentBlockStop": {}}
            yield {"messageStop": {"stopReason": "end_turn"}}

    return Agent(model=Stub(), agent_id="a", session_manager=manager, callback_handler=None)


# OpenAI Agents SDK


def agents_items(turns: Turns) -> list[dict[str, Any]]:
    items: list[dict[str, Any]] = []
    for number, turn in enumerate(turns):
        match turn:
            case Says("user", text):
                items.append({"role": "user", "content": text})
            case Says(_, text):
                content = [{"type": "output_text", "text": text, "annotations": []}]
                own = {"id": f"msg_{number}", "type": "message", "status": "completed"}
                items.append({**own, "role": "assistant", "content": content})
            case Calls(calls, text):
                content = [{"type": "output_text", "text": text, "annotations": []}]
                own = {"id": f"msg_{number}", "type": "message", "status": "completed"}
                items += [{**own, "role": "assistant", "content": content}] if text else []
                for id, name, args in calls:
                    own = {"id": f"fc_{number}{name}", "type": "function_call", "status": "completed"}
                    items.append({**own, "call_id": id, "name": name, "arguments": json.dumps(args)})
            case Result(id, _, text):
                items.append({"type": "function_call_output", "call_id": id, "output": text})
    return items


def _agents(turns: Turns) -> str:
    items = agents_items(turns)

    async def through_a_session() -> Any:
        from agents import SQLiteSession

        session = SQLiteSession("s1")
        await session.add_items(items)  # type: ignore[arg-type]
        return await session.get_items()

    return json.dumps(asyncio.run(through_a_session()))


def _agents_sends(items: Any) -> Any:
    from agents import SQLiteSession

    async def run() -> Any:
        session = SQLiteSession("s1")
        await session.add_items(items)
        return await agents_sends(session)

    return asyncio.run(run())


async def agents_sends(session: Any) -> Any:
    """What an agent sends that goes on with a session."""
    from agents import Agent, Model, ModelResponse, RunConfig, Runner, Usage
    from openai.types.responses import ResponseOutputMessage, ResponseOutputText

    seen: list[Any] = []

    class Stub(Model):
        async def get_response(self, *_: Any, **given: Any) -> Any:
            seen.append(given["input"])
            text = ResponseOutputText(text="done", type="output_text", annotations=[])
            said = ResponseOutputMessage(
                id="msg_new", content=[text], role="assistant", status="completed", type="message"
            )
            return ModelResponse(output=[said], usage=Usage(), response_id=None)

        def stream_response(self, *_: Any, **__: Any) -> Any: ...

    config = RunConfig(tracing_disabled=True)
    await Runner.run(Agent("helper", model=Stub()), GO_ON, session=session, run_config=config)
    return seen[0]


# AutoGen


def _autogen(turns: Turns) -> str:
    from autogen_core import FunctionCall
    from autogen_core.models import (
        AssistantMessage,
        FunctionExecutionResult,
        FunctionExecutionResultMessage,
        UserMessage,
    )

    made: list[Any] = []
    for turn in with_results_together(turns):
        match turn:
            case Says("user", text):
                made.append(UserMessage(content=text, source="user"))
            case Says(_, text):
                made.append(AssistantMessage(content=text, source="helper"))
            case Calls(calls, text):
                content = [FunctionCall(id=id, name=name, arguments=json.dumps(args)) for id, name, args in calls]
                made.append(AssistantMessage(content=content, source="helper", thought=text or None))
            case list():
                results = [
                    FunctionExecutionResult(content=one.text, name=one.name, call_id=one.id, is_error=False)
                    for one in turn
                ]
                made.append(FunctionExecutionResultMessage(content=results))
    messages = [one.model_dump() for one in made]
    return json.dumps({"type": "AssistantAgentState", "version": "1.0.0", "llm_context": {"messages": messages}})


def _autogen_load(data: bytes) -> Any:
    from autogen_core.model_context import UnboundedChatCompletionContext

    async def load() -> Any:
        context = UnboundedChatCompletionContext()
        await context.load_state(json.loads(data)["llm_context"])
        return await context.get_messages()

    return asyncio.run(load())


# Semantic Kernel, LlamaIndex, LiveKit


def _semantic_kernel(turns: Turns) -> str:
    from semantic_kernel.contents import (
        ChatHistory,
        ChatMessageContent,
        FunctionCallContent,
        FunctionResultContent,
        TextContent,
    )

    history = ChatHistory()
    for turn in turns:
        match turn:
            case Says(role, text):
                history.add_message({"role": role, "content": text})
            case Calls(calls, text):
                items = [FunctionCallContent(id=id, name=name, arguments=json.dumps(args)) for id, name, args in calls]
                said = [TextContent(text=text)] if text else []
                history.add_message(ChatMessageContent(role="assistant", items=[*said, *items]))
            case Result(id, name, text):
                result = FunctionResultContent(id=id, name=name, result=text)
                history.add_message(ChatMessageContent(role="tool", items=[result]))
    return history.serialize()


def _semantic_kernel_load(data: bytes) -> Any:
    from semantic_kernel.contents import ChatHistory

    return ChatHistory.restore_chat_history(data.decode())


def _semantic_kernel_sends(history: Any) -> Any:
    from semantic_kernel.connectors.ai.open_ai import OpenAIChatCompletion

    history.add_user_message(GO_ON)
    service = OpenAIChatCompletion(ai_model_id="m", api_key="none")
    return service._prepare_chat_history_for_request(history)


def _llamaindex(turns: Turns) -> str:
    from llama_index.core.llms import ChatMessage
    from llama_index.core.storage.chat_store import SimpleChatStore

    made = []
    for turn in turns:
        match turn:
            case Says(role, text):
                made.append(ChatMessage(role=role, content=text))
            case Calls(calls, text):
                kept = [
                    {"id": id, "type": "function", "function": {"name": name, "arguments": json.dumps(args)}}
                    for id, name, args in calls
                ]
                made.append(ChatMessage(role="assistant", content=text, additional_kwargs={"tool_calls": kept}))
            case Result(id, name, text):
                more = {"tool_call_id": id, "name": name}
                made.append(ChatMessage(role="tool", content=text, additional_kwargs=more))
    store = SimpleChatStore()
    store.set_messages("user1", made)
    return store.model_dump_json(indent=1)


def _llamaindex_load(data: bytes) -> Any:
    from llama_index.core.storage.chat_store import SimpleChatStore

    return SimpleChatStore.model_validate_json(data).get_messages("user1")


def _llamaindex_sends(messages: Any) -> Any:
    from llama_index.core.memory import ChatMemoryBuffer

    memory = ChatMemoryBuffer.from_defaults(chat_history=messages, token_limit=100_000, tokenizer_fn=str.split)
    return memory.get()


def _livekit(turns: Turns) -> str:
    from livekit.agents import ChatContext
    from livekit.agents.llm import ChatMessage, FunctionCall, FunctionCallOutput

    items: list[Any] = []
    for number, turn in enumerate(turns):
        own = {"id": f"item_{number}", "created_at": float(number)}
        match turn:
            case Says(role, text):
                items.append(ChatMessage(**own, role=role, content=[text]))
            case Calls(calls, text):
                items += [ChatMessage(**own, role="assistant", content=[text])] if text else []
                for id, name, args in calls:
                    own = {"id": f"item_{number}/{name}", "created_at": float(number)}
                    items.append(FunctionCall(**own, call_id=id, name=name, arguments=json.dumps(args)))
            case Result(id, name, text):
                items.append(FunctionCallOutput(**own, call_id=id, name=name, output=text, is_error=False))
    return json.dumps(ChatContext(items).to_dict(exclude_timestamp=False))


def _livekit_load(data: bytes) -> Any:
    from livekit.agents import ChatContext

    return ChatContext.from_dict(json.loads(data)).items


def _livekit_sends(items: Any) -> Any:
    from livekit.agents import ChatContext

    context = ChatContext(items)
    context.add_message(role="user", content=GO_ON)
    return context.to_provider_format("openai")[0]


# Microsoft Agent Framework


def _framework(turns: Turns) -> str:
    from agent_framework import AgentSession, Content, Message

    made: list[Any] = []
    for turn in with_results_together(turns):
        match turn:
            case Says(role, text):
                made.append(Message(role, [Content.from_text(text)]))
            case Calls(calls, text):
                said = [Content.from_text(text)] if text else []
                called = [Content.from_function_call(id, name, arguments=json.dumps(args)) for id, name, args in calls]
                made.append(Message("assistant", [*said, *called]))
            case list():
                made.append(Message("tool", [Content.from_function_result(one.id, result=one.text) for one in turn]))
    session = AgentSession()
    session.state["in_memory"] = {"messages": made}
    return json.dumps(session.to_dict())


def _framework_load(data: bytes) -> Any:
    from agent_framework import AgentSession

    return [one.to_dict() for one in AgentSession.from_dict(json.loads(data)).state["in_memory"]["messages"]]


def _framework_sends(messages: Any) -> Any:
    from agent_framework import Agent, AgentSession, BaseChatClient, ChatResponse, Content, Message

    seen: list[Any] = []

    class Stub(BaseChatClient):  # type: ignore[misc]
        async def _inner_get_response(self, *, messages: Any, **_: Any) -> Any:
            seen.append([one.to_dict() for one in messages])
            return ChatResponse(messages=[Message("assistant", [Content.from_text("done")])])

    session = AgentSession()
    session.state["in_memory"] = {"messages": [Message.from_dict(one) for one in messages]}
    asyncio.run(Agent(Stub()).run(GO_ON, session=session))
    return seen[0]


# Libraries for Node: in the folder that TOOLPAIR_NODE_LIBRARIES names, `npm install ai @mastra/core`

NODE_FOLDER = os.environ.get("TOOLPAIR_NODE_LIBRARIES", "")


class CannotBeError(Exception):
    """Such a list cannot have this defect."""


def _node(library: str, does: str, given: Any) -> Any:
    script = Path(__file__).with_name("node_libraries.mjs")
    done = subprocess.run(
        ["node", script, NODE_FOLDER, library, does], input=json.dumps(given).encode(), capture_output=True
    )
    if done.returncode:
        raise RuntimeError(done.stderr.decode())
    return json.loads(done.stdout)


def _of_node(form: str, package: str, make: Callable[[Turns], list[Any]], **more: Any) -> Library:
    return Library(
        f"node:{package}",
        form,
        lambda turns: json.dumps(_node(form, "write", make(turns))),
        lambda data: _node(form, "load", json.loads(data)),
        lambda messages: _node(form, "send", messages),
        **more,
    )


def _model_messages(turns: Turns) -> list[Any]:
    made: list[Any] = []
    for turn in with_results_together(turns):
        match turn:
            case Says(role, text):
                made.append({"role": role, "content": text})
            case Calls(calls, text):
                said = [{"type": "text", "text": text}] if text else []
                called = [
                    {"type": "tool-call", "toolCallId": id, "toolName": name, "input": args} for id, name, args in calls
                ]
                made.append({"role": "assistant", "content": [*said, *called]})
            case list():
                outputs = [
                    {
                        "type": "tool-result",
                        "toolCallId": one.id,
                        "toolName": one.name,
                        "output": {"type": "text", "value": one.text},
                    }
                    for one in turn
                ]
                made.append({"role": "tool", "content": outputs})
    return made


def _ui_messages(turns: Turns) -> list[Any]:
    """The model's turns up to the user's next word are one message, whose calls hold their results."""
    made: list[Any] = []
    calls: dict[str, Any] = {}
    for number, turn in enumerate(turns):
        if isinstance(turn, Result):
            if turn.id not in calls:
                raise CannotBeError
            calls[turn.id] |= {"state": "output-available", "output": turn.text}
            continue
        role = turn.role if isinstance(turn, Says) else "assistant"
        if role == "user" or not made or made[-1]["role"] == "user":
            made.append({"id": f"m{number}", "role": role, "parts": []})
        parts = made[-1]["parts"]
        parts += [{"type": "step-start"}] if role == "assistant" else []
        parts += [{"type": "text", "text": turn.text}] if turn.text else []
        for id_, name, args in turn.calls if isinstance(turn, Calls) else ():
            part = {"type": f"tool-{name}", "toolCallId": id_, "state": "input-available", "input": args}
            calls[id_] = part
            parts.append(part)
    return made


def _mastra_messages(turns: Turns) -> list[Any]:
    _ui_messages(turns)  # its messages hold results in calls, too
    if any(isinstance(b, Result) and isinstance(a, Says) for a, b in pairwise(turns)):
        raise CannotBeError  # it drops a late one when it is written
    return _model_messages(turns)


BY_ORDER: dict[str, str | None] = {"last_open": None}
"""Gemini's API takes a list that ends with a call, and pairs by order."""

LIBRARIES = {
    "langchain": Library("langchain_core", "langchain-dict", _langchain_dict, _langchain_dict_load, _langchain_sends),
    "langchain-dumps": Library("langchain_core", "langchain-constructor", _langchain_dumps, _langchain_loads),
    "langgraph": Library("langgraph", "langchain-state", _langgraph_state, _langgraph_load, _langgraph_sends),
    "pydantic-ai": Library("pydantic_ai", "pydantic-ai", _pydantic_ai, _pydantic_ai_load, _pydantic_ai_sends),
    "google-genai": Library(
        "google.genai", "gemini-contents", _gemini, _gemini_load, finds={**BY_ORDER, "differs": None}
    ),
    "google-adk": Library("google.adk", "google-adk", _adk, _adk_load, _adk_sends, finds=BY_ORDER, prefix="adk-"),
    "strands": Library("strands", "strands", _strands, _strands_load, _strands_sends, prefix="tooluse_"),
    "openai-agents": Library("agents", "openai-responses", _agents, json.loads, _agents_sends, {"late": None}),
    "autogen": Library("autogen_core", "autogen-state", _autogen, _autogen_load),
    "semantic-kernel": Library(
        "semantic_kernel",
        "semantic-kernel",
        _semantic_kernel,
        _semantic_kernel_load,
        _semantic_kernel_sends,
        unsent="word-look",  # texts beside calls
    ),
    "llamaindex": Library("llama_index.core", "llamaindex", _llamaindex, _llamaindex_load, _llamaindex_sends),
    "agent-framework": Library("agent_framework", "agent-framework", _framework, _framework_load, _framework_sends),
    "ai-sdk-model": _of_node("ai-sdk-model", "ai", _model_messages),
    "ai-sdk-ui": _of_node("ai-sdk-ui", "ai", _ui_messages, finds={"late": None}),
    "mastra": _of_node("mastra", "@mastra/core", _mastra_messages),
    "livekit": Library("livekit.agents", "livekit", _livekit, _livekit_load, _livekit_sends),
}
