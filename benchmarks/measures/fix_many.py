"""`toolpair fix --in-place` of a session in which a thousand pairs are broken, against `check` of it."""

from __future__ import annotations

from statistics import median
from typing import Final

from benchmarks.harness.figures import Found, Outcome, ratio
from benchmarks.harness.plan import Plan
from benchmarks.harness.processes import run
from benchmarks.sessions.options import Options

FORMATS: Final = ("claude-code", "codex", "openai-chat", "goose")
PAIRS: Final = 10_000
PROBLEMS: Final = 1_000


def measure(plan: Plan, found: Found) -> None:
    outcomes = {format: _fixed(plan, format) for format in FORMATS}
    worst = max(outcomes.values(), key=lambda outcome: outcome.value)
    each = ", ".join(f"{format} {outcome.value:.2f}" for format, outcome in outcomes.items())
    found["fix-many"] = Outcome(worst.value, worst.low, worst.high, worst.samples, (each, *worst.beside))


def _fixed(plan: Plan, format: str) -> Outcome:
    """A session is made anew for each, and checked and fixed in turn."""
    options = Options(format=format, pairs=plan.scaled(PAIRS), problems=plan.scaled(PROBLEMS), shape="small")
    checks, fixes = [], []
    for _ in range(plan.times(3)):
        with plan.session(options) as path:
            checks.append(run(plan.toolpair("check", "--no-cache", path), codes=(0, 1)).cpu)
            fixes.append(run(plan.toolpair("fix", "--in-place", path), codes=(0, 1, 4)).cpu)  # 4: a note
    return ratio(fixes, checks, f"check {median(checks):.2f} s", f"fix {median(fixes):.2f} s")
