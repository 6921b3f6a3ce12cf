"""`explain` with an error text: who says it, what it means, what to do, and where it points."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Run

FILE = "interrupted-call.json"
ID = "toolu_01Stop0Run"
ERROR = (
    f"messages.4: `tool_use` ids were found without `tool_result` blocks immediately after: {ID}. Each `tool_use` block "
    "must have a corresponding `tool_result` block in the next message."
)


def test_the_answer_names_provider_meaning_remedy_and_rules(run: Run) -> None:
    ran = run("explain", ERROR)
    assert ran.code == 0
    assert "Anthropic" in ran.out and "What to do: " in ran.out and "result.missing" in ran.out


def test_with_a_file_it_says_where_how_and_how_to_open_it(run: Run, samples: Path) -> None:
    ran = run("explain", ERROR, samples / FILE)
    assert ran.code == 0
    assert f"{FILE}:40:7: error result.missing" in ran.out
    assert "Found by the id." in ran.out and 'fix: write "no result was recorded" (loses nothing)' in ran.out
    assert f"toolpair {samples / FILE} --at pair:1" in ran.out


def test_json_has_the_place_the_way_and_the_fix(run: Run, samples: Path) -> None:
    ran = run("explain", ERROR.replace(ID, "toolu_unheard"), samples / FILE, "--output-format", "json")
    assert ran.code == 0
    assert ran.json["known"] and ran.json["error"]["provider"] == "anthropic"
    assert ran.json["error"]["names"] == {"ids": ["toolu_unheard"], "message": 4, "block": None, "tool": None}
    assert next(entry["rule"] for entry in ran.json["rules"]) == "result.missing"
    (place,) = ran.json["places"]
    assert place["how"] == "by the index: message 4, the call is in 3"
    assert place["location"]["line"] == 40 and place["location"]["message"] == 3 and place["location"]["pair"] == 1
    assert place["problem"]["call_id"] == ID
    assert place["fix"]["id"] == "insert-placeholder" and place["fix"]["recommended"]


def test_what_came_through_a_proxy_is_unwrapped(run: Run) -> None:
    raw = json.dumps({"type": "error", "error": {"message": ERROR}})
    body = {"error": {"message": "Provider returned error", "metadata": {"raw": raw, "provider_name": "Anthropic"}}}
    ran = run("explain", "-", stdin=json.dumps(body).encode())
    assert ran.code == 0
    assert ran.out.startswith("Anthropic") and "through OpenRouter (Anthropic)" in ran.out


def test_another_providers_error_is_judged_by_its_rules_and_opened_so(run: Run, samples: Path) -> None:
    ran = run("explain", f"Tool call id was {ID} but must be a-z, A-Z, 0-9, with a length of 9.", samples / FILE)
    assert ran.code == 0
    assert "error id.pattern" in ran.out and "--at pair:1 --profile mistral" in ran.out
    assert "checked against anthropic" in ran.err


def test_an_error_that_nothing_raises(run: Run, samples: Path) -> None:
    ran = run("explain", ERROR, samples / "valid.json")
    assert ran.code == 0
    assert f"The id {ID} is not in this file." in ran.out and "already have been fixed" in ran.out
    assert ran.out.count("A tool call has no result among the first blocks") == 1, "what it means is said once"


def test_an_unknown_text_without_a_place_leads_to_check(run: Run, samples: Path) -> None:
    ran = run("explain", "the dog ate my homework", samples / FILE)
    assert ran.code == 1 and not ran.out.startswith("\n")
    assert f"toolpair check {samples / FILE}" in ran.out


def test_an_unknown_text_shows_the_nearest_and_finds_its_id(run: Run, samples: Path) -> None:
    unknown = f"messages.4: some `tool_use` ids look odd beside `tool_result` blocks in the next message: {ID}"
    ran = run("explain", unknown, samples / FILE)
    assert ran.code == 1
    assert "unknown" in ran.err and "The nearest known ones, none of which match:" in ran.out
    assert f"names the id {ID}" in ran.out and "error result.missing" in ran.out
    listed = run("explain", unknown, samples / FILE, "--output-format", "json")
    assert listed.code == 1 and not listed.json["known"] and 0 < len(listed.json["nearest"]) <= 3
    assert listed.json["places"][0]["problem"]["call_id"] == ID


def test_an_id_alone_is_a_place(run: Run, samples: Path) -> None:
    ran = run("explain", ID, samples / FILE)
    assert ran.code == 0 and "error result.missing" in ran.out


def test_a_branch_that_is_not_sent_is_told_with_its_line(run: Run, samples: Path) -> None:
    ran = run(
        "explain", "no such answer about toolu_01Shop00000000000000000002", samples / "claude-code-branches.jsonl"
    )
    assert ran.code == 1
    assert ", on a branch that is not sent." in ran.out


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"", "Standard input is empty"),
        (b"  \n\n", "Standard input is empty"),
        (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\xff\xfe\xfd", "is not text"),
        (b"\xff\xd8\xff\xe0" * 40, "is not text"),
    ],
)
def test_standard_input_that_holds_no_text(run: Run, data: bytes, words: str) -> None:
    ran = run("explain", "-", stdin=data)
    assert ran.code == 2
    assert words in ran.err and len(ran.err.splitlines()) == 1 and not ran.out


def test_a_clipboard_in_two_bytes_a_character(run: Run) -> None:
    ran = run("explain", "-", stdin=ERROR.encode("utf-16"))
    assert ran.code == 0 and "result.missing" in ran.out


def test_a_long_log_is_looked_at_from_its_end(run: Run) -> None:
    ran = run("explain", "-", stdin=b"2026-11-21 INFO all is well\n" * 100_000 + ERROR.encode())
    assert ran.code == 0 and "result.missing" in ran.out and "only the last" in ran.err


def test_nothing_of_a_pasted_text_reaches_the_terminal_as_a_control_sequence(run: Run, samples: Path) -> None:
    hostile = ERROR.replace(ID, "toolu_\x1b]0;owned\x07\u202eabc")
    for output in ("text", "json"):
        ran = run("explain", hostile, samples / FILE, "--output-format", output)
        assert "\x1b" not in ran.out + ran.err and "\u202e" not in ran.out + ran.err
