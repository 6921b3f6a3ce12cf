"""`--redact`: what is handed on is a redacted copy of the session."""

from __future__ import annotations

import argparse

from toolpair.cli.terminal import say
from toolpair.reports.redaction.copies import redacted
from toolpair.session.session import Session


def add_redact(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--redact",
        action="store_true",
        help="replace every text, name, path, id and time by one of the same kind and length (docs/excerpt.md)",
    )


def as_asked(session: Session, options: argparse.Namespace) -> Session:
    """The session, or its redacted copy. Raises Refused when something of the original would be left."""
    if not options.redact:
        return session
    copy = redacted(session)
    for note in copy.notes:
        say(note)
    return copy.session
