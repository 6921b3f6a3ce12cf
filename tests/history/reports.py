"""What is compared between two checks: everything a user can see of their problems."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from toolpair.history.conversation import Conversation
from toolpair.history.sent_rows import rows_sent
from toolpair.rules.problem import Problem
from toolpair.transcript.model import Block


def told(problems: Iterable[Problem], records: int | None = None) -> list[tuple[Any, ...]]:
    """`records` is how many the file had: later ones have their own numbers, which are not compared."""

    def uid(number: int | None) -> int | str | None:
        return "new" if number is not None and records is not None and number >= records else number

    def key(block: Block | None) -> object:
        return None if block is None else (block.kind, uid(block.record), block.slot, repr(block.id))

    return [
        (
            problem.rule,
            problem.severity,
            problem.impact,
            problem.evidence,
            problem.text,
            problem.message,
            problem.block,
            problem.pair,
            problem.pairs,
            uid(problem.record),
            key(problem.call),
            key(problem.result),
            tuple(map(key, problem.others)),
            problem.cause,
            problem.on_resume,
            problem.api_says,
            problem.no_fix,
            problem.guess,
            tuple((fix.id, fix.title, fix.recommended, fix.certain, fix.loses, fix.note) for fix in problem.fixes),
        )
        for problem in problems
    ]


def sent(conversation: Conversation) -> list[tuple[Any, ...]]:
    """What its agent would send, and what it leaves out."""
    return [
        (
            row.message,
            row.role,
            json.dumps(row.value, default=repr),
            None if row.block is None else (row.block.kind, repr(row.block.id)),
            row.fate,
        )
        for row in rows_sent(conversation)
    ]
