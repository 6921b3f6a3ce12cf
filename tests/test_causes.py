"""Each cause is told from what a transcript shows, and not where the evidence is missing."""

from __future__ import annotations

import hashlib
import json
from typing import Any

import pytest
from msgspec.structs import replace

from tests.each import each
from tests.formats.claude_code_files import Log
from tests.formats.claude_code_files import call as log_call
from tests.formats.claude_code_files import text as log_text
from tests.rounds import some
from tests.work import work_of
from toolpair.rules.causes import cause_ids, cause_page, of_mismatch
from toolpair.rules.judge import judge
from toolpair.rules.problem import Cause, Problem
from toolpair.rules.profiles import profile
from toolpair.session.session import Session, open_session
from toolpair.transcript.id_shapes import SPELLINGS
from toolpair.transcript.model import Block, Boundary, Transcript
from toolpair.transcript.pairing import Pair
from toolpair.transcript.record_tree import Cut

Messages = list[dict[str, Any]]
OPENCLAW = "[openclaw] missing tool result in session history; inserted synthetic error result for transcript repair."


def call(id_: Any, name: str = "Read", /, **given: Any) -> dict[str, Any]:
    return {"type": "tool_use", "id": id_, "name": name, "input": given}


def result(id_: Any, content: Any, **fields: Any) -> dict[str, Any]:
    return {"type": "tool_result", "tool_use_id": id_, "content": content, **fields}


def text(words: str) -> dict[str, Any]:
    return {"type": "text", "text": words}


def asks(*blocks: Any) -> dict[str, Any]:
    return {"role": "assistant", "content": list(blocks)}


def user(*blocks: Any) -> dict[str, Any]:
    return {"role": "user", "content": list(blocks) if blocks else "go on"}


def opened(messages: Messages, judged_as: str | None = None) -> Session:
    return open_session("s.json", data=json.dumps(messages).encode(), profile=judged_as)


def lines(log: Log) -> Session:
    data = b"".join(json.dumps(value, separators=(",", ":")).encode() + b"\n" for value in log.values)
    return open_session("s.jsonl", data=data)


def causes(session: Session, rule: str = "") -> list[Cause]:
    return [found.cause for found in session.problems if found.cause is not None and found.rule.startswith(rule)]


def ids(session: Session, rule: str = "") -> set[str]:
    return {cause.id for cause in causes(session, rule)}


def causes_of(transcript: Transcript, rule: str) -> list[Cause]:
    judged = judge(transcript, profile("anthropic")).problems
    return [found.cause for found in judged if found.cause is not None and found.rule == rule]


def ids_of(transcript: Transcript, rule: str) -> set[str]:
    return {cause.id for cause in causes_of(transcript, rule)}


def mismatch(call_id: str, result_id: str, content: Any = "output") -> Messages:
    return [user(), asks(call(call_id, path="a")), user(result(result_id, content)), asks(text("ok"))]


LONG = "call_" + "x" * 70


def digest(how: str, words: str) -> str:
    return hashlib.new(how, words.encode()).hexdigest()[:8]


def parallel(*results: Any, then: str | None = "ok") -> Messages:
    calls = asks(call("toolu_1", path="src/1"), call("toolu_2", path="src/2"))
    return [user(), calls, user(*results), *([asks(text(then))] if then else [])]


def copies(twice: int, once: int) -> Messages:
    messages = [user()]
    for number in range(twice + once):
        one = result(f"toolu_{number}", f"output {number}")
        messages += [asks(call(f"toolu_{number}", path=str(number))), user(one, *([one] if number < twice else []))]
    return [*messages, asks(text("ok"))]


def counted(*given: str, id_: str = "Bash:0", outputs: str = "of {}") -> Messages:
    messages = [user()]
    for number, command in enumerate(given):
        messages += [asks(call(id_, "Bash", command=command)), user(result(id_, outputs.format(number)))]
    return [*messages, asks(text("ok"))]


# What each transcript is told to come from, and by whom; None where no product can be told.
TOLD: list[tuple[str, str | None, str, Messages]] = [
    ("id.sanitised_on_one_side", "Roo Code 3.40", "result.", mismatch("functions_read_0", "functions.read:0")),
    ("id.sanitised_on_one_side", None, "result.", mismatch("functions.read:0", "functions_read_0")),
    ("id.truncated_md5", "Roo Code", "result.", mismatch(LONG, f"{LONG[:55]}_{digest('md5', LONG)}")),
    ("id.truncated_sha256", "LiteLLM", "result.", mismatch(LONG, f"{LONG[:55]}_{digest('sha256', LONG)}")),
    ("id.hashed_alphanumeric", "OpenClaw", "result.", mismatch("call_0", f"call0{digest('sha1', 'call_0')}")),
    ("id.hashed_alphanumeric", "OpenClaw", "result.", mismatch("call_0", f"call0{digest('sha256', 'call_0')}")),
    ("id.cut_on_one_side", "pi", "result.", mismatch(LONG, LONG[:40])),
    ("id.cut_on_one_side", "pi", "result.", mismatch(LONG, LONG[:64])),
    ("id.cut_on_one_side", "OpenClaw", "result.", mismatch(LONG, LONG.replace("_", "")[:40])),
    ("id.call_item", None, "result.", mismatch("call_abc", "call_abc|fc_def")),
    ("id.thought", "LiteLLM", "result.", mismatch("call_abc__thought__c2ln", "call_abc")),
    ("id.case_or_space", None, "result.", mismatch("Toolu_A", " toolu_a")),
    ("id.prefix", None, "result.", mismatch("toolu_vrtx_01Ab", "01Ab")),
    ("id.rewritten", None, "result.", mismatch("toolu_01Ab", "call_" + "q" * 24)),
    ("id.only_candidate", None, "result.", mismatch("one", "another")),
    ("id.slip", None, "result.", mismatch("toolu_01SRQUvGSTki9bs4Tbbkrc55", "toolu_01SRQUvGSTki9bs4TbbkXc55")),
    ("id.left_out", None, "result.", mismatch("toolu_1", "")),
    ("id.several", None, "result.", parallel(result("a", "one"), result("b", "two"))),
    (
        "id.collision", "Roo Code", "result.",
        [user(), asks(call("a_b", path="1")), user(result("a.b", "one"), result("a:b", "two")), asks(text("ok"))],
    ),
    ("provider_switch", None, "id.", [*mismatch("functions.read:0", "functions.read:0"), *parallel(
        result("toolu_1", "one"), result("toolu_2", "two"))]),
    ("id.characters", None, "id.", mismatch("a.b", "a.b")),
    ("id.empty", None, "id.", mismatch("", "")),
    ("id.counter_restarts", "Kimi", "call.", counted("ls", "pwd", id_="functions.shell:0")),
    ("id.counter_restarts", "DeepSeek", "call.", counted("ls", "pwd", id_="call_00_aBcDeFgHiJkLmNo")),
    ("id.counter_restarts", None, "call.", counted("ls", "pwd", "id")),
    ("id.counter_restarts", None, "call.", counted("ls", "pwd", id_="memory_store:6")),
    ("id.shared", None, "call.", counted("ls", "pwd", id_="toolu_same")),
    ("call.repeated", None, "call.", [user(), asks(call("toolu_a", path="x")), *counted("ls", id_="toolu_a")[:1], asks(
        call("toolu_a", path="x")), user(result("toolu_a", "out")), asks(text("ok"))]),
    ("call.written_twice", None, "call.", [user(), asks(call("toolu_1", path="a"), call("toolu_1", path="a")), user(
        result("toolu_1", "out")), asks(text("ok"))]),
    ("fork", None, "call.", copies(0, 3)[:-1] + copies(0, 3)[1:]),
    ("duplicate.on_resume", "Gemini CLI", "result.", copies(4, 0)),
    ("duplicate.same", None, "result.", copies(1, 3)),
    ("duplicate.placeholder", "OpenClaw", "result.", parallel(
        result("toolu_1", OPENCLAW), result("toolu_2", "two"), result("toolu_1", "one"))),
    ("duplicate.differ", None, "result.", parallel(
        result("toolu_1", "one"), result("toolu_2", "two"), result("toolu_1", "eins"))),
    ("interrupted", "Claude Code", "result.", [user(), asks(call("toolu_1", path="a")), user(
        text("[Request interrupted by user for tool use]")), asks(text("ok"))]),
    ("interrupted", "Codex", "result.", [user(), asks(call("toolu_1", path="a")), user(
        text("<turn_aborted>\nThe user stopped the turn.")), asks(text("ok"))]),
    ("killed", None, "turn.", [user(), asks(call("toolu_1", path="a"))]),
    ("killed.parallel", None, "result.", parallel(result("toolu_1", "one"), then=None)),
    ("parallel", None, "result.", parallel(result("toolu_1", "one"))),
    ("rejected", None, "result.", parallel(result("toolu_1", "User rejected tool use"))),
    ("prompt_follows", None, "result.", [user(), asks(call("toolu_1", path="a")), user(), asks(text("ok"))]),
    ("result_before_call", None, "result.", [user(), asks(text("a")), user(
        result("toolu_1", "early")), asks(call("toolu_1", path="a")), user(), asks(text("ok"))]),
    ("trimmed", None, "result.", [user(result("toolu_1", "out"), text("and now?")), asks(text("ok"))]),
    ("call_lost", None, "result.", [user(), asks(text("ok")), user(result("toolu_1", "out")), asks(text("ok"))]),
    ("late.behind_user", None, "result.not_adjacent", [user(), asks(call("toolu_1", path="a")), user(
        text("and quickly")), user(result("toolu_1", "out")), asks(text("ok"))]),
    ("late.behind_turn", None, "result.not_adjacent", [user(), asks(call("toolu_1", path="a")), user(), asks(
        text("hm")), user(result("toolu_1", "out")), asks(text("ok"))]),
    ("split", None, "result.", [*parallel(result("toolu_1", "one"), then=None), user(result("toolu_2", "two")), asks(
        text("ok"))]),
    ("text_before_result", None, "result.", parallel(text("here"), result("toolu_1", "one"), result("toolu_2", "two"))),
    ("completion_order", None, "result.", parallel(result("toolu_2", "two"), result("toolu_1", "one"))),
    ("crossed", None, "result.", parallel(result("toolu_1", "src/2: two"), result("toolu_2", "src/1: one"))),
]  # fmt: skip


@each(("cause", "product", "rule", "messages"), TOLD)
def test_the_transcript_shows_why_it_broke(cause: str, product: str | None, rule: str, messages: Messages) -> None:
    session = opened(messages, "anthropic")
    found = {one.id: one for one in causes(session, rule)}
    assert cause in found
    told = found[cause].product
    assert (told is None) if product is None else (told is not None and told.startswith(product))
    assert found[cause].text == cause_page(cause).text  # type: ignore[union-attr]


# Transcripts that look like a cause and lack its evidence.
NOT_TOLD: list[tuple[str, str, Messages]] = [
    ("id.truncated_md5", "a hash of something else", mismatch(LONG, f"{LONG[:55]}_{digest('md5', 'other')}")),
    ("id.truncated_sha256", "a hash of something else", mismatch(LONG, f"{LONG[:55]}_{digest('sha256', 'other')}")),
    ("id.hashed_alphanumeric", "no hash", mismatch("call_0", "call0deadbeef")),
    ("id.cut_on_one_side", "cut at no known length", mismatch(LONG, LONG[:50])),
    ("id.rewritten", "ids of one shape", mismatch("toolu_01Ab", "toolu_01Cd")),
    ("id.collision", "a call of each spelling", [user(), asks(call("a_b", path="1"), call("a.b", path="2")), user(
        result("a_b", "one"), result("a.b", "two")), asks(text("ok"))]),
    ("provider_switch", "a shape that is nobody's", mismatch("a.b:c", "a.b:c")),
    ("id.counter_restarts", "no counter", counted("ls", "pwd", id_="toolu_same")),
    ("call.repeated", "other inputs", counted("ls", "pwd", id_="toolu_same")),
    ("call.written_twice", "other inputs", [user(), asks(call("toolu_1", path="a"), call("toolu_1", path="b")), user(
        result("toolu_1", "out")), asks(text("ok"))]),
    ("fork", "other outputs", copies(0, 2)[:-1] + counted("x", "y", id_="toolu_0")[1:]),
    ("duplicate.on_resume", "one pair of four", copies(1, 3)),
    ("duplicate.on_resume", "only two pairs at all", copies(2, 0)),
    ("duplicate.on_resume", "three pairs of eight", copies(3, 5)),
    ("duplicate.placeholder", "a report that quotes one", parallel(
        result("toolu_1", f"The log says {OPENCLAW}"), result("toolu_2", "two"), result("toolu_1", "one"))),
    ("interrupted", "the assistant's own words", [user(), asks(call("toolu_1", path="a")), asks(
        text("Operation cancelled, I think")), user()]),
    ("interrupted", "no note of it", [user(), asks(call("toolu_1", path="a")), user(
        text("Why was the Request interrupted by user?")), asks(text("ok"))]),
    ("killed", "the conversation went on", [user(), asks(call("toolu_1", path="a")), user(), asks(text("ok"))]),
    ("killed.parallel", "the agent went on without a word", [user(), asks(
        call("toolu_1", path="a"), call("toolu_2", path="b")), user(result("toolu_1", "one")), asks(
        call("toolu_3", path="c")), user(result("toolu_3", "three"))]),
    ("parallel", "nothing of the turn was answered", parallel()),
    ("rejected", "an output that speaks of it", parallel(result("toolu_1", "grep: User rejected tool use"))),
    ("trimmed", "more stands before it", [user(), asks(text("a")), user(result("toolu_1", "out")), asks(text("ok"))]),
    ("completion_order", "the calls' order", parallel(result("toolu_1", "one"), result("toolu_2", "two"))),
]  # fmt: skip


@each(("cause", "why", "messages"), NOT_TOLD)
def test_without_the_evidence_the_cause_is_not_named(cause: str, why: str, messages: Messages) -> None:
    assert cause not in ids(opened(messages, "anthropic")), why


def test_the_evidence_names_ids_counts_and_places() -> None:
    [one] = causes(opened(mismatch("functions_read_0", "functions.read:0")), "result.id_mismatch")
    assert "`functions_read_0`" in one.evidence
    assert "`functions.read:0`" in one.evidence
    assert one.link == "https://github.com/RooCodeInc/Roo-Code/pull/11131"
    doubled = causes(opened(copies(4, 1)), "result.duplicate")
    assert {cause.evidence for cause in doubled} == {"4 of 5 answered calls have the same result more than once"}
    placeholder = causes(
        opened(parallel(result("toolu_1", "one"), result("toolu_2", "2"), result("toolu_1", OPENCLAW)))
    )
    assert any(cause.evidence == "the second of 2 is a placeholder (OpenClaw's text)" for cause in placeholder)
    switched = next(messages for id_, _, _, messages in TOLD if id_ == "provider_switch")
    [mixed] = causes(opened(switched, "anthropic"), "id.pattern")
    assert "like Kimi's, such as" in mixed.evidence
    assert "next to 2 of Anthropic's" in mixed.evidence


def test_a_mistral_switch_is_one_decision_of_two_makers() -> None:
    messages = [*mismatch("functions.read:0", "functions.read:0"), *mismatch("toolu_01Abc", "toolu_01Abc")]
    session = opened([*messages, *mismatch("D681PevKs", "D681PevKs")], "mistral")
    [group] = [group for group in session.conversation.groups if group.rule == "id.pattern"]
    assert group.cause is not None
    assert group.cause.id == "provider_switch"
    assert len(group.problems) == 2
    session.stage_group(group)
    assert not [problem for problem in session.problems if problem.rule.startswith("id.")]


def test_joined_ids_that_are_too_long_are_told_apart_from_long_ones() -> None:
    joined = f"call_{'a' * 24}|fc_{'b' * 48}"
    assert ids(opened(mismatch(joined, joined), "openai-responses"), "id.length") <= {"id.call_item_long"}
    chat = [
        {"role": "user", "content": "go"},
        {"role": "assistant", "content": None, "tool_calls": [
            {"id": joined, "type": "function", "function": {"name": "read", "arguments": "{}"}}]},
        {"role": "tool", "tool_call_id": joined, "content": "out"},
    ]  # fmt: skip
    [cause] = causes(opened(chat, "openai-chat"), "id.length")
    assert cause.id == "id.call_item_long"
    assert cause.evidence == "29 and 51 characters, joined by `|`"
    chat[1]["tool_calls"][0]["id"] = chat[2]["tool_call_id"] = "x" * 80  # type: ignore[index]
    assert ids(opened(chat, "openai-chat"), "id.length") == {"id.too_long"}


def test_forty_problems_of_one_cause_are_one_group_and_one_decision() -> None:
    messages = [user()]
    for number in range(40):
        messages += [
            asks(call(f"functions_read_{number}", path=f"{number}")),
            user(result(f"functions.read:{number}", "out")),
        ]
    session = opened([*messages, asks(text("ok"))])
    [group] = [group for group in session.conversation.groups if group.rule == "result.id_mismatch"]
    assert len(group.problems) == group.certain == 40
    assert len({problem.cause.evidence for problem in group.problems if problem.cause}) == 40
    session.stage_group(group)
    assert not [problem for problem in session.problems if problem.severity == "error"]


def test_two_causes_of_one_rule_are_two_decisions() -> None:
    one, other = mismatch("functions_read_0", "functions.read:0"), mismatch(LONG, f"{LONG[:55]}_{digest('md5', LONG)}")
    groups = [group for group in opened([*one, *other]).conversation.groups if group.rule == "result.id_mismatch"]
    assert sorted(group.cause.id for group in groups if group.cause is not None) == [
        "id.sanitised_on_one_side",
        "id.truncated_md5",
    ]


def test_a_group_names_a_product_only_where_all_its_problems_do() -> None:
    both = [*mismatch("functions_read_0", "functions.read:0"), *mismatch("functions.list:1", "functions_list_1")]
    [group] = [group for group in opened(both).conversation.groups if group.rule == "result.id_mismatch"]
    assert len(group.problems) == 2
    assert group.cause is not None
    assert group.cause.product is None


def test_a_branch_and_a_compaction_are_told_by_where_the_other_half_stands() -> None:
    alone = opened([user(), asks(call("toolu_1", path="a")), user(), asks(text("ok"))]).conversation.transcript
    beside = Block("result", result("toolu_1", "out"), 99, id="toolu_1")
    assert ids_of(replace(alone, inactive_blocks=(beside,)), "result.missing") == {"rewind.result"}
    assert ids_of(alone, "result.missing") == {"prompt_follows"}
    orphan = opened([user(), asks(text("a")), user(result("toolu_1", "out")), asks(text("ok"))]).conversation.transcript
    lost = Block("call", call("toolu_1", path="a"), 99, id="toolu_1", name="Read")
    assert ids_of(replace(orphan, inactive_blocks=(lost,)), "result.orphan") == {"rewind"}
    compacted = (Boundary(1, "replaced by a summary (normal)"),)
    assert ids_of(replace(orphan, inactive_blocks=(lost,), boundaries=compacted), "result.orphan") == {
        "compaction.kept_result"
    }
    cut = opened([user(result("toolu_1", "out")), asks(text("ok"))]).conversation.transcript
    lost_link = Cut("chain.missing_parent", 1, 1)
    assert ids_of(replace(cut, boundaries=(Boundary(0, "lost", cut=lost_link),)), "result.orphan") == {"history_cut"}
    between = (Boundary(2, "replaced by a summary (normal)"),)
    [stopped] = causes_of(replace(alone, boundaries=between, agent="Claude Code"), "result.missing")
    assert (stopped.id, stopped.product) == ("compaction", "Claude Code")
    assert stopped.link == "https://github.com/anthropics/claude-code/issues/8484"
    torn = (Boundary(2, "lost", cut=lost_link),)
    assert ids_of(replace(alone, boundaries=torn), "result.missing") == {"history_cut.result"}
    [unknown] = causes_of(replace(alone, boundaries=between), "result.missing")
    assert (unknown.id, unknown.product) == ("compaction", None)


def test_what_a_summary_kept_of_a_pair_is_told_with_the_agent() -> None:
    summary = [
        {"role": "user", "content": "go", "ts": 1},
        {"role": "assistant", "content": [call("toolu_1", path="a")], "ts": 2},
        {"role": "user", "isSummary": True, "content": "so far …", "ts": 3},
        {"role": "user", "content": [result("toolu_9", "out")], "ts": 4},
        {"role": "assistant", "content": [text("ok")], "ts": 5},
    ]
    [cause] = causes(open_session("api_conversation_history.json", data=json.dumps(summary).encode()), "result.orphan")
    assert cause.id == "compaction.kept_result"
    assert cause.product == "Roo Code"


def test_rising_timestamps_are_evidence_of_the_order_of_completion() -> None:
    def chat(first: str, second: str) -> Messages:
        calls = [{"id": id_, "type": "function", "function": {"name": "r", "arguments": "{}"}} for id_ in ("a", "b")]
        return [
            {"role": "user", "content": "go"},
            {"role": "assistant", "content": None, "tool_calls": calls},
            {"role": "tool", "tool_call_id": "b", "content": "two", "timestamp": first},
            {"role": "tool", "tool_call_id": "a", "content": "one", "timestamp": second},
        ]

    [risen] = causes(opened(chat("08:00", "08:01"), "openai-chat"), "result.order")
    [fallen] = causes(opened(chat("08:01", "08:00"), "openai-chat"), "result.order")
    assert risen.evidence.endswith("came 2, 1, and their timestamps rise")
    assert fallen.evidence.endswith("came 2, 1")


def crossed(session: Session) -> list[Problem]:
    return [problem for problem in session.problems if problem.rule == "result.crossed"]


def test_exchanged_outputs_are_a_hint_and_swapped_only_on_request() -> None:
    session = opened(
        parallel(result("toolu_1", "File: src/2\ntwo"), result("toolu_2", "File: src/1\none")), "anthropic"
    )
    [problem] = crossed(session)
    assert (problem.severity, problem.recommended, problem.guess) == ("warning", None, True)
    session.stage_recommended()
    session.stage_recommended()
    assert crossed(session)
    session.stage(problem, problem.fixes[0])
    assert not crossed(session)
    answered = {str(pair.call.id): pair.result.text for pair in session.conversation.pairs if pair.call and pair.result}
    assert answered == {"toolu_1": "File: src/1\none", "toolu_2": "File: src/2\ntwo"}


@each(
    ("first", "second"),
    [
        ("File: src/1\none", "File: src/2\ntwo"),
        ("File: src/2\ntwo", "a file of words"),
        ("File: src/2\nas src/1 says", "File: src/1\none"),
        ("one line\nand src/2 in the next", "one line\nand src/1 in the next"),
        ("words that speak at length of src/2", "words that speak at length of src/1"),
        ("File: src/21", "File: src/12"),
    ],
)
def test_outputs_that_mention_each_other_are_no_hint(first: str, second: str) -> None:
    assert not crossed(opened(parallel(result("toolu_1", first), result("toolu_2", second)), "anthropic"))


def test_the_tools_named_beside_results_tell_that_they_are_exchanged() -> None:
    def chat(first: str, second: str) -> Session:
        names = (("a", "read"), ("b", "list"))
        calls = [{"id": id_, "type": "function", "function": {"name": n, "arguments": "{}"}} for id_, n in names]
        return opened(
            [
                {"role": "user", "content": "go"},
                {"role": "assistant", "content": None, "tool_calls": calls},
                {"role": "tool", "tool_call_id": "a", "name": first, "content": "one"},
                {"role": "tool", "tool_call_id": "b", "name": second, "content": "two"},
            ],
            "openai-chat",
        )

    assert crossed(chat("list", "read"))
    assert not crossed(chat("read", "list"))
    assert not crossed(chat("list", "list"))


def test_an_agents_own_link_overrules_what_outputs_say() -> None:
    def log(first: str, second: str) -> Session:
        made = Log()
        made.user("u1", "go")
        made.says("a1", "m1", log_call("toolu_A"))
        made.says("a2", "m1", log_call("toolu_B"))
        made.result("r1", "a1", first, "echo toolu_B: b")
        made.result("r2", "a2", second, "echo toolu_A: a")
        made.says("a3", "m2", log_text("ok"))
        return lines(made)

    assert not crossed(log("toolu_A", "toolu_B"))
    [problem] = crossed(log("toolu_B", "toolu_A"))
    assert problem.cause is not None
    assert problem.cause.evidence == "the link stored with each result names the other call"


def test_every_spelling_that_pairs_has_its_cause() -> None:
    for reason, _ in SPELLINGS:
        call_block, result_block = (Block(kind, {}, 0, id="a") for kind in ("call", "result"))  # type: ignore[arg-type]
        pair = Pair(0, call_block, (0, 0), (result_block,), ((1, 0),), "spelling", reason)
        assert cause_page(of_mismatch(pair).id) is not None


def test_no_other_product_is_named_than_the_agent_that_wrote_the_session() -> None:
    call_block, result_block = (
        Block("call", {}, 0, id="functions_read_0"),
        Block("result", {}, 1, id="functions.read:0"),
    )
    pair = Pair(0, call_block, (0, 0), (result_block,), ((1, 0),), "spelling", "sanitised")
    products = [of_mismatch(pair, agent).product for agent in (None, "Roo Code", "Claude Code")]
    assert products == ["Roo Code 3.40 to 3.46.0", "Roo Code 3.40 to 3.46.0", None]
    proxied = Pair(0, Block("call", {}, 0, id=LONG), (0, 0), (result_block,), ((1, 0),), "spelling", "truncated_sha256")
    told = of_mismatch(proxied, "Claude Code")
    assert told.product is not None
    assert told.product.startswith("LiteLLM")


def test_two_long_ids_that_begin_alike_are_two_ids() -> None:
    tool = "functions.mcp__filesystem__read_multiple_files"
    session = opened(mismatch(f"{tool}:12", f"{tool}:7"), "moonshot")
    assert "id.cut_on_one_side" not in ids(session)
    assert all(pair.evidence not in ("spelling",) for pair in session.conversation.pairs)


@pytest.mark.parametrize("id_", [None, 7, [], {}, ["a"], {"a": 1}, "", "\ud800", "a" * 100_000, "call_" * 5000])
def test_odd_ids_have_a_cause_or_none_and_never_a_fault(id_: Any) -> None:
    shapes = [
        [user(), asks(call(id_, path="a")), user(), asks(text("ok"))],
        [user(), asks(call(id_, path="a"), call(id_, path="b")), user(result(id_, "x"), result(id_, "x")), user()],
        [user(), asks(text("a")), user(result(id_, "x")), asks(call("toolu_1", path="a"))],
        [user(), asks(call("toolu_1", path="a")), user(result(id_, "x")), asks(text("ok"))],
    ]
    for messages in shapes:
        for judged_as in ("anthropic", "mistral", "openai-chat"):
            assert opened(messages, judged_as).problems


def test_every_cause_can_be_explained() -> None:
    for id_ in cause_ids():
        page = cause_page(id_)
        assert page is not None
        assert page.text and page.about.endswith(".")
        assert not page.text.endswith(".")
        for writer in page.writers:
            assert writer.link is None or writer.link.startswith("https://github.com/")
    assert cause_page("nothing.of_the_kind") is None


@pytest.mark.parametrize("kind", some(["counters", "doubled", "orphans", "missing", "collisions", "one turn"], 3))
def test_causes_cost_no_more_than_the_session_is_long(kind: str) -> None:
    def made(size: int) -> Messages:
        if kind == "one turn":
            calls = asks(*(call(f"toolu_{n}", path=f"{n}") for n in range(size)))
            return [user(), calls, user(*(result(f"toolu_{n}", "out") for n in range(0, size, 2))), asks(text("ok"))]
        messages = [user()]
        for n in range(size):
            id_ = {"counters": "Bash:0", "collisions": f"a_{n}"}.get(kind, f"toolu_{n}")
            out = result(id_, "same" if kind == "counters" else f"{n}")
            answers = {
                "doubled": [out, out],
                "orphans": [out, result(f"lost_{n}", "x")],
                "missing": [text("go on")],
                "collisions": [result(f"a.{n}", "one"), result(f"a:{n}", "two")],
            }.get(kind, [out])
            messages += [asks(call(id_, path=f"{n}")), user(*answers)]
        return messages

    small, large = (work_of(lambda size=size: opened(made(size)).problems) for size in (20, 80))
    assert large < 5.5 * small
