#!/usr/bin/env python3
"""Writes the sample sessions of this directory, and those that `toolpair demo` opens: `python sample_sessions/make.py`.

With a directory, `make.py DIRECTORY`, they are written there alone.

Each file tells one real story of a little shop project. The output is the same on every run;
`tests/test_samples.py` holds the committed files to it.
"""

from __future__ import annotations

import json
import sqlite3
import sys
import uuid
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

Json = dict[str, Any]

CART = """\
from decimal import Decimal

from shop.prices import price_of


class Cart:
    def __init__(self) -> None:
        self.lines: dict[str, int] = {}

    def add(self, article: str, count: int = 1) -> None:
        self.lines[article] = self.lines.get(article, 0) + count

    def total(self) -> Decimal:
        return sum(price_of(article) * count for article, count in self.lines.items())
"""
PRICES = """\
from decimal import Decimal

PRICES = {"tea": Decimal("4.20"), "coffee": Decimal("7.90"), "mug": Decimal("12.00")}


def price_of(article: str) -> Decimal:
    return PRICES[article]
"""
ORDERS = """\
from shop.cart import Cart


def place_order(cart: Cart, customer: str) -> str:
    if not cart.lines:
        raise ValueError("the cart is empty")
    return f"{customer}: {cart.total()} EUR"
"""
PATCH = """\
*** Begin Patch
*** Update File: src/shop/cart.py
@@
-        return sum(price_of(article) * count for article, count in self.lines.items())
+        return sum((price_of(article) * count for article, count in self.lines.items()), Decimal("0.00"))
*** End Patch
"""
TESTS_FAIL = """\
..F.                                                                     [100%]
=================================== FAILURES ===================================
_____________________________ test_total_of_empty ______________________________

    def test_total_of_empty() -> None:
>       assert Cart().total() == Decimal("0.00")
E       AssertionError: assert 0 == Decimal('0.00')
E        +  where 0 = total()

tests/test_cart.py:14: AssertionError
1 failed, 3 passed in 0.06s"""
TESTS_PASS = """\
....                                                                     [100%]
4 passed in 0.05s"""
EDITED = "The file src/shop/cart.py has been updated."


# --- the pieces of an Anthropic message ----------------------------------------------------------


def text(words: str) -> Json:
    return {"type": "text", "text": words}


def call(id: str, name: str, **arguments: Any) -> Json:
    return {"type": "tool_use", "id": id, "name": name, "input": arguments}


def result(id: str, content: Any, **more: Any) -> Json:
    return {"type": "tool_result", "tool_use_id": id, "content": content, **more}


def user(*blocks: Json | str) -> Json:
    return _message("user", blocks)


def assistant(*blocks: Json | str) -> Json:
    return _message("assistant", blocks)


def _message(role: str, blocks: tuple[Json | str, ...]) -> Json:
    if len(blocks) == 1 and isinstance(blocks[0], str):
        return {"role": role, "content": blocks[0]}
    return {"role": role, "content": [text(block) if isinstance(block, str) else block for block in blocks]}


def request(messages: list[Json]) -> Json:
    """A whole request body, as a proxy logs it."""
    return {
        "model": "claude-sonnet-4-5",
        "max_tokens": 8192,
        "system": "You help with the code of a little shop.",
        "messages": messages,
        "tools": [
            {"name": name, "description": what, "input_schema": {"type": "object"}}
            for name, what in (
                ("read_file", "Read a file."),
                ("edit_file", "Change a file."),
                ("run", "Run a command."),
            )
        ],
    }


def pretty(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, indent=2) + "\n"


def compact(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


# --- the stories ---------------------------------------------------------------------------------


def as_lines(records: Iterable[Any]) -> str:
    return "".join(compact(record) + "\n" for record in records)


def valid() -> str:
    return pretty(
        request(
            [
                user("The total of an empty cart is 0 and not 0.00. Please mend it."),
                assistant(
                    "I look at the cart and at its tests.",
                    call("toolu_01Va1id0Read", "read_file", path="src/shop/cart.py"),
                ),
                user(result("toolu_01Va1id0Read", CART)),
                assistant(
                    call(
                        "toolu_01Va1id0Edit",
                        "edit_file",
                        path="src/shop/cart.py",
                        old="return sum(",
                        new="return sum((",
                    )
                ),
                user(result("toolu_01Va1id0Edit", EDITED)),
                assistant(call("toolu_01Va1id0Test", "run", command="pytest -q")),
                user(result("toolu_01Va1id0Test", [text(TESTS_PASS)]), "Thank you. Now the orders, please."),
            ]
        )
    )


def sanitised_on_one_side() -> str:
    """Roo Code cleaned the ids of the calls that it stored, but not those of the results."""
    steps: list[tuple[str, str, Json, str]] = [
        ("I read the cart first.", "read_file", {"path": "src/shop/cart.py"}, CART),
        ("Now the prices.", "read_file", {"path": "src/shop/prices.py"}, PRICES),
        ("And the orders.", "read_file", {"path": "src/shop/orders.py"}, ORDERS),
        ("Let me run the tests.", "execute_command", {"command": "pytest -q"}, TESTS_FAIL),
    ]
    clock = 1769421600000
    messages: list[Json] = [user(text("<task>\nThe total of an empty cart should be 0.00.\n</task>")) | {"ts": clock}]
    for number, (words, tool, arguments, output) in enumerate(steps):
        messages.append(assistant(words, call(f"functions_{tool}_{number}", tool, **arguments)) | {"ts": clock + 4000})
        answer = result(f"functions.{tool}:{number}", output)
        environment = text(f"<environment_details>\n# Current Mode\ncode\n# Step {number + 1}\n</environment_details>")
        messages.append(user(answer, environment) | {"ts": clock + 6000})
        clock += 9000
    return compact(messages)


def interrupted_call() -> str:
    """Esc was pressed while the tests ran; the next prompt follows the call without a result."""
    return pretty(
        [
            user("Run all tests, then mend what fails."),
            assistant("I start with the cart.", call("toolu_01Stop0Read", "read_file", path="src/shop/cart.py")),
            user(result("toolu_01Stop0Read", CART)),
            assistant("Now the whole suite.", call("toolu_01Stop0Run", "run", command="pytest -q --slow")),
            user("That takes for ever. Run the tests of the cart alone."),
            assistant(call("toolu_01Stop0Cart", "run", command="pytest -q tests/test_cart.py")),
            user(result("toolu_01Stop0Cart", TESTS_FAIL)),
        ]
    )


def parallel_swapped() -> str:
    """Three calls at once; the results came as they were ready, each in a message of its own."""
    a, b, c = "toolu_01Para0Cart", "toolu_01Para0Prices", "toolu_01Para0Tests"
    d, e = "toolu_01Para0Lint", "toolu_01Para0Types"
    return pretty(
        [
            user("Read the cart and the prices and run the tests, all at once."),
            assistant(
                "All three together.",
                call(a, "read_file", path="src/shop/cart.py"),
                call(b, "read_file", path="src/shop/prices.py"),
                call(c, "run", command="pytest -q"),
            ),
            user(result(b, PRICES), result(a, CART)),
            user(result(c, TESTS_FAIL)),
            assistant("Now the checkers.", call(d, "run", command="ruff check"), call(e, "run", command="mypy")),
            user(result(e, "Success: no issues found in 4 source files"), result(d, "All checks passed!")),
        ]
    )


def compaction_cut() -> str:
    """The history was cut in front of a result: its call went into the summary."""
    return pretty(
        [
            user(
                result("toolu_01Cut0Tests", TESTS_FAIL),
                "Summary of what came before: the cart and the prices were read; the tests had just been started.",
            ),
            assistant(
                "One test fails: the empty cart. I read it.",
                call("toolu_01Cut0Read", "read_file", path="src/shop/cart.py"),
            ),
            user(result("toolu_01Cut0Read", CART)),
        ]
    )


def duplicate_after_resume() -> str:
    """A resumed session sent one result twice, and for another call a placeholder beside the real output."""
    return pretty(
        [
            user("Why is the total wrong?"),
            assistant(call("toolu_01Twice0Read", "read_file", path="src/shop/prices.py")),
            user(result("toolu_01Twice0Read", PRICES), result("toolu_01Twice0Read", PRICES)),
            assistant("The prices are right. I run the tests.", call("toolu_01Twice0Run", "run", command="pytest -q")),
            user(
                result("toolu_01Twice0Run", "Tool execution was interrupted before completion."),
                result("toolu_01Twice0Run", TESTS_FAIL),
                "Go on.",
            ),
        ]
    )


def reused_ids() -> str:
    """A gateway that calls every call `call_0`. The chat API takes it as long as each call is answered; one is not."""
    return pretty(
        [
            {"role": "system", "content": "You help with the code of a little shop."},
            {"role": "user", "content": "Read the cart, then the prices, then run the tests."},
            *_chat_turn("call_0", "read_file", {"path": "src/shop/cart.py"}, CART),
            *_chat_turn("call_0", "read_file", {"path": "src/shop/prices.py"}, PRICES),
            *_chat_turn("call_0", "run", {"command": "pytest -q"}, None),
            {"role": "user", "content": "Well? Do the tests pass?"},
            *_chat_turn("call_0", "run", {"command": "pytest -q -x"}, TESTS_FAIL),
        ]
    )


def reused_ids_anthropic() -> str:
    """The same gateway behind the Messages API, which wants every id once."""
    return pretty(
        [
            user("Read the cart, then the prices, then run the tests."),
            assistant(call("call_0", "read_file", path="src/shop/cart.py")),
            user(result("call_0", CART)),
            assistant(call("call_0", "read_file", path="src/shop/prices.py")),
            user(result("call_0", PRICES)),
            assistant(call("call_0", "run", command="pytest -q")),
            user(result("call_0", TESTS_FAIL)),
        ]
    )


def orphan_after_rewind() -> str:
    """The user went back to a checkpoint; the message with the call was taken out, the one with its result was not."""
    return pretty(
        [
            user("Add a discount code to the cart."),
            assistant("I read the cart.", call("toolu_01Back0Read", "read_file", path="src/shop/cart.py")),
            user(result("toolu_01Back0Read", CART)),
            assistant("I would add a field `discount` to the cart."),
            user(result("toolu_01Back0Edit", EDITED), "No, keep the cart as it was. Put the discount into the order."),
            assistant("I read the orders.", call("toolu_01Back0Orders", "read_file", path="src/shop/orders.py")),
            user(result("toolu_01Back0Orders", ORDERS)),
        ]
    )


def text_before_result() -> str:
    """A reminder was put in front of the results, and then the API does not see them."""
    return pretty(
        request(
            [
                user("Which article costs most?"),
                assistant(call("toolu_01Text0Read", "read_file", path="src/shop/prices.py")),
                user("<reminder>Answer in one sentence.</reminder>", result("toolu_01Text0Read", PRICES)),
                assistant("The mug, at 12.00 EUR."),
                user("And does the cart know it?"),
            ]
        )
    )


def _chat_turn(id: str, name: str, arguments: Json, output: str | None) -> Iterator[Json]:
    yield {
        "role": "assistant",
        "content": None,
        "tool_calls": [{"id": id, "type": "function", "function": {"name": name, "arguments": json.dumps(arguments)}}],
    }
    if output is not None:
        yield {"role": "tool", "tool_call_id": id, "content": output}


def openai_chat_missing() -> str:
    """Two calls at once, the process ended after the first answer."""
    calls = [
        ("call_h3Rb2cart", "read_file", {"path": "src/shop/cart.py"}),
        ("call_h3Rb2test", "run", {"command": "pytest -q"}),
    ]
    return pretty(
        {
            "model": "gpt-4.1",
            "messages": [
                {"role": "system", "content": "You help with the code of a little shop."},
                {"role": "user", "content": "Read the cart and run the tests."},
                {
                    "role": "assistant",
                    "content": None,
                    "tool_calls": [
                        {"id": id, "type": "function", "function": {"name": name, "arguments": json.dumps(arguments)}}
                        for id, name, arguments in calls
                    ],
                },
                {"role": "tool", "tool_call_id": "call_h3Rb2cart", "content": CART},
                {"role": "user", "content": "Are you still there?"},
            ],
        }
    )


def responses_request() -> str:
    """A request of the Responses API: another provider's id was put on a call, and the program ended during a run."""
    return pretty(
        {
            "model": "gpt-5",
            "store": False,
            "input": [
                {"role": "developer", "content": "You help with the code of a little shop."},
                {"role": "user", "content": [{"type": "input_text", "text": "Read the cart and run the tests."}]},
                {"type": "reasoning", "id": "rs_01Shop", "summary": [], "encrypted_content": "Z0FBQUFB"},
                {
                    "type": "function_call",
                    "id": "toolu_01Cart",
                    "call_id": "call_cart",
                    "name": "read_file",
                    "arguments": '{"path": "src/shop/cart.py"}',
                },
                {"type": "function_call_output", "call_id": "call_cart", "output": CART},
                {
                    "type": "function_call",
                    "id": "fc_01Test",
                    "call_id": "call_test",
                    "name": "run",
                    "arguments": '{"command": "pytest -q"}',
                },
                {"role": "user", "content": [{"type": "input_text", "text": "Are you still there?"}]},
            ],
        }
    )


def request_log() -> str:
    """What a proxy logged: one request a line, each with the history so far. From the third on it is refused."""
    read, run = "toolu_01Log0Read", "toolu_01Log0Run"
    history = [
        user("Do the tests pass?"),
        assistant(call(read, "read_file", path="src/shop/cart.py"), call(run, "run", command="pytest -q")),
        user(result(read, CART), result(run, TESTS_FAIL)),
    ]
    lost = [*history[:2], user(result(read, CART)), assistant("I only have the cart."), user("Then go on with that.")]
    return "".join(compact(request(messages)) + "\n" for messages in (history[:1], history, lost))


def proxy_log() -> str:
    """Two agents behind one proxy. One cuts its history to the last messages, between a call and its result."""
    clock = datetime(2026, 11, 21, 9, 12, tzinfo=UTC)
    lines: list[str] = []

    def sent(messages: list[Json], status: int = 200) -> None:
        nonlocal clock
        clock += timedelta(seconds=4)
        answer: Json = {"status": status}
        if status != 200:
            said = "messages.0.content.0: unexpected `tool_use_id` found in `tool_result` blocks: toolu_01Proxy0Run. "
            said += "Each `tool_result` block must have a corresponding `tool_use` block in the previous message."
            answer["body"] = {"type": "error", "error": {"type": "invalid_request_error", "message": said}}
        time = clock.strftime("%Y-%m-%dT%H:%M:%S.000Z")
        lines.append(compact({"time": time, "request": request(messages), "response": answer}))

    run, read, edit = "toolu_01Proxy0Run", "toolu_01Proxy0Read", "toolu_01Proxy0Edit"
    prices = "toolu_01Proxy0Prices"
    tests = [user("Make the tests pass."), assistant("I run them.", call(run, "run", command="pytest -q"))]
    tests.append(user(result(run, TESTS_FAIL)))
    asked = [user("Which articles are there?"), assistant(call(prices, "read_file", path="src/shop/prices.py"))]
    asked.append(user(result(prices, PRICES)))
    cart = [assistant(call(read, "read_file", path="src/shop/cart.py")), user(result(read, CART))]
    fixed = [assistant(call(edit, "edit_file", path="src/shop/cart.py")), user(result(edit, EDITED))]
    sent(tests[:1])
    sent(asked[:1])
    sent(tests)
    sent(asked)
    sent([*tests, *cart])
    sent([*tests[2:], *cart, *fixed], 400)
    sent([*asked, assistant("Tea, coffee and a mug."), user("Thanks.")])
    return "\n".join(lines) + "\n"


def python_repr() -> str:
    """What `print(messages)` left in a bug report."""
    messages = [
        user("Which articles are there?"),
        assistant(
            "I look at the prices.", call("toolu_01Repr0Read", "read_file", path="src/shop/prices.py", limit=None)
        ),
        user(result("toolu_01Repr0read", "tea, coffee, mug", is_error=False)),
    ]
    return repr(messages) + "\n"


# --- Claude Code ---------------------------------------------------------------------------------


class ClaudeCode:
    """Writes records as Claude Code does: one per content block, chained by uuid and parentUuid."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.session = self._uuid("session")
        self.clock = datetime(2026, 11, 21, 9, 12, tzinfo=UTC)
        self.count = 0

    def _uuid(self, what: str) -> str:
        return str(uuid.uuid5(uuid.NAMESPACE_URL, f"toolpair:{self.name}:{what}"))

    def record(self, kind: str, parent: Json | None, message: Json, seconds: float, **more: Any) -> Json:
        self.clock += timedelta(seconds=seconds)
        self.count += 1
        return {
            "parentUuid": parent["uuid"] if parent else None,
            "isSidechain": False,
            "type": kind,
            "message": message,
            "uuid": self._uuid(str(self.count)),
            "timestamp": self.clock.strftime("%Y-%m-%dT%H:%M:%S.000Z"),
            **more,
            "userType": "external",
            "entrypoint": "cli",
            "cwd": "/home/dev/shop",
            "sessionId": self.session,
            "version": "2.1.329",
            "gitBranch": "main",
        }

    def says(self, parent: Json | None, words: str) -> Json:
        return self.record("user", parent, {"role": "user", "content": words}, 40)

    def answers(self, parent: Json, response: int, block: Json) -> Json:
        message = {
            "id": f"msg_01Shop{response:04}",
            "type": "message",
            "role": "assistant",
            "model": "claude-sonnet-4-5",
            "content": [block],
            "stop_reason": "tool_use" if block["type"] == "tool_use" else "end_turn",
        }
        return self.record("assistant", parent, message, 7, requestId=f"req_01Shop{response:04}")

    def gives(self, asked: Json, output: str) -> Json:
        asked_block = asked["message"]["content"][0]
        block = {"tool_use_id": asked_block["id"], "type": "tool_result", "content": output, "is_error": False}
        return self.record(
            "user",
            asked,
            {"role": "user", "content": [block]},
            9,
            toolUseResult={"stdout": output, "stderr": "", "interrupted": False},
            sourceToolAssistantUUID=asked["uuid"],
        )

    def last_prompt(self, leaf: Json, words: str) -> Json:
        return {"type": "last-prompt", "lastPrompt": words, "leafUuid": leaf["uuid"], "sessionId": self.session}


def claude_code_branches() -> str:
    """A conversation with a side branch and parallel calls, in which the line with one result was never written."""
    log = ClaudeCode("branches")
    prompt = log.says(None, "The total of an empty cart should be 0.00.")
    intro = log.answers(prompt, 1, text("I read the cart and the prices together."))
    cart = log.answers(
        intro, 1, call("toolu_01Shop00000000000000000001", "Read", file_path="/home/dev/shop/src/shop/cart.py")
    )
    prices = log.answers(
        cart, 1, call("toolu_01Shop00000000000000000002", "Read", file_path="/home/dev/shop/src/shop/prices.py")
    )
    prices_read = log.gives(prices, PRICES)
    cart_read = log.gives(cart, CART)
    plan = log.answers(cart_read, 2, text('`sum` starts with the integer 0. It should start with Decimal("0.00").'))
    wrong = log.says(plan, "Write a new class for it.")
    wrong_call = log.answers(
        wrong, 3, call("toolu_01Shop00000000000000000003", "Bash", command="git checkout -b money")
    )
    wrong_done = log.gives(wrong_call, "Switched to a new branch 'money'")
    wrong_end = log.answers(wrong_done, 4, text("I am on a new branch now."))
    right = log.says(plan, "Just mend it where it is.")
    edit = log.answers(
        right,
        5,
        call(
            "toolu_01Shop00000000000000000004",
            "Edit",
            file_path="/home/dev/shop/src/shop/cart.py",
            old_string="sum(",
            new_string="sum((",
        ),
    )
    lost = log.gives(edit, EDITED)
    tests = log.answers(lost, 6, call("toolu_01Shop00000000000000000005", "Bash", command="pytest -q"))
    tested = log.gives(tests, TESTS_PASS)
    done = log.answers(tested, 7, text("The empty cart costs 0.00 now, and all tests pass."))
    written = [prompt, intro, cart, prices, prices_read, cart_read, plan, wrong, wrong_call, wrong_done, wrong_end]
    written += [right, edit, tests, tested, done]
    lines = [compact(record) for record in written]
    lines.append(compact(log.last_prompt(done, "Just mend it where it is.")))
    return "\n".join(lines) + "\n"


def damaged() -> bytes:
    """Two lines glued into one, a run of NUL bytes, and a last line that was cut when the disk was full."""
    log = ClaudeCode("damaged")
    prompt = log.says(None, "Do the tests pass?")
    run = log.answers(prompt, 1, call("toolu_01Glue00000000000000000001", "Bash", command="pytest -q"))
    ran = log.gives(run, TESTS_FAIL)
    verdict = log.answers(ran, 2, text("One fails: the total of an empty cart."))
    more = log.says(verdict, "Show me the cart.")
    read = log.answers(
        more, 3, call("toolu_01Glue00000000000000000002", "Read", file_path="/home/dev/shop/src/shop/cart.py")
    )
    shown = log.gives(read, CART)
    torn = log.answers(shown, 4, text("`total` sums Decimals from the integer 0 on, so an empty cart costs 0."))
    lines = [
        compact(prompt),
        compact(run) + compact(ran),
        compact(verdict),
        compact(more),
        compact(read),
        compact(shown),
    ]
    head = "\n".join(lines).encode()
    return head + b"\n" + b"\0" * 64 + b"\n" + compact(torn).encode()[:400]


# --- Codex ---------------------------------------------------------------------------------------


class Codex:
    """Writes records as Codex does: numbered, each item of the model and each event on a line of its own."""

    def __init__(self, name: str) -> None:
        self.thread = str(uuid.uuid5(uuid.NAMESPACE_URL, f"toolpair:codex:{name}"))
        self.clock = datetime(2026, 11, 21, 9, 12, tzinfo=UTC)
        self.records: list[Json] = []
        self.record(
            "session_meta",
            id=self.thread,
            timestamp=self.now(),
            cwd="/home/dev/shop",
            originator="codex_cli_rs",
            cli_version="0.169.0",
            source="cli",
            history_mode="paginated",
        )

    def now(self) -> str:
        return self.clock.strftime("%Y-%m-%dT%H:%M:%S.000Z")

    def record(self, kind: str, **payload: Any) -> None:
        self.records.append({"timestamp": self.now(), "ordinal": len(self.records), "type": kind, "payload": payload})
        self.clock += timedelta(seconds=3)

    def item(self, kind: str, **fields: Any) -> None:
        self.record("response_item", type=kind, **fields)

    def turn(self, id: str, words: str) -> None:
        self.record("event_msg", type="task_started", turn_id=id)
        self.record("turn_context", turn_id=id, cwd="/home/dev/shop", model="gpt-5.5")
        self.item("message", role="user", content=[{"type": "input_text", "text": words}])

    def says(self, words: str) -> None:
        self.item("message", role="assistant", content=[{"type": "output_text", "text": words}])

    def runs(self, id: str, command: str) -> None:
        self.item("function_call", name="exec_command", arguments=compact({"cmd": command}), call_id=id)

    def used(self) -> None:
        self.record("token_usage_record", thread_id=self.thread)

    def ran(self, id: str, output: str) -> None:
        done = {
            "type": "CommandExecution",
            "id": id,
            "status": "completed",
            "aggregated_output": output,
            "exit_code": 0,
        }
        done["duration"] = {"secs": 0, "nanos": 41_000_000}
        self.record("event_msg", type="item_completed", thread_id=self.thread, item=done)

    def gives(self, id: str, output: str, kind: str = "function_call_output") -> None:
        text = f"Wall time: 0.0410 seconds\nProcess exited with code 0\nOutput:\n{output}"
        self.item(kind, call_id=id, output=text)


def codex_killed() -> str:
    """Killed while three commands ran: what had finished last is in an event alone; a tool wrote one output wrong."""
    log = Codex("killed")
    log.turn("turn-1", "The total of an empty cart should be 0.00.")
    log.says("I look at the cart, the prices and the tests.")
    log.runs("call_Shop0001", "cat src/shop/cart.py")
    log.runs("call_Shop0002", "pytest --durations=0")
    log.runs("call_Shop0003", "cat src/shop/prices.py")
    log.used()
    log.ran("call_Shop0001", CART)
    log.gives("call_Shop0001", CART)
    log.ran("call_Shop0003", PRICES)
    log.turn("turn-2", "It stopped. Go on.")
    log.item("custom_tool_call", name="apply_patch", input=PATCH, status="completed", call_id="call_Shop0004")
    log.used()
    log.item("function_call_output", call_id="call_Shop0004", output="Exit code: 0\nOutput:\nM src/shop/cart.py")
    log.runs("call_Shop0005", "pytest -q")
    log.used()
    log.ran("call_Shop0005", TESTS_PASS)
    log.gives("call_Shop0005", TESTS_PASS)
    log.says("The empty cart costs 0.00 now, and all tests pass.")
    log.used()
    log.record("event_msg", type="task_complete", turn_id="turn-2")
    return "\n".join(compact(record) for record in log.records) + "\n"


def pi_lost_line() -> str:
    """A line with a result was lost, so that the history begins behind it; one of two later calls has no result."""
    clock = datetime(2026, 11, 21, 8, 7, tzinfo=UTC)
    id_ = str(uuid.uuid5(uuid.NAMESPACE_URL, "pi"))
    records: list[dict[str, Any]] = []

    def add(kind: str, **fields: Any) -> None:
        nonlocal clock
        clock += timedelta(seconds=3)
        number = len(records)
        time = clock.strftime("%Y-%m-%dT%H:%M:%S.000Z")
        parent = records[-1]["id"] if number > 1 else None
        own = {"id": f"5a0b{number:04x}", "parentId": parent} if number else {"version": 3, "id": id_}
        records.append({"type": kind, **own, "timestamp": time, **fields})

    def message(role: str, parts: list[dict[str, Any]], **fields: Any) -> None:
        milliseconds = int(clock.timestamp() * 1000)
        add("message", message={"role": role, "content": parts, **fields, "timestamp": milliseconds})

    def answers(*parts: dict[str, Any]) -> None:
        calls = any(part["type"] == "toolCall" for part in parts)
        model = {"api": "anthropic-messages", "provider": "anthropic", "model": "claude-sonnet-4-5"}
        usage = {"input": 9, "output": 5, "cacheRead": 0, "cacheWrite": 0, "totalTokens": 14, "cost": {"total": 0}}
        message("assistant", list(parts), **model, usage=usage, stopReason="toolUse" if calls else "stop")

    def runs(number: int, name: str, **arguments: Any) -> dict[str, Any]:
        return {"type": "toolCall", "id": f"toolu_01Shop{number:020d}", "name": name, "arguments": arguments}

    def gives(number: int, name: str, output: str) -> None:
        called = f"toolu_01Shop{number:020d}"
        message("toolResult", [text(output)], toolCallId=called, toolName=name, isError=False)

    add("session", cwd="/home/dev/shop")
    add("model_change", provider="anthropic", modelId="claude-sonnet-4-5")
    message("user", [text("The total of an empty cart should be 0.00.")])
    answers(text("I read the cart."), runs(1, "read", path="src/shop/cart.py"))
    gives(1, "read", CART)
    answers(
        text("Now the prices and the tests."),
        runs(2, "read", path="src/shop/prices.py"),
        runs(3, "bash", command="pytest -q"),
    )
    gives(2, "read", PRICES)
    message("user", [text("It stopped. Go on.")])
    answers(text("The sum starts with the integer 0."))
    del records[4]
    return as_lines(records)


def qwen_late_result() -> str:
    """A result that was written after the next response, and parallel calls that were killed: no result at all."""
    clock = datetime(2026, 11, 21, 8, 0, tzinfo=UTC)
    id_ = str(uuid.uuid5(uuid.NAMESPACE_URL, "qwen"))
    records: list[dict[str, Any]] = []

    def add(kind: str, role: str, parts: list[dict[str, Any]], **fields: Any) -> None:
        nonlocal clock
        clock += timedelta(seconds=3)
        records.append(
            {
                "uuid": str(uuid.uuid5(uuid.NAMESPACE_URL, f"qwen {len(records)}")),
                "parentUuid": records[-1]["uuid"] if records else None,
                "sessionId": id_,
                "timestamp": clock.strftime("%Y-%m-%dT%H:%M:%S.000Z"),
                "type": kind,
                "cwd": "/home/dev/shop",
                "version": "0.24.4",
                **fields,
                "message": {"role": role, "parts": parts},
            }
        )

    def runs(number: int, name: str, **arguments: Any) -> dict[str, Any]:
        return {"functionCall": {"id": f"call_Shop{number:04d}", "name": name, "args": arguments}}

    def gives(number: int, name: str, output: str) -> None:
        answer = {"id": f"call_Shop{number:04d}", "name": name, "response": {"output": output}}
        add("tool_result", "user", [{"functionResponse": answer}])

    model = {"model": "qwen3-coder-plus"}
    add("user", "user", [{"text": "The total of an empty cart should be 0.00."}])
    add(
        "assistant",
        "model",
        [{"text": "I read the cart."}, runs(1, "read_file", file_path="src/shop/cart.py")],
        **model,
    )
    add(
        "assistant",
        "model",
        [{"text": "Now the prices."}, runs(2, "read_file", file_path="src/shop/prices.py")],
        **model,
    )
    gives(1, "read_file", CART)
    gives(2, "read_file", PRICES)
    tests = [runs(3, "run_shell_command", command="pytest -q"), runs(4, "run_shell_command", command="git status")]
    add("assistant", "model", [{"text": "I run the tests."}, *tests], **model)
    add("user", "user", [{"text": "It stopped. Go on."}])
    add("assistant", "model", [{"text": "The sum starts with the integer 0."}], **model)
    return as_lines(records)


def continue_cancelled() -> str:
    """One of two calls did not end, of which Continue tells the model "Tool cancelled"; a copied state is refused."""

    def called(number: int, name: str, **arguments: Any) -> Json:
        function = {"name": name, "arguments": json.dumps(arguments)}
        return {"id": f"call_Shop{number:016d}", "type": "function", "function": function}

    def ended(call: Json, output: str | None) -> Json:
        given = {"parsedArgs": json.loads(call["function"]["arguments"])}
        state = {"toolCallId": call["id"], "toolCall": call, "status": "done" if output is not None else "calling"}
        said = {"content": output, "name": "Tool Result", "description": "Tool execution result"}
        return {**state, **given, **({"output": [said]} if output is not None else {})}

    def says(words: str, *calls: tuple[Json, str | None]) -> Json:
        message: Json = {"role": "assistant", "content": words}
        if not calls:
            return {"message": message, "contextItems": []}
        message["toolCalls"] = [call for call, _ in calls]
        return {"message": message, "contextItems": [], "toolCallStates": [ended(*one) for one in calls]}

    def asks(words: str) -> Json:
        return {"message": {"role": "user", "content": words}, "contextItems": [], "editorState": words}

    cart = called(1, "Read", filepath="src/shop/cart.py")
    prices = called(2, "Read", filepath="src/shop/prices.py")
    tests = called(3, "Bash", command="pytest -q")
    history = [
        asks("The total of an empty cart should be 0.00."),
        says("I read the cart.", (cart, CART)),
        says("Now the prices and the tests.", (prices, PRICES), (tests, None)),
        asks("It stopped. Go on."),
        says("The sum starts with the integer 0."),
    ]
    history[1]["toolCallStates"].append(ended(cart, CART))
    session = {
        "sessionId": str(uuid.uuid5(uuid.NAMESPACE_URL, "continue")),
        "title": "An empty cart",
        "workspaceDirectory": "/home/dev/shop",
        "history": history,
    }
    return json.dumps(session, indent=2) + "\n"


def copilot_damaged_line() -> str:
    """A line with a result was cut off by a full disk, and the agent deletes such lines; a later call has no result."""
    clock = datetime(2026, 11, 21, 8, 7, tzinfo=UTC)
    records: list[dict[str, Any]] = []
    session = str(uuid.uuid5(uuid.NAMESPACE_URL, "copilot"))

    def add(kind: str, **data: Any) -> None:
        nonlocal clock
        clock += timedelta(seconds=3)
        id_ = str(uuid.uuid5(uuid.NAMESPACE_URL, f"copilot-{len(records)}"))
        above = records[-1]["id"] if records else None
        time = clock.strftime("%Y-%m-%dT%H:%M:%S.000Z")
        records.append({"type": kind, "data": data, "id": id_, "timestamp": time, "parentId": above})

    def answers(words: str, *calls: dict[str, Any]) -> None:
        name = str(uuid.uuid5(uuid.NAMESPACE_URL, f"copilot-message-{len(records)}"))
        add("assistant.message", messageId=name, model="gpt-5.5", content=words, toolRequests=list(calls))
        for one in calls:
            given = {"toolName": one["name"], "arguments": one["arguments"]}
            add("tool.execution_start", toolCallId=one["toolCallId"], **given)

    def runs(number: int, name: str, **arguments: Any) -> dict[str, Any]:
        return {"toolCallId": f"call_Shop{number:020d}", "name": name, "arguments": arguments, "type": "function"}

    def gives(number: int, output: str) -> None:
        add("tool.execution_complete", toolCallId=f"call_Shop{number:020d}", success=True, result={"content": output})

    start = {"startTime": "2026-11-21T08:07:00.000Z", "selectedModel": "gpt-5.5", "context": {"cwd": "/home/dev/shop"}}
    add("session.start", sessionId=session, version=1, producer="copilot-agent", copilotVersion="1.0.102", **start)
    add("user.message", content="The total of an empty cart should be 0.00.")
    answers("I read the cart.", runs(1, "view", path="src/shop/cart.py"))
    gives(1, CART)
    answers(
        "Now the prices and the tests.",
        runs(2, "view", path="src/shop/prices.py"),
        runs(3, "bash", command="pytest -q"),
    )
    gives(2, PRICES)
    add("abort", reason="user_initiated")
    add("user.message", content="It stopped. Go on.")
    answers("The sum starts with the integer 0.")
    written = [compact(record) for record in records]
    at = next(n for n, record in enumerate(records) if record["type"] == "tool.execution_complete")
    written[at] = written[at][: written[at].index('"id":') - 2]
    return "\n".join(written) + "\n"


def gemini_doubled() -> str:
    """Gemini CLI wrote each result twice, in its call and as a message; one call of two was never answered."""
    clock = datetime(2026, 11, 21, 8, 4, tzinfo=UTC)
    session = str(uuid.uuid5(uuid.NAMESPACE_URL, "gemini"))
    records: list[dict[str, Any]] = []

    def time() -> str:
        nonlocal clock
        clock += timedelta(seconds=3)
        return clock.strftime("%Y-%m-%dT%H:%M:%S.000Z")

    def message(kind: str, content: Any, **fields: Any) -> None:
        name = uuid.uuid5(uuid.NAMESPACE_URL, f"gemini-{len(records)}")
        records.append({"id": str(name), "timestamp": time(), "type": kind, "content": content, **fields})

    def answer(number: int, name: str, output: str) -> dict[str, Any]:
        id_ = f"{name}__{name}_17952482{number:05d}_0"
        return {"functionResponse": {"id": id_, "name": name, "response": {"output": output}}}

    def called(number: int, name: str, output: str | None, **args: Any) -> dict[str, Any]:
        call = {"id": f"{name}__{name}_17952482{number:05d}_0", "name": name, "args": args}
        if output is None:
            return {**call, "status": "executing", "timestamp": time()}
        return {**call, "result": [answer(number, name, output)], "status": "success", "timestamp": time()}

    def answers(said: str, *calls: dict[str, Any]) -> None:
        message("gemini", said, thoughts=[], model="gemini-2.5-pro")
        if calls:
            records.append({**records[-1], "toolCalls": list(calls)})
            message("user", [part for call in calls for part in call.get("result", ())])

    hash_ = "5a" * 32
    records.append(
        {"sessionId": session, "projectHash": hash_, "startTime": time(), "lastUpdated": time(), "kind": "main"}
    )
    message("user", [{"text": "The total of an empty cart should be 0.00."}])
    answers("I read the cart.", called(1, "read_file", CART, file_path="src/shop/cart.py"))
    answers("And the prices.", called(2, "read_file", PRICES, file_path="src/shop/prices.py"))
    answers(
        "Now the orders and the tests.",
        called(3, "read_file", ORDERS, file_path="src/shop/orders.py"),
        called(4, "run_shell_command", None, command="pytest -q"),
    )
    message("gemini", "The sum starts with the integer 0.", thoughts=[], model="gemini-2.5-pro")
    return as_lines(records)


def cline_late_result() -> str:
    """The tests went on while the user wrote, and their result was saved after the user's words."""
    id_ = "1795248706802_5hop1"
    messages: list[dict[str, Any]] = []
    model = {"modelInfo": {"id": "claude-sonnet-4-5", "provider": "openrouter"}}

    def add(role: str, *parts: dict[str, Any], **fields: Any) -> None:
        number = len(messages)
        own = {
            "id": f"msg_Shop{number:04d}",
            "role": role,
            "content": list(parts),
            "ts": 1_795_248_707_000 + 4000 * number,
        }
        messages.append({**own, **fields})

    def runs(number: int, name: str, **arguments: Any) -> dict[str, Any]:
        return {"type": "tool_use", "id": f"toolu_01Shop{number:020d}", "name": name, "input": arguments}

    def gives(number: int, name: str, query: str, output: str) -> None:
        said = {"query": query, "result": output, "success": True}
        called = f"toolu_01Shop{number:020d}"
        add("user", {"type": "tool_result", "tool_use_id": called, "name": name, "content": [said]})

    def asks(words: str) -> None:
        add("user", text(f'<user_input mode="act">{words}</user_input>'))

    asks("The total of an empty cart should be 0.00.")
    add("assistant", text("I read the cart."), runs(1, "read_files", files=[{"path": "src/shop/cart.py"}]), **model)
    gives(1, "read_files", "src/shop/cart.py", CART)
    add("assistant", text("Now the tests."), runs(2, "run_commands", commands=["pytest -q"]), **model)
    asks("It takes long. What did you see?")
    gives(2, "run_commands", "pytest -q", TESTS_PASS)
    add("assistant", text("The sum starts with the integer 0."), **model)
    whole = {"version": 1, "agent": "lead", "sessionId": id_, "messages": messages, "system_prompt": "You are Cline."}
    return json.dumps(whole, indent=2) + "\n"


def database(statements: Iterable[tuple[str, tuple[Any, ...]]]) -> bytes:
    """An SQLite database, the same whichever version of SQLite makes it."""
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as made:
        for statement, values in statements:
            made.execute(statement, values)
        found = bytearray(made.serialize())
    found[24:28] = found[92:96] = b"\0\0\0\1"  # the counter of changes
    found[96:100] = b"\0\x2e\x5f\x18"  # the version of SQLite
    return bytes(found)


_DOCKER_AGENT = (
    "PRAGMA page_size = 1024",
    "CREATE TABLE sessions (id TEXT PRIMARY KEY, created_at TEXT, tools_approved BOOLEAN DEFAULT 0, input_tokens "
    "INTEGER DEFAULT 0, output_tokens INTEGER DEFAULT 0, title TEXT DEFAULT '', cost REAL DEFAULT 0, "
    "send_user_message BOOLEAN DEFAULT 1, max_iterations INTEGER DEFAULT 0, working_dir TEXT DEFAULT '', starred "
    "BOOLEAN DEFAULT 0, permissions TEXT DEFAULT '', agent_model_overrides TEXT DEFAULT '{}', custom_models_used TEXT "
    "DEFAULT '[]', thinking BOOLEAN DEFAULT 1, parent_id TEXT REFERENCES sessions(id) ON DELETE CASCADE)",
    "CREATE TABLE migrations (id INTEGER PRIMARY KEY, name TEXT UNIQUE NOT NULL, description TEXT, applied_at TEXT "
    "NOT NULL)",
    "CREATE TABLE session_items (id INTEGER PRIMARY KEY AUTOINCREMENT, session_id TEXT NOT NULL, position INTEGER NOT "
    "NULL, item_type TEXT NOT NULL, agent_name TEXT, message_json TEXT, implicit BOOLEAN DEFAULT 0, subsession_id "
    "TEXT, summary_text TEXT, first_kept_entry INTEGER DEFAULT 0, FOREIGN KEY (session_id) REFERENCES sessions(id) ON "
    "DELETE CASCADE, FOREIGN KEY (subsession_id) REFERENCES sessions(id) ON DELETE SET NULL)",
    "CREATE INDEX idx_sessions_parent_id ON sessions(parent_id)",
    "CREATE INDEX idx_session_items_session ON session_items(session_id, position)",
    "CREATE INDEX idx_session_items_session_type ON session_items(session_id, item_type)",
)
_DOCKER_AGENT_MIGRATIONS = (
    *("add_tools_approved_column", "add_usage_column", "add_output_tokens_column", "add_title_column"),
    *("add_cost_column", "add_send_user_message_column", "add_max_iterations_column", "add_working_dir_column"),
    *("add_starred_column", "add_permissions_column", "add_agent_model_overrides_column"),
    *("add_custom_models_used_column", "add_thinking_column", "normalize_session_items"),
    *("migrate_messages_to_session_items", "add_branching_columns", "add_split_diff_view_column"),
    *("add_session_items_type_index", "drop_branch_and_split_diff_columns", "drop_messages_column"),
    "add_first_kept_entry_column",
)
"""Those that have been applied: a docker-agent that misses one applies it again, and fails."""


def docker_agent_late_result() -> bytes:
    """A result that was stored behind the user's next words, and one call of two that nothing answered."""
    clock = datetime(2026, 11, 21, 8, 0, tzinfo=UTC)
    id_ = str(uuid.uuid5(uuid.NAMESPACE_URL, "docker-agent"))
    messages: list[Json] = []

    def add(role: str, content: str, **fields: Any) -> None:
        nonlocal clock
        clock += timedelta(seconds=3)
        messages.append({"role": role, "content": content, **fields, "created_at": clock.isoformat()})

    def runs(words: str, *calls: tuple[str, str, Json]) -> None:
        listed = [
            {"id": id, "type": "function", "function": {"name": name, "arguments": json.dumps(arguments)}}
            for id, name, arguments in calls
        ]
        add("assistant", words, tool_calls=listed, model="openai/gpt-5.1")

    add("user", "The total of an empty cart should be 0.00.")
    runs("I read the cart.", ("call_Shop0001", "read_file", {"path": "src/shop/cart.py"}))
    add("user", "And mind the rounding.")
    add("tool", CART, tool_call_id="call_Shop0001")
    runs(
        "I read the prices and run the tests.",
        ("call_Shop0002", "read_file", {"path": "src/shop/prices.py"}),
        ("call_Shop0003", "shell", {"cmd": "pytest -q"}),
    )
    add("tool", PRICES, tool_call_id="call_Shop0002")
    add("user", "It stopped. Go on.")
    add("assistant", "The sum starts with the integer 0.", model="openai/gpt-5.1")
    session = (id_, "2026-11-21T08:00:00Z", "Empty carts", "/home/dev/shop")
    rows = [
        (id_, number, "" if message["role"] == "user" else "root", json.dumps(message, separators=(",", ":")))
        for number, message in enumerate(messages)
    ]
    return database(
        [
            *((statement, ()) for statement in _DOCKER_AGENT),
            *(
                ("INSERT INTO migrations VALUES (?, ?, '', '2026-11-01T00:00:00Z')", (number, f"{number:03d}_{name}"))
                for number, name in enumerate(_DOCKER_AGENT_MIGRATIONS, 1)
            ),
            ("INSERT INTO sessions (id, created_at, title, working_dir) VALUES (?, ?, ?, ?)", session),
            *(
                (
                    "INSERT INTO session_items (session_id, position, item_type, agent_name, message_json) VALUES "
                    "(?, ?, 'message', ?, ?)",
                    row,
                )
                for row in rows
            ),
        ]
    )


def _chat_call(id_: str, name: str, arguments: Json, **more: Any) -> Json:
    return {"id": id_, **more, "type": "function", "function": {"name": name, "arguments": json.dumps(arguments)}}


def vibe_words_between() -> str:
    """A result that was saved behind the user's next words, and a call that was never answered."""
    records: list[Json] = []

    def add(role: str, content: str, **fields: Any) -> None:
        id_ = str(uuid.uuid5(uuid.NAMESPACE_URL, f"vibe {len(records)}"))
        records.append({"role": role, "content": content, "injected": False, **fields, "message_id": id_})

    def runs(words: str, *calls: Json) -> None:
        add("assistant", words, tool_calls=[{**call, "index": number} for number, call in enumerate(calls)])

    def gives(id_: str, output: str) -> None:
        records.append({"role": "tool", "content": output, "injected": False, "name": "read_file", "tool_call_id": id_})

    add("user", "The total of an empty cart should be 0.00.")
    runs("I read the cart.", _chat_call("Shop00001", "read_file", {"path": "src/shop/cart.py"}))
    add("user", "And mind the rounding.")
    gives("Shop00001", CART)
    prices = _chat_call("Shop00002", "read_file", {"path": "src/shop/prices.py"})
    runs("I read the prices, and run the tests.", prices, _chat_call("Shop00003", "bash", {"command": "pytest -q"}))
    gives("Shop00002", PRICES)
    add("assistant", "The sum starts with the integer 0.")
    return as_lines(records)


def kimi_code_late_result() -> str:
    """A result that was written behind the user's next words, and one call of two that nothing answered."""
    time = 1_795_248_000_000
    records: list[Json] = [{"type": "metadata", "protocol_version": "1.5", "created_at": time}]
    steps = 0

    def add(kind: str, **fields: Any) -> None:
        records.append({"type": kind, "agentId": "main", **fields, "time": time + 3000 * len(records)})

    def event(kind: str, **fields: Any) -> None:
        add("context.append_loop_event", event={"type": kind, **fields})

    def asks(words: str) -> None:
        said = [{"type": "text", "text": words}]
        message = {"role": "user", "content": said, "toolCalls": [], "id": f"msg_{len(records)}"}
        add("turn.prompt", input=said, origin={"kind": "user"})
        add("context.append_message", message={**message, "origin": {"kind": "user"}})

    def runs(words: str, *calls: tuple[str, str, Json]) -> None:
        nonlocal steps
        steps += 1
        event("step.begin", uuid=f"step-{steps}", turnId="0", step=steps)
        event("content.part", uuid=f"part-{steps}", stepUuid=f"step-{steps}", part={"type": "text", "text": words})
        for id_, name, args in calls:
            named = {"toolCallId": id_, "name": name, "args": args}
            event("tool.call", uuid=f"call-{id_}", turnId="0", step=steps, stepUuid=f"step-{steps}", **named)

    def gives(id_: str, output: str) -> None:
        event("tool.result", parentUuid=f"call-{id_}", toolCallId=id_, result={"output": output})

    def ends(reason: str) -> None:
        event("step.end", uuid=f"step-{steps}", turnId="0", step=steps, finishReason=reason)

    add("profile.bind", modelAlias="kimi-k2", profileName="agent", systemPrompt="You are Kimi Code CLI.")
    asks("The total of an empty cart should be 0.00.")
    runs("I read the cart.", ("ReadFile:0", "ReadFile", {"path": "src/shop/cart.py"}))
    ends("tool_use")
    asks("And mind the rounding.")
    gives("ReadFile:0", CART)
    prices = ("ReadFile:1", "ReadFile", {"path": "src/shop/prices.py"})
    runs("I read the prices, and run the tests.", prices, ("Bash:2", "Bash", {"command": "pytest -q"}))
    gives("ReadFile:1", PRICES)
    ends("tool_use")
    runs("The sum starts with the integer 0.")
    ends("end_turn")
    return as_lines(records)


def openhands_killed() -> str:
    """A rejected id and a killed run: the lines of a copy of the folder, one file of it in each."""
    clock = datetime(2026, 11, 21, 8, 0, tzinfo=UTC)
    id_ = uuid.uuid5(uuid.NAMESPACE_URL, "openhands")
    events: list[Json] = []

    def add(kind: str, source: str, **fields: Any) -> str:
        own = str(uuid.uuid5(uuid.NAMESPACE_URL, f"openhands {len(events)}"))
        time = (clock + timedelta(seconds=3 * len(events))).isoformat()
        above = {"parent_id": events[-1]["id"]} if events else {}
        events.append({"id": own, "timestamp": time, "source": source, **above, **fields, "kind": kind})
        return own

    def says(words: str, role: str) -> None:
        message = {"role": role, "content": [{"type": "text", "text": words}]}
        add("MessageEvent", "user" if role == "user" else "agent", llm_message=message)

    def runs(call: str, response: str, command: str) -> str:
        arguments = {"command": command}
        asked = {"id": call, "name": "terminal", "arguments": json.dumps(arguments), "origin": "completion"}
        named = {"tool_name": "terminal", "tool_call_id": call, "tool_call": asked, "llm_response_id": response}
        return add("ActionEvent", "agent", thought=[], action={**arguments, "kind": "TerminalAction"}, **named)

    def gives(call: str, action: str, output: str) -> None:
        observed = {"content": [{"type": "text", "text": output}], "is_error": False, "kind": "TerminalObservation"}
        named = {"tool_name": "terminal", "tool_call_id": call, "action_id": action}
        add("ObservationEvent", "environment", observation=observed, **named)

    prompt = {"type": "text", "text": "You are OpenHands."}
    add("SystemPromptEvent", "agent", system_prompt=prompt, tools=[])
    says("The total of an empty cart should be 0.00.", "user")
    action = runs("call_Shop0001", "response-1", "cat src/shop/cart.py")
    gives("call_Shop0001", action, CART)
    first = runs("call_Shop0002", "response-2", "cat src/shop/prices.py")
    runs("call_Shop0003", "response-2", "pytest -q")
    gives("call_Shop0002", first, PRICES)
    says("It stopped. Go on.", "user")
    says("The sum starts with the integer 0.", "assistant")
    folder = id_.hex
    state = {"id": str(id_), "workspace": {"working_dir": "/home/dev/shop", "kind": "LocalWorkspace"}}
    about = {"id": "base_state.json", "folder": folder, "data": {**state, "leaf_event_id": events[-1]["id"]}}
    files = (
        {"id": f"events/event-{number:05}-{one['id']}.json", "folder": folder, "data": one}
        for number, one in enumerate(events)
    )
    return as_lines([{"openhands_state": about}, *({"openhands_event": one} for one in files)])


_HERMES = (
    "PRAGMA page_size = 1024",
    "CREATE TABLE schema_version (version INTEGER NOT NULL)",
    "CREATE TABLE sessions (id TEXT PRIMARY KEY, source TEXT NOT NULL, user_id TEXT, model TEXT, model_config TEXT, "
    "system_prompt TEXT, parent_session_id TEXT, started_at REAL NOT NULL, ended_at REAL, end_reason TEXT, "
    "message_count INTEGER DEFAULT 0, tool_call_count INTEGER DEFAULT 0, cwd TEXT, billing_provider TEXT, title TEXT, "
    "rewind_count INTEGER NOT NULL DEFAULT 0, FOREIGN KEY (parent_session_id) REFERENCES sessions(id))",
    "CREATE TABLE messages (id INTEGER PRIMARY KEY AUTOINCREMENT, session_id TEXT NOT NULL REFERENCES sessions(id), "
    "role TEXT NOT NULL, content TEXT, tool_call_id TEXT, tool_calls TEXT, tool_name TEXT, effect_disposition TEXT, "
    "timestamp REAL NOT NULL, token_count INTEGER, finish_reason TEXT, reasoning TEXT, reasoning_content TEXT, "
    "reasoning_details TEXT, codex_reasoning_items TEXT, codex_message_items TEXT, platform_message_id TEXT, observed "
    "INTEGER DEFAULT 0, active INTEGER NOT NULL DEFAULT 1, compacted INTEGER NOT NULL DEFAULT 0, api_content TEXT)",
    "CREATE INDEX idx_messages_session ON messages(session_id, timestamp)",
)


def hermes_other_id() -> bytes:
    """A result whose id a proxy rewrote, so that Hermes leaves it out."""
    start = 1_795_248_000.0
    id_ = "20261121_080000_5a1f3c"
    rows: list[tuple[Any, ...]] = []

    def add(role: str, content: str, calls: list[Json] | None = None, of: str | None = None) -> None:
        said = (role, content, of, json.dumps(calls) if calls else None, "terminal" if of else None)
        rows.append((id_, *said, start + 3 * len(rows)))

    def call(number: int, command: str) -> Json:
        name = f"call_Shop{number:04}"
        return _chat_call(name, "terminal", {"command": command}, call_id=name, response_item_id=f"fc_{number}")

    add("user", "The total of an empty cart should be 0.00.")
    add("assistant", "I read the cart.", [call(1, "cat src/shop/cart.py")])
    add("tool", CART, of="call-Shop0001")
    add("assistant", "The prices, and the tests.", [call(2, "cat src/shop/prices.py"), call(3, "pytest -q")])
    add("tool", PRICES, of="call_Shop0002")
    add("tool", "1 failed, 3 passed", of="call_Shop0003")
    add("assistant", "The sum starts with the integer 0.")
    session = (id_, "cli", "gpt-5.1", start, "/home/dev/shop", "Empty carts", len(rows))
    columns = "session_id, role, content, tool_call_id, tool_calls, tool_name, timestamp"
    return database(
        [
            *((statement, ()) for statement in _HERMES),
            ("INSERT INTO schema_version VALUES (22)", ()),
            (
                "INSERT INTO sessions (id, source, model, started_at, cwd, title, message_count) VALUES (?, ?, ?, ?, "
                "?, ?, ?)",
                session,
            ),
            *((f"INSERT INTO messages ({columns}) VALUES (?, ?, ?, ?, ?, ?, ?)", row) for row in rows),
        ]
    )


_TIMES = "`time_created` integer NOT NULL, `time_updated` integer NOT NULL"


def _opencode_key(table: str, of: str) -> str:
    return (
        f"CONSTRAINT `fk_{table}_{of}_id_{of}_id_fk` FOREIGN KEY (`{of}_id`) REFERENCES `{of}`(`id`) ON DELETE CASCADE"
    )


_OPENCODE = (
    "PRAGMA page_size = 1024",
    'CREATE TABLE "__drizzle_migrations" (id SERIAL PRIMARY KEY, hash text NOT NULL, created_at numeric)',
    "CREATE TABLE `project` (`id` text PRIMARY KEY, `worktree` text NOT NULL, `vcs` text, `name` text, `icon_url` "
    f"text, `icon_color` text, {_TIMES}, `time_initialized` integer, `sandboxes` text NOT NULL, `commands` text)",
    f"CREATE TABLE `message` (`id` text PRIMARY KEY, `session_id` text NOT NULL, {_TIMES}, `data` text NOT NULL, "
    f"{_opencode_key('message', 'session')})",
    "CREATE TABLE `part` (`id` text PRIMARY KEY, `message_id` text NOT NULL, `session_id` text NOT NULL, "
    f"{_TIMES}, `data` text NOT NULL, {_opencode_key('part', 'message')})",
    f"CREATE TABLE `permission` (`project_id` text PRIMARY KEY, {_TIMES}, `data` text NOT NULL, "
    f"{_opencode_key('permission', 'project')})",
    "CREATE TABLE `session` (`id` text PRIMARY KEY, `project_id` text NOT NULL, `parent_id` text, `slug` text NOT "
    "NULL, `directory` text NOT NULL, `title` text NOT NULL, `version` text NOT NULL, `share_url` text, "
    "`summary_additions` integer, `summary_deletions` integer, `summary_files` integer, `summary_diffs` text, `revert` "
    f"text, `permission` text, {_TIMES}, `time_compacting` integer, `time_archived` integer, "
    f"{_opencode_key('session', 'project')})",
    "CREATE TABLE `todo` (`session_id` text NOT NULL, `content` text NOT NULL, `status` text NOT NULL, `priority` text "
    f"NOT NULL, `position` integer NOT NULL, {_TIMES}, CONSTRAINT `todo_pk` PRIMARY KEY(`session_id`, `position`), "
    f"{_opencode_key('todo', 'session')})",
    "CREATE TABLE `session_share` (`session_id` text PRIMARY KEY, `id` text NOT NULL, `secret` text NOT NULL, `url` "
    f"text NOT NULL, {_TIMES}, {_opencode_key('session_share', 'session')})",
    "CREATE INDEX `message_session_idx` ON `message` (`session_id`)",
    "CREATE INDEX `part_message_idx` ON `part` (`message_id`)",
    "CREATE INDEX `part_session_idx` ON `part` (`session_id`)",
    "CREATE INDEX `session_project_idx` ON `session` (`project_id`)",
    "CREATE INDEX `session_parent_idx` ON `session` (`parent_id`)",
    "CREATE INDEX `todo_session_idx` ON `todo` (`session_id`)",
    "CREATE TABLE `control_account` (`email` text NOT NULL, `url` text NOT NULL, `access_token` text NOT NULL, "
    f"`refresh_token` text NOT NULL, `token_expiry` integer, `active` integer NOT NULL, {_TIMES}, CONSTRAINT "
    "`control_account_pk` PRIMARY KEY(`email`, `url`))",
)
"""The tables of opencode 1.2.1; a newer one adds to them what it needs when it opens the database."""
_OPENCODE_MIGRATIONS = (1769552633000, 1770830228000, 1770993676000)


def opencode_failed_response() -> bytes:
    """A response whose API failed after its tools had run, and a later call without an output, which stops all."""
    start = 1795248000000
    tick = 0
    session = "ses_e02df9ed7ffeoCG9QbptKSnkTt"
    statements: list[tuple[str, tuple[Any, ...]]] = [(statement, ()) for statement in _OPENCODE]
    statements += (("INSERT INTO __drizzle_migrations VALUES (NULL, '', ?)", (time,)) for time in _OPENCODE_MIGRATIONS)
    model = {"providerID": "openai", "modelID": "gpt-5.1"}

    def insert(table: str, *values: Any, columns: str = "") -> None:
        statements.append((f"INSERT INTO {table} {columns} VALUES ({', '.join('?' * len(values))})", values))

    def row(kind: str, data: Json, *of: str) -> str:
        nonlocal tick
        tick += 1
        id_, time = f"{kind}_1fd22{tick:07x}001Kx7Qm2Vb9Ld3Rw", start + tick * 1000
        table = "message" if kind == "msg" else "part"
        insert(table, id_, *of, session, time, time, json.dumps(data, separators=(",", ":")))
        return id_

    def asks(words: str) -> str:
        id_ = row("msg", {"role": "user", "time": {"created": start + tick * 1000}, "agent": "build", "model": model})
        row("prt", {"type": "text", "text": words}, id_)
        return id_

    def answers(asked: str, words: str, *calls: Json, **fields: Any) -> None:
        said = {"parentID": asked, "role": "assistant", "mode": "build", "agent": "build", "cost": 0, **model}
        tokens = {"input": 1200, "output": 40, "reasoning": 0, "cache": {"read": 0, "write": 0}}
        time = {"created": start + tick * 1000, "completed": start + tick * 1000 + 900}
        path = {"cwd": "/home/dev/shop", "root": "/home/dev/shop"}
        id_ = row("msg", {**said, "path": path, "tokens": tokens, "time": time, **fields})
        row("prt", {"type": "step-start"}, id_)
        if words:
            row("prt", {"type": "text", "text": words}, id_)
        for call in calls:
            row("prt", call, id_)

    def call(number: int, tool: str, given: Json, **state: Any) -> Json:
        ends = {"title": tool, "metadata": {}, "time": {"start": start, "end": start + 300}}
        done = {"status": "completed", "input": given, **state, **ends}
        return {"type": "tool", "tool": tool, "callID": f"call_Shop{number:04d}", "state": done}

    insert(
        "project", "global", "/", start, start, "[]", columns="(id, worktree, time_created, time_updated, sandboxes)"
    )
    place = (session, "global", "calm-river", "/home/dev/shop", "Empty carts", "1.2.1", start, start + 60000)
    columns = "(id, project_id, slug, directory, title, version, time_created, time_updated)"
    insert("session", *place, columns=columns)
    asked = asks("The total of an empty cart should be 0.00.")
    failed = {"name": "APIError", "data": {"message": "Overloaded", "isRetryable": True}}
    cart = call(1, "read", {"filePath": "src/shop/cart.py"}, output=CART)
    prices = call(2, "read", {"filePath": "src/shop/prices.py"}, output=PRICES)
    answers(asked, "I read the cart and the prices.", cart, prices, error=failed)
    asked = asks("It stopped. Go on.")
    answers(asked, "", call(3, "bash", {"command": "pytest -q"}), finish="tool-calls")
    answers(asked, "The sum starts with the integer 0.", finish="stop")
    return database(statements)


_GOOSE = (
    "CREATE TABLE schema_version (version INTEGER PRIMARY KEY, applied_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP)",
    "CREATE TABLE sessions (id TEXT PRIMARY KEY, name TEXT NOT NULL DEFAULT '', description TEXT NOT NULL DEFAULT '', "
    "user_set_name BOOLEAN DEFAULT FALSE, session_type TEXT NOT NULL DEFAULT 'user', working_dir TEXT NOT NULL, "
    "created_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP, updated_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP, extension_data "
    "TEXT DEFAULT '{}', total_tokens INTEGER, input_tokens INTEGER, output_tokens INTEGER, cache_read_tokens INTEGER, "
    "cache_write_tokens INTEGER, accumulated_total_tokens INTEGER, accumulated_input_tokens INTEGER, "
    "accumulated_output_tokens INTEGER, accumulated_cache_read_tokens INTEGER, accumulated_cache_write_tokens INTEGER, "
    "accumulated_cost REAL, schedule_id TEXT, recipe_json TEXT, user_recipe_values_json TEXT, provider_name TEXT, "
    "model_config_json TEXT, goose_mode TEXT NOT NULL DEFAULT 'auto', archived_at TIMESTAMP, project_id TEXT, "
    "parent_session_id TEXT)",
    "CREATE TABLE messages (id INTEGER PRIMARY KEY AUTOINCREMENT, message_id TEXT, session_id TEXT NOT NULL REFERENCES "
    "sessions(id), role TEXT NOT NULL, content_json TEXT NOT NULL, created_timestamp INTEGER NOT NULL, timestamp "
    "TIMESTAMP DEFAULT CURRENT_TIMESTAMP, tokens INTEGER, metadata_json TEXT)",
)


def goose_left_out() -> bytes:
    """A result whose id a proxy rewrote, and a call of two at once that nothing answered: goose sends neither."""
    rows: list[tuple[str, str]] = []

    def add(role: str, *parts: Json) -> None:
        rows.append((role, json.dumps(parts, separators=(",", ":"))))

    def runs(id: str, name: str, **arguments: Any) -> Json:
        return {
            "type": "toolRequest",
            "id": id,
            "toolCall": {"status": "success", "value": {"name": name, "arguments": arguments}},
        }

    def gives(id: str, output: str) -> None:
        value = {"content": [text(output)], "isError": False}
        add("user", {"type": "toolResponse", "id": id, "toolResult": {"status": "success", "value": value}})

    add("user", text("The total of an empty cart should be 0.00."))
    add("assistant", text("I read the cart."), runs("functions.read_file:0", "read_file", path="src/shop/cart.py"))
    gives("functions_read_file_0", CART)
    add(
        "assistant",
        text("Now the prices and the tests."),
        runs("call_Shop0002", "read_file", path="src/shop/prices.py"),
    )
    gives("call_Shop0002", PRICES)
    add("assistant", runs("call_Shop0003", "shell", command="pytest -q"))
    add("user", text("It stopped. Go on."))
    add("assistant", text("The sum starts with the integer 0."))
    session, began = "20261121_1", 1_795_248_000
    config = json.dumps({"model_name": "gpt-5.1"}, separators=(",", ":"))
    shown = '{"userVisible":true,"agentVisible":true}'
    return database(
        [
            *((statement, ()) for statement in _GOOSE),
            ("INSERT INTO schema_version VALUES (16, '2026-11-01 00:00:00')", ()),
            (
                "INSERT INTO sessions (id, name, working_dir, created_at, updated_at, provider_name, "
                "model_config_json) VALUES (?, 'Empty carts', '/home/dev/shop', '2026-11-21 08:00:00', "
                "'2026-11-21 08:00:24', 'openai', ?)",
                (session, config),
            ),
            *(
                (
                    "INSERT INTO messages (message_id, session_id, role, content_json, created_timestamp, timestamp, "
                    "metadata_json) VALUES (?, ?, ?, ?, ?, '2026-11-21 08:00:00', ?)",
                    (
                        f"msg_{uuid.uuid5(uuid.NAMESPACE_URL, f'goose-{number}')}",
                        session,
                        role,
                        content,
                        began + number // 2,
                        shown,
                    ),
                )
                for number, (role, content) in enumerate(rows)
            ),
        ]
    )


_OPENCLAW = (
    "CREATE TABLE schema_meta (meta_key TEXT NOT NULL PRIMARY KEY, role TEXT NOT NULL, schema_version INTEGER NOT "
    "NULL, agent_id TEXT, app_version TEXT, created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL)",
    "CREATE TABLE session_nodes (session_key TEXT NOT NULL PRIMARY KEY, current_session_id TEXT NOT NULL, "
    "entry_json TEXT NOT NULL, updated_at INTEGER NOT NULL, parent_session_key TEXT, label TEXT, display_name "
    "TEXT)",
    "CREATE TABLE session_windows (session_id TEXT NOT NULL PRIMARY KEY, session_key TEXT NOT NULL, "
    "previous_session_id TEXT, created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL, parent_session_key TEXT, "
    "FOREIGN KEY (session_key) REFERENCES session_nodes(session_key) ON DELETE CASCADE)",
    "CREATE TABLE transcript_events (session_id TEXT NOT NULL, seq INTEGER NOT NULL, event_json TEXT, created_at "
    "INTEGER NOT NULL, event_zstd BLOB, event_utf8_bytes INTEGER, navigation_json TEXT, PRIMARY KEY (session_id, "
    "seq), FOREIGN KEY (session_id) REFERENCES session_windows(session_id) ON DELETE CASCADE)",
    "CREATE TABLE transcript_event_identities (session_id TEXT NOT NULL, event_id TEXT NOT NULL, seq INTEGER NOT "
    "NULL, event_type TEXT, parent_id TEXT, message_idempotency_key TEXT, created_at INTEGER NOT NULL, PRIMARY "
    "KEY (session_id, event_id), FOREIGN KEY (session_id, seq) REFERENCES transcript_events(session_id, seq) ON "
    "DELETE CASCADE)",
    "CREATE TABLE session_transcript_index_state (session_id TEXT NOT NULL PRIMARY KEY, indexed_seq INTEGER NOT "
    "NULL, leaf_event_id TEXT, needs_rebuild INTEGER NOT NULL DEFAULT 0, active_event_count INTEGER NOT NULL "
    "DEFAULT 0, active_message_count INTEGER NOT NULL DEFAULT 0, updated_at INTEGER NOT NULL)",
    "CREATE TABLE session_transcript_active_events (session_id TEXT NOT NULL, active_position INTEGER NOT NULL, "
    "event_seq INTEGER NOT NULL, message_position INTEGER, context_eligible INTEGER, PRIMARY KEY (session_id, "
    "active_position), FOREIGN KEY (session_id, event_seq) REFERENCES transcript_events(session_id, seq) ON "
    "DELETE CASCADE)",
)


def openclaw_cut_history() -> bytes:
    """A row that was deleted by hand, which cuts the history off, and a result whose id a proxy rewrote."""
    session, start = "0b7e2f00-3c4d-4e5f-8a6b-7c8d9e0f1a2b", 1_795_248_000_000
    records: list[Json] = []
    model = {"api": "openai-completions", "provider": "gateway", "model": "gpt-5.1"}

    def add(kind: str, **fields: Any) -> None:
        number = len(records)
        parent = records[-1]["id"] if number > 1 else None
        ids = {"id": str(uuid.uuid5(uuid.NAMESPACE_URL, f"openclaw-{number}")), "parentId": parent}
        records.append({"type": kind, **ids, "timestamp": f"2026-11-21T08:00:{number:02d}.000Z", **fields})

    def says(words: str, *calls: Json) -> None:
        parts = [*([text(words)] if words else []), *calls]
        usage = {"input": 1200, "output": 40, "cacheRead": 0, "cacheWrite": 0, "totalTokens": 1240}
        stop = "toolUse" if calls else "stop"
        time = start + len(records) * 1000
        message = {
            "role": "assistant",
            "content": parts,
            **model,
            "usage": usage,
            "stopReason": stop,
            "timestamp": time,
        }
        add("message", message=message)

    def asks(words: str) -> None:
        time = start + len(records) * 1000
        add("message", message={"role": "user", "content": words, "timestamp": time})

    def gives(id: str, name: str, output: str) -> None:
        named = {"role": "toolResult", "toolCallId": id, "toolName": name}
        time = start + len(records) * 1000
        add("message", message={**named, "content": [text(output)], "isError": False, "timestamp": time})

    def call(id: str, name: str, **arguments: Any) -> Json:
        return {"type": "toolCall", "id": id, "name": name, "arguments": arguments}

    header = {
        "type": "session",
        "version": 4,
        "id": session,
        "timestamp": "2026-11-21T08:00:00.000Z",
        "cwd": "/home/dev/shop",
    }
    records.append(header)
    add("model_change", provider="gateway", modelId="gpt-5.1")
    asks("The total of an empty cart should be 0.00.")
    says("I read the cart.", call("call_Shop0001", "read", path="src/shop/cart.py"))
    gives("call_Shop0001", "read", CART)
    key = f"tool:call_Shop0001:{start + 4000}"
    notes = {"prunedToolResults": [], "frozenToolResults": [{"key": key, "sourceHash": "pS3oQm9d"}]}
    add("custom", customType="openclaw.cache-ttl", data=notes)
    says("Now the prices.", call("functions.read:1", "read", path="src/shop/prices.py"))
    gives("functions_read_1", "read", PRICES)
    says("The sum starts with the integer 0.")
    deleted = 5  # the notes: whoever deletes them by hand leaves a gap in the list
    events, names, listed = [], [], []
    for number, record in enumerate(records):
        line = json.dumps(record, separators=(",", ":"), ensure_ascii=False)
        if number == deleted:
            continue
        time = start + number * 1000
        row = (session, number, line, time, len(line.encode()))
        insert = "INSERT INTO transcript_events (session_id, seq, event_json, created_at, event_utf8_bytes) VALUES "
        events.append((insert + "(?, ?, ?, ?, ?)", row))
        named = (session, record["id"], number, record["type"], record.get("parentId"), None, time)
        names.append(("INSERT INTO transcript_event_identities VALUES (?, ?, ?, ?, ?, ?, ?)", named))
        if number:
            messages = sum("message" in one for one in records[:number])
            place = (session, number - 1, number, messages if "message" in record else None, 1)
            listed.append(("INSERT INTO session_transcript_active_events VALUES (?, ?, ?, ?, ?)", place))
    key, last = f"agent:main:explicit:{session}", start + len(records) * 1000
    messages = sum("message" in one for one in records)
    state = (session, len(records) - 1, records[-1]["id"], 0, len(records) - 1, messages, last)
    return database(
        [
            *((statement, ()) for statement in _OPENCLAW),
            ("INSERT INTO schema_meta VALUES ('primary', 'agent', 23, 'main', '2026.9.6', ?, ?)", (start, start)),
            (
                "INSERT INTO session_nodes VALUES (?, ?, '{}', ?, NULL, 'Empty carts', NULL)",
                (key, session, last),
            ),
            ("INSERT INTO session_windows VALUES (?, ?, NULL, ?, ?, NULL)", (session, key, start, last)),
            *events,
            *names,
            ("INSERT INTO session_transcript_index_state VALUES (?, ?, ?, ?, ?, ?, ?)", state),
            *listed,
        ]
    )


SAMPLES: dict[str, Callable[[], str | bytes]] = {
    "valid.json": valid,
    "sanitised-on-one-side.json": sanitised_on_one_side,
    "interrupted-call.json": interrupted_call,
    "parallel-swapped.json": parallel_swapped,
    "compaction-cut.json": compaction_cut,
    "duplicate-after-resume.json": duplicate_after_resume,
    "reused-ids.json": reused_ids,
    "reused-ids-anthropic.json": reused_ids_anthropic,
    "orphan-after-rewind.json": orphan_after_rewind,
    "text-before-result.json": text_before_result,
    "openai-chat-missing.json": openai_chat_missing,
    "responses-request.json": responses_request,
    "request-log.jsonl": request_log,
    "proxy-log.jsonl": proxy_log,
    "python-repr.txt": python_repr,
    "claude-code-branches.jsonl": claude_code_branches,
    "codex-killed.jsonl": codex_killed,
    "pi-lost-line.jsonl": pi_lost_line,
    "qwen-late-result.jsonl": qwen_late_result,
    "continue-cancelled.json": continue_cancelled,
    "copilot-damaged-line.jsonl": copilot_damaged_line,
    "gemini-doubled.jsonl": gemini_doubled,
    "cline-late-result.json": cline_late_result,
    "docker-agent-late-result.db": docker_agent_late_result,
    "opencode-failed-response.db": opencode_failed_response,
    "goose-left-out.db": goose_left_out,
    "openclaw-cut-history.db": openclaw_cut_history,
    "hermes-other-id.db": hermes_other_id,
    "kimi-code-late-result.jsonl": kimi_code_late_result,
    "openhands-killed.jsonl": openhands_killed,
    "vibe-words-between.jsonl": vibe_words_between,
    "damaged.jsonl": damaged,
}


def samples() -> dict[str, bytes]:
    """File name -> bytes of every sample."""
    made: dict[str, bytes] = {}
    for name, make in SAMPLES.items():
        content = make()
        made[name] = content if isinstance(content, bytes) else content.encode()
    return made


def main() -> None:
    here = Path(__file__).resolve().parent
    folders = (
        [Path(sys.argv[1])]
        if len(sys.argv) > 1
        else [here, here.parent / "src" / "toolpair" / "cli" / "stories" / "sessions"]
    )
    for folder in folders:
        folder.mkdir(exist_ok=True)
        for name, content in samples().items():
            (folder / name).write_bytes(content)


if __name__ == "__main__":
    main()
