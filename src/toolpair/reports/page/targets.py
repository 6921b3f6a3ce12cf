"""What problems need of a conversation that is written: where its parts stand, and what was read on the way."""

from __future__ import annotations

from array import array
from bisect import bisect_right
from typing import Final

from toolpair.history.verdict_text import with_last_call
from toolpair.reports.page.conversation_parts import ConversationParts
from toolpair.reports.page.parts import Across, Begin, Link, PairPart, Part, Turn
from toolpair.reports.reading.problem_words import api_text
from toolpair.rules.problem import Problem


class Targets:
    """Filled part by part, in order."""

    def __init__(self, source: ConversationParts) -> None:
        self._prefix: Final = source.prefix
        self._source: Final = source
        self._pages: list[int] = []
        self._first_pairs: list[int] = []
        """For each page with pairs its number and its first pair."""
        self._turns = array("q")
        self._turn_pages = array("q")
        self._lines: dict[str, int] = {}
        self.begin: Link | None = None

    def add(self, part: Part, page: int) -> None:
        """A part was written on this page."""
        match part:
            case Begin():
                self.begin = Link(part.anchor, part.title, page)
            case PairPart() if not self._pages or self._pages[-1] != page:
                self._pages.append(page)
                self._first_pairs.append(part.number)
            case Turn():
                self._turns.append(part.number)
                self._turn_pages.append(page)
            case Across() if part.problems:
                self._lines[part.anchor] = page

    def about(self, problem: Problem) -> str:
        """The call that a problem is about, in one line."""
        return self._source.abouts.get(problem.pair, "") if problem.pair is not None else ""

    def says(self, problem: Problem) -> str | None:
        """What the API would say to it."""
        known = self._source.answers
        return known[id(problem)] if id(problem) in known else api_text(problem)

    def sentence(self) -> str:
        """The verdict, in which the last call is named with its input."""
        conversation = self._source.conversation
        problems = self._source.last_calls or conversation.problems
        return with_last_call(conversation.verdict, problems, conversation.head)

    def of(self, problem: Problem) -> Link | None:
        """Where to see what a problem is about."""
        pair = problem.pair if problem.pair is not None else next(iter(problem.pairs), None)
        if pair is not None and pair in self._source.abouts:
            page = self._pages[max(bisect_right(self._first_pairs, pair) - 1, 0)]
            return Link(f"{self._prefix}pair-{pair}", f"pair {pair:,}", page)
        anchor = self._source.anchors.get(problem.record) if problem.record is not None else None
        if anchor is not None and anchor in self._lines:
            return Link(anchor, "where it stands", self._lines[anchor])
        if problem.message is not None and self._turns:
            at = max(bisect_right(self._turns, problem.message) - 1, 0)
            number = self._turns[at]
            return Link(f"{self._prefix}message-{number}", f"messages.{number}", self._turn_pages[at])
        return None
