"""`--redact`: what is handed on is a redacted copy of the session."""

from __future__ import annotations

import argparse

from toolpair.cli.terminal import Parser, say
from toolpair.reports.redaction.copies import redacted
from toolpair.session.session import Session


def add_redact(parser: Parser) -> None:
    parser.add("""
        --redact  replace every text, name, path, id and time by one of the same kind and length (docs/excerpt.md)
        """)


def as_asked(session: Session, options: argparse.Namespace) -> Session:
    """The session, or its redacted copy. Raises Refused when something of the original would be left."""
    if not options.redact:
        return session
    copy = redacted(session)
    for note in copy.notes:
        say(note)
    return copy.session
