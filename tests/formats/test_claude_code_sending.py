"""The model of a resume, one defect at a time: what is sent, what is made up, what is left out."""

from __future__ import annotations

import random
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.agents import claude_code_beside, planted
from tests.agents.planted import DEFECTS, Records, sound, written
from tests.each import each
from tests.formats.claude_code_files import Log, call, text
from tests.rounds import tries
from toolpair.dialects.block_texts import is_real_output, result_text, text_of
from toolpair.formats.format import SentRequest
from toolpair.session.session import Session, open_session

INTERRUPTED = "[Tool call interrupted:"
MISSING = "[Tool result missing due to internal error]"


def opened(records: Records | list[Any]) -> Session:
    return open_session("session.jsonl", data=written(records))


def broken(name: str) -> Session:
    return open_session("session.jsonl", data=planted.corpus_file(name))


def seen_of(session: Session) -> SentRequest:
    seen = session.conversation.judged.seen
    assert seen is not None
    return seen


def lines(seen: SentRequest) -> list[str]:
    """The request, one line per block: call toolu_01A, result toolu_01A: output A, user: words."""
    found = []
    for message in seen.messages:
        for part in message.parts:
            value = part.value
            match value.get("type"):
                case "tool_use":
                    found.append(f"call {value.get('id')}")
                case "tool_result":
                    found.append(f"result {value.get('tool_use_id')}: {text_of(value.get('content'))}")
                case "text":
                    found.append(f"{message.role}: {value['text']}")
                case other:
                    found.append(f"{message.role} {other}")
    return found


def fates(session: Session) -> dict[str, list[str]]:
    """id -> what happens to the calls and results that are not sent unchanged."""
    seen = seen_of(session)
    found: dict[str, list[str]] = {}
    for message in session.conversation.transcript.messages:
        for block in message.blocks:
            if block.kind in ("call", "result") and seen.fates[id(block)] != "sent":
                found.setdefault(str(block.id), []).append(f"{block.kind} {seen.fates[id(block)]}")
    return found


def test_a_sound_session_is_sent_whole_with_results_in_file_order() -> None:
    session = opened(sound())
    assert fates(session) == {}
    assert lines(seen_of(session))[:7] == [
        "user: first words",
        "assistant: Two at once.",
        "call toolu_01A",
        "call toolu_01B",
        "result toolu_01B: output B",
        "result toolu_01A: output A",
        "call toolu_01C",
    ]
    assert (session.conversation.verdict.outputs_seen, session.conversation.verdict.outputs_total) == (8, 8)


CASES = [
    ("result_lost", {"toolu_01D": ["call dropped"]}, []),
    ("killed_in_call", {}, [INTERRUPTED, "No response requested."]),
    ("killed_in_parallel_calls", {}, [INTERRUPTED, "No response requested."]),
    ("unanswered_then_prompt", {"toolu_01D": ["call dropped"]}, ["No response requested."]),
    ("ends_with_prompt", {}, ["No response requested."]),
    ("call_lost", {"toolu_01D": ["result dropped"]}, ["(no content)"]),
    ("orphan_first", {"toolu_01D": ["result dropped"]}, ["[Orphaned tool result removed"]),
    ("orphan_beside_text", {"toolu_01D": ["result dropped"]}, []),
    ("id_sanitised", {"toolu_01D": ["call dropped"], "toolu_01D_0": ["result dropped"]}, ["(no content)"]),
    ("result_late", {"toolu_01D": ["result replaced"]}, [MISSING]),
    ("answer_between", {"toolu_01D": ["result replaced"]}, [MISSING, "(no content)"]),
    ("user_words_between", {}, []),
    ("result_before_call", {}, []),
    ("result_twice", {"toolu_01D": ["result dropped"]}, []),
    ("second_result_differs", {"toolu_01D": ["result dropped"]}, []),
    ("result_in_assistant", {"toolu_01D": ["result replaced"]}, [MISSING, "[Tool use interrupted]"]),
    ("id_empty", {}, []),
    ("id_pattern", {}, []),
    ("text_before_result", {}, []),
    ("text_behind_call", {}, []),
    ("user_blank_block", {}, ["(no content)"]),
    ("assistant_no_blocks", {}, []),
    ("server_call_alone", {}, ["[Tool use interrupted]"]),
    ("api_error_in_middle", {}, []),
]


@each(("name", "expected", "made_up"), CASES)
def test_one_defect(name: str, expected: dict[str, list[str]], made_up: list[str]) -> None:
    session = broken(name)
    assert fates(session) == expected
    added = [
        text_of(part.value.get("content", part.value.get("text")))
        for message in seen_of(session).messages
        for part in message.parts
        if part.block is None
    ]
    assert len(added) == len(made_up)
    for words in made_up:
        assert any(found.startswith(words) for found in added)


def test_a_reused_id_loses_every_later_call_and_output() -> None:
    session = broken("id_reused_later")
    (lost,) = fates(session).values()
    assert lost == ["call dropped", "result dropped"]
    assert session.conversation.verdict.outputs_seen == 7


def test_an_early_result_is_moved_after_its_call_unless_the_user_speaks_in_between() -> None:
    def with_early(place: str) -> Session:
        records = sound()
        at = next(n for n, value in enumerate(records) if value["uuid"] == "r4")
        early = {**records[at], "uuid": "early"}
        records = planted.without(records, at)
        before = next(n for n, value in enumerate(records) if value["uuid"] == place)
        early["parentUuid"], records[before]["parentUuid"] = records[before]["parentUuid"], "early"
        return opened([*records[:before], early, *records[before:]])

    near = lines(seen_of(with_early("a7")))
    assert near[near.index("call toolu_01D") + 1] == "result toolu_01D: output D"
    far = with_early("u2")
    sent = lines(seen_of(far))
    assert sent[sent.index("call toolu_01D") + 1] == f"result toolu_01D: {MISSING}"
    assert (far.conversation.verdict.outputs_seen, far.conversation.verdict.outputs_total) == (7, 8)


def test_open_calls_are_dropped_with_the_text_of_their_record() -> None:
    assert "assistant: words before the call" not in lines(seen_of(broken("unanswered_with_text_in_record")))


def test_other_contents_are_sent_as_json_and_errors_without_images() -> None:
    assert any(line.endswith(': {"a":[1]}') for line in lines(seen_of(broken("content_object"))))
    session = broken("image_in_error")
    (changed,) = fates(session).values()
    assert changed == ["result changed"]
    assert "image" not in str(lines(seen_of(session)))


def test_another_models_signed_thinking_is_left_out() -> None:
    def thoughts(name: str) -> int:
        return lines(seen_of(broken(name))).count("assistant thinking")

    assert (thoughts("thinking_beside"), thoughts("thinking_by_another_model"), thoughts("thinking_alone")) == (2, 1, 1)


def test_outputs_off_the_history_are_counted_but_not_seen() -> None:
    session = broken("parent_unknown")
    assert session.conversation.verdict.outputs_total == 8 and session.conversation.verdict.outputs_seen == 5
    session.stage_recommended()
    assert (session.conversation.verdict.outputs_seen, session.conversation.verdict.outputs_total) == (8, 8)


def test_a_session_without_a_time_at_the_end_is_not_found_until_it_gets_one() -> None:
    data = planted.corpus_file("no_timestamp_at_end")
    session = open_session("session.jsonl", data=data, agent_version="2.1.329")
    refuses = seen_of(session).refuses
    assert refuses is not None and "no timestamp" in refuses
    assert session.conversation.verdict.outputs_seen == 0 and refuses in session.conversation.verdict.sentence
    (problem,) = [problem for problem in session.problems if problem.severity == "error"]
    assert (problem.rule, problem.impact) == ("chain.no_timestamp", "stops")
    session.stage_recommended()
    assert seen_of(session).refuses is None and session.conversation.verdict.errors == 0
    assert session.conversation.verdict.outputs_seen == session.conversation.verdict.outputs_total == 8
    again = open_session("session.jsonl", data=session.to_bytes(), agent_version="2.1.329")
    assert again.conversation.verdict.outputs_seen == 8
    newer = open_session("session.jsonl", data=data)
    assert seen_of(newer).refuses is None and newer.conversation.verdict.errors == 0


def test_a_sub_agents_history_is_never_resumed() -> None:
    assert broken("all_sidechain").conversation.judged.seen is None


def test_older_versions_answer_no_call_and_drop_no_orphan() -> None:
    records = DEFECTS["call_lost"](sound(), random.Random(7))
    assert records is not None
    session = open_session("session.jsonl", data=written(records), agent_version="2.0.14")
    seen = seen_of(session)
    assert seen.version == "2.1.1"
    assert "result toolu_01D: output D" in lines(seen)
    assert all(part.block is not None for message in seen.messages for part in message.parts)
    (orphan,) = [problem for problem in session.problems if problem.rule == "result.orphan"]
    assert orphan.on_resume is not None and orphan.on_resume.effect == "rejected"
    assert orphan.on_resume.outputs_lost == 0


def test_responses_without_an_id_are_not_merged() -> None:
    log = Log(step=7.0)
    log.user("u1", "words")
    for number in (1, 2):
        record = log.says(f"a{number}", "none", text(f"answer {number}"))
        del record["message"]["id"]
    assert [message.role for message in seen_of(opened(log.values)).messages] == ["user", "assistant", "assistant"]


def test_the_agents_placeholder_for_an_empty_response_is_left_out() -> None:
    records = sound()
    records[-1]["message"]["content"] = "(no content)"
    assert lines(seen_of(opened(records)))[-2:] == ["user: third words", "assistant: No response requested."]


def test_odd_values_do_no_harm() -> None:
    log = Log(step=7.0)
    log.user("u1", "words")
    log.says("a1", "m1", call("toolu_01A"), 7, None, {"type": ["x"]}, {"type": "tool_use", "id": ["list"]})
    log.result("r1", "a1", "toolu_01A", [3, None, {"type": "text"}], is_error=True)
    log.record("user", "r2", message={"role": "user", "content": [{"type": "tool_result", "tool_use_id": {"a": 1}}]})
    log.record("assistant", "a2", message=7)
    assert lines(seen_of(opened(log.values)))


def double_defect(seed: int) -> Records:
    """A session with up to three defects of any kind."""
    rng = random.Random(seed)
    records = sound()
    for name in rng.sample(sorted(DEFECTS), rng.randrange(1, 4)):
        try:
            records = DEFECTS[name](records, rng) or records
        except (KeyError, IndexError, StopIteration, TypeError, AttributeError):
            continue  # the defect before it removed what this one would break
    return records


@given(seed=st.integers(min_value=0, max_value=2**32))
@settings(max_examples=tries(150), suppress_health_check=list(HealthCheck))
def test_losses_are_real_and_all_of_them_are_named(seed: int) -> None:
    session = opened(double_defect(seed))
    seen = session.conversation.judged.seen
    if seen is None:
        return
    blocks = [block for message in session.conversation.transcript.messages for block in message.blocks]
    sent = {id(part.block) for message in seen.messages for part in message.parts if part.block is not None}
    for block in blocks:
        if block.kind in ("call", "result"):
            assert seen.reaches(block) is (id(block) in sent)
    told = {result_text(block).strip() for block in blocks if block.kind == "result" and id(block) in sent}
    named = set()
    for problem in session.problems:
        found = problem.on_resume
        if found is None or problem.rule.startswith(("chain.", "record.")):
            continue
        concerned = [
            block for block in (problem.result, *problem.others) if block is not None and is_real_output(block)
        ]
        missed = {result_text(block).strip() for block in concerned if id(block) not in sent}
        assert found.outputs_lost <= len(missed)
        if found.outputs_lost:
            assert found.loses is not None and problem.impact != "harmless"
            named |= missed
        elif problem.rule != "result.order":
            own = {result_text(block).strip() for block in concerned if id(block) in sent}
            assert missed <= own
        if (
            problem.call is not None
            and id(problem.call) in sent
            and problem.rule not in ("call.reused_id", "call.duplicate_id")
        ):
            assert "drops this call" not in found.text
    lost = {result_text(block).strip() for block in blocks if is_real_output(block) and id(block) not in sent}
    assert lost <= named | told
    verdict = session.conversation.verdict
    assert 0 <= verdict.outputs_seen <= verdict.outputs_total


# --- reports of tasks --------------------------------------------------------------------------------------


@pytest.mark.parametrize("version", [None, "2.1.329", "2.1.1"])
@pytest.mark.parametrize("name", ["a task's report", "a task's report in blocks", "a scheduled prompt"])
def test_what_a_task_says_is_sent_as_nobodys_words(name: str, version: str | None) -> None:
    data = claude_code_beside.sessions()[name]
    session = open_session("session.jsonl", data=data, agent_version=version)
    said = seen_of(session).messages[-2].parts
    words = said[0].value["text"]
    assert said[0].block is not None and not session.problems
    assert len(said) == (2 if version == "2.1.1" and "blocks" in name else 1)
    if version == "2.1.1":
        assert words.startswith(("<task-notification>", "one", "Look"))
    elif name == "a scheduled prompt":
        assert words.startswith("[SCHEDULED TASK - ") and words.endswith("\n\nLook again.")
    else:
        preface = "<system-reminder>\n[SYSTEM NOTIFICATION - NOT USER INPUT]\n"
        assert words.startswith(preface) and words.endswith("\n</system-reminder>")
        assert words.count("</system-reminder>") == 1


def test_a_report_is_one_by_where_it_comes_from() -> None:
    session = open_session("s.jsonl", data=claude_code_beside.sessions()["a task's report without its origin"])
    assert lines(seen_of(session))[-2] == "user: <task-notification>done</task-notification>"
