"""For each recipe a broken history that shows what it does, and where it differs from the default."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

Messages = list[dict[str, Any]]


@dataclass(frozen=True)
class Example:
    """`says` is what is broken, one sentence."""

    says: str
    profile: str
    messages: Messages
    max_id_length: int | None = None


def _asks(words: str) -> dict[str, Any]:
    return {"role": "user", "content": words}


def _calls(*calls: tuple[str, str, dict[str, Any]]) -> dict[str, Any]:
    return {
        "role": "assistant",
        "content": [{"type": "tool_use", "id": id_, "name": name, "input": given} for id_, name, given in calls],
    }


def _result(id_: str, output: str) -> dict[str, Any]:
    return {"type": "tool_result", "tool_use_id": id_, "content": output}


def _says(words: str) -> dict[str, Any]:
    return {"type": "text", "text": words}


def _answers(*blocks: dict[str, Any]) -> dict[str, Any]:
    return {"role": "user", "content": list(blocks)}


_STOPPED: Final[Messages] = [
    _asks("Look at the tests."),
    _calls(("toolu_read", "Read", {"path": "tests/test_cart.py"}), ("toolu_run", "Bash", {"command": "pytest -q"})),
    _answers(_result("toolu_read", "def test_cart(): ..."), _result("toolu_older", "12 passed")),
    {"role": "assistant", "content": [_says("The tests are fine.")]},
]

EXAMPLES: Final[dict[str, Example]] = {
    "recommended": Example(
        "One call was stopped and has no result; a result answers a call that a compaction has cut off.",
        "anthropic",
        [
            _answers(_result("toolu_before", "3 files changed"), _says("Now run the tests.")),
            _calls(("toolu_run", "Bash", {"command": "pytest -q"})),
            _asks("Stop, I will do it myself."),
        ],
    ),
    "keep": Example(
        "A call and a result that stand in one exchange, and nothing shows that they belong together.",
        "anthropic",
        _STOPPED,
    ),
    "drop": Example(
        "A call and a result that stand in one exchange, and nothing shows that they belong together.",
        "anthropic",
        _STOPPED,
    ),
    "minimal": Example(
        "The name of a tool was lost while the call streamed in.",
        "anthropic",
        [
            _asks("What is in the folder?"),
            _calls(("toolu_list", "", {"path": "."})),
            _answers(_result("toolu_list", "README.md  src  tests")),
        ],
    ),
    "roo-code": Example(
        "Two parallel calls; their results came back in the order in which they finished, both under other ids.",
        "anthropic",
        [
            _asks("Read both files."),
            _calls(("call_a", "read_file", {"path": "a.txt"}), ("call_b", "read_file", {"path": "b.txt"})),
            _answers(_result("job-2", "this is b.txt"), _result("job-1", "this is a.txt")),
        ],
    ),
    "zoo-code": Example(
        "The id of a call was cleaned when it was stored, the id of its result was not.",
        "anthropic",
        [
            _asks("Read the file."),
            _calls(("functions_read_file_0", "read_file", {"path": "a.txt"})),
            _answers(_result("functions.read_file:0", "this is a.txt")),
        ],
    ),
    "roo-code-reorder": Example(
        "Results stand in another order than their calls, with words of the user between them.",
        "anthropic",
        [
            _asks("Read both files."),
            _calls(("call_a", "read_file", {"path": "a.txt"}), ("call_b", "read_file", {"path": "b.txt"})),
            _answers(_result("call_b", "this is b.txt"), _says("Be quick."), _result("call_a", "this is a.txt")),
        ],
    ),
    "roo-code-pre-send": Example(
        "A call was stopped, and the user went on with words of their own.",
        "anthropic",
        [
            _asks("Run the tests."),
            _calls(("toolu_run", "Bash", {"command": "pytest -q"})),
            _asks("Stop. Read the log in build/out.txt first."),
        ],
    ),
    "roo-code-sanitize": Example(
        "Two ids that differ in one character which the provider refuses.",
        "anthropic",
        [
            _asks("Read both files."),
            _calls(("read.1", "read_file", {"path": "a.txt"}), ("read:1", "read_file", {"path": "b.txt"})),
            _answers(_result("read.1", "this is a.txt"), _result("read:1", "this is b.txt")),
        ],
    ),
    "docker-agent": Example(
        "The user wrote while a tool ran, so that their words stand between the call and its result.",
        "openai-chat",
        [
            _asks("Run the tests."),
            {
                "role": "assistant",
                "content": None,
                "tool_calls": [
                    {
                        "id": "call_1",
                        "type": "function",
                        "function": {"name": "shell", "arguments": '{"cmd": "pytest -q"}'},
                    }
                ],
            },
            _asks("Only the fast ones, please."),
            {"role": "tool", "tool_call_id": "call_1", "content": "41 passed, 1 failed"},
        ],
    ),
}
