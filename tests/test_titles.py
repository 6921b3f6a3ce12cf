"""Titles speak as users do: of lines and outputs, never in the words of a format or of a catalogue."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tests.agents import codex_planted, planted
from toolpair.rules.errors.texts import texts
from toolpair.session.session import Session, open_session

OF_THE_FORMAT = re.compile(r"\b(orphan\w*|synthetic|records?|parentUuid)\b", re.IGNORECASE)
IN_A_TITLE = "two records glued"
"""How a line is described that holds more than it should."""


def broken_sessions() -> Iterator[Session]:
    for data in planted.corpus().values():
        yield open_session("planted.jsonl", data=data)
    for plant in codex_planted.DEFECTS.values():
        yield open_session("planted.jsonl", data=plant(True).data)


def test_titles_of_problems_and_fixes_are_in_the_users_words() -> None:
    problems = [problem for session in broken_sessions() for problem in session.problems]
    titles = {problem.text for problem in problems} | {fix.title for problem in problems for fix in problem.fixes}
    assert len(titles) > 40
    wrong = sorted(title for title in titles if OF_THE_FORMAT.search(title.replace(IN_A_TITLE, "")))
    assert not wrong


def test_what_an_error_text_means_is_said_without_numbers_of_a_catalogue() -> None:
    assert not [error.meaning for error in texts() if re.search(r"\b[A-Z]{3}\d\d", error.meaning)]
