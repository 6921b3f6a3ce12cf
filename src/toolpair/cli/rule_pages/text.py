"""Rules in a terminal: the page of one, and a list of many."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Any, Final

from toolpair.cli.file_report import Entry
from toolpair.cli.rule_pages.entry import OF_FILES, how_fixed, judged_rows
from toolpair.cli.rule_pages.example import ExampleLine, compared, lines_of
from toolpair.cli.rule_pages.severities import MEANING, grouped, letters, signs
from toolpair.cli.terminal import TerminalStyle, columns, folded, out, safe
from toolpair.rules.pages import FAMILIES
from toolpair.rules.profiles import PROFILES
from toolpair.rules.registry import RULES
from toolpair.text.inline_diff import common_ends

_NARROWEST: Final = 60
_ROWS: Final = 4
"""Maximum rows for a line of an example."""
_WHOLE: Final = 2
"""A changed line of at most this many rows is shown whole."""
_AROUND: Final = 24
"""Context shown around the change in a long line."""
_TITLE: Final = 16
"""Minimum columns for a rule's title in the list."""


def print_rule(entry: Entry, style: TerminalStyle) -> None:
    """Print the page of one rule, from a complete `rule_entry`."""
    width = columns(_NARROWEST)
    out(f"{style.bold(entry['rule'])}: {entry['title']}")
    for part in (entry["meaning"], entry["remedy"] and f"toolpair: {entry['remedy']}"):
        if part:
            out()
            _prose(part, width)
    if entry.get("example"):
        out()
        _print_example(entry["example"], style, width)
    elif entry.get("no_example"):
        out()
        _prose(f"There is no example: {entry['no_example']}", width)
    if entry.get("fixes"):
        out()
        _print_fixes(entry, style, width)
    out()
    _print_profiles(entry, style, width)


def _prose(text: str, width: int, indent: str = "  ") -> None:
    out("\n".join(folded(text, width, indent, indent)))


def _print_example(example: Entry, style: TerminalStyle, width: int) -> None:
    fixed = example["mended"]
    severity = example["severity"]
    place = f" at line {example['line']:,}" if example["line"] is not None else ""
    rows = folded(f"{severity}{place}: {safe(example['says'])}", width - 2)
    out(f"{style.bold('Example')}  format {example['format']}, profile {example['profile']}")
    out("  " + style.severity(severity, severity) + rows[0].removeprefix(severity))
    for row in rows[1:]:
        out("  " + row)
    if example["api_says"]:
        _prose(f"The API says: {safe(example['api_says'])}", width)
    out()
    lines = compared(example["broken"], fixed) if fixed is not None else []
    lines = lines or [ExampleLine(" ", line) for line in lines_of(example["broken"])]
    colours: dict[str, Any] = {"-": style.red, "+": style.green, " ": str}
    for mark, row in _fitted(lines, width - 3):
        out("  " + colours[mark](f"{mark}{row}".rstrip()))
    out()
    if example["command"]:
        out(f"  {how_fixed(example)}")
        out(f"  {example['command']}")
    else:
        _prose(f"By hand: {safe(example['no_fix'] or 'there is no fix for it.')}", width)


def _fitted(lines: Sequence[ExampleLine], width: int) -> Iterator[tuple[str, str]]:
    """The lines wrapped to this width. Of a long line only the change is shown, with some context."""
    for equal, group in groupby(lines, key=lambda line: line.mark == " "):
        run = list(group)
        if equal:
            yield from ((line.mark, _cut(line.text, width)) for line in run)
            continue
        removed = [line.text for line in run if line.mark == "-"]
        added = [line.text for line in run if line.mark == "+"]
        pairs = list(zip(removed, added, strict=True)) if len(removed) == len(added) else []
        windows = dict(pair for one, two in pairs for pair in ((one, _changed(one, two)), (two, _changed(two, one))))
        for line in run:
            if line.mark == "-" and line.text not in windows and len(line.text) > _WHOLE * width:
                yield line.mark, _cut(line.text, width)  # the whole line is added or removed
            else:
                yield from ((line.mark, row) for row in _rows(line.text, windows.get(line.text), width))


def _changed(text: str, other: str) -> tuple[int, int]:
    """The half-open range where the text differs from the other one."""
    start, end = common_ends(text, other)
    return start, len(text) - end


def _rows(text: str, changed: tuple[int, int] | None, width: int) -> list[str]:
    if len(text) > _WHOLE * width and changed is not None:
        start, end = (max(changed[0] - _AROUND, 0), min(changed[1] + _AROUND, len(text)))
        start = start if start > _AROUND else 0
        end = max(end, start + width - 2)  # the rest of the row
        end = end if end < len(text) - _AROUND else len(text)
        text = ("…" if start else "") + text[start:end] + ("…" if end < len(text) else "")
    rows = textwrap.wrap(text, width, break_on_hyphens=False, drop_whitespace=False, subsequent_indent="  ")
    return [*rows[: _ROWS - 1], _cut("".join(rows[_ROWS - 1 :]), width)] if len(rows) > _ROWS else rows


def _cut(text: str, width: int) -> str:
    return text if len(text) <= width else text[: width - 1] + "…"


def _print_fixes(entry: Entry, style: TerminalStyle, width: int) -> None:
    out(f"{style.bold('Fixes')}  for all such problems: --choose {entry['rule']}=FIX")
    longest = max(len(fix["id"]) for fix in entry["fixes"])
    for fix in entry["fixes"]:
        words = f"{safe(fix['title'])}; loses {safe(fix['loses']) if fix['loses'] else 'nothing'}"
        if fix["recommended"]:
            words += " (recommended)"
        elif not fix["certain"]:
            words += " (a guess: by hand)"
        elif fix["elsewhere"]:
            words = words.removesuffix("; loses nothing")
        rows = folded(words, max(width - longest - 4, 30))
        out(f"  {fix['id'].ljust(longest)}  {rows[0]}")
        for row in rows[1:]:
            out(f"  {' ' * longest}  {row}")


def _print_profiles(entry: Entry, style: TerminalStyle, width: int) -> None:
    if RULES[entry["rule"]].of_file:
        _prose(OF_FILES, width)
        return
    out(style.bold("Profiles"))
    rows = judged_rows(entry)
    longest = max((len(profile) for profile in rows), default=0)
    for profile, cell in rows.items():
        severity = cell["severity"] or "accepted"
        out(
            f"  {profile.ljust(longest)}  {style.severity(severity, severity.ljust(8))}  "
            f"{cell['evidence'] or 'unknown'}"
        )
        if cell["note"]:
            for row in folded(cell["note"], width - 4):
                out(style.dim(f"    {row}"))
        if cell["link"]:
            out(style.dim(f"    {cell['link']}"))
    if entry["accepted"]:
        _prose(f"Accepted by: {', '.join(entry['accepted'])}", width)


_OF_FILE: Final = "of the file"
"""Shown instead of letters for a rule that no profile has."""


def print_list(entries: Sequence[Entry], style: TerminalStyle, only: Sequence[str] = ()) -> None:
    """One line per rule, family by family, with a letter for each profile."""
    profiles = [profile for profile in PROFILES if not only or profile in {name.split("/")[0] for name in only}]
    legend = ", ".join(f"{letters()[profile]}\0{profile}" for profile in profiles)
    width = columns(_NARROWEST)
    heads = grouped([letters()[profile] for profile in profiles])
    short = len(heads) < len(_OF_FILE)
    meaning = f"{MEANING}, f of the file" if short and not all(map(_judged, entries)) else MEANING
    for row in folded(f"{legend}. {meaning}.", width):
        out(row.replace("\0", " "))
    longest = max(len(name) for entry in entries for name in (entry["rule"], _heading(entry) if _judged(entry) else ""))
    of_file = ("f" if short else _OF_FILE).ljust(len(heads))
    left = longest + len(heads) + 4
    for heading, group in groupby(entries, key=_heading):
        listed = list(group)
        out()
        out(style.bold(heading.ljust(longest)) + (f"  {style.dim(heads)}" if any(map(_judged, listed)) else ""))
        for entry in listed:
            row = grouped(signs(entry, profiles)) if _judged(entry) else style.dim(of_file)
            title = entry["title"].split(",")[0]
            titles = folded(title, max(width - left, _TITLE))
            out(f"{entry['rule'].ljust(longest)}  {row}  {titles[0]}")
            for title in titles[1:]:
                out(" " * left + title)
    out()
    out(style.dim("toolpair rules RULE shows what one means, with an example."))


def _judged(entry: Entry) -> bool:
    """Whether any profile has the rule."""
    return not RULES[entry["rule"]].of_file


def _heading(entry: Entry) -> str:
    family = str(entry["rule"]).split(".")[0]
    return FAMILIES.get(family, family)
