"""What a made session is like."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

FORMATS: Final = ("claude-code", "codex", "anthropic", "openai-chat")
DATABASES: Final = ("docker-agent", "goose", "opencode", "openclaw", "hermes", "agents-sdk", "google-adk-database")
FORMS: Final = (
    "gemini-contents", "gemini-without-ids", "bedrock-converse", "kiro-cli", "pydantic-ai", "ai-sdk-ui", "livekit",
)  # fmt: skip
AGENTS: Final = {
    **dict.fromkeys(("pi", "oh-my-pi", "qwen-code", "gemini-cli", "copilot-cli", "kimi-cli", "kimi-code"), "lines"),
    "cline-cli": "messages",
    "continue": "history",
}
"""Other agents whose sessions are made, and the layout of each."""
LAYOUTS: Final = ("lines", "array", "request", "conversations", "contents", "items", "messages", "history", "folder")
SHAPES: Final = ("ordinary", "escapes", "huge", "small", "images", "cjk-line")
IDS: Final = ("fresh", "equal", "alike")
PROBLEMS: Final = ("renamed", "missing", "duplicate", "orphan", "late", "words-first")
"""Ways to break a pair; `BREAKABLE` says which of them make one problem in which format."""
BREAKABLE: Final = {
    "claude-code": ("renamed", "missing", "duplicate", "orphan", "late"),
    "codex": ("renamed", "missing", "duplicate", "orphan"),
    "anthropic": ("renamed", "missing", "duplicate", "orphan", "late", "words-first"),
    "openai-chat": ("renamed", "missing", "duplicate", "orphan", "late"),
    "docker-agent": ("renamed", "missing", "duplicate", "orphan", "late"),
    "goose": ("renamed", "missing", "duplicate", "orphan"),
    "opencode": ("missing",),
    "openclaw": ("renamed", "missing", "duplicate", "orphan", "late"),
    "hermes": ("renamed", "missing", "duplicate", "orphan", "late"),
    "agents-sdk": ("renamed", "missing", "duplicate", "orphan"),
    "google-adk-database": ("renamed", "missing", "duplicate", "orphan", "late"),
    **dict.fromkeys((*FORMS, *AGENTS), ("missing",)),
}
_UNITS: Final = {"": 1, "B": 1, "KB": 10**3, "MB": 10**6, "GB": 10**9}


@dataclass(frozen=True, slots=True)
class Options:
    """At least one of `size` (bytes) and `pairs` is given; with both, the outputs are made so long that both fit.

    `parallel` is the number of calls in one message; None leaves it to chance, as in real sessions.
    """

    format: str = "claude-code"
    layout: str = "lines"
    shape: str = "ordinary"
    size: int | None = None
    pairs: int | None = None
    problems: int = 0
    every: int | None = None
    """Break each pair with this number, in place of a given number of problems."""
    kinds: tuple[str, ...] | None = None
    """Ways to break a pair, taken in turn; None means all that make one problem each in this format."""
    ids: str = "fresh"
    parallel: int | None = None
    sessions: int = 1
    """Of a database: all are alike, but for their ids."""
    seed: int = 1

    def __post_init__(self) -> None:
        for given, known in (
            (self.format, (*FORMATS, *FORMS, *DATABASES, *AGENTS)),
            (self.layout, LAYOUTS),
            (self.shape, SHAPES),
            (self.ids, IDS),
            *((kind, PROBLEMS) for kind in self.kinds or ()),
        ):
            if given not in known:
                raise ValueError(f"{given} is none of {', '.join(known)}")
        if self.size is None and self.pairs is None:
            raise ValueError("say how big the session is: a size, a number of pairs, or both")
        if self.layout == "folder" and self.format != "opencode":
            raise ValueError("opencode alone had a folder of files")
        if self.sessions > 1 and (self.format not in DATABASES or self.layout == "folder"):
            raise ValueError("only a database has several sessions")
        own = self.layout in ("lines", "folder", AGENTS.get(self.format))
        if not own and self.format not in ("anthropic", "openai-chat", *FORMS):
            raise ValueError(f"{self.format} writes lines, and no {self.layout}")
        if self.every is not None and (self.problems or self.every < 2):
            raise ValueError("break so many pairs, or each second one or fewer, not both")
        if self.pairs is not None and self.problems > self.pairs:
            raise ValueError(f"{self.problems} problems do not fit into {self.pairs} pairs: one pair has one problem")

    @property
    def breaks(self) -> tuple[str, ...]:
        return BREAKABLE[self.format] if self.kinds is None else self.kinds


def bytes_of(words: str) -> int:
    """`500MB`, `1.5 GB`, `4096`; ValueError for anything else."""
    found = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*([KMG]?B?)\s*", words, re.IGNORECASE)
    unit = (found[2].upper() if found else "?").replace("B", "")
    if found is None or unit not in ("", "K", "M", "G"):
        raise ValueError(f"{words!r} is no size; write 500MB, 1.5GB or a number of bytes")
    return int(float(found[1]) * _UNITS[unit + "B"])
