"""What the scripts that run in the namespace have in common: one agent resumed, and a whole job of files."""

from __future__ import annotations

import base64
import json
import subprocess
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from tests.agents import namespace

AT_ONCE = 2


def as_text(files: Mapping[str, bytes]) -> dict[str, str]:
    """Files as a job's JSON can carry them."""
    return {name: base64.b64encode(data).decode() for name, data in files.items()}


def answers(script: str, job: Mapping[str, Any], seconds_each: int) -> dict[str, dict[str, Any]]:
    """What the script makes of each of the job's `files`. `seconds_each` is how long one may take."""
    seconds = 60 + seconds_each * (len(job["files"]) // AT_ONCE + 1)
    said: dict[str, dict[str, Any]] = namespace.run(Path(script), job, seconds)
    return said


def note_of(command: Sequence[str], folder: Path, environment: Mapping[str, str], seconds: int) -> str:
    """Runs the agent; what it says when it fails, empty when it does not."""
    try:
        done = subprocess.run(
            command, cwd=folder, env=environment, stdin=subprocess.DEVNULL, capture_output=True, timeout=seconds
        )
    except subprocess.TimeoutExpired:
        return f"no answer within {seconds} s"
    return (done.stderr or done.stdout).decode(errors="replace")[-400:] if done.returncode else ""


def said_by(command: Sequence[str], folder: Path, environment: Mapping[str, str], seconds: int) -> str:
    """Runs the agent; what it says."""
    done = subprocess.run(
        command, cwd=folder, env=environment, stdin=subprocess.DEVNULL, capture_output=True, timeout=seconds
    )
    return done.stdout.decode(errors="replace")


def answer_job(path: str, resume: Callable[[Mapping[str, Any], str, bytes], Any]) -> None:
    """The script's side: `resume(job, name, data)` for each file, its answers written in the job's place."""
    namespace.loopback_up()
    job = json.loads(Path(path).read_text())
    try:
        with ThreadPoolExecutor(AT_ONCE) as pool:
            files = {name: base64.b64decode(data) for name, data in job["files"].items()}
            futures = {name: pool.submit(resume, job, name, data) for name, data in files.items()}
            said = {name: future.result() for name, future in futures.items()}
    finally:
        namespace.end_the_others()
    Path(path).write_text(json.dumps(said))
