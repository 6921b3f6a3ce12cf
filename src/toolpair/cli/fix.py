"""`toolpair fix`: apply the recommended fixes, or chosen ones, and write the result."""

from __future__ import annotations

import argparse
import os
import sys
from typing import Final

from toolpair.cli import inputs
from toolpair.cli.choosing import read_plan
from toolpair.cli.exits import UsageError
from toolpair.cli.fix_several import fix_several
from toolpair.cli.fixing import Fixing
from toolpair.cli.knowledge import rule_names
from toolpair.cli.terminal import Parser, add_common, add_leaf, chosen_profiles

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
  toolpair fix history.json -o out.json --profile anthropic --profile mistral     valid for both

Without --recipe, --select or --choose, every error gets its recommended fix. Guesses are never applied: a person
has to see both sides, so open the file in the interface for those. `toolpair recipes` lists other ways to choose,
and `toolpair compare FILE` shows what each would do to a file, and lose.

A zstd-compressed file is unpacked, and compressed again with --in-place or when OUT ends in .zst; a patch is of the
unpacked content.

exit code: 0 written (or nothing to do) and valid, 1 written but errors are left, 2 unreadable or bad usage,
3 refused and nothing written, 4 written but read the note, 5 the system failed while writing. With --diff: 0 nothing
would change and no error is left, else 1. Several files: the worst, in the order 5, 3, 2, 4, 1, 0
"""


def parser(command: str = "fix") -> Parser:
    result = Parser(prog=f"toolpair {command}", description="Fix session files.", epilog=_EPILOG)
    result.add_argument(
        "files",
        nargs="+",
        metavar="FILE",
        help="a file, a session's id, a directory to walk, or - for standard input; several with --in-place or --diff",
    )
    where = result.add_argument_group("where the result goes (one of them)")
    where.add_argument("-o", "--output", metavar="OUT", help="write to OUT; - is standard output")
    where.add_argument("--in-place", action="store_true", help="write to FILE itself; the original is kept beside it")
    where.add_argument("--diff", action="store_true", help="show what would change; write nothing")
    where.add_argument("--force", action="store_true", help="with -o: overwrite an existing file")
    where.add_argument(
        "--allow-hard-links",
        action="store_true",
        help="with --in-place: even if the file has other hard links, which keep the old content",
    )
    where.add_argument(
        "--keep-backups",
        type=int,
        metavar="N",
        help="with --in-place: delete the oldest backups until N are left (default: TOOLPAIR_BACKUPS, else all)",
    )
    what = result.add_argument_group("what is fixed")
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
        help="for recipes that copy a system which shortens ids: the longest id it leaves",
    )
    what.add_argument(
        "--choose", action="append", default=[], metavar="RULE=FIX", help="apply this fix to every problem of the rule"
    )
    what.add_argument(
        "--select",
        action="append",
        default=[],
        metavar="RULE,…",
        help="fix only these, warnings and infos too; a family such as `result` names all its rules",
    )
    what.add_argument("--ignore", action="append", default=[], metavar="RULE,…", help="do not fix these")
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
    plan = read_plan(
        options.recipe, options.select, options.ignore, options.choose, rule_names(), options.max_id_length
    )
    work = Fixing(options, plan, chosen_profiles(options))
    if _are_several(options):
        return fix_several(work)
    name = inputs.named(options.files[0])
    inputs.tell_leftovers(name)
    return work.one(inputs.Input(name))


def _are_several(options: argparse.Namespace) -> bool:
    """With -o, `.` can only mean this folder's newest session."""
    files = options.files
    return len(files) > 1 or (os.path.isdir(files[0]) and not (files == [inputs.HERE] and options.output is not None))


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
    if options.output not in (None, inputs.STDIN) and _same_file(options.files[0], options.output):
        raise UsageError(f"{options.output} is the file itself; use --in-place, which keeps the original beside it.")


def _same_file(one: str, two: str) -> bool:
    try:
        return one != inputs.STDIN and os.path.samefile(one, two)
    except OSError:
        return False
