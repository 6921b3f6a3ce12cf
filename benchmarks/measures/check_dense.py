"""`toolpair check` of a big session in which one pair in fifty is broken, resumed by a new and by an old version."""

from __future__ import annotations

from typing import Final

from benchmarks.harness.figures import Found, Outcome
from benchmarks.harness.plan import Plan
from benchmarks.measures.check_lines import SIZE, against_loop
from benchmarks.sessions.options import Options

EVERY: Final = 50
VERSIONS: Final = {"check.dense": "2.1.330", "check.dense-old": "2.1.111"}
"""Claude Code heals what it resumes since 2.1.119."""


def measure(plan: Plan, found: Found) -> None:
    peaks: list[float] = []
    for name, version in VERSIONS.items():
        if plan.wanted.isdisjoint((name, "check.dense-memory")):
            continue
        options = Options(size=SIZE, every=EVERY)
        found[name], peak = against_loop(plan, options, "--agent-version", version)
        peaks.append(peak)
    if "check.dense-memory" in plan.wanted:
        found["check.dense-memory"] = Outcome(max(peaks), min(peaks), max(peaks), len(peaks), ())
