"""What each agent, proxy or library leaves in a history: one record per system.

Any list of messages may hold such traces, whichever agent wrote the file, and pairing needs them, so the data is here
and not in `formats/`. An agent's record here has the same id as its entry there.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from msgspec import Struct, field
from msgspec.structs import replace


class Placeholder(Struct, frozen=True):
    """A text that a system writes in place of a missing tool result.

    `text` is the whole text, with `…` for the parts that vary; `regex` is used where that is not enough.
    """

    text: str
    link: str | None = None
    regex: str | None = None
    alone: bool = False
    """A common wording: it counts only on its own, not after "Error:" or inside JSON."""
    cleared: bool = False
    """The output existed and was removed on purpose, to save room, so it is not restored unless asked for."""
    also: tuple[str, ...] = ()
    """The ids of other systems that write it."""
    product: str = ""
    """The titles of the systems that write it; `known_texts` fills it in."""


class Seen(Struct, frozen=True):
    """Evidence that a system breaks pairs in a certain way."""

    link: str | None
    versions: str = ""
    way: str | None = None
    """Which variant is this system's, where the cause's recogniser tells several apart."""
    also: tuple[str, ...] = ()
    """The ids of other systems that do the same, named together with it."""


class KnownSystem(Struct, frozen=True):
    title: str
    placeholders: tuple[Placeholder, ...] = ()
    causes: Mapping[str, Seen] = field(default_factory=dict)
    """Keyed by the ids of the causes (`rules/data/causes.json`) it is known for."""
    interrupted: str | None = None
    """A regex for the note it writes when the user interrupts."""
    rejected: str | None = None
    """A regex for the start of a result whose call the user declined."""
    link: str | None = None
    """The field in which its results name the record of their call."""
    proxy: bool = False
    """It runs between agents and providers, so any agent's session may have passed through it."""


_CLAUDE: Final = "https://github.com/anthropics/claude-code/issues"
_CLINE: Final = "https://github.com/cline/cline"
_CODEX: Final = "https://github.com/openai/codex/issues"
_CONTINUE: Final = "https://github.com/continuedev/continue"
_QWEN: Final = "https://github.com/QwenLM/qwen-code"
_GEMINI: Final = "https://github.com/google-gemini/gemini-cli"
_HERMES: Final = "https://github.com/NousResearch/hermes-agent"
_CRUSH: Final = "https://github.com/charmbracelet/crush"
_PYDANTIC: Final = "https://github.com/pydantic/pydantic-ai"
_VERCEL: Final = "https://github.com/vercel/ai"
_DEEP_AGENTS: Final = "https://github.com/langchain-ai/deepagents"
_KIMI: Final = "https://github.com/MoonshotAI/kimi-cli"
_KIMI_CODE: Final = "https://github.com/MoonshotAI/kimi-code"
_DOCKER: Final = "https://github.com/docker/docker-agent"
_LITELLM: Final = "https://github.com/BerriAI/litellm"
_NANOBOT: Final = "https://github.com/HKUDS/nanobot/issues/1634"
_OPENHANDS: Final = "https://github.com/OpenHands/software-agent-sdk"
_VIBE: Final = "https://github.com/mistralai/mistral-vibe"
_OMP: Final = "https://github.com/can1357/oh-my-pi"
_OPENCLAW: Final = "https://github.com/openclaw/openclaw"
_OPENCODE: Final = "https://github.com/anomalyco/opencode"
_PI: Final = "https://github.com/earendil-works/pi/issues"
_ROO: Final = "https://github.com/RooCodeInc/Roo-Code"


def _killed(link: str | None, versions: str = "") -> dict[str, Seen]:
    return dict.fromkeys(("killed", "killed.parallel"), Seen(link, versions))


SYSTEMS: Final[dict[str, KnownSystem]] = {
    "toolpair": KnownSystem("toolpair", (Placeholder("[No result was recorded for this call. …]"),)),
    # Agents with an entry in `formats/`
    "claude-code": KnownSystem(
        "Claude Code",
        (
            Placeholder("[Tool call interrupted: …]", f"{_CLAUDE}/1894"),
            Placeholder("[Tool result missing due to internal error]"),
            Placeholder("[Tool use interrupted]"),
            Placeholder("[Orphaned tool result removed due to conversation resume]"),
            Placeholder("(no content)", alone=True),
            Placeholder("this call did not run. It came with no tool_use id…"),
        ),
        {
            "compaction": Seen(f"{_CLAUDE}/8484"),
            "compaction.kept_result": Seen(f"{_CLAUDE}/8484"),
            "interrupted": Seen(f"{_CLAUDE}/1894"),
            "late.behind_summary": Seen(f"{_CLAUDE}/8484"),
        },
        interrupted=r"\[Request interrupted by user",
        rejected=r"The user doesn't want to |User rejected tool use|\[Request interrupted by user",
        link="sourceToolAssistantUUID",
    ),
    "codex": KnownSystem(
        "Codex",
        # "aborted by user" is not listed: it reports what a person did.
        (Placeholder("aborted", f"{_CODEX}/29773", alone=True),),
        {
            "interrupted": Seen(f"{_CODEX}/394"),
            **_killed(f"{_CODEX}/29773"),
        },
        interrupted="<turn_aborted>",
    ),
    "pi": KnownSystem(
        "pi",
        (
            Placeholder("No result provided", f"{_PI}/8667", also=("docker-agent",)),
            Placeholder("No result provided.", f"{_PI}/8667", also=("docker-agent",)),
        ),
        {
            "id.cut_on_one_side": Seen("https://github.com/badlogic/pi-mono", way="cut"),
            "id.call_item": Seen(_NANOBOT, also=("openclaw", "nanobot")),
            "compaction": Seen(f"{_PI}/8667"),
            "compaction.kept_result": Seen(f"{_PI}/4570"),
            "duplicate.placeholder": Seen(f"{_PI}/8667"),
            "late.behind_summary": Seen(f"{_PI}/8667"),
        },
    ),
    "oh-my-pi": KnownSystem(
        "oh-my-pi",
        (
            Placeholder("Tool execution was aborted…", _OMP),
            Placeholder("Tool call was not executed because the assistant ended its turn…", _OMP),
            Placeholder("Tool call was not executed because the provider stream ended with an error …", _OMP),
            Placeholder("Tool call was not executed because the assistant hit its output token limit …", _OMP),
            Placeholder("[Output truncated - … tokens]", _OMP, alone=True, cleared=True),
            Placeholder("[Superseded by a newer read of this file]", _OMP, alone=True, cleared=True),
            Placeholder("[Uneventful result elided]", _OMP, alone=True, cleared=True),
        ),
        {**_killed(None, versions="18.3.4")},
    ),
    "qwen-code": KnownSystem(
        "Qwen Code",
        (Placeholder("Tool execution result was not recorded — likely interrupted …", _QWEN),),
        {
            "interrupted": Seen(None, versions="0.24.4"),
            **_killed(None, versions="0.24.4"),
        },
    ),
    "continue": KnownSystem(
        "Continue",
        (
            Placeholder("No tool output", _CONTINUE, alone=True),
            Placeholder("Tool cancelled", _CONTINUE, alone=True),
        ),
        {**_killed(_CONTINUE)},
        rejected=r"Permission denied by user|Command blocked by security policy|The user cancelled this tool call",
    ),
    "gemini-cli": KnownSystem(
        "Gemini CLI",
        (Placeholder("The tool execution result was lost due to context management truncation.", _GEMINI),),
        {"duplicate.on_resume": Seen(f"{_GEMINI}/issues/29365", versions="0.61")},
    ),
    "openclaw": KnownSystem(
        "OpenClaw",
        (Placeholder("[openclaw] missing tool result in session history; …", f"{_OPENCLAW}/issues/88168"),),
        {
            "id.hashed_alphanumeric": Seen(_OPENCLAW),
            "id.cut_on_one_side": Seen(_OPENCLAW, way="cut to letters and digits"),
            "duplicate.placeholder": Seen(f"{_OPENCLAW}/issues/88168"),
        },
    ),
    # Agents that have none yet
    "nanobot": KnownSystem("nanobot", causes={"id.call_item_long": Seen(_NANOBOT)}),
    "opencode": KnownSystem(
        "opencode",
        (
            Placeholder("[Tool execution was interrupted]", _OPENCODE, also=("kilo-cli",)),
            Placeholder("Tool execution aborted", _OPENCODE, alone=True, also=("kilo-cli",)),
            Placeholder("[Old tool result content cleared]", _OPENCODE, cleared=True, also=("kilo-cli", "claude-code")),
        ),
        {
            "compaction": Seen(f"{_OPENCODE}/issues/27594"),
            "compaction.kept_result": Seen(f"{_OPENCODE}/issues/27594"),
            "interrupted": Seen(None, versions="1.18.33"),
            **_killed(None, versions="1.18.33"),
        },
    ),
    "kilo-cli": KnownSystem(
        "Kilo CLI",
        causes={
            "interrupted": Seen(None, versions="7.7.7"),
            **_killed(None, versions="7.7.7"),
        },
    ),
    # Roo Code and its relatives; all but the last two have an entry
    "roo-code": KnownSystem(
        "Roo Code",
        (
            Placeholder("Tool execution was interrupted before completion.", f"{_ROO}/pull/9952"),
            Placeholder("Context condensation triggered. Tool execution deferred.", _ROO),
            Placeholder("Task was interrupted before this tool call could be completed.", f"{_ROO}/issues/11487"),
        ),
        {
            "id.sanitised_on_one_side": Seen(f"{_ROO}/pull/11131", versions="3.40 to 3.46.0", way="call sanitised"),
            "id.truncated_md5": Seen(f"{_ROO}/pull/10763"),
            "id.collision": Seen(f"{_ROO}/pull/10649"),
            "compaction.kept_result": Seen(_ROO),
            "interrupted": Seen(_ROO),
            "parallel": Seen(f"{_ROO}/issues/11777"),
            "crossed": Seen(f"{_ROO}/pull/9952"),
        },
        interrupted=r"(?i:\[TASK RESUMPTION\]|Task was interrupted)",
    ),
    "zoo-code": KnownSystem("Zoo Code"),
    "cline": KnownSystem(
        "Cline",
        (
            Placeholder("[migration] Tool result missing in legacy conversation history.", _CLINE),
            Placeholder("result missing", _CLINE, alone=True),
        ),
        {"split": Seen(_CLINE)},
    ),
    "cline-cli": KnownSystem(
        "Cline CLI",
        (Placeholder("Tool execution was interrupted before a result was produced.…", _CLINE),),
        {**_killed(_CLINE)},
    ),
    "roo-code-fork": KnownSystem("a fork of Roo Code", (Placeholder("No result available for this tool call."),)),
    # Other agents
    "goose": KnownSystem("goose", (Placeholder("(empty result)", "https://github.com/aaif-goose/goose", alone=True),)),
    "zed": KnownSystem(
        "Zed",
        (Placeholder("<Tool returned an empty string>", "https://github.com/zed-industries/zed", alone=True),),
    ),
    "docker-agent": KnownSystem(
        "docker-agent",
        (Placeholder("(tool execution failed)", _DOCKER, alone=True),),
        {"trimmed": Seen(f"{_DOCKER}/issues/1676")},
    ),
    "hermes": KnownSystem(
        "Hermes Agent",
        (
            Placeholder("[Result unavailable — see context summary above]", _HERMES),
            Placeholder("[Orphan recovery: this tool may have executed before Hermes stopped; …", _HERMES),
            Placeholder("[Orphan recovery: this read-only tool did not complete and had no effect.]", _HERMES),
            Placeholder("[Orphan recovery: interrupted side-effecting tool may have executed; …", _HERMES),
            Placeholder("[Orphan recovery: interrupted read-only tool did not complete.]", _HERMES),
        ),
        {"compaction": Seen(_HERMES), **_killed(None, versions="0.19.0")},
    ),
    "crush": KnownSystem(
        "Crush",
        (Placeholder("tool call was interrupted and did not produce a result, …", _CRUSH),),
    ),
    "kimi-code": KnownSystem(
        "Kimi Code",
        (
            Placeholder("Tool execution was interrupted before its result was recorded. Do not assume …", _KIMI_CODE),
            Placeholder("Tool result is not available in the current context. Do not assume …", _KIMI_CODE),
        ),
        {**_killed(None, versions="2.1.0")},
    ),
    "kimi-cli": KnownSystem(
        "Kimi CLI",
        causes={**_killed(_KIMI)},
        rejected=r"<system>ERROR: The tool call is rejected by the user",
    ),
    "copilot-cli": KnownSystem(
        "GitHub Copilot CLI",
        (
            Placeholder("The execution of this tool, or a previous tool was interrupted."),
            Placeholder("Tool execution was interrupted before a result was recorded.…"),
        ),
    ),
    "vibe": KnownSystem(
        "Mistral Vibe",
        (
            Placeholder(
                "<user_cancellation>Tool execution interrupted - no response available</user_cancellation>", _VIBE
            ),
        ),
    ),
    "openhands": KnownSystem(
        "OpenHands",
        (
            Placeholder("Tool call interrupted before completion. The conversation was paused.", _OPENHANDS),
            Placeholder("Tool call cancelled by interrupt.", _OPENHANDS),
        ),
    ),
    # Libraries, proxies, providers
    "pydantic-ai": KnownSystem(
        "Pydantic AI",
        (Placeholder("The tool call was interrupted before a result was produced.", _PYDANTIC),),
    ),
    "litellm": KnownSystem(
        "LiteLLM",
        (
            Placeholder(
                "[System: Tool execution skipped/interrupted by user. No result provided for tool '…'.]", _LITELLM
            ),
        ),
        {"id.truncated_sha256": Seen(_LITELLM, versions="1.109 (Bedrock)"), "id.thought": Seen(_LITELLM)},
        proxy=True,
    ),
    "vercel-ai-sdk": KnownSystem(
        "Vercel AI SDK",
        (
            Placeholder("Tool result is missing for tool call …", _VERCEL),
            Placeholder("Tool results are missing for tool calls …", _VERCEL),
        ),
    ),
    "deep-agents": KnownSystem(
        "Deep Agents (LangChain)",
        (
            Placeholder(
                "Tool call … with id … was cancelled - another message came in before it could be completed.",
                _DEEP_AGENTS,
            ),
        ),
    ),
    "kimi": KnownSystem(
        "Kimi", causes={"id.counter_restarts": Seen("https://github.com/librefang/librefang/pull/2962")}
    ),
    "deepseek": KnownSystem("DeepSeek", causes={"id.counter_restarts": Seen(None)}),
}
"""By id. A cause's page lists them in this order."""


def titles(id_: str, also: tuple[str, ...]) -> str:
    """The titles of several systems: "opencode, Kilo CLI"."""
    return ", ".join(SYSTEMS[one].title for one in (id_, *also))


def known_texts() -> tuple[Placeholder, ...]:
    """The placeholders of all systems."""
    return tuple(
        replace(text, product=titles(id_, text.also)) for id_, system in SYSTEMS.items() for text in system.placeholders
    )
