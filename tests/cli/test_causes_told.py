"""What the commands tell of a cause: evidence, product and link, and its page."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Run

LINK = "https://github.com/RooCodeInc/Roo-Code/pull/11131"


@pytest.fixture
def broken(tmp_path: Path) -> Path:
    """One pair whose id was cleaned in the call alone."""
    path = tmp_path / "s.json"
    call = {"type": "tool_use", "id": "functions_read_0", "name": "read", "input": {"path": "secret/plan.txt"}}
    result = {"type": "tool_result", "tool_use_id": "functions.read:0", "content": "the plan"}
    messages = [("user", "go"), ("assistant", [call]), ("user", [result])]
    path.write_text(json.dumps([{"role": role, "content": content} for role, content in messages]))
    return path


def test_the_report_tells_evidence_product_and_link(run: Run, broken: Path) -> None:
    said = run("check", str(broken)).out
    assert "cause: same id, sanitised on one side only; the call was written as `functions_read_0`" in said
    assert f"known from: Roo Code 3.40 to 3.46.0, {LINK}" in said
    cause = run("check", str(broken), "--output-format", "json").json["files"][0]["problems"][0]["cause"]
    assert cause == {
        "id": "id.sanitised_on_one_side",
        "text": "same id, sanitised on one side only",
        "evidence": "the call was written as `functions_read_0`, the result as `functions.read:0`",
        "product": "Roo Code 3.40 to 3.46.0",
        "link": LINK,
    }


def test_ci_outputs_name_the_cause_and_no_content(run: Run, broken: Path) -> None:
    ran = run("check", str(broken), "--output-format", "sarif")
    [found] = [one for one in ran.json["runs"][0]["results"] if one["ruleId"] == "result.id_mismatch"]
    assert found["properties"]["cause"] == {
        "id": "id.sanitised_on_one_side",
        "product": "Roo Code 3.40 to 3.46.0",
        "link": LINK,
    }
    assert "the call was written as" in found["message"]["text"]
    github = run("check", str(broken), "--output-format", "github").out
    assert "same id, sanitised on one side only; the call was written as" in github
    for said in (ran.out, github):
        assert "secret/plan" not in said
        assert "the plan" not in said


def test_a_cause_is_explained_with_its_places(run: Run, broken: Path) -> None:
    alone = run("explain", "id.sanitised_on_one_side")
    assert alone.code == 0
    assert f"Known from: Roo Code 3.40 to 3.46.0, {LINK}" in alone.out
    placed = run("explain", "id.sanitised_on_one_side", str(broken)).out
    assert "result.id_mismatch" in placed
    assert "`functions.read:0`" in placed
    told = run("explain", "duplicate.on_resume", str(broken), "--output-format", "json").json
    assert told["cause"]["known_from"][0]["product"] == "Gemini CLI 0.61"
    assert told["places"] == []
    assert "it causes no problem there" in run("explain", "fork", str(broken)).out
    assert run("explain", "no_such_cause").code == 1


@pytest.mark.parametrize(
    "words", ["same id, sanitised on one side only", "cause: same id, sanitised on one side only; the"]
)
def test_a_cause_is_explained_in_the_words_of_the_report(run: Run, words: str) -> None:
    assert run("explain", words).out.startswith("id.sanitised_on_one_side: same id, sanitised on one side only.")


def test_a_name_that_is_nearly_right_is_told_the_right_one(run: Run) -> None:
    assert "Did you mean result.missing" in run("explain", "result.mising").err
    assert "Did you mean id.sanitised_on_one_side" in run("explain", "id.sanitized_on_one_side").err


def test_where_a_cause_is_known_from_is_told_once_a_file(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "two.json"
    messages: list[dict[str, object]] = [{"role": "user", "content": "go"}]
    for number in range(2):
        call = {"type": "tool_use", "id": f"functions_read_{number}", "name": "read", "input": {}}
        result = {"type": "tool_result", "tool_use_id": f"functions.read:{number}", "content": "the plan"}
        messages += [{"role": "assistant", "content": [call]}, {"role": "user", "content": [result]}]
    path.write_text(json.dumps(messages))
    said = run("check", path).out
    assert said.count("    cause: ") == 2 and said.count(LINK) == 1
    other = tmp_path / "other.json"
    other.write_bytes(path.read_bytes())
    assert run("check", path, other).out.count(LINK) == 2, "each file stands alone"
