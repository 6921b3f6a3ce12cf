"""The pages of docs/recipes/: what each recipe does, where it loses something, and an example that is run."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from recipe_examples import EXAMPLES, Example, Messages

import toolpair
from toolpair.cli.markdown import fenced
from toolpair.cli.recipes import recipe_entry
from toolpair.recipes import RECIPES

Entry = dict[str, Any]
_DEFAULT = "recommended"


def pages() -> Mapping[str, str]:
    """File name -> Markdown: an index, and a page for each recipe."""
    entries = [recipe_entry(recipe) for recipe in RECIPES.values()]
    return {
        "README.md": "\n".join(_index(entries)),
        **{f"{entry['name']}.md": "\n".join(_page(entry)) for entry in entries},
    }


def _index(entries: list[Entry]) -> Iterator[str]:
    yield "# Recipes"
    yield ""
    yield (
        "A recipe is a named way to mend a whole conversation: `toolpair fix FILE --recipe NAME`. "
        "`toolpair compare FILE` tries them all on a file and says what each would do, and lose; nothing is written "
        "by it. Losses are measured: what would be sent before and after is compared."
    )
    for title, own in (("toolpair's own", True), ("Copies of other systems", False)):
        yield ""
        yield f"## {title}"
        yield ""
        if not own:
            yield (
                "These do exactly what the named functions do, harm included: to see what a system makes of a "
                "history, or to get the same. They are built from toolpair's own edits, so preview, undo and the "
                "lossless save work for them as for any fix."
            )
            yield ""
        yield "| recipe | what it does | can it lose something? |"
        yield "|---|---|---|"
        for entry in entries:
            if (entry["copies"] is None) == own:
                default = " (default)" if entry["name"] == _DEFAULT else ""
                loses = "yes" if entry["loses"] else "no"
                yield f"| [{entry['name']}]({entry['name']}.md){default} | {entry['title']} | {loses} |"


def _page(entry: Entry) -> Iterator[str]:
    yield f"# {entry['name']}"
    yield ""
    yield entry["title"]
    if entry["copies"]:
        yield ""
        yield f"It does what {entry['copies']} does, harm included."
        for link in entry["links"]:
            yield f"<{link}>"
    yield ""
    yield "## What it does"
    yield ""
    for sentence in entry["does"]:
        yield f"- {sentence}"
    yield ""
    yield "## Where it loses something"
    yield ""
    yield entry["loses"] or "Nowhere: every output, every word of the user and every call's input stays."
    if entry["instead"]:
        yield ""
        yield f"## What `{_DEFAULT}` does instead"
        yield ""
        yield entry["instead"]
    yield ""
    yield "## Options"
    yield ""
    if entry["options"]:
        yield f"{_listed(entry['options'])}: longer ids are cut to this length."
    if entry["narrowed_by"]:
        yield f"{_listed(entry['narrowed_by'])} narrow it to some rules, or take another fix for one."
    elif not entry["options"]:
        yield "None. It looks at the whole conversation, so `--select`, `--ignore` and `--choose` do not narrow it."
    yield from _example(entry["name"], EXAMPLES[entry["name"]])


def _listed(names: list[str]) -> str:
    quoted = [f"`{name}`" for name in names]
    return quoted[0] if len(quoted) == 1 else f"{', '.join(quoted[:-1])} and {quoted[-1]}"


def _example(name: str, example: Example) -> Iterator[str]:
    yield ""
    yield "## Example"
    yield ""
    yield f"{example.says} Judged as `{example.profile}`."
    yield ""
    yield fenced("json", list(_list(example.messages)))
    yield from _outcome(name, example)
    if name != _DEFAULT:
        yield from _outcome(_DEFAULT, example)


def _outcome(name: str, example: Example) -> Iterator[str]:
    done = toolpair.repair(
        example.messages,
        profile=example.profile,
        recipe=name,
        max_id_length=example.max_id_length if name != _DEFAULT else None,
    )
    yield ""
    yield f"### What `{name}` makes of it"
    yield ""
    for title in dict.fromkeys(taken.title for taken in done.taken):
        count = sum(taken.title == title for taken in done.taken)
        yield f"- {f'{count} × ' if count > 1 else ''}{title}"
    if not done.taken:
        yield "- nothing"
    yield ""
    loses = f"**Measured: it loses {done.losses.text}.**" if done.losses else "Measured: nothing is lost."
    left = len(done.left)
    rules = ", ".join(dict.fromkeys(f"`{problem.rule}`" for problem in done.left))
    valid = "The result is valid." if not left else f"**{left} error{'s are' if left > 1 else ' is'} left: {rules}.**"
    yield f"{loses} {valid}"
    yield ""
    yield fenced("json", list(_list(list(done.messages))))


def _list(messages: Messages) -> Iterator[str]:
    """The lines of a list of messages as JSON."""
    yield "["
    for number, message in enumerate(messages):
        lines = list(_lines(message))
        lines[-1] += "," if number < len(messages) - 1 else ""
        yield from lines
    yield "]"


def _lines(message: dict[str, Any]) -> Iterator[str]:
    """A message on one line, or, with a list in it, each part of that on one."""
    key = next((key for key in ("content", "tool_calls") if isinstance(message.get(key), list)), None)
    if key is None:
        yield f"  {_json(message)}"
        return
    head = _json({name: value for name, value in message.items() if name != key})[:-1]
    yield f'  {head}, "{key}": ['
    parts = message[key]
    for number, part in enumerate(parts):
        yield f"    {_json(part)}{',' if number < len(parts) - 1 else ''}"
    yield "  ]}"


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)
