"""A case as a test in its agent's own repository: red as the session is, green once that is fixed.

TOOLPAIR_CLINE_SOURCE, TOOLPAIR_CONTINUE_SOURCE, TOOLPAIR_ROO_CODE_SOURCE, TOOLPAIR_DOCKER_AGENT_SOURCE and
TOOLPAIR_CRUSH_SOURCE name clones in which their own tests run; `npx` or `go` is on the PATH.
"""

from __future__ import annotations

import json
import os
import subprocess
from importlib.resources import files
from pathlib import Path
from typing import Final

import pytest

from tests.reports.test_as_test import CASES, elements
from toolpair.reports.excerpt.excerpts import excerpt
from toolpair.reports.excerpt.harness import harnesses

_PLACES: Final = {
    "cline": ("sdk/packages/core", "src/session/services/toolpair-case.test.ts"),
    "continue": ("extensions/cli", "src/toolpairCase.test.ts"),
    "roo-code": ("src", "core/task/__tests__/toolpairCase.spec.ts"),
    "docker-agent": (".", "pkg/session/toolpair_case_test.go"),
    "crush": (".", "internal/agent/toolpair_case_test.go"),
}
"""Where the test is run, and where in there it is put."""

_VARIABLES: Final = {agent: f"TOOLPAIR_{agent.upper().replace('-', '_')}_SOURCE" for agent in _PLACES}
_SOURCES: Final = {agent: os.environ.get(variable) for agent, variable in _VARIABLES.items()}
_SEARCH: Final = os.environ.get("PATH", os.defpath)
"""Each test runs without the variables of the machine."""
_RED: Final = {"vitest": "1 failed", "go": "--- FAIL: TestTheRequestPairsAndHoldsEveryOutput"}


@pytest.mark.agents
@pytest.mark.parametrize("agent", _PLACES)
def test_it_is_red_and_then_green(agent: str, tmp_path: Path) -> None:
    source = _SOURCES[agent]
    if source is None:
        pytest.skip(f"{_VARIABLES[agent]} is not set")
    folder, place = _PLACES[agent]
    project = Path(source) / folder
    harness = harnesses()[agent]
    assert all(part in harness.how for part in (Path(folder, place).parent.as_posix(), Path(place).name))
    path = CASES[agent][2](tmp_path)
    found = excerpt(path)
    red = found.as_test(harness.runs)
    template = files("toolpair.reports.excerpt").joinpath("harnesses", harness.template).read_text("utf-8")
    fixed = json.dumps(elements(path, harness.formats[found.session.format.id]))
    green = template.replace("@@ABOUT@@", "fixed").replace("@@CASE@@", fixed).replace("@@OUTPUTS@@", "[]")
    command = {"vitest": ["npx", "vitest", "run", place], "go": ["go", "test", f"./{Path(place).parent.as_posix()}"]}
    try:
        (project / place).parent.mkdir(exist_ok=True)
        for text in (red, green):
            (project / place).write_text(text)
            done = subprocess.run(
                command[harness.runs],
                cwd=project,
                env={**os.environ, "PATH": _SEARCH, "NO_COLOR": "1"},
                capture_output=True,
                text=True,
                check=False,
            )
            said = done.stdout + done.stderr
            assert _RED[harness.runs] in said if text is red else done.returncode == 0, said
    finally:
        (project / place).unlink(missing_ok=True)
