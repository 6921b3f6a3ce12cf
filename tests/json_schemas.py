"""What a command has printed, held against the schema that is shipped for it."""

from __future__ import annotations

import json
from functools import cache
from typing import Any

import jsonschema

from toolpair.cli.schema import text_of


def wrong_in(name: str, printed: Any) -> str | None:
    """What is not as the schema says, also a key that it does not name; None if nothing is."""
    found = jsonschema.exceptions.best_match(_validator(name).iter_errors(printed))
    if found is None:
        return None
    while found.context:
        found = max(found.context, key=lambda one: (one.validator != "required", len(one.absolute_path)))
    return f"{found.json_path}: {found.message[:300]}"


@cache
def _validator(name: str) -> jsonschema.Draft202012Validator:
    schema = json.loads(text_of(name))
    jsonschema.Draft202012Validator.check_schema(schema)
    return jsonschema.Draft202012Validator(_closed(schema))


def _closed(schema: Any) -> Any:
    """The schema with no keys allowed that it does not name."""
    if isinstance(schema, list):
        return [_closed(one) for one in schema]
    if not isinstance(schema, dict):
        return schema
    found = {key: _closed(one) for key, one in schema.items()}
    if isinstance(schema.get("properties"), dict):
        found["additionalProperties"] = False
    return found
