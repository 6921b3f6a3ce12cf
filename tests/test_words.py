"""What is said to a user, outside of the commands and the interface, is said in the words that toolpair has chosen."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from tests.each import each
from tests.source_code import Module
from tests.words import PACKAGE, ROOT, sentences_in, sentences_of, wrong_title_words, wrong_words
from toolpair.rules.pages import pages
from toolpair.rules.problem import Problem
from toolpair.session.session import open_session

DATA = PACKAGE / "rules/data"
SAID_IN_DATA = ("text", "about", "meaning", "remedy", "note", "title", "results", "not_judged")
ELSEWHERE = ("cli/", "tui/", "transcript/placeholders.py")
"""What tests of their own read, and other systems' words."""
WRITTEN_BY_HAND = [
    ROOT / "README.md",
    ROOT / "sample_sessions/README.md",
    *sorted((ROOT / "docs").glob("*.md")),
]


def test_the_sentences_in_the_code(modules: Sequence[Module]) -> None:
    said = dict(sentences_in(module for module in modules if not module.path.startswith(ELSEWHERE)))
    assert len(said) > 800
    assert not [f"{place}: {wrong}" for place, text in said.items() for wrong in wrong_words(text)]


@each("path", sorted(DATA.rglob("*.json")))
def test_the_sentences_in_the_data(path: Path) -> None:
    said = list(sentences_of(json.loads(path.read_text("utf-8")), SAID_IN_DATA))
    assert said and not [wrong for text in said for wrong in wrong_words(text)]


@pytest.mark.parametrize("path", WRITTEN_BY_HAND, ids=lambda path: path.name)
def test_the_documents(path: Path) -> None:
    assert not wrong_words(path.read_text("utf-8"))


def problems_of_all_rules(tmp_path: Path) -> Iterator[Problem]:
    """Of every page's example and every sample."""
    for number, page in enumerate(pages().values()):
        if page.example is not None:
            made, path = page.example, tmp_path / f"{number}.json"
            yield from open_session(
                path, data=made.data, format=made.format, profile=made.profile, agent_version=made.agent_version
            ).problems
    for path in (ROOT / "sample_sessions").glob("*.json*"):
        yield from open_session(path).problems


def test_what_problems_say(tmp_path: Path) -> None:
    found = list(problems_of_all_rules(tmp_path))
    titles = {problem.text for problem in found}
    assert len(titles) > 60
    assert not [wrong for title in sorted(titles) for wrong in wrong_title_words(title)]
    said = titles | {fix.title for problem in found for fix in problem.fixes}
    said |= {problem.on_resume.text for problem in found if problem.on_resume is not None}
    said |= {problem.cause.text for problem in found if problem.cause is not None}
    assert not [wrong for text in sorted(said) for wrong in wrong_words(text)]
    assert not [text for text in said if re.search(r"[a-z][.;:!][A-Z]|  | $|^ ", text)], "sentences run into each other"


@each(
    "said",
    [
        "mend all, then review", "12 records behind it", "take the item's id off", "2 fixes were put on and not saved",
        "Codex passes the line by", "Claude Code drops it. It does not tell.", "one at the end still waits",
        "Judged: anthropic", "All 2 calls have their result.", "a message of the user", "take it out", "is no JSON",
    ],
)  # fmt: skip
def test_words_that_are_never_said_are_found(said: str) -> None:
    assert wrong_words(said)


@each(
    "said", ["LiteLLM, and the provider behind it", "drops it without telling you", "Run `mend`.", "does not tell you"]
)
def test_other_words_are_not(said: str) -> None:
    assert not wrong_words(said)


def test_words_of_the_file_are_found_in_titles() -> None:
    assert wrong_title_words("This orphan has no call.") and wrong_title_words("A record is lost.")
    assert not wrong_title_words("Line 4 cannot be read (2 records glued), so Codex skips it.")
