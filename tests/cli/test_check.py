"""`toolpair check`: what it prints and how it ends."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.conftest import Run

Copy = Callable[[str], Path]


def test_valid_file_ends_with_0(run: Run, samples: Path) -> None:
    ran = run("check", samples / "valid.json")
    assert ran.code == 0
    assert "valid.json" in ran.out


def test_broken_file_ends_with_1_and_names_place_rule_cause_and_fix(run: Run, samples: Path) -> None:
    ran = run("check", samples / "sanitised-on-one-side.json")
    assert ran.code == 1
    assert "sanitised-on-one-side.json:1:364: error result.id_mismatch" in ran.out
    assert "functions_read_file_0 ≠ functions.read_file:0" in ran.out
    assert "cause: " in ran.out
    assert "fix: " in ran.out


def test_what_stops_comes_first_and_only_what_is_asked_for_is_told(run: Run, tmp_path: Path) -> None:
    def block(kind: str, **fields: object) -> dict[str, object]:
        return {"type": kind, **fields}

    call = {"name": "Bash", "input": {}}
    messages = [
        {"role": "user", "content": "go"},
        {"role": "assistant", "content": [block("tool_use", id="a", **call), block("tool_use", id="b", **call)]},
        {"role": "user", "content": [block("tool_result", tool_use_id=id_, content="x") for id_ in ("b", "a")]},
        {"role": "assistant", "content": [block("tool_use", id="c", **call)]},
        {"role": "user", "content": "and?"},
    ]
    path = tmp_path / "list.json"
    path.write_text(json.dumps(messages))
    rules = [problem["rule"] for problem in run("check", path, "--output-format", "json").json["files"][0]["problems"]]
    assert rules == ["result.missing", "result.order"], "the other way round in the file"
    assert run("check", path).code == 1
    without = run("check", path, "--ignore", "result.missing")
    assert without.code == 0 and "1 other problem not asked for" in without.out and "result.order" in without.out
    family = run("check", path, "--select", "result,chain", "--ignore", "result.order")
    assert family.code == 1 and "result.missing" in family.out and "result.order" not in family.out


def test_no_colour_where_nobody_looks(run: Run, samples: Path) -> None:
    assert b"\x1b" not in run("check", samples / "sanitised-on-one-side.json").raw


def test_json_has_the_documented_shape(run: Run, samples: Path) -> None:
    ran = run("check", samples / "interrupted-call.json", "--output-format", "json")
    assert ran.code == 1
    report = ran.json
    assert set(report) == {"version", "files", "summary"}
    assert report["version"] == 1
    assert report["summary"] == {"files": 1, "errors": 1, "warnings": 0, "unreadable": 0}
    entry = report["files"][0]
    assert set(entry) == {"path", "format", "profile", "counts", "problems"}
    assert entry["profile"] == "anthropic"
    assert entry["counts"] == {
        "records": 7,
        "messages": 7,
        "calls": 3,
        "results": 2,
        "pairs": 3,
        "damaged": 0,
        "inactive": 0,
    }
    problem = entry["problems"][0]
    assert set(problem) == {
        *("rule", "severity", "impact", "evidence", "scope", "message", "location", "call_id", "result_id"),
        "tool",
        *("cause", "on_resume", "fixes"),
    }
    assert (problem["rule"], problem["severity"], problem["impact"]) == ("result.missing", "error", "stops")
    assert set(problem["location"]) == {"record", "line", "bytes", "message", "block", "pair", "column"}
    assert problem["call_id"] == "toolu_01Stop0Run"
    assert problem["location"]["record"] == 3
    assert problem["location"]["message"] == 3
    assert problem["location"]["block"] == 1
    assert problem["location"]["pair"] == 1
    assert [fix["recommended"] for fix in problem["fixes"]].count(True) == 1
    assert set(problem["fixes"][0]) == {"id", "title", "recommended", "certain", "loses"}


def test_location_points_at_the_bytes(run: Run, samples: Path) -> None:
    path = samples / "interrupted-call.json"
    place = run("check", path, "--output-format", "json").json["files"][0]["problems"][0]["location"]
    data = path.read_bytes()
    start, end = place["bytes"]
    assert json.loads(data[start:end])["id"] == "toolu_01Stop0Run"
    assert data.count(b"\n", 0, start) + 1 >= place["line"]


def test_several_profiles_give_an_entry_each(run: Run, samples: Path) -> None:
    ran = run(
        "check",
        samples / "valid.json",
        *("--profile", "anthropic", "--profile", "openai-chat", "--output-format", "json"),
    )
    assert [entry["profile"] for entry in ran.json["files"]] == ["anthropic", "openai-chat"]
    assert ran.json["summary"]["files"] == 1


def test_json_lines_are_one_file_each_and_whole_in_themselves(run: Run, samples: Path, tmp_path: Path) -> None:
    given = [samples / "sanitised-on-one-side.json", tmp_path / "none.json", samples / "valid.json"]
    ran = run("check", *given, "--output-format", "jsonl")
    assert ran.code == 2
    lines = [json.loads(line) for line in ran.out.splitlines()]
    assert [line["path"] for line in lines] == [str(path) for path in given]
    assert all(line.startswith('{"path": ') for line in ran.out.splitlines())
    broken, unread, valid = lines
    assert list(broken)[:7] == ["path", "version", "format", "profile", "errors", "warnings", "notes"]
    assert (broken["version"], broken["errors"], broken["warnings"], broken["notes"]) == (1, 4, 0, 0)
    assert [problem["rule"] for problem in broken["problems"]] == ["result.id_mismatch"] * 4
    assert set(unread) == {"path", "version", "error"}
    assert (valid["errors"], valid["problems"], valid["counts"]["pairs"]) == (0, [], 3)
    reported = run("check", *given, "--output-format", "json").json["files"]
    assert [{key: line[key] for key in file} for line, file in zip(lines, reported, strict=True)] == reported


def test_sarif_is_2_1_0_and_points_at_the_line(run: Run, samples: Path) -> None:
    ran = run("check", samples / "interrupted-call.json", "--output-format", "sarif")
    log = ran.json
    assert log["version"] == "2.1.0"
    (results,) = [one["results"] for one in log["runs"]]
    assert results[0]["ruleId"] == "result.missing"
    assert results[0]["level"] == "error"
    assert log["runs"][0]["tool"]["driver"]["rules"][results[0]["ruleIndex"]]["id"] == "result.missing"
    region = results[0]["locations"][0]["physicalLocation"]["region"]
    assert region["startLine"] > 1
    start, end = results[0]["properties"]["bytes"]
    assert json.loads((samples / "interrupted-call.json").read_bytes()[start:end])["type"] == "tool_use"


def test_github_annotations_are_escaped(run: Run, tmp_path: Path, samples: Path) -> None:
    path = tmp_path / "a,b:100%.json"
    path.write_bytes((samples / "interrupted-call.json").read_bytes())
    ran = run("check", path, "--output-format", "github")
    line = ran.out.splitlines()[0]
    assert line.startswith("::error file=")
    assert "a%2Cb%3A100%25.json,line=" in line
    assert "title=result.missing::" in line


def test_standard_input(run: Run, samples: Path) -> None:
    ran = run("check", "-", "--output-format", "json", stdin=(samples / "interrupted-call.json").read_bytes())
    assert ran.code == 1
    assert ran.json["files"][0]["path"] == "-"


def test_directories_are_walked_and_other_files_counted(run: Run, tmp_path: Path, samples: Path) -> None:
    (tmp_path / "deep").mkdir()
    (tmp_path / "deep" / "session.json").write_bytes((samples / "valid.json").read_bytes())
    (tmp_path / "session.jsonl").write_bytes((samples / "damaged.jsonl").read_bytes())
    (tmp_path / "picture.png").write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(100))
    (tmp_path / "package.json").write_text('{"name": "shop"}')
    (tmp_path / "session.jsonl.toolpair-20261121-0912.bak").write_bytes((samples / "damaged.jsonl").read_bytes())
    ran = run("check", tmp_path, "--output-format", "json")
    assert [os.path.basename(entry["path"]) for entry in ran.json["files"]] == ["session.jsonl", "session.json"]
    assert ran.json["summary"]["unreadable"] == 0
    assert ran.code == 1
    assert "3 files" in run("check", tmp_path).err


def test_a_directory_without_a_session_ends_with_2(run: Run, tmp_path: Path) -> None:
    assert run("check", tmp_path).code == 2
    (tmp_path / "notes.txt").write_text("nothing")
    ran = run("check", tmp_path)
    assert ran.code == 2
    assert "No session" in ran.err


def test_content_is_printed_only_when_asked_for(run: Run, samples: Path) -> None:
    path = samples / "sanitised-on-one-side.json"
    for form in ("text", "json", "jsonl", "sarif", "github"):
        assert "from decimal import" not in run("check", path, "--output-format", form).out
    assert "from decimal import" in run("check", path, "--show-content").out
    shown = run("check", path, "--show-content", "--output-format", "json").json
    assert "from decimal import" in shown["files"][0]["problems"][0]["content"]["result"]


def test_an_unreadable_file_does_not_hide_the_others(run: Run, tmp_path: Path, samples: Path) -> None:
    ran = run("check", tmp_path / "none.json", samples / "interrupted-call.json", "--output-format", "json")
    assert ran.code == 2
    assert "error" in ran.json["files"][0]
    assert ran.json["files"][1]["problems"]
    assert ran.json["summary"] == {"files": 2, "errors": 1, "warnings": 0, "unreadable": 1}


@pytest.mark.parametrize("form", ["text", "json", "jsonl", "github", "sarif"])
def test_hostile_names_never_reach_the_terminal(run: Run, tmp_path: Path, form: str) -> None:
    evil = "\x1b]0;owned\x07\x9b31m\u202e\ud800"
    messages = [
        {"role": "user", "content": "go"},
        {"role": "assistant", "content": [{"type": "tool_use", "id": f"t{evil}", "name": f"n{evil}", "input": {}}]},
        {"role": "user", "content": "stop"},
    ]
    path = tmp_path / "evil.json"
    path.write_text(json.dumps(messages))
    ran = run("check", path, "--output-format", form, "--show-content")
    text = ran.out
    for character in ("\x1b", "\x07", "\x9b", "\u202e"):
        assert character not in text
        assert character not in ran.err


@pytest.mark.parametrize(
    "arguments",
    [
        ["check"],
        ["check", "--output-format", "xml", "x"],
        ["check", "--profile", "nobody", "valid.json"],
        ["check", "--format", "nothing", "valid.json"],
        ["check", "--prof", "anthropic", "valid.json"],
    ],
)
def test_wrong_usage_is_one_sentence(run: Run, samples: Path, arguments: list[str]) -> None:
    arguments = [str(samples / one) if one == "valid.json" else one for one in arguments]
    ran = run(*arguments)
    assert ran.code == 2
    assert ran.out == ""
    assert len(ran.err.splitlines()) == 1


_FOREIGN = b"".join(
    json.dumps(value).encode() + b"\n"
    for value in (
        {"type": "session", "version": 0, "id": "main", "createdAt": 1784606400000, "cwd": "/work"},
        {"type": "user/message", "seq": 1, "data": {"role": "user", "content": "Which day is it?"}},
    )
)


def test_what_is_not_understood_ends_with_2_also_when_it_is_forced(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "session.jsonl"
    path.write_bytes(_FOREIGN)
    for options in ([], ["--format", "pi"], ["--format", "openai-chat"]):
        for name in (path, "-"):
            ran = run("check", name, *options, stdin=_FOREIGN)
            assert ran.code == 2 and not ran.out and "underst" in ran.err
        ran = run("fix", path, "--in-place", *options)
        assert ran.code == 2 and path.read_bytes() == _FOREIGN


def test_what_is_not_understood_is_skipped_in_a_directory(run: Run, tmp_path: Path, samples: Path) -> None:
    (tmp_path / "foreign.jsonl").write_bytes(_FOREIGN)
    (tmp_path / "valid.json").write_bytes((samples / "valid.json").read_bytes())
    ran = run("check", tmp_path)
    assert ran.code == 0 and "1 file skipped" in ran.err and "foreign" not in ran.out
