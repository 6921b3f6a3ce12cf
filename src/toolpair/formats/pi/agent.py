"""pi itself: its folders and processes, and how a session is resumed."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Final

from toolpair.formats.agent import FoundSession, Outcome, Program
from toolpair.formats.lazy import lazy
from toolpair.formats.pi.format import LOOP, TITLE
from toolpair.formats.pi_family.agent import PiAgent, has_title, id_in
from toolpair.source import peek

if TYPE_CHECKING:
    from pathlib import Path

    from toolpair.shell.machine import Machine


class Pi(PiAgent):
    """pi itself: `pi`."""

    id = "pi"
    title = TITLE
    outcomes: Mapping[str, Outcome] = {"chain.cycle": ("rejected", LOOP, "history")}
    usual_home = ".pi/agent"
    resumes = ("pi", "--session")
    ask = lazy("toolpair.formats.pi.asking:ASK")
    program = Program(
        "pi",
        TITLE,
        r"(?<!@oh-my-pi)[/\\]pi-coding-agent[/\\]",
        session_options=("--session",),
        other_work=frozenset({"install", "remove", "update", "list", "config"}),
        package="@earendil-works/pi-coding-agent",
        older_packages=("@mariozechner/pi-coding-agent",),
        places=(".local/bin",),
    )

    def roots(self, machine: Machine) -> tuple[Path, ...]:
        return (machine.folder("PI_CODING_AGENT_SESSION_DIR", self.home(machine) / "sessions"),)

    def sessions(self, machine: Machine) -> Iterator[FoundSession]:
        root = self.roots(machine)[0]
        shared = root != machine.home / self.usual_home / "sessions"
        for entry, stat in peek.files_below(root, ".jsonl"):
            if shared and has_title(entry.path):
                continue  # oh-my-pi's, which has the same variables
            yield self.found(entry.path, id_in(entry.name), stat)

    def belongs(self, found: FoundSession, folder: str) -> bool:
        named = re.sub(r"[/\\:]", "-", re.sub(r"\A[/\\]", "", folder))
        return os.path.basename(os.path.dirname(found.path)) == f"--{named}--"


AGENT: Final = Pi()
