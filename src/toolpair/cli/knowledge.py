"""What the commands know beyond a file: the names of rules, the profiles, the formats, the error texts."""

from __future__ import annotations

from collections.abc import Sequence

from toolpair.cli.explanations import PAGES
from toolpair.rules.profiles import PROFILES, Profile, profile


def profiles() -> list[Profile]:
    """All profiles, in the order in which they are listed."""
    return [profile(id_) for id_ in PROFILES]


def rule_names() -> list[str]:
    """Every rule that some profile judges or that is judged of files themselves, by name."""
    judged = {rule for known in profiles() for rule, cell in known.cells.items() if cell.severity is not None}
    return sorted(judged | {rule for rule in PAGES if rule.startswith(("record.", "chain.", "rollout."))})


def check_profiles(names: Sequence[str]) -> None:
    """Raises UsageError for a profile that does not exist."""
    from toolpair.cli.terminal import UsageError

    for name in names:
        if name not in PROFILES:
            raise UsageError(f"There is no profile {name!r}; there are {', '.join(PROFILES)}.")
