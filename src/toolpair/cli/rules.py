"""`toolpair rules`: what is checked, what each profile says of it, and the page of one rule."""

from __future__ import annotations

import argparse
import difflib
import sys

from toolpair.cli import exits, streams
from toolpair.cli.exits import UsageError
from toolpair.cli.rule_pages.entry import rule_entry
from toolpair.cli.rule_pages.rule_markdown import index, page
from toolpair.cli.rule_pages.text import print_list, print_rule
from toolpair.cli.terminal import Parser, add_color, add_format, add_pager, chosen_profiles, dump, out, style_for
from toolpair.rules.pages import FAMILIES, pages
from toolpair.rules.registry import RULES
from toolpair.shell.program import command

__all__ = ["parser", "print_rule", "rule_entry", "run"]

_EPILOG = """\
examples:
  toolpair rules                     all of them, with what each provider says
  toolpair rules result              those about results
  toolpair rules result.missing      what it means, a broken and a fixed example, its fixes
  toolpair rules --profile mistral   what one provider says

exit code: 0, or 2 for bad usage
"""


def parser() -> Parser:
    result = Parser("rules", "The rules, and what each profile says of them.", _EPILOG)
    result.add("""
        [RULE]             one rule, or a family such as `result`
        --profile NAME...  only what this one says
        """)
    add_format(result, ("text", "json", "markdown"))
    add_color(result)
    add_pager(result)
    return result


def run(options: argparse.Namespace) -> int:
    chosen_profiles(options)
    names = sorted(RULES) if options.rule is None else _named(options.rule)
    one = len(names) == 1 and names[0] == options.rule
    order = list(pages())
    names.sort(key=lambda name: order.index(name) if name in order else len(order))
    entries = [rule_entry(name, options.profile, whole=one or options.output_format == "json") for name in names]
    if options.output_format == "json":
        out(dump({"version": 1, "rules": entries}, indent=2))
    elif options.output_format == "markdown":
        streams.write(page(entries[0]) if one else index(entries))
    else:
        style = style_for(sys.stdout, options.color)
        if one:
            print_rule(entries[0], style)
        else:
            print_list(entries, style, options.profile)
    return exits.OK


def _named(rule: str) -> list[str]:
    """The rule of this name, or those of the family. Raises UsageError with the nearest names."""
    names = sorted(RULES)
    found = [name for name in names if name == rule or name.startswith(rule + ".")]
    if found:
        return found
    wanted = rule.casefold()
    same = [name for name in pages() if name.endswith(f".{wanted}")]
    alike = difflib.get_close_matches(wanted, [*names, *FAMILIES], n=3)
    within = [name for name in names if wanted and wanted in name]
    close = list(dict.fromkeys((*same, *alike, *within)))
    hint = f"Did you mean {' or '.join(close[:3])}?" if close else f"`{command('rules')}` lists them all."
    raise UsageError(f"There is no rule {rule!r}. {hint}")
