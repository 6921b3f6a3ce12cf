"""A program run as a process of its own: how long, how much work, how much memory."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from benchmarks.harness.failed import Failed

_RSS_UNIT: Final = 1 if sys.platform == "darwin" else 1024
"""Bytes in which the system counts `ru_maxrss`."""


@dataclass(frozen=True, slots=True)
class Ran:
    """Seconds by the wall clock, seconds of processor time with the system's share, peak of resident memory in MB."""

    wall: float
    cpu: float
    peak: float
    out: str


def own_peak() -> float:
    """The peak of this process in MB: no figure of a child's memory can be below it."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * _RSS_UNIT / 1e6


def run(argv: Sequence[str], codes: Sequence[int] = (0,), keep_output: bool = False) -> Ran:
    """Run to the end. The peak is the system's own account of the process (`ru_maxrss` of `wait4`).

    A child begins with the peak of the process that started it, so the runner itself must stay small.
    Raises Failed where the program ends with another code than `codes`, with what it said last.
    """
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        begun = time.perf_counter()
        child = subprocess.Popen(
            argv, stdin=subprocess.DEVNULL, stdout=out if keep_output else subprocess.DEVNULL, stderr=err
        )
        try:
            _, status, usage = os.wait4(child.pid, 0)
        except BaseException:  # the runner was told to end: its files go, and what reads them
            child.kill()
            raise
        wall = time.perf_counter() - begun
        child.returncode = os.waitstatus_to_exitcode(status)
        if child.returncode not in codes:
            err.seek(0)
            words = err.read().decode(errors="replace").strip().splitlines()
            raise Failed(f"{' '.join(argv[:6])} ended with {child.returncode}: {words[-1] if words else 'no words'}")
        out.seek(0)
        said = out.read().decode() if keep_output else ""
    return Ran(wall, usage.ru_utime + usage.ru_stime, usage.ru_maxrss * _RSS_UNIT / 1e6, said)
