"""Fixtures of the interface: in colour unless a test says otherwise, and without animation."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.tui.driving import array_file


@pytest.fixture(autouse=True)
def plain_terminal(pinned_environment: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.delenv("COLORFGBG", raising=False)
    monkeypatch.setenv("TEXTUAL_ANIMATIONS", "none")


@pytest.fixture
def broken(tmp_path: Path) -> Path:
    """20 pairs: 5, 6 and 12 have another id on the result, 8 has no result."""
    return array_file(tmp_path / "broken.json", 20, mismatched={5, 6, 12}, missing={8})


@pytest.fixture
def sound(tmp_path: Path) -> Path:
    return array_file(tmp_path / "sound.json", 6)
