"""Standard output and error, which may be closed, full, or no longer read: writing to them never raises.

If the reader is gone the command goes on silently, and its exit code is that of its work. Output that could not be
written is reported once, when the command ends.
"""

from __future__ import annotations

import os
import sys

from toolpair.cli.exits import IO_FAILED, OK, PROBLEMS, READ_THE_NOTE

TYPE_CHECKING = False  # as in `typing`, which is slow to import
if TYPE_CHECKING:
    from typing import IO

_lost: str | None = None
"""Why writing to standard output failed."""
_unread = False
_saved = False


def begin() -> None:
    """Called when a command starts."""
    global _lost, _unread, _saved
    _lost, _unread, _saved = None, False, False
    for stream in (sys.stdout, sys.stderr):
        # Any name or id can be printed, whatever characters it has.
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(errors="backslashreplace")


def hold_places() -> None:
    """Occupy the descriptors of closed streams: otherwise a file opened later gets one, and messages go into it."""
    for number in (0, 1, 2):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)


def note_saved() -> None:
    """A file has been written: later failures no longer mean that the command failed."""
    global _saved
    _saved = True


def unread() -> bool:
    """Whether nobody reads standard output any more."""
    return _unread


def write(text: str) -> None:
    """Write data to standard output."""
    if sys.stdout is not None:
        _put(sys.stdout, text)


def write_bytes(data: bytes) -> None:
    """Write the session itself to standard output."""
    if sys.stdout is not None:
        _put(sys.stdout.buffer, data)


def say(text: str) -> None:
    """Write a message for the user to standard error; silent if that is closed or full."""
    if sys.stderr is not None:
        _put(sys.stderr, text)


def flush() -> None:
    """Flush standard output."""
    if sys.stdout is not None:
        _put(sys.stdout, None)


def failed() -> bool:
    """Whether any output to standard output was lost."""
    flush()
    return _lost is not None


def ended(code: int) -> int:
    """The final exit code of a command whose work ended with this one."""
    if failed():
        say(f"toolpair: Standard output cannot be written to ({_lost}).\n")
        if code in (OK, PROBLEMS, READ_THE_NOTE):
            code = READ_THE_NOTE if _saved else IO_FAILED
    if sys.stderr is not None:
        _put(sys.stderr, None)
    return code


def _put(stream: IO[str] | IO[bytes], data: str | bytes | None) -> None:
    """Write, or flush when there is no data. After a failure the stream leads nowhere."""
    global _lost, _unread
    try:
        if data is None:
            stream.flush()
        else:
            stream.write(data)  # type: ignore[arg-type]
    except BrokenPipeError:
        _unread = _unread or stream is not sys.stderr
        _lead_nowhere(stream)
    except OSError as error:
        if stream is not sys.stderr:
            _lost = _lost or error.strerror or str(error)
        _lead_nowhere(stream)
    except ValueError:
        pass  # the program that runs the command has closed it


def _lead_nowhere(stream: IO[str] | IO[bytes]) -> None:
    """At exit Python flushes its buffers again, which must not fail once more."""
    try:
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, stream.fileno())
        os.close(null)
    except (OSError, ValueError):
        pass
