"""`toolpair census`: all sessions of the agents on this machine, counted."""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from typing import Final

from msgspec import Struct

from toolpair.agents.catalog import index
from toolpair.cli import check, exits, streams
from toolpair.cli.exits import UsageError
from toolpair.cli.file_report import Answered, Checked, Entry, judge_file, question
from toolpair.cli.inputs import Input
from toolpair.cli.jobs import cores, judge_all
from toolpair.cli.meant import closest
from toolpair.cli.progress import FilesProgress
from toolpair.cli.terminal import Parser, TerminalStyle, add_color, add_format, dump, out, safe, say, style_for
from toolpair.formats import written_by
from toolpair.formats.agent import FoundSession
from toolpair.rules.causes.known_causes import cause_page
from toolpair.session.session import SessionError
from toolpair.session.verdict_cache import Findings, VerdictCache
from toolpair.shell.machine import Machine
from toolpair.shell.program import command
from toolpair.text.shell import shell_word
from toolpair.text.short import size_text
from toolpair.transcript.counting import plural

_WORST: Final = 10
_EPILOG: Final = """\
examples:
  toolpair census                       how many sessions are broken, and what is lost in them
  toolpair census --agent codex
  toolpair census --output-format json --show-paths

Names of agents, versions, rules and causes are printed, and numbers; nothing of a session, and no path unless
--show-paths. Sessions are checked as `check` does in a directory: by the newest version of their agent that was
measured. What was checked before and has not changed is not read again.

exit code: 0 none is broken, 1 some are, 2 there are none, or some could not be read
"""


def parser() -> Parser:
    result = Parser(
        "census", "Count all sessions of the agents on this machine: broken ones, and what they lose.", _EPILOG
    )
    result.add(f"""
        --agent NAME...  only this one's: {", ".join(written_by())}
        --show-paths     also print where the ten worst are, and the command that opens each
        --jobs N         check up to N sessions at once (default: one for each core)
        --no-cache       check every session again
        """)
    add_format(result, ("text", "json"))
    add_color(result)
    return result


class Counted(Struct):
    """What was found in sessions that have something in common."""

    sessions: int = 0
    calls: int = 0
    outputs: int = 0
    unsent: int = 0
    refused: int = 0
    losing: int = 0

    @property
    def broken(self) -> int:
        return self.refused + self.losing

    def add(self, found: Findings) -> None:
        self.sessions += 1
        self.calls += found.counts["calls"]
        self.outputs += found.outputs
        self.unsent += found.unsent
        self.refused += found.outlook == "stops"
        self.losing += found.outlook == "loses"

    def as_json(self) -> Entry:
        return {name: getattr(self, name) for name in self.__struct_fields__} | {"broken": self.broken}


class Census:
    """The counts, by agent and version, month, rule and cause."""

    def __init__(self) -> None:
        self.all = Counted()
        self.unreadable = 0
        self.empty = 0
        """Files in an agent's folder in which there is no history."""
        self.agents: dict[tuple[str, str], Counted] = {}
        self.months: dict[str, Counted] = {}
        self.rules: Counter[str] = Counter()
        self.causes: Counter[str] = Counter()
        self.worst: list[tuple[FoundSession, Findings]] = []

    def add(self, session: FoundSession, found: Findings | SessionError | None) -> None:
        if found is None or isinstance(found, SessionError):
            self.empty += found is None
            self.unreadable += found is not None
            return
        month = datetime.fromtimestamp(session.modified, UTC).strftime("%Y-%m")
        agent = session.title, found.agent_version or ""
        for counted in (self.all, self.agents.setdefault(agent, Counted()), self.months.setdefault(month, Counted())):
            counted.add(found)
        if found.outlook != "ready":
            self.rules.update(found.rules.keys())
            self.causes.update(found.causes.keys())
            self.worst.append((session, found))
            self.worst.sort(key=lambda one: (-one[1].unsent, one[1].outlook != "stops", -one[1].errors))
            del self.worst[_WORST:]

    @property
    def sentence(self) -> str:
        found = self.all
        if not found.broken:
            told = "none is broken"
        else:
            parts = [f"{found.refused:,} would be refused"] if found.refused else []
            parts += [f"{found.losing:,} would lose something"] if found.losing else []
            told = f"{found.broken:,} {'is' if found.broken == 1 else 'are'} broken ({', '.join(parts)})"
        lost = f"{found.unsent:,} of {plural(found.outputs, 'output')} would not be sent again"
        return f"Of {plural(found.sessions, 'session')} {told}; {lost}."


def run(options: argparse.Namespace) -> int:
    for agent in options.agent:
        if agent not in written_by():
            meant = closest(agent, tuple(written_by()))
            raise UsageError(f"There is no agent {agent!r}." + (f" Did you mean {meant}?" if meant else ""))
    sessions = [one for one in index(Machine.here(), None, options.agent) if one.understood]
    if not sessions:
        say("No session of an agent was found on this machine.")
        return exits.UNREADABLE
    census = Census()
    cache = None if options.no_cache else VerdictCache.of_user()
    try:
        for session, found in _found(sessions, cache, options.jobs):
            census.add(session, found)
    finally:
        if cache is not None:
            cache.save()
    if options.output_format == "json":
        out(dump({"version": 1, **_as_json(census, options.show_paths)}, indent=2))
    else:
        _print(census, options.show_paths, style_for(sys.stdout, options.color))
    return exits.UNREADABLE if census.unreadable else exits.PROBLEMS if census.all.broken else exits.OK


def _found(
    sessions: list[FoundSession], cache: VerdictCache | None, jobs: int | None
) -> Iterator[tuple[FoundSession, Findings | SessionError | None]]:
    """What is found in each session, in their order; None in one without a history."""
    how = check.parser().parse_args(["."])
    how.profile, how.cached, how.counted = [], True, True
    asked = question(how, None)
    known = {one.path: cache.find(one.path, asked) if cache is not None else None for one in sessions}
    left = [one for one in sessions if known[one.path] is None]
    if left:
        size = sum(one.size for one in left)
        say(f"Checking {plural(len(left), 'session')} of {len(sessions):,}, {size_text(size)} …")
    with FilesProgress([Input(one.path, walked=True) for one in left]) as bar:
        sources: Iterator[Answered] = ((source, []) for source in bar.sources)
        workers = min(jobs or cores(), len(left))
        judged: Iterator[tuple[Input, list[Checked] | None]] = (
            judge_all(sources, how, workers, bar.read if bar.shown else None)
            if workers > 1
            else ((source, judge_file(source, how)) for source, _ in sources)
        )
        for one in sessions:
            if known[one.path] is not None:
                yield one, known[one.path]
                continue
            source, results = next(judged)
            bar.finish(source)
            result = results[0] if results else None
            if cache is not None and result is not None and result.kept is not None:
                cache.keep(*result.kept)
            if result is None or result.read:
                yield one, result.findings if result is not None else None
            else:
                yield one, SessionError(result.entry["error"])


def _as_json(census: Census, paths: bool) -> Entry:
    return {
        **census.all.as_json(),
        "unreadable": census.unreadable,
        "empty": census.empty,
        "agents": [
            {"agent": agent, "agent_version": version or None, **counted.as_json()}
            for (agent, version), counted in sorted(census.agents.items(), key=_most)
        ],
        "months": [{"month": month, **counted.as_json()} for month, counted in sorted(census.months.items())],
        "rules": [{"rule": rule, "sessions": count} for rule, count in census.rules.most_common()],
        "causes": [{"cause": cause, "sessions": count} for cause, count in census.causes.most_common()],
        "worst": [
            {
                "agent": session.title,
                "outlook": found.outlook,
                "unsent": found.unsent,
                "outputs": found.outputs,
                "rules": found.rules,
                **({"path": session.path} if paths else {}),
            }
            for session, found in census.worst
        ],
    }


def _most(item: tuple[tuple[str, str], Counted]) -> tuple[int, int, tuple[str, str]]:
    return -item[1].broken, -item[1].sessions, item[0]


def _print(census: Census, paths: bool, style: TerminalStyle) -> None:
    out(style.bold(census.sentence))
    if census.unreadable:
        out(f"{plural(census.unreadable, 'more session')} could not be read.")
    _table("agent", {_agent(*key): one for key, one in sorted(census.agents.items(), key=_most)}, style)
    _table("month", dict(sorted(census.months.items())), style)
    _counts("rules", census.rules, lambda rule: rule, style)
    _counts("causes", census.causes, _cause, style)
    if census.worst:
        out()
        out(style.bold("the worst"))
    for session, found in census.worst:
        lost = f"{found.unsent:,} of {plural(found.outputs, 'output')} not sent again"
        out(f"  {session.title}: {found.badge}; {lost}")
        if paths:
            out(style.dim(f"    {command(safe(shell_word(session.path)))}"))
        if streams.unread():
            return
    if census.worst and not paths:
        out(style.dim("  --show-paths says which they are"))


def _agent(title: str, version: str) -> str:
    return f"{title} {safe(version)}" if version else title


def _cause(id_: str) -> str:
    page = cause_page(id_)
    return f"{id_}  {page.text}" if page is not None else id_


def _table(head: str, rows: dict[str, Counted], style: TerminalStyle) -> None:
    width = max(len(head), *map(len, rows)) if rows else len(head)
    out()
    out(style.dim(f"{head:<{width}}  sessions    calls  outputs  broken  refused  not sent"))
    for name, one in rows.items():
        numbers = f"{one.sessions:8,} {one.calls:8,} {one.outputs:8,} {one.broken:7,} {one.refused:8,} {one.unsent:9,}"
        out(f"{name:<{width}}  {style.code('33', numbers) if one.broken else numbers}")


def _counts(head: str, counts: Counter[str], named: Callable[[str], str], style: TerminalStyle) -> None:
    if counts:
        out()
        out(style.dim(f"{head}, by sessions"))
    for name, count in counts.most_common():
        out(f"  {count:6,}  {named(name)}")
