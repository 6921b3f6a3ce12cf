"""Rollouts of Codex with defects planted in them: mended in the agent's own form, nothing lost, all else as it was."""

from __future__ import annotations

import json
import random
import re
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.formats.codex_files import NAME, OUTPUT, Rollout, ordinals
from tests.rounds import tries
from toolpair.session.session import Session, open_session
from toolpair.transcript.edits import MoveResult, ReplaceWithText

KINDS = ("function_call", "function_call", "custom_tool_call", "local_shell_call")


def written(rng: random.Random) -> Rollout:
    """A whole session: turns with parallel calls, events between, sometimes a compaction or a turn taken back."""
    made = Rollout(paginated=rng.random() < 0.7)
    made.user("<environment_context>here</environment_context>")
    number = 0
    for turn in range(rng.randrange(1, 4)):
        made.begins(f"t{turn}", f"<user-{turn}>")
        for _ in range(rng.randrange(1, 3)):
            if rng.random() < 0.4:
                made.thinks(f"rs_{number}")
            asked = []
            for _ in range(rng.choice([1, 1, 2, 3])):
                number += 1
                asked.append((f"call_{number:03d}", rng.choice(KINDS)))
                made.call(*asked[-1])
            made.uses()
            for id_, kind in asked:
                if rng.random() < 0.3:
                    made.event("exec_command_begin", call_id=id_)
                made.output(id_, f"<output-{id_}>", kind)
        if rng.random() < 0.7:
            made.says("done")
        made.ends()
        if rng.random() < 0.15:
            made.compacted([{"type": "message", "role": "user", "content": [{"type": "input_text", "text": "kept"}]}])
        elif rng.random() < 0.15:
            made.event("thread_rolled_back", num_turns=1)
    made.begins("last", "<user-last>")
    made.says("the end")
    return made


def at(made: Rollout, rng: random.Random, side: str) -> dict[str, Any] | None:
    """A record with a call or an output."""
    found = [
        value
        for value in made.values
        if value["type"] == "response_item"
        and value["payload"]["type"] in (OUTPUT.values() if side == "out" else OUTPUT.keys())
    ]
    return rng.choice(found) if found else None


def plant(made: Rollout, rng: random.Random) -> None:
    out, call = at(made, rng, "out"), at(made, rng, "call")
    if out is None or call is None:
        return
    match rng.choice(
        ["lost out", "lost call", "id", "kind", "twice", "late", "empty", "object", "no time", "long", "gap"]
    ):
        case "lost out" if sum(1 for value in made.values if value["payload"].get("type") in OUTPUT.values()) > 1:
            made.remove(out)
        case "lost call" if sum(1 for value in made.values if value["payload"].get("type") in OUTPUT) > 1:
            made.remove(call)
        case "id":
            out["payload"]["call_id"] = out["payload"]["call_id"].replace("_", "-")
        case "kind":
            custom = out["payload"]["type"] == "custom_tool_call_output"
            out["payload"]["type"] = "function_call_output" if custom else "custom_tool_call_output"
        case "twice":
            place = next(number for number, value in enumerate(made.values) if value is out)
            made.values.insert(place + 1, json.loads(json.dumps(out)))
            made.remove()
        case "late":
            made.remove(out)
            made.values.append(out)
            made.remove()
        case "empty":
            out["payload"]["call_id"] = ""
        case "object":
            out["payload"]["output"] = {"content": out["payload"]["output"], "success": True}
        case "no time":
            out.pop("timestamp", None)
        case "long":
            call["payload"]["call_id"] += "x" * 80
        case "gap" if made.paginated:
            made.values.remove(out)


def errors(session: Session) -> list[str]:
    """The rules of errors, without the guesses: these are left to a person."""
    return [problem.rule for problem in session.problems if problem.severity == "error" and not problem.guess]


def bare(line: bytes) -> bytes:
    """A line without its ordinal."""
    start = line.find(b'"ordinal":')
    return line if start < 0 else line[:start] + line[line.index(b",", start) + 1 :]


@settings(max_examples=tries(150), suppress_health_check=[HealthCheck.too_slow], derandomize=True)
@given(st.integers(0, 2**32), st.integers(0, 4))
def test_planted_defects_are_mended_and_nothing_is_lost(seed: int, defects: int) -> None:
    rng = random.Random(seed)
    made = written(rng)
    whole = open_session(NAME, data=made.data)
    assert not whole.problems
    for _ in range(defects):
        plant(made, rng)
    before = made.data
    session = open_session(NAME, data=before)
    assert session.to_bytes() == before
    active = {
        block.value.get("output") if isinstance(block.value.get("output"), str) else None
        for message in session.conversation.transcript.messages
        for block in message.results
    }
    gapless = made.paginated and ordinals(before) == list(range(len(made.values)))
    staged = session.stage_recommended()
    after = session.to_bytes()
    assert not errors(session)
    assert staged is not None or after == before
    text = after.decode()
    for output in active - {None}:
        assert json.dumps(output, ensure_ascii=False)[1:-1] in text
    if gapless:
        assert ordinals(after) == list(range(len(after.splitlines())))
    if not made.paginated:
        assert b'"ordinal"' not in after
    untouched = [bare(line) for line in made.lines if b'"response_item"' not in line and b'"call_id"' not in line]
    assert [line for line in map(bare, after.splitlines()) if line in set(untouched)] == untouched
    again = open_session(NAME, data=after)
    assert again.stage_recommended() is None and again.to_bytes() == after
    if staged is not None:
        session.undo()
        assert session.to_bytes() == before


@settings(max_examples=tries(40), derandomize=True)
@given(st.integers(0, 2**32))
def test_a_fix_says_how_many_ordinals_it_changes(seed: int) -> None:
    rng = random.Random(seed)
    made = written(rng)
    plant(made, rng)
    session = open_session(NAME, data=made.data)
    numbers = {record.uid: record.value.get("ordinal") for record in session.conversation.document.records}
    for problem in session.problems:
        for fix in problem.fixes:
            session.stage(problem, fix)
            moved = {
                place.block.record if isinstance(place, ReplaceWithText) else place.result.record
                for place in fix.edits
                if isinstance(place, (MoveResult, ReplaceWithText))
            }
            now = {record.uid: record.value.get("ordinal") for record in session.conversation.document.records}
            changed = {uid for uid, number in numbers.items() if uid in now and now[uid] != number}
            told = re.search(r"renumbers the (?:([0-9,]+) records|record) after it", fix.note or "")
            count = int((told[1] or "1").replace(",", "")) if told else 0
            assert count in (len(changed), len(changed - moved))
            session.undo()


@settings(max_examples=tries(40), derandomize=True)
@given(st.integers(0, 2**32))
def test_what_is_sent_after_mending_holds_every_output(seed: int) -> None:
    rng = random.Random(seed)
    made = written(rng)
    plant(made, rng)
    session = open_session(NAME, data=made.data)
    session.stage_recommended()
    seen = session.conversation.judged.seen
    assert seen is not None and seen.refuses is None
    if session.left:
        assert all(problem.guess for problem in session.left), "left to a person, as it was"
        return
    calls = [block for message in session.conversation.transcript.messages for block in message.calls]
    results = [block for message in session.conversation.transcript.messages for block in message.results]
    assert all(seen.reaches(block) for block in (*calls, *results))
    assert not [part for message in seen.messages for part in message.parts if part.block is None]
