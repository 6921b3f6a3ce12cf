"""How the time of `toolpair.check` grows with the messages of a list in memory."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from benchmarks.harness.figures import Found, Outcome, ratio
from benchmarks.harness.plan import Plan
from benchmarks.measures.growth import KINDS
from benchmarks.measures.library import library_times

PAIRS: Final = 48_000
"""Of the longer list: about 100,000 messages."""
CASES: Final[Mapping[str, Mapping[str, Any]]] = {
    "ordinary": {},
    "equal ids": {"ids": "equal"},
    "alike ids": {"ids": "alike", "problems": PAIRS, "kinds": KINDS},
    "all broken": {"problems": PAIRS, "kinds": KINDS},
    "one message": {"parallel": PAIRS},
}


def measure(plan: Plan, found: Found) -> None:
    whole = plan.scaled(PAIRS)
    outcomes: dict[str, Outcome] = {}
    for format in ("anthropic", "openai-chat"):
        for name, fields in CASES.items():
            few, many = (_options(fields, format, pairs) for pairs in (whole // 10, whole))
            (small, _), (big, _) = library_times(plan, plan.times(3), few, many)
            outcomes[f"{format}, {name}"] = ratio(big, small)
    worst = max(outcomes, key=lambda name: outcomes[name].value)
    all_ = ", ".join(f"{name} {outcome.value:.1f}" for name, outcome in outcomes.items())
    one = outcomes[worst]
    found["growth.library"] = Outcome(one.value, one.low, one.high, one.samples, (all_,))


def _options(fields: Mapping[str, Any], format: str, pairs: int) -> dict[str, Any]:
    counts = {name: pairs for name in ("problems", "parallel") if name in fields}
    return {"format": format, "pairs": pairs, "shape": "small", **fields, **counts}
