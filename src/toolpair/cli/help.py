"""`toolpair help`: a page on a command, a rule, a recipe, a profile, the keys or the exit codes."""

from __future__ import annotations

import argparse
from importlib import import_module
from typing import Any, Final

from toolpair.cli import exits, streams
from toolpair.cli.exits import UsageError
from toolpair.cli.main import COMMANDS
from toolpair.cli.meant import COMMANDS_ELSEWHERE, closest
from toolpair.cli.open import parser as interface_parser
from toolpair.cli.own_recipes import names as own_recipes
from toolpair.cli.terminal import Parser, add_pager, out
from toolpair.recipes import RECIPES
from toolpair.rules.pages import FAMILIES
from toolpair.rules.profiles import is_profile
from toolpair.rules.registry import RULES
from toolpair.shell.program import command

_EXIT_CODES: Final = """\
toolpair check
  0    no error
  1    errors
  2    a file can't be read or is not recognised, or the command can't be understood

toolpair fix
  0    written, or nothing to do, and valid
  1    written, but errors are left
  2    as above; nothing is written
  3    refused, and nothing written: the file has changed, something writes to it, OUT exists, not permitted
  4    written, but read the note
  5    an error of the system; the text says in which state the file is

toolpair fix --diff
  0    nothing would change, and no error is left; else 1, or 2 as above

toolpair explain: 0 known, 1 a text that is not known, 2 as above.
Several files: the worst, in the order 5, 3, 2, 4, 1, 0.
Interrupted: 130. `toolpair COMMAND --help` says what is different in others.
"""
_EPILOG: Final = """\
examples:
  toolpair help fix              a command
  toolpair help result.missing   a rule, or a family such as `result`
  toolpair help roo-code         a recipe
  toolpair help mistral          a profile
  toolpair help exit-codes
"""


def parser() -> Parser:
    result = Parser("help", "Print a page on a command, a rule, a recipe, a profile, or exit-codes.", _EPILOG)
    result.add("[TOPIC]  what to explain (default: the program)")
    add_pager(result)
    return result


def run(options: argparse.Namespace) -> int:
    topic = options.topic
    if topic is None or topic in ("toolpair", "open"):
        streams.write(interface_parser().format_help())
        return exits.OK
    topic = COMMANDS_ELSEWHERE.get(topic, topic)
    if topic in COMMANDS:
        streams.write(import_module(COMMANDS[topic]).parser().format_help())
        return exits.OK
    if topic == "exit-codes":
        out(_EXIT_CODES.rstrip())
        return exits.OK
    for shows, known in (
        ("rules", topic in RULES or topic in FAMILIES),
        ("recipes", topic in RECIPES or topic in own_recipes()),
        ("profiles", is_profile(topic)),
    ):
        if known:
            module: Any = import_module(COMMANDS[shows])
            return int(module.run(module.parser().parse_args([topic])))
    meant = closest(topic, (*COMMANDS, *RULES, *FAMILIES, *RECIPES, "exit-codes"))
    hint = f"Did you mean {meant}?" if meant else f"`{command('--help')}` lists the commands."
    raise UsageError(f"There is no page on {topic!r}. {hint}")
