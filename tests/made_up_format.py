"""A made-up agent, Heron: Anthropic's messages, a line each, behind a line of its own. A folder in `formats/` has the same."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final

from toolpair.dialects.anthropic import message_of
from toolpair.dialects.anthropic_writer import WRITER
from toolpair.formats.agent import Agent, FoundSession, SessionFile
from toolpair.formats.engine.agents.way_back import WayBack
from toolpair.formats.engine.writing.linear import Linear
from toolpair.formats.format import (
    AS_RESUMED,
    Damage,
    Fate,
    Format,
    Item,
    ResumeEffect,
    SentMessage,
    SentPart,
    SentRequest,
    View,
)
from toolpair.formats.lazy import lazy
from toolpair.shell.machine import Machine
from toolpair.source import peek
from toolpair.transcript.edits import Edit
from toolpair.transcript.model import Damaged, Scope, Transcript

TITLE: Final = "Heron"


def knows(value: dict[str, Any]) -> bool:
    return "heron" in value or value.get("role") in ("user", "assistant")


def sniff(values: Sequence[Any]) -> int:
    return 95 if any(isinstance(value, dict) and isinstance(value.get("heron"), str) for value in values) else 0


def read(items: Sequence[Item], view: View = AS_RESUMED) -> Transcript:
    first = next((item.value for item in items if isinstance(item.value, dict) and "heron" in item.value), {})
    scopes: dict[int, Scope] = {item.uid: "malformed" for item in items if isinstance(item.value, Damaged)}
    found = (
        message_of(item.value, item.uid) for item in items if isinstance(item.value, dict) and "role" in item.value
    )
    messages = tuple(message for message in found if message is not None)
    return Transcript(messages, native=True, agent=TITLE, folder=first.get("folder"), scopes=scopes)


def apply(items: Sequence[Item], transcript: Transcript, edits: Sequence[Edit]) -> list[Item]:
    return Linear(items, transcript, WRITER).run(edits)


def sees(items: Sequence[Item], transcript: Transcript) -> SentRequest:
    """Calls without a result behind them are left out; all else is sent."""
    answered = {block.id for message in transcript.messages for block in message.results}
    sent: list[SentMessage] = []
    fates: dict[int, Fate] = {}
    for message in transcript.messages:
        kept = [block for block in message.blocks if block.kind != "call" or block.id in answered]
        fates.update((id(block), "sent" if block in kept else "dropped") for block in message.blocks)
        if kept:
            sent.append(SentMessage(message.role, tuple(map(SentPart.of, kept))))
    return SentRequest(TITLE, "1.0", tuple(sent), fates)


def damage(items: Sequence[Item], transcript: Transcript, found: Sequence[Damage]) -> Sequence[ResumeEffect | None]:
    return [ResumeEffect("harmless", "Heron skips it") for _ in found]


class Heron(Agent):
    id = "heron"
    title = TITLE
    measured = "1.0"
    usual_home = ".heron"
    suffix = ".jsonl"

    def roots(self, machine: Machine) -> tuple[Path, ...]:
        return (self.home(machine),)

    def sessions(self, machine: Machine) -> Iterator[FoundSession]:
        for entry, stat in peek.files_below(self.roots(machine)[0], ".jsonl"):
            yield self.found(entry.path, entry.name[:-6], stat, peek.string_after(peek.head(entry.path), "folder"))

    def way_back(self, file: SessionFile) -> WayBack | None:
        return WayBack(("heron", "--resume", file.path.stem)) if file.path is not None else None


AGENT: Final = Heron()
FORMAT: Final = Format(
    id="heron",
    title=TITLE,
    where="~/.heron/<session id>.jsonl",
    containers=frozenset({"lines"}),
    profile="anthropic",
    agents={"heron": lazy(f"{__name__}:AGENT")},
    sniff=sniff,
    surest=95,
    knows=knows,
    read=read,
    apply=apply,
    sees=sees,
    damage=damage,
)
