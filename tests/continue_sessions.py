"""Continue's sessions, made up: a sound one, and each way to break it."""

from __future__ import annotations

import json
from collections.abc import Callable
from copy import deepcopy
from typing import Any

from tests.broken_sessions import Planted, Record

ID = "5a1f3c8e-7d42-4b6f-9e0a-1c2d3e4f5a6b"
NAME = f"{ID}.json"
FOLDER = "/home/dev/project"
CANCELLED = "Tool cancelled"


def word(number: int) -> str:
    """What the call with this number returned: found again by its words."""
    return f"output-{number}"


def call(number: int, id_: Any = None) -> Record:
    arguments = json.dumps({"command": f"echo {number}"}, separators=(",", ":"))
    id_ = f"call_{number:04}" if id_ is None else id_
    return {"id": id_, "type": "function", "function": {"name": "Bash", "arguments": arguments}}


def state(made: Record, number: int, **given: Any) -> Record:
    """The state of a call that has ended."""
    output = [{"content": f"{word(number)}\n", "name": "Tool Result", "description": "Tool execution result"}]
    return {
        "toolCallId": made["id"],
        "toolCall": made,
        "status": "done",
        "parsedArgs": json.loads(made["function"]["arguments"]),
        "output": output,
        **given,
    }


def begun(made: Record, status: str = "calling") -> Record:
    """The state of a call that has not."""
    return {key: value for key, value in state(made, 0, status=status).items() if key != "output"}


def user(text: Any, **given: Any) -> Record:
    return {"message": {"role": "user", "content": text}, "contextItems": [], "editorState": text, **given}


def model(text: Any, *calls: Record, states: list[Any] | None = None) -> Record:
    usage = {"prompt_tokens": 1000, "completion_tokens": 5, "total_tokens": 1005, "model": "mock-model"}
    message = {"role": "assistant", "content": text, **({"toolCalls": list(calls)} if calls else {}), "usage": usage}
    states = [state(one, int(one["id"][-4:])) for one in calls] if states is None else states
    return {"message": message, "contextItems": [], **({"toolCallStates": states} if states else {})}


def answer(id_: str, text: str) -> Record:
    """A result as an entry of its own."""
    return {"message": {"role": "tool", "content": text, "toolCallId": id_}, "contextItems": []}


def sound() -> list[Record]:
    """Two turns: one call, three parallel calls, one call, two parallel calls; seven outputs."""
    return [
        user("Look at everything."),
        model("One first.", call(1)),
        model("Three at once.", call(2), call(3), call(4)),
        model("Done so far."),
        user("And the rest?"),
        model("", call(5)),
        model("Two more.", call(6), call(7)),
        model("That is all."),
    ]


def document(history: Any, **given: Any) -> Record:
    return {
        "sessionId": ID,
        "title": "Untitled Session",
        "workspaceDirectory": FOLDER,
        "history": history,
        "usage": {"totalCost": 0.00404, "promptTokens": 4000, "completionTokens": 20},
        **given,
    }


def written(history: Any, **given: Any) -> bytes:
    return json.dumps(document(history, **given), indent=2, ensure_ascii=False).encode("utf-8", "surrogatepass")


ALL = tuple(range(1, 8))
WAYS: dict[str, tuple[Callable[[list[Record]], Any], tuple[int, ...]]] = {}
"""Name -> what breaks a history, and the numbers of the outputs that the file still has."""


def way(*lost: int) -> Callable[[Callable[[list[Record]], Any]], Callable[[list[Record]], Any]]:
    def add(breaks: Callable[[list[Record]], Any]) -> Callable[[list[Record]], Any]:
        WAYS[breaks.__name__] = breaks, tuple(number for number in ALL if number not in lost)
        return breaks

    return add


def states(history: list[Record], at: int) -> list[Any]:
    found: list[Any] = history[at]["toolCallStates"]
    return found


def rename(made: Record, id_: Any) -> None:
    made["toolCallId"] = id_
    made["toolCall"] = {**made["toolCall"], "id": id_}


@way(3)
def state_gone(h: list[Record]) -> None:
    del states(h, 2)[1]


@way(1)
def only_state_gone(h: list[Record]) -> None:
    del h[1]["toolCallStates"]


@way(1)
def states_empty(h: list[Record]) -> None:
    h[1]["toolCallStates"] = []


@way(1)
def states_null(h: list[Record]) -> None:
    h[1]["toolCallStates"] = None


@way(2, 3, 4)
def all_states_gone(h: list[Record]) -> None:
    del h[2]["toolCallStates"]


@way(3)
def still_calling(h: list[Record]) -> None:
    states(h, 2)[1] = begun(call(3))


@way(2, 3, 4)
def all_still_calling(h: list[Record]) -> None:
    h[2]["toolCallStates"] = [begun(call(number), "generated") for number in (2, 3, 4)]


@way(6, 7)
def interrupted_at_the_end(h: list[Record]) -> None:
    h[6]["toolCallStates"] = [begun(call(6)), begun(call(7), "generating")]
    del h[7]


@way(7)
def half_interrupted_at_the_end(h: list[Record]) -> None:
    states(h, 6)[1] = begun(call(7))
    del h[7]


@way(6, 7)
def nothing_kept_at_the_end(h: list[Record]) -> None:
    del h[6]["toolCallStates"]
    del h[7]


@way(3)
def cancelled_by_the_user(h: list[Record]) -> None:
    states(h, 2)[1] = begun(call(3), "canceled")


@way(3)
def done_without_output(h: list[Record]) -> None:
    states(h, 2)[1] = begun(call(3), "done")


@way(3)
def output_empty(h: list[Record]) -> None:
    states(h, 2)[1]["output"] = []


@way(3)
def output_null(h: list[Record]) -> None:
    states(h, 2)[1].update(output=None, status="calling")


@way(3)
def output_without_words(h: list[Record]) -> None:
    states(h, 2)[1]["output"][0]["content"] = ""


@way()
def output_in_parts(h: list[Record]) -> None:
    states(h, 2)[1]["output"].append({"name": "more", "description": "", "content": "a second part"})


@way(3)
def output_a_placeholder(h: list[Record]) -> None:
    states(h, 2)[1]["output"][0]["content"] = CANCELLED


@way()
def call_gone(h: list[Record]) -> None:
    del h[2]["message"]["toolCalls"][1]


@way()
def calls_gone(h: list[Record]) -> None:
    del h[2]["message"]["toolCalls"]


@way()
def calls_empty(h: list[Record]) -> None:
    h[1]["message"]["toolCalls"] = []


@way(3)
def call_gone_that_was_calling(h: list[Record]) -> None:
    states(h, 2)[1] = begun(call(3))
    del h[2]["message"]["toolCalls"][1]


@way()
def state_twice(h: list[Record]) -> None:
    states(h, 2).insert(1, deepcopy(states(h, 2)[0]))


@way()
def state_twice_at_the_end(h: list[Record]) -> None:
    states(h, 2).append(deepcopy(states(h, 2)[0]))


@way()
def two_different_results(h: list[Record]) -> None:
    second = deepcopy(states(h, 2)[0])
    second["output"][0]["content"] = "another output"
    states(h, 2).append(second)


@way()
def result_and_calling(h: list[Record]) -> None:
    states(h, 2).append(begun(call(2)))


@way()
def calling_and_result(h: list[Record]) -> None:
    states(h, 2).insert(0, begun(call(2)))


@way()
def state_in_the_next_turn(h: list[Record]) -> None:
    h[3]["toolCallStates"] = [states(h, 2).pop(1)]


@way()
def state_two_turns_late(h: list[Record]) -> None:
    h[5]["toolCallStates"].append(states(h, 2).pop(1))


@way()
def state_before_its_call(h: list[Record]) -> None:
    states(h, 1).append(states(h, 2).pop(1))


@way()
def state_on_the_users_message(h: list[Record]) -> None:
    h[4]["toolCallStates"] = [states(h, 5).pop()]


@way()
def states_of_the_first_message(h: list[Record]) -> None:
    h[0]["toolCallStates"] = [states(h, 1).pop()]


@way()
def states_in_another_order(h: list[Record]) -> None:
    states(h, 2).reverse()


@way()
def ids_differ(h: list[Record]) -> None:
    rename(states(h, 1)[0], "call_other")


@way()
def ids_differ_in_spelling(h: list[Record]) -> None:
    rename(states(h, 1)[0], "call-0001")


@way()
def only_the_states_id_differs(h: list[Record]) -> None:
    states(h, 1)[0]["toolCallId"] = "call_other"


@way()
def one_of_three_ids_differs(h: list[Record]) -> None:
    rename(states(h, 2)[2], "call_other")


@way()
def two_calls_one_id(h: list[Record]) -> None:
    h[2]["message"]["toolCalls"][1] = call(3, "call_0002")
    states(h, 2)[1] = state(call(3, "call_0002"), 3)


@way()
def id_reused_in_each_turn(h: list[Record]) -> None:
    for at in (1, 5):
        number = int(h[at]["message"]["toolCalls"][0]["id"][-4:])
        h[at]["message"]["toolCalls"] = [call(number, "call_0")]
        h[at]["toolCallStates"] = [state(call(number, "call_0"), number)]


@way()
def empty_ids(h: list[Record]) -> None:
    h[1]["message"]["toolCalls"][0]["id"] = ""
    rename(states(h, 1)[0], "")


@way()
def empty_id_of_the_state(h: list[Record]) -> None:
    rename(states(h, 1)[0], "")


@way()
def id_missing_in_the_state(h: list[Record]) -> None:
    del states(h, 1)[0]["toolCallId"]


@way()
def id_a_number(h: list[Record]) -> None:
    h[1]["message"]["toolCalls"][0]["id"] = 7
    rename(states(h, 1)[0], 7)


@way()
def id_too_long(h: list[Record]) -> None:
    h[1]["message"]["toolCalls"][0]["id"] = "x" * 80
    rename(states(h, 1)[0], "x" * 80)


@way()
def arguments_cut_off(h: list[Record]) -> None:
    h[1]["message"]["toolCalls"][0]["function"]["arguments"] = '{"command":"ec'


@way()
def name_empty(h: list[Record]) -> None:
    h[1]["message"]["toolCalls"][0]["function"]["name"] = ""


@way()
def type_gone(h: list[Record]) -> None:
    del h[1]["message"]["toolCalls"][0]["type"]


@way()
def result_as_an_entry(h: list[Record]) -> None:
    del h[1]["toolCallStates"]
    h.insert(2, answer("call_0001", word(1)))


@way()
def result_as_an_entry_too_late(h: list[Record]) -> None:
    del h[1]["toolCallStates"]
    h.insert(4, answer("call_0001", word(1)))


@way()
def unknown_result_as_an_entry(h: list[Record]) -> None:
    h.insert(4, answer("call_9999", "nobody asked"))


@way()
def result_first_of_all(h: list[Record]) -> None:
    h.insert(0, answer("call_9999", "nobody asked"))


@way(1)
def answering_message_gone(h: list[Record]) -> None:
    del h[1]


@way()
def entries_exchanged(h: list[Record]) -> None:
    h[1], h[2] = h[2], h[1]


@way()
def entry_twice(h: list[Record]) -> None:
    h.insert(2, deepcopy(h[1]))


@way()
def compaction_between(h: list[Record]) -> None:
    h[3]["conversationSummary"] = "They looked at everything."


@way(3)
def compaction_after_a_broken_pair(h: list[Record]) -> None:
    del states(h, 2)[1]
    h[3]["conversationSummary"] = "They looked at everything."


@way()
def something_attached(h: list[Record]) -> None:
    h[0]["contextItems"] = [{"name": "notes.txt", "description": "a file", "content": "first line"}]


@way()
def content_in_parts(h: list[Record]) -> None:
    h[0]["message"]["content"] = [{"type": "text", "text": "Look at everything."}]


@way()
def an_image(h: list[Record]) -> None:
    image = {"type": "imageUrl", "imageUrl": {"url": "data:image/png;base64,iVBORw0KGgo="}}
    h[4]["message"]["content"] = [{"type": "text", "text": "And this?"}, image]


@way()
def thinking(h: list[Record]) -> None:
    h.insert(1, {"message": {"role": "thinking", "content": "I should look."}, "contextItems": []})


@way()
def a_system_entry(h: list[Record]) -> None:
    h.insert(0, {"message": {"role": "system", "content": "Be kind."}, "contextItems": []})


@way()
def content_null(h: list[Record]) -> None:
    h[5]["message"]["content"] = None


@way()
def content_gone(h: list[Record]) -> None:
    del h[5]["message"]["content"]


@way()
def nothing_attached_noted(h: list[Record]) -> None:
    del h[0]["contextItems"], h[2]["contextItems"], h[-1]["contextItems"]


@way()
def what_was_attached_is_null(h: list[Record]) -> None:
    h[3]["contextItems"] = None
    h[4]["contextItems"] = [None, {"name": "notes.txt", "description": "a file", "content": "first line"}]


@way()
def what_was_attached_is_no_list(h: list[Record]) -> None:
    h[2]["contextItems"] = {}
    h[3]["contextItems"] = ""


@way()
def entry_without_message(h: list[Record]) -> None:
    h.insert(3, {"contextItems": []})


@way()
def entry_null(h: list[Record]) -> Any:
    return [*h[:3], None, *h[3:]]


@way()
def role_unknown(h: list[Record]) -> None:
    h[3]["message"]["role"] = "model"


@way()
def ends_with_the_user(h: list[Record]) -> None:
    h.append(user("Still there?"))


@way()
def two_users_in_a_row(h: list[Record]) -> None:
    h.insert(1, user("Please."))


@way(3)
def sub_agent_interrupted(h: list[Record]) -> None:
    asked = {"name": "Subagent", "arguments": '{"description":"look","prompt":"look"}'}
    h[2]["message"]["toolCalls"][1] = {"id": "call_0003", "type": "function", "function": asked}
    states(h, 2)[1] = begun({"id": "call_0003", "type": "function", "function": asked})


BYTES: dict[str, tuple[Callable[[bytes], bytes], tuple[int, ...]]] = {
    "byte_order_mark": (lambda data: b"\xef\xbb\xbf" + data, ALL),
    "comma_after_the_last_entry": (lambda data: data.replace(b"    }\n  ],", b"    },\n  ],"), ALL),
    "cut_off_in_a_text": (lambda data: data[: data.index(b"That is all") + 4], ALL),
    "cut_off_between_entries": (lambda data: data[: data.index(b'"content": "That is all') - 60], ALL),
    "cut_off_in_an_output": (lambda data: data[: data.index(b"output-7") + 3], ALL[:-1]),
    "cut_off_in_a_call": (lambda data: data[: data.index(b"echo 7")], ALL[:5]),
    "cut_off_after_a_call": (lambda data: data[: data.rindex(b'"parsedArgs"')], ALL[:-1]),
    "control_character": (lambda data: data.replace(b"output-3", b"output-3\x01"), ALL),
    "nul_in_a_text": (lambda data: data.replace(b"output-3", b"output-3\0"), ALL),
    "bad_bytes": (lambda data: data.replace(b"And the rest", b"And the \xff rest"), ALL),
    "half_a_character": (lambda data: data.replace(b"And the rest", b"And the \\ud83d rest"), ALL),
    "key_twice": (lambda data: data.replace(b'"contextItems": [],', b'"contextItems": [], "contextItems": [],', 1), ALL),
    "large_number": (lambda data: data.replace(b'"prompt_tokens": 1000', b'"prompt_tokens": 12345678901234567890123', 1), ALL),
    "windows_line_ends": (lambda data: data.replace(b"\n", b"\r\n"), ALL),
    "on_one_line": (lambda data: json.dumps(json.loads(data), separators=(",", ":")).encode(), ALL),
}  # fmt: skip
"""Name -> damage of the bytes, and the outputs that can still be read."""


def corpus() -> dict[str, Planted]:
    made = {}
    for name, (breaks, left) in WAYS.items():
        history = sound()
        changed = breaks(history)
        made[name] = Planted(written(history if changed is None else changed), tuple(map(word, left)))
    for name, (damage, left) in BYTES.items():
        data = written(sound())
        assert damage(data) != data, name
        made[name] = Planted(damage(data), tuple(map(word, left)))
    return made
