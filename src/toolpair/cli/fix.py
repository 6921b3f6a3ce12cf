"""`toolpair fix`: take the recommended fixes, or chosen ones, and write the result."""

from __future__ import annotations

import argparse
import os
import shlex
import sys
from pathlib import Path
from typing import Final

from toolpair.cli import exits, inputs
from toolpair.cli.choosing import apply_plan, read_plan
from toolpair.cli.difference import difference
from toolpair.cli.output import dump, plural
from toolpair.cli.report import Entry, problem_entry
from toolpair.cli.terminal import Parser, Style, UsageError, add_common, one_profile, out, safe, style_for
from toolpair.session import Problem, Saved, Session

RECOMMENDED: Final = "recommended"
_LISTED: Final = 20
_EPILOG = """\
examples:
  toolpair fix session.jsonl --diff                look at what would change
  toolpair fix session.jsonl --in-place            mend it; the original stays beside it as a .bak
  toolpair fix history.json -o mended.json
  some-program | toolpair fix - -o - | next-program
  toolpair fix history.json -o out.json --choose result.missing=remove-call --ignore id

Without --select or --choose the recommended fix of every error is taken. Guesses are never taken: they
need a person who has seen both sides, so open the file in the interface for them.

exit code: 0 written (or nothing to do) and valid, 1 written but errors are left, 2 not readable or wrong
usage, 3 refused and nothing written, 4 written but read the note, 5 the system failed while writing
"""


def parser(command: str = "fix") -> Parser:
    result = Parser(prog=f"toolpair {command}", description="Mend a session file.", epilog=_EPILOG)
    result.add_argument("file", metavar="FILE", help="the file to mend, or - for standard input")
    where = result.add_argument_group("where the result goes (one of them)")
    where.add_argument("-o", "--output", metavar="OUT", help="write to OUT; - is standard output")
    where.add_argument("--in-place", action="store_true", help="write to FILE itself and keep the original beside it")
    where.add_argument("--diff", action="store_true", help="show what would change and write nothing")
    where.add_argument("--force", action="store_true", help="with -o: write over a file that exists")
    what = result.add_argument_group("what is mended")
    what.add_argument("--recipe", metavar="NAME", default=RECOMMENDED, help=f"how to choose (default: {RECOMMENDED})")
    what.add_argument(
        "--choose", action="append", default=[], metavar="RULE=FIX", help="take this fix for every problem of the rule"
    )
    what.add_argument(
        "--select",
        action="append",
        default=[],
        metavar="RULE,…",
        help="mend these alone, warnings and infos too; a family such as `result` names all its rules",
    )
    what.add_argument("--ignore", action="append", default=[], metavar="RULE,…", help="leave these as they are")
    add_common(result, ("text", "json"))
    return result


def run(options: argparse.Namespace) -> int:
    _validate(options)
    plan = read_plan(options.recipe, options.select, options.ignore, options.choose, _rule_names())
    session = inputs.Input(options.file).open(options.format, one_profile(options))
    apply_plan(session, plan)
    left = list(session.left)
    if options.diff:
        _show_difference(session, options)
        return exits.PROBLEMS if left else exits.OK
    return _write(session, options, left)


def _validate(options: argparse.Namespace) -> None:
    targets = sum((options.output is not None, options.in_place, options.diff))
    if targets != 1:
        raise UsageError(
            "Say where the result goes: -o OUT, or --in-place, or --diff to look first."
            if not targets
            else "Only one of -o, --in-place and --diff can be given."
        )
    if options.in_place and options.file == inputs.STDIN:
        raise UsageError("Standard input cannot be mended in place; give -o OUT, or -o - for standard output.")
    if options.force and options.output is None:
        raise UsageError("--force belongs to -o.")
    if options.output == inputs.STDIN and options.output_format == "json":
        raise UsageError("Standard output can hold the session or the JSON report, not both.")
    if options.output not in (None, inputs.STDIN) and _same_file(options.file, options.output):
        raise UsageError(f"{options.output} is the file itself; use --in-place, which keeps the original beside it.")


def _same_file(one: str, two: str) -> bool:
    try:
        return one != inputs.STDIN and os.path.samefile(one, two)
    except OSError:
        return False


def _rule_names() -> list[str]:
    from toolpair.cli.knowledge import rule_names

    return rule_names()


def _show_difference(session: Session, options: argparse.Namespace) -> None:
    if options.output_format == "json":
        out(dump(_as_json(session, options, None), indent=2))
        return
    style = style_for(sys.stdout, options.no_color)
    if session.changed:
        for line in difference(session, options.file, style, options.show_content):
            out(line)
    _Report(session, options).print(None, list(session.left))


def _write(session: Session, options: argparse.Namespace, left: list[Problem]) -> int:
    saved: Saved | None = None
    if options.output == inputs.STDIN:
        sys.stdout.flush()
        for chunk in session.chunks():
            sys.stdout.buffer.write(chunk)
        sys.stdout.buffer.flush()
    elif options.output is not None:
        saved = session.save_as(Path(options.output), force=options.force)
    elif session.changed:
        saved = session.save()
    if options.output_format == "json":
        out(dump(_as_json(session, options, saved), indent=2))
    else:
        _Report(session, options).print(saved, left)
    if saved is not None and saved.notes:
        return exits.READ_THE_NOTE
    return exits.PROBLEMS if left else exits.OK


def _as_json(session: Session, options: argparse.Namespace, saved: Saved | None) -> Entry:
    staged = [
        {
            "title": one.title,
            "rules": list(one.rules),
            "fixes": list(one.fix_ids),
            "problems": one.problems,
            "lines_changed": one.lines_changed,
            "lines_added": one.lines_added,
            "lines_removed": one.lines_removed,
            "loses": one.loses,
        }
        for one in session.staged
    ]
    remaining = [
        problem_entry(session, conversation, problem, options.show_content)
        for conversation in session.conversations
        for problem in conversation.problems
        if problem.severity == "error"
    ]
    return {
        "version": 1,
        "path": options.file,
        "output": str(saved.path) if saved else None,
        "backup": str(saved.backup) if saved and saved.backup else None,
        "changed": session.changed,
        "fixed": staged,
        "left": remaining,
        "notes": list(saved.notes) if saved else [],
        "resume": saved.resume if saved else None,
    }


class _Report:
    """What was mended, what is left, where the original is and how to go on: for the person, on standard error."""

    def __init__(self, session: Session, options: argparse.Namespace) -> None:
        self.session = session
        self.options = options
        self.style: Style = style_for(sys.stderr, options.no_color)

    def print(self, saved: Saved | None, left: list[Problem]) -> None:
        name = safe(self.options.file)
        verb = "would be mended" if self.options.diff else "mended"
        if self.session.changed:
            self._line(self.style.bold(f"{name}: {verb}"))
            self._staged()
        elif left:
            self._line(self.style.bold(f"{name}: nothing was changed."))
        else:
            self._line(self.style.bold(f"{name}: nothing to mend."))
        self._left(left)
        if saved is None:
            return
        self._line(f"  written to {safe(saved.path)}")
        if saved.backup is not None:
            self._line(f"  the original is kept as {safe(saved.backup)}")
            self._line(f"  to get it back: toolpair restore {safe(shlex.quote(self.options.file))} --backup latest")
        for note in saved.notes:
            self._line(self.style.severity("warning", f"  note: {safe(note)}"))
        if saved.resume and not left:
            self._line(f"  to go on: {safe(saved.resume)}")

    def _staged(self) -> None:
        for one in self.session.staged:
            counts = ((one.lines_changed, "changed"), (one.lines_added, "added"), (one.lines_removed, "removed"))
            parts = [f"{plural(count, 'line')} {what}" for count, what in counts if count]
            parts.append(f"loses {safe(one.loses)}" if one.loses else "loses nothing")
            self._line(f"  {one.count} × {safe(one.title)}  ({', '.join(parts)})")

    def _left(self, left: list[Problem]) -> None:
        if not left:
            return
        one = len(left) == 1
        self._line(self.style.red(f"  {plural(len(left), 'error')} {'is' if one else 'are'} left for you:"))
        for problem in left[:_LISTED]:
            why = f" {safe(problem.no_fix)}" if problem.no_fix else ""
            self._line(f"    {problem.rule}  {safe(problem.text)}{why}")
        if len(left) > _LISTED:
            self._line(f"    and {len(left) - _LISTED:,} more: toolpair check shows them all")

    @staticmethod
    def _line(text: str) -> None:
        sys.stderr.write(text + "\n")
