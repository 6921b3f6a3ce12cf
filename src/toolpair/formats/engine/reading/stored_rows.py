"""What the formats of agents' databases share: the columns of a row in its record, and the JSON in a column."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import orjson

from toolpair.formats.format import Item
from toolpair.source.rows.layout import FACTS, text


def row_of(value: Any, table: str) -> dict[str, Any]:
    """The columns of a record that is a row of this table; empty for any other record."""
    found = value.get(table) if isinstance(value, dict) else None
    return found if isinstance(found, dict) else {}


def most_are(values: Sequence[Any], is_own: Callable[[dict[str, Any]], bool]) -> bool:
    """Whether half of the records or more are an agent's own."""
    records = [value for value in values if isinstance(value, dict)]
    own = sum(map(is_own, records))
    return own > 0 and own * 2 >= len(records)


def facts_in(items: Iterable[Item]) -> dict[str, Any]:
    """What the first line of a session says of other sessions' rows (`Row.facts`); empty if it says nothing."""
    return next((facts for item in items if (facts := row_of(item.value, FACTS))), {})


def json_in(stored: Any) -> Any:
    """The JSON that a column holds, as it comes from the database; None if it is none."""
    try:
        return orjson.loads(text(stored))
    except ValueError:
        return None


def object_in(stored: Any) -> dict[str, Any]:
    """The JSON object that a column holds; empty for anything else."""
    found = json_in(stored)
    return found if isinstance(found, dict) else {}
