"""A process of our own that answers questions, so that no key ever waits for the answer."""

from __future__ import annotations

import contextlib
import subprocess
import sys
import threading


class WorkerProcess:
    """Runs a module that answers each line with lines. Started with the first question, and again after it has ended.

    It ends with this process, however that ends: it is killed, or finds its input closed.
    """

    def __init__(self, module: str, own_session: bool = False) -> None:
        """`own_session`: nothing that a terminal does to a job stops it before it sees that its input is closed."""
        self._module = module
        self._own_session = own_session
        self._process: subprocess.Popen[bytes] | None = None
        self._closed = False
        self._changing = threading.Lock()
        """Held while the process is started or taken away, so that none is started after the end."""

    def ask(self, question: bytes, limit: float | None = None) -> bytes:
        """The next line of its answers, after this question. It is killed if that takes more than `limit` seconds.

        Raises OSError if there is no process.
        """
        process = self._started()
        assert process.stdin is not None and process.stdout is not None
        alarm = threading.Timer(limit or 0, process.kill)
        alarm.daemon = True
        if limit is not None:
            alarm.start()
        try:
            process.stdin.write(question)
            process.stdin.flush()
            return process.stdout.readline()
        finally:
            alarm.cancel()

    def _started(self) -> subprocess.Popen[bytes]:
        with self._changing:
            if self._closed or not sys.executable:
                raise OSError("closed")
            if self._process is None:
                # -P: do not import from the user's current folder.
                self._process = subprocess.Popen(
                    [sys.executable, "-P", "-m", self._module],
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.DEVNULL,
                    start_new_session=self._own_session,
                )
            return self._process

    def close(self) -> None:
        """Kill the process, whatever it is doing, for good; a waiting caller gets nothing."""
        self._closed = True
        self.end()

    def end(self) -> None:
        """Kill the process; the next question starts another one."""
        with self._changing:
            process, self._process = self._process, None
        if process is not None:
            process.kill()
            process.wait()
            for stream in (process.stdin, process.stdout):
                with contextlib.suppress(OSError):
                    stream.close()  # type: ignore[union-attr]
