"""The worker process of `picker_checks`: reads questions on standard input, each a line of JSON that names one of
`ANSWERS` and what it takes, and answers each with a line of JSON, null for what cannot be read.
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, Final

import msgspec

from toolpair.agents import contents
from toolpair.reports.reading.row_words import words_of
from toolpair.session.summary import sentence_of
from toolpair.tui.picker_checks import Checked, Glimpse, Mark

if TYPE_CHECKING:
    from toolpair.session.session import CauseGroup, PairRow, Session
    from toolpair.session.verdict_cache import VerdictCache

_OUTLOOKS: Final = ("stops", "loses", "ready")
_REST: Final = 20
"""Times as long as keeping what was found took until the next time."""
_CAUSES: Final = 10
"""Causes that a preview may show."""
_LOOKED_AT: Final = 500
"""Rows among which a user's or an agent's words are looked for."""


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


def glimpse_of(path: str) -> Glimpse | None:
    """What a preview shows of the session; None when it is not a readable one."""
    from toolpair.session.session import beside, open_session

    try:
        session = open_session(path)
        rows = session.conversation.rows
        ends = [rows[n] for n in range(len(rows) - 1, max(-1, len(rows) - 1 - _LOOKED_AT), -1)]
        first = _words((rows[n] for n in range(min(len(rows), _LOOKED_AT))), "user")
        last = _words(ends, "user")
        worst = min((one.verdict for one in session.conversations), key=lambda one: _OUTLOOKS.index(one.outlook))
        return Glimpse(
            first=first,
            last=last if last != first else None,
            reply=_words(ends, "assistant"),
            badge=worst.badge,
            outlook=worst.outlook,
            sentence=beside(worst.badge, sentence_of(session)),
            causes=tuple(_causes(session)),
        )
    except Exception:  # as above
        return None


def _words(rows: Iterable[PairRow], role: str) -> str | None:
    """What was said first; what a program said in the user's place does not count."""
    said = (words_of(row.label) for row in rows if row.kind == "text" and row.role == role)
    return next((words for words in said if words and not words.startswith(("<", "# AGENTS.md"))), None)


def _causes(session: Session) -> list[tuple[int, str, str]]:
    """The causes of all conversations, the worst first."""
    groups = [group for one in session.conversations for group in one.groups if group.problems]
    found = [(len(group.problems), group.title.rstrip("."), _outlook(group)) for group in groups]
    return sorted(found, key=lambda cause: (_OUTLOOKS.index(cause[2]), -cause[0]))[:_CAUSES]


def _outlook(group: CauseGroup) -> str:
    if all(problem.severity == "info" for problem in group.problems):
        return "ready"
    return "stops" if any(p.severity == "error" and p.impact == "stops" for p in group.problems) else "loses"


def said_in(path: str, words: str) -> str | None:
    """Where the words are said first, on one line; None if they are not, or it cannot be read."""
    try:
        return contents.said_in(path, words)
    except Exception:  # as above
        return None


class _Verdicts:
    """Verdicts, kept now and then."""

    def __init__(self) -> None:
        self._cache: VerdictCache | None = None
        self._wait_until = 0.0

    def __call__(self, path: str, cached: bool) -> Mark:
        from toolpair.session.verdict_cache import VerdictCache

        if cached and self._cache is None:
            self._cache = VerdictCache.of_user()
        found = verdict_on(path, self._cache)
        begun = time.monotonic()
        if self._cache is not None and begun >= self._wait_until:
            self._cache.save()  # before the answer: after the last one the process is killed
            self._wait_until = begun + _REST * (time.monotonic() - begun)
        return found


ANSWERS: Final[dict[str, Callable[..., Any]]] = {"judge": _Verdicts(), "glimpse": glimpse_of, "find": said_in}


def main() -> None:
    if hasattr(os, "nice"):
        os.nice(10)
    for line in sys.stdin.buffer:
        kind, *question = json.loads(line)
        sys.stdout.write(json.dumps(msgspec.to_builtins(ANSWERS[kind](*question))) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
