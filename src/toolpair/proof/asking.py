"""Starting the process in which an agent is asked, and ending all of it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
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


class CannotAsk(Exception):
    """Why an agent cannot be asked, as a sentence."""


def ask(
    agent: Agent,
    program: Sequence[str],
    copies: Mapping[str, Copy],
    *,
    isolated: bool = True,
    seconds: int | None = None,
    at_once: int = 1,
) -> dict[str, Answer]:
    """What the agent makes of each copy, by the names that the caller gave.

    `isolated`: in a network with loopback alone. `seconds`: how long it may take, each time. Whatever happens, all that
    was started is ended. Raises CannotAsk.
    """
    before = isolation.prefix() if isolated else ()
    if before is None:
        raise CannotAsk("no network of its own can be had here")
    seconds = seconds or agent.ask.found.seconds
    search = os.environ.get("PATH", os.defpath)
    job = Job(agent.id, tuple(program), search, isolated, copies, seconds, at_once)
    tries = sum(copy.times for copy in copies.values()) // at_once + 1
    with tempfile.TemporaryDirectory(prefix="toolpair-prove-") as folder:
        path = Path(folder) / "job.json"
        path.write_bytes(msgspec.json.encode(job))
        process = subprocess.Popen(
            [*before, sys.executable, "-m", "toolpair.proof.inside", str(path)],
            cwd=folder,
            env={"PATH": os.defpath, "PYTHONPATH": os.pathsep.join(filter(None, sys.path)), "HOME": folder},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )
        try:
            _, said = process.communicate(timeout=_EXTRA + seconds * tries)
        except subprocess.TimeoutExpired as error:
            raise CannotAsk(f"{agent.title} was ended: it did not answer in time") from error
        finally:
            _end(process)
        if process.returncode:
            last = said.decode(errors="replace").strip().rpartition("\n")[2]
            raise CannotAsk(f"{agent.title} could not be asked: {last}")
        return msgspec.json.decode(path.read_bytes(), type=dict[str, Answer])


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
