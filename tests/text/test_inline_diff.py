"""What differs inside a record: all of it, and little else."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolpair.source.changes import Change
from toolpair.text.inline_diff import AROUND, Folded, Piece, Unit, folded, hunks, pieces

TEXTS = st.lists(
    st.sampled_from(["a", "b1", '"', ",", "{", " ", "é", "\n", "long words", "\\n", "7"]), max_size=40
).map("".join)


def side(pieces: tuple[Piece, ...], kind: str) -> str:
    return "".join(piece.text for piece in pieces if piece.kind in ("same", kind))


@given(TEXTS, TEXTS)
def test_together_the_pieces_are_both_texts(one: str, two: str) -> None:
    (whole,) = hunks(one.encode(), two.encode(), None)
    assert side(whole, "old") == one.rstrip("\r\n")
    assert side(whole, "new") == two.rstrip("\r\n")
    assert all(piece.text for piece in whole)


@given(TEXTS, TEXTS, st.sampled_from(["words", "characters"]))
def test_in_either_unit_the_pieces_are_both_texts(one: str, two: str, unit: Unit) -> None:
    row = tuple(pieces(one, two, unit))
    assert (side(row, "old"), side(row, "new")) == (one, two)
    assert (one == two) == all(piece.kind == "same" for piece in row)


def test_words_are_whole_where_characters_are_not() -> None:
    assert pieces("call_1 ok", "call_2 ok") == [Piece("old", "call_1"), Piece("new", "call_2"), Piece("same", " ok")]
    assert pieces("call_1 ok", "call_2 ok", "characters") == [
        *(Piece("same", "call_"), Piece("old", "1"), Piece("new", "2"), Piece("same", " ok")),
    ]


@given(TEXTS, TEXTS)
def test_what_is_cut_out_holds_every_change(one: str, two: str) -> None:
    (whole,) = hunks(one.encode(), two.encode(), None)
    cut = hunks(one.encode(), two.encode(), 2)
    for kind in ("old", "new"):
        assert "".join(piece.text for piece in whole if piece.kind == kind) == "".join(
            piece.text for hunk in cut for piece in hunk if piece.kind == kind
        )
    assert all(any(piece.kind in ("old", "new") for piece in hunk) for hunk in cut)


def test_two_places_in_a_long_record_are_two_stretches() -> None:
    filler = {str(number): "x" * 50 for number in range(300)}
    before = json.dumps({"id": "call.1", **filler, "end": "call.2"}).encode()
    after = before.replace(b"call.", b"call_")
    one, two = hunks(before, after)
    assert [piece.text for piece in one if piece.kind == "old"] == ["call.1"]
    assert [piece.text for piece in two if piece.kind == "new"] == ["call_2"]
    assert sum(len(piece.text) for piece in (*one, *two)) < 6 * AROUND


def test_much_that_is_gone_is_shown_by_its_ends() -> None:
    (hunk,) = hunks(b'{"a":"' + b"x" * 100_000 + b'"}', b'{"a":""}')
    assert sum(len(piece.text) for piece in hunk) < 400
    assert any("more characters" in piece.text for piece in hunk if piece.kind == "left out")


def changed(before: str, after: str, line: int = 1) -> Change:
    return Change("changed", line - 1, line, before.encode(), after.encode())


def test_neighbours_that_only_count_are_folded() -> None:
    counts = [changed(f'{{"ordinal":{n},"x":1}}', f'{{"ordinal":{n + 2},"x":1}}', n) for n in (5, 6, 7)]
    other = changed('{"ordinal":9,"x":1}', '{"ordinal":9,"x":2}', 9)
    link = changed('{"parentUuid":null}', '{"parentUuid":"abc"}', 10)
    found = list(folded([*counts, other, link]))
    assert isinstance(found[0], Folded) and found[0].changes == tuple(counts)
    assert found[0].text == "ordinal 5 → 7 … 7 → 9"
    assert found[1] is other
    assert isinstance(found[2], Folded) and found[2].text == "parentUuid null → abc"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ('{"ordinal":1,"x":1}', '{"ordinal":2,"x":2}'),
        ('{"text":"\\"ordinal\\":1"}', '{"text":"\\"ordinal\\":2"}'),
        ('{"x":1}', '{"x":1,"ordinal":2}'),
    ],
)
def test_what_says_more_is_not(before: str, after: str) -> None:
    change = changed(before, after)
    assert list(folded([change])) == [change]
