"""A file is told as the agent treats it that would resume it: the installed one, or the one that is named."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.agents import planted
from tests.cli.conftest import Run
from toolpair.cli import inputs


@pytest.fixture
def session(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A session that version 2.1.329, which is installed, does not find, and that later ones do."""
    path = tmp_path / "folder" / "session.jsonl"
    path.parent.mkdir()
    path.write_bytes(planted.corpus_file("no_timestamp_at_end"))
    monkeypatch.setattr(inputs, "version_here", {"claude-code": "2.1.329"}.get)
    return path


def rules(run: Run, *arguments: object) -> set[str]:
    entry = run("check", *arguments, "--output-format", "json").json["files"][0]
    return {problem["rule"] for problem in entry["problems"] if problem["severity"] == "error"}


def test_a_file_is_told_as_the_installed_agent_treats_it(run: Run, session: Path) -> None:
    assert rules(run, session) == {"chain.no_timestamp"}
    assert rules(run, session, "--agent-version", "2.1.330") == set()
    assert "timestamp" in run("fix", session, "--diff").out
    assert "timestamp" not in run("fix", session, "--diff", "--agent-version", "2.1.330").out


def test_walked_folders_and_forms_for_ci_say_the_same_everywhere(run: Run, session: Path) -> None:
    assert rules(run, session.parent) == set()
    for form in ("sarif", "github", "jsonl"):
        assert run("check", session, "--output-format", form).code == 0
    assert rules(run, session.parent, "--agent-version", "2.1.329") == {"chain.no_timestamp"}


@pytest.mark.parametrize("version", ["newest", "2.1.x", "", "-1", "２.1"])
def test_what_is_no_version_is_refused_in_one_sentence(run: Run, session: Path, version: str) -> None:
    ran = run("check", session, f"--agent-version={version}")
    assert ran.code == 2 and ran.err.count("\n") == 1 and "--agent-version" in ran.err
