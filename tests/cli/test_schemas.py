"""What commands print as JSON is what the shipped schemas say, with no key that they do not name."""

from __future__ import annotations

import json
import os
import shutil
from importlib import import_module
from pathlib import Path

import pytest

from scripts.make_schemas import FOLDER, made
from tests.cli.conftest import Run
from tests.conftest import SAMPLES
from tests.json_schemas import wrong_in
from tests.rounds import dealt
from toolpair.cli.main import COMMANDS
from toolpair.cli.schema import NAMES

ERROR = "messages.3: `tool_use` ids were found without `tool_result` blocks immediately after: toolu_01."
OF_FILES = (
    ("check", "check", "{}", "--inactive"),
    ("check", "check", "{}", "--show-content", "--profile", "anthropic", "--profile", "openai-chat"),
    ("check", "check", "{}", "--statistics", "--select", "result"),
    ("check-line", "check", "{}", "--select", "result", "--output-format", "jsonl"),
    ("fix", "fix", "{}", "--diff", "--show-content"),
    ("fix", "fix", "{}", "--diff", "--profile", "anthropic", "--profile", "gemini"),
    ("compare", "compare", "{}"),
    ("sees", "sees", "{}"),
    ("explain", "explain", "result.missing", "{}"),
    ("explain", "explain", ERROR, "{}", "--show-content"),
    ("first-break", "first-break", "{}", "--show-content"),
)
OTHERS = (
    ("check", "check", "nowhere.json"),
    ("fix", "fix", "{valid.json}", "{damaged.jsonl}", "{python-repr.txt}", "nowhere.json", "--in-place"),
    ("sees", "sees", "{interrupted-call.json}", "--show-content"),
    ("sees", "sees", "{interrupted-call.json}", "--before"),
    ("sees", "sees", "{request-log.jsonl}", "--fixed"),
    ("diff", "diff", "{interrupted-call.json}", "{valid.json}", "--show-content"),
    ("diff", "diff", "{interrupted-call.json}", "{valid.json}"),
    ("diff", "diff", "{interrupted-call.json}", "{valid.json}", "--sent", "--show-content"),
    ("explain", "explain", "no such thing"),
    ("explain", "explain", "id-sanitised", "{sanitised-on-one-side.json}"),
    ("explain", "explain", ERROR),
    ("rules", "rules"),
    ("rules", "rules", "result.missing", "--profile", "anthropic"),
    ("profiles", "profiles"),
    ("profiles", "profiles", "mistral"),
    ("recipes", "recipes"),
    ("recipes", "recipes", "drop"),
    ("recipes", "recipes", "own.toml"),
    ("formats", "formats"),
    ("demo", "demo", "--list"),
    ("config", "config"),
    ("doctor", "doctor"),
    ("sessions", "sessions"),
    ("sessions-line", "sessions", "--output-format", "jsonl"),
    ("census", "census", "--show-paths"),
    ("restore", "restore", "{damaged.jsonl}"),
    ("restore", "restore", "{damaged.jsonl}", "--backup", "latest"),
)  # fmt: skip


def _look(run: Run, name: str, *words: str) -> list[str]:
    typed = words if "--output-format" in words else (*words, "--output-format", "json")
    printed = run(*typed).out
    texts = printed.splitlines() if name.endswith("-line") else [printed] if printed.strip() else []
    wrong = (wrong_in(name, json.loads(text)) for text in texts)
    return [f"{' '.join(words)}: {sentence}" for sentence in wrong if sentence is not None]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """All samples, one of them where Claude Code keeps its sessions, and a recipe of one's own."""
    for path in SAMPLES.iterdir():
        if path.suffix in (".json", ".jsonl", ".txt", ".db"):
            shutil.copy(path, tmp_path)
    home = tmp_path / "home/.claude/projects/-shop"
    home.mkdir(parents=True)
    shutil.copy(SAMPLES / "claude-code-branches.jsonl", home / "a.jsonl")
    (tmp_path / "own.toml").write_text('[fixes]\n"result.missing" = "remove-call"\n')
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_the_shipped_schemas_are_those_that_the_script_makes() -> None:
    shipped = {path.stem: json.loads(path.read_bytes()) for path in FOLDER.glob("*.json")}
    assert shipped == made() and set(shipped) == set(NAMES)
    for command, module in COMMANDS.items():
        action = import_module(module).parser()._option_string_actions.get("--output-format")
        assert action is None or "json" not in action.choices or command in NAMES, command
    page = (FOLDER.parents[3] / "docs/json.md").read_text(encoding="utf-8")
    assert all(f"`{name}`" in page for name in NAMES)


def test_a_schema_is_printed_by_its_name(run: Run) -> None:
    listed = run("schema").out.splitlines()
    assert [line.split()[0] for line in listed] == list(NAMES) and len({line[15:] for line in listed}) == len(NAMES)
    assert run("schema", "check").json == json.loads((FOLDER / "check.json").read_bytes())
    assert run("schema", "chekc").code == 2 and "Did you mean check?" in run("schema", "chekc").err


def test_every_command_prints_what_its_schema_says(run: Run, folder: Path) -> None:
    wrong = []
    for name, *words in OTHERS:
        wrong += _look(run, name, *(word[1:-1] if word.startswith("{") else word for word in words))
    assert not wrong


def test_every_sample_is_told_of_as_the_schemas_say(run: Run, folder: Path) -> None:
    """Each by some of the commands, and each command with some of them."""
    wrong = []
    for turn, sample in enumerate(sorted(path.name for path in folder.iterdir() if path.name in os.listdir(SAMPLES))):
        for name, *words in dealt(OF_FILES, turn):
            wrong += _look(run, name, *(sample if word == "{}" else word for word in words))
    assert not wrong
