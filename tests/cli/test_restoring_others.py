"""A backup is put back only over a file of its own kind, session and owner: a folder may come from somebody."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from tests.cli.conftest import Run
from tests.docker_agent_databases import several
from tests.rows.test_saving import fixed
from toolpair.session.session import open_session
from toolpair.source.errors import Refused

STAMP = ".toolpair-20270101-000003.bak"


def refused(run: Run, path: Path, backup: Path, why: str) -> None:
    before, there = path.read_bytes(), sorted(os.listdir(path.parent))
    ran = run("restore", path, "--backup", backup.name)
    assert ran.code == 3 and why in ran.err, ran.err
    assert path.read_bytes() == before and sorted(os.listdir(path.parent)) == there


@pytest.fixture
def session(tmp_path: Path, samples: Path) -> Path:
    return Path(shutil.copy(samples / "claude-code-branches.jsonl", tmp_path / "session.jsonl"))


def test_a_database_never_replaces_lines(run: Run, tmp_path: Path, session: Path) -> None:
    (tmp_path / "other").mkdir()
    rows = fixed(several(tmp_path / "other" / "session.db", "sanitised id")).backup
    assert rows is not None
    planted = Path(shutil.copy(rows, f"{session}{STAMP}"))
    refused(run, session, planted, "is not a backup of")
    session.unlink()
    assert run("restore", session, "--backup", "latest").code == 3
    assert not session.exists()


def test_a_database_without_rows_of_a_save_is_no_backup(run: Run, tmp_path: Path, session: Path) -> None:
    (tmp_path / "other").mkdir()
    planted = Path(shutil.copy(several(tmp_path / "other" / "session.db", "several"), f"{session}{STAMP}"))
    refused(run, session, planted, "is not a backup of")


def test_lines_never_replace_a_database(run: Run, tmp_path: Path, session: Path) -> None:
    path = several(tmp_path / "session.db", "several")
    refused(run, path, Path(shutil.copy(session, f"{path}{STAMP}")), "is not a backup of")


def test_another_session_s(run: Run, session: Path) -> None:
    planted = Path(f"{session}{STAMP}")
    old = open_session(session).conversation.transcript.session_id
    assert old is not None
    planted.write_bytes(session.read_bytes().replace(old.encode(), b"0" * len(old)))
    refused(run, session, planted, "is a backup of another session")
    with pytest.raises(Refused, match="another session"):
        open_session(session).restore(planted)


@pytest.mark.skipif(os.geteuid() != 0, reason="needs root")
def test_another_user_s(run: Run, session: Path) -> None:
    planted = Path(shutil.copy(session, f"{session}{STAMP}"))
    session.write_bytes(session.read_bytes() + b"\n")
    os.chown(planted, 12345, 12345)
    refused(run, session, planted, "belongs to another user")
