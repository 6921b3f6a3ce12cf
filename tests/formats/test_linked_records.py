"""The index of ids, parents and children while edits change them."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.formats.made_up_tree import ENVELOPE, WRITER
from tests.rounds import tries
from toolpair.formats.engine.writing.linear import Linear
from toolpair.formats.engine.writing.linked_records import LinkedRecords
from toolpair.formats.format import Item
from toolpair.transcript.edits import Edit, MoveRecord, Reidentify, Relink, RemoveRecord, SetInRecord
from toolpair.transcript.model import Transcript

IDS = st.sampled_from(["a", "b", "c", "d"])
UIDS = st.integers(0, 5)
EDITS = st.one_of(
    st.builds(Relink, UIDS, st.none() | IDS),
    st.builds(Reidentify, UIDS, IDS, st.lists(UIDS, max_size=3).map(tuple)),
    st.builds(MoveRecord, UIDS, UIDS),
    st.builds(RemoveRecord, UIDS),
)


@settings(max_examples=tries(200), deadline=None)
@given(links=st.lists(st.tuples(st.none() | IDS, st.none() | IDS), min_size=6, max_size=6), edits=st.lists(EDITS))
def test_the_index_says_what_the_records_say(links: list[tuple[str | None, str | None]], edits: list[Edit]) -> None:
    items = [Item(uid, {"id": id_, "parentId": parent}) for uid, (id_, parent) in enumerate(links)]
    records = LinkedRecords(items, Transcript(()), WRITER, ENVELOPE)
    for edit in edits:
        records.carry_out(edit)
    left = [line for line in records.lines.values() if records.is_there(line)]
    assert [line.uid for line in records.draft if line in left] == [line.uid for line in records.draft]
    for line in left:
        own = records.id_of(line)
        children = {child.uid for child in left if own is not None and records.parent_of(child) == own}
        assert {child.uid for child in records.children_of(line)} == children - {line.uid}
        assert own is None or records.named(own) is not None
    assert records.fresh_id("seed") not in {records.id_of(line) for line in left}


def test_an_edit_of_a_removed_record_is_skipped() -> None:
    items = [Item(uid, {"role": "user", "content": str(uid)}) for uid in range(3)]
    edits: list[Edit] = [RemoveRecord(1), MoveRecord(1, 2), SetInRecord(1, ("content",), "x"), MoveRecord(0, 1)]
    assert Linear(items, Transcript(()), WRITER).run(edits) == [items[0], items[2]]
