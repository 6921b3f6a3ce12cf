"""A range of lines that are damaged alike, as every output of `check` has it."""

from __future__ import annotations

from pathlib import Path

from tests.cli.conftest import Run
from tests.formats.test_damage_ranges import lines_of


def test_the_reports(run: Run, tmp_path: Path) -> None:
    lines = lines_of("claude-code")
    path = tmp_path / "session.jsonl"
    path.write_bytes(b"\n".join([*lines[:3], *[b"x"] * 9, *lines[3:]]) + b"\n")
    entry = next(
        p
        for p in run("check", path, "--output-format", "json").json["files"][0]["problems"]
        if p["rule"] == "record.bad_json"
    )
    assert (entry["location"]["line"], entry["location"]["end_line"], entry["location"]["record"]) == (4, 12, 3)
    results = run("check", path, "--output-format", "sarif").json["runs"][0]["results"]
    region = next(r for r in results if r["ruleId"] == "record.bad_json")["locations"][0]["physicalLocation"]["region"]
    assert region == {"startLine": 4, "endLine": 12}
    assert ",line=4,endLine=12,title=record.bad_json" in run("check", path, "--output-format", "github").out
    assert f"{path}:4: warning record.bad_json  Lines 4 to 12 cannot be read" in run("check", path).out
    single = next(
        p
        for p in run("check", path, "--output-format", "json").json["files"][0]["problems"]
        if p["rule"] != "record.bad_json"
    )
    assert "end_line" not in single["location"]
