"""What OpenHands itself sends when it resumes a conversation.

TOOLPAIR_OPENHANDS names the Python that has its SDK (`pip install openhands-sdk`, Python 3.12), TOOLPAIR_OPENHANDS_BEFORE one
that has the SDK of its command line (`pip install openhands==1.16.0`).
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
_BEFORE = script("TOOLPAIR_OPENHANDS_BEFORE")
_INSIDE = Path(__file__).with_name("openhands_inside.py")


def why_not(before: bool = False) -> str | None:
    variable = "TOOLPAIR_OPENHANDS_BEFORE" if before else "TOOLPAIR_OPENHANDS"
    return why_not_here(f"OpenHands' SDK is not here (set {variable})", _BEFORE if before else _PYTHON)


def resume(root: Path, before: bool = False) -> dict[str, Resumed]:
    """What is sent of each conversation in a folder of `root`, by the name of the folder, without the system prompt."""
    isolated, python = prefix(), _BEFORE if before else _PYTHON
    assert isolated is not None and python is not None
    done = subprocess.run(
        [*isolated, python, str(_INSIDE), str(root)],
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
