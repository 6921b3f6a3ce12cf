"""An error text, an id or a rule leads to the block that it means, and says how."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from benchmarks.generate import generate
from benchmarks.sessions.options import Options
from tests.each import each
from tests.work import work_of
from toolpair.rules.profiles import is_profile, profile_names
from toolpair.session.session import Session, Target, open_session

MISSING = (
    "messages.{n}: `tool_use` ids were found without `tool_result` blocks immediately after: {id}. Each `tool_use` "
    "block must have a corresponding `tool_result` block in the next message."
)
ORPHAN = (
    "messages.{n}.content.{m}: unexpected `tool_use_id` found in `tool_result` blocks: {id}. Each `tool_result` block "
    "must have a corresponding `tool_use` block in the previous message."
)


def call(id_: str, name: str = "Bash", arguments: Any = None) -> dict[str, Any]:
    return {"type": "tool_use", "id": id_, "name": name, "input": {} if arguments is None else arguments}


def result(id_: str, words: str = "done") -> dict[str, Any]:
    return {"type": "tool_result", "tool_use_id": id_, "content": words}


def text(words: str) -> dict[str, Any]:
    return {"type": "text", "text": words}


def user(*blocks: dict[str, Any]) -> dict[str, Any]:
    return {"role": "user", "content": list(blocks)}


def assistant(*blocks: dict[str, Any]) -> dict[str, Any]:
    return {"role": "assistant", "content": list(blocks)}


def exchange(id_: str, **more: Any) -> list[dict[str, Any]]:
    return [assistant(call(id_, **more)), user(result(id_))]


TWO_MISSING = [
    user(text("go")),
    *exchange("toolu_a"),
    assistant(call("toolu_b")),
    user(text("and?")),
    *exchange("toolu_c"),
    assistant(text("look"), call("toolu_d"), call("toolu_e")),
    user(result("toolu_d"), text("so?")),
    assistant(text("end")),
    user(text("bye")),
]
CHAT: list[dict[str, Any]] = [
    {"role": "system", "content": "be good"},
    {"role": "user", "content": "go"},
    {
        "role": "assistant",
        "content": None,
        "tool_calls": [
            {"id": "call_a", "type": "function", "function": {"name": "f", "arguments": "{}"}},
            {"id": "call_b", "type": "function", "function": {"name": "g", "arguments": "{}"}},
        ],
    },
    {"role": "tool", "tool_call_id": "call_a", "content": "1"},
    {"role": "user", "content": "and?"},
    {"role": "assistant", "content": "fine"},
    {"role": "user", "content": "go on"},
    {"role": "tool", "tool_call_id": "call_z", "content": "2"},
    {"role": "user", "content": "bye"},
]


def opened(messages: list[Any], **more: Any) -> Session:
    return open_session("session.json", data=json.dumps(messages).encode(), **more)


def found(session: Session, where: str) -> Target:
    target = session.find(where)
    assert target is not None
    return target


def leads_to(session: Session, where: str) -> tuple[str | None, str | None, str | None]:
    """The rule, the id of the call or else of the result, and how it was found."""
    target = found(session, where)
    problem = target.problem
    if problem is None:
        return None, None, target.how
    block = problem.call or problem.result
    return problem.rule, block.id if block is not None else None, target.how


@pytest.mark.parametrize(("n", "id_"), [(99, "toolu_b"), (8, "toolu_b"), (4, "toolu_e")])
def test_ids_go_before_the_index(n: int, id_: str) -> None:
    """Also where the index leads to another call without a result."""
    rule, leads, how = leads_to(opened(TWO_MISSING), MISSING.format(n=n, id=id_))
    assert (rule, leads, how) == ("result.missing", id_, "by the id")


@pytest.mark.parametrize(("n", "id_"), [(4, "toolu_b"), (8, "toolu_e")])
def test_the_index_of_the_message_behind_the_call(n: int, id_: str) -> None:
    cut = MISSING.format(n=n, id="")[
        : -len(". Each `tool_use` block must have a corresponding `tool_result` block in ")
    ]
    rule, leads, how = leads_to(opened(TWO_MISSING), cut)
    assert (rule, leads) == ("result.missing", id_)
    assert how == f"by the index: message {n}, the call is in {n - 1}"


def test_the_message_in_front_is_meant_though_the_one_that_is_named_has_such_a_call_too() -> None:
    session = opened([user(text("go")), assistant(call("toolu_1")), assistant(call("toolu_2")), user(text("and?"))])
    for n, id_ in ((2, "toolu_1"), (3, "toolu_2")):
        target = leads_to(session, MISSING.format(n=n, id="toolu_unheard_of"))
        assert target == ("result.missing", id_, f"by the index: message {n}, the call is in {n - 1}")


def test_results_in_a_row_are_one_message_to_a_provider_of_turns() -> None:
    def calls(*ids: str) -> dict[str, Any]:
        made = [{"id": id_, "type": "function", "function": {"name": "f", "arguments": "{}"}} for id_ in ids]
        return {"role": "assistant", "content": None, "tool_calls": made}

    answered = [{"role": "tool", "tool_call_id": id_, "content": "1"} for id_ in "abc"]
    session = opened([CHAT[1], calls("y"), CHAT[4], calls("a", "b", "c"), *answered, calls("z"), CHAT[4]])
    rule, id_, how = leads_to(session, MISSING.format(n=6, id="toolu_unheard_of"))
    assert (rule, id_, how) == ("result.missing", "z", "by the index: message 6, the call is in 5")


def test_an_agents_own_instructions_in_front_are_counted_though_the_file_has_none() -> None:
    def stray(id_: str) -> list[dict[str, Any]]:
        return [CHAT[1], CHAT[5], {"role": "tool", "tool_call_id": id_, "content": "1"}]

    session = opened([*stray("call_y"), *stray("call_z"), CHAT[1]])
    words = "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'."
    for n in (5, 6):
        rule, id_, how = leads_to(session, f"{{'message': \"{words}\", 'param': 'messages.[{n}].role'}}")
        assert (rule, id_, how) == ("result.orphan", "call_z", f"by the index: message {n}")


def test_the_index_of_the_block_itself() -> None:
    session = opened([user(text("go")), *exchange("toolu_a", arguments="x"), *exchange("toolu_b", arguments="y")])
    assert leads_to(session, "messages.3.content.0.tool_use.input: Input should be a valid dictionary") == (
        "args.not_object",
        "toolu_b",
        "by the index: message 3, block 0",
    )


def test_an_index_that_does_not_fit_leads_to_the_first_problem_of_the_kind() -> None:
    target = found(opened(TWO_MISSING), MISSING.format(n=77, id="toolu_gone"))
    assert target.problem is not None and target.problem.call is not None and target.problem.call.id == "toolu_b"
    assert target.how == "the first problem of this kind"
    assert "toolu_gone is not in this file" in target.text


def test_words_that_name_nothing_lead_to_what_stops_the_session() -> None:
    rule, id_, how = leads_to(opened(TWO_MISSING), "API Error: 400 due to tool use concurrency issues.")
    assert (rule, id_) == ("result.missing", "toolu_b")
    assert how == "this text names no place: this is the problem that stops the session"


def test_words_that_name_nothing_lead_to_what_stops_the_session_whatever_that_is() -> None:
    session = opened([user(text("go")), *exchange("toolu.a"), user(text("bye"))])
    target = found(session, "API Error: 400 due to tool use concurrency issues.")
    assert target.problem is not None and target.problem.rule == "id.pattern"
    assert "nothing here is broken in this way" in str(target.how)


def test_a_mended_file_is_told_so() -> None:
    target = found(
        opened([user(text("go")), *exchange("toolu_a"), user(text("bye"))]), MISSING.format(n=2, id="toolu_q")
    )
    assert not target.leads_somewhere
    assert "already have been fixed" in target.text and "another session" in target.text
    here = found(opened([user(text("go")), *exchange("toolu_a"), user(text("bye"))]), MISSING.format(n=2, id="toolu_a"))
    assert here.problem is None and here.pair == 0 and "Nothing is wrong with it now" in here.text


@pytest.mark.parametrize(
    ("where", "rule", "id_"),
    [
        ("…did not have response messages: call_b', 'param': 'messages.[3].role'", "result.missing", "call_b"),
        (
            "{'message': \"Invalid parameter: messages with role 'tool' must be a response to a preceeding message with "
            "'tool_calls'.\", 'param': 'messages.[7].role'}",
            "result.orphan",
            "call_z",
        ),
        # Where system messages do not count, and results of one turn are one message.
        (MISSING.format(n=2, id="toolu_unheard_of"), "result.missing", "call_b"),
        (ORPHAN.format(n=6, m=0, id="toolu_unheard_of"), "result.orphan", "call_z"),
        ("Expected toolResult blocks at messages.2.content for the following Ids: tooluse_q", "result.missing", "call_b"),
        ("Messages with role 'tool' must be a response to a preceding message with 'tool_calls'", "result.orphan", "call_z"),
    ],
)  # fmt: skip
def test_chat_messages_as_each_provider_counts_them(where: str, rule: str, id_: str) -> None:
    assert leads_to(opened(CHAT), where)[:2] == (rule, id_)


def test_items_are_counted_one_by_one() -> None:
    calls = [user(text("go"))] + [m for n in range(4) for m in exchange(f"call_{n}{'x' * 70 if n == 2 else ''}")]
    where = (
        "Invalid 'input[5].call_id': string too long. Expected a string with maximum length 64, but got a string with "
    )
    target = found(opened(calls), f"{where}length 76 instead.")
    assert target.problem is not None and target.problem.rule == "id.length"
    assert target.profile == "openai-responses" and target.how == "by the index: item 5"


def test_another_provider_judges_by_its_own_rules() -> None:
    session = opened([user(text("go")), *exchange("toolu_a"), *exchange("toolu_b"), user(text("bye"))])
    target = found(session, "Tool call id was toolu_b but must be a-z, A-Z, 0-9, with a length of 9.")
    assert target.profile == "mistral" and target.problem is not None and target.problem.rule == "id.pattern"
    assert target.problem.call is not None and target.problem.call.id == "toolu_b"
    assert session.profile.id == "anthropic", "asking changes nothing"
    assert "Checked against mistral" in target.text


def test_where_both_providers_refuse_it_the_session_stays_judged_as_it_is() -> None:
    target = found(
        opened(TWO_MISSING), "Expected toolResult blocks at messages.4.content for the following Ids: toolu_b"
    )
    assert target.profile is None and target.problem is not None and target.problem.rule == "result.missing"


def test_an_id_that_a_terminal_broke_is_found_where_the_file_holds_it() -> None:
    session = opened([user(text("go")), assistant(call("toolu_01HqfLWi")), user(text("and?"))])
    broken = "did not have response messages: toolu_01Hq\n  │ fLWi\nsome more words"
    assert leads_to(session, f"The following tool_call_ids {broken}")[1:] == ("toolu_01HqfLWi", "by the id")
    assert leads_to(session, "what is toolu_01\n    HqfLWi about?")[1] == "toolu_01HqfLWi"


def test_a_rule_leads_to_its_first_problem() -> None:
    assert leads_to(opened(TWO_MISSING), "result.missing")[:2] == ("result.missing", "toolu_b")
    assert "no result.orphan problem" in found(opened(TWO_MISSING), "result.orphan").text


def test_all_conversations_of_a_file_are_looked_at(samples: Path) -> None:
    session = open_session(samples / "request-log.jsonl")
    assert len(session.conversations) > 1
    for number, conversation in enumerate(session.conversations):
        for problem in conversation.problems:
            if problem.rule != "result.missing" or problem.call is None:
                continue
            target = found(session, MISSING.format(n=0, id=problem.call.id))
            assert target.conversation is not None and target.how == "by the id"
            there = session.conversations[target.conversation]
            assert target.problem in there.problems
            assert target.conversation == session.current or number != session.current


def test_what_stands_in_another_conversation_alone_is_found_there() -> None:
    lines = [json.dumps([user(text("go")), assistant(call(id_)), user(text("and?"))]) for id_ in ("toolu_1", "toolu_2")]
    session = open_session("log.jsonl", data="\n".join(lines).encode())
    assert session.current == 1
    for where in ("toolu_1", MISSING.format(n=2, id="toolu_1"), "a text that nobody knows about toolu_1"):
        target = found(session, where)
        assert target.conversation == 0 and target.problem is session.conversations[0].problems[0], where
    assert session.current == 1, "asking changes nothing"


def test_an_id_on_a_branch_that_is_not_sent_is_told_with_its_line(samples: Path) -> None:
    session = open_session(samples / "claude-code-branches.jsonl")
    sent = {block.id for message in session.conversation.transcript.messages for block in message.blocks}
    block = next(one for one in session.conversation.transcript.inactive_blocks if one.id not in sent)
    target = found(session, f"an unheard of answer about {block.id}")
    assert not target.leads_somewhere
    assert "on a branch that is not sent" in target.text and f"line {target.line}" in target.text
    line = (samples / "claude-code-branches.jsonl").read_text(encoding="utf-8").splitlines()[(target.line or 0) - 1]
    assert block.id in line


def test_words_that_are_nothing_lead_nowhere() -> None:
    target = found(opened(TWO_MISSING), "the dog ate my homework")
    assert not target.leads_somewhere and "This is not an id, place, rule or error text" in target.text
    assert opened(TWO_MISSING).find("  ") is None


@pytest.mark.parametrize("profile", ["anthropic", "bedrock-converse", "openai-chat", "openai-responses", "mistral"])
def test_what_a_provider_would_say_leads_back_to_the_same_problem(profile: str) -> None:
    for messages in (TWO_MISSING, CHAT):
        session = opened(messages, profile=profile)
        for problem in session.problems:
            if problem.severity != "error" or problem.api_says is None:
                continue
            target = found(session, problem.api_says)
            assert target.problem is not None and target.recognised is not None
            if target.recognised.names_a_place:
                assert target.problem is problem, problem.api_says


_NOT_QUOTED = {"groq", "llama-cpp", "lm-studio", "minimax", "moonshot", "ollama", "openrouter", "vllm", "xai", "zai"}
"""Whose words about these problems are not known."""


def test_no_quoted_words_have_a_hole_in_them() -> None:
    for messages in (TWO_MISSING, CHAT):
        session = opened(messages)
        for profile in profile_names():
            session.set_profile(profile)
            quoted = [problem.api_says for problem in session.problems if problem.api_says is not None]
            assert quoted or profile.partition("/")[0] in _NOT_QUOTED
            for words in quoted:
                assert "{" not in words and "''" not in words and "  " not in words


def test_indexes_that_count_from_one() -> None:
    session = opened([user(text("go")), *exchange("toolu_a"), *exchange("toolu_" + "b" * 70), user(text("bye"))])
    where = (
        "Value at 'messages.4.member.content.1.member.toolUse.toolUseId' failed to satisfy constraint: Member must have"
    )
    target = found(session, f"{where} length less than or equal to 64")
    assert target.problem is not None and target.problem.rule == "id.length"
    assert target.problem.message == 3 and target.how == "by the index: message 4, block 1"


def test_a_place_that_is_not_judged_is_shown_all_the_same() -> None:
    thinking = {"type": "thinking", "thinking": "hm", "signature": "x" * 40}
    session = opened(
        [user(text("go")), assistant(thinking, call("toolu_a")), user(result("toolu_a")), *exchange("toolu_b")]
    )
    target = found(session, "messages.3.content.0: Invalid `signature` in `thinking` block")
    assert target.message == 3 and target.how == "by the index: message 3, block 0"


@each(
    ("profile", "words"),
    [
        ("anthropic", "messages.2: `tool_use` ids were found without `tool_result` blocks immediately after: call_b."),
        ("vertex-anthropic", "messages.2: `tool_use` ids were found without"),
        ("bedrock-converse", "Expected toolResult blocks at messages.2.content for the following Ids: call_b"),
        ("openai-chat", "The following tool_call_ids did not have response messages: call_b"),
        ("azure-openai", "The following tool_call_ids did not have response messages: call_b"),
        ("openai-responses", "No tool output found for function call call_b."),
        ("gemini", "number of function response parts is equal to the number of function call parts"),
        ("mistral", "Not the same number of function calls and responses"),
        ("deepseek", "(insufficient tool messages following tool_calls message)"),
    ],
)
def test_each_provider_is_quoted_with_its_own_count(profile: str, words: str) -> None:
    session = opened(CHAT, profile=profile)
    problem = next(problem for problem in session.problems if problem.rule == "result.missing")
    assert problem.api_says is not None and words in problem.api_says


def test_a_family_of_models_is_quoted_as_its_provider() -> None:
    family = next((name for name in ("mistral/v13", "mistral/v11") if is_profile(name)), "mistral")
    session = opened(CHAT, profile=family)
    problem = next(problem for problem in session.problems if problem.rule == "result.missing")
    assert problem.api_says == "Not the same number of function calls and responses"


def test_an_agents_own_count_goes_without_what_it_leaves_out(samples: Path) -> None:
    """What is quoted of a native session leads back to its problem by the index alone."""
    session = open_session(samples / "codex-killed.jsonl")
    quoted = [problem for problem in session.problems if problem.api_says is not None]
    assert quoted
    for problem in quoted:
        target = found(session, str(problem.api_says))
        assert target.problem is problem and target.how == "by the id"


def test_an_empty_error_is_quoted_with_the_place_of_the_result() -> None:
    empty = {"type": "tool_result", "tool_use_id": "toolu_b", "content": [], "is_error": True}
    turn = [assistant(call("toolu_a"), call("toolu_b")), user(result("toolu_a"), empty)]
    session = opened([user(text("go")), *turn], profile="bedrock-converse")
    problem = next(problem for problem in session.problems if problem.rule == "error.empty_content")
    assert problem.api_says is not None and "messages.2.content.1.toolResult" in problem.api_says
    assert found(session, problem.api_says).problem is problem


def parallel(count: int) -> list[dict[str, Any]]:
    """One chat message with as many calls, all with ids that are too long."""
    made = [
        {"id": f"call_{number:060}", "type": "function", "function": {"name": "f", "arguments": "{}"}}
        for number in range(count)
    ]
    answers = [{"role": "tool", "tool_call_id": one["id"], "content": "done"} for one in made]
    return [CHAT[1], {"role": "assistant", "content": None, "tool_calls": made}, *answers]


def test_parallel_calls_are_quoted_with_their_number_and_none_looks_through_all() -> None:
    session = opened(parallel(3), profile="azure-openai")
    quoted = [problem.api_says for problem in session.problems if problem.rule == "id.length"]
    assert [f"tool_calls[{number}].id" in str(words) for number, words in enumerate(quoted)] == [True] * 3

    def judged(count: int) -> int:
        messages = parallel(count)
        return work_of(lambda: opened(messages, profile="azure-openai").problems)

    few, more, many = judged(150), judged(300), judged(600)
    assert many - more < 2.2 * (more - few)


def test_a_text_of_nothing_but_broken_words_costs_little() -> None:
    def words_of(pieces: int) -> int:
        return work_of(lambda: opened(TWO_MISSING).find("ab-\n" * pieces))

    words_of(100)
    assert words_of(8_000) < 6 * words_of(1_000)


def test_the_id_of_an_item_leads_to_it_in_a_long_rollout(tmp_path: Path) -> None:
    path = tmp_path / "rollout.jsonl"
    generate(Options(format="codex", pairs=1500, problems=2), path)
    session = open_session(path)
    assert session.conversation.fixes_are_local
    pair = session.conversation.pairs[700]
    assert pair.call is not None
    for block in (pair.call, *pair.results):
        target = session.find(block.value["id"])
        assert target is not None and target.pair == 700, block.value["id"]
    nowhere = session.find("fc_that_is_nowhere")
    assert nowhere is None or not nowhere.leads_somewhere
