"""`explain` with a text that is not known: it says so, shows what stands inside a wrapper, and claims nothing."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.cli.conftest import Run
from tests.error_samples import SAMPLES
from tests.rounds import some
from tests.terminal import Terminal, program
from tests.test_other_errors import OTHERS, in_litellm


def test_the_command_says_that_none_is_known(run: Run) -> None:
    for text in some(OTHERS, 60):
        ran = run("explain", text)
        assert ran.code == 1 and ("unknown" in ran.err or "There is no rule" in ran.err), text
        assert "What to do" not in ran.out, text
        assert not ran.out or ran.out.startswith(("The nearest known one", "What ", "It names the place ")), text


def test_a_wrapper_without_an_answer_in_it_is_explained_as_that(run: Run) -> None:
    ran = run("explain", SAMPLES["ORT01"].text)
    assert ran.code == 0 and "OpenRouter (Anthropic)" in ran.out and "its answer is not in the text" in ran.out


def test_what_an_unknown_answer_says_is_shown_without_its_wrapper(run: Run) -> None:
    said = "'messages.3' : for 'role:assistant' the following must be satisfied[('messages.3.content' : must be frobnicated)]"
    ran = run("explain", in_litellm(said))
    assert ran.code == 1 and f"What LiteLLM (Groq) passed on: {said}\n" in ran.out
    listed = run("explain", in_litellm(said), "--output-format", "json")
    assert listed.code == 1 and listed.json["says"] == said and listed.json["error"] is None
    assert not listed.json["known"] and listed.json["rules"] == []


def test_a_text_that_reads_like_a_known_one_is_said_to_be_unknown(run: Run) -> None:
    said = "messages[7]: duplicate tool result"
    begins = "These words are not known; they read like: Two tool messages answer one call.\n"
    ran = run("explain", said)
    assert ran.code == 1 and ran.out.startswith(begins) and "result.duplicate" in ran.out and "http" not in ran.out
    assert not any(name in ran.out for name in ("OpenAI", "Chat server", "nearest"))
    listed = run("explain", said, "--output-format", "json")
    assert listed.code == 1 and not listed.json["known"] and listed.json["nearest"] == []
    error = listed.json["error"]
    assert error["read_like"] and (error["provider"], error["title"], error["profile"]) == (None, None, None)
    ran = run("explain", in_litellm(said))
    assert ran.out.startswith(f"{begins}  They came through LiteLLM (Groq).\n")
    assert run("explain", in_litellm(said), "--output-format", "json").json["error"]["provider"] == "groq"
    assert not run("explain", SAMPLES["ANT01"].text, "--output-format", "json").json["error"]["read_like"]


ERROR = SAMPLES["ANT01"].text


@pytest.mark.parametrize("name", ["none.json", "words.txt", "folder"])
@pytest.mark.parametrize(
    ("thing", "said"),
    [
        (ERROR, "A tool call has no result among the first blocks"),
        ("result.missing", "A call without a result"),
        ("provider_switch", "Each provider makes ids in its own form"),
    ],
)
def test_the_text_is_explained_though_the_file_cannot_be_read(
    run: Run, tmp_path: Path, name: str, thing: str, said: str
) -> None:
    (tmp_path / "words.txt").write_text("not a session")
    (tmp_path / "folder").mkdir()
    ran = run("explain", thing, tmp_path / name)
    assert ran.code == 2 and said in ran.out
    assert len(ran.err.splitlines()) == 1 and name in ran.err and name not in ran.out
    listed = run("explain", thing, tmp_path / name, "--output-format", "json")
    assert listed.code == 2 and name in listed.json["unreadable"] and listed.json["places"] == []


def test_an_unknown_text_and_an_unreadable_file_are_both_said(run: Run, tmp_path: Path) -> None:
    ran = run("explain", "the dog ate my homework", tmp_path / "none.json")
    assert ran.code == 2 and "unknown" in ran.err and "none.json" in ran.err and not ran.out


def test_on_a_terminal_it_says_how_a_text_is_pasted() -> None:
    terminal = Terminal([*program(), "explain", "-"], environment={**os.environ, "PAGER": "cat"})
    terminal.read(until=b"press enter and ctrl+d")
    terminal.press("API Error: 400 due to tool use concurrency issues.\n\x04")
    assert terminal.close() == 0 and "What to do" in terminal.text()
