"""Redacted reports and excerpts of sessions in databases."""

from __future__ import annotations

from pathlib import Path

import pytest

import toolpair
from tests.docker_agent_databases import BREAKS, broken, child, database, sound
from tests.rounds import mixed, some
from toolpair.cli.main import main

SECRETS = ("quagmire", "zebra", "crossing", "quentin", "aquarium", "word-", "grandmother")
ID = "quagmire-7731"


def made(path: Path, how: str, version: int = 29) -> Path:
    rows = broken(how, ID, title="Zebra crossing", working_dir="/home/quentin/aquarium", parent="grandmother")
    return database(path, sound("other"), rows, child(ID), sound("grandmother"), version=version)


def secrets_in(text: str) -> list[str]:
    return [word for word in SECRETS if word in text.lower()]


@pytest.mark.parametrize("how", some(BREAKS, 8))
def test_a_redacted_report_has_the_problems_and_no_secrets(tmp_path: Path, how: str) -> None:
    path = made(tmp_path / "session.db", how)
    assert main(["report", f"{path}::{ID}", "--redact", "-o", str(tmp_path / "report.md")]) == 0
    assert not secrets_in((tmp_path / "report.md").read_text("utf-8"))


@pytest.mark.parametrize(("how", "version"), some(mixed(BREAKS, (29, 19)), 12))
def test_an_excerpt_opens_again_with_the_same_problem(tmp_path: Path, how: str, version: int) -> None:
    if version == 19 and "kept" in how:
        pytest.skip("a later column")
    path = made(tmp_path / "session.db", how, version)
    session = toolpair.open(f"{path}::{ID}")
    if not session.problems:
        assert main(["excerpt", f"{path}::{ID}", "-o", str(tmp_path / "excerpt.jsonl")]) == 3
        return
    for number, problem in enumerate(session.problems, 1):
        out = tmp_path / f"{number}.jsonl"
        assert main(["excerpt", f"{path}::{ID}", "--problem", str(number), "-o", str(out)]) == 0
        assert not secrets_in(out.read_bytes().decode("utf-8", "replace"))
        again = toolpair.open(out)
        assert again.format.id == "docker-agent"
        assert problem.rule in {one.rule for one in again.problems}


def test_places_of_rows_far_down_keep_their_meaning(tmp_path: Path) -> None:
    """What a summary kept, and which sub-sessions are gone, are numbers that fit others."""
    rows = broken("summary that kept and a missing result", ID)
    rows.items[:0] = sound("x").items[:1] * 2000
    rows.items.insert(1500, rows.subsession("gone"))
    rows.items.pop()
    for row in rows.items:
        if row.get("first_kept_entry"):
            row["first_kept_entry"] = 2003
    path = database(tmp_path / "session.db", rows)
    session = toolpair.open(f"{path}::{ID}")
    assert [problem.rule for problem in session.problems] == ["result.missing"]
    assert main(["report", f"{path}::{ID}", "--redact", "-o", str(tmp_path / "report.md")]) == 0
