"""All rules, collected from the modules of their families. A new rule is a line in its family's module.

The judge, the windows, the recipes, the commands and the pages look up facts about a rule here.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from toolpair.rules import (
    arguments,
    chain,
    contents,
    crossed,
    fields,
    pairs,
    reasoning,
    responses_items,
    result_contents,
    roles,
    server_tools,
    tool_names,
)
from toolpair.rules import id_rules as ids
from toolpair.rules import odd_records as records
from toolpair.rules import turn_rules as turns
from toolpair.rules.rule import LAST, Check, Rule

FAMILIES: Final[tuple[tuple[Rule, ...], ...]] = (
    pairs.RULES,
    crossed.RULES,
    roles.RULES,
    ids.RULES,
    arguments.RULES,
    tool_names.RULES,
    turns.RULES,
    contents.RULES,
    result_contents.RULES,
    server_tools.RULES,
    reasoning.RULES,
    responses_items.RULES,
    fields.RULES,
    chain.RULES,
    records.RULES,
    records.LIST_RULES,
    records.SENDING_RULES,
    records.ROW_RULES,
    records.ROLLOUT_RULES,
)
"""In the order in which problems at one place are listed and new ids are handed out."""

RULES: Final[Mapping[str, Rule]] = {rule.name: rule for family in FAMILIES for rule in family}
CHECKS: Final[tuple[Check, ...]] = tuple(dict.fromkeys(rule.check for rule in RULES.values() if rule.check is not None))
"""Each check once. They may run in any order."""
_PLACES: Final = {rule.name: number for number, family in enumerate(FAMILIES) for rule in family}


def place_of(name: str) -> int:
    """The position of a rule's problems among those of other rules at the same place."""
    return _PLACES.get(name, len(FAMILIES))


def fix_order(name: str) -> int:
    """The order in which problems of the rule are fixed: lowest first."""
    rule = RULES.get(name)
    return rule.fix_order if rule is not None else LAST
