"""One entry and one line in the registry bring an agent everywhere; without a format it is told as not understood."""

from __future__ import annotations

import asyncio
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import toolpair
from tests.cli.conftest import Run
from tests.made_up_agent import made_up_session
from tests.patience import PATIENCE
from tests.tui.driving import frame
from toolpair.formats import FORMATS, NOT_UNDERSTOOD, all_agents, all_formats, get_format, written_by
from toolpair.formats.lazy import Lazy
from toolpair.rules.causes import cause_ids
from toolpair.session.session import open_session
from toolpair.shell.machine import Machine
from toolpair.transcript.known_systems import SYSTEMS
from toolpair.tui.app import ToolpairApp
from toolpair.tui.picker_checks import Checked, Mark
from toolpair.tui.session_list import Sessions

ROOT = Path(__file__).parents[2]


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The user's home, in whose folder `shop` the commands run; the agent is known, and writes lists of messages."""
    for name in ("CLAUDE_CONFIG_DIR", "CODEX_HOME", "CLINE_DIR", "CLINE_SESSION_DATA_DIR", "XDG_CONFIG_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    (tmp_path / "shop").mkdir()
    monkeypatch.chdir(tmp_path / "shop")
    monkeypatch.setitem(get_format("anthropic").agents, "made-up", Lazy("tests.made_up_agent:AGENT"))
    return tmp_path


@pytest.fixture
def unknown(home: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The same, and nobody knows what it writes."""
    monkeypatch.delitem(get_format("anthropic").agents, "made-up")
    monkeypatch.setitem(NOT_UNDERSTOOD, "made-up", "tests.made_up_agent:AGENT")
    return home


class Judge:
    def __init__(self) -> None:
        self.asked: list[str] = []

    def judge(self, path: str) -> Mark:
        self.asked.append(path)
        return Checked(1, "loses", "LOSES 1 CALL")

    def glimpse(self, path: str) -> None: ...

    def find(self, path: str, words: str) -> None: ...

    def close(self) -> None: ...


def picked(home: Path, judge: Judge, wanted: str) -> str:
    """The list of sessions, once `wanted` is in it."""
    of = Sessions(open_session, Machine("linux", {}, home), str(home / "shop"), lambda: judge)

    async def draw() -> str:
        app = ToolpairApp(None, sessions=lambda: of)
        async with app.run_test(size=(120, 24)) as pilot:
            for _ in range(400):
                shown = frame(app)
                if wanted in shown and "Made Up" in shown:  # the preview may be there before its row
                    break
                await pilot.pause(0.05)
            assert wanted in shown
            return shown

    return asyncio.run(draw())


def test_its_sessions_are_listed(home: Path, run: Run) -> None:
    path = made_up_session(home, str(home / "shop"))
    listed = run("sessions").out
    assert "Made Up" in listed and "s1" in listed and "~/shop" in listed and "what was said" in listed
    assert "made-up" in run("sessions", "--help").out.replace("-\n                        ", "-")
    (one,) = run("sessions", "--agent", "made-up", "--output-format", "json").json["sessions"]
    assert (one["agent"], one["path"], one["here"]) == ("made-up", str(path), True)
    judge = Judge()
    shown = picked(home, judge, "LOSES 1 CALL")
    assert "Made Up" in shown and "what was said" in shown and judge.asked == [str(path)]


@pytest.mark.parametrize("name", ["s1", "s1.made-up.json", "."])
def test_a_session_is_called_by_its_id(home: Path, run: Run, name: str) -> None:
    made_up_session(home, str(home / "shop"))
    assert run("check", name).code == 1


def test_it_is_told_how_to_go_on(home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = made_up_session(home, str(home / "shop"))
    session = open_session(path)
    assert session.resume_command() == "made-up --go-on s1"
    assert session.resume_command(tmp_path / "copy.json") == f"put this file at {path}, then run `made-up --go-on s1`."
    monkeypatch.setenv("MADE_UP_HOME", str(tmp_path / "other"))
    assert session.resume_command() == f"MADE_UP_HOME={path.parent} made-up --go-on s1"
    elsewhere = shutil.copy(path, tmp_path / "list.json")
    assert open_session(elsewhere).resume_command() is None


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="processes are named as on Linux")
def test_who_runs_it_is_warned(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("toolpair.agents.processes.LONGEST", 60.0)
    session = open_session(made_up_session(home, str(home / "shop")))
    assert session.look_around() == ()
    program = home / "made-up"
    shutil.copy(os.path.realpath(shutil.which("sleep") or ""), program)
    process = subprocess.Popen([program, "60"], cwd=home / "shop")
    try:
        said = f"Made Up is running in ~/shop (pid {process.pid}) with the old history: quit it first."
        assert session.look_around() == (said,)
    finally:
        process.kill()
        process.wait()


def test_what_it_does_on_resume_is_told_of_its_sessions_alone(home: Path, run: Run) -> None:
    path = made_up_session(home, str(home / "shop"))
    told = run("check", path, "--output-format", "json").json["files"][0]["problems"][0]
    assert (told["rule"], told["impact"]) == ("result.missing", "loses")
    assert (told["on_resume"]["agent"], told["on_resume"]["effect"]) == ("Made Up", "dropped")
    assert told["on_resume"]["loses"] == "the call"
    elsewhere = shutil.copy(path, home / "list.json")
    other = run("check", elsewhere, "--output-format", "json").json["files"][0]["problems"][0]
    assert (other["rule"], other["on_resume"]) == ("result.missing", None)


def test_the_index_that_it_keeps_is_warned_of_before_a_save(home: Path, run: Run) -> None:
    path = made_up_session(home, str(home / "shop"))
    size = path.stat().st_size
    note = f"Made Up's index has the old size of this session, {size} bytes: remove it."
    assert note not in run("fix", path, "--diff").err
    (path.parent / "index").write_text(f"s1 {size}")
    session = open_session(path)
    session.look_around()
    assert note in session.warnings
    assert note in run("fix", path, "--in-place").err


KNOWN_FROM_THE_START = """
import sys
from tests.made_up_system import SYSTEM
from toolpair.transcript.known_systems import SYSTEMS
SYSTEMS["made-up"] = SYSTEM
from toolpair.formats import get_format
from toolpair.formats.lazy import Lazy
get_format("anthropic").agents["made-up"] = Lazy("tests.made_up_agent:AGENT")
"""


def with_its_record(code: str, *arguments: object) -> str:
    """What `code` prints where the agent has its two lines: an entry, and a record of what it leaves in a history."""
    ran = subprocess.run(
        [sys.executable, "-c", KNOWN_FROM_THE_START + code, *map(str, arguments)],
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        cwd=ROOT,
    )
    assert "Traceback" not in ran.stderr, ran.stderr
    return ran.stdout


def command(*arguments: object) -> str:
    return with_its_record("from toolpair.cli.main import main; sys.exit(main(sys.argv[1:]))", *arguments)


def _user(*blocks: dict[str, object]) -> list[object]:
    return [{"role": "user", "content": list(blocks)}]


def test_its_note_of_an_interruption_is_a_cause(home: Path) -> None:
    note = {"type": "text", "text": "[made up: you stopped it]"}
    path = made_up_session(home, str(home / "shop"), more=_user(note))
    problem = json.loads(command("check", path, "--output-format", "json"))["files"][0]["problems"][0]
    assert problem["cause"]["id"] == "interrupted"
    assert problem["cause"]["product"] == "Made Up 1.0" and "Made Up's note" in problem["cause"]["evidence"]
    known = json.loads(command("explain", "interrupted", "--output-format", "json"))["cause"]["known_from"]
    assert known[-1] == {"product": "Made Up 1.0", "link": "https://example.org/made-up"}


def test_its_placeholder_is_no_output(home: Path, run: Run) -> None:
    result = {"type": "tool_result", "tool_use_id": "t1"}
    doubled = _user({**result, "content": "(made up: the tool was lost)"}, {**result, "content": "3 passed"})
    path = made_up_session(home, str(home / "shop"), more=doubled)
    (problem,) = json.loads(command("check", path, "--output-format", "json"))["files"][0]["problems"]
    assert problem["cause"]["id"] == "duplicate.placeholder" and problem["cause"]["product"] == "Made Up"
    (problem,) = run("check", path, "--output-format", "json").json["files"][0]["problems"]
    assert problem["cause"]["id"] == "duplicate.differ"


def test_the_docs_that_are_made_have_it() -> None:
    code = "sys.path.insert(0, 'scripts'); import make_docs; print(make_docs.systems()['README.md'])"
    page = with_its_record(code)
    assert "| Made Up | `made-up` | `~/.made-up` | `MADE_UP_HOME` | anthropic |" in page
    assert "| Made Up | `(made up: the tool was lost)` | `interrupted` |" in page


def test_an_entry_and_its_record_have_one_id_and_one_name() -> None:
    """So what is one agent's in a history is named by exactly one entry."""
    assert len({system.title for system in SYSTEMS.values()}) == len(SYSTEMS)
    titled = {agent.title: agent.id for agent in all_agents()}
    assert {id_: titled[system.title] for id_, system in SYSTEMS.items() if system.title in titled} == {
        id_: id_ for id_ in SYSTEMS if id_ in written_by()
    }


def test_what_records_name_is_there() -> None:
    """Causes by their ids, systems by theirs; and no text is two systems'."""
    for system in SYSTEMS.values():
        assert set(system.causes) <= set(cause_ids()), system.title
        assert {one for told in (*system.placeholders, *system.causes.values()) for one in told.also} <= set(SYSTEMS)
    texts = [text.text for system in SYSTEMS.values() for text in system.placeholders]
    assert len(set(texts)) == len(texts)


def test_a_format_that_is_known_stands_in_formats_once(home: Path, run: Run) -> None:
    assert "Made Up" not in run("formats").out


def test_files_that_are_not_understood_are_listed_and_said_to_be_so(unknown: Path, run: Run) -> None:
    path = made_up_session(unknown, str(unknown / "shop"))
    first, second = run("sessions").out.splitlines()
    assert "Made Up" in first and second.strip() == "not understood yet"
    judge = Judge()
    shown = picked(unknown, judge, "not understood yet")
    assert "Made Up" in shown and "not understood yet" in shown and str(path) not in judge.asked
    assert "made-up  Made Up\n    not understood yet; ~/.made-up\n" in run("formats").out
    last = json.loads(run("formats", "--output-format", "json").out)["formats"][-1]
    assert (last["id"], last["profile"], last["where"]) == ("made-up", None, "~/.made-up")


def test_shared_code_names_no_agent() -> None:
    folder = Path(toolpair.__file__).parent
    shared = [
        *(folder / "agents").glob("*.py"),
        *(folder / "rules" / "causes").glob("*.py"),
        *(
            folder / name
            for name in (
                "session/surroundings.py",
                "history/checked_records.py",
                "transcript/placeholders.py",
                "tui/picker_text.py",
            )
        ),
    ]
    named = re.compile(r"claude|codex|\bcline|roo.?code|kilo", re.IGNORECASE)
    assert not [path.name for path in shared if named.search(path.read_text(encoding="utf-8"))]


def test_the_readme_names_each_agent() -> None:
    readme = (Path(__file__).parents[2] / "README.md").read_text(encoding="utf-8")
    assert not [agent.title for agent in all_agents() if agent.title.removesuffix(" CLI") not in readme]


def test_each_line_of_the_registry_names_its_entry() -> None:
    assert [agent.id for agent in all_agents()] == list(written_by())
    assert len({format.id for format in all_formats()}) == len(FORMATS)


@pytest.mark.parametrize(("fields", "agent"), [({}, "Roo Code"), ({"id": "m1"}, "Cline")])
def test_of_agents_that_share_a_format_the_one_that_wrote_it_is_asked(
    tmp_path: Path, run: Run, fields: dict[str, str], agent: str
) -> None:
    call = {"type": "tool_use", "id": "t1", "name": "run", "input": {}}
    messages = [("user", "go"), ("assistant", [call])]
    path = tmp_path / "api_conversation_history.json"
    path.write_text(json.dumps([{"role": role, "content": content, "ts": 1, **fields} for role, content in messages]))
    (problem,) = run("check", path, "--output-format", "json").json["files"][0]["problems"]
    assert (problem["rule"], problem["on_resume"]["agent"]) == ("turn.trailing_call", agent)
