"""How an agent is asked what it sends: the interface of an agent's `ASK`, beside its `AGENT`.

The agent resumes a copy of a session in a home that was made for it, against an API on loopback. The functions of an
`ASK` run in a process of their own, `proof/inside.py`.
"""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final, Literal

from msgspec import Struct

Api = Literal["anthropic", "openai-chat", "openai-responses", "gemini"]
PROMPT: Final = "go on"
"""What the agent is asked when it resumes the session; the API answers with one word, so that no tool runs."""
HISTORIES: Final[Mapping[Api, tuple[str, str, str]]] = {
    "anthropic": ("/messages", "messages", "anthropic"),
    "openai-chat": ("/chat/completions", "messages", "openai-chat"),
    "openai-responses": ("/responses", "input", "openai-responses"),
    "gemini": (":streamGenerateContent", "contents", "gemini-contents"),
}
"""API -> how the path of its requests ends, where in their body the history is, and the format of that list."""


class Stage(Struct, frozen=True):
    """Where an agent is asked: an empty home, a project in it, an API that answers, and the copy of a session."""

    home: Path
    project: Path
    url: str
    copy: Path
    """The copy, which no agent has seen yet: a file, or a database that holds the session."""
    session_id: str
    """Empty where the file has none."""
    folder: str | None
    """The project that the session took place in: it is not there, and none of its business."""
    program: tuple[str, ...]
    """What starts the agent."""
    profile: str
    """Whose rules the session is checked against, where the agent can talk to several APIs."""
    options: Mapping[str, str] = {}
    """What else a test asks for."""

    def put(self, path: Path) -> None:
        """Put the copy there, where it has taken place in the project that was made for it.

        Raises ValueError for a place outside the home.
        """
        if not path.resolve().is_relative_to(self.home.resolve()):
            raise ValueError("it would be put outside the home that was made for it")
        path.parent.mkdir(parents=True, exist_ok=True)
        if self.folder is None:
            shutil.copyfile(self.copy, path)
        else:
            here, there = (json.dumps(one).encode() for one in (self.folder, str(self.project)))
            path.write_bytes(self.copy.read_bytes().replace(here, there))


class Start(Struct, frozen=True):
    """How the agent is started once its home is furnished."""

    arguments: tuple[str, ...]
    variables: Mapping[str, str]
    session: Path
    """Where the copy is now."""
    api: Api


class Ask(Struct, frozen=True):
    """How one agent is asked."""

    furnish: Callable[[Stage], Start]
    """Put the copy and the settings where the agent finds them. Raises OSError, and ValueError with a sentence if this
    session cannot be asked about."""
    command: str | None = None
    """What starts it, where its process has another name."""
    seconds: int = 90
    """How long it may take."""
    newest: bool = False
    """The last of its requests has the history, not the first."""
    notes: re.Pattern[str] | None = None
    """What it adds to outputs when it sends them."""
    tools: bool = True
    """The request with the history has definitions of tools, by which it differs from small ones of the agent's own."""
