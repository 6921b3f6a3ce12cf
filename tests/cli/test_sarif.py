"""SARIF, as code scanning services take it: valid by the schema, right about places, without content."""

from __future__ import annotations

import json
import urllib.parse
from pathlib import Path
from typing import Any

import pytest

from tests.cli.ci_files import SECRETS, broken, chat_broken, write
from tests.cli.conftest import Run

SCHEMA = Path(__file__).parent.parent / "data" / "sarif" / "sarif-schema-2.1.0.json"


def checked(log: Any) -> Any:
    """The log's one run; fails where the official schema has something against the log."""
    jsonschema = pytest.importorskip("jsonschema")
    validator = jsonschema.Draft7Validator(
        json.loads(SCHEMA.read_bytes()), format_checker=jsonschema.Draft7Validator.FORMAT_CHECKER
    )
    wrong = [f"{error.json_path}: {error.message}" for error in validator.iter_errors(log)]
    assert not wrong, wrong
    (run,) = log["runs"]
    return run


def test_every_sample_gives_a_valid_log(run: Run, samples: Path) -> None:
    paths = [path for path in sorted(samples.iterdir()) if path.suffix in (".json", ".jsonl", ".txt")]
    ran = run("check", *paths, "--output-format", "sarif", "--inactive")
    told = checked(ran.json)
    assert len(told["results"]) > 20 and told["invocations"] == [{"executionSuccessful": True}]
    rules = told["tool"]["driver"]["rules"]
    for result in told["results"]:
        assert rules[result["ruleIndex"]]["id"] == result["ruleId"]
    for rule in rules:
        assert rule["shortDescription"]["text"] and f"toolpair rules {rule['id']}" in rule["help"]["text"]
    linked = {rule["id"]: rule["helpUri"] for rule in rules if "helpUri" in rule}
    assert linked["result.missing"].startswith("https://")


def test_the_schema_is_not_asleep(run: Run, samples: Path) -> None:
    log = run("check", samples / "interrupted-call.json", "--output-format", "sarif").json
    log["runs"][0]["results"][0]["level"] = "fatal"
    with pytest.raises(AssertionError, match="fatal"):
        checked(log)


def test_nothing_that_was_said_is_in_it(run: Run, tmp_path: Path) -> None:
    write(tmp_path / "a.json", broken())
    write(tmp_path / "b.json", chat_broken(), None)
    both = ("--output-format", "sarif", "--profile", "anthropic", "--profile", "mistral")
    for more in ((), ("--show-content",)):
        ran = run("check", tmp_path, *both, *more)
        assert len(checked(ran.json)["results"]) > 8
        assert not [secret for secret in SECRETS if secret in ran.out]


@pytest.mark.parametrize("indent", [None, 1, 4])
def test_the_line_is_that_of_the_block(run: Run, tmp_path: Path, indent: int | None) -> None:
    path = write(tmp_path / "session.json", broken(), indent)
    data = path.read_bytes()
    results = checked(run("check", path, "--output-format", "sarif").json)["results"]
    seen = 0
    for result in results:
        physical = result["locations"][0]["physicalLocation"]
        start, end = result["properties"]["bytes"]
        column = len(data[data.rfind(b"\n", 0, start) + 1 : start].decode()) + 1
        assert physical["region"] == {"startLine": data.count(b"\n", 0, start) + 1, "startColumn": column}
        json.loads(data[start:end])
        seen += physical["region"]["startLine"] > 10
    assert results and (indent is None or seen)


def test_the_text_output_names_the_same_line(run: Run, tmp_path: Path) -> None:
    path = write(tmp_path / "session.json", broken())
    lines = {problem["location"]["line"] for problem in run("check", path, "--output-format", "json").json["files"][0]["problems"]}  # fmt: skip
    results = run("check", path, "--output-format", "sarif").json["runs"][0]["results"]
    assert {one["locations"][0]["physicalLocation"]["region"]["startLine"] for one in results} == lines


def test_paths_are_uris_from_here(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    here = tmp_path / "repo"
    names = ["logs/a b%20ü.json", "c:d#1?.json"]
    for name in names:
        write(here / name, broken())
    far = write(tmp_path / "far.json", broken())
    monkeypatch.chdir(here)
    ran = run("check", here / names[0], f"./{names[1]}", far, "--output-format", "sarif")
    uris = list(dict.fromkeys(one["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] for one in checked(ran.json)["results"]))  # fmt: skip
    assert uris == ["logs/a%20b%2520%C3%BC.json", "c%3Ad%231%3F.json", f"file://{far}"]
    assert [urllib.parse.unquote(uri) for uri in uris[:2]] == names


def test_files_that_cannot_be_read_are_notifications(run: Run, tmp_path: Path) -> None:
    path = write(tmp_path / "session.json", broken())
    (tmp_path / "notes.json").write_text('{"name": "shop"}')
    ran = run("check", path, tmp_path / "notes.json", tmp_path / "none.json", "--output-format", "sarif")
    assert ran.code == 2
    told = checked(ran.json)
    (invocation,) = told["invocations"]
    assert not invocation["executionSuccessful"] and told["results"]
    found = [one["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] for one in invocation["toolExecutionNotifications"]]  # fmt: skip
    assert [uri.rpartition("/")[2] for uri in found] == ["notes.json", "none.json"]


def test_a_clean_run_has_no_results(run: Run, samples: Path) -> None:
    ran = run("check", samples / "valid.json", "--output-format", "sarif")
    assert ran.code == 0 and checked(ran.json)["results"] == []


def test_standard_input_has_no_place(run: Run) -> None:
    ran = run("check", "-", "--output-format", "sarif", stdin=json.dumps(broken()).encode())
    results = checked(ran.json)["results"]
    assert results and not any("locations" in one for one in results)


def test_fingerprints_outlive_lines_that_move(run: Run, tmp_path: Path) -> None:
    def prints(messages: list[dict[str, Any]], indent: int | None) -> dict[str, str]:
        write(tmp_path / "session.json", messages, indent)
        results = run("check", tmp_path / "session.json", "--output-format", "sarif").json["runs"][0]["results"]
        return {one["partialFingerprints"]["primaryLocationLineHash"]: one["ruleId"] for one in results}

    first = prints(broken(), 2)
    assert len(first) == len(set(first)) > 2
    opening = [{"role": "user", "content": "first"}, {"role": "assistant", "content": "yes"}]
    assert prints(opening + broken(), None).items() >= first.items()
    assert not set(prints(broken("toolu_7", "toolu_7x"), 2)) >= set(first)


def test_equal_problems_have_fingerprints_of_their_own(run: Run, tmp_path: Path) -> None:
    path = write(tmp_path / "session.json", broken() + broken())
    results = run("check", path, "--output-format", "sarif").json["runs"][0]["results"]
    prints = [one["partialFingerprints"]["primaryLocationLineHash"] for one in results]
    assert len(set(prints)) == len(prints)


def test_an_id_is_no_link(run: Run, tmp_path: Path) -> None:
    function = {"name": "[pay](https://evil.example)", "arguments": "{}"}
    call = {"id": "[x](https://evil.example)", "type": "function", "function": function}
    messages = [{"role": "assistant", "tool_calls": [call]}, {"role": "user", "content": "and?"}]
    path = write(tmp_path / "session.json", messages)
    results = checked(run("check", path, "--output-format", "sarif").json)["results"]
    assert any("pay" in one["message"]["text"] for one in results)
    assert not any("[pay](" in one["message"]["text"] for one in results)
