"""`A`: every problem of a long session fixed with one key, until the review shows what will be saved."""

from __future__ import annotations

from typing import Final

from benchmarks.harness.figures import Found, plain
from benchmarks.harness.plan import Plan
from benchmarks.harness.terminal import Terminal
from benchmarks.measures.interface_start import READ
from benchmarks.measures.keys import big_session

PROBLEMS: Final = 10_000
REVIEW: Final = "nothing is written yet"


def measure(plan: Plan, found: Found) -> None:
    times: list[float] = []
    with plan.session(big_session(plan, PROBLEMS)) as path:
        for _ in range(plan.times(3)):  # each in a program started anew: a second `A` would find things remembered
            with Terminal(plan.toolpair(path)) as terminal:
                terminal.wait_for(READ, timeout=300)
                terminal.settle()
                mark = terminal.now
                begun = terminal.send("A")
                times.append(terminal.wait_for(REVIEW, mark, timeout=180) - begun)
    found["fix-all"] = plain(times)
