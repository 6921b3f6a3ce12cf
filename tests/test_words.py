"""What is said to a user, outside of the commands and the interface, is said in the words that toolpair has chosen."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.words import PACKAGE, ROOT, sentences_in, sentences_of, wrong_title_words, wrong_words
from toolpair.rules.pages import page_of, pages
from toolpair.session import open_session

DATA = PACKAGE / "rules/data"
SAID_IN_DATA = ("text", "about", "meaning", "remedy", "note", "title", "results", "not_judged")
PLACEHOLDERS = PACKAGE / "transcript/placeholders.py"
"""Other systems' words."""
WRITTEN_BY_HAND = [
    ROOT / "README.md",
    ROOT / "sample_sessions/README.md",
    *sorted((ROOT / "docs").glob("*.md")),
]


def test_the_sentences_in_the_code() -> None:
    said = dict(sentences_in(PACKAGE, without=("cli", "tui", "transcript/placeholders.py")))
    assert len(said) > 800
    assert not [f"{place}: {wrong}" for place, text in said.items() for wrong in wrong_words(text)]


@pytest.mark.parametrize("path", sorted(DATA.rglob("*.json")), ids=lambda path: path.stem)
def test_the_sentences_in_the_data(path: Path) -> None:
    said = list(sentences_of(json.loads(path.read_text("utf-8")), SAID_IN_DATA))
    assert said and not [wrong for text in said for wrong in wrong_words(text)]


@pytest.mark.parametrize("path", WRITTEN_BY_HAND, ids=lambda path: path.name)
def test_the_documents(path: Path) -> None:
    assert not wrong_words(path.read_text("utf-8"))


def test_the_titles_of_problems(tmp_path: Path) -> None:
    """Of every page's example and every sample."""
    titles = set()
    for number, page in enumerate(map(page_of, pages())):
        if page is not None and page.example is not None:
            path = tmp_path / f"{number}.json"
            example = page.example
            session = open_session(
                path,
                data=example.data,
                format=example.format,
                profile=example.profile,
                agent_version=example.agent_version,
            )
            titles.update(problem.text for problem in session.problems)
    samples = (ROOT / "sample_sessions").glob("*.json*")
    titles.update(problem.text for path in samples for problem in open_session(path).problems)
    assert len(titles) > 60
    assert not [wrong for title in sorted(titles) for wrong in wrong_title_words(title)]


@pytest.mark.parametrize(
    "said",
    [
        "mend all, then review", "12 records behind it", "take the item's id off", "2 fixes were put on and not saved",
        "Codex passes the line by", "Claude Code drops it. It does not tell.", "one at the end still waits",
        "Judged: anthropic", "All 2 calls have their result.", "a message of the user", "take it out", "is no JSON",
    ],
)  # fmt: skip
def test_words_that_are_never_said_are_found(said: str) -> None:
    assert wrong_words(said)


@pytest.mark.parametrize(
    "said", ["LiteLLM, and the provider behind it", "drops it without telling you", "Run `mend`.", "does not tell you"]
)
def test_other_words_are_not(said: str) -> None:
    assert not wrong_words(said)


def test_words_of_the_file_are_found_in_titles() -> None:
    assert wrong_title_words("This orphan has no call.") and wrong_title_words("A record is lost.")
    assert not wrong_title_words("Line 4 cannot be read (2 records glued), so Codex skips it.")
