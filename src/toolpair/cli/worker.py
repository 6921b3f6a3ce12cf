"""A worker of `check --jobs`: reads file names on standard input, and sends back the report of each."""

from __future__ import annotations

import argparse
import gc
import os
import pickle
import sys
from queue import SimpleQueue
from threading import Thread
from time import monotonic
from typing import IO, Any, Final

from msgspec.structs import astuple

from toolpair.cli.file_report import judge_file
from toolpair.cli.inputs import Input
from toolpair.cli.jobs import receive, send
from toolpair.shell.program import is_called

_PAUSE: Final = 0.1
"""Seconds between progress messages."""


def main() -> None:
    """Work until standard input ends, which means that the parent process has ended."""
    asked = os.fdopen(os.dup(0), "rb")
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.dup2(2, 1)  # nothing else may be written between the answers
    gc.set_threshold(100_000, 50, 50)
    called, options = receive(asked)
    is_called(called)
    send(answers, ("ready", None))
    requests: SimpleQueue[Any] = SimpleQueue()
    Thread(target=_listen, args=(asked, requests), daemon=True).start()
    while True:
        try:
            send(answers, _answer(Input(*requests.get()), options, answers))
        except BaseException:  # nobody listens, or there is no memory for the answer: dying says enough
            os._exit(1)


def _listen(asked: IO[bytes], requests: SimpleQueue[Any]) -> None:
    """End the process at once when standard input closes, even in the middle of a file."""
    try:
        while True:
            requests.put(receive(asked))
    except (EOFError, OSError):
        os._exit(0)


def _answer(source: Input, options: argparse.Namespace, answers: IO[bytes]) -> tuple[str, Any]:
    reported = monotonic()

    def progress(done: int) -> None:
        nonlocal reported
        if monotonic() - reported >= _PAUSE:
            reported = monotonic()
            send(answers, ("read", done))

    try:
        made = judge_file(source, options, progress)
    except Exception as error:
        return "raised", _sendable(error)
    return "done", None if made is None else [astuple(one) for one in made]


def _sendable(error: Exception) -> Exception:
    try:
        pickle.loads(pickle.dumps(error))
    except Exception:
        return RuntimeError(f"{type(error).__name__}: {error}")
    return error


if __name__ == "__main__":
    sys.exit("This is a part of `toolpair check --jobs`.")
