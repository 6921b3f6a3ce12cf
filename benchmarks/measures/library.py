"""`toolpair.check` of a list in memory, beside `json.dumps` of it."""

from __future__ import annotations

import json
from statistics import median
from typing import Any, Final

from benchmarks.harness.figures import Found, ratio
from benchmarks.harness.plan import Plan, module
from benchmarks.harness.processes import run

PAIRS: Final = {"library.check": ("anthropic", 600), "library.chat": ("openai-chat", 515)}
"""Format, and as many pairs as make about a thousand messages of it."""


def measure(plan: Plan, found: Found) -> None:
    for name, (format, pairs) in PAIRS.items():
        if name in plan.wanted:
            checks, dumps = library_times(plan, plan.times(15), {"format": format, "pairs": pairs})[0]
            found[name] = ratio(checks, dumps, f"`json.dumps` {median(dumps) * 1000:.1f} ms")


def library_times(plan: Plan, repeat: int, *options: dict[str, Any]) -> list[tuple[list[float], list[float]]]:
    """Seconds of check and of dumps for each of the options."""
    argv = module("benchmarks.measures.library_times", str(repeat), *(json.dumps(each) for each in options))
    found: list[tuple[list[float], list[float]]] = json.loads(run(argv, keep_output=True).out)
    return found
