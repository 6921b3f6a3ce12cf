"""The worker process of `picker_checks`: reads paths on standard input, each in a line of JSON with whether verdicts
are kept, and answers the verdict on each, or null.
"""

from __future__ import annotations

import json
import os
import sys
import time
from typing import TYPE_CHECKING, Final

import msgspec

from toolpair.tui.picker_checks import Checked, Mark

if TYPE_CHECKING:
    from toolpair.session.verdict_cache import VerdictCache

_REST: Final = 20
"""Times as long as keeping what was found took until the next time."""


def verdict_on(path: str, cache: VerdictCache | None = None) -> Mark:
    """The verdict on the file, by an earlier check if nothing has changed; None when it is not a readable session."""
    from toolpair.session.session import open_session
    from toolpair.session.verdict_cache import AS_LISTED, findings_of, kept_of

    begun = time.time_ns()
    try:
        found = None
        if cache is not None:
            cache.look_again()
            found = cache.find(path)
        if found is None:
            session = open_session(path)
            kept = kept_of(session, AS_LISTED, begun) if cache is not None else None
            if cache is not None and kept is not None:
                cache.keep(*kept)
            found = kept[1].findings if kept is not None else findings_of(session)
        return Checked(found.errors, found.outlook, found.badge)
    except Exception:  # whatever it does to its reader, it cannot be checked
        return None


def main() -> None:
    from toolpair.session.verdict_cache import VerdictCache

    if hasattr(os, "nice"):
        os.nice(10)
    cache: VerdictCache | None = None
    wait_until = 0.0
    for line in sys.stdin.buffer:
        path, cached = json.loads(line)
        if cached and cache is None:
            cache = VerdictCache.of_user()
        answer = msgspec.json.encode(verdict_on(path, cache)).decode()
        begun = time.monotonic()
        if cache is not None and begun >= wait_until:  # before the answer: after the last one the process is killed
            cache.save()
            wait_until = begun + _REST * (time.monotonic() - begun)
        sys.stdout.write(f"{answer}\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
