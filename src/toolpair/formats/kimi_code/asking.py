"""How Kimi Code is asked what it sends."""

from __future__ import annotations

import json
import shutil
from hashlib import sha256
from typing import Final

from toolpair.formats.asking import PROMPT, Ask, Stage, Start

_ID: Final = "session_5a1f3c8e-7d42-4b6f-9e0a-1c2d3e4f5a6b"
_MODEL: Final = "__kimi_env_model__"
"""What the model is called that the variables describe, whatever the session was had with."""


def _furnish(stage: Stage) -> Start:
    project = str(stage.project)
    home = stage.home / ".kimi-code"
    name = f"wd_{stage.project.name}_{sha256(project.encode()).hexdigest()[:12]}"
    session = home / "sessions" / name / _ID
    path = session / "agents" / "main" / "wire.jsonl"
    path.parent.mkdir(parents=True)
    shutil.copyfile(stage.copy, path)
    main = {"homedir": str(path.parent), "type": "main"}
    state = {"id": _ID, "version": 2, "cwd": project, "archived": False, "agents": {"main": main}, "custom": {}}
    state |= {"createdAt": 1_795_248_700_000, "updatedAt": 1_795_248_700_000}
    (session / "state.json").write_text(json.dumps(state))
    known = {"sessionId": _ID, "sessionDir": str(session), "workDir": project}
    (home / "session_index.jsonl").write_text(json.dumps(known) + "\n")
    variables = {
        "KIMI_MODEL_NAME": "mock",
        "KIMI_MODEL_API_KEY": "dummy",
        "KIMI_MODEL_BASE_URL": f"{stage.url}/v1",
        "KIMI_DISABLE_TELEMETRY": "1",
    }
    return Start(("--session", _ID, "--model", _MODEL, "-p", PROMPT), variables, path, "openai-chat")


ASK: Final = Ask(_furnish, command="kimi", seconds=60)
