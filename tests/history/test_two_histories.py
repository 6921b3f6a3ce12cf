"""Two histories side by side: what was changed, cut or added is found, and nothing else, whichever is named first."""

from __future__ import annotations

import json
from itertools import pairwise
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.history.opening import both
from tests.history.sessions import session as claude_code
from tests.rounds import tries
from toolpair.history.aligning import aligned
from toolpair.history.comparison_rows import ComparisonRows
from toolpair.history.steps import History, history_of
from toolpair.history.two_histories import Comparison, compared
from toolpair.session.session import open_session

SOME = settings(derandomize=True, max_examples=tries(60), suppress_health_check=list(HealthCheck), deadline=None)
TOOLS = ("Read", "Bash", "Edit")
Exchange = tuple[str, str, str, str]
"""Tool, argument, output, id."""


def exchanges(least: int = 1, most: int = 30) -> st.SearchStrategy[list[Exchange]]:
    words = st.sampled_from(["a", "b", "c", "", "same"])
    one = st.tuples(st.sampled_from(TOOLS), words, words)
    return st.lists(one, min_size=least, max_size=most).map(
        lambda found: [(tool, said, output, f"t{n}") for n, (tool, said, output) in enumerate(found)]
    )


def distinct(count: int) -> list[Exchange]:
    return [(TOOLS[n % 3], f"file {n}", f"output {n}", f"t{n}") for n in range(count)]


def messages(of: list[Exchange], asks: str = "go") -> list[Any]:
    made: list[Any] = [{"role": "user", "content": asks}]
    for tool, said, output, id_ in of:
        call = {"type": "tool_use", "id": id_, "name": tool, "input": {"path": said}}
        made.append({"role": "assistant", "content": [call]})
        made.append({"role": "user", "content": [{"type": "tool_result", "tool_use_id": id_, "content": output}]})
    return made


def history(of: list[Any]) -> History:
    return history_of(open_session("x.json", data=json.dumps(of).encode()).conversation)


def differences(found: Comparison) -> list[tuple[str, tuple[int, int], tuple[int, int], tuple[str, ...]]]:
    return [(part.kind, part.a, part.b, part.aspects) for part in found.parts if part.kind != "same"]


@SOME
@given(exchanges())
def test_a_history_is_the_same_as_itself(of: list[Exchange]) -> None:
    a, b = history(messages(of)), history(messages(of))
    found = compared(a, b)
    assert found.same and found.parting is None and len(ComparisonRows(found)) == 1
    assert found.tallies["same"].pairs == len(of)


@SOME
@given(st.integers(3, 30), st.data())
def test_a_cut_is_found_exactly(count: int, data: st.DataObject) -> None:
    of = distinct(count)
    start = data.draw(st.integers(0, count - 1))
    end = data.draw(st.integers(start + 1, count))
    found = compared(history(messages(of)), history(messages(of[:start] + of[end:])))
    assert differences(found) == [("only a", (start + 1, end + 1), (start + 1, start + 1), ())]


@SOME
@given(st.integers(1, 30), st.integers(1, 10), st.data())
def test_an_insertion_is_found_exactly(count: int, more: int, data: st.DataObject) -> None:
    of = distinct(count)
    at = data.draw(st.integers(0, count))
    new: list[Exchange] = [("Grep", f"new {n}", f"found {n}", f"n{n}") for n in range(more)]
    found = compared(history(messages(of)), history(messages(of[:at] + new + of[at:])))
    assert differences(found) == [("only b", (at + 1, at + 1), (at + 1, at + 1 + more), ())]


@SOME
@given(st.integers(1, 30), st.sets(st.tuples(st.integers(0, 29), st.sampled_from(["result", "id", "call"]))))
def test_changes_are_found_exactly(count: int, changes: set[tuple[int, str]]) -> None:
    of = distinct(count)
    then = list(of)
    wanted: dict[int, set[str]] = {}
    for at, what in changes:
        if at >= count or (what == "call" and wanted.get(at)) or "call" in wanted.get(at, ()):
            continue
        tool, said, output, id_ = then[at]
        wanted.setdefault(at, set()).add(what)
        match what:
            case "result":
                then[at] = tool, said, output + " more", id_
            case "id":
                then[at] = tool, said, output, "other_" + id_
            case _:
                then[at] = tool, said + " more", output, id_
    found = differences(compared(history(messages(of)), history(messages(then))))
    assert {a[0] - 1: set(aspects) for _, a, _, aspects in found} == wanted
    assert all(kind == "differs" and a == b for kind, a, b, _ in found)


@SOME
@given(exchanges(0), exchanges(0))
def test_the_other_way_round_is_the_same_seen_from_there(one: list[Exchange], other: list[Exchange]) -> None:
    a, b = history(messages(one)), history(messages(other))
    found, turned = compared(a, b), compared(b, a)
    other_kind = {"only a": "only b", "only b": "only a"}
    assert {(part.kind, range(*part.a), range(*part.b), part.aspects) for part in found.parts} == {
        (other_kind.get(part.kind, part.kind), range(*part.b), range(*part.a), part.aspects) for part in turned.parts
    }
    assert (found.parting is None) == (turned.parting is None)
    if found.parting is not None and turned.parting is not None:
        assert (found.parting.a, found.parting.b) == (turned.parting.b, turned.parting.a)
    # Every step of both stands in one part.
    assert [n for part in found.parts for n in range(*part.a)] == list(range(len(a.steps)))
    assert [n for part in found.parts for n in range(*part.b)] == list(range(len(b.steps)))


@SOME
@given(st.lists(st.integers(0, 5), max_size=40), st.lists(st.integers(0, 5), max_size=40))
def test_what_is_aligned_is_equal_and_in_order(one: list[int], other: list[int]) -> None:
    found = aligned(one, other)
    assert all(one[i] == other[j] for i, j in found)
    assert all(i < k and j < m for (i, j), (k, m) in pairwise(found))
    assert found == [(i, j) for j, i in aligned(other, one)]


def test_where_two_forks_part_is_said_even_if_both_end_alike() -> None:
    of = distinct(10)
    mine: list[Exchange] = [("Bash", f"mine {n}", f"m{n}", f"m{n}") for n in range(7)]
    yours: list[Exchange] = [("Bash", f"yours {n}", f"y{n}", f"y{n}") for n in range(5)]
    done = [{"role": "assistant", "content": "Done."}]
    found = compared(history([*messages(of + mine), *done]), history([*messages(of + yours), *done]))
    assert found.parting is not None and (found.parting.a, found.parting.b) == (11, 11)
    assert (found.parting.pairs_a, found.parting.pairs_b) == (7, 5)
    assert differences(found) == [("only a", (11, 19), (11, 11), ()), ("only b", (19, 19), (11, 17), ())]


def test_the_next_difference_is_the_next_place() -> None:
    of = distinct(20)
    then = [*of[:3], ("Read", "file 3", "other", "t3"), *of[4:10], *of[15:]]
    rows = ComparisonRows(compared(history(messages(of)), history(messages(then))))
    starts = []
    row: int | None = -1
    while row is not None and (row := rows.next(row, 1)) is not None:
        starts.append(row)
    assert [rows.comparison.parts[rows[row].part].kind for row in starts] == ["differs", "only a"]
    assert rows.next(len(rows), -1) == starts[-1] and rows.next(starts[0], -1) is None


@SOME
@given(exchanges(0), exchanges(0), st.booleans())
def test_rows_show_every_step_once_and_in_order(one: list[Exchange], other: list[Exchange], unfold: bool) -> None:
    found = compared(history(messages(one)), history(messages(other)))
    rows = ComparisonRows(found, range(len(found.parts)) if unfold else ())
    shown = [rows[n] for n in range(len(rows))]
    folded = [part for place, part in enumerate(found.parts) if part.kind == "same" and not unfold]
    for side, history_ in (("a", found.a), ("b", found.b)):
        steps = [step for row in shown if (step := getattr(row, side)) is not None]
        hidden = sum(part.size for part in folded)
        assert len(steps) + hidden == len(history_.steps) and steps == sorted(
            steps, key=lambda s: (s.message, s.step.block)
        )
    assert sum(row.across is not None for row in shown) <= 1


@settings(SOME, max_examples=tries(15))
@given(st.integers(0, 2**32), st.sampled_from([1, 4, 24]))
def test_a_long_history_has_the_steps_of_the_whole(seed: int, least: int) -> None:
    data = b"".join(json.dumps(record).encode() + b"\n" for record in claude_code(seed))
    whole, long = both(data, "claude-code", None, least)
    steps = list(history_of(whole.conversation).steps)
    assert list(history_of(long.conversation).steps) == steps
    found = compared(history_of(whole.conversation), history_of(long.conversation))
    assert found.same
