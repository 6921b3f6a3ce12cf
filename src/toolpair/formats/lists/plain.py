"""What all plain lists share: no agent resumes them, so nothing in them is healed, dropped or refused."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from toolpair.formats.format import Damage, Item, ResumeEffect, SentRequest
from toolpair.transcript.model import Transcript


class PlainFormat:
    """The parts of `Format` that concern an agent, for formats without one."""

    in_windows: ClassVar[bool] = True
    """Each window can be read alone: neither what a record says nor an exchange's problems depend on far records."""

    def damage(
        self, items: Sequence[Item], transcript: Transcript, found: Sequence[Damage]
    ) -> Sequence[ResumeEffect | None]:
        from toolpair.formats.engine.damage.lost import effect_without_agent

        return [effect_without_agent(damage) for damage in found]

    def sees(self, items: Sequence[Item], transcript: Transcript) -> SentRequest | None:
        return None
