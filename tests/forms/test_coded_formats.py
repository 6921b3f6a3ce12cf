"""Tables for the lists that have code of their own say the same of them: that the engine can be trusted with others."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from benchmarks.generate import messages
from benchmarks.sessions.options import BREAKABLE, Options
from toolpair.dialects.block_texts import arguments, result_text
from toolpair.formats import get_format
from toolpair.formats.format import Item
from toolpair.formats.forms.registry import Form, form_named
from toolpair.session.session import open_session
from toolpair.transcript.model import Transcript
from toolpair.transcript.pairing import pair

TABLES = Path(__file__).with_name("tables")
SAMPLES = sorted((Path(__file__).resolve().parents[2] / "sample_sessions").glob("*.json*"))
CODED = ("anthropic", "openai-chat", "openai-responses")
RESPONSES: list[list[Any]] = [
    [
        {"role": "user", "content": "How warm is it?"},
        {"type": "reasoning", "id": "rs_1", "summary": [{"type": "summary_text", "text": "I look."}]},
        {"type": "function_call", "call_id": "call_1", "name": "look", "arguments": '{"city": "Oslo"}'},
        {"type": "function_call", "call_id": "call_2", "name": "look", "arguments": "{broken"},
        *answers,
        {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "3 degrees."}]},
        {"role": "user", "content": [{"type": "input_text", "text": "And tomorrow?"}]},
    ]
    for answers in (
        [
            {"type": "function_call_output", "call_id": "call_1", "output": "3"},
            {"type": "function_call_output", "call_id": "call_2", "output": "9"},
        ],
        [{"type": "function_call_output", "call_id": "call_2", "output": "9"}],
        [{"type": "function_call_output", "call_id": "call_9", "output": "3"}],
    )
]


def _lists(format_id: str) -> Iterator[list[Any]]:
    for sample in SAMPLES:
        for one in open_session(sample).file.conversations:
            if one.format.id == format_id:
                yield [record.value for record in one.document.records]
    if format_id in BREAKABLE:
        for shape in ("ordinary", "small"):
            yield messages(Options(format=format_id, pairs=150, problems=12, shape=shape))
    else:
        yield from RESPONSES


def _said(transcript: Transcript) -> dict[str, list[Any]]:
    blocks = [block for message in transcript.messages for block in message.blocks]
    found = pair(transcript).pairs
    return {
        "calls": [(one.record, one.id, one.name, arguments(one)) for one in blocks if one.kind == "call"],
        "results": [(one.record, one.id, result_text(one)) for one in blocks if one.kind == "result"],
        "texts": [one.text for one in blocks if one.kind == "text" and one.text],
        "pairs": [(one.call and one.call.id, [result.id for result in one.results], one.evidence) for one in found],
    }


@pytest.mark.parametrize("format_id", CODED)
def test_a_table_says_the_same_as_the_code(format_id: str) -> None:
    form: Form = form_named(str(TABLES / f"{format_id}.toml"))
    count = 0
    for values in _lists(format_id):
        items = [Item(number, value) for number, value in enumerate(values)]
        assert _said(form.read(items)) == _said(get_format(format_id).read(items))
        count += bool(items)
    assert count > 2
