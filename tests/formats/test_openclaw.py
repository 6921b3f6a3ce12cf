"""OpenClaw's transcripts: told from pi's, read, fixed, and paired as OpenClaw 2026.6.11 was seen to pair them."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from tests import pi_sessions
from tests.broken_sessions import lines, word
from tests.formats.fixing import Visit, fixed, sent_results
from tests.openclaw_sessions import NAME, corpus, sound
from tests.pi_sessions import ID
from tests.rounds import some
from toolpair.agents import catalog
from toolpair.formats import get_format
from toolpair.formats.agent import SessionFile
from toolpair.formats.pi_family.detection import OPENCLAW_NO_RESULT as NO_RESULT
from toolpair.session.session import Session, open_session
from toolpair.session.surroundings import how_to_resume
from toolpair.shell.machine import Machine

PLANTED = corpus()


def opened(tmp_path: Path, data: bytes, **how: Any) -> Session:
    path = tmp_path / NAME
    path.write_bytes(data)
    return open_session(path, **how)


def repaired(tmp_path: Path, data: bytes) -> bytes:
    return fixed(opened(tmp_path, data))


# --- each way to break one ---------------------------------------------------------------------------------


@pytest.mark.parametrize("name", some(sorted(PLANTED), 40))
def test_a_broken_session_is_fixed_and_nothing_is_lost(name: str, tmp_path: Path) -> None:
    Visit(PLANTED[name], partial(opened, tmp_path)).assert_fixed("openclaw")


def test_a_sound_session_stays_as_it_is(tmp_path: Path) -> None:
    data = sound().data()
    session = opened(tmp_path, data)
    assert (session.problems, session.profile.id, session.conversation.verdict.badge) == (
        (),
        "anthropic",
        "READY TO RESUME",
    )
    assert repaired(tmp_path, data) == data
    assert session.conversation.transcript.agent == "OpenClaw"


# --- what is sent ------------------------------------------------------------------------------------------

_SOUND = [(f"toolu{name}", word(name)) for name in ("one", "two", "three", "four", "five")]


def _with(name: str, text: str = NO_RESULT, id_: str | None = None) -> list[tuple[str, str]]:
    return [(id_ or one, text) if one == f"toolu{name}" else (one, said) for one, said in _SOUND]


def _without(*names: str) -> list[tuple[str, str]]:
    return [(id_, said) for id_, said in _SOUND if id_ not in {f"toolu{name}" for name in names}]


@pytest.mark.parametrize(
    ("name", "sent"),
    [
        ("nothing", _SOUND),
        ("result_gone", _with("one")),
        ("parallel_result_gone", _with("three")),
        ("call_gone", _without("three")),
        ("response_gone", _without("five")),
        ("unknown_id", _with("one")),
        ("id_sanitised", _with("one", id_="functionsbash0")),
        ("id_with_odd_characters", _with("one", word("one"), "functions.bash:0")),
        ("id_empty", _SOUND),
        ("id_absent", _SOUND),
        ("result_twice", _SOUND),
        ("second_result_that_differs", _SOUND),
        ("result_late", _SOUND),
        ("result_behind_the_users_words", _SOUND),
        ("result_at_the_end", _SOUND),
        ("result_before_its_call", _with("one")),
        ("users_words_between", _SOUND),
        ("results_in_another_order", _SOUND),
        ("id_reused", [*_SOUND[:-1], ("tooluone2", word("five"))]),
        ("response_broke_off", _without("two", "three", "four")),
        ("ends_at_a_call", _with("five")),
        ("line_damaged", _without("one")),
        ("cycle", _without("one")),
        ("header_lost", _SOUND),
        ("header_torn", _SOUND),
    ],
)
def test_calls_and_results_are_paired_as_openclaw_pairs_them(
    name: str, sent: list[tuple[str, str]], tmp_path: Path
) -> None:
    session = opened(tmp_path, PLANTED[name].data)
    assert sent_results(session) == sent
    seen = session.conversation.judged.seen
    assert seen is not None and (seen.refuses, seen.agent, seen.version) == (None, "OpenClaw", "2026.6.11")


def test_a_real_result_counts_before_the_placeholder_for_it(tmp_path: Path) -> None:
    records = sound().records
    real = next(n for n, record in enumerate(records) if record.get("message", {}).get("toolCallId") == "toolu_one")
    filled = json.loads(json.dumps(records[real]).replace(word("one"), NO_RESULT))
    pi_sessions.put_in(records, real - 1, {**filled, "id": "f0f0f0f0"})
    assert sent_results(opened(tmp_path, lines(records))) == _SOUND


def test_a_call_without_a_usable_name_is_left_out_with_its_result(tmp_path: Path) -> None:
    records = sound().records
    call = next(record for record in records if "toolu_one" in json.dumps(record))
    call["message"]["content"][1]["name"] = "no name"
    assert sent_results(opened(tmp_path, lines(records))) == _without("one")


@pytest.mark.parametrize(
    ("name", "rule", "effect"),
    [
        ("unknown_id", "result.id_mismatch", "dropped"),
        ("id_empty", "result.id_mismatch", "healed"),
        ("result_twice", "result.duplicate", "healed"),
        ("second_result_that_differs", "result.duplicate", "dropped"),
        ("result_late", "result.not_adjacent", "healed"),
        ("id_with_odd_characters", "id.pattern", "rejected"),
        ("lone_surrogate", "record.lone_surrogate", "healed"),
        ("parent_unknown", "chain.missing_parent", "dropped"),
    ],
)
def test_what_becomes_of_a_problem_is_what_is_sent(name: str, rule: str, effect: str, tmp_path: Path) -> None:
    found = [problem for problem in opened(tmp_path, PLANTED[name].data).problems if problem.rule == rule]
    assert [problem.on_resume.effect for problem in found if problem.on_resume is not None] == [effect]


@pytest.mark.parametrize(
    ("name", "impact"),
    [
        ("line_damaged", "loses"),
        ("nul_line", "loses"),
        ("header_torn", "loses"),
        ("lines_glued", "loses"),
        ("last_line_torn", "harmless"),
        ("byte_order_mark", "harmless"),
        ("invalid_utf8", "harmless"),
    ],
)
def test_a_line_that_cannot_be_read_ends_the_import(name: str, impact: str, tmp_path: Path) -> None:
    found = [one for one in opened(tmp_path, PLANTED[name].data).problems if one.rule.startswith("record.")]
    assert [one.impact for one in found] == [impact]
    says = [one.on_resume.text for one in found if one.on_resume is not None]
    assert any("imports nothing from this line on" in text for text in says) is (impact == "loses")


def test_a_session_without_its_first_line_is_not_resumed_after_its_import(tmp_path: Path) -> None:
    session = opened(tmp_path, PLANTED["header_lost"].data)
    assert [(one.rule, one.impact) for one in session.problems] == [("rollout.no_meta", "stops")]
    assert json.loads(repaired(tmp_path, PLANTED["header_lost"].data).splitlines()[0])["id"] == ID


# --- whose file it is --------------------------------------------------------------------------------------


def test_pis_files_and_openclaws_are_told_apart() -> None:
    pi, openclaw = get_format("pi"), get_format("openclaw")
    assert openclaw.sniff(sound().records) > 0 == pi.sniff(sound().records)
    assert pi.sniff(pi_sessions.sound().records) > 0 == openclaw.sniff(pi_sessions.sound().records)
    assert openclaw.sniff([{"type": "custom", "customType": "model-snapshot"}]) == 0


def test_the_profile_follows_from_the_api(tmp_path: Path) -> None:
    data = sound().data().replace(b'"api":"anthropic-messages"', b'"api":"openai-completions"')
    session = opened(tmp_path, data)
    assert (session.format.id, session.profile.id) == ("openclaw", "openai-chat")


def test_sessions_are_found_and_no_version_is_said_to_resume_them(tmp_path: Path) -> None:
    folder = tmp_path / ".openclaw/agents/main/sessions"
    folder.mkdir(parents=True)
    path = folder / NAME
    path.write_bytes(sound().data())
    for name in (f"{ID}.trajectory.jsonl", f"{ID}.jsonl.corrupt-2026-11-23T06-40-10-547Z-ea48d495.jsonl"):
        (folder / name).write_bytes(b'{"a":1}\n')
    machine = Machine("linux", {}, tmp_path)
    found = catalog.index(machine, "/")
    assert [(one.agent, one.session_id, one.path, one.here) for one in found] == [("openclaw", ID, str(path), True)]
    described = catalog.describe(found[0])
    assert (described.folder, described.words) == ("/", "Thanks.")
    transcript = open_session(path).conversation.transcript
    agent = catalog.agents_of_file("openclaw", transcript, path)[0]
    said = how_to_resume(agent, SessionFile(path, None, ID, "/"), machine)
    assert said is not None and "openclaw doctor --fix" in said and said.endswith(".")


def test_a_variable_leads_to_the_sessions(tmp_path: Path) -> None:
    path = tmp_path / "elsewhere/agents/work/sessions" / NAME
    path.parent.mkdir(parents=True)
    path.write_bytes(sound().data())
    found = catalog.index(Machine("linux", {"OPENCLAW_STATE_DIR": str(tmp_path / "elsewhere")}, tmp_path))
    assert [one.path for one in found] == [str(path)]
