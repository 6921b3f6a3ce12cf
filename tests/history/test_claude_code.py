"""Claude Code's sessions checked window by window say, count and change what the whole does."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any
from unittest.mock import patch

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from tests.formats.claude_code_files import Log, call
from tests.history.opening import SIZES
from tests.history.reports import told
from tests.history.sessions import session, written
from tests.rounds import tries
from toolpair.formats import get_format
from toolpair.formats.format import AS_RESUMED, Item, Spills, View
from toolpair.history import outline as outlines
from toolpair.history.checked_records import CheckedRecords
from toolpair.history.outline import Outline, Range
from toolpair.history.scan import Scan
from toolpair.history.window_checks import CheckedRange, CheckedWindow, judge_ranges, problems_of
from toolpair.rules.profiles import profile
from toolpair.transcript.model import WindowEdges

SEEDS = st.integers(min_value=0, max_value=2**32)
FORMAT, PROFILE = get_format("claude-code"), profile("anthropic")


def whole(values: Sequence[Any], view: View = AS_RESUMED) -> CheckedRecords:
    return CheckedRecords([Item(number, value) for number, value in enumerate(values)], FORMAT, PROFILE, view=view)


def parted(values: Sequence[Any], least: int, view: View = AS_RESUMED) -> tuple[Outline, list[CheckedRange]] | None:
    """The outline and its ranges, however many of the windows are looked at; None when only the whole tells."""
    items = [Item(number, value) for number, value in enumerate(values)]
    assert FORMAT.light is not None
    scan = Scan(FORMAT.light(view), PROFILE, least=least)
    scan.feed(list(values))
    with patch.object(outlines, "MANY", 0):
        outline = scan.outline()
    if outline is None:
        return None

    def load(wanted: Range, edges: WindowEdges) -> CheckedWindow:
        first, end = outline.records(wanted)
        own = replace(view, surroundings=outline.surroundings(first, end, lambda start, stop: items[start:stop]))
        return CheckedWindow(CheckedRecords(items[first:end], FORMAT, PROFILE, view=own, edges=edges))

    judged = judge_ranges(outline, load, 5_000)
    return None if judged is None else (outline, judged)


def counts_of(window: CheckedWindow) -> tuple[int, ...]:
    """Messages, pairs, outputs, and how many of these are sent."""
    tally = window.tally
    return window.messages, len(window.judged.pairs), tally.outputs, tally.seen


def counted(outline: Outline, judged: Sequence[CheckedRange]) -> tuple[int, ...]:
    """The same of all windows together: of those that were left to the rules, and of those that are clean."""
    looked_at = {number for one in judged for number in range(one.range.start, one.range.stop)}
    windows = [window for number, window in enumerate(outline.windows) if number not in looked_at]
    clean = [(w.messages, w.calls, w.outputs, w.outputs - w.passed) for w in windows]
    others = [counts_of(one.found) for one in judged if isinstance(one.found, CheckedWindow)]
    return tuple(map(sum, zip(*clean, *others, strict=True)))


def parts_of(values: Sequence[Any]) -> list[Any]:
    contents = [value["message"]["content"] for value in values if "message" in value]
    return [part for content in contents if isinstance(content, list) for part in content]


@pytest.mark.parametrize("least", [3, *SIZES])
@given(seed=SEEDS)
@settings(derandomize=True, max_examples=tries(40), suppress_health_check=list(HealthCheck))
def test_windows_together_say_what_the_whole_says(least: int, seed: int) -> None:
    values = session(seed)

    found = parted(values, least)

    if found is None:
        return
    outline, judged = found
    expected = whole(values)
    assert told(problems_of(outline, judged)) == told(expected.problems)
    clean = [
        window
        for number, window in enumerate(outline.windows)
        if not any(one.range.start <= number < one.range.stop for one in judged)
    ]
    assert all(window.clean for window in clean)
    messages = sum(window.messages for window in clean) + sum(one.found.messages for one in judged)
    pairs = sum(window.calls for window in clean) + sum(len(one.found.judged.pairs) for one in judged)
    assert messages == len(expected.transcript.messages)
    assert pairs == len(expected.pairs)
    head, read = outline.head, expected.transcript
    inactive = [scope for one in judged for scope in one.found.judged.transcript.scopes.values()].count("inactive")
    assert outline.inactive + inactive == list(read.scopes.values()).count("inactive")
    assert head is not None
    for name in ("agent", "agent_version", "session_id", "folder", "model", "thinking", "native", "merged"):
        assert getattr(head, name) == getattr(read, name)
    assert head.tree.resumed == read.tree.resumed
    assert not read.tree.branches and not read.tree.broken
    assert expected.seen is not None and expected.seen.refuses is None


@pytest.mark.parametrize("least", SIZES)
@given(seed=SEEDS)
@settings(derandomize=True, max_examples=tries(40), suppress_health_check=list(HealthCheck))
def test_an_old_agent_is_told_the_same(least: int, seed: int) -> None:
    """It goes on from the newest record, gathers nothing that stands beside the history, and heals little."""
    values, view = session(seed), View(agent_version="2.1.1")

    found = parted(values, least, view)

    if found is not None:
        expected = whole(values, view)
        assert told(problems_of(*found)) == told(expected.problems)
        assert counted(*found) == counts_of(CheckedWindow(expected))


def test_an_old_agent_is_read_in_windows() -> None:
    values, middle = with_one_broken_pair(60)

    found = parted(values, 3, View(agent_version="2.1.1"))

    assert found is not None and len(found[0].windows) > 30
    assert middle["message"]["content"][0]["tool_use_id"] == "toolu_gone"


def test_two_records_of_one_moment_at_the_end_are_left_to_the_whole() -> None:
    """Which of them an old agent goes on from depends on more than their order."""
    values = written(random.Random(4), 12)
    said = [value for value in values if "timestamp" in value]
    said[-1]["timestamp"] = said[-2]["timestamp"]

    assert parted(values, 3, View(agent_version="2.1.1")) is None
    assert parted(values, 3) is not None


def test_a_short_session_that_breaks_off_sends_its_open_calls() -> None:
    """What becomes of a call in the last turn hangs on how that ends, also where the file has a few records."""
    log = Log()
    log.user("u", "begin")
    for number in range(4):
        log.says(f"a{number}", f"m{number}", call(f"toolu_{number}"))
        log.result(f"r{number}", f"a{number}", "toolu_x" if number == 1 else f"toolu_{number}", f"output {number}")

    found = parted(log.values, 1)

    assert found is not None
    said = [problem.on_resume.text for problem in problems_of(*found) if problem.on_resume is not None]
    assert said == ["Claude Code drops this result of 1 line without telling you."]
    assert told(problems_of(*found)) == told(whole(log.values).problems)


@pytest.mark.parametrize("least", SIZES)
@given(seed=SEEDS)
@settings(derandomize=True, max_examples=tries(25), suppress_health_check=list(HealthCheck))
def test_a_fix_of_a_window_changes_what_it_changes_in_the_whole(least: int, seed: int) -> None:
    values = session(seed)
    found = parted(values, least)
    if found is None:
        return
    outline, judged = found
    expected = whole(values)
    others = iter(expected.problems)
    for one in judged:
        first = outline.windows[one.range.start].first
        end = outline.windows[one.range.stop - 1].end
        for problem, other in zip(one.found.judged.problems, others, strict=False):
            for fix, same in zip(problem.fixes, other.fixes, strict=True):
                if fix.id.endswith("+drop-thinking"):
                    continue
                try:
                    changed = [item.value for item in one.found.judged.apply(fix.edits)]
                except Spills:
                    continue
                after = [item.value for item in expected.apply(same.edits)]
                assert [*values[:first], *changed, *values[end:]] == after


def test_most_windows_of_a_session_in_order_are_clean() -> None:
    found = parted(written(random.Random(5), 40), 3)

    assert found is not None
    windows = found[0].windows
    assert len(windows) > 20
    assert sum(window.clean for window in windows) > len(windows) * 0.7


def test_what_a_compaction_replaced_is_passed_by() -> None:
    values = written(random.Random(8), 40, compacts=0.1)
    boundaries = [number for number, value in enumerate(values) if value.get("subtype") == "compact_boundary"]

    found = parted(values, 3)

    assert found is not None and boundaries
    assert found[0].past > boundaries[-1] - 40
    assert found[0].windows[0].first <= boundaries[-1] < found[0].windows[0].end


def test_links_that_lead_back_are_left_to_the_whole() -> None:
    values = written(random.Random(5), 12)
    linked = [value for value in values if value.get("type") == "assistant"]
    linked[-1]["parentUuid"] = linked[3]["uuid"]

    assert parted(values, 3) is None


def with_one_broken_pair(turns: int) -> tuple[list[Any], Any]:
    """A session, and the record in its middle whose result answers a call that is nowhere."""
    values = written(random.Random(4), turns)
    middle = next(value for value in values[len(values) // 2 :] if str(value.get("uuid")).startswith("r"))
    middle["message"]["content"][0]["tool_use_id"] = "toolu_gone"
    return values, middle


def test_one_broken_pair_is_judged_with_what_is_near_to_it_alone() -> None:
    values, _ = with_one_broken_pair(60)

    found = parted(values, 3)

    assert found is not None
    outline, judged = found
    assert any(part.get("type") == "thinking" for part in parts_of(values))
    assert len(outline.windows) > 30
    assert judged and all(one.range.stop - one.range.start <= 3 for one in judged)


def test_what_stands_far_in_front_of_a_broken_pair_is_not_looked_at() -> None:
    values, middle = with_one_broken_pair(200)

    found = parted(values, 24)

    assert found is not None
    outline, judged = found
    spans = [
        (outline.windows[one.range.start].first, outline.windows[one.range.stop - 1].end)
        for one in judged
        if one.range.stop - one.range.start == 1
    ]
    first, end = next(span for span in spans if span[0] <= values.index(middle) < span[1])
    assert end - first < 40
