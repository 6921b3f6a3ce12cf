"""Messages that are a framework's own objects: what they are as JSON, and back again."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from msgspec import Struct
from msgspec.structs import replace


def _dumped(message: Any) -> Any:
    return message.model_dump(mode="json", by_alias=True, exclude_none=True)


class Framework(Struct, frozen=True):
    """Whose objects are messages of a form. Its functions are called only with objects of its own."""

    module: str
    """A class in or below it is one of its own, or is made from one."""
    form: str
    """The id of the form or of the API's list that its objects are as JSON."""
    made: Callable[[Any, Any], Any]
    """`(value, like)` -> the object of a message as JSON, for a list in which `like` is. May raise anything."""
    plain: Callable[[Any], Any] = _dumped
    """A message as JSON: an object of its own, or whatever it takes in place of one. May raise anything."""
    converts: bool = False
    """Dicts are so, too: those that it takes are not in the form."""
    kept: str = ""
    """An attribute that is never sent: it may be of any type, and is handed back as it is."""
    like: Any = None
    """The first of its objects in a list."""

    def is_read(self, message: Any) -> bool:
        """Whether a message of a list with its objects is made JSON by it."""
        return self.converts or not isinstance(message, Mapping)


def _pydantic(module: str, form: str, name: str = "", plain: Callable[[Any], Any] = _dumped) -> Framework:
    """One whose messages are of this class, or of the one that their type names."""

    def made(value: Any, like: Any) -> Any:
        return getattr(sys.modules[module], name or value["type"]).model_validate(value)

    return Framework(module, form, made, plain)


def _plain_langchain(message: Any) -> Any:
    """Dicts are as the chat API has them; there may be pairs of role and text, and texts, too."""
    found = sys.modules["langchain_core.messages"].convert_to_messages([message])
    return found[0].model_dump(mode="json", exclude={"artifact"})


def _plain_genai(content: Any) -> Any:
    return {"role": "user", "parts": [{"text": content}]} if isinstance(content, str) else _dumped(content)


def _of_langchain(value: Any, like: Any) -> Any:
    found = sys.modules["langchain_core.messages"].messages_from_dict([{"type": value["type"], "data": value}])
    return found[0]


def _pydantic_ai_messages() -> Any:
    return sys.modules["pydantic_ai.messages"].ModelMessagesTypeAdapter


def _of_agents(value: Any, like: Any) -> Any:
    items = sys.modules["agents.items"]
    if value.get("type") == "function_call_output":
        return items.ToolCallOutputItem(agent=like.agent, raw_item=value, output=value["output"])
    kind = items.ToolCallItem if value.get("type") == "function_call" else items.InputItem
    return kind(agent=like.agent, raw_item=value)


FRAMEWORKS: Final = (
    Framework("langchain_core.messages", "langchain-state", _of_langchain, _plain_langchain, True, "artifact"),
    Framework(
        "pydantic_ai.messages",
        "pydantic-ai",
        lambda value, like: _pydantic_ai_messages().validate_python([value])[0],
        lambda message: _pydantic_ai_messages().dump_python([message], mode="json")[0],
    ),
    _pydantic("google.genai.types", "gemini-contents", "Content", _plain_genai),
    _pydantic("google.adk.events", "google-adk", "Event"),
    Framework("agents.items", "openai-responses", _of_agents, lambda item: item.to_input_item()),
    _pydantic("autogen_core.models", "autogen-state"),
    _pydantic("semantic_kernel.contents", "semantic-kernel", "ChatMessageContent"),
    Framework(
        "agent_framework",
        "agent-framework",
        lambda value, like: sys.modules["agent_framework"].Message.from_dict(value),
        lambda message: message.to_dict(),
    ),
    _pydantic("llama_index.core.base.llms.types", "llamaindex", "ChatMessage"),
    Framework(
        "livekit.agents.llm",
        "livekit",
        lambda value, like: sys.modules["livekit.agents.llm"].ChatContext.from_dict({"items": [value]}).items[0],
    ),
)
"""As langchain-core 1.8.3, pydantic-ai 2.68.0, google-genai 2.34.0, google-adk 2.13.0, openai-agents 0.24.0,
autogen-core 0.7.5, semantic-kernel 1.45.0, agent-framework-core 1.23.0, llama-index-core 0.14.25 and livekit-agents
1.8.9 have them.
"""


def framework_of(messages: Sequence[Any]) -> Framework | None:
    """The framework whose objects some of the messages are."""
    for kind in dict.fromkeys(map(type, messages)):
        modules = [base.__module__ for base in kind.__mro__]
        for one in FRAMEWORKS:
            if any(_is_below(module, one.module) for module in modules):
                return replace(one, like=next(message for message in messages if type(message) is kind))
    return None


def _is_below(module: str, of: str) -> bool:
    return module == of or module.startswith(f"{of}.")
