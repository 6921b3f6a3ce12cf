"""An edit leaves no garbage: what its draft was made of is freed at once, and so is a state that was undone."""

from __future__ import annotations

import gc
from pathlib import Path
from typing import Any

import pytest

import toolpair
from benchmarks.generate import generate
from benchmarks.sessions.options import FORMATS, Options
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


@pytest.mark.parametrize("pairs", [30, 1500])
@pytest.mark.parametrize("format", FORMATS)
def test_nothing_waits_for_the_collector_once_it_is_undone(tmp_path: Path, format: str, pairs: int) -> None:
    """Whatever is read in windows, or as a whole: what the interface keeps is never looked at by the collector."""
    path = tmp_path / "made.jsonl"
    generate(Options(format=format, pairs=pairs, problems=12, shape="small"), path)
    session = toolpair.open(path)
    assert len(session.problems) == 12
    gc.collect()
    gc.disable()
    gc.set_debug(gc.DEBUG_SAVEALL)
    try:
        draft = session.draft(None)
        draft.stage_all()
        assert draft.staging.losses is not None
        assert not draft.problems and draft.conversation.groups is not None and len(draft.conversation.rows)
        assert draft.conversation.places.of_pair(0) is not None
        draft.undo()
        del draft
        gc.collect()
        left = {type(found).__qualname__ for found in gc.garbage if type(found).__module__.startswith("toolpair")}
    finally:
        gc.set_debug(0)
        gc.garbage.clear()
        gc.enable()
    assert left == set()
