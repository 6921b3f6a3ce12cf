"""Records that are put in and taken out of a list, against a list of Python's own."""

from __future__ import annotations

import json
from dataclasses import dataclass
from itertools import pairwise

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.rounds import tries
from tests.work import work_of
from toolpair.session.session import open_session
from toolpair.transcript.draft import LinkedList


@dataclass(eq=False)
class Link:
    name: int
    before: Link | None = None
    after: Link | None = None


@settings(max_examples=tries(60))
@given(
    st.integers(0, 6), st.lists(st.tuples(st.sampled_from("din"), st.integers(0, 9), st.integers(-1, 9)), max_size=12)
)
def test_as_a_list(count: int, steps: list[tuple[str, int, int]]) -> None:
    links = [Link(number) for number in range(10)]
    made: LinkedList[Link] = LinkedList()
    expected = links[:count]
    made.extend(expected)
    for what, which, anchor in steps:
        link = links[which]
        if what == "d":
            made.drop(link)
            expected = [found for found in expected if found is not link]
        elif what == "i" and link not in expected and (anchor < 0 or links[anchor] in expected):
            made.insert_after(None if anchor < 0 else links[anchor], link)
            expected.insert(0 if anchor < 0 else expected.index(links[anchor]) + 1, link)
        elif what == "n":
            some = [found for found in reversed(expected) if found.name % 3 != anchor % 3]
            assert made.in_order(some) == some[::-1]
        assert list(made) == expected
        assert [made.is_in(found) for found in links] == [found in expected for found in links]
        assert sorted(expected, key=made.place) == expected
        for first, second in pairwise(expected):
            assert first.after is second and second.before is first


@settings(max_examples=tries(30))
@given(st.lists(st.integers(0, 20), max_size=400))
def test_places_hold_however_much_is_put_in_at_one_place(anchors: list[int]) -> None:
    made: LinkedList[Link] = LinkedList()
    first = Link(-1)
    made.extend([first, Link(-2)])
    new: list[Link] = []
    for number, anchor in enumerate(anchors):
        assert made.place(first) < made.place(made.last or first)
        made.insert_after(new[-anchor] if 0 < anchor <= len(new) else first, link := Link(number))
        new.append(link)
    assert sorted(made, key=made.place) == list(made)


def test_ten_times_the_turns_to_put_in_order_cost_ten_times_the_work() -> None:
    def mend(turns: int) -> int:
        messages: list[object] = [{"role": "user", "content": "go"}]
        for turn in range(turns):
            ids = [f"call_{turn}_{number}" for number in range(2)]
            calls = [{"id": id_, "type": "function", "function": {"name": "f", "arguments": "{}"}} for id_ in ids]
            messages.append({"role": "assistant", "content": None, "tool_calls": calls})
            messages.append({"role": "user", "content": "between"})
            messages += [{"role": "tool", "tool_call_id": id_, "content": id_} for id_ in reversed(ids)]
        session = open_session("chat.json", data=json.dumps(messages).encode())
        assert session.problems
        return work_of(session.stage_recommended)

    assert mend(200) < 12 * mend(20)
