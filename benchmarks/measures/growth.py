"""How the time of `toolpair check` grows with the records: ten times as many, in ordinary files and the worst cases."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from statistics import median
from typing import Any, Final

from benchmarks.harness.figures import Found, Outcome, ratio
from benchmarks.harness.plan import Plan
from benchmarks.harness.processes import run
from benchmarks.sessions.options import FORMATS, Options

PAIRS: Final = 100_000
FEWER: Final = 50_000
"""Of the bigger file; the smaller one has a tenth. The cases in which each pair takes longer have fewer."""
KINDS: Final = ("renamed", "missing", "duplicate", "orphan")
ENOUGH: Final = 3
"""Seconds of work after which a case is not repeated."""
CASES: Final[Mapping[str, Mapping[str, Any]]] = {
    "growth.ordinary": {},
    "growth.equal-ids": {"ids": "equal", "pairs": FEWER},
    "growth.alike-ids": {"ids": "alike", "problems": 1, "kinds": KINDS, "pairs": FEWER},
    "growth.all-broken": {"problems": 1, "kinds": KINDS, "pairs": FEWER},
    "growth.one-message": {"parallel": 1},
}
"""`problems` and `parallel` stand for as many as there are pairs."""


def measure(plan: Plan, found: Found) -> None:
    starts: dict[str, float] = {}
    for format in FORMATS:
        with plan.session(options_of({}, format, 1), "one") as one:
            starts[format] = min(_checked(plan, one) for _ in range(plan.times(3)))
    for name, fields in CASES.items():
        if name in plan.wanted:
            of_formats = {format: _grown(plan, format, fields, starts[format]) for format in FORMATS}
            worst = max(of_formats, key=lambda format: of_formats[format].value)
            all_ = ", ".join(f"{format} {grown.value:.1f}" for format, grown in of_formats.items())
            outcome = of_formats[worst]
            found[name] = Outcome(outcome.value, outcome.low, outcome.high, outcome.samples, (all_, *outcome.beside))


def options_of(fields: Mapping[str, Any], format: str, pairs: int) -> Options:
    """Small outputs: what is measured is the work for each record."""
    counts = {name: pairs for name in ("problems", "parallel", "pairs") if name in fields}
    return Options(**{"pairs": pairs, "format": format, "shape": "small", **fields, **counts})


def _grown(plan: Plan, format: str, fields: Mapping[str, Any], start: float) -> Outcome:
    """`start`: what the start of the program takes, which would make any growth look smaller."""
    pairs = plan.scaled(fields.get("pairs", PAIRS))
    with (
        plan.session(options_of(fields, format, pairs // 10), "tenth") as tenth,
        plan.session(options_of(fields, format, pairs), "whole") as whole,
    ):
        few, many = [], []
        for _ in range(plan.times(3)):
            few.append(_checked(plan, tenth) - start)
            many.append(_checked(plan, whole) - start)
            if sum(many) > ENOUGH:
                break
    return ratio(many, few, f"{median(many):.2f} s for {pairs:,}")


def _checked(plan: Plan, path: Path) -> float:
    """Processor time of a check."""
    return run(plan.toolpair("check", "--no-cache", path), codes=(0, 1)).cpu
