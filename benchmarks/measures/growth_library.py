"""How the time of `toolpair.check` grows with the messages of a list in memory, and beside it that of `json.dumps`.

What fits into a processor's cache costs less for each message than what does not, whoever goes through it. So each
sample is taken in a new process, in which nothing of the lists has been gone through before.
"""

from __future__ import annotations

from collections.abc import Mapping
from statistics import median
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
            rounds = [library_times(plan, 1, few, many) for _ in range(plan.times(5))]
            (small, small_dumps), (big, big_dumps) = (
                [[one[of][kind][0] for one in rounds] for kind in (0, 1)] for of in (0, 1)
            )
            dumps = median(big_dumps) / median(small_dumps)
            outcomes[f"{format}, {name}"] = ratio(big, small, f"{dumps:.1f}")
    worst = max(outcomes, key=lambda name: outcomes[name].value)
    all_ = ", ".join(f"{name} {one.value:.1f} ({one.beside[0]})" for name, one in outcomes.items())
    one = outcomes[worst]
    found["growth.library"] = Outcome(one.value, one.low, one.high, one.samples, (f"(`json.dumps`) {all_}",))


def _options(fields: Mapping[str, Any], format: str, pairs: int) -> dict[str, Any]:
    counts = {name: pairs for name in ("problems", "parallel") if name in fields}
    return {"format": format, "pairs": pairs, "shape": "small", **fields, **counts}
