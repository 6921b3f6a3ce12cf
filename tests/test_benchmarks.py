"""The benchmarks measure what they say: the sessions that they make, and their list of budgets. Nothing is timed here."""

from __future__ import annotations

import json
import os
import sqlite3
import subprocess
import sys
from collections import Counter
from contextlib import closing
from dataclasses import replace
from importlib import import_module
from io import BytesIO
from itertools import pairwise, product
from pathlib import Path

import pytest

import toolpair
from benchmarks.budgets import BUDGETS
from benchmarks.generate import WRITERS, Generation, generate, main, messages
from benchmarks.harness.figures import Outcome, difference, percentile, ratio
from benchmarks.harness.plan import Plan
from benchmarks.harness.terminal import Terminal
from benchmarks.measures.fix_all import REVIEW
from benchmarks.measures.interface_start import READ, ROW
from benchmarks.report import BEGIN, END, page_with, verdict
from benchmarks.report import text as report_text
from benchmarks.run import main as run_benchmarks
from benchmarks.sessions.options import BREAKABLE, DATABASES, FORMATS, SHAPES, Options, bytes_of
from tests.each import each
from toolpair.formats.engine.agents.databases import sessions_in

PAGE = Path(__file__).resolve().parent.parent / "docs" / "performance.md"
RULES = {
    "renamed": "result.id_mismatch",
    "missing": "result.missing",
    "duplicate": "result.duplicate",
    "orphan": "result.orphan",
    "late": "result.not_adjacent",
    "words-first": "result.not_first",
}


def data_of(options: Options) -> bytes:
    out = BytesIO()
    Generation(options).write(out)
    return out.getvalue()


@pytest.mark.parametrize(
    ("format", "shape"), [*product(FORMATS, ("ordinary", "escapes", "small")), ("codex", "images")]
)
def test_the_same_options_make_the_same_bytes(format: str, shape: str) -> None:
    options = Options(format=format, shape=shape, pairs=12, problems=3)
    assert data_of(options) == data_of(options)
    assert data_of(options) != data_of(replace(options, seed=2))


@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize("shape", ["ordinary", "escapes", "small", "images"])
def test_a_made_session_is_recognised_and_sound(tmp_path: Path, format: str, shape: str) -> None:
    path = tmp_path / "made.jsonl"
    made = generate(Options(format=format, shape=shape, pairs=30 if shape != "images" else 6), path)
    session = toolpair.open(path)
    assert session.format.id == format
    assert session.problems == ()
    assert path.stat().st_size == made.bytes
    assert len(path.read_bytes().splitlines()) == made.records


@pytest.mark.parametrize("agent", DATABASES)
def test_a_made_database_is_its_agents_and_each_broken_pair_one_problem(tmp_path: Path, agent: str) -> None:
    path = tmp_path / "made.db"
    kinds = BREAKABLE[agent]
    options = Options(format=agent, pairs=120, problems=2 * len(kinds), kinds=kinds, sessions=3)
    made = generate(options, path)
    assert made.problems == dict.fromkeys(kinds, 2)
    for found in sessions_in(str(path), str(path)).sessions:
        session = toolpair.open(f"{path}::{found.id}")
        assert session.format.id == agent
        rules = Counter(problem.rule for problem in session.problems if problem.severity == "error")
        assert rules == {RULES[kind]: 2 for kind in kinds}
    with closing(sqlite3.connect(path)) as bare:
        assert len(bare.execute(WRITERS[agent].LOOP).fetchall()) > 100  # type: ignore[attr-defined]


def test_a_made_folder_is_opencodes(tmp_path: Path) -> None:
    storage = tmp_path / "opencode" / "storage"
    generate(Options(format="opencode", layout="folder", pairs=20, problems=2), storage)
    session = toolpair.open(storage)
    assert session.format.id == "opencode"
    assert [problem.rule for problem in session.problems if problem.severity == "error"] == ["result.missing"] * 2


@pytest.mark.parametrize("shape", ["huge", "cjk-line"])
def test_long_outputs_can_be_asked_for_in_any_length(tmp_path: Path, shape: str) -> None:
    path = tmp_path / "made.jsonl"
    made = generate(Options(format="anthropic", shape=shape, pairs=2, size=200_000), path)
    assert 100_000 < made.bytes < 300_000
    assert toolpair.open(path).problems == ()


@pytest.mark.parametrize("format", FORMATS)
def test_each_broken_pair_is_one_problem_of_its_kind(tmp_path: Path, format: str) -> None:
    kinds = BREAKABLE[format]
    path = tmp_path / "made.jsonl"
    made = generate(Options(format=format, pairs=120, problems=2 * len(kinds), kinds=kinds), path)
    assert made.problems == dict.fromkeys(kinds, 2)
    found = sorted(problem.rule for problem in toolpair.open(path).problems)
    assert found == sorted(2 * [RULES[kind] for kind in kinds])


@pytest.mark.parametrize("layout", ["array", "request"])
@pytest.mark.parametrize("format", ["anthropic", "openai-chat"])
def test_one_document_says_the_same_as_its_lines(tmp_path: Path, format: str, layout: str) -> None:
    options = Options(format=format, pairs=20, problems=2)
    generate(options, tmp_path / "lines.jsonl")
    generate(replace(options, layout=layout), tmp_path / "document.json")
    document = json.loads((tmp_path / "document.json").read_bytes())
    assert (document if layout == "array" else document["messages"]) == messages(options)
    of_lines, of_document = (toolpair.open(tmp_path / name) for name in ("lines.jsonl", "document.json"))
    assert len(of_document.problems) == 2
    assert [problem.rule for problem in of_document.problems] == [problem.rule for problem in of_lines.problems]


@pytest.mark.parametrize("format", FORMATS)
def test_size_and_number_of_pairs_are_kept_together(format: str) -> None:
    data = data_of(Options(format=format, size=1_500_000, pairs=150))
    assert data.count(b"step_000149") > 0 and data.count(b"step_000150") == 0
    assert 1_000_000 < len(data) < 2_000_000


def test_a_size_alone_is_reached_and_hardly_passed() -> None:
    assert 300_000 <= len(data_of(Options(size=300_000, shape="small"))) < 320_000


def test_the_problems_stand_at_equal_distances(tmp_path: Path) -> None:
    path = tmp_path / "made.jsonl"
    generate(Options(pairs=200, problems=4, kinds=("renamed",), shape="small"), path)
    places = [problem.record for problem in toolpair.open(path).problems]
    distances = [after - before for before, after in pairwise(places)]
    assert max(distances) < 1.3 * min(distances)


@pytest.mark.parametrize("format", FORMATS)
def test_each_fiftieth_pair_can_be_broken(tmp_path: Path, format: str) -> None:
    made = generate(Options(format=format, pairs=500, every=50, shape="small"), tmp_path / "made.jsonl")
    assert sum(made.problems.values()) == 10
    assert len(toolpair.open(tmp_path / "made.jsonl").problems) == 10


@pytest.mark.parametrize("format", ["anthropic", "openai-chat"])
def test_one_document_can_hold_many_conversations(tmp_path: Path, format: str) -> None:
    path = tmp_path / "made.json"
    generate(Options(format=format, pairs=200, layout="conversations", problems=3), path)
    session = toolpair.open(path)
    assert len(session.conversations) > 3
    assert sum(len(conversation.problems) for conversation in session.conversations) == 3


def test_worst_cases_are_what_they_are_called() -> None:
    equal = data_of(Options(format="anthropic", pairs=9, ids="equal"))
    assert equal.count(b'"id":"call_0"') == 9
    alike = messages(Options(format="anthropic", pairs=9, ids="alike"))
    ids = {
        block["id"] for message in alike for block in message["content"] if isinstance(block, dict) and "id" in block
    }
    assert len(ids) == 9 and len({id_[:-1] for id_ in ids}) == 1
    one = messages(Options(format="openai-chat", pairs=50, parallel=50))
    assert [len(message["tool_calls"]) for message in one if "tool_calls" in message] == [50]


@each(("words", "count"), [("500MB", 500_000_000), ("1.5 GB", 1_500_000_000), ("10kb", 10_000), ("4096", 4096)])
def test_sizes_are_read(words: str, count: int) -> None:
    assert bytes_of(words) == count


@each("words", ["", "MB", "5 elephants", "-3"])
def test_what_is_no_size_is_refused(words: str) -> None:
    with pytest.raises(ValueError, match="is no size"):
        bytes_of(words)


def test_the_command_says_what_it_made(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "made.jsonl"
    assert main([str(out), "--pairs", "8", "--problems", "1", "--kinds", "missing"]) == 0
    said = json.loads(capsys.readouterr().out)
    assert said["pairs"] == 8 and said["problems"] == {"missing": 1} and said["bytes"] == out.stat().st_size
    assert main([str(out)]) == 2
    assert "say how big" in capsys.readouterr().err
    assert main([str(out), "--pairs", "3", "--format", "codex", "--layout", "array"]) == 2
    assert "codex writes lines" in capsys.readouterr().err


def cells_of(page: str) -> list[list[str]]:
    """The cells of each budget's line."""
    table = page.partition(BEGIN)[2].partition(END)[0]
    lines = [line for line in table.splitlines() if line.startswith("| <a id=")]
    return [line.strip("| ").split(" | ") for line in lines]


def test_the_page_has_each_budget_with_its_limit_and_aim() -> None:
    wanted = cells_of(page_with(f"{BEGIN}{END}", {}, "a machine", "today"))
    on_page = cells_of(PAGE.read_text(encoding="utf-8"))
    assert len(wanted) == len(BUDGETS)
    assert [(row[0], *row[3:5]) for row in on_page] == [(row[0], *row[3:5]) for row in wanted]


def test_each_budget_has_its_measurement_and_can_be_asked_for() -> None:
    assert len({budget.name for budget in BUDGETS}) == len(BUDGETS)
    for budget in BUDGETS:
        assert callable(import_module(f"benchmarks.measures.{budget.module}").measure)
        assert budget.limit is None or budget.aim is None or budget.aim <= budget.limit
        assert budget.judged_by > 0


def test_figures_of_a_later_run_take_the_place_of_those_that_it_measured_alone() -> None:
    page = f"before\n{BEGIN}\n{END}\nbehind\n"
    first = page_with(
        page, {"save": Outcome(1.27, 1.1, 1.4, 5), "start.version": Outcome(22, 20, 30, 9)}, "slow", "then"
    )
    second = page_with(first, {"save": Outcome(1.05, 1.0, 1.1, 5, ("`cp` 2 s",))}, "slow", "now")
    assert second.startswith("before\n") and second.endswith("behind\n")
    saved = next(line for line in second.splitlines() if 'id="save"' in line)
    assert "1.05 ×" in saved and "aim met. `cp` 2 s" in saved and "1.27" not in second
    assert "22 ms" in next(line for line in second.splitlines() if 'id="start.version"' in line)


def test_a_missed_budget_is_called_missed() -> None:
    save = next(budget for budget in BUDGETS if budget.name == "save")
    assert [verdict(save, Outcome(value, value, value, 1)) for value in (1.0, 1.3, 1.6)] == ["aim met", "met", "missed"]
    assert "MISSED" in report_text([(save, Outcome(1.6, 1.5, 1.7, 3))])
    assert "NOT MEASURED: no disk" in report_text([(save, "no disk")])
    aimed = next(budget for budget in BUDGETS if budget.name == "viewer.big")
    assert verdict(aimed, Outcome(900, 900, 900, 1)) == "aim missed"


def test_figures() -> None:
    assert ratio([2.0, 4.0, 100.0], [1.0, 2.0, 2.0]).value == 2.0
    assert difference([5.0, 6.0, 9.0], [1.0, 1.0, 1.0]).value == 5.0
    assert percentile([float(n) for n in range(1, 101)], 0.95).value == 96.0


def test_the_command_lists_and_refuses(capsys: pytest.CaptureFixture[str]) -> None:
    assert run_benchmarks(["--list"]) == 0
    assert len(capsys.readouterr().out.splitlines()) == len(BUDGETS)
    assert run_benchmarks(["--only", "nothing"]) == 2
    assert "no budget is called nothing" in capsys.readouterr().err
    assert run_benchmarks(["--write", str(PAGE), "--quick"]) == 2


def test_a_terminal_sees_frames_and_words(tmp_path: Path) -> None:
    echo = "import sys; print('\\033[1mrea\\033[0mdy', flush=True); print('got', input(), flush=True); input()"
    with Terminal([sys.executable, "-c", echo]) as terminal:
        assert terminal.wait_for("ready") > terminal.begun
        frame = terminal.press("abc\r", "got abc")
        assert 0 < frame.seconds <= frame.whole


def test_the_interface_says_what_the_measures_wait_for(tmp_path: Path) -> None:
    """Whatever the one before left: a program that is killed keeps its fixes for the next one."""
    path = tmp_path / "made.jsonl"
    generate(Options(pairs=30, problems=2, kinds=("renamed",)), path)
    for key in (" ", "A"):
        with Terminal([sys.executable, "-m", "toolpair", str(path)]) as terminal:
            terminal.wait_for(f"(?s){ROW}.*{READ}|{READ}.*{ROW}")
            terminal.settle()
            terminal.press(key, REVIEW if key == "A" else "(?<!\\d)1 fix")
            terminal.settle()
            if key == "A":
                terminal.press("\r", "✓ Saved")
    assert toolpair.open(path).problems == ()


def test_shapes_are_all_known_to_the_generator() -> None:
    for shape in SHAPES:
        assert data_of(Options(format="anthropic", shape=shape, pairs=1, size=2_000)).count(b"tool_result") == 1


def test_a_made_session_is_gone_after_its_measurement(tmp_path: Path) -> None:
    plan = Plan(tmp_path, 0.1, None, ("toolpair",), frozenset(), lambda words: None)
    with plan.session(Options(pairs=3, problems=1, kinds=("missing",))) as path:
        assert len(toolpair.open(path).problems) == 1
    assert list(tmp_path.iterdir()) == []


def test_a_reader_that_has_gone_ends_a_listing_quietly() -> None:
    ours, theirs = os.pipe()
    os.close(ours)
    with open(theirs, "wb") as out:
        done = subprocess.run([sys.executable, "-m", "benchmarks", "--list"], stdout=out, stderr=subprocess.PIPE)
    assert (done.returncode, done.stderr) == (0, b"")
