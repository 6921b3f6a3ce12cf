"""`toolpair profiles`: the providers whose rules can be checked, and the rules of one of them."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from typing import Final

from toolpair.cli import exits
from toolpair.cli.exits import UsageError
from toolpair.cli.file_report import Entry, entry_of
from toolpair.cli.markdown import prose
from toolpair.cli.rule_pages.severities import EVIDENCE
from toolpair.cli.terminal import (
    Parser,
    TerminalStyle,
    add_color,
    add_format,
    add_pager,
    columns,
    dump,
    folded,
    out,
    style_for,
)
from toolpair.rules.profiles import PROFILES, Family, Profile, is_profile, no_such_profile, profile
from toolpair.shell.program import command

_EPILOG = """\
examples:
  toolpair profiles                     all of them
  toolpair profiles mistral             its rules, each with severity, evidence, a note and a link
  toolpair profiles mistral/v13         the same for one family of its models
  toolpair profiles gemini --output-format markdown > gemini.md

Where a transcript names its model, a family that is less strict about a rule is used automatically; stricter
families are checked only when named, as in `toolpair check FILE --profile anthropic/4.6`.
"""
_ACCEPTED: Final = "accepted"


def parser() -> Parser:
    result = Parser("profiles", "List the providers whose rules are known, or print the rules of one.", _EPILOG)
    result.add("[NAME]  a profile, or a family of one, as in mistral/v13")
    add_format(result, ("text", "json", "markdown"))
    add_color(result)
    add_pager(result)
    return result


def run(options: argparse.Namespace) -> int:
    style = style_for(sys.stdout, options.color)
    if options.name is not None and not is_profile(options.name):
        raise UsageError(no_such_profile(options.name))
    chosen = profile(options.name) if options.name is not None else None
    if options.output_format == "json":
        listed = [_summary(profile(id_)) for id_ in PROFILES]
        entry: Entry = {"profile": profile_entry(chosen)} if chosen is not None else {"profiles": listed}
        out(dump({"version": 1, **entry}, indent=2))
    elif options.output_format == "markdown":
        out("\n".join(profile_markdown(chosen) if chosen is not None else _list_markdown()))
    elif chosen is not None:
        _print_profile(chosen, style)
    else:
        _print_list(style)
    return exits.OK


def _summary(chosen: Profile) -> Entry:
    return {
        "id": chosen.id,
        "title": chosen.title,
        "rules": chosen.judged,
        "families": _families(chosen),
        "not_judged": list(chosen.not_judged),
    }


def _families(chosen: Profile) -> list[Entry]:
    return [
        {
            "id": family.id,
            "title": family.title,
            "models": family.models.pattern if family.models else None,
            "differs_in": {rule: cell.severity for rule, cell in family.cells.items()},
        }
        for family in chosen.families
    ]


def profile_entry(chosen: Profile) -> Entry:
    """Everything known about one profile. A rule whose `severity` is null is accepted."""
    return {
        "id": chosen.id,
        "title": chosen.title,
        "results": chosen.results,
        "ids": {
            "pattern": chosen.id_pattern.pattern if chosen.id_pattern else None,
            "shortest": chosen.id_min,
            "longest": chosen.id_max,
        },
        "families": _families(chosen),
        "not_judged": list(chosen.not_judged),
        "rules": [
            {"rule": rule, **entry_of(cell, "severity evidence note link")}
            for rule, cell in chosen.cells.items()
            if cell.severity is not None or cell.note
        ],
    }


def ids_in_words(chosen: Profile) -> str:
    """Which ids are accepted, one phrase."""
    what = f"they match {chosen.id_pattern.pattern}" if chosen.id_pattern else "any text"
    if chosen.id_max is None:
        return what
    return f"{what}, {chosen.id_max} characters{'' if chosen.id_min == chosen.id_max else ' at most'}"


def differences(chosen: Profile, family: Family, quote: str = "") -> str:
    """How a family of a provider's models differs from the provider's profile, one phrase."""
    plain, other = profile(chosen.base), profile(f"{chosen.base}/{family.id}")
    said = [
        f"{quote}{rule}{quote} {cell.severity or _ACCEPTED}"
        for rule, cell in family.cells.items()
        if cell.severity != plain.cells[rule].severity
    ]
    if ids_in_words(other) != ids_in_words(plain):
        said.insert(0, f"ids: {_with_code(ids_in_words(other)) if quote else ids_in_words(other)}")
    return ", ".join(said) or "as the profile itself"


def _print_list(style: TerminalStyle) -> None:
    for one in map(profile, PROFILES):
        out(f"{style.bold(one.id)}  {one.title}: {one.judged} rules")
        if one.families:
            listed = [f"{one.id}/{family.id} ({family.title})" for family in one.families]
            _prose(f"families: {', '.join(listed)}", 4)
        _prose(f"not checked: {', '.join(one.not_judged)}", 4, style.dim)
    out()
    out(f"`{command('profiles NAME')}` prints the rules of one.")


def _print_profile(chosen: Profile, style: TerminalStyle) -> None:
    head, *more = _wrapped(f"{chosen.id}: {chosen.title}", 0)
    out("\n".join((style.bold(head), *more)))
    parts = [
        f"results: {chosen.results}",
        f"ids: {ids_in_words(chosen)}",
        f"not checked: {', '.join(chosen.not_judged)}",
    ]
    parts += [
        f"{chosen.base}/{family.id}: {family.title}; {differences(chosen, family)}"
        for family in chosen.families
        if not chosen.family
    ]
    for part in parts:
        _prose(part, 2, style.dim)
    out()
    entries = profile_entry(chosen)["rules"]
    first = max(len(entry["rule"]) for entry in entries)
    out(style.bold(f"{'rule'.ljust(first)}  severity  evidence"))
    for entry in entries:
        severity = entry["severity"] or _ACCEPTED
        word = severity.ljust(8)
        shown = style.severity(severity, word) if entry["severity"] else style.green(word)
        out(f"{entry['rule'].ljust(first)}  {shown}  {entry['evidence']}")
        _prose(entry["note"] or "", 4)
        if entry["link"]:
            out(style.dim(f"    {entry['link']}"))
    out()
    for word, meaning in EVIDENCE.items():
        if any(entry["evidence"] == word for entry in entries):
            out(style.dim(f"{word}: {meaning}"))


def profile_markdown(chosen: Profile) -> list[str]:
    """The same as a Markdown page, as lines."""
    lines = [f"# {chosen.title} (`{chosen.id}`)", "", f"Results: {chosen.results}."]
    lines += [
        f"Ids: {_with_code(ids_in_words(chosen))}.",
        f"Not checked: {', '.join(chosen.not_judged)}.",
        "",
    ]
    if chosen.families:
        lines += ["| family | models | what differs |", "|---|---|---|"]
        for family in chosen.families:
            differs = differences(chosen, family, "`").replace("|", "\\|")
            lines.append(f"| `{chosen.base}/{family.id}` | {prose(family.title)} | {differs} |")
        lines.append("")
    lines += ["| rule | severity | evidence | note |", "|---|---|---|---|"]
    for entry in profile_entry(chosen)["rules"]:
        evidence = f"[{entry['evidence']}]({entry['link']})" if entry["link"] else entry["evidence"]
        severity = entry["severity"] or _ACCEPTED
        lines.append(f"| `{entry['rule']}` | {severity} | {evidence} | {prose(entry['note'] or '')} |")
    return lines


def _list_markdown() -> list[str]:
    lines = ["| profile | provider | rules | families |", "|---|---|---|---|"]
    for one in map(profile, PROFILES):
        families = ", ".join(f"`{family.id}`" for family in one.families)
        lines.append(f"| `{one.id}` | {one.title} | {one.judged} | {families} |")
    return lines


def _with_code(text: str) -> str:
    """Text with a regular expression marked as code."""
    head, match, pattern = text.partition("match ")
    if not match:
        return text
    pattern, comma, rest = pattern.partition(", ")
    return f"{head}{match}`{pattern}`{comma}{rest}"


def _wrapped(text: str, indent: int) -> list[str]:
    space = " " * indent
    return folded(text, columns(), space, space + "  ", break_long_words=False)


def _prose(text: str, indent: int, shown: Callable[[str], str] = str) -> None:
    for line in _wrapped(text, indent):
        out(shown(line))
