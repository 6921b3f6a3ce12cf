"""The smallest part of a session that shows a problem, redacted and looked at again."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Final

from toolpair.reports.excerpt.issue import Excerpt
from toolpair.reports.excerpt.oracle import Chosen, Oracle, Shown, choose, problems_of
from toolpair.reports.excerpt.shrinking import smallest
from toolpair.reports.redaction.copies import beside_notes, checked_copy, neutral_name, opened_alone
from toolpair.session.session import Refused, Session, open_session

_LARGE: Final = 64 << 20
"""Bytes of a session with whose words an excerpt is not compared."""


def excerpt(
    path: str | Path,
    *,
    data: bytes | None = None,
    problem: int | str | None = None,
    rule: str | None = None,
    redact: bool = True,
    format: str | None = None,
    profile: str | None = None,
    leaf: str | None = None,
    agent_version: str | Callable[[str], str | None] | None = None,
    max_size: int | None = None,
    key: bytes | None = None,
) -> Excerpt:
    """The smallest part of a session file that still shows a problem, redacted.

    `problem` is its number, from 1, or the id of its call or result; by default the first that stops the session, else
    the first that loses something; `rule` picks among those of one rule. `key` decides on the stand-ins; by default a
    new one, which is forgotten. The other options are those of `open`. Raises SessionError when the file cannot be
    read, and Refused, with one sentence, when there is no such problem or something of the original would be left.
    """
    session = open_session(
        path, data=data, format=format, profile=profile, leaf=leaf, agent_version=agent_version, max_size=max_size
    )
    return excerpt_of(session, problem, rule, redact=redact, key=key)


def excerpt_of(
    session: Session,
    problem: int | str | None = None,
    rule: str | None = None,
    *,
    redact: bool = True,
    key: bytes | None = None,
) -> Excerpt:
    """As `excerpt`, of an open session as it is with its staged fixes."""
    chosen = choose(session, problem, rule)
    large = session.file.size > _LARGE
    whole = None if large else session.to_bytes()
    alone = session if whole is None else opened_alone(session, whole)
    here = _same_in(alone, chosen)
    shown = Shown.of(here.problem)
    rules = frozenset(found.rule for found in problems_of(alone))
    oracle = Oracle(alone, shown, rules)
    data = smallest(alone, here, oracle)
    if data is None:
        raise Refused(f"Nothing was written: no part of the file shows {shown.rule} by itself.", "differs")
    opened = oracle.opened(data)
    if redact:
        data, opened = checked_copy(opened, data, key=key, whole=whole)
    found = next(one for one in problems_of(opened) if Shown.of(one) == shown)
    lines = opened.file.kind == "lines"
    return Excerpt(
        data,
        neutral_name(session.file.shown_name),
        opened,
        found,
        chosen.number,
        chosen.count,
        redact,
        oracle.checks,
        session.file.size,
        sum(len(one.document) for one in alone.conversations),
        sum(len(one.document) for one in opened.conversations),
        lines,
        beside_notes(session, alone),
    )


def _same_in(alone: Session, chosen: Chosen) -> Chosen:
    """The problem in the session as it is without the files beside it."""
    listed = [
        Chosen(problem, conversation, chosen.number, chosen.count)
        for conversation in alone.conversations
        if conversation.number == chosen.conversation.number
        for problem in conversation.problems
        if problem.rule == chosen.problem.rule
    ]
    if not listed:
        raise Refused(
            f"Nothing was written: {chosen.problem.rule} is seen only together with other files in the session's "
            "folder, and an excerpt would be without them.",
            "beside",
        )
    wanted = chosen.problem
    return next((one for one in listed if one.problem.key == wanted.key), listed[0])
