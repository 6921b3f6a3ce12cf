"""An edit leaves no garbage: what its draft was made of is freed at once."""

from __future__ import annotations

import gc
from collections.abc import Callable, Sequence
from typing import Any

import pytest

from tests.formats.claude_code_files import Log, call
from toolpair.formats import get_format
from toolpair.formats.format import Item
from toolpair.transcript.draft import Draft, DraftBlock, DraftMessage
from toolpair.transcript.edits import Edit, InsertResult, MoveResult, Remove, Rename
from toolpair.transcript.model import Transcript


def _list() -> list[Any]:
    return [
        {"role": "user", "content": "go"},
        {"role": "assistant", "content": [{"type": "tool_use", "id": "a", "name": "Read", "input": {}}]},
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "b", "content": "text"}]},
    ]


def _session() -> list[Any]:
    log = Log()
    log.user("u1", "go")
    log.says("a1", "m1", call("a"))
    log.says("a2", "m1", call("b"))
    log.result("r2", "a2", "b", "text")
    return log.values


def _edits(transcript: Transcript) -> Sequence[Edit]:
    calls, results = transcript.messages[1].calls, transcript.messages[2].results
    if len(calls) == 1:
        return [Rename(results[0], "a")]
    return [
        MoveResult(results[0], calls[1]),
        InsertResult(calls[0], "lost", True),
        Remove(transcript.messages[0].blocks[0]),
    ]


@pytest.mark.parametrize("values, form", [(_list, "anthropic"), (_session, "claude-code")])
def test_nothing_of_a_draft_is_left_after_an_edit(values: Callable[[], list[Any]], form: str) -> None:
    items = [Item(uid, value) for uid, value in enumerate(values())]
    format_ = get_format(form)
    transcript = format_.read(items)
    edits = _edits(transcript)
    gc.collect()
    gc.disable()
    try:
        after = format_.apply(items, transcript, edits)
        left = [found for found in gc.get_objects() if isinstance(found, Draft | DraftMessage | DraftBlock)]
    finally:
        gc.enable()
    assert [item.value for item in after] != [item.value for item in items]
    assert left == []
