"""From samples to one figure with its spread."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from statistics import median


@dataclass(frozen=True, slots=True)
class Outcome:
    """What one measurement found, in the unit of its budget. `low` and `high` are the smallest and the biggest sample.

    `beside` says in words what else was seen: the baseline, the other clock, how many samples.
    """

    value: float
    low: float
    high: float
    samples: int
    beside: tuple[str, ...] = field(default=())


Found = dict[str, Outcome]
"""Budget -> outcome. A measurement fills it as it goes, so that what it found is kept when it fails later."""


def plain(samples: Sequence[float], *beside: str) -> Outcome:
    """The median of the samples."""
    return Outcome(median(samples), min(samples), max(samples), len(samples), beside)


def ratio(measured: Sequence[float], baseline: Sequence[float], *beside: str) -> Outcome:
    """The ratio of the medians; the spread is that of the pairs that were measured one after the other."""
    pairs = [one / other for one, other in zip(measured, baseline, strict=True)]
    return Outcome(median(measured) / median(baseline), min(pairs), max(pairs), len(pairs), beside)


def difference(measured: Sequence[float], baseline: Sequence[float], *beside: str) -> Outcome:
    """The median of the differences of the pairs that were measured one after the other."""
    return plain([one - other for one, other in zip(measured, baseline, strict=True)], *beside)


def percentile(samples: Sequence[float], part: float, *beside: str) -> Outcome:
    """The sample below which `part` of all lie."""
    ordered = sorted(samples)
    value = ordered[min(len(ordered) - 1, int(len(ordered) * part))]
    return Outcome(value, ordered[0], ordered[-1], len(ordered), (f"median {median(ordered):.1f}", *beside))
