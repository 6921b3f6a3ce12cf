"""The process in which an agent is asked: `python -m toolpair.proof.inside JOB`.

It writes its answers to JOB's place."""

from __future__ import annotations

import ctypes
import json
import os
import re
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import threading
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, suppress
from functools import partial
from pathlib import Path
from typing import Any, Final

import msgspec
import psutil
from msgspec import Struct
from msgspec.structs import replace

from toolpair.formats import get_agent
from toolpair.formats.asking import HISTORIES, PROMPT, Api, Ask, Stage, Start
from toolpair.proof.isolation import loopback_up
from toolpair.proof.mock_api import MockApi

_MADE: Final = "toolpair-prove-"
"""How the folders begin that are made for an answer."""
_PROJECT: Final = "project"
_SET_CHILD_SUBREAPER: Final = 36
_VERSION: Final = re.compile(r"\d+\.\d+\.\d+")
_SAID: Final = 400
"""How many characters of an agent's last words are handed on."""


class Copy(Struct, frozen=True):
    """A copy of a session that an agent is asked about."""

    path: str
    session_id: str = ""
    folder: str | None = None
    profile: str = "anthropic"
    options: Mapping[str, str] = {}
    times: int = 1
    """How often it is resumed."""


class Job(Struct, frozen=True):
    agent: str
    program: tuple[str, ...]
    search: str
    """Where programs are looked for, as in PATH."""
    isolated: bool
    copies: Mapping[str, Copy]
    seconds: int
    """How long the agent may take, each time."""
    at_once: int = 1
    says_version: bool = False


class Answer(Struct, frozen=True):
    """What an agent made of a copy."""

    histories: Sequence[Sequence[Any]]
    """The one that it sent, each time."""
    api: Api
    note: str
    """What it said if it failed, or if it sent none."""
    session: str
    """Where it left the session, in the folder of the copy."""
    version: str | None = None
    """Which one it says it is, if it was asked that."""
    in_time: bool = True
    """Whether it sent something or ended before it was stopped."""


def main(path: str) -> None:
    job = msgspec.json.decode(Path(path).read_bytes(), type=Job)
    if job.isolated:
        loopback_up()
    _adopt()
    copies = {Path(copy.path).parent for copy in job.copies.values()}
    made = [Path(path).parent, *(one for one in copies if one.name.startswith(_MADE))]
    threading.Thread(target=_end_with_parent, args=(made,), daemon=True).start()
    ask = partial(_asked, job, Path(path).parent)
    try:
        version = _version(job) if job.says_version else None
        with ThreadPoolExecutor(job.at_once) as pool:
            found = [replace(answer, version=version) for answer in pool.map(ask, job.copies.values())]
    finally:
        _end_children()
    # Not by msgspec, which refuses half characters: an agent may send them.
    Path(path).write_text(json.dumps(msgspec.to_builtins(dict(zip(job.copies, found, strict=True)))))


def _adopt() -> None:
    """On Linux, what an agent leaves running becomes a child of this process, which ends it."""
    if sys.platform == "linux":
        with suppress(OSError, AttributeError):
            ctypes.CDLL(None).prctl(_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def _end_children() -> None:
    for child in psutil.Process().children(recursive=True):
        with suppress(psutil.NoSuchProcess):
            child.kill()


def _end_with_parent(folders: Sequence[Path]) -> None:
    """When the process that asks has ended, however it did: end all, and leave no copy of a session."""
    while os.read(0, 1):
        pass
    _end_children()
    for folder in folders:
        shutil.rmtree(folder, ignore_errors=True)
    os._exit(1)


def _asked(job: Job, folder: Path, copy: Copy) -> Answer:
    ask: Ask = get_agent(job.agent).ask.found
    homes = tempfile.TemporaryDirectory(prefix="toolpair-home-", dir=folder, ignore_cleanup_errors=True)
    with homes as own, MockApi() as api:
        home = Path(own).resolve()
        start = furnished(ask, job.program, copy, home, api.url)
        variables = environment(job.search, home, start)
        histories: list[Sequence[Any]] = []
        note, in_time = "", True
        for _ in range(copy.times):
            before = len(api.requests)
            code, said = _run((*job.program, *start.arguments), home / _PROJECT, variables, job.seconds)
            note, in_time = end_of(said) if code != 0 else note, in_time and code is not None
            sent = _histories(api, before, start.api, ask)
            histories += sent[-1:] if ask.newest else sent[:1]
        after = Path(copy.path).with_suffix(".after")
        _keep(start.session, after)
        return Answer(histories, start.api, note, str(after), in_time=in_time or bool(histories))


def _keep(session: Path, path: Path) -> None:
    """What the agent made of its copy; of a database also what waits beside it."""
    if not session.exists():
        return
    if session.is_dir():
        # A lock may be a link to nothing, and a pipe holds nothing to compare.
        shutil.copytree(session, path, symlinks=True, ignore=_neither_file_nor_folder)
        return
    with session.open("rb") as file:
        is_database = file.read(6) == b"SQLite"
    if not is_database:
        shutil.copyfile(session, path)
        return
    with closing(sqlite3.connect(session)) as left, closing(sqlite3.connect(path)) as kept:
        left.backup(kept)
        kept.execute("PRAGMA journal_mode=DELETE")


def _neither_file_nor_folder(folder: str, names: list[str]) -> list[str]:
    return [entry.name for entry in os.scandir(folder) if not (entry.is_symlink() or entry.is_file() or entry.is_dir())]


def furnished(ask: Ask, program: tuple[str, ...], copy: Copy, home: Path, url: str = "http://127.0.0.1:PORT") -> Start:
    """How the agent starts in this home, which is empty, once the copy and its settings are in it."""
    project = home / _PROJECT
    project.mkdir()
    path, options = Path(copy.path), copy.options
    return ask.furnish(Stage(home, project, url, path, copy.session_id, copy.folder, program, copy.profile, options))


def environment(search: str, home: Path, start: Start) -> dict[str, str]:
    """All variables that an agent gets: nothing of the user's but where programs are. What it leaves beside its home is
    removed with that.
    """
    own = {"HOME": str(home), "TMPDIR": str(home.parent)}
    return {"PATH": search, "TERM": "xterm", "LANG": "C.UTF-8", **own, **start.variables}


def _version(job: Job) -> str | None:
    with tempfile.TemporaryDirectory(prefix="toolpair-home-", ignore_cleanup_errors=True) as home:
        variables = {"PATH": job.search, "HOME": home, "TMPDIR": tempfile.gettempdir(), "LANG": "C.UTF-8"}
        found = _VERSION.search(_run((*job.program, "--version"), Path(home), variables, job.seconds)[1])
    return found[0] if found is not None else None


def _run(command: Sequence[str], folder: Path, variables: Mapping[str, str], seconds: int) -> tuple[int | None, str]:
    """The code that it ends with, None where it had to be stopped, and the end of what it says."""
    with tempfile.TemporaryFile() as said:  # no pipe, which what it leaves running would keep open
        try:
            done = subprocess.run(
                command,
                cwd=folder,
                env=variables,
                stdin=subprocess.DEVNULL,
                stdout=said,
                stderr=subprocess.STDOUT,
                timeout=seconds,
                check=False,
            )
        except subprocess.TimeoutExpired:
            return None, f"no answer within {seconds} s"
        except OSError as error:
            return -1, f"it does not start: {error.strerror or error}"
        said.seek(max(said.tell() - 40 * _SAID, 0))
        return done.returncode, said.read().decode(errors="replace").strip()


def end_of(said: str) -> str:
    """Its last lines that fit; of one that does not fit alone the beginning, which says what is wrong."""
    last = said.rpartition("\n")[2]
    if len(last) > _SAID:
        return f"{last[: _SAID - 1]}…"
    return said if len(said) <= _SAID else said[-_SAID - 1 :].partition("\n")[2]


def _histories(api: MockApi, since: int, kind: Api, ask: Ask) -> list[Sequence[Any]]:
    """The histories that were sent with the prompt."""
    ending, key, _ = HISTORIES[kind]
    bodies = [one.body for one in api.requests[since:] if one.path.endswith(ending) and one.body is not None]
    found = [body.get(key) for body in bodies if body.get("tools") or not ask.tools]
    return [one for one in found if isinstance(one, list) and PROMPT in json.dumps(one[-3:])]


if __name__ == "__main__":
    main(sys.argv[1])
