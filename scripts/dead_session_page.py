"""The page for somebody whose session is dead: agent by agent, what to type."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from format_pages import ID as _ID
from format_pages import resume_lines

from toolpair.formats import all_agents, written_by
from toolpair.formats.agent import Agent
from toolpair.shell.machine import Machine, home_short

_HOME: Final = "/home/you"
_INTRO: Final = """\
# My session is dead

Each request of a session sends its whole history. If a tool call in it has lost its result, or a result its call, the
provider refuses every request from then on: the session is dead, though nearly all of it is sound.

What you may see:

- `400 … tool_use ids were found without tool_result blocks immediately after: toolu_…`, at every request
- `An assistant message with 'tool_calls' must be followed by tool messages`, `No tool output found for function call`
- nothing: the agent goes on, but has forgotten what it read or did. It has dropped what did not fit together
- `prompt is too long`, `image dimensions exceed max allowed size`, `Invalid signature in thinking block`: about
  something else in the history, which toolpair fixes as well. [Error texts](errors/README.md) has them all

## What to do

1. End the agent, so that it does not write to the session meanwhile.
2. `toolpair` lists the sessions on this machine, this folder's first, and says which are broken. Open yours with
   `enter`, or name its file or id: `toolpair FILE`.
3. Paste the error (it need not be whole): the screen shows the block that it means, and the fixes for it. Without an
   error, `]` goes to the next problem.
4. `space` fixes one, `A` everything that can be fixed without losing anything; `f` shows other ways, and their losses.
5. `w` shows what will be saved, `enter` saves it. The original stays beside the session.
6. Resume: the screen says with which command.

Without a screen:

```sh
toolpair check FILE                    # what is wrong
toolpair explain - FILE                # paste the error, then ctrl+d: what it means, and where
toolpair fix FILE --diff               # what would change
toolpair fix FILE --in-place
toolpair fix FILE --for-error - --in-place    # what that error needs, and nothing else
toolpair sees FILE                     # what the agent would send now
toolpair restore FILE --backup latest  # as it was
```

What is beyond repair from some place on can be cut there: `toolpair cut FILE --before messages.40 -o OUT`.

## Agent by agent

| agent | its sessions | what it does with a defect | resume |
|---|---|---|---|
"""
_AFTER: Final = """
An extension in an editor opens its sessions itself: close the task before you fix it, and open it again after it.

`toolpair report FILE -o OUT.html` writes a page for a bug report, `toolpair excerpt FILE --issue` one with nothing
of yours.
"""


def page() -> str:
    return _INTRO + "\n".join(map(_row, all_agents())) + "\n" + _AFTER


def _row(agent: Agent) -> str:
    usual = home_short(str(agent.roots(Machine("linux", {}, Path(_HOME)))[0]), _HOME)
    format_id = written_by()[agent.id]
    told = f"[its page](formats/{format_id}.md)" if format_id is not None else f"[{agent.unchecked}](not-read-yet.md)"
    ways = [line.partition(": ")[2] for line in resume_lines((agent,))]
    resume = (
        ways[0]
        .replace("cd /home/you/project && ", "")
        .replace(_ID, "ID")
        .replace(_ID.replace("-", ""), "ID")
        .replace("|", "\\|")
        if ways
        else "in its own list"
    )
    return f"| {agent.title} | `{usual}` | {told} | {resume} |"
