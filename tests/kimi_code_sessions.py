"""Kimi Code's sessions as it writes them, and many ways in which they break. Every output says a word of its own."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from tests.broken_sessions import Breaks, Planted, Record, lines, tell, word

ID: Final = "session_5a1f3c8e-7d42-4b6f-9e0a-1c2d3e4f5a6b"
NAME: Final = f".kimi-code/sessions/wd_shop_d0f3f31d6b1c/{ID}/agents/main/wire.jsonl"
TIME: Final = 1_795_248_700_000
_NUMBERS: Final = {name: number for number, name in enumerate(("one", "two", "three", "four", "five", "six"))}


def call_id(name: str) -> str:
    return f"Bash:{_NUMBERS[name]}"


class Made:
    """The lines of one agent: its events, and what Kimi Code notes between them."""

    def __init__(self) -> None:
        self.records: list[Record] = [{"type": "metadata", "protocol_version": "1.5", "created_at": TIME}]
        self._step: str | None = None
        self._steps = self._waiting = 0
        prompt = {"systemPrompt": "You are Kimi Code CLI.", "thinkingEffort": "on", "disallowedTools": []}
        self.add("profile.bind", modelAlias="kimi-k2", profileName="agent", **prompt)

    def add(self, kind: str, **fields: Any) -> None:
        self.records.append({"type": kind, "agentId": "main", **fields, "time": TIME + len(self.records)})

    def event(self, kind: str, **fields: Any) -> None:
        self.add("context.append_loop_event", event={"type": kind, **fields})

    def message(self, role: str, text: str, **fields: Any) -> None:
        content = [{"type": "text", "text": text}] if text else []
        self.add("context.append_message", message={"role": role, "content": content, "toolCalls": [], **fields})

    def user(self, text: str) -> None:
        self.add("turn.prompt", input=[{"type": "text", "text": text}], origin={"kind": "user"})
        self.message("user", text, id=f"msg_{len(self.records)}", origin={"kind": "user"})

    def begin(self) -> str:
        self._steps += 1
        self._step = f"step-{self._steps}"
        self.event("step.begin", uuid=self._step, turnId="0", step=self._steps)
        return self._step

    def end(self, reason: str) -> None:
        self.event("step.end", uuid=self._step, turnId="0", step=self._steps, finishReason=reason)

    def says(self, text: str, *names: str) -> None:
        step = self.begin()
        if text:
            self.part({"type": "text", "text": text})
        for name in names:
            args = {"command": f"echo {name}"}
            named = {"toolCallId": call_id(name), "name": "Bash", "args": args}
            self.event("tool.call", uuid=f"call-{name}", turnId="0", step=self._steps, stepUuid=step, **named)
        self._waiting = len(names)
        if not names:
            self.end("end_turn")

    def part(self, part: Record) -> None:
        self.event("content.part", uuid=f"part-{len(self.records)}", stepUuid=self._step, part=part)

    def result(self, name: str, **fields: Any) -> None:
        said = {"output": f"{word(name)}\n", **fields}
        self.event("tool.result", parentUuid=f"call-{name}", toolCallId=call_id(name), result=said)
        self._waiting -= 1
        if not self._waiting:
            self.end("tool_use")


def sound() -> Made:
    made = Made()
    tell(made)
    return made


broken = Breaks(sound)
GUESSES: Final = frozenset({"id_elsewhere"})
"""Who answers whom is a guess, and left to a person."""
Change = Callable[[list[Any]], Any]


def place(records: list[Any], kind: str, name: str) -> int:
    """Where the call or the result of this name is."""
    wanted = call_id(name)
    return next(
        number
        for number, one in enumerate(records)
        if one.get("event", {}).get("type") == kind and one["event"]["toolCallId"] == wanted
    )


def result_of(name: str) -> Callable[[list[Any]], int]:
    return lambda records: place(records, "tool.result", name)


def call_of(name: str) -> Callable[[list[Any]], int]:
    return lambda records: place(records, "tool.call", name)


def prompt(text: str) -> Callable[[list[Any]], int]:
    """Where the user says this."""
    return lambda records: next(
        number for number, one in enumerate(records) if one["type"] == "turn.prompt" and one["input"][0]["text"] == text
    )


Where = Callable[[list[Any]], int]


def _gone(*of: Where) -> Change:
    def change(records: list[Any]) -> None:
        for where in of:
            del records[where(records)]

    return change


def _moved(where: Where, to: Where, by: int = 0) -> Change:
    def change(records: list[Any]) -> None:
        line = records.pop(where(records))
        records.insert(to(records) + by, line)

    return change


def _with(where: Where, **fields: Any) -> Change:
    def change(records: list[Any]) -> None:
        records[where(records)]["event"].update(fields)

    return change


def _without(where: Where, key: str) -> Change:
    def change(records: list[Any]) -> None:
        del records[where(records)]["event"][key]

    return change


def _said(where: Where, **fields: Any) -> Change:
    return lambda records: records[where(records)]["event"]["result"].update(fields)


def _put(where: Where, by: int, *make: Callable[[Made], None]) -> Change:
    def change(records: list[Any]) -> None:
        made = Made()
        start = len(made.records)
        for one in make:
            one(made)
        at = where(records) + by
        records[at:at] = made.records[start:]

    return change


def _both(*changes: Change) -> Change:
    def change(records: list[Any]) -> None:
        for one in changes:
            one(records)

    return change


def _cut(where: Where, by: int = 0) -> Change:
    def change(records: list[Any]) -> None:
        del records[where(records) + by :]

    return change


def _bytes(where: Where, change: Callable[[bytes], bytes]) -> Change:
    def made(records: list[Any]) -> bytes:
        whole = lines(records).split(b"\n")
        at = where(records)
        whole[at] = change(whole[at])
        return b"\n".join(whole)

    return made


def _same(*of: Where) -> Change:
    """Calls and results with one id."""
    return _both(*(_with(where, toolCallId="Bash:0") for where in of))


def _compacted(by: int = 0, **fields: Any) -> Change:
    said = {"summary": "They looked.", "contextSummary": "Summary: they looked.", "compactedCount": 9, **fields}
    return _put(prompt("Once more."), by, lambda made: made.add("context.apply_compaction", **said))


def _undo(count: int) -> Change:
    return _put(prompt("Thanks."), 0, lambda made: made.add("context.undo", count=count))


def _branch(records: list[Any]) -> None:
    """The last turns were taken back, in another branch of the file."""
    at = prompt("Thanks.")(records)
    base = {"branch": "main", "line": prompt("Once more.")(records)}
    switched = {"branch": "b1", "base": base, "reason": "undo", "legacyUndoLine": at + 2}
    made = Made()
    start = len(made.records)
    made.add("agent.switched", **switched)
    made.add("context.undo", count=1)
    made.add("context.undone", count=1)
    records[at:at] = made.records[start:]


_BEFORE: Final = ("one", "two", "three", "four")
DEFECTS: Final[dict[str, tuple[Change, tuple[str, ...]]]] = {
    "nothing": (lambda records: None, ()),
    "result_gone": (_gone(result_of("one")), ("one",)),
    "result_of_three_gone": (_gone(result_of("three")), ("three",)),
    "all_results_gone": (_gone(*map(result_of, ("two", "three", "four"))), ("two", "three", "four")),
    "call_gone": (_gone(call_of("one")), ()),
    "call_of_three_gone": (_gone(call_of("three")), ()),
    "result_early": (_moved(result_of("one"), call_of("one")), ()),
    "result_behind_the_end": (
        _put(result_of("one"), 0, lambda made: made.event("step.end", uuid="step-1", step=1, finishReason="tool_use")),
        (),
    ),
    "result_late": (_moved(result_of("one"), call_of("two")), ()),
    "result_after_the_user": (_moved(result_of("four"), prompt("Once more."), 2), ()),
    "user_between": (
        _put(result_of("one"), 0, lambda made: made.message("user", "Hurry up.", origin={"kind": "user"})),
        (),
    ),
    "response_between": (_put(result_of("three"), 0, lambda made: made.says("Wait.")), ()),
    "order_changed": (_moved(result_of("two"), result_of("four"), 1), ()),
    "result_twice": (_put(result_of("one"), 1, lambda made: made.result("one")), ()),
    "another_result": (_put(result_of("two"), 1, lambda made: made.result("two", output="something else")), ()),
    "id_elsewhere": (_with(result_of("one"), toolCallId="Bash:99"), ()),
    "id_sanitised": (_with(result_of("one"), toolCallId="Bash_0"), ()),
    "id_empty": (_with(result_of("one"), toolCallId=""), ()),
    "id_missing": (_without(result_of("one"), "toolCallId"), ()),
    "id_used_again": (_same(call_of("five"), result_of("five")), ()),
    "id_used_again_unanswered": (_both(_same(call_of("five"), result_of("five")), _cut(prompt("Thanks."))), ()),
    "ids_alike_in_one": (
        _both(_with(call_of("three"), toolCallId="Bash:1"), _with(result_of("three"), toolCallId="Bash:1")),
        (),
    ),
    "step_unknown": (_with(call_of("five"), stepUuid="step-99"), ()),
    "step_not_begun": (_gone(lambda records: call_of("one")(records) - 2), ()),
    "name_missing": (_without(call_of("one"), "name"), ()),
    "arguments_missing": (_without(call_of("one"), "args"), ()),
    "output_empty": (_said(result_of("one"), output=""), ("one",)),
    "output_of_parts": (
        _said(result_of("one"), output=[{"type": "text", "text": word("one")}, {"type": "text", "text": "b"}]),
        (),
    ),
    "failed": (_said(result_of("one"), isError=True, durationMs=1534), ()),
    "noted": (_said(result_of("one"), note="<system>Cut.</system>", durationMs=20), ()),
    "killed": (_cut(result_of("five")), ("five",)),
    "killed_half_way": (_cut(result_of("three")), ("three", "four", "five")),
    "interrupted": (
        _both(
            _gone(result_of("five")),
            lambda records: records[call_of("five")(records) + 1]["event"].update(finishReason="interrupted"),
        ),
        ("five",),
    ),
    "compacted": (_compacted(keptUserMessageCount=1), _BEFORE),
    "compacted_as_before": (_compacted(), _BEFORE),
    "compacted_between": (
        _put(
            result_of("five"),
            0,
            lambda made: made.add(
                "context.apply_compaction",
                summary="S",
                contextSummary="S: all.",
                compactedCount=9,
                keptUserMessageCount=2,
            ),
        ),
        _BEFORE,
    ),
    "undone": (_undo(1), ("five",)),
    "undone_too_much": (_undo(9), ()),
    "undone_in_a_branch": (_branch, ("five",)),
    "cleared": (_put(prompt("Once more."), 0, lambda made: made.add("context.clear")), _BEFORE),
    "blank_message": (_put(prompt("Once more."), 0, lambda made: made.message("user", "  ")), ()),
    "messages_of_a_migration": (
        _put(
            prompt("Once more."),
            0,
            lambda made: made.message(
                "assistant", "", toolCalls=[{"type": "function", "id": "old", "name": "Bash", "arguments": "{}"}]
            ),
            lambda made: made.message("tool", "old output", toolCallId="old"),
        ),
        (),
    ),
    "torn": (_bytes(result_of("two"), lambda line: line[:-30]), ("two",)),
    "torn_at_the_end": (lambda records: lines(records)[:-40], ()),
    "glued": (lambda records: lines(records).replace(b"}\n{", b"}{", 9).replace(b"}{", b"}\n{", 8), ()),
    "nul": (_bytes(prompt("Once more."), lambda line: b"\0" * 20 + line), ()),
    "bad_utf8": (_bytes(result_of("two"), lambda line: line.replace(b"word-", b"\xffword-", 1)), ()),
}
"""Name -> what breaks the lines, and the outputs that are then nowhere in the active history."""
for _name, (_break, _lost) in DEFECTS.items():
    broken.add(_name, _break, *_lost)


def corpus() -> dict[str, Planted]:
    return broken.corpus()
