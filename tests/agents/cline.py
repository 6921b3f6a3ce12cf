"""What the real command line of Cline sends when it resumes a session file.

The agent is the script that TOOLPAIR_CLINE names (npm's `cline/bin/cline`; its `.bin/cline` may be a program), run by
the node that TOOLPAIR_NODE names, else by the one that is installed. It resumes on a terminal alone, where the prompt is
typed when the screen has come to rest.
"""

from __future__ import annotations

import base64
import fcntl
import json
import os
import pty
import re
import select
import signal
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from tests.agents import namespace, running
from tests.agents.running import NODE, Resumed
from tests.cline_sessions import ID, NAME
from toolpair.formats.asking import PROMPT

SECONDS_EACH = 90
_AGENT = (NODE, running.script("TOOLPAIR_CLINE"))
_MODEL = ("-P", "openai-compatible", "-k", "dummy", "-m", "mock-model")
_FAILED = re.compile(r"Error: (?:[^\x1b\r\n])+")


def why_not() -> str | None:
    """Why it cannot be asked here; None when it can."""
    return running.why_not("Cline's command line is not here (set TOOLPAIR_CLINE and TOOLPAIR_NODE)", *_AGENT)


def resume(files: Mapping[str, bytes], compactions: Mapping[str, bytes] | None = None) -> dict[str, Resumed]:
    """What is sent for each file, by the names that the caller gave. `compactions` lie beside the files."""
    beside = running.as_text(compactions or {})
    return running.resumed(__file__, files, SECONDS_EACH, agent=_AGENT, compactions=beside)


def _resume_one(job: Mapping[str, Any], name: str, data: bytes) -> dict[str, Any]:
    with running.at_home() as home:
        project, api = home.project, home.api
        environment = namespace.environment(home.folder, CLINE_TELEMETRY_DISABLED="1", CLINE_NO_AUTO_UPDATE="1")
        environment["PATH"] = os.pathsep.join((os.path.dirname(job["agent"][0]), environment.get("PATH", "")))
        environment["TERM"] = "xterm-256color"
        login = [*job["agent"], "auth", "-p", "openai-compatible", "-k", "dummy", "-m", "mock-model"]
        subprocess.run(
            [*login, "-b", f"{api.url}/v1"],
            env=environment,
            cwd=project,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=SECONDS_EACH,
        )
        path = home.folder / ".cline" / "data" / "sessions" / ID / NAME
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
        about = {
            "version": 1, "session_id": ID, "source": "cli", "pid": 1, "started_at": "2026-11-21T08:09:14.500Z",
            "ended_at": "2026-11-21T08:09:16.231Z", "exit_code": 0, "status": "completed", "interactive": False,
            "provider": "openai-compatible", "model": "mock-model", "cwd": str(project), "workspace_root": str(project),
            "enable_tools": True, "enable_spawn": True, "enable_teams": True, "prompt": "x", "metadata": {},
            "messages_path": str(path),
        }  # fmt: skip
        if name in job["compactions"]:
            (path.parent / f"{ID}.compaction.json").write_bytes(base64.b64decode(job["compactions"][name]))
        (path.parent / f"{ID}.json").write_text(json.dumps(about))

        def asked() -> list[running.Messages]:
            return running.asked(api, "/completions")

        note = _typed([*job["agent"], *_MODEL, "--auto-approve", "true", "--id", ID], project, environment, asked)
        return running.told(asked(), note)


def _typed(
    command: Sequence[str], folder: Path, environment: Mapping[str, str], done: Callable[[], Sequence[Any]]
) -> str:
    """Runs the command on a terminal, types the prompt, and waits until it is done or shows an error."""
    process, terminal = pty.fork()
    if process == 0:
        os.chdir(folder)
        os.execve(command[0], list(command), dict(environment))
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 120, 0, 0))
    started = moved = time.monotonic()
    to_type, shown = [b"\r", PROMPT.encode()], b""
    try:
        while time.monotonic() - started < SECONDS_EACH and not done():
            if select.select([terminal], [], [], 0.2)[0]:
                try:
                    read = os.read(terminal, 1 << 16)
                except OSError:
                    break
                if not read:
                    break
                shown, moved = shown + read, time.monotonic()
            quiet = time.monotonic() - moved
            if to_type and shown and (quiet > 2 or time.monotonic() - started > 30):
                os.write(terminal, to_type.pop())
                moved = time.monotonic()
            elif not to_type and quiet > 2 and _FAILED.search(shown.decode(errors="replace")):
                break
    finally:
        os.killpg(process, signal.SIGKILL)
        os.waitpid(process, 0)
        os.close(terminal)
    failed = _FAILED.search(shown.decode(errors="replace"))
    return failed[0] if failed is not None else shown.decode(errors="replace")[-400:]


if __name__ == "__main__":
    running.answer_job(sys.argv[1], _resume_one)
