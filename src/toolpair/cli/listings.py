"""`toolpair formats`: lists the session formats that this version supports."""

from __future__ import annotations

import argparse
import sys

from toolpair.cli import exits
from toolpair.cli.file_report import Entry, entry_of
from toolpair.cli.terminal import Parser, TerminalStyle, add_color, add_format, dump, out, style_for
from toolpair.formats import all_formats, get_agent, written_by
from toolpair.formats.forms.registry import known
from toolpair.shell.machine import Machine, home_short


def parser() -> Parser:
    result = Parser("formats", "The session formats that are recognised, and where such files are found.")
    add_format(result, ("text", "json"))
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
    machine = Machine.here()
    agents = [get_agent(id_) for id_, writes in written_by().items() if writes is None]
    return [
        {**entry_of(one, "id title profile"), "containers": sorted(one.containers), "where": one.where}
        for one in (*all_formats(), *(form.format for form in known()))
    ] + [
        {
            **entry_of(one, "id title"),
            "profile": None,
            "containers": [],
            "where": home_short(str(one.roots(machine)[0]), str(machine.home)),
        }
        for one in agents
    ]


def _print(entries: list[Entry], style: TerminalStyle) -> None:
    for entry in entries:
        out(f"{style.bold(entry['id'])}  {entry['title']}")
        profile = entry["profile"]
        known = f"checked against {profile}" if profile is not None else get_agent(entry["id"]).unchecked
        out(style.dim(f"    {known}; {entry['where']}"))
