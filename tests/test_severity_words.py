"""What is said to be refused is an error, and what is not an error is not said to be refused."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.agents import codex_planted, planted
from tests.rounds import some
from toolpair.rules.pages import pages
from toolpair.rules.problem import Problem
from toolpair.rules.profiles import PROFILES, Cell, profile, profile_names
from toolpair.session.session import Session, SessionError, open_session

_SAMPLES = Path(__file__).resolve().parent.parent / "sample_sessions"

_REFUSED = re.compile(
    r"(?<!may )(?<!could )\b(?:the API|API|request|session|this provider|{title}) "
    r"(?:refuses|rejects|is refused|is rejected|does not accept)"
)


def claims(session: Session) -> Iterator[tuple[Problem, str]]:
    """The sentences of problems that are no errors and yet say that the request is refused."""
    refused = re.compile(_REFUSED.pattern.replace("{title}", re.escape(session.profile.title)))
    for problem in session.problems:
        if problem.severity == "error":
            continue
        cause = problem.cause.text if problem.cause is not None else ""
        resumed = problem.on_resume.text if problem.on_resume is not None else ""
        for said in (problem.text, cause, resumed, problem.api_says or ""):
            if refused.search(said):
                yield problem, said
        if problem.impact == "stops":
            yield problem, problem.impact


@pytest.mark.parametrize("name", some(profile_names(), 16))
def test_a_warning_or_a_note_never_says_that_the_api_refuses_it(name: str) -> None:
    for page in pages().values():
        example = page.example
        if example is None or example.path is not None:
            continue
        kind = "session.json" if example.data.lstrip()[:1] == b"[" else "session.jsonl"
        session = open_session(kind, data=example.data, format=example.format, profile=name)
        assert [(problem.rule, said) for problem, said in claims(session)] == []


def test_nor_does_a_broken_session_of_an_agent() -> None:
    made = {**planted.corpus(), **{name: found.data for name, found in codex_planted.corpus().items()}}
    for name, data in made.items():
        session = open_session("session.jsonl", data=data)
        assert [(name, problem.rule, said) for problem, said in claims(session)] == []


def test_nor_does_a_sample() -> None:
    for path in sorted(_SAMPLES.iterdir()):
        if path.suffix in (".json", ".jsonl"):
            try:
                session = open_session(path)
            except SessionError:
                continue
            assert [(path.name, problem.rule, said) for problem, said in claims(session)] == []


def _cells() -> Iterator[tuple[str, str, Cell]]:
    for name in PROFILES:
        for rule, cell in profile(name).cells.items():
            yield name, rule, cell


def test_an_error_has_evidence_and_a_lighter_severity_claims_no_refusal() -> None:
    for name, rule, cell in _cells():
        assert cell.severity != "error" or cell.evidence not in ("claimed", "unknown"), (name, rule)
        if cell.severity in ("info", None) and cell.note:
            plain = re.search(r"(?:^|: )(?:the API )?refuse[sd]?\b", cell.note)
            assert plain is None, (name, rule, cell.note)
