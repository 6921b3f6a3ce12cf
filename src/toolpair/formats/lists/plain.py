"""What all plain lists share: no agent resumes them, so nothing in them is healed, dropped or refused."""

from __future__ import annotations

from collections.abc import Sequence

from toolpair.formats.format import Damage, Item, ResumeEffect
from toolpair.transcript.model import Transcript


def damage(items: Sequence[Item], transcript: Transcript, found: Sequence[Damage]) -> Sequence[ResumeEffect | None]:
    from toolpair.formats.engine.damage.lost import effect_without_agent

    return [effect_without_agent(damage) for damage in found]
