"""A page for each format: where its files are, what is read, what its agent loses on resume, and how to resume."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Final

from toolpair.formats import AGENTS, agents_of, all_formats
from toolpair.formats.agent import Agent, SessionFile
from toolpair.formats.format import Format
from toolpair.rules.pages import pages as rule_pages
from toolpair.shell.machine import Machine, home_short

_HOME: Final = "/home/you"
_ID: Final = "5a1f3c8e-7d42-4b6f-9e0a-1c2d3e4f5a6b"
_READ: Final = {
    "claude-code": """JSON Lines, a tree of records. The history is the path from the record where the agent
would continue, as the agent rebuilds it; other branches and sub-agents' sessions are shown apart.""",
    "codex": """JSON Lines, one item each. Compactions, forks and undone turns are applied as the agent applies
them; outputs that exist only in events are found.""",
    "pi": """JSON Lines, a tree of records. The history is the path from the last record, with its compactions
and context edits; other branches are shown apart.""",
    "roo-code": """One JSON array of Anthropic messages. Messages that were condensed or truncated are inactive,
and messages of one role in a row are one.""",
    "continue": """One JSON document. Each entry of `history` has a message and, in `toolCallStates`, the
results of its calls; an entry with the role `tool` is a result of its own. All entries are sent; a
`conversationSummary` cuts nothing off.""",
    "anthropic": """A list of messages: an array, one below a key, a request body, or one message, conversation
or request per line.""",
    "openai-chat": """The same containers as for Anthropic messages, with `tool_calls` and messages of the role
`tool`; the older `function_call` too.""",
    "openai-responses": "A list of items, or a request body with one under `input`.",
}
"""What is read of each format."""
_MORE: Final = {
    "claude-code": "[agents.md](../agents.md) says what Claude Code does with each defect, by version.",
    "codex": "[on-resume.md](../on-resume.md) says what Codex does with each defect.",
    "pi": "[on-resume.md](../on-resume.md) says more.",
    "continue": """A file that is not JSON from its first byte to its last is not resumed: Continue begins an
empty session in its place and says nothing of it. A call that did not end, but has a state, is told to the
model as `Tool cancelled`; a call without a state is sent alone. [on-resume.md](../on-resume.md) says more.""",
    "roo-code": """What is sent is not known well enough to say it for each problem; `toolpair check` says it
where it is.""",
}
_RESUMING: Final = {
    "continue": """`cn --resume` takes the session that was written last, which a saved one is. `cn --fork ID`
begins a copy of any."""
}
_SAVED: Final = """Each fix changes the bytes that it names and no others; undo brings them back. `toolpair fix
FILE --diff` shows what would change, and a save keeps the original beside the file."""


def pages() -> dict[str, str]:
    formats = all_formats()
    made = {f"{one.id}.md": "\n".join((*_page(one), "", "[All formats](README.md)")) for one in formats}
    rows = (f"| [{one.title}]({one.id}.md) | `{one.id}` | {_text(one.where)} |" for one in formats)
    index = (
        "# Formats",
        "",
        "`toolpair formats` lists them, too.",
        "",
        "| format | id | where |",
        "|---|---|---|",
        *rows,
    )
    return {"README.md": "\n".join(index), **made}


def _page(one: Format) -> Iterator[str]:
    agents = agents_of(one.id)
    yield from (f"# {one.title}", "", f"Id: `{one.id}`. Files: {_text(one.where)}.", "")
    yield from ("## What is read", _READ.get(one.id, ""), "")
    if agents:
        yield from ("## Where they are found", "| agent | id | Linux | macOS | variable |", "|---|---|---|---|---|")
        yield from map(_places, agents)
        yield ""
    told = {rule: found for agent in agents for rule, found in agent.outcomes.items()}
    if told or one.id in _MORE:
        yield from ("## What becomes of a defect on resume", _MORE.get(one.id, ""), "")
    if told:
        yield from ("| problem | what happens | lost |", "|---|---|---|")
        for outcome in dict.fromkeys(told.values()):
            rules = (_rule(rule) for rule, found in told.items() if found == outcome)
            yield f"| {', '.join(rules)} | {_text(outcome[1])} | {outcome[2] or ''} |"
        yield ""
    profile = f"[{one.profile}](../profiles/{one.profile}.md)"
    yield from (
        "## What toolpair does",
        f"It checks them against the rules of {profile} unless `--profile` says otherwise.",
    )
    yield _SAVED
    ways = list(_ways(agents))
    if ways:
        yield from ("", "## How to resume", *ways)
    if one.id in _RESUMING:
        yield from ("", _RESUMING[one.id])


def _rule(name: str) -> str:
    return f"[`{name}`](../rules/{name}.md)" if name in rule_pages() else f"`{name}`"


def _places(agent: Agent) -> str:
    usual = [home_short(str(agent.roots(Machine(name, {}, Path(_HOME)))[0]), _HOME) for name in ("linux", "darwin")]
    mac = "the same" if usual[0] == usual[1] else f"`{usual[1]}`"
    variable = f"`{agent.variable}`" if agent.variable is not None else ""
    return f"| {agent.title} | `{agent.id}` | `{usual[0]}` | {mac} | {variable} |"


def _ways(agents: tuple[Agent, ...]) -> Iterator[str]:
    for agent in agents:
        path = agent.roots(Machine("linux", {}, Path(_HOME)))[0] / f"session{agent.suffix or '.json'}"
        way = agent.way_back(SessionFile(path, path, _ID, "/home/you/project"))
        if way is not None and agent.id in AGENTS:
            yield f"- {agent.title}: {way.text if way.prose is not None else f'`{way.text}`'}"


def _text(text: str) -> str:
    return text.replace("|", "\\|").replace("<", "&lt;").replace(">", "&gt;")
