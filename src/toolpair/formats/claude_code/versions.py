"""What versions of Claude Code do differently when resuming a file, as far as measured."""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from msgspec import Struct

from toolpair.transcript.model import Transcript


class Behaviour(NamedTuple):
    """The behaviour of one measured version on a file, whichever version wrote it."""

    version: str
    since: tuple[int, ...] = ()
    """The first version to which this behaviour applies too: only leaf and bridges were tested there."""
    ends_at_newest: bool = False
    """The history ends at the record with the newest timestamp, wherever it is; `last-prompt` records are not read."""
    follows_reports: bool = True
    """Links lead through progress reports."""
    bridges: bool = True
    """A lost parent is replaced by a record that is at most five seconds older."""
    heals: bool = True
    """Parallel calls outside the history are gathered, and every call is sent with one result directly after it."""
    needs_time: bool = False
    """A session whose last record has no readable time is not found."""


MEASURED: Final = (
    Behaviour("2.1.1", ends_at_newest=True, follows_reports=False, bridges=False, heals=False),
    Behaviour("2.1.329", (2, 1, 119), needs_time=True),
    Behaviour("2.1.332", (2, 1, 330)),
)
"""Oldest first."""
NEWEST: Final = MEASURED[-1]


def behaviour(version: str | None) -> Behaviour:
    """The measured behaviour for this version, or the one before it; the newest if no version is named."""
    found = re.match(r"\d+(?:\.\d+)*", version or "")
    if found is None:
        return NEWEST
    asked = tuple(map(int, found[0].split(".")))
    return next(known for known in reversed(MEASURED) if known.since <= asked)


class ResumedBy(Struct, frozen=True, eq=False):
    """This format's own data in a transcript: the version that resumes it."""

    version: str | None
    """None: the newest that was measured."""
    history: object = None
    """The walked records and the transcript made from them, to work out what is sent and what edits change."""


def resumed_by(transcript: Transcript) -> str | None:
    """The version that resumes the transcript, if one is named."""
    facts = transcript.agent_facts
    return facts.version if isinstance(facts, ResumedBy) else None
