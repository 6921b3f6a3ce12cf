"""`toolpair explain CAUSE`: how a cause comes about, which programs are known for it, and where a file shows it."""

from __future__ import annotations

import argparse
import sys
from typing import Final

from toolpair.cli import exits
from toolpair.cli.explained_places import asked_of_file
from toolpair.cli.file_report import Entry, place_shown, problem_entry
from toolpair.cli.terminal import dump, out, safe, say, style_for, typed
from toolpair.rules.causes import CausePage, cause_called
from toolpair.session.session import Session
from toolpair.shell.program import command

_LISTED: Final = 10


def explain_cause(options: argparse.Namespace, name: str) -> int | None:
    """Explain the cause with this id or text. Returns the exit code; None for an unknown cause."""
    page = cause_called(name)
    if page is None:
        return None
    places, unreadable = asked_of_file(options, lambda session: _places(session, page.id, options.show_content))
    if options.output_format == "json":
        out(dump({**_as_json(page, places), "unreadable": unreadable}, indent=2))
    else:
        _print(options, page, places, unreadable is None)
    if unreadable is not None:
        say(unreadable)
        return exits.UNREADABLE
    return exits.OK


def _print(options: argparse.Namespace, page: CausePage, places: list[Entry], readable: bool) -> None:
    style = style_for(sys.stdout, options.color)
    out(f"{style.bold(page.id)}: {page.text}.")
    out(f"  {page.about}")
    for writer in page.writers:
        out(f"  Known from: {', '.join(part for part in (writer.product, writer.link) if part)}")
    if page.link is not None and all(writer.link != page.link for writer in page.writers):
        out(f"  See {page.link}")
    if options.file and readable:
        out()
        _print_places(options.file, places)


def _places(session: Session, id_: str, show_content: bool) -> list[Entry]:
    return [
        problem_entry(session, conversation, problem, show_content)
        for conversation in session.conversations
        for problem in conversation.problems
        if problem.cause is not None and problem.cause.id == id_
    ]


def _print_places(path: str, places: list[Entry]) -> None:
    for entry in places[:_LISTED]:
        where = place_shown(safe(path), entry["location"])
        out(f"{where}: {entry['rule']}  {safe(entry['message'])}")
        if entry["cause"]["evidence"]:
            out(f"    {safe(entry['cause']['evidence'])}")
    if len(places) > _LISTED:
        out(f"and {len(places) - _LISTED:,} more: {command('check')} {typed(path)}")
    if not places:
        out(f"{safe(path)}: it causes no problem there.")


def _as_json(page: CausePage, places: list[Entry]) -> Entry:
    return {
        "version": 1,
        "cause": {
            "id": page.id,
            "text": page.text,
            "about": page.about,
            "known_from": [{"product": writer.product, "link": writer.link} for writer in page.writers],
            "link": page.link,
        },
        "places": places,
    }
