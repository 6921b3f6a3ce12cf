"""`fix --diff`: only what differs inside a line; and what `patch` takes."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.conftest import Run
from tests.patience import PATIENCE

Copy = Callable[[str], Path]
needs_patch = pytest.mark.skipif(shutil.which("patch") is None, reason="no patch here")


def test_only_what_differs_is_marked(run: Run, copy: Copy) -> None:
    ran = run("fix", copy("sanitised-on-one-side.json"), "--diff")
    marked = re.findall(r"\[-(.*?)-\]\{\+(.*?)\+\}", ran.out)
    assert marked[0] == ("functions.read_file:0", "functions_read_file_0") and len(marked) == 4
    assert all(len(line) < 200 for line in ran.out.splitlines())
    assert ran.code == 1
    coloured = run("fix", copy("sanitised-on-one-side.json"), "--diff", "--color", "always").out
    assert '"functions\x1b[7;31m.\x1b[0mread_file\x1b[7;31m:\x1b[0m0"' in coloured
    assert '"functions\x1b[7;32m_\x1b[0mread_file\x1b[7;32m_\x1b[0m0"' in coloured
    assert "[-" not in coloured


def test_what_only_counts_is_one_line(run: Run, copy: Copy) -> None:
    ran = run("fix", copy("codex-killed.jsonl"), "--diff")
    assert "@@ 6 lines, 12 to 17: only ordinal 11 → 13 … 16 → 18 @@\n" in ran.out
    assert ran.out.count("ordinal") < 8
    relinked = run("fix", copy("claude-code-branches.jsonl"), "--diff").out
    assert re.search(r"@@ line 14: only parentUuid 367b7be4-… → d63c87c7-… @@\n", relinked)


def test_whole_lines_when_asked(run: Run, copy: Copy) -> None:
    out = run("fix", copy("codex-killed.jsonl"), "--diff", "--show-content").out
    assert "more characters" not in out and "…" not in out
    assert out.count('"ordinal":[-') == 14


def test_exit_codes(run: Run, copy: Copy, samples: Path) -> None:
    assert run("fix", copy("valid.json"), "--diff").code == 0
    assert run("fix", copy("codex-killed.jsonl"), "--diff").code == 1
    assert run("fix", copy("codex-killed.jsonl"), "--diff", "--ignore", "result").code == 1
    assert run("fix", copy("codex-killed.jsonl"), "--diff", "--output-format", "json").code == 1
    assert run("fix", "gone.json", "--diff").code == 2


@needs_patch
@pytest.mark.parametrize("ends", ["\n", "\r\n"])
@pytest.mark.parametrize("last", [True, False])
@pytest.mark.parametrize(
    "name",
    ["sanitised-on-one-side.json", "codex-killed.jsonl", "claude-code-branches.jsonl", "damaged.jsonl",
     "parallel-swapped.json", "request-log.jsonl", "openai-chat-missing.json", "text-before-result.json"],
)  # fmt: skip
def test_patch_takes_it(run: Run, copy: Copy, name: str, ends: str, last: bool) -> None:
    path = copy(name)
    data = path.read_bytes().replace(b"\n", ends.encode())
    path.write_bytes(data if last else data.rstrip(b"\r\n"))
    wanted = run("fix", path, "-o", "-").raw
    diff = run("fix", path, "--diff", "--output-format", "patch")
    assert diff.code == 1 and diff.raw.startswith(b"--- ")
    ran = subprocess.run(["patch", "-s", str(path)], input=diff.raw, capture_output=True, timeout=PATIENCE)
    assert ran.returncode == 0, ran.stdout
    assert path.read_bytes() == wanted


def test_a_patch_of_what_is_valid_is_empty(run: Run, copy: Copy) -> None:
    ran = run("fix", copy("valid.json"), "--diff", "--output-format", "patch")
    assert ran.raw == b"" and ran.code == 0


def test_a_patch_of_standard_input(run: Run, samples: Path) -> None:
    data = (samples / "sanitised-on-one-side.json").read_bytes()
    assert run("fix", "-", "--diff", "--output-format", "patch", stdin=data).raw.startswith(
        b"--- -\n+++ -\n@@ -1 +1 @@\n"
    )


def test_what_is_never_written_back_has_no_patch(run: Run, copy: Copy, samples: Path) -> None:
    ran = run("fix", copy("python-repr.txt"), "--diff", "--output-format", "patch")
    assert ran.code == 2 and ran.raw == b"" and "no patch" in ran.err
    data = (samples / "python-repr.txt").read_bytes()
    assert run("fix", "-", "--diff", "--output-format", "patch", stdin=data).code == 2


def test_nothing_of_the_file_reaches_the_terminal(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "x.json"
    messages = [
        {"role": "user", "content": "go"},
        {"role": "assistant", "content": [{"type": "tool_use", "id": "a_b", "name": "r", "input": {}}]},
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "a.b", "content": "\x9b2J\u202e"}]},
    ]
    path.write_text(json.dumps(messages, ensure_ascii=False), encoding="utf-8")
    out = run("fix", path, "--diff").out
    assert "a_b" in out and not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f\u202e]", out)
