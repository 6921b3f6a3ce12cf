"""Sessions of Cline's command line: `<id>/<id>.messages.json`, with a description in `<id>.json` beside it.

Messages with Anthropic's blocks, each result in a user message of its own. Measured on 3.0.65.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, Final

from toolpair.dialects.anthropic import message_of
from toolpair.formats.cline_cli.compaction import compaction_of, is_shown_only
from toolpair.formats.cline_cli.detection import model_of, profile_for
from toolpair.formats.cline_cli.outdated import Reads
from toolpair.formats.engine.reading.between import BETWEEN
from toolpair.formats.engine.reading.clock import milliseconds_in
from toolpair.formats.engine.reading.part_of_file import PartFacts, part_facts
from toolpair.formats.engine.reading.reading import joined, pairs_in
from toolpair.formats.format import AS_RESUMED, Beside, Item, SubagentSession, View
from toolpair.source import peek
from toolpair.transcript.model import COMPACTED, Block, Boundary, Message, Scope, Transcript

if TYPE_CHECKING:
    from pathlib import Path

TITLE: Final = "Cline CLI"
SUB_AGENT: Final = "a sub-agent of Cline CLI"
SUFFIX: Final = ".messages.json"
_OF_BLOCKS: Final = ("anthropic", "vertex-anthropic", "bedrock-converse")
"""Profiles of APIs that take the texts of a result as blocks, and whatever one role says in a row as one message."""


class ClineFacts(PartFacts, frozen=True, eq=False, kw_only=True):
    merges: bool
    """Whether it is for an API of blocks."""
    reads: Reads
    save_enough: bool
    """Whether what was read again later is not sent."""


def read(items: Sequence[Item], view: View = AS_RESUMED) -> Transcript:
    facts = part_facts(view)
    of_file = facts if isinstance(facts, ClineFacts) else None
    merges = of_file.merges if of_file is not None else in_blocks(items)
    scopes: dict[int, Scope] = {}
    sent: list[list[Message]] = []
    beside: list[Block] = []
    model = None
    session_id = session_of(view.beside)
    compaction = compaction_of(items, view.beside, session_id) if of_file is None else None
    replaced = compaction.replaced if compaction is not None else 0
    for number, item in enumerate(items):
        message = message_of(item.value, item.uid)
        if message is None:
            scopes[item.uid] = "malformed"
        elif is_shown_only(item.value) or number < replaced:
            scopes[item.uid] = "inactive"
            beside += pairs_in(message.blocks)
        else:
            model = model_of(item.value).get("id", model)
            same = bool(sent) and sent[-1][0].role == message.role and bool(message.blocks and sent[-1][0].blocks)
            same = same and (merges or (message.role == "user" and all(map(_is_answer, sent[-1]))))
            sent[-1].append(message) if same else sent.append([message])
    if of_file is not None:
        model = of_file.model
    first = items[replaced].uid if replaced < len(items) else None
    return Transcript(
        tuple(map(joined, sent)),
        merged=merges,
        native=True,
        agent=SUB_AGENT if view.beside is not None and _is_sub_agents(view.beside) else TITLE,
        agent_facts=compaction if of_file is None else of_file,
        folder=view.beside.once("folder", lambda: _folder_in(view.beside, session_id)) if view.beside else None,
        session_id=session_id,
        model=model if isinstance(model, str) else None,
        scopes=scopes,
        boundaries=(Boundary(0, COMPACTED, first),) if compaction is not None else (),
        inactive_blocks=tuple(beside),
        frame=None if of_file is None else BETWEEN,
    )


def session_of(beside: Beside | None) -> str | None:
    """The id of the session that the file beside which these are has the name of."""
    name = beside.path.name if beside is not None else ""
    return name.removesuffix(SUFFIX) if name.endswith(SUFFIX) else None


def _folder_in(beside: Beside | None, session_id: str | None) -> str | None:
    """The folder that the session's description names."""
    about = peek.parse(beside.start(f"{session_id}.json", 1 << 18)) if beside is not None and session_id else None
    folder = about.get("cwd") if isinstance(about, dict) else None
    return folder if isinstance(folder, str) else None


def _is_answer(message: Message) -> bool:
    return bool(message.blocks) and all(block.kind == "result" for block in message.blocks)


def in_blocks(items: Sequence[Item]) -> bool:
    """Whether they are for an API of blocks."""
    return profile_for([item.value for item in items]) in _OF_BLOCKS


def subagent_sessions(items: Sequence[Item], transcript: Transcript, beside: Beside) -> Iterable[SubagentSession]:
    """Those of a session lie in its folder, under names of their own."""
    path = beside.path
    for name in sorted(beside.names(".")) if is_root(path) else ():
        if name.endswith(SUFFIX) and name != path.name:
            yield SubagentSession(path.parent / name, name.removesuffix(SUFFIX), None)


def time_of(value: Any) -> float | None:
    return milliseconds_in(value, "ts")


def is_root(path: Path) -> bool:
    """Whether a file has the name of its folder's session, not one of a sub-agent's."""
    return path.name == path.parent.name + SUFFIX


def _is_sub_agents(beside: Beside) -> bool:
    path = beside.path
    return path.name.endswith(SUFFIX) and not is_root(path) and bool(beside.start(path.parent.name + SUFFIX, 1))
