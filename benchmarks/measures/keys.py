"""Keys in a session of 100,000 pairs that is open and at rest: from the key to the last byte of its frame."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain, repeat
from typing import Final

from benchmarks.harness.figures import Found, Outcome, percentile
from benchmarks.harness.plan import Plan
from benchmarks.harness.terminal import Frame, Terminal
from benchmarks.measures.interface_start import READ
from benchmarks.sessions.options import Options

PAIRS: Final = 100_000
SIZE: Final = 500_000_000
PAGE_DOWN: Final = "\x1b[6~"
PAGE_UP: Final = "\x1b[5~"
DOWN: Final = "\x1b[B"
ENTER: Final = "\r"
ESCAPE: Final = "\x1b"
FEW: Final = 5
LONG: Final = 30
"""Seconds after which a key that answers so slowly has been pressed often enough."""


def measure(plan: Plan, found: Found) -> None:
    with plan.session(big_session(plan)) as path, Terminal(plan.toolpair(path)) as terminal:
        terminal.wait_for(READ, timeout=300)
        ready = terminal.settle()
        many = plan.keys(60)
        problems = chain(repeat("]", many), repeat("[", many // 3))
        searched = chain("/step_0003", [ENTER], repeat("n", many))
        found["keys.move"] = _outcome([terminal.press(key) for key in _moves(many)], ready)
        found["keys.problem"] = _outcome([terminal.press(key) for key in problems], ready)
        found["keys.search"] = _outcome([terminal.press(key, timeout=60) for key in searched], ready)
        terminal.send(ESCAPE)
        terminal.settle()
        found["keys.filter"] = _outcome(_filtered(terminal, max(3, many // 12)), ready)
        terminal.press("]", timeout=60)
        terminal.settle()
        staged = _staged(terminal, " ", range(1, many * 3 // 4 + 1))
        found["keys.stage"] = _outcome(staged, ready)
        found["keys.undo"] = _outcome(_staged(terminal, "u", range(len(staged) - 1, -1, -1)), ready)


def big_session(plan: Plan, problems: int = 1_000) -> Options:
    return Options(size=plan.scaled(SIZE), pairs=plan.scaled(PAIRS), problems=plan.scaled(problems))


def _moves(many: int) -> Iterator[str]:
    yield "g"
    yield from repeat("j", many)
    yield from repeat(DOWN, many // 2)
    yield from repeat("k", many // 2)
    yield from repeat(PAGE_DOWN, many)
    yield from repeat(PAGE_UP, many // 2)
    for _ in range(many // 10):
        yield "G"
        yield "g"


def _staged(terminal: Terminal, key: str, counts: Iterable[int]) -> list[Frame]:
    """The frame that counts is the one whose head has the new number of fixes."""
    frames: list[Frame] = []
    for count in counts:
        words = "nothing changed" if count == 0 else rf"(?<!\d){count} fix"
        frames.append(terminal.press(key, words, timeout=120))
        terminal.settle(quiet=0.1)
        if len(frames) >= FEW and sum(frame.seconds for frame in frames) > LONG:
            break
    return frames


def _filtered(terminal: Terminal, many: int) -> list[Frame]:
    """A filter typed, taken, and taken off again."""
    frames: list[Frame] = []
    for _ in range(many):
        for key in (*"&step_0007", ENTER, ESCAPE):
            frames.append(terminal.press(key, timeout=120))
            if key in (ENTER, ESCAPE):
                terminal.settle(quiet=0.1)
    return frames


def _outcome(frames: list[Frame], ready: float) -> Outcome:
    whole = percentile([frame.whole * 1000 for frame in frames], 0.95)
    later = f"until nothing more came {whole.value:.0f} ms"
    return percentile([frame.seconds * 1000 for frame in frames], 0.95, later, f"open and at rest after {ready:.1f} s")
