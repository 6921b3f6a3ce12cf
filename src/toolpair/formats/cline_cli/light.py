"""Quick reading of Cline's messages: which of them are as its command line writes them.

What it sends of a file that was read depends on whether the file was read again later, so all reads are noted.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Final

from toolpair.dialects.anthropic import message_of
from toolpair.dialects.block_texts import text_of
from toolpair.formats.cline_cli.compaction import BLANKS, compaction_beside, is_shown_only, without_tags
from toolpair.formats.cline_cli.detection import model_of
from toolpair.formats.cline_cli.history import ClineFacts, in_blocks, read, session_of
from toolpair.formats.cline_cli.outdated import ReadResult
from toolpair.formats.cline_cli.sending import is_shortened, new_reads, stops
from toolpair.formats.engine.reading.light import (
    ANSWERED,
    CALL,
    MODEL,
    RESULT,
    TEXT,
    THINKING,
    USER,
    WORDS,
    Doubtful,
    Event,
    Finding,
    Light,
    Odd,
    Whole,
    ids_and_signed,
)
from toolpair.formats.engine.reading.part_light import AgentLight, finding
from toolpair.formats.format import Item, View

_MESSAGE: Final = frozenset({"id", "role", "content", "ts", "modelInfo", "metrics", "metadata"})
_CALL: Final = frozenset({"type", "id", "name", "input"})
_RESULT: Final = frozenset({"type", "tool_use_id", "name", "content", "is_error"})
_ENTRY: Final = frozenset({"query", "result", "success", "error"})
_PLAIN: Final = frozenset({str, int, float, bool, type(None)})
_LONGEST_WORDS: Final = 100_000
_TOLD: Final = 2_000
"""Characters of an output that are compared, at most; no placeholder is longer."""
_FIRST: Final = 64
"""Results of reads after which it is looked for the first time whether leaving some out is worth it."""


class ClineLight(AgentLight):
    """Results in a row are one message, of which the words after them are a part."""

    merged = True
    words_after = Light.words_after | {WORDS, ANSWERED}

    def __init__(self, view: View) -> None:
        self._view = view
        self._model: Any = None
        self._provider = ""
        self._merges: bool | None = None
        """Whether it is for an API of blocks, as far as its responses say."""
        self._heard = 0
        self._words = -2
        """The newest record with a user's words."""
        self._calls = 0
        """Calls of the newest response."""
        self._reads = new_reads()
        self._results: list[ReadResult] | None = []
        """Those of reads; None once it is worth it to leave out what was read again."""
        self._look_at = _FIRST
        self._places: list[tuple[int, bool, str, Sequence[Any]]] = []
        """Each result of a read: its record, whether it is sent without its middle, its call, what it read."""
        self._answered: set[str] = set()
        self._cut: list[int] = []

    def read(self, value: Any, number: int) -> Event | None:
        self._enter(value)
        role, content = value["role"], value["content"]
        if not value.keys() <= _MESSAGE or type(content) is not list or not content:
            raise Odd
        if role == "assistant":
            parts = list(map(_said, content))
            self._calls = sum(part[0] == CALL for part in parts)
            return MODEL, parts, None
        if role != "user":
            raise Odd
        if content[0]["type"] == "tool_result":
            return USER, [self._result(part) for part in content], None
        words = list(map(_words, content))
        if self._words == number - 1 and not self._merges:
            raise Odd  # messages of their own, but to an API of blocks
        self._words = number
        return USER, words, None

    def _enter(self, value: Any) -> None:
        """Raises Whole for a record by which others are sent otherwise."""
        if type(value["role"]) is not str or ("metadata" in value and is_shown_only(value)):
            raise Whole
        if "modelInfo" not in value:
            return
        of = model_of(value)
        self._model = of.get("id", self._model)
        provider = of.get("provider")
        if provider and provider != self._provider:
            merges = in_blocks([Item(0, value)])
            if type(provider) is not str or merges is not (merges if self._merges is None else self._merges):
                raise Whole
            self._provider, self._merges = provider, merges

    def _result(self, part: Any) -> tuple[Any, ...]:
        content = part["content"]
        if part["type"] != "tool_result" or not part.keys() <= _RESULT or type(part["name"]) is not str:
            raise Odd
        failed = part.get("is_error", False)
        if type(failed) is not bool or not content:
            raise Odd
        if type(content) is not str:
            if type(content) is not list or not all(map(_is_entry, content)):
                raise Odd
            if failed and self._refuses_errors() and any("type" not in one for one in content):
                raise Odd
            # Only results of several calls are compared by what they say, and no placeholder says what was asked.
            said_alone = self._calls == 1 and all("query" in one for one in content)
            content = "." if said_alone else text_of(list(map(_beginning, content)))
        return RESULT, part["tool_use_id"], content, "", False

    def _refuses_errors(self) -> bool:
        """Whether an error with something other than text in it is a problem."""
        cell = self.profile.cell("error.non_text")
        return cell is not None and cell.severity is not None

    def left(self, value: Any, number: int, strict: bool) -> tuple[Iterable[Any], int]:
        message = message_of(value, number)
        if not strict or message is None or is_shown_only(value) or stops(value):
            raise Whole
        self._enter(value)
        _, signed = ids_and_signed(block.value for block in message.blocks if isinstance(block.value, dict))
        return [block.id for block in message.blocks], signed

    def heard(self, values: Sequence[Any]) -> None:
        for value in values:
            found = value.value if type(value) is Doubtful else value
            content = found["content"]
            for part in content if type(content) is list else ():
                if type(part) is dict and part.get("type") in ("tool_use", "tool_result", "file"):
                    self._hear(part)
            self._heard += 1

    def _hear(self, part: dict[str, Any]) -> None:
        found = self._reads.take(part)
        cut = part["type"] == "tool_result" and is_shortened(part["content"])
        if found is None:
            if cut:
                self._cut.append(self._heard)
            return
        self._places.append((self._heard, cut, found.id, found.places))
        self._answered.add(found.id)
        if self._results is not None:
            self._results.append(found)
            if len(self._results) >= self._look_at:
                self._look_at *= 2
                if self._reads.save_enough(self._results):
                    self._results = None

    def finish(self) -> Finding | None:
        if len(self._answered) < len(self._places):
            return None  # what is outdated at first need not be in the end
        enough = self._results is None or self._reads.save_enough(self._results)
        merges = in_blocks(()) if self._merges is None else self._merges
        facts = ClineFacts(model=self._model, merges=merges, reads=self._reads, save_enough=enough)
        found = finding(read, None, (), facts, beside=self._view.beside)
        found.shortened = self._cut + [
            number for number, cut, id_, places in self._places if cut or (enough and self._reads.outdated(id_, places))
        ]
        return found


def _said(part: Any) -> tuple[Any, ...]:
    kind = part["type"]
    if kind == "text":
        return TEXT, _text(part)
    if kind == "thinking":
        if type(part["thinking"]) is not str or type(part["signature"]) is not str or len(part) != 3:
            raise Odd
        return THINKING, 1 if part["signature"] else 0, True
    if kind != "tool_use" or part.keys() != _CALL or type(part["input"]) is not dict:
        raise Odd
    return CALL, part["id"], part["name"], part["input"], ""


def _words(part: Any) -> tuple[Any, ...]:
    text = _text(part)
    if not without_tags(text):
        raise Odd
    return TEXT, text


def _text(part: Any) -> str:
    text = part["text"]
    if part["type"] != "text" or len(part) != 2 or type(text) is not str or len(text) > _LONGEST_WORDS:
        raise Odd
    if not text.strip(BLANKS):
        raise Odd
    return text


def _beginning(entry: dict[str, Any]) -> dict[str, Any]:
    """An output of which a long text is not written whole."""
    return {key: value[:_TOLD] if type(value) is str else value for key, value in entry.items()}


def _is_entry(value: Any) -> bool:
    """Whether a result may hold it: a text, or what a tool says as Cline keeps it."""
    if "type" in value:
        return len(value) == 2 and value["type"] == "text" and type(value["text"]) is str and bool(value["text"])
    return value.keys() <= _ENTRY and bool(value) and _PLAIN.issuperset(map(type, value.values()))


def light(view: View) -> Light | None:
    if (
        not view.reporting
        or view.leaf is not None
        or compaction_beside(view.beside, session_of(view.beside)) is not None
    ):
        return None
    return ClineLight(view)
