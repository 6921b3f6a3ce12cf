"""What the real Mistral Vibe sends when it resumes a session file.

The agent is the command that TOOLPAIR_VIBE names: `vibe` of the package `mistral-vibe`. TOOLPAIR_VIBE_BEFORE is one before
2.26.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from tests.agents import running
from tests.agents.running import RealAgent, Resumed, script
from toolpair.formats import get_agent
from toolpair.proof.asking import ask
from toolpair.proof.inside import Copy

_PROGRAM = script("TOOLPAIR_VIBE")
_AGENT = RealAgent("vibe", "set TOOLPAIR_VIBE", (_PROGRAM,))
_BEFORE = RealAgent("vibe", "set TOOLPAIR_VIBE_BEFORE", (script("TOOLPAIR_VIBE_BEFORE"),))


def why_not(before: bool) -> str | None:
    return (_BEFORE if before else _AGENT).why_not()


def taken_over(files: Mapping[str, bytes], folder: Path) -> dict[str, Path]:
    """The newer store's folder of each session that Vibe has resumed from its older files."""
    copies = {}
    for number, (name, data) in enumerate(files.items()):
        path = folder / f"{number}.jsonl"
        path.write_bytes(data)
        copies[name] = Copy(str(path), options={"store": "yes"})
    answers = ask(get_agent("vibe"), [str(_PROGRAM)], copies, at_once=running.AT_ONCE)
    found = ((name, list(Path(one.session).glob("*/CURRENT"))) for name, one in answers.items())
    return {name: paths[0].parent for name, paths in found if paths}


def resume_stored(stores: Mapping[str, Path]) -> dict[str, Resumed]:
    copies = {name: Copy(str(path), path.name) for name, path in stores.items()}
    answers = ask(get_agent("vibe-unified"), [str(_PROGRAM)], copies, at_once=running.AT_ONCE)
    told = {name: Resumed(next(iter(one.histories), None), one.note, b"") for name, one in answers.items()}
    return running.without_system(told)


def resume(files: Mapping[str, bytes], before: bool) -> dict[str, Resumed]:
    """What is sent for each file without the system prompt, by the names that the caller gave."""
    return running.without_system((_BEFORE if before else _AGENT).resume(files))
