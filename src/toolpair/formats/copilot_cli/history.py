"""A log's events as what was said: each names the one before, but file order counts, not the names."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from msgspec import Struct

from toolpair.dialects import copilot as dialect
from toolpair.dialects.block_texts import WrittenBlock, is_real_output
from toolpair.formats.copilot_cli.detection import (
    ABORT,
    ASKED,
    CHAT,
    RESUME,
    START,
    USAGE,
    data_of,
    kind_of,
    profile_for,
)
from toolpair.formats.copilot_cli.events import flaws_of
from toolpair.formats.engine.reading.between import BETWEEN
from toolpair.formats.engine.reading.clock import count_in, usage_of
from toolpair.formats.engine.reading.part_of_file import as_file, part_facts
from toolpair.formats.engine.reading.reading import as_text, facts_of, first_text, malformed_in, pairs_in
from toolpair.formats.engine.reading.tree_history import Node
from toolpair.formats.engine.reading.turns import Turn, messages_of
from toolpair.formats.format import AS_RESUMED, Item, KeptRequest, Usage, View
from toolpair.transcript.model import COMPACTED, Boundary, Scope, Transcript

TITLE: Final = "GitHub Copilot CLI"
_SUMMARY: Final = (
    "Some of the conversation history has been summarized to free up context.\n\nYou were originally given "
    "instructions from a user over one or more turns. Here were the user messages:\n",
    "\n\nHere is a summary of the prior context:\n<summary>\n",
    "\n</summary>\n",
)
_SHELL: Final = (
    "<user_shell_command_output>\nThe user executed a shell command directly in their terminal (exit code {code}).\n\n"
    "Command:\n{command}\n\nOutput:\n{output}\n</user_shell_command_output>"
)
NOT_LOADED: Final = "GitHub Copilot CLI does not load this session"


class Continues(Struct, frozen=True):
    """What the whole file shows of the model that continues."""

    model: str | None
    api: str | None
    """The profile of its API; None where no event tells."""


class EventHistory(Struct, eq=False):
    """What the agent makes of a file's events."""

    items: Sequence[Item]
    nodes: Sequence[Node]
    turns: Sequence[Turn]
    """What is said, in file order, results one by one."""
    beside: Sequence[Turn]
    """What sub-agents said, and what a summary replaced."""
    stops: Sequence[int]
    """Places of the nodes that end what the agent was doing: the user stopped it, or resumed the session."""
    start: dict[str, Any] | None
    summary: int | None
    """uid of the last event that put a summary in the place of all before it."""
    api: str
    """The profile of the API that the session speaks."""
    flawed: Mapping[int, tuple[Sequence[str], Sequence[tuple[str, str]]]]
    """The places of the nodes that the agent does not accept: what is wrong with the event, and with its data."""


def agent_of(value: Any) -> str | None:
    """The id of the sub-agent that an event is of."""
    found = value.get("agentId") or data_of(value).get("parentToolCallId")
    return found if isinstance(found, str) else None


def history_of(items: Sequence[Item]) -> EventHistory:
    nodes: list[Node] = []
    asked: dict[str, str] = {}
    assets: dict[str, Any] = {}
    for item in items:
        value = item.value
        if isinstance(value, dict) and value:
            said = kind_of(value) in dialect.ROLES
            real = kind_of(value) == dialect.RESULT and is_real_output(dialect.result_block(data_of(value), 0))
            nodes.append(
                Node(item.uid, len(nodes), value.get("id"), value.get("parentId"), value, int(said), int(real))
            )
            if kind_of(value) == dialect.ASSET:
                assets[str(data_of(value).get("assetId"))] = data_of(value).get("data")
            if kind_of(value) == ASKED and isinstance(id_ := data_of(value).get("toolCallId"), str):
                given = data_of(value).get("arguments")
                asked[id_] = str(given.get("command")) if isinstance(given, dict) else ""
    talkers = {agent_of(node.value) for node in nodes if node.messages}
    own = next(iter(talkers)) if len(talkers) == 1 else None
    mine = [node for node in nodes if agent_of(node.value) == own]
    at = next((n for n in range(len(mine) - 1, -1, -1) if _is_summary(mine[n].value)), None)
    turns = [_summary(mine, at)] if at is not None else []
    kept = {id(node) for node in mine[0 if at is None else at + 1 :]}
    beside: list[Turn] = []
    for node in nodes:
        turn = _turn(node, asked, assets)
        if turn is not None:
            (turns if id(node) in kept else beside).append(turn)
    return EventHistory(
        items,
        nodes,
        turns,
        beside,
        [node.place for node in mine if kind_of(node.value) in (ABORT, RESUME)],
        next((node.value for node in nodes if kind_of(node.value) == START), None),
        mine[at].uid if at is not None else None,
        profile_for([node.value for node in nodes]),
        {node.place: found for node in nodes if any(found := flaws_of(node.value))},
    )


def _is_summary(value: Any) -> bool:
    return kind_of(value) == dialect.SUMMARY and data_of(value).get("success") is True


def _summary(nodes: Sequence[Node], at: int) -> Turn:
    """What the agent says of all that a compaction has replaced."""
    asked = [data_of(node.value).get("content") for node in nodes[:at] if kind_of(node.value) == dialect.USER]
    words = "\n".join(f"<user_message>\n{text}\n</user_message>" for text in asked)
    head, middle, end = _SUMMARY
    node = nodes[at]
    text = f"{head}{words}{middle}{data_of(node.value).get('summaryContent') or ''}{end}"
    return Turn("user", node, (WrittenBlock("text", text, node.uid, ("data",)),), _time(node), True)


def _time(node: Node) -> str | None:
    return as_text(node.value.get("timestamp"))


def _turn(node: Node, asked: Mapping[str, str], assets: dialect.Assets) -> Turn | None:
    """What an event says; None for one that is not sent."""
    kind, data = kind_of(node.value), data_of(node.value)
    role = dialect.ROLES.get(kind)
    if role is None:
        return None
    id_ = data.get("toolCallId")
    if kind == dialect.RESULT and isinstance(id_, str) and id_ in asked:
        ran = data.get("shellExecution")
        code = ran.get("exitCode") if isinstance(ran, dict) else int(data.get("success") is False)
        text = _SHELL.format(code=code, command=asked[id_], output=dialect.output_of(data))
        return Turn("user", node, (WrittenBlock("text", text, node.uid, ("data",)),), _time(node))
    blocks = dialect.blocks_of(kind, data, node.uid, assets)
    return Turn(role, node, blocks, _time(node)) if blocks else None


def read(items: Sequence[Item], view: View = AS_RESUMED) -> Transcript:
    facts = part_facts(view)
    history = history_of(items if facts is None else as_file(items, facts))
    history.items = items
    if facts is not None:
        history.api = facts.model.api or CHAT
    scopes: dict[int, Scope] = malformed_in(items)
    scopes.update((turn.node.uid, "inactive") for turn in history.beside)
    compaction: tuple[Boundary, ...] = ()
    if history.summary is not None:
        compaction = (Boundary(0, COMPACTED, history.summary),)
    start = data_of(history.start)
    context = start.get("context")
    return Transcript(
        tuple(messages_of(history.turns)),
        merged=True,
        native=True,
        agent=TITLE,
        agent_facts=history,
        agent_version=as_text(start.get("copilotVersion")),
        session_id=as_text(start.get("sessionId")),
        folder=as_text(context.get("cwd")) if isinstance(context, dict) else None,
        model=_model(history) if facts is None else facts.model.model,
        scopes=scopes,
        inactive_blocks=pairs_in(block for turn in history.beside for block in turn.blocks),
        boundaries=compaction,
        frame=None if facts is None else BETWEEN,
    )


def _model(history: EventHistory) -> str | None:
    """The model that answered last, else the one that was chosen."""
    said = (data_of(turn.node.value).get("model") for turn in reversed(history.turns) if turn.role == "assistant")
    return first_text(said) or as_text(data_of(history.start).get("selectedModel"))


def inactive(items: Sequence[Item], transcript: Transcript) -> Iterable[tuple[str, Sequence[Item]]]:
    """The histories of sub-agents, by the id of the call that started each."""
    own: dict[str, list[Item]] = {}
    said = {turn.node.uid for turn in facts_of(transcript, EventHistory).turns}
    for item in items:
        agent = agent_of(item.value) if isinstance(item.value, dict) and item.uid not in said else None
        if agent is not None:
            own.setdefault(agent, []).append(item)
    return own.items()


def request_kept(items: Sequence[Item], response: int | None) -> KeptRequest:
    """The last system prompt that the file has, and the model."""
    history = history_of(items)
    said = (data_of(n.value).get("content") for n in reversed(history.nodes) if kind_of(n.value) == "system.message")
    return KeptRequest(first_text(said), (), _model(history))


def usage(value: Any) -> Usage | None:
    usage = data_of(value).get("usage") if kind_of(value) == USAGE else None
    written = count_in(usage, "outputTokens")
    read = count_in(usage, "inputTokens")
    return usage_of(read, written, count_in(usage, "maxPromptTokens"))
