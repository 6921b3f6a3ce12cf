"""Breaks toolpair in one place at a time, and says whether the tests notice: what is tested must not shrink unseen.

    python scripts/mutants.py                  all of them
    python scripts/mutants.py 3 fsync          those of promise 3, and those with "fsync" in their name
    python scripts/mutants.py --root FOLDER    by the code and the tests of another checkout

`mutants.toml` lists them: the file, what is written there and in its place, the promise of README that it breaks (0
and 9 are named there), and the test files that must fail, run as the README's command would choose their tests. All
happens in a copy, so that nothing stays broken however this ends. Exit code 1 if one survives.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import time
import tomllib
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
LIST = Path(__file__).with_name("mutants.toml")
COPIED = ("src", "tests", "scripts", "benchmarks", "sample_sessions", "docs", "examples")


def mutants() -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = tomllib.loads(LIST.read_text("utf-8"))["mutant"]
    return found


def broken(mutant: dict[str, Any], root: Path) -> str:
    """The file with the change. Raises ValueError where what is to be changed is not there exactly once."""
    text = (root / "src/toolpair" / mutant["file"]).read_text("utf-8")
    if text.count(mutant["old"]) != 1:
        raise ValueError(f"{mutant['name']}: {mutant['file']} has {mutant['old']!r} {text.count(mutant['old'])} times")
    return text.replace(mutant["old"], mutant["new"])


def tested(copy: Path, tests: list[str]) -> tuple[int, str]:
    """Exit code and last lines of pytest in the copy."""
    command = [sys.executable, "-m", "pytest", "-q", "-x", "-n", "0", "-p", "no:cacheprovider", *tests]
    environment = {name: value for name, value in os.environ.items() if name != "TOOLPAIR_TEST_ROUNDS"}
    environment |= {"PYTHONPATH": str(copy / "src"), "TOOLPAIR_TEST_PATIENCE": "20"}
    done = subprocess.run(command, check=False, cwd=copy, env=environment, capture_output=True)
    return done.returncode, "\n".join(done.stdout.decode("utf-8", "replace").splitlines()[-3:])


def copied(root: Path, to: Path) -> None:
    for name in COPIED:
        shutil.copytree(root / name, to / name, ignore=shutil.ignore_patterns("__pycache__"))
    for path in root.iterdir():
        if path.is_file():
            shutil.copy(path, to)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("which", nargs="*", help="a promise's number or a part of a name")
    parser.add_argument("--root", type=Path, default=ROOT)
    options = parser.parse_args()
    chosen = [one for one in mutants() if not options.which or any(_is(one, which) for which in options.which)]
    survived = []
    with tempfile.TemporaryDirectory(prefix="mutants-") as folder:
        copy = Path(folder)
        copied(options.root.resolve(), copy)
        for one in chosen:
            path = copy / "src/toolpair" / one["file"]
            whole = path.read_text("utf-8")
            path.write_text(broken(one, copy), "utf-8")
            begun = time.monotonic()
            try:
                code, said = tested(copy, one["tests"])
            finally:
                path.write_text(whole, "utf-8")
            is_caught = code == 1
            if not is_caught:
                survived.append(one["name"])
            verdict, took = "caught  " if is_caught else "SURVIVED", time.monotonic() - begun
            print(f"{verdict} {one['promise']} {took:5.1f} s  {one['name']}", flush=True)
            if code not in (0, 1):
                print(said)
    print(f"{len(chosen) - len(survived)} of {len(chosen)} caught")
    return 1 if survived else 0


def _is(mutant: dict[str, Any], which: str) -> bool:
    return str(mutant["promise"]) == which if which.isdecimal() else which in mutant["name"]


if __name__ == "__main__":
    sys.exit(main())
