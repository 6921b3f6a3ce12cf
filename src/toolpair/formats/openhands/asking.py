"""How OpenHands is asked what it sends: by its command line, without a screen."""

from __future__ import annotations

import json
import shutil
from typing import Final

from toolpair.formats.asking import PROMPT, Ask, Stage, Start


def _furnish(stage: Stage) -> Start:
    name = stage.session_id.replace("-", "")
    if not name:
        raise ValueError("the conversation has no id")
    conversations = stage.home / "conversations"
    shutil.copytree(stage.copy, conversations / name)
    state = conversations / name / "base_state.json"
    about = json.loads(state.read_bytes())
    about["workspace"] = {"kind": "LocalWorkspace", "working_dir": str(stage.project)}
    state.write_text(json.dumps(about))
    variables = {
        "OPENHANDS_PERSISTENCE_DIR": str(stage.home / "settings"),
        "OPENHANDS_CONVERSATIONS_DIR": str(conversations),
        "OPENHANDS_SUPPRESS_BANNER": "1",
        "LITELLM_LOCAL_MODEL_COST_MAP": "True",
        "LLM_MODEL": "openai/mock",
        "LLM_API_KEY": "dummy",
        "LLM_BASE_URL": f"{stage.url}/v1",
    }
    arguments = ("--headless", "--override-with-envs", "--resume", name, "-t", PROMPT)
    return Start(arguments, variables, conversations / name, "openai-chat")


ASK: Final = Ask(_furnish, seconds=120)
