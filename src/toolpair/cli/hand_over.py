"""`toolpair diff --sent`: what two sessions would send, as text or JSON."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from toolpair.cli import exits
from toolpair.cli.file_report import Entry, entry_of
from toolpair.cli.terminal import TerminalStyle, dump, out, safe, style_for
from toolpair.proof.words import KIND_NAMES, listed
from toolpair.session.handed_over import KINDS, HandOver, Kind, SentText, handed_over
from toolpair.session.session import Session
from toolpair.transcript.counting import plural

Named = tuple[str, Session]


def print_hand_over(a: Named, b: Named, options: argparse.Namespace) -> int:
    found = handed_over(a[1], b[1])
    if options.output_format == "json":
        out(dump(_json(a, b, found, options.show_content), indent=2))
    else:
        style = style_for(sys.stdout, options.color)
        _print(a[0], b[0], found.only_a, found.sent_a, style, options.show_content)
        _print(b[0], a[0], found.only_b, found.sent_b, style, options.show_content)
        if found.branches_a != found.branches_b:
            out(f"{safe(a[0])} has {plural(found.branches_a, 'branch', 'branches')}, {safe(b[0])} {found.branches_b}.")
    return exits.OK if found.same else exits.PROBLEMS


def _print(
    name: str, other: str, only: Sequence[SentText], sent: dict[Kind, int], style: TerminalStyle, content: bool
) -> None:
    missing = {kind: [one for one in only if one.kind == kind] for kind in KINDS}
    told = [f"{len(missing[kind]):,} of {plural(sent[kind], KIND_NAMES[kind])}" for kind in KINDS if missing[kind]]
    if not told:
        out(style.green(f"All that {safe(name)} sends, {safe(other)} sends, too."))
        return
    out(style.bold(f"{safe(name)} sends what {safe(other)} does not: {', '.join(told)}."))
    for line in listed(only, content):
        out(safe(line))


def text_entries(texts: Sequence[SentText], content: bool) -> list[Entry]:
    """The same for JSON."""
    names = "kind id tool message line" + (" text" if content else "")
    return [{**entry_of(one, names), "characters": len(one.text)} for one in texts]


def _json(a: Named, b: Named, found: HandOver, content: bool) -> Entry:
    def side(named: Named, only: Sequence[SentText], sent: dict[Kind, int], branches: int) -> Entry:
        return {
            "path": named[0],
            "format": named[1].format.id,
            "branches": branches,
            "sent": sent,
            "only": text_entries(only, content),
        }

    return {
        "version": 1,
        "same": found.same,
        "a": side(a, found.only_a, found.sent_a, found.branches_a),
        "b": side(b, found.only_b, found.sent_b, found.branches_b),
    }
