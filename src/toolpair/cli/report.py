"""`toolpair report`: a session as pages to read and to attach to a bug report."""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import PurePath
from typing import TYPE_CHECKING, Final

from toolpair.cli import exits, inputs, streams
from toolpair.cli.exits import UsageError
from toolpair.cli.progress import Progress
from toolpair.cli.redacting import add_redact, as_asked
from toolpair.cli.terminal import Parser, add_common, add_leaf, one_profile, say
from toolpair.reports.page.files import form_of, write_files
from toolpair.reports.page.report import Report, Wanted
from toolpair.session.session import Refused
from toolpair.text.safe import visible
from toolpair.text.short import size_text
from toolpair.transcript.counting import plural

if TYPE_CHECKING:
    from toolpair.reports.page.files import ReportFiles
    from toolpair.reports.page.report import Form
    from toolpair.session.session import Session

_EPILOG: Final = """\
examples:
  toolpair report session.jsonl -o report.html      one page to open in a browser
  toolpair report 7c3e1b -o report.md               for an issue on GitHub, by the beginning of the session's id
  toolpair report session.jsonl -o report.html --full --images
  toolpair report session.jsonl -o report.html --redact      without anything of yours
  some-program | toolpair report - -o - > report.html

The report holds the verdict, what is wrong and why, the fixes with what they lose, and the conversation with each call
beside its result. It contains the session's content: read it before you share it. The page runs no script and loads
nothing; it can be read by you alone (mode 0600) until you change that.

A page has up to 2,000 calls, results and texts, or about 5 MB: a longer session has further pages beside the first
(report-2.html …), linked with each other.

exit code: 0 written, 2 unreadable, not a session or bad usage, 3 refused and nothing written (OUT exists), 5 the system
failed while writing
"""


def parser() -> Parser:
    result = Parser(
        "report", "Write a session as a page to read: what is wrong, and each call beside its result.", _EPILOG
    )
    result.add("""
        FILE              a session file, a session's id, `.`, or - for standard input
        -o, --output OUT  write to OUT, whose name ends in .html or .md; - is standard output, for a single page
        --force           overwrite existing files
        """)
    result.add_argument(
        "--output-format",
        choices=("html", "markdown"),
        help="the form; default: as the name of OUT says, and html for standard output",
    )
    result.add("""
        --full    texts over 20,000 characters whole; else their beginning
        --images  show images (HTML only); else their kind and size
        """)
    add_redact(result)
    add_leaf(result)
    add_common(result)
    return result


def run(options: argparse.Namespace) -> int:
    wanted = _wanted(options)
    profile = one_profile(options)
    options.file = inputs.named(options.file)
    inputs.tell_leftovers(options.file)
    session = as_asked(_opened(options, profile), options)
    if options.output == inputs.STDIN:
        return _print(session, wanted)
    with Progress(session.file.size, f"writing {os.path.basename(options.output)}") as bar:

        def advance(done: int, total: int) -> None:
            bar.advance(bar.total * done // max(total, 1))  # messages, drawn as bytes of the session

        files = write_files(session, wanted, options.output, options.force, advance)
    streams.note_saved()
    _tell(files, options.redact)
    return exits.OK


def _wanted(options: argparse.Namespace) -> Wanted:
    """What was asked for. Raises UsageError."""
    output = options.output
    if output is None:
        raise UsageError("Say where the report goes: -o report.html, or -o report.md for an issue on GitHub.")
    form: Form | None = options.output_format or ("html" if output == inputs.STDIN else form_of(output))
    if form is None:
        raise UsageError(
            f"The name {output!r} ends in neither .html nor .md: "
            "give another name, or --output-format html or markdown."
        )
    if options.images and form != "html":
        raise UsageError("--images belongs to HTML: Markdown on GitHub shows no images that a page holds itself.")
    if options.force and output == inputs.STDIN:
        raise UsageError("--force belongs to a file; nothing is overwritten on standard output.")
    if output == inputs.STDIN and sys.stdout is None:
        raise UsageError("The report would go to standard output, and that is closed; give -o report.html.")
    return Wanted(form, options.full, options.images, redacted=options.redact)


def _opened(options: argparse.Namespace, profile: str | None) -> Session:
    """The session that the report shows. Raises SessionError."""
    source = inputs.Input(options.file)
    with Progress(source.size, f"reading {os.path.basename(options.file)}") as bar:
        return source.open(options, profile, bar.advance, reporting=not options.redact)


def _print(session: Session, wanted: Wanted) -> int:
    name = PurePath("report.md" if wanted.form == "markdown" else "report.html")
    with Report(session, wanted, name) as report:
        if report.count > 1:
            raise Refused(
                f"The report has {report.count:,} pages, and standard output takes one: give -o {name}.", "several"
            )
        streams.flush()
        for piece in report.page(1):
            streams.write_bytes(piece)
            if streams.unread():
                break
    return exits.OK


def _tell(files: ReportFiles, redacted: bool) -> None:
    first, *rest = files.paths
    size = size_text(files.size)
    if rest:
        say(f"Wrote {visible(first)} and {plural(len(rest), 'more page')}, up to {visible(rest[-1].name)} ({size}).")
    else:
        say(f"Wrote {visible(first)} ({size}).")
    what = "Its texts are replaced" if redacted else "It contains the session's content"
    say(f"{what}: read it before you share it.")
    for note in files.notes:
        say(note)
