"""The requests of a session in time: where the model was asked, what it saw then, and when something broke."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import SAMPLES
from tests.formats.claude_code_files import Log, call, text
from tests.reports.recorded_requests import recording
from toolpair.reports.requests_in_time import RequestsInTime
from toolpair.session.session import open_session


def _of(path: Path) -> RequestsInTime:
    return RequestsInTime(open_session(path))


def _first_broken(requests: RequestsInTime) -> int | None:
    return next((number for number in requests.may_have_broken() if requests.at(number).wrong), None)


@pytest.mark.parametrize(
    ("name", "positions", "broken"),
    [
        ("claude-code-branches.jsonl", [1, 6, 12, 15], 4),
        ("goose-left-out.db", [2, 4, 6, 8], 2),
        ("sanitised-on-one-side.json", [1, 3, 5, 7], 2),
        ("valid.json", [1, 3, 5], None),
    ],
)
def test_where_the_model_was_asked_and_the_first_broken_request(
    name: str, positions: list[int], broken: int | None
) -> None:
    requests = _of(SAMPLES / name)
    assert [asked.position for asked in requests.asked] == positions and requests.unknown is None
    assert _first_broken(requests) == broken
    sound = [requests.at(number) for number in range(1, broken or len(requests) + 1)]
    assert not any(one.wrong or one.refuses for one in sound)


def test_what_a_file_no_longer_shows_is_not_known() -> None:
    requests = _of(SAMPLES / "openclaw-cut-history.db")
    assert requests.unknown == (
        "What OpenClaw 2026.9.6 sent of this file before now is not known: the file no longer shows it."
    )


def test_requests_before_a_compaction_are_there_and_its_pairs_go(tmp_path: Path) -> None:
    log = Log()
    log.user("u1", "look")
    log.says("a1", "msg_1", call("toolu_A"))
    log.result("r1", "a1", "toolu_A", "one")
    log.says("a2", "msg_2", text("seen"))
    log.record(
        "system", "c1", None, subtype="compact_boundary", content="Conversation compacted", logicalParentUuid="a2"
    )
    log.record("user", "s1", "c1", message={"role": "user", "content": "A summary."}, isCompactSummary=True)
    log.user("u2", "go on")
    log.says("a3", "msg_3", text("done"))
    path = tmp_path / "0a1b.jsonl"
    path.write_text("".join(json.dumps(value) + "\n" for value in log.values))
    requests = _of(path)
    assert [one.line for one in requests.asked] == [2, 4, 8]
    assert [requests.at(number).pairs.total() for number in (1, 2, 3)] == [0, 1, 0]
    assert [row.fate for row in requests.at(2).rows()] == ["sent"] * 3, "nothing that is only added on resume"
    assert not requests.at(2).exact and requests.at(2).sender.startswith("Claude Code ")


def test_recorded_requests_are_exact_and_a_long_history_is_read_in_windows(tmp_path: Path) -> None:
    path = tmp_path / "0a1b.jsonl"
    made = recording()
    path.write_bytes(made.to_bytes())
    requests = _of(path)
    for number, sent in enumerate(made.sent, 1):
        past = requests.at(number)
        assert past.exact and not past.wrong
        said = [part["text"] for one in sent["messages"] for part in one["content"] if part["type"] == "text"]
        assert [row.text for row in past.rows() if row.type == "text"] == said
    messages: list[Any] = [{"role": "user", "content": "go"}]
    for n in range(600):
        result = {"type": "tool_result", "tool_use_id": f"toolu_{n}{'x' * (n == 300)}", "content": "ok"}
        messages += [{"role": "assistant", "content": [call(f"toolu_{n}")]}, {"role": "user", "content": [result]}]
    path = tmp_path / "a.json"
    path.write_text(json.dumps(messages, indent=1))
    long = _of(path)
    assert len(long) == 600 and _first_broken(long) == 302
    assert (long.at(301).pairs.total(), long.at(600).pairs.total()) == (300, 598)
