"""Page and cursor keys as soon as there are rows, while the rest of 500 MB is still read."""

from __future__ import annotations

from benchmarks.harness.figures import Found, percentile
from benchmarks.harness.plan import Plan
from benchmarks.harness.terminal import Terminal
from benchmarks.measures.interface_start import ROW
from benchmarks.measures.keys import PAGE_DOWN, PAGE_UP, big_session


def measure(plan: Plan, found: Found) -> None:
    times: list[float] = []
    first: list[float] = []
    with plan.session(big_session(plan)) as path:
        for _ in range(plan.times(3)):
            with Terminal(plan.toolpair(path)) as terminal:
                first.append(terminal.wait_for(ROW, timeout=300) - terminal.begun)
                for key in ("j", "j", "k", PAGE_DOWN, PAGE_DOWN, PAGE_UP, "j", PAGE_DOWN, "k", PAGE_UP):
                    times.append(terminal.press(key, timeout=120).seconds * 1000)
    found["keys.loading"] = percentile(times, 0.95, f"first rows after {min(first):.2f} s")
