"""`toolpair sees`: the history as its agent would send it on resume, before and after the recommended fixes."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Iterator
from typing import Final

from msgspec import Struct

from toolpair.cli import exits, inputs
from toolpair.cli.file_report import Entry
from toolpair.cli.terminal import (
    Parser,
    TerminalStyle,
    add_common,
    add_leaf,
    add_options,
    add_pager,
    dump,
    one_profile,
    out,
    safe,
    style_for,
)
from toolpair.dialects.block_texts import call_summary
from toolpair.history.sent_rows import UNKNOWN_SENDER, SeenRow, seen_rows
from toolpair.session.session import Conversation, Session
from toolpair.transcript.counting import plural

_EPILOG = """\
examples:
  toolpair sees session.jsonl
  toolpair sees session.jsonl --fixed              only as it would be after the recommended fixes
  toolpair sees session.jsonl --output-format json --show-content

Agents heal a broken history when they resume it, and lose outputs on the way. This prints what is left: each
message that would be sent, and between them what is left out. What an agent adds to every request on its own
(reminders, listings) is not shown. A file that belongs to no agent is sent as it is.

exit code: 0 printed, 2 unreadable or not a session
"""
_WIDTH: Final = 100
_MARKS: Final = {
    "added": "added",
    "changed": "changed",
    "shortened": "shortened",
    "inherited": "from the session that it was forked from",
    "dropped": "left out",
    "replaced": "replaced",
}


def parser() -> Parser:
    result = Parser(
        "sees",
        "Print the history as its agent would send it on resume, before and after the recommended fixes.",
        _EPILOG,
    )
    result.add("FILE  a session file, a session's id, or - for standard input")
    which = result.add_mutually_exclusive_group()
    add_options(
        which,
        """
        --before  only as the file is now
        --fixed   only as it would be after the recommended fixes
        """,
    )
    add_leaf(result)
    add_common(
        result,
        ("text", "json"),
        "print the messages whole; without it only their beginnings, and in JSON ids, names and sizes",
    )
    add_pager(result)
    return result


def run(options: argparse.Namespace) -> int:
    session = inputs.opened(options, one_profile(options))
    content = options.show_content
    in_json = options.output_format == "json"
    before = None if options.fixed else _entries(session, content, in_json)
    after = None
    fixes = 0
    if not options.before and session.stage_recommended() is not None:
        fixes = sum(row.count for row in session.staged)
        after = _entries(session, content, in_json)
    elif options.fixed:
        after = _entries(session, content, in_json)
    if in_json:
        out(dump(_json(session, options.file, before, after, fixes), indent=2))
        return exits.OK
    printer = _HistoryPrinter(style_for(sys.stdout, options.color), content)
    if before is not None:
        printer.history(before, f"{safe(options.file)}, as it is")
    if after is not None:
        if before is not None:
            out()
        taken = f"after {plural(fixes, 'recommended fix', 'recommended fixes')}" if fixes else "with nothing to fix"
        printer.history(after, f"{safe(options.file)}, {taken}")
    return exits.OK


def _entries(session: Session, content: bool, with_records: bool) -> list[Entry]:
    """`with_records`: also what becomes of each record of the file."""
    return [
        {
            **_conversation_entry(session, conversation, content),
            **({"records": list(_records(conversation))} if with_records else {}),
        }
        for conversation in session.conversations
    ]


def _json(session: Session, path: str, before: list[Entry] | None, after: list[Entry] | None, fixes: int) -> Entry:
    """A single conversation is at the top level of the report, several are in its list `conversations`."""
    report: Entry = {"version": 1, "path": path, "format": session.format.id}
    for entry in (*(before or ()), *(after or ())):
        parts = (*entry["messages"], *entry["left_out"])
        for block in (block for part in parts for block in part["blocks"]):
            if "value" not in block:
                del block["text"]
    if before is not None:
        report |= before[0] if len(before) == 1 else {"conversations": before}
    if after is not None:
        after_fixes = after[0] if len(after) == 1 else {"conversations": after}
        report["after"] = {"fixes": fixes, **after_fixes}
    return report


class _HistoryPrinter(Struct, frozen=True):
    """Prints histories: a paragraph per message, with marks for what the agent changes."""

    style: TerminalStyle
    content: bool

    def history(self, entries: list[Entry], title: str) -> None:
        for number, entry in enumerate(entries):
            of = f", conversation {number + 1} of {len(entries)}" if len(entries) > 1 else ""
            out(self.style.bold(f"{title}{of}"))
            out(self.style.dim(_who(entry)))
            for message in in_order(entry):
                out()
                self._message(message)
            out()
            out(_count(entry))

    def _message(self, message: Entry) -> None:
        number = message["number"]
        head = f"{number:>5,}" if number is not None else "    –"
        out(self.style.bold(f"{head}  {safe(message['role'])}"))
        for block in message["blocks"]:
            self._block(block)

    def _block(self, block: Entry) -> None:
        mark = _MARKS.get(block["fate"], "")
        if block["moved"]:
            mark = f"{mark}, moved" if mark else "moved"
        named = filter(None, (block["type"], block["name"], block["id"]))
        line = f"       {'  '.join(map(safe, named))}"
        first, *rest = block["text"].split("\n") if self.content else [_short(block["text"])]
        line += f"  {safe(first)}" if first else ""
        if block["lines"] > 1 and not self.content:
            line += f"  ({block['lines']:,} lines)"
        if mark:
            line += f"  [{mark}]"
        lost = block["fate"] in ("dropped", "replaced")
        out(self.style.red(line) if lost else self.style.green(line) if mark else line)
        for text in rest:
            out(f"         {safe(text)}")


def _short(text: str) -> str:
    line = " ".join(text.split("\n", 1)[0].split())
    return line if len(line) <= _WIDTH else line[: _WIDTH - 1] + "…"


def _who(entry: Entry) -> str:
    if entry["refuses"]:
        return safe(entry["refuses"])
    if entry["agent"] is None:
        return UNKNOWN_SENDER
    who = f"{entry['agent']} {entry['agent_version'] or ''}".strip()
    return f"What {safe(who)} sends when it resumes now, its own reminders aside."


_COUNTED: Final = (
    ("shortened", "shortened"),
    ("dropped", "left out"),
    ("replaced", "replaced"),
    ("added", "added by the agent"),
    ("inherited", "from the session that it was forked from"),
)


def _count(entry: Entry) -> str:
    outputs = entry["outputs"]
    blocks = [block for part in (*entry["messages"], *entry["left_out"]) for block in part["blocks"]]
    fates = [block["fate"] for block in blocks]
    said = f"{plural(len(entry['messages']), 'message')}; "
    said += f"{outputs['seen']:,} of {outputs['total']:,} outputs reach the model"
    if entry["refuses"]:
        said = f"Nothing is sent; {plural(outputs['total'], 'output')} in the file"
    for fate, words in _COUNTED:
        if fates.count(fate):
            said += f"; {fates.count(fate):,} {words}"
    return f"{said}."


def _conversation_entry(session: Session, conversation: Conversation, content: bool = False) -> Entry:
    """The messages of the request in order, and what is left out of it, each with the number of the following message.

    With `content` each block has its exact `value`; otherwise only names, ids, sizes and a short text.
    """
    seen = conversation.judged.seen
    verdict = conversation.verdict
    return {
        "agent": seen.agent if seen is not None else None,
        "agent_version": seen.version if seen is not None else None,
        "refuses": seen.refuses if seen is not None else None,
        "outputs": {name: getattr(verdict, f"outputs_{name}") for name in ("total", "seen", "shortened")},
        **_messages(session, conversation, content),
    }


def in_order(entry: Entry) -> Iterator[Entry]:
    """The messages of an entry interleaved with what is left out, in file order; the number of those is None."""
    left_out = iter(entry["left_out"])
    lost = next(left_out, None)
    for message in entry["messages"]:
        while lost is not None and lost["before"] is not None and lost["before"] <= message["number"]:
            yield {"number": None, **lost}
            lost = next(left_out, None)
        yield message
    if lost is not None:
        yield from ({"number": None, **found} for found in (lost, *left_out))


def _messages(session: Session, conversation: Conversation, content: bool) -> Entry:
    moved = _Moves(conversation)
    sent: list[Entry] = []
    left_out: list[Entry] = []
    for row in seen_rows(conversation.judged):
        block = _block(conversation, row, moved.is_moved(row), content)
        if row.message is not None:
            if not sent or sent[-1]["number"] != row.message:
                sent.append({"number": row.message, "role": row.role, "blocks": []})
            sent[-1]["blocks"].append(block)
            continue
        follows = sent[-1]["number"] + 1 if sent else 0
        last = left_out[-1] if left_out else None
        if last is None or (last["before"], last["role"]) != (follows, row.role):
            left_out.append({"before": follows, "role": row.role, "blocks": []})
        left_out[-1]["blocks"].append(block)
    return {"messages": sent, "left_out": left_out}


def _block(conversation: Conversation, row: SeenRow, moved: bool, content: bool) -> Entry:
    block = row.block
    text = call_summary(block) if block is not None and block.kind == "call" else row.text
    entry: Entry = {
        "type": row.type,
        "fate": row.fate,
        "moved": moved,
        "id": row.id,
        "name": block.name if block is not None else None,
        "line": conversation.document.line_of(block.record) if block is not None else None,
        "characters": len(text),
        "lines": text.count("\n") + 1 if text else 0,
        "text": text if content else text.split("\n", 1)[0][:200],
    }
    if content:
        entry["value"] = row.value
    return entry


class _Moves:
    """Which blocks are in a different place in the request than in the file."""

    def __init__(self, conversation: Conversation) -> None:
        self.place = {record.uid: number for number, record in enumerate(conversation.document.records)}
        self.calls: dict[str, int] = {}
        self.message: int | None = None
        self.before = -1
        """The latest user record that an earlier message came from."""
        self.latest = -1

    def is_moved(self, row: SeenRow) -> bool:
        """Asked row by row in order: a result that came before its call, or text that came before earlier text."""
        if row.message is None or row.block is None:
            return False
        place = self.place.get(row.block.record, -1)
        id_ = row.id or ""
        if row.block.kind == "call":
            self.calls[id_] = place
        if row.role != "user":
            return False
        if row.message != self.message:
            self.message, self.before = row.message, self.latest
        self.latest = max(self.latest, place)
        return place < self.before or (row.block.kind == "result" and place < self.calls.get(id_, -1))


def _records(conversation: Conversation) -> Iterable[Entry]:
    """Every record of the conversation with its scope, and whether any of it is sent."""
    rows = seen_rows(conversation.judged)
    sent = {row.block.record for row in rows if row.message is not None and row.block is not None}
    scopes = conversation.transcript.scopes
    for number, record in enumerate(conversation.document.records):
        yield {
            "record": number,
            "line": record.line,
            "scope": scopes.get(record.uid, "active"),
            "sent": record.uid in sent,
        }
