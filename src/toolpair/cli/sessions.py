"""`toolpair sessions`: lists the sessions that agents have on this machine."""

from __future__ import annotations

import argparse
import os
import stat
import sys
import time
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from itertools import islice
from typing import Final

from toolpair.agents.catalog import described, index, looked_in, pages_of
from toolpair.cli import exits, streams
from toolpair.cli.exits import UsageError
from toolpair.cli.file_report import Entry, entry_of
from toolpair.cli.meant import closest
from toolpair.cli.terminal import (
    Parser,
    TerminalStyle,
    add_color,
    add_format,
    add_pager,
    dump,
    out,
    safe,
    say,
    style_for,
)
from toolpair.formats import get_agent, written_by
from toolpair.formats.agent import FoundSession
from toolpair.session.session import SessionError
from toolpair.session.verdict_cache import Findings, VerdictCache
from toolpair.shell.machine import Machine, home_short
from toolpair.shell.program import command, current_folder, resolved
from toolpair.source.addresses import divided
from toolpair.source.snapshot import why_not_opened
from toolpair.text.shell import shell_word
from toolpair.text.short import age_text, size_text

_WORDS: Final = 100
"""Maximum characters shown of the user's last words."""
_COLOURS: Final = {"stops": "31", "loses": "33", "ready": "32"}
_EPILOG = """\
examples:
  toolpair sessions                       all, those of this folder first, then the newest
  toolpair sessions --folder . -n 5       the newest five of this folder
  toolpair sessions --agent codex --output-format jsonl
  toolpair sessions ~/.cagent/session.db  those of a database

A session that was checked before, in the list of the interface or by `check` of a directory, and has not changed since
is listed with its verdict.
FILE of the other commands may be a session's id or its beginning, `.` for this folder's newest, or DATABASE::ID.

exit code: 0 some were found, 1 none
"""


def parser() -> Parser:
    result = Parser("sessions", "List the sessions of the agents on this machine, those of this folder first.", _EPILOG)
    result.add(f"""
        [DATABASE]       only those of this database or folder
        --agent NAME...  only this one's: {", ".join(written_by())}
        --folder DIR     only those of this project folder
        -n, --limit N    list at most N
        --no-cache       print no verdicts of earlier checks
        """)
    add_format(result, ("text", "json", "jsonl"))
    add_color(result)
    add_pager(result)
    return result


def run(options: argparse.Namespace) -> int:
    for agent in options.agent:
        if agent not in written_by():
            meant = closest(agent, tuple(written_by()))
            hint = f"Did you mean {meant}?" if meant else f"These are known: {', '.join(written_by())}."
            raise UsageError(f"There is no agent {agent!r}. {hint}")
    if options.limit is not None and options.limit < 1:
        raise UsageError("-n takes a whole number of at least 1.")
    machine = Machine.here()
    if options.database is not None:
        return _of_database(options, machine)
    found = index(machine, options.folder if options.folder is not None else current_folder(), options.agent)
    if options.folder is not None:
        found = [one for one in found if one.here]
    _show(iter(found), options, machine)
    if not found:
        where = ", ".join(f"{folder} ({title})" for title, folder in looked_in(machine))
        say(f"No sessions found. Looked in {where}.")
        return exits.PROBLEMS
    return exits.OK


def _of_database(options: argparse.Namespace, machine: Machine) -> int:
    from toolpair.formats.engine.agents.databases import holds_sessions

    given = options.database
    path, session = divided(given)
    if session is not None and holds_sessions(path):
        raise UsageError(
            f"{given} names one session; `{command('sessions')} {shell_word(path)}` lists all that are there."
        )
    try:
        if stat.S_ISREG(os.stat(given).st_mode):
            open(given, "rb").close()
    except (OSError, ValueError) as error:
        raise SessionError(why_not_opened(given, error)) from None
    if not holds_sessions(given):
        raise UsageError(
            f"{given} is neither a database nor a folder of sessions; `{command('check')}` takes any session file."
        )
    stored = _Stored(options)
    _show(iter(stored), options, machine)
    if stored.notice is not None:
        say(stored.notice)
    elif not stored.listed:
        say(f"There are no {'such ' if stored.found else ''}sessions in {options.database}.")
    return exits.OK if stored.listed else exits.PROBLEMS


class _Stored:
    """The sessions of a database that were asked for, page by page, and what was seen by then."""

    def __init__(self, options: argparse.Namespace) -> None:
        self._options = options
        self._folder = resolved(options.folder) if options.folder is not None else None
        self.found = self.listed = 0
        self.notice: str | None = None

    def __iter__(self) -> Iterator[FoundSession]:
        for page, notice in pages_of(self._options.database):
            self.notice = notice
            for one in page:
                self.found += 1
                if self._is_wanted(one):
                    self.listed += 1
                    yield one

    def _is_wanted(self, one: FoundSession) -> bool:
        if self._options.agent and one.agent not in self._options.agent:
            return False
        return self._folder is None or (one.agent is not None and get_agent(one.agent).belongs(one, self._folder))


def _show(found: Iterator[FoundSession], options: argparse.Namespace, machine: Machine) -> None:
    each = described(islice(found, options.limit))  # a line at a time: there may be hundreds of thousands
    cache = VerdictCache.of_user() if not options.no_cache else None
    judged = ((one, cache.find(one.path) if cache is not None and one.understood else None) for one in each)
    if options.output_format == "json":
        out(dump({"version": 1, "sessions": [_entry(*one) for one in judged]}, indent=2))
    elif options.output_format == "jsonl":
        for one in judged:
            out(dump(_entry(*one)))
            if streams.unread():
                return
    else:
        _print(judged, machine, style_for(sys.stdout, options.color))


def _entry(one: FoundSession, verdict: Findings | None) -> Entry:
    return {
        "agent": one.agent,
        "id": one.session_id,
        **entry_of(one, "path folder"),
        "title": one.name,
        "last_words": one.words,
        "modified": datetime.fromtimestamp(one.modified, UTC).isoformat(timespec="seconds"),
        **entry_of(one, "size here"),
        "verdict": entry_of(verdict, "outlook badge errors warnings rules") if verdict is not None else None,
    }


def _print(found: Iterable[tuple[FoundSession, Findings | None]], machine: Machine, style: TerminalStyle) -> None:
    now = time.time()
    for one, verdict in found:
        folder = safe(home_short(one.folder, str(machine.home)) if one.folder else "?")
        row = f"{age_text(now - one.modified):>6}  {one.title:<11}  {size_text(one.size):>7}  "
        badge = f"  {style.code(_COLOURS[verdict.outlook], verdict.badge)}" if verdict is not None else ""
        out(f"{row}{style.bold(safe(one.session_id))}  {folder}{badge}")
        words = one.why_unchecked or one.words
        if one.name and one.name != words:
            words = f"{one.name}: {words}" if words else one.name
        if words:
            out(style.dim(f"        {safe(words[:_WORDS])}"))
        if streams.unread():
            return
