"""What the tests with a real agent share. They are opt-in: `pytest -m agents`."""

from __future__ import annotations

import pytest

from tests.agents import claude_code
from tests.agents.comparing import skip_for


@pytest.fixture(scope="session")
def claude() -> None:
    """Skips where Claude Code cannot be asked."""
    skip_for(claude_code.why_not())
