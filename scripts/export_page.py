"""docs/export.md: what each API cannot carry, from the tables that `toolpair export` speaks from."""

from __future__ import annotations

from typing import Final

from toolpair.reports.export.targets import TARGETS, Target
from toolpair.reports.export.ways import COMMON, Way
from toolpair.transcript.counting import plural

_OF_THE_FILE: Final = (
    "parameters",
    "unknown_fields",
    "block_fields",
    "unknown_blocks",
    "provider_tools",
    "agent_drops",
)
_ROWS: Final = {
    "media": "media that the API cannot take",
    "signature": "calls without a thought's signature",
    "document_name": "documents without a title",
    "document_text": "messages that hold only documents",
}
"""Where the noun alone would not say which are meant."""
_ABOUT: Final = """\
# Exporting a request body

`toolpair export FILE --to API` prints the request body that a session is: as its agent would send it, or converted for
another API. `--turn N` gives the request that produced the assistant's turn N, counted from 1 over what is sent.

- **The session's own API**: contents stay as the agent sends them. Where Claude Code recorded its requests, system
  prompt, tools, parameters and betas are those of the record, and so are the messages if all of them can be found.
- **Another API**: each kind of content takes the way that the table shows. Texts and outputs always arrive.
- **What the session does not say** is made up, and named: the model (`$MODEL`, or `--model`), `max_tokens` (1,024, for
  Anthropic alone), tools (one for each name that was used, which takes any object). A system prompt is never made up.
- **Ids and names of tools** that the API accepts stay. Others are mapped, one to one over the whole history, the same
  on each run; the table of them is printed.
- **A broken session** is exported after its recommended fixes, which stay in memory, or refused with the problem named.
  `--as-is` exports it as it is.
- **`--redact`** exports a redacted copy of the session: [excerpt.md](excerpt.md) says what is replaced.
- **Every body is checked** by toolpair's rules for its API before it is printed. Nothing is sent. `--curl` and
  `--python` print how to send it: the body is in a file, keys are variables of the environment.

## What becomes of contents

Everything that is not named here arrives as it is. Whatever is left out or changed is said, with a count.
"""


def page() -> str:
    targets = list(TARGETS.values())
    keys = [key for key in COMMON if key not in _OF_THE_FILE]
    keys += [key for one in targets for key in one.ways if key not in keys]
    keys = list(dict.fromkeys(keys))
    rows = [f"| {_name(key, targets)} | {' | '.join(_way(key, one) for one in targets)} |" for key in keys]
    head = ["", *(one.id for one in targets)]
    lines = [_ABOUT, f"| {' | '.join(head)} |".replace("|  |", "| |"), "|" + "---|" * len(head), *rows]
    lines += ["", "## What belongs to the file", "", *(f"- {_sentence(COMMON[key])}" for key in _OF_THE_FILE)]
    return "\n".join(lines)


def _name(key: str, targets: list[Target]) -> str:
    if key in _ROWS:
        return _ROWS[key]
    way = next((one.ways[key] for one in targets if key in one.ways), None) or COMMON[key]
    return plural(2, way.noun, way.several).removeprefix("2 ")


def _way(key: str, one: Target) -> str:
    if key in one.ways:
        return one.ways[key].short
    return "as it is" if key in one.carries or key not in COMMON else COMMON[key].short


def _sentence(way: Way) -> str:
    return way.text.format(count=f"N {plural(2, way.noun, way.several).removeprefix('2 ')}", api="API", names="…")
