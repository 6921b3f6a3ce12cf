#!/usr/bin/env python3
"""Writes the sample sessions of this directory, and those that `toolpair demo` opens: `python sample_sessions/make.py`.

With a directory, `make.py DIRECTORY`, they are written there alone.

Each file tells one real story of a little shop project. The output is the same on every run;
`tests/test_samples.py` holds the committed files to it.
"""

from __future__ import annotations

import json
import sys
import uuid
from collections.abc import Callable, Iterator
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
        message("assistant", list(parts), **model, stopReason="toolUse" if calls else "stop")

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
    return "\n".join(compact(record) for record in records) + "\n"


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
    return "\n".join(compact(record) for record in records) + "\n"


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
        add("assistant.message", model="gpt-5.5", content=words, toolRequests=list(calls))
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
    return "\n".join(compact(record) for record in records) + "\n"


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
