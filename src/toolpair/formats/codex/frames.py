"""Reading records that are a window of a longer rollout, with the facts known about the rest."""

from __future__ import annotations

from collections.abc import Sequence

from toolpair.formats.codex.recovered import unanswered
from toolpair.formats.codex.rollout_lines import Ordinals, RolloutLine, lines_of
from toolpair.formats.engine.reading.item_messages import ItemFrame
from toolpair.formats.format import FileFacts, Item, Spills
from toolpair.transcript.edits import Edit, Rename
from toolpair.transcript.model import Message, Transcript


class RolloutFrame(ItemFrame, eq=False, kw_only=True):
    """What surrounds a window's records."""

    surroundings: FileFacts
    own: frozenset[int]
    """The uids of the window's records."""

    @property
    def numbered(self) -> tuple[int, int] | None:
        """In a file with ordinals: the number of records after the window, and of those before the first gap."""
        found, added = self.surroundings.agent_facts, self.surroundings.added
        return (found.after + added, found.before_gap + added) if isinstance(found, Ordinals) else None

    def elsewhere(self, ids: Sequence[str]) -> list[Item]:
        """The events in other windows that report calls with these ids, in file order."""
        return [item for item in self.surroundings.copies(ids) if item.uid not in self.own] if ids else []

    def hold(self, before: Sequence[Item], after: Sequence[Item], edits: Sequence[Edit]) -> None:
        """Raise Spills if the edits also change records outside the window: copies of an id, or ordinals where that is
        more than to count on.
        """
        found = self.surroundings.agent_facts
        if isinstance(found, Ordinals) and not found.gapless and [i.uid for i in before] != [i.uid for i in after]:
            raise Spills
        renamed = [edit.block for edit in edits if isinstance(edit, Rename) and edit.block.kind == "call"]
        if self.elsewhere([block.id for block in renamed if isinstance(block.id, str)]):
            raise Spills


def frame_of(transcript: Transcript) -> RolloutFrame | None:
    """The frame of a window; None for a whole rollout."""
    return transcript.frame if isinstance(transcript.frame, RolloutFrame) else None


def framed(items: Sequence[Item], surroundings: FileFacts) -> RolloutFrame:
    return RolloutFrame(surroundings=surroundings, own=frozenset(item.uid for item in items))


def with_events_elsewhere(
    lines: Sequence[RolloutLine], messages: Sequence[Message], frame: RolloutFrame
) -> Sequence[RolloutLine]:
    """The lines, with the events of other windows that report calls unanswered here."""
    found = frame.elsewhere(list(unanswered(messages)))
    if not found:
        return lines
    first = min(frame.own, default=0)
    front = [item for item in found if item.uid < first]
    return [*lines_of(front), *lines, *lines_of(found[len(front) :])]
