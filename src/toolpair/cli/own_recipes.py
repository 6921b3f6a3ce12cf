"""A recipe of one's own: choices of fixes in a TOML file, as `--choose`, `--select` and `--ignore` would type them."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, Final

from msgspec import Struct

from toolpair.cli.exits import UsageError
from toolpair.recipes import RECIPES
from toolpair.shell.program import settings_file
from toolpair.shell.settings import BadSettings, toml_of

ENDING: Final = ".toml"
_KEYS: Final = ("title", "base", "select", "ignore", "fixes")


class OwnRecipe(Struct, frozen=True):
    """`choices` are RULE=FIX."""

    name: str
    path: Path
    title: str
    base: str
    select: tuple[str, ...]
    ignore: tuple[str, ...]
    choices: tuple[str, ...]


def folder() -> Path:
    """Where recipes that are asked for by name are kept."""
    return Path(settings_file()).parent / "recipes"


def names() -> list[str]:
    """The recipes of one's own that can be asked for by name."""
    try:
        return sorted(name.removesuffix(ENDING) for name in os.listdir(folder()) if name.endswith(ENDING))
    except OSError:
        return []


def own_recipes() -> tuple[list[OwnRecipe], list[str]]:
    """Those that can be asked for by name, and a sentence for each that is wrong."""
    found: list[OwnRecipe] = []
    wrong: list[str] = []
    for name in names():
        try:
            one = own_recipe(name)
        except UsageError as error:
            wrong.append(str(error))
            continue
        found += [one] if one is not None else []
    return found, wrong


def own_recipe(name: str) -> OwnRecipe | None:
    """The recipe in a file, or of a name in the folder of recipes; None for one of toolpair's. Raises UsageError."""
    if name in RECIPES or (not name.endswith(ENDING) and name not in names()):
        return None
    path = Path(name) if name.endswith(ENDING) else folder() / f"{name}{ENDING}"
    try:
        found = toml_of(path)[0]
    except BadSettings as error:
        raise UsageError(str(error)) from None
    except OSError as error:
        raise UsageError(f"{path} can't be read: {error.strerror}.") from None
    except ValueError:  # a name that no file can have
        raise UsageError(f"There is no recipe {name!r}.") from None
    for key in found:
        if key not in _KEYS:
            raise UsageError(f"{path}: a recipe has no {key!r}; it has {', '.join(_KEYS)}.")
    fixes = found.get("fixes", {})
    if not isinstance(fixes, dict) or not all(isinstance(fix, str) for fix in fixes.values()):
        raise UsageError(f'{path}: [fixes] names a fix for each rule, as in "result.missing" = "remove-call".')
    base = found.get("base", "recommended")
    if not isinstance(base, str) or base not in RECIPES:
        raise UsageError(f"{path}: base is one of {', '.join(RECIPES)}, not {_shown(base)}.")
    if not isinstance(found.get("title", ""), str):
        raise UsageError(f"{path}: title is a text.")
    return OwnRecipe(
        path.name.removesuffix(ENDING),
        path,
        found.get("title", ""),
        base,
        _texts(found, "select", path),
        _texts(found, "ignore", path),
        tuple(f"{rule}={fix}" for rule, fix in fixes.items()),
    )


def _shown(value: object) -> str:
    try:
        return repr(value)
    except (ValueError, RecursionError):  # thousands of digits, or of lists
        return "this"


def _texts(found: dict[str, Any], key: str, path: Path) -> tuple[str, ...]:
    value = found.get(key, [])
    if not isinstance(value, list) or not all(isinstance(one, str) for one in value):
        raise UsageError(f'{path}: {key} is a list of rules, as in ["result", "id.pattern"].')
    return tuple(value)
