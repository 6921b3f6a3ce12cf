"""Messages that are a framework's own objects: what they are as JSON, and back again."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from msgspec import Struct


class Framework(Struct, frozen=True):
    """Whose objects are messages of a form. Its functions are called only with objects of its own."""

    module: str
    """A class in or below it is one of its own, or is made from one."""
    form: str
    """The id of the form that its objects are as JSON (`formats/forms`)."""
    plain: Callable[[Any], Any]
    made: Callable[[Any], Any]
    """The object of a message as JSON. May raise anything."""


def _from_langchain(value: Any) -> Any:
    found = sys.modules["langchain_core.messages"].messages_from_dict([{"type": value["type"], "data": value}])
    return found[0]


def _from_genai(value: Any) -> Any:
    return sys.modules["google.genai.types"].Content.model_validate(value)


def _pydantic_ai_messages() -> Any:
    return sys.modules["pydantic_ai.messages"].ModelMessagesTypeAdapter


FRAMEWORKS: Final = (
    Framework(
        "langchain_core.messages", "langchain-state", lambda message: message.model_dump(mode="json"), _from_langchain
    ),
    Framework(
        "pydantic_ai.messages",
        "pydantic-ai",
        lambda message: _pydantic_ai_messages().dump_python([message], mode="json")[0],
        lambda value: _pydantic_ai_messages().validate_python([value])[0],
    ),
    Framework(
        "google.genai.types",
        "gemini-contents",
        lambda content: content.model_dump(mode="json", by_alias=True, exclude_none=True),
        _from_genai,
    ),
)
"""As langchain-core 1.8.3, pydantic-ai 2.68.0 and google-genai 2.34.0 have them."""


def framework_of(messages: Sequence[Any]) -> Framework | None:
    """The framework whose objects the first message that is no dict is of."""
    first = next((message for message in messages if not isinstance(message, Mapping)), None)
    modules = [base.__module__ for base in type(first).__mro__]
    return next((one for one in FRAMEWORKS if any(_is_below(module, one.module) for module in modules)), None)


def _is_below(module: str, of: str) -> bool:
    return module == of or module.startswith(f"{of}.")
