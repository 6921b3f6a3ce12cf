"""Going to a place: an id, `line:N`, `record:N`, `pair:N`, or an error text as an API gave it."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING, Final

from toolpair.opened import Target
from toolpair.rules.base import Problem
from toolpair.rules.error_texts import Recognised, normalised, recognise
from toolpair.transcript.model import Block
from toolpair.transcript.pairing import Pair

if TYPE_CHECKING:
    from toolpair.session import Session

_PLACE: Final = re.compile(r"(line|record|pair|message)\s*[: ]\s*(\d[\d,]*)\Z", re.IGNORECASE)
_WORD: Final = re.compile(r"[A-Za-z0-9_.:|/+=-]{4,}")


def find(session: Session, where: str) -> Target | None:
    """Where `where` leads in the current conversation; None when it is empty."""
    text = where.strip()
    if not text:
        return None
    place = _PLACE.match(text)
    if place is not None:
        return _at_place(session, place.group(1).lower(), int(place.group(2).replace(",", "")))
    exact = _by_id(session, text)
    if exact is not None:
        return _target(session, exact, f"This is the id {text}.")
    known = recognise(text)
    if known is not None:
        return _by_error(session, known)
    for word in sorted(set(_WORD.findall(normalised(text))), key=len, reverse=True):
        mentioned = _by_id(session, word.strip(".,:"))
        if mentioned is not None:
            return _target(session, mentioned, f"An unknown text, but it names the id {word}.")
    return Target(
        None, None, None, "No id, place or error text that toolpair knows; line:N, record:N and pair:N work too."
    )


def _by_id(session: Session, id_: str) -> Pair | None:
    broken = None
    for pair in session.pairs:
        ids = [block.id for block in (pair.call, *pair.results) if block is not None]
        if id_ in ids:
            if session.problem_of_pair(pair.index) is not None:
                return pair
            broken = broken or pair
    return broken


def _target(session: Session, pair: Pair, text: str) -> Target:
    problem = session.problem_of_pair(pair.index)
    return Target(pair.index, pair.start[0], problem, text)


def _at_place(session: Session, kind: str, number: int) -> Target:
    document = session.document
    if kind == "pair":
        if number >= len(session.pairs):
            return Target(None, None, None, f"There is no pair {number:,}; the last is {len(session.pairs) - 1:,}.")
        return _target(session, session.pairs[number], f"Pair {number:,}.")
    if kind == "message":
        if number >= len(session.transcript.messages):
            last = len(session.transcript.messages) - 1
            return Target(None, None, None, f"There is no message {number:,}; the last is {last:,}.")
        return _near(session, {number}, f"Message {number:,}.")
    if kind == "record":
        records = document.records
        wanted = {records[number].uid} if number < len(records) else set()
    else:
        # The record that the line belongs to: a record of an array spans several lines.
        before = [record for record in document.records if record.line is not None and record.line <= number]
        wanted = {before[-1].uid} if before else set()
    messages = {
        index for index, message in enumerate(session.transcript.messages) if wanted.intersection(message.records)
    }
    if not messages:
        return Target(None, None, None, f"Nothing that the agent would send stands at {kind} {number:,}.")
    return _near(session, messages, f"{kind.capitalize()} {number:,}.", wanted)


def _near(session: Session, messages: Iterable[int], text: str, records: set[int] | None = None) -> Target:
    """The pair of a message (and of one of `records` where given), else the nearest behind it."""
    wanted = min(messages)
    best: Pair | None = None
    for pair in session.pairs:
        blocks = [block for block in (pair.call, *pair.results) if block is not None]
        if records is not None and any(block.record in records for block in blocks):
            return _target(session, pair, text)
        if records is None and any(place[0] == wanted for place in (pair.start, *pair.results_at)):
            return _target(session, pair, text)
        if best is None and pair.start[0] >= wanted:
            best = pair
    if best is None:
        return Target(None, wanted, None, text)
    return Target(best.index, wanted, session.problem_of_pair(best.index), text)


def _by_error(session: Session, known: Recognised) -> Target:
    """Ids first, then the index (which may name the message behind the call), then the first problem of its rules."""
    error = known.error
    said = f"{error.id}: {error.meaning}."
    for id_ in known.ids:
        pair = _by_id(session, id_)
        if pair is not None:
            found = _target(session, pair, said)
            return Target(found.pair, found.message, found.problem or _of_rules(session, error.rules), said, known)
    candidates = [problem for problem in session.problems if problem.rule in error.rules]
    if error.provider == "openai-responses":
        item = _of_item(session, known, candidates)
        if item is not None:
            return Target(item.pair, item.message, item, said, known)
    elif known.message is not None:
        near = [
            problem
            for problem in candidates or session.problems
            if problem.message in (known.message, known.message - 1)
        ]
        exact = [problem for problem in near if problem.message == known.message and problem.block == known.block]
        chosen = next(iter(exact or near), None)
        if chosen is not None:
            return Target(chosen.pair, chosen.message, chosen, said, known)
    problem = _of_rules(session, error.rules) or session.first_problem()
    if problem is not None:
        return Target(problem.pair, problem.message, problem, said, known)
    return Target(None, known.message, None, f"{said} Nothing in this conversation raises it now.", known)


def _of_item(session: Session, known: Recognised, problems: list[Problem]) -> Problem | None:
    """The problem of the item that an API of items names: by the item's own id, else by its place in the request."""
    for problem in problems:
        if any(isinstance(block.value, dict) and block.value.get("id") in known.ids for block in _blocks(problem)):
            return problem
    if known.message is None:
        return None
    seen = session.conversation.judged.seen
    parts = [part.block for message in seen.messages for part in message.parts] if seen is not None else None
    sent = parts or [block for message in session.transcript.messages for block in message.blocks]
    # An agent puts its instructions in front, which are no part of the file.
    for place in (known.message - 1, known.message) if parts else (known.message,):
        wanted = sent[place] if 0 <= place < len(sent) else None
        for problem in problems:
            if wanted is not None and any(block is wanted for block in _blocks(problem)):
                return problem
    return None


def _blocks(problem: Problem) -> Iterable[Block]:
    return (block for block in (problem.call, problem.result, *problem.others) if block is not None)


def _of_rules(session: Session, rules: tuple[str, ...]) -> Problem | None:
    return next((problem for problem in session.problems if problem.rule in rules), None)
