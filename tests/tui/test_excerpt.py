"""Around a change in a long line only as much is shown as one line of the screen holds."""

from __future__ import annotations

import re

from hypothesis import example, given
from hypothesis import strategies as st

from toolpair.text.cells import width
from toolpair.text.safe import visible
from toolpair.tui.bodies.diff_body import fitted


def total(marks: tuple[tuple[str, str], ...]) -> int:
    """The characters of a line, with those that are not shown."""
    return sum(int(re.sub(r"\D", "", text)) if kind == "left out" else len(text) for text, kind in marks)


@given(st.integers(0, 5000), st.text("ab ", max_size=90), st.text("xyz.", min_size=1, max_size=40),
       st.text("ab ", max_size=90), st.integers(0, 5000), st.integers(30, 120))  # fmt: skip
@example(20, "a" * 60, "xyz.", "b" * 36, 0, 76)  # the end was whole, and gets a sign of its own
def test_nothing_is_lost_and_what_changed_stays(
    left: int, before: str, changed: str, after: str, right: int, room: int
) -> None:
    marks = []
    if left:
        marks.append((f"…{left:,} ", "left out"))
    if before:
        marks.append((before, "same"))
    marks.append((changed, "only"))
    if after:
        marks.append((after, "same"))
    if right:
        marks.append((f" …{right:,} ", "left out"))
    found = fitted(tuple(marks), room)  # type: ignore[arg-type]
    assert total(found) == total(tuple(marks))
    assert (changed, "only") in found
    if (left or right) and len(changed) + 20 + 2 * 9 <= room:
        assert sum(width(visible(text)) for text, _ in found) <= room
