"""`toolpair formats`, `profiles` and `rules`: what this version knows."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from typing import Final

from toolpair.cli import exits
from toolpair.cli.explanations import PAGES
from toolpair.cli.knowledge import check_profiles, profiles, rule_names
from toolpair.cli.output import dump
from toolpair.cli.report import Entry
from toolpair.cli.terminal import Parser, Style, UsageError, out, style_for

_ABOUT: Final = {
    "formats": "The session formats that are recognised, and where such files are found.",
    "profiles": "The providers whose rules can be judged.",
    "rules": "The rules, and what each profile says of them.",
}


def parser(command: str) -> Parser:
    result = Parser(prog=f"toolpair {command}", description=_ABOUT[command])
    result.set_defaults(what=command, rule=None)
    if command == "rules":
        result.add_argument("rule", nargs="?", metavar="RULE", help="one rule, or a family such as `result`")
        result.add_argument("--profile", action="append", default=[], metavar="NAME", help="only what this one says")
    result.add_argument(
        "--output-format", choices=("text", "json"), default="text", help="how to print it (default: text)"
    )
    result.add_argument("--no-color", action="store_true", help="no colours")
    return result


def run(options: argparse.Namespace) -> int:
    entries = _ENTRIES[options.what](options)
    if options.output_format == "json":
        out(dump({"version": 1, options.what: entries}, indent=2))
    else:
        _PRINTERS[options.what](entries, style_for(sys.stdout, options.no_color))
    return exits.OK


def _formats(options: argparse.Namespace) -> list[Entry]:
    from toolpair.formats import all_formats

    return [
        {
            "id": one.id,
            "title": one.title,
            "profile": one.profile,
            "containers": sorted(one.containers),
            "where": one.where,
        }
        for one in all_formats()
    ]


def _profiles(options: argparse.Namespace) -> list[Entry]:
    return [
        {"id": one.id, "title": one.title, "rules": one.judged, "not_judged": list(one.not_judged)}
        for one in profiles()
    ]


def _rules(options: argparse.Namespace) -> list[Entry]:
    check_profiles(options.profile)
    names = rule_names()
    if options.rule is not None:
        chosen = [name for name in names if name == options.rule or name.startswith(options.rule + ".")]
        if not chosen:
            raise UsageError(f"There is no rule {options.rule!r}; `toolpair rules` lists them all.")
        names = chosen
    return [rule_entry(name, options.profile) for name in names]


def rule_entry(name: str, only: list[str]) -> Entry:
    """What is known of one rule, for the profiles in `only` or for all."""
    page = PAGES.get(name)
    judged: Entry = {}
    for profile in profiles():
        cell = profile.cell(name)
        if cell is not None and cell.severity is not None and (not only or profile.id in only):
            judged[profile.id] = {
                "severity": cell.severity,
                "evidence": cell.evidence,
                "note": cell.note,
                "link": cell.link,
            }
    return {
        "rule": name,
        "title": page.title if page else name,
        "meaning": page.meaning if page else None,
        "remedy": page.remedy if page else None,
        "profiles": judged,
    }


def _print_formats(entries: list[Entry], style: Style) -> None:
    for entry in entries:
        out(f"{style.bold(entry['id'])}  {entry['title']}")
        out(style.dim(f"    judged as {entry['profile']}; {entry['where']}"))


def _print_profiles(entries: list[Entry], style: Style) -> None:
    for entry in entries:
        out(f"{style.bold(entry['id'])}  {entry['title']}: {entry['rules']} rules")
        out(style.dim(f"    not judged: {', '.join(entry['not_judged'])}"))


def _print_rules(entries: list[Entry], style: Style) -> None:
    if len(entries) == 1:
        print_rule(entries[0], style)
        return
    width = max(len(entry["rule"]) for entry in entries)
    for entry in entries:
        severities = ", ".join(
            f"{profile} {style.severity(cell['severity'], cell['severity'])}"
            for profile, cell in entry["profiles"].items()
        )
        out(f"{style.bold(entry['rule'].ljust(width))}  {entry['title']}")
        out(style.dim(" " * width + "  ") + (severities or style.dim(_NO_PROFILE)))


_NO_PROFILE: Final = "judged of the file itself, by what its agent makes of it"


def print_rule(entry: Entry, style: Style) -> None:
    """The page of one rule."""
    import textwrap

    out(f"{style.bold(entry['rule'])}: {entry['title']}")
    out()
    for part in (entry["meaning"], entry["remedy"] and f"toolpair: {entry['remedy']}"):
        if part:
            out(textwrap.fill(part, 96, initial_indent="  ", subsequent_indent="  "))
            out()
    if not entry["profiles"]:
        out(f"  {_NO_PROFILE[0].upper()}{_NO_PROFILE[1:]}.")
    for profile, cell in entry["profiles"].items():
        line = f"  {profile}: {style.severity(cell['severity'], cell['severity'])} (evidence: {cell['evidence']})"
        out(line)
        for extra in (cell["note"], cell["link"]):
            if extra:
                out(style.dim(f"    {extra}"))


_ENTRIES: Final[dict[str, Callable[[argparse.Namespace], list[Entry]]]] = {
    "formats": _formats,
    "profiles": _profiles,
    "rules": _rules,
}
_PRINTERS: Final[dict[str, Callable[[list[Entry], Style], None]]] = {
    "formats": _print_formats,
    "profiles": _print_profiles,
    "rules": _print_rules,
}
