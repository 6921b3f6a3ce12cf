"""What the agents that write pi's files have in common: how such a file is described, and how it is resumed."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Final

from toolpair.formats.agent import Agent, FoundSession, SessionFile
from toolpair.formats.engine.agents.way_back import WayBack
from toolpair.formats.engine.reading.tree_history import Node
from toolpair.formats.pi_family.history import user_words
from toolpair.source import peek

_TITLE: Final = re.compile(rb'\s*\{\s*"type"\s*:\s*"title"')


def has_title(path: str) -> bool:
    """Whether a file begins as oh-my-pi's do."""
    return _TITLE.match(peek.head(path, 64)) is not None


def described(found: FoundSession) -> tuple[str | None, str | None]:
    """The folder and the user's last words, from a short read."""
    words = peek.last_said(found.path, found.size, lambda record: user_words(Node(0, 0, 0, 0, record))[0])
    return peek.folder_in(peek.head(found.path)), peek.one_line(words)


def id_in(name: str) -> str:
    """The session's id in the name of its file."""
    return name[:-6].partition("_")[2] or name[:-6]


class PiAgent(Agent):
    """pi, or one of its kin that continues any file that it is given."""

    variable = "PI_CODING_AGENT_DIR"
    suffix = ".jsonl"
    resumes: tuple[str, ...]
    """The command that is given the file."""

    def describe(self, found: FoundSession) -> tuple[str | None, str | None]:
        return described(found)

    def way_back(self, file: SessionFile) -> WayBack:
        if file.path is None:
            return WayBack((), sentence=f"Start `{' '.join(self.resumes)}` with the file.")
        return WayBack((*self.resumes, os.path.abspath(file.path)), file.folder)

    def in_place(self, path: Path, session_id: str) -> bool:
        return True
