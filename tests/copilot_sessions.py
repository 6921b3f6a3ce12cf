"""Copilot CLI's sessions as it writes them, and many ways in which they break.

Every output says a word that is nowhere else.
"""

from __future__ import annotations

from copy import deepcopy
from itertools import pairwise
from typing import Any

from tests.broken_sessions import LOST_LINKS, Breaks, Links, Places, Record, break_lines, lines, tell, word

ID = "01a1fd24-f7c0-4065-9091-a3b140f571fc"
NAME = "events.jsonl"
FOLDER = "/"
"""Where it took place: a folder that is everywhere."""


def event_id(number: int) -> str:
    return f"{0xABC000 + number:08x}-1111-4222-8333-444444444444"


class CopilotSession:
    """The events of one session, each of which names the one before."""

    def __init__(self) -> None:
        self.records: list[Record] = []
        self.interaction = 0
        self.turn = 0
        started = {"startTime": self.time(), "selectedModel": "mock-model", "context": {"cwd": FOLDER}}
        first = {"sessionId": ID, "version": 1, "producer": "copilot-agent", "copilotVersion": "1.0.102"}
        self.add("session.start", **first, **started, alreadyInUse=False)

    def time(self) -> str:
        return f"2026-11-21T08:07:{len(self.records) % 60:02d}.000Z"

    def add(self, kind: str, /, **data: Any) -> Record:
        above = self.records[-1]["id"] if self.records else None
        number = len(self.records)
        record = {"type": kind, "data": data, "id": event_id(number), "timestamp": self.time(), "parentId": above}
        self.records.append(record)
        return record

    def user(self, text: str) -> Record:
        self.interaction += 1
        self.turn = 0
        sent = f"<current_datetime>{self.time()}</current_datetime>\n\n{text}"
        return self.add(
            "user.message", content=text, transformedContent=sent, messageId=event_id(5000 + len(self.records)),
            interactionId=event_id(6000 + self.interaction),
        )  # fmt: skip

    def says(self, text: str, *calls: str, **fields: Any) -> Record:
        if self.records[-1]["type"] == "tool.execution_complete":
            self.add("assistant.turn_end", turnId=str(self.turn))
            self.turn += 1
        self.add("assistant.turn_start", turnId=str(self.turn), interactionId=event_id(6000 + self.interaction))
        record = self.add(
            "assistant.message", messageId=event_id(7000 + len(self.records)), model="mock-model", content=text,
            toolRequests=[call(name) for name in calls], interactionId=event_id(6000 + self.interaction),
            turnId=str(self.turn), apiCallId=f"chatcmpl-{len(self.records)}", **fields,
        )  # fmt: skip
        for name in calls:
            given = {"toolName": "bash", "arguments": {"command": f"echo {name}"}, "turnId": str(self.turn)}
            self.add("tool.execution_start", toolCallId=f"call_{name}", **given)
        if not calls:
            self.add("assistant.turn_end", turnId=str(self.turn))
        return record

    def result(self, name: str, text: str | None = None) -> Record:
        said = {"content": word(name) if text is None else text, "detailedContent": "for the screen"}
        return self.add(
            "tool.execution_complete", toolCallId=f"call_{name}", model="mock-model", turnId=str(self.turn),
            interactionId=event_id(6000 + self.interaction), success=True, result=said,
        )  # fmt: skip

    def fails(self, name: str, text: str) -> Record:
        error = {"message": text, "code": "failure"}
        given = {"model": "mock-model", "turnId": str(self.turn)}
        return self.add("tool.execution_complete", toolCallId=f"call_{name}", **given, success=False, error=error)

    def data(self) -> bytes:
        return lines(self.records)


def call(name: str) -> Record:
    given = {"arguments": {"command": f"echo {name}"}, "type": "function", "intentionSummary": "run"}
    return {"toolCallId": f"call_{name}", "name": "bash", **given}


def sound() -> CopilotSession:
    """A session of three turns: one call, then three at once; one call; none."""
    made = CopilotSession()
    tell(made)
    return made


_START, _BEGIN, _, _LOOK, _ONE_START, _ONE, _, _, _MORE, _, _, _, _TWO, _THREE, _FOUR = range(15)
_THAT, _ONCE, _CALLS, _FIVE, _DONE, _THANKS, _LAST = 17, 19, 21, 23, 26, 28, 30


def take_out(records: list[Record], number: int) -> Record:
    """Take a record out; the next one names the one before it."""
    gone = records.pop(number)
    link(records)
    return gone


def put_in(records: list[Record], number: int, record: Record) -> None:
    """Put a record behind the one at `number`."""
    records.insert(number + 1, record)
    link(records)


def move(records: list[Record], number: int, behind: int) -> None:
    anchor, record = records[behind], records.pop(number)
    put_in(records, records.index(anchor), record)


def link(records: list[Record]) -> None:
    for above, record in pairwise(records):
        record["parentId"] = above["id"]


def fresh(record: Record, number: int = 900) -> Record:
    return {**deepcopy(record), "id": event_id(number)}


BREAKS = _breaks = Breaks(sound)
corpus = _breaks.corpus
_AT = Places(_BEGIN, _LOOK, _ONE, _MORE, _TWO, _THREE, _FOUR, _THAT, _ONCE, _CALLS, _FIVE, _DONE, _THANKS, _LAST)
_OWN = ("result_twice", "result_late", "last_line_torn")
break_lines(_breaks, _AT, Links(take_out, put_in, move, fresh), but=(*LOST_LINKS, *_OWN))


def _data(records: list[Record], number: int) -> Record:
    found: Record = records[number]["data"]
    return found


@_breaks("one")
def _result_gone_and_its_start(records: list[Record]) -> None:
    take_out(records, _ONE)
    take_out(records, _ONE_START)


@_breaks("five")
def _last_turn_without_a_result(records: list[Record]) -> None:
    """The model went on in the same turn."""
    take_out(records, _FIVE)
    del records[_THANKS - 1 :]


@_breaks("five")
def _result_gone_and_words_after_it(records: list[Record]) -> None:
    """The last turn is the user's words alone."""
    del records[_THANKS + 1 :], records[_FIVE : _THANKS - 1]
    link(records)


@_breaks()
def _call_gone(records: list[Record]) -> None:
    _data(records, _MORE)["toolRequests"].pop(1)


@_breaks()
def _all_calls_gone(records: list[Record]) -> None:
    _data(records, _MORE)["toolRequests"].clear()


@_breaks()
def _unknown_id(records: list[Record]) -> None:
    _data(records, _ONE)["toolCallId"] = "call_unknown"


@_breaks()
def _id_sanitised(records: list[Record]) -> None:
    _data(records, _LOOK)["toolRequests"][0]["toolCallId"] = "functions_bash_0"
    _data(records, _ONE)["toolCallId"] = "functions.bash:0"


@_breaks()
def _id_with_odd_characters(records: list[Record]) -> None:
    _data(records, _LOOK)["toolRequests"][0]["toolCallId"] = "functions.bash:0"
    _data(records, _ONE)["toolCallId"] = "functions.bash:0"


@_breaks()
def _id_too_long(records: list[Record]) -> None:
    _data(records, _LOOK)["toolRequests"][0]["toolCallId"] = "call_" + "x" * 100
    _data(records, _ONE)["toolCallId"] = "call_" + "x" * 100


@_breaks()
def _id_empty(records: list[Record]) -> None:
    _data(records, _ONE)["toolCallId"] = ""


@_breaks()
def _id_of_the_call_empty(records: list[Record]) -> None:
    _data(records, _LOOK)["toolRequests"][0]["toolCallId"] = ""


@_breaks()
def _id_empty_on_both_sides(records: list[Record]) -> None:
    _data(records, _LOOK)["toolRequests"][0]["toolCallId"] = ""
    _data(records, _ONE)["toolCallId"] = ""


@_breaks()
def _id_absent(records: list[Record]) -> None:
    del _data(records, _ONE)["toolCallId"]


@_breaks()
def _id_of_the_call_absent(records: list[Record]) -> None:
    del _data(records, _LOOK)["toolRequests"][0]["toolCallId"]


@_breaks()
def _result_twice(records: list[Record]) -> None:
    put_in(records, _ONE, fresh(records[_ONE]))


@_breaks()
def _second_result_that_differs(records: list[Record]) -> None:
    second = fresh(records[_ONE])
    second["data"]["result"]["content"] = "something else"
    put_in(records, _ONE, second)


@_breaks()
def _second_result_later(records: list[Record]) -> None:
    second = fresh(records[_ONE])
    second["data"]["result"]["content"] = "something else"
    put_in(records, _DONE, second)


@_breaks()
def _placeholder_then_the_result(records: list[Record]) -> None:
    second = fresh(records[_ONE])
    del second["data"]["result"]
    interrupted = "The execution of this tool, or a previous tool was interrupted."
    second["data"].update(success=False, error={"message": interrupted})
    put_in(records, _LOOK, second)


@_breaks()
def _result_late(records: list[Record]) -> None:
    """After the next response of the same turn."""
    move(records, _ONE, _MORE)


@_breaks()
def _result_after_the_turns_last_words(records: list[Record]) -> None:
    move(records, _ONE, _THAT)


@_breaks()
def _result_after_the_users_next_words(records: list[Record]) -> None:
    move(records, _ONE, _ONCE)


@_breaks()
def _result_after_the_next_turns_call(records: list[Record]) -> None:
    move(records, _ONE, _CALLS)


@_breaks()
def _result_before_its_call_in_the_turn(records: list[Record]) -> None:
    move(records, _TWO, _ONE)


@_breaks()
def _users_words_between(records: list[Record]) -> None:
    words = fresh(records[_THANKS])
    words["data"].update(content="Wait.", transformedContent="Wait.")
    put_in(records, _ONE_START, words)


@_breaks()
def _users_words_between_parallel_results(records: list[Record]) -> None:
    words = fresh(records[_THANKS])
    words["data"].update(content="Wait.", transformedContent="Wait.")
    put_in(records, _TWO, words)


@_breaks()
def _ids_swapped(records: list[Record]) -> None:
    two, three = _data(records, _TWO), _data(records, _THREE)
    two["toolCallId"], three["toolCallId"] = three["toolCallId"], two["toolCallId"]


@_breaks()
def _id_reused(records: list[Record]) -> None:
    _data(records, _CALLS)["toolRequests"][0]["toolCallId"] = "call_one"
    _data(records, _FIVE)["toolCallId"] = "call_one"


@_breaks()
def _id_reused_in_the_turn(records: list[Record]) -> None:
    _data(records, _MORE)["toolRequests"][0]["toolCallId"] = "call_one"
    _data(records, _TWO)["toolCallId"] = "call_one"


@_breaks("one")
def _id_reused_and_a_result_gone(records: list[Record]) -> None:
    _data(records, _CALLS)["toolRequests"][0]["toolCallId"] = "call_one"
    _data(records, _FIVE)["toolCallId"] = "call_one"
    take_out(records, _ONE)


@_breaks()
def _id_reused_and_a_second_result(records: list[Record]) -> None:
    _data(records, _CALLS)["toolRequests"][0]["toolCallId"] = "call_one"
    _data(records, _FIVE)["toolCallId"] = "call_one"
    second = fresh(records[_ONE])
    second["data"]["result"]["content"] = "something else"
    put_in(records, _ONE, second)


@_breaks()
def _id_reused_and_results_late(records: list[Record]) -> None:
    _data(records, _CALLS)["toolRequests"][0]["toolCallId"] = "call_one"
    _data(records, _FIVE)["toolCallId"] = "call_one"
    move(records, _ONE, _FIVE - 1)


@_breaks()
def _id_reused_and_a_result_early(records: list[Record]) -> None:
    _data(records, _CALLS)["toolRequests"][0]["toolCallId"] = "call_one"
    _data(records, _FIVE)["toolCallId"] = "call_one"
    move(records, _FIVE, _ONE)


@_breaks()
def _id_of_three_calls(records: list[Record]) -> None:
    for number, place, result in ((_MORE, 0, _TWO), (_CALLS, 0, _FIVE)):
        _data(records, number)["toolRequests"][place]["toolCallId"] = "call_one"
        _data(records, result)["toolCallId"] = "call_one"


@_breaks()
def _empty_words(records: list[Record]) -> None:
    _data(records, _ONCE).update(content="", transformedContent="")


@_breaks()
def _blank_response(records: list[Record]) -> None:
    _data(records, _THAT)["content"] = "  "


@_breaks()
def _start_of_a_call_after_its_result(records: list[Record]) -> None:
    move(records, _ONE_START, _ONE)


@_breaks()
def _images(records: list[Record]) -> None:
    """A response's attachment, and a result with parts."""
    _data(records, _ONE)["result"]["contents"] = [{"type": "text", "text": "a part"}]


@_breaks("five")
def _interrupted_at_the_end(records: list[Record]) -> None:
    records[_FIVE] = {**records[_FIVE], "type": "abort", "data": {"reason": "user_initiated"}}
    del records[_FIVE + 1 :]


@_breaks("one", "two", "three", "four", "five")
def _compacted_at_the_end(records: list[Record]) -> None:
    _compaction(records, len(records) - 1, 10)


@_breaks()
def _event_that_lacks_a_field(records: list[Record]) -> None:
    made = CopilotSession()
    made.add("session.context_cleared")
    records.insert(_THANKS, {**made.records[1], "id": event_id(2600)})
    link(records)


@_breaks("one")
def _id_of_three_calls_and_the_first_result_gone(records: list[Record]) -> None:
    for number, place, result in ((_MORE, 0, _TWO), (_CALLS, 0, _FIVE)):
        _data(records, number)["toolRequests"][place]["toolCallId"] = "call_one"
        _data(records, result)["toolCallId"] = "call_one"
    take_out(records, _ONE)


@_breaks("five")
def _ends_at_a_call_that_did_not_start(records: list[Record]) -> None:
    del records[_CALLS + 1 :]


@_breaks("one", "two", "three", "four", "five")
def _compacted_twice(records: list[Record]) -> None:
    _compaction(records, _DONE, 2)
    for record in records:
        if record["type"].startswith("session.compaction"):
            record["id"] = record["id"].replace("1111", "1212")
    _compaction(records, _ONCE - 1, 8)


@_breaks("five")
def _ends_at_a_call_and_was_left(records: list[Record]) -> None:
    """A second start of the agent follows, and words."""
    del records[_FIVE:]
    made = CopilotSession()
    made.add(
        "session.resume", resumeTime=made.time(), eventCount=7, selectedModel="mock-model", context={"cwd": FOLDER},
        alreadyInUse=False, sessionWasActive=False,
    )  # fmt: skip
    made.user("What happened?")
    for number, record in enumerate(made.records):
        record["id"] = event_id(2700 + number)
    records += made.records[1:]
    link(records)


def _stop(records: list[Record], kind: str, behind: int) -> None:
    made = CopilotSession()
    resumed = {"resumeTime": made.time(), "eventCount": 7, "context": {"cwd": FOLDER}, "alreadyInUse": False}
    made.add(kind, **({"reason": "user_initiated"} if kind == "abort" else resumed))
    put_in(records, behind, {**made.records[1], "id": event_id(2800)})


@_breaks()
def _resumed_before_the_result(records: list[Record]) -> None:
    _stop(records, "session.resume", _ONE_START)


@_breaks()
def _stopped_before_the_result(records: list[Record]) -> None:
    _stop(records, "abort", _ONE_START)


@_breaks()
def _resumed_between_parallel_results(records: list[Record]) -> None:
    _stop(records, "session.resume", _TWO)


@_breaks()
def _resumed_between_turns_and_a_result_late(records: list[Record]) -> None:
    move(records, _ONE, _ONCE)
    _stop(records, "session.resume", _THAT)


@_breaks()
def _stopped_and_a_result_late(records: list[Record]) -> None:
    move(records, _ONE, _ONCE)
    _stop(records, "abort", _THAT)


@_breaks()
def _result_before_its_call_and_a_resume(records: list[Record]) -> None:
    move(records, _ONE, _START)
    _stop(records, "session.resume", _BEGIN)


@_breaks("one", "two", "three", "four")
def _compacted_in_a_sub_agent(records: list[Record]) -> None:
    _compaction(records, _ONCE - 1, 8)
    for record in records:
        if record["type"].startswith("session.compaction"):
            record["agentId"] = "call_one"


@_breaks()
def _two_calls_with_one_id(records: list[Record]) -> None:
    _data(records, _MORE)["toolRequests"][1]["toolCallId"] = "call_two"
    _data(records, _THREE)["toolCallId"] = "call_two"


@_breaks("five")
def _interrupted(records: list[Record]) -> None:
    records[_FIVE] = {**records[_FIVE], "type": "abort", "data": {"reason": "user_initiated"}}


@_breaks("five")
def _failed(records: list[Record]) -> None:
    data = _data(records, _FIVE)
    del data["result"]
    data.update(success=False, error={"message": "it failed", "code": "failure"})


@_breaks("five")
def _failed_without_a_message(records: list[Record]) -> None:
    data = _data(records, _FIVE)
    del data["result"]
    data.update(success=False)


@_breaks("five")
def _succeeded_without_a_result(records: list[Record]) -> None:
    del _data(records, _FIVE)["result"]


@_breaks("five")
def _empty_result(records: list[Record]) -> None:
    _data(records, _FIVE)["result"]["content"] = ""


@_breaks()
def _arguments_in_a_string(records: list[Record]) -> None:
    _data(records, _LOOK)["toolRequests"][0]["arguments"] = '{"command":"echo one"}'


@_breaks()
def _arguments_that_are_no_object(records: list[Record]) -> None:
    _data(records, _LOOK)["toolRequests"][0]["arguments"] = ["echo one"]


@_breaks()
def _arguments_gone(records: list[Record]) -> None:
    del _data(records, _LOOK)["toolRequests"][0]["arguments"]


@_breaks()
def _words_without_what_was_sent(records: list[Record]) -> None:
    del _data(records, _ONCE)["transformedContent"]


@_breaks()
def _blank_words(records: list[Record]) -> None:
    _data(records, _THANKS).update(content=" ", transformedContent=" ")
    _data(records, _LAST)["content"] = ""


@_breaks()
def _words_doubled(records: list[Record]) -> None:
    """Two of the user's in a row."""
    words = fresh(records[_THANKS])
    words["data"].update(content="Wait.", transformedContent="Wait.")
    put_in(records, _THANKS, words)


@_breaks()
def _two_chunks_of_one_response(records: list[Record]) -> None:
    second = fresh(records[_MORE])
    first = _data(records, _MORE)
    second["data"].update(content="", toolRequests=first["toolRequests"][1:], chunkIndex=1, chunkCount=2)
    first.update(toolRequests=first["toolRequests"][:1], chunkIndex=0, chunkCount=2)
    put_in(records, _MORE, second)


@_breaks()
def _reasoning(records: list[Record]) -> None:
    _data(records, _LOOK).update(reasoningText="Hm.", reasoningOpaque="b3BhcXVl", encryptedContent="Yg==")


@_breaks()
def _sub_agent(records: list[Record]) -> None:
    """Its events stand between the call that started it and the result."""
    extra = _sub_agents_events("call_one")
    records[_ONE:_ONE] = extra
    link(records)


@_breaks()
def _sub_agent_in_the_old_way(records: list[Record]) -> None:
    extra = _sub_agents_events("call_one")
    for record in extra:
        record.pop("agentId", None)
        record["data"]["parentToolCallId"] = "call_one"
    records[_ONE:_ONE] = extra
    link(records)


@_breaks()
def _sub_agent_whose_result_is_gone(records: list[Record]) -> None:
    extra = _sub_agents_events("call_one")
    records[_ONE:_ONE] = extra[:-2]
    link(records)


def _sub_agents_events(started_by: str) -> list[Record]:
    made = CopilotSession()
    made.says("Inside.", "inner")
    made.result("inner")
    made.says("Inner words.")
    for number, record in enumerate(made.records):
        record.update(id=event_id(2000 + number), agentId=started_by)
    return made.records[1:]


@_breaks()
def _call_of_the_users(records: list[Record]) -> None:
    """`!command`: a result that no model asked for."""
    made = CopilotSession()
    made.add("tool.user_requested", toolCallId="call_shell", toolName="bash", arguments={"command": "ls"})
    made.result("shell")["data"]["isUserRequested"] = True
    for number, record in enumerate(made.records):
        record["id"] = event_id(2100 + number)
    records[_THANKS:_THANKS] = made.records[1:]
    link(records)


@_breaks()
def _notification_and_skill(records: list[Record]) -> None:
    made = CopilotSession()
    made.add(
        "system.notification", content="<system_notification>Shell done.</system_notification>", kind={"type": "x"}
    )
    made.add("skill.invoked", name="demo", path="/demo", content="Do the demo.")
    made.add("session.info", infoType="x", message="Told.")
    for number, record in enumerate(made.records):
        record["id"] = event_id(2200 + number)
    records[_THANKS:_THANKS] = made.records[1:]
    link(records)


@_breaks("one", "two", "three", "four")
def _compacted(records: list[Record]) -> None:
    _compaction(records, _ONCE - 1, 8)


@_breaks("one", "two", "three", "four", "five")
def _compacted_and_more_counted_than_there_is(records: list[Record]) -> None:
    _compaction(records, _THANKS - 1, 100)


@_breaks("one", "two")
def _compacted_between_parallel_results(records: list[Record]) -> None:
    _compaction(records, _TWO, 4)


@_breaks("one", "two", "three", "four")
def _compacted_and_a_late_result(records: list[Record]) -> None:
    move(records, _ONE, _CALLS)
    _compaction(records, _ONCE - 1, 7)


@_breaks("one", "two", "three", "four")
def _compacted_and_a_call_without_a_name_before_it(records: list[Record]) -> None:
    del _data(records, _LOOK)["toolRequests"][0]["name"]
    _compaction(records, _ONCE - 1, 8)


@_breaks("one", "two", "three", "four")
def _compacted_and_ids_absent_before_it(records: list[Record]) -> None:
    del _data(records, _LOOK)["toolRequests"][0]["toolCallId"], _data(records, _ONE)["toolCallId"]
    _compaction(records, _ONCE - 1, 8)


@_breaks()
def _sub_agent_whose_result_names_no_call(records: list[Record]) -> None:
    extra = _sub_agents_events("call_one")
    del next(record for record in extra if record["type"] == "tool.execution_complete")["data"]["toolCallId"]
    records[_ONE:_ONE] = extra
    link(records)


@_breaks("one", "two", "three", "four", "five")
def _compacted_and_a_result_gone(records: list[Record]) -> None:
    take_out(records, _FIVE)
    _compaction(records, _ONCE - 1, 8)


@_breaks()
def _compaction_failed(records: list[Record]) -> None:
    _compaction(records, _ONCE - 1, 8)
    next(r for r in records if r["type"] == "session.compaction_complete")["data"].update(success=False)


@_breaks()
def _truncation(records: list[Record]) -> None:
    made = CopilotSession()
    made.add(
        "session.truncation", tokenLimit=9, preTruncationTokensInMessages=9, preTruncationMessagesLength=9,
        postTruncationTokensInMessages=9, postTruncationMessagesLength=9, tokensRemovedDuringTruncation=0,
        messagesRemovedDuringTruncation=4, performedBy="BasicTruncator",
    )  # fmt: skip
    records.insert(_ONCE, {**made.records[1], "id": event_id(2300)})
    link(records)


def _compaction(records: list[Record], behind: int, length: int) -> None:
    made = CopilotSession()
    made.add("session.compaction_start")
    made.add(
        "session.compaction_complete", success=True, preCompactionTokens=99, preCompactionMessagesLength=length,
        summaryContent="What went before.", checkpointNumber=1, checkpointPath="/none",
    )  # fmt: skip
    for number, record in enumerate(made.records):
        record["id"] = event_id(2400 + number)
    records[behind + 1 : behind + 1] = made.records[1:]
    link(records)


@_breaks()
def _parent_unknown(records: list[Record]) -> None:
    records[_THAT]["parentId"] = event_id(4000)


@_breaks()
def _parent_absent(records: list[Record]) -> None:
    del records[_THAT]["parentId"]


@_breaks()
def _parent_that_is_no_uuid(records: list[Record]) -> None:
    records[_THAT]["parentId"] = "e17"


@_breaks()
def _id_that_is_no_uuid(records: list[Record]) -> None:
    records[_THAT]["id"] = "e17"
    link(records)


@_breaks()
def _event_without_an_id(records: list[Record]) -> None:
    del records[_THAT]["id"]


@_breaks()
def _event_without_a_timestamp(records: list[Record]) -> None:
    del records[_THAT]["timestamp"]


@_breaks()
def _event_without_data(records: list[Record]) -> None:
    del records[_THAT - 1]["data"]


@_breaks()
def _event_of_an_unknown_type(records: list[Record]) -> None:
    records[_THAT - 1]["type"] = "made.up"


@_breaks()
def _one_id_for_two_events(records: list[Record]) -> None:
    records[_ONE]["id"] = records[_LOOK]["id"]
    link(records)


@_breaks()
def _response_twice(records: list[Record]) -> None:
    records.insert(_CALLS + 1, deepcopy(records[_CALLS]))


@_breaks()
def _first_line_lost(records: list[Record]) -> None:
    del records[_START]


@_breaks()
def _first_line_not_first(records: list[Record]) -> None:
    records[0], records[1] = records[1], records[0]


@_breaks()
def _first_line_torn(records: list[Record]) -> bytes:
    return lines(records[:1])[:90] + b"\n" + lines(records[1:])


@_breaks("five")
def _last_line_torn(records: list[Record]) -> bytes:
    return lines(records[:_FIVE]) + lines(records[_FIVE : _FIVE + 1])[:120]


@_breaks()
def _last_result_torn_in_its_envelope(records: list[Record]) -> bytes:
    return lines(records[:_FIVE]) + lines(records[_FIVE : _FIVE + 1])[:-20]


@_breaks()
def _start_of_a_call_torn(records: list[Record]) -> bytes:
    return lines(records[:_ONE_START]) + lines(records[_ONE_START:_ONE])[:90] + b"\n" + lines(records[_ONE:])


@_breaks()
def _words_damaged(records: list[Record]) -> bytes:
    return lines(records[:_ONCE]) + b'{"type":"user.mess\n' + lines(records[_ONCE + 1 :])


@_breaks()
def _call_damaged(records: list[Record]) -> bytes:
    return lines(records[:_CALLS]) + b'{"type":"assistant.mess\n' + lines(records[_CALLS + 1 :])


@_breaks()
def _line_broken_in_its_text(records: list[Record]) -> bytes:
    return lines(records).replace(word("one").encode(), b"word-one-word\nsecond line")


@_breaks()
def _words_gone_but_for_what_was_sent(records: list[Record]) -> None:
    del _data(records, _ONCE)["content"]


@_breaks()
def _response_without_content(records: list[Record]) -> None:
    _data(records, _CALLS)["content"] = None


@_breaks()
def _response_without_a_message_id(records: list[Record]) -> None:
    del _data(records, _MORE)["messageId"]


@_breaks()
def _call_without_a_name(records: list[Record]) -> None:
    del _data(records, _LOOK)["toolRequests"][0]["name"]


@_breaks()
def _result_that_does_not_say_how_it_ended(records: list[Record]) -> None:
    del _data(records, _ONE)["success"]


@_breaks()
def _result_whose_text_is_a_list(records: list[Record]) -> None:
    _data(records, _ONE)["result"]["content"] = [{"type": "text", "text": word("one")}]


@_breaks()
def _result_that_is_a_text(records: list[Record]) -> None:
    _data(records, _ONE)["result"] = word("one")


@_breaks()
def _result_with_an_odd_detail(records: list[Record]) -> None:
    _data(records, _ONE)["result"]["detailedContent"] = 7


@_breaks()
def _failure_that_is_a_text(records: list[Record]) -> None:
    del _data(records, _ONE)["result"]
    _data(records, _ONE).update(success=False, error=word("one"))


@_breaks()
def _start_of_a_call_without_its_tool(records: list[Record]) -> None:
    del _data(records, _ONE_START)["toolName"]


@_breaks()
def _start_of_a_call_without_its_id(records: list[Record]) -> None:
    del _data(records, _ONE_START)["toolCallId"]


@_breaks()
def _turn_without_its_number(records: list[Record]) -> None:
    del _data(records, _LOOK - 1)["turnId"]


@_breaks()
def _stopped_without_a_reason(records: list[Record]) -> None:
    _stop(records, "abort", _DONE)
    _data(records, _DONE + 1).clear()


@_breaks()
def _resumed_without_a_time(records: list[Record]) -> None:
    _stop(records, "session.resume", _DONE)
    _data(records, _DONE + 1).clear()


@_breaks()
def _first_line_without_what_it_needs(records: list[Record]) -> None:
    for key in ("producer", "version", "startTime", "copilotVersion"):
        del _data(records, _START)[key]


@_breaks()
def _first_line_with_a_folder_that_has_no_name(records: list[Record]) -> None:
    _data(records, _START)["context"] = {}


@_breaks()
def _first_line_of_another_type(records: list[Record]) -> None:
    records[_START]["type"] = "session.began"


@_breaks()
def _first_line_glued_to_the_next(records: list[Record]) -> bytes:
    return lines(records[:1])[:-1] + lines(records[1:])


@_breaks()
def _first_line_is_null(records: list[Record]) -> bytes:
    return b"null\n" + lines(records)
