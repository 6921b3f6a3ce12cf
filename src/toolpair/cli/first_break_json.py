"""What `first-break` found, as JSON."""

from __future__ import annotations

import json
from typing import Any

from toolpair.cli.file_report import Entry, cause_entry
from toolpair.cli.first_break_text import command_for
from toolpair.reports.first_break.breaks import Break, BrokenPair, FirstBreaks
from toolpair.reports.first_break.found import Answer
from toolpair.reports.first_break.request import Request
from toolpair.reports.first_break.times import shown

REPORT_VERSION = 1


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
        "session": request.session,
        "conversation": request.conversation,
        "step": request.step,
        "messages": request.length,
        "answer": _answer(request.answer),
    }


def _answer(answer: Answer | None) -> Entry | None:
    return None if answer is None else {"status": answer.status, "error": answer.words}


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
        "call_at": pair.call_at,
        "result_at": pair.result_at,
        "lost_at": pair.lost_at,
        "renamed": None,
    }
    if pair.renamed is not None:
        entry["renamed"] = {"side": pair.renamed.side, "before": pair.renamed.before, "after": pair.renamed.after}
    if content:
        entry["content"] = {"call": pair.call, "result": pair.result}
    return entry


def _id(id_: Any) -> str | None:
    return id_ if id_ is None or isinstance(id_, str) else json.dumps(id_, default=str)
