"""What the commands know beyond a file: the names of rules, the profiles, the formats, the error texts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from toolpair.rules.profiles import PROFILES, Profile, is_profile, no_such_profile, profile

_OF_FILES: Final = frozenset(
    {
        "chain.cycle",
        "chain.duplicate_uuid",
        "chain.kept_missing",
        "chain.missing_parent",
        "chain.no_timestamp",
        "chain.null_parent",
        "chain.second_root",
        "chain.wrong_leaf",
        "record.bad_json",
        "record.bad_utf8",
        "record.big_number",
        "record.bom",
        "record.duplicate_key",
        "record.glued",
        "record.lone_surrogate",
        "record.no_message",
        "record.nul",
        "record.torn",
        "record.trailing_comma",
        "result.crossed",
        "result.placeholder",
        "result.unreached",
        "rollout.compaction_ignored",
        "rollout.last_ordinal",
        "rollout.no_meta",
        "rollout.no_timestamp",
        "rollout.not_loaded",
        "rollout.old_form",
        "rollout.parent_missing",
    }
)
"""Rules of what the file itself says, which no profile names. Here, as their pages are not loaded to check a name."""


def profiles() -> list[Profile]:
    """All profiles, in the order in which they are listed."""
    return [profile(id_) for id_ in PROFILES]


def rule_names() -> list[str]:
    """Every rule that there is, by name: those of the profiles, and those of files, which no provider judges."""
    return sorted({rule for known in profiles() for rule in known.cells} | _OF_FILES)


def check_profiles(names: Sequence[str]) -> None:
    """Raises UsageError for a profile that does not exist."""
    from toolpair.cli.terminal import UsageError

    for name in names:
        if not is_profile(name):
            raise UsageError(no_such_profile(name))
