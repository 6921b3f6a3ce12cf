"""Kimi CLI's sessions as it writes them, and many ways in which they break. Every output says a word of its own."""

from __future__ import annotations

import json
from typing import Any

from tests.broken_sessions import UNLINKED, Breaks, Places, Record, break_lines, lines, tell, word

ID = "5a1f3c8e-7d42-4b6f-9e0a-1c2d3e4f5a6b"
FOLDER = "/home/dev/project"
HASH = "386a62c9e05fe5c90385e97e49ad27e0"
NAME = f"sessions/{HASH}/{ID}/context.jsonl"
_NUMBERS = {name: number for number, name in enumerate(("one", "two", "three", "four", "five", "six"))}


def call(name: str) -> Record:
    arguments = json.dumps({"command": f"echo {name}"})
    return {
        "type": "function",
        "id": f"Shell:{_NUMBERS[name]}",
        "function": {"name": "Shell", "arguments": arguments},
    }


def output(name: str, text: str | None = None) -> Record:
    said = word(name) if text is None else text
    parts = ["<system>Command executed successfully.</system>", f"{said}\n"]
    content = [{"type": "text", "text": part} for part in parts]
    return {"role": "tool", "content": content, "tool_call_id": f"Shell:{_NUMBERS[name]}"}


def think(text: str = "I should look.") -> Record:
    return {"type": "think", "think": text, "encrypted": None}


class KimiSession:
    """The lines of one session: messages, and what Kimi CLI notes between them."""

    def __init__(self) -> None:
        self.records: list[Record] = [{"role": "_system_prompt", "content": "You are Kimi."}]
        self._checkpoints = 0

    def checkpoint(self) -> None:
        self.records.append({"role": "_checkpoint", "id": self._checkpoints})
        self._checkpoints += 1

    def usage(self) -> None:
        self.records.append({"role": "_usage", "token_count": 1000 + len(self.records)})

    def user(self, text: str) -> None:
        self.checkpoint()
        self.records.append({"role": "user", "content": text})

    def says(self, text: str, *names: str) -> None:
        self.checkpoint()
        self.usage()
        content = [think(), *([{"type": "text", "text": text}] if text else [])]
        calls = {"tool_calls": [call(name) for name in names]} if names else {}
        self.records.append({"role": "assistant", "content": content, **calls})
        self.usage()

    def result(self, name: str) -> None:
        self.records.append(output(name))

    def data(self) -> bytes:
        return lines(self.records)


def sound() -> KimiSession:
    made = KimiSession()
    tell(made)
    return made


def _places() -> Places:
    spoken = [n for n, record in enumerate(sound().records) if not record["role"].startswith("_")]
    return Places(*spoken)


AT = _places()
BREAKS = _breaks = Breaks(sound)
corpus = _breaks.corpus
break_lines(
    _breaks,
    AT,
    UNLINKED,
    but=("parent_null", "cycle"),
)
broken = _breaks


@broken()
def _ids_differ(records: list[Any]) -> None:
    records[AT.one]["tool_call_id"] = "Shell_0"


@broken()
def _sanitised(records: list[Any]) -> None:
    records[AT.look]["tool_calls"][0]["id"] = "functions.Shell:0"
    records[AT.one]["tool_call_id"] = "functions_Shell_0"


@broken()
def _one_id_twice_in_a_message(records: list[Any]) -> None:
    records[AT.more]["tool_calls"][1]["id"] = "Shell:1"
    records[AT.three]["tool_call_id"] = "Shell:1"


@broken()
def _an_id_again(records: list[Any]) -> None:
    records[AT.calls]["tool_calls"][0]["id"] = "Shell:0"
    records[AT.five]["tool_call_id"] = "Shell:0"


@broken()
def _an_id_that_is_a_number(records: list[Any]) -> None:
    records[AT.look]["tool_calls"][0]["id"] = 7
    records[AT.one]["tool_call_id"] = 7


@broken()
def _no_ids(records: list[Any]) -> None:
    del records[AT.look]["tool_calls"][0]["id"], records[AT.one]["tool_call_id"]


@broken()
def _empty_ids(records: list[Any]) -> None:
    records[AT.look]["tool_calls"][0]["id"] = records[AT.one]["tool_call_id"] = ""


@broken()
def _arguments_as_an_object(records: list[Any]) -> None:
    records[AT.look]["tool_calls"][0]["function"]["arguments"] = {"command": "echo one"}


@broken()
def _no_arguments(records: list[Any]) -> None:
    del records[AT.look]["tool_calls"][0]["function"]["arguments"]


@broken()
def _no_name(records: list[Any]) -> None:
    del records[AT.look]["tool_calls"][0]["function"]["name"]


@broken()
def _no_type(records: list[Any]) -> None:
    del records[AT.look]["tool_calls"][0]["type"]


@broken()
def _a_call_that_is_null(records: list[Any]) -> None:
    records[AT.look]["tool_calls"].append(None)


@broken()
def _a_call_not_in_a_list(records: list[Any]) -> None:
    records[AT.look]["tool_calls"] = records[AT.look]["tool_calls"][0]


def _without_thinking(records: list[Any]) -> None:
    for record in records:
        if isinstance(record.get("content"), list):
            record["content"] = [part for part in record["content"] if part["type"] != "think"]


@broken()
def _no_content(records: list[Any]) -> None:
    _without_thinking(records)
    del records[AT.look]["content"]


@broken()
def _null_content(records: list[Any]) -> None:
    _without_thinking(records)
    records[AT.look]["content"] = None


@broken("one")
def _result_without_content(records: list[Any]) -> None:
    del records[AT.one]["content"]


@broken()
def _result_in_a_part_of_another_api(records: list[Any]) -> None:
    records[AT.one]["content"] = [{"type": "input_text", "text": word("one")}]


@broken()
def _result_that_is_an_object(records: list[Any]) -> None:
    records[AT.one]["content"] = {"output": word("one")}


@broken()
def _a_bare_text_among_parts(records: list[Any]) -> None:
    records[AT.one]["content"] = [word("one"), {"type": "text", "text": "more"}]


@broken()
def _an_image_as_a_string(records: list[Any]) -> None:
    image = {"type": "image_url", "image_url": "data:image/png;base64,AAAA"}
    records[AT.once]["content"] = [image, {"type": "text", "text": "Once more."}]


@broken(said=("Once more.",))
def _words_in_a_part_of_another_api(records: list[Any]) -> None:
    records[AT.once]["content"] = [{"type": "input_text", "text": "Once more."}]


@broken()
def _thinking_that_is_null(records: list[Any]) -> None:
    records[AT.look]["content"][0]["think"] = None


@broken()
def _signature_that_is_a_number(records: list[Any]) -> None:
    records[AT.look]["content"][0]["encrypted"] = 1


@broken(said=("Once more.",))
def _another_apis_role(records: list[Any]) -> None:
    records[AT.once]["role"] = "developer"


@broken(said=("Once more.",))
def _no_role(records: list[Any]) -> None:
    del records[AT.once]["role"]


@broken()
def _role_of_another_on_a_result(records: list[Any]) -> None:
    records[AT.one]["role"] = "function"


@broken()
def _a_note_of_another_version(records: list[Any]) -> None:
    records.insert(AT.that, {"role": "_mode", "plan": True})


@broken()
def _notes_that_say_nothing(records: list[Any]) -> None:
    records[1] = {"role": "_checkpoint"}
    records.insert(AT.that, {"role": "_usage", "token_count": None})


@broken("five")
def _ends_after_the_usage(records: list[Any]) -> None:
    del records[AT.five :]


@broken()
def _no_system_prompt(records: list[Any]) -> None:
    del records[0]


@broken()
def _bytes_that_are_no_text_and_no_system_prompt(records: list[Any]) -> bytes:
    return lines(records[1:]).replace(word("one").encode(), word("one").encode() + b" \xff\xfe.")


@broken()
def _a_message_glued_to_a_note(records: list[Any]) -> bytes:
    return lines(records).replace(b"\n\n", b"\n").replace(b'"Once more."}\n', b'"Once more."}', 1)


@broken()
def _a_number_of_many_digits(records: list[Any]) -> bytes:
    return lines(records).replace(b'{"role":"tool"', b'{"n":' + b"1" * 5000 + b',"role":"tool"', 1)


@broken()
def _control_characters(records: list[Any]) -> bytes:
    return _control_characters_in(records)


def _control_characters_in(records: list[Any]) -> bytes:
    return lines(records).replace(word("one").encode(), word("one").encode() + b"\x01\t")


@broken()
def _control_characters_in_a_result_of_another_role(records: list[Any]) -> bytes:
    records[AT.one]["role"] = "function"
    return _control_characters_in(records)


@broken()
def _commas_at_the_ends(records: list[Any]) -> bytes:
    return lines(records).replace(b"}\n", b"},\n")


@broken("one", "three")
def _compacted(records: list[Any]) -> None:
    summary = ["<system>Previous context has been compacted. Here is the compaction output:</system>", "We began."]
    said = {"role": "user", "content": [{"type": "text", "text": text} for text in summary]}
    kept = [records[AT.more], records[AT.two], records[AT.four]]
    del records[1 : AT.once]
    records[1:1] = [{"role": "_checkpoint", "id": 0}, said, *kept]


BY_HAND = {"a_number_of_many_digits"}
"""What only a person can repair."""
