"""What is the same for every test: an environment in which nothing depends on the machine."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings

SAMPLES = Path(__file__).resolve().parent.parent / "sample_sessions"

_PINNED = {"NO_COLOR": "1", "TZ": "UTC", "COLUMNS": "100", "LINES": "30", "TERM": "xterm-256color", "LC_ALL": "C.UTF-8"}


@pytest.fixture(autouse=True)
def pinned_environment(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The user's colours, Textual settings and agents' folders play no part."""
    for name in list(os.environ):
        if name.startswith(("TEXTUAL", "TOOLPAIR", "CLAUDE_", "FORCE_COLOR", "GITHUB_")):
            monkeypatch.delenv(name)
    for name, value in _PINNED.items():
        monkeypatch.setenv(name, value)
    # What resumes a session is the newest version that was measured, whatever is installed here.
    monkeypatch.setattr("toolpair.cli.inputs.version_here", lambda format_id: None)
    yield


@pytest.fixture
def samples() -> Path:
    """The directory of the sample sessions; only to be read."""
    return SAMPLES


# The same cases on every run of CI; elsewhere each run tries new ones.
settings.register_profile("ci", derandomize=True)
if os.environ.get("CI"):
    settings.load_profile("ci")
