"""Writes what is shipped for shells and `man`: `python scripts/make_completion.py`.

All commands become one parser, of which shtab makes the completions and argparse-manpage the page.
"""

from __future__ import annotations

import argparse
import os
from importlib import import_module
from pathlib import Path
from typing import Any, Final

import shtab
from argparse_manpage.manpage import Manpage

from toolpair import __version__
from toolpair.cli.completion import FILES
from toolpair.cli.hook import HOOKS
from toolpair.cli.main import COMMANDS
from toolpair.cli.open import parser as interface_parser
from toolpair.cli.schema import NAMES as SCHEMAS
from toolpair.cli.stories import names as stories
from toolpair.formats import all_formats, written_by
from toolpair.formats.forms.registry import known
from toolpair.recipes import RECIPES
from toolpair.rules.pages import FAMILIES
from toolpair.rules.profiles import PROFILES, profile
from toolpair.rules.registry import RULES

SHIPPED: Final = Path(__file__).parent.parent / "src/toolpair/cli/completions"

_PROFILES: Final = sorted({*PROFILES, *(f"{id_}/{family.id}" for id_ in PROFILES for family in profile(id_).families)})
_RECIPES: Final = sorted(RECIPES)
_RULES: Final = sorted({*RULES, *FAMILIES})
_VALUES: Final = {
    "--profile": _PROFILES,
    "--format": sorted({*(one.id for one in all_formats()), *(form.format.id for form in known())}),
    "--agent": sorted(written_by()),
    "--recipe": _RECIPES,
    "--choose": sorted(RULES),
    "--select": _RULES,
    "--ignore": _RULES,
    "--rule": _RULES,
    "compare recipes": _RECIPES,
    "recipes name": _RECIPES,
    "rules rule": _RULES,
    "profiles name": _PROFILES,
    "demo story": sorted(stories()),
    "explain thing": sorted(RULES),
    "completion what": [*FILES, "man"],
    "hook what": [*HOOKS, "shell"],
    "schema name": list(SCHEMAS),
    "help topic": sorted({*COMMANDS, *RULES, *FAMILIES, *RECIPES, *PROFILES, "exit-codes"}),
}
"""What may be typed there, by option or by command and argument."""

_SESSIONS: Final = {"bash": "_toolpair_files", "zsh": "_toolpair_files", "fish": "(_toolpair_files)"}
_PREAMBLE: Final = {
    "bash": """
_toolpair_files() {
  compgen -f -- "$1"
  [[ -z "$1" || "$1" == */* ]] || "${COMP_WORDS[0]}" completion sessions "$1" 2>/dev/null
}
""",
    "zsh": """
_toolpair_files() {
  local -a found
  [[ -z "$PREFIX" || "$PREFIX" == */* ]] || found=(${(f)"$(command toolpair completion sessions $PREFIX 2>/dev/null)"})
  (( $#found )) && compadd -a found
  _files
}
""",
    "fish": """
function _toolpair_files
  set -l word (commandline -ct)
  __fish_complete_path $word
  if test -n "$word"; and not string match -q '*/*' -- $word
    command toolpair completion sessions $word 2>/dev/null
  end
end
""",
}

_COMMANDS: Final = {
    "bash": "\n_shtab_toolpair_pos_0_choices=",
    "zsh": "_describe 'toolpair commands' _commands\n",
    "fish": "complete -c toolpair -f\n",
}
_OR_A_FILE: Final = {
    "bash": "\n_shtab_toolpair_pos_0_COMPGEN=_toolpair_files",
    "zsh": "  _toolpair_files\n",
    "fish": "complete -c toolpair -n '_shtab_toolpair_using; and test $_shtab_toolpair_npos -eq 0'"
    " -a '(_toolpair_files)'\n",
}
"""The interface takes a file where the others have their names, which shtab does not know of."""


def whole() -> argparse.ArgumentParser:
    """The program as one parser, as a shell sees it."""
    result = argparse.ArgumentParser("toolpair", description=interface_parser().description, add_help=False)
    for action in interface_parser()._actions:
        if action.option_strings:
            _completed(action, "")
            result._add_action(action)
    commands = result.add_subparsers(metavar="COMMAND|FILE")
    for name, module in COMMANDS.items():
        parser: argparse.ArgumentParser = import_module(module).parser()
        for action in parser._actions:
            _completed(action, name)
        about = (parser.description or "").partition(". ")[0].rstrip(".")
        commands.add_parser(name, help=about)
        commands.choices[name] = parser  # as it is: with its own groups, usage and examples
    return result


def _completed(action: Any, command: str) -> None:
    option = next((name for name in action.option_strings if name.startswith("--")), None)
    values = _VALUES.get(option or f"{command} {action.dest}")
    if values is not None:
        action.choices = values
    elif action.dest == "folder":
        action.complete = shtab.DIRECTORY
    elif option in ("--output", "--form", "--backup"):
        action.complete = shtab.FILE
    elif option is None and action.dest in ("file", "files", "paths", "a", "b", "log", "database"):
        action.complete = _SESSIONS


def completions() -> dict[str, str]:
    """The file of each shell, by its name."""
    made = {}
    for shell, name in FILES.items():
        text = shtab.complete(whole(), shell, root_prefix="toolpair", preamble=_PREAMBLE)
        before, mark, after = text.partition(_COMMANDS[shell])
        assert mark, shell
        text = before + _OR_A_FILE[shell] + mark + after
        made[name] = "\n".join(line.rstrip() for line in text.splitlines()) + "\n"
    return made


_WHAT: Final = "open, check and fix the session files of AI agents"


def man_page() -> str:
    os.environ["COLUMNS"] = "80"  # what argparse folds its help to
    commands = {name: import_module(module).parser() for name, module in COMMANDS.items()}
    page = interface_parser()
    page.epilog, examples = None, page.epilog
    made = Manpage(page, {"project_name": "toolpair", "version": __version__, "date": " ", "manual_title": "toolpair"})
    # `whatis` and `apropos` want a name with what it is, and a reader each way to call it on its own line.
    named = str(made).replace("\n.SH NAME\ntoolpair\n", f"\n.SH NAME\ntoolpair \\- {_WHAT}\n", 1)
    named = named.replace(" toolpair COMMAND …\n", "\n.br\n.B toolpair\nCOMMAND …\n", 1)
    text = named + _as_it_is("COMMANDS", examples or "")
    return text + "".join(_as_it_is(f"TOOLPAIR {name.upper()}", one.format_help()) for name, one in commands.items())


def _as_it_is(head: str, told: str) -> str:
    quoted = told.strip().replace("\\", "\\e").replace("-", "\\-").replace("\n.", "\n\\&.").replace("\n'", "\n\\&'")
    return f'\n.SH "{head}"\n.nf\n{quoted}\n.fi\n'


if __name__ == "__main__":
    SHIPPED.mkdir(exist_ok=True)
    for name, text in {**completions(), "toolpair.1": man_page()}.items():
        (SHIPPED / name).write_text(text, encoding="utf-8")
