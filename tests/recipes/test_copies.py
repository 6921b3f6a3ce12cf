"""Recipes that copy other systems: exactly what those make of a history, case by case, and in every format."""

from __future__ import annotations

import copy
import json
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import toolpair
from tests.each import each
from tests.formats.claude_code_files import Log, call, text
from tests.formats.codex_files import Rollout
from tests.properties.test_claude_code import planted
from tests.properties.test_codex import plant as plant_in_rollout
from tests.properties.test_codex import written as rollout
from tests.properties.test_repair import broken
from tests.properties.test_repair import written as spelled_out
from tests.recipes import broken_lists, other_systems
from tests.rounds import some, tries
from toolpair.dialects.block_texts import is_placeholder_text, result_text
from toolpair.recipes import RECIPES
from toolpair.recipes.recipe import DEFAULT, Options
from toolpair.recipes.roo_code_sanitize import OPENAI_MOST, fitted, sanitized, truncated
from toolpair.session.session import Session, open_session

FOLDER = Path(__file__).parent.parent / "data" / "systems"
RECIPE_OF = {
    "roo_main": "roo-code",
    "roo_pr11806": "roo-code-reorder",
    "roo_pr12183": "roo-code-pre-send",
    "docker_agent": "docker-agent",
}
COPIES = [name for name, recipe in RECIPES.items() if recipe.copies is not None]
SEEDS = st.integers(min_value=0, max_value=2**32)
FEW = settings(max_examples=tries(25), suppress_health_check=list(HealthCheck), derandomize=True)
LISTS = 15
"""How many lists each example tries."""


def cases(file: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (FOLDER / f"{file}.jsonl").read_text(encoding="utf-8").splitlines()]


EXACT = [
    pytest.param(recipe, case, id=case["id"])
    for file, recipe in RECIPE_OF.items()
    for case in cases(file)
    if isinstance(case["expected"], list)
]


def test_every_case_with_an_exact_expectation_is_there() -> None:
    assert len(EXACT) == 44
    assert len(cases("roo_tool_id")) == 35


@each(("recipe", "case"), EXACT)
def test_a_case_of_the_system_in_memory(recipe: str, case: dict[str, Any]) -> None:
    given_messages = copy.deepcopy(case["input"])
    repaired = toolpair.repair(given_messages, recipe=recipe)
    assert list(repaired.messages) == case["expected"]
    assert given_messages == case["input"]
    assert repaired.changed == (case["input"] != case["expected"])


@each(("recipe", "case"), EXACT)
def test_a_case_of_the_system_in_a_file(recipe: str, case: dict[str, Any]) -> None:
    data = json.dumps(case["input"], indent=1).encode()
    session = open_session("case.json", data=data)
    staged = session.stage_recipe(recipe)
    assert json.loads(session.to_bytes()) == case["expected"]
    if case["input"] == case["expected"]:
        assert staged is None and session.to_bytes() == data
        return
    assert staged is not None and len(session.staged) == 1
    out = session.to_bytes()
    session.undo()
    assert session.to_bytes() == data
    session.redo()
    assert session.to_bytes() == out


@each("case", cases("roo_tool_id"))
def test_an_id_as_the_system_writes_it(case: dict[str, Any]) -> None:
    functions = {
        "sanitizeToolUseId": sanitized,
        "truncateOpenAiCallId": truncated,
        "sanitizeOpenAiCallId": lambda id_: fitted(id_, OPENAI_MOST),
    }
    asked = case["input"]
    assert (OPENAI_MOST if "const" in asked else functions[asked["fn"]](*asked["args"])) == case["expected"]


def test_an_id_beyond_the_first_characters_counts_as_javascript_counts() -> None:
    assert sanitized("é😀") == "___"


def test_ids_that_differ_only_in_replaced_characters_become_one() -> None:
    calls = [{"type": "tool_use", "id": id_, "name": "Bash", "input": {}} for id_ in ("a.b", "a:b")]
    results = [{"type": "tool_result", "tool_use_id": id_, "content": id_} for id_ in ("a:b", "a.b")]
    messages = [{"role": "assistant", "content": calls}, {"role": "user", "content": results}]
    made = toolpair.repair(messages, recipe="roo-code-sanitize").messages
    assert [block["id"] for block in made[0]["content"]] == ["a_b", "a_b"]
    assert [block["tool_use_id"] for block in made[1]["content"]] == ["a_b", "a_b"]


def test_what_is_lost_is_told() -> None:
    call = {"role": "assistant", "content": [{"type": "tool_use", "id": "a", "name": "Bash", "input": {}}]}

    def losses(recipe: str, content: Any) -> list[str | None]:
        return [
            taken.loses for taken in toolpair.repair([call, {"role": "user", "content": content}], None, recipe).taken
        ]

    def result(text: str, id_: str = "a") -> dict[str, Any]:
        return {"type": "tool_result", "tool_use_id": id_, "content": text}

    assert losses("roo-code-pre-send", "héllo there") == ["what the user wrote, 12 bytes"]
    assert losses("roo-code", [result("first"), result("the second")]) == ["the output, 10 bytes"]
    assert losses("roo-code", [result("same"), result("same")]) == [None]
    assert losses("roo-code", [result("wrong", "x"), result("right")]) == [None, "the output, 5 bytes"]
    assert (
        losses("docker-agent", [{"type": "text", "text": "wait"}, result("late")])
        == ["the output, 4 bytes", None][::-1]
    )


def test_one_decision_that_says_what_it_does() -> None:
    messages = [
        {"role": "assistant", "content": [{"type": "tool_use", "id": "a", "name": "Bash", "input": {}}]},
        {"role": "user", "content": "the user's own words"},
    ]
    session = open_session("case.json", data=json.dumps(messages).encode())
    session.stage_recipe("roo-code-pre-send")
    [row] = session.staged
    assert "validateMessageHistoryBeforeSend" in row.title
    assert row.loses == "what the user wrote, 20 bytes"
    assert row.placeholders == 1


def test_a_decision_that_is_put_on_again_is_carried_out_with_its_options() -> None:
    long = "call_" + "x" * 40
    call = {"id": long, "type": "function", "function": {"name": "look", "arguments": "{}"}}
    asked = {"role": "user", "content": "go"}
    messages = [asked, {"role": "assistant", "content": None, "tool_calls": [call]}, asked]
    session = open_session("case.json", data=json.dumps(messages).encode())
    session.stage_recipe("roo-code-sanitize", Options(max_id_length=20))
    session.stage(next(problem for problem in session.problems if problem.rule == "result.missing"))
    session.staging.unstage(session.staged[1])
    assert json.loads(session.to_bytes())[1]["tool_calls"][0]["id"] == truncated(long, 20)


# --- against the same written down once more -------------------------------------------------------------


def sanitise(most: int | None) -> Callable[[list[Any]], list[Any]]:
    def one(value: Any) -> Any:
        if isinstance(value, list):
            return [one(item) for item in value]
        if not isinstance(value, dict):
            return value
        ids = ("tool_use_id", "tool_call_id", *(("id",) if "input" in value or "function" in value else ()))
        return {key: fitted(item, most) if key in ids else one(item) for key, item in value.items()}

    return one


OF_ANTHROPIC: dict[str, Callable[[list[Any]], list[Any]]] = {
    "roo-code-sanitize": sanitise(None),
    "roo-code": other_systems.roo_code,
    "roo-code-reorder": lambda messages: other_systems.roo_code(messages, reorder=True),
    "zoo-code": lambda messages: other_systems.roo_code(messages, by_position=False),
    "roo-code-pre-send": other_systems.pre_send,
}
OF_CHAT: dict[str, Callable[[list[Any]], list[Any]]] = {
    "roo-code-sanitize": sanitise(None),
    **{
        name: lambda messages, of=of: other_systems.as_chat(of(other_systems.as_turns(messages)))
        for name, of in list(OF_ANTHROPIC.items())[1:]
    },
    "docker-agent": other_systems.docker_agent,
}


def agree(messages: list[Any], recipe: str, kind: str, expected: list[Any], options: Options = DEFAULT) -> None:
    before = json.dumps(messages)
    session = open_session("case.json", data=before.encode(), format=kind)
    session.stage_recipe(recipe, options)
    assert json.loads(session.to_bytes()) == expected, before
    while session.undo():
        pass
    assert session.to_bytes() == before.encode()
    assert json.dumps(messages) == before


@pytest.mark.parametrize("recipe", OF_ANTHROPIC)
@given(seed=SEEDS)
@FEW
def test_lists_of_blocks_become_what_the_system_makes_of_them(recipe: str, seed: int) -> None:
    rng = random.Random(seed)
    for _ in range(LISTS):
        messages = broken_lists.anthropic(rng)
        agree(messages, recipe, "anthropic", OF_ANTHROPIC[recipe](messages))


@pytest.mark.parametrize("recipe", OF_CHAT)
@given(seed=SEEDS)
@FEW
def test_chat_becomes_what_the_system_makes_of_it(recipe: str, seed: int) -> None:
    rng = random.Random(seed)
    for _ in range(LISTS):
        messages = broken_lists.chat(rng, systems=recipe == "docker-agent")
        agree(messages, recipe, "openai-chat", OF_CHAT[recipe](messages))


@given(seed=SEEDS, most=st.integers(min_value=12, max_value=80))
@FEW
def test_ids_are_cut_to_the_length_that_is_asked_for(seed: int, most: int) -> None:
    messages = broken_lists.chat(random.Random(seed))
    agree(messages, "roo-code-sanitize", "openai-chat", sanitise(most)(messages), Options(max_id_length=most))


def as_chat(messages: list[Any]) -> list[Any]:
    """Lists of blocks as docker-agent knows them: each result a message, words between them one, too."""
    made: list[Any] = []
    for message in messages:
        content = message["content"] if isinstance(message["content"], list) else []
        if message["role"] == "assistant":
            calls = [{"id": block["id"]} for block in content if block["type"] == "tool_use"]
            made.append({"role": "assistant", "tool_calls": calls, "of": message})
        elif not content:
            text = message["content"] if isinstance(message["content"], str) else None
            made.append({"role": "user", "of": text if text is None else {"type": "text", "text": text}})
        for block in content if message["role"] == "user" else ():
            if block["type"] == "tool_result":
                made.append({"role": "tool", "tool_call_id": block["tool_use_id"], "content": block["content"]})
            else:
                made.append({"role": "user", "of": block})
    return made


def without(gone: Any, values: list[Any]) -> list[Any]:
    return [value for value in values if value != gone]


@given(seed=SEEDS)
@FEW
def test_lists_of_blocks_become_what_docker_agent_makes_of_them(seed: int) -> None:
    rng = random.Random(seed)
    for _ in range(LISTS):
        messages = broken_lists.anthropic(rng)
        made = toolpair.repair(messages, "anthropic", "docker-agent").messages
        expected = other_systems.docker_agent(as_chat(messages))
        # An empty message of the user is none any more once a placeholder stands in it.
        empty = {"role": "user", "of": None}
        assert without(empty, as_chat(list(made))) == without(empty, expected), messages
        for message in made:
            for block in message["content"] if isinstance(message["content"], list) else ():
                assert "is_error" not in block or block["content"] == other_systems.NO_RESULT


# --- every format ----------------------------------------------------------------------------------------


def in_array(kind: str) -> Callable[[random.Random], Session]:
    def made(rng: random.Random) -> Session:
        _, list_ = broken(rng.randrange(2**32), kind)
        data = spelled_out(rng, list_.messages or [{"role": "user", "content": "x", "ts": 1}], "array")
        return open_session("session.json", data=data, format=kind)

    return made


def in_claude_code(rng: random.Random) -> Session:
    return open_session("session.jsonl", data=planted(rng))


def in_codex(rng: random.Random) -> Session:
    made = rollout(rng)
    for _ in range(rng.randrange(0, 4)):
        plant_in_rollout(made, rng)
    return made.session()


def in_responses(rng: random.Random) -> Session:
    made = rollout(rng)
    for _ in range(rng.randrange(0, 4)):
        plant_in_rollout(made, rng)
    items = [value["payload"] for value in made.values if value["type"] == "response_item"]
    return open_session("session.json", data=json.dumps(items).encode(), format="openai-responses")


FILES = {
    "openai-responses": in_responses,
    "anthropic": in_array("anthropic"),
    "openai-chat": in_array("openai-chat"),
    "roo-code": in_array("roo-code"),
    "claude-code": in_claude_code,
    "codex": in_codex,
}


def as_lists(session: Session, native: bool) -> list[dict[str, Any]]:
    """What would be sent, as lists of blocks: outputs and words of the user in one message where they are neighbours."""
    made: list[dict[str, Any]] = []
    for message in session.conversation.transcript.messages:
        role = "assistant" if message.role == "assistant" else "user"
        blocks: list[Any] = []
        for block in message.blocks:
            if block.kind == "call":
                blocks.append({"type": "tool_use", "id": block.id})
            elif block.kind == "result":
                blocks.append({"type": "tool_result", "tool_use_id": block.id, "content": result_text(block)})
            else:
                blocks.append({"type": "words", "words": block.text})
        if made and role == made[-1]["role"] == "user" and native:
            made[-1]["content"] += blocks
        else:
            listed = message.shape == "blocks" or message.role == "tool"
            made.append(
                {"role": role, "content": blocks if listed else "".join(block.get("words", "") for block in blocks)}
            )
    return made


def results_first(messages: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """As the agent sends it."""
    return [
        {**message, "content": sorted(message["content"], key=lambda block: block["type"] != "tool_result")}
        if isinstance(message["content"], list) and message["role"] == "user"
        else message
        for message in messages
        if message["content"] != []
    ]


def merged(messages: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Neighbours of one role as one, as the agent sends them."""
    made: list[dict[str, Any]] = []
    for message in messages:
        content = message["content"]
        if content == []:
            continue
        if made and made[-1]["role"] == message["role"] == "user":
            last = made[-1]["content"]
            as_blocks = [
                found if isinstance(found, list) else [{"type": "words", "words": found}] for found in (last, content)
            ]
            made[-1] = {**message, "content": [*as_blocks[0], *as_blocks[1]]}
        else:
            made.append(message)
    return made


@pytest.mark.parametrize(("kind", "recipe"), some([(kind, recipe) for recipe in COPIES for kind in FILES], 13))
@given(seed=SEEDS)
@settings(FEW, max_examples=tries(40))
def test_every_format_keeps_its_form(recipe: str, kind: str, seed: int) -> None:
    session = FILES[kind](random.Random(seed))
    data = session.to_bytes()
    parents = lost_links(data)
    bodies = {record.uid: record.body for record in session.conversation.document.records}
    bad = damage(session)

    staged = session.stage_recipe(recipe)

    out = session.to_bytes()
    assert (staged is None) == (out == data)
    assert lost_links(out) <= parents
    assert damage(session) <= bad
    changed = {change.record for change in session.staging.changes()}
    now = {record.uid: record.body for record in session.conversation.document.records}
    for number, (uid, body) in enumerate(bodies.items()):
        assert number in changed or now[uid] == body
    again = open_session("session.jsonl" if kind in ("claude-code", "codex") else "session.json", data=out, format=kind)
    assert as_lists(again, native=False) == as_lists(session, native=False)
    for _ in range(2):
        if again.stage_recipe(recipe) is None:
            break
    else:
        pytest.fail("it never ends")
    while session.undo():
        pass
    assert session.to_bytes() == data


def lost_links(data: bytes) -> set[str]:
    values = []
    for line in data.decode().splitlines():
        try:
            values.append(json.JSONDecoder().raw_decode(line.lstrip("\0"))[0])
        except ValueError:
            continue
    records = [value for value in values if isinstance(value, dict)]
    return {value["parentUuid"] for value in records if value.get("parentUuid")} - {
        value.get("uuid") for value in records
    }


def damage(session: Session) -> set[tuple[str, Any]]:
    """What is wrong with single records."""
    return {(problem.rule, problem.record) for problem in session.problems if problem.rule.startswith("record.")}


@pytest.mark.parametrize("kind", ["roo-code", "claude-code", "codex"])
@pytest.mark.parametrize("recipe", list(OF_ANTHROPIC)[1:])
@given(seed=SEEDS)
@settings(FEW, max_examples=tries(60))
def test_the_model_sees_what_the_system_would_have_made_of_it(recipe: str, kind: str, seed: int) -> None:
    session = FILES[kind](random.Random(seed))
    if any(problem.rule.startswith(("chain.", "record.")) for problem in session.problems):
        return  # where lines or links are lost, what hangs on them may be reached in another way afterwards
    expected = OF_ANTHROPIC[recipe](as_lists(session, native=kind == "codex"))

    session.stage_recipe(recipe)

    made = as_lists(session, native=kind == "codex")
    if kind == "claude-code":
        assert results_first(merged(made)) == results_first(merged(expected))
    else:
        assert merged(made) == merged(expected)


@pytest.mark.parametrize("kind", ["roo-code", "claude-code", "codex"])
@given(seed=SEEDS)
@settings(FEW, max_examples=tries(60))
def test_the_model_sees_what_docker_agent_would_have_made_of_it(kind: str, seed: int) -> None:
    session = FILES[kind](random.Random(seed))
    if any(problem.rule.startswith(("chain.", "record.")) for problem in session.problems):
        return

    def as_sent() -> list[Any]:
        """A string of the user's is a text once it stands beside something."""
        lists = [
            {**message, "content": [{"type": "words", "words": message["content"]}]}
            if isinstance(message["content"], str)
            else message
            for message in as_lists(session, native=False)
        ]
        return as_chat(lists)

    expected = other_systems.docker_agent(as_sent())
    session.stage_recipe("docker-agent")
    assert said(as_sent()) == said(expected)


def said(messages: list[Any]) -> list[Any]:
    """Block by block: two responses become one when nothing is left between them. Empty words give way to results."""
    return [
        one
        for message in messages
        if message.get("of") != {"type": "words", "words": ""}
        for one in ([("assistant", b) for b in message["of"]["content"]] if "tool_calls" in message else [message])
    ]


@pytest.mark.parametrize("recipe", COPIES)
@given(seed=SEEDS)
@FEW
def test_once_is_enough_but_for_a_response_that_uses_one_id_twice(recipe: str, seed: int) -> None:
    """Two placeholders with one id are two results of it to the next run, of which these systems keep one."""
    rng = random.Random(seed)
    for _ in range(LISTS):
        messages = broken_lists.anthropic(rng)
        if any(len(ids := call_ids(message)) != len(set(ids)) for message in messages):
            continue
        made = toolpair.repair(messages, "anthropic", recipe).messages
        assert not toolpair.repair(made, "anthropic", recipe).changed, messages


def call_ids(message: dict[str, Any]) -> list[str]:
    content = message["content"] if isinstance(message["content"], list) else []
    return [sanitized(block["id"]) for block in content if block["type"] == "tool_use"]


@each("recipe", COPIES)
def test_whatever_it_writes_is_known_for_a_placeholder(recipe: str) -> None:
    messages = [{"role": "assistant", "content": [{"type": "tool_use", "id": "a", "name": "x", "input": {}}]}]
    messages.append({"role": "user", "content": [{"type": "text", "text": "words"}]})
    made = toolpair.repair(messages, recipe=recipe).messages
    written = [block for block in made[1]["content"] if block["type"] == "tool_result"]
    assert [is_placeholder_text(block["content"]) for block in written] == [True] * (recipe != "roo-code-sanitize")


# --- single files ----------------------------------------------------------------------------------------


def ids_in(session: Session) -> list[list[Any]]:
    return [
        [block.id for block in message.results]
        for message in session.conversation.transcript.messages
        if message.results
    ]


def log_session(log: Log) -> Session:
    return open_session("session.jsonl", data="".join(json.dumps(value) + "\n" for value in log.values).encode())


def test_results_that_hang_on_each_other_change_places_in_the_chain() -> None:
    log = Log()
    log.user("u", "go")
    log.says("a", "m1", call("A"), call("B"))
    log.result("rb", "a", "B", "out B", parent="last")
    log.result("ra", "a", "A", "out A", parent="rb")
    log.says("end", "m2", text("done"))
    session = log_session(log)
    assert ids_in(session) == [["B", "A"]]
    session.stage_recipe("roo-code-reorder")
    assert ids_in(session) == [["A", "B"]]
    values = {value["uuid"]: value for value in map(json.loads, session.to_bytes().splitlines())}
    assert [values[uuid]["parentUuid"] for uuid in ("ra", "rb", "end")] == ["a", "ra", "rb"]
    assert not any(problem.rule.startswith("chain.") for problem in session.problems)


def _answered_backwards(leaf: str) -> Session:
    """Two calls at the very end of a file, the second one answered first, and a note that names `leaf`."""
    log = Log()
    log.user("u", "go")
    log.says("a1", "m1", call("A"))
    log.says("a2", "m1", call("B"))
    log.result("rb", "a2", "B", "out B")
    log.result("ra", "a1", "A", "out A")
    log.note("last-prompt", lastPrompt="go", leafUuid=leaf)
    return log_session(log)


def test_results_at_the_very_end_come_into_order_and_the_session_still_ends_there() -> None:
    session = _answered_backwards("u")
    session.stage_recipe("roo-code-reorder")
    assert ids_in(session) == [["A", "B"]]
    assert [
        [block.id for block in message.calls] for message in session.conversation.transcript.messages if message.calls
    ] == [["A", "B"]]


def test_the_very_end_stays_where_another_record_names_it() -> None:
    session = _answered_backwards("ra")
    session.stage_recipe("roo-code-reorder")
    assert sorted(ids_in(session)[0]) == ["A", "B"]


def test_an_output_that_takes_the_place_of_another_kind_becomes_one_of_that_kind() -> None:
    made = Rollout()
    made.begins("t", "go")
    made.call("c1", "custom_tool_call")
    made.output("x", "out", "function_call")
    made.says("done")
    session = made.session()
    session.stage_recipe("roo-code")
    [output] = [block.value for message in session.conversation.transcript.messages for block in message.results]
    assert output["type"] == "custom_tool_call_output" and output["call_id"] == "c1" and output["output"] == "out"
    assert not [problem for problem in session.problems if problem.severity == "error"]


def test_items_inside_a_compaction_are_filled_and_brought_into_order() -> None:
    made = Rollout()
    made.begins("t", "go")
    calls = [{"type": "function_call", "name": "x", "arguments": "{}", "call_id": id_} for id_ in "abc"]
    outputs = [{"type": "function_call_output", "call_id": id_, "output": f"out {id_}"} for id_ in "ca"]
    words = {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "kept"}]}
    made.compacted([words, *calls, *outputs, words])
    made.says("done")
    session = made.session()
    data = session.to_bytes()
    session.stage_recipe("roo-code-reorder")
    assert ids_in(session) == [["a"], ["b"], ["c"]]
    assert [
        result_text(block) for message in session.conversation.transcript.messages for block in message.results
    ] == [
        "out a",
        other_systems.INTERRUPTED,
        "out c",
    ]
    session.undo()
    assert session.to_bytes() == data


@each("recipe", COPIES)
@each("words", ["next", [{"type": "text", "text": "next"}]])
def test_chat_that_is_whole_stays_as_it_is(recipe: str, words: Any) -> None:
    calls = [{"id": id_, "type": "function", "function": {"name": "x", "arguments": "{}"}} for id_ in "ab"]
    messages = [
        {"role": "system", "content": "be good"},
        {"role": "user", "content": words},
        {"role": "assistant", "content": None, "tool_calls": calls},
        {"role": "tool", "tool_call_id": "a", "content": "out a"},
        {"role": "tool", "tool_call_id": "b", "content": "out b"},
        {"role": "user", "content": words},
        {"role": "assistant", "content": "done"},
    ]
    assert toolpair.repair(messages, recipe=recipe).messages is messages


def test_the_first_form_of_chat_calls_is_left_alone() -> None:
    messages = [
        {"role": "assistant", "content": None, "function_call": {"name": "x", "arguments": "{}"}},
        {"role": "function", "name": "x", "content": "out"},
        {"role": "assistant", "content": "done"},
    ]
    for recipe in COPIES:
        assert toolpair.repair(messages, recipe=recipe).messages is messages


def test_messages_that_a_recipe_does_not_touch_are_the_very_same() -> None:
    messages = [
        {"role": "user", "content": "go"},
        {"role": "assistant", "content": [{"type": "tool_use", "id": "a", "name": "x", "input": {"n": 1}}]},
        {"role": "user", "content": [{"type": "text", "text": "words"}]},
    ]
    made = toolpair.repair(messages, recipe="roo-code").messages
    assert made[0] is messages[0] and made[1] is messages[1]
    assert made[2]["content"][1] is messages[2]["content"][0]


def test_docker_agents_placeholder_is_an_error_where_there_is_a_field_for_it() -> None:
    ask = {"role": "user", "content": "go"}
    use = {"type": "tool_use", "id": "toolu_1", "name": "look", "input": {}}
    blocks = toolpair.repair([ask, {"role": "assistant", "content": [use]}, ask], recipe="docker-agent").messages
    answer = {"type": "tool_result", "tool_use_id": "toolu_1", "content": other_systems.NO_RESULT, "is_error": True}
    assert answer in [part for message in blocks if isinstance(message["content"], list) for part in message["content"]]
    function = {"id": "call_1", "type": "function", "function": {"name": "look", "arguments": "{}"}}
    called = {"role": "assistant", "content": None, "tool_calls": [function]}
    chat = toolpair.repair([ask, called, ask], recipe="docker-agent").messages
    assert {"role": "tool", "tool_call_id": "call_1", "content": other_systems.NO_RESULT} in list(chat)
