"""`toolpair check` of a session with calls whose outputs may be in other sessions, beside these, and without them."""

from __future__ import annotations

from shutil import copyfile
from statistics import median
from typing import Final

from benchmarks.harness.figures import Found, ratio
from benchmarks.harness.plan import Plan
from benchmarks.harness.processes import run
from benchmarks.sessions.options import Options

SIZE: Final = 100_000_000
FORKS: Final = 3
"""Other sessions that begin with the same records, each as long."""


def measure(plan: Plan, found: Found) -> None:
    options = Options(size=plan.scaled(SIZE), problems=5, kinds=("missing",))
    with plan.session(options) as path:
        check = plan.toolpair("check", "--no-cache", path)
        run(check, codes=(0, 1))
        alone = [run(check, codes=(0, 1)).cpu for _ in range(plan.times(5))]
        for number in range(FORKS):
            copyfile(path, path.with_stem(f"fork-{number}"))
        beside = [run(check, codes=(0, 1)).cpu for _ in range(plan.times(5))]
    found["check.siblings"] = ratio(beside, alone, f"alone {median(alone):.2f} s")
