"""`toolpair sees`: the history as its agent would send it on resume, before and after the recommended fixes."""

from __future__ import annotations

import argparse
import sys
from typing import Final

from toolpair.cli import exits, inputs
from toolpair.cli.file_report import Entry
from toolpair.cli.sent_json import entry_of, in_order
from toolpair.cli.terminal import Parser, TerminalStyle, add_common, add_leaf, dump, one_profile, out, safe, style_for
from toolpair.session.session import Session
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


def parser(command: str = "sees") -> Parser:
    result = Parser(
        prog=f"toolpair {command}",
        description="Print the history as its agent would send it on resume, before and after the recommended fixes.",
        epilog=_EPILOG,
    )
    result.add_argument("file", metavar="FILE", help="a session file, a session's id, or - for standard input")
    which = result.add_mutually_exclusive_group()
    which.add_argument("--before", action="store_true", help="only as the file is now")
    which.add_argument("--fixed", action="store_true", help="only as it would be after the recommended fixes")
    add_leaf(result)
    add_common(
        result,
        ("text", "json"),
        "print the messages whole; without it only their beginnings, and in JSON ids, names and sizes",
    )
    return result


def run(options: argparse.Namespace) -> int:
    options.file = inputs.named(options.file)
    session = inputs.opened(options, one_profile(options))
    content = options.show_content
    before = None if options.fixed else _entries(session, content)
    after = None
    fixes = 0
    if not options.before and session.stage_recommended() is not None:
        fixes = sum(row.count for row in session.staged)
        after = _entries(session, content)
    elif options.fixed:
        after = _entries(session, content)
    if options.output_format == "json":
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


def _entries(session: Session, content: bool) -> list[Entry]:
    return [entry_of(session, conversation, content) for conversation in session.conversations]


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


class _HistoryPrinter:
    """Prints histories: a paragraph per message, with marks for what the agent changes."""

    def __init__(self, style: TerminalStyle, content: bool) -> None:
        self.style = style
        self.content = content

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
        line = f"       {_name(block)}"
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


def _name(block: Entry) -> str:
    parts = [block["type"], block["name"], block["id"]]
    return "  ".join(safe(part) for part in parts if part)


def _short(text: str) -> str:
    line = " ".join(text.split("\n", 1)[0].split())
    return line if len(line) <= _WIDTH else line[: _WIDTH - 1] + "…"


def _who(entry: Entry) -> str:
    if entry["refuses"]:
        return safe(entry["refuses"])
    if entry["agent"] is None:
        return "No agent is known that heals this history: it is sent as the file holds it."
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
