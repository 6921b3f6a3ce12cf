"""`toolpair first-break`: what it prints, and its exit codes."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from tests.reports.logs import lines
from tests.reports.test_kinds_of_logs import BROKEN, GEMINI, HISTORY, LOGS, SECRET, TIMES, litellm
from toolpair.cli.main import main

SAMPLE = Path(__file__).parents[2] / "sample_sessions" / "proxy-log.jsonl"


def written(folder: Path, records: list[Any], name: str = "log.jsonl") -> str:
    path = folder / name
    path.write_bytes(lines(records))
    return str(path)


def printed(capsys: pytest.CaptureFixture[str], *arguments: str, code: int) -> tuple[str, str]:
    assert main(["first-break", *arguments]) == code
    out, err = capsys.readouterr()
    return out, err


def test_the_sample_says_all_that_somebody_needs_who_has_a_400(capsys: pytest.CaptureFixture[str]) -> None:
    out, err = printed(capsys, str(SAMPLE), code=1)
    assert not err
    assert out.splitlines()[:9] == [
        "request 6, line 6, 2026-11-21 09:12:24Z  conversation 1, its request 4",
        "  error result.orphan  This result answers a call that is not in this history (toolu_01Proxy0Run).",
        "    call     none  was messages.1 of request 5  run",
        "    result   toolu_01Proxy0Run  messages.0",
        "    cause    the oldest messages were cut off, between a call and its result; the history starts with it",
        "    API      answered 400: messages.0.content.0: unexpected `tool_use_id` found in `tool_result` blocks: "
        "toolu_01Proxy0Run. Each `tool_result` block must have a corresponding `tool_use` block in the previous message.",
        "    before   request 5, line 5, 2026-11-21 09:12:20Z: 5 messages, ended with the result of read_file; answered 200",
        "    changed  trimmed in front: messages.0 to 1 of request 5 are left out at the beginning.",
        f"    look     toolpair first-break {SAMPLE} --request 6 | toolpair -",
    ]
    assert out.splitlines()[-1] == (
        f"{SAMPLE} (request bodies, checked against anthropic): 7 requests in 2 conversations, 1 break in 1 request."
    )


def test_json(capsys: pytest.CaptureFixture[str]) -> None:
    out, _ = printed(capsys, str(SAMPLE), "--output-format", "json", code=1)
    report = json.loads(out)
    (one,) = report["breaks"]
    assert (one["request"], one["line"], one["conversation"], one["step"]) == (6, 6, 1, 4)
    assert one["answer"]["status"] == 400
    assert one["before"]["request"] == 5
    assert one["change"]["kind"] == "trimmed"
    assert one["pairs"][0]["result_id"] == "toolu_01Proxy0Run"
    assert "content" not in one["pairs"][0]
    assert report["counts"]["requests"] == 7


def test_content_is_printed_only_when_asked_for(capsys: pytest.CaptureFixture[str]) -> None:
    for form in ("text", "json"):
        out, _ = printed(capsys, str(SAMPLE), "--output-format", form, code=1)
        assert "AssertionError" not in out
        out, _ = printed(capsys, str(SAMPLE), "--output-format", form, "--show-content", code=1)
        assert "AssertionError" in out


def test_one_request_alone(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out, _ = printed(capsys, str(SAMPLE), "--request", "6", code=0)
    body = json.loads(SAMPLE.read_text("utf-8").splitlines()[5])["request"]
    assert json.loads(out) == body
    (tmp_path / "request.json").write_text(out)
    assert main(["check", str(tmp_path / "request.json")]) == 1


@pytest.mark.parametrize("number", ["8", "0", "-1", "x", "9" * 20])
def test_a_request_that_is_not_there(number: str, capsys: pytest.CaptureFixture[str]) -> None:
    _, err = printed(capsys, str(SAMPLE), f"--request={number}", code=2)
    assert err.count("\n") == 1


def test_a_request_of_claude_code_is_rebuilt(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out, _ = printed(capsys, written(tmp_path, LOGS["claude code"]), "--request", "1", code=0)
    assert json.loads(out)["messages"][1]["content"][0]["id"] == "t1"


def test_standard_input(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(SAMPLE.read_bytes()), isatty=lambda: False))
    out, _ = printed(capsys, "-", code=1)
    assert "first-break - --request 6 | toolpair -" in out


def test_a_sound_log(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out, _ = printed(capsys, written(tmp_path, [{"messages": HISTORY}]), code=0)
    assert out.endswith("1 request in 1 conversation, no pair broke.\n")


@pytest.mark.parametrize("name", LOGS)
def test_no_key_is_ever_printed(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = written(tmp_path, LOGS[name])
    for options in ([], ["--show-content"], ["--output-format", "json"]):
        out, err = printed(capsys, path, *options, code=1)
        assert SECRET not in out + err and SECRET[:14] not in out + err
    out, err = printed(capsys, path, "--request", "2", code=0)
    assert SECRET not in out + err


def test_what_is_no_log(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out, err = printed(capsys, written(tmp_path, HISTORY), code=2)
    assert not out
    assert err.count("\n") == 1
    for kind in ("JSON Lines", "LiteLLM", "Langfuse", "Helicone", "HAR", "OpenTelemetry", "Inspect", "Claude Code"):
        assert kind in err
    _, err = printed(capsys, str(tmp_path / "missing.jsonl"), code=2)
    assert err.count("\n") == 1


def test_what_was_not_checked_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    cut = litellm([], "success", 1_790_000_000.5)
    cut["messages"] = '[{"role": "user", "content": "aaa... (litellm_truncated'
    whole = litellm([{"role": "user", "content": "go... (litellm_truncated 9 chars)"}], "success", 1_790_000_001.5)
    path = tmp_path / "log.jsonl"
    path.write_bytes(lines([cut, whole]) + b'{"torn": \n')
    _, err = printed(capsys, str(path), code=0)
    assert err.splitlines() == [
        "toolpair: 1 line cannot be read, so its request is missing.",
        "toolpair: 1 request not checked: the log cut its prompt.",
        "toolpair: The log shortened texts of 1 request; what only such a text breaks is not reported.",
    ]
    path.write_bytes(lines([cut, cut]))
    _, err = printed(capsys, str(path), code=2)
    assert "None of the 2 requests" in err and "cut their prompts" in err


def test_a_provider_that_takes_it_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    log = [
        {"time": TIMES[0], "body": {"messages": HISTORY}},
        {"time": TIMES[1], "body": {"messages": BROKEN}, "status": 200},
    ]
    out, _ = printed(capsys, written(tmp_path, log), code=1)
    assert "API      answered 200: this provider took it" in out


def test_later_refusals_are_listed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    more = {"role": "user", "content": "and?"}
    log = [{"body": {"messages": HISTORY}}, {"body": {"messages": BROKEN}, "status": 503}]
    log += [{"body": {"messages": [*BROKEN, more, *[more] * n]}, "status": 400} for n in range(3)]
    out, _ = printed(capsys, written(tmp_path, log), code=1)
    assert "later    3 later requests of this conversation still have it; refused: request 3, 4, 5" in out


def test_a_body_that_only_this_command_reads_is_not_piped_on(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = written(tmp_path, [{"contents": GEMINI}, {"contents": GEMINI[:2] + GEMINI[:1]}])
    out, _ = printed(capsys, path, code=1)
    assert out.count(f"look     toolpair first-break {path} --request 2\n") == 1


def test_only_one_profile(capsys: pytest.CaptureFixture[str]) -> None:
    printed(capsys, str(SAMPLE), "--profile", "mistral", "--profile", "groq", code=2)
    printed(capsys, str(SAMPLE), "--profile", "nobody", code=2)


def test_nothing_in_a_log_reaches_the_terminal_as_a_control_sequence(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    evil = "\x1b]0;owned\x07\x1b[2J\u202e"
    history = json.loads(
        json.dumps(BROKEN).replace("t1", evil.encode("unicode_escape").decode().replace("\\x", "\\u00"))
    )
    log = [
        {"messages": HISTORY},
        {"session_id": evil, "body": {"messages": history}, "status": 400, "error": {"message": evil}},
    ]
    for options in ([], ["--show-content"], ["--output-format", "json"], ["--request", "2"]):
        main(["first-break", written(tmp_path, log), *options])
        out, err = capsys.readouterr()
        assert not {"\x1b", "\x07", "\u202e"} & set(out + err)
