"""`toolpair form draft`: a table for a file whose list of messages no form knows."""

from __future__ import annotations

import argparse
from typing import Any, Final

from toolpair.cli import exits, inputs, streams
from toolpair.cli.terminal import Parser, add_color, out, safe, say
from toolpair.formats.forms.drafted import draft
from toolpair.formats.forms.drafting import MOST
from toolpair.session.session import SessionError
from toolpair.shell.program import command
from toolpair.source.limits import USUAL, in_words
from toolpair.source.record_values import BOM, parse
from toolpair.source.saving.new_file import save_as
from toolpair.source.snapshot import from_bytes, open_source
from toolpair.text.shell import shell_word
from toolpair.transcript.model import Damaged

_EPILOG: Final = """\
examples:
  toolpair form draft log.jsonl                what was recognised, as a table
  toolpair form draft log.jsonl -o ours.toml   the same in a file
  toolpair check --form ours.toml log.jsonl    then: what is wrong in the list, read by that table

A draft looks for ids that are in two shapes, one with a name and arguments and one with content, and tries what it
finds on the file. It is a guess: its comments say what was found, and what to look at. docs/forms.md says what each
key means, and how [new] is filled in, without which nothing is changed.

exit code: 0 a table was drafted, 2 nothing was found, or the file is unreadable, 3 OUT exists
"""
_SAMPLE: Final = 1 << 20
"""Bytes of lines that are looked at."""
_MOST: Final = 1 << 26
"""Bytes of a document, which has to be read whole."""


def parser() -> Parser:
    result = Parser("form", "Draft a table for a list of messages that is in no form that toolpair knows.", _EPILOG)
    result.add(
        """
        ACTION            draft: write a table for FILE
        FILE              a JSON file with a list of objects in it, lines of them, or - for standard input
        -o, --output OUT  write to OUT, which has to be new; default: standard output
        """,
        action={"choices": ("draft",)},
    )
    add_color(result)
    return result


def run(options: argparse.Namespace) -> int:
    made = draft(*values_in(options.file))
    if made is None:
        raise SessionError(
            f"No calls and results that belong together were found in {safe(options.file)}, so there is nothing to "
            "draft; docs/forms.md says how a table is written by hand."
        )
    if options.output in (None, inputs.STDIN):
        out(made.text.removesuffix("\n"))
    else:
        save_as(options.output, [made.text.encode()], force=False)
        streams.note_saved()
        words = safe(f"--form {shell_word(options.output)} {shell_word(options.file)}")
        say(f"{made.found.sentence} Look at the table, then try `{command('check')} {words}`.")
    return exits.OK


def values_in(name: str) -> tuple[list[Any], bool, bool]:
    """The JSON value of a file, or the values of its lines and True; and whether these are only its first ones. Raises
    SessionError, UnreadableFile.
    """
    if name == inputs.STDIN:
        snapshot = from_bytes(inputs.read_stdin(), "standard input", USUAL)
    else:
        snapshot = open_source(name)
    data = snapshot.data
    first = data[:_SAMPLE].removeprefix(BOM).split(b"\n")
    if len(data) > _SAMPLE and len(first) > 1:
        first.pop()  # it may go on
    written = [line for line in first if line.strip()][:MOST]
    found = [value for value in map(parse, written) if isinstance(value, dict)]
    if len(found) > 1 and len(found) * 2 > len(written):
        return found, True, len(data) > _SAMPLE or len(first) > MOST
    if len(data) > _MOST:
        raise SessionError(
            f"{snapshot.shown} is not lines of JSON, and has more than {in_words(_MOST)}: give a part of it."
        )
    whole = parse(data[:].removeprefix(BOM))
    if isinstance(whole, Damaged):
        raise SessionError(f"{snapshot.shown} is not JSON, and not lines of JSON objects.")
    return [whole], False, False
