"""`toolpair diff A B`: exit codes as `diff` has them, what differs, and nothing that a call or a result says unasked."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import Run
from tests.history.test_two_histories import distinct, messages
from tests.session_folders import SESSION, claude_session


def written(path: Path, of: list[Any]) -> Path:
    path.write_text(json.dumps(of))
    return path


def test_the_same_is_0_different_1_unreadable_2(run: Run, tmp_path: Path) -> None:
    of = messages(distinct(5))
    a, b, c = (written(tmp_path / f"{name}.json", of) for name in "abc")
    written(c, messages(distinct(4)))
    same = run("diff", a, b)
    assert (same.code, same.err) == (0, "") and "The histories are the same." in same.out
    assert run("diff", a, c).code == 1
    lost = run("diff", a, tmp_path / "nowhere.json")
    assert lost.code == 2 and not lost.out and lost.err.count("\n") == 1
    assert run("diff", a, "-", stdin=json.dumps(of).encode()).code == 0
    assert run("diff", "-", "-").code == 2


def test_layout_and_order_of_keys_do_not_count_but_ids_do(run: Run, tmp_path: Path) -> None:
    of = messages(distinct(3))
    a, b = written(tmp_path / "a.json", of), tmp_path / "b.json"
    b.write_text(json.dumps(of, indent=3, sort_keys=True))
    assert run("diff", a, b).code == 0
    b.write_text(a.read_text().replace('"t1"', '"u1"'))
    ran = run("diff", a, b)
    assert ran.code == 1 and "id differs" in ran.out and "t1 | u1" in ran.out
    assert run("diff", a, b, "--ignore-ids").code == 0


def test_what_is_said_is_printed_only_when_asked_for(run: Run, tmp_path: Path) -> None:
    of = distinct(3)
    a = written(tmp_path / "a.json", messages(of))
    b = written(tmp_path / "b.json", messages([*of[:2], (*of[2][:2], "SECRET 9", "t2"), ("Bash", "HIDDEN", "x", "t9")]))
    for form in ("text", "json"):
        quiet = run("diff", a, b, "--output-format", form)
        assert quiet.code == 1 and "SECRET" not in quiet.out and "HIDDEN" not in quiet.out
        loud = run("diff", a, b, "--output-format", form, "--show-content")
        assert "SECRET" in loud.out and "HIDDEN" in loud.out and "output 2" in loud.out


def test_json_has_each_difference_with_its_places(run: Run, tmp_path: Path) -> None:
    of = distinct(4)
    a = written(tmp_path / "a.json", messages(of))
    b = written(tmp_path / "b.json", messages([of[0], (*of[1][:2], "other", "t1"), *of[3:]]))
    found = run("diff", a, b, "--output-format", "json").json
    assert found["version"] == 1 and not found["same"] and found["a"]["path"] == str(a)
    [one] = found["conversations"]
    assert one["counts"]["same"] == {"pairs": 2, "others": 1} and one["parting"] is None
    changed, gone = one["differences"]
    assert (changed["kind"], changed["differs"]) == ("differs", ["result"])
    assert changed["a"]["pair"] == changed["b"]["pair"] == 1 and changed["a"]["call_id"] == "t1"
    assert (gone["kind"], gone["a"]["pair"], gone["b"]) == ("only_a", 2, None)


def test_before_and_after_a_repair_and_back_again(run: Run, samples: Path, tmp_path: Path) -> None:
    path = Path(shutil.copy(samples / "interrupted-call.json", tmp_path / "s.json"))
    assert run("fix", path, "--in-place").code == 0
    [backup] = tmp_path.glob("*.bak")
    found = run("diff", backup, path, "--output-format", "json").json
    kinds = [(one["kind"], one["differs"]) for one in found["conversations"][0]["differences"]]
    assert kinds == [("differs", ["result"])]
    assert run("restore", path, "--backup", "latest").code == 0
    assert run("diff", backup, path).code == 0


def test_an_id_names_a_session(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path / ".claude"))
    path = claude_session(tmp_path / ".claude", pairs=4)
    assert run("diff", SESSION[:8], path).code == 0


def test_a_fork_says_what_it_inherits_and_where_it_parts(run: Run, tmp_path: Path) -> None:
    """Codex's forks do not repeat what they continue."""
    first, fork = "01a1fd17-d37f-7833-bddc-d042d96e8488", "01a1fd17-d6b8-7b11-aa5c-78d905bdad01"
    base, own = rollout(first, "First.", "c1"), rollout(fork, "Branch off.", "c2")
    size = len(b"".join(base))
    own[0] = line({"type": "session_meta", "payload": {**META, "id": fork, "forked_from_id": first, "history_mode": "paginated",
                   "history_base": {"thread_id": first, "end_ordinal_exclusive": 4, "end_byte_offset": size}}})  # fmt: skip
    a, b = (tmp_path / f"rollout-2026-11-21T07-52-3{n}-{id_}.jsonl" for n, id_ in enumerate((first, fork)))
    a.write_bytes(b"".join([*base, *rollout(first, "Go on here.", "c3")[1:]]))
    b.write_bytes(b"".join(own))
    ran = run("diff", a, b)
    assert ran.code == 1 and "1 pair and 1 message are the same" in ran.out
    assert "They part here: A goes on with 1 pair, B with 1 pair" in ran.out


META = {"cwd": "/p", "originator": "codex", "cli_version": "0.169.0", "timestamp": "2026-11-21T07:52:39.000Z"}


def line(record: dict[str, Any]) -> bytes:
    return json.dumps({"timestamp": "2026-11-21T07:52:39.000Z", **record}).encode() + b"\n"


def rollout(id_: str, asks: str, call: str) -> list[bytes]:
    items: list[Any] = [
        {"type": "message", "role": "user", "content": [{"type": "input_text", "text": asks}]},
        {"type": "function_call", "name": "shell", "arguments": "{}", "call_id": call},
        {"type": "function_call_output", "call_id": call, "output": f"done {call}"},
    ]
    return [
        line({"type": "session_meta", "payload": {**META, "id": id_}}),
        *(line({"type": "response_item", "payload": item}) for item in items),
    ]
