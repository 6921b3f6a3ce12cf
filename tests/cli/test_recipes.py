"""`toolpair recipes`, and `fix --recipe`: what there is, what each does, and what it has really lost."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import Run
from toolpair.recipes import RECIPES

MESSAGES: list[dict[str, Any]] = [
    {"role": "user", "content": "Run the tests."},
    {"role": "assistant", "content": [{"type": "tool_use", "id": "a", "name": "Bash", "input": {"cmd": "x"}}]},
    {"role": "user", "content": "Stop it right now."},
]


@pytest.fixture
def stopped(tmp_path: Path) -> Path:
    path = tmp_path / "stopped.json"
    path.write_text(json.dumps(MESSAGES))
    return path


def test_all_are_listed(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    ran = run("recipes")
    assert ran.code == 0
    assert all(f"  {name}" in ran.out for name in RECIPES)
    assert "recommended (default)" in ran.out
    assert all(len(line) <= 80 for line in ran.out.splitlines())


@pytest.mark.parametrize("name", RECIPES)
def test_each_has_a_page_that_says_all(run: Run, name: str) -> None:
    entry = run("recipes", name, "--output-format", "json").json["recipe"]
    assert entry["name"] == name and entry["does"] and entry["title"].endswith(".")
    ran = run("recipes", name)
    words = " ".join(ran.out.split())
    for part in (*entry["does"], entry["loses"] or "Nowhere.", entry["instead"] or ""):
        assert " ".join(part.split()) in words.replace(" - ", " ")
    if entry["copies"]:
        assert entry["loses"] and entry["instead"] and entry["links"]
        assert all(link in ran.out for link in entry["links"])


def test_an_unknown_one(run: Run) -> None:
    ran = run("recipes", "dorp")
    assert ran.code == 2 and "Did you mean drop?" in ran.err


@pytest.mark.parametrize("name", RECIPES)
def test_fix_takes_each_and_its_exit_code_says_whether_the_result_is_valid(
    run: Run, stopped: Path, tmp_path: Path, name: str
) -> None:
    out = tmp_path / "out.json"
    ran = run("fix", stopped, "-o", out, "--recipe", name)
    assert run("check", out).code == ran.code
    assert ran.code == (1 if name in ("roo-code", "roo-code-reorder", "roo-code-sanitize", "zoo-code") else 0)


def test_fix_says_what_is_really_lost(run: Run, stopped: Path) -> None:
    assert (
        "Verified: it loses 4 words from the user" in run("fix", stopped, "--diff", "--recipe", "roo-code-pre-send").err
    )
    assert "Verified: it loses 1 call with 12 bytes of input" in run("fix", stopped, "--diff", "--recipe", "drop").err
    assert "Verified: no output or user text is lost" in run("fix", stopped, "--diff").err
    report = run("fix", stopped, "--diff", "--recipe", "roo-code-pre-send", "--output-format", "json").json
    assert report["recipe"] == "roo-code-pre-send"
    assert report["losses"]["user_words"] == 4 and report["losses"]["text"] == "4 words from the user"
    assert [entry["what"] for entry in report["losses"]["details"]] == ["words"]
    assert "Stop it" not in json.dumps(report)


def test_losses_of_many_fixes_are_counted_and_not_all_told(run: Run, tmp_path: Path) -> None:
    def turn(number: int) -> list[dict[str, Any]]:
        call = {"type": "tool_use", "id": f"f_{number}", "name": "Read", "input": {}}
        result = {"type": "tool_result", "tool_use_id": f"f.{number}", "content": "x" * (number + 1)}
        return [{"role": "assistant", "content": [call]}, {"role": "user", "content": [result]}]

    path = tmp_path / "many.json"
    path.write_text(json.dumps([MESSAGES[0], *(message for number in range(30) for message in turn(number))]))
    ran = run("fix", path, "--recipe", "docker-agent", "--diff")
    (row,) = [line for line in ran.err.splitlines() if "sanitizeToolCalls" in line]
    assert row.count("bytes") <= 2 and "and 28 more" in row
    assert "30 messages changed" in row, "the file has one line"
    assert "it loses 30 outputs (465 bytes)" in ran.err


def test_a_recipe_that_picks_can_be_narrowed(run: Run, stopped: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.json"
    assert run("fix", stopped, "-o", out, "--recipe", "drop", "--ignore", "result").code == 1
    assert out.read_bytes() == stopped.read_bytes()
    chosen = run("fix", stopped, "-o", out, "--force", "--recipe", "keep", "--choose", "result.missing=remove-call")
    assert chosen.code == 0 and b"tool_use" not in out.read_bytes() and b"Earlier tool call" not in out.read_bytes()


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--recipe", "docker-agent", "--select", "result"], "do not apply"),
        (["--recipe", "minimal", "--ignore", "id"], "do not apply"),
        (["--recipe", "nope"], "There is no recipe 'nope'"),
        (["--recipe", "keep", "--max-id-length", "64"], "does not take --max-id-length; these do: roo-code-sanitize"),
        (["--max-id-length", "64"], "The recipe recommended does not take --max-id-length"),
        (["--recipe", "roo-code-sanitize", "--max-id-length", "9"], "the minimum is 10"),
        (["--recipe", "roo-code-sanitize", "--max-id-length", "x"], "--max-id-length"),
    ],
)
def test_wrong_usage_writes_nothing(run: Run, stopped: Path, tmp_path: Path, arguments: list[str], says: str) -> None:
    out = tmp_path / "out.json"
    ran = run("fix", stopped, "-o", out, *arguments)
    assert ran.code == 2 and says in ran.err and not out.exists()


def test_a_longest_id(run: Run, tmp_path: Path) -> None:
    long = "functions.read:" + "x" * 80
    messages = [
        MESSAGES[0],
        {"role": "assistant", "content": [{"type": "tool_use", "id": long, "name": "Bash", "input": {}}]},
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": long, "content": "ok"}]},
    ]
    path, out = tmp_path / "long.json", tmp_path / "out.json"
    path.write_text(json.dumps(messages))
    assert run("fix", path, "-o", out, "--recipe", "roo-code-sanitize", "--max-id-length", "64").code == 0
    made = json.loads(out.read_text())
    id_ = made[1]["content"][0]["id"]
    assert len(id_) == 64 and id_.startswith("functions_read_") and made[2]["content"][0]["tool_use_id"] == id_
