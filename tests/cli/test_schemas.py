"""What commands print as JSON is what the shipped schemas say, with no key that they do not name."""

from __future__ import annotations

import json
import shutil
from functools import cache
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from scripts.make_schemas import FOLDER, made
from tests.cli.conftest import Run
from tests.conftest import SAMPLES
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


def _closed(schema: Any) -> Any:
    """The schema with no keys allowed that it does not name."""
    if isinstance(schema, list):
        return [_closed(one) for one in schema]
    if not isinstance(schema, dict):
        return schema
    found = {key: _closed(one) for key, one in schema.items()}
    if isinstance(schema.get("properties"), dict):
        found["additionalProperties"] = False
    return found


@cache
def _validator(name: str) -> jsonschema.Draft202012Validator:
    schema = json.loads((FOLDER / f"{name}.json").read_bytes())
    jsonschema.Draft202012Validator.check_schema(schema)
    return jsonschema.Draft202012Validator(_closed(schema))


def _look(run: Run, name: str, *words: str) -> list[str]:
    typed = words if "--output-format" in words else (*words, "--output-format", "json")
    printed = run(*typed).out
    texts = printed.splitlines() if name.endswith("-line") else [printed] if printed.strip() else []
    wrong = []
    for text in texts:
        found = jsonschema.exceptions.best_match(_validator(name).iter_errors(json.loads(text)))
        if found is not None:
            while found.context:
                found = max(found.context, key=lambda one: (one.validator != "required", len(one.absolute_path)))
            wrong.append(f"{' '.join(words)}: {found.json_path}: {found.message[:300]}")
    return wrong


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


@pytest.mark.parametrize(
    "sample", sorted(path.name for path in SAMPLES.iterdir() if path.suffix in (".json", ".jsonl", ".txt", ".db"))
)
def test_every_sample_is_told_of_as_the_schemas_say(run: Run, folder: Path, sample: str) -> None:
    wrong = []
    for name, *words in OF_FILES:
        wrong += _look(run, name, *(sample if word == "{}" else word for word in words))
    assert not wrong
