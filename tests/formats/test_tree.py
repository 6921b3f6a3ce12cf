"""Drafts in records with envelopes and parents: what is sent, which links change, what stays the same object."""

from __future__ import annotations

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.each import each
from tests.formats.made_up_tree import ENVELOPE, WRITER, apply, path_of, read, said
from tests.rounds import tries
from toolpair.formats.engine.writing.tree import Tree
from toolpair.formats.format import Item
from toolpair.transcript.edits import (
    Edit,
    InsertMessage,
    InsertResult,
    MoveResult,
    Reidentify,
    Relink,
    Remove,
    RemoveMessage,
    Rename,
    ReplaceWithText,
)
from toolpair.transcript.model import Block, Transcript


def items_of(short: str, linked: bool = True) -> list[Item]:
    """The records for "go a?b? a! ok": one per word, calls with ?, results with !; `.` is not a message."""
    items: list[Item] = []
    for number, word in enumerate(short.split()):
        value: dict[str, Any] = {"type": "message"}
        if linked:
            value |= {"id": f"r{number}", "parentId": f"r{number - 1}" if number else None}
        if word.endswith("?"):
            calls = [{"type": "call", "id": id_, "args": {}} for id_ in word.split("?") if id_]
            value["message"] = {"role": "assistant", "content": calls}
        elif word.endswith("!"):
            value["message"] = {"role": "toolResult", "callId": word[:-1], "content": "seen", "isError": False}
        elif word != ".":
            value["message"] = {"role": "user", "content": [{"type": "text", "text": word}]}
        if "message" in value:
            value["message"]["at"] = number
        items.append(Item(number, value))
    return items


def block(transcript: Transcript, name: str) -> Block:
    """The block of the call a? or the result a!."""
    kind = "call" if name.endswith("?") else "result"
    found = (block for message in transcript.messages for block in message.blocks)
    return next(block for block in found if block.kind == kind and block.id == name[:-1])


def edit_of(transcript: Transcript, words: str) -> Edit:
    what, _, name = words.partition(" ")
    match what:
        case "answer":
            return InsertResult(block(transcript, name), "lost", True)
        case "move":
            return MoveResult(block(transcript, f"{name}!"), block(transcript, f"{name}?"))
        case "keep":
            return ReplaceWithText(block(transcript, name), f"kept-{name}")
        case "remove":
            return Remove(block(transcript, name))
        case "rename":
            return Rename(block(transcript, name), "new")
        case "say":
            return InsertMessage(transcript.messages[int(name)] if name else None, "user", "new")
    return RemoveMessage(transcript.messages[int(name)])


CASES = {
    "go a? ok": (["answer a?"], "go a? a! ok"),
    "go a?b?c? b! ok": (["answer c?", "answer a?"], "go a? b? c? a! b! c! ok"),
    "go a?b? x! b! . ok": (["answer a?"], "go a? b? a! x! b! ok"),
    "go a?b?": (["answer b?", "answer a?"], "go a? b? a! b!"),
    "go a? . b? b! a! ok": (["move a"], "go a? a! b? b! ok"),
    "go x! y! . ok": (["keep x!", "keep y!"], "go kept-x! kept-y! ok"),
    "go a? x! a! ok": (["keep x!"], "go a? a! kept-x! ok"),
    "go a?b? a! b! ok": (["keep a?", "remove a!"], "go kept-a? b? b! ok"),
    "go a? . a! ok ": (["remove a?", "remove a!"], "go ok"),
    "go . ok": (["say 0", "drop 1"], "go new"),
    "a? a! ok": (["say "], "new a? a! ok"),
    "go a? b! ok": (["rename b!", "rename a?"], "go new? new! ok"),
}


@each("linked", [True, False])
@each("before", CASES)
def test_what_is_sent(before: str, linked: bool) -> None:
    items = items_of(before, linked)
    transcript = read(items)
    edits, after = CASES[before]
    changed = apply(items, [edit_of(transcript, words) for words in edits], transcript)
    assert " ".join(said(changed)).split() == after.split()
    uids = [item.uid for item in changed]
    assert len(set(uids)) == len(uids)
    assert all("at" in item.value.get("message", {"at": 0}) for item in changed)
    if linked:
        assert len(path_of(changed)) == len(changed)
        _links_are_whole(changed)


def _links_are_whole(items: list[Item]) -> None:
    ids = [item.value["id"] for item in items]
    assert len(set(ids)) == len(ids)
    assert all(item.value["parentId"] in (None, *ids) for item in items)


def test_only_a_record_with_a_new_predecessor_changes() -> None:
    items = items_of("go a? . b? b! ok")
    transcript = read(items)
    changed = apply(items, [InsertResult(block(transcript, "a?"), "lost", True)], transcript)
    assert [item in items for item in changed] == [True, True, False, False, True, True, True]
    new, child = changed[2:4]
    assert new.uid < 0
    assert new.value["parentId"] == "r1"
    assert list(new.value) == ["type", "id", "parentId", "message"]
    assert child.uid == 2
    assert child.value == {**items[2].value, "parentId": new.value["id"]}


def test_a_changed_record_reuses_the_old_parts() -> None:
    items = items_of("go a?b? a! b! ok")
    transcript = read(items)
    changed = apply(items, [Rename(block(transcript, "b?"), "new")], transcript)
    calls = changed[1].value["message"]["content"]
    assert calls[0] is items[1].value["message"]["content"][0]
    assert calls[1]["args"] is items[1].value["message"]["content"][1]["args"]


def test_other_branches_link_to_what_remains() -> None:
    items = items_of("go a? side a! ok")
    items[2].value["parentId"] = "r1"
    items[3].value["parentId"] = "r1"
    items[0].value["firstKept"] = "r1"
    transcript = read(items)
    assert said(items) == ["go", "a?", "a!", "ok"]
    changed = apply(items, [Remove(block(transcript, "a?")), Remove(block(transcript, "a!"))], transcript)
    assert [(item.value["id"], item.value["parentId"]) for item in changed] == [
        ("r0", None),
        ("r2", "r0"),
        ("r4", "r0"),
    ]
    assert changed[0].value["firstKept"] == "r4"


def test_links_set_by_edits_are_used_as_given() -> None:
    items = items_of("go . ok")
    transcript = read(items)
    changed = apply(items, [Relink(2, "r0"), Reidentify(0, "first", (1, 2))], transcript)
    assert [item.value["parentId"] for item in changed] == [None, "first", "first"]


def test_a_link_set_by_an_edit_stays_where_the_path_changes() -> None:
    items = items_of("go . a? ok")
    transcript = read(items)
    changed = apply(items, [Remove(block(transcript, "a?")), Relink(3, "r0")], transcript)
    assert [item.value["parentId"] for item in changed] == [None, "r0", "r0"]


def _beside_and_bridged() -> tuple[list[Item], Transcript, list[int]]:
    """a! hangs on the calls, beside b!; what comes after that names a record that is not there."""
    items = items_of("go a?b?c? a! b! ok")
    items[3].value["parentId"] = "r1"
    items[4].value["parentId"] = "lost"
    row = [Item(item.uid, {**item.value, "parentId": f"r{item.uid - 1}"}) for item in items]
    return items, read([Item(0, {**row[0].value, "parentId": None}), *row[1:]]), [0, 1, 3, 4]


def test_links_that_the_agent_bridges_stay_and_so_do_records_beside_the_path() -> None:
    items, transcript, path = _beside_and_bridged()
    changed = Tree(items, transcript, WRITER, ENVELOPE, path).run([Rename(block(transcript, "b!"), "new")])
    assert [item.value["parentId"] for item in changed] == [None, "r0", "r1", "r1", "lost"]
    changed = Tree(items, transcript, WRITER, ENVELOPE, path).run([InsertResult(block(transcript, "c?"), "lost", True)])
    new = next(item for item in changed if item.uid < 0)
    assert [item.uid for item in changed] == [0, 1, 2, 3, new.uid, 4]
    assert [item.value["parentId"] for item in changed] == [None, "r0", "r1", "r1", "r3", new.value["id"]]
    changed = Tree(items, transcript, WRITER, ENVELOPE, path).run([Remove(block(transcript, "a!"))])
    assert [item.uid for item in changed] == [0, 1, 3, 4]
    assert [item.value["parentId"] for item in changed] == [None, "r0", "r1", "lost"]


def test_the_end_of_the_path_stays_the_end_of_the_file() -> None:
    go, x, y, ok = items_of("go x y ok")
    items = [go, y, x, ok]
    transcript = read(items)
    assert said(items) == ["go", "x", "y", "ok"]
    changed = apply(items, [RemoveMessage(transcript.messages[3])], transcript)
    assert said(changed) == ["go", "x", "y"]
    assert [item.uid for item in changed] == [0, 1, 2]


@settings(max_examples=tries(150), deadline=None)
@given(st.data())
def test_a_tree_sends_what_a_sequence_sends(data: st.DataObject) -> None:
    """With or without parents, the same edits give the same request, and every link leads to a record."""
    words = data.draw(st.lists(st.sampled_from(["go", "ok", ".", "a?", "a?b?", "a!", "b!", "c!", "c?"]), min_size=2))
    rows = [items_of(" ".join(words), linked) for linked in (True, False)]
    transcripts = [read(items) for items in rows]
    blocks = [(n, m) for n, message in enumerate(transcripts[0].messages) for m in range(len(message.blocks))]
    drawn = st.tuples(st.sampled_from(["answer", "move", "keep", "remove", "say"]), st.sampled_from(blocks or [(0, 0)]))
    plan = data.draw(st.lists(drawn, max_size=4, unique_by=lambda step: step[1])) if blocks else []
    sent = []
    for items, transcript in zip(rows, transcripts, strict=True):
        changed = apply(items, [edit for what, at in plan for edit in _edits(transcript, what, at)], transcript)
        sent.append(said(changed) if changed else [])
        kept = {item.uid: item for item in items}
        assert all(item.uid < 0 or item.uid in kept for item in changed)
        if "id" in (changed[0].value if changed else {}):
            _links_are_whole(changed)
    assert sent[0] == sent[1]


def _edits(transcript: Transcript, what: str, at: tuple[int, int]) -> list[Edit]:
    found = transcript.messages[at[0]].blocks[at[1]]
    calls = [block for message in transcript.messages for block in message.blocks if block.kind == "call"]
    if what == "say":
        return [InsertMessage(transcript.messages[at[0]], "user", "new")]
    if what == "answer" and found.kind == "call":
        return [InsertResult(found, "lost", True)]
    if what == "move" and found.kind == "result" and calls:
        return [MoveResult(found, calls[0])]
    if what == "keep" and found.kind in ("call", "result"):
        return [ReplaceWithText(found, "kept")]
    return [Remove(found)]
