"""What goes to the two output streams: sentences, colours on a terminal alone, and nothing that a terminal obeys."""

from __future__ import annotations

import argparse
import os
import re
import sys
from typing import IO, Any, Final, NoReturn

from toolpair.dataclass import dataclass

_WIDEST: Final = 100


class UsageError(Exception):
    """The command was given in a way that cannot be carried out. One sentence; exit code 2."""


@dataclass(frozen=True, slots=True)
class Style:
    """Colours and weights, or nothing at all when `on` is False."""

    on: bool

    def _wrap(self, code: str, text: str) -> str:
        return f"\x1b[{code}m{text}\x1b[0m" if self.on and text else text

    def bold(self, text: str) -> str:
        return self._wrap("1", text)

    def dim(self, text: str) -> str:
        return self._wrap("2", text)

    def red(self, text: str) -> str:
        return self._wrap("31", text)

    def green(self, text: str) -> str:
        return self._wrap("32", text)

    def severity(self, severity: str, text: str) -> str:
        """`text` in the colour of "error", "warning" or "info"."""
        return self._wrap({"error": "1;31", "warning": "33"}.get(severity, "36"), text)


def style_for(stream: IO[str], no_color: bool) -> Style:
    """Colour only where a person looks at it, and not where NO_COLOR or a dumb terminal says no."""
    wanted = not no_color and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
    return Style(on=wanted and stream.isatty())


def safe(text: object) -> str:
    """Untrusted text on one line, with every control character made visible."""
    from toolpair.text.safe import visible

    return visible(str(text))


def out(text: str = "") -> None:
    """One line of data. `text` has gone through `safe` already, colours aside."""
    sys.stdout.write(text + "\n")


def columns(least: int = 40) -> int:
    """Cells of a line of prose or of a table: the terminal's, though never more than a page has; 80 in a file."""
    import shutil

    return min(max(shutil.get_terminal_size((80, 24)).columns, least), _WIDEST) if sys.stdout.isatty() else 80


def say(text: str) -> None:
    """One line for the person, on standard error."""
    try:
        sys.stderr.write(f"toolpair: {safe(text)}\n")
    except (OSError, ValueError, AttributeError):
        pass  # standard error is closed: the exit code has to do


class _Formatter(argparse.RawDescriptionHelpFormatter):
    """As argparse has it, but one that does not load `shutil` for each option that is added."""

    def __init__(self, prog: str, **settings: Any) -> None:
        try:
            shown = int(os.environ.get("COLUMNS") or 0) or os.get_terminal_size(1).columns
        except (ValueError, OSError):
            shown = 80
        super().__init__(prog, **{"width": shown - 2, **settings})


class Parser(argparse.ArgumentParser):
    """argparse with whole option names only, and with one sentence in place of the usage lines for a mistake."""

    def __init__(self, **settings: Any) -> None:
        settings.setdefault("formatter_class", _Formatter)
        super().__init__(allow_abbrev=False, **settings)

    def error(self, message: str) -> NoReturn:
        sentence = message[:1].upper() + message[1:]
        raise UsageError(f"{sentence.rstrip('.')}. `{self.prog} --help` shows how it goes.")


_CONTENT = "print what calls and results say, too; without it only ids, names and places are printed"


def add_common(
    parser: argparse.ArgumentParser,
    output_formats: tuple[str, ...] = (),
    content: str = _CONTENT,
    several: str = "",
) -> None:
    """The options that every command has which looks at a file.

    `content` says what --show-content does, `several` what it means to give --profile more than once.
    """
    group = parser.add_argument_group("common options")
    group.add_argument(
        "--profile",
        action="append",
        default=[],
        metavar="NAME",
        help="the provider whose rules are judged, or a family of its models, as in mistral/v13 (`toolpair profiles`); "
        "default: what the format suggests" + several,
    )
    group.add_argument("--format", metavar="NAME", help="read the file as this format (`toolpair formats`)")
    if output_formats:
        group.add_argument(
            "--output-format",
            choices=output_formats,
            default=output_formats[0],
            help=f"how to print it (default: {output_formats[0]})",
        )
        group.add_argument(
            "--show-content",
            action="store_true",
            help=content,
        )
    group.add_argument(
        "--agent-version",
        metavar="X.Y.Z",
        type=_version,
        help="what resumes the session is this version of its agent; default: the one that is installed here, "
        "else (in walked directories and the forms for CI always) the newest one that was measured",
    )
    group.add_argument("--no-color", action="store_true", help="no colours (NO_COLOR in the environment does the same)")


def _version(text: str) -> str:
    if not re.fullmatch(r"\d+(\.\d+)*", text, re.ASCII):
        raise UsageError(f"--agent-version takes a version such as 2.1.330, and {text!r} is none.")
    return text


def add_leaf(parser: argparse.ArgumentParser) -> None:
    """The option of the commands that look at one history of a file that may hold several."""
    parser.add_argument(
        "--leaf",
        metavar="ID",
        help="look at the history that ends at this record (its id or a beginning of it), where a file has branches; "
        "`check --output-format json` lists them",
    )


def chosen_profiles(options: argparse.Namespace) -> list[str]:
    """The profiles that were asked for, each once; none for what the format suggests. Raises UsageError."""
    if not options.profile:
        return []
    from toolpair.cli.knowledge import check_profiles

    check_profiles(options.profile)
    return list(dict.fromkeys(options.profile))


def one_profile(options: argparse.Namespace) -> str | None:
    """The profile of a command that can judge by one alone."""
    chosen = chosen_profiles(options)
    if len(chosen) > 1:
        raise UsageError("Only `check` and `fix` take more than one --profile; give one.")
    return chosen[0] if chosen else None
