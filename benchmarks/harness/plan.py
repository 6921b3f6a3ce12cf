"""What a run is made with: how big, how often, where the files go, which program."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, fields
from pathlib import Path
from shutil import rmtree

from benchmarks.harness.processes import run
from benchmarks.sessions.options import DATABASES, Options


@dataclass(frozen=True, slots=True)
class Plan:
    """`scale` is 1, or 0.1 in a quick run; `program` is the command that is `toolpair`."""

    directory: Path
    scale: float
    repeat: int | None
    program: tuple[str, ...]
    wanted: frozenset[str]
    """Names of the budgets that are asked for; a module need not measure its others."""
    say: Callable[[str], None]

    def times(self, usual: int) -> int:
        """Repetitions of a measurement that is usually repeated so often."""
        return self.repeat or (max(2, usual // 3) if self.quick else usual)

    def keys(self, usual: int) -> int:
        """How often a key is pressed; a percentile needs many."""
        return usual // 3 if self.quick else usual

    @property
    def quick(self) -> bool:
        return self.scale < 1

    def scaled(self, number: int) -> int:
        return max(1, round(number * self.scale))

    @contextmanager
    def session(self, options: Options, name: str = "session") -> Iterator[Path]:
        """A made session on disk, gone afterwards. A process of its own makes it, so that the runner stays small."""
        folder = self.directory / name  # a session beside it would be looked through for its outputs
        path = folder / _name(options)
        path.parent.mkdir(parents=True, exist_ok=True)
        argv = [sys.executable, "-m", "benchmarks.generate", str(path)]
        for field in fields(options):
            value = getattr(options, field.name)
            if value is not None:
                argv += [f"--{field.name}", ",".join(value) if isinstance(value, tuple) else str(value)]
        made = json.loads(run(argv, keep_output=True).out)
        self.say(f"made {made['bytes'] / 1e6:,.0f} MB, {made['records']:,} records, {made['pairs']:,} pairs")
        try:
            yield path
        finally:
            rmtree(folder)

    def toolpair(self, *arguments: str | Path) -> list[str]:
        return [*self.program, *map(str, arguments)]


def _name(options: Options) -> str:
    if options.layout == "folder":
        return "opencode/storage"
    return f"session{'.db' if options.format in DATABASES else '.jsonl' if options.layout == 'lines' else '.json'}"


def python(code: str, *arguments: str | Path) -> list[str]:
    """A command that runs a few lines of Python."""
    return [sys.executable, "-c", code, *map(str, arguments)]


def module(name: str, *arguments: str | Path) -> list[str]:
    return [sys.executable, "-m", name, *map(str, arguments)]
