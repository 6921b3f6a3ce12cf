"""Conversations of OpenHands: each event is a file and names the one that it follows; one way through them is sent."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from msgspec import Struct
from msgspec.structs import replace

from toolpair.formats.engine.damage.lost import effect_on_readers
from toolpair.formats.engine.damage.own_problems import add_error, holds_something_else, recommended
from toolpair.formats.engine.reading.clock import seconds_of
from toolpair.formats.engine.reading.reading import as_key, as_text, facts_of, malformed_in, pairs_in
from toolpair.formats.engine.reading.stored_rows import facts_in, row_of
from toolpair.formats.engine.reading.tree_history import (
    End,
    Links,
    Node,
    NodeTree,
    branches_and_links,
    links_of,
    uuid_from,
)
from toolpair.formats.format import AS_RESUMED, Damage, Item, ResumeEffect, View
from toolpair.formats.forms.registry import Form, form_in
from toolpair.formats.openhands.detection import BESIDE, DATA, EVENT, LEAF, NAME, STATE, event_in, state_in
from toolpair.rules.problem import Cause, Fix, Impact
from toolpair.rules.where import at_result
from toolpair.transcript.edits import Relink, SetInRecord
from toolpair.transcript.model import COMPACTED, Boundary, Damaged, Transcript

if TYPE_CHECKING:
    from toolpair.rules.context import Context

TITLE: Final = "OpenHands"
ACTION: Final = "ActionEvent"
OBSERVED: Final = ("ObservationEvent", "UserRejectObservation", "AgentErrorEvent")
"""Events with the result of a call."""
_SENT: Final = frozenset({"SystemPromptEvent", "MessageEvent", ACTION, *OBSERVED})
"""Events that are said to the model."""
ROOT: Final = "__root__"
"""What an event names as its parent that begins a history anew."""
NOT_LOADED: Final = "OpenHands cannot load the conversation"
_STOPS: Final = ResumeEffect("stops", NOT_LOADED, "rejected", complete=False, splits=False)
_UNUSED: Final = ResumeEffect("harmless", "OpenHands does not read it", "healed", complete=False, splits=False)
_UNREAD: Final = frozenset({"record.bad_utf8", "record.lone_surrogate", "record.bom", "record.torn"})
"""Flaws at which its reader stops."""
LOST: Final = ""
"""In place of an id: that of an event whose file cannot be read."""
_NOT_THERE: Final = {
    "chain.missing_parent": "the event that this one follows is not there",
    "chain.cycle": "the links between its events form a loop",
}
_NO_SUCH: Final = "base_state.json names an event that is not there as the last one"
STOPS_THERE: Final = "OpenHands stops with an error when it is to send it"
AGAIN: Final = "OpenHands runs it again, and sends what that says without the call, which the API refuses"
AGAIN_BEFORE: Final = "OpenHands runs it again, and sends what that says at the end, which the API refuses"
_GAP: Final = "OpenHands reads no event whose number comes after one that is not there"


class Log(Struct, frozen=True, eq=False):
    """What the files of a conversation hold, as OpenHands reads them."""

    items: Sequence[Item]
    tree: NodeTree
    path: Sequence[Node]
    """The events on the way to the last one."""
    view: Sequence[Node]
    """Those that are said to the model, in that order: condensations in the place of their summaries."""
    state: Item | None
    leafless: bool
    """The event that the conversation is said to end at is not there."""
    gaps: Sequence[int]
    """uids of the events before whose number one is missing."""
    end: End
    """How the way begins."""
    is_blocked: bool
    """What could be the last event cannot be read."""
    marked: Sequence[Node]
    """Events on the way whose file begins with a byte order mark."""
    stateless: Item | None = None
    """The conversation's own file, where it does not hold what OpenHands wrote."""

    @property
    def is_loaded(self) -> bool:
        """Whether OpenHands loads the conversation."""
        behind = next((node.place for node in self.tree.nodes if node.uid in self.gaps), len(self.tree.nodes))
        if self.end != "root" or self.leafless or self.is_blocked or self.marked or self.stateless is not None:
            return False
        return all(node.place < behind for node in self.path)


@cache
def form() -> Form:
    return form_in(Path(__file__).with_name("events.toml"))


def kind_of(node: Node) -> str:
    return str(event_in(node.value).get("kind"))


def log_of(transcript: Transcript) -> Log:
    return facts_of(transcript, Log)


# --- the way through the events ------------------------------------------------------------------------------


def log_in(items: Sequence[Item]) -> Log:
    state = next((item for item in items if state_in(item.value)), None)
    stateless = stateless_in(items)
    events = [
        item
        for item in items
        if row_of(item.value, EVENT) or (isinstance(item.value, Damaged) and item is not stateless)
    ]
    gaps: list[int] = []
    tree = NodeTree(list(_nodes(events, gaps)), merges=True, new_id=uuid_from)
    about = state_in(state.value) if state is not None else {}
    named = about.get(LEAF)
    leaf = tree.by_id.get(named) if isinstance(named, str) else None
    leafless = named is not None and leaf is None
    if leaf is None and not (named is None and about.get("head_is_empty")):
        behind = next((node.place for node in tree.nodes if node.uid in gaps), None) if named is None else None
        usual = (node for node in reversed(tree.nodes[:behind]) if node.id is not None and kind_of(node) not in BESIDE)
        leaf = next(usual, None)
    path, end = tree.walk(leaf)
    unread = [node.place for node in tree.nodes if isinstance(node.value, Damaged)]
    blocked = named is None and bool(unread) and (leaf is None or unread[-1] > leaf.place)
    places = facts_in(items).get("marked", ())
    marked = [node for node in path if node.place in places]
    view = _without_halves(view_of(path), path)
    return Log(items, tree, path, view, state, leafless, gaps, end, blocked, marked, stateless)


def stateless_in(items: Sequence[Item]) -> Item | None:
    """The conversation's own file, which is the first one, if it cannot be read or holds something else."""
    first = items[0] if items else None
    if first is None or state_in(first.value):
        return None
    is_own = isinstance(first.value, Damaged) or DATA in row_of(first.value, STATE)
    return first if is_own and not any(state_in(item.value) for item in items) else None


def _nodes(events: Sequence[Item], gaps: list[int]) -> Iterator[Node]:
    number = -1
    before: Any = None
    reader = form().reader
    for place, item in enumerate(events):
        event = event_in(item.value)
        number += 1
        own = _number(item.value)
        if own is not None and own > number:
            gaps.append(item.uid)
        number = number if own is None else own
        above = as_key(event.get("parent_id"))
        parent = None if above == ROOT else above if above is not None else before
        id_ = as_text(event.get("id"))
        kind = as_key(event.get("kind"))
        said = kind in _SENT and kind != "SystemPromptEvent"
        outputs = sum(block.kind == "result" for block in reader.blocks(item.value, 0)) if said else 0
        begins = event.get("source") == "user" or kind == "SystemPromptEvent"
        yield Node(item.uid, place, id_, parent, item.value, int(said), outputs, begins)
        before = LOST if isinstance(item.value, Damaged) else id_ or before


def _name(value: Any) -> str | None:
    return as_text(row_of(value, EVENT).get("id"))


def _number(value: Any) -> int | None:
    found = NAME.fullmatch((_name(value) or "").rpartition("/")[2])
    return int(found[1]) if found is not None else None


def view_of(path: Iterable[Node]) -> Iterator[Node]:
    """What is said to the model, with condensations as their summaries. None of their events has an id twice."""
    made: list[Node] = []
    for node in path:
        event = event_in(node.value)
        if kind_of(node) in _SENT:
            made.append(node)
        elif event.get("kind") == "Condensation":
            gone = event.get("forgotten_event_ids")
            forgotten = {id_ for id_ in gone if isinstance(id_, str)} if isinstance(gone, list) else set()
            made = [one for one in made if _said_id(one) not in forgotten]
            at = event.get("summary_offset")
            if isinstance(event.get("summary"), str) and isinstance(at, int):
                made.insert(at, node)
    return iter(made)


def _without_halves(view: Iterable[Node], path: Sequence[Node]) -> list[Node]:
    """Without calls and outputs whose other half, or another call of whose response, a condensation has taken out: that
    leaves nothing of them to be said.
    """
    left = list(view)
    while True:
        there = {node.uid for node in left}
        gone = [node for node in path if kind_of(node) in _SENT and node.uid not in there]
        calls, outputs = (_calls_of(gone, *kinds) - _calls_of(left, *kinds) for kinds in ((ACTION,), OBSERVED))
        torn = {response_of(node) for node in gone} - {None}
        halves = {
            node.uid
            for node in left
            if call_id(node) in (calls if kind_of(node) in OBSERVED else outputs) or response_of(node) in torn
        }
        if not halves:
            return left
        left = [node for node in left if node.uid not in halves]


def _calls_of(nodes: Iterable[Node], *kinds: str) -> set[Any]:
    return {call_id(node) for node in nodes if kind_of(node) in kinds} - {None}


def response_of(node: Node) -> Any:
    """The response that a call is of; None for anything else."""
    return as_key(event_in(node.value).get("llm_response_id")) if kind_of(node) == ACTION else None


def call_id(node: Node) -> Any:
    return as_key(event_in(node.value).get("tool_call_id"))


def _said_id(node: Node) -> str:
    return f"{node.id}-summary" if kind_of(node) == "Condensation" else str(node.id)


def is_summary(node: Node) -> bool:
    return kind_of(node) == "Condensation"


# --- a transcript --------------------------------------------------------------------------------------------


def read(items: Sequence[Item], view: View = AS_RESUMED) -> Transcript:
    log = log_in(items)
    by_uid = {item.uid: item for item in items}
    found = form().read([by_uid[node.uid] for node in log.view], view)
    there = {node.uid for node in log.view}
    beside = [node for node in log.tree.nodes if node.uid not in there and node.messages]
    summaries = {node.uid for node in log.view if is_summary(node)}
    messages = tuple(
        replace(one, note="summary") if len(one.records) == 1 and one.records[0] in summaries else one
        for one in found.messages
    )
    condensed = [Boundary(n, COMPACTED) for n, one in enumerate(messages) if summaries.intersection(one.records)]
    links = links_of(log.tree, log.path, log.end, len(messages), TITLE)
    own = log.path[-1] if log.path else None
    return replace(
        found,
        messages=messages,
        native=True,
        agent=TITLE,
        agent_version=view.agent_version,
        session_id=as_text(state_in(log.state.value).get("id")) if log.state is not None else None,
        folder=_folder(log),
        scopes={**found.scopes, **{node.uid: "inactive" for node in beside}, **malformed_in(items)},
        inactive_blocks=pairs_in(block for node in beside for block in form().reader.blocks(node.value, node.uid)),
        boundaries=(*(replace(one, cut=None) for one in _cuts(links)), *condensed),
        tree=branches_and_links(log.tree, log.path, own, links, _words, False),
        agent_facts=log,
    )


def _cuts(links: Links) -> Iterator[Boundary]:
    """Where an event is missing, or links form a loop: a history that begins anew in the middle is one on purpose."""
    return (one for one in links.boundaries if one.cut is not None and one.cut.rule in _NOT_THERE)


def _folder(log: Log) -> str | None:
    about = state_in(log.state.value).get("workspace") if log.state is not None else None
    return as_text(about.get("working_dir")) if isinstance(about, dict) else None


def _words(node: Node) -> tuple[str, str | None]:
    event = event_in(node.value)
    message = event.get("llm_message") if event.get("source") == "user" else None
    content = message.get("content") if isinstance(message, dict) else None
    texts = (part.get("text") for part in content if isinstance(part, dict)) if isinstance(content, list) else ()
    return " ".join(text for text in texts if isinstance(text, str)), as_text(event.get("timestamp"))


# --- what can be wrong with them -----------------------------------------------------------------------------


def check(context: Context, items: Sequence[Item], view: View) -> None:
    log = log_of(context.transcript)

    def error(
        rule: str, uid: int, text: str, cause: str, fix: Fix | None, no_fix: str = "", impact: Impact = "stops"
    ) -> None:
        fixes = (fix,) if fix is not None else ()
        add_error(context, rule, text, uid, impact, Cause(rule, cause), *fixes, no_fix=no_fix or None)

    needed = _before_summaries(log)
    for item in items:
        row = row_of(item.value, EVENT)
        if row and not isinstance(event_in(item.value).get("id"), str):
            said = "This file holds {}, so OpenHands cannot load the conversation."
            holds_something_else(context, item.uid, row.get(DATA), said, "an event", needed=item.uid in needed)
    if log.stateless is not None:
        value = log.stateless.value
        rule = value.rule if isinstance(value, Damaged) else "record.bad_json"
        text = f"base_state.json does not hold what OpenHands writes there, so {NOT_LOADED}."
        left = "Only OpenHands knows what was in it: take the file from a backup of yours."
        error(
            rule,
            log.stateless.uid,
            text,
            "the file was cut off, or something else was written in its place",
            None,
            left,
        )
    impact: Impact = "loses" if log.is_loaded else "stops"
    told: set[int | None] = set()
    for one in _cuts(links_of(log.tree, log.path, log.end, len(context.messages), TITLE)):
        if one.cut is not None and one.record is not None:
            links = one.cut.repair.relink if one.cut.repair is not None else ()
            fix = recommended("reconnect", "let it follow the event before it", *(Relink(*link) for link in links))
            cause = "the file of an event was lost, or cannot be read"
            text = f"{NOT_LOADED}: {_NOT_THERE[one.cut.rule]}."
            error(one.cut.rule, one.record, text, cause, fix, impact=impact)
            told.add(one.record)
    for node in log.tree.nodes:
        if node.uid in log.gaps and node.uid not in told:
            text, cause = f"An event before this one is lost: {_GAP}.", "the file of an event was lost or removed"
            fix = recommended("reconnect", "number the events anew", Relink(node.uid, node.parent))
            error("chain.missing_parent", node.uid, text, cause, fix, impact=impact)
    if log.leafless and log.state is not None:
        edit = SetInRecord(log.state.uid, (STATE, DATA, LEAF), log.path[-1].id if log.path else None)
        fix = recommended("write", "name the last event that is there", edit)
        cause = "the files of the last events were lost or removed"
        error("chain.wrong_leaf", log.state.uid, f"{NOT_LOADED}: {_NO_SUCH}.", cause, fix)
    for node in log.marked:
        text = f"The file begins with a byte order mark: {NOT_LOADED}."
        error(
            "record.bom", node.uid, text, "an editor left it", None, "Save it without a byte order mark in an editor."
        )
    _other_actions(context, log)
    there = {node.uid for node in log.view}
    for node in unmatched(log.path):
        if node.uid not in there:
            text = f"A condensation leaves out this call, which has no result: {AGAIN}."
            left = "The call is no longer sent, so that no result can be given to it."
            error("result.missing", node.uid, text, "the condensation came before the result", None, left)
    for first, node in second_thoughts(log.view):
        texts = [*event_in(first.value)["thought"], *event_in(node.value)["thought"]]
        edits = (SetInRecord(one.uid, (EVENT, DATA, "thought"), say) for one, say in ((first, texts), (node, [])))
        fix = recommended("move-text", "put the text before the first call of its response", *edits)
        text = f"This call is not the first of its response and has a text of its own: {STOPS_THERE}."
        error("rollout.envelope", node.uid, text, "another program wrote the event", fix)


def unmatched(path: Sequence[Node]) -> list[Node]:
    """Calls that could be run and that no observation behind them names: by the call's event, an error by its id."""
    seen: set[Any] = set()
    failed: set[Any] = set()
    found: list[Node] = []
    for node in reversed(path):
        event, kind = event_in(node.value), kind_of(node)
        if kind == ACTION and event.get("action") is not None and node.id not in seen and call_id(node) not in failed:
            found.append(node)
        elif kind == OBSERVED[2]:
            failed.add(call_id(node))
        elif kind in OBSERVED:
            seen.add(as_key(event.get("action_id")))
    return found[::-1]


def second_thoughts(view: Sequence[Node]) -> Iterator[tuple[Node, Node]]:
    """The first call of a response, and a later one that has a text of its own."""
    first: Node | None = None
    for node in view:
        response = response_of(node)
        if response is None or first is None or response_of(first) != response:
            first = node if response is not None else None
        elif _thought(node) and _thought(first) is not None:
            yield first, node


def _thought(node: Node) -> list[Any] | None:
    found = event_in(node.value).get("thought")
    return found if isinstance(found, list) else None


def _other_actions(context: Context, log: Log) -> None:
    """Observations with the id of a call that name another action: to OpenHands, the call is still to be run."""
    nodes = {node.uid: node for node in log.path}
    for pair in context.pairing.pairs:
        call, result = pair.call, pair.result
        if call is None or result is None or call.record not in nodes or result.record not in nodes:
            continue
        action, event = nodes[call.record], event_in(nodes[result.record].value)
        if "action_id" not in event or event["action_id"] == action.id or call.id != result.id:
            continue
        edit = SetInRecord(result.record, (EVENT, DATA, "action_id"), action.id)
        text = "This result has the id of its call, and names another event as its call."
        fix = recommended("rename-result", "name the event of the call", edit)
        cause = Cause("result.id_mismatch", "another program wrote the result, or gave its call's event a new id")
        add_error(context, "result.id_mismatch", text, at_result(pair), None, cause, fix)


def _before_summaries(log: Log) -> set[int]:
    """uids of the events before a condensation where none is named as the last one. Without the file of one, OpenHands
    would load what is before it and forget the rest; that the rest comes back cannot be seen from what is sent if the
    condensation takes some of that out. So no such file is set aside unasked.
    """
    if log.state is None or state_in(log.state.value).get(LEAF) is not None:
        return set()
    last = max((node.place for node in log.tree.nodes if is_summary(node)), default=-1)
    return {node.uid for node in log.tree.nodes if node.place < last}


def damage(items: Sequence[Item], transcript: Transcript, found: Sequence[Damage]) -> Sequence[ResumeEffect | None]:
    """What is on the way through the events keeps the conversation from being loaded; nothing else is read."""
    log = log_of(transcript)
    needed = _before_summaries(log)
    read = {node.uid for node in log.path} | ({log.state.uid} if log.state is not None else set())

    def effect(damage: Damage) -> ResumeEffect | None:
        if log.stateless is not None and damage.record == log.stateless.uid:
            return None  # told on its own: without the file there is no conversation, so it is never set aside
        if damage.readable and damage.rule not in _UNREAD:
            return effect_on_readers(damage, TITLE) or _UNUSED
        if damage.record in read or not log.is_loaded:
            return replace(_STOPS, holds_output=damage.record in needed)
        return _UNUSED

    return list(map(effect, found))


def time_of(value: Any) -> float | None:
    return seconds_of(event_in(value).get("timestamp"))
