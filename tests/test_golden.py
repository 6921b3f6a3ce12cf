"""What the program says about the samples and the planted sessions, byte by byte: whoever changes it sees it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.planted_corpora import CORPORA, decisions

ROOT = Path(__file__).resolve().parent.parent
KEPT = ROOT / "tests" / "golden"
OUTCOMES = KEPT / "outcomes"
UPDATE = "If that is meant: python scripts/golden.py --small tests/golden, read the diff, and commit both."


def _answers(folder: Path) -> dict[str, bytes]:
    files = (path for path in folder.rglob("*") if path.is_file() and path.parent.name != OUTCOMES.name)
    return {str(path.relative_to(folder)): path.read_bytes() for path in files}


def test_the_samples_are_answered_as_they_were(tmp_path: Path) -> None:
    script = [sys.executable, str(ROOT / "scripts" / "golden.py"), "--small", "--no-planted", str(tmp_path / "now")]
    subprocess.run(script, check=True, cwd=tmp_path)
    kept, now = _answers(KEPT), _answers(tmp_path / "now")
    assert len(kept) > 80
    changed = sorted(name for name in kept.keys() | now.keys() if kept.get(name) != now.get(name))
    assert not changed, f"Other answers than the ones in tests/golden: {', '.join(changed)}. {UPDATE}"


@pytest.mark.parametrize("agent", sorted(CORPORA))
def test_the_planted_sessions_end_as_they_did(agent: str, tmp_path: Path) -> None:
    assert decisions(agent, tmp_path) == (OUTCOMES / f"{agent}.txt").read_text("utf-8"), UPDATE


def test_no_answer_is_kept_of_what_is_no_longer_planted() -> None:
    assert {path.stem for path in OUTCOMES.iterdir()} == set(CORPORA)
