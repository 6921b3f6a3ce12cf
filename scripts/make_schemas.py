"""Write the JSON Schemas of what commands print with `--output-format json`: src/toolpair/cli/schemas/NAME.json.

    python scripts/make_schemas.py            write them
    python scripts/make_schemas.py --check    write nothing; exit code 1 when one is out of date

A shape is a word for a value ("str", "int?" for one that may be null), a list with the shape of its items, a table of
keys (`"key?"` is not always there), or the name of a shape that several have ("problem").
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any, Final

FOLDER: Final = Path(__file__).resolve().parent.parent / "src/toolpair/cli/schemas"
_PLAIN: Final = {"str": "string", "int": "integer", "bool": "boolean", "number": "number"}
_ID: Final = "https://json-schema.org/draft/2020-12/schema"


class Map:
    """A table whose keys are names: of profiles, recipes, kinds."""

    def __init__(self, shape: Any) -> None:
        self.shape = shape


class Either:
    """One of several shapes."""

    def __init__(self, *shapes: Any) -> None:
        self.shapes = shapes


LOCATION: Final = {
    "record": "int?", "line": "int?", "bytes": (["int"], None), "message": "int?", "block": "int?", "pair": "int?",
    "column?": "int", "end_line?": "int",
}  # fmt: skip
PROBLEM: Final = {
    "rule": "str", "severity": "severity", "impact": "impact", "evidence": "str?", "scope": "str", "message": "str",
    "location": "location", "call_id": "str?", "result_id": "str?", "tool": "str?", "cause": "cause?",
    "on_resume": "on_resume?", "no_fix?": "str", "content?": "content", "conversation?": "int",
    "profile?": "str", "not_applied?": "str",
}  # fmt: skip
LOST: Final = {
    "what": "str", "id": "str?", "tool?": "str?", "size": "int", "belongs_to?": "str?", "answers?": "str?",
}  # fmt: skip
CELL: Final = {"severity": "severity?", "evidence": "str?", "note": "str?", "link": "str?"}
FAMILY: Final = {"id": "str", "title": "str", "models": "str?", "differs_in": Map("severity?")}
ERROR: Final = {
    "id": "str", "provider": "str?", "text": "str", "meaning": "str", "remedy": "str", "command": "str?",
    "evidence": "str?", "link": "str?",
}  # fmt: skip
EXAMPLE: Final = {
    "format": "str", "profile": "str", "broken": "str", "severity": "severity", "line": "int?", "says": "str",
    "cause": "str?", "api_says": "str?", "others": ["str"], "mended": "str?", "how": "str?", "command": "str?",
    "certain": "bool", "no_fix": "str?", "left": ["str"],
}  # fmt: skip
RULE: Final = {
    "rule": "str", "title": "str", "meaning": "str?", "remedy": "str?", "profiles": Map("cell"),
    "families": Map("cell"), "accepted": ["str"], "example?": "example?", "no_example?": "str?",
    "fixes?": [
        {"id": "str", "title": "str", "loses": "str?", "recommended": "bool", "certain": "bool", "elsewhere": "bool"}
    ],
}  # fmt: skip
BLOCK: Final = {
    "type": "str", "fate": "str", "moved": "bool", "id": "str?", "name": "str?", "line": "int?", "characters": "int",
    "lines": "int", "text?": "str", "value?": "any",
}  # fmt: skip
HISTORY: Final = {
    "agent": "str?", "agent_version": "str?", "refuses": "str?",
    "outputs": {"total": "int", "seen": "int", "shortened": "int"},
    "messages": [{"number": "int", "role": "str", "blocks": ["block"]}],
    "left_out": [{"before": "int", "role": "str", "blocks": ["block"]}],
    "records": [{"record": "int", "line": "int?", "scope": "str", "sent": "bool"}],
}  # fmt: skip
SEVERAL: Final = {"conversations": ["history"]}
STEP: Final = {
    "type": "str", "name": "str?", "line": "int?", "message": "int?", "inherited": "bool", "pair?": "int?",
    "call_id?": "str?", "result_ids?": ["str?"], "call?": "str?", "results?": ["str"], "text?": "str?",
}  # fmt: skip
COUNTED: Final = {
    "sessions": "int", "calls": "int", "outputs": "int", "refused": "int", "losing": "int", "unsent": "int",
    "broken": "int",
}  # fmt: skip
REQUEST: Final = {
    "request": "int", "line": "int?", "time": "str?", "session": "str?", "conversation": "int?", "step": "int?",
    "messages": "int", "answer": ({"status": "int?", "error": "str?"}, None),
}  # fmt: skip
SHAPES: Final[dict[str, Any]] = {
    "severity": ("error", "warning", "info"),
    "impact": ("stops", "loses", "harmless"),
    "location": LOCATION,
    "cause": {"id": "str", "text": "str", "evidence": "str?", "product": "str?", "link": "str?"},
    "on_resume": {"agent": "str", "version": "str?", "effect": "str", "loses": "str?"},
    "content": {"call": "str?", "result": "str?"},
    "problem": {**PROBLEM, "fixes": ["fix"]},
    "fix": {"id": "str", "title": "str", "recommended": "bool", "certain": "bool", "loses": "str?"},
    "totals": {"files": "int", "errors": "int", "warnings": "int", "unreadable": "int", "known?": "int",
               "hidden?": "int"},
    "counts": dict.fromkeys(("records", "messages", "calls", "results", "pairs", "damaged", "inactive"), "int"),
    "losses": {
        "text": "str?", "outputs": "int", "output_bytes": "int", "user_words": "int", "images": "int", "calls": "int",
        "input_bytes": "int", "texts": "int", "no_longer_sent": "int", "at_another_call": "int", "details": [LOST],
    },
    "cell": CELL, "family": FAMILY, "example": EXAMPLE, "rule": RULE, "block": BLOCK, "history": HISTORY, "step": STEP,
    "lost_pair": {
        "tool": "str?", "message": "str", "call_id": "str?", "result_id": "str?", "call_at": "int?",
        "result_at": "int?", "lost_at": "int?", "content?": "content",
        "renamed": ({"side": "str", "before": "str", "after": "str"}, None),
    },
    "session": {
        "agent": "str", "id": "str?", "path": "str", "folder": "str?", "title": "str?", "last_words": "str?",
        "modified": "str", "size": "int", "here": "bool",
        "verdict": ({"outlook": "str", "badge": "str", "errors": "int", "warnings": "int", "rules": Map("int")}, None),
    },
    "backup": {"path": "str", "time": "str", "size": "int", "session?": "str"},
    "error": {
        **ERROR, "title": "str?", "read_like": "bool", "through": "str?", "profile": "str?", "count": "int",
        "names": {"ids": ["str"], "message": "int?", "block": "int?", "tool": "str?"},
    },
    "unread": {"path": "str", "error": "str"},
}  # fmt: skip
CHECKED: Final = {
    "path": "str", "format": "str", "profile": "str", "counts": "counts", "problems": ["problem"], "family?": "str",
    "hidden?": "int", "known?": "int",
    "branches?": [
        {"leaf": "str", "line": "int?", "kind": "str", "time": "str?", "messages": "int", "active": "bool",
         "words?": "str?"}
    ],
}  # fmt: skip
FIXED: Final = {
    "version": 1, "path": "str", "output": "str?", "backup": "str?", "aside": "str?", "removed_backups": ["str"],
    "changed": "bool", "recipe": "str",
    "fixed": [
        {"title": "str", "rules": ["str"], "fixes": ["str"], "problems": "int", "lines_changed": "int",
         "lines_added": "int", "lines_removed": "int", "loses": "str?"}
    ],
    "losses": "losses", "left": ["problem"], "still_lost": ["problem"], "valid_for?": ["str"],
    "notes": ["str"], "resume": "str?",
}  # fmt: skip
RECIPE: Final = {
    "name": "str", "title": "str", "does": ["str"], "loses": "str?", "instead": "str?", "copies": "str?",
    "links": ["str"], "options": ["str"], "narrowed_by": ["str"],
}  # fmt: skip
OWN_RECIPE: Final = {
    "name": "str", "title": "str", "base": "str", "select": ["str"], "ignore": ["str"], "path": "str", "fixes": ["str"],
}  # fmt: skip
PROFILE: Final = {
    "id": "str", "title": "str", "results": "str", "families": ["family"], "not_judged": ["str"],
    "ids": {"pattern": "str?", "shortest": "int?", "longest": "int?"},
    "rules": [{"rule": "str", **CELL}],
}  # fmt: skip
PLACE: Final = {
    "text": "str", "how": "str?", "notes": "str", "conversation": "int", "profile": "str?", "message": "int?",
    "pair": "int?", "location": "location", "fix": "fix?", "problem": "problem?", "block": ["str"],
    "fixes": [
        {"rule": "str", "id": "str", "title": "str", "certain": "bool", "loses": "str?", "recommended": "bool",
         "command": "str?"}
    ],
    "command": "str?",
}  # fmt: skip
SENT_TEXT: Final = {
    "kind": "str", "id": "str?", "tool": "str?", "message": "int", "line": "int?", "text?": "str", "characters": "int",
}  # fmt: skip
SENT_SIDE: Final = {
    "path": "str", "format": "str", "branches": "int", "sent": Map("int"), "only": [SENT_TEXT],
}  # fmt: skip
SENT_OF: Final = {"sent": "int", "total": "int"}
PROOF: Final = {
    "sent": "bool", "note": "str?", "messages": SENT_OF, "outputs": SENT_OF, "whole": "bool", "errors": ["str"],
    "missing": [SENT_TEXT],
    "model": {
        "agrees": "bool?", "refuses": "str?", "said_to_be_sent": [SENT_TEXT], "sent_besides": [SENT_TEXT],
    },
}  # fmt: skip
DIFF_SIDE: Final = {"path": "str", "format": "str", "conversations": "int"}
NAMED: Final = Map("str")
NOTES: Final = {
    "severity": "what the provider says of the history as it stands",
    "impact": "what happens on resume: the request is refused, something real is lost, or nothing",
    "evidence": "how it is known",
    "scope": "whether the agent would send the record: active, inactive or malformed",
    "bytes": "from and to, half-open",
    "line": "from 1",
    "record": "from 0",
    "message": "from 0 where it is a number, else a sentence for people",
    "block": "from 0",
    "pair": "from 0",
    "loses": "what is lost, in words; null: nothing",
    "certain": "false: a guess, which only a person takes",
    "recommended": "what `fix` takes without being told",
    "no_fix": "why no fix is recommended",
    "hidden": "how many problems were not asked for",
    "known": "how many problems a baseline lists, or whether the thing is known",
    "fate": "what becomes of it in the request: sent, changed, replaced, dropped, added",
    "resume": "the command that resumes the session",
    "aside": "the file that keeps what was set aside",
    "backup": "the file that keeps the original",
}
"""What keys mean, wherever they stand."""
SCHEMAS: Final[dict[str, tuple[str, Any]]] = {
    "check": (
        "toolpair check --output-format json, also with --statistics",
        Either(
            {"version": 1, "files": [Either(CHECKED, "unread")], "summary": "totals"},
            {
                "version": 1,
                "statistics": {
                    "rules": [{"rule": "str", "severity": "severity", "count": "int", "files": "int"}],
                    "tools": [{"tool": "str?", "count": "int"}],
                    "causes": [{"id": "str", "text": "str", "count": "int"}],
                },
                "summary": "totals",
            },
        ),
    ),
    "check-line": (
        "a line of toolpair check --output-format jsonl",
        Either(
            {**CHECKED, "version": 1, "errors": "int", "warnings": "int", "notes": "int"},
            {"version": 1, "path": "str", "error": "str"},
        ),
    ),
    "fix": (
        "toolpair fix --output-format json, of one file or of several",
        Either(
            FIXED,
            {
                "version": 1,
                "files": [Either(FIXED, "unread")],
                "summary": {"files": "int", "changed": "int", "failed": "int", "skipped": "int"},
            },
        ),
    ),
    "compare": (
        "toolpair compare --output-format json",
        {
            "version": 1, "path": "str", "format": "str", "profile": "str", "best": "str?",
            "recipes": [
                {
                    "name": "str", "valid": "bool", "losses": "losses",
                    "records": {"touched": "int", "changed": "int", "added": "int", "removed": "int"},
                    "would_stage": [{"title": "str", "problems": "int", "fixes": ["str"], "loses": "str?"}],
                    "left": [{"rule": "str", "message": "str", "conversation": "int"}],
                }
            ],
            "problems": [
                {
                    **PROBLEM,
                    "recipes": Map({"does": ["str"], "fixes": ["str"], "loses": "str?", "left": "bool"}),
                }
            ],
        },
    ),
    "diff": (
        "toolpair diff --output-format json, also with --sent",
        Either(
            {
                "version": 1, "a": DIFF_SIDE, "b": DIFF_SIDE, "same": "bool",
                "conversations": [
                    (
                        {
                            "same": "bool",
                            "counts": Map({"pairs": "int", "others": "int"}),
                            "parting": ({"a": "step", "b": "step", "pairs_a": "int", "pairs_b": "int"}, None),
                            "differences": [{"kind": "str", "differs": ["str"], "a": "step?", "b": "step?"}],
                        },
                        None,
                    )
                ],
            },
            {"version": 1, "same": "bool", "a": SENT_SIDE, "b": SENT_SIDE},
        ),
    ),
    "sees": (
        "toolpair sees --output-format json; several conversations are in the list `conversations`",
        Either(
            {
                "version": 1, "path": "str", "format": "str", **HISTORY,
                "after?": Either({"fixes": "int", **HISTORY}, {"fixes": "int", **SEVERAL}),
            },
            {"version": 1, "path": "str", "format": "str", **SEVERAL, "after?": {"fixes": "int", **SEVERAL}},
            {
                "version": 1, "path": "str", "format": "str",
                "after": Either({"fixes": "int", **HISTORY}, {"fixes": "int", **SEVERAL}),
            },
        ),
    ),
    "prove": (
        "toolpair prove --output-format json",
        {
            "version": 1, "path": "str", "isolated": "bool", "fixes": "int", "before?": PROOF, "after?": PROOF,
            "agent": {"id": "str", "title": "str", "version": "str?", "program": "str"},
        },
    ),
    "explain": (
        "toolpair explain --output-format json, of a rule or an error text, or of a cause",
        Either(
            {
                "version": 1, "thing": "str", "known": "bool", "error": "error?", "errors": ["error"], "says": "str?",
                "nearest": [ERROR],
                "rules": ["rule"], "places": [PLACE], "unreadable": "str?",
            },
            {
                "version": 1,
                "cause": {
                    "id": "str", "text": "str", "about": "str", "link": "str?",
                    "known_from": [{"product": "str?", "link": "str?"}],
                },
                "places": ["problem"], "unreadable": "str?",
            },
        ),
    ),
    "first-break": (
        "toolpair first-break --output-format json",
        {
            "version": 1, "path": "str", "log": "str", "profiles": ["str"],
            "counts": {
                "requests": "int", "conversations": "int", "lines": "int", "broken_lines": "int",
                "records_without_request": "int", "not_checked": Map("int"), "shortened_by_the_log": "int",
            },
            "breaks": [
                {
                    **REQUEST, "turn": "int?", "profile": "str?", "rule": "str", "cause": "cause?", "api_says": "str?",
                    "pairs": ["lost_pair"], "before": ({**REQUEST, "ended_with": "str?"}, None),
                    "later": {"still_broken": "int", "refused": ["int"]}, "change": {"kind": "str", "text": "str"},
                    "command": "str?",
                }
            ],
            "refused": [REQUEST],
        },
    ),
    "restore": (
        "toolpair restore --output-format json: the backups, or what was put back",
        Either(
            {"version": 1, "path": "str", "backups": ["backup"], "asides": ["backup"]},
            {"version": 1, "path": "str", "backup": "str?", "notes": ["str"]},
        ),
    ),
    "sessions": ("toolpair sessions --output-format json", {"version": 1, "sessions": ["session"]}),
    "sessions-line": ("a line of toolpair sessions --output-format jsonl", SHAPES["session"]),
    "census": (
        "toolpair census --output-format json",
        {
            "version": 1, **COUNTED, "unreadable": "int", "empty": "int",
            "not_understood": [{"agent": "str", "sessions": "int"}],
            "agents": [{"agent": "str", "agent_version": "str?", **COUNTED}],
            "months": [{"month": "str", **COUNTED}],
            "rules": [{"rule": "str", "sessions": "int"}],
            "causes": [{"cause": "str", "sessions": "int"}],
            "worst": [
                {"agent": "str", "outlook": "str", "unsent": "int", "outputs": "int", "rules": Map("int"),
                 "path?": "str"}
            ],
        },
    ),
    "formats": (
        "toolpair formats --output-format json",
        {
            "version": 1,
            "formats": [{"id": "str", "title": "str", "profile": "str?", "containers": ["str"], "where": "str?"}],
        },
    ),
    "profiles": (
        "toolpair profiles --output-format json, of all or of one",
        Either(
            {
                "version": 1,
                "profiles": [
                    {"id": "str", "title": "str", "rules": "int", "families": ["family"], "not_judged": ["str"]}
                ],
            },
            {"version": 1, "profile": PROFILE},
        ),
    ),
    "rules": ("toolpair rules --output-format json", {"version": 1, "rules": ["rule"]}),
    "recipes": (
        "toolpair recipes --output-format json, of all or of one",
        Either(
            {"version": 1, "recipes": [Either(RECIPE, OWN_RECIPE)], "wrong?": ["str"]},
            {"version": 1, "recipe": Either(RECIPE, OWN_RECIPE)},
        ),
    ),
    "demo": (
        "toolpair demo --list --output-format json",
        {"version": 1, "samples": [{"name": "str", "file": "str", "story": "str"}]},
    ),
    "config": (
        "toolpair config --output-format json",
        {
            "version": 1, "path": "str", "wrong": ["str"],
            "settings": [{"table": "str", "key": "str", "value": "any", "from": "str"}],
        },
    ),
    "doctor": (
        "toolpair doctor --output-format json",
        {
            "version": 1, "program": NAMED, "libraries": NAMED, "terminal": NAMED, "agents": NAMED, "own files": NAMED,
        },
    ),
}  # fmt: skip


def schema_of(shape: Any) -> dict[str, Any]:
    """The JSON Schema of a shape. Keys that a later version adds are allowed."""
    match shape:
        case "any":
            return {}
        case 1:
            return {"const": 1}
        case str():
            name = shape.removesuffix("?")
            found = {"type": _PLAIN[name]} if name in _PLAIN else {"$ref": f"#/$defs/{name}"}
            if name == shape:
                return found
            return {"type": [_PLAIN[name], "null"]} if name in _PLAIN else {"anyOf": [found, {"type": "null"}]}
        case list():
            return {"type": "array", "items": schema_of(shape[0])}
        case Map():
            return {"type": "object", "additionalProperties": schema_of(shape.shape)}
        case Either():
            return {"anyOf": [schema_of(one) for one in shape.shapes]}
        case (table, None):
            return {"anyOf": [schema_of(table), {"type": "null"}]}
        case tuple():
            return {"enum": list(shape)}
    return {
        "type": "object",
        "required": [key for key in shape if not key.endswith("?")],
        "properties": {
            key.removesuffix("?"): _noted(key.removesuffix("?"), schema_of(one)) for key, one in shape.items()
        },
    }


def _noted(key: str, schema: dict[str, Any]) -> dict[str, Any]:
    return {**schema, "description": NOTES[key]} if key in NOTES else schema


def made() -> dict[str, dict[str, Any]]:
    """The schemas by name, each with the shapes that it needs."""
    found = {}
    for name, (title, shape) in SCHEMAS.items():
        body = schema_of(shape)
        shapes: dict[str, Any] = {}
        text = json.dumps(body)
        while missing := [one for one in SHAPES if f'"#/$defs/{one}"' in text and one not in shapes]:
            shapes |= {one: schema_of(SHAPES[one]) for one in missing}
            text = json.dumps([body, shapes])
        defs = {"$defs": {one: shapes[one] for one in SHAPES if one in shapes}} if shapes else {}
        found[name] = {"$schema": _ID, "title": title, **body, **defs}
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()
    texts = {f"{name}.json": json.dumps(schema, indent=1) + "\n" for name, schema in made().items()}
    there = {path.name: path.read_text(encoding="utf-8") for path in FOLDER.glob("*.json")}
    if options.check:
        return int(texts != there)
    FOLDER.mkdir(exist_ok=True)
    for name in there.keys() - texts.keys():
        (FOLDER / name).unlink()
    for name, text in texts.items():
        (FOLDER / name).write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
