"""`toolpair export`: the request body that a session is, and how to send it."""

from __future__ import annotations

import argparse
from typing import Final

from toolpair.cli import exits, inputs, streams
from toolpair.cli.exits import UsageError
from toolpair.cli.redacting import add_redact, as_asked
from toolpair.cli.terminal import Parser, add_common, add_leaf, add_options, one_profile, out, safe, say
from toolpair.reports.export.exported import Exported, ExportRefused
from toolpair.reports.export.exporting import export
from toolpair.reports.export.source import NoSuchTurn
from toolpair.reports.export.targets import TARGETS
from toolpair.session.session import Session
from toolpair.source.saving.new_file import save_as
from toolpair.transcript.counting import plural

_EPILOG = """\
examples:
  toolpair export session.jsonl --to anthropic > body.json
  toolpair export session.jsonl --to openai-chat --turn 7 -o body.json
  toolpair export session.jsonl --to gemini -o body.json --curl > send.sh

The body goes to standard output, or to OUT. What the API cannot carry, what arrives in another form and what had to be
made up is said on standard error, one sentence each; docs/export.md has all of it. Where Claude Code recorded the
request itself, its messages are exactly those that were sent. A broken session is exported after its recommended
fixes, which are applied in memory only. The file itself is never changed.

exit code: 0 exported; 1 refused, because the provider would refuse it and no safe fix is known (nothing is written);
2 unreadable, not a session, or bad usage; 3 OUT exists
"""
_MOST_IDS: Final = 20


def parser() -> Parser:
    result = Parser(
        "export",
        "Print the request body that a session is: as its agent sends it, or converted for another API.",
        _EPILOG,
    )
    result.add(
        f"""
        FILE              a session file, a session's id, or - for standard input
        --to API          {", ".join(TARGETS)}
        --turn N          the request that produced the assistant's turn N, counted from 1 over what is sent (after
                          the fixes); what the assistant says in a row is one turn; default: the whole history
        --model NAME      the model to ask; default: the session's, if it is of this API
        -o, --output OUT  write the body to this file, readable only by you
        --force           overwrite OUT
        --as-is           export a broken session as it is, without any fix
        """,
        to={"required": True, "choices": tuple(TARGETS)},
    )
    how = result.add_mutually_exclusive_group()
    add_options(
        how,
        """
        --curl    print the shell command that sends OUT
        --python  print the Python program that sends OUT
        """,
    )
    result.add(f"""
        --ids             list all ids that differ in the body, not only {_MOST_IDS}
        --conversation N  which conversation of a file that holds several, counted from 1; default: the last one
        """)
    add_redact(result)
    add_leaf(result)
    add_common(result)
    return result


def run(options: argparse.Namespace) -> int:
    if (options.curl or options.python) and options.output is None:
        raise UsageError("--curl and --python print how to send a file: name one for the body with -o.")
    session = inputs.opened(options, one_profile(options), judges=False)
    _choose(session, options.conversation)
    if options.output is not None and inputs.same_file(options.file, options.output):
        raise UsageError("OUT is the session itself; give another name.")
    try:
        session = as_asked(session, options)
        made = export(session, options.to, turn=options.turn, as_is=options.as_is, model=options.model)
    except NoSuchTurn as error:
        raise UsageError(str(error)) from None
    except ExportRefused as error:
        say(str(error))
        say("--as-is exports it as it is.")
        return exits.PROBLEMS
    if options.output is None:
        for chunk in made.chunks():
            streams.write_bytes(chunk)
    else:
        save_as(options.output, made.chunks(), options.force)
        streams.note_saved()
    _tell(session, made, options.ids)
    if options.curl or options.python:
        # Written for a shell or for Python: a path in it is quoted, not made safe to show.
        out((made.curl if options.curl else made.python)(options.output).removesuffix("\n"))
    return exits.OK


def _choose(session: Session, number: int | None) -> None:
    if number is None:
        return
    there = len(session.conversations)
    if not 1 <= number <= there:
        raise UsageError(f"There is no conversation {number}: the file has {plural(there, 'conversation')}.")
    session.current = number - 1


def _tell(session: Session, made: Exported, all_ids: bool) -> None:
    if session.format.is_described:
        say(session.conversation.verdict.sentence)
    which = f"turn {made.turn} of {made.turns}" if made.turn is not None else None
    if made.exact:
        say(f"The request that produced {which}, as the agent recorded it." if which else _RECORDED)
    for note in made.notes:
        say(str(note))
    renamed = made.renamed_ids
    if not renamed:
        return
    say(f"Renamed {plural(len(renamed), 'id')} that {made.to} does not accept:")
    for number, (old, new) in enumerate(renamed):
        if number == _MOST_IDS and not all_ids:
            say(f"  and {len(renamed) - number:,} more; --ids lists all")
            break
        say(f"  {safe(old)} -> {safe(new)}")


_RECORDED: Final = "The messages up to the last response are those that the agent recorded as sent."
