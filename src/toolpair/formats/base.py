"""What a format is: how the records of one agent's file become a transcript, and edits become records again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from toolpair.rules.base import OnResume, Problem
from toolpair.transcript.edits import Edit
from toolpair.transcript.model import Transcript


@dataclass(frozen=True, slots=True, eq=False)
class Item:
    """One record as a format sees it. `value` is parsed JSON or `Damaged`; a new record has a negative uid."""

    uid: int
    value: Any


class Format(Protocol):
    """One agent's or API's way to write a session. Register an instance in `formats/__init__.py`."""

    id: str
    title: str
    profile: str
    containers: frozenset[str]
    """Which containers it lives in: "array" (elements of a JSON array), "lines" (JSONL)."""
    where: str
    """Where such files are found, for `toolpair formats`."""

    def sniff(self, values: Sequence[Any]) -> int:
        """How surely the first records' parsed values are this format's: 0 (not at all) to 100."""

    def read(self, items: Sequence[Item]) -> Transcript:
        """The transcript that these records make. Never raises on odd values; Damaged items get scope "malformed"."""

    def apply(self, items: Sequence[Item], transcript: Transcript, edits: Sequence[Edit]) -> list[Item]:
        """The records after the edits, in file order.

        An untouched record is handed back as the same Item. A changed one keeps its uid and has a
        new value that is built from the old sub-values (the same objects, so that their bytes can be
        copied). New records have negative uids, all different. `transcript` is what `read(items)` gave.
        """

    def needs(self, items: Sequence[Item], values: Sequence[Any]) -> bool:
        """Whether the history of these records lacks `values`, which stand in a record that cannot be read."""

    def on_resume(self, transcript: Transcript, problem: Problem) -> OnResume | None:
        """What the format's own agent makes of the problem when it resumes; None when there is no such agent."""

    def resume_command(self, transcript: Transcript) -> str | None:
        """What to type, or to do, to go on with the session; None when nothing is known."""
