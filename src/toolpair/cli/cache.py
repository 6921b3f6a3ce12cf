"""`toolpair cache`: what is kept of earlier checks, and removing it."""

from __future__ import annotations

import argparse

from toolpair.cli import exits
from toolpair.cli.terminal import Parser, out, safe
from toolpair.session.verdict_cache import VerdictCache
from toolpair.transcript.counting import plural

_EPILOG = """\
examples:
  toolpair cache          where the verdicts of earlier checks are kept, and how many
  toolpair cache clear    remove them

`check` of a directory keeps the verdict on each session, and so does the list of sessions: a session that has not
changed since need not be read again. Counts and the names of rules are kept, nothing that stands in a session.
Fixing and saving never use them.

exit code: 0; 5 if it cannot be removed
"""


def parser() -> Parser:
    result = Parser("cache", "Show where the verdicts of earlier checks are kept, or remove them.", _EPILOG)
    result.add("[clear]  remove them", clear={"choices": ("clear",)})
    return result


def run(options: argparse.Namespace) -> int:
    cache = VerdictCache.of_user()
    if options.clear is not None:
        there = cache.path.exists()
        cache.clear()
        out(f"Removed {safe(cache.path)}." if there else f"Nothing is kept in {safe(cache.path)}.")
    else:
        out(f"{safe(cache.path)}: {plural(len(cache), 'verdict')}")
    return exits.OK
