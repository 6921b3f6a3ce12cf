"""`explain`, `formats`, `profiles`, `rules`, `--help`, `--version`."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.conftest import Run
from toolpair import __version__
from toolpair.cli.main import COMMANDS

ERROR = (
    "API Error: 400 messages.4: `tool_use` ids were found without `tool_result` blocks immediately after: "
    "toolu_01Stop0Run. Each `tool_use` block must have a corresponding `tool_result` block in the next message."
)


def test_explain_a_rule(run: Run) -> None:
    ran = run("explain", "result.missing")
    assert ran.code == 0
    assert "A call without a result" in ran.out
    assert "anthropic" in ran.out


def test_explain_an_error_text(run: Run) -> None:
    ran = run("explain", ERROR)
    assert ran.code == 0
    assert "result.missing" in ran.out


def test_explain_survives_wrapping(run: Run) -> None:
    wrapped = ERROR.replace(" ", "\n      ", 9)
    assert run("explain", wrapped).code == 0
    in_json = (
        ERROR.replace("`", "\\u0060").replace("\\u0060", "`").replace("messages.4", '{\\"message\\": \\"messages.4')
    )
    assert run("explain", in_json).code == 0


def test_explain_points_into_the_file(run: Run, samples: Path) -> None:
    ran = run("explain", ERROR, samples / "interrupted-call.json", "--output-format", "json")
    assert ran.code == 0
    (place,) = ran.json["places"]
    assert place["problem"]["call_id"] == "toolu_01Stop0Run"


def test_explain_from_standard_input(run: Run) -> None:
    assert run("explain", "-", stdin=ERROR.encode()).code == 0


def test_an_unknown_text_ends_with_1(run: Run) -> None:
    ran = run("explain", "the dog ate my homework")
    assert ran.code == 1
    assert "unknown" in ran.err


def test_explain_with_an_unreadable_file_ends_with_2(run: Run, tmp_path: Path) -> None:
    assert run("explain", ERROR, tmp_path / "none.json").code == 2


@pytest.mark.parametrize("command", ["formats", "profiles", "rules"])
def test_listings(run: Run, command: str) -> None:
    assert run(command).code == 0
    listed = run(command, "--output-format", "json")
    assert listed.code == 0
    assert listed.json[command]


def test_rules_of_a_family_and_of_one_profile(run: Run) -> None:
    listed = run("rules", "result", "--output-format", "json").json["rules"]
    assert {entry["rule"].split(".")[0] for entry in listed} == {"result"}
    assert run("rules", "nothing.such").code == 2
    assert run("rules", "--profile", "nobody").code == 2


@pytest.mark.parametrize("command", [None, *COMMANDS])
def test_help(run: Run, command: str | None) -> None:
    ran = run(*([command] if command else []), "--help")
    assert ran.code == 0
    assert "toolpair" in ran.out


def test_version(run: Run) -> None:
    assert run("--version").out == f"toolpair {__version__}\n"


def test_no_file_says_what_to_do(run: Run) -> None:
    ran = run()
    assert ran.code == 2
    assert "--help" in ran.err


def test_the_interface_needs_a_terminal(run: Run, samples: Path) -> None:
    ran = run(samples / "valid.json")
    assert ran.code == 2
    assert "terminal" in ran.err
