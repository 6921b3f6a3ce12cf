"""Run as a program: times the library in its own process and prints the samples as JSON.

`python -m benchmarks.measures.library_times REPEAT OPTIONS…`, each of OPTIONS as JSON: for each the seconds of
`toolpair.check` and of `json.dumps` of the same list, taken in turn, as [[…], […]].
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from functools import partial
from typing import Any

import toolpair
from benchmarks.generate import messages
from benchmarks.sessions.options import Options


def main(repeat: int, all_options: list[dict[str, Any]]) -> None:
    found: list[tuple[list[float], list[float]]] = []
    for fields in all_options:
        options = Options(**fields | {"kinds": tuple(fields["kinds"]) if "kinds" in fields else None})
        given = messages(options)
        profile = "openai-chat" if options.format == "openai-chat" else "anthropic"
        toolpair.check(messages(Options(format=options.format, pairs=5)), profile=profile)  # loads what is loaded late
        checks: list[float] = []
        dumps: list[float] = []
        for _ in range(repeat):
            checks.append(_timed(partial(toolpair.check, given, profile=profile)))
            dumps.append(_timed(partial(json.dumps, given)))
        found.append((checks, dumps))
    print(json.dumps(found))


def _timed(work: Callable[[], object]) -> float:
    begun = time.process_time()
    work()
    return time.process_time() - begun


if __name__ == "__main__":
    main(int(sys.argv[1]), [json.loads(options) for options in sys.argv[2:]])
