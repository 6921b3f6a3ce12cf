"""`toolpair schema`: the JSON Schema of what a command prints with `--output-format json`."""

from __future__ import annotations

import argparse
import json
import sys
from importlib.resources import files
from typing import Final

from toolpair.cli import exits, streams
from toolpair.cli.exits import UsageError
from toolpair.cli.meant import closest
from toolpair.cli.terminal import Parser, add_color, out, style_for

NAMES: Final = (
    "check", "check-line", "fix", "compare", "diff", "sees", "prove", "explain", "first-break", "restore", "sessions",
    "sessions-line", "census", "formats", "profiles", "rules", "recipes", "demo", "config", "doctor",
)  # fmt: skip
"""The schemas that `scripts/make_schemas.py` writes."""
_EPILOG: Final = """\
examples:
  toolpair schema                    list them
  toolpair schema check > check.schema.json

In version 1 keys may be added, and names of rules, causes, fixes and formats. No key that is always there goes, changes
its type or its meaning without another version.
"""


def parser() -> Parser:
    result = Parser("schema", "Print the JSON Schema of a command's JSON, or list them.", _EPILOG)
    result.add("[NAME]  of which output")
    add_color(result)
    return result


def run(options: argparse.Namespace) -> int:
    if options.name is None:
        style = style_for(sys.stdout, options.color)
        width = max(map(len, NAMES))
        for name in NAMES:
            out(f"{style.bold(name.ljust(width))}  {json.loads(text_of(name))['title']}")
        return exits.OK
    if options.name not in NAMES:
        meant = closest(options.name, NAMES)
        hint = f"Did you mean {meant}?" if meant else f"The schemas are {', '.join(NAMES)}."
        raise UsageError(f"There is no schema {options.name!r}. {hint}")
    streams.write(text_of(options.name))
    return exits.OK


def text_of(name: str) -> str:
    """The schema as it is shipped."""
    return (files("toolpair.cli") / "schemas" / f"{name}.json").read_text(encoding="utf-8")
