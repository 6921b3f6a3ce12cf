"""The providers' own error texts as data: recognised when pasted, quoted where a problem would cause them."""

from __future__ import annotations

from functools import cache
from typing import Final

from msgspec import Struct, convert

from toolpair.rules.profiles import profile
from toolpair.rules.shipped import shipped


class ErrorText(Struct, frozen=True):
    """An error text of a provider, or of a program between it and the user."""

    id: str
    provider: str
    """A profile's id, or the name of the program that says it: see `TITLES`."""
    words: tuple[str, ...]
    """Its wordings, newest first: templates in which {N}, {M} and {id} stand for what the text names."""
    rules: tuple[str, ...]
    """The rules that raise it; empty when it only wraps another text, or when no rule sees what it is about."""
    meaning: str
    """What it means, one sentence."""
    remedy: str
    """What to do, one sentence."""
    evidence: str
    link: str
    tells: tuple[str, ...] = ()
    """What makes it this error: parts of its wordings, of which a text must have one. Errors about other things share
    the words around it. A wording that contains none of them must be there whole."""
    beside: tuple[str, ...] = ()
    """Where programs without a model say the same: what must stand near it, one of them, in lower case and without
    blanks."""
    legacy: bool = False
    wraps: bool = False
    at: str = "itself"
    """What it is about: "itself", the block that is named; "behind", where the index names the message after the call;
    or the "conversation", which has no place.
    """
    base: int = 0
    """The number that the index starts at."""
    judged_as: str | None = None
    """The profile whose rules these are, if `provider` is not one."""
    command: str = ""
    """The command that does it, where no fix of a block does: FILE stands for the session file."""
    measured: bool = False
    """It says that something is too large: what is surely small enough is not what it means."""
    names: str = "id"
    """What {id} is: "id", or "tool" for a tool name."""

    @property
    def text(self) -> str:
        return self.words[0]


TITLES: Final = {
    "chat-server": "Chat server",
    "chat-template": "Chat template",
    "claude-code": "Claude Code",
    "copilot": "GitHub Copilot",
    "google-adk": "Google ADK",
    "kiro": "Kiro",
    "langgraph": "LangGraph",
    "litellm": "LiteLLM",
    "openrouter": "OpenRouter",
    "pydantic-ai": "Pydantic AI",
    "python-server": "A server written in Python",
    "vercel-ai-sdk": "Vercel AI SDK",
}
"""Names that raise errors but have no profile, or that are named as gateways."""


def title_of(provider: str) -> str:
    """A provider's name as it writes it itself."""
    if provider in TITLES:
        return TITLES[provider]

    return profile(provider).title


@cache
def texts() -> tuple[ErrorText, ...]:
    """All known error texts."""
    return convert(shipped("errors.json"), tuple[ErrorText, ...])
