"""`toolpair formats`: the session formats that this version knows."""

from __future__ import annotations

import argparse
import sys

from toolpair.cli import exits
from toolpair.cli.output import dump
from toolpair.cli.report import Entry
from toolpair.cli.terminal import Parser, Style, add_color, out, style_for


def parser(command: str = "formats") -> Parser:
    result = Parser(
        prog=f"toolpair {command}",
        description="The session formats that are recognised, and where such files are found.",
    )
    result.add_argument(
        "--output-format", choices=("text", "json"), default="text", help="how to print it (default: text)"
    )
    add_color(result)
    return result


def run(options: argparse.Namespace) -> int:
    entries = _formats()
    if options.output_format == "json":
        out(dump({"version": 1, "formats": entries}, indent=2))
    else:
        _print(entries, style_for(sys.stdout, options.color))
    return exits.OK


def _formats() -> list[Entry]:
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


def _print(entries: list[Entry], style: Style) -> None:
    for entry in entries:
        out(f"{style.bold(entry['id'])}  {entry['title']}")
        out(style.dim(f"    checked against {entry['profile']}; {entry['where']}"))
