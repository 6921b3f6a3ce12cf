"""Session files as pi writes them, whichever agent does: JSONL, a tree of records, each message in an envelope.

What the agents that write them make of one file differs: their `Ways`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, Final

from msgspec import Struct

from toolpair.dialects import pi as dialect
from toolpair.dialects.block_texts import WrittenBlock, is_real_output
from toolpair.dialects.block_values import without_halves
from toolpair.dialects.item_types import type_name
from toolpair.formats.agent import FoundSession
from toolpair.formats.engine.damage.own_problems import no_first_line
from toolpair.formats.engine.reading.clock import count_in, usage_of
from toolpair.formats.engine.reading.reading import as_text, malformed_in, pairs_in
from toolpair.formats.engine.reading.tree_history import (
    End,
    Node,
    NodeTree,
    SkippedLines,
    branches_of,
    id_from,
    inactive_ways,
    links_of,
)
from toolpair.formats.engine.reading.turns import Sending, Turn, is_blank, messages_of, request_of
from toolpair.formats.engine.writing.linear import with_slots
from toolpair.formats.engine.writing.tree import Tree, TreeEnvelope
from toolpair.formats.format import (
    Damage,
    Item,
    KeptRequest,
    ResumeEffect,
    SentRequest,
    Usage,
    View,
    profile_of,
)
from toolpair.rules import causes
from toolpair.rules.context import Context, tool_of
from toolpair.rules.problem import Fix, Impact, Severity
from toolpair.transcript.draft import DraftMessage, value_at
from toolpair.transcript.edits import Edit, SetInRecord
from toolpair.transcript.model import COMPACTED, Block, Boundary, Damaged, Scope, Transcript
from toolpair.transcript.record_tree import RecordTree

if TYPE_CHECKING:
    pass

# --- data --------------------------------------------------------------------------------------------------

NO_RESULT: Final = "No result provided"
IMAGE_ONLY: Final = "(see attached image)"
_SUMMARY: Final = (
    "The conversation history before this point was compacted into the following summary:\n\n<summary>\n",
    "\n</summary>",
)
_BRANCH: Final = (
    "The following is a summary of a branch that this conversation came back from:\n\n<summary>\n",
    "</summary>",
)
_SUMMARIES: Final = {
    "compaction": _SUMMARY,
    "compactionSummary": _SUMMARY,
    "branch_summary": _BRANCH,
    "branchSummary": _BRANCH,
}
"""Type of a record, or role of a message, that is a summary -> what pi says around it."""
SPEAKING: Final = ("user", "assistant", "custom", "hookMessage")
_PROFILES: Final = {
    "openai-completions": "openai-chat",
    "mistral-conversations": "mistral",
    "openai-responses": "openai-responses",
    "openai-codex-responses": "openai-responses",
    "azure-openai-responses": "openai-responses",
    "google-generative-ai": "gemini",
    "google-gemini-cli": "gemini",
    "google-vertex": "gemini",
    "bedrock-converse-stream": "bedrock-converse",
}
"""`api` of a response -> the profile that its session is checked against."""
_KINDS: Final = (
    *(*_SUMMARIES, "context_edit", "custom", "custom_message", "label", "model_change", "session_info"),
    "thinking_level_change",
)
"""Types of records that only pi's files have, besides messages; all files have one of them, or a message."""
_ROLES: Final = ("user", "assistant", dialect.RESULT)
_NOT_SESSIONS: Final = ("agent_start", "agent_end", "turn_start", "turn_end", "message_start", "message_end")
"""Records of what `pi --mode json` prints, which begins as a session does."""
_TITLE: Final = re.compile(rb'\s*\{\s*"type"\s*:\s*"title"')
_OF_OH_MY_PI: Final = (
    "reset_boundary",
    "ttsr_injection",
    "title_change",
    "credential_pin",
    "service_tier_change",
    "model_usage",
    "mode_change",
    "session_init",
)
"""Types of records that only oh-my-pi writes."""
OPENCLAW_NO_RESULT: Final = (
    "[openclaw] missing tool result in session history; inserted synthetic error result for transcript repair."
)
"""What OpenClaw writes as the result of a call that has none."""
_OPENCLAW_BEGINS: Final = OPENCLAW_NO_RESULT.partition(";")[0]
_OF_OPENCLAW: Final = re.compile(r"\.(?:openclaw|clawdbot|moltbot)(?:-[^/\\]+)?")
"""The folder, under its present and its former names, in which OpenClaw keeps its workspaces."""
_FOLDERS: Final = re.compile(r"[/\\]")
_NO_ID: Final = re.compile(r"[^a-zA-Z0-9_-]")
_NO_TIME: Final = "1970-01-01T00:00:00.000Z"


Model = tuple[Any, Any, Any]
"""Provider, API and name of a model."""


def words_of(said: dict[str, Any], kind: Any) -> str | None:
    """What pi itself says of summaries, and of commands that the user ran."""
    if kind in _SUMMARIES:
        before, after = _SUMMARIES[kind]
        return f"{before}{said.get('summary')}{after}" if said.get("summary") or kind == "compaction" else None
    return ran(said) if kind == "bashExecution" else None


def ran(said: dict[str, Any]) -> str | None:
    """What is said of a command that the user ran."""
    if said.get("excludeFromContext"):
        return None
    output, code = said.get("output"), said.get("exitCode")
    text = f"Ran `{said.get('command')}`\n" + (f"```\n{output}\n```" if output else "(no output)")
    if said.get("cancelled") or code:
        text += "\n\n(command cancelled)" if said.get("cancelled") else f"\n\nCommand exited with code {code}"
    if said.get("truncated") and said.get("fullOutputPath"):
        text += f"\n\n[Output truncated. Full output: {said['fullOutputPath']}]"
    return text


class Ways(Struct, frozen=True):
    """What one agent makes of these files: pi in one of its versions, or another agent that writes them as pi does."""

    title: str
    version: str
    """The one that was measured."""
    edits: bool
    """It knows `context_edit`."""
    refuses: Callable[[History], str | None]
    """Why it does not resume a session; None if it does."""
    first_line: Callable[[Damage], ResumeEffect]
    """What comes of a session whose first line it cannot read."""
    headless: tuple[Severity, Impact, str]
    """How bad it is to have lost the first line, and what it leads to."""
    sending: Callable[[Model], Sending]
    paired: Callable[[Sequence[Turn]], Sequence[Turn]] = lambda turns: turns
    """The turns with their calls and results as it pairs them before it sends them."""
    id_in: Callable[[str], str] = lambda name: name.partition("_")[2]
    """The session's id in a file's name."""
    needs_header: bool = True
    """It sends nothing of a file without its first line."""
    within: dialect.Slot = ()
    """Where in a record of the file pi's own is."""
    cuts: Collection[str] = ("compaction",)
    """Types of records that what is before them is forgotten at."""
    unsent: Callable[[dict[str, Any]], bool] = lambda record: False
    """Whether a record says itself that it is not sent."""
    before_header: Callable[[Any], bool] = lambda value: False
    """Whether this may be the file's first record, in front of the one that says which session it is."""
    speaking: Collection[str] = SPEAKING
    """Roles of messages with a content of parts."""
    words: Callable[[dict[str, Any], Any], str | None] = words_of
    """What it says itself of a summary, or of what a user did; None for what it does not send."""
    chosen: Callable[[Sequence[Turn]], Sequence[Turn]] = lambda turns: turns
    """The turns that are its history."""
    comes_back: bool = False
    """It follows links in a loop until it comes back to a record."""


class History(Struct, eq=False):
    """What an agent makes of a file's records."""

    items: Sequence[Item]
    tree: NodeTree
    path: Sequence[Node]
    end: End
    turns: Sequence[Turn]
    """The history, in order, results one by one."""
    ways: Ways
    own: Node | None
    """Where the agent itself continues."""
    header: dict[str, Any] | None
    linear: bool
    """It is of the first version: without ids and links."""
    kept: bool | None
    """Whether what the last compaction kept was found; None without one."""


# --- records -----------------------------------------------------------------------------------------------


def _message(value: Any) -> dict[str, Any]:
    found = value.get("message") if isinstance(value, dict) and value.get("type") == "message" else None
    return found if isinstance(found, dict) else {}


def _is_node(value: Any) -> bool:
    session = isinstance(value, dict) and value.get("type") == "session"
    return bool(value) and not session and not isinstance(value, Damaged)


def _tree(items: Sequence[Item], linear: bool, ways: Ways) -> NodeTree:
    """The records of the tree. In the first version they have neither ids nor links: each hangs on the one before."""
    nodes: list[Node] = []
    for number, item in enumerate(items):
        value = item.value
        if not _is_node(value) or (number == 0 and ways.before_header(value)):
            continue
        fields = value if isinstance(value, dict) else {}
        id_, parent = _key(fields.get("id")), _key(fields.get("parentId")) or None
        if linear:
            id_, parent = f"#{item.uid}", nodes[-1].id if nodes else None
        message = _message(value)
        real = message.get("role") == dialect.RESULT and is_real_output(dialect.result_block(message, 0, ()))
        role = message.get("role")
        nodes.append(Node(item.uid, len(nodes), id_, parent, value, role in _ROLES, real, role in (None, "user")))
    return NodeTree(nodes, comes_back=ways.comes_back)


def _key(value: Any) -> Any:
    return value if isinstance(value, (str, int, float)) else None


def history(items: Sequence[Item], leaf: str | None, ways: Ways, end: Any = None) -> History:
    """What an agent makes of pi's records; it continues from the one with the id `end`, or else from the last."""
    whole = (item.value for item in items if item.value and not isinstance(item.value, Damaged))
    first = next(whole, None)
    if items and items[0].value is first and ways.before_header(first):
        first = next(whole, None)
    header = first if isinstance(first, dict) and first.get("type") == "session" else None
    header = header if header is not None and isinstance(header.get("id"), str) else None
    linear = header is not None and header.get("version", 1) in (None, 0, 1)
    tree = _tree(items, linear, ways)
    own = tree.by_id.get(end) or (tree.nodes[-1] if tree.nodes else None)
    path, how = tree.walk((tree.named(leaf) if leaf is not None else None) or own)
    entries, kept = _entries(path, items, ways.cuts)
    turns = ways.chosen(list(_turns(entries, ways, model_of(path)[1])))
    return History(items, tree, path, how, turns, ways, own, header, linear, kept)


def _entries(path: Sequence[Node], items: Sequence[Item], cuts: Collection[str]) -> tuple[Sequence[Node], bool | None]:
    """The records that are sent: the last compaction, what it kept, what follows it; and whether that was found."""
    at = next((n for n in range(len(path) - 1, -1, -1) if _type(path[n]) in cuts), None)
    if at is None:
        return path, None
    value, kept = path[at].value, None
    if "firstKeptEntryId" in value:
        kept = next((n for n in range(at) if path[n].id == value["firstKeptEntryId"]), None)
    elif isinstance(index := value.get("firstKeptEntryIndex"), int):
        read = _read_by_pi(items)
        kept = next((n for n in range(at) if 0 <= index < len(read) and path[n].uid == read[index]), None)
    return [path[at], *(path[kept:at] if kept is not None else ()), *path[at + 1 :]], kept is not None


def _read_by_pi(items: Sequence[Item]) -> list[int]:
    """The uids of the records that a compaction of the first version counts."""
    return [item.uid for item in items if item.value and not isinstance(item.value, Damaged)]


def _counted(history: History, items: Sequence[Item]) -> Iterator[Item]:
    """The records of the first version, where each compaction names the same record by its number as before."""
    old, now = _read_by_pi(history.items), {uid: number for number, uid in enumerate(_read_by_pi(items))}
    for item in items:
        index = item.value.get("firstKeptEntryIndex") if isinstance(item.value, dict) else None
        kept = range(index, len(old)) if isinstance(index, int) and index >= 0 else ()
        new = next((now[old[number]] for number in kept if old[number] in now), index)
        yield item if new == index else Item(item.uid, {**item.value, "firstKeptEntryIndex": new})


def _type(node: Node) -> Any:
    return node.value.get("type") if isinstance(node.value, dict) else None


def _turns(entries: Sequence[Node], ways: Ways, api: Any) -> Iterator[Turn]:
    edit_of = {_key(n.value.get("targetId")): n for n in entries if ways.edits and _type(n) == "context_edit"}
    for number, node in enumerate(entries):
        edit = edit_of.get(node.id) if node.id is not None else None
        if edit is not None and not isinstance(edit.value.get("replacement"), dict):
            continue  # it is left out
        if isinstance(node.value, dict) and ways.unsent(node.value):
            continue
        turn = _turn(node, api, edit, ways) if number == 0 or _type(node) != "compaction" else None
        if turn is not None:
            yield turn


def _turn(node: Node, api: Any, edit: Node | None, ways: Ways) -> Turn | None:
    """What a record says; None for one that pi does not send, or sends as its system prompt.

    A `context_edit` gives it another content.
    """
    value = node.value if isinstance(node.value, dict) else {}
    message, kind, uid, within = _message(value), as_text(value.get("type")), node.uid, ways.within
    role = "custom" if kind == "custom_message" else as_text(message.get("role"))
    content = edit.value["replacement"].get("content") if edit is not None else None
    blocks: tuple[Block, ...]
    instead = None
    if role == dialect.RESULT:
        content = [{"type": "text", "text": content}] if isinstance(content, str) else content
        blocks = (dialect.result_block(message, uid, (*within, "message"), api, content),)
    elif role in ways.speaking and edit is not None:
        instead, blocks = edit.uid, dialect.blocks_of(content, edit.uid, (*within, "replacement", "content"), api)
    elif role in ways.speaking:
        slot = (*within, "message", "content") if message else (*within, "content")
        blocks = dialect.blocks_of((message or value).get("content"), uid, slot, api)
    elif (words := ways.words(message or value, role or kind)) is not None:
        blocks = (WrittenBlock("text", words, uid, (*within, "message" if message else "summary")),)
    else:
        return None
    said = {dialect.RESULT: "result", "assistant": "assistant"}.get(role or "", "user")
    broken_off = role == "assistant" and message.get("stopReason") in ("error", "aborted")
    return Turn(said, node, blocks, as_text(value.get("timestamp")), kind in _SUMMARIES, broken_off, instead)


# --- the transcript ----------------------------------------------------------------------------------------


def transcript_of(history: History, items: Sequence[Item], view: View) -> Transcript:
    """The transcript of a history that was made of these records."""
    ways = history.ways
    scopes: dict[int, Scope] = malformed_in(items)
    messages = tuple(messages_of(history.turns))
    said = {uid for message in messages for uid in message.records}
    others = (node for node in history.tree.nodes if node.uid not in said)
    beside = [turn for node in others if (turn := _turn(node, None, None, ways)) is not None]
    scopes.update((turn.node.uid, "inactive") for turn in beside)
    leaf = history.path[-1] if view.leaf is not None and history.path else None
    links = links_of(history.tree, history.path, history.end, len(messages), ways.title, history.kept is True)
    compaction: tuple[Boundary, ...] = ()
    if history.kept is not None and history.turns:
        summary = history.turns[0].node.uid
        compaction = (Boundary(0, COMPACTED, summary),)
    header = history.header or {}
    return Transcript(
        messages,
        merged=True,
        native=True,
        agent=ways.title,
        agent_facts=history,
        session_id=as_text(header.get("id")),
        folder=as_text(header.get("cwd")),
        model=as_text(model_of(history.path)[2]),
        scopes=scopes,
        inactive_blocks=pairs_in(block for turn in beside for block in turn.blocks),
        boundaries=(*compaction, *links.boundaries),
        tree=RecordTree(
            leaf=as_text(leaf.id) if leaf is not None else None,
            branches=branches_of(history.tree, history.path, history.own, _user_words),
            elsewhere=leaf is not None and leaf is not history.own,
            broken=links.broken,
        ),
    )


def _is_model(node: Node) -> bool:
    return _message(node.value).get("role") == "assistant"


def _user_words(node: Node) -> tuple[str, str | None]:
    message = _message(node.value)
    if message.get("role") != "user":
        return "", None
    texts = (block.value for block in dialect.blocks_of(message.get("content"), 0, (), None) if block.kind == "text")
    words = " ".join(text if isinstance(text, str) else str(text.get("text") or "") for text in texts)
    return " ".join(words.split()), as_text(node.value.get("timestamp"))


# --- what is sent ------------------------------------------------------------------------------------------


def sees(items: Sequence[Item], transcript: Transcript) -> SentRequest:
    known = history_of(transcript)
    ways = known.ways
    found = known if known.items is items else history(items, transcript.tree.leaf, ways)
    return request_for(found, transcript)


def request_for(found: History, transcript: Transcript) -> SentRequest:
    """What is sent of a history."""
    ways = found.ways
    turns = () if ways.needs_header and found.header is None else ways.paired(found.turns)
    sending = ways.sending(model_of(found.path))
    return request_of(turns, transcript, sending, ways.title, ways.version, ways.refuses(found))


def lacks_message(history: History) -> bool:
    """Whether a record of the history that should have a message has none."""
    return any(_type(node) == "message" and not _message(node.value) for node in history.path)


def model_of(path: Sequence[Node]) -> Model:
    """Provider, API and name of the model that continues."""
    return next((_model_of(node) for node in reversed(path) if _is_model(node)), (None, None, None))


def _model_of(node: Node) -> Model:
    message = _message(node.value)
    return message.get("provider"), message.get("api"), message.get("model")


class PiSending(Sending):
    """What was another model's, goes out without its signatures, and with ids that this one takes."""

    clean: Callable[[Any], Any] = staticmethod(without_halves)
    """What it makes of lone surrogates in a part."""

    def __init__(self, model: Model) -> None:
        self.model = model
        self.renamed: dict[str, str] = {}

    def part(self, turn: Turn, block: Block) -> Any:
        value = block.value
        match block.kind:
            case "result":
                id_ = self.renamed.get(repr(self.stored(turn, block)), block.id)
                value = _with_texts(value, self.clean)
                return value if id_ == block.id else {**value, "tool_use_id": id_}
            case "call":
                id_ = self.id_of(turn, block)
                return value if id_ == block.id else {**value, "id": id_}
            case "thinking":
                if self._is_own(turn) and (value.get("signature") or value.get("data")):
                    return self.clean(value)
                words = value.get("thinking")
                return {"type": "text", "text": words} if isinstance(words, str) and words.strip() else None
        return None if block.kind == "other" or is_blank(block) else self.clean(value)

    def id_of(self, turn: Turn, call: Block) -> Any:
        if self._is_own(turn) or self.model[1] != "anthropic-messages" or not isinstance(call.id, str):
            return call.id
        return self.renamed.setdefault(repr(call.id), _NO_ID.sub("_", call.id)[:64])

    def stored(self, turn: Turn, block: Block) -> Any:
        """The id that a call or a result is known by."""
        return block.id

    def no_result(self, id_: Any) -> Any:
        return {"type": "tool_result", "tool_use_id": id_, "content": NO_RESULT, "is_error": True}

    def _is_own(self, turn: Turn) -> bool:
        return _model_of(turn.node) == self.model


def _with_texts(result: dict[str, Any], clean: Callable[[Any], Any]) -> dict[str, Any]:
    """A result as it goes out: without halves of characters, and with words beside its images."""
    content = result.get("content")
    if not isinstance(content, list):
        return result
    made = [clean(part) for part in content]
    kinds = {type_name(part) for part in content}
    if "image" in kinds and "text" not in kinds:
        made = [{"type": "text", "text": IMAGE_ONLY}, *made]
    same = len(made) == len(content) and all(new is old for new, old in zip(made, content, strict=True))
    return result if same else {**result, "content": made}


# --- what becomes of problems ------------------------------------------------------------------------------


def _damage(history: History, transcript: Transcript, found: Sequence[Damage]) -> Iterator[ResumeEffect | None]:
    place = {item.uid: number for number, item in enumerate(history.items)}
    skipped = SkippedLines(history.ways.title, history.tree, transcript, place)
    for damage in found:
        if is_first(history, damage) and not (damage.readable and damage.rule != "record.bom"):
            yield history.ways.first_line(damage)
        else:
            yield skipped.effect(damage)


def is_first(history: History, damage: Damage) -> bool:
    """Whether it is where the line should be that says which session it is."""
    title = bool(history.items) and history.ways.before_header(history.items[0].value)
    return damage.at == 1 if title and damage.rule != "record.bom" else damage.first


def is_header(damage: Damage) -> bool:
    """Whether the damaged first line, once its end is written, says which session it is."""
    whole = damage.values[0] if damage.values else damage.partial
    if not isinstance(whole, dict) or whole.get("type") != "session" or not isinstance(whole.get("id"), str):
        return False
    return bool(damage.values) or next(reversed(whole)) != "id"


def _check(context: Context, history: History, view: View) -> None:
    _other_item_ids(context, history)
    _headless(context, history, view)


def _other_item_ids(context: Context, history: History) -> None:
    """Results that have the first part of their call's id, which is sent, and not all of it, which makes the pair."""
    if model_of(history.path)[1] not in dialect.JOINED:
        return
    records = {node.uid: node.value for node in history.path}
    for pair in context.pairing.pairs:
        call, result = pair.call, pair.result
        if call is None or result is None or len(pair.results) > 1 or call.id != result.id:
            continue
        whole, other = (dialect.stored_id(value_at(records.get(one.record), one.slot)) for one in (call, result))
        if whole is None or whole == other:
            continue
        context.add(
            "result.id_mismatch",
            f"This result has the first part of its call's id, {tool_of(call)}, and not the whole id.",
            at=pair.results_at[0],
            pair=pair,
            call=call,
            result=result,
            cause=causes.named("id.call_item", f"the call was written as `{whole}`, the result as `{other}`"),
            fixes=(
                Fix(
                    "rename-result",
                    "give the result the call's id",
                    (SetInRecord(result.record, (*result.slot, "toolCallId"), whole),),
                    recommended=True,
                ),
            ),
            severity="error",
            record=result.record,
        )


def _headless(context: Context, history: History, view: View) -> None:
    """A file without its first line: nothing else says which session it is."""
    title = bool(history.items) and history.ways.before_header(history.items[0].value)
    first = next(iter(history.items[1:] if title else history.items), None)
    if history.header is not None or first is None or isinstance(first.value, Damaged) or not history.tree.nodes:
        return
    value = first.value if isinstance(first.value, dict) else {}
    id_ = history.ways.id_in(view.beside.path.stem) if view.beside is not None else ""
    header = {"type": "session", "version": 3, "id": id_ or "restored-session", "timestamp": value.get("timestamp")}
    severity, impact, follows = history.ways.headless
    who = history.ways.title
    note = f"{who} asks for the folder that the session was had in, or takes the one that it is started in"
    line = {key: found for key, found in header.items() if found}
    text = f"The file does not start with its session line, so {follows}."
    no_first_line(context, first.uid, text, line, impact=impact, severity=severity, note=note)


# --- the format --------------------------------------------------------------------------------------------


class PiEnvelope(TreeEnvelope, frozen=True):
    """A record with a message in it."""

    def slot_in(self, value: Any) -> dialect.Slot:
        kind = value.get("type") if isinstance(value, dict) else None
        return ("message",) if kind == "message" else ("replacement",) if kind == "context_edit" else ()

    def new_record(self, message: Any, beside: DraftMessage) -> Any:
        return self.around(message, beside.record)

    def around(self, message: Any, beside: Any) -> dict[str, Any]:
        """The record of a message next to another record."""
        near = beside if isinstance(beside, dict) else {}
        ids = {"id": None, "parentId": None} if self.linked else {}
        message = {**message, "timestamp": _message(near).get("timestamp", 0)}
        return {"type": "message", **ids, "timestamp": near.get("timestamp", _NO_TIME), "message": message}

    def new_id(self, seed: str, attempt: int) -> str:
        return id_from(seed, attempt)

    def is_node(self, value: Any) -> bool:
        return _is_node(value) and not is_title(value)


_LINKED: Final = PiEnvelope(first_of=("firstKeptEntryId",))
_LINEAR: Final = PiEnvelope(linked=False)


def edited(items: Sequence[Item], transcript: Transcript, edits: Sequence[Edit], envelope: TreeEnvelope) -> list[Item]:
    """The records after the edits, in their order in the tree."""
    from toolpair.dialects.pi_writer import PiWriter

    history = history_of(transcript)
    writer = PiWriter(dict(zip(("provider", "api", "model"), model_of(history.path), strict=True)))
    path = [node.uid for node in history.path]
    instead = {turn.instead: turn.node.uid for turn in history.turns if turn.instead is not None}
    made = Tree(items, transcript, writer, envelope, path, instead).run(edits)
    return list(_with_whole_ids(items, made, envelope)) if model_of(history.path)[1] in dialect.JOINED else made


def _with_whole_ids(before: Sequence[Item], now: Sequence[Item], envelope: TreeEnvelope) -> Iterator[Item]:
    """The records, where each result that edits wrote has the whole id of its call, of which they know the first part.

    Of several calls with that part it is the nearest one before.
    """
    known = {id(item.value) for item in before}
    said = [(slot, value_at(item.value, slot)) for item in now for slot in [envelope.slot_in(item.value)]]
    ids = [found for _, message in said for found in _call_ids(message)]
    whole = {found.partition("|")[0]: found for found in reversed(ids)}
    exact = set(ids)
    for item, (slot, message) in zip(now, said, strict=True):
        whole.update((found.partition("|")[0], found) for found in _call_ids(message))
        written = id(item.value) not in known and isinstance(message, dict) and message.get("role") == dialect.RESULT
        stored = dialect.stored_id(message) if written else None
        new = whole.get(stored.partition("|")[0]) if isinstance(stored, str) and stored not in exact else None
        yield Item(item.uid, with_slots(item.value, {(*slot, "toolCallId"): new})) if new is not None else item


def _call_ids(message: Any) -> Iterator[str]:
    """The whole ids of the calls of a response."""
    content = message.get("content") if isinstance(message, dict) else None
    for part in content if isinstance(content, list) else ():
        if type_name(part) == "toolCall" and isinstance(id_ := dialect.stored_id(part), str):
            yield id_


def looks(values: Sequence[Any]) -> int:
    """How surely these are records as pi writes them, whichever agent did."""
    records = [value for value in values if isinstance(value, dict)]
    if any(record.get("type") in _NOT_SESSIONS for record in records):
        return 0
    first, others = (records[0], records[1:]) if records else ({}, [])
    if _is_session(first) and (isinstance(first.get("cwd"), str) or "version" in first):
        begun = not others and isinstance(first.get("timestamp"), str)
        if begun or any(map(_is_own, others)) or has_own_records(others):
            return 95
    return 93 if any(map(_is_turn, records)) and not any(map(_has_others_parts, records)) else 0


def knows(value: dict[str, Any]) -> bool:
    return _is_own(value) or is_title(value) or _is_of_oh_my_pi(value)


def profile_for(values: Sequence[Any]) -> str:
    """That of the API that the last of these responses came from."""
    messages = (_message(value) for value in reversed(values))
    api = next((message.get("api") for message in messages if message.get("role") == "assistant"), None)
    return profile_of(api, _PROFILES, "anthropic")


def read(items: Sequence[Item], view: View, ways: Ways) -> Transcript:
    """The transcript, as an agent with these ways makes it."""
    return transcript_of(history(items, view.leaf, ways), items, view)


def apply(items: Sequence[Item], transcript: Transcript, edits: Sequence[Edit]) -> list[Item]:
    history = history_of(transcript)
    made = edited(items, transcript, edits, _LINEAR if history.linear else _LINKED)
    return list(_counted(history, made)) if history.linear else made


def damage(items: Sequence[Item], transcript: Transcript, found: Sequence[Damage]) -> Sequence[ResumeEffect | None]:
    return list(_damage(history_of(transcript), transcript, found))


def check(context: Context, items: Sequence[Item], view: View) -> None:
    _check(context, history_of(context.transcript), view)


def inactive(items: Sequence[Item], transcript: Transcript) -> Iterable[tuple[str, Sequence[Item]]]:
    history = history_of(transcript)
    by_uid = {item.uid: item for item in items}
    head = [item for item in items if item.value is history.header]
    for leaf, nodes in inactive_ways(history.tree, history.path):
        yield leaf, [*head, *(by_uid[node.uid] for node in nodes)]


def request_kept(items: Sequence[Item], response: int | None) -> KeptRequest:
    from toolpair.formats.pi_family import settings

    return settings.request_kept(items)


def usage(value: Any) -> Usage | None:
    message = _message(value) if isinstance(value, dict) else {}
    usage = message.get("usage") if message.get("role") == "assistant" else None
    written = count_in(usage, "output")
    read = count_in(usage, "input", "cacheRead", "cacheWrite")
    return usage_of(read, written)


def history_of(transcript: Transcript) -> History:
    assert isinstance(transcript.agent_facts, History)
    return transcript.agent_facts


def _is_session(value: dict[str, Any]) -> bool:
    return value.get("type") == "session" and isinstance(value.get("id"), str)


def _is_own(value: dict[str, Any]) -> bool:
    """Whether pi, or an agent that writes its files, writes such records."""
    if value.get("type") == "message":
        return bool(_message(value))
    return type_name(value) in _KINDS or (_is_session(value) and isinstance(value.get("timestamp"), str))


def _is_turn(value: dict[str, Any]) -> bool:
    """Whether only such an agent writes this message: others have linked ones, too, but with no time in them."""
    message = _message(value)
    return message.get("role") in _ROLES and "timestamp" in message and {"id", "parentId"} <= value.keys()


def _has_others_parts(record: dict[str, Any]) -> bool:
    """Whether its message has calls or results as Anthropic spells them: other agents have such envelopes, too."""
    content = _message(record).get("content")
    return isinstance(content, list) and any(type_name(part) in ("tool_use", "tool_result") for part in content)


def is_title(value: Any) -> bool:
    """Whether it is oh-my-pi's line with the title, which it takes off before it reads the others."""
    if not isinstance(value, dict) or value.get("type") != "title" or value.get("v") != 1:
        return False
    texts = all(isinstance(value.get(key), str) for key in ("title", "updatedAt", "pad"))
    return texts and value.get("source", "user") in ("auto", "user")


def has_own_records(values: Iterable[Any]) -> bool:
    """Whether oh-my-pi wrote some of the records: its files are pi's but for these."""
    return any(_is_of_oh_my_pi(value) for value in values if isinstance(value, dict))


def _is_of_oh_my_pi(value: dict[str, Any]) -> bool:
    kind = value.get("type")
    if kind == "model_change":
        return isinstance(value.get("model"), str) and "modelId" not in value
    if kind == "title":
        return isinstance(value.get("title"), str)
    if kind == "thinking_level_change":
        return "configured" in value
    return isinstance(kind, str) and kind in _OF_OH_MY_PI and "id" in value and "parentId" in value


def has_title(path: str) -> bool:
    """Whether a file begins as oh-my-pi's do."""
    from toolpair.source import peek

    return _TITLE.match(peek.head(path, 64)) is not None


def has_marks(values: Sequence[Any]) -> bool:
    """Whether OpenClaw wrote some of the records: its files are pi's but for its own records, folder and texts."""
    return any(_is_of_openclaw(value) for value in values if isinstance(value, dict))


def _is_of_openclaw(value: dict[str, Any]) -> bool:
    kind, folder = value.get("customType"), value.get("cwd")
    if isinstance(kind, str) and (kind.startswith("openclaw") or kind == "model-snapshot"):
        return True
    if _is_session(value) and isinstance(folder, str):
        return any(_OF_OPENCLAW.fullmatch(name) for name in _FOLDERS.split(folder))
    message = _message(value)
    return message.get("role") == dialect.RESULT and is_openclaws_placeholder(dialect.result_block(message, 0, ()))


def is_openclaws_placeholder(result: Block) -> bool:
    return result.text.lstrip().startswith(_OPENCLAW_BEGINS)


def described(found: FoundSession) -> tuple[str | None, str | None]:
    """The folder and the user's last words, from a short read."""
    from toolpair.source import peek

    words = peek.last_said(found.path, found.size, lambda record: _user_words(Node(0, 0, 0, 0, record))[0])
    return peek.folder_in(peek.head(found.path)), peek.one_line(words)
