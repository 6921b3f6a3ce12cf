"""Where many edits at once put results and text: the same in every format whose records form a sequence."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.made_up_edits import batches, ending
from tests.rounds import tries
from tests.test_growth import History, anthropic, chat, codex, roo_code
from toolpair.formats import get_format
from toolpair.formats.format import Item
from toolpair.transcript.edits import (
    Edit,
    InsertResult,
    MoveResult,
    MoveToRole,
    Remove,
    RemoveMessage,
    Rename,
    Reorder,
    ReplaceWithText,
)
from toolpair.transcript.model import Block, Transcript


def responses(history: History) -> list[dict[str, Any]]:
    return [value["payload"] for value in codex(history) if value["type"] == "response_item"]


def compacted(history: History) -> list[dict[str, Any]]:
    """All items in the list of a compaction."""
    first, *_ = codex(history)
    payload = {"message": "", "replacement_history": responses(history)}
    return [first, {"timestamp": "2026-01-01T00:00:00.000Z", "type": "compacted", "payload": payload}]


FORMS: dict[str, tuple[str, Callable[[History], list[dict[str, Any]]]]] = {
    "anthropic": ("anthropic", anthropic),
    "roo-code": ("roo-code", roo_code),
    "chat": ("openai-chat", chat),
    "responses": ("openai-responses", responses),
    "codex": ("codex", codex),
    "compacted": ("codex", compacted),
}
in_every_form = pytest.mark.parametrize("form", FORMS)


class File:
    """The records of a history, and what they hold after edits."""

    def __init__(self, form: str, history: History) -> None:
        id_, made = FORMS[form]
        self.format = get_format(id_)
        self.items = [Item(number, value) for number, value in enumerate(made(history))]
        self.transcript: Transcript = self.format.read(self.items)

    def blocks(self, kind: str) -> list[Block]:
        return [block for message in self.transcript.messages for block in message.blocks if block.kind == kind]

    def after(self, edits: Sequence[Edit]) -> list[Item]:
        return self.format.apply(self.items, self.transcript, edits)

    def said(self, items: Sequence[Item]) -> list[str]:
        """Call ids with ?, result ids with !, and texts."""
        found: list[str] = []
        for message in self.format.read(items).messages:
            for block in message.blocks:
                mark = {"call": "?", "result": "!"}.get(block.kind, "")
                found.append(f"{block.id}{mark}" if mark else block.text)
        return found


def _at_once(count: int, answered: Sequence[int], *words: str) -> History:
    calls: list[tuple[str, Any]] = [("call", f"c{number}") for number in range(count)]
    results: list[tuple[str, Any]] = [("result", f"c{number}") for number in answered]
    history: History = [("user", [("text", "go")]), ("assistant", calls), ("user", results)]
    history += [("user", [("text", word)]) for word in words]
    return [message for message in (*history, ("assistant", [("text", "done")])) if message[1]]


@in_every_form
@settings(max_examples=tries(25), deadline=None)
@given(data=st.data())
def test_results_are_in_call_order_whatever_the_order_of_the_edits(form: str, data: st.DataObject) -> None:
    count = data.draw(st.integers(1, 5))
    answered = sorted(data.draw(st.sets(st.integers(0, count - 1))))
    file = File(form, _at_once(count, answered, "so?"))
    missing = [call for call in file.blocks("call") if call.id not in {f"c{number}" for number in answered}]
    edits = [InsertResult(call, "lost", True) for call in data.draw(st.permutations(missing))]
    expected = ["go", *(f"c{n}?" for n in range(count)), *(f"c{n}!" for n in range(count)), "so?", "done"]
    assert file.said(file.after(edits)) == expected


@in_every_form
def test_kept_texts_stay_in_order_after_the_remaining_results(form: str) -> None:
    file = File(form, _at_once(2, [7, 0, 8, 1, 9], "so?"))
    strays = [result for result in file.blocks("result") if result.id in ("c7", "c8", "c9")]
    after = file.said(file.after([ReplaceWithText(result, f"kept {result.id}") for result in strays]))
    assert after == ["go", "c0?", "c1?", "c0!", "c1!", "kept c7", "kept c8", "kept c9", "so?", "done"]


@in_every_form
def test_a_result_goes_before_those_of_later_calls(form: str) -> None:
    file = File(form, _at_once(4, [3, 0]))
    after = file.said(file.after([InsertResult(file.blocks("call")[2], "lost", True)]))
    assert after == ["go", "c0?", "c1?", "c2?", "c3?", "c2!", "c3!", "c0!", "done"]


@pytest.mark.parametrize("form", ["anthropic", "roo-code"])
def test_text_after_results_stays_after_kept_texts(form: str) -> None:
    history: History = [("user", [("text", "go"), ("result", "c0"), ("result", "c1"), ("text", "so?")])]
    file = File(form, history)
    after = file.said(file.after([ReplaceWithText(file.blocks("result")[0], "kept")]))
    assert after == ["go", "c1!", "kept", "so?"]


@in_every_form
def test_records_made_by_earlier_edits_keep_their_uids(form: str) -> None:
    file = File(form, _at_once(2, [])[:2])
    for name in ("c0", "c1"):
        call = next(call for call in file.blocks("call") if call.id == name)
        file.items = file.after([InsertResult(call, "lost", True)])
        file.transcript = file.format.read(file.items)
    uids = [item.uid for item in file.items]
    assert len(set(uids)) == len(uids)
    assert file.said(file.items) == ["go", "c0?", "c1?", "c0!", "c1!"]


@in_every_form
def test_an_answer_and_a_kept_text_together(form: str) -> None:
    file = File(form, _at_once(1, [7]))
    (call,), (stray,) = file.blocks("call"), file.blocks("result")
    edits = [ReplaceWithText(stray, "kept"), InsertResult(call, "lost", True)]
    for order in (edits, edits[::-1]):
        assert file.said(file.after(order)) == ["go", "c0?", "c0!", "kept", "done"]


@in_every_form
def test_results_from_after_another_turn(form: str) -> None:
    history = _at_once(2, [], "so?")
    history[-1:] = [("assistant", [("text", "ok")])]
    history += [("user", [("result", "c1"), ("result", "c0")]), ("assistant", [("text", "done")])]
    file = File(form, history)
    calls = {call.id: call for call in file.blocks("call")}
    after = file.said(file.after([MoveResult(result, calls[result.id]) for result in file.blocks("result")]))
    assert after == ["go", "c0?", "c1?", "c0!", "c1!", "so?", "ok", "done"]


@in_every_form
def test_removing_a_pair_removes_nothing_else(form: str) -> None:
    file = File(form, _at_once(2, [0, 1]))
    gone = [block for block in (*file.blocks("call"), *file.blocks("result")) if block.id == "c0"]
    after = file.after([Remove(block) for block in gone])
    assert file.said(after) == ["go", "c1?", "c1!", "done"]
    untouched = [item for item in after if any(item is before for before in file.items)]
    assert len(untouched) >= (0 if form == "compacted" else 2)


@in_every_form
def test_no_change_returns_the_same_records(form: str) -> None:
    file = File(form, _at_once(2, [0, 1]))
    assert all(one is other for one, other in zip(file.after([]), file.items, strict=True))


@in_every_form
@settings(max_examples=tries(60), deadline=None)
@given(data=st.data())
def test_any_batch_of_edits_ends_and_doubles_nothing(form: str, data: st.DataObject) -> None:
    history = _at_once(2, [0, 1], "so?")
    history += [("assistant", [("call", "c2")]), ("user", [("result", "c2")]), ("assistant", [("text", "end")])]
    file = File(form, history)
    edits = data.draw(batches(file.transcript))
    with ending():
        after = file.said(file.after(edits))
    new = [edit.call.id for edit in edits if isinstance(edit, InsertResult)]
    for id_ in ("c0", "c1", "c2"):
        assert after.count(f"{id_}?") <= 1 and after.count(f"{id_}!") <= 1 + new.count(id_)
    if not any(isinstance(edit, (Remove, RemoveMessage, ReplaceWithText, Rename)) for edit in edits):
        assert {f"{id_}{mark}" for id_ in ("c0", "c1", "c2") for mark in "?!"} <= set(after)


def test_all_blocks_of_a_message_move_to_roles() -> None:
    file = File("anthropic", [("user", [("text", "go")]), ("system", [("call", "a"), ("result", "a")])])
    call, result = file.transcript.messages[1].blocks
    after = file.after([MoveToRole(call, "assistant"), MoveToRole(result, "user")])
    assert [item.value["role"] for item in after] == ["user", "assistant", "user"]
    assert file.said(after) == ["go", "a?", "a!"]


def test_calls_moved_last_keep_their_order() -> None:
    """Even if the agent sends several records as one message."""
    history: History = [
        ("user", [("text", "go")]),
        ("assistant", [("call", "c0")]),
        ("assistant", [("call", "c1"), ("text", "and")]),
        ("assistant", [("text", "so"), ("call", "c2")]),
    ]
    file = File("roo-code", history)
    after = file.said(file.after([Reorder(file.transcript.messages[1], "calls_last")]))
    assert after == ["go", "and", "so", "c0?", "c1?", "c2?"]


def test_the_list_parallel_to_a_compactions_items_keeps_its_length() -> None:
    file = File("compacted", _at_once(2, [0]))
    items = file.items[1].value["payload"]["replacement_history"]
    file.items[1].value["payload"]["replacement_history_metadata"] = list(range(len(items)))
    changed = file.after([InsertResult(file.blocks("call")[1], "lost", True), Remove(file.blocks("text")[0])])
    payload = changed[1].value["payload"]
    assert payload["replacement_history_metadata"] == [1, 2, 3, 3, 4]
    assert len(payload["replacement_history"]) == 5
    assert payload["replacement_history"][0] is items[1]


@in_every_form
def test_a_thousand_edits_of_one_message_cost_ten_times_a_hundred(form: str) -> None:
    from tests.work import work_of

    def work(count: int) -> int:
        file = File(form, _at_once(count, range(0, count, 2), "so?"))
        missing = file.blocks("call")[1::2]
        kept = file.blocks("result")[::3]
        edits: list[Edit] = [InsertResult(call, "lost", True) for call in missing]
        edits += [ReplaceWithText(result, "kept") for result in kept]
        return work_of(lambda: file.after(edits[::-1]))

    assert work(400) <= 11 * work(40)
