"""`toolpair check` of a big JSONL file, beside a program that parses each of its lines and does nothing else."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from statistics import median
from typing import Final

from benchmarks.harness.figures import Found, Outcome, ratio
from benchmarks.harness.plan import Plan, python
from benchmarks.harness.processes import own_peak, run
from benchmarks.sessions.options import Options

SIZE: Final = 500_000_000
PROBLEMS: Final = 40
CASES: Final[Mapping[str, Options]] = {
    "check.ordinary": Options(size=SIZE, problems=PROBLEMS),
    "check.codex": Options(size=SIZE, problems=PROBLEMS, format="codex"),
    "check.anthropic": Options(size=SIZE, problems=PROBLEMS, format="anthropic"),
    "check.openai-chat": Options(size=SIZE, problems=PROBLEMS, format="openai-chat"),
    "check.escapes": Options(size=SIZE, problems=PROBLEMS, shape="escapes"),
    "check.huge": Options(size=SIZE, problems=5, shape="huge"),
    "check.small": Options(size=SIZE, problems=PROBLEMS, shape="small"),
    "check.images": Options(size=SIZE, problems=PROBLEMS, shape="images"),
}
LOOP: Final = """
import sys, orjson
with open(sys.argv[1], "rb") as file:
    for line in file:
        orjson.loads(line)
"""


def measure(plan: Plan, found: Found) -> None:
    peaks: dict[str, float] = {}
    for name, options in CASES.items():
        if name not in plan.wanted and not (name == "check.ordinary" and "check.memory" in plan.wanted):
            continue
        found[name], peaks[name] = against_loop(plan, options)
    if "check.memory" in plan.wanted:
        worst = max(peaks, key=lambda name: peaks[name])
        words = (f"the most of: {', '.join(peaks)}", f"no figure can be below {own_peak():.0f} MB, the runner's own")
        found["check.memory"] = Outcome(peaks[worst], min(peaks.values()), peaks[worst], len(peaks), words)


def against_loop(plan: Plan, options: Options, *arguments: str) -> tuple[Outcome, float]:
    """The ratio, and the peak of memory in MB. `arguments` are more of `check`."""
    with plan.session(replace(options, size=plan.scaled(SIZE))) as path:
        loop, check = python(LOOP, path), plan.toolpair("check", "--no-cache", *arguments, path)
        run(loop)
        loops, checks = [], []
        for _ in range(plan.times(5)):
            loops.append(run(loop))
            checks.append(run(check, codes=(0, 1)))
    walls = median(one.wall for one in checks) / median(one.wall for one in loops)
    peak = median(one.peak for one in checks)
    outcome = ratio(
        [one.cpu for one in checks],
        [one.cpu for one in loops],
        f"loop {median(one.cpu for one in loops):.2f} s",
        f"by the wall clock {walls:.2f} ×",
        f"peak {peak:.0f} MB",
    )
    return outcome, peak
