"""`toolpair export`: the body on standard output, what is to be said on standard error."""

from __future__ import annotations

import json
import stat
from pathlib import Path

import pytest

from tests.cli.conftest import Run
from tests.reports import one_of_everything as everything
from tests.reports.recorded_requests import recording
from tests.reports.test_export import failed, missing
from toolpair.reports.export.targets import TARGETS

SAMPLES = Path(__file__).resolve().parents[2] / "sample_sessions"


def written(folder: Path, value: object) -> Path:
    path = folder / "body.json"
    path.write_text(json.dumps(value))
    return path


def test_the_body_alone_is_on_standard_output(run: Run, tmp_path: Path) -> None:
    ran = run("export", written(tmp_path, everything.anthropic()), "--to", "anthropic")
    assert (ran.code, json.loads(ran.out)) == (0, everything.anthropic())
    assert ran.err == ""


def test_what_is_lost_changed_and_made_up_is_one_sentence_each(run: Run, tmp_path: Path) -> None:
    ran = run("export", written(tmp_path, everything.anthropic()), "--to", "openai-chat")
    said = ran.err.splitlines()
    assert "toolpair: Left out 2 thinking blocks: reasoning is signed or sealed for the model that wrote it." in said
    assert (
        "toolpair: Began 1 failed result with `Error: `: OpenAI Chat Completions has no field for a failed result."
        in said
    )
    assert "toolpair: Made up: the model is $MODEL, to be named when the body is sent." in said
    assert all(line.startswith("toolpair: ") and line.endswith(".") for line in said)
    assert ran.code == 0


def test_a_file_is_for_its_owner_alone_and_never_overwritten_unasked(run: Run, tmp_path: Path) -> None:
    source, out = written(tmp_path, everything.anthropic()), tmp_path / "out.json"
    assert run("export", source, "--to", "gemini", "-o", out).code == 0
    assert stat.S_IMODE(out.stat().st_mode) == 0o600
    first = out.read_bytes()
    again = run("export", source, "--to", "anthropic", "-o", out)
    assert again.code == 3 and "already exists" in again.err and out.read_bytes() == first
    assert run("export", source, "--to", "anthropic", "-o", out, "--force").code == 0
    assert json.loads(out.read_bytes()) == everything.anthropic()


def test_the_session_itself_is_never_the_output(run: Run, tmp_path: Path) -> None:
    source = written(tmp_path, everything.anthropic())
    before = source.read_bytes()
    ran = run("export", source, "--to", "gemini", "-o", source, "--force")
    assert ran.code == 2 and "OUT is the session itself" in ran.err and source.read_bytes() == before


def test_a_broken_session_is_fixed_in_memory_only(run: Run, tmp_path: Path) -> None:
    source = written(tmp_path, missing())
    before = source.read_bytes()
    ran = run("export", source, "--to", "anthropic")
    assert "Fixed first, in memory only: write" in ran.err and "No result was recorded" in ran.out
    as_is = run("export", source, "--to", "anthropic", "--as-is")
    assert "Fixed" not in as_is.err and json.loads(as_is.out)["messages"][1:] == missing()[1:]
    assert source.read_bytes() == before


def test_what_cannot_be_fixed_is_refused_with_its_name_and_nothing_is_written(run: Run, tmp_path: Path) -> None:
    source = written(tmp_path, {"model": "m", "tools": [], "messages": failed({"content": "x"})})
    out = tmp_path / "out.json"
    arguments = ("export", source, "--profile", "bedrock-converse", "--to", "anthropic", "-o", out)
    ran = run(*arguments)
    assert ran.code == 1 and "(tools.undeclared)" in ran.err and not out.exists() and ran.out == ""
    assert run(*arguments, "--as-is").code == 0 and out.exists()


def test_the_request_that_a_turn_came_from(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "session.jsonl"
    made = recording()
    path.write_bytes(made.to_bytes())
    ran = run("export", path, "--to", "anthropic", "--turn", "2")
    assert json.loads(ran.out)["messages"] == made.sent[1]["messages"]
    assert ran.err == "toolpair: The request that produced turn 2 of 3, as the agent recorded it.\n"
    none = run("export", path, "--to", "anthropic", "--turn", "4")
    assert (none.code, none.err) == (2, "toolpair: There is no assistant turn 4. There are 3.\n")


def test_ids_that_change_are_listed(run: Run, tmp_path: Path) -> None:
    messages = []
    for number in range(25):
        call = {"id": f"functions.run:{number}", "type": "function", "function": {"name": "run", "arguments": "{}"}}
        messages += [
            {"role": "user", "content": "go"},
            {"role": "assistant", "content": None, "tool_calls": [call]},
            {"role": "tool", "tool_call_id": call["id"], "content": "done"},
        ]
    source = written(tmp_path, messages)
    ran = run("export", source, "--to", "anthropic")
    assert "Renamed 25 ids that anthropic does not accept:" in ran.err and "and 5 more; --ids lists all" in ran.err
    assert ran.err.count(" -> ") == 20
    assert run("export", source, "--to", "anthropic", "--ids").err.count(" -> ") == 25
    assert "Renamed" not in run("export", source, "--to", "openai-chat").err


def test_one_of_several_conversations(run: Run) -> None:
    log = SAMPLES / "request-log.jsonl"
    last, first = (run("export", log, "--to", "anthropic", *more).out for more in ((), ("--conversation", "1")))
    assert last != first
    assert run("export", log, "--to", "anthropic", "--conversation", "3").out == last
    ran = run("export", log, "--to", "anthropic", "--conversation", "4")
    assert ran.code == 2 and "There is no conversation 4: the file has 3 conversations." in ran.err


@pytest.mark.parametrize("to", TARGETS)
@pytest.mark.parametrize("how", ["--curl", "--python"])
def test_how_to_send_it_names_the_file_and_no_secret(run: Run, tmp_path: Path, to: str, how: str) -> None:
    out = tmp_path / "it's a body.json"
    source = written(tmp_path, everything.anthropic())
    ran = run("export", source, "--to", to, "-o", out, how)
    assert ran.code == 0 and out.exists() and "body.json" in ran.out
    without = run("export", source, "--to", to, how)
    assert without.code == 2 and "name one for the body with -o" in without.err


def test_an_unknown_api_is_bad_usage(run: Run, tmp_path: Path) -> None:
    assert run("export", written(tmp_path, missing()), "--to", "claude").code == 2
    assert run("export", written(tmp_path, missing())).code == 2
