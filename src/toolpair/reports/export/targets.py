"""The APIs that a session can be exported to: what their bodies consist of, and what they cannot carry."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final

from msgspec import Struct, field

from toolpair.dialects import (
    anthropic_content,
    bedrock_converse_content,
    gemini_content,
    openai_chat_content,
    openai_responses_content,
)
from toolpair.dialects.neutral import Part, Say, Text, Tool, Turn
from toolpair.reports.export.ways import FAILED, Note, Way

MAX_TOKENS: Final = 1024
"""For Anthropic alone, where the session names no number."""


class Conversion(Struct, frozen=True, eq=False):
    """What a session says, with ids and names that the API accepts."""

    system: Sequence[Part]
    turns: Sequence[Turn]
    tools: Sequence[Tool]
    model: str
    say: Say
    max_tokens: int | None = None
    keeps_thinking: bool = False
    """The model is the one that wrote the reasoning."""
    made_up: list[Note] = field(default_factory=list)


class Target(Struct, frozen=True):
    """An API that a session can be exported to."""

    id: str
    title: str
    list_key: str
    """The field of the body that holds the messages."""
    alternates: bool
    """Only the user and the assistant speak, in turn: neighbouring turns of one role become one, and system messages
    amid the history a user's text.
    """
    carries: frozenset[str]
    """What of `ways.COMMON` it carries as it is."""
    fields: Callable[[Conversion], dict[str, Any]]
    """The body's other fields in their order; one without anything in it is left out."""
    messages: Callable[[Conversion], Iterable[Any]]
    as_written: bool = True
    """Its messages are checked as they are written, and the body names the model. Else the turns are checked in
    Anthropic's form by the rules of this API.
    """
    ways: Mapping[str, Way] = {}
    """What it cannot carry as it is, besides, or otherwise than, `ways.COMMON`."""

    def body(self, given: Conversion, messages: Iterable[Any]) -> dict[str, Any]:
        """The request body with these messages."""
        fields = {key: value for key, value in self.fields(given).items() if value not in (None, "", [])}
        return {**fields, self.list_key: list(messages)}


def _system_texts(given: Conversion) -> list[Text]:
    """The system prompt, for an API without cache marks."""
    said = [part for part in given.system if isinstance(part, Text)]
    if marked := sum(part.marked for part in said):
        given.say("cache", marked)
    return said


def _anthropic(given: Conversion) -> dict[str, Any]:
    if given.max_tokens is None:
        text = f"Made up: max_tokens is {MAX_TOKENS:,}; the session names none."
        given.made_up.append(Note("max_tokens", 1, text))
    return {
        "model": given.model,
        "max_tokens": given.max_tokens or MAX_TOKENS,
        "system": anthropic_content.write_system(given.system),
        "tools": list(map(anthropic_content.write_tool, given.tools)),
    }


def _chat(given: Conversion) -> dict[str, Any]:
    tools = list(map(openai_chat_content.write_tool, given.tools))
    return {"model": given.model, "messages": (), "tools": tools}


def _chat_messages(given: Conversion) -> Iterable[Any]:
    said = "\n\n".join(part.text for part in _system_texts(given))
    system = [Turn("system", (Text(said),))] if said else []
    return openai_chat_content.write_messages([*system, *given.turns], given.say)


def _responses(given: Conversion) -> dict[str, Any]:
    return {
        "model": given.model,
        "store": False,
        "instructions": "\n\n".join(part.text for part in said) if (said := _system_texts(given)) else None,
        "tools": list(map(openai_responses_content.write_tool, given.tools)),
    }


def _gemini(given: Conversion) -> dict[str, Any]:
    system = gemini_content.write_system(_system_texts(given))
    return {
        "systemInstruction": {"parts": system} if system else None,
        "tools": gemini_content.write_tools(given.tools) if given.tools else None,
    }


def _bedrock(given: Conversion) -> dict[str, Any]:
    return {
        "system": bedrock_converse_content.write_system(given.system),
        "toolConfig": bedrock_converse_content.write_tools(given.tools) if given.tools else None,
    }


TARGETS: Final = {
    target.id: target
    for target in (
        Target(
            id="anthropic",
            title="Anthropic Messages",
            list_key="messages",
            alternates=True,
            carries=frozenset({"cache", "title", "search", "text_document", "tool_reference"}),
            fields=_anthropic,
            messages=lambda given: anthropic_content.write_messages(given.turns, given.say),
        ),
        Target(
            id="openai-chat",
            title="OpenAI Chat Completions",
            list_key="messages",
            alternates=False,
            carries=frozenset({"title", "detail", "arguments", "free_text", "mid_system"}),
            fields=_chat,
            messages=_chat_messages,
            ways={
                "failed": FAILED,
                "result_media": Way(
                    "image or document in a result",
                    "Moved {count} to the user message after the tool messages, which may hold only text.",
                    "next user message",
                    several="images or documents in results",
                ),
                "order": Way(
                    "text between calls",
                    "Moved {count} before the calls of the same message.",
                    "before the calls",
                    several="texts between calls",
                ),
            },
        ),
        Target(
            id="openai-responses",
            title="OpenAI Responses",
            list_key="input",
            alternates=False,
            carries=frozenset({"title", "detail", "arguments", "free_text", "mid_system"}),
            fields=_responses,
            messages=lambda given: openai_responses_content.write_items(given.turns, given.say),
            ways={
                "thinking": Way(
                    "piece of reasoning",
                    "Left out {count}: another model's, or without the sealed content that a request needs.",
                    "only sealed, of the same API",
                    lost=True,
                    several="pieces of reasoning",
                ),
                "failed": FAILED,
            },
        ),
        Target(
            id="gemini",
            title="Gemini generateContent",
            list_key="contents",
            alternates=True,
            carries=frozenset(),
            fields=_gemini,
            messages=lambda given: gemini_content.write_contents(given.turns, given.say),
            as_written=False,
            ways={
                "signature": Way(
                    "call",
                    "Signed {count} with `skip_thought_signature_validator`: "
                    "Gemini 3 wants one on the first of a step.",
                    "stand-in",
                ),
                "result_media": Way(
                    "image or document in a result",
                    "Put {count} into the response's parts, which only Gemini 3 reads.",
                    "parts (Gemini 3)",
                    several="images or documents in results",
                ),
            },
        ),
        Target(
            id="bedrock-converse",
            title="Bedrock Converse",
            list_key="messages",
            alternates=True,
            carries=frozenset({"cache", "search", "text_document"}),
            fields=_bedrock,
            messages=lambda given: bedrock_converse_content.ConverseWriter(given.say, given.keeps_thinking).messages(
                given.turns
            ),
            as_written=False,
            ways={
                "thinking": Way(
                    "thinking block",
                    "Left out {count}: reasoning is signed for its model; name that one with --model to keep it.",
                    "kept for the same model",
                    lost=True,
                ),
                "title": Way(
                    "document title", "Changed {count}: only some characters are allowed in names.", "changed"
                ),
                "document_name": Way("document", "Gave a name to {count}.", "made up"),
                "document_text": Way("message", "Added a text to {count} that held only a document.", "text added"),
            },
        ),
    )
}
"""By the id, which is that of the provider's profile."""
