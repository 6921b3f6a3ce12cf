"""Mistral Vibe's sessions: read, judged and fixed, as its newest version resumes them and as one before 2.26 does."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path

import pytest

from tests.formats.fixing import assert_settles, assert_whole, errors, fixed, seen_of, told
from tests.vibe_sessions import NAME, corpus, id_of, sound, together
from toolpair.formats.vibe.format import BEFORE, FILLED, NEWEST
from toolpair.session.session import Session, open_session

READ_OTHERWISE = {"blank_lines_and_windows_ends", "invalid_utf8"}
"""An empty line keeps a session from being resumed; bytes that are no text are guessed at."""
PLANTED = corpus() | together()


def opened(folder: Path, data: bytes, version: str = NEWEST) -> Session:
    path = folder / NAME
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    about = {"session_id": "5a1f3c8e", "environment": {"working_directory": "/home/dev/project"}}
    (path.parent / "meta.json").write_text(json.dumps(about))
    return open_session(path, agent_version=version)


def test_a_sound_session_is_as_it_is(tmp_path: Path) -> None:
    session = opened(tmp_path, sound().data())
    assert session.format.id == "vibe" and not errors(session) and session.profile.id == "mistral"
    assert session.conversation.transcript.folder == "/home/dev/project"
    assert fixed(session) == sound().data()
    assert {problem.rule for problem in session.problems} == {"content.mixed_with_tool"}


@pytest.mark.parametrize("version", [NEWEST, BEFORE])
def test_every_defect_is_fixed_whole(version: str, tmp_path: Path) -> None:
    for name, found in PLANTED.items():
        if name == "blank_lines_and_windows_ends":
            continue
        session = opened(tmp_path, found.data, version)
        session.stage_recommended()
        assert_whole(session, found.words)
        assert_settles(found.data, partial(opened, tmp_path, version=version)), name


@pytest.mark.parametrize(
    ("before", "after"), [(b"\n", b"\n\n"), (b"\n", b"\r\n \r\n"), (b"}\n", b"}\n\n"), (b"{", b"\n{")]
)
def test_an_empty_line_is_told_and_left_to_a_person(before: bytes, after: bytes, tmp_path: Path) -> None:
    data = sound().data()
    broken = data.replace(before, after, 1) if before != b"}\n" else data + b"\n"
    session = opened(tmp_path, broken)
    (problem,) = [one for one in session.problems if one.severity == "error"]
    assert problem.no_fix and problem.impact == "stops" and seen_of(session).refuses and fixed(session) == broken
    assert not errors(opened(tmp_path, data.replace(b"\n", b"\r\n"))) and not errors(opened(tmp_path, data[:-1]))


def test_numbers_that_python_reads_are_no_reason_to_stop(tmp_path: Path) -> None:
    session = opened(tmp_path, sound().data().replace(b"{", b'{"x":NaN,', 1))
    assert not errors(session) and seen_of(session).refuses is None


def test_a_call_without_a_result_is_told_by_version(tmp_path: Path) -> None:
    data = PLANTED["two_results_lost"].data
    now, before = opened(tmp_path, data), opened(tmp_path, data, BEFORE)
    assert FILLED not in told(now) and dict(sent_results_of(before))[id_of("one")] == FILLED
    impacts = [[one.impact for one in found.problems if one.rule == "result.missing"] for found in (now, before)]
    assert impacts[0] == ["stops", "stops"] and "stops" not in impacts[1]


def sent_results_of(session: Session) -> list[tuple[str, str]]:
    values = [part.value for message in session.conversation.judged.seen.messages for part in message.parts]
    return [(one["tool_call_id"], one["content"]) for one in values if isinstance(one, dict) and "tool_call_id" in one]


def test_a_compaction_stood_for_what_is_before_it(tmp_path: Path) -> None:
    """Newer versions send all of it."""
    session = opened(tmp_path, PLANTED["compacted"].data, BEFORE)
    assert [part.text for message in session.conversation.transcript.messages[:2] for part in message.blocks] == [
        "SO FAR",
        "Once more.",
    ]
    assert not errors(session) and len(session.conversation.transcript.inactive_blocks) == 8
    assert "word-one-word" in told(opened(tmp_path, PLANTED["compacted"].data))
