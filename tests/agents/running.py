"""What the scripts that run in the namespace have in common: one agent resumed, and a whole job of files."""

from __future__ import annotations

import base64
import json
import os
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.agents import namespace
from tests.agents.mock_api import MockApi

Messages = list[dict[str, Any]]
PROMPT = "go on"
"""What an agent is asked when it resumes a session."""
AT_ONCE = 2


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

    messages: Messages | None
    note: str
    after: bytes
    """The session file afterwards, empty where the script does not hand it back."""

    @classmethod
    def of(cls, told: Mapping[str, Any]) -> Resumed:
        """What a script told."""
        return cls(told["messages"], told["note"], base64.b64decode(told["after"]))


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


def without_system(histories: Sequence[Messages]) -> list[Messages]:
    """The same without the agent's own words at the beginning."""
    return [history[history[0].get("role") == "system" :] for history in histories]


def told(histories: Sequence[Messages], note: str, after: bytes = b"") -> dict[str, Any]:
    """The first history, what the agent said, and its file afterwards, as a `Resumed` is made of them."""
    messages = histories[0] if histories else None
    return {"messages": messages, "note": note, "after": base64.b64encode(after).decode()}


def answer_job(path: str, resume: Callable[[Mapping[str, Any], str, bytes], Any]) -> None:
    """The script's side: `resume(job, name, data)` for each file, its answers written in the job's place."""
    namespace.loopback_up()
    job = json.loads(Path(path).read_text())
    try:
        with ThreadPoolExecutor(AT_ONCE) as pool:
            files = {name: base64.b64decode(data) for name, data in job["files"].items()}
            futures = {name: pool.submit(resume, job, name, data) for name, data in files.items()}
            said = {name: future.result() for name, future in futures.items()}
    finally:
        namespace.end_the_others()
    Path(path).write_text(json.dumps(said))
