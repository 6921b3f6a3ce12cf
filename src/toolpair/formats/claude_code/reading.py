"""Making the transcript of the active history: the messages that the agent would send, and what else the file holds."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from msgspec import Struct, field
from msgspec.structs import replace

from toolpair.dialects.block_texts import is_real_output, output_key
from toolpair.formats.claude_code.assembling import assemble, blocks_of_node
from toolpair.formats.claude_code.branches import Ways, branches_of, ways_of
from toolpair.formats.claude_code.copies import copies_of
from toolpair.formats.claude_code.cuts import boundaries_of
from toolpair.formats.claude_code.defects import defects_of, settled
from toolpair.formats.claude_code.frames import ChainFrame, WithCopies, framed, log_facts, unframed
from toolpair.formats.claude_code.history import ChainHistory, history_of
from toolpair.formats.claude_code.record_kinds import (
    SUB_AGENT,
    SYNTHETIC_MODEL,
    ChainNode,
    model_of,
    text_or_none,
    value_of,
)
from toolpair.formats.claude_code.versions import ResumedBy, behaviour, resumed_by
from toolpair.formats.format import AS_RESUMED, FileFacts, Item, View
from toolpair.transcript.model import Block, Damaged, Scope, Transcript
from toolpair.transcript.record_tree import FailedRetries, RecordTree

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


def cached_history(transcript: Transcript, items: Sequence[Item]) -> ChainHistory:
    """The history of these records, which is kept for those that the transcript was read from; not to be modified."""
    if isinstance(transcript.frame, ChainFrame) and transcript.frame.history is not None:
        return transcript.frame.history
    facts = transcript.agent_facts
    if isinstance(facts, ResumedBy) and isinstance(facts.history, ChainHistory) and facts.history.items is items:
        return facts.history
    return history_of(items, transcript.tree.leaf, behaviour(resumed_by(transcript)))


def transcript_of(items: Sequence[Item], history: ChainHistory, view: View = AS_RESUMED) -> Transcript:
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
            retries=_retries(history.chain),
        ),
        copies=copies_of(items, view.beside),
        unreached=tuple(unreached_of(history)),
    )


def _retries(chain: Sequence[ChainNode]) -> FailedRetries | None:
    if not any(node.api_error for node in chain):
        return None
    from toolpair.formats.claude_code.retries import retries_of

    return retries_of(chain)


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


def _inactive_blocks(history: ChainHistory, scopes: Mapping[int, Scope]) -> Iterable[Block]:
    for node in history.nodes:
        if scopes.get(node.uid) == "inactive" and node.type in ("user", "assistant"):
            blocks, _ = blocks_of_node(node)
            yield from (block for block in blocks if block.kind in ("call", "result"))


_QUIET: Final = frozenset({"attachment", "system", "progress"})


def scopes_of(history: ChainHistory, damaged: Iterable[int]) -> Mapping[int, Scope]:
    """The scopes of records that are not active: damaged ones, and chain records that do not lead to the leaf.

    Inactive are other branches, what a compaction replaced, what a lost link hides, and sub-agents' records. A record
    attached to an active one (a hook report, the progress of a call) is active too.
    """
    scopes: dict[int, Scope] = dict.fromkeys(damaged, "malformed")
    known = {node.uid: True for node in (*history.chain, *history.order)}
    for node in history.nodes:
        active = known.get(node.uid)
        if not (active if active is not None else _is_active(history, node, known)):
            scopes.setdefault(node.uid, "inactive")
    for node in history.shadowed:
        scopes.setdefault(node.uid, "inactive")
    return scopes


def _is_active(history: ChainHistory, node: ChainNode, known: dict[int, bool]) -> bool:
    path: list[int] = []
    seen: set[int] = set()
    found: ChainNode | None = node
    active = False
    while found is not None:
        if found.uid in known:
            active = known[found.uid]
            break
        if found.uid in seen or found.type not in _QUIET or not history.main(found):
            path.append(found.uid)
            break
        seen.add(found.uid)
        path.append(found.uid)
        found = history.by_uuid.get(history.parent_of(found) or "")
    for uid in path:
        known[uid] = active
    return active


def unreached_of(history: ChainHistory) -> Iterable[Block]:
    """Real results after the last compaction whose call is nowhere in the file, as with parallel calls, or is answered.

    Excluded are those that a conversation continues from, and those linked to calls: they belong to another branch,
    unless they hang on the history itself and say something else than its result of the same call.
    """
    active = {node.uid for node in history.chain} | {node.uid for node in history.order}
    newest = history.newest_boundary.position if history.newest_boundary is not None else -1
    beside = [
        node
        for node in history.nodes
        if node.type == "user"
        and node.uid not in active
        and node.position > newest
        and history.main(node)
        and node.has_result
    ]
    if not beside:
        return
    gone_on = {node.parent for node in history.nodes if node.type in ("user", "assistant")}
    calls = {id_ for node in (*history.nodes, *history.shadowed) if node.type == "assistant" for id_ in node.calls}
    calling = {node.uuid for node in history.nodes if node.type == "assistant" and node.uuid is not None and node.calls}
    known = _Known(history)
    for node in beside:
        if node.uuid in gone_on:
            continue
        blocks, _ = blocks_of_node(node)
        if len(blocks) != 1 or not isinstance(blocks[0].id, str):
            continue
        if known.is_second(node, blocks[0]):
            yield blocks[0]
        if any(name in calling for name in (node.parent, text_or_none(node.value.get("sourceToolAssistantUUID")))):
            # Its id may be spelled differently; the agent takes it there, or leaves it on that branch.
            continue
        if blocks[0].id not in calls and is_real_output(blocks[0]):
            yield blocks[0]


class _Known:
    """What the history says of each call, worked out when it is asked for."""

    def __init__(self, history: ChainHistory) -> None:
        self._history = history
        self._uuids: set[str | None] = set()
        self._said: dict[str, set[tuple[str, ...]]] | None = None
        """Id of a call of the history -> what its results say, and others that were found to be like them."""

    def is_second(self, node: ChainNode, result: Block) -> bool:
        """Whether a result hangs on the history, and is another real output of a call that is answered there."""
        said = self._results().get(result.id)
        if said is None or not is_real_output(result) or output_key(result) in said:
            return False
        if (
            node.parent not in self._uuids
            and text_or_none(node.value.get("sourceToolAssistantUUID")) not in self._uuids
        ):
            return False
        said.add(output_key(result))
        return True

    def _results(self) -> dict[str, set[tuple[str, ...]]]:
        if self._said is None:
            self._said = {}
            self._uuids = {node.uuid for node in self._history.order if node.uuid is not None}
            for node in self._history.order:
                for block in blocks_of_node(node)[0] if node.type == "user" and node.has_result else ():
                    if block.kind == "result" and isinstance(block.id, str) and is_real_output(block):
                        self._said.setdefault(block.id, set()).add(output_key(block))
        return self._said
