"""The worker process of `picker_checks`: reads paths as JSON strings on standard input, answers the verdict on each, or
null.
"""

from __future__ import annotations

import json
import os
import sys

import msgspec

from toolpair.tui.picker_checks import Checked, Mark

_OUTLOOKS = ("stops", "loses", "ready")


def verdict_on(path: str) -> Mark:
    """The verdict on the file; None when it is not a readable session."""
    from toolpair.session.session import open_session

    try:
        session = open_session(path)
        verdicts = [conversation.verdict for conversation in session.conversations]
        worst = min(verdicts, key=lambda verdict: _OUTLOOKS.index(verdict.outlook))
        return Checked(sum(verdict.errors for verdict in verdicts), worst.outlook, worst.badge)
    except Exception:  # whatever it does to its reader, it cannot be checked
        return None


def main() -> None:
    if hasattr(os, "nice"):
        os.nice(10)
    for line in sys.stdin.buffer:
        sys.stdout.write(msgspec.json.encode(verdict_on(json.loads(line))).decode() + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
