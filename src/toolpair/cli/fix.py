"""`toolpair fix`: apply the recommended fixes, or chosen ones, and write the result; of several files a line each."""

from __future__ import annotations

import argparse
import os
import sys
from collections import Counter
from collections.abc import Iterable
from typing import Any, Final

from toolpair.cli import exits, inputs, streams
from toolpair.cli.choosing import add_max_id_length, read_plan
from toolpair.cli.exits import UsageError
from toolpair.cli.file_report import Entry
from toolpair.cli.fixing import Fixed, Fixing
from toolpair.cli.main import explained
from toolpair.cli.progress import FilesProgress
from toolpair.cli.terminal import (
    Parser,
    TerminalStyle,
    add_common,
    add_leaf,
    add_options,
    chosen_profiles,
    dump,
    out,
    safe,
    say,
    style_for,
)
from toolpair.formats import address_of
from toolpair.session.session import SessionError
from toolpair.shell.program import command
from toolpair.source.errors import TooLarge, UnreadableFile
from toolpair.transcript.counting import plural

RECOMMENDED: Final = "recommended"
_EPILOG = """\
examples:
  toolpair fix session.jsonl --diff                show what would change
  toolpair fix session.jsonl --diff --output-format patch > session.patch
  toolpair fix ~/.claude/projects --in-place       every session in a directory, one line each
  toolpair fix session.jsonl --in-place            fix it; the original is kept beside it as a .bak
  toolpair fix history.json -o fixed.json
  some-program | toolpair fix - -o - | next-program
  toolpair fix history.json -o out.json --choose result.missing=remove-call --ignore id
  toolpair fix history.json -o out.json --recipe keep
  toolpair fix session.jsonl --for-error - --in-place   what an error that is pasted asks for, and nothing else
  toolpair fix history.json -o out.json --profile anthropic --profile mistral     valid for both

Without --recipe, --select or --choose, every error gets its recommended fix. Guesses are never applied: a person
has to see both sides, so open the file in the interface for those. `toolpair recipes` lists other ways to choose,
and `toolpair compare FILE` shows what each would do to a file, and lose.

A zstd-compressed file is unpacked, and compressed again with --in-place or when OUT ends in .zst; a patch is of the
unpacked content.

exit code: 0 written (or nothing to do) and valid, 1 written but errors are left, 2 unreadable or bad usage,
3 refused and nothing written, 4 written but read the note, 5 the system failed while writing. With --diff: 0 nothing
would change and no error is left, else 1. Several files: the worst, in the order 5, 3, 2, 4, 1, 0. With --for-error
2 also where it is not known what the text means in this file, 1 also where only some of its errors were answered, and
3 also where no fix is certain; nothing is written with 2 and 3
"""


def parser() -> Parser:
    result = Parser("fix", "Fix session files.", _EPILOG)
    result.add("""
        FILE...  a file, a session's id, a directory to walk, or - for standard input; several with --in-place or
                 --diff
        """)
    where = result.add_argument_group("where the result goes (one of them)")
    add_options(
        where,
        """
        -o, --output OUT    write to OUT; - is standard output
        --in-place          write to FILE itself; the original is kept beside it
        --diff              show what would change; write nothing
        --force             with -o: overwrite an existing file
        --allow-hard-links  with --in-place: even if the file has other hard links, which keep the old content
        --keep-backups N    with --in-place: delete the oldest backups until N are left (default: TOOLPAIR_BACKUPS,
                            else all)
        """,
    )
    what = result.add_argument_group("what is fixed")
    add_options(
        what,
        f"""
        --recipe NAME  how to choose (default: {RECOMMENDED}; `toolpair recipes` lists them), or a file of your own,
                       which ends in .toml
        """,
        recipe={"default": RECOMMENDED},
    )
    add_max_id_length(what)
    add_options(
        what,
        """
        --choose RULE=FIX...  apply this fix to every problem of the rule
        --select RULE,…...    fix only these, warnings and infos too; a family such as `result` names all its rules
        --ignore RULE,…...    do not fix these
        --for-error TEXT      do what this error asks for, and nothing else: its text as it was shown, or - to read it
                              from standard input; with --choose another way of what is offered there
        """,
    )
    add_leaf(result)
    add_common(
        result,
        ("text", "json", "patch"),
        "--diff prints whole lines, JSON what calls and results say; without it --diff prints what differs with a "
        "little around it, everything else only ids, names and places",
        several="; may be given again: fixed until each accepts it",
    )
    return result


def run(options: argparse.Namespace) -> int:
    _validate(options)
    plan = read_plan(options)
    work = Fixing(options, plan, chosen_profiles(options), _error_of(options))
    if _are_several(options):
        return fix_several(work)
    name = inputs.named(options.files[0])
    inputs.tell_leftovers(name)
    return work.one(inputs.Input(name))


def _error_of(options: argparse.Namespace) -> str | None:
    """The error text that was given. Raises UsageError."""
    if options.for_error is None:
        return None
    if options.recipe != RECOMMENDED or options.select or options.ignore:
        raise UsageError("--for-error says what is fixed; --recipe, --select and --ignore do not apply.")
    if _are_several(options):
        raise UsageError("An error text is about one session; give one file.")
    if options.for_error != inputs.STDIN:
        return str(options.for_error)
    if inputs.STDIN in options.files:
        raise UsageError("Standard input can be the error text or the file, not both.")
    from toolpair.cli.pasted import pasted

    return pasted()


def _are_several(options: argparse.Namespace) -> bool:
    """With -o, `.` can only mean this folder's newest session, and a folder of sessions its only one."""
    first, *others = options.files
    is_one = options.output is not None and (first == inputs.HERE or address_of(first) is not None)
    return bool(others) or (os.path.isdir(first) and not is_one)


def _validate(options: argparse.Namespace) -> None:
    targets = sum((options.output is not None, options.in_place, options.diff))
    if targets != 1:
        raise UsageError(
            "Say where the result goes: -o OUT, or --in-place, or --diff to look first."
            if not targets
            else "Only one of -o, --in-place and --diff can be given."
        )
    if options.output is not None and _are_several(options):
        raise UsageError(
            f"-o takes the result of one file, not of {', '.join(options.files)}; "
            "give --in-place, or --diff to look first."
        )
    if options.in_place and inputs.STDIN in options.files:
        raise UsageError("Standard input cannot be fixed in place; give -o OUT, or -o - for standard output.")
    if options.force and options.output is None:
        raise UsageError("--force belongs to -o.")
    if (options.allow_hard_links or options.keep_backups is not None) and not options.in_place:
        raise UsageError("--allow-hard-links and --keep-backups belong to --in-place.")
    if options.keep_backups is not None and options.keep_backups < 1:
        raise UsageError("--keep-backups takes a whole number of at least 1: the newest backup is always kept.")
    if options.output == inputs.STDIN and sys.stdout is None:
        raise UsageError("The session would go to standard output, and that is closed; give -o OUT.")
    if options.output == inputs.STDIN and options.output_format == "json":
        raise UsageError("Standard output can hold the session or the JSON report, not both.")
    if options.output_format == "patch" and not options.diff:
        raise UsageError("--output-format patch belongs to --diff.")
    if options.leaf is not None and _are_several(options):
        raise UsageError("--leaf names a record of one session; give one file.")
    named = options.files[0] != inputs.STDIN and options.output not in (None, inputs.STDIN)
    if named and inputs.same_file(options.files[0], options.output):
        raise UsageError(f"{options.output} is the file itself; use --in-place, which keeps the original beside it.")


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
        with FilesProgress(sources) as bar:
            for source in bar.sources:
                bar.tell_leftovers(source)
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
    elif not outcome.left and not outcome.still_lost:
        said.append("nothing to fix")
    if outcome.left:
        said.append(style.red(f"{plural(len(outcome.left), 'error')} left for you"))
    if outcome.still_lost:
        many = plural(len(outcome.still_lost), "problem")
        said.append(style.severity("warning", f"{many} left: something is still lost on resume"))
    notes: list[Any] = [] if saved is None else list(saved.notes)
    if saved is not None and saved.backup is not None:
        said.append(f"original kept as {safe(saved.backup.name)}")
    if saved is not None and saved.aside is not None:
        said.append(f"what was set aside is in {safe(saved.aside.name)}")
    said += [style.severity("warning", f"note: {safe(note)}") for note in notes]
    return f"{name}: {', '.join(said)}"
