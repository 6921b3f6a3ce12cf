"""What goes wrong during a save, for the tests of all kinds of saves: errors, kills, little space, other processes."""

from __future__ import annotations

import errno
import os
import resource
import signal
import subprocess
import sys
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path

import pytest

from toolpair.source.errors import Refused

FAULTS: dict[str, Callable[[], BaseException]] = {
    "full": lambda: OSError(errno.ENOSPC, "No space left on device"),
    "broken": lambda: OSError(errno.EIO, "Input/output error"),
    "refused": lambda: Refused("not now", "held"),
    "interrupted": KeyboardInterrupt,
    "memory": MemoryError,
}


def raising(error: BaseException) -> Callable[[], None]:
    def happens() -> None:
        raise error

    return happens


def kill() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def at_step(at: int, happens: Callable[[], object]) -> Callable[[str], None]:
    """For the steps of a save: something happens at one of them, by its number from 0."""
    numbers = count()

    def step(name: str) -> None:
        if next(numbers) == at:
            happens()

    return step


_RAISED = 1


def in_a_child(work: Callable[[], object]) -> int:
    """The signal that ended the child, or 0. What it raises fails the test."""
    pid = os.fork()
    if pid == 0:
        code = _RAISED
        try:
            work()
            code = 0
        except BaseException:
            os.write(2, traceback.format_exc().encode())
        finally:
            os._exit(code)
    status = os.waitpid(pid, 0)[1]
    assert status != _RAISED << 8, "the child failed; what it wrote says why"
    return os.WTERMSIG(status)


@contextmanager
def little_space(most: int) -> Iterator[None]:
    """No file may become larger."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (most, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
        signal.signal(signal.SIGXFSZ, handler)


@contextmanager
def small_disk(folder: Path) -> Iterator[Path]:
    """A file system of 512 KiB in a new folder. Skips the test where none can be mounted."""
    folder.mkdir()
    if os.geteuid() != 0 or subprocess.run(["mount", "-t", "tmpfs", "-o", "size=512k", "none", folder]).returncode:
        pytest.skip("needs to mount a file system")
    try:
        yield folder
    finally:
        subprocess.run(["umount", "-l", folder], check=False)


@contextmanager
def filled(disk: Path, free: int) -> Iterator[None]:
    """On a file system only so many bytes are free."""
    filler, room = disk / "filler", os.statvfs(disk)
    filler.write_bytes(b"x" * max(0, room.f_bavail * room.f_bsize - free))
    try:
        yield
    finally:
        filler.unlink()


@contextmanager
def held_by(script: str, path: Path) -> Iterator[int]:
    """The id of a process that runs the script with the path; it says that it holds it, and lets go at the end."""
    command = [sys.executable, "-c", script, str(path)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        process.stdout.readline()
        yield process.pid
