"""What the commands know besides the file: rule names, profiles, formats, error texts."""

from __future__ import annotations

from collections.abc import Sequence

from toolpair.cli.exits import UsageError
from toolpair.rules.profiles import PROFILES, Profile, is_profile, no_such_profile, profile
from toolpair.rules.registry import RULES


def profiles() -> list[Profile]:
    """All profiles, in display order."""
    return [profile(id_) for id_ in PROFILES]


def rule_names() -> list[str]:
    """The names of all rules."""
    return sorted(RULES)


def check_profiles(names: Sequence[str]) -> None:
    """Raises UsageError for an unknown profile."""
    for name in names:
        if not is_profile(name):
            raise UsageError(no_such_profile(name))
