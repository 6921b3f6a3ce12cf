"""pi's sessions as pi writes them, and many ways in which they break. Every output says a word that is nowhere else."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

from tests.broken_sessions import Breaks, Places, Record, break_lines, lines, links, tell, word

ID = "01a1fd24-f7c0-7065-9091-a3b140f571fc"
NAME = f"2026-11-21T08-07-00-801Z_{ID}.jsonl"
FOLDER = "/"
"""Where it was had: a folder that is everywhere, since pi resumes nothing whose folder is gone."""
MODEL = {"api": "anthropic-messages", "provider": "mock", "model": "mock-model"}
USAGE = {"input": 9, "output": 5, "cacheRead": 0, "cacheWrite": 0, "totalTokens": 14, "cost": {"total": 0}}


class PiSession:
    """The records of one session, each of which hangs on the one before."""

    def __init__(self, **header: Any) -> None:
        first = {"type": "session", "version": 3, "id": ID, "timestamp": self.time(0), "cwd": FOLDER}
        self.records: list[Record] = [{**first, **header}]
        self.leaf: str | None = None
        self.add("model_change", provider="mock", modelId="mock-model")

    @staticmethod
    def time(number: int) -> str:
        return f"2026-11-21T08:07:{number:02d}.000Z"

    def add(self, kind: str, **fields: Any) -> Record:
        number = len(self.records)
        record = {"type": kind, "id": f"{0xABC000 + number:08x}", "parentId": self.leaf, "timestamp": self.time(number)}
        self.records.append({**record, **deepcopy(fields)})
        self.leaf = str(record["id"])
        return self.records[-1]

    def message(self, role: str, **fields: Any) -> Record:
        return self.add("message", message={"role": role, **fields, "timestamp": 1795248420000 + len(self.records)})

    def user(self, text: str) -> Record:
        return self.message("user", content=[{"type": "text", "text": text}])

    def says(self, text: str, *calls: str, reason: str = "", **fields: Any) -> Record:
        parts = [{"type": "text", "text": text}] if text else []
        parts += [call(name) for name in calls]
        stop = reason or ("toolUse" if calls else "stop")
        return self.message("assistant", content=parts, **{**MODEL, **fields}, usage=USAGE, stopReason=stop)

    def result(self, name: str, text: str | None = None, error: bool = False) -> Record:
        content = [{"type": "text", "text": word(name) if text is None else text}]
        return self.message(
            "toolResult", toolCallId=f"toolu_{name}", toolName="bash", content=content, details={"n": 1}, isError=error
        )

    def data(self) -> bytes:
        return lines(self.records)


def images_in_errors() -> bytes:
    """Two results that are errors and one that is none, with images in them."""
    image = {"type": "image", "data": "iVBORw0KGgo=", "mimeType": "image/png"}
    session = PiSession()
    session.user("Begin.")
    session.says("I look.", "one", "two", "three")
    for name, error, more in (("one", True, [image, image]), ("two", False, [image]), ("three", True, [image])):
        session.result(name, error=error)
        session.records[-1]["message"]["content"] += more
    session.records[-1]["message"]["content"] = [image]
    session.says("Done.")
    return session.data()


def call(name: str) -> Record:
    return {"type": "toolCall", "id": f"toolu_{name}", "name": "bash", "arguments": {"command": f"echo {name}"}}


def sound() -> PiSession:
    """A session of three turns: one call; three at once; none."""
    made = PiSession()
    made.message("system", content="", sections={"preamble": "You are an assistant."}, toolsAdded=[])
    tell(made)
    return made


_HEADER, _CHANGE, _SYSTEM, _BEGIN, _LOOK, _ONE, _MORE, _TWO, _THREE, _FOUR, _THAT, _ONCE, _CALLS, _FIVE, _DONE = range(
    15
)
_THANKS, _LAST = 15, 16


def _fresh(record: Record, id_: str = "f0f0f0f0") -> Record:
    return {**deepcopy(record), "id": id_}


_TREE = links("id", "parentId", _fresh)
take_out, put_in, move = _TREE[:3]
BREAKS = _breaks = Breaks(sound)
_AT = Places(_BEGIN, _LOOK, _ONE, _MORE, _TWO, _THREE, _FOUR, _THAT, _ONCE, _CALLS, _FIVE, _DONE, _THANKS, _LAST)
break_lines(_breaks, _AT, _TREE)


corpus = _breaks.corpus
CHANGES = ("take out", "drop", "twice", "swap", "rename", "unlink", "double id", "break off")
"""What a property test does to the records, each with two numbers."""


def change(records: list[Record], how: str, at: int, other: int) -> None:
    number, second = 1 + at % (len(records) - 1), 1 + other % (len(records) - 1)
    record = records[number]
    match how:
        case "take out":
            take_out(records, number)
        case "drop":
            del records[number]
        case "twice":
            put_in(records, second, {**deepcopy(record), "id": f"f{at:07x}"[:8]})
        case "swap":
            records[number], records[second] = records[second], records[number]
        case "rename" if "toolCallId" in record.get("message", {}):
            record["message"]["toolCallId"] = ("toolu_one", "", "other", "toolu.two")[other % 4]
        case "unlink":
            record["parentId"] = (None, "00000000", records[second]["id"])[other % 3]
        case "double id":
            record["id"] = records[second]["id"]
        case "break off" if "stopReason" in record.get("message", {}):
            record["message"]["stopReason"] = "aborted"


@_breaks()
def _call_gone(records: list[Record]) -> None:
    records[_MORE]["message"]["content"].pop(2)


@_breaks()
def _call_gone_and_lines_swapped(records: list[Record]) -> None:
    """To OpenClaw's index the result of another call of the three is then on a branch of its own."""
    records[_MORE]["message"]["content"].pop(2)
    records[_TWO], records[_THREE] = records[_THREE], records[_TWO]


@_breaks()
def _unknown_id(records: list[Record]) -> None:
    records[_ONE]["message"]["toolCallId"] = "toolu_unknown"


@_breaks()
def _id_sanitised(records: list[Record]) -> None:
    records[_LOOK]["message"]["content"][1]["id"] = "functions_bash_0"
    records[_ONE]["message"]["toolCallId"] = "functions.bash:0"


@_breaks()
def _id_with_odd_characters(records: list[Record]) -> None:
    records[_LOOK]["message"]["content"][1]["id"] = "functions.bash:0"
    records[_ONE]["message"]["toolCallId"] = "functions.bash:0"


@_breaks()
def _id_empty(records: list[Record]) -> None:
    records[_ONE]["message"]["toolCallId"] = ""


@_breaks()
def _id_empty_on_both_sides(records: list[Record]) -> None:
    records[_LOOK]["message"]["content"][1]["id"] = ""
    records[_ONE]["message"]["toolCallId"] = ""


@_breaks()
def _id_absent(records: list[Record]) -> None:
    del records[_ONE]["message"]["toolCallId"]


@_breaks()
def _second_result_that_differs(records: list[Record]) -> None:
    second = _fresh(records[_ONE])
    second["message"]["content"][0]["text"] = "something else"
    put_in(records, _ONE, second)


@_breaks()
def _users_words_between(records: list[Record]) -> None:
    words = _fresh(records[_THANKS])
    words["message"]["content"][0]["text"] = "Wait."
    put_in(records, _LOOK, words)


@_breaks()
def _users_words_between_parallel_results(records: list[Record]) -> None:
    words = _fresh(records[_THANKS])
    words["message"]["content"][0]["text"] = "Wait."
    put_in(records, _TWO, words)


@_breaks()
def _ids_swapped(records: list[Record]) -> None:
    two, three = records[_TWO]["message"], records[_THREE]["message"]
    two["toolCallId"], three["toolCallId"] = three["toolCallId"], two["toolCallId"]


@_breaks()
def _id_reused(records: list[Record]) -> None:
    records[_CALLS]["message"]["content"][0]["id"] = "toolu_one"
    records[_FIVE]["message"]["toolCallId"] = "toolu_one"


@_breaks()
def _response_broke_off(records: list[Record]) -> None:
    records[_MORE]["message"]["stopReason"] = "aborted"


@_breaks()
def _response_ended_in_an_error(records: list[Record]) -> None:
    records[_CALLS]["message"]["stopReason"] = "error"


@_breaks()
def _parent_unknown(records: list[Record]) -> None:
    records[_THAT]["parentId"] = "00000000"


@_breaks()
def _hangs_on_itself(records: list[Record]) -> None:
    records[_ONCE]["parentId"] = records[_ONCE]["id"]


@_breaks()
def _one_id_for_call_and_result(records: list[Record]) -> None:
    records[_ONE]["id"] = records[_LOOK]["id"]


@_breaks()
def _one_id_for_call_and_result_and_links(records: list[Record]) -> None:
    records[_ONE]["id"] = records[_MORE]["parentId"] = records[_LOOK]["id"]


@_breaks()
def _header_lost(records: list[Record]) -> None:
    del records[_HEADER]


@_breaks()
def _header_torn(records: list[Record]) -> bytes:
    return lines(records[:1])[:90] + b"\n" + lines(records[1:])


@_breaks()
def _last_result_torn_in_its_details(records: list[Record]) -> bytes:
    return lines(records[:_FIVE]) + lines(records[_FIVE : _FIVE + 1])[:-20]


@_breaks()
def _words_damaged(records: list[Record]) -> bytes:
    return lines(records[:_ONCE]) + b'{"type":"mess\n' + lines(records[_ONCE + 1 :])


@_breaks("one")
def _entry_left_out(records: list[Record]) -> None:
    """A call that is left out strands its result."""
    _append(records, "context_edit", targetId=records[_LOOK]["id"], replacement=None)


@_breaks("one")
def _result_left_out(records: list[Record]) -> None:
    _append(records, "context_edit", targetId=records[_ONE]["id"], replacement=None)


@_breaks("one")
def _result_replaced(records: list[Record]) -> None:
    _append(records, "context_edit", targetId=records[_ONE]["id"], replacement={"content": "shortened"})


@_breaks()
def _words_replaced(records: list[Record]) -> None:
    _append(records, "context_edit", targetId=records[_BEGIN]["id"], replacement={"content": "Begin now."})
    replacement = {"content": [{"type": "text", "text": "That is it, then."}]}
    _append(records, "context_edit", targetId=records[_THAT]["id"], replacement=replacement)


@_breaks("one")
def _edited_twice(records: list[Record]) -> None:
    _append(records, "context_edit", targetId=records[_ONE]["id"], replacement=None)
    _append(records, "context_edit", targetId=records[_ONE]["id"], replacement={"content": "last one wins"})


@_breaks("one")
def _compacted(records: list[Record]) -> None:
    _compaction(records, _MORE)


@_breaks("one")
def _compacted_between_call_and_result(records: list[Record]) -> None:
    _compaction(records, _TWO)


@_breaks("one", "two")
def _compacted_between_parallel_results(records: list[Record]) -> None:
    _compaction(records, _THREE)


@_breaks("one", "five")
def _compacted_and_a_result_gone(records: list[Record]) -> None:
    _compaction(records, _MORE)
    take_out(records, _FIVE)


@_breaks("one")
def _compacted_twice(records: list[Record]) -> None:
    _compaction(records, _LOOK, behind=_THAT)
    _append(records, "compaction", summary="Newer.", firstKeptEntryId=records[_MORE]["id"], tokensBefore=9)


@_breaks("one", "two", "three", "four", "five")
def _compacted_and_nothing_kept(records: list[Record]) -> None:
    _append(records, "compaction", summary="All.", firstKeptEntryId="00000000", tokensBefore=9)


@_breaks()
def _other_records(records: list[Record]) -> None:
    _append(records, "label", targetId=records[_ONE]["id"], label="here")
    _append(records, "custom", customType="x", data={"a": 1})
    _append(records, "custom_message", customType="x", content="An extension says so.", display=True)
    _append(records, "branch_summary", fromId=records[_ONE]["id"], summary="It went elsewhere.")
    bash = {"role": "bashExecution", "command": "ls", "output": "a\nb", "exitCode": 2, "cancelled": False}
    _append(records, "message", message={**bash, "truncated": False, "timestamp": 1})
    _append(records, "message", message={**bash, "excludeFromContext": True, "timestamp": 1})
    _append(records, "session_info", name="named")


@_breaks("five")
def _custom_message_between(records: list[Record]) -> None:
    custom = {"type": "custom_message", "id": "f0f0f0f0", "timestamp": PiSession.time(50), "customType": "x"}
    take_out(records, _FIVE)
    put_in(records, _CALLS, {**custom, "content": "An extension says so.", "display": True})


@_breaks()
def _branch(records: list[Record]) -> None:
    """The user went back, and went on from there."""
    above = records[_THAT]["id"]
    words = {**_fresh(records[_ONCE]), "parentId": above}
    words["message"]["content"][0]["text"] = "Otherwise."
    keep = deepcopy(records[_CALLS:])
    records.append(words)
    for number, record in enumerate(keep):
        records.append({**record, "id": f"f0f0f0{number:02x}", "parentId": records[-1]["id"]})


@_breaks("five")
def _branch_with_a_result_gone(records: list[Record]) -> None:
    _breaks["branch"](records)
    del records[_FIVE], records[_ONCE]
    take_out(
        records, next(n for n, r in enumerate(records) if n > _LAST and r["message"].get("toolCallId") == "toolu_five")
    )


@_breaks()
def _blank_words(records: list[Record]) -> None:
    records[_THANKS]["message"]["content"][0]["text"] = "  "
    records[_LAST]["message"]["content"] = [{"type": "text", "text": ""}]


@_breaks()
def _no_content(records: list[Record]) -> None:
    records[_LAST]["message"]["content"] = []


@_breaks()
def _thinking(records: list[Record]) -> None:
    parts = records[_LOOK]["message"]["content"]
    parts.insert(0, {"type": "thinking", "thinking": "Hm.", "thinkingSignature": "c2lnbmVk"})
    records[_MORE]["message"]["content"].insert(0, {"type": "thinking", "thinking": "Unsigned."})
    redacted = {"type": "thinking", "thinking": "[Redacted]", "thinkingSignature": "ZGF0YQ==", "redacted": True}
    records[_CALLS]["message"]["content"].insert(0, redacted)


@_breaks()
def _another_model_before(records: list[Record]) -> None:
    for number in (_LOOK, _MORE):
        records[number]["message"].update(provider="other", model="other-model")
    parts = records[_LOOK]["message"]["content"]
    parts.insert(0, {"type": "thinking", "thinking": "Hm.", "thinkingSignature": "c2lnbmVk"})
    parts[-1]["id"] = records[_ONE]["message"]["toolCallId"] = "functions.bash:0"


@_breaks()
def _unknown_parts(records: list[Record]) -> None:
    records[_LOOK]["message"]["content"].insert(1, {"type": "odd", "a": 1})


@_breaks()
def _unknown_part_after_the_call(records: list[Record]) -> None:
    records[_LOOK]["message"]["content"].append({"type": "odd", "a": 1})


@_breaks("three")
def _unknown_parts_and_a_result_gone(records: list[Record]) -> None:
    records[_MORE]["message"]["content"].insert(1, {"type": "odd", "a": 1})
    take_out(records, _THREE)


@_breaks("one")
def _first_version(records: list[Record]) -> None:
    """Without ids and links, and a result is gone."""
    del records[_ONE]
    records[0].pop("version")
    for record in records[1:]:
        del record["id"], record["parentId"]


def _append(records: list[Record], kind: str, **fields: Any) -> None:
    number = len(records)
    id_ = f"{0xDEF000 + number:08x}"
    records.append(
        {"type": kind, "id": id_, "parentId": records[-1]["id"], "timestamp": PiSession.time(number), **fields}
    )


def _compaction(records: list[Record], first_kept: int, behind: int = _DONE) -> None:
    record = {"type": "compaction", "id": "c0c0c0c0", "timestamp": PiSession.time(50), "summary": "Before."}
    put_in(records, behind, {**record, "firstKeptEntryId": records[first_kept]["id"], "tokensBefore": 9})
