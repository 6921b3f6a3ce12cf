"""The page on agents and other systems: their entries in `formats/`, and what is known of them in a history."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from toolpair.formats import get_agent, written_by
from toolpair.shell.machine import Machine, home_short
from toolpair.transcript.known_systems import SYSTEMS, titles

_HOME = "/home/you"


def pages() -> dict[str, str]:
    return {"README.md": "\n".join((*_agents(), "", *_systems()))}


def _agents() -> Iterator[str]:
    yield from (
        "# Agents and other systems",
        "",
        "## Agents whose sessions are found",
        "`toolpair sessions` lists them. The folders are those of Linux.",
        "",
        "| agent | id | sessions | variable | format |",
        "|---|---|---|---|---|",
    )
    machine = Machine("linux", {}, Path(_HOME))
    for id_, writes in written_by().items():
        agent = get_agent(id_)
        where = home_short(str(agent.roots(machine)[0]), _HOME)
        variable = f"`{agent.variable}`" if agent.variable is not None else ""
        yield f"| {agent.title} | `{id_}` | `{where}` | {variable} | {writes or agent.unchecked} |"


def _systems() -> Iterator[str]:
    yield from (
        "## What a history shows of a system",
        "A text that stands where a result is missing is never taken for a tool's output; `…` is what varies. "
        "`toolpair explain CAUSE` tells how a cause comes about.",
        "",
        "| system | texts in place of a result | causes that it is known for |",
        "|---|---|---|",
    )
    for id_, system in SYSTEMS.items():
        texts = "<br>".join(
            f"`{text.text}`" + (f" ({titles(id_, text.also)})" if text.also else "") for text in system.placeholders
        )
        causes = ", ".join(f"`{cause}`" for cause in system.causes)
        if texts or causes:
            yield f"| {system.title} | {texts} | {causes} |"
