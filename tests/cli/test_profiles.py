"""`toolpair profiles`, and `--profile` given once, wrongly, and several times."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from tests.cli.conftest import Run
from toolpair.cli import profiles as command
from toolpair.cli.terminal import TerminalStyle
from toolpair.rules.profiles import PROFILES, profile, profile_names

_ERROR = "\x1b[1;31m"


def test_the_list_names_every_profile_and_family(run: Run) -> None:
    ran = run("profiles")
    assert ran.code == 0
    for name in profile_names():
        assert name in ran.out, name
    assert max(map(len, ran.out.splitlines())) <= 80


def test_the_list_as_json(run: Run) -> None:
    listed = run("profiles", "--output-format", "json").json["profiles"]
    assert [one["id"] for one in listed] == list(PROFILES)
    mistral = next(one for one in listed if one["id"] == "mistral")
    assert [family["id"] for family in mistral["families"]] == ["v2", "v3", "v7", "v11", "v13"]
    assert mistral["families"][-1]["differs_in"]["id.length"] is None
    assert mistral["rules"] == profile("mistral").judged and mistral["not_judged"]


@pytest.mark.parametrize("name", profile_names())
def test_the_rules_of_one_fit_a_narrow_terminal(run: Run, name: str) -> None:
    ran = run("profiles", name)
    assert ran.code == 0 and ran.out.startswith(f"{name}: ")
    assert b"\x1b" not in ran.raw
    for line in ran.out.splitlines():
        assert len(line) <= 80 or "https://" in line, line
    for rule, cell in profile(name).cells.items():
        shown = re.search(rf"^{re.escape(rule)} +(\w+) +(\w+)$", ran.out, re.MULTILINE)
        if cell.severity is not None:
            assert shown and shown.groups() == (cell.severity, cell.evidence), rule
        else:
            assert shown is None or shown.group(1) == "accepted", rule


def test_severities_have_their_colours(capsys: pytest.CaptureFixture[str]) -> None:
    command._print_profile(profile("mistral"), TerminalStyle(on=True))
    shown = capsys.readouterr().out
    assert f"{_ERROR}error   \x1b[0m" in shown


def test_the_rules_of_one_as_json_and_markdown(run: Run) -> None:
    entry = run("profiles", "mistral/v13", "--output-format", "json").json["profile"]
    rules = {rule["rule"]: rule for rule in entry["rules"]}
    assert rules["id.empty"]["severity"] == "error" and rules["id.empty"]["link"].startswith("https://")
    assert rules["id.length"]["severity"] is None
    assert entry["ids"] == {"pattern": r"^(?!null$)[\s\S]+$", "shortest": 1, "longest": None}
    page = run("profiles", "azure-openai", "--output-format", "markdown").out
    rows = [line for line in page.splitlines() if line.startswith("| `")]
    assert all(len(re.findall(r"(?<!\\)\|", row)) == 5 for row in rows)
    assert any("| `id.length` | error | [observed](https://" in row for row in rows)
    families = run("profiles", "anthropic", "--output-format", "markdown").out
    row = (
        "| `anthropic/4.6` | Claude 4.6 to 5.0 | `turn.trailing_assistant` error, `reasoning.prefix_changed` accepted |"
    )
    assert row in families
    text = " ".join(run("profiles", "mistral").out.split())
    assert "mistral/v13: tokenizers v13 and later; ids: they match" in text


@pytest.mark.parametrize(
    "arguments",
    [
        ["profiles", "mistrl"],
        ["check", ".", "--profile", "mistrl"],
        ["check", "FILE", "--profile", "anthropic", "--profile", "mistrl"],
        ["fix", "FILE", "--diff", "--profile", "mistrl"],
        ["sees", "FILE", "--profile", "mistrl"],
        ["report", "FILE", "-o", "x.html", "--profile", "mistrl"],
        ["explain", "result.missing", "FILE", "--profile", "mistrl"],
        ["FILE", "--profile", "mistrl"],
    ],
)
def test_an_unknown_profile_is_told_with_the_nearest(run: Run, samples: Path, arguments: list[str]) -> None:
    ran = run(*(str(samples / "valid.json") if word == "FILE" else word for word in arguments))
    assert ran.code == 2 and ran.out == ""
    assert ran.err == "toolpair: There is no profile 'mistrl'; did you mean mistral?\n"


def test_an_unknown_family_is_told_with_those_there_are(run: Run, samples: Path) -> None:
    ran = run("check", samples / "valid.json", "--profile", "gemini/mini")
    assert ran.code == 2 and ran.err == "toolpair: The profile gemini has no family 'mini'; it has 2, 3.\n"


@pytest.mark.parametrize("name", ["sees", "explain", ""])
def test_commands_for_one_profile_say_so(run: Run, samples: Path, name: str) -> None:
    words = [name] if name else []
    words += ["result.missing"] if name == "explain" else []
    ran = run(*words, samples / "valid.json", "--profile", "anthropic", "--profile", "mistral")
    assert ran.code == 2 and ran.err == "toolpair: Only `check` and `fix` take more than one --profile.\n"


TWO = ("--profile", "anthropic", "--profile", "mistral/v11")


def test_check_by_several_tells_whose_rule_it_is(run: Run, samples: Path) -> None:
    file = samples / "compaction-cut.json"
    text = run("check", file, *TWO).out
    assert "error result.orphan (anthropic)" in text and "error id.pattern (mistral/v11)" in text
    assert "checked against anthropic)" in text and "checked against mistral/v11)" in text
    github = run("check", file, *TWO, "--output-format", "github").out
    assert "title=id.pattern (mistral/v11)::" in github
    report = run("check", file, *TWO, "--output-format", "json").json
    assert [entry["profile"] for entry in report["files"]] == ["anthropic", "mistral/v11"]
    errors = sum(one["severity"] == "error" for entry in report["files"] for one in entry["problems"])
    assert report["summary"]["files"] == 1 and report["summary"]["errors"] == errors
    lines = [json.loads(line) for line in run("check", file, *TWO, "--output-format", "jsonl").out.splitlines()]
    assert {line["profile"] for line in lines} == {"anthropic", "mistral/v11"}
    alone = run("check", file, "--profile", "anthropic").out
    assert "(anthropic)  " not in alone, "one profile needs no telling apart"
    again = run("check", file, "--profile", "anthropic", "--profile", "anthropic", "--output-format", "json").json
    assert len(again["files"]) == 1


def test_sarif_names_the_profile_and_links_the_evidence(run: Run, samples: Path) -> None:
    log = run("check", samples / "compaction-cut.json", *TWO, "--output-format", "sarif").json["runs"][0]
    rules = log["tool"]["driver"]["rules"]
    assert len({rule["id"] for rule in rules}) == len(rules)
    for result in log["results"]:
        assert rules[result["ruleIndex"]]["id"] == result["ruleId"]
    assert {result["properties"]["profile"] for result in log["results"]} == {"anthropic", "mistral/v11"}
    orphan = next(rule for rule in rules if rule["id"] == "result.orphan")
    assert orphan["helpUri"] == profile("anthropic").cells["result.orphan"].link


def test_check_says_which_family_the_model_belongs_to(run: Run) -> None:
    messages = [{"role": "user", "content": "Hi."}, {"role": "assistant", "content": [{"type": "text", "text": "Hi,"}]}]
    body = json.dumps({"model": "claude-sonnet-4-5", "messages": messages}).encode()
    entry = run("check", "-", "--profile", "anthropic", "--output-format", "json", stdin=body).json["files"][0]
    assert (entry["profile"], entry["family"]) == ("anthropic", "before-4.6")
    asked = run("check", "-", "--profile", "anthropic/4.6", "--output-format", "json", stdin=body)
    assert asked.code == 1 and "family" not in asked.json["files"][0]


ALL = [word for name in ("anthropic", "mistral", "moonshot", "gemini", "azure-openai") for word in ("--profile", name)]


@pytest.mark.parametrize("name", ["compaction-cut", "reused-ids", "openai-chat-missing", "parallel-swapped", "valid"])
def test_fix_for_several_is_valid_for_each(run: Run, samples: Path, tmp_path: Path, name: str) -> None:
    made = tmp_path / "made.json"
    ran = run("fix", samples / f"{name}.json", "-o", made, *ALL)
    assert ran.code == 0, ran.err
    assert "valid for anthropic, mistral, moonshot, gemini, azure-openai" in ran.err
    assert run("check", made, *ALL).code == 0
    again = run("fix", made, "--diff", *ALL)
    assert again.code == 0 and again.out == "", "a second run finds nothing to do"


def test_what_a_later_provider_wants_is_held_against_the_earlier_ones_again(run: Run, tmp_path: Path) -> None:
    """Mistral takes an id in two turns, Anthropic does not; the new id that it gets has to be one for Mistral."""
    call = {"id": "abcdefghi", "type": "function", "function": {"name": "look", "arguments": "{}"}}
    turn = [
        {"role": "user", "content": "go"},
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "abcdefghi", "content": "seen"},
        {"role": "assistant", "content": "well"},
    ]
    path, made = tmp_path / "reused.json", tmp_path / "made.json"
    path.write_text(json.dumps([*turn, *turn, turn[0]]))
    both = ("--profile", "mistral", "--profile", "anthropic")
    assert run("fix", path, "-o", made, *both).code == 0
    assert run("check", made, *both).code == 0


def test_fix_for_several_says_who_still_refuses(run: Run, samples: Path, tmp_path: Path) -> None:
    made = tmp_path / "made.json"
    ignoring = (*TWO, "--ignore", "id")
    ran = run("fix", samples / "compaction-cut.json", "-o", made, *ignoring)
    assert ran.code == 1
    assert "valid for anthropic\n" in ran.err and "still refused by mistral/v11\n" in ran.err
    assert "id.pattern (mistral/v11)" in ran.err
    report = run("fix", samples / "compaction-cut.json", "--diff", "--output-format", "json", *ignoring).json
    assert report["valid_for"] == ["anthropic"]
    assert {entry["profile"] for entry in report["left"]} == {"mistral/v11"}
    plain = run("fix", samples / "compaction-cut.json", "--diff", "--output-format", "json").json
    assert "valid_for" not in plain and not plain["left"]
