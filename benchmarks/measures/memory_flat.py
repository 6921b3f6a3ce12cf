"""Memory goes with the number of records, not with their length: ten times the bytes in as many records."""

from __future__ import annotations

from typing import Final

from benchmarks.harness.figures import Found, ratio
from benchmarks.harness.plan import Plan
from benchmarks.harness.processes import run
from benchmarks.sessions.options import Options

PAIRS: Final = 8_000


def measure(plan: Plan, found: Found) -> None:
    peaks: list[list[float]] = []
    for size in (50_000_000, 500_000_000):
        options = Options(size=plan.scaled(size), pairs=plan.scaled(PAIRS), problems=10)
        with plan.session(options) as path:
            peaks.append(
                [run(plan.toolpair("check", "--no-cache", path), codes=(0, 1)).peak for _ in range(plan.times(3))]
            )
    short, long = peaks
    found["check.memory-flat"] = ratio(long, short, f"{min(short):.0f} MB and {max(long):.0f} MB")
