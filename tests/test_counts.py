"""The count of the head: every output once, wherever it stands, and mending changes none of them into another number."""

from __future__ import annotations

import json

from tests.agents import codex_planted, planted
from tests.formats.claude_code_files import Log, call, text
from toolpair.session.session import open_session

SESSIONS = {f"claude-code {name}": data for name, data in planted.corpus().items()}
SESSIONS |= {f"codex {name}": plant(True).data for name, plant in codex_planted.DEFECTS.items()}
SAID_TWICE = {"codex pair_twice"}
"""A call and its output written twice: after mending they stand once."""


def test_there_are_as_many_outputs_after_mending_as_before_and_more_of_them_reach_the_model() -> None:
    for name in SESSIONS.keys() - SAID_TWICE:
        session = open_session("planted.jsonl", data=SESSIONS[name])
        before = session.conversation.verdict
        session.stage_recommended()
        after = session.conversation.verdict
        assert after.outputs_total == before.outputs_total, name
        assert before.outputs_seen <= after.outputs_seen <= after.outputs_total, name


def test_an_output_in_a_damaged_line_counts_once_although_an_event_says_it_too() -> None:
    lines = SESSIONS["codex nothing"].splitlines(keepends=True)
    sound = open_session("planted.jsonl", data=b"".join(lines)).conversation.verdict
    said_twice = 0
    for n in [n for n, line in enumerate(lines) if b'call_output"' in line]:
        glued = open_session("planted.jsonl", data=b"".join([*lines[:n], lines[n].rstrip(b"\n"), *lines[n + 1 :]]))
        said_twice += any(fix.id == "use-copy" for problem in glued.problems for fix in problem.fixes)
        assert glued.conversation.verdict.outputs_total == sound.outputs_total
        assert glued.conversation.verdict.outputs_seen < sound.outputs_seen
    assert said_twice


def test_words_that_are_forgotten_are_told_although_no_output_is_among_them() -> None:
    log = Log(step=9)
    log.user("u1", "look around first")
    log.says("a1", "msg_1", text("I did."))
    log.user("u2", "then list", parent="lost")
    log.says("a2", "msg_2", call("toolu_1"))
    log.result("r1", "a2", "toolu_1", "output")
    data = "".join(json.dumps(value) + "\n" for value in log.values).encode()
    sentence = open_session("session.jsonl", data=data).conversation.verdict.sentence
    assert "2 messages are forgotten without telling you." in sentence
