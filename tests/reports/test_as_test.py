"""An excerpt as a test for the agent's authors: red in the agent's own code, green once the case is fixed, redacted."""

from __future__ import annotations

import json
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from tests import hermes_sessions, openhands_conversations
from tests.conftest import SAMPLES
from tests.formats import test_crush
from tests.history.test_framework_rows import STORES
from toolpair.cli.main import main
from toolpair.reports.excerpt.excerpts import excerpt
from toolpair.reports.excerpt.harness import harnesses
from toolpair.session.session import open_session

SECRET = "quagmire"


def _stored(kind: str, folder: Path) -> Path:
    """A session of three exchanges; in the second the result has another id than its call."""
    make, write = STORES[kind]
    text = json.dumps([one for n in range(3) for one in make(n)]).replace("look at", f"{SECRET} asks")
    values = json.loads(text.replace("it is", f"so says the {SECRET},").replace("it 1", f"so says the {SECRET}, 1"))
    values[6] = json.loads(json.dumps(values[6]).replace("00000001", "0000000f"))
    return write(folder, values)


def _openhands(folder: Path) -> Path:
    events = openhands_conversations.sound()
    events[3] = openhands_conversations.gives(3, "call_of_nothing", 2, f"{SECRET} out")
    return openhands_conversations.conversation(folder, events)


def _hermes(folder: Path) -> Path:
    made = hermes_sessions.sound()
    row = next(one["messages"] for one in made.records if one.get("messages", {}).get("role") == "tool")
    row |= {"tool_call_id": row["tool_call_id"].replace("_", "."), "content": f"{SECRET} out"}
    return hermes_sessions.database(folder / "state.db", b"", made)


def _crush(folder: Path) -> Path:
    lost = test_crush.result("two", id_="call_of_nothing")
    messages = [test_crush.user(f"{SECRET} asks"), *test_crush.SOUND[1:4], lost, test_crush.result("three")]
    return test_crush.database(folder / "crush.db", [*messages, test_crush.says("Done.")])


CASES: dict[str, tuple[str, str, Callable[[Path], Path]]] = {
    "strands": ("strands", "pytest", lambda folder: _stored("strands-folder", folder)),
    "google-adk": ("google.adk", "pytest", lambda folder: _stored("google-adk-database", folder)),
    "openhands": ("openhands.sdk", "pytest", _openhands),
    "hermes": ("hermes_state", "pytest", _hermes),
    "continue": ("", "vitest", lambda _: SAMPLES / "continue-cancelled.json"),
    "roo-code": ("", "vitest", lambda _: SAMPLES / "sanitised-on-one-side.json"),
    "cline": ("", "vitest", lambda _: SAMPLES / "cline-late-result.json"),
    "docker-agent": ("", "go", lambda _: SAMPLES / "docker-agent-late-result.db"),
    "crush": ("", "go", _crush),
}


def _has(library: str) -> bool:
    try:
        return bool(library) and find_spec(library) is not None
    except ModuleNotFoundError:
        return False


def elements(path: Path, keys: list[str]) -> list[Any]:
    session = open_session(path)
    session.stage_recommended()
    found = [record.value for record in session.conversation.document.records]
    for key in keys:
        found = [one[key] for one in found if key in one]
    return found


@pytest.mark.parametrize("agent", CASES)
def test_the_case_is_red_in_the_agents_own_code_and_holds_nothing_of_the_session(tmp_path: Path, agent: str) -> None:
    library, runs, make = CASES[agent]
    path = make(tmp_path)
    found = excerpt(path)
    text, harness = found.as_test(runs), harnesses()[agent]
    assert found.problem.rule in text and "@@" not in text and SECRET not in text and str(tmp_path) not in text
    if not _has(library):
        return
    space: dict[str, Any] = {}
    exec(compile(text, "test_case.py", "exec"), space)
    assert space["CASE"] and space["OUTPUTS"]
    test = space["test_the_request_pairs_and_holds_every_output"]
    given = [tmp_path / "red"] if agent in ("strands", "hermes") else []
    with pytest.raises(AssertionError):
        test(*given)
    space["CASE"], space["OUTPUTS"] = elements(path, harness.formats[found.session.format.id]), [SECRET]
    test(*[tmp_path / "green" for _ in given])


@pytest.mark.parametrize(
    ("name", "runs", "code", "said"),
    [
        ("claude-code-branches.jsonl", "pytest", 2, "No test can be written for Claude Code"),
        ("continue-cancelled.json", "go", 2, "The tests of Continue run with vitest: --as-test vitest."),
        ("continue-cancelled.json", "jest", 2, "--as-test takes pytest, vitest or go, not 'jest'."),
        ("continue-cancelled.json", "vitest", 0, "run vitest there."),
    ],
)
def test_what_the_command_says(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str, runs: str, code: int, said: str
) -> None:
    out = tmp_path / "case.test.ts"
    assert main(["excerpt", str(SAMPLES / name), "--as-test", runs, "-o", str(out)]) == code
    assert said in capsys.readouterr().err and out.exists() == (code == 0)


def test_a_case_that_is_sent_whole_is_no_test(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    make, write = STORES["strands-folder"]
    values = [one for n in range(3) for one in make(n)]
    path = write(tmp_path, [*values[:6], *values[7:]])
    assert main(["excerpt", str(path), "--as-test", "pytest"]) == 3
    assert "Strands sends all of this case in pairs, so its test would not fail." in capsys.readouterr().err
