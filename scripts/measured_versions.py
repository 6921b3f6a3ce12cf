"""The newest version of each agent that its format was measured with, written where pages made by hand name one."""

from __future__ import annotations

import re
from importlib import import_module
from typing import Any, Final

_WHERE: Final = {
    "Claude Code": ("claude_code.versions", "NEWEST"),
    "Codex": ("codex.sending", "MEASURED"),
    "GitHub Copilot CLI": ("copilot_cli.sending", "NEWEST"),
    "Kimi CLI": ("kimi_cli.format", "NEWEST"),
    "Mistral Vibe": ("vibe.format", "NEWEST"),
    "pi": ("pi.format", "NEWEST"),
    "oh-my-pi": ("oh_my_pi.format", "MEASURED"),
    "Qwen Code": ("qwen_code.history", "NEWEST"),
    "Gemini CLI": ("gemini_cli.history", "NEWEST"),
    "Continue": ("continue_dev.history", "NEWEST"),
    "Cline CLI": ("cline_cli.sending", "VERSION"),
    "Hermes Agent": ("hermes.history", "NEWEST"),
    "Kimi Code": ("kimi_code.history", "NEWEST"),
    "goose": ("goose.sending", "VERSION"),
    "opencode": ("opencode.sending", "NEWEST"),
    "Kilo CLI": ("opencode.sending", "NEWEST"),
}
"""Agent, as headings name it -> where its format says which version was measured. OpenClaw has two at a time."""
_NAMED: Final = re.compile(rf"(?<![\w-])({'|'.join(sorted(map(re.escape, _WHERE), key=len, reverse=True))}) \d[\w.]*")


def measured(agent: str) -> str:
    """The newest version that was measured."""
    module, name = _WHERE[agent]
    found: Any = getattr(import_module(f"toolpair.formats.{module}"), name)
    found = found.get(agent.removesuffix(" CLI"), found.get(agent)) if isinstance(found, dict) else found
    return str(getattr(found, "version", found))


def stamped(page: str) -> str:
    """The page with these versions in its headings."""

    def heading(line: re.Match[str]) -> str:
        return _NAMED.sub(lambda named: f"{named[1]} {measured(named[1])}", line[0])

    return re.sub(r"^## .*$", heading, page, flags=re.MULTILINE)
