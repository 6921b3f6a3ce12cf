"""Problems in the parts of a file that are not sent: other branches, compacted history, sub-agents' records."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from msgspec.structs import replace

from toolpair.formats.format import View
from toolpair.history.checked_records import CheckedRecords
from toolpair.rules.problem import Problem

_SHOWN: Final = 8
"""Characters of a leaf's id that identify it for a person."""


def inactive_problems(judged: CheckedRecords) -> Iterator[Problem]:
    """The problems of each history that is not sent, each checked on its own.

    They are warnings at most, have no place in what is sent, and no fixes: a branch is fixed by opening it.
    """
    if judged.format.inactive is None:
        return
    scopes = judged.transcript.scopes
    for leaf, items in judged.format.inactive(judged.items, judged.transcript):
        note = f"It is not sent, so there is nothing to do; --leaf {leaf[:_SHOWN]} opens this branch to fix it."
        own = CheckedRecords(tuple(items), judged.format, judged.profile, view=View(leaf))
        for problem in own.problems:
            # Entering the whole file at once concerns only the active history.
            if problem.rule.startswith("chain.") or problem.record is None or scopes.get(problem.record) != "inactive":
                continue
            yield replace(
                problem,
                severity="warning" if problem.severity == "error" else problem.severity,
                own_impact="harmless",
                scope="inactive",
                message=None,
                block=None,
                pair=None,
                pairs=(),
                fixes=(),
                no_fix=note,
                resumes=None,
                says=None,
                guess=False,
            )
