"""Qwen Code's records as a history, as read in the agent's own code and compared with the agent, 0.24.4."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from itertools import takewhile
from typing import Any, Final

from msgspec import Struct

from toolpair.dialects import gemini as dialect
from toolpair.dialects.block_texts import is_real_output
from toolpair.formats.engine.reading.between import BETWEEN
from toolpair.formats.engine.reading.clock import count_in, usage_of
from toolpair.formats.engine.reading.part_of_file import as_file, part_facts
from toolpair.formats.engine.reading.reading import as_text, facts_of, first_text, malformed_in, pairs_in
from toolpair.formats.engine.reading.tree_history import (
    End,
    Node,
    NodeTree,
    branches_and_links,
    inactive_ways,
    links_of,
    uuid_from,
)
from toolpair.formats.engine.reading.turns import Turn, messages_of
from toolpair.formats.format import AS_RESUMED, Item, KeptRequest, Usage, View
from toolpair.formats.qwen_code.detection import is_record, message_in
from toolpair.transcript.draft import value_at
from toolpair.transcript.model import COMPACTED, Block, Boundary, Damaged, Scope, Transcript

NEWEST: Final = "0.24.4"
TITLE: Final = "Qwen Code"
ROLES: Final = ("user", "model")
BESIDE: Final = frozenset(
    {
        "session_artifact_event",
        "session_artifact_snapshot",
        "session_sources_snapshot",
        "managed_session_header_v1",
        "managed_session_event_v1",
        "managed_session_commit_v1",
    }
)
"""Subtypes of records that are not in the tree."""
COMPRESSION: Final = "chat_compression"
COMMAND: Final = "slash_command"
_ROLE: Final = "Qwen Code does not start: a message has a role that is neither user nor model."
_PART: Final = "Qwen Code does not start: a message has a part that cannot be read."
_SESSIONS: Final = "Qwen Code does not resume this session: its records name more than one."
_FOLDER: Final = "Qwen Code does not resume this session: its first record does not name the working folder."
_NO_LIST: Final = "Qwen Code does not start: what a compression kept is not a list of messages."
_NOTHING: Final = "Qwen Code does not resume this session: no record of it can be read."
EMPTY: Final = "content.empty_text"
AT: Final = ("message", "parts")
KEPT: Final = ("systemPayload", "compressedHistory")


class QwenContent(Struct, eq=False):
    """A content of the history: one record's, or one of those that a compression keeps."""

    role: Any
    node: Node
    blocks: Sequence[Block]
    summary: bool = False
    content: Any = ""
    """What a compression keeps it as."""


class QwenHistory(Struct, eq=False):
    """What Qwen Code makes of a file's records."""

    items: Sequence[Item]
    tree: NodeTree
    path: Sequence[Node]
    end: End
    said: Sequence[QwenContent]
    """What stands in the file of what is sent, in order."""
    contents: Sequence[tuple[Any, list[tuple[Any, Block | None]]]]
    """(role, parts) of what the agent begins with; each part with its block, None for what no fix can reach."""
    own: Node | None
    """Where Qwen Code itself continues."""
    refuses: str | None
    compression: Node | None
    """Whose contents stand for all that was before it."""
    glued: frozenset[str]
    """ids of calls and results on lines that the agent takes apart itself."""


def is_node(value: Any) -> bool:
    if not is_record(value):
        return False
    subtype = value.get("subtype")
    return not (value["type"] == "system" and isinstance(subtype, str) and subtype in BESIDE)


def has_folder(value: Any) -> bool:
    """Whether it names the working folder, as the first record must."""
    return isinstance(value, dict) and isinstance(value.get("cwd"), str) and bool(value["cwd"])


def content_of(value: Any) -> Any:
    """What a compression kept as a content: the words of one that is none are the user's."""
    if isinstance(value, dict):
        return value
    return {"role": None, "parts": [{"text": value if isinstance(value, str) else json.dumps(value)}]}


def parts_in(value: Any) -> list[Any]:
    found = message_in(value).get("parts")
    return found if isinstance(found, list) else []


def read_by_agent(items: Iterable[Item]) -> Iterator[tuple[Item, Any]]:
    """All objects that the agent finds in the file: also those of glued lines, up to one that is cut off."""
    for item in items:
        whole = item.value.parts if isinstance(item.value, Damaged) else (item.value,)
        for value in takewhile(lambda part: not isinstance(part, Damaged), whole):
            if isinstance(value, dict):
                yield item, value


def _tree(read: Iterable[tuple[Item, Any]]) -> NodeTree:
    nodes: list[Node] = []
    for item, value in read:
        if not is_node(value):
            continue
        blocks = [dialect.part_block(part, 0, ()) for part in parts_in(value)]
        outputs = sum(block.kind == "result" and is_real_output(block) for block in blocks)
        begins = value["type"] in ("user", "system")
        node = Node(item.uid, len(nodes), value["uuid"], value["parentUuid"] or None, value, bool(blocks), outputs)
        node.begins = begins
        nodes.append(node)
    return NodeTree(nodes, merges=True, new_id=uuid_from)


def history_of(items: Sequence[Item], leaf: str | None) -> QwenHistory:
    read = list(read_by_agent(items))
    damaged = {item.uid for item in items if isinstance(item.value, Damaged)}
    tree = _tree(read)
    own = tree.by_id[tree.nodes[-1].id] if tree.nodes else None
    path, end = tree.walk((tree.named(leaf) if leaf is not None else None) or own)
    same: dict[str, list[Node]] = {}
    for node in tree.nodes if len(tree.by_id) < len(tree.nodes) else ():
        same.setdefault(node.id, []).append(node)
    made = _Contents(damaged)
    for node in path:
        made.add(same.get(node.id) or [node])
    glued = {
        block.id for node in tree.nodes if node.uid in damaged for block in _blocks(node) if isinstance(block.id, str)
    }
    sessions = {value["sessionId"] for _, value in read if is_record(value)}
    refuses = None
    if own is None:
        refuses = _NOTHING
    elif len(sessions) > 1:
        refuses = _SESSIONS
    elif not has_folder(read[0][1]):
        refuses = _FOLDER
    elif any(not isinstance(part, (dict, list)) for _, parts in made.contents for part, _ in parts):
        refuses = _PART
    elif any(role not in ROLES for role, _ in made.contents):
        refuses = _ROLE
    elif made.compression is not None and not isinstance(value_at(made.compression.value, KEPT), list):
        refuses = _NO_LIST
    names = frozenset(glued)
    return QwenHistory(items, tree, path, end, made.said, made.contents, own, refuses, made.compression, names)


def _blocks(node: Node) -> tuple[Block, ...]:
    return dialect.blocks_of(parts_in(node.value), node.uid, AT)


class _Contents:
    """The contents of a history, record by record."""

    def __init__(self, damaged: set[int]) -> None:
        self.said: list[QwenContent] = []
        self.contents: list[tuple[Any, list[tuple[Any, Block | None]]]] = []
        self.compression: Node | None = None
        self._damaged = damaged
        self._last: Node | None = None
        """The record that the last content came from."""

    def add(self, nodes: Sequence[Node]) -> None:
        """Add what records with one id say: the agent reads them as one."""
        first = nodes[0].value
        if first["type"] == "system":
            self._add_system(nodes[0])
            return
        if not any(message_in(node.value) for node in nodes):
            return
        whole: list[tuple[Any, Block | None]] = []
        role = next((message_in(node.value).get("role") for node in nodes if message_in(node.value)), None)
        for number, node in enumerate(nodes):
            twice = any(other.value == node.value for other in nodes[:number])
            raw = parts_in(node.value)
            blocks = _blocks(node)
            if node.uid in self._damaged or twice:
                whole += [(part, None) for part in raw]
                continue
            whole += zip(raw, blocks, strict=True)
            if blocks:
                self.said.append(QwenContent(message_in(node.value).get("role"), node, blocks))
        self._last = nodes[0]
        if first.get("subtype") == "mid_turn_user_message" and self.contents and self.contents[-1][0] == "user":
            self.contents[-1][1].extend(whole)
        else:
            self.contents.append((role, whole))

    def _add_system(self, node: Node) -> None:
        kept = value_at(node.value, KEPT)
        if node.value.get("subtype") == COMMAND:
            if self._is_answered(node.value.get("systemPayload")):
                self.contents.pop()
                self.said = [one for one in self.said if one.node is not self._last]
            if self._last is not None and self._last.value["type"] == "user":
                self._last = None
        elif node.value.get("subtype") == COMPRESSION and kept:
            self.compression = node
            self.said, self.contents, self._last = [], [], None
            for number, content in enumerate(kept if isinstance(kept, list) else ()):
                found = content.get("parts") if isinstance(content, dict) else None
                raw = found if isinstance(found, list) else []
                blocks = dialect.blocks_of(raw, node.uid, (*KEPT, number, "parts"))
                role = content.get("role") if isinstance(content, dict) else None
                if node.uid in self._damaged:
                    self.contents.append((role, [(part, None) for part in raw]))
                    continue
                self.contents.append((role, [*zip(raw, blocks, strict=True)]))
                self.said.append(QwenContent(role, node, blocks, not number, content))

    def _is_answered(self, payload: Any) -> bool:
        """Whether the user's last words were a command that the agent answered without the model."""
        if not isinstance(payload, dict) or self._last is None:
            return False
        value, shown = self._last.value, payload.get("outputHistoryItems")
        if payload.get("phase") != "result" or payload.get("sentToModel") is True or not shown:
            return False
        if not isinstance(shown, list) or any(not isinstance(o, dict) or o.get("type") != "assistant" for o in shown):
            return False
        plain = value["type"] == "user" and value.get("subtype") is None and message_in(value).get("role") == "user"
        return plain and parts_in(value) == [{"text": payload.get("rawCommand")}]


def turn_of(said: QwenContent) -> Turn:
    role = "assistant" if said.role == "model" else said.role
    if role == "user" and any(block.kind == "result" for block in said.blocks):
        role = "result"
    return Turn(role, said.node, tuple(said.blocks), as_text(said.node.value.get("timestamp")), said.summary)


def read(items: Sequence[Item], view: View = AS_RESUMED) -> Transcript:
    facts = part_facts(view)
    history = history_of(items if facts is None else as_file(items, facts, "parentUuid"), view.leaf)
    history.items = items
    scopes: dict[int, Scope] = malformed_in(items)
    messages = tuple(messages_of(map(turn_of, history.said)))
    sent = {uid for message in messages for uid in message.records}
    beside = [node for node in history.tree.nodes if node.uid not in sent and node.messages]
    scopes.update((node.uid, "inactive") for node in beside if node.uid not in scopes)
    links = links_of(history.tree, history.path, history.end, len(messages), TITLE, history.compression is not None)
    first = history.said[0] if history.compression is not None and history.said else None
    compaction = (Boundary(0, COMPACTED, first.node.uid),) if first is not None and first.summary else ()
    last = history.own.value if history.own is not None else {}
    models = (node.value.get("model") for node in reversed(history.path))
    return Transcript(
        messages,
        merged=True,
        native=True,
        agent=TITLE,
        agent_facts=history,
        session_id=as_text(last.get("sessionId")),
        folder=next((node.value["cwd"] for node in history.tree.nodes if as_text(node.value.get("cwd"))), None),
        model=first_text(models) if facts is None else facts.model,
        scopes=scopes,
        inactive_blocks=pairs_in(block for node in beside for block in _blocks(node)),
        boundaries=(*compaction, *links.boundaries),
        tree=branches_and_links(history.tree, history.path, history.own, links, _user_words, view.leaf is not None),
        frame=None if facts is None else BETWEEN,
    )


def _user_words(node: Node) -> tuple[str, str | None]:
    return words_of(node.value) or "", as_text(node.value.get("timestamp"))


def words_of(value: Any) -> str | None:
    """What the user says in a record."""
    if not isinstance(value, dict) or value.get("type") != "user":
        return None
    texts = [part["text"] for part in parts_in(value) if isinstance(part, dict) and isinstance(part.get("text"), str)]
    return " ".join(" ".join(texts).split())


def inactive(items: Sequence[Item], transcript: Transcript) -> Iterable[tuple[str, Sequence[Item]]]:
    history = facts_of(transcript, QwenHistory)
    by_uid = {item.uid: item for item in items if not isinstance(item.value, Damaged)}
    for leaf, nodes in inactive_ways(history.tree, history.path):
        yield leaf, [by_uid[node.uid] for node in nodes if node.uid in by_uid]


def request_kept(items: Sequence[Item], response: int | None) -> KeptRequest:
    models = (item.value.get("model") for item in reversed(items) if isinstance(item.value, dict))
    return KeptRequest(model=first_text(models))


def usage(value: Any) -> Usage | None:
    usage = value.get("usageMetadata") if isinstance(value, dict) and value.get("type") == "assistant" else None
    written = count_in(usage, "candidatesTokenCount", "thoughtsTokenCount")
    read = count_in(usage, "promptTokenCount")
    return usage_of(read, written)
