"""Starting the process in which an agent is asked, and ending all of it."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final

import msgspec
import psutil

from toolpair.formats.agent import Agent
from toolpair.proof import isolation
from toolpair.proof.inside import Answer, Copy, Job

_EXTRA: Final = 60
"""Seconds besides those that the agent may take."""
_LOOK: Final = 0.2
"""Seconds between looks whether it was stopped."""


class CannotAsk(Exception):
    """Why an agent cannot be asked, as the end of a sentence."""


def ask(
    agent: Agent,
    program: Sequence[str],
    copies: Mapping[str, Copy],
    *,
    isolated: bool = True,
    seconds: int | None = None,
    at_once: int = 1,
    says_version: bool = False,
    stopped: Callable[[], bool] = lambda: False,
) -> dict[str, Answer]:
    """What the agent makes of each copy, by the names that the caller gave.

    `isolated`: in a network with loopback alone. `seconds`: how long it may take, each time. With `says_version` each
    answer has the version that the agent says it has. `stopped` is asked now and then. Whatever happens, all that was
    started is ended. Raises CannotAsk.
    """
    before = isolation.prefix() if isolated else ()
    if before is None:
        raise CannotAsk("no network of its own can be had here")
    seconds = seconds or agent.ask.found.seconds
    search = os.environ.get("PATH", os.defpath)
    job = Job(agent.id, tuple(program), search, isolated, copies, seconds, at_once, says_version)
    tries = sum(copy.times for copy in copies.values()) // at_once + 1
    with tempfile.TemporaryDirectory(prefix="toolpair-prove-") as folder:
        path = Path(folder) / "job.json"
        path.write_bytes(msgspec.json.encode(job))
        said_at = path.with_suffix(".stderr")
        # Its input stays open as long as this process lives: it ends itself, and all that it started, when that ends.
        with said_at.open("wb") as errors:
            process = subprocess.Popen(
                [*before, sys.executable, "-m", "toolpair.proof.inside", str(path)],
                cwd=folder,
                env={
                    "PATH": os.defpath,
                    "PYTHONPATH": os.pathsep.join(filter(None, sys.path)),
                    "HOME": folder,
                    "TMPDIR": folder,
                },
                stdin=subprocess.PIPE,
                stdout=subprocess.DEVNULL,
                stderr=errors,
                start_new_session=True,
            )
        try:
            is_done = _is_done(process, _EXTRA + seconds * tries, stopped)
        finally:
            _end(process)
        if not is_done:
            raise CannotAsk(f"{agent.title} was ended before it answered")
        if process.returncode:
            last = said_at.read_bytes().decode(errors="replace").strip().rpartition("\n")[2]
            raise CannotAsk(f"{agent.title} could not be asked: {last}")
        return msgspec.convert(json.loads(path.read_bytes()), dict[str, Answer])


def _is_done(process: subprocess.Popen[bytes], seconds: float, stopped: Callable[[], bool]) -> bool:
    """Whether it ended in time, and was not stopped."""
    until = time.monotonic() + seconds
    while time.monotonic() < until and not stopped():
        try:
            process.wait(timeout=_LOOK)
        except subprocess.TimeoutExpired:
            continue
        return True
    return False


def _end(process: subprocess.Popen[bytes]) -> None:
    """End it and all that it started."""
    try:
        started = [*psutil.Process(process.pid).children(recursive=True), psutil.Process(process.pid)]
    except psutil.NoSuchProcess:
        started = []
    for one in started:
        with suppress(psutil.NoSuchProcess):
            one.kill()
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)  # what its parent has left
    process.wait()
    if process.stdin is not None:
        process.stdin.close()
