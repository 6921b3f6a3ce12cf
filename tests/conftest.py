"""Fixtures for every test: an environment independent of the machine."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

SAMPLES = Path(__file__).resolve().parent.parent / "sample_sessions"

_PINNED = {"NO_COLOR": "1", "TZ": "UTC", "COLUMNS": "100", "LINES": "30", "TERM": "xterm-256color", "LC_ALL": "C.UTF-8"}


@pytest.fixture(autouse=True)
def pinned_environment(
    monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest
) -> Iterator[None]:
    """The user's colours, Textual settings, agents' folders and state have no effect."""
    for name in list(os.environ):
        if name.startswith(("TEXTUAL", "TOOLPAIR", "CLAUDE_", "FORCE_COLOR", "GITHUB_")):
            monkeypatch.delenv(name)
    for name, value in _PINNED.items():
        monkeypatch.setenv(name, value)
    # The newest measured version resumes sessions, whatever is installed here.
    monkeypatch.setattr("toolpair.cli.inputs.version_here", lambda format_id: None)
    # Not created: hardly any test keeps something.
    state = hashlib.sha256(request.node.nodeid.encode()).hexdigest()[:12]
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path_factory.getbasetemp() / f"state-{state}"))
    yield


@pytest.fixture
def samples() -> Path:
    """The folder of the sample sessions; read-only."""
    return SAMPLES


# A slow machine must not make a test fail. CI tries the same cases on every run; elsewhere each run tries new ones.
settings.register_profile("here", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("ci", settings.get_profile("here"), derandomize=True)
settings.load_profile("ci" if os.environ.get("CI") else "here")
