"""`toolpair fix`: what it writes, what it refuses, and how it ends."""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.conftest import Run
from tests.formats.claude_code_files import Log, call, looping

Copy = Callable[[str], Path]


def _backups(path: Path) -> list[Path]:
    return sorted(path.parent.glob(path.name + ".toolpair-*.bak"))


def test_in_place_leaves_a_backup_and_keeps_the_mode(run: Run, copy: Copy) -> None:
    path = copy("sanitised-on-one-side.json")
    path.chmod(0o600)
    original = path.read_bytes()
    ran = run("fix", path, "--in-place")
    assert ran.code == 0, ran.err
    assert ran.out == ""
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    (backup,) = _backups(path)
    assert backup.read_bytes() == original
    assert str(backup.name) in ran.err
    assert "toolpair restore" in ran.err
    assert path.read_bytes() == original.replace(b"functions.read_file:", b"functions_read_file_").replace(
        b"functions.execute_command:", b"functions_execute_command_"
    )
    assert run("check", path).code == 0


def test_a_second_run_changes_nothing(run: Run, copy: Copy) -> None:
    path = copy("interrupted-call.json")
    assert run("fix", path, "--in-place").code == 0
    once, backups = path.read_bytes(), _backups(path)
    ran = run("fix", path, "--in-place")
    assert ran.code == 0
    assert "nothing to fix" in ran.err
    assert path.read_bytes() == once
    assert _backups(path) == backups


def test_output_is_byte_identical_when_nothing_is_to_be_done(run: Run, copy: Copy, tmp_path: Path) -> None:
    path = copy("valid.json")
    assert run("fix", path, "-o", tmp_path / "out.json").code == 0
    assert (tmp_path / "out.json").read_bytes() == path.read_bytes()
    assert run("fix", path, "-o", "-").raw == path.read_bytes()


def test_an_existing_output_is_refused_without_force(run: Run, copy: Copy, tmp_path: Path) -> None:
    path, output = copy("interrupted-call.json"), tmp_path / "out.json"
    output.write_text("precious")
    ran = run("fix", path, "-o", output)
    assert ran.code == 3
    assert "out.json" in ran.err
    assert output.read_text() == "precious"
    assert run("fix", path, "-o", output, "--force").code == 0
    assert json.loads(output.read_bytes())


def test_the_file_itself_is_no_output(run: Run, copy: Copy) -> None:
    path = copy("interrupted-call.json")
    before = path.read_bytes()
    assert run("fix", path, "-o", path, "--force").code == 2
    assert path.read_bytes() == before


def test_diff_writes_nothing(run: Run, copy: Copy) -> None:
    path = copy("sanitised-on-one-side.json")
    before, files = path.read_bytes(), os.listdir(path.parent)
    ran = run("fix", path, "--diff")
    assert ran.code == 1  # as `diff` does where two files differ
    assert '"[-functions.read_file:0-]{+functions_read_file_0+}"' in ran.out
    assert path.read_bytes() == before
    assert os.listdir(path.parent) == files


def test_standard_input_to_standard_output(run: Run, samples: Path) -> None:
    ran = run("fix", "-", "-o", "-", stdin=(samples / "openai-chat-missing.json").read_bytes())
    assert ran.code == 0
    assert run("check", "-", stdin=ran.raw).code == 0


def test_select_and_ignore(run: Run, copy: Copy) -> None:
    path = copy("parallel-swapped.json")
    ran = run("fix", path, "-o", "-", "--select", "result.order")
    assert ran.code == 1  # the errors were not selected
    assert ran.raw != path.read_bytes()
    ran = run("fix", path, "-o", "-", "--ignore", "result")
    assert ran.code == 1
    assert ran.raw == path.read_bytes()


def test_choose_another_fix(run: Run, copy: Copy) -> None:
    path = copy("interrupted-call.json")
    problem = run("check", path, "--output-format", "json").json["files"][0]["problems"][0]
    other = next(fix["id"] for fix in problem["fixes"] if not fix["recommended"] and "remove" in fix["id"])
    ran = run("fix", path, "-o", "-", "--choose", f"result.missing={other}")
    assert ran.code == 0
    assert b"toolu_01Stop0Run" not in ran.raw


def test_json_report(run: Run, copy: Copy) -> None:
    path = copy("sanitised-on-one-side.json")
    report = run("fix", path, "--in-place", "--output-format", "json").json
    assert report["changed"] is True
    assert report["left"] == []
    assert sum(one["problems"] for one in report["fixed"]) == 4
    assert os.path.exists(report["backup"])


@pytest.mark.parametrize(
    "arguments",
    [
        ["fix", "FILE"],
        ["fix", "FILE", "--in-place", "--diff"],
        ["fix", "FILE", "--in-place", "--force"],
        ["fix", "-", "--in-place"],
        ["fix", "FILE", "--diff", "--recipe", "magic"],
        ["fix", "FILE", "--diff", "--choose", "result.missing"],
        ["fix", "FILE", "--diff", "--select", "result.mising"],
        ["fix", "FILE", "-o", "-", "--output-format", "json"],
        ["fix", "FILE", "FILE", "-o", "OUT"],
        ["fix", "/", "-o", "OUT"],
        ["fix", "FILE", "-", "--in-place"],
        ["fix", "FILE", "FILE", "--diff", "--leaf", "x"],
        ["fix", "FILE", "-o", "OUT", "--output-format", "patch"],
        ["fix", "FILE", "--diff", "--profile", "anthropic", "--profile", "openapi-chat"],
    ],
)
def test_wrong_usage_writes_nothing(run: Run, copy: Copy, arguments: list[str]) -> None:
    path = copy("interrupted-call.json")
    before = path.read_bytes()
    ran = run(*(str(path) if argument == "FILE" else argument for argument in arguments))
    assert ran.code == 2
    assert ran.out == ""
    assert len(ran.err.splitlines()) == 1
    assert path.read_bytes() == before


def test_a_wrong_rule_gets_a_hint(run: Run, copy: Copy) -> None:
    assert "result.missing" in run("fix", copy("valid.json"), "--diff", "--select", "result.mising").err


def test_restore_lists_and_puts_back(run: Run, copy: Copy) -> None:
    path = copy("interrupted-call.json")
    original = path.read_bytes()
    assert run("restore", path).code == 0
    assert run("fix", path, "--in-place").code == 0
    (backup,) = _backups(path)
    ran = run("restore", path)
    assert ran.code == 0
    assert backup.name in ran.out
    assert path.read_bytes() != original
    assert run("restore", path, "--backup", "latest").code == 0
    assert path.read_bytes() == original
    assert run("restore", path, "--backup", "none.bak").code == 2


def test_a_recommended_fix_by_which_the_agent_would_send_less_is_left_and_says_so(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "session.jsonl"
    path.write_bytes(looping())
    ran = run("fix", path, "--in-place")
    assert ran.code == 1
    assert path.read_bytes() == looping()
    assert "1 error is left for you" in ran.err
    assert "The recommended fix is not applied: with it the agent would no longer send 1 word from the user." in ran.err


def test_what_takes_nothing_away_is_fixed_beside_it(run: Run, tmp_path: Path) -> None:
    path, output = tmp_path / "session.jsonl", tmp_path / "out.jsonl"
    path.write_bytes(looping(beside=True))
    ran = run("fix", path, "-o", output, "--output-format", "json")
    assert ran.code == 1
    report = json.loads(ran.out)
    assert [row["fixes"] for row in report["fixed"]] == [["rename-call"]]
    assert report["losses"]["no_longer_sent"] == 0
    (left,) = report["left"]
    assert left["rule"] == "chain.cycle"
    assert left["not_applied"].endswith("would no longer send 1 word from the user.")


def test_what_a_person_chose_is_applied_and_says_what_is_no_longer_sent(run: Run, tmp_path: Path) -> None:
    path, output = tmp_path / "session.jsonl", tmp_path / "out.jsonl"
    path.write_bytes(looping())
    ran = run("fix", path, "-o", output, "--choose", "chain.cycle=reconnect")
    assert output.read_bytes() != looping()
    assert "(1 line changed, loses 1 word from the user, no longer sent)" in ran.err
    assert "Verified: it loses 1 word from the user" in ran.err


def test_what_stays_lost_on_resume_is_said_though_it_is_no_error(run: Run, tmp_path: Path) -> None:
    log = Log(20.0)
    log.user("u1", "one", promptId="p1")
    log.says("a1", "m1", call("toolu_Z"))
    log.result("r1", "a1", "toolu_Z", "output Z")
    log.user("u2", "two", parent=None, promptId="p2")
    log.says("a2", "m2", call("toolu_A"))
    log.result("r2", "a2", "toolu_B", "output A")
    path, again, output = tmp_path / "s.jsonl", tmp_path / "t.jsonl", tmp_path / "o.jsonl"
    path.write_bytes(b"".join(json.dumps(value).encode() + b"\n" for value in log.values))
    again.write_bytes(path.read_bytes())

    ran = run("fix", path, "-o", output)
    said = "line 4: Claude Code forgets everything before this line: 3 messages, 1 output."
    assert ran.code == 0 and "Not fixed, and still lost on resume:" in ran.err and said in ran.err
    assert "Verified: no output or user text is lost by these fixes\n" in ran.err
    ran = run("fix", output, "--diff")
    assert ran.code == 0 and said in ran.err and "nothing to fix" not in ran.err
    report = run("fix", path, "--diff", "--output-format", "json").json
    assert report["left"] == [] and [one["rule"] for one in report["still_lost"]] == ["chain.second_root"]
    ran = run("fix", path, again, output, "--diff")
    assert ran.err.count("1 problem left: something is still lost on resume") == 3
    assert "nothing to fix" not in ran.err
