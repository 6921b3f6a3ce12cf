"""What stands before the conversations: the verdict on each, its problems by cause, and where they lead."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from toolpair.history.conversation import lines_text
from toolpair.history.summary import CauseGroup
from toolpair.reports.page.conversation_parts import ConversationParts, Mentions, Named
from toolpair.reports.page.parts import FixPart, Front, Link, Opening, ProblemGroup, ProblemPart
from toolpair.reports.reading.problem_words import (
    cause_text,
    known_text,
    loss_text,
    no_fix_text,
    severity_name,
)
from toolpair.rules.problem import Problem
from toolpair.shell.machine import home_short
from toolpair.text.short import size_text
from toolpair.transcript.counting import plural

if TYPE_CHECKING:
    from toolpair.history.conversation import Conversation
    from toolpair.session.session import Session

_SEVERITIES: Final = ("error", "warning", "info")
_IMPACTS: Final = {"loses": "loses content", "harmless": "nothing breaks"}
_STOPS: Final = {True: "stops the session", False: "the API refuses it"}


class ProblemIndex:
    """The verdict and the problems of one conversation, as parts at places, with the page that each stands on.

    `first` is the number of parts that stand before this conversation's, `per_page` how many a page has.
    """

    def __init__(self, session: Session, conversation: Conversation, first: int, per_page: int) -> None:
        self.session: Final = session
        self.conversation: Final = conversation
        self.several: Final = len(session.conversations) > 1
        self.prefix: Final = f"c{conversation.number}-" if self.several else ""
        self.first: Final = first
        self._per_page = per_page
        self._entries: list[CauseGroup | Problem | None] = [None]
        """What stands at each place from `first` on: the verdict, then each group with its problems."""
        self._places: dict[int, int] = {}
        for group in conversation.groups:
            self._entries.append(group)
            for problem in group.problems:
                self._places[id(problem)] = first + len(self._entries)
                self._entries.append(problem)
        self._numbers: dict[int, tuple[str, int, int]] = {}
        """What a problem is called, its number and their count, as in the interface."""
        for severity in _SEVERITIES:
            found = [problem for problem in conversation.problems if problem.severity == severity]
            for number, problem in enumerate(found, 1):
                self._numbers[id(problem)] = severity_name(problem), number, len(found)
        self.mentions: Final = self._mentions()

    @property
    def end(self) -> int:
        """The place after the last one."""
        return self.first + len(self._entries)

    @property
    def counts(self) -> tuple[int, int, int]:
        """Problems, warnings, notes."""
        verdict = self.conversation.verdict
        return verdict.errors, verdict.warnings, verdict.infos

    @property
    def title(self) -> str:
        """What the conversation is called; empty if it is the only one."""
        if not self.several:
            return ""
        label = f": {self.conversation.label}" if self.conversation.label else ""
        return f"Conversation {self.conversation.number:,} of {len(self.session.conversations):,}{label}"

    def part(self, place: int, written: ConversationParts) -> Front:
        """What stands at a place."""
        entry = self._entries[place - self.first]
        match entry:
            case None:
                return self._opening(written)
            case CauseGroup():
                return ProblemGroup(_capital(entry.title), len(entry.problems), entry.problems[0].severity == "info")
            case Problem():
                return self._part(entry, written)

    def _link(self, problem: Problem) -> Link:
        name, number, _ = self._numbers[id(problem)]
        page = self._places[id(problem)] // self._per_page + 1
        return Link(f"{self.prefix}{name.lower()}-{number}", f"{name} {number:,}", page)

    def _mentions(self) -> Mentions:
        by_pair: dict[int, list[Named]] = {}
        by_message: dict[int, list[Named]] = {}
        by_record: dict[int, list[Named]] = {}
        for problem in sorted(self.conversation.problems, key=lambda one: _SEVERITIES.index(one.severity)):
            named = Named(problem, self._link(problem))
            pairs = dict.fromkeys((*([problem.pair] if problem.pair is not None else ()), *problem.pairs))
            for pair in pairs:
                by_pair.setdefault(pair, []).append(named)
            if not pairs and problem.record is not None:
                by_record.setdefault(problem.record, []).append(named)
            if not pairs and problem.message is not None:
                by_message.setdefault(problem.message, []).append(named)
        return Mentions(by_pair, by_message, by_record)

    def _opening(self, written: ConversationParts) -> Opening:
        session, conversation = self.session, self.conversation
        verdict = conversation.verdict
        return Opening(
            title=self.title,
            badge=verdict.badge,
            outlook=verdict.outlook,
            sentence=written.sentence(),
            facts=tuple(_facts(session, conversation)),
            counts=self.counts,
            anchor=f"{self.prefix}verdict",
            conversation=written.begin if self.several else None,
        )

    def _part(self, problem: Problem, written: ConversationParts) -> ProblemPart:
        name, number, count = self._numbers[id(problem)]
        place = self.session.location(problem, self.conversation)
        where = [lines_text(place)] if place.line is not None else []
        if place.message is not None:
            where.append(f"messages.{place.message}")
        stops = _STOPS[self.conversation.head.native]
        best = problem.recommended
        fixes = sorted(problem.fixes, key=lambda fix: fix is not best)
        return ProblemPart(
            anchor=self._link(problem).anchor,
            title=f"{name} {number:,} of {count:,}",
            severity=problem.severity,
            impact=_IMPACTS.get(problem.impact, stops),
            text=problem.text,
            rule=problem.rule,
            where=" · ".join(where),
            about=written.about(problem),
            ids=tuple(_ids(problem)),
            lines=tuple(_lines(problem, written.says(problem))),
            fixes=tuple(FixPart(_capital(fix.title), loss_text(fix), fix is best, fix.note) for fix in fixes),
            no_fix=_capital(no_fix_text(problem)) if best is None and (problem.no_fix or not fixes) else None,
            target=written.link_to(problem),
        )


def _capital(words: str) -> str:
    return words[:1].upper() + words[1:]


def _ids(problem: Problem) -> Iterator[tuple[str, object]]:
    call, result = problem.call, problem.result
    if call is not None:
        yield "call", call.id
    if result is not None and (call is None or result.id != call.id):
        yield "result", result.id


def _lines(problem: Problem, says: str | None) -> Iterator[tuple[str, str]]:
    if problem.on_resume is not None:
        version = f" ({problem.on_resume.agent} {problem.on_resume.version})" if problem.on_resume.version else ""
        yield "On resume", f"{problem.on_resume.text}{version}"
    if says:
        yield "The API would say", says
    if problem.cause is not None:
        yield "Cause", _capital(cause_text(problem.cause))
        known = known_text(problem.cause)
        if known:
            yield "Seen in", known.removeprefix("Seen in: ")


def _facts(session: Session, conversation: Conversation) -> Iterator[tuple[str, str]]:
    head = conversation.head
    agent = f"{head.agent} {head.agent_version or ''}".strip() if head.native and head.agent else ""
    yield "Format", agent or session.format.title
    if head.session_id:
        yield "Session", head.session_id
    if head.folder:
        yield "Folder", home_short(head.folder, os.path.expanduser("~"))
    if head.model:
        yield "Model", head.model
    counts = conversation.counts
    yield "Content", ", ".join((plural(counts.messages, "message"), plural(counts.calls, "tool call")))
    if counts.inactive:
        others = "other branches, sub-agents, what a summary replaced"
        yield "Not shown", f"{plural(counts.inactive, 'record')} that would not be sent: {others}"
    yield "Size", size_text(session.file.size)
    if conversation.format.time_of is not None:
        yield "Times", "in UTC"
    yield "Checked against", f"{session.profile.name}, {session.profile.judged} rules"
    changed = sum(staged.problems for staged in session.staged)
    if changed:
        yield "Applied, not saved", plural(changed, "fix", "fixes")
