"""Gemini CLI's sessions as it writes them, and many ways in which they break. Every output says a word of its own."""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from typing import Any

from tests.broken_sessions import Breaks, Record, lines, word

ID = "1d1598d1-be83-49b5-aedf-3725d6733298"
NAME = f"session-2026-11-21T08-04-{ID[:8]}.jsonl"
MODEL = "gemini-2.5-pro"


def call_id(name: str) -> str:
    return f"run_shell_command__run_shell_command_{name}"


def time(number: int) -> str:
    return f"2026-11-21T08:04:{number % 60:02d}.000Z"


def header() -> Record:
    return {"sessionId": ID, "projectHash": "ab" * 32, "startTime": time(0), "lastUpdated": time(0), "kind": "main"}


def response(name: str, text: str | None = None) -> Record:
    said = {"output": word(name) if text is None else text}
    return {"functionResponse": {"id": call_id(name), "name": "run_shell_command", "response": said}}


def tool_call(name: str, answered: bool = True) -> Record:
    made = {"id": call_id(name), "name": "run_shell_command", "args": {"command": f"echo {name}"}}
    result = {"result": [response(name)]} if answered else {}
    return {**made, **result, "status": "success", "timestamp": time(0), "resultDisplay": name}


def in_content(name: str) -> Record:
    """The call as it is written after a resume."""
    return {"functionCall": {key: tool_call(name)[key] for key in ("id", "name", "args")}}


class GeminiSession:
    """The records of one session. `copies`: the agent's habit of writing each result a second time."""

    def __init__(self, copies: bool = False) -> None:
        self.records: list[Record] = [header()]
        self.copies = copies

    def add(self, type_: str, content: Any, **fields: Any) -> Record:
        number = len(self.records)
        made = {"id": f"m{number:02d}", "timestamp": time(number), "type": type_, "content": content, **fields}
        self.records.append(made)
        return made

    def user(self, text: str) -> Record:
        return self.add("user", [{"text": text}])

    def says(self, text: str, *calls: str) -> Record:
        """A response, which is written without its calls first, and again with them."""
        fields: Record = {"thoughts": [], "tokens": {"input": 9, "output": 5, "thoughts": 0}, "model": MODEL}
        first = self.add("gemini", text, **fields)
        self.records.append({"$set": {"lastUpdated": first["timestamp"]}})
        if not calls:
            return first
        again = {**first, "toolCalls": [tool_call(name) for name in calls]}
        self.records.append(again)
        if self.copies:
            self.add("user", [response(name) for name in calls])
        return again

    def data(self) -> bytes:
        return lines(self.records)


def sound(copies: bool = False) -> GeminiSession:
    """A session of three turns: one call; three at once; one more."""
    made = GeminiSession(copies)
    made.records.append({"$set": {"messages": [_context()], "lastUpdated": time(0)}})
    made.user("Begin.")
    made.says("I look.", "one")
    made.says("Now more.", "two", "three", "four")
    made.says("That is it.")
    made.user("Once more.")
    made.says("", "five")
    made.says("Done.")
    return made


def _context() -> Record:
    text = "<session_context>\nThis is the Gemini CLI.\n</session_context>"
    return {"id": "context", "timestamp": time(0), "type": "user", "content": [{"text": text}]}


def resumed() -> GeminiSession:
    """A session that was resumed once: all messages written anew, each result once."""
    made = GeminiSession()
    model = {"timestamp": time(1), "type": "gemini"}
    user = {"timestamp": time(1), "type": "user"}
    parallel = ("two", "three", "four")
    messages = [
        _context(),
        {"id": "r1", **user, "content": [{"text": "Begin."}]},
        {"id": "r2", **model, "content": [{"text": "I look."}, in_content("one")]},
        {"id": "r2_response", **user, "content": [response("one")]},
        {"id": "r3", **model, "content": [{"text": "Now more."}, *map(in_content, parallel)]},
        {"id": "r3_response", **user, "content": list(map(response, parallel))},
        {"id": "r4", **model, "content": [{"text": "That is it."}]},
    ]
    made.records.append({"$set": {"messages": messages, "lastUpdated": time(2)}})
    made.user("Once more.")
    made.says("", "five")
    made.says("Done.")
    return made


BREAKS = _breaks = Breaks(sound)
corpus = _breaks.corpus


def at(records: list[Record], name: str) -> int:
    """The number of the record with this call."""
    return next(
        number
        for number, record in enumerate(records)
        if any(call["id"] == call_id(name) for call in record.get("toolCalls", ()))
    )


def call_of(records: list[Record], name: str) -> Record:
    calls: list[Record] = records[at(records, name)]["toolCalls"]
    return next(call for call in calls if call["id"] == call_id(name))


def messages_of(records: list[Record]) -> list[Record]:
    found: list[Record] = records[1]["$set"]["messages"]
    return found


def _user(*parts: Record, id_: str = "new") -> Record:
    return {"id": id_, "timestamp": time(30), "type": "user", "content": list(parts)}


@_breaks()
def _nothing(records: list[Record]) -> None: ...


@_breaks(of=lambda: sound(copies=True))
def _every_result_twice(records: list[Record]) -> None: ...


@_breaks(of=resumed)
def _resumed(records: list[Record]) -> None: ...


@_breaks("one")
def _result_gone(records: list[Record]) -> None:
    del call_of(records, "one")["result"]


@_breaks("one")
def _result_null(records: list[Record]) -> None:
    call_of(records, "one")["result"] = None


@_breaks("one")
def _result_empty_list(records: list[Record]) -> None:
    call_of(records, "one")["result"] = []


@_breaks()
def _result_is_text(records: list[Record]) -> None:
    call_of(records, "one")["result"] = word("one")


@_breaks()
def _result_is_one_part(records: list[Record]) -> None:
    call_of(records, "one")["result"] = response("one")


@_breaks("three")
def _parallel_result_gone(records: list[Record]) -> None:
    del call_of(records, "three")["result"]


@_breaks("two", "three", "four")
def _all_parallel_results_gone(records: list[Record]) -> None:
    for call in records[at(records, "two")]["toolCalls"]:
        del call["result"]


@_breaks("five")
def _ends_at_a_call(records: list[Record]) -> None:
    del call_of(records, "five")["result"]
    del records[at(records, "five") + 1 :]


@_breaks()
def _ends_at_a_result(records: list[Record]) -> None:
    del records[at(records, "five") + 1 :]


@_breaks("four")
def _result_twice_and_one_gone(records: list[Record]) -> None:
    del call_of(records, "four")["result"]
    records.insert(at(records, "two") + 1, _user(response("two")))


@_breaks()
def _result_only_in_a_message(records: list[Record]) -> None:
    del call_of(records, "one")["result"]
    records.insert(at(records, "one") + 1, _user(response("one")))


@_breaks()
def _result_late(records: list[Record]) -> None:
    del call_of(records, "one")["result"]
    records.insert(at(records, "two") + 1, _user(response("one")))


@_breaks()
def _parallel_result_late(records: list[Record]) -> None:
    del call_of(records, "three")["result"]
    records.append(_user(response("three")))


@_breaks()
def _result_early(records: list[Record]) -> None:
    del call_of(records, "one")["result"]
    records.insert(2, _user(response("one")))


@_breaks()
def _copies_differ(records: list[Record]) -> None:
    records.insert(at(records, "one") + 1, _user(response("one", "something else")))


@_breaks()
def _copy_has_another_id(records: list[Record]) -> None:
    records.insert(at(records, "one") + 1, _user(response("other", word("one"))))


@_breaks()
def _ids_differ(records: list[Record]) -> None:
    call_of(records, "one")["result"][0]["functionResponse"]["id"] = "run_shell_command__other"


@_breaks()
def _parallel_ids_differ(records: list[Record]) -> None:
    call_of(records, "three")["result"][0]["functionResponse"]["id"] = "run_shell_command__other"


@_breaks()
def _id_without_its_name(records: list[Record]) -> None:
    call_of(records, "one")["result"][0]["functionResponse"]["id"] = "run_shell_command_one"


@_breaks()
def _two_calls_with_one_id(records: list[Record]) -> None:
    call = call_of(records, "three")
    call["id"] = call["result"][0]["functionResponse"]["id"] = call_id("two")


@_breaks()
def _id_used_again(records: list[Record]) -> None:
    call = call_of(records, "five")
    call["id"] = call["result"][0]["functionResponse"]["id"] = call_id("one")


@_breaks()
def _ids_empty(records: list[Record]) -> None:
    call = call_of(records, "one")
    call["id"] = call["result"][0]["functionResponse"]["id"] = ""


@_breaks()
def _result_id_empty(records: list[Record]) -> None:
    call_of(records, "one")["result"][0]["functionResponse"]["id"] = ""


@_breaks()
def _parallel_results_swapped(records: list[Record]) -> None:
    two, three = call_of(records, "two"), call_of(records, "three")
    two["result"], three["result"] = three["result"], two["result"]


@_breaks()
def _all_results_in_each_call(records: list[Record]) -> None:
    calls = records[at(records, "two")]["toolCalls"]
    every = [part for call in calls for part in call["result"]]
    for call in calls:
        call["result"] = deepcopy(every)


@_breaks()
def _call_gone(records: list[Record]) -> None:
    number = at(records, "one")
    records[number + 1 : number + 1] = [_user(response("one"))]
    del records[number]["toolCalls"]


@_breaks()
def _one_parallel_call_gone(records: list[Record]) -> None:
    number = at(records, "two")
    records.insert(number + 1, _user(response("three")))
    records[number]["toolCalls"].pop(1)


@_breaks("one")
def _orphan_from_elsewhere(records: list[Record]) -> None:
    del records[at(records, "one")]
    records.insert(3, _user(response("elsewhere", "not of this session")))


@_breaks("one")
def _killed_in_a_call(records: list[Record]) -> None:
    del records[at(records, "one")]


@_breaks()
def _words_between(records: list[Record]) -> None:
    del call_of(records, "one")["result"]
    number = at(records, "one") + 1
    records[number:number] = [_user({"text": "Are you there?"}, id_="words"), _user(response("one"))]


@_breaks()
def _words_before_the_result(records: list[Record]) -> None:
    del call_of(records, "one")["result"]
    records.insert(at(records, "one") + 1, _user({"text": "Look:"}, response("one")))


@_breaks("one")
def _words_instead_of_a_result(records: list[Record]) -> None:
    del call_of(records, "one")["result"]
    records.insert(at(records, "one") + 1, _user({"text": "Go on."}))


@_breaks()
def _written_three_times(records: list[Record]) -> None:
    record = records[at(records, "two")]
    less = deepcopy(record)
    for call in less["toolCalls"]:
        del call["result"]
    records.insert(at(records, "two"), less)


@_breaks("three")
def _written_last_without_a_result(records: list[Record]) -> None:
    number = at(records, "two")
    last = deepcopy(records[number])
    del last["toolCalls"][1]["result"]
    del records[number]["toolCalls"][1]["result"]
    records.insert(number + 1, last)


@_breaks("five")
def _taken_back(records: list[Record]) -> None:
    records.append({"$rewindTo": records[at(records, "five")]["id"]})
    records.append({**_user({"text": "Something else."}), "id": "else"})


@_breaks("one", "two", "three", "four", "five")
def _taken_back_to_nowhere(records: list[Record]) -> None:
    records.append({"$rewindTo": "nowhere"})
    records.append({**_user({"text": "Something else."}), "id": "else"})


@_breaks("one", "two", "three", "four")
def _compacted(records: list[Record]) -> None:
    summary = {**_user({"text": "A summary."}), "id": "summary"}
    ready = {"id": "ready", "timestamp": time(31), "type": "gemini", "content": [{"text": "I have it."}]}
    number = next(n for n, record in enumerate(records) if record.get("content") == [{"text": "Once more."}])
    records.insert(number, {"$set": {"messages": [summary, ready]}})


@_breaks("one", "two", "three", "four", "five")
def _compacted_between(records: list[Record]) -> None:
    orphan = {**_user(response("five")), "id": "kept"}
    del records[at(records, "five") + 1 :]
    summary = {**_user({"text": "A summary."}), "id": "summary"}
    ready = {"id": "ready", "timestamp": time(31), "type": "gemini", "content": [{"text": "I have it."}]}
    records.append({"$set": {"messages": [summary, ready, orphan]}})


@_breaks("one", of=resumed)
def _result_gone_in_the_list(records: list[Record]) -> None:
    messages_of(records).pop(3)


@_breaks("three", of=resumed)
def _parallel_result_gone_in_the_list(records: list[Record]) -> None:
    messages_of(records)[5]["content"].pop(1)


@_breaks(of=resumed)
def _result_twice_in_the_list(records: list[Record]) -> None:
    messages_of(records).insert(4, {**messages_of(records)[3], "id": "copy"})


@_breaks(of=resumed)
def _parallel_results_twice_in_the_list(records: list[Record]) -> None:
    messages_of(records).insert(6, {**messages_of(records)[5], "id": "copy"})


@_breaks(of=resumed)
def _result_late_in_the_list(records: list[Record]) -> None:
    messages = messages_of(records)
    messages.insert(5, messages.pop(3))


@_breaks(of=resumed)
def _result_behind_the_list(records: list[Record]) -> None:
    records.insert(2, messages_of(records).pop(5))


@_breaks(of=resumed)
def _call_gone_in_the_list(records: list[Record]) -> None:
    messages_of(records)[4]["content"].pop(2)


@_breaks(of=resumed)
def _beside_its_calls(records: list[Record]) -> None:
    messages = messages_of(records)
    messages[2]["toolCalls"] = [tool_call("one")]


@_breaks(said=("/home/dev has a bug",))
def _path_in_between(records: list[Record]) -> None:
    records.insert(at(records, "one") + 1, _user({"text": "/home/dev has a bug"}))


@_breaks(said=("?? what does it do",))
def _question_as_text(records: list[Record]) -> None:
    records.append({**_user(), "content": " ?? what does it do"})


@_breaks(said=("// is that a comment", "image/png"))
def _comment_with_an_image(records: list[Record]) -> None:
    image = {"inlineData": {"mimeType": "image/png", "data": "iVBORw0KGgo="}}
    records.append(_user({"text": "// is that a comment"}, image))


@_breaks(said=("my own words",))
def _words_after_the_agents_context(records: list[Record]) -> None:
    hook = "<hook_context>from a hook</hook_context>"
    records.append(_user({"text": f"{hook}my own words"}))


@_breaks("three", of=resumed, said=("/srv/one is empty", "?why"))
def _paths_in_the_list(records: list[Record]) -> None:
    messages = messages_of(records)
    messages[5]["content"].pop(1)
    messages.insert(4, _user({"text": "/srv/one is empty"}, id_="path"))
    messages.append(_user({"text": "?why"}, id_="why"))


@_breaks(said=("/srv/one is empty", "?why", "/first of all"))
def _left_out_by_an_earlier_resume(records: list[Record]) -> None:
    """What the agent writes when it resumes a session with such messages: all but them."""
    kept = [record for record in records[2:] if "id" in record]
    number = next(n for n, record in enumerate(records) if record.get("content") == [{"text": "Once more."}])
    said = ("/srv/one is empty", "?why")
    records[number:number] = [_user({"text": text}, id_=f"q{n}") for n, text in enumerate(said)]
    records.insert(2, _user({"text": "/first of all"}, id_="first"))
    model = {"timestamp": time(40), "type": "gemini"}
    messages: list[Record] = [{**_context(), "id": "another"}]
    for record in {record["id"]: record for record in kept}.values():
        calls = record.get("toolCalls", ())
        said_as = [{"text": record["content"]}] if isinstance(record["content"], str) and record["content"] else []
        content = [*said_as, *(in_content(call["args"]["command"].removeprefix("echo ")) for call in calls)]
        messages.append({**model, **record, **({"content": content} if record["type"] == "gemini" else {})})
        if calls:
            answers = [part for call in calls for part in call["result"]]
            messages.append(_user(*answers, id_=f"{record['id']}_response"))
    records.append({"$set": {"messages": messages, "lastUpdated": time(41)}})
    records.append(_user({"text": "And now?"}, id_="now"))


@_breaks()
def _commands(records: list[Record]) -> None:
    said = ("/help", "/stats model", "/", "?", "<session_context>\nThis is the Gemini CLI.\n</session_context>")
    records += [_user({"text": text}, id_=f"c{number}") for number, text in enumerate(said)]


@_breaks()
def _note_in_between(records: list[Record]) -> None:
    note = {"id": "note", "timestamp": time(9), "type": "info", "content": "Request cancelled."}
    records.insert(at(records, "one") + 1, note)


@_breaks()
def _empty_texts(records: list[Record]) -> None:
    records[at(records, "five")]["content"] = [{"text": ""}]
    records.insert(3, _user({"text": ""}))


@_breaks()
def _thoughts(records: list[Record]) -> None:
    records[at(records, "one")]["thoughts"] = [{"subject": "Looking", "description": "I look.", "timestamp": time(1)}]


@_breaks(of=resumed)
def _thoughts_in_the_content(records: list[Record]) -> None:
    messages_of(records)[2]["content"].insert(0, {"text": "I look.", "thought": True})


def _damaged(records: list[Record], number: int, change: Callable[[bytes], bytes]) -> bytes:
    made = lines(records).splitlines(keepends=True)
    made[number] = change(made[number])
    return b"".join(made)


@_breaks()
def _first_line_torn(records: list[Record]) -> bytes:
    return _damaged(records, 0, lambda line: line[: len(line) // 2] + b"\n")


@_breaks()
def _first_line_gone(records: list[Record]) -> None:
    del records[0]


@_breaks()
def _mark_in_front(records: list[Record]) -> bytes:
    return b"\xef\xbb\xbf" + lines(records)


@_breaks("five")
def _torn_at_the_end(records: list[Record]) -> bytes:
    number = at(records, "five")
    made = lines(records[: number + 1])
    return made[: made.rindex(b'"result"')]


@_breaks()
def _glued(records: list[Record]) -> bytes:
    return _damaged(records, at(records, "one") - 1, lambda line: line.rstrip(b"\n"))


@_breaks()
def _nul_bytes(records: list[Record]) -> bytes:
    return _damaged(records, at(records, "one"), lambda line: b"\0\0\0" + line)


@_breaks()
def _line_of_nul_bytes(records: list[Record]) -> bytes:
    return _damaged(records, at(records, "one"), lambda line: b"\0" * 64 + b"\n" + line)


@_breaks()
def _bad_bytes(records: list[Record]) -> bytes:
    return _damaged(records, at(records, "one"), lambda line: line.replace(b"I look.", b"I l\xffok."))


@_breaks()
def _broken_over_two_lines(records: list[Record]) -> bytes:
    return _damaged(records, at(records, "one"), lambda line: line.replace(b',"toolCalls"', b',\n"toolCalls"'))


@_breaks()
def _odd_line_ends(records: list[Record]) -> bytes:
    return lines(records).replace(b"\n", b"\r\n\r\n")
