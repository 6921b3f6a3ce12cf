"""Holds the program to its budgets: `python -m benchmarks`. What each option does: `python -m benchmarks --help`.

A budget that is not met is printed as such and is no failure of the run: the exit code is 0, or 1 when something
could not be measured.
"""

from __future__ import annotations

import argparse
import json
import os
import shlex
import shutil
import signal
import sys
import tempfile
import time
from collections.abc import Sequence
from datetime import UTC, datetime
from importlib import import_module
from pathlib import Path

from benchmarks.budgets import BUDGETS, Budget, measured_by
from benchmarks.harness.failed import Failed
from benchmarks.harness.figures import Outcome
from benchmarks.harness.machine import machine
from benchmarks.harness.plan import Plan
from benchmarks.report import as_json, page_with, text


def parser() -> argparse.ArgumentParser:
    result = argparse.ArgumentParser(
        prog="python -m benchmarks",
        description="Measure toolpair against its budgets, each with its baseline in the same run.",
        epilog="A whole run needs 3 GB of disk and takes a good half hour; --quick needs a tenth of both.",
    )
    result.add_argument(
        "--only", action="append", metavar="NAME", help="measure these budgets alone: a name, or how it begins (keys)"
    )
    result.add_argument("--list", action="store_true", help="print the budgets and measure nothing")
    result.add_argument("--quick", action="store_true", help="a tenth of the size and fewer repetitions")
    result.add_argument("--repeat", type=int, metavar="N", help="repetitions of each measurement")
    result.add_argument(
        "--json", type=Path, metavar="FILE", help="write the outcomes there, too; - prints them instead"
    )
    result.add_argument(
        "--write", type=Path, metavar="PAGE", help="put the figures into this page (docs/performance.md)"
    )
    result.add_argument(
        "--directory", type=Path, help="where the sessions are made; on the disk that is to be measured"
    )
    result.add_argument("--program", help="the command that is measured; default: this Python's toolpair")
    return result


def main(argv: Sequence[str] | None = None) -> int:
    options = parser().parse_args(argv)
    budgets = [budget for budget in BUDGETS if _asked(budget, options.only)]
    if not budgets:
        return _refuse(f"no budget is called {', '.join(options.only)}; --list has their names")
    if options.list:
        for budget in budgets:
            print(f"{budget.name:<20} {budget.what}")
        return 0
    if options.write is not None and options.quick:
        return _refuse("--write is for the figures of a whole run, not of a --quick one")
    try:
        if options.write is not None:  # what cannot be written is told before half an hour is spent
            page_with(options.write.read_text(encoding="utf-8"), {}, "", "")
        directory = Path(tempfile.mkdtemp(prefix="toolpair-benchmarks-", dir=options.directory))
    except (OSError, ValueError) as error:
        return _refuse(str(error))
    # An installed program has its byte code; compiling it at each start would be measured in its place.
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    for number in (signal.SIGTERM, signal.SIGHUP):  # so that the sessions are removed then, too
        signal.signal(number, lambda got, _: sys.exit(128 + got))
    try:
        plan = Plan(
            directory=directory,
            scale=0.1 if options.quick else 1.0,
            repeat=options.repeat,
            program=tuple(shlex.split(options.program)) if options.program else _installed(),
            wanted=frozenset(budget.name for budget in budgets),
            say=lambda words: print(f"  {words}", file=sys.stderr, flush=True),
        )
        outcomes = _measure(plan, budgets)
        here = machine(directory)
    finally:
        shutil.rmtree(directory, ignore_errors=True)
    _give(options, plan, outcomes, here)
    return 1 if any(isinstance(outcome, str) for _, outcome in outcomes) else 0


def _asked(budget: Budget, only: Sequence[str] | None) -> bool:
    return only is None or any(budget.name == name or budget.name.startswith(f"{name}.") for name in only)


def _installed() -> tuple[str, ...]:
    """The script beside this Python, where the package is installed; else the module."""
    script = Path(sys.executable).with_name("toolpair")
    return (str(script),) if script.exists() else (sys.executable, "-m", "toolpair")


def _measure(plan: Plan, budgets: Sequence[Budget]) -> list[tuple[Budget, Outcome | str]]:
    """Each budget with its outcome, or with the words why there is none."""
    found: dict[str, Outcome] = {}
    failed: dict[str, str] = {}
    for module in dict.fromkeys(budget.module for budget in budgets):
        begun = time.monotonic()
        names = [name for name in measured_by(module) if name in plan.wanted]
        plan.say(f"{', '.join(names)} …")
        try:
            import_module(f"benchmarks.measures.{module}").measure(plan, found)
        except Failed as error:
            failed |= dict.fromkeys(names, str(error))
        except Exception as error:  # what the others found is not to be lost
            failed |= dict.fromkeys(names, f"{type(error).__name__}: {error}")
        plan.say(f"took {time.monotonic() - begun:.0f} s")
    return [(budget, found.get(budget.name) or failed.get(budget.name, "nothing")) for budget in budgets]


def _give(options: argparse.Namespace, plan: Plan, outcomes: Sequence[tuple[Budget, Outcome | str]], here: str) -> None:
    data = json.dumps(as_json(outcomes, here, plan.scale), ensure_ascii=False, indent=2)
    if options.json is not None and str(options.json) == "-":
        print(data)
    else:
        if options.json is not None:
            options.json.write_text(data + "\n", encoding="utf-8")
        print(f"{here}{'; a tenth of the size' if plan.quick else ''}\n\n{text(outcomes)}")
    if options.write is not None:
        measured = {budget.name: outcome for budget, outcome in outcomes if isinstance(outcome, Outcome)}
        day = datetime.now(UTC).strftime("%-d %B %Y")
        page = options.write.read_text(encoding="utf-8")
        options.write.write_text(page_with(page, measured, here, day), encoding="utf-8")


def _refuse(words: str) -> int:
    print(words, file=sys.stderr)
    return 2
