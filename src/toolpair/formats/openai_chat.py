"""OpenAI chat messages: calls in `tool_calls`, each result a message with role `tool`; legacy `function_call` too."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from toolpair.formats.anthropic import looks_like_messages
from toolpair.formats.base import AS_RESUMED, Item, View
from toolpair.formats.editor import Editor, call_ranks
from toolpair.formats.plain import PlainFormat
from toolpair.formats.works import Entry, Work
from toolpair.transcript.content import text_of
from toolpair.transcript.edits import Answer, Arrange, Edit, Place, Spot
from toolpair.transcript.model import Block, ContentShape, Message, Scope, Transcript

_RESULT_ROLES = ("tool", "function")


def _message_of(item: Item) -> Message | None:
    value = item.value
    if not isinstance(value, dict):
        return None
    role = value.get("role")
    content = value.get("content")
    shape: ContentShape = (
        "string"
        if isinstance(content, str)
        else "blocks"
        if isinstance(content, list)
        else "null"
        if "content" in value
        else "absent"
    )
    if role in _RESULT_ROLES:
        name = value.get("name")
        id_ = value.get("tool_call_id") if role == "tool" else None
        block = Block("result", value, item.uid, (), id_, name if isinstance(name, str) else None)
        return Message(role, (block,), (item.uid,), shape, value)
    blocks: list[Block] = []
    if isinstance(content, str) and content:
        blocks.append(Block("text", content, item.uid, ("content",)))
    elif isinstance(content, list):
        for number, part in enumerate(content):
            kind = part.get("type") if isinstance(part, dict) else None
            blocks.append(
                Block(
                    "text" if kind == "text" or isinstance(part, str) else "media", part, item.uid, ("content", number)
                )
            )
    calls = value.get("tool_calls")
    for number, call in enumerate(calls if isinstance(calls, list) else ()):
        blocks.append(_call(call, item.uid, ("tool_calls", number)))
    if isinstance(value.get("function_call"), dict):
        blocks.append(_call(value["function_call"], item.uid, ("function_call",)))
    return Message(role, tuple(blocks), (item.uid,), shape, value)


def _call(value: Any, record: int, slot: tuple[str | int, ...]) -> Block:
    if not isinstance(value, dict):
        return Block("other", value, record, slot)
    holder = next((value[key] for key in ("function", "custom") if isinstance(value.get(key), dict)), value)
    name = holder.get("name")
    return Block("call", value, record, slot, value.get("id"), name if isinstance(name, str) else None)


class OpenAIChatFormat(PlainFormat):
    """Plain arrays and JSON lines of chat messages, judged as they stand."""

    id = "openai-chat"
    title = "OpenAI chat messages"
    profile = "openai-chat"
    containers = frozenset({"array", "lines"})
    where = "request bodies, logs and exports of programs that use the Chat Completions API or one like it"

    def sniff(self, values: Sequence[Any]) -> int:
        if not looks_like_messages(values):
            return 0
        dicts = [value for value in values if isinstance(value, dict)]
        for value in dicts:
            if isinstance(value.get("tool_call_ids"), list) or "message_type" in value:
                return 0
            if value.get("role") == "tool" or isinstance(value.get("tool_calls"), list) or "function_call" in value:
                return 92
        return 40 if all(isinstance(value.get("content"), str) for value in dicts) else 30

    def read(self, items: Sequence[Item], view: View = AS_RESUMED) -> Transcript:
        messages: list[Message] = []
        scopes: dict[int, Scope] = {}
        for item in items:
            message = _message_of(item)
            if message is None:
                scopes[item.uid] = "malformed"
            else:
                messages.append(message)
        return Transcript(tuple(messages), layout="tool_messages", scopes=scopes)

    def apply(self, items: Sequence[Item], transcript: Transcript, edits: Sequence[Edit]) -> list[Item]:
        return _ChatEditor(items, transcript).run(edits)


class _ChatEditor(Editor):
    """Carries edits out on chat messages. A result moves as the whole record that it is."""

    def __init__(self, items: Sequence[Item], transcript: Transcript) -> None:
        super().__init__(items, transcript)
        self._made: dict[int, Work] = {}
        """id() of an `Answer` -> the message that it inserted."""
        self._put_behind: dict[int, Work] = {}
        """uid of a message -> the last result that was put behind it."""

    def id_key(self, entry: Entry) -> str:
        return "id" if entry.kind == "call" else "tool_call_id"

    def rename(self, entry: Entry, id_: str) -> None:
        super().rename(entry, id_)
        if entry.value.get("role") == "function":
            # A legacy result has no id: only a tool message can answer a call that has one.
            entry.value["role"] = self.bench.work(entry).role = "tool"

    def answer(self, call: Entry, edit: Answer) -> None:
        made = self._new_result(call, edit.content, edit.id)
        self._made[id(edit)] = made
        if edit.spot is None:
            self._place(call, made)
        else:
            self._put_at(edit.spot, made)

    def _put_at(self, spot: Spot, result: Work) -> None:
        bench = self.bench
        if isinstance(spot.of, Message):
            work = bench.works_of(spot.of)[0]
        else:
            work = bench.work(bench.entry(spot.of))
        if spot.side == "before":
            bench.insert_after(work.before, result)
            return
        bench.insert_after(self._put_behind.get(work.uid, work), result)
        self._put_behind[work.uid] = result

    def place(self, result: Entry, call: Entry, edit: Place) -> None:
        work = self.bench.work(result)
        self.bench.drop(work)
        self._place(call, work)

    def arrange(self, edit: Arrange) -> None:
        if edit.how == "call_order":
            works = [
                self._made[id(part)] if isinstance(part, Answer) else self.bench.work(self.bench.entry(part))
                for part in edit.order
            ]
            self._rearrange(works, [work.before for work in self.bench.in_order(works)])

    def _rearrange(self, works: Sequence[Work], anchors: Sequence[Work | None]) -> None:
        """Put `works` one after the other into the places that they hold, whose records in front are `anchors`."""
        bench = self.bench
        own = {id(work) for work in works}
        for work in works:
            bench.drop(work)
        last: Work | None = None
        for anchor, work in zip(anchors, works, strict=True):
            bench.insert_after(last if anchor is None or id(anchor) in own else anchor, work)
            last = work

    def _new_result(self, call: Entry, content: Any, id_: str | None) -> Work:
        text = content if isinstance(content, str) or _text_parts(content) else text_of(content)
        if call.slot[-1:] == ("function_call",):
            value = {"role": "function", "name": call.value.get("name") or "unknown_tool", "content": text}
        else:
            value = {"role": "tool", "tool_call_id": id_ or call.id, "content": text}
        work = self.bench.new_work(value["role"], value)
        self.bench.add(work, 0, Entry("result", value, value.get("tool_call_id")))
        return work

    def _place(self, call: Entry, result: Work) -> None:
        """Into the run of results behind the call's message, in call order."""
        bench = self.bench
        home = bench.work(call)
        calls = [entry for entry in home.entries if entry.kind == "call"]
        ranks, mine = call_ranks(calls, call)
        anchor = home
        for work in bench.following(home):
            id_ = work.entries[0].id if work.entries else None
            if work.role not in _RESULT_ROLES or ranks.get(str(id_), -1) > mine:
                break
            anchor = work
        bench.insert_after(anchor, result)

    def remove(self, entry: Entry) -> None:
        bench = self.bench
        work = bench.work(entry)
        if entry.kind == "result":
            bench.drop(work)
            return
        bench.take(entry)

    def to_text(self, entry: Entry, text: str, media: tuple[Any, ...]) -> None:
        bench = self.bench
        work = bench.work(entry)
        if entry.kind == "call":
            content = work.fields.get("content", work.value.get("content"))
            work.fields["content"] = (
                [*content, {"type": "text", "text": text}]
                if isinstance(content, list)
                else f"{content}\n{text}"
                if content
                else text
            )
            bench.add(work, 0, Entry("text", text))
            bench.take(entry)
            return
        made = bench.new_work(
            "user", {"role": "user", "content": [{"type": "text", "text": text}, *media] if media else text}
        )
        bench.add(made, 0, kept := Entry("text", text))
        kept.kept = True
        anchor = work
        for following in bench.following(work):
            if following.role not in _RESULT_ROLES and not any(entry.kept for entry in following.entries):
                break
            anchor = following
        bench.insert_after(anchor, made)
        bench.drop(work)

    def move_to_role(self, entry: Entry, role: str) -> None:
        bench = self.bench
        work = bench.work(entry)
        if all(found.kind == "call" for found in work.entries):
            work.role = role
            work.fields["role"] = role
            work.dirty = True
            return
        following = next(bench.following(work), None)
        if following is not None and following.item is None and following.role == role:
            target = following
        else:
            target = bench.new_work(role, {"role": role, "content": None, "tool_calls": []})
            bench.insert_after(work, target)
        bench.take(entry)
        bench.add(target, len(target.entries), entry)

    def value(self, work: Work) -> dict[str, Any]:
        value = dict(work.value)
        if not work.had_entries or any(entry.kept for entry in work.entries):
            return value
        if work.role in _RESULT_ROLES and work.entries:
            return dict(work.entries[0].value)
        calls = [entry for entry in work.entries if entry.kind == "call"]
        listed = [entry.value for entry in calls if entry.slot[-1:] != ("function_call",)]
        if listed:
            value["tool_calls"] = listed
        elif value.get("tool_calls"):
            value.pop("tool_calls")
        legacy = [entry.value for entry in calls if entry.slot[-1:] == ("function_call",)]
        if legacy:
            value["function_call"] = legacy[0]
        else:
            value.pop("function_call", None)
        if isinstance(value.get("content"), list):
            kept = [entry.value for entry in work.entries if len(entry.slot) == 2 and entry.slot[0] == "content"]
            if len(kept) != len(value["content"]) or any(
                a is not b for a, b in zip(kept, value["content"], strict=True)
            ):
                value["content"] = kept
        return value


def _text_parts(content: Any) -> bool:
    return isinstance(content, list) and all(isinstance(part, dict) and part.get("type") == "text" for part in content)


FORMAT = OpenAIChatFormat()
