"""What toolpair says Claude Code does when it resumes a broken session."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.agents.planted import corpus_file
from tests.formats.claude_code_files import block, session, without
from toolpair.formats.claude_code import FORMAT
from toolpair.formats.claude_code.agent import AGENT
from toolpair.formats.claude_code.versions import NEWEST
from toolpair.formats.format import Item, View
from toolpair.history.becomes import what_becomes
from toolpair.history.judged_request import JudgedRequest
from toolpair.rules.problem import OnResume, Problem
from toolpair.rules.profiles import profile
from toolpair.session.session import open_session


def resumed(
    rule: str, items: list[Item] | None = None, version: str | None = None, **named: tuple[str, str]
) -> OnResume | None:
    """The statement about a problem of this rule. `named` are its blocks, by kind and id; `version` resumes the
    session.
    """
    items = items or session().items
    transcript = FORMAT.read(items, View(agent_version=version))
    blocks: dict[str, Any] = {field: block(transcript, kind, id_) for field, (kind, id_) in named.items()}
    problem = Problem(rule, "error", "harmless", "observed", "", 0, 0, 0, 0, **blocks)
    seen = FORMAT.sees(items, transcript)
    assert seen is not None
    return what_becomes(AGENT, problem, JudgedRequest(seen, transcript, profile("anthropic")))


def planted_problem(defect: str, rule: str) -> Problem:
    problems = open_session("session.jsonl", data=corpus_file(defect)).problems
    return next(problem for problem in problems if problem.rule == rule)


def test_a_result_under_another_id_is_dropped_with_its_call() -> None:
    items = session().items
    (result,) = [item for item in items if item.value.get("uuid") == "r4"]
    result.value["message"]["content"][0]["tool_use_id"] = "toolu.D"
    found = resumed("result.id_mismatch", items, call=("call", "toolu_D"), result=("result", "toolu.D"))
    assert found == OnResume(
        "Claude Code",
        "2.1.332",
        "dropped",
        "the result, 8 bytes",
        "Claude Code drops this call and its 1 line without telling you.",
        1,
    )


def test_what_reaches_the_model_is_never_called_lost() -> None:
    found = resumed("result.id_mismatch", call=("call", "toolu_D"), result=("result", "toolu_D"))
    assert found is None or (found.loses, found.outputs_lost) == (None, 0)


def test_a_call_without_result_is_dropped_in_the_middle_and_answered_at_the_end() -> None:
    middle = resumed("result.missing", without(session(), "r4"), call=("call", "toolu_D"))
    assert middle is not None and (middle.effect, middle.outputs_lost) == ("dropped", 0)
    end = resumed("result.missing", without(session(), "r4", "a7"), call=("call", "toolu_D"))
    assert end is not None and (end.effect, end.loses) == ("placeholder", None)


@pytest.mark.parametrize(
    ("defect", "rule"),
    [
        ("id_empty", "id.empty"),
        ("id_pattern", "id.pattern"),
        ("input_text", "args.not_object"),
        ("text_before_result", "result.not_first"),
        ("call_in_user", "role.call_in_user"),
        ("user_empty", "content.empty_message"),
        ("thinking_unsigned_beside", "reasoning.bad_signature"),
        ("content_string_list", "result.type_not_allowed"),
    ],
)
def test_what_the_agent_sends_unchanged(defect: str, rule: str) -> None:
    found = planted_problem(defect, rule)
    assert found.on_resume is not None
    assert (found.on_resume.effect, found.impact) == ("rejected", "stops")


@pytest.mark.parametrize(
    ("defect", "rule", "effect", "loses"),
    [
        ("image_in_error", "error.non_text", "dropped", "what is not text"),
        ("content_number", "result.type_not_allowed", "healed", None),
        ("server_call_beside", "server.call_unpaired", "healed", None),
        ("server_call_alone", "server.call_unpaired", "dropped", "the response"),
        ("thinking_unsigned_alone", "reasoning.bad_signature", "dropped", "the response"),
        ("result_twice", "result.duplicate", "healed", None),
    ],
)
def test_what_the_agent_mends_or_leaves_out_does_not_stop_it(
    defect: str, rule: str, effect: str, loses: str | None
) -> None:
    found = planted_problem(defect, rule)
    assert found.on_resume is not None
    assert (found.on_resume.effect, found.on_resume.loses) == (effect, loses)
    assert found.impact == ("loses" if loses else "harmless")


def test_older_versions_repair_less() -> None:
    items = without(session(), "a6")
    found = resumed("result.orphan", items, "2.0.14", result=("result", "toolu_D"))
    assert found is not None and (found.effect, found.version, found.outputs_lost) == ("rejected", "2.1.1", 0)
    found = resumed("result.orphan", items, "2.1.200", result=("result", "toolu_D"))
    assert found is not None and (found.effect, found.version, found.outputs_lost) == ("dropped", "2.1.329", 1)
    assert found.text.endswith("(measured with 2.1.329).")


def test_whichever_version_wrote_the_file_the_newest_resumes_it() -> None:
    items = without(session(), "a6")
    for item in items:
        item.value["version"] = "2.0.14"
    found = resumed("result.orphan", items, result=("result", "toolu_D"))
    assert found is not None and (found.effect, found.version) == ("dropped", NEWEST.version)
    assert "measured" not in found.text


def test_nothing_is_claimed_that_was_not_measured() -> None:
    assert resumed("tools.undeclared") is None


def test_a_placeholder_with_a_known_output_is_reported_as_sent() -> None:
    log = session()
    result = next(value for value in log.values if value.get("uuid") == "r4")
    result["message"]["content"][0]["content"] = "[Tool result missing due to internal error]"
    result["toolUseResult"] = {"stdout": "output D", "stderr": ""}
    data = b"".join(json.dumps(value).encode() + b"\n" for value in log.values)
    [problem] = [p for p in open_session("s.jsonl", data=data).problems if p.rule == "result.placeholder"]
    assert problem.on_resume is not None and problem.impact == "loses"
    assert "sends the placeholder" in problem.on_resume.text
