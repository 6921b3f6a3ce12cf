"""`toolpair demo`: opens a copy of a sample session."""

from __future__ import annotations

import argparse
import sys
from typing import Final

from toolpair.cli import exits, streams
from toolpair.cli import open as interface
from toolpair.cli.exits import UsageError
from toolpair.cli.meant import closest
from toolpair.cli.stories import FIRST, STORIES, copy_of, file_of, names
from toolpair.cli.terminal import Parser, TerminalStyle, add_color, add_format, dump, out, say, style_for
from toolpair.shell.program import command
from toolpair.text.shell import shell_word

_EPILOG: Final = """\
examples:
  toolpair demo                  open a copy of a broken session: A fixes it, enter saves
  toolpair demo --list           all samples, each with its story
  toolpair demo codex-killed     another one

Each run opens a new copy in a temporary folder and says where, so you can change, save and restore it.
Without a terminal the path of the copy is printed, for the other commands.
"""


def parser() -> Parser:
    result = Parser("demo", "Open a copy of a sample session, to try things out on.", _EPILOG)
    result.add(f"""
        [STORY]  which sample (default: {FIRST})
        --list   list the samples, each with its story
        --ascii  draw with ASCII characters only
        """)
    add_format(result, ("text", "json"), "the list")
    add_color(result)
    return result


def run(options: argparse.Namespace) -> int:
    if options.list:
        _list(options.output_format, style_for(sys.stdout, options.color))
        return exits.OK
    file = _asked_for(options.story)
    path = copy_of(file)
    say(f"{STORIES[file]} This copy is yours: {path}")
    if not interface.has_terminal():
        out(shell_word(path))
        say("The interface needs a terminal. Without one:")
        word = shell_word(path)
        for words in (f"check {word}", f"fix {word} --diff", f"fix {word} --in-place"):
            streams.say(f"  {command(words)}\n")
        return exits.OK
    given = [str(path), "--color", options.color, *(["--ascii"] if options.ascii else [])]
    return interface.run(interface.parser().parse_args(given))


def _asked_for(story: str | None) -> str:
    """The file of the story. Raises UsageError for an unknown one."""
    file = file_of(FIRST if story is None else story)
    if file is not None:
        return file
    assert story is not None
    wanted = story.casefold()
    held = sorted((name for name in names() if wanted and wanted in name), key=len)
    meant = held[0] if held else closest(story, names())
    hint = f"Did you mean {meant}?" if meant else f"`{command('demo --list')}` lists them."
    raise UsageError(f"There is no sample {story!r}. {hint}")


def _list(output_format: str, style: TerminalStyle) -> None:
    if output_format == "json":
        entries = [{"name": file.partition(".")[0], "file": file, "story": STORIES[file]} for file in STORIES]
        out(dump({"version": 1, "samples": entries}, indent=2))
        return
    width = max(map(len, names()))
    for name, story in zip(names(), STORIES.values(), strict=True):
        out(f"{style.bold(name.ljust(width))}  {story}")
    say(f"`{command('demo NAME')}` opens a copy of one.")
