"""What is said of Claude Code's doings when it resumes a broken session."""

from __future__ import annotations

from typing import Any

import pytest

from tests.formats.claude_code_files import block, session, without
from toolpair.formats.base import Item
from toolpair.formats.claude_code import FORMAT
from toolpair.rules.base import OnResume, Problem


def resumed(rule: str, *, items: list[Item] | None = None, **fields: Any) -> OnResume | None:
    transcript = FORMAT.read(items or session().items)
    problem = Problem(rule, "error", "harmless", "observed", "", 0, 0, 0, 0, **fields)
    return FORMAT.on_resume(transcript, problem)


def test_a_result_under_another_id_is_dropped_with_its_call() -> None:
    transcript = FORMAT.read(session().items)
    pair = {"call": block(transcript, "call", "toolu_D"), "result": block(transcript, "result", "toolu_D")}
    found = resumed("result.id_mismatch", **pair)
    assert found == OnResume(
        "Claude Code",
        "2.1.329",
        "dropped",
        "the result, 8 bytes",
        "Claude Code drops this call and its 1 line. It does not tell.",
        1,
    )


def test_a_call_without_result_is_dropped_in_the_middle_and_answered_at_the_end() -> None:
    items = without(session(), "r4")
    middle = resumed("result.missing", items=items, call=block(FORMAT.read(items), "call", "toolu_D"))
    assert middle is not None and (middle.effect, middle.outputs_lost) == ("dropped", 0)
    items = without(session(), "r4", "a7")
    transcript = FORMAT.read(items)
    problem = Problem(
        "result.missing", "error", "stops", "observed", "", 3, 1, 3, 9, call=block(transcript, "call", "toolu_D")
    )
    found = FORMAT.on_resume(transcript, problem)
    assert found is not None and (found.effect, found.loses) == ("placeholder", None)


@pytest.mark.parametrize("rule", ["id.empty", "id.pattern", "args.not_object", "result.not_first", "role.call_in_user"])
def test_what_the_agent_sends_as_it_is(rule: str) -> None:
    found = resumed(rule)
    assert found is not None and found.effect == "rejected"


def test_older_versions_repair_less() -> None:
    items = session().items
    for item in items:
        item.value["version"] = "2.0.14"
    result = block(FORMAT.read(items), "result", "toolu_D")
    found = resumed("result.orphan", items=items, result=result)
    assert found is not None and (found.effect, found.version) == ("rejected", "2.1.1")
    for item in items:
        item.value["version"] = "2.1.200"
    found = resumed("result.orphan", items=items, result=result)
    assert found is not None and (found.effect, found.version, found.outputs_lost) == ("dropped", "2.1.329", 1)
    assert found.text.endswith("(measured with 2.1.329).")


def test_nothing_is_said_of_what_was_not_measured() -> None:
    assert resumed("tools.undeclared") is None
