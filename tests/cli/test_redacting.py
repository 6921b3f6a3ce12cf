"""`--redact` of what is handed on: nothing in it tells whose the session is, and the session stays as it is."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import toolpair
from tests.cli.conftest import Run
from tests.reports.secrets_in_sessions import SESSIONS, found_in

NAMES = sorted(SESSIONS)


@pytest.fixture(params=NAMES)
def session(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    path = tmp_path / request.param
    path.write_bytes(SESSIONS[request.param]())
    return path


@pytest.mark.parametrize("ending", ["html", "md"])
def test_a_redacted_report_tells_nothing(run: Run, session: Path, ending: str) -> None:
    before, out = session.read_bytes(), session.with_name(f"out.{ending}")
    ran = run("report", session, "-o", out, "--redact", "--full")
    assert ran.code == 0 and "Its texts are replaced: read it before you share it." in ran.err
    written = out.read_bytes()
    assert found_in(written) == [] and found_in(session.name.encode()) != []
    assert b"Redacted: texts, names, paths" in written and b"contains the session's content" not in written
    assert session.read_bytes() == before
    assert run("report", session, "-o", out, "--redact", "--force").code == 0


@pytest.mark.parametrize("api", ["anthropic", "openai-chat", "openai-responses", "gemini", "bedrock-converse"])
def test_a_redacted_body_tells_nothing(run: Run, session: Path, api: str) -> None:
    before = session.read_bytes()
    ran = run("export", session, "--to", api, "--redact", "--as-is")
    assert ran.code == 0, ran.err
    assert json.loads(ran.out) and found_in(ran.out.encode()) == []
    assert session.read_bytes() == before


def test_the_library_redacts_too(session: Path) -> None:
    page = toolpair.report(session, redact=True)
    assert found_in(page.encode()) == []
    body = toolpair.export(toolpair.open(session), "anthropic", redact=True, as_is=True).body
    assert found_in(json.dumps(body).encode()) == []
