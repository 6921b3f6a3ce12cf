"""How Hermes Agent is asked what it sends."""

from __future__ import annotations

import json
import shutil
from typing import Final

from toolpair.formats.asking import PROMPT, Api, Ask, Stage, Start


def _furnish(stage: Stage) -> Start:
    home = stage.home / ".hermes"
    path = home / "state.db"
    home.mkdir()
    shutil.copyfile(stage.copy, path)
    api: Api = "anthropic" if stage.profile == "anthropic" else "openai-chat"
    model = {"provider": "custom", "default": "gpt-4o", "base_url": f"{stage.url}/v1", "api_key": "dummy"}
    if api == "anthropic":
        model = {"provider": "anthropic", "default": "claude-sonnet-4-5", "base_url": stage.url}
    providers: list[dict[str, str]] = []
    if stage.profile == "openai-responses":
        api = "openai-responses"
        own = {"base_url": f"{stage.url}/v1", "api_key": "dummy", "api_mode": "codex_responses", "model": "gpt-5.1"}
        providers, model = [{"name": "mock", **own}], {"provider": "custom:mock", "default": "gpt-5.1"}
    sees = {"supports_vision": True}  # else another model is asked what is in an image, and its words are sent
    (home / "config.yaml").write_text(json.dumps({"model": model | sees, "custom_providers": providers}))  # YAML, too
    variables = {"HERMES_HOME": str(home), "ANTHROPIC_API_KEY": "dummy", "ANTHROPIC_BASE_URL": stage.url}
    resumed = ("--no-restore-cwd", "--resume", stage.session_id)
    return Start(("chat", "-Q", "-q", PROMPT, *resumed), variables, path, api)


ASK: Final = Ask(_furnish, seconds=120)
