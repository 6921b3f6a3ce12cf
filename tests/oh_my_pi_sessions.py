"""oh-my-pi's sessions: pi's with a line in front and records of its own, broken in the same ways, and in its own."""

from __future__ import annotations

from tests import pi_sessions
from tests.broken_sessions import Breaks, Planted, Record, lines
from tests.pi_sessions import NAME, USAGE, PiSession, put_in

__all__ = ["MARK", "NAME", "TITLE_LINE", "corpus", "sound", "whole"]

MARK = b"\xef\xbb\xbf"
TITLE: Record = {"type": "title", "v": 1, "title": "", "updatedAt": PiSession.time(0), "pad": " " * 172}
TITLE_LINE = lines([TITLE])
_BEGIN, _LOOK, _ONE, _MORE, _TWO, _FOUR, _THAT, _ONCE, _FIVE = 3, 4, 5, 6, 7, 9, 10, 11, 13


def title() -> Record:
    return dict(TITLE)


def sound() -> PiSession:
    """pi's sound session without the first line, as oh-my-pi names models, and what it writes besides."""
    made = pi_sessions.sound()
    change, other = made.records[1], made.records[2]
    made.records[1] = {key: change[key] for key in ("type", "id", "parentId", "timestamp")} | {
        "model": "mock/mock-model"
    }
    made.records[2] = {key: other[key] for key in ("id", "parentId", "timestamp")} | {
        "type": "thinking_level_change",
        "thinkingLevel": None,
        "configured": None,
    }
    return made


def whole() -> bytes:
    return TITLE_LINE + sound().data()


BREAKS = _own = Breaks(sound)


@_own("one")
def _cleared(records: list[Record]) -> None:
    """The user cleared the conversation after the first response."""
    put_in(records, _ONE, {"type": "reset_boundary", "id": "c0c0c0c0", "timestamp": PiSession.time(50)})


@_own("one")
def _cleared_after_a_summary(records: list[Record]) -> None:
    record = {"type": "compaction", "id": "c0c0c0c0", "timestamp": PiSession.time(50), "summary": "Before."}
    put_in(records, _LOOK - 1, {**record, "firstKeptEntryId": records[_BEGIN]["id"], "tokensBefore": 9})
    put_in(records, _ONE + 1, {"type": "reset_boundary", "id": "c1c1c1c1", "timestamp": PiSession.time(50)})


@_own("one", "two", "three", "four")
def _summary_after_a_reset(records: list[Record]) -> None:
    record = {"type": "compaction", "id": "c0c0c0c0", "timestamp": PiSession.time(50), "summary": "Before."}
    put_in(records, _ONE, {"type": "reset_boundary", "id": "c1c1c1c1", "timestamp": PiSession.time(50)})
    put_in(records, _ONCE + 1, {**record, "firstKeptEntryId": records[_ONCE + 1]["id"], "tokensBefore": 9})


@_own("one", "two", "three", "four")
def _archived(records: list[Record]) -> None:
    """A compaction that keeps what was said as text."""
    said = "\u00b6user:Begin.\u2588<out>\u2588\x0eone\x0f\u2588</out>"
    record = {"type": "compaction", "id": "c0c0c0c0", "timestamp": PiSession.time(50), "summary": "HISTORY"}
    archive = {"frames": [], "totalChars": 9, "truncatedChars": 0, "text": said, "textHead": said}
    fields = {"method": "snapcompact", "tokensBefore": 9, "preserveData": {"snapcompact": archive}}
    put_in(records, _ONCE, {**record, **fields, "firstKeptEntryId": records[_ONCE]["id"]})


@_own("one", "two", "three", "four")
def _handed_off(records: list[Record]) -> None:
    record = {"type": "compaction", "id": "c0c0c0c0", "timestamp": PiSession.time(50), "summary": "I was busy."}
    put_in(records, _ONCE, {**record, "method": "handoff", "firstKeptEntryId": records[_ONCE]["id"], "tokensBefore": 9})


@_own()
def _loop_entered_in_the_middle(records: list[Record]) -> None:
    records[_MORE]["parentId"] = records[_FOUR]["id"]
    records[_ONCE]["parentId"] = records[_TWO]["id"]


@_own()
def _other_types(records: list[Record]) -> None:
    def add(kind: str, **fields: object) -> None:
        number = len(records)
        ids = {"id": f"{0xDEF000 + number:08x}", "parentId": records[-1]["id"], "timestamp": PiSession.time(number)}
        records.append({"type": kind, **ids, **fields})

    add("title_change", title="A title", source="auto")
    add("credential_pin", provider="mock", hash="00")
    add("service_tier_change", serviceTier=None)
    add("ttsr_injection", injectedRules=["a"])
    add("mode_change", mode="plan")
    add("model_usage", purpose="title", api="x", provider="mock", model="m", usage=USAGE, stopReason="stop")
    add("custom_message", customType="prewalk-plan", content="It planned.", display=True)
    add("custom_message", customType="note", content=[{"type": "text", "text": "A note."}], display=True)
    code = {"role": "pythonExecution", "code": "1", "output": "1", "exitCode": 0, "timestamp": 1}
    add("message", message=code)
    add("message", message={"role": "fileMention", "files": [{"path": "a", "content": "b"}], "timestamp": 1})
    add("message", message={"role": "developer", "content": [{"type": "text", "text": "A hint."}], "timestamp": 1})
    add(
        "message",
        message={
            "role": "assistant",
            "content": [],
            **pi_sessions.MODEL,
            "usage": USAGE,
            "stopReason": "stop",
            "retryRecovery": True,
        },
    )
    add("custom", customType="session_exit", data={"reason": "dispose"})


@_own("two", "three", "four")
def _stopped_with_placeholders(records: list[Record]) -> None:
    """A response was interrupted; the agent wrote results for its calls, which it does not send."""
    records[_MORE]["message"]["stopReason"] = "aborted"
    for number in range(_TWO, _FOUR + 1):
        records[number]["message"].update(
            isError=True, content=[{"type": "text", "text": "Tool execution was aborted."}]
        )


@_own()
def _stopped_in_a_thought(records: list[Record]) -> None:
    """A response that was interrupted and has a note behind it is sent."""
    records[_THAT]["message"]["stopReason"] = "aborted"
    note = {"type": "custom_message", "id": "c0c0c0c0", "timestamp": PiSession.time(50)}
    put_in(records, _THAT, {**note, "customType": "interrupted-thinking", "content": "It thought.", "display": False})


@_own("one")
def _name_empty(records: list[Record]) -> None:
    records[_LOOK]["message"]["content"][1]["name"] = ""
    records[_ONE]["message"]["content"][0]["text"] = "word-one-word"


@_own("one")
def _thinking_beside_a_call_that_is_left_out(records: list[Record]) -> None:
    thought = {"type": "thinking", "thinking": "Hm.", "thinkingSignature": "c2lnbmVk"}
    records[_LOOK]["message"]["content"].insert(0, thought)
    pi_sessions.take_out(records, _ONE)


def corpus() -> dict[str, Planted]:
    """Every way to break one, after the line with the title; and what is wrong with that line itself."""
    found = {**pi_sessions.corpus(sound), **_own.corpus(sound)}
    made = {name: Planted(_titled(planted.data), planted.words) for name, planted in found.items()}
    nothing = found["nothing"]
    made["title_lost"] = nothing
    made["title_torn"] = Planted(TITLE_LINE[:60] + b"\n" + nothing.data, nothing.words)
    made["title_that_is_none"] = Planted(TITLE_LINE.replace(b'"v":1', b'"v":2') + nothing.data, nothing.words)
    return made


def _titled(data: bytes) -> bytes:
    return MARK + TITLE_LINE + data[len(MARK) :] if data.startswith(MARK) else TITLE_LINE + data
