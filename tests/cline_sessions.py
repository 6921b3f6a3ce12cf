"""Sessions of Cline's command line as it writes them, and many ways in which they break. Every output says a word that is
nowhere else."""

from __future__ import annotations

import json
from copy import deepcopy
from typing import Any

from tests.broken_sessions import Breaks, Record, tell, word

ID = "1795248706802_5vjda"
NAME = f"{ID}.messages.json"
TIME = 1_795_248_707_000
MODEL = {"id": "mock-model", "provider": "openai-compatible"}
METRICS = {"inputTokens": 1000, "outputTokens": 5, "cacheReadTokens": 0, "cacheWriteTokens": 0}


class ClineSession:
    """The messages of one session."""

    def __init__(self) -> None:
        self.records: list[Any] = []

    def add(self, role: str, content: Any, **fields: Any) -> Record:
        number = len(self.records)
        record = {"id": f"msg_abcde{number:03d}", "role": role, "content": content, "ts": TIME + 1000 * number}
        self.records.append({**record, **deepcopy(fields)})
        made: Record = self.records[-1]
        return made

    def user(self, text: str) -> Record:
        return self.add("user", [words(f'<user_input mode="act">{text}</user_input>')])

    def says(self, text: str, *calls: str, **model: Any) -> Record:
        parts = [words(text)] if text else []
        made = [*parts, *(call(name) for name in calls)]
        return self.add("assistant", made, modelInfo={**MODEL, **model}, metrics=METRICS)

    def result(self, name: str, text: str | None = None, error: bool = False) -> Record:
        return self.add("user", [result(name, text, error)])

    def data(self) -> bytes:
        return written(self.records)


def words(text: str) -> Record:
    return {"type": "text", "text": text}


def call(name: str) -> Record:
    return {"type": "tool_use", "id": f"toolu_{name}", "name": "run_commands", "input": {"commands": [f"echo {name}"]}}


def result(name: str, text: str | None = None, error: bool = False) -> Record:
    said = {"query": f"echo {name}", "result": word(name) if text is None else text, "success": not error}
    made = {"type": "tool_result", "tool_use_id": f"toolu_{name}", "name": "run_commands", "content": [said]}
    return {**made, "is_error": True} if error else made


def document(records: list[Any], **outer: Any) -> Record:
    origin = {"source": "cli", "mode": "user", "sessionId": ID, "version": "3.0.65"}
    first = {"version": 1, "updated_at": "2026-11-21T08:11:48.625Z", "agent": "lead", "sessionId": ID, "origin": origin}
    return {**first, "messages": records, "system_prompt": "You are Cline.", **outer}


def written(records: list[Any], **outer: Any) -> bytes:
    text = json.dumps(document(records, **outer), indent=2, ensure_ascii=False)
    return text.encode("utf-8", "surrogatepass")


def sound() -> ClineSession:
    """A session of three turns: one call; three at once; none."""
    made = ClineSession()
    tell(made)
    return made


def reads(count: int) -> ClineSession:
    """A session in which one file is read again and again, in parts and whole, and another one once."""
    made = ClineSession()
    made.user("Begin.")
    for number in range(count):
        path = "/shop/pair.py" if number != 1 else "/shop/other.py"
        query = path if number % 2 else f"{path}:1-{200 + number % 4}"
        asked = {
            "type": "tool_use",
            "id": f"toolu_{number}",
            "name": "read_files",
            "input": {"files": [{"path": path}]},
        }
        made.add("assistant", [asked], modelInfo=MODEL, metrics=METRICS)
        said = {"query": query, "result": f"read-{number} " + "x" * 7900, "success": True}
        answer = {"type": "tool_result", "tool_use_id": f"toolu_{number}", "name": "read_files", "content": [said]}
        made.add("user", [answer])
    made.says("Done.")
    return made


SUMMARY = "What happened so far."
HASH_OF_SEVEN = "sha256:d68795c5dd97febcc17ed7cd76f4565e11037dbe00098e9e71b42aed73a1e207"
"""What the agent makes of the first seven messages of `sound()`."""


def compaction(count: int = 7, **given: Any) -> bytes:
    """The file beside a session that stands for its first messages. What is given as "" is left out."""
    made = {"version": 1, "updated_at": "2026-11-21T08:12:00.000Z", "source_message_count": count}
    made |= {"source_prefix_hash": HASH_OF_SEVEN, "messages": [{"role": "user", "content": [words(SUMMARY)]}]}
    return json.dumps({key: value for key, value in {**made, **given}.items() if value != ""}).encode()


_BEGIN, _LOOK, _ONE, _MORE, _TWO, _THREE, _FOUR, _THAT, _ONCE, _CALLS, _FIVE, _DONE, _THANKS, _LAST = range(14)


BREAKS = _breaks = Breaks(sound, written)
corpus = _breaks.corpus


def result_in(records: list[Any], number: int) -> Record:
    found: Record = records[number]["content"][0]
    return found


# Results that are not there, or there too often.


@_breaks("one")
def result_gone(records: list[Any]) -> None:
    del records[_ONE]


@_breaks("two")
def first_of_three_gone(records: list[Any]) -> None:
    del records[_TWO]


@_breaks("three")
def middle_of_three_gone(records: list[Any]) -> None:
    del records[_THREE]


@_breaks("four")
def last_of_three_gone(records: list[Any]) -> None:
    del records[_FOUR]


@_breaks("two", "three", "four")
def all_three_gone(records: list[Any]) -> None:
    del records[_TWO : _FOUR + 1]


@_breaks("five")
def killed_in_the_last_call(records: list[Any]) -> None:
    del records[_FIVE:]


@_breaks("two", "three", "four", "five")
def killed_in_three_calls(records: list[Any]) -> None:
    del records[_TWO:]


@_breaks("five")
def killed_then_asked(records: list[Any]) -> None:
    del records[_FIVE : _DONE + 1]


@_breaks()
def call_gone(records: list[Any]) -> None:
    del records[_CALLS]


@_breaks()
def one_call_of_three_gone(records: list[Any]) -> None:
    del records[_MORE]["content"][2]


@_breaks()
def result_twice(records: list[Any]) -> None:
    records.insert(_ONE + 1, {**deepcopy(records[_ONE]), "id": "msg_again"})


@_breaks()
def result_twice_with_other_words(records: list[Any]) -> None:
    again = {**deepcopy(records[_ONE]), "id": "msg_again"}
    again["content"][0]["content"][0]["result"] = "something else"
    records.insert(_ONE + 1, again)


@_breaks()
def result_again_later(records: list[Any]) -> None:
    records.insert(_DONE, {**deepcopy(records[_ONE]), "id": "msg_again"})


@_breaks()
def placeholder_and_result(records: list[Any]) -> None:
    text = words("Tool execution was interrupted before a result was produced. Tool: run_commands.")
    made = {"type": "tool_result", "tool_use_id": "toolu_one", "name": "run_commands", "content": [text]}
    message = {"id": "msg_first", "role": "user", "content": [{**made, "is_error": True}], "ts": TIME + 1500}
    records.insert(_ONE, message)


@_breaks("one")
def placeholder_alone(records: list[Any]) -> None:
    text = words("Tool execution was interrupted before a result was produced. Tool: run_commands.")
    result_in(records, _ONE).update(content=[text], is_error=True)


# Results in another place.


@_breaks()
def result_late(records: list[Any]) -> None:
    records.insert(_DONE, records.pop(_ONE))


@_breaks()
def result_after_next_words(records: list[Any]) -> None:
    records.insert(_ONCE, records.pop(_FOUR))


@_breaks()
def result_after_user(records: list[Any]) -> None:
    records.insert(_FIVE, {"id": "msg_word", "role": "user", "content": [words("Well?")], "ts": TIME})


@_breaks()
def result_early(records: list[Any]) -> None:
    records.insert(_LOOK, records.pop(_ONE))


@_breaks()
def result_at_the_beginning(records: list[Any]) -> None:
    records.insert(_BEGIN, records.pop(_ONE))


@_breaks()
def results_in_other_order(records: list[Any]) -> None:
    records[_TWO], records[_FOUR] = records[_FOUR], records[_TWO]


@_breaks()
def results_in_one_message(records: list[Any]) -> None:
    records[_TWO]["content"] += [result_in(records, _THREE), result_in(records, _FOUR)]
    del records[_THREE : _FOUR + 1]


@_breaks()
def text_before_result(records: list[Any]) -> None:
    records[_ONE]["content"].insert(0, words("By the way."))


@_breaks()
def text_after_result(records: list[Any]) -> None:
    records[_ONE]["content"].append(words("By the way."))


@_breaks()
def result_in_the_response(records: list[Any]) -> None:
    records[_LOOK]["content"].append(result_in(records, _ONE))
    del records[_ONE]


@_breaks()
def result_said_by_the_model(records: list[Any]) -> None:
    records[_ONE]["role"] = "assistant"


@_breaks()
def response_between(records: list[Any]) -> None:
    records.insert(_ONE, {**deepcopy(records[_THAT]), "id": "msg_between"})


@_breaks("one")
def call_said_by_the_user(records: list[Any]) -> None:
    records[_LOOK]["role"] = "user"
    del records[_ONE]


@_breaks()
def text_after_call(records: list[Any]) -> None:
    records[_LOOK]["content"].append(words("I wait."))


# Ids.


@_breaks()
def id_mismatched(records: list[Any]) -> None:
    result_in(records, _ONE)["tool_use_id"] = "toolu_0ne"


@_breaks()
def id_sanitised_on_one_side(records: list[Any]) -> None:
    records[_LOOK]["content"][1]["id"] = "functions.run:0"
    result_in(records, _ONE)["tool_use_id"] = "functions_run_0"


@_breaks()
def id_with_dots(records: list[Any]) -> None:
    records[_LOOK]["content"][1]["id"] = result_in(records, _ONE)["tool_use_id"] = "functions.run:0"


@_breaks()
def ids_of_two_results_swapped(records: list[Any]) -> None:
    one, two = result_in(records, _TWO), result_in(records, _THREE)
    one["tool_use_id"], two["tool_use_id"] = two["tool_use_id"], one["tool_use_id"]


@_breaks()
def id_empty_on_both_sides(records: list[Any]) -> None:
    records[_LOOK]["content"][1]["id"] = result_in(records, _ONE)["tool_use_id"] = ""


@_breaks()
def id_of_result_empty(records: list[Any]) -> None:
    result_in(records, _ONE)["tool_use_id"] = ""


@_breaks()
def id_of_result_missing(records: list[Any]) -> None:
    del result_in(records, _ONE)["tool_use_id"]


@_breaks()
def id_too_long(records: list[Any]) -> None:
    records[_LOOK]["content"][1]["id"] = result_in(records, _ONE)["tool_use_id"] = "toolu_" + "x" * 80


@_breaks()
def id_used_again(records: list[Any]) -> None:
    records[_CALLS]["content"][0]["id"] = result_in(records, _FIVE)["tool_use_id"] = "toolu_one"


@_breaks("one")
def id_used_again_and_first_unanswered(records: list[Any]) -> None:
    records[_CALLS]["content"][0]["id"] = result_in(records, _FIVE)["tool_use_id"] = "toolu_one"
    del records[_ONE]


@_breaks("five")
def id_used_again_and_last_unanswered(records: list[Any]) -> None:
    records[_CALLS]["content"][0]["id"] = "toolu_one"
    del records[_CALLS + 1 :]


@_breaks()
def two_calls_with_one_id(records: list[Any]) -> None:
    records[_MORE]["content"][2]["id"] = result_in(records, _THREE)["tool_use_id"] = "toolu_two"


@_breaks("three")
def two_calls_with_one_id_and_one_result(records: list[Any]) -> None:
    records[_MORE]["content"][2]["id"] = "toolu_two"
    del records[_THREE]


@_breaks()
def one_id_for_two_messages(records: list[Any]) -> None:
    records[_THREE]["id"] = records[_TWO]["id"]


@_breaks()
def messages_without_ids(records: list[Any]) -> None:
    del records[_TWO]["id"], records[_CALLS]["id"]


@_breaks()
def results_without_the_names_of_their_tools(records: list[Any]) -> None:
    del result_in(records, _ONE)["name"], result_in(records, _THREE)["name"]


@_breaks("one")
def message_without_id_or_time_is_added(records: list[Any]) -> None:
    made = {"type": "tool_result", "tool_use_id": "toolu_one", "content": "Interrupted.", "is_error": True}
    records[_ONE] = {"role": "user", "content": [made]}


# What messages hold.


@_breaks()
def content_is_text(records: list[Any]) -> None:
    records[_THAT]["content"] = "That is it."
    records[_ONCE]["content"] = '<user_input mode="plan">Once more.</user_input>'
    result_in(records, _TWO)["content"] = word("two")


@_breaks()
def results_are_texts(records: list[Any]) -> None:
    result_in(records, _TWO)["content"] = [words(word("two")), words("and more")]


@_breaks("one")
def result_has_no_content(records: list[Any]) -> None:
    result_in(records, _ONE)["content"] = []


@_breaks("one")
def result_content_is_missing(records: list[Any]) -> None:
    del result_in(records, _ONE)["content"]


@_breaks("one")
def result_content_is_null(records: list[Any]) -> None:
    result_in(records, _ONE)["content"] = None


@_breaks()
def result_content_is_an_object(records: list[Any]) -> None:
    result_in(records, _ONE)["content"] = {"said": word("one")}


@_breaks()
def message_is_empty(records: list[Any]) -> None:
    records[_THAT]["content"] = []


@_breaks()
def text_is_blank(records: list[Any]) -> None:
    records[_ONCE]["content"][0]["text"] = "  "
    records[_LOOK]["content"][0]["text"] = ""


@_breaks()
def input_is_null(records: list[Any]) -> None:
    records[_LOOK]["content"][1]["input"] = None


@_breaks()
def input_is_missing(records: list[Any]) -> None:
    del records[_LOOK]["content"][1]["input"]


@_breaks()
def input_is_text(records: list[Any]) -> None:
    records[_LOOK]["content"][1]["input"] = "echo one"


@_breaks()
def call_has_no_name(records: list[Any]) -> None:
    del records[_LOOK]["content"][1]["name"]


@_breaks()
def block_of_unknown_type(records: list[Any]) -> None:
    records[_THAT]["content"].append({"type": "surprise", "value": 1})


@_breaks()
def block_is_null(records: list[Any]) -> None:
    records[_THAT]["content"].append(None)


@_breaks()
def content_is_null(records: list[Any]) -> None:
    records[_THAT]["content"] = None


@_breaks()
def role_is_missing(records: list[Any]) -> None:
    del records[_THAT]["role"]


@_breaks()
def message_is_null(records: list[Any]) -> None:
    records.insert(_THAT, None)


@_breaks()
def message_is_text(records: list[Any]) -> None:
    records.insert(_THAT, "hello")


@_breaks()
def half_a_character(records: list[Any]) -> bytes:
    records[_ONCE]["content"][0]["text"] = "Once HALF more."
    return written(records).replace(b"HALF", b"\\ud83d")


# What is this agent's own.


@_breaks("one")
def output_is_long(records: list[Any]) -> None:
    result_in(records, _ONE)["content"][0]["result"] = "a" * 5000 + "\U0001f600" * 3000 + "z" * 5000


@_breaks("three")
def part_of_output_is_long(records: list[Any]) -> None:
    result_in(records, _THREE)["content"].append({"query": "x", "result": "y" * 8001, "success": True})
    result_in(records, _THREE)["content"][0]["result"] = "short"


@_breaks("one")
def failed_with_words(records: list[Any]) -> None:
    result_in(records, _ONE).update(content=[words("It failed.")], is_error=True)


@_breaks("two")
def shown_only(records: list[Any]) -> None:
    records[_TWO]["metadata"] = {"displayOnly": True}
    records.insert(_ONCE, {**deepcopy(records[_ONCE]), "id": "msg_shown", "metadata": {"displayOnly": True}})


@_breaks()
def thinking(records: list[Any]) -> None:
    records[_CALLS]["content"].insert(0, {"type": "thinking", "thinking": "hm", "signature": "c2ln"})


@_breaks()
def file_attached(records: list[Any]) -> None:
    records[_ONCE]["content"].append({"type": "file", "path": "/tmp/a.txt", "content": "what it holds"})


@_breaks()
def image_attached(records: list[Any]) -> None:
    data = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
    records[_ONCE]["content"].append({"type": "image", "data": data, "mediaType": "image/png"})
    source = {"type": "base64", "media_type": "image/png", "data": data}
    records[_THANKS]["content"].append({"type": "image", "source": source})


@_breaks()
def command_of_the_user(records: list[Any]) -> None:
    text = ' <user_command slash="fix">Mend it.</user_command> <mode_notice>Switched.</mode_notice> '
    records[_ONCE]["content"] = [words(text), words("<user_input>and <b>this")]


# Bytes.


@_breaks()
def only_a_list(records: list[Any]) -> bytes:
    return json.dumps(records, indent=2).encode()


@_breaks()
def with_a_mark_of_its_order(records: list[Any]) -> bytes:
    return b"\xef\xbb\xbf" + written(records)


@_breaks("one", "two", "three", "four", "five")
def cut_off_after_a_message(records: list[Any]) -> bytes:
    data = written(records)
    return data[: data.index(b'"toolu_one"')]


@_breaks("five")
def cut_off_in_a_result(records: list[Any]) -> bytes:
    data = written(records)
    return data[: data.index(b"word-five")]


@_breaks()
def last_comma(records: list[Any]) -> bytes:
    data = written(records)
    at = data.index(b'\n  ],\n  "system_prompt"')
    return data[:at] + b"," + data[at:]


@_breaks("three")
def nul_bytes_in_a_message(records: list[Any]) -> bytes:
    return written(records).replace(b"word-three-word", b"\0" * 15)


@_breaks()
def key_twice(records: list[Any]) -> bytes:
    return written(records).replace(b'"id": "msg_abcde007"', b'"id": "msg_other", "id": "msg_abcde007"')


@_breaks()
def number_too_long(records: list[Any]) -> bytes:
    return written(records).replace(b'"inputTokens": 1000', b'"inputTokens": 12345678901234567890123', 1)


@_breaks("two")
def bytes_that_are_no_text(records: list[Any]) -> bytes:
    return written(records).replace(b"word-two-word", b"word-\xff\xfe-word")
