"""Running an agent where it can reach nothing: a network namespace that has loopback alone, and an environment of its own.

A test calls `run(script, job)`: the script runs in the namespace and gets the job's path; what it writes there is its
answer. The script lets loopback work first and starts the agent with `environment(home)`.
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from toolpair.proof.isolation import prefix

ROOT = Path(__file__).resolve().parents[2]


def why_not() -> str | None:
    """Why no namespace can be had here; None when it can."""
    return None if prefix() is not None else "no network namespace can be had here (unshare -n needs root)"


def run(script: Path, job: Any, seconds: float) -> Any:
    """What the script makes of `job` (JSON values both) inside a namespace. It must be done within so many seconds."""
    before = prefix()
    if before is None:
        raise RuntimeError(why_not())
    with tempfile.TemporaryDirectory(prefix="toolpair-agent-") as folder:
        path = Path(folder) / "job.json"
        path.write_text(json.dumps(job))
        done = subprocess.run(
            [*before, sys.executable, str(script), str(path)],
            cwd=folder,
            env={"PATH": os.defpath, "PYTHONPATH": f"{ROOT}{os.pathsep}{ROOT / 'src'}", "HOME": folder},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=seconds,
        )
        if done.returncode:
            raise RuntimeError(done.stderr.decode(errors="replace")[-2000:])
        return json.loads(path.read_text())


def end_the_others() -> None:
    """Inside the namespace: end what an agent left running, which its own process group does not hold."""
    own = os.readlink("/proc/self/ns/net")
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit() and int(entry.name) != os.getpid():
            with contextlib.suppress(OSError):
                if os.readlink(entry / "ns/net") == own:
                    os.kill(int(entry.name), signal.SIGKILL)


def environment(home: Path, **more: str) -> dict[str, str]:
    """An environment that holds nothing of this machine's user: an empty home, and what the agent needs."""
    return {"PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": str(home), "TERM": "xterm", "LANG": "C.UTF-8", **more}
