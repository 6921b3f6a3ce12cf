"""Standard output and error, which may be closed, full, or read by nobody any more: writing to them never raises.

Whoever reads no more wants no more: the command goes on in silence, and its exit code is that of its work. Output that
could not be written is told once, when the command ends.
"""

from __future__ import annotations

import os
import sys

from toolpair.cli.exits import IO_FAILED, OK, PROBLEMS, READ_THE_NOTE

TYPE_CHECKING = False  # as in `typing`, which is slow to load
if TYPE_CHECKING:
    from typing import IO

_lost: str | None = None
"""Why standard output could not be written to."""
_unread = False
_saved = False


def begin() -> None:
    """At the start of a command."""
    global _lost, _unread, _saved
    _lost, _unread, _saved = None, False, False
    for stream in (sys.stdout, sys.stderr):
        # No name or id, however odd its characters, can fail to be printed.
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(errors="backslashreplace")


def hold_places() -> None:
    """Let no file that is opened take the number of a stream that is closed: what is said would go into it."""
    for number in (0, 1, 2):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)


def note_saved() -> None:
    """A file has been written: whatever fails from now on is no failure of that."""
    global _saved
    _saved = True


def unread() -> bool:
    """Whether nobody reads standard output any more."""
    return _unread


def write(text: str) -> None:
    """Data, on standard output."""
    if sys.stdout is not None:
        _put(sys.stdout, text)


def write_bytes(data: bytes) -> None:
    """The session itself, on standard output."""
    if sys.stdout is not None:
        _put(sys.stdout.buffer, data)


def say(text: str) -> None:
    """Words for a person, on standard error; silence where that is closed or full."""
    if sys.stderr is not None:
        _put(sys.stderr, text)


def flush() -> None:
    """Hand on what has been written to standard output."""
    if sys.stdout is not None:
        _put(sys.stdout, None)


def failed() -> bool:
    """Whether anything could not be written to standard output."""
    flush()
    return _lost is not None


def ended(code: int) -> int:
    """The exit code of a command that has done its work with this one."""
    if failed():
        say(f"toolpair: Standard output cannot be written to ({_lost}).\n")
        if code in (OK, PROBLEMS, READ_THE_NOTE):
            code = READ_THE_NOTE if _saved else IO_FAILED
    if sys.stderr is not None:
        _put(sys.stderr, None)
    return code


def _put(stream: IO[str] | IO[bytes], data: str | bytes | None) -> None:
    """Write, or flush where there is no data. After a failure the stream leads nowhere."""
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
        pass  # a program that runs the command has closed it


def _lead_nowhere(stream: IO[str] | IO[bytes]) -> None:
    """Python writes at the end what it still holds, and must not fail once more."""
    try:
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, stream.fileno())
        os.close(null)
    except (OSError, ValueError):
        pass
