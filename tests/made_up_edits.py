"""Batches of edits that no fix makes: the same block is moved, replaced and removed again and again."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager

from hypothesis import strategies as st

from tests.patience import PATIENCE
from toolpair.transcript.edits import (
    Edit,
    InsertMessage,
    InsertResult,
    MoveResult,
    MoveToRole,
    Remove,
    RemoveMessage,
    Rename,
    Reorder,
    ReplaceWithText,
)
from toolpair.transcript.model import Transcript


def batches(transcript: Transcript) -> st.SearchStrategy[list[Edit]]:
    blocks = [block for message in transcript.messages for block in message.blocks]
    calls = [block for block in blocks if block.kind == "call"]
    results = [block for block in blocks if block.kind == "result"]
    roles = st.sampled_from(["user", "assistant"])
    message = st.sampled_from(transcript.messages)
    edit: st.SearchStrategy[Edit] = st.one_of(
        st.builds(MoveResult, st.sampled_from(results), st.sampled_from(calls)),
        st.builds(ReplaceWithText, st.sampled_from([*calls, *results]), st.just("kept")),
        st.builds(Remove, st.sampled_from(blocks)),
        st.builds(MoveToRole, st.sampled_from(blocks), roles),
        st.builds(RemoveMessage, message),
        st.builds(InsertMessage, st.one_of(st.none(), message), roles, st.just("new")),
        st.builds(InsertResult, st.sampled_from(calls), st.just("lost"), st.just(True)),
        st.builds(Rename, st.sampled_from([*calls, *results]), st.just("c9")),
        st.builds(Reorder, message, st.sampled_from(["results_first", "calls_last"])),
    )
    return st.lists(edit, max_size=8)


@contextmanager
def ending() -> Iterator[None]:
    """Fails, rather than waits, if what is done never ends."""

    def late(*_: object) -> None:
        raise AssertionError("it does not end")

    before = signal.signal(signal.SIGALRM, late)
    signal.alarm(int(PATIENCE))
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)
