"""The worker process of `picker_checks`: reads paths as JSON strings on standard input, answers the number of errors or
null.
"""

from __future__ import annotations

import json
import os
import sys


def errors_of(path: str) -> int | None:
    """How many errors the file has; None when it is not a readable session."""
    from toolpair.session.session import open_session

    try:
        session = open_session(path)
        return sum(conversation.verdict.errors for conversation in session.conversations)
    except Exception:  # whatever it does to its reader, it cannot be checked
        return None


def main() -> None:
    if hasattr(os, "nice"):
        os.nice(10)
    for line in sys.stdin.buffer:
        sys.stdout.write(json.dumps(errors_of(json.loads(line))) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
