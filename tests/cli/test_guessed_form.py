"""A file in no known form, opened in the interface by a form that was drafted from it: after a question, only shown."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import Run
from tests.terminal import Terminal, program
from toolpair.cli.form import values_in
from toolpair.formats.forms.drafted import draft
from toolpair.formats.forms.registry import guessed
from toolpair.recipes import RECIPES
from toolpair.session.session import Refused, Session, open_session

pytest.importorskip("toolpair.tui.app")

QUESTION = b"This form is not known. 12 calls and 11 results were recognised by their shape: look at them? [y/N]"
WHY = b"This form is a guess: nothing is checked, fixed or saved."


@pytest.fixture
def log(tmp_path: Path) -> Path:
    """The log of an agent of one's own: twelve calls, and one of them has no result."""
    events: list[dict[str, Any]] = []
    for n in range(12):
        events.append({"event": "turn", "who": "customer", "say": f"Where is order {n}?"})
        events.append({"event": "tool.start", "run": f"r-{n}", "tool": "find_order", "with": {"order": n}})
        if n != 5:
            events.append({"event": "tool.end", "run": f"r-{n}", "ok": True, "got": "it is on its way"})
        events.append({"event": "turn", "who": "bot", "say": "On its way."})
    path = tmp_path / "log.jsonl"
    path.write_text("".join(json.dumps(event) + "\n" for event in events))
    return path


def asked(path: Path) -> Terminal:
    terminal = Terminal([*program(), str(path)], columns=120)
    assert QUESTION in terminal.read(until=QUESTION)
    return terminal


def test_it_is_shown_as_a_guess_and_its_keys_say_why_they_do_nothing(log: Path) -> None:
    original = log.read_bytes()
    terminal = asked(log)
    terminal.press("y\r")
    shown = terminal.read(until=b"no result anywhere") + terminal.read(0.5)
    assert b"a guess: its form was drafted" in shown and b"A GUESS" in shown
    terminal.press("j")  # a call and its result
    assert "· a guess".encode() in terminal.read(until=b"a guess \xc2\xb7 messages.")
    for key in "Awf] P!pm":
        terminal.press(key)
        assert WHY in terminal.read(until=WHY), key
        terminal.press("\x1b")
        terminal.read(0.3)
    terminal.press("q")
    assert terminal.close() == 0
    assert b"form draft" in terminal.output[-500:]
    seen = terminal.output[terminal.output.index(QUESTION) :]
    assert not any(
        word in seen for word in (b"VALID", b"READY", b"PROBLEM", b"fix everything", b"no problem", b"sound")
    )
    assert log.read_bytes() == original and list(log.parent.iterdir()) == [log]


@pytest.mark.parametrize("answer", ["\r", "n\r", "\x04"])
def test_anything_but_yes_is_no(log: Path, answer: str) -> None:
    terminal = asked(log)
    terminal.press(answer)
    assert terminal.close() == 2
    said = b" ".join(terminal.output.split())
    assert b"has no conversation in it that toolpair understands" in said and b"form draft FILE" in said


def test_without_a_terminal_it_is_refused_and_nothing_is_asked(log: Path, run: Run) -> None:
    for words in ((), ("check",), ("fix", "--in-place")):
        ran = run(*words, log)
        assert ran.code == 2 and "form draft FILE" in ran.err and "look at them" not in ran.err, words


@pytest.mark.parametrize("text", ['{"a": 1}\n{"a": 2}\n', '[{"text": "no call is in it"}, {"text": "nor here"}]'])
def test_where_nothing_is_recognised_nothing_is_asked(tmp_path: Path, text: str) -> None:
    path = tmp_path / "other.json"
    path.write_text(text)
    terminal = Terminal([*program(), str(path)])
    assert terminal.close() == 2
    assert b"look at them" not in terminal.output


def test_a_format_that_was_asked_for_is_not_replaced_by_a_guess(log: Path) -> None:
    terminal = Terminal([*program(), "--format", "openai-chat", str(log)])
    assert terminal.close() == 2
    assert b"look at them" not in terminal.output


def opened(log: Path) -> Session:
    made = draft(*values_in(str(log)))
    assert made is not None
    return open_session(log, format=guessed(made.form.table))


def test_a_guess_has_no_verdict(log: Path) -> None:
    session = opened(log)
    verdict, counts = session.conversation.verdict, session.conversation.counts
    assert (verdict.badge, verdict.errors, session.problems) == ("A GUESS", 0, ())
    assert "12 calls and 11 results" in verdict.sentence
    assert (counts.calls, counts.results) == (12, 11)
    session.set_profile("anthropic")
    assert (session.conversation.verdict.badge, session.problems) == ("A GUESS", ())


@pytest.mark.parametrize("where", ["result.missing", "tool_use ids were found without tool_result blocks"])
def test_that_a_guess_has_no_such_problem_is_not_said(log: Path, where: str) -> None:
    session = opened(log)
    target = session.find(where)
    assert target is not None and target.text == WHY.decode() and not target.leads_somewhere
    place = session.find("r-5")
    assert place is not None and place.pair == 5


def test_nothing_changes_in_a_guess(log: Path) -> None:
    session = opened(log)
    assert session.stage_recommended() is None
    for recipe in RECIPES:
        session.stage_recipe(recipe)
    assert not session.changed and session.to_bytes() == log.read_bytes()
    with pytest.raises(Refused, match="its form is a guess"):
        session.save()
