"""Sums up the lines of `toolpair check --output-format jsonl`, however many there are.

python fleet_sum.py < found.jsonl
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Iterable


def summed(lines: Iterable[str]) -> tuple[Counter[str], Counter[tuple[str, str]]]:
    """How many files, calls and results there are, and how often each rule is broken, by severity."""
    totals: Counter[str] = Counter()
    broken: Counter[tuple[str, str]] = Counter()
    for line in lines:
        file = json.loads(line)
        totals["files"] += 1
        if "error" in file:
            totals["not readable"] += 1
            continue
        totals["with errors"] += file["errors"] > 0
        totals["calls"] += file["counts"]["calls"]
        totals["results"] += file["counts"]["results"]
        broken.update((problem["severity"], problem["rule"]) for problem in file["problems"])
    return totals, broken


if __name__ == "__main__":
    totals, broken = summed(sys.stdin)
    for (severity, rule), times in sorted(broken.items(), key=lambda entry: (-entry[1], entry[0])):
        print(f"{times:>9,}  {severity:<8} {rule}")
    print(", ".join(f"{number:,} {what}" for what, number in totals.items()))
