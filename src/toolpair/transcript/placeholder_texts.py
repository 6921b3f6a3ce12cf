"""The texts that known systems write where a tool result is missing.

Any of them may stand in any list of messages, whichever agent's the file is, and the pairing asks for them: so they
are data here, below the formats, and not part of an agent's entry.
"""

from __future__ import annotations

from typing import Final

from msgspec import Struct


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
