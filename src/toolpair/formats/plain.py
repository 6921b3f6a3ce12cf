"""What is the same of all plain lists: no agent resumes them, so nobody heals, drops or refuses anything in them."""

from __future__ import annotations

from collections.abc import Sequence

from toolpair.formats.format import Damage, Item, ResumeEffect, SentRequest
from toolpair.transcript.model import Transcript


class PlainFormat:
    """The part of `Format` that tells of an agent, for formats that have none."""

    def damage(
        self, items: Sequence[Item], transcript: Transcript, found: Sequence[Damage]
    ) -> Sequence[ResumeEffect | None]:
        from toolpair.formats.lost import plain_harm

        return [plain_harm(damage) for damage in found]

    def sees(self, items: Sequence[Item], transcript: Transcript) -> SentRequest | None:
        return None
