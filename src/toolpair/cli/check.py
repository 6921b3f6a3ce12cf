"""`toolpair check`: say what is wrong in files, and by the exit code whether anything is."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterator

from toolpair.cli import exits, inputs
from toolpair.cli.output import FORMATS, make_output
from toolpair.cli.report import Checked, Totals, describe, unreadable
from toolpair.cli.terminal import Parser, UsageError, add_common, add_leaf, say, style_for
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
    add_common(result, FORMATS)
    return result


def run(options: argparse.Namespace) -> int:
    if options.leaf is not None and (len(options.paths) != 1 or os.path.isdir(options.paths[0])):
        raise UsageError("--leaf names a record of one session; give one file.")
    output = make_output(options.output_format, style_for(sys.stdout, options.no_color))
    totals = Totals()
    for source in _sources(options.paths, totals):
        for checked in _judge(source, options, totals):
            totals.add(checked)
            output.file(checked)
    output.end(totals)
    if totals.skipped and not totals.files:
        say(f"No session was found in {', '.join(options.paths)}; `toolpair formats` lists what is recognised.")
        return exits.UNREADABLE
    if not totals.files:
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


def _judge(source: inputs.Input, options: argparse.Namespace, totals: Totals) -> Iterator[Checked]:
    """One report for each profile; none for a walked file that is no session."""
    if source.walked and not inputs.may_be_session(source.name):
        totals.skipped += 1
        return
    profiles = options.profile or [None]
    try:
        session = source.open(options.format, profiles[0], options.leaf)
        for index, profile in enumerate(profiles):
            if index:
                session.set_profile(profile)
            yield describe(session, source.name, options.show_content, options.inactive)
    except SessionError as error:
        if source.walked:
            totals.skipped += 1
        else:
            yield unreadable(source.name, str(error))
