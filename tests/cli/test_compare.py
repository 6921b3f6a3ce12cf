"""`toolpair compare`: the best first, what each recipe does and loses, and a result that can be acted on."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import Run
from toolpair.recipes import RECIPES
from toolpair.recipes.recipe import DEFAULT
from toolpair.session.recipe_comparison import compare
from toolpair.session.session import open_session

ASKS = {"role": "user", "content": "Run the tests."}


def call(*ids: str) -> dict[str, Any]:
    return {
        "role": "assistant",
        "content": [{"type": "tool_use", "id": id_, "name": "Bash", "input": {"cmd": id_}} for id_ in ids],
    }


def result(id_: str, said: str) -> dict[str, Any]:
    return {"type": "tool_result", "tool_use_id": id_, "content": said}


def written(path: Path, messages: list[dict[str, Any]]) -> Path:
    path.write_text(json.dumps(messages))
    return path


@pytest.fixture
def stopped(tmp_path: Path) -> Path:
    """A call without result, and the user's own words behind it."""
    return written(tmp_path / "stopped.json", [ASKS, call("a"), {"role": "user", "content": "Stop it right now."}])


def test_the_best_comes_first_and_every_recipe_is_there(
    run: Run, stopped: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    ran = run("compare", stopped)
    assert ran.code == 0 and not ran.err
    assert "Best here: recommended. The result is valid, it loses nothing and touches 1 of 3 records." in " ".join(
        ran.out.split()
    )
    table = ran.out[ran.out.index("recipe  ") :].splitlines()
    rows = {line.split()[0]: line.split()[1:] for line in table[1:] if line and line.split()[0] in ran_names(run)}
    assert set(rows) == ran_names(run)
    assert rows["recommended"] == ["yes", "0", "0", "0", "0", "1"]
    assert rows["roo-code-pre-send"] == ["yes", "0", "4", "0", "0", "1"]
    assert rows["drop"] == ["yes", "0", "0", "1", "0", "1"]
    assert rows["roo-code-sanitize"][:2] == ["1", "error"]
    assert "keep: keep the call as text" in ran.out
    assert all(len(line) <= 80 or str(stopped) in line for line in ran.out.splitlines())


def ran_names(run: Run) -> set[str]:
    return {recipe["name"] for recipe in run("recipes", "--output-format", "json").json["recipes"]}


def test_what_it_says_is_what_fix_does(run: Run, stopped: Path, tmp_path: Path) -> None:
    report = run("compare", stopped, "--output-format", "json").json
    for entry in report["recipes"]:
        fixed = run(
            "fix", stopped, "-o", tmp_path / f"{entry['name']}.json", "--recipe", entry["name"],
            "--output-format", "json",
        )  # fmt: skip
        assert (fixed.code == 0) == entry["valid"]
        assert fixed.json["losses"] == entry["losses"]
        assert [row["title"] for row in fixed.json["fixed"]] == [row["title"] for row in entry["would_stage"]]


def test_json_says_for_each_problem_what_each_recipe_does(run: Run, stopped: Path) -> None:
    ran = run("compare", stopped, "roo-code-pre-send", "drop", "roo-code", "--output-format", "json")
    report = ran.json
    assert report["version"] == 1 and report["format"] == "anthropic" and report["profile"] == "anthropic"
    assert report["best"] == "drop" or report["best"] == "roo-code-pre-send"
    assert [recipe["valid"] for recipe in report["recipes"]] == [True, True, False]
    (problem,) = (found for found in report["problems"] if found["severity"] == "error")
    assert problem["rule"] == "result.missing" and problem["call_id"] == "a"
    assert problem["recipes"]["drop"]["does"] == ["remove the call"]
    assert problem["recipes"]["drop"]["loses"] == "its input"
    assert problem["recipes"]["roo-code"] == {"does": [], "fixes": [], "loses": None, "left": True}
    assert "Stop it" not in ran.out


def test_content_only_when_it_is_asked_for(run: Run, stopped: Path) -> None:
    assert '"cmd"' not in run("compare", stopped).out
    assert '"cmd": "a"' in run("compare", stopped, "--show-content").out


def test_nothing_is_written(run: Run, stopped: Path) -> None:
    before = stopped.read_bytes()
    run("compare", stopped)
    assert stopped.read_bytes() == before and [path.name for path in stopped.parent.iterdir()] == ["stopped.json"]


def test_when_none_makes_it_valid(run: Run, stopped: Path) -> None:
    ran = run("compare", stopped, "roo-code", "roo-code-sanitize")
    assert ran.code == 1
    assert "None of these recipes makes it valid" in ran.out
    alone = run("compare", stopped, "roo-code")
    assert alone.code == 1 and "The recipe does not make it valid (1 error is left)." in alone.out


def test_a_valid_file(run: Run, tmp_path: Path) -> None:
    path = written(tmp_path / "valid.json", [ASKS, call("a"), {"role": "user", "content": [result("a", "ok")]}])
    ran = run("compare", path)
    assert ran.code == 0
    assert "already valid" in ran.out


def test_many_problems_of_one_cause_are_one_paragraph(run: Run, tmp_path: Path) -> None:
    messages: list[dict[str, Any]] = [ASKS]
    for number in range(60):
        messages += [call(f"c{number}"), {"role": "user", "content": "go on"}]
    ran = run("compare", written(tmp_path / "many.json", messages))
    assert "60 × result.missing" in ran.out
    assert 'recommended, minimal: 60 × write "no result was recorded"' in ran.out
    assert len(ran.out.splitlines()) < 50


def test_a_swap_by_position_is_told(run: Run, tmp_path: Path) -> None:
    answers = {"role": "user", "content": [result("x", "of b"), result("y", "of a")]}
    ran = run("compare", written(tmp_path / "s.json", [ASKS, call("a", "b"), answers]), "roo-code", "recommended",
              "--output-format", "json")  # fmt: skip
    by_name = {recipe["name"]: recipe for recipe in ran.json["recipes"]}
    assert by_name["roo-code"]["valid"] and by_name["roo-code"]["losses"]["at_another_call"] == 2
    assert not by_name["recommended"]["valid"], "which output is whose is left to a person"
    assert ran.json["best"] is None and ran.code == 1


def test_several_conversations_of_a_file(run: Run, tmp_path: Path) -> None:
    lines = [json.dumps({"request": {"messages": [ASKS, call(id_), ASKS]}}) for id_ in ("a", "b")]
    path = tmp_path / "log.jsonl"
    path.write_text("\n".join(lines) + "\n")
    report = run("compare", path, "drop", "--output-format", "json").json
    assert [found["conversation"] for found in report["problems"] if found["severity"] == "error"] == [0, 1]
    assert report["recipes"][0]["losses"]["calls"] == 2


def test_other_profiles_and_odd_names(run: Run, tmp_path: Path) -> None:
    messages = [ASKS, call("a.b"), {"role": "user", "content": [result("a.b", "\x1b[31mred")]}]
    path = written(tmp_path / "odd\x1b[2J.json", messages)
    ran = run("compare", path, "recommended", "--show-content")
    assert ran.code == 0 and "\x1b" not in ran.out


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["FILE", "nope"], "There is no recipe 'nope'."),
        (["FILE", "kepe"], "Did you mean keep?"),
        (["FILE", "keep", "--max-id-length", "64"], "None of these recipes takes --max-id-length"),
        (["FILE", "--max-id-length", "3"], "the minimum is 10"),
        (["missing.json"], "missing.json"),
        (["FILE", "--profile", "anthropic", "--profile", "mistral"], "--profile"),
    ],
)
def test_wrong_usage(run: Run, stopped: Path, arguments: list[str], says: str) -> None:
    ran = run("compare", *(stopped if argument == "FILE" else argument for argument in arguments))
    assert ran.code == 2 and says in ran.err and not ran.raw


def test_a_longest_id_goes_to_the_recipes_that_heed_it(run: Run, tmp_path: Path) -> None:
    long = "x" * 80
    path = written(tmp_path / "l.json", [ASKS, call(long), {"role": "user", "content": [result(long, "ok")]}])
    ran = run("compare", path, "keep", "roo-code-sanitize", "--max-id-length", "64", "--output-format", "json")
    by_name = {recipe["name"]: recipe for recipe in ran.json["recipes"]}
    assert by_name["roo-code-sanitize"]["records"]["changed"] == 2


def test_from_standard_input(run: Run, stopped: Path) -> None:
    ran = run("compare", "-", "keep", stdin=stopped.read_bytes())
    assert ran.code == 0 and "-o OUT" in ran.out


def test_of_two_valid_results_the_one_that_loses_less_is_the_best(run: Run, tmp_path: Path) -> None:
    stray = {"role": "user", "content": [result("b", "an output"), {"type": "text", "text": "Go on."}]}
    path = written(tmp_path / "stray.json", [ASKS, {"role": "assistant", "content": "Yes."}, stray])
    ran = run("compare", path, "drop", "keep", "--output-format", "json")
    assert [recipe["name"] for recipe in ran.json["recipes"]] == ["keep", "drop"] and ran.json["best"] == "keep"
    assert [recipe["losses"]["outputs"] for recipe in ran.json["recipes"]] == [0, 1]


def test_comparing_leaves_the_session_as_it_was(tmp_path: Path) -> None:
    path = tmp_path / "two.jsonl"
    path.write_text("\n".join(json.dumps([ASKS, call(id_), ASKS]) for id_ in "ab"))
    session = open_session(path)
    session.current = 0
    compared = compare(session, [(RECIPES["recommended"], DEFAULT), (RECIPES["drop"], DEFAULT)])
    assert len(compared.conversations) == 2 and compared.best is not None
    assert session.current == 0 and not session.staged and not session.changed
