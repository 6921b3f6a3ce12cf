"""What the commands know beyond a file: the names of rules, the profiles, the formats, the error texts."""

from __future__ import annotations

from collections.abc import Sequence

from toolpair.cli.terminal import UsageError
from toolpair.rules.profiles import PROFILES, Profile, is_profile, no_such_profile, profile
from toolpair.rules.registry import RULES


def profiles() -> list[Profile]:
    """All profiles, in the order in which they are listed."""
    return [profile(id_) for id_ in PROFILES]


def rule_names() -> list[str]:
    """Every rule, by name."""
    return sorted(RULES)


def check_profiles(names: Sequence[str]) -> None:
    """Raises UsageError for a profile that does not exist."""
    for name in names:
        if not is_profile(name):
            raise UsageError(no_such_profile(name))
