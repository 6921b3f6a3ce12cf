"""Rollouts with one planted defect each: what a record, an id or a line of Codex's can suffer."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from copy import deepcopy
from dataclasses import dataclass
from functools import cache
from typing import Final

from tests.agents.codex_rollouts import Record, Rollout, whole, word

WORD: Final = re.compile(rb"word-[a-z]+-word")


@dataclass(frozen=True, slots=True)
class Planted:
    """A rollout with a defect. `lost` are the words that no repair can bring to the model (inactive, or cut off)."""

    data: bytes
    lost: frozenset[bytes] = frozenset()

    @property
    def words(self) -> frozenset[bytes]:
        """Every output that the file still holds and that the model is to see."""
        return frozenset(WORD.findall(self.data)) - self.lost


def _lost(*names: str) -> frozenset[bytes]:
    return frozenset(word(name).encode() for name in names)


Plant = Callable[[bool], Planted]
DEFECTS: Final[dict[str, Plant]] = {}
CHANGES: Final[dict[str, Callable[[Rollout], bytes | None]]] = {}
"""What each defect does to a rollout."""


def _defect(lost: str = "", shell: str = "function_call") -> Callable[[Callable[[Rollout], bytes | None]], Plant]:
    """Registers what changes a whole rollout, or hands back the bytes of a changed one."""

    def register(change: Callable[[Rollout], bytes | None]) -> Plant:
        def plant(paginated: bool) -> Planted:
            made = whole(paginated, shell)
            data = change(made)
            return Planted(made.data() if data is None else data, _lost(*lost))

        DEFECTS[change.__name__] = plant
        CHANGES[change.__name__] = change
        return plant

    return register


@_defect()
def nothing(made: Rollout) -> None:
    pass


@_defect()
def output_gone(made: Rollout) -> None:
    made.drop(made.of("d", output=True))


@_defect()
def output_gone_of_a_parallel_call(made: Rollout) -> None:
    made.drop(made.of("b", output=True))


@_defect()
def all_parallel_outputs_gone(made: Rollout) -> None:
    made.drop(*(made.of(name, output=True) for name in "abc"))


@_defect()
def output_of_a_patch_gone(made: Rollout) -> None:
    made.drop(made.of("p", output=True))


@_defect(shell="local_shell_call")
def output_of_a_local_shell_gone(made: Rollout) -> None:
    made.drop(made.of("d", output=True))


@_defect(shell="tool_search_call")
def output_of_a_tool_search_gone(made: Rollout) -> None:
    made.drop(made.of("d", output=True))


@_defect()
def killed_in_the_last_call(made: Rollout) -> None:
    made.drop(made.of("e", output=True), made.records[-1])


@_defect()
def call_gone(made: Rollout) -> None:
    made.drop(made.of("d"))


@_defect()
def call_and_output_gone(made: Rollout) -> None:
    made.drop(*made.all_of("d"))


@_defect()
def call_of_a_patch_gone(made: Rollout) -> None:
    made.drop(made.of("p"))


@_defect()
def id_sanitised_on_one_side(made: Rollout) -> None:
    made.of("d")["payload"]["call_id"] = "functions.exec_command:0"
    made.of("d", output=True)["payload"]["call_id"] = "functions_exec_command_0"


@_defect()
def id_cut_on_one_side(made: Rollout) -> None:
    made.of("d", output=True)["payload"]["call_id"] = "call_d|fc_0123"


@_defect()
def id_of_the_output_empty(made: Rollout) -> None:
    made.of("d", output=True)["payload"]["call_id"] = ""


@_defect()
def id_of_the_output_absent(made: Rollout) -> None:
    del made.of("d", output=True)["payload"]["call_id"]


@_defect()
def id_of_the_call_absent(made: Rollout) -> None:
    del made.of("d")["payload"]["call_id"]


@_defect()
def ids_empty(made: Rollout) -> None:
    for record in made.all_of("d"):
        record["payload"]["call_id"] = ""


@_defect()
def ids_too_long(made: Rollout) -> None:
    for record in made.all_of("d"):
        record["payload"]["call_id"] = "call_" + "d" * 75


@_defect()
def output_of_the_wrong_kind(made: Rollout) -> None:
    made.of("p", output=True)["payload"]["type"] = "function_call_output"


@_defect()
def output_of_the_other_wrong_kind(made: Rollout) -> None:
    made.of("d", output=True)["payload"]["type"] = "custom_tool_call_output"


@_defect()
def output_twice(made: Rollout) -> None:
    record = made.of("d", output=True)
    made.insert(record, deepcopy(record))


@_defect()
def call_twice(made: Rollout) -> None:
    record = made.of("d")
    made.insert(record, deepcopy(record))


@_defect()
def pair_twice(made: Rollout) -> None:
    last = made.of("d", output=True)
    for record in reversed(made.all_of("d")):
        made.insert(last, deepcopy(record))


@_defect()
def two_outputs_that_differ(made: Rollout) -> None:
    record = made.of("d", output=True)
    other = deepcopy(record)
    other["payload"]["output"] = f"Output:\n{word('other')}\n"
    if "id" in other["payload"]:
        other["payload"]["id"] += "x"
    made.insert(record, other)


@_defect()
def item_id_of_a_later_call(made: Rollout) -> None:
    if made.paginated:
        made.of("e")["payload"]["id"] = made.of("d")["payload"]["id"]


@_defect()
def id_reused(made: Rollout) -> None:
    for record in made.all_of("e"):
        record["payload"]["call_id"] = "call_d"


@_defect()
def id_reused_and_one_output_gone(made: Rollout) -> None:
    made.drop(made.of("e", output=True))
    made.of("e")["payload"]["call_id"] = "call_d"


@_defect()
def id_reused_in_parallel_calls(made: Rollout) -> None:
    for record in made.all_of("b"):
        record["payload"]["call_id"] = "call_a"


@_defect()
def output_late(made: Rollout) -> None:
    record = made.of("d", output=True)
    made.drop(record)
    made.insert(made.of("e"), record)


@_defect()
def output_before_its_call(made: Rollout) -> None:
    record, call = made.of("d", output=True), made.of("d")
    made.drop(call)
    made.insert(record, call)


@_defect()
def name_empty(made: Rollout) -> None:
    made.of("d")["payload"]["name"] = ""


@_defect()
def arguments_torn(made: Rollout) -> None:
    made.of("d")["payload"]["arguments"] = '{"cmd": "echo'


@_defect()
def unknown_things(made: Rollout) -> None:
    made.insert(made.of("d"), {**made.records[-1], "payload": {"type": "hologram_call", "call_id": "x"}})
    made.insert(made.of("e"), {**made.records[-1], "type": "hologram", "payload": {"type": "x"}})


@_defect(lost="e")
def last_turn_rolled_back(made: Rollout) -> None:
    made.add("event_msg", {"type": "thread_rolled_back", "num_turns": 1})


@_defect(lost="abcdp")
def compacted_between_the_turns(made: Rollout) -> None:
    _compact(made)


@_defect(lost="abcdp")
def call_before_a_compaction_and_output_behind_it(made: Rollout) -> None:
    record = made.of("d", output=True)
    made.drop(record)
    _compact(made)
    made.insert(made.of("e", output=True), record)


@_defect()
def compaction_that_does_not_count(made: Rollout) -> None:
    _compact(made)["payload"]["replacement_history_metadata"] = []


@_defect(lost="e")
def turn_with_its_compaction_taken_back(made: Rollout) -> None:
    record = _compact(made)
    made.drop(record)
    made.insert(made.of("e", output=True), record)
    made.add("event_msg", {"type": "thread_rolled_back", "num_turns": 1})


@_defect(lost="abcdp")
def call_without_output_in_a_compaction(made: Rollout) -> None:
    _compact(made)["payload"]["replacement_history"].append(deepcopy(made.of("d")["payload"]))


@_defect(lost="abcp")
def output_without_call_in_a_compaction(made: Rollout) -> None:
    _compact(made)["payload"]["replacement_history"].append(deepcopy(made.of("d", output=True)["payload"]))


@_defect(lost="abcdp")
def compaction_with_a_summary_alone(made: Rollout) -> None:
    del _compact(made)["payload"]["replacement_history"]


def _compact(made: Rollout) -> Record:
    old = [next(found for found in made.records if found["payload"].get("role") == "user")["payload"]]
    summary = {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "SUMMARY: all was seen."}]}
    payload = {"message": "SUMMARY: all was seen.", "replacement_history": [*old, summary]}
    begins = [n for n, found in enumerate(made.records) if found["payload"].get("type") == "task_started"][-1]
    record = made.add("compacted", payload)
    made.drop(record)
    made.records.insert(begins, record)
    return record


def _line_of(made: Rollout, name: str) -> tuple[list[bytes], int]:
    lines = made.lines()
    return lines, next(n for n, found in enumerate(made.records) if found is made.of(name, output=True))


def _joined(lines: list[bytes]) -> bytes:
    return b"".join(line + b"\n" for line in lines)


@_defect()
def two_lines_glued(made: Rollout) -> bytes:
    lines, at = _line_of(made, "d")
    return _joined([*lines[:at], lines[at] + lines[at + 1], *lines[at + 2 :]])


@_defect(lost="e")
def last_line_torn(made: Rollout) -> bytes:
    lines, at = _line_of(made, "e")
    return _joined(lines[:at]) + lines[at][:-60]


@_defect()
def last_line_without_its_end(made: Rollout) -> bytes:
    return made.data()[:-1]


@_defect(lost="d")
def output_line_damaged(made: Rollout) -> bytes:
    lines, at = _line_of(made, "d")
    lines[at] = lines[at][40:]
    return _joined(lines)


@_defect()
def line_of_nul(made: Rollout) -> bytes:
    lines, at = _line_of(made, "d")
    return _joined([*lines[:at], b"\0" * 200, *lines[at:]])


@_defect()
def nul_before_a_record(made: Rollout) -> bytes:
    lines, at = _line_of(made, "d")
    lines[at] = b"\0" * 200 + lines[at]
    return _joined(lines)


@_defect()
def blank_line(made: Rollout) -> bytes:
    lines, at = _line_of(made, "d")
    return _joined([*lines[:at], b"", *lines[at:]])


@_defect()
def half_a_character(made: Rollout) -> bytes:
    lines, at = _line_of(made, "d")
    lines[at] = lines[at].replace(b"word-d-word", b"word-d-word \\ud83d")
    return _joined(lines)


@_defect()
def byte_that_is_no_text(made: Rollout) -> bytes:
    lines, at = _line_of(made, "d")
    lines[at] = lines[at].replace(b"word-d-word", b"word-d-word \xff")
    return _joined(lines)


@_defect()
def byte_order_mark(made: Rollout) -> bytes:
    return b"\xef\xbb\xbf" + made.data()


@_defect()
def first_line_damaged(made: Rollout) -> bytes:
    lines = made.lines()
    return _joined([lines[0][:50], *lines[1:]])


@_defect()
def line_ends_of_windows(made: Rollout) -> bytes:
    return made.data().replace(b"\n", b"\r\n")


def _ordinals(made: Rollout, change: Callable[[list[Record]], object]) -> bytes:
    made.lines()
    change(made.records)
    return _joined([json.dumps(record, separators=(",", ":")).encode() for record in made.records])


@_defect()
def ordinals_with_a_gap(made: Rollout) -> bytes:
    return _ordinals(made, lambda records: [found.update(ordinal=n * 2) for n, found in enumerate(records) if n > 5])


@_defect()
def ordinal_repeated(made: Rollout) -> bytes:
    return _ordinals(made, lambda records: records[9].update(ordinal=8))


@_defect()
def ordinal_absent_in_the_middle(made: Rollout) -> bytes:
    return _ordinals(made, lambda records: records[9].pop("ordinal", None))


@_defect()
def ordinal_absent_at_the_end(made: Rollout) -> bytes:
    return _ordinals(made, lambda records: records[-1].pop("ordinal", None))


@_defect()
def ordinals_all_absent(made: Rollout) -> bytes:
    return _ordinals(made, lambda records: [found.pop("ordinal", None) for found in records])


@_defect()
def time_of_an_output_absent(made: Rollout) -> None:
    del made.of("d", output=True)["timestamp"]


@_defect()
def output_as_an_object(made: Rollout) -> None:
    payload = made.of("d", output=True)["payload"]
    payload["output"] = {"content": payload["output"], "success": True}


@_defect()
def output_with_parts_of_another_api(made: Rollout) -> None:
    payload = made.of("d", output=True)["payload"]
    payload["output"] = [{"type": "text", "text": payload["output"]}]


@_defect()
def output_in_parts(made: Rollout) -> None:
    payload = made.of("d", output=True)["payload"]
    payload["output"] = [{"type": "input_text", "text": payload["output"]}]


@_defect()
def arguments_as_an_object(made: Rollout) -> None:
    made.of("d")["payload"]["arguments"] = {"cmd": "echo d"}


@_defect()
def arguments_absent(made: Rollout) -> None:
    del made.of("d")["payload"]["arguments"]


@_defect()
def time_of_a_call_absent(made: Rollout) -> None:
    del made.of("d")["timestamp"]


@_defect()
def tool_search_of_the_server(made: Rollout) -> None:
    made.item(type="tool_search_call", call_id=None, execution="server", status="completed", arguments={})
    made.item(type="tool_search_output", call_id=None, execution="server", status="completed", tools=[])


@_defect()
def byte_order_mark_inside(made: Rollout) -> bytes:
    lines, at = _line_of(made, "d")
    lines[at] = b"\xef\xbb\xbf" + lines[at]
    return _joined(lines)


@_defect()
def first_line_glued_to_the_second(made: Rollout) -> bytes:
    lines = made.lines()
    return _joined([lines[0] + lines[1], *lines[2:]])


@_defect()
def long_outputs(made: Rollout) -> None:
    for name, size in (("a", 48_000), ("b", 48_001), ("d", 200_000), ("e", 47_000)):
        made.of(name, output=True)["payload"]["output"] += "0123456" * (size // 7)
    parts = [made.of("c", output=True)["payload"]["output"], "x" * 40_000, "", "é" * 20_000, "more"]
    made.of("c", output=True)["payload"]["output"] = [{"type": "input_text", "text": text} for text in parts]


@_defect()
def images_that_are_not_passed_on(made: Rollout) -> None:
    links = ({"image_url": "https://example.org/x.png"}, {"image_url": "data:image/png;base64,AA==", "detail": "low"})
    words = [{"type": "input_text", "text": made.of("d", output=True)["payload"]["output"]}]
    made.of("d", output=True)["payload"]["output"] = [*words, *({"type": "input_image", **link} for link in links)]


@_defect()
def one_id_for_calls_of_two_kinds(made: Rollout) -> None:
    for record in made.all_of("p"):
        record["payload"]["call_id"] = "call_d"


@_defect()
def one_id_for_calls_of_two_kinds_and_one_output_gone(made: Rollout) -> None:
    made.drop(made.of("p", output=True))
    made.of("p")["payload"]["call_id"] = "call_d"


@_defect()
def fields_of_another_type(made: Rollout) -> None:
    made.of("a")["payload"]["status"] = 5
    made.of("b", output=True)["payload"]["name"] = ["b"]
    made.of("d")["payload"]["internal_chat_message_metadata_passthrough"] = {"turn_id": 5}
    made.records[-1]["payload"]["phase"] = "final"
    made.says("user", "Words in another form.")["payload"]["content"] = "Words in another form."


@_defect()
def numbers_that_are_too_large(made: Rollout) -> None:
    for name, number in (("a", 2**64), ("b", 2**128), ("d", -(2**63) - 1), ("e", 10**20)):
        made.of(name, output=True)["number"] = number


@_defect()
def byte_that_is_no_text_without_settings(made: Rollout) -> bytes:
    made.records = [found for found in made.records if found["payload"].get("type") != "thread_settings_applied"]
    lines, at = _line_of(made, "d")
    lines[at] = lines[at].replace(b"word-d-word", b"word-d-word \xff")
    return _joined(lines)


@_defect()
def all_times_absent(made: Rollout) -> bytes:
    made.lines()
    for record in made.records:
        del record["timestamp"]
    return _joined([json.dumps(record, separators=(",", ":")).encode() for record in made.records])


@_defect()
def first_line_with_fields_that_are_not_read(made: Rollout) -> None:
    meta = made.records[0]["payload"]
    meta |= {"git": {"branch": 5}, "dynamic_tools": {"type": "dynamic"}, "session_id": "x"}
    del meta["originator"], meta["cli_version"]


@_defect()
def one_line_in_the_form_of_2025(made: Rollout) -> bytes:
    lines, at = _line_of(made, "d")
    lines[at] = json.dumps(made.records[at]["payload"]).encode()
    return _joined(lines)


@_defect()
def in_the_form_of_2025(made: Rollout) -> bytes:
    head = {"id": made.records[0]["payload"]["id"], "timestamp": "2025-08-18T01:16:13.522Z", "instructions": None}
    items = [record["payload"] for record in made.records if record["type"] == "response_item"]
    return _joined([json.dumps(value).encode() for value in (head, {"record_type": "state"}, *items)])


@cache
def corpus() -> dict[str, Planted]:
    """Every defect in both kinds of rollout."""
    made = {}
    for name, plant in DEFECTS.items():
        made[f"{name}, paginated"] = plant(True)
        if not name.startswith("ordinal"):
            made[f"{name}, legacy"] = plant(False)
    return made
