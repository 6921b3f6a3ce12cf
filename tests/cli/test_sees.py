"""`toolpair sees`: what the model would be given, now and after the fixes."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

from tests.agents import planted
from tests.cli.conftest import Run


def broken(folder: Path, name: str) -> Path:
    path = folder / "session.jsonl"
    path.write_bytes(planted.corpus_file(name))
    return path


def test_what_is_left_out_stands_in_its_place_with_a_mark(run: Run, tmp_path: Path) -> None:
    ran = run("sees", broken(tmp_path, "id_sanitised"))
    before, after = ran.out.split("after 1 recommended fix")
    assert "What Claude Code 2.1.332 sends when it resumes now" in before
    (lost,) = [line for line in before.splitlines() if "output D" in line]
    assert lost.endswith("[left out]")
    assert before.index("output C") < before.index("output D") < before.index("output E")
    assert "(no content)  [added]" in before
    assert "7 of 8 outputs reach the model; 2 left out; 1 added by the agent." in before
    (found,) = [line for line in after.splitlines() if "output D" in line]
    assert "[" not in found and "8 of 8 outputs reach the model." in after
    assert ran.code == 0


def test_moved_and_replaced_results_are_marked(run: Run, tmp_path: Path) -> None:
    moved = run("sees", broken(tmp_path, "result_before_call"), "--before").out
    assert [line for line in moved.splitlines() if "output D" in line and line.endswith("[moved]")]
    replaced = run("sees", broken(tmp_path, "result_late"), "--before").out
    assert [line for line in replaced.splitlines() if "output D" in line and line.endswith("[replaced]")]
    assert "[moved]" not in run("sees", broken(tmp_path, "sound"), "--before").out


def test_only_one_of_the_two_histories(run: Run, tmp_path: Path) -> None:
    path = broken(tmp_path, "id_sanitised")
    assert "recommended" not in run("sees", path, "--before").out
    fixed = run("sees", path, "--fixed").out
    assert "as it is" not in fixed and "8 of 8" in fixed
    assert run("sees", path, "--fixed", "--before").code == 2


def test_the_json_holds_contents_only_when_they_are_asked_for(run: Run, tmp_path: Path) -> None:
    path = broken(tmp_path, "fork")
    ran = run("sees", path, "--output-format", "json")
    assert b"output A" not in ran.raw and b"first words" not in ran.raw
    found = ran.json
    assert (found["version"], found["agent"], found["agent_version"]) == (1, "Claude Code", "2.1.332")
    assert found["outputs"]["seen"] == found["outputs"]["total"] > 0
    assert len(found["records"]) == len(path.read_bytes().splitlines())
    assert {record["scope"] for record in found["records"]} == {"active", "inactive"}
    assert not any(record["sent"] for record in found["records"] if record["scope"] == "inactive")
    assert [record["line"] for record in found["records"]] == list(range(1, len(found["records"]) + 1))
    shown = run("sees", path, "--output-format", "json", "--show-content").json
    assert shown["messages"][0]["blocks"][0]["value"] == {"type": "text", "text": "first words"}


def test_json_of_a_broken_file_says_what_the_fixes_change(run: Run, tmp_path: Path) -> None:
    found = run("sees", broken(tmp_path, "parent_unknown"), "--output-format", "json").json
    assert found["outputs"] == {"total": 8, "seen": 5, "shortened": 0}
    assert found["after"]["fixes"] >= 1 and found["after"]["outputs"] == {"total": 8, "seen": 8, "shortened": 0}
    assert len(found["after"]["messages"]) > len(found["messages"])


def test_a_session_that_the_agent_does_not_find(run: Run, tmp_path: Path) -> None:
    path = broken(tmp_path, "no_timestamp_at_end")
    ran = run("sees", path, "--before", "--agent-version", "2.1.329")
    assert "its last line has no timestamp" in ran.out and "Nothing is sent; 8 outputs in the file." in ran.out
    assert run("sees", path, "--output-format", "json", "--agent-version", "2.1.329").json["refuses"] is not None
    assert run("sees", path, "--output-format", "json", "--agent-version", "2.1.330").json["refuses"] is None


def test_the_json_has_what_is_sent_and_what_is_left_out_apart(run: Run, tmp_path: Path) -> None:
    found = run("sees", broken(tmp_path, "id_sanitised"), "--before", "--output-format", "json").json
    assert [message["number"] for message in found["messages"]] == list(range(len(found["messages"])))
    fates = {block["fate"] for message in found["messages"] for block in message["blocks"]}
    assert fates <= {"sent", "changed", "added"}
    lost = [(one["before"], block["id"], block["fate"]) for one in found["left_out"] for block in one["blocks"]]
    ids = [block["id"] for message in found["messages"][: lost[0][0]] for block in message["blocks"]]
    assert [fate for _, _, fate in lost] == ["dropped", "dropped"] and lost[0][1] == "toolu_01D"
    assert "toolu_01C" in ids and "toolu_01E" not in ids


def test_who_sends_a_plain_list_is_not_known(run: Run, copy: Callable[[str], Path]) -> None:
    ran = run("sees", copy("interrupted-call.json"), "--before")
    assert ran.code == 0 and "It is not known which program sends this history" in ran.out
    assert "added by" not in ran.out and "left out" not in ran.out


def test_a_line_end_at_the_end_of_an_output_begins_no_line(run: Run, copy: Callable[[str], Path]) -> None:
    path = copy("kimi-code-late-result.jsonl")
    assert "from decimal import Decimal  (14 lines)  [left out]" in run("sees", path, "--before").out


def test_what_is_shown_cannot_command_the_terminal(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "session.jsonl"
    path.write_bytes(planted.corpus_file("sound").replace(b"output D", b"\\u001b[2Joutput D"))
    for arguments in ([], ["--show-content"]):
        ran = run("sees", path, *arguments)
        assert "\x1b" not in ran.out and "output D" in ran.out


def test_what_cannot_be_read_is_said_in_one_sentence(run: Run, tmp_path: Path) -> None:
    ran = run("sees", tmp_path / "none.jsonl")
    assert ran.code == 2 and ran.err.count("\n") == 1


def test_what_says_content_unasked_is_what_readme_names(run: Run, tmp_path: Path) -> None:
    """Reports name ids and places; two commands exist to show more."""
    call = {"type": "tool_use", "id": "functions.read:0", "name": "Read", "input": {"path": "<argument>"}}
    result = {"type": "tool_result", "tool_use_id": "functions_read_0", "content": "<output>"}
    path = tmp_path / "session.json"
    messages = [{"role": "user", "content": "<words>"}, {"role": "assistant", "content": [call]}]
    path.write_text(json.dumps([*messages, {"role": "user", "content": [result]}]))
    said = ("<argument>", "<output>", "<words>")
    for command in ("check", "compare", "fix -o OUT", "explain result.id_mismatch", "restore"):
        words = command.replace("OUT", str(tmp_path / "out.json")).split()
        at = 2 if words[0] == "explain" else 1
        ran = run(*words[:at], path, *words[at:])
        assert not any(text in ran.out + ran.err for text in said), command
    assert "<argument>" in run("fix", path, "--diff").out
    assert "<words>" in run("sees", path).out
    page = " ".join((Path(__file__).resolve().parents[2] / "docs/commands.md").read_text().split())
    assert "`fix --diff` prints what differs" in page and "`sees` the beginning of each message" in page


def test_what_the_model_saw_at_a_request(run: Run, copy: Callable[[str], Path]) -> None:
    path = str(copy("claude-code-branches.jsonl"))
    shown = run("sees", path, "--request", "-1")
    assert shown.code == 0 and shown.out.startswith("Request 4, answered in line 16, as modelled: what Claude Code ")
    assert "Since the request before: 1 more (Bash), 2 gone: compacted, or no longer sent." in shown.out
    assert "new: Claude Code forgets everything before this line" in shown.out and "pytest -q" in shown.out
    for number, said in (("9", "There is no request 9: the model was asked 4 times."), ("0", "--request takes")):
        refused = run("sees", path, "--request", number)
        assert refused.code == 2 and said in refused.err
    unknown = run("sees", str(copy("openclaw-cut-history.db")), "--request", "1")
    assert unknown.code == 2 and "is not known: the file no longer shows it." in unknown.err
