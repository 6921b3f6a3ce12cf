"""How Mistral Vibe is asked what it sends."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Final

from toolpair.formats.asking import PROMPT, Ask, Stage, Start

_ID: Final = "5a1f3c8e-7d42-4b6f-9e0a-1c2d3e4f5a6b"
_CONFIG: Final = """active_model = "mock"
enable_telemetry = false
enable_update_checks = false
enable_auto_update = false
[[providers]]
name = "mock"
api_base = "{url}/v1"
api_key_env_var = "MOCK_KEY"
api_style = "openai"
backend = "generic"
[[models]]
name = "mock-model"
provider = "mock"
alias = "mock"
"""


def _furnish_store(stage: Stage) -> Start:
    path = stage.home / ".vibe" / "logs" / "session" / "unified" / stage.session_id
    if not stage.session_id or not stage.copy.is_dir():
        raise ValueError("Vibe reads no lines")
    shutil.copytree(stage.copy, path)
    about = json.loads((path / "meta.json").read_bytes())
    if not isinstance(about, dict):
        raise ValueError("meta.json is not an object")
    about |= {"environment": {"working_directory": str(stage.project)}, "origin_directory": str(stage.project)}
    (path / "meta.json").write_text(json.dumps(about))
    return _started(stage, path, stage.session_id)


def _furnish(stage: Stage) -> Start:
    own = stage.home / ".vibe"
    path = own / "logs" / "session" / f"session_20260101_000000_{_ID[:8]}" / "messages.jsonl"
    path.parent.mkdir(parents=True)
    shutil.copyfile(stage.copy, path)
    time = "2026-01-01T00:00:00+00:00"
    about = {
        "session_id": _ID,
        "start_time": time,
        "end_time": time,
        "git_commit": None,
        "git_branch": None,
        "username": "user",
        "title": "a session",
        "environment": {"working_directory": str(stage.project)},
        "total_messages": len(path.read_bytes().splitlines()),
    }
    (path.parent / "meta.json").write_text(json.dumps(about))
    store = own / "logs" / "session" / "unified"  # into which Vibe takes the session over
    return _started(stage, store if "store" in stage.options else path, _ID)


def _started(stage: Stage, path: Path, session: str) -> Start:
    own = stage.home / ".vibe"
    (own / "config.toml").write_text(_CONFIG.format(url=stage.url))
    variables = {"MOCK_KEY": "dummy", "VIBE_HOME": str(own)}
    return Start(("--trust", "-p", PROMPT, "--resume", session), variables, path, "openai-chat")


ASK: Final = Ask(_furnish, command="vibe", seconds=120)
ASK_OF_STORE: Final = Ask(_furnish_store, command="vibe", seconds=120)
