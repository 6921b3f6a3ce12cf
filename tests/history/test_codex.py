"""Codex's rollouts checked window by window say, count and change what the whole does."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

import orjson
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.formats.codex_files import NAME, Rollout
from tests.history.mutated import mutated
from tests.history.opening import SIZES, both, judged_by
from tests.history.reports import sent, told
from tests.history.rollouts import in_order, rollout
from tests.rounds import tries
from toolpair.formats.codex.light import CodexLight
from toolpair.history.conversation import Conversation
from toolpair.history.open_windows import values_of
from toolpair.history.outline import Outline
from toolpair.history.scan import Scan
from toolpair.rules.profiles import profile
from toolpair.session.session import Session

SEEDS = st.integers(min_value=0, max_value=2**32)


def opened(made: Rollout, least: int) -> tuple[Session, Session]:
    return both(made.data, "codex", "openai-responses", least, NAME)


def shown(conversation: Conversation, records: int) -> list[Any]:
    """All that a user sees of it. `records` is how many the file had."""
    rows = [
        (row.kind, row.label, row.role, row.message, row.group, row.record if (row.record or 0) < records else "new")
        for row in conversation.rows
    ]
    pairs = [(pair.index, pair.call_at, pair.results_at, pair.evidence, pair.state) for pair in conversation.pairs]
    read = conversation.transcript
    head = (read.agent, read.agent_version, read.session_id, read.folder, read.model, read.native, read.layout)
    return [
        told(conversation.problems, records),
        conversation.verdict,
        conversation.counts,
        rows,
        pairs,
        head,
        sent(conversation),
    ]


def outline_of(values: Sequence[Any], least: int = 1) -> Outline | None:
    scan = Scan(CodexLight(), profile("openai-responses"), least=least)
    bodies = [orjson.dumps(value) for value in values]
    scan.feed(values_of(bodies, scan.light), 0, bodies)
    return scan.outline()


@pytest.mark.parametrize("least", [3, *SIZES])
@given(seed=SEEDS)
@settings(derandomize=True, max_examples=tries(30), suppress_health_check=list(HealthCheck))
def test_windows_together_say_what_the_whole_says(least: int, seed: int) -> None:
    made = rollout(seed)

    whole, parted = opened(made, least)

    assert shown(parted.conversation, len(made.values)) == shown(whole.conversation, len(made.values))


@pytest.mark.parametrize("least", SIZES)
@given(seed=SEEDS)
@settings(derandomize=True, max_examples=tries(25), suppress_health_check=list(HealthCheck))
def test_a_fix_changes_what_it_changes_in_the_whole(least: int, seed: int) -> None:
    made = rollout(seed)
    whole, parted = opened(made, least)
    rng = random.Random(seed)
    for number, problem in enumerate(whole.problems[:4]):
        if not problem.fixes:
            continue
        chosen = rng.randrange(len(problem.fixes))
        same = parted.problems[number]
        whole.stage(problem, problem.fixes[chosen])
        with judged_by(least):
            parted.stage(same, same.fixes[chosen])
        assert parted.to_bytes() == whole.to_bytes()
        assert shown(parted.conversation, len(made.values)) == shown(whole.conversation, len(made.values))
        whole.undo()
        parted.undo()
        assert parted.to_bytes() == made.data


def test_nearly_all_windows_of_a_session_in_order_are_clean() -> None:
    for seed in range(20):
        found = outline_of(in_order(random.Random(seed), 20).values, 3)

        assert found is not None and found.clean
        assert len(found.windows) > 8


def test_an_output_that_only_a_far_event_has_is_found() -> None:
    made = in_order(random.Random(1), 12)
    calls = [value["payload"]["call_id"] for value in made.values if "call_id" in value["payload"]]
    lost = calls[len(calls) // 2]
    outputs = [v for v in made.values if v["payload"].get("call_id") == lost and "output" in v["payload"]]
    made.remove(*outputs)
    made.values = [v for v in made.values if v["payload"].get("item", {}).get("id") != lost]
    made.remove()
    made.ran(lost, "it ran")

    _, parted = opened(made, 3)

    assert parted.conversation.fixes_are_local
    problem = next(problem for problem in parted.problems if problem.rule == "result.missing")
    assert problem.fixes[0].id == "use-copy"
    assert problem.fixes[0].title.endswith(f"line {len(made.values):,}")


def test_numbers_after_a_window_follow_what_is_put_into_it() -> None:
    made = in_order(random.Random(3), 12)
    if not made.paginated:
        made.paginated = True
        made.values[0]["payload"]["history_mode"] = "paginated"
        made.remove()
    output = next(value for value in made.values if "output" in value["payload"])
    made.values.remove(output)
    made.remove()

    whole, parted = opened(made, 3)

    assert parted.conversation.fixes_are_local
    notes = [fix.note for fix in parted.problems[0].fixes]
    assert notes == [fix.note for fix in whole.problems[0].fixes]
    assert any("renumbers the" in (note or "") for note in notes)
    whole.stage_recommended()
    parted.stage_recommended()
    assert parted.to_bytes() == whole.to_bytes()


@pytest.mark.parametrize(
    ("kind", "payload"),
    [
        ("compacted", {"message": "S", "replacement_history": []}),
        ("event_msg", {"type": "thread_rolled_back", "num_turns": 1}),
        ("inter_agent_communication", {"content": "hi"}),
        ("session_meta", {"id": "another"}),
    ],
)
def test_what_changes_all_of_a_history_is_left_to_the_whole(kind: str, payload: dict[str, Any]) -> None:
    made = in_order(random.Random(2), 12)
    assert outline_of(made.values) is not None
    made.record(kind, payload)

    assert outline_of(made.values) is None


def test_a_fork_and_a_file_without_its_first_line_are_left_to_the_whole() -> None:
    made = in_order(random.Random(2), 12)
    assert outline_of(made.values[1:]) is None
    made.values[0]["payload"]["history_base"] = {"thread_id": "x"}
    assert outline_of(made.values) is None


def test_records_put_into_windows_leave_the_others_as_they_are_judged() -> None:
    made = in_order(random.Random(3), 20)
    made.paginated = True
    made.values[0]["payload"]["history_mode"] = "paginated"
    made.remove(*[value for value in made.values if "output" in value["payload"]][::4])

    whole, parted = opened(made, 3)
    before = parted.conversation
    for session in (whole, parted):
        with judged_by(3):
            session.stage(session.problems[len(session.problems) // 2])

    assert parted.conversation.fixes_are_local
    assert parted.to_bytes() == whole.to_bytes()
    assert shown(parted.conversation, len(made.values)) == shown(whole.conversation, len(made.values))
    same = [then.origin is now.origin for then, now in zip(before.windows, parted.conversation.windows, strict=True)]
    assert same.count(False) == 1


def test_what_is_nested_too_deeply_for_codex_is_never_called_clean() -> None:
    rng = random.Random(1)
    for depth in (124, 125, 126, 127, 128):
        made = in_order(rng, 12)
        deep: Any = 1
        for _ in range(depth):
            deep = [deep]
        items = [value for value in made.values if value["type"] == "response_item"]
        told_of = rng.choice([item for item in items if item["payload"]["type"] == "message"])["payload"]
        rng.choice([told_of["content"][0].setdefault("annotations", []), passed_on(told_of)["deep"]]).append(deep)

        whole, parted = opened(made, 3)

        assert shown(parted.conversation, len(made.values)) == shown(whole.conversation, len(made.values)), depth


def passed_on(item: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = item.setdefault("internal_chat_message_metadata_passthrough", {"turn_id": "t", "deep": []})
    return found


@given(seed=SEEDS)
@settings(derandomize=True, max_examples=tries(400, 60), suppress_health_check=list(HealthCheck))
def test_a_record_that_is_written_otherwise_is_never_called_clean(seed: int) -> None:
    rng = random.Random(seed)
    made = in_order(rng, turns=rng.randrange(2, 5))
    data = mutated(made.data, rng)

    whole, parted = both(data, "codex", "openai-responses", 1, NAME)

    count = data.count(b"\n") + 1
    assert shown(parted.conversation, count) == shown(whole.conversation, count)


def test_what_codex_writes_is_read_at_once() -> None:
    lines = in_order(random.Random(1), turns=6).data.splitlines()

    assert CodexLight.records.of(lines) is not None


def test_bad_bytes_in_what_is_not_looked_at_are_found() -> None:
    data = in_order(random.Random(1), turns=4).data
    assert b'"info":null' in data

    whole, parted = both(data.replace(b'"info":null', b'"info":"\xff"', 1), "codex", "openai-responses", 1, NAME)

    assert [problem.rule for problem in parted.problems] == [problem.rule for problem in whole.problems]
    assert "record.bad_utf8" in {problem.rule for problem in parted.problems}
