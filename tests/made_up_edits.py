"""Edits that no fix makes: one at random, and batches in which the same block is moved, replaced and removed again."""

from __future__ import annotations

import random
import signal
from collections.abc import Iterator, Sequence
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
from toolpair.transcript.model import Message, Transcript


def random_edit(chance: random.Random, messages: Sequence[Message]) -> Edit:
    message = chance.choice(messages)
    block = chance.choice(message.blocks)
    calls = [call for one in messages for call in one.calls]
    match chance.randrange(9):
        case 0:
            return ReplaceWithText(block, "[kept] the text")
        case 1:
            return Remove(block)
        case 2:
            return InsertMessage(chance.choice([None, message]), chance.choice(["user", "assistant"]), "more words")
        case 3:
            return RemoveMessage(message)
        case 4 if block.kind in ("text", "thinking"):
            return MoveToRole(block, "user" if message.role == "assistant" else "assistant")
        case 5 if calls:
            return InsertResult(chance.choice(calls), "a new output", chance.random() < 0.5)
        case 6 if calls:
            return Rename(chance.choice(calls), f"call_{chance.randrange(1000)}")
        case 7 if message.role == "assistant":
            return Reorder(message, "calls_last")
    return InsertMessage(message, "user", [{"type": "text", "text": "one"}, {"type": "text", "text": "two"}])


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
