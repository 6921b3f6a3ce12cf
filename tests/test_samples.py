"""The sample sessions: made by their script, each telling its story, each mended without an error left."""

from __future__ import annotations

import io
import json
import runpy
import sqlite3
import sys
from contextlib import closing
from pathlib import Path
from types import SimpleNamespace

import pytest

from toolpair.cli.main import main
from toolpair.cli.stories import SESSIONS, STORIES

SAMPLES = Path(__file__).resolve().parent.parent / "sample_sessions"

EXPECTED: dict[str, dict[str, int]] = {
    "valid.json": {},
    "sanitised-on-one-side.json": {"result.id_mismatch": 4},
    "interrupted-call.json": {"result.missing": 1},
    "parallel-swapped.json": {"result.split_over_messages": 1},
    "compaction-cut.json": {"result.orphan": 1},
    "duplicate-after-resume.json": {"result.duplicate": 2},
    "reused-ids.json": {"result.missing": 1},
    "reused-ids-anthropic.json": {"call.reused_id": 1},
    "orphan-after-rewind.json": {"result.orphan": 1},
    "text-before-result.json": {"result.not_first": 1},
    "openai-chat-missing.json": {"result.missing": 1},
    "responses-request.json": {"item.id_prefix": 1, "result.missing": 1},
    "request-log.jsonl": {"result.missing": 1},
    "proxy-log.jsonl": {"result.orphan": 1},
    "python-repr.txt": {"result.id_mismatch": 1},
    "claude-code-branches.jsonl": {"chain.missing_parent": 1},
    "codex-killed.jsonl": {"result.missing": 2, "result.kind": 1},
    "pi-lost-line.jsonl": {"chain.missing_parent": 1, "result.missing": 1},
    "qwen-late-result.jsonl": {"result.not_adjacent": 1, "result.missing": 2},
    "continue-cancelled.json": {"result.duplicate": 1, "result.missing": 1},
    "copilot-damaged-line.jsonl": {"record.torn": 1, "result.missing": 2},
    "gemini-doubled.jsonl": {"result.duplicate": 3, "result.missing": 1},
    "cline-late-result.json": {"result.not_adjacent": 1},
    "docker-agent-late-result.db": {"result.not_adjacent": 1, "result.missing": 1},
    "opencode-failed-response.db": {"record.failed": 1, "result.missing": 1},
    "openclaw-cut-history.db": {"chain.list_differs": 1, "result.id_mismatch": 1},
    "goose-left-out.db": {"result.id_mismatch": 1, "result.missing": 1},
    "hermes-other-id.db": {"result.id_mismatch": 1},
    "kimi-code-late-result.jsonl": {"rollout.not_loaded": 1, "result.missing": 1},
    "openhands-killed.jsonl": {"result.missing": 1},
    "vibe-words-between.jsonl": {"result.not_adjacent": 1, "result.missing": 1},
    "damaged.jsonl": {"record.glued": 1},
}
"""File -> the rules whose errors it breaks, with how often."""

READ_ONLY = {"python-repr.txt"}


def _script() -> SimpleNamespace:
    return SimpleNamespace(**runpy.run_path(str(SAMPLES / "make.py")))  # an import would leave a compiled file there


def _errors(path: Path, capsys: pytest.CaptureFixture[str]) -> dict[str, int]:
    code = main(["check", str(path), "--output-format", "json"])
    report = json.loads(capsys.readouterr().out)
    rules = [p["rule"] for entry in report["files"] for p in entry["problems"] if p["severity"] == "error"]
    assert code == (1 if rules else 0)
    return {rule: rules.count(rule) for rule in rules}


def test_the_script_writes_the_committed_files() -> None:
    made: dict[str, bytes] = _script().samples()
    for name, content in made.items():
        assert (SAMPLES / name).read_bytes() == content, f"{name}: run sample_sessions/make.py"
    others = {path.name for path in SAMPLES.iterdir() if path.is_file()} - set(made)
    assert others == {"make.py", "README.md"}
    shipped = {path.name: path.read_bytes() for path in SESSIONS.iterdir()}
    assert shipped == made, "run sample_sessions/make.py"


def test_every_sample_is_expected_and_described() -> None:
    assert set(EXPECTED) == set(_script().samples()) == set(STORIES)
    table = (SAMPLES / "README.md").read_text(encoding="utf-8")
    assert all(f"`{name}`" in table for name in EXPECTED)


@pytest.mark.parametrize("name", EXPECTED)
def test_check_says_what_the_story_tells(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert _errors(SAMPLES / name, capsys) == EXPECTED[name]


@pytest.mark.parametrize("name", EXPECTED)
def test_fix_leaves_no_error_and_a_second_run_changes_nothing(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    once, twice = tmp_path / f"once-{name}", tmp_path / f"twice-{name}"
    assert main(["fix", str(SAMPLES / name), "-o", str(once)]) in (0, 4), capsys.readouterr().err
    capsys.readouterr()
    assert _errors(once, capsys) == {}
    assert main(["fix", str(once), "-o", str(twice)]) == 0
    assert twice.read_bytes() == once.read_bytes()
    if not EXPECTED[name]:
        assert once.read_bytes() == (SAMPLES / name).read_bytes()


@pytest.mark.parametrize("name", EXPECTED)
def test_no_output_is_lost(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Every line of output that stood in the broken file stands in the mended one."""
    mended = tmp_path / name
    main(["fix", str(SAMPLES / name), "-o", str(mended)])
    before = (SAMPLES / name).read_bytes().decode("utf-8", "replace")
    after = mended.read_bytes().decode("utf-8", "replace")
    for mark in ("class Cart", "PRICES = {", "def place_order", "1 failed, 3 passed", "4 passed", "tea, coffee, mug"):
        assert (mark in after) == (mark in before), mark


@pytest.mark.parametrize("name", sorted(READ_ONLY))
def test_a_python_repr_is_never_written_back(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / name
    path.write_bytes((SAMPLES / name).read_bytes())
    assert main(["fix", str(path), "--in-place"]) in (2, 3)
    assert path.read_bytes() == (SAMPLES / name).read_bytes()


def test_standard_input_is_recognised_by_content_alone(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO((SAMPLES / "damaged.jsonl").read_bytes())))
    main(["check", "-", "--output-format", "json"])
    assert json.loads(capsys.readouterr().out)["files"][0]["format"] == "claude-code"


def test_databases_say_which_changes_of_their_tables_have_been_made() -> None:
    """Their agents make those that are not noted again, and fail."""

    def noted(name: str, sql: str) -> list[tuple[object, ...]]:
        with closing(sqlite3.connect(f"file:{SAMPLES / name}?immutable=1", uri=True)) as db:
            return db.execute(sql).fetchall()

    names = [name for (name,) in noted("docker-agent-late-result.db", "SELECT name FROM migrations ORDER BY id")]
    assert [str(name).partition("_")[0] for name in names] == [f"{number:03d}" for number in range(1, 22)]
    assert noted("opencode-failed-response.db", "SELECT count(*) FROM __drizzle_migrations") == [(3,)]
    assert noted("goose-left-out.db", "SELECT max(version) FROM schema_version") == [(16,)]
