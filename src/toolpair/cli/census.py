"""`toolpair census`: all sessions of the agents on this machine, counted."""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path
from typing import Final

from toolpair.agents.catalog import index
from toolpair.cli import check, exits, streams
from toolpair.cli.exits import UsageError
from toolpair.cli.file_report import Answered, Checked, judge_file, question
from toolpair.cli.inputs import Input
from toolpair.cli.jobs import cores, judge_all
from toolpair.cli.meant import closest
from toolpair.cli.progress import FilesProgress
from toolpair.cli.terminal import Parser, TerminalStyle, add_color, add_format, dump, fitted, out, safe, say, style_for
from toolpair.formats import written_by
from toolpair.formats.agent import FoundSession
from toolpair.reports.census import COLUMNS, Census, Counted
from toolpair.reports.page.census_page import census_page
from toolpair.session.session import Refused, SessionError
from toolpair.session.verdict_cache import Findings, VerdictCache
from toolpair.shell.machine import Machine
from toolpair.source.saving.checks import exists, refuse_name
from toolpair.source.saving.new_file import save_as
from toolpair.text.short import seconds_text, size_text
from toolpair.transcript.counting import plural

_BYTES: Final = 60_000_000
_FILES: Final = 100
"""What one core checks in a second, bytes and sessions: for an estimate."""
_WORTH: Final = 10
"""Seconds from which on an estimate is of use."""
_LISTED: Final = 10
"""How many rules, and how many causes."""
_EPILOG: Final = """\
examples:
  toolpair census                       how many sessions are broken, and what is lost in them
  toolpair census --agent codex
  toolpair census --html census.html    also as a page, for a bug report
  toolpair census --output-format json --show-paths

Names of agents, versions, rules and causes are printed, and numbers; nothing of a session, and no path unless
--show-paths. Sessions are checked as `check` does in a directory: by the newest version of their agent that was
measured. What was checked before and has not changed is not read again. Calls are counted in the
history that is resumed, outputs in the whole file. The rows of an agent come as soon as all of its sessions are
counted, and the sum comes last.

exit code: 0 none is broken, 1 some are, 2 there are none, or some could not be read, 3 refused and nothing counted (the
page exists), 5 the system failed while writing the page
"""


def parser() -> Parser:
    result = Parser(
        "census", "Count all sessions of the agents on this machine: broken ones, and what they lose.", _EPILOG
    )
    result.add(f"""
        --agent NAME...  only this one's: {", ".join(written_by())}
        --show-paths     also print where the ten worst are, and the command that opens each
        --html PAGE      also write it as a page, readable by you alone
        --force          with --html: overwrite an existing file
        --jobs N         check up to N sessions at once (default: one for each core)
        --no-cache       check every session again
        """)
    add_format(result, ("text", "json"))
    add_color(result)
    return result


def run(options: argparse.Namespace) -> int:
    for agent in options.agent:
        if agent not in written_by():
            meant = closest(agent, tuple(written_by()))
            raise UsageError(f"There is no agent {agent!r}." + (f" Did you mean {meant}?" if meant else ""))
    _refuse_page(options)
    listed = index(Machine.here(), None, options.agent)
    sessions = _by_agent([one for one in listed if one.understood])
    census = Census(listed)
    if not sessions:
        say(" ".join(("No session of an agent was found on this machine.", *census.left_out())))
        return exits.UNREADABLE
    text = options.output_format == "text"
    style = style_for(sys.stdout, options.color)
    cache = None if options.no_cache else VerdictCache.of_user()
    try:
        _count(census, sessions, cache, options.jobs, style if text else None)
    finally:
        if cache is not None:
            cache.save()
    if text:
        _print(census, options.show_paths, style)
    else:
        out(dump({"version": 1, **census.as_json(options.show_paths)}, indent=2))
    if options.html is not None:
        _write_page(census, options)
    return exits.UNREADABLE if census.unreadable else exits.PROBLEMS if census.all.broken else exits.OK


def _refuse_page(options: argparse.Namespace) -> None:
    """Before anything is counted, which may take long."""
    if options.html is None:
        if options.force:
            raise UsageError("--force belongs to --html.")
        return
    refuse_name(options.html)
    if Path(options.html).exists() and not options.force:
        raise Refused(exists(options.html), "exists")


def _write_page(census: Census, options: argparse.Namespace) -> None:
    data = "".join(census_page(census, options.show_paths)).encode()
    save_as(options.html, [data], force=options.force)
    streams.note_saved()
    say(f"Wrote {safe(options.html)} ({size_text(len(data))}).")


def _by_agent(sessions: list[FoundSession]) -> list[FoundSession]:
    """Each agent's sessions together, those of the agent with the least to read first: its rows are soon there."""
    sizes: dict[str, int] = {}
    for one in sessions:
        sizes[one.title] = sizes.get(one.title, 0) + one.size
    return sorted(sessions, key=lambda one: (sizes[one.title], one.title))


def _count(
    census: Census,
    sessions: list[FoundSession],
    cache: VerdictCache | None,
    jobs: int | None,
    style: TerminalStyle | None,
) -> None:
    """Count the sessions; with a style print the rows of each agent as soon as they are known."""
    how = check.parser().parse_args(["."])
    how.profile, how.cached, how.counted = [], True, True
    asked = question(how, None)
    known = {one.path: found for one in sessions if cache is not None and (found := cache.find(one.path, asked))}
    left = [one for one in sessions if one.path not in known]
    workers = min(jobs or cores(), len(left))
    if left:
        size = sum(one.size for one in left)
        seconds = max(size / _BYTES, len(left) / _FILES) / workers
        about = f", about {seconds_text(seconds)}" if seconds >= _WORTH else ""
        say(f"Checking {plural(len(left), 'session')} of {len(sessions):,}, {size_text(size)}{about} …")
    width = max(len(one.title) for one in sessions) + len(" 1.18.331")
    if style is not None:
        out(style.dim(_heading("agent", width)))
    with FilesProgress([Input(one.path, walked=True) for one in left], "sessions") as bar:
        sources: Iterator[Answered] = ((source, []) for source in bar.sources)
        judged: Iterator[tuple[Input, list[Checked] | None]] = (
            judge_all(sources, how, workers, bar.read if bar.shown else None)
            if workers > 1
            else ((source, judge_file(source, how)) for source, _ in sources)
        )
        for title, those in groupby(sessions, lambda one: one.title):
            for one in those:
                found = known.get(one.path)
                census.add(one, found if found is not None else _found(judged, bar, cache))
            if style is not None and (rows := census.of_agents(title)):
                bar.clear()
                _rows(rows, width, style)
                streams.flush()


def _found(
    judged: Iterator[tuple[Input, list[Checked] | None]], bar: FilesProgress, cache: VerdictCache | None
) -> Findings | SessionError | None:
    """What is found in the next session; None in one without a history."""
    source, results = next(judged)
    bar.finish(source)
    if not results:
        return None
    result = results[0]
    if cache is not None and result.kept is not None:
        cache.keep(*result.kept)
    return result.findings if result.read else SessionError(result.entry["error"])


def _print(census: Census, paths: bool, style: TerminalStyle) -> None:
    """All but the rows of the agents, which are printed already."""
    months = census.of_months()
    width = max(len("month"), *map(len, months)) if months else 0
    out()
    out(style.dim(_heading("month", width)))
    _rows(months, width, style)
    if census.uneven is not None:
        out(style.dim(census.uneven))
    for name, rows in census.lists():
        if rows:
            out()
            out(style.dim(f"{name}, by sessions"))
        for count, id_, words in rows[:_LISTED]:
            for line in fitted(f"  {count:6,}  {id_}" + (f"  {words}" if words else ""), " " * 10):
                out(line)
        if len(rows) > _LISTED:
            out(f"          … and {len(rows) - _LISTED:,} more, which --html and --output-format json have")
    worst = list(census.of_worst(paths))
    if worst:
        out()
        out(style.dim("the worst") if paths else style.dim("the worst; --show-paths says which they are"))
    for (words, opening), times in Counter(worst).items():
        out(f"  {words}" + (f" ({times} such sessions)" if times > 1 else ""))
        if opening is not None:
            out(style.dim(f"    {safe(opening)}"))
        if streams.unread():
            return
    out()
    for sentence in (*census.left_out(), census.sentence):
        for line in fitted(sentence):
            out(style.bold(line) if sentence == census.sentence else line)


def _heading(head: str, width: int) -> str:
    return f"{head:<{width}} " + " ".join(f"{name:>8}" for name in COLUMNS)


def _rows(rows: dict[str, Counted], width: int, style: TerminalStyle) -> None:
    for name, one in rows.items():
        numbers = " ".join(f"{number:8,}" for number in one.numbers)
        out(f"{safe(name):<{width}} {style.code('33', numbers) if one.broken else numbers}")
