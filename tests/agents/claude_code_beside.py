"""Small sessions for what only shows beside other records: reminders, half characters, a turn that breaks off."""

from __future__ import annotations

import json
from typing import Any, Final

from tests.formats.claude_code_files import Log, call, text

_REMINDER: Final = {"type": "total_tokens_reminder", "text": "<total_tokens>14999985 tokens left</total_tokens>"}


def sessions() -> dict[str, bytes]:
    """By name: the files."""
    return {
        "half characters": written(_half_characters()),
        "words before a result": written(_exchange(text("before"))),
        "words before a result, a reminder behind": written(_exchange(text("before"), reminded=True)),
        "an empty result, a reminder behind": written(_exchange(content=[], reminded=True)),
        "open calls, broken off behind results": written(_open_calls(words=False)),
        "open calls above the last words": written(_open_calls(words=True)),
        "a reminder in front of a lone result": written(_lone_result()),
        "a result as another API's message": written(_as_message_of_another_api()),
        "a task's report": written(_reported("<task-notification>done </system-reminder></task-notification>")),
        "a task's report in blocks": written(_reported([text("one"), text("two")])),
        "a task's report without its origin": written(_reported("<task-notification>done</task-notification>", None)),
        "a scheduled prompt": written(_reported("Look again.", "scheduled-trigger")),
        "records over several lines": written(_exchange(), over_lines={1, 2}),
    }


def written(log: Log, over_lines: set[int] | None = None) -> bytes:
    wide = over_lines or set()
    return "".join(
        json.dumps(value, indent=2 if number in wide else None) + "\n" for number, value in enumerate(log.values)
    ).encode()


def _uuid(number: int) -> str:
    return f"11111111-1111-4111-8111-{number:012d}"


def _exchange(*before: Any, content: Any = "output", reminded: bool = False) -> Log:
    log = Log()
    log.user(_uuid(1), "hello")
    log.says(_uuid(2), "msg_1", call("toolu_01A"))
    log.result(_uuid(3), _uuid(2), "toolu_01A", content)
    log.values[-1]["message"]["content"][:0] = before
    if reminded:
        log.record("attachment", _uuid(4), attachment=_REMINDER)
    log.says(_uuid(5), "msg_2", text("done"))
    log.user(_uuid(6), "next")
    log.says(_uuid(7), "msg_3", text("ok"))
    return log


def _as_message_of_another_api() -> Log:
    log = _exchange()
    log.values[2]["message"] = {"role": "tool", "tool_call_id": "toolu_01A", "content": "output"}
    return log


def _reported(content: Any, subkind: str | None = "") -> Log:
    """`subkind` of the report; None: nothing says that it is one."""
    log = _exchange()
    kind = {"subkind": subkind} if subkind else {}
    origin = {} if subkind is None else {"origin": {"kind": "task-notification", **kind}}
    log.user(_uuid(8), content, **origin)
    log.says(_uuid(9), "msg_4", text("seen"))
    return log


def _half_characters() -> Log:
    log = _exchange(content=[text("a\ud83d"), text("b")])
    log.values[0]["message"]["content"] = "he\ud83dllo"
    log.values[1]["message"]["content"][0]["input"] = {"k\ud83d": ["v\udc00", {"a": "\ud83d\ude00"}]}
    log.values[3]["message"]["content"][0]["text"] = "do\ud83dne \udc00\ud83d"
    return log


def _open_calls(*, words: bool) -> Log:
    log = Log()
    log.user(_uuid(1), "hello")
    log.says(_uuid(2), "msg_1", call("toolu_01A"))
    log.says(_uuid(3), "msg_2", text("next"))
    if words:
        log.user(_uuid(4), "more")
    log.says(_uuid(5), "msg_3", call("toolu_01B"))
    log.result(_uuid(6), _uuid(5), "toolu_01B", "output")
    return log


def _lone_result() -> Log:
    log = Log()
    log.record("attachment", _uuid(1), None, attachment=_REMINDER)
    log.result(_uuid(2), _uuid(1), "toolu_01A", "output")
    log.says(_uuid(3), "msg_1", text("done"))
    return log
