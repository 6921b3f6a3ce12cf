"""The outcomes as a table: for a terminal, for the page, as JSON."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import asdict
from typing import Any, Final

from benchmarks.budgets import BUDGETS, Budget
from benchmarks.harness.figures import Outcome

BEGIN: Final = "<!-- figures: written by `python -m benchmarks --write docs/performance.md` -->"
END: Final = "<!-- end of the figures -->"
HEAD: Final = ("| what | measured | spread | limit | aim | |", "|---|---|---|---|---|---|")
_ROW: Final = re.compile(r"<a id=\"([a-z.-]+)\"></a>")


def met(budget: Budget, outcome: Outcome) -> bool:
    return outcome.value <= budget.judged_by


def verdict(budget: Budget, outcome: Outcome) -> str:
    """`met`, `aim met`, `missed`; where there is only an aim, that is what is met or missed."""
    if not met(budget, outcome):
        return "missed" if budget.limit is not None else "aim missed"
    reached = budget.aim is not None and outcome.value <= budget.aim
    return "aim met" if reached else "met"


def amount(value: float | None, unit: str) -> str:
    if value is None:
        return "–"
    if unit == "×":
        return f"{value:.2f} ×" if value < 100 else f"{value:,.0f} ×"
    digits = 2 if unit == "s" else 0 if value >= 10 else 1
    return f"{value:,.{digits}f} {unit}"


def row(budget: Budget, outcome: Outcome | None) -> str:
    """The line of the page."""
    limit, aim = amount(budget.limit, budget.unit), amount(budget.aim, budget.unit)
    cells = [f'<a id="{budget.name}"></a>{budget.what}', "–", "–", limit, aim, "not measured"]
    if outcome is not None:
        cells[1] = amount(outcome.value, budget.unit)
        cells[2] = f"{amount(outcome.low, budget.unit)} – {amount(outcome.high, budget.unit)}"
        cells[5] = ". ".join([verdict(budget, outcome), *filter(None, outcome.beside)])
    return f"| {' | '.join(cells)} |"


def page_with(page: str, outcomes: Mapping[str, Outcome], machine: str, day: str) -> str:
    """The page with the figures of this run; budgets that it did not measure keep the line they have."""
    before, _, rest = page.partition(BEGIN)
    inside, _, behind = rest.partition(END)
    if BEGIN not in page or END not in rest:
        raise ValueError("the page has no place for the figures")
    kept = {name[1]: line for line in inside.splitlines() if (name := _ROW.search(line))}
    lines = [
        kept[budget.name]
        if budget.name in kept and budget.name not in outcomes
        else row(budget, outcomes.get(budget.name))
        for budget in BUDGETS
    ]
    table = "\n".join([BEGIN, "", f"{machine}. {day}.", "", *HEAD, *lines, "", END])
    return before + table + behind


def text(outcomes: Iterable[tuple[Budget, Outcome | str]]) -> str:
    """One paragraph for each budget; an outcome that is text says why there is none."""
    lines: list[str] = []
    for budget, outcome in outcomes:
        lines.append(f"{budget.name:<20} {budget.what}")
        if isinstance(outcome, str):
            lines.append(f"{'':<20} NOT MEASURED: {outcome}")
            continue
        unit = budget.unit
        held = f"limit {amount(budget.limit, unit)}, aim {amount(budget.aim, unit)}"
        spread = f"{amount(outcome.low, unit)} to {amount(outcome.high, unit)}, {outcome.samples} samples"
        found = f"{amount(outcome.value, unit)} ({spread})"
        lines.append(f"{'':<20} {found}; {held}: {verdict(budget, outcome).upper()}")
        lines += [f"{'':<20} {words}" for words in outcome.beside if words]
    return "\n".join(lines)


def as_json(outcomes: Iterable[tuple[Budget, Outcome | str]], machine: str, scale: float) -> dict[str, Any]:
    found: list[dict[str, Any]] = []
    for budget, outcome in outcomes:
        entry = asdict(budget)
        if isinstance(outcome, str):
            entry["failed"] = outcome
        else:
            entry |= asdict(outcome) | {"verdict": verdict(budget, outcome)}
        found.append(entry)
    return {"version": 1, "machine": machine, "scale": scale, "budgets": found}
