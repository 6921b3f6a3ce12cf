"""What is made ready while no key is pressed."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from toolpair.tui.idle import Idle


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


def test_steps_are_taken_when_the_keys_rest() -> None:
    clock, seen = Clock(), list[int]()
    idle = Idle(clock.later)

    idle.begin(map(seen.append, [3, 5]))
    assert seen == []
    clock.pass_by()

    assert seen == [3, 5]


def test_the_next_key_has_other_steps_taken_instead() -> None:
    clock, seen = Clock(), list[int]()
    idle = Idle(clock.later)

    def never() -> Iterator[None]:
        raise AssertionError("nobody wants these steps any more")
        yield

    idle.begin(never())
    idle.begin(map(seen.append, [7]))
    clock.pass_by()

    assert seen == [7]
