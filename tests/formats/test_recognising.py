"""The format of a file is found without loading formats that it cannot have."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.each import each
from tests.rounds import tries
from toolpair.formats import all_formats
from toolpair.formats.engine.detection.format_detection import format_of
from toolpair.source.container_reading import read_container
from toolpair.transcript.model import Damaged

SAMPLES = sorted(path for path in (Path(__file__).parents[2] / "sample_sessions").iterdir() if "json" in path.suffix)

_VALUES = st.sampled_from(
    [
        {"role": "user", "content": "hi"},
        {"role": "user", "content": [{"type": "text", "text": "hi"}]},
        {"role": "assistant", "content": [{"type": "tool_use", "id": "t", "name": "n", "input": {}}]},
        {"role": "assistant", "content": None, "tool_calls": []},
        {"role": "tool", "tool_call_id": "c", "content": "x"},
        {"role": "user", "content": [{"type": "text", "text": "hi"}], "ts": 1},
        {"role": "user", "content": "hi", "isSummary": True},
        {"type": "function_call", "call_id": "c", "name": "n", "arguments": "{}"},
        {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "hi"}]},
        {"type": "response_item", "payload": {"type": "message", "role": "user", "content": []}},
        {"type": "session_meta", "payload": {"id": "s"}},
        {"record_type": "state"},
        {"type": "user", "uuid": "u", "parentUuid": None, "message": {"role": "user", "content": "hi"}},
        {"type": "assistant", "uuid": "v", "parentUuid": "u", "message": {"role": "assistant", "content": []}},
        {"type": "summary", "leafUuid": "u"},
        {"type": "session", "version": 3, "id": "s", "cwd": "/"},
        {"type": "message", "id": "a", "parentId": None, "message": {"role": "user", "content": []}},
        {"other": 1},
        7,
    ]
)


def _surest(values: list[Any], kind: str) -> str | None:
    """The result of asking every format."""
    best, best_score = None, 0
    for candidate in all_formats():
        score = candidate.sniff(values) if kind in candidate.containers else 0
        if score > best_score:
            best, best_score = candidate.id, score
    return best


@settings(max_examples=tries(300))
@given(values=st.lists(_VALUES, max_size=5))
def test_no_format_exceeds_its_highest_score(values: list[Any]) -> None:
    for found in all_formats():
        assert found.sniff(values) <= found.surest


@settings(max_examples=tries(150))
@given(values=st.lists(_VALUES, min_size=1, max_size=5), kind=st.sampled_from(["lines", "array"]))
def test_the_answer_matches_asking_every_format(values: list[Any], kind: str) -> None:
    class Record:
        def __init__(self, value: Any) -> None:
            self.value = value
            self.size = 1

    class Records:
        def __init__(self) -> None:
            self.kind = kind
            self.records = [Record(value) for value in values]

    found = format_of(Records())  # type: ignore[arg-type]
    assert (found.id if found is not None else None) == _surest(values, kind)


@each("sample", SAMPLES)
def test_the_samples_match_asking_every_format(sample: Path) -> None:
    for source in read_container(sample.read_bytes(), sample.name).conversations:
        document = source.document
        values = [value for record in document.records[:200] if not isinstance(value := record.value, Damaged)]
        found = format_of(document)
        assert (found.id if found is not None else None) == _surest(values, document.kind)
