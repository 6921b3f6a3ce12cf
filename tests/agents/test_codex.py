"""The model of what Codex sends, and repaired rollouts, held against the real Codex. Opt-in: `pytest -m agents`."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.agents import codex
from tests.agents.codex_planted import Planted, corpus
from tests.agents.codex_rollouts import Rollout, whole, word
from tests.agents.comparing import skip_for
from tests.agents.running import Resumed
from tests.formats.fixing import fixed_by_a_person
from toolpair.formats.asking import PROMPT
from toolpair.formats.format import SentRequest
from toolpair.session.session import Session, open_session

pytestmark = pytest.mark.agents

_BESIDE = ("internal_chat_message_metadata_passthrough", "metadata", "annotations")
"""What stands in a rollout's items and is not sent."""


@pytest.fixture(scope="module", autouse=True)
def real_codex() -> None:
    skip_for(codex.why_not())


@pytest.fixture(scope="module")
def planted() -> dict[str, Planted]:
    return corpus()


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("rollouts")


def opened(folder: Path, name: str, data: bytes) -> Session:
    path = folder / f"rollout-{re.sub('[^a-z]+', '-', name)}.jsonl"
    path.write_bytes(data)
    return open_session(path)


def plain(value: Any) -> Any:
    """An item as it is compared: without what is null, and without what is never sent."""
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items() if item is not None and key not in _BESIDE}
    return [plain(item) for item in value] if isinstance(value, list) else value


def difference(seen: SentRequest, sent: list[dict[str, Any]]) -> str | None:
    """How the request differs from the model of it; Codex puts its instructions in front and the prompt behind."""
    expected = [plain(part.value) for message in seen.messages for part in message.parts]
    found = [plain(item) for item in sent][1:]
    for number, item in enumerate(expected):
        if number >= len(found):
            return f"item {number} is not sent: {item}"
        # An item without an id gets one of the agent's.
        other = found[number] if "id" in item else {key: v for key, v in found[number].items() if key != "id"}
        if other != item:
            return f"item {number}: {item} is sent as {other}"
    made = [item for item in found[len(expected) :] if item.get("role") not in ("user", "developer")]
    return f"sent besides: {made}" if made else None


def errors_of(folder: Path, sent: list[dict[str, Any]]) -> list[str]:
    """What the profile has against a request: its items are judged as a history of their own."""
    judged = Rollout(paginated=False)
    for item in sent:
        judged.add("response_item", item)
    session = opened(folder, "sent", judged.data())
    pending = [problem.rule for problem in session.problems if problem.rule == "turn.trailing_call"]
    return pending + [problem.rule for problem in session.problems if problem.severity == "error"]


def judged(planted: Mapping[str, Planted], folder: Path, sent: Mapping[str, Resumed]) -> dict[str, str]:
    """Where the model is wrong, and how."""
    wrong = {}
    for name, resumed in sent.items():
        seen = opened(folder, name, planted[name].data).conversation.judged.seen
        assert seen is not None
        if resumed.messages is None or seen.refuses is not None:
            if (resumed.messages is None) != (seen.refuses is not None):
                wrong[name] = f"the model says {seen.refuses!r}, Codex says {resumed.note!r}"
        elif found := difference(seen, resumed.messages):
            wrong[name] = found
    return wrong


@pytest.mark.parametrize("limits", [codex.AS_RECORDED, None], ids=["as recorded", "as prove asks"])
def test_what_the_model_sees_is_what_codex_sends(limits: str | None, planted: dict[str, Planted], folder: Path) -> None:
    assert len(planted) >= 30
    sent = codex.resume({name: found.data for name, found in planted.items()}, limits=limits)
    assert sum(found.messages is not None for found in sent.values()) > len(planted) / 2
    skips = set() if limits == codex.AS_RECORDED else {"byte_that_is_no_text, paginated"}
    assert judged(planted, folder, sent).keys() == skips, "with other settings than the file's it skips such a line"


def test_a_repaired_rollout_is_sent_valid_and_whole(planted: dict[str, Planted], folder: Path) -> None:
    repaired = {}
    for name, found in planted.items():
        session = opened(folder, name, found.data)
        repaired[name] = fixed_by_a_person(session)
    wrong = {}
    for name, resumed in codex.resume(repaired).items():
        if resumed.messages is None:
            wrong[name] = f"does not resume: {resumed.note}"
            continue
        text = json.dumps(resumed.messages)
        gone = sorted(found.decode() for found in planted[name].words if found.decode() not in text)
        errors = errors_of(folder, resumed.messages)
        if gone or errors:
            wrong[name] = f"lost {gone}, refused for {errors}"
    assert wrong == {}


GOES_ON = (
    "output_gone_of_a_parallel_call, paginated",
    "all_parallel_outputs_gone, legacy",
    "id_sanitised_on_one_side, paginated",
    "output_of_the_wrong_kind, paginated",
    "two_outputs_that_differ, paginated",
    "call_gone, legacy",
    "last_line_torn, paginated",
    "ordinal_absent_at_the_end, paginated",
    "byte_order_mark, paginated",
)


def test_codex_goes_on_writing_to_a_repaired_rollout(planted: dict[str, Planted], folder: Path) -> None:
    repaired = {}
    for name in GOES_ON:
        session = opened(folder, name, planted[name].data)
        session.stage_recommended()
        repaired[name] = session.to_bytes()
    for name, resumed in codex.resume(repaired, times=2).items():
        assert len(resumed.requests) == 2, (name, resumed.note)
        assert resumed.after.startswith(repaired[name]), name
        lines = resumed.after.splitlines()
        assert len(lines) > len(repaired[name].splitlines()) + 4, name
        if "paginated" in name:
            ordinals = [json.loads(line)["ordinal"] for line in lines if line.endswith(b"}")]
            assert ordinals == list(range(ordinals[0], ordinals[0] + len(ordinals))), name
        session = opened(folder, name, resumed.after)
        assert [problem.rule for problem in session.problems if problem.severity == "error"] == [], name
        said = json.dumps(resumed.requests[1])
        assert said.count(PROMPT) >= 2, name


def test_codex_resumes_from_a_repaired_packed_rollout(planted: dict[str, Planted], folder: Path) -> None:
    zstandard = pytest.importorskip("zstandard")
    found = planted["id_sanitised_on_one_side, paginated"]
    path = folder / "rollout-packed.jsonl.zst"
    path.write_bytes(zstandard.ZstdCompressor().compress(found.data))
    session = open_session(path)
    session.stage_recommended()
    session.save()
    resumed = codex.resume({"packed": path.read_bytes()})["packed"]
    assert resumed.messages is not None, resumed.note
    assert errors_of(folder, resumed.messages) == []
    text = json.dumps(resumed.messages)
    assert all(said.decode() in text for said in found.words)
    assert resumed.after.startswith(session.to_bytes())


def test_a_rollout_without_a_defect_is_not_touched(folder: Path) -> None:
    for paginated in (True, False):
        data = whole(paginated).data()
        session = opened(folder, "whole", data)
        session.stage_recommended()
        assert session.to_bytes() == data
        assert word("d").encode() in data
