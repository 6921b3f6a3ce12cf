"""Rules picked by name or family, for `check` and `fix`."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable, Sequence

from toolpair.cli.exits import UsageError
from toolpair.shell.program import command


def names(listed: Iterable[str], rule: str) -> bool:
    """Whether a rule, or its family, is among those listed."""
    return any(rule == name or rule.startswith(name + ".") for name in listed)


def wanted_rules(select: Sequence[str], ignore: Sequence[str]) -> Callable[[str], bool] | None:
    """Whether a rule is asked for; None where all are."""
    if not select and not ignore:
        return None
    return lambda rule: (not select or names(select, rule)) and not names(ignore, rule)


def selected(options: argparse.Namespace) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """What --select and --ignore list. Raises UsageError for a name that no rule has."""
    return named(options.select), named(options.ignore)


def named(listed: Iterable[str]) -> tuple[str, ...]:
    """The rules and families in texts with commas between them. Raises UsageError for a name that no rule has."""
    return tuple(known(name.strip()) for given in listed for name in given.split(",") if name.strip())


def known(name: str) -> str:
    """The name of a rule or a family. Raises UsageError for any other."""
    from toolpair.rules.registry import RULES

    name = name.removesuffix(".*").removesuffix(".")
    if any(names((name,), rule) for rule in RULES):
        return name
    import difflib

    families = {rule.split(".")[0] for rule in RULES}
    close = difflib.get_close_matches(name, [*sorted(RULES), *families], n=1)
    hint = f" Did you mean {close[0]}?" if close else f" `{command('rules')}` lists them all."
    raise UsageError(f"There is no rule {name!r}.{hint}")
