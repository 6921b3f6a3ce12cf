"""`toolpair fix`: take the recommended fixes, or chosen ones, and write the result."""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path
from typing import Final

from toolpair.cli import exits, inputs, streams
from toolpair.cli.choosing import apply_plan, read_plan
from toolpair.cli.difference import difference
from toolpair.cli.knowledge import rule_names
from toolpair.cli.outcome import Outcome, report
from toolpair.cli.output import dump
from toolpair.cli.satisfying import stage_for_all
from toolpair.cli.terminal import Parser, UsageError, add_common, add_leaf, chosen_profiles, out, say, style_for
from toolpair.session import Refused, Saved, Session

RECOMMENDED: Final = "recommended"
_EPILOG = """\
examples:
  toolpair fix session.jsonl --diff                look at what would change
  toolpair fix session.jsonl --in-place            mend it; the original stays beside it as a .bak
  toolpair fix history.json -o mended.json
  some-program | toolpair fix - -o - | next-program
  toolpair fix history.json -o out.json --choose result.missing=remove-call --ignore id
  toolpair fix history.json -o out.json --recipe keep
  toolpair fix history.json -o out.json --profile anthropic --profile mistral     valid for both

Without --recipe, --select or --choose the recommended fix of every error is taken. Guesses are never taken:
they need a person who has seen both sides, so open the file in the interface for them. `toolpair recipes`
lists other ways to choose, `toolpair compare FILE` says what each would do to a file, and lose.

A zstd-compressed file is unpacked, and packed again with --in-place or when OUT ends in .zst.

exit code: 0 written (or nothing to do) and valid, 1 written but errors are left, 2 not readable or wrong
usage, 3 refused and nothing written, 4 written but read the note, 5 the system failed while writing
"""


def parser(command: str = "fix") -> Parser:
    result = Parser(prog=f"toolpair {command}", description="Mend a session file.", epilog=_EPILOG)
    result.add_argument("file", metavar="FILE", help="the file to mend, a session's id, or - for standard input")
    where = result.add_argument_group("where the result goes (one of them)")
    where.add_argument("-o", "--output", metavar="OUT", help="write to OUT; - is standard output")
    where.add_argument("--in-place", action="store_true", help="write to FILE itself and keep the original beside it")
    where.add_argument("--diff", action="store_true", help="show what would change and write nothing")
    where.add_argument("--force", action="store_true", help="with -o: write over a file that exists")
    where.add_argument(
        "--allow-hard-links",
        action="store_true",
        help="with --in-place: although the file has other names; these keep the old content",
    )
    where.add_argument(
        "--keep-backups",
        type=int,
        metavar="N",
        help="with --in-place: delete the oldest backups until N are left (default: TOOLPAIR_BACKUPS, else all)",
    )
    what = result.add_argument_group("what is mended")
    what.add_argument(
        "--recipe",
        metavar="NAME",
        default=RECOMMENDED,
        help=f"how to choose (default: {RECOMMENDED}; `toolpair recipes` lists them)",
    )
    what.add_argument(
        "--max-id-length",
        type=int,
        metavar="N",
        help="of recipes that copy a system which cuts long ids: the longest that is left",
    )
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
    add_leaf(result)
    add_common(
        result,
        ("text", "json"),
        "print the lines that --diff shows whole, and in JSON what calls and results say; without it --diff prints "
        "what differs and a little around it, all else only ids, names and places",
        several="; may be given again: mended until each takes it",
    )
    return result


def run(options: argparse.Namespace) -> int:
    _validate(options)
    plan = read_plan(
        options.recipe, options.select, options.ignore, options.choose, rule_names(), options.max_id_length
    )
    options.file = inputs.named(options.file)
    profiles = chosen_profiles(options)
    session = inputs.opened(options, profiles[0] if profiles else None)
    if not options.diff:
        session.remember()
    stage_for_all(session, profiles, lambda: apply_plan(session, plan))
    # Taken now: a saved session begins anew and knows no more what was staged.
    outcome = Outcome.of(session, options.file, options.show_content, profiles, options.recipe)
    if options.diff:
        if options.output_format == "text":
            _show_difference(session, options)
        saved = None
    else:
        saved = _write(session, options)
    if saved is not None:
        streams.note_saved()
    as_json = options.output_format == "json"
    if as_json:
        out(dump(outcome.as_json(saved), indent=2))
    if not as_json or (saved is not None and streams.failed()):
        report(outcome, saved, style_for(sys.stderr, options.color), only_shown=options.diff)
    if saved is not None and options.in_place:
        for warning in session.look_around_after_saving():
            say(warning)
    if saved is not None and saved.notes:
        return exits.READ_THE_NOTE
    return exits.PROBLEMS if outcome.left else exits.OK


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
    if (options.allow_hard_links or options.keep_backups is not None) and not options.in_place:
        raise UsageError("--allow-hard-links and --keep-backups belong to --in-place.")
    if options.keep_backups is not None and options.keep_backups < 1:
        raise UsageError("--keep-backups takes a whole number from 1 on: the newest backup always stays.")
    if options.output == inputs.STDIN and sys.stdout is None:
        raise UsageError("The session would go to standard output, and that is closed; give -o OUT.")
    if options.output == inputs.STDIN and options.output_format == "json":
        raise UsageError("Standard output can hold the session or the JSON report, not both.")
    if options.output not in (None, inputs.STDIN) and _same_file(options.file, options.output):
        raise UsageError(f"{options.output} is the file itself; use --in-place, which keeps the original beside it.")


def _same_file(one: str, two: str) -> bool:
    try:
        return one != inputs.STDIN and os.path.samefile(one, two)
    except OSError:
        return False


def _show_difference(session: Session, options: argparse.Namespace) -> None:
    style = style_for(sys.stdout, options.color)
    if session.changed:
        for line in difference(session, options.file, style, options.show_content):
            out(line)


def _write(session: Session, options: argparse.Namespace) -> Saved | None:
    """None when no file was written: the result went to standard output, or there was nothing to do."""
    from toolpair.cli.progress import Progress

    if options.output == inputs.STDIN:
        streams.flush()
        for chunk in session.chunks():
            streams.write_bytes(chunk)
            if streams.unread():
                break
        if session.set_aside:
            say("What was set aside is not in the output; with -o OUT it is kept in a file beside OUT.")
        return None
    size = session.size + session.grown
    if options.output is not None:
        with Progress(size, f"writing {os.path.basename(options.output)}") as bar:
            return session.save_as(Path(options.output), force=options.force, progress=bar.advance)
    if not session.changed:
        return None
    try:
        saving = session.saving(options.allow_hard_links, options.keep_backups)
        with Progress(size, f"writing {os.path.basename(options.file)}") as bar:
            saving.write(bar.advance)
        return session.saved(saving)
    except Refused as error:
        if error.reason == "hard-links":
            raise Refused(f"{str(error).removesuffix('.')} (--allow-hard-links).", error.reason) from None
        raise
