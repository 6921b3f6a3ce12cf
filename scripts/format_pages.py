"""A page for each format: where its files are, what is read, what its agent loses on resume, and how to resume."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from toolpair.formats import agents_of, all_formats, written_by
from toolpair.formats.agent import Agent, SessionFile
from toolpair.formats.engine.agents.database_agent import DatabaseAgent, FolderAgent
from toolpair.formats.format import Format
from toolpair.rules.pages import pages as rule_pages
from toolpair.shell.machine import Machine, home_short

_OUTCOMES: Final = Path(__file__).resolve().parent.parent / "tests" / "golden" / "outcomes"
_IDS: Final = re.compile(r"\b(?:toolu|call)_\w+")
_SIZES: Final = re.compile(r"(?:the|\d+) results?, [\d,]+ bytes")
_HOME: Final = "/home/you"
ID: Final = "5a1f3c8e-7d42-4b6f-9e0a-1c2d3e4f5a6b"
_READ: Final = {
    "claude-code": """JSON Lines, a tree of records. The history is the path from the record where the agent
would continue, as the agent rebuilds it; other branches and sub-agents' sessions are shown apart.""",
    "codex": """JSON Lines, one item each. Compactions, forks and undone turns are applied as the agent applies
them; outputs that exist only in events are found.""",
    "pi": """JSON Lines, a tree of records. The history is the path from the last record, with its compactions
and context edits; other branches are shown apart.""",
    "oh-my-pi": """JSON Lines as pi writes them, after a line of type `title`. The history is the path from the last
record, from its last compaction or `reset_boundary` on; other branches are shown apart. A file without such a line is
known by its own types of records, and by a `model_change` that names provider and model in one.""",
    "qwen-code": """JSON Lines, a tree of records. The history is the path from the last record, from its last
compression on; records with one `uuid` are one message. What a compression kept is a list of contents with pairs
of its own.""",
    "copilot-cli": """JSON Lines, a log of events. The user's messages, the model's with their `toolRequests`, and the
results in `tool.execution_complete` are the history; events of sub-agents are histories of their own, and what comes
before a compaction is inactive.""",
    "docker-agent": """The tables `sessions` and `session_items` of its SQLite database, one chat message in each row,
in the order of `position`. A summary replaces what is before it, or before the entry that it says it kept;
sub-sessions are sessions of their own. Databases of versions that kept all messages in one column are refused: a newer
docker-agent converts them.""",
    "crush": """The tables `sessions` and `messages` of a project's SQLite database, with what waits in its `-wal`:
a list of parts in each row, in the order of `created_at`. From the row that `summary_message_id` names on the history
begins anew. They are checked, shown and exported; they are never written.""",
    "kimi-code": """JSON Lines, one event in each: the user's messages (`context.append_message`), and what happens in
a response (`context.append_loop_event`: it begins, says, calls, gets results, ends). What an undo took back, also in
another branch of the file, and what was cleared or compacted, is inactive. Each sub-agent has a folder and a file of
its own.""",
    "hermes": """The tables `sessions` and `messages` of its SQLite database, one chat message in each row, in the order
of `id`. Rows that were compacted or taken back (`active` is 0) are inactive; sub-agents' sessions are sessions of their
own. A session that was compacted into another one is read by itself, and the verdict names the one that is resumed.""",
    "agents-sdk": """The tables `agent_sessions` and `agent_messages` (or what the program calls them) that
`SQLiteSession` writes, one item of the Responses API in each row, in the order of `id`. What its other sessions write
is refused by name: branches (`AdvancedSQLiteSession`), encrypted items, and tables of `SQLAlchemySession`, which reads
them in another order.""",
    "google-adk-database": """The tables `sessions` and `events` that `SqliteSessionService` and
`DatabaseSessionService` write, one event in each row (`event_data`, or the columns of the older tables), in the order
in which that service reads them: by `timestamp`, then in the order in which they were written, or by `id`. A session is
named by its id, or as `APP/USER/ID` where several users have one of that id. The pickles in the older tables are never
read. Sessions that were saved as JSON are read by the form [google-adk](../forms.md).""",
    "openhands": """`base_state.json`, and the events in `events/event-NUMBER-ID.json`, one record for each file. The
history is the way through them to the event that `base_state.json` names as the last one: each event names the one
that it follows, and one that names none follows the number before it. A `Condensation` stands for its summary, in the
place that it says; what it takes out, and other ways through the events, are inactive. A list of events in one file
is read by the form [openhands-events](../forms.md).""",
    "strands-folder": """`session_ID/agents/agent_ID/messages/message_N.json` as `FileSessionManager` writes them, each
agent a session, in the order of the numbers; what `redact_message` holds is what is sent. As many of the first messages
as the conversation manager has removed (`agent.json`) are not read. The summary that it sends in their place is read
from that file. A list of such messages in one file is read by the form [strands](../forms.md).""",
    "goose": """The tables `sessions` and `messages` of its SQLite database, one message in each row, in the order in
which goose reads them: by `created_timestamp`, then by `id`. Rows that a compaction hid from the model
(`agentVisible`) are inactive. Before 1.10: JSON Lines, a line about the session, then one message in each.""",
    "vibe": """JSON Lines, a chat message in each, beside `meta.json`, which has the session's id and folder.
Before 2.26 the summary of a compaction (`context_boundary`) stands for all that is before it. From 2.26 on Vibe keeps
new sessions in [a store of its own](vibe-unified.md), and still resumes those in these files.""",
    "vibe-unified": """The last checkpoint of a session: `CURRENT` names a generation, its `manifest.json` the files
in `chunks` that hold the messages. Each of these names the next one by the hash of its content, and one that is gone
or does not match is refused, as Vibe refuses it. The journal holds what has happened since the checkpoint. Where it has
inputs of a turn, the turn has not ended, or Vibe was killed in it: what its own library makes of them is not known
here, so that such a session is not read until Vibe has resumed it. Forms of the store that are newer than that of 3.0.2
are refused.""",
    "kimi-cli": """JSON Lines, a chat message in each. Lines with the roles `_system_prompt`, `_checkpoint` and
`_usage` are Kimi CLI's notes. All messages are sent. A compaction, `/clear`, or a step back to a checkpoint begins
the file anew: what was in it before is in `context_1.jsonl`, `context_2.jsonl` and so on beside it, which are not
resumed. Sub-agents have sessions of their own in `subagents/<id>/context.jsonl`. `wire.jsonl` is what was shown; it
is searched for an output that the session lacks.""",
    "openclaw": """Since 2026.8 an SQLite database for each agent: one record for each row of `transcript_events`, with
its entry in the index of ids (`transcript_event_identities`, columns `identity_…`) and its place in the list of the
history (`session_transcript_active_events`, columns `listed_…`), after a record for the session's window and one for
the list's counts (`session_transcript_index_state`). The history is the list, by position, as OpenClaw reads it; other
branches are shown apart. Packed rows (`event_zstd`) are shown as their text. No other table is read but the names in
`session_nodes`: some hold credentials. Up to 2026.7: JSON Lines as pi writes them, with records of OpenClaw's own
(`customType` `model-snapshot` or `openclaw…`).""",
    "opencode": """The tables `session`, `message` and `part` of an SQLite database, one record for each row: a message,
then its parts. A call and its result are one part, whose `state` says how far it is. A summary replaces what is before
it, but for the tail that it says it kept; what `session.revert` names, and what follows that, is inactive, since the
agent deletes it with the next prompt. A call of the tool `task` names the session of the sub-agent that it started
(`state.metadata.sessionId`), which is in the same place and is opened from there. No other table is read: some hold
credentials.

Before 1.2: the folder `storage` with `session/PROJECT/ID.json`, `message/SESSION/ID.json` and `part/MESSAGE/ID.json`,
one record for each file; the ids are taken from the names. What a database beside it has by now is refused, since its
agent no longer reads it in the folder. Parts without a message are what undone messages leave, and are not read. A
byte order mark before the JSON is skipped, as the agent does, and stays. The folders of before 0.6,
`project/NAME/storage`, are recognised and refused: 1.1.65 copies what is in them into `storage`.""",
    "roo-code": """One JSON array of Anthropic messages. Messages that were condensed or truncated are inactive,
and messages of one role in a row are one.""",
    "continue": """One JSON document. Each entry of `history` has a message and, in `toolCallStates`, the
results of its calls; an entry with the role `tool` is a result of its own. All entries are sent; a
`conversationSummary` cuts nothing off.""",
    "gemini-cli": """JSON Lines, a log: a record with a known `id` takes the place of the one before, `$set.messages`
of all before, and `$rewindTo` takes records back. A response has its calls and their results in `toolCalls`, or in its
`content`. Before version 0.40 it was one JSON document.""",
    "cline-cli": """One JSON document, a list of Anthropic messages, each result in a user message of its own. What
`<id>.compaction.json` beside it stands for is inactive.""",
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
    "oh-my-pi": """It deletes damaged lines from the file when it resumes it, so fix the file first.
[on-resume.md](../on-resume.md) says what it sends of calls and results that do not fit together. Sub-agents have files
of their own in a folder beside the session's, with its name; open them by their path.""",
    "openclaw": """Measured on OpenClaw 2026.9.6 (databases) and 2026.6.11 (files): [on-resume.md](../on-resume.md) says
more. Where the API is Anthropic's, versions with databases leave out a call without a result.""",
    "continue": """A file that is not JSON from its first byte to its last is not resumed: Continue begins an
empty session in its place and says nothing of it. A call that did not end, but has a state, is told to the
model as `Tool cancelled`; a call without a state is sent alone. [on-resume.md](../on-resume.md) says more.""",
    "qwen-code": "[on-resume.md](../on-resume.md) says what Qwen Code does with each defect.",
    "copilot-cli": """It deletes damaged lines from the file when it resumes it, so fix the file first.
[on-resume.md](../on-resume.md) says more.""",
    "gemini-cli": """Nothing is healed, and the agent sends each result twice that it recorded twice itself.
[on-resume.md](../on-resume.md) says more.""",
    "cline-cli": "[on-resume.md](../on-resume.md) says more.",
    "vibe": """Measured on Mistral Vibe 3.0.2, and on 2.24.5, with up to three defects at once, and an API of
OpenAI's kind. From 2.26 on nothing is healed: what is in the file is sent, with what is before a compaction, and a
pair that is broken is refused. Before, a call without a result right behind its message was given one (`Tool
execution interrupted - no response available`) when the session went on, and a result that is late or has another id
was sent as well, and refused. A line that is not JSON, and an empty one, which is not reported, keep the session from
being resumed. Bytes that are not text are guessed at.""",
    "vibe-unified": """Measured on Mistral Vibe 3.0.2, with up to three defects at once, of sessions that it took over
from its older files: what the checkpoint holds is sent as it is, and what the API does not accept is refused. A file
that does not match its hash keeps the session from being loaded.""",
    "kimi-cli": """Measured on Kimi CLI 1.49.0, with the API of Kimi. Nothing is healed: what is in the file is sent,
and a pair that is broken is refused. A line that is not JSON, or not a message as it writes them, is skipped, and
nothing but its log says so; before 1.30, a line that is not JSON keeps the session from being loaded. A message
without `content`, or with a part of another API's type, still does. What it does with `openai_legacy` and `anthropic`
was read in its source: the messages are the same, written as that API has them. It can use `openai_responses` and
`gemini`, too; how was not looked at. The session does not say which one it was used with: where its last call's id
begins with `toolu_`, Anthropic's rules are checked. [on-resume.md](../on-resume.md) says more.""",
    "agents-sdk": """Measured on openai-agents 0.24.0, with up to three defects at once. A call that no
output names is left out, with the reasoning right before it; an output without its call is sent, and the API refuses
the session from then on. Of outputs with one `call_id` the last one is sent. A row that is not JSON is skipped, and
nobody is told. Which program goes on with a session is not in the database, so toolpair names none, and lists no such
sessions of its own accord. A row that is added near the start gets an id before the first one, so that not all others
change theirs.""",
    "google-adk-database": """Measured on google-adk 2.13.0, with up to three defects at once. Calls and responses are
paired by id, wherever they stand: a call that no response names is left out, a response without a call before it
likewise, and of several responses to one call the last is sent, after the call. A row that ADK cannot read keeps the
whole session from being loaded. What it makes of compactions, rewinds, branches and other agents' turns depends on
the program, so what it would send is not shown then, nor for the older tables. Which program goes on with a session
is not in the database, so toolpair names none, and lists no such sessions of its own accord. A new event gets a time
right after that of the one before it.""",
    "openhands": """Measured on openhands-sdk 1.58.2, on which its command line and its server stand, with one to
three defects at once. Calls and results are paired by `tool_call_id`, wherever they stand. Of two results of one call
the first is sent. A call without a result is left out, with all calls of its response and their results; so is a
result without a call. Thinking that is signed keeps what follows it together: all of it is sent, or nothing. Then
each call that no result behind it names (`action_id`; an error by `tool_call_id`) is **run again**, and what it says
is sent at the end, where the API refuses it, whatever is said. A file on that way that is not JSON, or not there,
keeps the whole conversation from being loaded; where events name none that they follow, what comes after a missing
number is forgotten. The text that a tool puts around its output, and that of a rejection, is not shown.""",
    "strands-folder": """Measured on strands-agents 1.62.0, with up to three defects at once. A result is left
out where no message with calls is right before it; after each message with calls, results of other ids are left out
and those that are missing are filled in ("Tool was interrupted."), also for the last message as soon as a prompt
comes. A file that is not JSON keeps the whole session from being loaded. Strands keeps the messages in memory, and
nothing shows that a program has the folder open: end it before you save. A message that is added moves the numbers of
those after it.""",
    "docker-agent": """This follows from its source (`sanitizeToolCalls` and the loader of sessions); it has not been
measured. A row that is not JSON keeps the whole session from being loaded. The copy of the messages that older
databases have in `sessions.messages` is left as it is: nothing reads it while there are rows, and docker-agent writes
it again after the next message. What a configuration, or a version before June 2026, cuts of old outputs is not known
here: [on-resume.md](../on-resume.md).""",
    "crush": """This follows from the source of Crush 0.90.0 (`preparePrompt`); it has not been compared with the agent,
so nothing is ever written into its database. What the library that it sends with (`fantasy`) adds for each provider is
not known here. [on-resume.md](../on-resume.md) says more.""",
    "kimi-code": """Measured on Kimi Code 2.1.0 over an API of Chat Completions. The first line that cannot be read is
deleted when the session is opened, and so is every line after it; the file as it was is in `wire.jsonl.bak`, if there
is none yet: repair such a file first. A line of a response that has not begun, or has ended, is skipped.
[on-resume.md](../on-resume.md) says more.""",
    "hermes": """Measured on Hermes Agent 0.19.0 over Chat Completions, Anthropic's API and the Responses API, with up
to three defects at once. Ids count over the whole history: of two pairs with one id the second is left out, call
and output, and nothing says so. A call is paired by its `call_id`, where it has one. A model that is not known to see
images gets what another model says of them in their place. [on-resume.md](../on-resume.md) says more.""",
    "opencode": """Measured on opencode 1.18.33 and Kilo CLI 7.7.9. A row that is not JSON keeps the whole session from
being loaded, wherever it is. `event` keeps older versions of each part for sharing; nothing of it is read on resume, so
it stays as it is. A response that ended in an error of the API is left out with all of its outputs.

The folder was measured on opencode 1.1.65, and Kilo's is taken to be the same: of Kilo only versions were measured
(7.0.33, 7.7.7) that move it, `~/.local/share/kilo/storage`, into their database while they have none. Half a
character is sent there as it is, and refused. A file among the messages or parts that does not end in `.json`,
unless it is hidden, keeps the session from being loaded, as one that is not JSON does: a full disk leaves such
files, of no bytes. A session's own file that is not JSON keeps all sessions of its project from being listed.
[on-resume.md](../on-resume.md) says more.""",
    "goose": """Whatever has no partner is left out before each request, call and output alike, and nothing says so.
A row that goose cannot read makes it crash when it opens the session. A turn that was killed is not in the database at
all. [on-resume.md](../on-resume.md) says more.""",
    "roo-code": """What is sent is not known well enough to say it for each problem; `toolpair check` says it
where it is.""",
}
_RESUMING: Final = {
    "openclaw": """A save changes the rows that a fix names and all that OpenClaw derives of them, in the same
transaction: the index of ids, the places in the list of the history, its counts. A new row is the last of the session,
whatever its place in the list. The full-text index for searches (`session_transcript_fts`) stays as it is, so a search
in OpenClaw finds the words of before until it builds that index again; nothing of it is sent. A packed row that a fix
changes is stored as plain text, as OpenClaw itself stores what does not get smaller; others keep their bytes. Stop the
gateway before you save (`openclaw gateway stop`): it keeps the database open, and a save is refused while it does. It
reads the history anew before each request (measured on 2026.9.6: text that was changed in a row is sent by a gateway
that ran meanwhile).

Up to 2026.7 OpenClaw continues the file itself: `openclaw agent --local --session-id ID -m "…"`.
Repair the file before it is imported: the import (seen with 2026.8.2) ends at the first line that cannot be
read, without telling you, and a session without its first line is imported but not resumed. What is lost for
want of a link, or left out as above, is lost after the import as well.""",
    "hermes": """Hermes reads rows in the order of their ids, so a row that is added takes an id behind the last one of
the database, and so do those that come after it in the session. Its search finds what was changed: the database's own
triggers see to that. End the gateway before you save (`hermes gateway stop`).""",
    "kimi-cli": """It is run in the session's own folder, by whose path Kimi CLI finds it. `kimi --continue` takes the
folder's last session. Kimi Code CLI, its successor, imports these sessions when it is installed, and keeps its own in
another form.""",
    "vibe-unified": """`toolpair export` makes a request body of it.""",
    "openhands": """End the program that has the conversation open before you save: it keeps the history in memory. A
save is refused while OpenHands' server has it open (`owner_lease.json`). No file says that another program has it
open between two events. The mark of how many events there are (`.eventlog-len-N.marker`) is kept true, so that such a
program counts them again before it writes one; after a save that took an event out, the number of its next one would
leave a gap, and what comes after a gap is not read. A new event gets a file of its own, the numbers of those after it
move, and links, the last event and the place of a summary follow; where no event has a link, none gets one, since
versions that write none refuse them (its command line 1.16.0). `openhands --resume ID` goes on with it, as does
`Conversation(persistence_dir=…, conversation_id=…)`.""",
    "continue": """`cn --resume` takes the session that was written last, which a saved one is. `cn --fork ID`
begins a copy of any.""",
}
_SAVED_ROWS: Final = """Each fix changes the columns that it names and no others, in one transaction; undo brings them
back. `toolpair fix FILE::SESSION --diff` shows what would change, and a save keeps a backup:
[databases.md](../databases.md)."""
_SAVED_FILES: Final = """Each fix changes the bytes that it names and no others, and all files of a save are exchanged
together; undo brings them back. `toolpair fix FOLDER::SESSION --diff` shows what would change, and a save keeps a
backup: [databases.md](../databases.md#folders)."""
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
        "",
        "[not-read-yet.md](../not-read-yet.md) has those that are known, and refused by name or only shown.",
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
    told = _told(agents[0]) if agents else {}
    if told or one.id in _MORE:
        yield from ("## What becomes of a defect on resume", _MORE.get(one.id, ""), "")
    if told:
        yield from ("| problem | what happens | lost |", "|---|---|---|")
        for (text, loses), rules in told.items():
            yield f"| {', '.join(map(_rule, rules))} | {_text(text)} | {loses} |"
        yield from (f"\n{other.title} does the same." for other in agents[1:] if _told(other, agents[0].title) == told)
        yield ""
    profile = f"[{one.profile}](../profiles/{one.profile}.md)"
    checks = f"the rules of {profile} unless `--profile` says otherwise"
    if one.profile_for is not None:
        checks = (
            "the rules of the API that the session was used with, or\n"
            f"of {profile} where the file does not say which; `--profile` picks others"
        )
    yield from ("## What toolpair does", f"It checks them against {checks}.")
    in_rows = bool(one.layouts) or (not one.folders and any(isinstance(agent, DatabaseAgent) for agent in agents))
    yield one.read_only or (_SAVED_ROWS if in_rows else _SAVED_FILES if one.folders else _SAVED)
    ways = list(resume_lines(agents))
    if ways:
        yield from ("", "## How to resume", *ways)
    if one.id in _RESUMING:
        yield from ("", _RESUMING[one.id])


def _told(agent: Agent, title: str | None = None) -> dict[tuple[str, str], list[str]]:
    """Sentence and loss -> the rules of the problems that end so in the sessions in which the tests plant defects."""
    kept = _OUTCOMES / f"{agent.id}.txt"
    found: dict[tuple[str, str], list[str]] = {}
    for paragraph in kept.read_text("utf-8").split("\n\n") if kept.exists() else ():
        rule, *found_out = paragraph.partition("\n")[0].split(" | ")
        effect, loses = found_out[-2:] if found_out else ("-", "")
        if effect != "-":
            text = paragraph.splitlines()[1].strip().replace(agent.title, title or agent.title)
            key = _IDS.sub("ID", text), _SIZES.sub("output", loses.removeprefix("loses ")).replace("nothing", "")
            rules = found.setdefault(key, [])
            rules += [rule] if rule not in rules else []
    return found


def _rule(name: str) -> str:
    return f"[`{name}`](../rules/{name}.md)" if name in rule_pages() else f"`{name}`"


def _places(agent: Agent) -> str:
    usual = [home_short(str(agent.roots(Machine(name, {}, Path(_HOME)))[0]), _HOME) for name in ("linux", "darwin")]
    mac = "the same" if usual[0] == usual[1] else f"`{usual[1]}`"
    variable = f"`{agent.variable}`" if agent.variable is not None else ""
    return f"| {agent.title} | `{agent.id}` | `{usual[0]}` | {mac} | {variable} |"


def resume_lines(agents: tuple[Agent, ...]) -> Iterator[str]:
    """How each of these agents resumes a session."""
    for agent in agents:
        machine = Machine("linux", {}, Path(_HOME))
        is_folder = isinstance(agent, FolderAgent)
        path = agent.roots(machine)[0] / (ID.replace("-", "") if is_folder else f"session{agent.suffix or '.json'}")
        file = SessionFile(path, path, ID, "/home/you/project")
        way = agent.way_in_its_own(file) if isinstance(agent, DatabaseAgent) else agent.way_back(file)
        if way is not None and agent.id in written_by():
            yield f"- {agent.title}: {way.text if way.prose is not None else f'`{way.text}`'}"


def _text(text: str) -> str:
    return text.replace("|", "\\|").replace("<", "&lt;").replace(">", "&gt;")
