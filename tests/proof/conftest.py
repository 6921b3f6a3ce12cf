"""A program that plays Claude Code, a session for it, and a home that must not be touched."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

_AGENT = """#!{python}
import json, os, subprocess, sys, time, urllib.request
from pathlib import Path

def once(messages):
    if not messages or messages[-1]["role"] != record["message"]["role"]:
        messages.append({{"role": record["message"]["role"], "content": []}})
    content = record["message"]["content"]
    messages[-1]["content"] += [{{"type": "text", "text": content}}] if isinstance(content, str) else content

mode = {mode!r}
Path({seen!r}).write_text(json.dumps({{"pid": os.getpid(), "env": dict(os.environ), "cwd": os.getcwd()}}))
Path.home().joinpath("left-by-the-agent").write_text("x")
if mode == "fails":
    sys.stderr.write("\\x1b[31mno such session\\x1b[0m")
    sys.exit(3)
if mode == "asks":
    assert not sys.stdin.read(), "nobody answers"
    try:
        sys.exit(f"a person's terminal: {{open('/dev/tty')}}")
    except OSError:
        pass
if mode in ("hangs", "leaves"):
    subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"], start_new_session=True)
if mode == "hangs":
    time.sleep(600)
name = sys.argv[sys.argv.index("--resume") + 1]
(path,) = Path.home().glob(f".claude/projects/*/{{name}}.jsonl")
messages = []
for line in path.read_text().splitlines():
    record = json.loads(line)
    if record["type"] in ("user", "assistant"):
        once(messages)
if mode == "drops":
    del messages[1:3]
if mode == "counts":
    left = "\\n\\n<system-reminder>\\n<total_tokens>999 tokens left</total_tokens>\\n</system-reminder>"
    messages[2]["content"][0]["content"] += left
messages.append({{"role": "user", "content": [{{"type": "text", "text": "go on"}}]}})
body = json.dumps({{"model": "m", "tools": [{{"name": "Bash"}}], "messages": messages}}).encode()
request = urllib.request.Request(os.environ["ANTHROPIC_BASE_URL"] + "/v1/messages", body)
assert b"resumed" in urllib.request.urlopen(request).read()
path.write_text("changed by the agent")
"""


@pytest.fixture
def session(tmp_path: Path) -> Path:
    """Two turns with a call each, sound."""
    path = tmp_path / "session.jsonl"
    records = []
    for number, (role, content) in enumerate(
        [
            ("user", "List the files."),
            ("assistant", [{"type": "tool_use", "id": "toolu_01A", "name": "Bash", "input": {"command": "ls"}}]),
            ("user", [{"type": "tool_result", "tool_use_id": "toolu_01A", "content": "cart.py and prices.py"}]),
            ("assistant", [{"type": "text", "text": "There are two files."}]),
        ]
    ):
        record = {
            "type": role,
            "uuid": f"11111111-1111-4111-8111-{number:012d}",
            "parentUuid": f"11111111-1111-4111-8111-{number - 1:012d}" if number else None,
            "sessionId": "5e551011-0000-4000-8000-000000000001",
            "version": "2.1.330",
            "cwd": "/home/dev/shop",
            "timestamp": f"2026-11-02T10:00:0{number}.000Z",
            "message": {"role": role, "content": content, **({"id": f"msg_{number}"} if role == "assistant" else {})},
        }
        records.append(json.dumps(record))
    path.write_text("\n".join(records) + "\n")
    return path


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home and a folder for temporary files."""
    folder = tmp_path / "home"
    folder.mkdir()
    monkeypatch.setenv("HOME", str(folder))
    monkeypatch.setenv("SECRET", "of the user")
    (tmp_path / "tmp").mkdir()
    monkeypatch.setenv("TMPDIR", str(tmp_path / "tmp"))
    monkeypatch.setattr("tempfile.tempdir", None)
    return folder


def program(folder: Path, mode: str) -> Path:
    path = folder / "claude"
    path.write_text(_AGENT.format(python=sys.executable, mode=mode, seen=str(folder / "seen.json")))
    path.chmod(0o755)
    return path
