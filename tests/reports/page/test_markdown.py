"""What a session says stands in Markdown as code alone."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings

import toolpair
from tests.each import each
from tests.reports.page.conftest import Writing
from tests.reports.page.parsed import assert_markdown_only_of_the_template, assert_refers_to_nothing, tokens
from tests.reports.page.sessions import assistant, call, hostile, one_of_everything, result, text, user, written
from tests.reports.page.test_html import ODD, SAMPLES
from tests.rounds import some, tries
from toolpair.reports.page.markdown_text import code, fenced, inline
from toolpair.text.safe import visible


@pytest.mark.parametrize(
    "sample", some([path for path in SAMPLES if path.suffix not in (".py", ".md")], 10), ids=lambda p: p.stem
)
def test_every_sample(sample: Path, write: Writing) -> None:
    for path in write(sample, "report.md").paths:
        assert_markdown_only_of_the_template(path.read_text("utf-8"))


def test_hostile_content_stays_text(tmp_path: Path, write: Writing) -> None:
    (path,) = write(written(tmp_path, hostile()), "report.md").paths
    page = path.read_text("utf-8")
    assert_markdown_only_of_the_template(page)
    said = [token.content for token in tokens(page) if token.type == "fence"]
    assert any("# out of the fence\n@octocat fixes #1" in words for words in said)


@given(ODD, ODD)
@settings(max_examples=tries(60), deadline=None, suppress_health_check=list(HealthCheck))
def test_any_content_stays_text(tmp_path_factory: pytest.TempPathFactory, one: str, two: str) -> None:
    folder = tmp_path_factory.mktemp("odd")
    messages = [
        user(text(one)),
        assistant(text(two), call(one, two, command=one, **{two: one})),
        user(result(two, [text(one), text(two)])),
        user(text("x")),
    ]
    assert_markdown_only_of_the_template(toolpair.report(written(folder, messages), form="markdown"))


@given(ODD)
@example("(\u0301")
@example("a \u0301b")
@settings(max_examples=tries(300), deadline=None)
def test_words_of_a_sentence(words: str) -> None:
    page = f"Text: {inline(words)}\n"
    shown = ""
    for token in tokens(page):
        assert token.type in ("paragraph_open", "paragraph_close", "inline", "text", "code_inline"), token
        if token.type == "text":
            assert_refers_to_nothing(token.content)
        if token.type in ("text", "code_inline"):
            shown += token.content
    assert shown.removeprefix("Text:").split() == " ".join(visible(words).split()).split()


@each(
    "words",
    ["@octocat", "see #12", "GH-12 and ABC-3", "GH-1-2", "owner/name#1", "0123456789abcdef", "www.example.com", "a_b *c* ~~d~~",
     "![x](http://y)", "[x]: http://y", "<b>x</b>", "$x$", "- - -", "1. one", "> quote", "a | b", "x" * 400, "``` `` `"],
)  # fmt: skip
def test_whatever_github_would_read_is_code(words: str) -> None:
    for page in (f"Text: {inline(words)}\n", f"Text: {code(words)}\n", fenced(words), f"- {inline(words)}\n"):
        assert_markdown_only_of_the_template(f"Text\n\n{page}")


def test_plain_sentences_stay_plain() -> None:
    for words in (
        "This result has a different id from its call, Read.",
        "2 problems, 2 causes. All 1,212 outputs are still in the file.",
        "(Checked 43 Anthropic rules; signatures and size are not checked.)",
    ):
        assert inline(words) == words
    assert (
        inline("The call was written as `read_file:0`, not so.")
        == "The call was written as `` `read_file:0` ``, not so."
    )


def test_what_it_says(tmp_path: Path, write: Writing) -> None:
    (path,) = write(written(tmp_path, one_of_everything()), "report.md").paths
    page = path.read_text("utf-8")
    assert page.startswith("<!-- This file contains the content of a session")
    assert "**API REFUSES IT** 2 problems, 2 causes." in page
    assert "### Problem 1 of 2: error, the API refuses it" in page
    assert "call    functions_screenshot_5\nresult  functions.screenshot:5\n                 ^          ^\n" in page
    assert "```diff\n" in page and "+    net = sum(items)" in page
    assert "```sh\npytest -q\n```" in page
    assert "[>] Round at the end" in page
