"""What is loaded when: the commands without Textual, the library without any terminal library."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.patience import PATIENCE

SAMPLES = Path(__file__).resolve().parent.parent / "sample_sessions"

_LIST_MODULES = """
import sys
from toolpair.cli.main import main
sys.stdout.flush()
code = main({arguments!r})
import json
print(json.dumps(sorted(sys.modules)), file=sys.stderr)
"""

_LIST_OPENED = """
import sys
sys.addaudithook(lambda event, what: print(what[0], file=sys.stderr) if event == "open" else None)
"""

_LIBRARY_ALONE = """
import sys

class Blocked:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {"textual", "rich"}:
            raise ImportError(f"{name} is not installed here")

sys.meta_path.insert(0, Blocked())
import toolpair

messages = [
    {"role": "user", "content": "go"},
    {"role": "assistant", "content": [{"type": "tool_use", "id": "t1", "name": "run", "input": {}}]},
    {"role": "user", "content": "and?"},
]
report = toolpair.check(messages, profile="anthropic")
assert [problem.rule for problem in report.problems] == ["result.missing"], report
repaired = toolpair.repair(messages, profile="anthropic")
assert not toolpair.check(repaired.messages, profile="anthropic").problems
assert len(messages) == 3
"""


def _modules(*arguments: str) -> set[str]:
    ran = subprocess.run(
        [sys.executable, "-c", _LIST_MODULES.format(arguments=list(arguments))],
        capture_output=True,
        text=True,
        check=True,
        timeout=PATIENCE,
    )
    return set(json.loads(ran.stderr.splitlines()[-1]))


@pytest.mark.parametrize(
    "arguments",
    [
        ("check", str(SAMPLES / "interrupted-call.json")),
        ("check", str(SAMPLES / "interrupted-call.json"), "--output-format", "json"),
        ("fix", str(SAMPLES / "interrupted-call.json"), "--diff"),
        ("explain", "result.missing"),
        ("rules",),
    ],
)
def test_commands_load_no_terminal_library(arguments: tuple[str, ...]) -> None:
    loaded = {name.partition(".")[0] for name in _modules(*arguments)}
    assert loaded.isdisjoint({"textual", "rich"})


@pytest.mark.parametrize("sample", ["interrupted-call.json", "codex-killed.jsonl", "claude-code-branches.jsonl"])
def test_a_check_loads_nothing_that_it_does_not_use(sample: str) -> None:
    loaded = _modules("check", str(SAMPLES / sample))
    assert loaded.isdisjoint({"psutil", "platformdirs", "zstandard", "subprocess", "asyncio"})
    ours = {name for name in loaded if name.startswith("toolpair.")}
    unused = (
        *("agents.catalog", "agents.processes", "agents.running", "source.saving", "source.peek", "shell.machine"),
        *("formats.editor_extensions", "formats.cline_cli", "formats.way_back"),
        *("session.following", "session.surroundings", "session.journal", "library"),
        *("cli.fix", "cli.sees", "cli.compare", "cli.explain", "cli.rule_pages", "cli.ci", "rules.pages"),
        *("session.find", "history.losses", "session.recipe_", "rules.errors.error_detection", "rules.errors.matching"),
        *("recipes.keep", "recipes.minimal", "recipes.roo_code", "recipes.docker_agent"),
    )
    assert not [name for name in ours if name.removeprefix("toolpair.").startswith(unused)]


def test_a_check_of_a_valid_file_reads_the_data_of_its_profile_alone(tmp_path: Path) -> None:
    valid = tmp_path / "valid.json"
    valid.write_text('[{"role": "user", "content": "Hello"}, {"role": "assistant", "content": "Yes?"}]')
    listed = _LIST_OPENED + _LIST_MODULES.format(arguments=["check", str(valid)])
    ran = subprocess.run([sys.executable, "-c", listed], capture_output=True, text=True, check=True, timeout=PATIENCE)
    opened = [Path(line) for line in ran.stderr.splitlines() if line.endswith(".json")]
    assert [path.name for path in opened] == ["valid.json", "openai-chat.json"]


_ADDED = """
import sys
before = set(sys.modules)
{code}
sys.stdout.flush()
print(*sorted(set(sys.modules) - before), sep="\\n", file=sys.stderr)
"""


def _added(code: str) -> set[str]:
    """What `code` loads that Python itself does not."""
    ran = subprocess.run(
        [sys.executable, "-c", _ADDED.format(code=code)], capture_output=True, text=True, timeout=PATIENCE
    )
    assert ran.returncode == 0, ran.stderr
    return set(ran.stderr.split())


def _added_by(*arguments: object) -> set[str]:
    return _added(f"from toolpair.cli.main import main; main({[str(argument) for argument in arguments]!r})")


def test_the_version_loads_next_to_nothing() -> None:
    loaded = _added_by("--version")
    assert _ours(loaded) == {
        *("toolpair", "toolpair.cli", "toolpair.cli.main", "toolpair.cli.exits", "toolpair.cli.streams"),
    }
    assert loaded.isdisjoint({"typing", "re", "argparse", "pathlib", "msgspec"})


def test_importing_the_library_loads_next_to_nothing() -> None:
    loaded = _added("import toolpair; toolpair.__version__, toolpair.__all__")
    assert _ours(loaded) == {"toolpair"}
    assert loaded.isdisjoint({"typing", "re", "orjson", "msgspec"})


_PLAIN = '[{"role": "user", "content": "Hello"}, {"role": "assistant", "content": "Yes?"}]'
_CLAUDE_CODE = "".join(
    json.dumps(
        {
            "type": role,
            "uuid": f"00000000-0000-4000-8000-{number:012}",
            "parentUuid": f"00000000-0000-4000-8000-{number - 1:012}" if number else None,
            "sessionId": "s",
            "message": {"role": role, "content": [{"type": "text", "text": "Hello"}]},
        }
    )
    + "\n"
    for number, role in enumerate(("user", "assistant"))
)


@pytest.mark.parametrize(
    ("name", "content", "most"),
    [("list.json", _PLAIN, 133), ("session.jsonl", _CLAUDE_CODE, 158)],
    ids=["list of messages", "Claude Code"],
)
def test_a_check_of_a_small_sound_file_loads_few_modules(tmp_path: Path, name: str, content: str, most: int) -> None:
    """Each module costs a quarter of a millisecond; what only a broken file needs can wait until there is one."""
    file = tmp_path / name
    file.write_text(content)
    loaded = _added_by("check", file)
    ours = _ours(loaded)
    waiting = (
        *("recipes", "rules.errors", "rules.pages", "source.changes", "source.literal"),
        *(
            "history.sent_rows",
            "history.losses",
            "history.inactive",
            "history.scan",
            "history.open_w",
            "history.window_e",
        ),
        *("history.lights", "formats.light", "formats.anthropic_light", "formats.claude_code.light"),
        *("formats.damage", "cli.jobs", "cli.worker", "session.recipe_"),
        *("formats.claude_code.editing", "formats.codex.reading", "formats.codex.editing"),
    )
    assert not [module for module in ours if module.removeprefix("toolpair.").startswith(waiting)]
    assert len(ours) <= most, sorted(ours)
    # None of these is cheap, and orjson brings what cannot be avoided.
    rare = {"pathlib", "shutil", "tempfile", "hashlib", "subprocess", "urllib.parse", "base64", "signal", "difflib"}
    assert loaded.isdisjoint(rare | {"importlib.resources", "concurrent.futures", "multiprocessing", "asyncio"})


def _ours(loaded: set[str]) -> set[str]:
    return {name for name in loaded if name == "toolpair" or name.startswith("toolpair.")}


def test_the_library_works_without_a_terminal_library() -> None:
    subprocess.run([sys.executable, "-c", _LIBRARY_ALONE], check=True, timeout=PATIENCE)
