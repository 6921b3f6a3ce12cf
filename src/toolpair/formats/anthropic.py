"""Anthropic messages: results are blocks of the next user message."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from toolpair.formats.base import AS_RESUMED, Item, View
from toolpair.formats.blocks import blocks_of
from toolpair.formats.editor import Editor, call_ranks
from toolpair.formats.plain import PlainFormat
from toolpair.formats.works import Entry, Work
from toolpair.transcript.edits import Answer, Arrange, Edit, Place, Spot
from toolpair.transcript.items import CALL_FAMILY, OUTPUT_FAMILY, type_name
from toolpair.transcript.model import Block, Message, Scope, Transcript


def looks_like_messages(values: Sequence[Any]) -> bool:
    """Whether these are message objects at all, and none of the look-alikes (Bedrock, Gemini, Responses, AI SDK)."""
    dicts = [value for value in values if isinstance(value, dict)]
    if not dicts or sum(isinstance(value.get("role"), str) for value in dicts) * 2 < len(dicts):
        return False
    for value in dicts:
        if ("parts" in value and "content" not in value) or "message_type" in value or "tool_call_ids" in value:
            return False
        if "role" not in value and (type_name(value) in CALL_FAMILY or type_name(value) in OUTPUT_FAMILY):
            return False
        content = value.get("content")
        for part in content if isinstance(content, list) else ():
            if not isinstance(part, dict):
                continue
            if "type" not in part and any(key in part for key in ("text", "toolUse", "toolResult")):
                return False
            if part.get("type") in ("tool-call", "tool-result", "input_text", "output_text"):
                return False
    return True


def has_tool_blocks(values: Sequence[Any]) -> bool:
    return any(
        isinstance(part, dict) and part.get("type") in ("tool_use", "tool_result", "thinking", "server_tool_use")
        for value in values
        if isinstance(value, dict) and isinstance(value.get("content"), list)
        for part in value["content"]
    )


def message_of(item: Item) -> Message | None:
    """The message that a record holds; None when it holds none."""
    value = item.value
    if not isinstance(value, dict):
        return None
    if "content" not in value:
        return Message(value.get("role"), (), (item.uid,), "absent", value)
    blocks, shape = blocks_of(value["content"], item.uid, ("content",))
    return Message(value.get("role"), blocks, (item.uid,), shape, value)


class AnthropicFormat(PlainFormat):
    """Plain arrays and JSON lines of Anthropic messages, judged as they stand."""

    id = "anthropic"
    title = "Anthropic messages"
    profile = "anthropic"
    containers = frozenset({"array", "lines"})
    where = "request bodies, logs and exports of programs that use the Anthropic API"

    def sniff(self, values: Sequence[Any]) -> int:
        if not looks_like_messages(values):
            return 0
        if any(isinstance(value, dict) and value.get("role") == "tool" for value in values):
            return 0
        if has_tool_blocks(values):
            return 90
        return 45 if any(isinstance(value, dict) and isinstance(value.get("content"), list) for value in values) else 20

    def read(self, items: Sequence[Item], view: View = AS_RESUMED) -> Transcript:
        messages: list[Message] = []
        scopes: dict[int, Scope] = {}
        for item in items:
            message = message_of(item)
            if message is None:
                scopes[item.uid] = "malformed"
            else:
                messages.append(message)
        return Transcript(tuple(messages), scopes=scopes)

    def apply(self, items: Sequence[Item], transcript: Transcript, edits: Sequence[Edit]) -> list[Item]:
        return MessageEditor(items, transcript).run(edits)


class MessageEditor(Editor):
    """Carries edits out on records of Anthropic messages."""

    def __init__(self, items: Sequence[Item], transcript: Transcript) -> None:
        super().__init__(items, transcript)
        self._made: dict[int, Entry] = {}
        """id() of an `Answer` -> the result that it inserted."""
        self._put_behind: dict[int, Entry] = {}
        """id() of an entry -> the last one that was put behind it."""
        self._known_at: dict[int, int] = {}
        """id() of an entry -> where it stood in its message when it was looked for last."""
        self._put_in_front: dict[int, int] = {}
        """uid of a message's record -> how many results were put in front of all else in it."""

    def id_key(self, entry: Entry) -> str:
        return "id" if entry.kind in ("call", "server_call", "mcp_call") else "tool_use_id"

    def answer(self, call: Entry, edit: Answer) -> None:
        made: dict[str, Any] = {"type": "tool_result", "tool_use_id": edit.id or call.id, "content": edit.content}
        if edit.is_error:
            made["is_error"] = True
        entry = Entry("result", made, made["tool_use_id"])
        self._made[id(edit)] = entry
        if edit.spot is None:
            self._answer(call, edit.call, entry)
        else:
            self._put_at(edit.spot, entry)

    def place(self, result: Entry, call: Entry, edit: Place) -> None:
        self.bench.take(result)
        self._answer(call, edit.call, result)

    def remove(self, entry: Entry) -> None:
        self.bench.take(entry)

    def arrange(self, edit: Arrange) -> None:
        self._arrange(edit.message, edit.how, edit.order)

    def _answer(self, call_entry: Entry, call: Block, result: Entry) -> None:
        """Put `result` among the leading results of the message behind the call, in call order."""
        bench = self.bench
        home = bench.work(call_entry)
        own_works = bench.works_of(bench.message_of(call)) if self.transcript.merged else [home]
        own_works = [work for work in own_works if bench.is_in(work)]
        last = own_works[-1] if any(work is home for work in own_works) else home
        following = self._answering(last)
        ranks, mine = call_ranks(
            [entry for work in own_works for entry in work.entries if entry.kind == "call"], call_entry
        )
        position = 0
        for number, entry in enumerate(following.entries):
            if entry.kind != "result" or ranks.get(str(entry.id), -1) > mine:
                break
            position = number + 1
        bench.add(following, position, result)

    def _put_at(self, spot: Spot, result: Entry) -> None:
        bench = self.bench
        if isinstance(spot.of, Message):
            works = bench.works_of(spot.of)
            if spot.side == "before":
                self._put_first(works[0], result)
            else:
                self._put_first(self._answering(works[-1]), result)
            return
        anchor = bench.entry(spot.of)
        home = bench.work(anchor)
        if home.role == "assistant":
            self._put_first(self._answering(bench.works_of(bench.message_of(spot.of))[-1]), result)
        elif spot.side == "before":
            at = self._index(home, anchor)
            bench.add(home, at, result)
            self._known_at[id(anchor)] = at + 1
        else:
            last = self._put_behind.get(id(anchor), anchor)
            at = self._index(home, last) + 1
            bench.add(home, at, result)
            self._known_at[id(result)] = at
            self._put_behind[id(anchor)] = result

    def _index(self, work: Work, entry: Entry) -> int:
        """Where the entry stands in its message; most often where it was put last."""
        known = self._known_at.get(id(entry), len(work.entries))
        if known < len(work.entries) and work.entries[known] is entry:
            return known
        return next(number for number, found in enumerate(work.entries) if found is entry)

    def _put_first(self, work: Work, result: Entry) -> None:
        position = self._put_in_front.get(work.uid, 0)
        self._put_in_front[work.uid] = position + 1
        self.bench.add(work, position, result)

    def _answering(self, home: Work) -> Work:
        """The user's message behind this one; a new one where another's comes next, or none."""
        following = next(self.bench.following(home), None)
        if following is not None and following.role == "user":
            return following
        made = self.bench.new_work("user", {"role": "user", "content": []})
        self._inherit(made, home)
        self.bench.insert_after(home, made)
        return made

    def _arrange(self, message: Message, how: str, order: tuple[Block | Answer, ...]) -> None:
        bench = self.bench
        if how == "call_order":
            wanted = [self._made[id(part)] if isinstance(part, Answer) else bench.entry(part) for part in order]
            own = {id(entry) for entry in wanted}
            places = [
                (work, position)
                for work in bench.in_order([bench.work(entry) for entry in wanted])
                for position, found in enumerate(work.entries)
                if id(found) in own
            ]
            for (work, position), entry in zip(places, wanted, strict=True):
                work.entries[position] = entry
                bench.moved(entry, work)
            return
        works = bench.works_of(message)
        if how == "calls_last":
            for work in works:
                work.entries.sort(key=lambda entry: entry.kind == "call")
                work.dirty = True
            if len(works) > 1:
                calls = [entry for work in works[:-1] for entry in work.entries if entry.kind == "call"]
                for entry in calls:
                    bench.take(entry)
                for number, entry in enumerate(calls):
                    first_call = next(
                        (at for at, found in enumerate(works[-1].entries) if found.kind == "call"),
                        len(works[-1].entries),
                    )
                    bench.add(works[-1], first_call + 0 * number, entry)
            return
        first = works[0]
        for work in works[1:]:
            for entry in work.results():
                bench.take(entry)
                bench.add(first, len(first.entries), entry)
        first.entries.sort(key=lambda entry: entry.kind != "result")
        first.dirty = True

    def to_text(self, entry: Entry, text: str, media: tuple[Any, ...]) -> None:
        bench = self.bench
        work = bench.work(entry)
        if entry.kind == "call":
            entry.kind, entry.value, entry.id = "text", {"type": "text", "text": text}, None
            work.entries.sort(key=lambda found: found.kind == "call")
            work.dirty = True
            return
        texts = [Entry("text", {"type": "text", "text": text}), *(Entry("media", part) for part in media)]
        for made in texts:
            made.kept = True
        if work.role != "user":
            following = next(bench.following(work), None)
            if following is None or following.role != "user":
                following = bench.new_work("user", {"role": "user", "content": []})
                self._inherit(following, work)
                bench.insert_after(work, following)
            target = following
        else:
            target = work
        position = max((number + 1 for number, found in enumerate(target.entries) if found.kind == "result"), default=0)
        while position < len(target.entries) and target.entries[position].kept:
            position += 1
        for offset, made in enumerate(texts):
            bench.add(target, position + offset, made)
        bench.take(entry)

    def move_to_role(self, entry: Entry, role: str) -> None:
        bench = self.bench
        work = bench.work(entry)
        if all(found.kind == entry.kind for found in work.entries):
            work.role = role
            work.fields["role"] = role
            work.dirty = True
            return
        position = next(number for number, found in enumerate(work.entries) if found is entry)
        before = work.before
        if position == 0 and before is not None and before.item is None and before.role == role:
            bench.take(entry)
            bench.add(before, len(before.entries), entry)
            return
        made = bench.new_work(role, {"role": role, "content": []})
        self._inherit(made, work)
        rest = work.entries[position + 1 :]
        work.entries = work.entries[:position]
        work.dirty = True
        bench.add(made, 0, entry)
        if not work.entries:
            work.entries = rest
            bench.insert_after(work.before, made)
            return
        bench.insert_after(work, made)
        if rest:
            behind = bench.new_work(work.role, {"role": work.role, "content": []})
            self._inherit(behind, work)
            bench.insert_after(made, behind)
            for number, found in enumerate(rest):
                bench.add(behind, number, found)

    def value(self, work: Work) -> dict[str, Any]:
        value = dict(work.value)
        if not work.had_entries:
            return value
        string = isinstance(value.get("content"), str)
        if string and len(work.entries) == 1 and isinstance(work.entries[0].value, str):
            value["content"] = work.entries[0].value
            return value
        value["content"] = [
            {"type": "text", "text": entry.value} if isinstance(entry.value, str) else entry.value
            for entry in work.entries
        ]
        return value


FORMAT = AnthropicFormat()
