"""`toolpair excerpt`: the smallest part of a session that still shows a problem, redacted."""

from __future__ import annotations

import argparse
import re
import sys
from typing import Final

from toolpair.cli import exits, inputs, streams
from toolpair.cli.exits import UsageError
from toolpair.cli.meant import closest
from toolpair.cli.terminal import Parser, add_common, add_leaf, is_terminal, one_profile, safe, say
from toolpair.reports.excerpt.excerpts import excerpt_of
from toolpair.reports.excerpt.harness import RUNS, harness_for
from toolpair.reports.excerpt.issue import LONGEST, TRACKERS, Excerpt, as_text
from toolpair.rules.registry import RULES
from toolpair.rules.rule import family_of
from toolpair.source.limits import in_words
from toolpair.source.record_values import parse
from toolpair.source.saving.new_file import save_as
from toolpair.transcript.counting import plural
from toolpair.transcript.model import Damaged

_EPILOG: Final = """\
examples:
  toolpair excerpt session.jsonl -o excerpt.jsonl        the first problem that stops it
  toolpair excerpt session.jsonl --problem 3             the third one that `check` lists
  toolpair excerpt session.jsonl --rule result.missing
  toolpair excerpt session.jsonl --issue -o issue.md     a bug report for the agent's issue tracker
  toolpair excerpt session_s1 --as-test pytest -o test_case.py      a red test in the agent's own harness

Field names, types and roles, the standard tools' names, versions, public model names, placeholders and notes of known
programs are kept, and so is the length of everything. Every other text, name, path, host, id, time and long number is
replaced by one of the same kind and length; ids stay the same or different, and differ by the same characters. Before
anything is written, the excerpt is compared with the session: no word of four letters or more may be left in it, and
it must show the same problem with the same cause and break no other rule. docs/excerpt.md says what cannot be
promised. Read it before you send it.

exit code: 0 written, 2 unreadable or not a session, 3 refused and nothing written (no such problem, OUT exists,
something would be left), 5 the system failed while writing
"""


_C1: Final = re.compile(r"[\x7f-\x9f]")
_CONTROL: Final = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff]")


def parser() -> Parser:
    result = Parser(
        "excerpt",
        "Write the smallest part of a session that still shows a problem, redacted, for a bug report.",
        _EPILOG,
    )
    result.add(
        """
        FILE              a session file, a session's id, or - for standard input
        --problem N|ID    its number in the order of `check`, from 1, or the id of its call or result; default: the
                          first that stops the session, else the first that loses something
        --rule RULE       a problem of this rule, or of this family of rules
        -o, --output OUT  write to OUT, readable by you alone; default: standard output
        --force           with -o: overwrite an existing file
        --issue           write the Markdown of a bug report with the excerpt in it
        --as-test RUNNER  write it as a failing test for the agent's own authors: pytest, vitest or go
        --no-redact       keep the session's own words: only for yourself
        """,
        as_test={"choices": RUNS},
    )
    add_leaf(result)
    add_common(result)
    return result


def run(options: argparse.Namespace) -> int:
    if options.force and options.output in (None, inputs.STDIN):
        raise UsageError("--force belongs to -o.")
    if options.rule is not None and options.rule not in {*RULES, *map(family_of, RULES)}:
        meant = closest(options.rule, RULES)
        raise UsageError(f"There is no rule {options.rule!r}." + (f" Did you mean {meant}?" if meant else ""))
    if options.issue and options.as_test:
        raise UsageError("Give either --issue or --as-test.")
    session = inputs.opened(options, one_profile(options))
    runs = options.as_test
    harness = harness_for(session.format.id, session.format.title, runs) if runs else None
    found = excerpt_of(session, options.problem, options.rule, redact=not options.no_redact)
    text = found.issue() if options.issue else found.as_test(runs) if runs else None
    data = text.encode("utf-8", "replace") if text is not None else found.data
    if options.output in (None, inputs.STDIN):
        _print(data)
    else:
        save_as(options.output, [data], force=options.force)
        streams.note_saved()
    _tell(found, options)
    if harness is not None:
        say(f"It fails while a call or an output is missing from the request. {harness.how}")
    return exits.OK


def _print(data: bytes) -> None:
    """Without control characters: in JSON they are escaped, which means the same; elsewhere they are shown as signs."""
    lines = [_escaped(line) for line in data.decode("utf-8", "surrogateescape").split("\n")]
    shown = [str(safe(line.removesuffix("\r"))) for line in lines]
    if is_terminal(sys.stdout) or any(_CONTROL.search(line) for line in lines):
        if not is_terminal(sys.stdout):
            say("Some control characters and bad bytes in it are printed as signs; -o OUT writes them as they are.")
        text = "\n".join(shown)
    else:
        text = "\n".join(lines)
    streams.flush()
    streams.write_bytes(text.encode("utf-8", "replace"))


def _escaped(line: str) -> str:
    if not _C1.search(line) or isinstance(parse(line.encode("utf-8", "surrogateescape")), Damaged):
        return line
    return _C1.sub(lambda match: f"\\u{ord(match[0]):04x}", line)


def _tell(found: Excerpt, options: argparse.Namespace) -> None:
    """Say how large it was and is, and what is in it."""
    noun = "line" if found.lines else "message"
    say(
        f"Problem {found.number:,} of {found.count:,}, {found.problem.rule}: {found.records:,} of "
        f"{plural(found.records_before, noun)}, {in_words(len(found.data))} of {in_words(found.size_before)}, after "
        f"{plural(found.checks, 'check')}."
    )
    if found.redacted:
        say(
            "Replaced: every text, name, path, host, id, time and long number. Kept: field names, standard tools, "
            "versions, public models, known placeholders, and all lengths. Read it before you send it."
        )
    else:
        say("Not redacted: it contains the session's own words.")
    for note in found.notes:
        say(note)
    if options.issue:
        tracker = TRACKERS.get(found.session.format.id)
        lines, exact = as_text(found.data)
        if not exact or sum(map(len, lines)) > LONGEST:
            say("The excerpt cannot be pasted whole: run the command again without --issue, and attach that file.")
        if tracker is not None:
            say(f"Bugs are reported at {tracker}.")
