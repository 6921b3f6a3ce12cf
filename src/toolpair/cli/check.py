"""`toolpair check`: say what is wrong in files, and by the exit code whether anything is."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterator

from toolpair.cli import exits, inputs
from toolpair.cli.output import FORMATS, make_output
from toolpair.cli.report import Checked, Totals, describe, unreadable
from toolpair.cli.terminal import Parser, UsageError, add_common, add_leaf, chosen_profiles, say, style_for
from toolpair.session import SessionError

_EPILOG = """\
examples:
  toolpair check session.jsonl
  toolpair check ~/.claude/projects          every session below a directory
  toolpair check 7c3e1b                      the session whose id begins so
  some-program | toolpair check -            what is on standard input
  toolpair check log.json --profile anthropic --profile openai-chat
  toolpair check . --output-format sarif > toolpair.sarif

exit code: 0 no error, 1 errors found, 2 something could not be read or is no session
"""


def parser(command: str = "check") -> Parser:
    result = Parser(
        prog=f"toolpair {command}",
        description="Find tool calls and results that do not belong together, and all else that an API would refuse.",
        epilog=_EPILOG,
    )
    result.add_argument(
        "paths",
        nargs="+",
        metavar="PATH",
        help="a file, a session's id, a directory to walk (`.` without sessions: this folder's newest session), or -",
    )
    add_leaf(result)
    result.add_argument(
        "--inactive",
        action="store_true",
        help="judge what is not sent, too: other branches, what was compacted, sub-agents; never more than a warning",
    )
    result.add_argument(
        "--skip-unrecognised",
        action="store_true",
        help="pass by named files that are no session, as is done in directories; for hooks that name every JSON file",
    )
    add_common(result, FORMATS, several="; may be given again: judged by each")
    return result


def run(options: argparse.Namespace) -> int:
    if options.leaf is not None and (len(options.paths) != 1 or os.path.isdir(options.paths[0])):
        raise UsageError("--leaf names a record of one session; give one file.")
    output = make_output(options.output_format, style_for(sys.stdout, options.no_color))
    profiles = chosen_profiles(options)
    totals = Totals()
    for source in _sources(options.paths, totals):
        for checked in _judge(source, options, profiles, totals):
            totals.add(checked)
            output.file(checked)
    output.end(totals)
    if totals.skipped and not totals.files and not options.skip_unrecognised:
        say(f"No session was found in {', '.join(options.paths)}; `toolpair formats` lists what is recognised.")
        return exits.UNREADABLE
    if not totals.files and not totals.skipped:
        say(f"There is no file in {', '.join(options.paths)}.")
        return exits.UNREADABLE
    if totals.unreadable:
        return exits.UNREADABLE
    return exits.PROBLEMS if totals.errors else exits.OK


def _sources(paths: list[str], totals: Totals) -> Iterator[inputs.Input]:
    """What is named; when `.` is walked in vain, the newest session that an agent has had in this folder."""
    yield from inputs.collect(paths)
    if inputs.HERE in paths and not totals.files:
        yield from inputs.newest_here()


def _judge(source: inputs.Input, options: argparse.Namespace, profiles: list[str], totals: Totals) -> Iterator[Checked]:
    """One report for each profile; none for a file that is no session and that nobody meant to be one."""
    skipping = source.walked or (options.skip_unrecognised and os.access(source.name, os.R_OK))
    if skipping and not inputs.may_be_session(source.name):
        totals.skipped += 1
        return
    try:
        session = source.open(options.format, profiles[0] if profiles else None, options.leaf)
        yield describe(session, source.name, options.show_content, options.inactive, len(profiles) > 1)
        for profile in profiles[1:]:
            session.set_profile(profile)
            yield describe(session, source.name, options.show_content, options.inactive, several=True)
    except SessionError as error:
        if skipping:
            totals.skipped += 1
        else:
            yield unreadable(source.name, str(error))
