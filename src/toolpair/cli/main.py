"""The entry point: finds the command and turns every outcome into an exit code.

Nothing heavy is imported here: `toolpair --version` must answer at once.
"""

from __future__ import annotations

import gc
import os
import sys

from toolpair import __version__
from toolpair.cli import streams
from toolpair.cli.exits import INTERRUPTED, IO_FAILED, OK, REFUSED, UNREADABLE

TYPE_CHECKING = False  # as in `typing`, which is slow to import
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any, Final

COMMANDS: Final = {
    "demo": "toolpair.cli.demo",
    "check": "toolpair.cli.check",
    "fix": "toolpair.cli.fix",
    "compare": "toolpair.cli.compare",
    "diff": "toolpair.cli.diff",
    "sees": "toolpair.cli.sees",
    "prove": "toolpair.cli.prove",
    "first-break": "toolpair.cli.first_break",
    "export": "toolpair.cli.export",
    "cut": "toolpair.cli.cut",
    "excerpt": "toolpair.cli.excerpt",
    "form": "toolpair.cli.form",
    "report": "toolpair.cli.report",
    "explain": "toolpair.cli.explain",
    "restore": "toolpair.cli.restore",
    "sessions": "toolpair.cli.sessions",
    "census": "toolpair.cli.census",
    "cache": "toolpair.cli.cache",
    "formats": "toolpair.cli.listings",
    "profiles": "toolpair.cli.profiles",
    "rules": "toolpair.cli.rules",
    "recipes": "toolpair.cli.recipes",
    "config": "toolpair.cli.config",
    "doctor": "toolpair.cli.doctor",
    "schema": "toolpair.cli.schema",
    "help": "toolpair.cli.help",
    "hook": "toolpair.cli.hook",
    "completion": "toolpair.cli.completion",
}
INTERFACE: Final = "toolpair.cli.open"
_WINDOWS: Final = "On Windows toolpair runs in WSL alone: `wsl --install`, then install it and your agents there."


def program() -> int:
    """`main` as a whole process: memory is not freed at exit, since the process ends anyway."""
    from toolpair.shell.program import started

    if sys.platform == "win32":
        streams.say(f"toolpair: {_WINDOWS}\n")
        return UNREADABLE
    started()
    streams.hold_places()
    code = main()
    gc.freeze()
    return code


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code. No user input causes a traceback."""
    arguments = list(sys.argv[1:] if argv is None else argv)
    streams.begin()
    try:
        code = _guarded(lambda: _dispatch(arguments))
    except KeyboardInterrupt:
        code = INTERRUPTED
    return streams.ended(code)


def _dispatch(arguments: list[str]) -> int:
    if arguments[:1] in (["--version"], ["-V"]):
        streams.write(f"toolpair {__version__}\n")
        return OK
    # A session is millions of small objects that live to the end, and so are modules: scanning them for garbage often
    # is a waste of time.
    gc.set_threshold(100_000, 50, 50)
    from importlib import import_module

    command = arguments[0] if arguments else None
    if command in COMMANDS:
        module: Any = import_module(COMMANDS[command])
        typed = arguments[1:]
    else:
        if command is not None and not command.startswith("-"):
            _look_at(command, arguments[1:])
        module, command, typed = import_module(INTERFACE), "open", arguments
    parser = module.parser()
    options = parser.parse_args([*_configured(command, parser, typed), *typed])
    if _is_long(options):
        from toolpair.cli.pager import paged

        return paged(lambda: int(module.run(options)))
    return int(module.run(options))


def _is_long(options: Any) -> bool:
    """Whether text of many lines goes to a terminal."""
    from toolpair.cli.terminal import is_terminal

    is_text = getattr(options, "output_format", "text") == "text"
    return is_text and not getattr(options, "no_pager", True) and is_terminal(sys.stdout)


def _configured(command: str, parser: Any, typed: list[str]) -> list[str]:
    """The arguments that are set once for all: by the user, and for `check` by the project."""
    from toolpair.shell.program import current_folder, project_settings, settings_file

    project = project_settings(current_folder()) if command == "check" else None
    if project is None and not os.path.lexists(settings_file()):
        return []
    from toolpair.cli.configured import configured

    return configured(command, COMMANDS, project, parser, typed)


def _look_at(word: str, others: list[str]) -> None:
    """Raises UsageError if the first word is neither a file nor a session id, and was meant as a command."""
    if not word.isidentifier() or os.path.lexists(word):
        return
    from toolpair.cli.meant import command_meant
    from toolpair.shell.program import command

    meant = command_meant(word, COMMANDS)
    several = bool(others) and not others[0].startswith("-")
    if (meant is None and not several) or (not several and _is_session(word)):
        return
    from toolpair.cli.exits import UsageError

    hint = f"Did you mean `{command(meant)}`?" if meant else f"`{command('--help')}` lists the commands."
    raise UsageError(f"There is no command or file {word!r}. {hint}")


def _is_session(word: str) -> bool:
    from toolpair.cli.inputs import named
    from toolpair.session.session import SessionError

    try:
        return os.path.lexists(named(word))
    except SessionError:
        return False


def _guarded(action: Callable[[], int]) -> int:
    """Run `action`; anything that user input can cause becomes one sentence and the right exit code."""
    try:
        return action()
    except SystemExit as stop:  # argparse exits like this after reporting the mistake
        return stop.code if isinstance(stop.code, int) else UNREADABLE if stop.code else 0
    except Exception as error:
        if os.environ.get("TOOLPAIR_TRACEBACK"):
            raise
        sentence, code = explained(error)
        from toolpair.cli.terminal import say

        say(sentence)
        return code


def explained(error: Exception) -> tuple[str, int]:
    """The sentence and the exit code for an error that no command has handled."""
    from toolpair.cli.exits import UsageError
    from toolpair.session.session import Refused, SessionError
    from toolpair.source import errors as source_errors

    match error:
        case Refused() | source_errors.Refused():
            return str(error), REFUSED
        case SessionError() | source_errors.UnreadableFile() | UsageError():
            return str(error), UNREADABLE
        case source_errors.SaveFailed():
            return str(error), IO_FAILED
        case RecursionError():
            return "The file is nested too deeply to be a session; nothing was written.", UNREADABLE
        case MemoryError():
            return "There is not enough memory for this file; nothing was written.", UNREADABLE
        case OSError():
            where = f"{error.filename}: " if error.filename else ""
            return f"{where}{error.strerror or error}.", IO_FAILED
    return (
        f"toolpair itself failed ({type(error).__name__}: {error}). "
        "Please report it with the output of the same command under TOOLPAIR_TRACEBACK=1.",
        UNREADABLE,
    )
