"""What the tests with real agents have in common: those that `prove` can ask, and scripts in the namespace for the others."""

from __future__ import annotations

import base64
import json
import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from tests.agents import namespace
from toolpair.formats import get_agent
from toolpair.formats.asking import PROMPT
from toolpair.proof.asking import ask
from toolpair.proof.inside import Copy
from toolpair.proof.isolation import loopback_up
from toolpair.proof.mock_api import MockApi

Messages = list[dict[str, Any]]
AT_ONCE = 2
PROJECT = re.compile(rb'"/[^"]*/toolpair-home-[^"/]*/project"')
"""The project in which an agent was asked, as JSON has it."""


def script(variable: str) -> str | None:
    """The file that the variable names; None where there is none.

    This and `program` are asked when the tests are loaded: each test runs without the variables of the machine.
    """
    named = os.environ.get(variable)
    return named if named is not None and Path(named).is_file() else None


def program(variable: str, name: str) -> str | None:
    """The program that the variable names, else the installed one of this name; None where there is none."""
    return shutil.which(os.environ.get(variable) or name)


NODE = program("TOOLPAIR_NODE", "node")


def why_not(absent: str, *needed: str | Path | None) -> str | None:
    """`absent` where something that is needed is not here; None where the agent can be asked."""
    return absent if None in needed else namespace.why_not()


# --- the test's side ---------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Resumed:
    """`messages` of the request, None when the agent made none; `note` is what it said then."""

    messages: Any
    note: str
    after: bytes
    """The session file afterwards, empty where the script does not hand it back."""
    requests: Any = ()
    """Those of each time it was resumed."""

    @classmethod
    def of(cls, told: Mapping[str, Any]) -> Resumed:
        """What a script told."""
        return cls(told["messages"], told["note"], base64.b64decode(told["after"]))


@dataclass(frozen=True, slots=True)
class RealAgent:
    """An agent that `toolpair prove` can ask: its id, and the program here; `hint` says how to name that."""

    id: str
    hint: str
    program: tuple[str | None, ...]

    def why_not(self) -> str | None:
        """Why it cannot be asked here; None when it can."""
        return why_not(f"{get_agent(self.id).title} is not here ({self.hint})", *self.program)

    def resume(
        self,
        files: Mapping[str, bytes],
        *,
        ending: str = ".jsonl",
        each: Callable[[str, bytes], Mapping[str, Any]] | None = None,
        **copy: Any,
    ) -> dict[str, Resumed]:
        """What is sent for each file, by the names that the caller gave. `copy` is what a `Copy` says besides, `each` what
        that of a single file does.
        """
        program = [part for part in self.program if part is not None]
        with tempfile.TemporaryDirectory(prefix="toolpair-agent-") as folder:
            copies = {}
            for number, (name, data) in enumerate(files.items()):
                path = Path(folder) / f"{number}{ending}"
                path.write_bytes(data)
                copies[name] = Copy(path=str(path), **copy, **(each(name, data) if each is not None else {}))
            return {
                name: Resumed(next(iter(found.histories), None), found.note, _after(found.session), found.histories)
                for name, found in ask(get_agent(self.id), program, copies, at_once=AT_ONCE).items()
            }


def without_system(resumed: Mapping[str, Resumed]) -> dict[str, Resumed]:
    """The same without the agent's own words at the beginning."""
    return {name: replace(found, messages=_of_session(found.messages)) for name, found in resumed.items()}


def _of_session(messages: Any) -> Any:
    return messages[1:] if messages and messages[0].get("role") == "system" else messages


def _after(path: str) -> bytes:
    return Path(path).read_bytes() if Path(path).exists() else b""


def as_text(files: Mapping[str, bytes]) -> dict[str, str]:
    """Files as a job's JSON can carry them."""
    return {name: base64.b64encode(data).decode() for name, data in files.items()}


def answers(script: str, job: Mapping[str, Any], seconds_each: int) -> dict[str, dict[str, Any]]:
    """What the script makes of each of the job's `files`. `seconds_each` is how long one may take."""
    seconds = 60 + seconds_each * (len(job["files"]) // AT_ONCE + 1)
    said: dict[str, dict[str, Any]] = namespace.run(Path(script), job, seconds)
    return said


def resumed(script: str, files: Mapping[str, bytes], seconds_each: int, **job: Any) -> dict[str, Resumed]:
    """What the agent makes of each file, by the names that the caller gave; `job` is what else its script must know."""
    told = answers(script, {**job, "files": as_text(files)}, seconds_each)
    return {name: Resumed.of(found) for name, found in told.items()}


# --- the script's side -------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Home:
    """An empty home with a project in it, and an API that answers the agent."""

    folder: Path
    project: Path
    api: MockApi


@contextmanager
def at_home() -> Iterator[Home]:
    """A home for one agent. What it left running may still write there when it is removed."""
    folders = tempfile.TemporaryDirectory(prefix="toolpair-home-", ignore_cleanup_errors=True)
    with folders as folder, MockApi() as api:
        home = Path(folder).resolve()
        project = home / "project"
        project.mkdir()
        yield Home(home, project, api)


def note_of(command: Sequence[str], folder: Path, environment: Mapping[str, str], seconds: int) -> str:
    """Runs the agent; what it says when it fails, empty when it does not."""
    try:
        done = subprocess.run(
            command, cwd=folder, env=environment, stdin=subprocess.DEVNULL, capture_output=True, timeout=seconds
        )
    except subprocess.TimeoutExpired:
        return f"no answer within {seconds} s"
    return (done.stderr or done.stdout).decode(errors="replace")[-400:] if done.returncode else ""


def said_by(command: Sequence[str], folder: Path, environment: Mapping[str, str], seconds: int) -> str:
    """Runs the agent; what it says."""
    done = subprocess.run(
        command, cwd=folder, env=environment, stdin=subprocess.DEVNULL, capture_output=True, timeout=seconds
    )
    return done.stdout.decode(errors="replace")


def asked(api: MockApi, ending: str, key: str = "messages", *, tools: bool = True) -> list[Messages]:
    """The histories that were sent with the prompt. Small requests of the agent's own (a title) have no `tools`."""
    histories = [body.get(key) for body in api.bodies(ending) if body.get("tools") or not tools]
    return [found for found in histories if isinstance(found, list) and PROMPT in json.dumps(found[-3:])]


def told(histories: Sequence[Messages], note: str, after: bytes = b"") -> dict[str, Any]:
    """The first history, what the agent said, and its file afterwards, as a `Resumed` is made of them."""
    messages = histories[0] if histories else None
    return {"messages": messages, "note": note, "after": base64.b64encode(after).decode()}


def answer_job(path: str, resume: Callable[[Mapping[str, Any], str, bytes], Any]) -> None:
    """The script's side: `resume(job, name, data)` for each file, its answers written in the job's place."""
    loopback_up()
    job = json.loads(Path(path).read_text())
    try:
        with ThreadPoolExecutor(AT_ONCE) as pool:
            files = {name: base64.b64decode(data) for name, data in job["files"].items()}
            futures = {name: pool.submit(resume, job, name, data) for name, data in files.items()}
            said = {name: future.result() for name, future in futures.items()}
    finally:
        namespace.end_the_others()
    Path(path).write_text(json.dumps(said))
