"""The column of a byte, whatever the order of the offsets."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from toolpair.source.edges import Columns


@given(st.data())
def test_columns_are_characters_of_the_line(data: st.DataObject) -> None:
    text = data.draw(st.lists(st.sampled_from(["a", "é", "€", "😀", "\n", "\r\n"]), max_size=30).map("".join))
    content = text.encode()
    starts = [len(text[:number].encode()) for number in range(len(text) + 1)]
    columns = Columns(content)
    for number in data.draw(st.lists(st.integers(0, len(text)), max_size=10)):
        assert columns.of(starts[number]) == len(text[:number].rpartition("\n")[2]) + 1
