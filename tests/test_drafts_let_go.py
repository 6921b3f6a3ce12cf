"""An edit leaves no garbage: what its draft was made of is freed at once."""

from __future__ import annotations

import gc
from typing import Any

from toolpair.formats import get_format
from toolpair.formats.format import Item
from toolpair.transcript.draft import Draft, DraftBlock, DraftMessage
from toolpair.transcript.edits import Rename


def test_nothing_of_a_draft_is_left_after_an_edit() -> None:
    values: list[Any] = [
        {"role": "user", "content": "go"},
        {"role": "assistant", "content": [{"type": "tool_use", "id": "a", "name": "Read", "input": {}}]},
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "b", "content": "text"}]},
    ]
    items = [Item(uid, value) for uid, value in enumerate(values)]
    form = get_format("anthropic")
    transcript = form.read(items)
    gc.collect()
    gc.disable()
    try:
        after = form.apply(items, transcript, [Rename(transcript.messages[2].blocks[0], "a")])
        left = [found for found in gc.get_objects() if isinstance(found, Draft | DraftMessage | DraftBlock)]
    finally:
        gc.enable()
    assert after[2].value["content"][0]["tool_use_id"] == "a"
    assert left == []
