"""A long conversation is in all that can be asked of it what the same conversation is when it is judged whole."""

from __future__ import annotations

import json
import random
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.history.opening import both
from tests.history.reports import told
from tests.history.test_lists import PROFILES, broken
from tests.rounds import tries
from toolpair.session.session import PairRow, Session

SEEDS = st.integers(min_value=0, max_value=2**32)
SOME = settings(derandomize=True, max_examples=tries(12), suppress_health_check=list(HealthCheck))


def written(messages: list[Any], form: str, seed: int) -> bytes:
    if form == "lines":
        return b"".join(json.dumps(message).encode() + b"\n" for message in messages)
    return json.dumps(messages, indent=seed % 2 or None).encode()


def row_of(row: PairRow, records: int) -> tuple[Any, ...]:
    record = row.record if row.record is None or row.record < records else "new"
    pair = None if row.pair is None else (row.pair.index, row.pair.state, row.pair.call_at, row.pair.results_at)
    return row.kind, row.label, row.role, row.message, row.group, record, pair


def assert_same(whole: Session, long: Session, records: int) -> None:
    """All that is shown of the two, reported of them, or written."""
    assert told(long.problems, records) == told(whole.problems, records)
    assert [row_of(row, records) for row in long.conversation.rows] == [
        row_of(row, records) for row in whole.conversation.rows
    ]
    assert long.conversation.verdict == whole.conversation.verdict
    assert [long.location(one) for one in long.problems] == [whole.location(one) for one in whole.problems]
    assert long.conversation.counts == whole.conversation.counts
    assert b"".join(long.chunks()) == b"".join(whole.chunks())
    assert long.staging.grown == whole.staging.grown
    here, there = long.conversation.places, whole.conversation.places
    assert [here.of_pair(n) for n in range(len(whole.conversation.pairs) + 1)] == [
        there.of_pair(n) for n in range(len(whole.conversation.pairs) + 1)
    ]
    numbers = range(len(whole.conversation.transcript.messages))
    assert [here.of_message(n) for n in numbers] == [there.of_message(n) for n in numbers]
    assert [(here.of_part(n), here.of_record(n)) for n in range(records)] == [
        (there.of_part(n), there.of_record(n)) for n in range(records)
    ]
    ids = [block.id for message in whole.conversation.transcript.messages for block in message.blocks if block.id]
    for id_ in dict.fromkeys(ids):
        one, other = long.find(str(id_)), whole.find(str(id_))
        assert one is not None and other is not None
        assert (one.pair, one.message, one.text) == (other.pair, other.message, other.text)


def lost(session: Session) -> list[tuple[str, int]]:
    found = session.staging.losses
    return sorted((one.kind, one.size) for one in (*found.outputs, *found.words, *found.images, *found.calls))


@pytest.mark.parametrize("least", [1, 4])
@pytest.mark.parametrize("form", ["lines", "array"])
@pytest.mark.parametrize(("kind", "name"), PROFILES[::2])
@given(seed=SEEDS)
@SOME
def test_staging_reaches_the_same_states(kind: str, name: str, form: str, least: int, seed: int) -> None:
    messages = broken(seed, kind)
    if not messages:
        return
    whole, long = both(written(messages, form, seed), kind, name, least)
    if not long.conversation.fixes_are_local:
        return
    assert_same(whole, long, len(messages))
    rng = random.Random(seed)
    for _ in range(3):
        choices = [n for n, problem in enumerate(whole.problems) if problem.fixes]
        if not choices:
            break
        at = rng.choice(choices)
        fix = rng.randrange(len(whole.problems[at].fixes))
        rows = [session.stage(session.problems[at], session.problems[at].fixes[fix]) for session in (whole, long)]
        assert (rows[0].title, rows[0].lines_changed, rows[0].lines_added, rows[0].lines_removed) == (
            rows[1].title,
            rows[1].lines_changed,
            rows[1].lines_added,
            rows[1].lines_removed,
        )
        assert_same(whole, long, len(messages))
        if rng.random() < 0.3:
            whole.undo()
            long.undo()
            assert_same(whole, long, len(messages))
    whole.stage_recommended()
    long.stage_recommended()
    assert_same(whole, long, len(messages))
    # Of the same content at several places either may be the one that is gone.
    assert lost(long) == lost(whole)
    assert [(c.kind, c.record, c.line, c.before, c.after) for c in long.staging.changes()] == [
        (c.kind, c.record, c.line, c.before, c.after) for c in whole.staging.changes()
    ]
    while long.staged:
        long.undo()
    assert long.to_bytes() == written(messages, form, seed)
