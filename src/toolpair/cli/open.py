"""`toolpair FILE`: opens the interface. The only command module that knows it."""

from __future__ import annotations

import argparse
import os
import sys
from typing import TYPE_CHECKING

from toolpair.cli import exits, streams
from toolpair.cli.exits import UsageError
from toolpair.cli.terminal import Parser, add_common, add_leaf, agreed, is_terminal, one_profile, out, say, typed
from toolpair.shell.program import command
from toolpair.shell.settings import BadSettings, Settings, of_user
from toolpair.source.addresses import divided, is_database
from toolpair.source.errors import OnlyShown, UnknownForm, UnreadableFile
from toolpair.transcript.counting import plural

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from toolpair.session.session import Session
    from toolpair.tui import Open, Own

_STDIN = "-"
_EPILOG = """\
commands:
  toolpair [FILE]                open a session in the interface; without FILE, choose one of those on this machine
  toolpair sessions              the same list, printed
  toolpair demo [STORY]          a copy of a sample session, opened
  toolpair check PATH...         show what is wrong: text, JSON, SARIF or GitHub annotations
  toolpair fix FILE...           fix it: -o OUT, --in-place, or --diff to look first
  toolpair compare FILE          what each recipe would do to it, and lose
  toolpair diff A B              where two sessions part, and what differs: a fork, a backup
  toolpair explain THING [FILE]  what a rule or an API's error text means, and where it points
  toolpair sees FILE             the history as its agent would send it on resume
  toolpair prove FILE            the agent that is installed here resumes a copy: what it really sends
  toolpair cut FILE -o OUT       a part of it as a new session: --before or --after a place
  toolpair report FILE -o OUT    a page to read and to attach to a bug report: OUT.html or OUT.md
  toolpair export FILE --to API  the request body that it is, for any of five APIs
  toolpair first-break LOG       the first request of a log in which each pair broke, and what changed
  toolpair excerpt FILE          the smallest part that shows a problem, redacted; --issue for a bug report
  toolpair form draft FILE       a table for a list of messages that no format knows, to read it by
  toolpair restore FILE          the backups of a file, and one put back
  toolpair formats | profiles | rules | recipes   what is supported
  toolpair census                all sessions on this machine counted: broken ones, and what they lose
  toolpair cache                 the verdicts kept of earlier checks; clear removes them
  toolpair hook                  what makes an agent tell of a broken session by itself
  toolpair config | doctor       what is set, and what a bug report has to say of the machine
  toolpair completion | schema   tab completion for a shell; JSON Schemas of what is printed
  toolpair help TOPIC            a page on a command, a rule, a recipe, a profile, exit-codes

`toolpair COMMAND --help` says more. To open a file named like a command: ./check, or -- check.

examples:
  toolpair                     the sessions of the agents on this machine, this folder's first
  toolpair .                   the newest session of this folder
  toolpair 7c3e1b              the session whose id begins so
  toolpair ~/.claude/projects/-home-me-shop/7c3e1b2a.jsonl
  toolpair ~/.cagent/session.db    the sessions of a database
  toolpair history.json --at toolu_01HqfLWi
  toolpair history.json --at 'messages.22: `tool_use` ids were found without `tool_result` blocks …'
  pbpaste | toolpair -

In the interface: ] next problem, space fix it, A fix everything safe, w review and save, u undo, ? all keys, q quit.
Nothing is written before you have seen the review.
"""


def parser() -> Parser:
    result = Parser(
        "",
        "Open an AI agent's session file, see every tool call beside its result, fix what is broken.",
        _EPILOG,
        "toolpair [FILE] [--at WHERE] [--ascii] [--no-journal] [options]\n       toolpair COMMAND …",
    )
    result.add("""
        [FILE]      a session file, a database or folder of sessions, DATABASE::SESSION, a session's id, `.`, or - for
                    standard input
        --at WHERE  start at an id, a tool, a rule, line:N, message:N, pair:N, record:N, messages.N as a request counts,
                    or a pasted API error text
        """)
    add_leaf(result)
    result.add("""
        --no-journal   keep no journal of unsaved fixes, and offer none that an earlier run kept
        --no-cache     check every session in the list, and keep no verdicts (`toolpair cache`)
        --theme NAME   the colours, as `:theme` lists them; default: what was chosen there, else a dark or a light one
                       by the terminal's background
        --ascii        draw with ASCII characters only
        -V, --version  print the version and exit
        """)
    add_common(result)
    return result


def run(options: argparse.Namespace) -> int:
    if options.version:
        from toolpair import __version__

        out(f"toolpair {__version__}")
        return exits.OK
    if options.file is None:
        if options.at is not None or options.leaf is not None:
            raise UsageError(f"--at and --leaf need a FILE; `{command('sessions')}` lists those on this machine.")
        if not has_terminal():
            raise UsageError(
                f"Which file? Choosing one needs a terminal; `{command('sessions')}` lists them, "
                f"`{command('--help')}` tells the rest."
            )
    database = _database_of_several(options.file)
    session, path = _given(options) if options.file is not None and database is None else (None, None)
    if options.file == _STDIN:
        _keys_from_terminal()
    if not has_terminal():
        raise UsageError(
            f"The interface needs a terminal; `{command('check')}` and `{command('fix')}` do the same without one."
        )
    if options.color == "never":
        os.environ["NO_COLOR"] = "1"
    elif options.color == "always":
        os.environ.pop("NO_COLOR", None)
    try:
        return _run_interface(session, path, options, database)
    except OnlyShown as error:
        from toolpair.formats.forms.registry import described

        if path is None or options.format is not None:
            raise
        options.format = described(error.form)
        return _run_interface(None, path, options, None)
    except UnknownForm:
        if path is None or options.format is not None or (guess := _drafted(path)) is None:
            raise
        options.format = guess
    code = _run_interface(None, path, options, None)
    draft = command(f"form draft {typed(path)}")
    say(f"To check and fix it: `{draft}` writes the form as a table, which you can complete.")
    return code


def _drafted(path: str) -> str | None:
    """The id of a form drafted from a file that is in none that is known, if the user wants to look at it so."""
    from toolpair.cli.form import values_in
    from toolpair.formats.forms.drafted import draft
    from toolpair.formats.forms.registry import guessed

    try:
        made = draft(*values_in(path))
    except UnreadableFile:
        return None
    if made is None:
        return None
    calls, results = plural(made.found.calls, "call"), plural(made.found.results, "result")
    first = made.found.first
    where = "" if first is None else f" in the first {plural(first, 'element')}"
    recognised = f"{calls} and {results} were recognised by their shape{where}"
    asked = f"toolpair: This form is not known. {recognised}: look at them?"
    return guessed(made.form.table) if agreed(asked) else None


def _given(options: argparse.Namespace) -> tuple[Session | None, str | None]:
    """A file on disk is opened by the interface, anything else before it starts.

    Without a terminal the file is opened anyway, so that its errors are reported first.
    """
    shown = has_terminal()
    if shown and options.file != _STDIN and _is_there(options.file):
        one_profile(options)
        return None, options.file
    from toolpair.cli import inputs

    if shown and options.file != inputs.STDIN and _is_there(path := inputs.named(options.file)):
        return None, path
    return inputs.opened(options, one_profile(options), judges=not shown), None


def _is_there(name: str) -> bool:
    """Whether it is a file, or a session of a database or a folder that is there."""
    path, session = divided(name)
    return os.path.exists(path) if session is not None else os.path.isfile(path)


def _database_of_several(name: str | None) -> str | None:
    """The FILE, if it is a database or a folder of which a session has to be chosen. Raises SessionError."""
    if name is None or name == _STDIN or not has_terminal() or not _holds_sessions(name):
        return None
    from toolpair.agents.catalog import pages_of

    count = 0
    for found, notice in pages_of(name):
        count += len(found)
        if count > 1 or notice is not None:
            return name
    return name if not count else None


def _holds_sessions(name: str) -> bool:
    if not os.path.isdir(name):
        return is_database(name)
    from toolpair.formats.engine.agents.databases import holds_sessions

    return holds_sessions(name)


def _opener(options: argparse.Namespace, given: str | None) -> Open:
    """`given` is the FILE of the command line: options about that file apply to no other."""
    profile = one_profile(options)

    def open(
        path: str,
        /,
        *,
        data: bytes | None = None,
        progress: Callable[[int], None] | None = None,
        checking: Callable[[int, int], None] | None = None,
    ) -> Session:
        from toolpair.cli import inputs
        from toolpair.session.session import open_session

        leaf = options.leaf if path == given else None
        format = options.format if options.file is None or path == given else None
        return open_session(
            path,
            data=data,
            format=format,
            profile=profile,
            leaf=leaf,
            progress=progress,
            checking=checking,
            agent_version=options.agent_version or inputs.version_here,
            max_size=options.max_size,
        )

    return open


def has_terminal() -> bool:
    """Whether the interface can run."""
    return is_terminal(sys.stdin) and is_terminal(sys.stderr)


def own_settings(wrong: list[str]) -> Own:
    """The keys and colours that the user has set; what is wrong with them is one sentence in `wrong`."""
    from toolpair.tui import own_of

    try:
        return own_of(of_user(), wrong)
    except BadSettings:  # said where the options were read
        return own_of(Settings({}), wrong)


def known_theme(theme: str, wrong: list[str], where: str = "") -> str:
    """The theme; none, and a sentence in `wrong`, if there is no such one."""
    from toolpair.tui import themes

    if not theme or theme in themes():
        return theme
    wrong.append(f"{where}There is no theme {theme!r}. There are: {', '.join(themes())}.")
    return ""


def _run_interface(session: Session | None, path: str | None, options: argparse.Namespace, database: str | None) -> int:
    from toolpair.tui import run as run_interface

    wrong: list[str] = []
    own = own_settings(wrong)
    theme = known_theme(options.theme or "", wrong)
    for sentence in wrong:
        say(sentence)
    result = run_interface(
        session,
        at=options.at,
        ascii=options.ascii,
        open=_opener(options, path),
        path=path,
        journal=not options.no_journal,
        database=database,
        cached=not options.no_cache,
        own=own,
        theme=theme,
    )
    if result.saved:
        streams.note_saved()
    _print_all(result.report_lines if result.error is not None else result.lines)
    if result.unsaved:
        fixes = "1 fix is" if result.unsaved == 1 else f"{result.unsaved:,} fixes are"
        again = "; open the file again to get them back" if result.kept else ""
        say(f"{fixes} applied but not saved{again}.")
    if result.error is not None:
        raise result.error
    return exits.by_signal(result.signal) if result.signal else exits.OK


def _print_all(lines: Sequence[str]) -> None:
    """Print lines after the interface has closed, on the terminal it used unless output is redirected."""
    for line in lines:
        out(line)
    if sys.stdout is None or streams.failed():
        streams.say("".join(f"{line}\n" for line in lines))


def _keys_from_terminal() -> None:
    """Standard input was the file, so the keys must come from the terminal itself."""
    try:
        terminal = os.open("/dev/tty", os.O_RDWR)
    except OSError:
        say("The file came through standard input, so the keys have to come from a terminal, but there is none.")
        raise SystemExit(exits.UNREADABLE) from None
    os.dup2(terminal, 0)
    os.close(terminal)
