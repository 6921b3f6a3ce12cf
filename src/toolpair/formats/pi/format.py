"""pi's session files: JSONL, a tree of records, each message in an envelope. As measured on 1.5.2,
0.87.1 and 0.73.1.

What the history is and what pi sends of it was read in pi's own code and held against pi itself. What other agents
share of it is in `pi_family`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

from toolpair.dialects import pi as dialect
from toolpair.dialects.block_values import without_halves
from toolpair.dialects.item_types import type_name
from toolpair.formats.engine.damage.own_problems import add_error, recommended
from toolpair.formats.engine.reading.reading import blocks_by_key
from toolpair.formats.engine.reading.turns import Turn
from toolpair.formats.format import AS_RESUMED, Damage, Item, ResumeEffect, SentPart, View
from toolpair.formats.pi_family.checks import check as pi_check
from toolpair.formats.pi_family.checks import is_header
from toolpair.formats.pi_family.history import PiHistory, Ways, history_of, lacks_message
from toolpair.formats.pi_family.history import read as pi_read
from toolpair.formats.pi_family.sending import PiSending
from toolpair.rules import causes
from toolpair.rules.context import Context, tool_of
from toolpair.rules.where import Where
from toolpair.transcript.draft import value_at
from toolpair.transcript.edits import Relink
from toolpair.transcript.id_shapes import sanitised
from toolpair.transcript.model import Block, Transcript

if TYPE_CHECKING:
    from toolpair.formats.engine.reading.light import Light

# --- data --------------------------------------------------------------------------------------------------


TITLE: Final = "pi"
NEWEST: Final = "1.5.2"
BEFORE: Final = "0.87.1"
OLD: Final = "0.73.1"
_CHANGED_SINCE: Final = (1, 3)
"""From which version on the thinking of another model is left out, and images of errors follow the results."""
_EDITS_SINCE: Final = (0, 87)
"""From which version on a `context_edit` counts, and a file without its first line is refused."""
_IMAGE_BEHIND: Final = {"type": "text", "text": "(image attached after the tool results)"}
LOOP: Final = "pi does not start: the links between its records form a loop."
_NO_MESSAGE: Final = "pi does not start: a record that should have a message has none."
_NULL: Final = "pi does not start: a line of the file is null."
_HEADLESS: Final = "pi does not resume this session"
_NO_HEADER: Final = "pi does not resume this session: its first line does not say that it is one."
_WITH_TWO_IDS: Final = ("openai", "openai-codex", "opencode", "azure")
"""Providers that are sent the first part of such an id; others get all of it."""
_OF_GOOGLE: Final = ("google-generative-ai", "google-vertex", "google-gemini-cli")
_WANTS_IDS: Final = re.compile(r"claude-|gpt-oss-|(?i:gemini(?:-live)?-(?:[3-9]|\d\d))")
"""Models that Google sends ids to."""
_NO_LETTER: Final = re.compile(r"[^a-zA-Z0-9]")
_WORD: Final = 0xFFFFFFFF


# --- what is sent ------------------------------------------------------------------------------------------


class _Sending(PiSending):
    """Ids of another model's calls are written as the API takes them; a result is its call's by the whole id."""

    def id_of(self, turn: Turn, call: Block) -> Any:
        whole = self.stored(turn, call)
        if self._is_own(turn) or not isinstance(whole, str):
            return call.id
        return self.renamed.setdefault(repr(whole), _for_another_model(whole, self.model))

    def stored(self, turn: Turn, block: Block) -> Any:
        found = dialect.stored_id(value_at(turn.node.value, block.slot)) if block.record == turn.node.uid else None
        return block.id if found is None else found

    def key_of(self, turn: Turn, block: Block, value: Any) -> Any:
        return self.stored(turn, block)


def _for_another_model(whole: str, model: tuple[Any, Any, Any]) -> str:
    """The id of another model's call, as this one (its provider, API and name) gets it."""
    provider, api, name = model
    first, joint, item = whole.partition("|")
    google = api in _OF_GOOGLE and _WANTS_IDS.match(str(name)) is not None
    if api in ("anthropic-messages", "bedrock-converse-stream") or google:
        return sanitised(whole)[:64]
    if api in dialect.JOINED:
        return sanitised(first if joint and provider in _WITH_TWO_IDS else whole)[:64].rstrip("_")
    if api == "openai-completions" and joint:
        both = sanitised(whole if item else first)
        return both if len(both) <= 40 else f"{sanitised(first)[:31]}_{_hash(whole)[:8]}"
    if api == "mistral-conversations":
        letters = _NO_LETTER.sub("", whole)
        return letters if len(letters) == 9 else _hash(letters or whole)[:9]
    return whole[:40] if api == "openai-completions" and provider == "openai" else whole


def _hash(text: str) -> str:
    """pi's own hash of a string."""
    one, two = 0xDEADBEEF, 0x41C6CE57
    units = text.encode("utf-16-le", "surrogatepass")
    for unit in (int.from_bytes(units[at : at + 2], "little") for at in range(0, len(units), 2)):
        one, two = (one ^ unit) * 2654435761 & _WORD, (two ^ unit) * 1597334677 & _WORD
    one = ((one ^ one >> 16) * 2246822507 ^ (two ^ two >> 13) * 3266489909) & _WORD
    two = ((two ^ two >> 16) * 2246822507 ^ (one ^ one >> 13) * 3266489909) & _WORD
    return _base_36(two) + _base_36(one)


def _base_36(number: int) -> str:
    digit = "0123456789abcdefghijklmnopqrstuvwxyz"[number % 36]
    return digit if number < 36 else _base_36(number // 36) + digit


class _SendingNow(_Sending):
    """What another model thought is left out. Claude's API takes no image in an error: it follows the results."""

    def part(self, turn: Turn, block: Block) -> Any:
        if block.kind == "thinking" and not self._is_own(turn):
            return None
        value = super().part(turn, block)
        return {**value, "content": _without_images(block)} if self._images(block) else value

    def behind(self, part: SentPart) -> Sequence[Any]:
        block = part.block
        images = self._images(block) if block is not None else []
        if block is None or not images:
            return ()
        words = f"Images from the error result of tool call {part.value.get('tool_use_id')} ({block.name}):"
        return ({"type": "text", "text": words}, *images)

    def _images(self, block: Block) -> list[Any]:
        """The images of an error that is sent to Claude."""
        _, api, name = self.model
        to_claude = api == "anthropic-messages" or (api == "bedrock-converse-stream" and "claude" in str(name))
        content = block.value.get("content") if block.kind == "result" and block.is_error and to_claude else None
        return [part for part in content if type_name(part) == "image"] if isinstance(content, list) else []


def _without_images(result: Block) -> list[Any]:
    """The content of an error with a text in place of each image, or of several in a row."""
    made: list[Any] = []
    for part in result.value["content"]:
        if type_name(part) != "image":
            made.append(without_halves(part))
        elif not made or made[-1] != _IMAGE_BEHIND:
            made.append(_IMAGE_BEHIND)
    return made


# --- results behind what broke off ---------------------------------------------------------------------------


def _behind_broken_off(context: Context, history: PiHistory) -> None:
    """Results that follow a response that broke off: pi has answered their calls when it comes to it.

    It sends nothing of that response, so that in what it sends the results stand next to their calls.
    """
    calls: set[str] = set()
    broken: Turn | None = None
    late: list[Turn] = []
    for turn in (*history.turns, None):
        if turn is not None and turn.role == "result":
            if broken is not None and repr(turn.blocks[0].id) in calls:
                late.append(turn)
            continue
        if turn is not None and turn.broken_off and calls:
            broken = broken or turn
            continue
        if broken is not None and late:
            _report_late(context, history, broken, late)
        broken, late = None, []
        calls = {repr(block.id) for block in turn.blocks if block.kind == "call"} if turn is not None else set()


def _report_late(context: Context, history: PiHistory, broken: Turn, late: Sequence[Turn]) -> None:
    result = late[0].blocks[0]
    own = blocks_by_key(context.transcript).get((result.record, result.slot), result)
    pair = context.pairing.pair_of(own)
    if pair is None or pair.call is None:
        return
    path = [node.uid for node in history.path]
    at, end = path.index(broken.node.uid), path.index(late[-1].node.uid)
    links = [(broken.node.uid, late[-1].node.id), (path[at + 1], broken.node.parent)]
    if end + 1 < len(path):
        links.append((path[end + 1], broken.node.id))
    text = f"The result of {tool_of(pair.call)} comes after a response that broke off, when pi has answered the call."
    where = Where(at=pair.results_at[0], pairs=(pair,), call=pair.call, result=own)
    cause = causes.named("late.behind_turn", "a response that broke off stands between the call and its result")
    edits = (Relink(uid, parent) for uid, parent in links)
    fix = recommended("move", "put it before the response that broke off", *edits)
    add_error(context, "result.not_adjacent", text, where, None, cause, fix)


# --- its versions ------------------------------------------------------------------------------------------


def _refuses(history: PiHistory) -> str | None:
    if lacks_message(history):
        return _NO_MESSAGE
    return LOOP if history.end == "cycle" else None


def _refuses_now(history: PiHistory) -> str | None:
    return _refuses(history) or (_NO_HEADER if history.header is None else None)


def _refused_before(history: PiHistory) -> str | None:
    return _NULL if any(item.value is None for item in history.items) else _refuses(history)


def _first_line(damage: Damage) -> ResumeEffect:
    return ResumeEffect("stops", "pi does not resume this session", "rejected", complete=is_header(damage))


def _first_line_before(damage: Damage) -> ResumeEffect:
    if damage.rule == "record.bom":
        return ResumeEffect("harmless", "pi ignores it", "healed")
    sentence = "pi begins an empty session in its place"
    return ResumeEffect("loses", sentence, "dropped", "history", complete=is_header(damage))


_NEW: Final = Ways(TITLE, NEWEST, True, _refuses_now, _first_line, ("error", "stops", _HEADLESS), _SendingNow)
_BEFORE: Final = Ways(TITLE, BEFORE, True, _refuses_now, _first_line, ("error", "stops", _HEADLESS), _Sending)
_OLD: Final = Ways(TITLE, OLD, False, _refused_before, _first_line_before, ("error", "loses", _HEADLESS), _Sending)


def _ways_of(version: str | None) -> Ways:
    found = re.match(r"(\d+)\.(\d+)", version or NEWEST)
    number = (int(found[1]), int(found[2])) if found is not None else _CHANGED_SINCE
    return _NEW if number >= _CHANGED_SINCE else _BEFORE if number >= _EDITS_SINCE else _OLD


# --- the format --------------------------------------------------------------------------------------------


def read(items: Sequence[Item], view: View = AS_RESUMED) -> Transcript:
    return pi_read(items, view, _ways_of(view.agent_version))


def light(view: View) -> Light | None:
    from toolpair.formats.pi_family.light import PiLight  # most files are short

    return PiLight(view, read) if view.reporting and view.leaf is None else None


def check(context: Context, items: Sequence[Item], view: View) -> None:
    pi_check(context, items, view)
    _behind_broken_off(context, history_of(context.transcript))
