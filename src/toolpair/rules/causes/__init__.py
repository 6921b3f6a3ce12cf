"""Why a pair broke, where the transcript itself shows it.

What is known of each cause is data (`rules/data/causes.json`); the modules here recognise causes. A cause is named only
with evidence: its sentence says what in this transcript shows it. (What applies to every problem of a rule, such as who
writes empty texts, is part of the rule.) Problems that share rule and cause are decided together, so a cause's text
never speaks of a single problem.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from toolpair.rules.causes.doubled import of_duplicate, of_placeholder
    from toolpair.rules.causes.known_causes import CausePage, cause_called, cause_ids, cause_page, named
    from toolpair.rules.causes.mismatched import of_mismatch
    from toolpair.rules.causes.missing import of_missing
    from toolpair.rules.causes.orphaned import of_orphan
    from toolpair.rules.causes.placed import of_late, of_order, of_split
    from toolpair.rules.causes.shared import of_refused, of_shared_id
    from toolpair.rules.causes.whole import Whole

__all__ = [
    "CausePage",
    "Whole",
    "cause_called",
    "cause_ids",
    "cause_page",
    "named",
    "of_duplicate",
    "of_late",
    "of_mismatch",
    "of_missing",
    "of_order",
    "of_orphan",
    "of_placeholder",
    "of_refused",
    "of_shared_id",
    "of_split",
]

_FROM = {
    **dict.fromkeys(("of_duplicate", "of_placeholder"), "doubled"),
    **dict.fromkeys(("CausePage", "cause_called", "cause_ids", "cause_page", "named"), "known_causes"),
    "of_mismatch": "mismatched",
    "of_missing": "missing",
    "of_orphan": "orphaned",
    **dict.fromkeys(("of_late", "of_order", "of_split"), "placed"),
    **dict.fromkeys(("of_refused", "of_shared_id"), "shared"),
    "Whole": "whole",
}

if not TYPE_CHECKING:

    def __getattr__(name):
        """Lazy imports (PEP 562): nothing here is needed for a session in which nothing is broken."""
        if name not in _FROM:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        from importlib import import_module

        found = globals()[name] = getattr(import_module(f"{__name__}.{_FROM[name]}"), name)
        return found
