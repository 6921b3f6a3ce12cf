"""`toolpair completion`: what makes a shell complete toolpair's commands, options and values."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from importlib.resources import files
from itertools import islice
from typing import Final

from toolpair.agents.catalog import index
from toolpair.cli import exits, streams
from toolpair.cli.exits import UsageError
from toolpair.cli.meant import closest
from toolpair.cli.terminal import Parser, out, safe
from toolpair.shell.machine import Machine
from toolpair.shell.program import command, current_folder

FILES: Final = {"bash": "toolpair.bash", "zsh": "_toolpair", "fish": "toolpair.fish"}
"""What each shell reads; `scripts/make_completion.py` makes it."""
_SESSIONS: Final = "sessions"
_MANY: Final = 50
_EPILOG: Final = """\
examples:
  bash   toolpair completion bash > ~/.local/share/bash-completion/completions/toolpair
  zsh    toolpair completion zsh > ~/.zfunc/_toolpair   with fpath+=~/.zfunc before compinit in ~/.zshrc
  fish   toolpair completion fish > ~/.config/fish/completions/toolpair.fish
  man    toolpair completion man > ~/.local/share/man/man1/toolpair.1

Commands, options, profiles, rules, recipes, formats, stories and the ids of sessions are completed.
"""


def parser() -> Parser:
    result = Parser("completion", "Print what makes a shell complete toolpair's arguments, or the man page.", _EPILOG)
    result.add("""
        WHAT      bash, zsh, fish or man; sessions prints the ids of the sessions here that begin with START
        [START]   the beginning of a session's id
        """)
    return result


def run(options: argparse.Namespace) -> int:
    wanted = options.what
    if wanted == _SESSIONS:
        for id_ in islice(_ids(options.start or ""), _MANY):
            out(id_)
        return exits.OK
    name = {**FILES, "man": "toolpair.1"}.get(wanted)
    if name is None:
        meant = closest(wanted, tuple(FILES))
        hint = f"Did you mean {meant}?" if meant else f"`{command('completion --help')}` tells how they are installed."
        raise UsageError(f"There is no completion for {wanted!r}, only for bash, zsh and fish. {hint}")
    streams.write((files("toolpair.cli") / "completions" / name).read_text(encoding="utf-8"))
    return exits.OK


def _ids(start: str) -> Iterator[str]:
    found = index(Machine.here(), current_folder(), [])
    ids = (one.session_id for one in found if one.session_id.startswith(start))
    return (id_ for id_ in ids if safe(id_) == id_)
