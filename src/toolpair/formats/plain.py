"""What is the same of all plain lists: no agent resumes them, so nobody heals, drops or refuses anything in them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from toolpair.formats.format import Damage, Item, ResumeEffect, SentRequest
from toolpair.rules.problem import OnResume, Problem
from toolpair.transcript.model import Transcript


class PlainFormat:
    """The part of `Format` that tells of an agent, for formats that have none."""

    in_windows: ClassVar[bool] = True
    """What a record says, and what is wrong with an exchange, hangs on nothing far away: it can be read in windows."""

    def damage(
        self, items: Sequence[Item], transcript: Transcript, found: Sequence[Damage]
    ) -> Sequence[ResumeEffect | None]:
        from toolpair.formats.lost import plain_harm

        return [plain_harm(damage) for damage in found]

    def sees(self, items: Sequence[Item], transcript: Transcript) -> SentRequest | None:
        return None

    def on_resume(self, transcript: Transcript, problem: Problem, seen: SentRequest | None = None) -> OnResume | None:
        return None
