"""Fixing one file: apply what was chosen, and show or write the result."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from typing import Final

from msgspec import Struct

from toolpair.cli import exits, inputs, streams
from toolpair.cli.choosing import Plan, apply_plan
from toolpair.cli.ci import from_here
from toolpair.cli.outcome import Outcome, report
from toolpair.cli.progress import Progress
from toolpair.cli.terminal import TerminalStyle, dump, out, safe, say, style_for
from toolpair.formats import address_of
from toolpair.formats.engine.agents.databases import named_sessions
from toolpair.session.saving import Saved, attempted, in_the_way, set_aside
from toolpair.session.session import Refused, Session, SessionError
from toolpair.shell.program import command
from toolpair.source.addresses import divided
from toolpair.source.changes import Change
from toolpair.text.file_diffs import both_sides
from toolpair.text.inline_diff import Folded, Hunk, decoded, folded, hunks
from toolpair.text.shell import shell_word
from toolpair.transcript.counting import plural


class Fixed(Struct, frozen=True):
    """What happened to one file."""

    outcome: Outcome
    saved: Saved | None
    code: int


class Fixing(Struct, frozen=True):
    """What `fix` was asked to do with each file."""

    options: argparse.Namespace
    plan: Plan
    profiles: Sequence[str]
    error: str | None = None
    """A text: what it asks for is done, and nothing else."""

    def one(self, source: inputs.Input) -> int:
        """Fix the only file, with a full report. Raises what sessions and saves raise."""
        session = self.opened(source)
        done = self.fixed(session, source.name)
        as_json = self.options.output_format == "json"
        if as_json:
            out(dump(done.outcome.as_json(done.saved), indent=2))
        if not as_json or (done.saved is not None and streams.failed()):
            report(done.outcome, done.saved, style_for(sys.stderr, self.options.color), only_shown=self.options.diff)
        self.look_around(session, done)
        _tell_others(source.name, session)
        return done.code

    def opened(self, source: inputs.Input) -> Session:
        """The file opened with the user's options. Raises SessionError."""
        if self.options.in_place:
            inputs.finish_killed_save(source.name)
        return source.open(self.options, self.profiles[0] if self.profiles else None)

    def fixed(self, session: Session, name: str) -> Fixed:
        """Apply what was chosen and show or write it. Raises Refused, SaveFailed or SessionError."""
        options = self.options
        if not options.diff:
            session.remember()
        if self.error is not None:
            from toolpair.cli.for_error import stage_for_error

            unanswered = stage_for_error(session, self.error, self.plan.choices)
        else:
            unanswered = 0
            stage_for_all(session, self.profiles, lambda: apply_plan(session, self.plan))
        # Taken now: after saving, the session starts afresh and no longer knows what was staged.
        outcome = Outcome.of(session, name, options.show_content, self.profiles, options.recipe)
        if options.diff:
            self._show(session, name)
            return Fixed(outcome, None, exits.PROBLEMS if outcome.left or outcome.changed else exits.OK)
        if options.output is not None and outcome.left and session.format.read_only is not None:
            raise Refused(f"{name} has {plural(len(outcome.left), 'error')}. {session.format.read_only}")
        saved = self._write(session, name)
        if saved is not None:
            streams.note_saved()
        if saved is not None and saved.notes:
            return Fixed(outcome, saved, exits.READ_THE_NOTE)
        return Fixed(outcome, saved, exits.PROBLEMS if outcome.left or unanswered else exits.OK)

    def look_around(self, session: Session, done: Fixed) -> None:
        """Warn about other processes that work with a file that was saved in place."""
        if done.saved is not None and self.options.in_place:
            none: tuple[str, ...] = ()
            found, failed = attempted("who else works with the file", session.look_around, none)
            for warning in (*found, *failed):
                say(warning)

    def _show(self, session: Session, name: str) -> None:
        if not session.changed:
            return
        if self.options.output_format == "patch":
            self._patch(session, name)
        elif self.options.output_format == "text":
            for line in difference(session, name, style_for(sys.stdout, self.options.color), self.options.show_content):
                out(line)

    def _patch(self, session: Session, name: str) -> None:
        if session.file.kind == "python" or (name != inputs.STDIN and not session.file.writable):
            raise SessionError(f"{name} cannot be written back, so there is no patch of it: -o OUT writes the result.")

        streams.flush()
        from toolpair.source.patch import unified

        shown = name if name == inputs.STDIN else from_here(name)
        for piece in unified(session.file.runs(session.conversations), session.file.snapshot.data, shown):
            streams.write_bytes(piece)
            if streams.unread():
                return

    def _write(self, session: Session, name: str) -> Saved | None:
        """None when no file was written: the result went to standard output, or there was nothing to do."""
        options = self.options
        if options.output == inputs.STDIN:
            streams.flush()
            for chunk in session.chunks():
                streams.write_bytes(chunk)
                if streams.unread():
                    break
            if set_aside(session.conversations):
                say("What was set aside is not in the output; with -o OUT it is kept in a file beside OUT.")
            return None
        size = session.file.size + session.staging.grown
        if options.output is not None:
            with Progress(size, f"writing {os.path.basename(options.output)}") as bar:
                return session.save_as(options.output, force=options.force, progress=bar.advance)
        if not session.changed:
            return None
        try:
            saving = session.saving(options.allow_hard_links, options.keep_backups)
            with Progress(size, f"writing {os.path.basename(name)}") as bar:
                saving.write(bar.advance)
            return saving.saved()
        except Refused as error:
            if error.reason == "hard-links":
                raise Refused(f"{str(error).removesuffix('.')} (--allow-hard-links).", error.reason) from None
            if error.reason == "in-the-way":
                rules = dict.fromkeys(problem.rule for problem, _ in in_the_way(session.conversation))
                ways = " ".join(f"--choose {rule}=set-aside" for rule in rules)
                raise Refused(f"{str(error).removesuffix('.')} ({ways}).", error.reason) from None
            raise


def _tell_others(name: str, session: Session) -> None:
    """Report the sessions of sub-agents where a database or a folder was named and the user's only one was opened."""
    address = session.file.address
    if address is None or address_of(name) is not None or divided(name)[1] is not None or not os.path.exists(name):
        return
    try:
        others = len(named_sessions(name)[0]) - 1
    except SessionError:
        return
    if others > 0:
        they = "a sub-agent, which was left as it is" if others == 1 else "sub-agents, which were left as they are"
        say(f"{name} also holds {plural(others, 'session')} of {they}: `{command('check')} {shell_word(name)}`.")


_ROUNDS: Final = 4
"""One provider's fix may break another's rule. Beyond this many rounds no order helps."""


def stage_for_all(session: Session, profiles: Sequence[str], stage: Callable[[], None]) -> None:
    """Let `stage` apply fixes with the session checked by each profile in turn; afterwards the first one is active.

    With fewer than two profiles the session keeps its own.
    """
    if len(profiles) < 2:
        stage()
        return
    for _ in range(_ROUNDS):
        before = len(session.staged)
        for name in profiles:
            session.set_profile(name)
            stage()
        if len(session.staged) == before:
            break
    session.set_profile(profiles[0])


_LONGEST: Final = 400
"""Maximum characters of a line that is added or removed as a whole."""


def difference(session: Session, name: str, style: TerminalStyle, whole: bool) -> Iterator[str]:
    """A diff of the file against what would be saved, as lines; with `whole` nothing is left out or folded."""
    yield style.bold(f"--- {safe(name)}")
    yield style.bold(f"+++ {safe(name)} (after the fixes)")
    changes = session.staging.changes()
    for change in changes if whole else folded(changes):
        yield from _folded(change, style) if isinstance(change, Folded) else _change(change, style, whole)


def _folded(found: Folded, style: TerminalStyle) -> Iterator[str]:
    lines = [change.line for change in found.changes if change.line is not None]
    where = f"{len(lines):,} lines, {min(lines):,} to {max(lines):,}" if lines else plural(len(found.changes), "record")
    if len(lines) == 1:
        where = f"line {lines[0]:,}"
    yield style.dim(f"@@ {where}: only {safe(found.text)} @@")


def _change(change: Change, style: TerminalStyle, whole: bool) -> Iterator[str]:
    where = f"line {change.line:,}" if change.line is not None else "new"
    if change.count > 1:
        where = f"{change.count:,} lines from {where} on"
    if not change.count:
        where += ", outside of the records"
    if change.record is not None:
        where += f", record {change.record}"
    yield style.dim(f"@@ {where}: {change.kind} @@")
    before, after = change.before, change.after
    if before is not None and after is not None and change.count < 2:
        if before != after:
            for hunk in hunks(before, after, None) if whole else hunks(before, after):
                # With marks, as the interface shows it; without colour one line, with brackets.
                yield from _two_lines(hunk, style) if style.on else _one_line(hunk)
        return
    if before is not None:
        yield from _lines("-", before, style.red, whole)
    if change.count > 1:
        yield style.dim("… and so on")
    if after is not None and not (change.kind == "moved" and after == before):
        yield from _lines("+", after, style.green, whole)


def _two_lines(hunk: Hunk, style: TerminalStyle) -> Iterator[str]:
    """What was there and what is there now; on several lines if the record spans several."""
    sides = both_sides(hunk)
    for sign, marks, colour, mark in (("-", sides[0], style.red, "7;31"), ("+", sides[1], style.green, "7;32")):
        shown = ""
        for whole, kind in marks:
            for number, text in enumerate(whole.replace("\r\n", "\n").split("\n")):
                if number:
                    yield f"{colour(sign)} {shown}"
                    shown = ""
                text = safe(text)
                shown += style.code(mark, text) if kind == "only" else style.dim(text) if kind == "left out" else text
        yield f"{colour(sign)} {shown}"


def _one_line(hunk: Hunk) -> Iterator[str]:
    shown = ""
    for piece in hunk:
        for number, text in enumerate(piece.text.replace("\r\n", "\n").split("\n")):
            if number:
                yield f"  {shown}"
                shown = ""
            text = safe(text)
            shown += {"old": f"[-{text}-]", "new": f"{{+{text}+}}"}.get(piece.kind, text) if text else ""
    yield f"  {shown}"


def _lines(mark: str, data: bytes, colour: Callable[[str], str], whole: bool) -> Iterator[str]:
    for line in decoded(data).strip("\r\n").split("\n"):
        if not whole and len(line) > _LONGEST:
            line = f"{line[:_LONGEST]}… {len(line) - _LONGEST:,} more characters"
        yield colour(f"{mark}{safe(line)}")
