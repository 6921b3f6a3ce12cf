"""`toolpair cut`: a part of a session as a new session."""

from __future__ import annotations

import argparse
import os
import sys
from typing import Final

from toolpair.cli import exits, inputs, streams
from toolpair.cli.exits import UsageError
from toolpair.cli.terminal import Parser, add_common, add_leaf, add_options, one_profile, safe, style_for
from toolpair.session.cutting import Part, Side, cut
from toolpair.shell.program import command
from toolpair.source.folders.stored_session import StoredFiles
from toolpair.text.shell import shell_word
from toolpair.transcript.counting import plural

_EPILOG: Final = """\
examples:
  toolpair cut session.jsonl --before messages.40 -o rest.jsonl     the session from that message on
  toolpair cut session.jsonl --after line:9871 -o start.jsonl       up to that line, which is where it went wrong
  toolpair cut history.json --before toolu_01ABC -o rest.json
  toolpair cut SESSION_ID --before messages.40 -o ~/.claude/projects/-home-me-shop/     where its agent finds it

The answer to "prompt is too long", and to a session that is beyond repair after some point. The place itself stays.
A call and its result stay together: if one of them stays, the other does, too. The system prompt stays. If what stays
begins with the assistant, a short user message that says what was left out is put before it. FILE is never changed,
and OUT is a session of its own, with an id of its own, if its records have one. A part of a session in a database is
a database: OUT has to end in .db. A part of one that is many files in a folder is a new folder.

exit code: 0 written and valid, 1 written but errors are left (`fix` may fix them), 2 unreadable, no such place, or bad
usage, 3 refused and nothing written, 5 the system failed while writing
"""


def parser() -> Parser:
    result = Parser(
        "cut", "Write a part of a session as a new session: all before a place, or after it, is left out.", _EPILOG
    )
    result.add("""
        FILE              a session file, a session's id, or - for standard input
        -o, --output OUT  write the part to OUT; in a folder it gets a name like FILE's, with its own id
        --force           overwrite OUT
        """, output={"required": True})  # fmt: skip
    sides = result.add_mutually_exclusive_group(required=True)
    add_options(
        sides,
        """
        --before WHERE  leave out what is before this place: messages.40 as an API counts, line:N, pair:N, an id, or
                        an error text
        --after WHERE   leave out what is after it
        """,
    )
    add_leaf(result)
    add_common(result)
    return result


def run(options: argparse.Namespace) -> int:
    if options.output == inputs.STDIN:
        raise UsageError("A part of a session goes to a file: give -o OUT.")
    session = inputs.opened(options, one_profile(options))
    folder = options.output if os.path.isdir(options.output) else None
    side: Side = "before" if options.before is not None else "after"
    try:
        part = cut(
            session, options.before or options.after or "", side, "" if folder else os.path.basename(options.output)
        )
    except ValueError as error:
        raise UsageError(str(error)) from None
    out = os.path.join(folder, part.file_name) if folder is not None else options.output
    errors = len(part.session.left)
    saved = part.session.save_as(out, force=options.force)
    streams.note_saved()
    style = style_for(sys.stderr, options.color)
    streams.say(style.bold(f"{plural(part.kept, 'message')} written to {safe(out)}.") + "\n")
    told = _told(part, side)
    if (rows := session.file.snapshot.rows) is not None:
        what = "folder" if rows.in_folder else "database"
        told.append(f"It is in a {what} of its own, where it is still called {rows.session}.")
        if isinstance(rows, StoredFiles) and (way := rows.layout.opened_by(out)) is not None:
            told.append(way)
    for line in (*told, *saved.notes):
        streams.say(f"  {safe(line)}\n")
    if errors:
        streams.say(f"  {plural(errors, 'error')} left: {command('fix')} {shell_word(out)} --in-place\n")
    if saved.resume is not None:
        # Of a copy, which could be saved in place instead, more is said than holds for a part.
        said, instead, _ = saved.resume.partition(": save into")
        streams.say(f"  {safe(said)}.\n" if instead else f"  Next: {safe(said)}\n")
    return exits.PROBLEMS if errors else exits.OK


def _told(part: Part, side: Side) -> list[str]:
    told = [part.text, part.estimate]
    if part.moved:
        more = plural(part.moved, "more message stays", "more messages stay")
        told.append(f"{more} than asked for, so that no pair is taken apart.")
    if part.added is not None:
        told.append(f"A user message was put at the start: {part.added}")
    if part.not_sent:
        told.append(f"Also left out: {plural(part.not_sent, 'record')} that the model did not see before.")
    if part.signed:
        told.append("Thinking in it was signed after what is left out; some models may refuse it.")
    if part.session_id is not None:
        told.append(f"It is a session of its own: {part.session_id}")
    return told
