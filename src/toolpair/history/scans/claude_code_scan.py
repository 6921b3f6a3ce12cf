"""Claude Code's session files: which records cannot be a problem, told from each record and those just before it.

A file is cut in front of a response that hangs on the very last record before it, while no call waits. All links lead
to records of the same stretch, or to that one: so what the agent makes of a stretch does not depend on what stands
around it, but for what `Inside` tells. What a compaction replaced is passed by. A link that leads elsewhere, a
sub-agent's record, or a record that cannot be read leave the file to be judged as a whole.
"""

from __future__ import annotations

import re
from array import array
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from typing import Any, Final, NamedTuple

from msgspec.structs import replace

from toolpair.formats.claude_code.output_files import FilesOfSession
from toolpair.formats.claude_code.reading import AGENT
from toolpair.formats.claude_code.record_kinds import CHAIN_TYPES, SYNTHETIC_MODEL, content_of, seconds_of, text_or_none
from toolpair.formats.claude_code.versions import ResumedBy, behaviour
from toolpair.formats.format import AS_RESUMED, View
from toolpair.history.outline import LEAST, Cutter, Doubtful, Odd, Outline
from toolpair.history.scans.claude_code_edges import Surroundings
from toolpair.history.scans.claude_code_values import (
    is_result,
    is_said,
    is_words,
    joined_parts,
    kept_by,
    may_say,
)
from toolpair.history.scans.plain_keys import CALL_KEYS, RESULT_KEYS, TEXT_KEYS
from toolpair.rules.crossed import may_be_crossed
from toolpair.rules.profiles import Profile
from toolpair.transcript.model import Damaged, Transcript
from toolpair.transcript.placeholders import BEGIN, known_placeholder

START, ODD, WORDS, RESPONSE, ANSWERED = range(5)
"""What was said last: nothing, something odd, the user's words, a response whose calls may wait, its last result."""
_COPY: Final = re.compile(r"(.+)[^A-Za-z0-9][0-9]+")
_LONG: Final = 2000
_FIRST: Final = 20
_MANY: Final = 4096
_NEAR: Final = 20_000
_NO_CONTENT: Final = "(no content)"


class _Place(NamedTuple):
    """Where a stretch can be cut: a record's number, what is counted in front of it, and how many of each there are."""

    number: int
    counts: tuple[int, int, int, int]
    uuids: int
    ids: int
    empty: int


class KnownIds(dict[str, int]):
    """The ids of the stretches; those of what a compaction replaced are in it, too, but lead nowhere."""

    def __init__(self, ids: dict[str, int], past: set[str]) -> None:
        super().__init__(ids)
        self._past = past

    def __contains__(self, id_: object) -> bool:
        return super().__contains__(id_) or id_ in self._past


class ClaudeCodeScan(Cutter[_Place]):
    """Reads a session file once."""

    sends: frozenset[str] | None = frozenset({"user", "assistant"})

    def __init__(self, profile: Profile, view: View = AS_RESUMED, least: int = LEAST) -> None:
        super().__init__(profile, least)
        self._resumed_by = view.agent_version
        self._number = self._first = 0
        self._messages = self._calls = self._rows = self._signed = 0
        # Links
        self._last: str | None = None
        """uuid of the chain record before."""
        self._own: list[str] = []
        """uuids of the stretch that are not in `_known` yet."""
        self._known: set[str] = set()
        self._uuids = array("q")
        """Hashes of all uuids up to those of the stretch."""
        self._since: list[str] = []
        """uuids of the chain records behind the last one of a response."""
        self._beside = array("q")
        """Hashes of the uuids of those that the history does not lead over."""
        self._leaf: str | None = None
        """What the newest `last-prompt` names."""
        self._last_talk: dict[str, Any] = {}
        # What is said
        self._state = START
        self._response: str | None = None
        """Its message's id."""
        self._responses = array("q")
        """Hashes of all such ids."""
        self._speaks = False
        """The response holds something else than thinking."""
        self._asked: list[tuple[str, str, str]] = []
        """Of the calls of the response their ids, the uuids of their records, and their names."""
        self._given: list[Any] = []
        self._texts: list[str] = []
        self._empty: list[tuple[str, str, int]] = []
        """Of the calls whose result says nothing their ids, their names, and the number of the stretch."""
        self._forked = False
        self._unlinked = 0
        """Results of the response that name no record of a call."""
        self._homes: set[str] = set()
        """uuids of the response's records that are odd or hold calls."""
        self._loose = False
        """Links in the stretch lead past records in an odd way."""
        self._strays = False
        """Links lead past records in a way that parallel calls do not, since the last compaction."""
        self._begins = [0]
        """By the number of a stretch: how many uuids are of those before."""
        self._kept: set[int] = set()
        """Hashes of the uuids that the last compaction found in front of itself in its stretch."""
        self._bases: set[str] = set()
        """What ids would be without a number at their end."""
        self._past_ids: set[str] = set()
        """The ids of calls that a compaction replaced."""
        self._flawed = False
        """A record is no proper JSON, although it can be read."""
        self._past = self._inactive = self._replaced = 0
        self._errors = False
        """The agent's own error messages stand in the stretch."""
        self.around = Surroundings()
        self._files = None if view.beside is None else FilesOfSession(view.beside, self.around.first_uuids)
        # What the head tells
        self._version: str | None = None
        self._session: str | None = None
        self._folder: str | None = None
        self._model: str | None = None
        self._request: dict[str, Any] | None = None

    def feed(self, values: Iterable[Any]) -> None:
        values = values if isinstance(values, list) else list(values)
        number = self._number
        for value in values:
            # Done for each of hundreds of thousands of records: what lacks a key, or has another type there, is odd.
            try:
                kind = value["type"]
                if kind == "user":
                    self._user(value, number)
                elif kind == "assistant":
                    self._assistant(value, number)
                elif kind == "attachment":
                    uuid = value["uuid"]
                    if value["parentUuid"] != self._last or value["isSidechain"] is not False or type(uuid) is not str:
                        raise Odd
                    self._own.append(uuid)
                    self._since.append(uuid)
                    self._last = uuid
                elif kind == "last-prompt":
                    leaf = value["leafUuid"]
                    if type(leaf) is str and leaf:
                        self._leaf = leaf
                elif kind == "api-request-blob":
                    self._copied(value, number)
                elif kind == "api-request":
                    if type(value.get("params")) is dict:
                        self._request = value
                elif kind in CHAIN_TYPES:
                    self._quiet(value, number)
                elif "message" in value or "parentUuid" in value:
                    self._unknown(value, number)
            except (Odd, KeyError, TypeError, IndexError):
                self._odd(value, number)
            number += 1
        self._number = number
        self._note_facts(values)

    # Records that are in order

    def _user(self, value: dict[str, Any], number: int) -> None:
        uuid, parent, content = value["uuid"], value["parentUuid"], value["message"]["content"]
        if value["isSidechain"] is not False or type(uuid) is not str or not uuid:
            raise Odd
        if type(content) is list and content[0]["type"] == "tool_result":
            self._results(value, content, parent)
            if parent != self._last:
                self._beside.extend(map(hash, self._since))
                self._since.clear()
        else:
            if parent != self._last or (self._state == RESPONSE and self._waits()):
                raise Odd
            if "isCompactSummary" in value or "toolUseResult" in value:
                raise Odd
            rows = self._words(content)
            if self._state == RESPONSE or self._state == START:
                self._messages += 1
            elif self._state == ODD:
                raise Odd
            self._rows += rows
            self._state = WORDS
            self.around.words_at = number
        self._own.append(uuid)
        self._since.append(uuid)
        self._last = uuid
        self._last_talk = value

    def _words(self, content: Any) -> int:
        """How many texts a prompt holds."""
        if type(content) is str:
            if not is_said(content):
                raise Odd
            return 1
        if type(content) is not list or not content:
            raise Odd
        for part in content:
            if part["type"] != "text" or not part.keys() <= TEXT_KEYS or not is_said(part["text"]):
                raise Odd
        return len(content)

    def _waits(self) -> bool:
        """Whether the response that was read last may be a problem as it stands."""
        return len(self._texts) < len(self._asked) or not self._speaks

    def _results(self, value: dict[str, Any], content: Sequence[Any], parent: Any) -> None:
        """Results of the calls that were read last, in their order."""
        if self._state != RESPONSE:
            raise Odd
        texts, asked = self._texts, self._asked
        begins = not texts
        source = value.get("sourceToolAssistantUUID")
        straight = parent == self._last
        home = None
        for part in content:
            id_, home, name = asked[len(texts)]
            said = part["content"]
            if (
                part["tool_use_id"] != id_
                or part["type"] != "tool_result"
                or not (len(part) == 3 or (len(part) == 4 and "is_error" in part) or part.keys() <= RESULT_KEYS)
            ):
                raise Odd
            if (source is not None and source != home) or not (straight or (parent == home and len(content) == 1)):
                raise Odd
            if type(said) is str and len(said) >= _LONG and not said[0].isspace():
                texts.append(said)
            else:
                text = said if type(said) is str else joined_parts(said, part.get("is_error"))
                if not text or (
                    (text[0] in BEGIN or text[0].isspace())
                    and (text.isspace() or (len(text) < _LONG and known_placeholder(text) is not None))
                ):
                    if (
                        type(said) is list
                        or (part.get("is_error") is True and not text)
                        or len(content) > 1
                        or may_say(value.get("toolUseResult"))
                    ):
                        raise Odd
                    self._empty.append((id_, name, len(self.done)))
                texts.append(text)
        if source is None:
            self._unlinked += len(content)
        self._forked = self._forked or not straight
        if len(texts) == len(asked):
            if len(texts) > 1:
                if self._forked and parent != home:
                    raise Odd
                # A result that names the record of its own call is that call's.
                if self._unlinked > 1 and may_be_crossed(self._given, texts):
                    raise Odd
            self._state = ANSWERED
        if begins:
            self._messages += 1

    def _assistant(self, value: dict[str, Any], number: int) -> None:
        uuid, message = value["uuid"], value["message"]
        id_, content, model = message["id"], message["content"], message["model"]
        if (
            value["parentUuid"] != self._last
            or value["isSidechain"] is not False
            or type(uuid) is not str
            or not uuid
            or type(id_) is not str
            or not id_
            or type(model) is not str
            or not model
            or model == SYNTHETIC_MODEL
            or "isApiErrorMessage" in value
            or type(content) is not list
            or not content
        ):
            raise Odd
        state = self._state
        fresh = id_ != self._response
        if fresh:
            if state in (START, RESPONSE):
                raise Odd
            called = False
        elif state != RESPONSE or self._texts:
            raise Odd
        else:
            called = bool(self._asked)
        rows = signed = 0
        speaks = False
        asked: list[tuple[str, str, str]] = []
        given: list[Any] = []
        for part in content:
            kind = part["type"]
            if kind == "tool_use":
                call, input_, name = part["id"], part["input"], part["name"]
                if (
                    type(input_) is not dict
                    or type(call) is not str
                    or not self.id_min <= len(call) <= self.id_max
                    or not (len(part) == 4 or part.keys() <= CALL_KEYS)
                    or (name not in self.names and not self.takes(name))
                    or (self.accepts_id is not None and not self.accepts_id(call))
                ):
                    raise Odd
                asked.append((call, uuid, name))
                given.append(input_)
                speaks = True
            elif called or asked:
                raise Odd  # calls come last
            elif kind == "text":
                text = part["text"]
                if not is_said(text) or text == _NO_CONTENT or not (len(part) == 2 or part.keys() <= TEXT_KEYS):
                    raise Odd
                rows += 1
                speaks = True
            elif kind == "thinking":
                if not part["signature"] or type(part["thinking"]) is not str:
                    raise Odd
                signed += 1
            elif kind == "redacted_thinking" and part["data"]:
                signed += 1
            else:
                raise Odd
        if fresh:
            if state != ODD:
                if self.suspect or self._messages >= self.least:
                    self._cut(number)
                else:
                    self.mark(self._here(number))
            self._begin(id_)
            self._messages += 1
        if asked:
            self._homes.add(uuid)
            ids, here = self.ids, len(self.done)
            for call, _, _ in asked:
                if call in ids:
                    self.suspect = True
                    self.joined.append((ids[call], here))
                else:
                    ids[call] = here
                    if call in self._past_ids:
                        self.whole = True
            self._asked += asked
            self._given += given
            self._calls += len(asked)
            self._rows += len(asked)
        self._rows += rows
        self._signed += signed
        self._speaks = self._speaks or speaks
        self._state = RESPONSE
        self._own.append(uuid)
        self._since.clear()
        self._last = uuid
        self._last_talk = value

    def _begin(self, id_: str) -> None:
        self._response = id_
        self._responses.append(hash(id_))
        self._asked, self._given, self._texts = [], [], []
        self._speaks = self._forked = False
        self._unlinked = 0
        self._homes.clear()

    def _quiet(self, value: dict[str, Any], number: int) -> None:
        """A record of the system, or a report of a running call."""
        uuid, kind = value["uuid"], value["type"]
        if kind == "system":
            subtype = value.get("subtype")
            if subtype == "compact_boundary":
                self._compacted(value, number)
                return
            if subtype == "local_command":
                raise Odd
        else:
            self.around.note_copy(value.get("parentToolUseID"), number)
        if value["parentUuid"] != self._last or value.get("isSidechain") is True or type(uuid) is not str or not uuid:
            raise Odd
        self._own.append(uuid)
        self._since.append(uuid)
        self._last = uuid

    def _copied(self, value: dict[str, Any], number: int) -> None:
        content, note = value["message"]["content"], self.around.copies.note
        if type(content) is list:
            for part in content:
                if part["type"] == "tool_result":
                    said = part["content"]
                    if not said or (type(said) is str and said[0].isspace() and said.isspace()):
                        continue  # it tells nothing of a lost output
                    note(part["tool_use_id"], number)

    # Records that may not be

    def _odd(self, value: Any, number: int) -> None:
        """What is known of any record: its links, and its ids."""
        self._part_with_plain(value)
        if type(value) is Doubtful:
            self.suspect = True
            self._flawed = self._flawed or not value.strict
            value = value.value
        if not isinstance(value, dict):
            self.suspect = True
            self.whole = self.whole or isinstance(value, Damaged)
            return
        kind = value.get("type")
        if not isinstance(kind, str) or kind not in CHAIN_TYPES:
            self._odd_note(value, kind, number)
            return
        self.suspect = True
        self._state = ODD
        uuid, parent = value.get("uuid"), value.get("parentUuid")
        if (
            not isinstance(uuid, str)
            or not uuid
            or value.get("isSidechain") is True
            or (kind == "system" and value.get("subtype") == "compact_boundary")
            or not (parent == self._last or self._is_own(parent))
        ):
            self.whole = True
            return
        if parent != self._last:
            self._loose = True
            self._strays = self._strays or not self._stays(value, kind, parent)
        if kind == "user" or kind == "assistant":
            self._odd_message(value, kind, number)
        elif kind == "progress":
            self.around.note_copy(value.get("parentToolUseID"), number)
        self._own.append(uuid)
        if len(self._own) > _MANY:
            self._is_own(None)
        self._last = uuid

    def _odd_note(self, value: dict[str, Any], kind: Any, number: int) -> None:
        if "message" in value or "parentUuid" in value:
            self._unknown(value, number)
        elif kind == "last-prompt":
            self._leaf = text_or_none(value.get("leafUuid")) or self._leaf
        elif kind == "api-request" and isinstance(value.get("params"), dict):
            self._request = value
        elif kind == "api-request-blob":
            content = content_of(value)
            for part in content if isinstance(content, list) else ():
                if isinstance(part, dict):
                    self.around.note_copy(part.get("tool_use_id"), number)

    def _unknown(self, value: dict[str, Any], number: int) -> None:
        """A record of a type that the agent does not read: links that lead over it are lost to it."""
        if "parentUuid" in value and value.get("uuid"):
            self.whole = True
        content = content_of(value)
        for part in content if isinstance(content, list) else ():
            if isinstance(part, dict):
                self.around.note_copy(part.get("tool_use_id"), number)

    def _odd_message(self, value: dict[str, Any], kind: str, number: int) -> None:
        content = content_of(value)
        parts = [part for part in content if isinstance(part, dict)] if isinstance(content, list) else []
        for part in parts:
            self.note(part.get("id"))
            self.note(part.get("tool_use_id"))
            if part.get("type") == "thinking":
                self._signed += bool(part.get("signature"))
            elif part.get("type") == "redacted_thinking":
                self._signed += bool(part.get("data"))
        message = value.get("message")
        message = message if isinstance(message, dict) else {}
        if value.get("isApiErrorMessage") is True or message.get("model") == SYNTHETIC_MODEL:
            self._errors = True
        if kind == "user":
            self._strays = self._strays or (bool(parts) and self._is_late(value, parts))
            if not any(part.get("type") == "tool_result" for part in parts):
                self.around.words_at = number
        else:
            id_ = text_or_none(message.get("id"))
            if id_ is not None and id_ != self._response:
                self._begin(id_)
            if isinstance(value.get("uuid"), str):
                self._homes.add(value["uuid"])
            self._since.clear()
        self._last_talk = value

    def _is_own(self, uuid: Any) -> bool:
        """Whether a record of the stretch has this uuid."""
        self._known.update(self._own)
        self._uuids.extend(map(hash, self._own))
        self._own.clear()
        return isinstance(uuid, str) and (uuid in self._known or (bool(self._kept) and hash(uuid) in self._kept))

    def _stays(self, value: dict[str, Any], kind: str, parent: Any) -> bool:
        """Whether a record that hangs beside the last one belongs to the response, and so do those that it passes."""
        if not self._is_home(parent) or is_words(self._last_talk):
            return False
        if kind == "user":
            content = content_of(value)
            return isinstance(content, list) and bool(content) and all(is_result(part) for part in content)
        return kind != "assistant"

    def _is_home(self, uuid: Any) -> bool:
        """Whether a record of the response has this uuid."""
        return uuid in self._homes

    def _is_late(self, value: dict[str, Any], parts: Sequence[dict[str, Any]]) -> bool:
        """Whether results stand behind something else than the response that they belong to."""
        if not any(map(is_result, parts)):
            return False
        home = text_or_none(value.get("sourceToolAssistantUUID")) or text_or_none(value.get("parentUuid"))
        return is_words(self._last_talk) or not self._is_home(home)

    def note(self, id_: Any) -> None:
        if isinstance(id_, str):
            found = _COPY.fullmatch(id_)
            # What the agent makes of an id that is another one with a number behind it depends on the whole history.
            if id_ in self._past_ids or id_ in self._bases or (found is not None and found[1] in self.ids):
                self.whole = True
            if found is not None:
                self._bases.add(found[1])
        super().note(id_)

    def _compacted(self, value: dict[str, Any], number: int) -> None:
        """A compaction: what it replaced is not sent any more. The stretch in which it stands is left to the rules."""
        uuid = value["uuid"]
        spans = any(min(pair) < len(self.done) for pair in self.joined)
        if (
            value["parentUuid"] is not None
            or value.get("isSidechain") is True
            or type(uuid) is not str
            or not uuid
            or value.get("logicalParentUuid") != self._last
            or self._strays
            or spans
        ):
            self.whole = True
            return
        if self._flawed:
            self.whole = True  # what is wrong with a record is told wherever it stands
            return
        self._is_own(None)
        names = kept_by(value)
        begin = self._begins[-1]
        if names:
            # What is kept stands not far in front of it.
            start = max(len(self._uuids) - _NEAR, 0)
            places = {found: at for at, found in enumerate(self._uuids[start:], start)}
            if any(hash(name) not in places for name in names):
                self.whole = True
                return
            begin = min(begin, *(places[hash(name)] for name in names))
        window = bisect_right(self._begins, begin) - 1
        self._first = self.done[window].first if window < len(self.done) else self._first
        begin = self._begins[window]
        past = [id_ for id_, at in self.ids.items() if at < window]
        self._past_ids.update(past)
        for id_ in past:
            del self.ids[id_]
        for id_ in self.ids:
            self.ids[id_] = 0
        self._past, self._inactive = self._first, begin
        self.done, self.joined, self._begins = [], [], [begin]
        self.unmark()
        self._kept = set(self._uuids[begin:])
        self._known.clear()
        self._replaced = len(self._uuids)
        self._messages = self._calls = self._rows = self._signed = 0
        self._asked, self._given, self._texts, self._empty = [], [], [], []
        self._since.clear()
        self.suspect, self._state, self._loose, self._errors = True, ODD, False, False
        self.around.words_at = number
        self._own.append(uuid)
        self._last = uuid

    # The stretches

    def _here(self, number: int) -> _Place:
        counts = (self._messages, self._calls, self._rows, self._signed)
        return _Place(number, counts, len(self._own), len(self.ids), len(self._empty))

    def _part_with_plain(self, odd: Any) -> None:
        """Cut off what is in order in front of the exchange before an odd record."""
        place = self.unmark()
        if place is None:
            return
        number, counts, own, ids, empty = place
        parent = odd.get("parentUuid") if isinstance(odd, dict) else None
        if parent is not None and parent != self._last and parent not in self._own[own:]:
            return
        known, silent = self._own[own:], self._empty[empty:]
        behind = [now - then for now, then in zip(self._here(number).counts, counts, strict=True)]
        del self._own[own:], self._empty[empty:]
        self._messages, self._calls, self._rows, self._signed = counts
        self._cut(number)
        self._messages, self._calls, self._rows, self._signed = behind
        here = len(self.done)
        self._own = known
        self._empty += [(id_, name, here) for id_, name, _ in silent]
        self.move_ids(ids)

    def _cut(self, number: int) -> None:
        here, silent = len(self.done), 0
        while silent < len(self._empty) and self._empty[-1 - silent][2] == here:
            silent += 1
        outputs = self._calls - silent
        self.close(self._first, number, self._messages, self._calls, self._rows, outputs, self._signed)
        self._first = number
        self._messages = self._calls = self._rows = self._signed = 0
        self._uuids.extend(map(hash, self._own))
        self._own.clear()
        self._known.clear()
        self._kept.clear()
        if self._loose:
            self._beside.extend(self._uuids[self._begins[-1] :])
        self._begins.append(len(self._uuids))
        self._loose = self._errors = False

    def _note_facts(self, values: Sequence[Any]) -> None:
        around = self.around
        if Doubtful in map(type, values):
            values = [value.value if type(value) is Doubtful else value for value in values]
        if self._folder is None or len(around.first_uuids) < _FIRST:
            for value in values:
                if isinstance(value, dict):
                    self._folder = self._folder or text_or_none(value.get("cwd"))
                    uuid = text_or_none(value.get("uuid"))
                    if uuid is not None and len(around.first_uuids) < _FIRST:
                        around.first_uuids.append(uuid)
                    elif self._folder is not None and uuid is not None:
                        break
        version = session = model = None
        for value in reversed(values):
            if not isinstance(value, dict):
                continue
            version = version or text_or_none(value.get("version"))
            session = session or text_or_none(value.get("sessionId"))
            if model is None and value.get("type") == "assistant" and value.get("isSidechain") is not True:
                message = value.get("message")
                found = text_or_none(message.get("model")) if isinstance(message, dict) else None
                model = found if found != SYNTHETIC_MODEL else None
            if version is not None and session is not None and model is not None:
                break
        self._version, self._session = version or self._version, session or self._session
        self._model = model or self._model

    def _head(self) -> Transcript:
        thinking = None
        if self._request is not None:
            asked = self._request["params"].get("thinking")
            thinking = isinstance(asked, dict) and asked.get("type") != "disabled"
        return Transcript(
            (),
            merged=True,
            native=True,
            agent=AGENT,
            agent_version=self._version,
            agent_facts=ResumedBy(self._resumed_by),
            session_id=self._session,
            folder=self._folder,
            model=self._model,
            thinking=thinking,
        )

    def outline(self) -> Outline | None:
        agent = behaviour(self._resumed_by)
        if self._last is None or not agent.heals:
            return None
        if agent.needs_time and seconds_of(self._last_talk.get("timestamp")) is None:
            return None  # the agent does not find such a session
        if self._errors or not self._leads_to_end():
            return None
        if self._state in (START, ODD) or (self._state == RESPONSE and self._waits()):
            self._part_with_plain(None)
            self.suspect = True
        end = self._number
        if end > self._first:
            self._cut(end)
            self._first = end
        if len(set(self._uuids)) < len(self._uuids) or len(set(self._responses)) < len(self._responses):
            return None
        silent = [id_ for id_, _, _ in self._empty]
        for id_, name, window in self._empty:
            if self._is_known_elsewhere(id_, name, silent):
                self.done[window].clean = False
        found = super().outline()
        if found is None:
            return None
        self.around.head = head = self._head()
        ids = KnownIds(self.ids, self._past_ids) if self._past_ids else self.ids
        return replace(found, ids=ids, head=head, around=self.around, past=self._past, inactive=self._inactive)

    def _is_known_elsewhere(self, id_: str, name: str, others: Sequence[str]) -> bool:
        """Whether the output of a call, whose result says nothing, may stand somewhere else."""
        if self.around.has_copy(id_):
            return True
        return self._files is not None and self._files.may_tell(id_, name, others)

    def _leads_to_end(self) -> bool:
        """Whether the agent goes on from the last record, whatever record the last prompt names."""
        leaf = self._leaf
        if leaf is None:
            return True
        if self._is_own(leaf):
            # The rules see to it where it may be beside the history; else it hangs above the last record.
            self.suspect = self.suspect or hash(leaf) in self._beside
            return True
        known = hash(leaf)
        self.around.leaf_elsewhere = known in self._uuids
        return known not in self._beside and known not in self._uuids[: self._replaced]
