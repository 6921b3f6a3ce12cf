"""Cline's command line: sessions are `<id>/<id>.messages.json`, with a description in `<id>.json` beside it.

Messages with Anthropic's blocks, each result in a user message of its own. What is sent of them was read in the agent's
own code and held against the agent itself, 3.0.65.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from msgspec import Struct

from toolpair.dialects.anthropic import message_of
from toolpair.dialects.item_types import type_name
from toolpair.formats.agent import Agent, FoundSession, Program, SessionFile
from toolpair.formats.engine.detection.list_evidence import OF_ROO
from toolpair.formats.format import (
    AS_RESUMED,
    Beside,
    Damage,
    Item,
    ResumeEffect,
    SentRequest,
    SubagentSession,
    Usage,
    View,
    profile_of,
)
from toolpair.rules.context import Context
from toolpair.rules.problem import Cause, Fix
from toolpair.transcript.edits import Remove, Reorder, SetValue
from toolpair.transcript.model import COMPACTED, Block, Boundary, Damaged, Message, Scope, Transcript

if TYPE_CHECKING:
    from pathlib import Path

    from toolpair.formats.agent import Outcome
    from toolpair.formats.engine.agents.way_back import WayBack
    from toolpair.shell.machine import Machine

# --- data --------------------------------------------------------------------------------------------------

TITLE: Final = "Cline CLI"
VERSION: Final = "3.0.65"
EMPTY: Final = "ERROR: EMPTY CONTENT"
"""What the agent sends in place of a message that says nothing."""
_SUFFIX: Final = ".messages.json"
_ROLES: Final = ("user", "assistant")
_PROFILES: Final = {
    "anthropic": "anthropic",
    "claude-code": "anthropic",
    "minimax": "anthropic",
    "vertex": "vertex-anthropic",
    "bedrock": "bedrock-converse",
    "gemini": "gemini",
    "mistral": "mistral",
    "deepseek": "deepseek",
    "groq": "groq",
    "moonshot": "moonshot",
    "openai-native": "openai-responses",
    "openai-codex": "openai-responses",
}
"""`modelInfo.provider` of a response -> the profile that its session is checked against; the others speak chat."""
_MISSING: Final = 'Cline CLI sends nothing: it stops with "Tool result is missing for tool call {}."'
_BEGINS_ANEW: Final = "Cline CLI begins an empty session in its place"
_OF_BLOCKS: Final = ("anthropic", "vertex-anthropic", "bedrock-converse")
"""Profiles of APIs that take the texts of a result as blocks, and whatever one role says in a row as one message."""


# --- the transcript ----------------------------------------------------------------------------------------


def is_own(value: Any) -> bool:
    """Whether it is a message as the agent writes it: with an id and a time in milliseconds."""
    if not isinstance(value, dict) or value.get("role") not in _ROLES or not isinstance(value.get("id"), str):
        return False
    time, content = value.get("ts"), value.get("content")
    return isinstance(time, int) and time > 10**11 and (isinstance(content, (list, str)) or "content" not in value)


def stops_at(id_: Any) -> str:
    """Why it does not go on from a call that it has not answered: a result elsewhere has the same id."""
    return _MISSING.format(id_)


def is_shown_only(value: Any) -> bool:
    metadata = value.get("metadata") if isinstance(value, dict) else None
    return isinstance(metadata, dict) and metadata.get("displayOnly") is True


class Compaction(Struct, eq=False):
    messages: Sequence[Any]
    """What is sent first."""
    replaced: int
    """How many records it stands for, from the first one on."""


def _read(items: Sequence[Item], view: View, merges: bool) -> Transcript:
    from toolpair.formats.cline_cli.compaction import compaction_of
    from toolpair.formats.engine.reading.reading import joined, pairs_in

    scopes: dict[int, Scope] = {}
    sent: list[list[Message]] = []
    beside: list[Block] = []
    model = None
    name = view.beside.path.name if view.beside is not None else ""
    session_id = name.removesuffix(_SUFFIX) if name.endswith(_SUFFIX) else None
    compaction = compaction_of(items, view.beside, session_id)
    replaced = compaction.replaced if compaction is not None else 0
    for number, item in enumerate(items):
        message = message_of(item.value, item.uid)
        if message is None:
            scopes[item.uid] = "malformed"
        elif is_shown_only(item.value) or number < replaced:
            scopes[item.uid] = "inactive"
            beside += pairs_in(message.blocks)
        else:
            model = _model(item.value).get("id", model)
            same = bool(sent) and sent[-1][0].role == message.role and bool(message.blocks and sent[-1][0].blocks)
            same = same and (merges or (message.role == "user" and all(map(_is_answer, sent[-1]))))
            sent[-1].append(message) if same else sent.append([message])
    first = items[replaced].uid if replaced < len(items) else None
    return Transcript(
        tuple(map(joined, sent)),
        merged=merges,
        native=True,
        agent=ClineCli.sub_agent if view.beside is not None and _is_sub_agents(view.beside) else TITLE,
        agent_facts=compaction,
        folder=view.beside.once("folder", lambda: _folder_in(view.beside, session_id)) if view.beside else None,
        session_id=session_id,
        model=model if isinstance(model, str) else None,
        scopes=scopes,
        boundaries=(Boundary(0, COMPACTED, first),) if compaction is not None else (),
        inactive_blocks=tuple(beside),
    )


def _folder_in(beside: Beside | None, session_id: str | None) -> str | None:
    """The folder that the session's description names."""
    from toolpair.source import peek

    about = peek.parse(beside.start(f"{session_id}.json", 1 << 18)) if beside is not None and session_id else None
    folder = about.get("cwd") if isinstance(about, dict) else None
    return folder if isinstance(folder, str) else None


def _sent_first(items: Sequence[Item], transcript: Transcript) -> Sequence[Item]:
    """The records as the agent takes them up: a compaction's messages in place of those that it stands for."""
    found = transcript.agent_facts
    if not isinstance(found, Compaction):
        return items
    return [*(Item(-1 - number, value) for number, value in enumerate(found.messages)), *items[found.replaced :]]


def _is_answer(message: Message) -> bool:
    return bool(message.blocks) and all(block.kind == "result" for block in message.blocks)


def _model(value: Any) -> dict[str, Any]:
    found = value.get("modelInfo") if isinstance(value, dict) else None
    return found if isinstance(found, dict) else {}


# --- damage ------------------------------------------------------------------------------------------------


def _damage(damage: Damage) -> ResumeEffect | None:
    from toolpair.formats.engine.damage.lost import can_be_closed, effect_on_readers

    if damage.readable and damage.rule not in ("record.trailing_comma", "record.torn"):
        return effect_on_readers(damage, TITLE)
    closed = True
    if damage.rule == "record.torn" and not damage.readable:
        closed = can_be_closed(damage.values[0] if damage.values else damage.partial, bool(damage.values))
    return ResumeEffect("loses", _BEGINS_ANEW, "dropped", "history", complete=closed, begins_anew=True)


def _check(context: Context, items: Sequence[Item], merges: bool) -> None:
    from toolpair.formats.engine.damage.own_problems import no_message

    if isinstance(context.transcript.agent_facts, Compaction):
        context.problems[:] = [found for found in context.problems if found.rule != "turn.first_not_user"]
    for item in items:
        if not isinstance(item.value, (dict, Damaged)):
            text = "This element of the list is not a message, so Cline CLI cannot send the session."
            unknown = "Only you know what it was meant to be."
            no_message(context, item, text, empty=item.value is None, impact="stops", no_fix=unknown)
    calls = (block for message in context.messages for block in message.blocks if block.kind == "call")
    names = {repr(call.id): call.name for call in calls}
    for number, message in enumerate(context.messages):
        kinds = [block.kind for block in message.blocks]
        if not merges and message.role == "user" and "result" in kinds[1:] and kinds[0] != "result":
            edit = Reorder(message, "results_first")
            context.add(
                "result.not_first",
                "Text stands before a result, and Cline CLI sends it before the result, which the API refuses.",
                at=(number, kinds.index("result")),
                about=message,
                severity="error",
                fixes=(Fix("results-first", "move the results to the front", (edit,), recommended=True),),
            )
        for place, block in enumerate(message.blocks):
            if (fix := _mended(block, names)) is not None:
                context.add(
                    "field.missing",
                    "Cline CLI cannot send the session: it does not know what to do with this block.",
                    at=(number, place),
                    others=(block,),
                    about=message,
                    record=block.record,
                    severity="error",
                    impact="stops",
                    cause=Cause("wrong_type", "a program other than Cline CLI wrote it"),
                    fixes=(fix,),
                )


def _mended(block: Block, names: Mapping[str, str | None]) -> Fix | None:
    """How a block that stops the agent is repaired; None for any other."""
    value = block.value
    if value is None:
        return Fix("remove-block", "remove the block", (Remove(block),), recommended=True)
    if type_name(value) != "tool_result" or ("content" in value and isinstance(value.get("name"), str)):
        return None
    name = value["name"] if isinstance(value.get("name"), str) else names.get(repr(block.id)) or "unknown"
    head = {key: value[key] for key in ("type", "tool_use_id") if key in value}
    made = {**head, **value, "name": name, "content": value.get("content", [])}
    return Fix("complete", "write what is missing in it", (SetValue(block, made),), recommended=True)


# --- the format --------------------------------------------------------------------------------------------


def sniff(values: Sequence[Any]) -> int:
    messages = [value for value in values if isinstance(value, dict)]
    own = sum(map(is_own, messages))
    foreign = any(key in message for message in messages for key in OF_ROO if key != "ts")
    return 96 if own and own * 2 >= len(messages) and not foreign else 0


def profile_for(values: Sequence[Any]) -> str:
    """That of the provider that the last of these responses came from."""
    provider = next((found for value in reversed(values) if (found := _model(value).get("provider"))), None)
    return profile_of(provider, _PROFILES) if provider is not None else "anthropic"


def _in_blocks(items: Sequence[Item]) -> bool:
    """Whether they are for an API of blocks."""
    return profile_for([item.value for item in items]) in _OF_BLOCKS


def read(items: Sequence[Item], view: View = AS_RESUMED) -> Transcript:
    return _read(items, view, _in_blocks(items))


def damage(items: Sequence[Item], transcript: Transcript, found: Sequence[Damage]) -> Sequence[ResumeEffect | None]:
    return list(map(_damage, found))


def sees(items: Sequence[Item], transcript: Transcript) -> SentRequest | None:
    from toolpair.formats.cline_cli import sending

    return sending.sees(_sent_first(items, transcript), transcript, not _in_blocks(items))


def check(context: Context, items: Sequence[Item], view: View) -> None:
    _check(context, items, _in_blocks(items))


def subagent_sessions(items: Sequence[Item], transcript: Transcript, beside: Beside) -> Iterable[SubagentSession]:
    """Those of a session lie in its folder, under names of their own."""
    path = beside.path
    for name in sorted(beside.names(".")) if _is_root(path) else ():
        if name.endswith(_SUFFIX) and name != path.name:
            yield SubagentSession(path.parent / name, name.removesuffix(_SUFFIX), None)


def time_of(value: Any) -> float | None:
    from toolpair.formats.engine.reading.clock import milliseconds_in

    return milliseconds_in(value, "ts")


def usage(value: Any) -> Usage | None:
    from toolpair.formats.engine.reading.clock import count_in, usage_of

    metrics = value.get("metrics") if isinstance(value, dict) and value.get("role") == "assistant" else None
    written = count_in(metrics, "outputTokens")
    read = count_in(metrics, "inputTokens", "cacheReadTokens", "cacheWriteTokens")
    return usage_of(read, written)


# --- the agent ---------------------------------------------------------------------------------------------


def _is_root(path: Path) -> bool:
    """Whether a file has the name of its folder's session, not one of a sub-agent's."""
    return path.name == path.parent.name + _SUFFIX


def _is_sub_agents(beside: Beside) -> bool:
    path = beside.path
    return path.name.endswith(_SUFFIX) and not _is_root(path) and bool(beside.start(path.parent.name + _SUFFIX, 1))


_OUTCOMES: Final[dict[str, Outcome]] = {
    "record.no_message": ("rejected", "Cline CLI stops before it sends anything.", "history")
}


class ClineCli(Agent):
    id = "cline-cli"
    title = TITLE
    sub_agent = "a sub-agent of Cline CLI"
    variable = "CLINE_DIR"
    outcomes = _OUTCOMES
    filled = "tells the model that this tool was interrupted"
    usual_home = ".cline"
    suffix = _SUFFIX
    program = Program("cline", "Cline", r"[/\\]node_modules[/\\]cline[/\\]", session_options=("--id",), package="cline")

    def roots(self, machine: Machine) -> tuple[Path, ...]:
        data = machine.folder("CLINE_DATA_DIR", self.home(machine) / "data")
        return (machine.folder("CLINE_SESSION_DATA_DIR", data / "sessions"),)

    def sessions(self, machine: Machine) -> Iterator[FoundSession]:
        from toolpair.source import peek

        for root in self.roots(machine):
            for entry in peek.entries(root):
                path = os.path.join(entry.path, entry.name + _SUFFIX)
                stat = peek.regular_file(path)
                if stat is not None:
                    yield self.found(path, entry.name, stat, peek.folder_in(peek.head(_beside(path), 4096)))

    def describe(self, found: FoundSession) -> tuple[str | None, str | None]:
        from toolpair.formats.engine.agents.marked_words import last_words
        from toolpair.source import peek

        words = last_words(found.path, found.size) or peek.one_line(peek.small_json(_beside(found.path)).get("prompt"))
        return self.project_of(found.path) or found.folder, words

    def is_named(self, name: str) -> bool:
        return name.endswith(_SUFFIX)

    def project_of(self, path: str) -> str | None:
        from toolpair.source import peek

        folder = peek.small_json(_beside(path)).get("cwd") if path.endswith(_SUFFIX) else None
        return folder if isinstance(folder, str) else None

    def in_place(self, path: Path, session_id: str) -> bool:
        return _is_root(path)

    def way_back(self, file: SessionFile) -> WayBack:
        from toolpair.formats.engine.agents.way_back import WayBack

        if file.path is None or not self.in_place(file.path, file.session_id):
            return WayBack((), sentence="Run `cline --id` with its id.")
        id_ = file.path.parent.name
        words = (f"--id={id_}",) if id_.startswith("-") else ("--id", id_)
        return WayBack(("cline", *words), self.project_of(str(file.path)))

    def where_to_put(self, file: SessionFile, machine: Machine) -> str:
        return "in place of the one in the session's own folder"


def _beside(path: str) -> str:
    """The file that describes the session."""
    return path[: -len(_SUFFIX)] + ".json"


AGENT: Final = ClineCli()
