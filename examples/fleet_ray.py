"""Checks every session below a folder on all machines of a Ray cluster that can read it: one line for each file.

python fleet_ray.py FOLDER > found.jsonl
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import ray

SUFFIXES = (".json", ".jsonl", ".jsonl.zst")
BATCH = 50


@ray.remote
def check(paths: list[str]) -> str:
    """The lines of these files."""
    command = [sys.executable, "-m", "toolpair", "check", "--jobs", "1", "--skip-unrecognised"]
    command += ["--output-format", "jsonl", "--", *paths]
    ran = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False)
    if ran.returncode not in (0, 1, 2):
        raise RuntimeError(f"toolpair ended with {ran.returncode}")
    return ran.stdout


def found_in(folder: str) -> Iterator[str]:
    """The lines of all files, in the order in which they are done."""
    paths = [str(path) for path in sorted(Path(folder).rglob("*")) if path.name.endswith(SUFFIXES) and path.is_file()]
    running = [check.remote(paths[start : start + BATCH]) for start in range(0, len(paths), BATCH)]
    while running:
        (done,), running = ray.wait(running)
        yield from ray.get(done).splitlines()


if __name__ == "__main__":
    ray.init()
    for line in found_in(sys.argv[1]):
        print(line)
