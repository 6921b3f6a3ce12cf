"""What is made ready while no key is pressed."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from toolpair.tui.looking_ahead import LookingAhead


class Rows(list[int]):
    """Remembers what was looked at."""

    def __init__(self, count: int) -> None:
        super().__init__(range(count))
        self.seen: list[int] = []

    def __getitem__(self, number: Any) -> Any:
        self.seen.append(number)
        return super().__getitem__(number)


class Clock:
    def __init__(self) -> None:
        self.waiting: list[Callable[[], None]] = []

    def later(self, seconds: float, call: Callable[[], None]) -> Any:
        self.waiting.append(call)
        waiting = self.waiting

        class Stops:
            def stop(self) -> None:
                waiting.remove(call)

        return Stops()

    def pass_by(self) -> None:
        while self.waiting:
            self.waiting.pop(0)()


def test_rows_are_looked_at_when_the_keys_rest() -> None:
    clock, rows = Clock(), Rows(9)
    ahead = LookingAhead(clock.later)

    ahead.soon(rows, lambda: iter([3, -1, 12, 5]))
    assert rows.seen == []
    clock.pass_by()

    assert rows.seen == [3, 5]


def test_the_next_key_has_other_rows_looked_at_instead() -> None:
    clock, rows = Clock(), Rows(9)
    ahead = LookingAhead(clock.later)

    def never() -> Iterator[int]:
        raise AssertionError("nobody wants these rows any more")

    ahead.soon(rows, never)
    ahead.soon(rows, lambda: iter([7]))
    clock.pass_by()

    assert rows.seen == [7]
