"""Shifting gives what counting anew would."""

from __future__ import annotations

from itertools import accumulate

from hypothesis import given
from hypothesis import strategies as st

from toolpair.source.joined import shift_offsets


@given(sizes=st.lists(st.integers(0, 9), max_size=12), data=st.data())
def test_it_is_as_counted_anew(sizes: list[int], data: st.DataObject) -> None:
    starts = [0, *accumulate(sizes)]
    grown = data.draw(st.dictionaries(st.integers(0, max(len(sizes) - 1, 0)), st.integers(-9, 9), max_size=4))
    changes = sorted((number, by) for number, by in grown.items() if number < len(sizes))

    after = list(sizes)
    for number, by in changes:
        after[number] += by

    assert shift_offsets(starts, changes) == [0, *accumulate(after)]


def test_where_nothing_grows_it_is_the_same_row() -> None:
    starts = [0, 3, 4]

    assert shift_offsets(starts, [(0, 0), (1, 0)]) is starts
