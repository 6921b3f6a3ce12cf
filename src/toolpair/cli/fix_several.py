"""Fixing several files, each independently of the others, with one line of report each."""

from __future__ import annotations

import os
import sys
from collections import Counter
from collections.abc import Iterable
from typing import Any, Final

from toolpair.cli import exits, inputs, streams
from toolpair.cli.file_report import Entry
from toolpair.cli.files_progress import FilesProgress
from toolpair.cli.fixing import Fixed, Fixing
from toolpair.cli.main import explained
from toolpair.cli.terminal import TerminalStyle, dump, out, safe, say, style_for
from toolpair.session.session import SessionError
from toolpair.shell.program import command
from toolpair.source.errors import TooLarge, UnreadableFile
from toolpair.transcript.counting import plural

_WORST_FIRST: Final = (
    exits.IO_FAILED,
    exits.REFUSED,
    exits.UNREADABLE,
    exits.READ_THE_NOTE,
    exits.PROBLEMS,
    exits.OK,
)


def fix_several(work: Fixing) -> int:
    """Fix all the files; the exit code is the worst one."""
    names = work.options.files
    several = _Several(work)
    several.fix(inputs.collect(names))
    if inputs.HERE in names and not several.codes:
        # Nothing was found by walking: fix the newest session that an agent has in this folder.
        for source in inputs.newest_here():
            inputs.tell_leftovers(source.name)
            return work.one(source)
    if not several.codes:
        what = f"; `{command('formats')}` lists what is recognised" if several.skipped else ""
        say(f"No session was found in {', '.join(names)}{what}.")
        return exits.UNREADABLE
    several.end()
    return next(code for code in _WORST_FIRST if several.codes[code])


class _Several:
    def __init__(self, work: Fixing) -> None:
        self.work = work
        self.style = style_for(sys.stderr, work.options.color)
        self.codes: Counter[int] = Counter()
        self.skipped = 0
        self.changed = 0
        self.entries: list[Entry] = []

    def fix(self, sources: Iterable[inputs.Input]) -> None:
        looked_in: set[str] = set()
        with FilesProgress(sources) as bar:
            for source in bar.sources:
                if (folder := os.path.dirname(source.name)) not in looked_in:
                    looked_in.add(folder)
                    bar.clear()
                    inputs.tell_leftovers(source.name)
                self._one(source, bar)
                bar.finish(source)
                if streams.unread():
                    return

    def _one(self, source: inputs.Input, bar: FilesProgress) -> None:
        if source.walked and not inputs.may_be_session(source.name):
            self.skipped += 1
            return
        try:
            if source.name != inputs.STDIN and not source.walked and source.lacking is None:
                source = inputs.Input(inputs.named(source.name))
            session = self.work.opened(source)
        except (SessionError, UnreadableFile, OSError) as error:
            if source.walked and isinstance(error, SessionError) and not isinstance(error, TooLarge):
                self.skipped += 1
            else:
                self._failed(source.name, error, bar)
            return
        try:
            bar.clear()
            done = self.work.fixed(session, source.name)
        except Exception as error:
            self._failed(source.name, error, bar)
            return
        self.codes[done.code] += 1
        self.changed += done.outcome.changed
        bar.clear()
        if self.work.options.output_format == "json":
            self.entries.append(done.outcome.as_json(done.saved))
        else:
            streams.say(_report_line(done, self.work.options.diff, self.style) + "\n")
        self.work.look_around(session, done)

    def _failed(self, name: str, error: Exception, bar: FilesProgress) -> None:
        sentence, code = explained(error)
        self.codes[code] += 1
        bar.clear()
        if self.work.options.output_format == "json":
            self.entries.append({"path": name, "error": sentence})
        say(sentence if name in sentence else f"{name}: {sentence}")

    def end(self) -> None:
        failed = sum(self.codes[code] for code in (exits.IO_FAILED, exits.REFUSED, exits.UNREADABLE))
        counts = {"files": self.codes.total(), "changed": self.changed, "failed": failed, "skipped": self.skipped}
        if self.work.options.output_format == "json":
            out(dump({"version": 1, "files": self.entries, "summary": counts}, indent=2))
            return
        parts = [f"{self.changed:,} {'would be changed' if self.work.options.diff else 'changed'}"]
        parts += [f"{failed:,} failed"] if failed else []
        parts += [f"{plural(self.skipped, 'other file')} skipped"] if self.skipped else []
        streams.say(self.style.bold(f"{plural(counts['files'], 'session')}: {', '.join(parts)}.") + "\n")
        if self.changed and not self.work.options.diff:
            streams.say(f"Undo one: {command('restore FILE --backup latest')}\n")


def _report_line(done: Fixed, only_shown: bool, style: TerminalStyle) -> str:
    """The report line of one file."""
    outcome, saved = done.outcome, done.saved
    name = style.bold(safe(outcome.path))
    said: list[str] = []
    if outcome.changed:
        count = sum(one.count for one in outcome.staged)
        said.append(f"{plural(count, 'problem')} {'would be ' if only_shown else ''}fixed")
        said.append(f"loses {outcome.losses.text}" if outcome.losses else "loses nothing")
    elif not outcome.left:
        said.append("nothing to fix")
    if outcome.left:
        said.append(style.red(f"{plural(len(outcome.left), 'error')} left for you"))
    notes: list[Any] = [] if saved is None else list(saved.notes)
    if saved is not None and saved.backup is not None:
        said.append(f"original kept as {safe(saved.backup.name)}")
    if saved is not None and saved.aside is not None:
        said.append(f"what was set aside is in {safe(saved.aside.name)}")
    said += [style.severity("warning", f"note: {safe(note)}") for note in notes]
    return f"{name}: {', '.join(said)}"
