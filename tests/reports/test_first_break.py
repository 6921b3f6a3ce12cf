"""The first request of a log in which a pair broke: found among many conversations, with what changed."""

from __future__ import annotations

import json
import random
from collections import Counter
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import toolpair
from benchmarks.sessions.requests import BREAKS, Agent, Sent, assistant, call, generated, result, text, user
from tests.reports.logs import found_in, lines, rules_in
from tests.rounds import ROUNDS, tries
from tests.work import growing
from toolpair.formats import get_format
from toolpair.formats.format import Item
from toolpair.history.checked_records import CheckedRecords, request_of
from toolpair.history.growing_lists import GrowingLists
from toolpair.history.list_windows import windows_in
from toolpair.reports.first_break import breaks
from toolpair.reports.first_break.breaks import FirstBreaks
from toolpair.rules.profiles import profile as profile_named
from toolpair.session.session import open_session

GO = user("go")
STEP = [assistant(call("t1", "Read", {})), {"role": "user", "content": [result("t1", "one")]}]
NEXT = [assistant(call("t2", "Bash", {})), {"role": "user", "content": [result("t2", "two")]}]
LAST = [assistant(call("t3", "Grep", {})), {"role": "user", "content": [result("t3", "three")]}]


def as_chat(body: dict[str, Any]) -> dict[str, Any]:
    """The same request for Chat Completions."""
    messages: list[dict[str, Any]] = [{"role": "system", "content": f"Today is {random.random()}."}]
    for message in body["messages"]:
        content = message["content"]
        parts = content if isinstance(content, list) else [text(content)]
        calls = [
            {"id": p["id"], "type": "function", "function": {"name": p["name"], "arguments": json.dumps(p["input"])}}
            for p in parts
            if p["type"] == "tool_use"
        ]
        words = " ".join(p["text"] for p in parts if p["type"] == "text")
        if words or calls:
            made = {"role": message["role"], "content": words or None}
            messages.append(made | ({"tool_calls": calls} if calls else {}))
        messages += [
            {"role": "tool", "tool_call_id": p["tool_use_id"], "content": p["content"]}
            for p in parts
            if p["type"] == "tool_result"
        ]
    return {"model": "gpt-5", "messages": messages}


def as_items(body: dict[str, Any]) -> dict[str, Any]:
    """The same request for the Responses API."""
    items: list[dict[str, Any]] = []
    for message in body["messages"]:
        content = message["content"]
        for part in content if isinstance(content, list) else [text(content)]:
            if part["type"] == "text":
                kind = "output_text" if message["role"] == "assistant" else "input_text"
                items.append({"role": message["role"], "content": [{"type": kind, "text": part["text"]}]})
            elif part["type"] == "tool_use":
                arguments = json.dumps(part["input"])
                items.append(
                    {"type": "function_call", "call_id": part["id"], "name": part["name"], "arguments": arguments}
                )
            else:
                items.append(
                    {"type": "function_call_output", "call_id": part["tool_use_id"], "output": part["content"]}
                )
    return {"model": "gpt-5", "input": items}


FORMS = {"anthropic": lambda body: body, "openai-chat": as_chat, "openai-responses": as_items}


def misplaced(found: FirstBreaks, sent: list[Sent]) -> int:
    """How many requests are not in the conversation of most of those that are in theirs; splits count, too."""
    told: dict[int, Counter[str]] = {}
    for request, one in zip(found.requests, sent, strict=True):
        told.setdefault(request.conversation, Counter())[one.conversation] += 1
    names = {number: counts.most_common(1)[0][0] for number, counts in told.items()}
    wrong = sum(
        names[request.conversation] != one.conversation for request, one in zip(found.requests, sent, strict=True)
    )
    return wrong + len(names) - len(set(names.values()))


def test_all_breaks_of_a_long_log_are_found_at_their_requests_and_all_conversations_are_told_apart() -> None:
    runs, broken = (10, 89) if ROUNDS else (5, 44)
    sent = list(generated(runs=runs, broken=broken, steps=33))
    assert len(sent) > 400 * runs
    found = found_in([one.record for one in sent])
    assert misplaced(found, sent) == 0
    planted = {number: one.broken for number, one in enumerate(sent, 1) if one.broken}
    assert len(planted) == broken
    assert {one.request.number for one in found.breaks} == planted.keys()
    kinds: dict[str, set[str]] = {}
    for one in found.breaks:
        kinds.setdefault(str(planted[one.request.number]), set()).add(one.change.kind)
    # What was moved is new in front of what it stood after: both are true of it.
    assert kinds.pop("moved") <= {"moved", "inserted"}
    assert kinds == {name: {name.replace("_", " ")} for name in BREAKS if name != "moved"}


@pytest.mark.parametrize("form", FORMS)
def test_every_api(form: str) -> None:
    # Item by item, only what is lost or has another id is an error.
    sent = list(generated(runs=2, agents=6, broken=8, steps=20))
    found = found_in([{**one.record, "body": FORMS[form](one.record["body"])} for one in sent])
    assert found.profiles == [form]
    assert misplaced(found, sent) == 0
    numbers = {number for number, one in enumerate(sent, 1) if one.broken}
    there = {one.request.number for one in found.breaks}
    assert there <= numbers
    assert numbers - there <= {
        number for number in numbers if form == "openai-responses" and sent[number - 1].broken in ("inserted", "moved")
    }


def test_requests_are_taken_in_the_order_in_which_they_were_sent() -> None:
    sent = list(generated(runs=1, agents=6, broken=5, steps=18))
    ordered = found_in([one.record for one in sent])
    shuffled = random.Random(3).sample(sent, len(sent))
    found = found_in([one.record for one in shuffled])
    assert misplaced(found, shuffled) == 0
    times = sorted(one.request.time or 0 for one in ordered.breaks)
    assert times == sorted(one.request.time or 0 for one in found.breaks)


def test_a_break_is_told_once_in_its_conversation() -> None:
    broken = [GO, *STEP, NEXT[0], user("and?")]
    found = found_in([{"messages": one} for one in ([GO], [GO, *STEP], broken, broken, [*broken, *LAST])])
    assert rules_in(found) == [(3, "result.missing")]
    assert found.conversations == 1
    (pair,) = found.breaks[0].pairs
    assert (pair.tool, pair.call_id, pair.result_id, pair.call_at) == ("Bash", "t2", None, 3)


def test_another_pair_that_breaks_later_is_told_as_well() -> None:
    broken = [GO, STEP[0], user("and?")]
    later = [*broken, *NEXT, LAST[0], user("so?")]
    found = found_in([{"messages": one} for one in ([GO], broken, later)])
    assert [(one.request.number, one.pairs[0].call_id) for one in found.breaks] == [(2, "t1"), (3, "t3")]


def test_the_same_id_again_is_another_pair() -> None:
    """Gateways call every call call_0."""

    def history(*answered: bool) -> list[dict[str, Any]]:
        messages: list[dict[str, Any]] = [GO]
        for number, is_answered in enumerate(answered):
            asked = {"id": "call_0", "type": "function", "function": {"name": "look", "arguments": "{}"}}
            messages.append({"role": "assistant", "content": None, "tool_calls": [asked]})
            if is_answered:
                messages.append({"role": "tool", "tool_call_id": "call_0", "content": f"seen {number}"})
            else:
                messages.append(user(f"and {number}?"))
        return messages

    steps = [
        history(),
        history(True),
        history(True, False),
        history(True, False, True),
        history(True, False, True, False),
    ]
    found = found_in([{"messages": one} for one in steps])
    assert rules_in(found) == [(3, "result.missing"), (5, "result.missing")]


def changes(before: list[Any], after: list[Any]) -> list[tuple[str, str, str]]:
    found = found_in([{"messages": before}, {"messages": after}])
    assert found.conversations == 1
    return [(one.rule, one.change.kind, one.change.text) for one in found.breaks]


HISTORY = [GO, *STEP, *NEXT]
SUMMARY = user("The session so far: …")


@pytest.mark.parametrize(
    ("after", "rule", "kind", "says"),
    [
        (
            [*HISTORY, LAST[0], user("and?")],
            "result.missing",
            "appended",
            "messages.5 to 6 are new, after the 5 messages",
        ),
        (
            [HISTORY[2], *HISTORY[3:]],
            "result.orphan",
            "trimmed",
            "messages.0 to 1 of request 1 are left out at the beg",
        ),
        ([SUMMARY, *HISTORY[2:]], "result.orphan", "compacted", "messages.0 to 1 of request 1 are replaced by 1 new"),
        ([*HISTORY[:2], *HISTORY[3:], *LAST], "result.missing", "removed", "messages.2 of request 1 is left out"),
        (
            [*HISTORY[:2], user("wait"), assistant(text("yes")), *HISTORY[2:]],
            "result.not_adjacent",
            "inserted",
            "messages.2 to 3 are new, between the call and its result",
        ),
        (
            [*HISTORY[:2], {"role": "user", "content": [result("t-1", "one")]}, *HISTORY[3:]],
            "result.id_mismatch",
            "id rewritten",
            "the result had the call's id in request 1",
        ),
        ([GO, STEP[0], *NEXT, STEP[1]], "result.not_adjacent", "moved", "messages.2 of request 1 is messages.4 now"),
    ],
    ids=lambda value: value if isinstance(value, str) and " " not in value else "",
)
def test_what_changed(after: list[Any], rule: str, kind: str, says: str) -> None:
    found = changes(HISTORY, after)
    assert [one for one in found if one[:2] == (rule, kind) and says in one[2]], found


def test_both_ids_are_told_when_one_was_rewritten() -> None:
    after = [*HISTORY[:2], {"role": "user", "content": [result("t-1", "one")]}, *HISTORY[3:]]
    found = found_in([{"messages": HISTORY}, {"messages": after}])
    (pair,) = found.breaks[0].pairs
    assert pair.renamed is not None
    assert (pair.renamed.side, pair.renamed.before, pair.renamed.after) == ("result", "t1", "t-1")


def test_a_message_that_lost_one_of_its_results() -> None:
    both = [GO, assistant(call("t1", "Read", {}), call("t2", "Bash", {}))]
    results = {"role": "user", "content": [result("t1", "one"), result("t2", "two")]}
    fewer = {"role": "user", "content": [result("t1", "one")]}
    ((rule, kind, said),) = changes([*both, results], [*both, fewer, *LAST])
    assert (rule, kind) == ("result.missing", "edited")
    assert said == "messages.2 of request 1 is messages.2 now, and no longer holds the result."


def test_the_step_before_and_the_answers() -> None:
    taken = {"request": {"messages": HISTORY}, "response": {"status": 200}, "time": "2026-11-21T09:12:45Z"}
    refused = {
        "request": {"messages": HISTORY[2:]},
        "response": {"status": 400, "body": {"type": "error", "error": {"message": "unexpected `tool_use_id`"}}},
        "time": "2026-11-21T09:12:50Z",
    }
    (one,) = found_in([taken, refused]).breaks
    assert one.request.answer is not None and one.request.answer.refused
    assert one.request.answer.words == "unexpected `tool_use_id`"
    assert one.request.before is not None and one.request.before.answer is not None
    assert one.request.before.answer.taken
    assert one.ended == "the result of Bash"


def test_the_answer_to_a_retry_counts_for_the_request() -> None:
    broken = {"messages": HISTORY[2:]}
    log = [
        {"body": {"messages": HISTORY}},
        {"body": broken, "status": 503},
        {"body": broken, "status": 400, "error": {"message": "no such call"}},
    ]
    (one,) = found_in(log).breaks
    assert one.request.number == 2
    assert one.request.answer is not None and one.request.answer.words == "no such call"


def test_a_refusal_without_a_broken_pair_is_told_and_is_no_break() -> None:
    found = found_in([{"body": {"messages": HISTORY}, "status": 400, "error": "prompt is too long"}])
    assert not found.breaks
    assert [one.number for one in found.refused] == [1]


def test_cache_marks_and_the_spelling_of_texts_do_not_part_conversations() -> None:
    marked = [{"role": "user", "content": [{**text("go"), "cache_control": {"type": "ephemeral"}}]}, *STEP]
    found = found_in([{"messages": [GO]}, {"messages": marked}, {"messages": [GO, *STEP, *NEXT]}])
    assert found.conversations == 1
    assert [one.before.number if one.before else None for one in found.requests] == [None, 1, 2]


def test_compactions_that_begin_alike_stay_with_their_conversations() -> None:
    """The first two messages are the same in both: the ids of what was kept decide."""
    log = []
    for agent in ("a", "b"):
        kept = [assistant(call(f"{agent}9", "Bash", {})), {"role": "user", "content": [result(f"{agent}9", "nine")]}]
        log.append({"messages": [user(f"work of {agent}"), *kept]})
        log.append({"messages": [SUMMARY, assistant(text("Understood.")), user("Go on."), *kept]})
    found = found_in(log)
    assert [one.conversation for one in found.requests] == [1, 1, 2, 2]


def test_a_history_that_goes_on_otherwise_is_the_same_conversation() -> None:
    """Two messages at the beginning are enough, however many come after them."""
    begun = [user("tea"), assistant(text("Here."))]
    log = [[*begun, user("coffee")], [*begun, *(user(f"mug {number}") for number in range(20))]]
    assert found_in([{"messages": one} for one in log]).conversations == 1


def test_what_everybody_says_joins_no_conversations() -> None:
    def talk(about: str) -> list[Any]:
        said = [user(f"I want {about}."), assistant(text("I can help with that.")), user("Yes, please.")]
        return [*said, *(user(f"{about} {number}") for number in range(6))]

    found = found_in([{"messages": talk("tea")}, {"messages": talk("a mug")}])
    assert found.conversations == 2


def test_an_id_that_a_client_made_twice_joins_no_conversations() -> None:
    def work(about: str, ids: list[str]) -> list[Any]:
        messages = [user(about)]
        for id_ in ids:
            messages += [assistant(call(id_, about, {})), {"role": "user", "content": [result(id_, about)]}]
        return messages

    found = found_in([{"messages": work("tea", ["a", "b", "c"])}, {"messages": work("mugs", ["d", "e", "f", "b"])}])
    assert found.conversations == 2


def test_a_summary_without_calls_stays_with_its_conversation() -> None:
    talk = [user("tea"), assistant(text("Here.")), user("coffee"), assistant(text("There."))]
    found = found_in([{"messages": talk}, {"messages": [SUMMARY, *talk[2:], user("mugs")]}])
    assert found.conversations == 1
    assert found.requests[1].before is found.requests[0]


def test_a_chain_of_stored_responses_is_one_conversation() -> None:
    """Such requests hold only what is new, so their results may have no calls."""
    output = {"type": "function_call_output", "call_id": "c1", "output": "one"}
    log = [
        {"body": {"model": "gpt-5", "input": "go"}, "response": {"id": "resp_1", "output": []}},
        {"body": {"model": "gpt-5", "input": [output], "previous_response_id": "resp_1"}, "response": {"id": "resp_2"}},
    ]
    found = found_in(log)
    assert not found.breaks
    assert [one.conversation for one in found.requests] == [1, 1]


def test_broken_lines_are_counted_and_nothing_is_raised() -> None:
    log = lines([{"messages": HISTORY}]) + b'{"messages": [\n\0\0\0\nnonsense\n' + lines([{"messages": HISTORY[2:]}, 7])
    found = found_in(log)
    assert rules_in(found) == [(2, "result.orphan")]
    assert found.breaks[0].request.line == 5
    assert found.log.tally.broken == 3
    assert found.log.tally.others == 1


@pytest.mark.parametrize("indent", [None, 2])
def test_an_array_of_bodies(indent: int | None) -> None:
    data = json.dumps([{"messages": HISTORY}, {"messages": HISTORY[2:]}], indent=indent).encode()
    found = found_in(data)
    assert rules_in(found) == [(2, "result.orphan")]
    second = data.index(b"{", data.index(b'"messages"', data.index(b'"messages"') + 1) - 20)
    assert found.breaks[0].request.line == data.count(b"\n", 0, second) + 1


def test_the_profile_can_be_chosen() -> None:
    spelled = [GO, assistant(call("a.b:0", "Read", {})), {"role": "user", "content": [result("a.b:0", "one")]}]
    assert rules_in(found_in([{"messages": spelled}])) == [(1, "id.pattern")]
    assert not found_in([{"messages": spelled}], "bedrock-converse").breaks


# In memory


def test_requests_in_memory() -> None:
    log = [{"messages": HISTORY}, {"messages": HISTORY[2:]}]
    kept = json.dumps(log)
    (one,) = toolpair.first_break(log)
    assert (one.request.number, one.rule, one.change.kind) == (2, "result.orphan", "trimmed")
    assert str(one).startswith("request 2: result.orphan: ")
    assert json.dumps(log) == kept
    assert toolpair.first_break([]) == ()
    assert toolpair.first_break(iter(log), profile="bedrock-converse")
    with pytest.raises(ValueError, match="nobody"):
        toolpair.first_break(log, profile="nobody")


@pytest.mark.usefixtures("sdks")
def test_the_sdks_own_objects_are_read() -> None:
    from anthropic.types import ToolUseBlock

    asked = {"role": "assistant", "content": [ToolUseBlock(id="t1", input={}, name="Read", type="tool_use")]}
    (one,) = toolpair.first_break([{"messages": [GO]}, {"messages": [GO, asked, user("and?")]}])
    assert one.pairs[0].call_id == "t1"


def test_what_a_request_declares_counts_window_by_window() -> None:
    agent = Agent("agent", _Steady())
    for _ in range(60):
        agent.step()
    agent.history[61] = assistant({**agent.history[61]["content"][-1], "name": "Bash"})
    checked_by, found = profile_named("anthropic"), get_format("anthropic")
    request = request_of({"messages": agent.history, "tools": [{"name": "Read", "input_schema": {}}]})
    items = [Item(number, message) for number, message in enumerate(agent.history)]
    whole = CheckedRecords(items, found, checked_by, request).problems
    parts = windows_in(agent.history, "anthropic", checked_by, 8, request=request)
    assert parts is not None
    assert [(one.rule, one.message) for one in parts.problems] == [(one.rule, one.message) for one in whole] != []
    sound = windows_in(agent.history, "anthropic", checked_by, 8)
    assert sound is not None and not sound.problems


def test_what_a_request_declares_counts_as_in_a_file() -> None:
    """The same answer as when the request is checked alone, window by window or whole."""
    agent = Agent("agent", random.Random(5))
    for _ in range(60):
        agent.step()
    agent.history[41:43] = [agent.history[42], agent.history[41]]
    for tools in (None, [], [{"name": "Read", "input_schema": {}}]):
        body = {**agent.body(), "thinking": {"type": "enabled"}} | ({"tools": tools} if tools is not None else {})
        for profile in ("anthropic", "bedrock-converse", "openai-chat"):
            session = open_session("body.json", data=json.dumps(body).encode(), profile=profile)
            alone = [problem.rule for problem in session.problems if problem.severity == "error"]
            found = found_in([body], profile)
            assert Counter(alone) == Counter(one.rule for one in found.breaks for _ in one.pairs)


# Anything


@settings(max_examples=tries(8), deadline=None)
@given(st.integers(0, 10**6), st.sampled_from((None, as_chat, as_items)))
def test_requests_that_begin_as_one_before_them_are_judged_as_if_they_were_alone(seed: int, form: Any) -> None:
    """What is known of a request is not found out again in the next one, whatever was changed in between."""
    sent = [one.record["body"] for one in generated(seed, runs=1, agents=3, broken=3, steps=16)]
    log = [form(body) for body in sent] if form is not None else sent
    shared = found_in(log)
    with pytest.MonkeyPatch.context() as alone:
        alone.setattr(breaks, "KnownOfLists", lambda: None)
        alone.setattr(GrowingLists, "known", lambda self, messages, body, new, more: (new(), messages))
        each = found_in(log)
    assert shared.requests == each.requests
    assert (
        [(*map(str, (one, one.later, one.pairs)),) for one in shared.breaks]
        == [(*map(str, (one, one.later, one.pairs)),) for one in each.breaks]
        != []
    )


@settings(max_examples=tries(40), deadline=None)
@given(st.integers(0, 10**6), st.integers(1, 4), st.integers(1, 5), st.integers(6, 20))
def test_conversations_are_told_apart_however_they_mix(seed: int, runs: int, agents: int, steps: int) -> None:
    sent = list(generated(seed, runs, agents, min(2, runs * agents), steps))
    found = found_in([one.record for one in sent])
    assert misplaced(found, sent) == 0
    planted = {number for number, one in enumerate(sent, 1) if one.broken}
    assert {one.request.number for one in found.breaks} == planted


_KEYS = st.sampled_from(
    [
        *("messages", "input", "contents", "role", "content", "type", "id", "tool_use_id", "tool_calls", "parts"),
        *("request", "body", "response", "status", "error", "attributes", "gen_ai.input.messages", "events", "log"),
        *("entries", "postData", "text", "method", "url", "startTime", "traceId", "observations", "call_type", "hash"),
        *("tail", "base", "keep", "sessionId", "cacheControl", "params", "shape", "functionCall", "toolUse", "name"),
    ]
)
_WORDS = st.sampled_from(
    [
        *("user", "assistant", "tool", "tool_use", "tool_result", "api-request", "model", "GENERATION", "a", ""),
        *("function_call", "function_call_output", "api-request-blob", "[{", "\ud800", "2026-11-21T09:12:45Z"),
    ]
)
_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 10**20) | st.floats(allow_nan=False) | _WORDS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(_KEYS, inner, max_size=5),
    max_leaves=30,
)


@settings(max_examples=tries(300), deadline=None)
@given(st.lists(_VALUES, min_size=1, max_size=6))
def test_nothing_that_a_log_says_raises(values: list[Any]) -> None:
    whole = {"messages": HISTORY}
    found_in([whole, whole, *values])


@settings(max_examples=tries(200), deadline=None)
@given(st.data())
def test_a_log_with_anything_changed_in_it_never_raises(data: st.DataObject) -> None:
    from tests.reports.test_kinds_of_logs import LOGS

    log = LOGS[data.draw(st.sampled_from(sorted(LOGS)))]
    record = json.loads(json.dumps(log[-1]))
    holders: list[Any] = []

    def walk(value: Any) -> None:
        if isinstance(value, (dict, list)) and value:
            holders.append(value)
            for inner in value.values() if isinstance(value, dict) else value:
                walk(inner)

    walk(record)
    for _ in range(data.draw(st.integers(1, 4))):
        holder = data.draw(st.sampled_from(holders))
        key = data.draw(st.sampled_from(sorted(holder) if isinstance(holder, dict) else range(len(holder))))
        holder[key] = data.draw(_VALUES)
    found_in([*log, record])


class _Steady(random.Random):
    """Chance that always decides the same, so that one step is like the other."""

    def choice(self, of: Any) -> Any:
        return of[0]

    def random(self) -> float:
        return 0.5


def test_twice_the_log_is_twice_the_work() -> None:
    def work(count: int) -> Any:
        agents = [Agent(f"agent{number:02d}", _Steady()) for number in range(count)]
        log = []
        for step in range(6):
            for agent in agents:
                agent.step()
                if step == 4:
                    BREAKS["compacted"](agent)
                log.append({"messages": agent.body()["messages"]})
        data = lines(log)
        return lambda: found_in(data)

    assert growing(work, (4, 8, 16)) == []


@pytest.mark.parametrize("name", BREAKS)
def test_a_history_twice_as_long_is_twice_the_work(name: str) -> None:
    def work(count: int) -> Any:
        agent = Agent("agent", _Steady())
        for _ in range(count):
            agent.step()
        first = agent.body()
        BREAKS[name](agent)
        data = lines([first, agent.body()])
        return lambda: found_in(data)

    assert growing(work, (16, 32, 64), 60) == []
