"""Session files with one planted defect each: what one record, id or link can suffer.

Each defect takes the records (parsed) of a sound session and hands back those of a broken one, or None where the
session has nothing that it could break. They work on any session in Claude Code's form.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from copy import deepcopy
from functools import cache
from typing import Any, Final

from tests.formats.claude_code_files import SESSION, Log, call, text

Records = list[dict[str, Any]]
Defect = Callable[[Records, random.Random], Records | None]
DEFECTS: Final[dict[str, Defect]] = {}
MODEL: Final = "claude-sonnet-4-5"


def defect(found: Defect) -> Defect:
    DEFECTS[found.__name__] = found
    return found


def sound() -> Records:
    """Prompts, parallel calls in another order, thinking, texts, an answered end. Records stand 7 s apart."""
    log = Log(step=7.0)
    log.user("u1", "first words")
    log.says("a1", "msg_1", text("Two at once."))
    log.says("a2", "msg_1", call("toolu_01A"))
    log.says("a3", "msg_1", call("toolu_01B"))
    log.result("r2", "a3", "toolu_01B", "output B")
    log.result("r1", "a2", "toolu_01A", "output A")
    log.says("a4", "msg_2", call("toolu_01C"), parent="r2")
    log.result("r3", "a4", "toolu_01C", [{"type": "text", "text": "output C"}])
    log.says("a5", "msg_3", text("Half done."))
    log.user("u2", "second words")
    log.says("a6", "msg_4", {"type": "thinking", "thinking": "hm", "signature": "c2lnbmF0dXJl"})
    log.says("a7", "msg_4", text("One more."))
    log.says("a8", "msg_4", call("toolu_01D"))
    log.result("r4", "a8", "toolu_01D", "output D")
    log.says("a9", "msg_5", call("toolu_01E"))
    log.result("r5", "a9", "toolu_01E", "output E")
    log.says("a10", "msg_6", text("Three at once."))
    log.says("a11", "msg_6", call("toolu_01F"))
    log.says("a12", "msg_6", call("toolu_01G"))
    log.says("a13", "msg_6", call("toolu_01H"))
    log.result("r6", "a11", "toolu_01F", "output F")
    log.result("r7", "a12", "toolu_01G", "output G")
    log.result("r8", "a13", "toolu_01H", "output H")
    log.says("a14", "msg_7", text("Done."))
    log.user("u3", "third words")
    log.says("a15", "msg_8", text("You are welcome."))
    for value in log.values:
        if value["type"] == "assistant":
            value["message"]["model"] = MODEL
    return log.values


def written(records: Records) -> bytes:
    return b"".join(json.dumps(value, ensure_ascii=False).encode() + b"\n" for value in records)


@cache
def corpus() -> dict[str, bytes]:
    """Name of the defect -> a session that has it."""
    return {name: corpus_file(name) for name in ("sound", *DEFECTS)}


def corpus_file(name: str) -> bytes:
    """The session with this one defect, the same each time; "sound" has none."""
    if name == "sound":
        return written(sound())
    tries = (DEFECTS[name](sound(), random.Random(seed)) for seed in range(7, 57))
    return written(next(found for found in tries if found is not None))


# Finding one's way in records.


def parts(record: dict[str, Any], type_: str) -> list[dict[str, Any]]:
    content = record.get("message", {}).get("content")
    if record.get("type") not in ("user", "assistant") or not isinstance(content, list):
        return []
    return [part for part in content if isinstance(part, dict) and part.get("type") == type_]


def exchanges(records: Records) -> list[tuple[int, int]]:
    """(call record, result record) by id, for records of one block each, in order of the calls."""
    calls = {
        parts(value, "tool_use")[0]["id"]: at
        for at, value in enumerate(records)
        if len(parts(value, "tool_use")) == 1 and not value.get("isSidechain")
    }
    found = []
    for at, value in enumerate(records):
        results = parts(value, "tool_result")
        if len(results) == 1 and results[0].get("tool_use_id") in calls:
            found.append((calls[results[0]["tool_use_id"]], at))
    return sorted(found)


def message_of(record: dict[str, Any]) -> Any:
    return record.get("message", {}).get("id")


def _alone(records: Records, at: int) -> bool:
    """The call is the only one of its message."""
    return sum(bool(parts(value, "tool_use")) for value in records if message_of(value) == message_of(records[at])) == 1


def _middle(records: Records, rng: random.Random, alone: bool | None = True) -> tuple[int, int] | None:
    """An exchange that is neither the first nor the last; `alone`: not one of parallel calls (None: any)."""
    found = exchanges(records)[1:-1] or exchanges(records)
    found = [pair for pair in found if alone is None or _alone(records, pair[0]) is alone]
    return rng.choice(found) if found else None


def without(records: Records, *places: int) -> Records:
    """The records without these, their children linked to what stands above."""
    above = {records[at].get("uuid"): records[at].get("parentUuid") for at in places}
    left = [value for at, value in enumerate(records) if at not in places]
    for value in left:
        while value.get("parentUuid") is not None and value["parentUuid"] in above:
            value["parentUuid"] = above[value["parentUuid"]]
    return left


def behind(records: Records, at: int, record: dict[str, Any]) -> Records:
    """The records with one more behind `at`, in the chain."""
    uuid = records[at].get("uuid")
    children = [value for value in records if value.get("parentUuid") == uuid and uuid]
    record["parentUuid"] = uuid
    for value in children:
        value["parentUuid"] = record["uuid"]
    return [*records[: at + 1], record, *records[at + 1 :]]


def copied(record: dict[str, Any], uuid: str, **message: Any) -> dict[str, Any]:
    made = deepcopy(record)
    made["uuid"] = uuid
    made["message"] = {**made["message"], **message}
    return made


def user_record(like: dict[str, Any], uuid: str, content: Any) -> dict[str, Any]:
    made = {key: value for key, value in like.items() if key not in ("toolUseResult", "sourceToolAssistantUUID")}
    return {**deepcopy(made), "type": "user", "uuid": uuid, "message": {"role": "user", "content": content}}


def assistant_record(like: dict[str, Any], uuid: str, message_id: str, *content: Any) -> dict[str, Any]:
    message = {
        "id": message_id,
        "type": "message",
        "role": "assistant",
        "model": like.get("message", {}).get("model") or MODEL,
        "content": list(content),
    }
    made = {key: value for key, value in like.items() if key not in ("toolUseResult", "sourceToolAssistantUUID")}
    return {**deepcopy(made), "type": "assistant", "uuid": uuid, "message": message}


def _one(records: Records, rng: random.Random, alone: bool | None = True) -> tuple[int, int, dict[str, Any]] | None:
    """A call's place, its result's place and the result block."""
    found = _middle(records, rng, alone)
    return (*found, parts(records[found[1]], "tool_result")[0]) if found else None


def _each(change: Callable[[Records, int, int, dict[str, Any]], Records | None], alone: bool | None = True) -> Defect:
    def planted(records: Records, rng: random.Random) -> Records | None:
        found = _one(records, rng, alone)
        return change(records, *found) if found else None

    return planted


def _set_result(**fields: Any) -> Defect:
    def change(records: Records, call_at: int, at: int, block: dict[str, Any]) -> Records:
        block.update(fields)
        return records

    return _each(change, None)


def _set_ids(call_id: Any, result_id: Any) -> Defect:
    def change(records: Records, call_at: int, at: int, block: dict[str, Any]) -> Records:
        call_block = parts(records[call_at], "tool_use")[0]
        for holder, key, value in ((call_block, "id", call_id), (block, "tool_use_id", result_id)):
            if callable(value):
                holder[key] = value(holder[key])
            elif value is ...:
                del holder[key]
            else:
                holder[key] = value
        return records

    return _each(change, None)


def _set_call(**fields: Any) -> Defect:
    def change(records: Records, call_at: int, at: int, block: dict[str, Any]) -> Records:
        call_block = parts(records[call_at], "tool_use")[0]
        for key, value in fields.items():
            if value is ...:
                del call_block[key]
            else:
                call_block[key] = value
        return records

    return _each(change, None)


# Calls without results, results without calls.


@defect
def result_lost(records: Records, rng: random.Random) -> Records | None:
    found = _one(records, rng)
    return without(records, found[1]) if found else None


@defect
def result_of_parallel_lost(records: Records, rng: random.Random) -> Records | None:
    found = _one(records, rng, False)
    return without(records, found[1]) if found else None


@defect
def killed_in_call(records: Records, rng: random.Random) -> Records | None:
    found = _one(records, rng)
    return records[: found[0] + 1] if found else None


@defect
def killed_in_parallel_calls(records: Records, rng: random.Random) -> Records | None:
    groups = [pair for pair in exchanges(records) if not _alone(records, pair[0])]
    return records[: max(groups)[1]] if groups else None


@defect
def unanswered_then_prompt(records: Records, rng: random.Random) -> Records | None:
    found = _one(records, rng)
    if found is None:
        return None
    kept = records[: found[0] + 1]
    return behind(kept, found[0], user_record(records[found[1]], "new-prompt", "something else"))


@defect
def interrupted_in_place(records: Records, rng: random.Random) -> Records | None:
    found = _one(records, rng)
    if found is None:
        return None
    said = [{"type": "text", "text": "[Request interrupted by user for tool use]"}]
    records[found[1]]["message"]["content"] = said
    return records


@defect
def ends_with_result(records: Records, rng: random.Random) -> Records | None:
    found = _one(records, rng)
    return records[: found[1] + 1] if found else None


@defect
def ends_with_prompt(records: Records, rng: random.Random) -> Records | None:
    return behind(records, len(records) - 1, user_record(records[-1], "last-words", "and then?"))


@defect
def call_lost(records: Records, rng: random.Random) -> Records | None:
    found = _one(records, rng)
    return without(records, found[0]) if found else None


@defect
def call_of_parallel_lost(records: Records, rng: random.Random) -> Records | None:
    found = _one(records, rng, False)
    return without(records, found[0]) if found else None


@defect
def orphan_first(records: Records, rng: random.Random) -> Records | None:
    found = _one(records, rng)
    if found is None:
        return None
    left = records[found[1] :]
    left[0]["parentUuid"] = None
    return [value for value in left if value.get("type") in ("user", "assistant", "attachment", "system")]


@defect
def orphan_beside_text(records: Records, rng: random.Random) -> Records | None:
    found = _one(records, rng)
    if found is None:
        return None
    records[found[1]]["message"]["content"].append({"type": "text", "text": "words beside it"})
    return without(records, found[0])


@defect
def foreign_result_beside_real(records: Records, rng: random.Random) -> Records | None:
    found = _one(records, rng)
    if found is None:
        return None
    extra = copied(records[found[1]], "foreign")
    extra["message"]["content"] = [{**found[2], "tool_use_id": "toolu_nobody", "content": "nobody's output"}]
    return behind(records, found[1], extra)


# Ids.

for _name, _ids in {
    "id_sanitised": (None, lambda id_: str(id_) + "_0"),
    "id_with_space": (None, lambda id_: f" {id_}"),
    "id_empty": ("", ""),
    "id_null": (None, None),
    "id_absent": (..., ...),
    "id_pattern": (lambda id_: f"{id_}.1:é", lambda id_: f"{id_}.1:é"),
    "id_long": (lambda id_: str(id_) * 6, lambda id_: str(id_) * 6),
}.items():
    if _name.startswith(("id_sanitised", "id_with")):
        _ids = (lambda id_: id_, _ids[1])
    DEFECTS[_name] = _set_ids(*_ids)


@defect
def id_reused_later(records: Records, rng: random.Random) -> Records | None:
    return _reuse(records, rng, False)


@defect
def id_reused_first_unanswered(records: Records, rng: random.Random) -> Records | None:
    return _reuse(records, rng, True)


def _reuse(records: Records, rng: random.Random, lose_first: bool) -> Records | None:
    found = [pair for pair in exchanges(records) if _alone(records, pair[0])]
    if len(found) < 2:
        return None
    first, second = sorted(rng.sample(found, 2))
    id_ = parts(records[first[0]], "tool_use")[0]["id"]
    parts(records[second[0]], "tool_use")[0]["id"] = id_
    parts(records[second[1]], "tool_result")[0]["tool_use_id"] = id_
    return without(records, first[1]) if lose_first else records


@defect
def id_twice_in_message(records: Records, rng: random.Random) -> Records | None:
    found = [pair for pair in exchanges(records) if not _alone(records, pair[0])]
    if len(found) < 2:
        return None
    first = found[0]
    second = next(pair for pair in found[1:] if message_of(records[pair[0]]) == message_of(records[first[0]]))
    id_ = parts(records[first[0]], "tool_use")[0]["id"]
    parts(records[second[0]], "tool_use")[0]["id"] = id_
    parts(records[second[1]], "tool_result")[0]["tool_use_id"] = id_
    return records


@defect
def id_twice_one_result(records: Records, rng: random.Random) -> Records | None:
    broken = id_twice_in_message(records, rng)
    if broken is None:
        return None
    seen: dict[str, int] = {}
    for at, value in enumerate(broken):
        for block in parts(value, "tool_result"):
            if block["tool_use_id"] in seen:
                return without(broken, at)
            seen[block["tool_use_id"]] = at
    return None


# Results in a wrong place, or more than one.


@defect
def results_exchanged(records: Records, rng: random.Random) -> Records | None:
    found = [pair for pair in exchanges(records) if _alone(records, pair[0])]
    if len(found) < 2:
        return None
    (_, one), (_, other) = rng.sample(found, 2)
    first, second = parts(records[one], "tool_result")[0], parts(records[other], "tool_result")[0]
    first["tool_use_id"], second["tool_use_id"] = second["tool_use_id"], first["tool_use_id"]
    return records


@defect
def result_late(records: Records, rng: random.Random) -> Records | None:
    found = _one(records, rng)
    if found is None:
        return None
    ends = [
        at
        for at, value in enumerate(records)
        if at > found[1] and value.get("type") == "assistant" and parts(value, "text") and not value.get("isSidechain")
    ]
    if not ends:
        return None
    late = deepcopy(records[found[1]])
    late["uuid"] = "late-result"
    records = behind(records, ends[0], late)
    return without(records, found[1])


@defect
def answer_between(records: Records, rng: random.Random) -> Records | None:
    found = _one(records, rng)
    if found is None:
        return None
    like = records[found[0]]
    return behind(records, found[0], assistant_record(like, "between", "msg_between", text("words between")))


@defect
def user_words_between(records: Records, rng: random.Random) -> Records | None:
    found = _one(records, rng)
    return behind(records, found[0], user_record(records[found[1]], "between", "words between")) if found else None


@defect
def result_before_call(records: Records, rng: random.Random) -> Records | None:
    found = _one(records, rng)
    if found is None:
        return None
    call_at, at, _ = found
    one, other = records[call_at], records[at]
    early = deepcopy(other)
    early["uuid"] = "early-result"
    records = without(records, at)
    place = records.index(one)
    early["parentUuid"] = one["parentUuid"]
    one["parentUuid"] = "early-result"
    records.insert(place, early)
    return records


@defect
def result_twice(records: Records, rng: random.Random) -> Records | None:
    found = _one(records, rng)
    return behind(records, found[1], copied(records[found[1]], "copy")) if found else None


@defect
def second_result_differs(records: Records, rng: random.Random) -> Records | None:
    found = _one(records, rng)
    if found is None:
        return None
    other = copied(records[found[1]], "other", content=[{**found[2], "content": "another output"}])
    return behind(records, found[1], other)


@defect
def placeholder_before_output(records: Records, rng: random.Random) -> Records | None:
    found = _one(records, rng)
    if found is None:
        return None
    other = copied(records[found[1]], "other")
    found[2]["content"] = "[Tool result missing due to internal error]"
    return behind(records, found[1], other)


@defect
def two_results_in_one_record(records: Records, rng: random.Random) -> Records | None:
    found = _one(records, rng)
    if found is None:
        return None
    records[found[1]]["message"]["content"].append({**found[2], "content": "another output"})
    return records


@defect
def result_repeated_later(records: Records, rng: random.Random) -> Records | None:
    found = _one(records, rng)
    if found is None:
        return None
    ends = [at for at, value in enumerate(records) if at > found[1] and parts(value, "text")]
    return behind(records, ends[0], copied(records[found[1]], "again")) if ends else None


@defect
def text_before_result(records: Records, rng: random.Random) -> Records | None:
    found = _one(records, rng)
    if found is None:
        return None
    records[found[1]]["message"]["content"].insert(0, text("words before"))
    return records


@defect
def text_behind_result(records: Records, rng: random.Random) -> Records | None:
    found = _one(records, rng)
    if found is None:
        return None
    records[found[1]]["message"]["content"].append(text("words behind"))
    return records


@defect
def text_behind_call(records: Records, rng: random.Random) -> Records | None:
    found = _one(records, rng)
    if found is None:
        return None
    like = records[found[0]]
    return behind(records, found[0], assistant_record(like, "behind", message_of(like), text("words behind the call")))


@defect
def text_behind_call_in_record(records: Records, rng: random.Random) -> Records | None:
    found = _one(records, rng)
    if found is None:
        return None
    records[found[0]]["message"]["content"].append(text("words behind the call"))
    return records


@defect
def unanswered_with_text_in_record(records: Records, rng: random.Random) -> Records | None:
    found = _one(records, rng)
    if found is None:
        return None
    records[found[0]]["message"]["content"].insert(0, text("words before the call"))
    return without(records, found[1])


@defect
def result_in_assistant(records: Records, rng: random.Random) -> Records | None:
    found = _one(records, rng)
    if found is None:
        return None
    records[found[1]] = assistant_record(
        {**records[found[1]], "message": records[found[0]]["message"]}, records[found[1]]["uuid"], "msg_odd", found[2]
    )
    return records


@defect
def call_in_user(records: Records, rng: random.Random) -> Records | None:
    found = _one(records, rng)
    if found is None:
        return None
    records[found[0]] = user_record(
        records[found[0]], records[found[0]]["uuid"], records[found[0]]["message"]["content"]
    )
    return records


# Contents.

for _name, _fields in {
    "content_null": {"content": None},
    "content_empty_text": {"content": ""},
    "content_empty_list": {"content": []},
    "content_blank": {"content": [{"type": "text", "text": "  "}]},
    "content_number": {"content": 42},
    "content_object": {"content": {"a": [1]}},
    "content_string_list": {"content": ["one", "two"]},
    "image_in_error": {
        "is_error": True,
        "content": [
            {"type": "text", "text": "failed"},
            {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "iVBORw0KGgo="}},
        ],
    },
}.items():
    DEFECTS[_name] = _set_result(**_fields)
for _name, _fields in {
    "input_null": {"input": None},
    "input_absent": {"input": ...},
    "input_text": {"input": '{"command": "ls"}'},
}.items():
    DEFECTS[_name] = _set_call(**_fields)


@defect
def content_absent(records: Records, rng: random.Random) -> Records | None:
    found = _one(records, rng, None)
    if found is None:
        return None
    found[2].pop("content", None)
    return records


def _words(records: Records, rng: random.Random, type_: str) -> dict[str, Any] | None:
    """A record of the user's words, or of the assistant's, that is not the first."""
    found = [
        value
        for value in records
        if value.get("type") == type_
        and not value.get("isSidechain")
        and not value.get("isMeta")
        and not value.get("isCompactSummary")
        and (parts(value, "text") if type_ == "assistant" else isinstance(value["message"]["content"], str))
    ][1:]
    return rng.choice(found) if found else None


def _set_words(type_: str, content: Any) -> Defect:
    def planted(records: Records, rng: random.Random) -> Records | None:
        found = _words(records, rng, type_)
        if found is None:
            return None
        if content is ...:
            del found["message"]
        else:
            found["message"]["content"] = deepcopy(content)
        return records

    return planted


for _name, _content in {
    "empty": "",
    "no_blocks": [],
    "null": None,
    "number": 7,
    "strings": ["one", "two"],
    "message_absent": ...,
    "blank_block": [{"type": "text", "text": " \n"}],
    "blank_and_words": [{"type": "text", "text": ""}, {"type": "text", "text": "real words"}],
    "blank": "  ",
    "placeholder": [{"type": "text", "text": "(no content)"}],
    "placeholder_text": "(no content)",
    "words": "a text in place of blocks",
}.items():
    DEFECTS[f"user_{_name}"] = _set_words("user", _content)
    if _name not in ("message_absent",):
        DEFECTS[f"assistant_{_name}"] = _set_words("assistant", _content)


def _add_block(block: dict[str, Any], own_message: bool) -> Defect:
    def planted(records: Records, rng: random.Random) -> Records | None:
        found = _words(records, rng, "assistant")
        if found is None:
            return None
        if own_message:
            found = [value for value in records if message_of(value) == message_of(found)][-1]
            if parts(found, "tool_use"):
                return None
        at = next(at for at, value in enumerate(records) if value is found)
        id_ = "msg_added" if own_message else message_of(found)
        return behind(records, at, assistant_record(found, "added", id_, deepcopy(block)))

    return planted


_THINKING: Final = {"type": "thinking", "thinking": "hm", "signature": "c2ln"}
for _name, _block in {
    "thinking": _THINKING,
    "thinking_unsigned": {"type": "thinking", "thinking": "hm", "signature": ""},
    "thinking_no_signature": {"type": "thinking", "thinking": "hm"},
    "redacted": {"type": "redacted_thinking", "data": "c2ln"},
    "server_call": {"type": "server_tool_use", "id": "srvtoolu_01", "name": "web_search", "input": {"query": "x"}},
    "unknown_block": {"type": "something_new", "value": 1},
}.items():
    DEFECTS[f"{_name}_alone"] = _add_block(_block, True)
    DEFECTS[f"{_name}_beside"] = _add_block(_block, False)


@defect
def thinking_by_another_model(records: Records, rng: random.Random) -> Records | None:
    found = _words(records, rng, "assistant")
    if found is None:
        return None
    at = next(at for at, value in enumerate(records) if value is found)
    id_ = message_of(found)
    for value in records:
        if message_of(value) == id_:
            value["message"]["model"] = "claude-opus-4-1"
    return behind(records, at, assistant_record(found, "added", id_, deepcopy(_THINKING)))


@defect
def api_error_in_middle(records: Records, rng: random.Random) -> Records | None:
    found = _words(records, rng, "user")
    if found is None:
        return None
    at = next(at for at, value in enumerate(records) if value is found)
    error = assistant_record(found, "api-error", "err-1", text("API Error: 400 something"))
    error["message"]["model"] = "<synthetic>"
    error["isApiErrorMessage"] = True
    return behind(behind(records, at, error), at + 1, user_record(found, "retry", "continue"))


@defect
def prompts_in_a_row(records: Records, rng: random.Random) -> Records | None:
    found = _words(records, rng, "user")
    if found is None:
        return None
    at = next(at for at, value in enumerate(records) if value is found)
    return behind(records, at, user_record(found, "one-more", [text("one more"), text("and more")]))


@defect
def meta_prompt(records: Records, rng: random.Random) -> Records | None:
    found = _words(records, rng, "user")
    if found is None:
        return None
    at = next(at for at, value in enumerate(records) if value is found)
    return behind(records, at, {**user_record(found, "meta", "words of the agent"), "isMeta": True})


@defect
def interrupted_words(records: Records, rng: random.Random) -> Records | None:
    found = _words(records, rng, "user")
    if found is None:
        return None
    at = next(at for at, value in enumerate(records) if value is found)
    words = [text("[Request interrupted by user]")]
    return behind(records, at - 1, user_record(found, "interrupted", words)) if at else None


# Message ids.


@defect
def message_ids_all_equal(records: Records, rng: random.Random) -> Records | None:
    for value in records:
        if value.get("type") == "assistant":
            value["message"]["id"] = "msg_same"
    return records


@defect
def message_ids_absent(records: Records, rng: random.Random) -> Records | None:
    for value in records:
        if value.get("type") == "assistant":
            value["message"].pop("id", None)
    return records


@defect
def blocks_in_one_record(records: Records, rng: random.Random) -> Records | None:
    """A response whose blocks stand in one record, its results in another."""
    groups: dict[Any, list[int]] = {}
    for call_at, _ in exchanges(records):
        groups.setdefault(message_of(records[call_at]), []).append(call_at)
    several = [places for places in groups.values() if len(places) > 1]
    if not several:
        return None
    places = several[0]
    first = records[places[0]]
    first["message"]["content"] = [block for at in places for block in records[at]["message"]["content"]]
    gone = {records[at]["uuid"]: first["uuid"] for at in places[1:]}
    left = [value for at, value in enumerate(records) if at not in places[1:]]
    for value in left:
        for key in ("parentUuid", "sourceToolAssistantUUID"):
            if value.get(key) in gone:
                value[key] = gone[value[key]]
    return left


@defect
def unanswered_in_one_record(records: Records, rng: random.Random) -> Records | None:
    merged = blocks_in_one_record(records, rng)
    if merged is None:
        return None
    at = next(at for at, value in enumerate(merged) if len(parts(value, "tool_use")) > 1)
    results = [n for n, value in enumerate(merged) if value.get("parentUuid") == merged[at]["uuid"] and n > at]
    results = [n for n in results if parts(merged[n], "tool_result")]
    return without(merged, results[0]) if len(results) > 1 else None


# The chain.


def _link(records: Records, at: int, parent: Any) -> Records:
    records[at]["parentUuid"] = parent
    return records


@defect
def parent_unknown(records: Records, rng: random.Random) -> Records | None:
    found = _one(records, rng)
    return _link(records, found[0], "00000000-nobody") if found else None


@defect
def parent_unknown_of_result(records: Records, rng: random.Random) -> Records | None:
    found = _one(records, rng)
    return _link(records, found[1], "00000000-nobody") if found else None


@defect
def parent_unknown_soon(records: Records, rng: random.Random) -> Records | None:
    found = _one(records, rng)
    if found is None:
        return None
    before = max((at for at in range(found[0]) if records[at].get("uuid")), default=None)
    if before is None:
        return None
    records[found[0]]["timestamp"] = records[before]["timestamp"]
    return _link(records, found[0], "00000000-nobody")


@defect
def parent_null(records: Records, rng: random.Random) -> Records | None:
    found = _one(records, rng)
    return _link(records, found[0], None) if found else None


@defect
def parent_cycle(records: Records, rng: random.Random) -> Records | None:
    found = _one(records, rng)
    return _link(records, found[0], records[found[1]]["uuid"]) if found else None


@defect
def own_parent(records: Records, rng: random.Random) -> Records | None:
    found = _one(records, rng)
    return _link(records, found[0], records[found[0]]["uuid"]) if found else None


@defect
def uuid_twice(records: Records, rng: random.Random) -> Records | None:
    found = [pair for pair in exchanges(records) if _alone(records, pair[0])]
    if len(found) < 2:
        return None
    old = records[found[1][0]]["uuid"]
    records[found[0][0]]["uuid"] = old
    records[found[0][1]]["parentUuid"] = old
    return records


@defect
def result_line_lost(records: Records, rng: random.Random) -> Records | None:
    found = _one(records, rng)
    return [value for at, value in enumerate(records) if at != found[1]] if found else None


@defect
def call_line_lost(records: Records, rng: random.Random) -> Records | None:
    found = _one(records, rng)
    return [value for at, value in enumerate(records) if at != found[0]] if found else None


@defect
def line_twice(records: Records, rng: random.Random) -> Records | None:
    found = _one(records, rng)
    return [*records[: found[1] + 1], *deepcopy(records[found[1] :])] if found else None


@defect
def last_prompt_before_break(records: Records, rng: random.Random) -> Records | None:
    found = _one(records, rng)
    if found is None:
        return None
    before = next(value for value in reversed(records[: found[0]]) if value.get("uuid"))
    note = {"type": "last-prompt", "lastPrompt": "x", "leafUuid": before["uuid"], "sessionId": SESSION}
    return [*_link(records, found[0], "00000000-nobody"), note]


@defect
def result_at_the_end(records: Records, rng: random.Random) -> Records | None:
    found = _one(records, rng)
    if found is None:
        return None
    moved = deepcopy(records[found[1]])
    moved["uuid"] = "moved-result"
    return [*without(records, found[1]), moved]


@defect
def second_root(records: Records, rng: random.Random) -> Records | None:
    words = user_record(records[-1], "root-2", "other words") if "uuid" in records[-1] else None
    if words is None:
        return None
    words["parentUuid"] = None
    return [*records, words]


@defect
def fork(records: Records, rng: random.Random) -> Records | None:
    found = _one(records, rng)
    if found is None:
        return None
    words = user_record(records[found[1]], "fork-words", "other words")
    words["parentUuid"] = records[found[1]]["uuid"]
    said = assistant_record(
        {**words, "message": records[found[0]]["message"]}, "fork-said", "msg_fork", text("other answer")
    )
    said["parentUuid"] = "fork-words"
    return [*records, words, said]


@defect
def no_timestamp_at_end(records: Records, rng: random.Random) -> Records | None:
    last = next(value for value in reversed(records) if value.get("type") in ("user", "assistant"))
    last.pop("timestamp")
    return records


@defect
def all_sidechain(records: Records, rng: random.Random) -> Records | None:
    for value in records:
        if "isSidechain" in value:
            value["isSidechain"] = True
    return records


@defect
def some_sidechain(records: Records, rng: random.Random) -> Records | None:
    found = _one(records, rng)
    if found is None:
        return None
    records[found[1]]["isSidechain"] = True
    return records


@defect
def boundary_between(records: Records, rng: random.Random) -> Records | None:
    """A compaction between a call and its result."""
    found = _one(records, rng)
    if found is None:
        return None
    like = records[found[1]]
    boundary = {
        **{key: value for key, value in user_record(like, "boundary", "").items() if key != "message"},
        "type": "system",
        "subtype": "compact_boundary",
        "content": "Conversation compacted",
        "parentUuid": None,
        "logicalParentUuid": records[found[0]]["uuid"],
        "compactMetadata": {"trigger": "auto", "preTokens": 1000},
    }
    summary = {**user_record(like, "summary", "What was done so far."), "isCompactSummary": True}
    summary["parentUuid"] = "boundary"
    like["parentUuid"] = "summary"
    return [*records[: found[1]], boundary, summary, *records[found[1] :]]
