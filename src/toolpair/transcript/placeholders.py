"""The texts that known systems write where a tool result is missing. They are never real output.

What a person did, who stopped a tool or refused it, is none of them: that is what happened, whatever else a file knows.
"""

from __future__ import annotations

import json
import re
from functools import cache
from typing import Any, Final

from msgspec import Struct

_LONGEST: Final = 2000
"""Characters: whatever is longer says more than that there is nothing."""
_GAP: Final = r"[^\n]{0,300}?"
"""What `…` in a text stands for: a name, an id, the rest of a sentence. Never a second line."""


class Placeholder(Struct, frozen=True):
    """One known text.

    `text` is the whole of it, where `…` stands for what varies; `regex` says it where that is not enough.
    """

    text: str
    product: str
    link: str | None = None
    regex: str | None = None
    alone: bool = False
    """The words are common: they count only when they stand bare, not behind "Error:" nor within JSON."""
    cleared: bool = False
    """The output was there and was taken out on purpose, to make room: nobody wants it back unasked."""


_ROO: Final = "https://github.com/RooCodeInc/Roo-Code"
_CLINE: Final = "https://github.com/cline/cline"
_CODEX: Final = "https://github.com/openai/codex/issues/29773"
_CLAUDE: Final = "https://github.com/anthropics/claude-code/issues/1894"

KNOWN: Final[tuple[Placeholder, ...]] = (
    Placeholder("[No result was recorded for this call. …]", "toolpair"),
    # Claude Code
    Placeholder("[Tool call interrupted: …]", "Claude Code", _CLAUDE),
    Placeholder("[Tool result missing due to internal error]", "Claude Code"),
    Placeholder("[Tool use interrupted]", "Claude Code"),
    Placeholder("[Orphaned tool result removed due to conversation resume]", "Claude Code"),
    Placeholder("(no content)", "Claude Code", alone=True),
    Placeholder("this call did not run. It came with no tool_use id…", "Claude Code"),
    # Roo Code, and what grew out of it
    Placeholder("Tool execution was interrupted before completion.", "Roo Code", f"{_ROO}/pull/9952"),
    Placeholder("Context condensation triggered. Tool execution deferred.", "Roo Code", _ROO),
    Placeholder("Task was interrupted before this tool call could be completed.", "Roo Code", f"{_ROO}/issues/11487"),
    Placeholder("No result available for this tool call.", "a fork of Roo Code"),
    # Cline
    Placeholder("[migration] Tool result missing in legacy conversation history.", "Cline", _CLINE),
    Placeholder("Tool execution was interrupted before a result was produced.…", "Cline", _CLINE),
    Placeholder("result missing", "Cline", _CLINE, alone=True),
    # OpenAI Codex. "aborted by user" is no such text: it tells what a person did.
    Placeholder("aborted", "Codex", _CODEX, alone=True),
    # opencode and Kilo CLI
    Placeholder("[Tool execution was interrupted]", "opencode, Kilo CLI", "https://github.com/anomalyco/opencode"),
    Placeholder("Tool execution aborted", "opencode, Kilo CLI", "https://github.com/anomalyco/opencode", alone=True),
    Placeholder(
        "[Old tool result content cleared]",
        "opencode, Kilo CLI, Claude Code",
        "https://github.com/anomalyco/opencode",
        cleared=True,
    ),
    # Others
    Placeholder(
        "The tool execution result was lost due to context management truncation.",
        "Gemini CLI",
        "https://github.com/google-gemini/gemini-cli",
    ),
    Placeholder("(empty result)", "goose", "https://github.com/aaif-goose/goose", alone=True),
    Placeholder("<Tool returned an empty string>", "Zed", "https://github.com/zed-industries/zed", alone=True),
    Placeholder(
        "The tool call was interrupted before a result was produced.",
        "Pydantic AI",
        "https://github.com/pydantic/pydantic-ai",
    ),
    Placeholder(
        "[System: Tool execution skipped/interrupted by user. No result provided for tool '…'.]",
        "LiteLLM",
        "https://github.com/BerriAI/litellm",
    ),
    Placeholder("Tool result is missing for tool call …", "Vercel AI SDK", "https://github.com/vercel/ai"),
    Placeholder("Tool results are missing for tool calls …", "Vercel AI SDK", "https://github.com/vercel/ai"),
    Placeholder("No result provided", "pi, docker-agent", "https://github.com/earendil-works/pi/issues/8667"),
    Placeholder("No result provided.", "pi, docker-agent", "https://github.com/earendil-works/pi/issues/8667"),
    Placeholder("(tool execution failed)", "docker-agent", "https://github.com/docker/docker-agent", alone=True),
    Placeholder(
        "[openclaw] missing tool result in session history; …",
        "OpenClaw",
        "https://github.com/openclaw/openclaw/issues/88168",
    ),
    Placeholder(
        "tool call was interrupted and did not produce a result, …", "Crush", "https://github.com/charmbracelet/crush"
    ),
    Placeholder("No tool output", "Continue", "https://github.com/continuedev/continue", alone=True),
    Placeholder("Tool cancelled", "Continue", "https://github.com/continuedev/continue", alone=True),
    Placeholder("The execution of this tool, or a previous tool was interrupted.", "GitHub Copilot CLI"),
    Placeholder("Tool execution was interrupted before a result was recorded.…", "GitHub Copilot CLI"),
    Placeholder(
        "Tool execution result was not recorded — likely interrupted …",
        "Qwen Code",
        "https://github.com/QwenLM/qwen-code",
    ),
    Placeholder(
        "Tool call … with id … was cancelled - another message came in before it could be completed.",
        "Deep Agents (LangChain)",
        "https://github.com/langchain-ai/deepagents",
    ),
)
"""Every known text; a new one is a line here."""

_BEGINNINGS: Final = (*{known.text.split()[0].partition("…")[0] for known in KNOWN},)
"""With what any of them begins; the patterns are compiled when a text begins so."""
_LEAD: Final = re.compile(r"\A(?:<tool_use_error>\s*)?(?:\[?(?:tool )?error\]?:?\s+)?", re.IGNORECASE)
_LEADS: Final = frozenset("<[eEtT")
"""With what `_LEAD` begins: most words do not, and asking is quicker than looking for it."""
BEGIN: Final = frozenset((*_LEADS, *'{["', *(words[0] for words in _BEGINNINGS)))
"""What the first character of any of them may be, whatever it is wrapped in, behind white space."""
_TAIL: Final = "</tool_use_error>"
_SAYING: Final = frozenset({"error", "output", "result", "content", "message", "text"})
_BESIDE: Final = frozenset({"is_error", "isError", "success", "status", "type", "ok"})
"""What may stand beside the words in a JSON wrapping; anything else says that a tool wrote it."""


def known_placeholder(text: str) -> Placeholder | None:
    """The known text that `text` is the whole of: bare, as an error, or wrapped in JSON. None for all else."""
    if len(text) >= _LONGEST:
        return None
    bare = text.strip()
    if not bare or bare[0] not in BEGIN:
        return None
    if bare.startswith(_BEGINNINGS) and _anything().fullmatch(bare) is not None:
        return _first(bare, alone=True)
    plain = _plain(bare)
    if plain != bare and (found := _first(plain, alone=False)) is not None:
        return found
    if bare[0] in '{["':
        words = _unwrapped(bare)
        if words is not None:
            return _first(_plain(words.strip()), alone=False)
    return None


def _plain(words: str) -> str:
    """Without what marks an error around them."""
    if words.endswith(_TAIL):
        words = words.removesuffix(_TAIL).rstrip()
    return _LEAD.sub("", words) if words[:1] in _LEADS else words


def _first(words: str, *, alone: bool) -> Placeholder | None:
    if not words.startswith(_BEGINNINGS):
        return None
    return next(
        (known for known, pattern in _patterns() if (alone or not known.alone) and pattern.fullmatch(words)), None
    )


def _unwrapped(text: str) -> str | None:
    """The words in a JSON string, or in an object or a list that holds nothing but them."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return _only_words(value)


def _only_words(value: Any) -> str | None:
    for _ in range(4):
        if isinstance(value, str):
            return value
        if isinstance(value, list):
            if len(value) != 1:
                return None
            value = value[0]
        elif isinstance(value, dict):
            saying = [key for key in value if key in _SAYING]
            plain = all(isinstance(value[key], (bool, str)) for key in value if key in _BESIDE)
            if len(saying) != 1 or not plain or any(key not in _SAYING and key not in _BESIDE for key in value):
                return None
            value = value[saying[0]]
        else:
            return None
    return None


@cache
def _patterns() -> tuple[tuple[Placeholder, re.Pattern[str]], ...]:
    return tuple((known, re.compile(_source(known), re.DOTALL)) for known in KNOWN)


@cache
def _anything() -> re.Pattern[str]:
    return re.compile("|".join(f"(?:{_source(known)})" for known in KNOWN), re.DOTALL)


def _source(known: Placeholder) -> str:
    if known.regex is not None:
        return known.regex
    pieces = (re.sub(r"(?:\\ )+", r"\\s+", re.escape(piece)) for piece in known.text.split("…"))
    return _GAP.join(pieces)
