"""`toolpair first-break`: in a log of requests, the first request in which each pair broke, and what changed."""

from __future__ import annotations

import argparse
import json
import sys
from typing import Any, Final

from toolpair.cli import exits, inputs
from toolpair.cli.exits import UsageError
from toolpair.cli.file_report import Entry, cause_entry, entry_of
from toolpair.cli.first_break_text import command_for, print_found
from toolpair.cli.progress import Progress
from toolpair.cli.terminal import Parser, add_common, dump, one_profile, out, safe, style_for
from toolpair.formats.engine.agents.databases import holds_sessions
from toolpair.reports.first_break.breaks import Break, BrokenPair, FirstBreaks, breaks_of
from toolpair.reports.first_break.log import FileLog
from toolpair.reports.first_break.logs.kind import LateAnswer
from toolpair.reports.first_break.request import Request
from toolpair.reports.first_break.times import shown
from toolpair.session.session import SessionError
from toolpair.shell.program import command
from toolpair.source.addresses import divided
from toolpair.source.limits import Limits
from toolpair.source.snapshot import Snapshot, from_bytes, open_source
from toolpair.text.shell import shell_word
from toolpair.transcript.counting import plural

REPORT_VERSION = 1


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


def parser() -> Parser:
    result = Parser(
        "first-break", "Find the first request of a log in which each pair broke, and what changed before it.", _EPILOG
    )
    result.add(
        """
        LOG          a log of requests, or - for standard input
        --request N  print the body of this request of the log, and nothing else
        """,
        request={"type": _number},
    )
    content = "also print what the calls and results of broken pairs say"
    add_common(result, ("text", "json"), content, sessions=False)
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
    if holds_sessions(divided(name)[0]):
        raise SessionError(
            f"{safe(name)} is not a log of requests; `{command('check')} {shell_word(name)}` finds what is broken in "
            "sessions."
        )
    return open_source(name, limits)


def _number(text: str) -> int:
    if not text.isascii() or not text.isdecimal() or len(text) > 15 or int(text) < 1:
        raise UsageError(f"--request takes the number of a request, from 1, not {text!r}.")
    return int(text)


def _print_request(log: FileLog, number: int, name: str) -> int:
    count = 0
    for entry in log.entries():
        if isinstance(entry, LateAnswer):
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


def report_of(found: FirstBreaks, path: str, content: bool) -> Entry:
    """The whole report. Requests, lines, conversations and turns count from 1, messages from 0."""
    tally = found.log.tally
    return {
        "version": REPORT_VERSION,
        "path": path,
        "log": found.log.kind.id,
        "profiles": found.profiles,
        "counts": {
            "requests": len(found.requests),
            "conversations": found.conversations,
            "lines": tally.lines,
            "broken_lines": tally.broken,
            "records_without_request": tally.others,
            "not_checked": dict(sorted(found.unread.items())),
            "shortened_by_the_log": found.cut,
        },
        "breaks": [_break(one, path, content) for one in found.breaks],
        "refused": [request_entry(one) for one in found.refused],
    }


def request_entry(request: Request) -> Entry:
    """Where a request is, and what was answered."""
    return {
        "request": request.number,
        "line": request.line,
        "time": shown(request.time, "T") if request.time is not None else None,
        **entry_of(request, "session conversation step"),
        "messages": request.length,
        "answer": {"status": answer.status, "error": answer.words} if (answer := request.answer) is not None else None,
    }


def _break(one: Break, path: str, content: bool) -> Entry:
    before = one.request.before
    return {
        **request_entry(one.request),
        "turn": one.turn,
        "profile": one.request.profile,
        "rule": one.rule,
        "cause": cause_entry(one.cause) if one.cause is not None else None,
        "api_says": one.expected,
        "pairs": [_pair(pair, content) for pair in one.pairs],
        "before": None if before is None else {**request_entry(before), "ended_with": one.ended},
        "later": {"still_broken": one.later.still, "refused": one.later.refused},
        "change": {"kind": one.change.kind.replace(" ", "_"), "text": one.change.text},
        "command": command_for(one, path),
    }


def _pair(pair: BrokenPair, content: bool) -> Entry:
    entry: Entry = {
        "tool": pair.tool,
        "message": pair.text,
        "call_id": _id(pair.call_id),
        "result_id": _id(pair.result_id),
        **entry_of(pair, "call_at result_at lost_at"),
        "renamed": None,
    }
    if pair.renamed is not None:
        entry["renamed"] = entry_of(pair.renamed, "side before after")
    if content:
        entry["content"] = {"call": pair.call, "result": pair.result}
    return entry


def _id(id_: Any) -> str | None:
    return id_ if id_ is None or isinstance(id_, str) else json.dumps(id_, default=str)
