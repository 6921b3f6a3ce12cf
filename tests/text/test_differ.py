"""The differing characters of two ids."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from toolpair.text.differ import differ
from toolpair.text.safe import SafeText, visible


def test_ids_of_one_length() -> None:
    left, right = SafeText("functions_read_file_0"), SafeText("functions.read_file:0")
    assert differ(left, right).left == {9, 19}
    assert differ(left, right).right == {9, 19}


def test_a_tail() -> None:
    found = differ(SafeText("call_1|fc_1"), SafeText("call_1"))
    assert found.left == set(range(6, 11)) and found.right == set()


def test_nothing_alike() -> None:
    found = differ(SafeText("abc"), SafeText("xyz1"))
    assert len(found.left) == 3 and len(found.right) == 4


ids = st.text("abc_:.漢", max_size=30).map(visible)


@given(ids, ids)
def test_what_is_left_is_the_same_on_both_sides(left: SafeText, right: SafeText) -> None:
    found = differ(left, right)
    rest_left = [c for i, c in enumerate(left) if i not in found.left]
    rest_right = [c for i, c in enumerate(right) if i not in found.right]
    assert rest_left == rest_right
    assert found.none == (left == right)


@given(st.text("ab", min_size=500, max_size=600).map(visible), st.text("ab", min_size=400, max_size=600).map(visible))
def test_long_ids_are_only_trimmed(left: SafeText, right: SafeText) -> None:
    found = differ(left, right)
    assert [c for i, c in enumerate(left) if i not in found.left] == [
        c for i, c in enumerate(right) if i not in found.right
    ]
