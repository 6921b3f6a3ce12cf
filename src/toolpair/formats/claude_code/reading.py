"""Making the transcript of the active history: the messages that the agent would send."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from msgspec import Struct, field
from msgspec.structs import replace

from toolpair.formats.claude_code.assembling import assemble, blocks_of_node
from toolpair.formats.claude_code.branches import Ways, branches_of, ways_of
from toolpair.formats.claude_code.copies import copies_of
from toolpair.formats.claude_code.cuts import boundaries_of
from toolpair.formats.claude_code.defects import defects_of, settled
from toolpair.formats.claude_code.frames import Frame, WithCopies, framed, log_facts, unframed
from toolpair.formats.claude_code.history import History, history_of
from toolpair.formats.claude_code.record_kinds import SUB_AGENT, SYNTHETIC_MODEL, model_of, text_or_none, value_of
from toolpair.formats.claude_code.retries import retries_of
from toolpair.formats.claude_code.scopes import scopes_of
from toolpair.formats.claude_code.unreached import unreached_of
from toolpair.formats.claude_code.versions import ResumedBy, behaviour, resumed_by
from toolpair.formats.format import AS_RESUMED, FileFacts, Item, View
from toolpair.transcript.model import Block, Damaged, Scope, Transcript
from toolpair.transcript.record_tree import RecordTree

AGENT: Final = "Claude Code"


class _Facts(Struct):
    version: str | None = None
    session_id: str | None = None
    folder: str | None = None
    model: str | None = None
    thinking: bool | None = None
    damaged: list[int] = field(default_factory=list)


def read_transcript(items: Sequence[Item], view: View = AS_RESUMED) -> Transcript:
    if view.surroundings is not None:
        return _read_window(items, view, view.surroundings)
    return transcript_of(items, history_of(items, view.leaf, behaviour(view.agent_version)), view)


def _read_window(items: Sequence[Item], view: View, surroundings: FileFacts) -> Transcript:
    """The transcript of records that are a window of a longer file."""
    frame = framed(items, surroundings)
    frame.history = history = history_of(frame.items, resumed_by=behaviour(view.agent_version))
    read = unframed(transcript_of(frame.items, history, view), frame, surroundings)
    return replace(
        read, copies=copies_of(WithCopies(items, surroundings), view.beside, log_facts(surroundings).first_uuids)
    )


def cached_history(transcript: Transcript, items: Sequence[Item]) -> History:
    """The history that the transcript was read from; not to be modified."""
    if isinstance(transcript.frame, Frame) and transcript.frame.history is not None:
        return transcript.frame.history
    facts = transcript.agent_facts
    if isinstance(facts, ResumedBy) and isinstance(facts.history, History):
        return facts.history
    return history_of(items, transcript.tree.leaf, behaviour(resumed_by(transcript)))


def transcript_of(items: Sequence[Item], history: History, view: View = AS_RESUMED) -> Transcript:
    messages = assemble(history.order)
    facts = _facts(items, history.sidechain or history.inside)
    scopes = scopes_of(history, facts.damaged)
    # There can be another branch only if a message record is left out.
    forks = any(scopes.get(node.uid) == "inactive" and node.type in ("user", "assistant") for node in history.nodes)
    ways = ways_of(history) if forks else Ways()
    leaf = history.chain[-1] if history.chosen else None
    inactive = tuple(_inactive_blocks(history, scopes))
    lines = tuple(boundaries_of(history, ways, len(messages)))
    boundaries, broken = settled(lines, tuple(defects_of(history)))
    return Transcript(
        messages=tuple(messages),
        merged=True,
        native=True,
        agent=SUB_AGENT if history.sidechain or history.inside else AGENT,
        agent_version=facts.version,
        agent_facts=ResumedBy(view.agent_version, history),
        session_id=facts.session_id,
        folder=facts.folder,
        model=facts.model,
        thinking=facts.thinking,
        scopes=scopes,
        inactive_blocks=inactive,
        boundaries=boundaries,
        tree=RecordTree(
            leaf=leaf.uuid if leaf is not None else None,
            branches=branches_of(history, ways, messages) if forks else (),
            resumed=not (history.sidechain or history.inside),
            elsewhere=leaf is not None and leaf is not history.own_leaf,
            broken=broken,
            retries=retries_of(history.chain),
        ),
        copies=copies_of(items, view.beside),
        unreached=tuple(unreached_of(history)),
    )


def _facts(items: Sequence[Item], sidechain: bool) -> _Facts:
    facts = _Facts()
    # From the end, since the newest usually counts: once found it is not searched for again.
    for item in reversed(items):
        value = item.value
        if not isinstance(value, dict):
            if isinstance(value, Damaged):
                facts.damaged.append(item.uid)
            value = value_of(item)
            if not isinstance(value, dict):
                continue
        if facts.version is None:
            facts.version = text_or_none(value.get("version"))
        if facts.session_id is None:
            facts.session_id = text_or_none(value.get("sessionId"))
        if facts.model is not None and facts.thinking is not None:
            continue
        type_ = value.get("type")
        if type_ == "assistant":
            if facts.model is None and (sidechain or value.get("isSidechain") is not True):
                model = model_of(value)
                facts.model = model if model != SYNTHETIC_MODEL else None
        elif type_ == "api-request" and facts.thinking is None:
            parameters = value.get("params")
            if isinstance(parameters, dict):
                thinking = parameters.get("thinking")
                facts.thinking = isinstance(thinking, dict) and thinking.get("type") != "disabled"
    facts.damaged.reverse()
    # The session is stored under the folder where it began; later commands may have changed the folder.
    values = (value_of(item) for item in items)
    folders = (text_or_none(value.get("cwd")) for value in values if isinstance(value, dict))
    facts.folder = next((folder for folder in folders if folder), None)
    return facts


def _inactive_blocks(history: History, scopes: Mapping[int, Scope]) -> Iterable[Block]:
    for node in history.nodes:
        if scopes.get(node.uid) == "inactive" and node.type in ("user", "assistant"):
            blocks, _ = blocks_of_node(node)
            yield from (block for block in blocks if block.kind in ("call", "result"))
