"""How soon the interface shows something, and how soon it shows the session."""

from __future__ import annotations

from pathlib import Path
from statistics import median
from typing import Final

from benchmarks.harness.figures import Found, Outcome, plain, ratio
from benchmarks.harness.plan import Plan, module
from benchmarks.harness.terminal import Terminal
from benchmarks.sessions.options import Options

ANYTHING: Final = r"\w\W*\w\W*\w"
"""Words of a program, of whatever kind."""
ROW: Final = r"step_\d"
"""What the arguments of each made call hold, so a row of the list."""
READ: Final = r"problems?, [\d,]+ causes?"
"""What the head says once all of a file is read."""
SIZES: Final = {"small": 200_000, "big": 500_000_000}


def measure(plan: Plan, found: Found) -> None:
    for name, size in SIZES.items():
        if {f"content.{name}", f"rows.{name}"} & plan.wanted:
            size = size if name == "small" else plan.scaled(size)
            with plan.session(Options(size=size, problems=10)) as path:
                found |= _started(plan, name, path)


def _started(plan: Plan, name: str, path: Path) -> dict[str, Outcome]:
    static, interface = module("benchmarks.measures.one_static"), plan.toolpair(path)
    baseline: list[float] = []
    content: list[float] = []
    rows: list[float] = []
    for number in range(-1, plan.times(9)):
        with Terminal(static) as terminal:
            first = terminal.wait_for(ANYTHING) - terminal.begun
        with Terminal(interface) as terminal:
            shown = terminal.wait_for(ANYTHING, timeout=300) - terminal.begun
            listed = terminal.wait_for(ROW, timeout=300) - terminal.begun
        if number >= 0:  # the first round brings everything into the system's cache
            baseline.append(first)
            content.append(shown)
            rows.append(listed - shown)
    return {
        f"content.{name}": ratio(
            content, baseline, f"one Static {median(baseline):.2f} s", f"the interface {median(content):.2f} s"
        ),
        f"rows.{name}": plain(rows),
    }
