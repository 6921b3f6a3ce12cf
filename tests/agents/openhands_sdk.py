"""What OpenHands itself sends when it resumes a conversation.

TOOLPAIR_OPENHANDS names the Python that has its SDK (`pip install openhands-sdk`, Python 3.12).
"""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tests.agents import namespace
from tests.agents.running import Resumed, script
from tests.agents.running import why_not as why_not_here
from toolpair.proof.isolation import prefix

_PYTHON = script("TOOLPAIR_OPENHANDS")
_INSIDE = Path(__file__).with_name("openhands_inside.py")


def why_not() -> str | None:
    return why_not_here("OpenHands' SDK is not here (set TOOLPAIR_OPENHANDS)", _PYTHON)


def resume(root: Path) -> dict[str, Resumed]:
    """What is sent of each conversation in a folder of `root`, by the name of the folder, without the system prompt."""
    before = prefix()
    assert before is not None and _PYTHON is not None
    done = subprocess.run(
        [*before, _PYTHON, str(_INSIDE), str(root)],
        env={"PATH": os.defpath, "PYTHONPATH": str(namespace.ROOT / "src"), "HOME": str(root)},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=600,
    )
    assert done.returncode == 0, done.stderr.decode(errors="replace")[-2000:]
    return {one["name"]: _resumed(one) for one in map(json.loads, done.stdout.splitlines())}


def _resumed(told: Mapping[str, Any]) -> Resumed:
    messages = told["messages"]
    return Resumed(messages[1:] if messages else None, told["note"], b"")
