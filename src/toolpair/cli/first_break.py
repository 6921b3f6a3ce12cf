"""`toolpair first-break`: in a log of requests, the first request in which each pair broke, and what changed."""

from __future__ import annotations

import argparse
import sys
from typing import Final

from toolpair.cli import exits, inputs
from toolpair.cli.exits import UsageError
from toolpair.cli.first_break_json import report_of
from toolpair.cli.first_break_text import print_found
from toolpair.cli.progress import Progress
from toolpair.cli.terminal import (
    Parser,
    add_color,
    add_max_size,
    add_output,
    add_profile,
    dump,
    one_profile,
    out,
    safe,
    style_for,
)
from toolpair.formats.engine.agents.databases import holds_sessions
from toolpair.reports.first_break.breaks import FirstBreaks, breaks_of
from toolpair.reports.first_break.log import Entry, FileLog
from toolpair.session.session import SessionError
from toolpair.shell.program import command
from toolpair.source.addresses import divided
from toolpair.source.limits import Limits
from toolpair.source.snapshot import Snapshot, from_bytes, open_source
from toolpair.text.shell import shell_word
from toolpair.transcript.counting import plural

_EPILOG: Final = """\
examples:
  toolpair first-break requests.jsonl
  toolpair first-break proxy.har --profile anthropic
  toolpair first-break ~/.claude/projects/-home-me-shop/7c3e1b2a.jsonl
  toolpair first-break requests.jsonl --output-format json | jq '.breaks[].change'
  toolpair first-break requests.jsonl --request 311 > request.json      that request alone, to look at

A log may mix conversations, retry, trim and compact: which request continues which is told by what they hold. Requests
are taken in the order in which they were sent. It is recognised by its content: JSON Lines or an array of request
bodies (or records with `body`, `request` or `json`), LiteLLM, Langfuse, Helicone, HAR, OpenTelemetry, Inspect, or a
session of Claude Code, which records its own requests. Keys and headers are never printed.

exit code: 0 no pair broke, 1 some did, 2 unreadable or no log of requests
"""


def parser(command: str = "first-break") -> Parser:
    result = Parser(
        prog=f"toolpair {command}",
        description="Find the first request of a log in which each pair broke, and what changed before it.",
        epilog=_EPILOG,
    )
    result.add_argument("log", metavar="LOG", help="a log of requests, or - for standard input")
    result.add_argument(
        "--request", metavar="N", type=_number, help="print the body of this request of the log, and nothing else"
    )
    group = result.add_argument_group("common options")
    add_profile(group)
    add_output(group, ("text", "json"), "also print what the calls and results of broken pairs say")
    add_max_size(group)
    add_color(group)
    return result


def run(options: argparse.Namespace) -> int:
    profile = one_profile(options)
    snapshot = _snapshot(options)
    if options.request is not None:
        return _print_request(FileLog(snapshot), options.request, options.log)
    with Progress(len(snapshot.data), "reading the requests") as bar:
        found = breaks_of(FileLog(snapshot, bar.advance), profile)
    _refuse_unread(found, options.log)
    if options.output_format == "json":
        out(dump(report_of(found, options.log, options.show_content), indent=2))
    else:
        print_found(found, options.log, style_for(sys.stdout, options.color), options.show_content)
    return exits.PROBLEMS if found.breaks else exits.OK


def _snapshot(options: argparse.Namespace) -> Snapshot:
    limits = Limits.of(options.max_size)
    if options.log == inputs.STDIN:
        return from_bytes(inputs.read_stdin(options.max_size), "standard input", limits)
    name = inputs.named(options.log)
    _refuse_stored(name)
    return open_source(name, limits)


def _refuse_stored(name: str) -> None:
    """Databases and folders of sessions hold messages, no requests."""
    path, _ = divided(name)
    if holds_sessions(path):
        raise SessionError(
            f"{safe(name)} is not a log of requests; `{command('check')} {shell_word(name)}` finds what is broken in "
            "sessions."
        )


def _number(text: str) -> int:
    if not text.isascii() or not text.isdecimal() or len(text) > 15 or int(text) < 1:
        raise UsageError(f"--request takes the number of a request, from 1, not {text!r}.")
    return int(text)


def _print_request(log: FileLog, number: int, name: str) -> int:
    count = 0
    for entry in log.entries():
        if not isinstance(entry, Entry):
            continue
        count += 1
        if count == number:
            if entry.found.body is None:
                raise SessionError(f"The body of request {number:,} cannot be read from {safe(name)}.")
            out(dump(entry.found.body, indent=1))
            return exits.OK
    raise SessionError(f"{safe(name)} has {plural(count, 'request')}, so there is no request {number:,}.")


def _refuse_unread(found: FirstBreaks, name: str) -> None:
    """A log of which nothing could be checked is not fine."""
    if not found.requests:
        raise SessionError(f"{safe(name)} holds no request with a history.")
    if sum(found.unread.values()) == len(found.requests):
        why = {
            "cut": "the log cut their prompts",
            "compressed": "they are compressed in a way that cannot be read",
            "no body": "it does not hold their bodies (Helicone exports them with --include-body)",
            "not rebuilt": "parts of them are not in it",
        }[max(found.unread, key=lambda reason: found.unread[reason])]
        raise SessionError(
            f"None of the {plural(len(found.requests), 'request')} of {safe(name)} can be checked: {why}."
        )
