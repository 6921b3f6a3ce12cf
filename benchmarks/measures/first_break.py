"""`toolpair first-break` of a log of requests: 120 agents at once, mixed, trimmed, compacted, some of them broken."""

from __future__ import annotations

from statistics import median
from typing import Final

from benchmarks.harness.figures import Found, plain, ratio
from benchmarks.harness.plan import Plan, module, python
from benchmarks.harness.processes import run
from benchmarks.measures.check_lines import LOOP

SIZE: Final = 100_000_000


def measure(plan: Plan, found: Found) -> None:
    path = plan.directory / "requests.jsonl"
    made = run(module("benchmarks.sessions.requests", path, str(plan.scaled(SIZE))), keep_output=True).out
    try:
        loops, checks = [], []
        for _ in range(plan.times(3)):
            loops.append(run(python(LOOP, path)))
            checks.append(run(plan.toolpair("first-break", path), codes=(1,)))
    finally:
        path.unlink()
    seconds = [one.cpu for one in checks]
    beside = f"{int(made):,} requests. loop {median(one.cpu for one in loops):.2f} s. {median(seconds):.2f} s"
    if "first-break" in plan.wanted:
        found["first-break"] = ratio(seconds, [one.cpu for one in loops], beside)
    if "first-break.memory" in plan.wanted:
        found["first-break.memory"] = plain([one.peak for one in checks])
