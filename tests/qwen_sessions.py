"""Qwen Code's sessions as it writes them, and many ways in which they break. Every output says a word of its own."""

from __future__ import annotations

import uuid
from collections.abc import Callable
from copy import deepcopy
from typing import Any

from tests.broken_sessions import Breaks, Places, Record, break_lines, lines, links, tell, word

ID = "01a1fd11-0000-4000-8000-000000000001"
NAME = f"{ID}.jsonl"
FOLDER = "/home/dev/project"


def call(name: str) -> Record:
    return {"functionCall": {"id": f"call_{name}", "name": "run_shell_command", "args": {"command": f"echo {name}"}}}


def response(name: str, text: str | None = None) -> Record:
    said = {"output": word(name) if text is None else text}
    return {"functionResponse": {"id": f"call_{name}", "name": "run_shell_command", "response": said}}


class QwenSession:
    """The records of one session, each of which hangs on the one before."""

    def __init__(self, folder: str = FOLDER) -> None:
        self.records: list[Record] = []
        self.folder = folder

    def add(self, kind: str, **fields: Any) -> Record:
        number = len(self.records)
        parent = self.records[-1]["uuid"] if self.records else None
        record = {
            "uuid": str(uuid.uuid5(uuid.NAMESPACE_OID, f"record {number}")),
            "parentUuid": parent,
            "sessionId": ID,
            "timestamp": f"2026-11-21T08:00:{number:02d}.000Z",
            "type": kind,
            "cwd": self.folder,
            "version": "0.24.4",
        }
        self.records.append({**record, **fields})
        return self.records[-1]

    def user(self, text: str, **fields: Any) -> Record:
        return self.add("user", **fields, message={"role": "user", "parts": [{"text": text}]})

    def says(self, text: str, *names: str) -> Record:
        parts: list[Record] = [{"text": text}] if text else []
        parts += [call(name) for name in names]
        return self.add("assistant", model="mock-model", message={"role": "model", "parts": parts})

    def result(self, *names: str) -> Record:
        parts = [response(name) for name in names]
        note = {"callId": f"call_{names[0]}", "status": "success", "resultDisplay": ""}
        return self.add("tool_result", message={"role": "user", "parts": parts}, toolCallResult=note)

    def telemetry(self) -> Record:
        event = {"event.name": "qwen-code.api_response", "auth_type": "openai"}
        return self.add("system", subtype="ui_telemetry", systemPayload={"uiEvent": event})

    def data(self) -> bytes:
        return lines(self.records)


def sound() -> QwenSession:
    """A session of three turns: one call; three at once; none."""
    made = QwenSession()
    tell(made, made.telemetry)
    return made


_BEGIN, _EVENT, _LOOK, _ONE, _MORE, _TWO, _THREE, _FOUR, _THAT, _ONCE, _CALLS, _FIVE, _DONE, _THANKS, _LAST = range(15)


def _fresh(record: Record, name: str = "fresh") -> Record:
    return {**deepcopy(record), "uuid": str(uuid.uuid5(uuid.NAMESPACE_OID, name))}


_TREE = links("uuid", "parentUuid", _fresh)
take_out, put_in, move = _TREE[:3]
BREAKS = _breaks = Breaks(sound)
corpus = _breaks.corpus
_AT = Places(_BEGIN, _LOOK, _ONE, _MORE, _TWO, _THREE, _FOUR, _THAT, _ONCE, _CALLS, _FIVE, _DONE, _THANKS, _LAST)
break_lines(_breaks, _AT, _TREE, but=("parent_null", "cycle", "record_that_is_no_object"))


def _append(records: list[Record], kind: str, **fields: Any) -> Record:
    made = {**_fresh(records[_EVENT], f"{kind} {len(records)}"), "type": kind, "parentUuid": records[-1]["uuid"]}
    for key in ("subtype", "systemPayload"):
        made.pop(key)
    records.append({**made, **fields})
    return records[-1]


def _answer(record: Record) -> Record:
    found: Record = record["message"]["parts"][0]["functionResponse"]
    return found


def _answer_in(content: Record) -> Record:
    found: Record = content["parts"][0]["functionResponse"]
    return found


def _called(record: Record, number: int = -1) -> Record:
    found: Record = record["message"]["parts"][number]["functionCall"]
    return found


@_breaks()
def _call_gone(records: list[Record]) -> None:
    records[_MORE]["message"]["parts"].pop(2)


@_breaks()
def _unknown_id(records: list[Record]) -> None:
    _answer(records[_ONE])["id"] = "call_unknown"


@_breaks()
def _id_sanitised(records: list[Record]) -> None:
    _called(records[_LOOK])["id"] = "functions_shell_0"
    _answer(records[_ONE])["id"] = "functions.shell:0"


@_breaks()
def _id_with_a_suffix_on_one_side(records: list[Record]) -> None:
    _called(records[_CALLS])["id"] = "call_five__qwen_dup_2"


@_breaks()
def _id_empty(records: list[Record]) -> None:
    _answer(records[_ONE])["id"] = ""


@_breaks()
def _id_empty_on_both_sides(records: list[Record]) -> None:
    _called(records[_LOOK])["id"] = _answer(records[_ONE])["id"] = ""


@_breaks()
def _id_absent(records: list[Record]) -> None:
    del _answer(records[_ONE])["id"]


@_breaks()
def _id_absent_on_both_sides(records: list[Record]) -> None:
    del _called(records[_LOOK])["id"], _answer(records[_ONE])["id"]


@_breaks()
def _id_too_long(records: list[Record]) -> None:
    _called(records[_LOOK])["id"] = _answer(records[_ONE])["id"] = "call_" + "x" * 70


@_breaks()
def _second_result_that_differs(records: list[Record]) -> None:
    second = _fresh(records[_ONE])
    _answer(second)["response"]["output"] = "something else"
    put_in(records, _ONE, second)


@_breaks()
def _users_words_between(records: list[Record]) -> None:
    words = _fresh(records[_THANKS])
    words["message"]["parts"][0]["text"] = "Wait."
    put_in(records, _LOOK, words)


@_breaks()
def _users_words_between_parallel_results(records: list[Record]) -> None:
    words = _fresh(records[_THANKS])
    words["message"]["parts"][0]["text"] = "Wait."
    put_in(records, _TWO, words)


@_breaks()
def _response_between(records: list[Record]) -> None:
    said = _fresh(records[_THAT])
    said["message"]["parts"][0]["text"] = "Hm."
    put_in(records, _TWO, said)


@_breaks()
def _ids_swapped(records: list[Record]) -> None:
    two, three = _answer(records[_TWO]), _answer(records[_THREE])
    two["id"], three["id"] = three["id"], two["id"]


@_breaks()
def _id_reused(records: list[Record]) -> None:
    _called(records[_CALLS])["id"] = _answer(records[_FIVE])["id"] = "call_one"


@_breaks("one")
def _id_reused_and_the_first_result_gone(records: list[Record]) -> None:
    _called(records[_CALLS])["id"] = _answer(records[_FIVE])["id"] = "call_one"
    take_out(records, _ONE)


@_breaks()
def _two_calls_with_one_id(records: list[Record]) -> None:
    _called(records[_MORE])["id"] = _called(records[_MORE], 1)["id"]
    _answer(records[_FOUR])["id"] = _answer(records[_TWO])["id"]


@_breaks()
def _results_in_one_record(records: list[Record]) -> None:
    records[_TWO]["message"]["parts"] += [response("three"), response("four")]
    take_out(records, _FOUR)
    take_out(records, _THREE)


@_breaks()
def _results_in_one_record_late(records: list[Record]) -> None:
    records[_TWO]["message"]["parts"] += [response("three"), response("four")]
    take_out(records, _FOUR)
    take_out(records, _THREE)
    move(records, _TWO, _THAT - 2)


@_breaks()
def _one_of_results_in_one_record_is_anothers(records: list[Record]) -> None:
    records[_TWO]["message"]["parts"].append(response("five"))
    take_out(records, _FIVE)


@_breaks()
def _text_before_the_result(records: list[Record]) -> None:
    records[_ONE]["message"]["parts"].insert(0, {"text": "Note this."})


@_breaks()
def _text_behind_the_result(records: list[Record]) -> None:
    records[_ONE]["message"]["parts"].append({"text": "Note this."})


@_breaks("one")
def _placeholder_in_the_file(records: list[Record]) -> None:
    text = "Tool execution result was not recorded — likely interrupted by network failure, abort, or process exit."
    _answer(records[_ONE])["response"] = {"error": f"{text} Treat as failure and retry if needed."}


@_breaks("one")
def _result_is_an_error(records: list[Record]) -> None:
    _answer(records[_ONE])["response"] = {"error": "No such file."}


@_breaks("one")
def _result_without_words(records: list[Record]) -> None:
    _answer(records[_ONE])["response"] = {"lines": [1, 2], "name": "ä"}


@_breaks()
def _result_with_more_than_words(records: list[Record]) -> None:
    _answer(records[_ONE])["response"]["more"] = 1


@_breaks()
def _thoughts(records: list[Record]) -> None:
    records[_LOOK]["message"]["parts"].insert(0, {"text": "Let me think.", "thought": True})
    records[_THAT]["message"]["parts"] = [{"text": "Only a thought.", "thought": True}]


@_breaks()
def _empty_text_in_a_response(records: list[Record]) -> None:
    records[_LOOK]["message"]["parts"].insert(0, {"text": ""})


@_breaks()
def _response_without_parts(records: list[Record]) -> None:
    records[_THAT]["message"]["parts"] = []


@_breaks()
def _response_that_timed_out(records: list[Record]) -> None:
    said = _fresh(records[_THAT])
    said["message"]["parts"][0]["text"] = "(request timeout)"
    put_in(records, _LOOK, said)


@_breaks()
def _event_record_lost(records: list[Record]) -> None:
    del records[_EVENT]


@_breaks()
def _parent_unknown(records: list[Record]) -> None:
    records[_THAT]["parentUuid"] = "00000000"


@_breaks()
def _parent_null(records: list[Record]) -> None:
    records[_THAT]["parentUuid"] = None


@_breaks()
def _parent_empty(records: list[Record]) -> None:
    records[_THAT]["parentUuid"] = ""


@_breaks("one")
def _parent_absent(records: list[Record]) -> None:
    del records[_ONE]["parentUuid"]


@_breaks("one")
def _type_unknown(records: list[Record]) -> None:
    records[_ONE]["type"] = "tool_output"


@_breaks()
def _cycle(records: list[Record]) -> None:
    records[_MORE]["parentUuid"] = records[_DONE]["uuid"]


@_breaks()
def _hangs_on_itself(records: list[Record]) -> None:
    records[_ONCE]["parentUuid"] = records[_ONCE]["uuid"]


@_breaks()
def _one_id_for_call_and_result(records: list[Record]) -> None:
    records[_ONE]["uuid"] = records[_LOOK]["uuid"]


@_breaks()
def _one_id_for_call_and_result_and_links(records: list[Record]) -> None:
    records[_ONE]["uuid"] = records[_MORE]["parentUuid"] = records[_LOOK]["uuid"]


@_breaks()
def _one_id_for_two_results_and_links(records: list[Record]) -> None:
    records[_THREE]["uuid"] = records[_FOUR]["parentUuid"] = records[_TWO]["uuid"]


@_breaks()
def _words_twice(records: list[Record]) -> None:
    records.insert(_ONCE + 1, deepcopy(records[_ONCE]))


@_breaks()
def _call_twice(records: list[Record]) -> None:
    records.insert(_LOOK + 1, deepcopy(records[_LOOK]))


@_breaks()
def _rewound(records: list[Record]) -> None:
    event = _append(records, "system", subtype="rewind", systemPayload={"truncatedCount": 1})
    event["parentUuid"] = records[_DONE]["uuid"]
    _append(records, "user", message={"role": "user", "parts": [{"text": "Another way."}]})
    _append(records, "assistant", message={"role": "model", "parts": [{"text": "As you like."}]})


@_breaks("five")
def _rewound_between_call_and_result(records: list[Record]) -> None:
    said = _append(records, "user", message={"role": "user", "parts": [{"text": "Another way."}]})
    said["parentUuid"] = records[_CALLS]["uuid"]


@_breaks()
def _first_line_damaged(records: list[Record]) -> bytes:
    return lines(records[:1])[:60] + b"\n" + lines(records[1:])


@_breaks()
def _last_result_torn_in_its_notes(records: list[Record]) -> bytes:
    return lines(records[:_FIVE]) + lines(records[_FIVE : _FIVE + 1])[:-20]


@_breaks("one")
def _torn_line_glued_to_the_next(records: list[Record]) -> bytes:
    return lines(records[:_ONE]) + lines(records[_ONE : _ONE + 1])[:70] + lines(records[_ONE + 1 :])


@_breaks()
def _words_damaged(records: list[Record]) -> bytes:
    return lines(records[:_ONCE]) + b'{"uuid":"mess\n' + lines(records[_ONCE + 1 :])


@_breaks()
def _record_that_is_no_object(records: list[Record]) -> bytes:
    return lines(records[:_ONCE]) + b"null\n7\n[]\n" + lines(records[_ONCE:])


@_breaks()
def _bookkeeping_at_the_end(records: list[Record]) -> None:
    made = _append(records, "system", subtype="session_artifact_event", systemPayload={})
    made["parentUuid"] = None


@_breaks()
def _subagents_record_at_the_end(records: list[Record]) -> None:
    """A record of another kind that hangs on the last one."""
    _append(records, "system", subtype="custom_title", systemPayload={"customTitle": "Echoes"})


@_breaks()
def _command_that_was_answered(records: list[Record]) -> None:
    _append(records, "user", message={"role": "user", "parts": [{"text": "/about"}]})
    shown = [{"type": "assistant", "text": "Version 1"}]
    payload = {"phase": "result", "rawCommand": "/about", "outputHistoryItems": shown}
    _append(records, "system", subtype="slash_command", systemPayload=payload)


@_breaks()
def _words_in_the_middle_of_a_turn(records: list[Record]) -> None:
    said = _fresh(records[_THANKS])
    said["subtype"] = "mid_turn_user_message"
    put_in(records, _FOUR, said)


_KEPT = [
    {"role": "user", "parts": [{"text": "Summary: it began."}]},
    {"role": "model", "parts": [{"text": "I look again.", }, call("kept")]},
    {"role": "user", "parts": [response("kept")]},
    {"role": "model", "parts": [{"text": "Got it."}]},
]  # fmt: skip


def _compress(records: list[Record], behind: int, contents: list[Record]) -> None:
    made = {**_fresh(records[_EVENT], "compression"), "subtype": "chat_compression"}
    made["systemPayload"] = {"info": {"originalTokenCount": 9}, "compressedHistory": deepcopy(contents)}
    put_in(records, behind, made)


@_breaks("one", "two", "three", "four")
def _compressed(records: list[Record]) -> None:
    _compress(records, _THAT, _KEPT)


@_breaks("one", "two", "three", "four", "five")
def _compressed_and_a_result_gone(records: list[Record]) -> None:
    _compress(records, _THAT, _KEPT)
    take_out(records, _FIVE + 1)


@_breaks("one", "two", "three", "four", "five")
def _compressed_between_call_and_result(records: list[Record]) -> None:
    _compress(records, _CALLS, _KEPT[:1])


@_breaks("one", "two", "three", "four")
def _compressed_above_a_lost_parent(records: list[Record]) -> None:
    _compress(records, _THAT, _KEPT)
    records[_TWO]["parentUuid"] = "00000000"


def _compress_with(records: list[Record], break_: Callable[[list[Record]], object], behind: int = _THAT) -> None:
    """A compression that kept two pairs, broken in this way."""
    kept = deepcopy(_KEPT[:3])
    kept += [{"role": "model", "parts": [{"text": "And this."}, call("more")]}, {"role": "user", "parts": []}]
    kept[-1]["parts"].append(response("more"))
    break_(kept)
    _compress(records, behind, [*kept, {"role": "model", "parts": [{"text": "Got it."}]}])


_BEFORE = ("one", "two", "three", "four")
_KEPT_ONE, _KEPT_MORE = _ALL_KEPT = ("kept", "more")


@_breaks(*_BEFORE, keeps=_ALL_KEPT)
def _compressed_and_nothing_wrong(records: list[Record]) -> None:
    _compress_with(records, lambda kept: None)


@_breaks(*_BEFORE, keeps=(_KEPT_MORE,))
def _compressed_without_a_result(records: list[Record]) -> None:
    _compress_with(records, lambda kept: kept.pop(2))


@_breaks(*_BEFORE, keeps=(_KEPT_ONE,))
def _compressed_without_the_last_result(records: list[Record]) -> None:
    kept = [*_KEPT[:3], {"role": "model", "parts": [call("more")]}]
    _compress(records, _THAT, kept)


@_breaks(*_BEFORE, keeps=_ALL_KEPT)
def _compressed_with_a_late_result(records: list[Record]) -> None:
    _compress_with(records, lambda kept: kept.append(kept.pop(2)))


@_breaks(*_BEFORE, keeps=_ALL_KEPT)
def _compressed_with_another_id(records: list[Record]) -> None:
    _compress_with(records, lambda kept: _answer_in(kept[2]).update(id="call.kept"))


@_breaks(*_BEFORE, keeps=_ALL_KEPT)
def _compressed_with_an_id_reused(records: list[Record]) -> None:
    def reuse(kept: list[Record]) -> None:
        kept[3]["parts"][1]["functionCall"]["id"] = _answer_in(kept[4])["id"] = "call_kept"

    _compress_with(records, reuse)


@_breaks(*_BEFORE, keeps=_ALL_KEPT)
def _compressed_with_an_id_of_a_later_call(records: list[Record]) -> None:
    def reuse(kept: list[Record]) -> None:
        kept[3]["parts"][1]["functionCall"]["id"] = _answer_in(kept[4])["id"] = "call_five"

    _compress_with(records, reuse)


@_breaks(*_BEFORE, keeps=(_KEPT_ONE,))
def _compressed_with_a_result_that_differs(records: list[Record]) -> None:
    second = {"role": "user", "parts": [response("kept", "something else")]}
    _compress_with(records, lambda kept: kept.insert(3, second))


@_breaks(*_BEFORE, keeps=_ALL_KEPT)
def _compressed_without_a_call(records: list[Record]) -> None:
    _compress_with(records, lambda kept: kept[1]["parts"].pop())


@_breaks(*_BEFORE, keeps=_ALL_KEPT)
def _compressed_with_an_empty_text(records: list[Record]) -> None:
    _compress_with(records, lambda kept: kept[1]["parts"].insert(0, {"text": ""}))


@_breaks(*_BEFORE, keeps=_ALL_KEPT)
def _compressed_and_a_result_after_it(records: list[Record]) -> None:
    """A call that was kept, whose result was written after the user's next words."""

    def lose(kept: list[Record]) -> None:
        kept.pop(2)

    _compress_with(records, lose)
    answer = _fresh(records[_ONE])
    answer["message"]["parts"] = [response("kept")]
    put_in(records, _DONE + 1, answer)


@_breaks(*_BEFORE, keeps=_ALL_KEPT)
def _compressed_with_the_result_of_a_later_call(records: list[Record]) -> None:
    """A result that was kept, whose call follows."""
    _compress_with(records, lambda kept: kept.insert(2, {"role": "user", "parts": [response("five")]}))
    take_out(records, _FIVE + 1)


@_breaks()
def _another_sessions_record(records: list[Record]) -> None:
    records[_MORE]["sessionId"] = "01a1fd11-0000-4000-8000-00000000000f"


@_breaks()
def _another_session_in_the_first_record(records: list[Record]) -> None:
    records[_BEGIN]["sessionId"] = "01a1fd11-0000-4000-8000-00000000000f"


@_breaks()
def _no_folder_in_the_first_record(records: list[Record]) -> None:
    del records[_BEGIN]["cwd"]


@_breaks()
def _role_of_another_api(records: list[Record]) -> None:
    records[_LOOK]["message"]["role"] = "assistant"


@_breaks()
def _role_of_the_tools(records: list[Record]) -> None:
    records[_ONE]["message"]["role"] = "tool"


@_breaks()
def _role_absent(records: list[Record]) -> None:
    del records[_LAST]["message"]["role"]


@_breaks()
def _part_that_is_a_text(records: list[Record]) -> None:
    records[_LOOK]["message"]["parts"].insert(0, "Well.")


@_breaks()
def _part_that_is_null(records: list[Record]) -> None:
    records[_ONE]["message"]["parts"].append(None)


@_breaks()
def _part_that_is_empty(records: list[Record]) -> None:
    records[_LOOK]["message"]["parts"].append({})


@_breaks()
def _part_that_is_a_list(records: list[Record]) -> None:
    records[_LOOK]["message"]["parts"].append([])


@_breaks()
def _words_that_are_no_list(records: list[Record]) -> None:
    records[_ONCE]["message"]["parts"] = "Once more."


@_breaks()
def _message_that_is_a_text(records: list[Record]) -> None:
    records[_ONCE]["message"] = "Once more."


@_breaks(*_BEFORE, keeps=_ALL_KEPT)
def _compressed_with_a_role_of_another_api(records: list[Record]) -> None:
    _compress_with(records, lambda kept: kept[1].update(role="assistant"))


@_breaks(*_BEFORE, keeps=_ALL_KEPT)
def _compressed_with_parts_that_are_none(records: list[Record]) -> None:
    _compress_with(records, lambda kept: kept[1]["parts"].extend(("Well.", None)))


@_breaks(*_BEFORE, keeps=_ALL_KEPT)
def _compressed_with_contents_that_are_none(records: list[Record]) -> None:
    _compress_with(records, lambda kept: (kept.insert(1, "Go on."), kept.insert(4, None)))  # type: ignore[arg-type]


@_breaks(*_BEFORE)
def _compressed_to_a_text(records: list[Record]) -> None:
    _compress(records, _THAT, [])
    next(record for record in records if "compressedHistory" in record.get("systemPayload", {}))["systemPayload"][
        "compressedHistory"
    ] = "It began."
