"""Checking several files at once in worker processes; results come in the order of the files.

A worker is a newly started Python process, so that it shares nothing with this one. It gets one file at a time and
sends plain data back. Results of later files wait here, up to a limit.
"""

from __future__ import annotations

import argparse
import os
import pickle
import subprocess
import sys
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor, wait
from threading import Lock, local
from typing import IO, Any, Final

from msgspec.structs import astuple

from toolpair.cli.file_report import Answered, Checked, judge_file, unreadable
from toolpair.cli.inputs import STDIN, Input
from toolpair.shell.program import called, command

Result = list[Checked] | None
_AHEAD: Final = 4
"""Per worker, this many files are in progress or waiting to be printed."""
_LOOK: Final = 0.1
"""Seconds between two checks of the workers' progress."""
_GRACE: Final = 2.0
"""Seconds for a worker to exit once it has stopped answering."""
_HEAD: Final = 8
_START: Final = "import sys; sys.path[:] = {path!r}; from toolpair.cli.worker import main; main()"


class _CannotStart(Exception):
    """Workers cannot be started here."""


class _Died(Exception):
    """The worker died while working. Its exit status as in `subprocess`."""


def judge_all(
    sources: Iterable[Answered],
    options: argparse.Namespace,
    workers: int,
    progress: Callable[[Input, int], None] | None = None,
) -> Iterator[tuple[Input, Result]]:
    """Every file with its reports, else with the result of `judge_file`, in the order of `sources`. Errors are raised
    when their turn comes.

    `progress` is called a few times a second with a file and how many of its bytes have been read. Closing the
    iterator, or an error, ends all workers at once.
    """
    crew = _Crew(options)
    waiting: deque[tuple[Input, Future[Result] | None]] = deque()
    with ThreadPoolExecutor(workers) as threads:
        try:
            for source, answer in sources:
                future: Future[Result] | None = None
                if answer:
                    future = Future()
                    future.set_result(answer)
                elif source.name != STDIN:  # which belongs to this process
                    future = threads.submit(crew.judge, source)
                waiting.append((source, future))
                while waiting and (len(waiting) >= workers * _AHEAD or not (first := waiting[0][1]) or first.done()):
                    yield _next(waiting, options, crew, progress)
            while waiting:
                yield _next(waiting, options, crew, progress)
        finally:
            for _, future in waiting:
                if future is not None:
                    future.cancel()
            crew.end()


def _next(
    waiting: deque[tuple[Input, Future[Result] | None]],
    options: argparse.Namespace,
    crew: _Crew,
    progress: Callable[[Input, int], None] | None,
) -> tuple[Input, Result]:
    source, future = waiting[0]
    if future is None:
        result = judge_file(source, options)
    else:
        while progress is not None and not wait((future,), _LOOK).done:
            for reading, done in list(crew.read.items()):
                progress(Input(reading), done)
        result = future.result()
    waiting.popleft()
    return source, result


class _Crew:
    """The workers, one per calling thread."""

    def __init__(self, options: argparse.Namespace) -> None:
        self._options = options
        self._own = local()
        self._lock = Lock()
        self._all: set[subprocess.Popen[bytes]] = set()
        self._over = False
        self._startable = True
        self.read: dict[str, int] = {}
        """Bytes read so far of each file in progress, by name."""

    def judge(self, source: Input) -> Result:
        """As `judge_file`, in this thread's worker; a file whose worker dies counts as unreadable."""
        try:
            return self._asked(source)
        except _CannotStart:
            return judge_file(source, self._options)
        except _Died as ended:
            return [unreadable(source.name, _last_words(source.name, ended.args[0]))]
        finally:
            self.read.pop(source.name, None)

    def _asked(self, source: Input) -> Result:
        worker = self._worker()
        try:
            send(worker.stdin, astuple(source))
            while True:
                kind, found = receive(worker.stdout)
                if kind == "read":
                    self.read[source.name] = found
                elif kind == "raised":
                    raise found
                else:
                    return None if found is None else [Checked(*fields) for fields in found]
        except (EOFError, OSError):
            self._own.worker = None
            raise _Died(self._bury(worker)) from None

    def _worker(self) -> subprocess.Popen[bytes]:
        """This thread's worker, started if necessary."""
        worker: subprocess.Popen[bytes] | None = getattr(self._own, "worker", None)
        if worker is not None:
            return worker
        if not self._startable:
            raise _CannotStart
        with self._lock:
            if self._over:
                raise _Died(0)
            try:
                worker = subprocess.Popen(
                    [sys.executable, "-P", "-c", _START.format(path=sys.path)],
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    # Only this process gets Ctrl+C, and ends its workers.
                    start_new_session=True,
                )
            except OSError:
                self._startable = False
                raise _CannotStart from None
            self._all.add(worker)
        try:
            send(worker.stdin, (called(), self._options))
            receive(worker.stdout)
        except (EOFError, OSError):
            self._startable = False
            self._bury(worker)
            raise _CannotStart from None
        self._own.worker = worker
        return worker

    def _bury(self, worker: subprocess.Popen[bytes]) -> int:
        """Reap the worker: its exit status."""
        with self._lock:
            self._all.discard(worker)
        for stream in (worker.stdin, worker.stdout):
            try:
                if stream is not None:
                    stream.close()
            except OSError:
                pass
        try:
            return worker.wait(_GRACE)
        except subprocess.TimeoutExpired:
            worker.kill()
            return worker.wait()

    def end(self) -> None:
        """End all workers now."""
        with self._lock:
            self._over = True
            ending = list(self._all)
            self._all.clear()
        for worker in ending:
            worker.kill()
        for worker in ending:
            worker.wait()


def _last_words(name: str, status: int) -> str:
    how = f"was ended by signal {-status}" if status < 0 else f"ended with status {status}"
    hint = "; there may not be enough memory for it" if status == -9 else ""
    return f"{name}: the process that read it {how}{hint}. Check it alone with `{command('check --jobs 1')}`."


def send(stream: IO[bytes] | None, message: Any) -> None:
    assert stream is not None
    body = pickle.dumps(message)
    stream.write(len(body).to_bytes(_HEAD, "big") + body)
    stream.flush()


def receive(stream: IO[bytes] | None) -> Any:
    """The next message from a process of ours. Raises EOFError when there is none."""
    assert stream is not None
    head = stream.read(_HEAD)
    if len(head) < _HEAD:
        raise EOFError
    size = int.from_bytes(head, "big")
    body = stream.read(size)
    if len(body) < size:
        raise EOFError
    return pickle.loads(body)


def cores() -> int:
    """The number of processes that can run at once here."""
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:
        return os.cpu_count() or 1
