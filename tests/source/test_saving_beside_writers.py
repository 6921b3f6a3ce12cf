"""Saving while another process writes to the file, in every way that agents and editors do.

Each round is a race. TOOLPAIR_TEST_ROUNDS multiplies their number.
"""

from __future__ import annotations

import json
import mmap
import os
import random
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.rounds import tries
from tests.source.files import save_in_place
from toolpair.source.errors import Refused
from toolpair.source.saving.made import SaveResult
from toolpair.source.snapshot import open_source
from toolpair.source.system import Io

FIRST, MENDED = b'{"a":1}\n', b'{"a":2}\n'
THEIRS = b'{"theirs":1}\n' * 50
Writer = Callable[[Path, random.Random, Callable[[], bool], Callable[[], None]], None]


def record(number: int) -> bytes:
    return b'{"n":%d,"text":"%s"}\n' % (number, b"x" * (number % 7 * 40))


def append(path: Path, data: bytes) -> None:
    descriptor = os.open(path, os.O_WRONLY | os.O_APPEND)
    os.write(descriptor, data)
    os.close(descriptor)


def reopening(path: Path, chance: random.Random, stopped: Callable[[], bool], done: Callable[[], None]) -> None:
    number = 0
    while not stopped():
        append(path, record(number))
        done()
        number += 1
        time.sleep(chance.random() * 0.002)


def tearing(path: Path, chance: random.Random, stopped: Callable[[], bool], done: Callable[[], None]) -> None:
    """Writes each record in two writes to one descriptor."""
    number = 0
    while not stopped():
        data = record(number)
        cut = chance.randrange(1, len(data))
        descriptor = os.open(path, os.O_WRONLY | os.O_APPEND)
        os.write(descriptor, data[:cut])
        time.sleep(chance.random() * 0.001)
        os.write(descriptor, data[cut:])
        os.close(descriptor)
        done()
        number += 1
        time.sleep(chance.random() * 0.002)


def tearing_and_reopening(
    path: Path, chance: random.Random, stopped: Callable[[], bool], done: Callable[[], None]
) -> None:
    """Writes each half of a record to the file that has the name at that moment."""
    number = 0
    while not stopped():
        data = record(number)
        cut = chance.randrange(1, len(data))
        append(path, data[:cut])
        time.sleep(chance.random() * 0.001)
        append(path, data[cut:])
        done()
        number += 1
        time.sleep(chance.random() * 0.002)


def holding(path: Path, chance: random.Random, stopped: Callable[[], bool], done: Callable[[], None]) -> None:
    """Starts during the save, and never closes the file."""
    time.sleep(chance.random() * 0.02)
    descriptor = os.open(path, os.O_WRONLY | os.O_APPEND)
    number = 0
    while not stopped():
        os.write(descriptor, record(number))
        done()
        number += 1
        time.sleep(chance.random() * 0.002)


def truncating(path: Path, chance: random.Random, stopped: Callable[[], bool], done: Callable[[], None]) -> None:
    time.sleep(chance.random() * 0.02)
    descriptor = os.open(path, os.O_WRONLY | os.O_TRUNC)
    os.write(descriptor, THEIRS[:100])
    os.write(descriptor, THEIRS[100:])
    os.close(descriptor)
    done()


def replacing(path: Path, chance: random.Random, stopped: Callable[[], bool], done: Callable[[], None]) -> None:
    other = path.with_name("other")
    other.write_bytes(THEIRS)
    time.sleep(chance.random() * 0.02)
    other.replace(path)
    done()


@contextmanager
def running(writer: Writer, path: Path, seed: int) -> Iterator[Callable[[], int]]:
    """Runs a writer in another process; the returned function stops it and returns how often it was done."""
    shared = mmap.mmap(-1, 16)

    def done() -> None:
        shared[8:16] = (int.from_bytes(shared[8:16], "little") + 1).to_bytes(8, "little")

    child = os.fork()
    if not child:
        code = 1
        try:
            writer(path, random.Random(seed), lambda: shared[0] != 0, done)
            code = 0
        finally:
            os._exit(code)
    status: list[int] = []

    def stop() -> int:
        if not status:
            shared[0] = 1
            status.append(os.waitpid(child, 0)[1])
        assert status == [0]
        return int.from_bytes(shared[8:16], "little")

    try:
        yield stop
    finally:
        if not status:
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)


def save(path: Path, chance: random.Random) -> SaveResult | None:
    """Saves with the first record fixed; None when the save was refused."""
    snapshot = open_source(path)
    assert snapshot.data.startswith(FIRST)

    def chunks() -> Iterator[bytes]:
        yield MENDED
        time.sleep(chance.random() * 0.003)
        yield snapshot.data[len(FIRST) :]

    time.sleep(chance.random() * 0.005)
    try:
        return save_in_place(snapshot, chunks(), appendable=True)
    except Refused as error:
        assert error.reason in ("held", "changed")
        return None


def numbers(data: bytes) -> list[int]:
    """The numbers of the records after the first. Every line must be one complete record."""
    assert data.endswith(b"\n")
    return [json.loads(line)["n"] for line in data.split(b"\n")[1:-1]]


@pytest.fixture
def leases(tmp_path: Path) -> None:
    probe = tmp_path / "probe"
    probe.touch()
    descriptor = os.open(probe, os.O_RDONLY)
    try:
        Io().set_lease(descriptor, "read")
    except OSError:
        pytest.skip("no leases on this file system, so that late appends can go to the backup alone")
    finally:
        os.close(descriptor)


@pytest.mark.usefixtures("leases")
@pytest.mark.parametrize("writer", [reopening, tearing, tearing_and_reopening, holding])
def test_no_appended_record_is_lost_silently(tmp_path: Path, writer: Writer, monkeypatch: pytest.MonkeyPatch) -> None:
    # Wait less long than usual for a writer that never closes the file.
    monkeypatch.setattr("toolpair.source.saving.replaced._SETTLE", 0.4)
    monkeypatch.setattr("toolpair.source.saving.replaced._DRAIN", 0.2)
    saved = 0
    for seed in range(tries(3 if writer is holding else 8)):
        chance = random.Random(seed)
        path = tmp_path / f"{seed}.jsonl"
        path.write_bytes(FIRST)
        with running(writer, path, seed) as stop:
            time.sleep(chance.random() * 0.01)
            result = save(path, chance)
            time.sleep(chance.random() * 0.005)
            count = stop()
        content = path.read_bytes()
        assert content.startswith(FIRST if result is None else MENDED), seed
        there = numbers(content)
        if result is None:
            assert there == list(range(count)), seed
            continue
        saved += 1
        assert result.backup is not None
        if any("still has the old file open" in note or "alone" in note for note in result.notes):
            kept = numbers(result.backup.read_bytes())
            assert there == kept[: len(there)], seed
            assert kept == list(range(count)), seed
        else:
            assert there == list(range(count)), seed
        assert bool(result.notes) or not result.appended, seed
    assert saved or writer is holding


@pytest.mark.usefixtures("leases")
@pytest.mark.parametrize("writer", [truncating, replacing])
def test_no_rewritten_file_is_lost_silently(tmp_path: Path, writer: Writer) -> None:
    for seed in range(tries(12)):
        chance = random.Random(seed)
        path = tmp_path / f"{seed}.jsonl"
        path.write_bytes(FIRST)
        result = None
        with running(writer, path, seed) as stop:
            time.sleep(chance.random() * 0.01)
            # Empty, or already theirs: then there was nothing to save.
            if path.read_bytes() == FIRST:
                result = save_if_ours(path, chance)
            assert stop() == 1
        content = path.read_bytes()
        if content == THEIRS:
            continue
        assert result is not None, seed
        assert content == MENDED, seed
        assert result.backup is not None
        assert result.backup.read_bytes() == THEIRS, seed
        assert result.notes, seed


def save_if_ours(path: Path, chance: random.Random) -> SaveResult | None:
    from toolpair.source.errors import UnreadableFile

    try:
        return save(path, chance)
    except (AssertionError, UnreadableFile):
        if path.read_bytes().startswith(FIRST):
            raise
        return None
