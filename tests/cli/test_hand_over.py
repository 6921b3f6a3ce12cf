"""What a hand-over from one agent to another has lost, by what both would send."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import toolpair
from tests.conftest import SAMPLES
from toolpair.cli.main import main

SESSION = SAMPLES / "codex-killed.jsonl"


def _converted(tmp_path: Path, to: str = "openai-chat") -> tuple[Path, list[dict[str, object]]]:
    """A session that was repaired, and what a converter made of it for another API."""
    repaired = tmp_path / "repaired.jsonl"
    assert main(["fix", str(SESSION), "-o", str(repaired)]) in (0, 1)
    body = toolpair.export(toolpair.open(repaired), to=to).body
    messages = [message for message in body["messages"] if message["role"] != "system"]
    return repaired, messages


def _diff(a: Path, b: Path, capsys: pytest.CaptureFixture[str], code: int, *words: str) -> dict[str, object]:
    capsys.readouterr()
    assert main(["diff", str(a), str(b), "--sent", "--output-format", "json", *words]) == code
    found: dict[str, object] = json.loads(capsys.readouterr().out)
    return found


def test_a_converter_that_keeps_all_and_one_that_drops(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    ours, messages = _converted(tmp_path)
    theirs = tmp_path / "theirs.json"
    theirs.write_text(json.dumps(messages))
    found = _diff(ours, theirs, capsys, 0)
    assert found["same"] and found["a"]["sent"]["output"] > 1  # type: ignore[index]
    # Other names, ids, and outputs wrapped: what is said is the same.
    text = json.dumps(messages).replace("call_", "toolu_").replace('"name": "shell"', '"name": "Bash"')
    renamed = [
        {**one, "content": f"<output>\n{one['content']}\n</output>"} if one["role"] == "tool" else one
        for one in json.loads(text)
    ]
    theirs.write_text(json.dumps(renamed))
    assert {one["kind"] for one in _diff(ours, theirs, capsys, 1)["a"]["only"]} <= {"output"}  # type: ignore[index]
    # An output is a placeholder now, and a user's words are gone.
    outputs = [n for n, one in enumerate(messages) if one["role"] == "tool"]
    words = [n for n, one in enumerate(messages) if one["role"] == "user"]
    lost = str(messages[outputs[0]]["content"])
    messages[outputs[0]] = {**messages[outputs[0]], "content": "(not carried over)"}
    del messages[words[-1]]
    theirs.write_text(json.dumps(messages))
    found = _diff(ours, theirs, capsys, 1, "--show-content")
    only = {one["kind"]: one for one in found["a"]["only"]}  # type: ignore[index]
    assert set(only) == {"output", "words"}
    assert only["output"]["text"] == " ".join(lost.split()) and only["output"]["line"] is not None
    assert [one["text"] for one in found["b"]["only"]] == ["(not carried over)"]  # type: ignore[index]
    assert main(["diff", str(ours), str(theirs), "--sent"]) == 1
    said = capsys.readouterr().out
    assert f"{ours} sends what {theirs} does not: 1 of " in said and "output" in said and lost[:20] not in said
    assert main(["diff", str(ours), str(ours), "--sent"]) == 0
    assert capsys.readouterr().out.count(", too.") == 2


def test_what_an_agent_drops_is_not_sent(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A session and its repaired copy differ by what the repair brings back."""
    broken = SAMPLES / "claude-code-branches.jsonl"
    repaired = tmp_path / "repaired.jsonl"
    assert main(["fix", str(broken), "-o", str(repaired)]) == 0
    found = _diff(broken, repaired, capsys, 1)
    assert not found["a"]["only"]  # type: ignore[index]
    assert sum(one["kind"] == "output" for one in found["b"]["only"]) == 2  # type: ignore[index]


def test_one_of_two_equal_outputs_and_images_count(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    image = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "iVBORw0KGgo" * 9}}
    calls = [{"type": "tool_use", "id": f"toolu_{n}", "name": "Bash", "input": {}} for n in (1, 2)]
    results = [{"type": "tool_result", "tool_use_id": f"toolu_{n}", "content": "all 12 tests passed"} for n in (1, 2)]
    first = {"role": "user", "content": [{"type": "text", "text": "Look."}, image]}
    whole = [first, {"role": "assistant", "content": calls}, {"role": "user", "content": results}]
    less = [
        {"role": "user", "content": first["content"][:1]},
        whole[1],
        {"role": "user", "content": [results[0], {**results[1], "content": ""}]},
    ]
    a, b = tmp_path / "a.json", tmp_path / "b.json"
    a.write_text(json.dumps(whole))
    b.write_text(json.dumps(less))
    found = _diff(a, b, capsys, 1)
    assert sorted(one["kind"] for one in found["a"]["only"]) == ["image", "output"]  # type: ignore[index]
    assert _diff(a, a, capsys, 0)["same"]
