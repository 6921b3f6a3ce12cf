"""How Claude Code is asked what it sends."""

from __future__ import annotations

import re
import shutil
from typing import Final

from toolpair.formats.asking import PROMPT, Ask, Stage, Start

_NO_ID: Final = "5e551011-0000-4000-8000-000000000001"
_ID: Final = re.compile(rb'"sessionId":\s*"([0-9a-f][0-9a-f-]{35})"')
_MODEL: Final = "claude-sonnet-4-5"
_NOTES: Final = re.compile(r"\s*<system-reminder>\s*<total_tokens>[^<>]*</total_tokens>\s*</system-reminder>\s*")
"""The tokens that are left, behind each output."""
_QUIET: Final = {
    "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
    "DISABLE_TELEMETRY": "1",
    "DISABLE_AUTOUPDATER": "1",
}


def _furnish(stage: Stage) -> Start:
    sessions = stage.home / ".claude" / "projects" / re.sub(r"[^A-Za-z0-9]", "-", str(stage.project))
    sessions.mkdir(parents=True)
    ids = _ID.findall(stage.copy.read_bytes())
    name = ids[-1].decode() if ids else _NO_ID  # the last one that is written in it
    path = sessions / f"{name}.jsonl"
    shutil.copyfile(stage.copy, path)
    variables = {"ANTHROPIC_BASE_URL": stage.url, "ANTHROPIC_API_KEY": "dummy", **_QUIET}
    model = stage.options.get("model", _MODEL)
    arguments = ("-p", PROMPT, "--resume", name, "--output-format", "json", "--model", model)
    return Start(arguments, variables, path, "anthropic")


ASK: Final = Ask(_furnish, notes=_NOTES)
