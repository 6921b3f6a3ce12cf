"""How goose is asked what it sends."""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from typing import Final

from toolpair.formats.asking import PROMPT, Api, Ask, Stage, Start

_PROVIDERS: Final[Mapping[str, tuple[str, str, Api]]] = {
    "anthropic": ("anthropic", "claude-sonnet-4-5", "anthropic"),
    "openai-chat": ("openai", "gpt-4o", "openai-chat"),
}
"""Profile of the session -> provider, model, API."""


def _furnish(stage: Stage) -> Start:
    provider, model, api = _PROVIDERS.get(stage.profile, _PROVIDERS["openai-chat"])
    path = stage.home / ".local/share/goose/sessions/sessions.db"
    path.parent.mkdir(parents=True)
    with stage.copy.open("rb") as file:
        is_database = file.read(6) == b"SQLite"
    shutil.copyfile(stage.copy, path if is_database else path.with_name(f"{stage.session_id}.jsonl"))
    variables = {
        "GOOSE_PROVIDER": provider,
        "GOOSE_MODEL": model,
        "GOOSE_MODE": "approve",
        "GOOSE_DISABLE_KEYRING": "1",
        "GOOSE_TELEMETRY_ENABLED": "false",
        f"{provider.upper()}_HOST": stage.url,
        f"{provider.upper()}_API_KEY": "dummy",
    }
    resumed = ("--no-profile", "--with-builtin", "developer", "--resume", "--session-id", stage.session_id)
    return Start(("run", *resumed, "-t", PROMPT), variables, path, api)


ASK: Final = Ask(_furnish, seconds=60)
