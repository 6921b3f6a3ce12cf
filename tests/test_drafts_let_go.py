"""An edit leaves no garbage: what its draft was made of is freed at once, and so is a state that was undone."""

from __future__ import annotations

import gc
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

import toolpair
from benchmarks.generate import generate
from benchmarks.sessions.options import FORMATS, Options
from tests.formats.claude_code_files import Log, call
from tests.garbage import only_new_garbage
from tests.rounds import some
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
    with only_new_garbage():
        after = format_.apply(items, transcript, edits)
        left = [found for found in gc.get_objects() if isinstance(found, Draft | DraftMessage | DraftBlock)]
    assert [item.value for item in after] != [item.value for item in items]
    assert left == []


@pytest.mark.parametrize(
    ("format", "pairs"), [*((format, 30) for format in FORMATS), *((format, 1500) for format in some(FORMATS, 1))]
)
def test_nothing_waits_for_the_collector_once_it_is_undone(tmp_path: Path, format: str, pairs: int) -> None:
    """Whatever is read in windows, or as a whole: what the interface keeps is never looked at by the collector."""
    path = tmp_path / "made.jsonl"
    generate(Options(format=format, pairs=pairs, problems=12, shape="small"), path)
    session = toolpair.open(path)
    assert len(session.problems) == 12
    with only_new_garbage():
        gc.set_debug(gc.DEBUG_SAVEALL)
        draft = session.draft(None)
        draft.stage_recommended()
        assert draft.staging.losses is not None
        assert not draft.problems and draft.conversation.groups is not None and len(draft.conversation.rows)
        assert draft.conversation.places.of_pair(0) is not None
        draft.undo()
        del draft
        gc.collect()
        left = {type(found).__qualname__ for found in gc.garbage if type(found).__module__.startswith("toolpair")}
    assert left == set()
