"""The hooks that `toolpair hook` installs, run by the agents themselves. Opt-in: `pytest -m agents`."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.agents import claude_code, codex, hooks, opencode
from tests.agents.comparing import skip_for
from tests.conftest import SAMPLES
from toolpair.cli.main import main

pytestmark = pytest.mark.agents
_AGENTS = {
    "claude-code": (claude_code.executable(), claude_code.why_not(), "claude-code-branches.jsonl"),
    "codex": (codex.PROGRAM, codex.why_not(), "codex-killed.jsonl"),
    "opencode": (opencode.program("opencode"), opencode.why_not("opencode"), "opencode-failed-response.db"),
}


@pytest.mark.parametrize("agent", _AGENTS)
def test_a_broken_session_is_told_of_and_a_sound_one_is_not(agent: str, tmp_path: Path) -> None:
    program, why_not, sample = _AGENTS[agent]
    skip_for(why_not)
    assert program is not None
    path = tmp_path / sample
    shutil.copy(SAMPLES / sample, path)
    broken = path.read_bytes()
    assert main(["fix", str(path), "--in-place"]) in (0, 1, 4)
    told = hooks.told_by(agent, program, {"broken": broken, "sound": path.read_bytes()})
    assert told["broken"].startswith("toolpair: ") and "shows and fixes it" in told["broken"]
    assert told["sound"] == ""
