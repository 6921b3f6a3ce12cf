"""What the agent does with lone surrogates, with text beside results, and with open calls of a turn that breaks off."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.formats.claude_code_files import Log, call, text
from toolpair.session.session import Session, open_session

MISSING = "[Tool result missing due to internal error]"


def opened(log: Log, agent_version: str | None = None) -> Session:
    data = "".join(json.dumps(value) + "\n" for value in log.values).encode()
    return open_session("session.jsonl", data=data, agent_version=agent_version)


def sent(log: Log) -> list[Any]:
    seen = opened(log).conversation.judged.seen
    assert seen is not None
    return [part.value for message in seen.messages for part in message.parts]


def exchange(*content: Any) -> Log:
    log = Log()
    log.user("u1", "hello")
    log.says("a1", "msg_1", call("toolu_A"))
    log.result("r1", "a1", "toolu_A", "output")
    log.values[-1]["message"]["content"][:0] = content
    return log


def test_lone_surrogates_are_sent_as_replacement_characters() -> None:
    log = exchange()
    log.values[0]["message"]["content"] = "he\ud83dllo"
    log.values[1]["message"]["content"][0]["input"] = {"k\ud83d": ["\udc00", {"a": "\ud83d\ude00"}]}
    log.values[2]["message"]["content"][0]["content"] = [text("a\ud83d"), text("b")]
    log.says("a2", "msg_2", text("do\ud83dne \udc00\ud83d"))
    values = sent(log)
    json.dumps(values, ensure_ascii=False).encode()
    assert values[0]["text"] == "he\ufffdllo" and values[-1]["text"] == "do\ufffdne \ufffd\ufffd"
    assert values[1]["input"] == {"k\ufffd": ["\ufffd", {"a": "\U0001f600"}]}
    assert values[2]["content"] == [text("a\ufffd"), text("b")]


@pytest.mark.parametrize(
    ("attachment", "first"),
    [
        ({"attachment": {"type": "date", "date": "2026-11-21"}}, "tool_result"),
        ({"attachment": {"type": "other"}, "rendered": [{"content": "words"}]}, "tool_result"),
        ({"attachment": {"type": "other"}}, "text"),
        ({"attachment": {"type": "prompt_snapshot"}, "rendered": [{"content": "words"}]}, "text"),
    ],
)
def test_results_come_first_where_the_agent_adds_text(attachment: dict[str, Any], first: str) -> None:
    log = exchange(text("before"))
    log.record("attachment", "t1", **attachment)
    log.says("a2", "msg_2", text("done"))
    assert sent(log)[2]["type"] == first
    wrong = [problem.rule for problem in opened(log).problems if problem.severity == "error"]
    assert wrong == ([] if first == "tool_result" else ["result.not_first"])


def test_open_calls_stay_when_a_turn_breaks_off_after_results() -> None:
    def turn(*, words: bool, end: bool) -> list[Any]:
        log = Log()
        log.user("u1", "hello")
        log.says("a1", "msg_1", call("toolu_A"))
        log.says("a2", "msg_2", text("next"))
        if words:
            log.user("u2", "more")
        log.says("a3", "msg_3", call("toolu_B"))
        log.result("r3", "a3", "toolu_B", "output")
        if end:
            log.says("a4", "msg_4", text("done"))
        return sent(log)

    assert [value.get("content") for value in turn(words=False, end=False) if "tool_use_id" in value] == [
        MISSING,
        "output",
    ]
    for words, end in ((True, False), (False, True), (True, True)):
        assert not any(value.get("content") == MISSING for value in turn(words=words, end=end))
        assert not any(value.get("id") == "toolu_A" for value in turn(words=words, end=end))


def test_what_is_wrong_with_the_last_lines_time_is_named() -> None:
    for written, says in ((None, "has no timestamp"), ("yesterday", "has a timestamp that cannot be read")):
        log = exchange()
        log.says("a2", "msg_2", text("done"))
        log.values[-1]["timestamp"] = written
        session = opened(log, "2.1.329")
        (problem,) = session.problems
        seen = session.conversation.judged.seen
        assert problem.rule == "chain.no_timestamp" and says in problem.text
        assert seen is not None and seen.refuses is not None and says in seen.refuses
        session.stage_recommended()
        assert not session.problems
