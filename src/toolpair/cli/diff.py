"""`toolpair diff`: two sessions compared by what they say. Nothing is written."""

from __future__ import annotations

import argparse
import sys
from difflib import unified_diff
from typing import Final

from msgspec import Struct

from toolpair.cli import exits, inputs
from toolpair.cli.exits import UsageError
from toolpair.cli.file_report import Entry, entry_of
from toolpair.cli.hand_over import print_hand_over
from toolpair.cli.terminal import Parser, TerminalStyle, add_common, add_pager, dump, one_profile, out, safe, style_for
from toolpair.dialects.block_texts import call_summary
from toolpair.history.comparison_rows import ComparisonRow, ComparisonRows
from toolpair.history.comparison_text import DIFFER, summary_text
from toolpair.history.steps import DiffStep
from toolpair.history.two_histories import Comparison
from toolpair.session.session import Session
from toolpair.session.two_sessions import ConversationDiff, SessionDiff, diff
from toolpair.transcript.counting import plural

_EPILOG: Final = """\
examples:
  toolpair diff 7c3e1b 9f02aa                          a session and its fork, by the beginnings of their ids
  toolpair diff session.jsonl session.jsonl.toolpair-20261121-0912.bak
  toolpair diff a.jsonl b.jsonl --show-content         with what differs inside calls and results
  toolpair diff claude.jsonl rollout.jsonl --sent      what a converter from one agent to another has lost
  toolpair diff a.jsonl b.jsonl --output-format json | jq '.conversations[].parting'

--sent compares texts, outputs, arguments and images of messages; images inside outputs are not compared.
Two histories are compared as their agent would continue them: message by message and pair by pair, by what they say.
The order of keys, record ids, times and other branches do not count. Ids of calls do, unless --ignore-ids is given.

exit code: 0 the same, 1 different, 2 unreadable or bad usage
"""
_LONGEST: Final = 20
"""Steps in a row of which the text form lists no more; JSON has all."""
_AROUND: Final = 2
_LINES: Final = 2_000
"""Of longer texts only the size is said to differ: comparing takes the square of the time."""


def parser() -> Parser:
    result = Parser(
        "diff", "Show where two sessions part, which calls and results differ, and what only one of them has.", _EPILOG
    )
    result.add("""
        A             a session file, a backup of one, a session's id, `.`, or -
        B             the same; one of the two can be standard input
        --ignore-ids  pairs that differ only in their ids are the same
        --sent        compare what their agents would send instead: what a hand-over from one to the other has lost
        --leaf ID     use the history of A that ends at this record, or begins so
        --leaf-b ID   the same for B
        """)
    add_common(result, ("text", "json"), "also print what calls, results and messages say where they differ")
    add_pager(result)
    return result


def run(options: argparse.Namespace) -> int:
    if options.a == options.b == inputs.STDIN:
        raise UsageError("Only one of the two can be standard input.")
    profile = one_profile(options)
    a, b = (
        _Side(
            name := inputs.named(given),
            inputs.Input(name).open(argparse.Namespace(**{**vars(options), "leaf": leaf}), profile),
        )
        for given, leaf in ((options.a, options.leaf), (options.b, options.leaf_b))
    )
    if options.sent:
        return print_hand_over((a.name, a.session), (b.name, b.session), options)
    result = diff(a.session, b.session, ignore_ids=options.ignore_ids)
    if options.output_format == "json":
        out(dump(_json(a, b, result, options.show_content), indent=2))
    else:
        found = [one.comparison if one is not None else None for one in result.conversations]
        _Printer((a, b), style_for(sys.stdout, options.color), options.show_content).all(found)
    return exits.OK if result.same else exits.PROBLEMS


class _Side(Struct, frozen=True):
    """One of the two, and what it is called."""

    name: str
    session: Session


# JSON


def _json(a: _Side, b: _Side, found: SessionDiff, content: bool) -> Entry:
    return {
        "version": 1,
        "a": _side_entry(a),
        "b": _side_entry(b),
        "same": found.same,
        "conversations": [_diff_entry(one, content) if one is not None else None for one in found.conversations],
    }


def _side_entry(side: _Side) -> Entry:
    session = side.session
    return {"path": side.name, "format": session.format.id, "conversations": len(session.conversations)}


def _diff_entry(found: ConversationDiff, content: bool) -> Entry:
    parting = found.parting
    return {
        "same": found.same,
        "counts": {kind.replace(" ", "_"): entry_of(tally, "pairs others") for kind, tally in found.counts.items()},
        "parting": None
        if parting is None
        else {
            "a": _step_entry(parting.a, False),
            "b": _step_entry(parting.b, False),
            **entry_of(parting, "pairs_a pairs_b"),
        },
        "differences": [
            {
                "kind": each.kind.replace(" ", "_"),
                "differs": list(each.differs),
                "a": _step_entry(each.a, content) if each.a is not None else None,
                "b": _step_entry(each.b, content) if each.b is not None else None,
            }
            for each in found.differences
        ],
    }


def _step_entry(step: DiffStep, content: bool) -> Entry:
    names = "name line message inherited"
    if step.pair is not None:
        names += " pair call_id result_ids call results" if content else " pair call_id result_ids"
    elif content:
        names += " text"
    return {"type": step.kind, **entry_of(step, names)}


# Text


class _Printer(Struct, frozen=True):
    """Prints what differs for a person: a line per pair or message, in the order of both."""

    sides: tuple[_Side, _Side]
    style: TerminalStyle
    content: bool

    def all(self, found: list[Comparison | None]) -> None:
        for mark, side in zip("AB", self.sides, strict=True):
            out(self.style.bold(f"{mark}  {safe(side.name)}") + self.style.dim(f"  {side.session.format.title}"))
        for number, one in enumerate(found):
            if len(found) > 1:
                out(self.style.bold(f"conversation {number + 1} of {len(found)}"))
            if one is None:
                longer = max(self.sides, key=lambda side: len(side.session.conversations))
                out(f"Only {safe(longer.name)} has this conversation.")
            else:
                self._comparison(one)

    def _comparison(self, found: Comparison) -> None:
        rows = ComparisonRows(found)
        for place, part in enumerate(found.parts):
            for row in rows.of(place, _LONGEST):
                self._row(row)
            if part.kind != "same" and part.size > _LONGEST:
                out(f"  … and more, {part.size:,} in all, only in {part.kind[-1].upper()}; JSON lists them")
        out(self.style.bold(summary_text(found)))

    def _row(self, row: ComparisonRow) -> None:
        a, b = row.a, row.b
        if row.folded is not None:
            out(self.style.dim(f"  {row.folded}"))
        elif row.across is not None:
            out(self.style.bold(f"══ {row.across} ══"))
        elif a is not None and b is not None:
            names = ", ".join(DIFFER[aspect] for aspect in row.differs)
            line = f"≠ {_place(a)} | {_place(b)}  {_name(a, self.content)}"
            out(f"{self.style.severity('warning', safe(line))}  {names} differ{'s' if len(row.differs) == 1 else ''}")
            if "id" in row.differs:
                out(self.style.dim(f"      {safe(_ids(a))} | {safe(_ids(b))}"))
            for _, before, after in row.texts_that_differ() if self.content else ():
                self._lines(before, after)
        elif a is not None:
            out(self.style.red(safe(f"< {_place(a)}  {_name(a, self.content)}")))
        elif b is not None:
            out(self.style.green(safe(f"> {_place(b)}  {_name(b, self.content)}")))

    def _lines(self, before: str, after: str) -> None:
        old, new = before.splitlines(), after.splitlines()
        if max(len(old), len(new)) > _LINES:
            out(f"      {plural(len(old), 'line')} | {plural(len(new), 'line')}")
            return
        for line in list(unified_diff(old, new, n=_AROUND, lineterm=""))[2:]:
            colour = {"+": self.style.green, "-": self.style.red, "@": self.style.dim}.get(line[:1])
            text = f"      {safe(line)}"
            out(colour(text) if colour is not None else text)


def _place(step: DiffStep) -> str:
    if step.inherited:
        return "inherited"
    line = step.line if step.history.conversation.document.kind == "lines" else None
    return f"line {line:,}" if line is not None else f"messages.{step.message}"


def _name(step: DiffStep, content: bool) -> str:
    if step.pair is None:
        who = f"{step.name}, {step.kind}" if step.kind != "text" else step.name
        return f"{who}: {' '.join((step.text or '').split())[:80]}" if content else who
    pair = step.paired
    if content and pair is not None and pair.call is not None:
        return f"{step.name} {call_summary(pair.call)[:80]}"
    return step.name


def _ids(step: DiffStep) -> str:
    return " ≠ ".join(step.ids) or "no id"
