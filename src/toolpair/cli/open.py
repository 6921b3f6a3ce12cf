"""`toolpair FILE`: the interface. The only module of the commands that knows there is one."""

from __future__ import annotations

import argparse
import os
import sys

from toolpair.cli import exits, inputs
from toolpair.cli.terminal import Parser, UsageError, add_common, one_profile, out, say
from toolpair.session import Session

_EPILOG = """\
commands:
  toolpair [FILE]              open a session in the interface (this)
  toolpair check PATH...       say what is wrong: text, JSON, SARIF or GitHub annotations
  toolpair fix FILE            mend it: -o OUT, --in-place, or --diff to look first
  toolpair explain THING [FILE]  what a rule or an API's error text means, and where it points
  toolpair restore FILE        the backups of a file, and one put back
  toolpair formats | profiles | rules   what is supported
  `toolpair COMMAND --help` tells more of each. A file that is named like a command: ./check, or -- check.

examples:
  toolpair ~/.claude/projects/-home-me-shop/7c3e1b2a.jsonl
  toolpair history.json --at toolu_01HqfLWi
  toolpair history.json --at "messages.22: `tool_use` ids were found without `tool_result` blocks …"
  pbpaste | toolpair -

In the interface: ] next problem, space fix it, A mend all, w review and save, u undo, ? all keys, q quit.
Nothing is written before you have seen the review.
"""


def parser() -> Parser:
    result = Parser(
        prog="toolpair",
        usage="toolpair [FILE] [--at WHERE] [--ascii] [options]\n       toolpair COMMAND …",
        description="Open an AI agent's session file, see every tool call beside its result, mend what is broken.",
        epilog=_EPILOG,
    )
    result.add_argument("file", nargs="?", metavar="FILE", help="a session file, or - for standard input")
    result.add_argument(
        "--at", metavar="WHERE", help="start at an id, line:N, record:N, pair:N, or a pasted API error text"
    )
    result.add_argument("--ascii", action="store_true", help="draw with ASCII characters alone")
    result.add_argument("-V", "--version", action="store_true", help="print the version and leave")
    add_common(result)
    return result


def run(options: argparse.Namespace) -> int:
    if options.version:
        from toolpair.version import __version__

        print(f"toolpair {__version__}")
        return exits.OK
    if options.file is None:
        raise UsageError("Which file? `toolpair FILE` opens one; `toolpair --help` shows all that it can do.")
    session = inputs.Input(options.file).open(options.format, one_profile(options))
    if options.file == inputs.STDIN:
        _keys_from_terminal()
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        raise UsageError(
            "The interface needs a terminal; `toolpair check` and `toolpair fix` do the same work without one."
        )
    if options.no_color:
        os.environ["NO_COLOR"] = "1"
    return _run_interface(session, options)


def _run_interface(session: Session, options: argparse.Namespace) -> int:
    from toolpair.tui import run as run_interface

    result = run_interface(session, at=options.at, ascii=options.ascii)
    for line in result.lines:
        out(line)
    return exits.IO_FAILED if result.crashed else exits.OK


def _keys_from_terminal() -> None:
    """Standard input was the file: the keys have to come from the terminal itself."""
    try:
        terminal = os.open("/dev/tty", os.O_RDWR)
    except OSError:
        say("The file came through standard input, so the keys must come from a terminal, and there is none.")
        raise SystemExit(exits.UNREADABLE) from None
    os.dup2(terminal, 0)
    os.close(terminal)
