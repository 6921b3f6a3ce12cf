"""The links between the records of a native file: where one is lost, the agent forgets what stands above."""

from __future__ import annotations

from typing import Final

from toolpair.rules.base import Cause, Fix
from toolpair.rules.context import Context
from toolpair.transcript.edits import Relink
from toolpair.transcript.words import plural

_CAUSES: Final = {
    "chain.missing_parent": "the record that it hangs on is not in the file: its line was lost or cannot be read",
    "chain.null_parent": "it hangs on nothing although it stands in the middle of the conversation",
    "chain.second_root": "it begins anew: history was lost here, or the user went back to the very beginning",
    "chain.cycle": "the links lead round in a circle",
}


def check(context: Context) -> None:
    agent = context.transcript.agent or "The agent"
    for boundary in context.transcript.boundaries:
        if boundary.kind != "cut" or boundary.rule is None or boundary.record is None:
            continue
        lost = f"{plural(boundary.messages, 'message')}, {plural(boundary.outputs, 'output')}"
        behind = boundary.message > 0
        # Going back to the very beginning looks the same as history that was lost.
        unsure = boundary.rule == "chain.second_root"
        fixes = []
        if boundary.relink_to is not None:
            fixes.append(
                Fix(
                    "reconnect",
                    f"reconnect to the record before it (brings back {plural(boundary.outputs, 'output')})",
                    (Relink(boundary.record, boundary.relink_to),),
                    recommended=True,
                    certain=not unsure,
                    several="reconnect to the records before them",
                )
            )
        context.add(
            boundary.rule,
            f"{agent} forgets everything {'behind' if behind else 'before'} this line: {lost}.",
            at=(min(boundary.message, len(context.messages) - 1), None) if context.messages else None,
            record=boundary.record,
            severity="warning" if unsure else "error",
            impact="loses",
            guess=unsure,
            cause=Cause(boundary.rule, _CAUSES.get(boundary.rule, "the link upwards is lost")),
            fixes=fixes,
            no_fix=None if fixes else "There is no record before it that it could be linked to.",
        )
