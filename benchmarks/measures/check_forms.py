"""`toolpair check` of long lists in other forms, beside a program that parses them and does nothing else."""

from __future__ import annotations

from collections.abc import Mapping
from statistics import median
from typing import Final

from benchmarks.harness.figures import Found, Outcome, ratio
from benchmarks.harness.plan import Plan, python
from benchmarks.harness.processes import own_peak, run
from benchmarks.measures.check_array import LOADS
from benchmarks.measures.check_lines import LOOP
from benchmarks.sessions.options import Options

SIZE: Final = 300_000_000
LAYOUTS: Final[Mapping[str, str]] = {
    "gemini-contents": "contents",
    "gemini-without-ids": "contents",
    "bedrock-converse": "request",
    "kiro-cli": "lines",
    "pydantic-ai": "array",
    "ai-sdk-ui": "array",
    "livekit": "items",
}


def measure(plan: Plan, found: Found) -> None:
    all_of = {form: Options(size=plan.scaled(SIZE), problems=40, format=form, layout=LAYOUTS[form]) for form in LAYOUTS}
    against_parsers(plan, found, "check.forms", all_of)


def against_parsers(plan: Plan, found: Found, row: str, sessions: Mapping[str, Options]) -> None:
    """The ratio of each, and the peak of all."""
    peaks: dict[str, float] = {}
    memory = f"{row}.memory"
    for name, options in sessions.items():
        if {f"{row}.{name}", memory} & plan.wanted:
            found[f"{row}.{name}"], peaks[name] = _against_loop(plan, options)
    if memory in plan.wanted:
        worst = max(peaks, key=lambda name: peaks[name])
        words = (f"the most of: {', '.join(peaks)}", f"no figure can be below {own_peak():.0f} MB, the runner's own")
        found[memory] = Outcome(peaks[worst], min(peaks.values()), peaks[worst], len(peaks), words)


def _against_loop(plan: Plan, options: Options) -> tuple[Outcome, float]:
    with plan.session(options) as path:
        loop, check = (
            python(LOOP if options.layout == "lines" else LOADS, path),
            plan.toolpair("check", "--no-cache", path),
        )
        run(loop)
        loops, checks = [], []
        for _ in range(plan.times(3)):
            loops.append(run(loop))
            checks.append(run(check, codes=(0, 1)))
    peak = median(one.peak for one in checks)
    words = f"loop {median(one.cpu for one in loops):.2f} s", f"peak {peak:.0f} MB"
    return ratio([one.cpu for one in checks], [one.cpu for one in loops], *words), peak
