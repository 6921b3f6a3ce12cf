"""The vendors' packages, imported by the first test that asks for something in one: each takes a second to import, and
every worker reads every test file.
"""

from __future__ import annotations

import importlib
from typing import Any

import pytest


class Sdk:
    """A package; a test that needs it is skipped where it is not installed."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):  # pytest looks for fixtures, among them in mocks, by `_mock_name`
            raise AttributeError(name)
        pytest.importorskip(self._name.partition(".")[0])
        return getattr(importlib.import_module(self._name), name)
