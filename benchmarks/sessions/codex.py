"""A session file as Codex writes it: response items, and the events that it shows while it works."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar, Final

import orjson

from benchmarks.sessions.story import Call, Closing, Exchange, Prompt, Result, Step
from benchmarks.sessions.writer import Json, Writer, plain_content

_PREFIXES: Final = {"message": "msg", "function_call": "fc", "function_call_output": "fco"}

_USAGE: Final = {"input_tokens": 48_000, "cached_input_tokens": 47_000, "output_tokens": 210, "total_tokens": 48_210}


class Codex(Writer):
    OVERHEAD: ClassVar[int] = 3_900
    COPIES: ClassVar[float] = 2.1

    def __init__(self, seed: int) -> None:
        super().__init__(seed)
        self._ordinal = 0
        self._sequence = 0
        self._thread = self.uuid()
        self._turn = self.uuid()
        self._begun = 0

    def begin(self) -> Iterator[Json]:
        meta = {
            "session_id": self._thread,
            "id": self._thread,
            "timestamp": self.time(),
            "cwd": "/home/dev/shop",
            "originator": "codex_exec",
            "cli_version": "0.169.0",
            "source": "exec",
            "thread_source": "user",
            "model_provider": "openai",
            "base_instructions": {"text": "You are a coding agent.", "provenance": {"type": "custom"}},
            "history_mode": "paginated",
        }
        yield self._record("session_meta", meta)

    def records(self, step: Step) -> Iterator[Json]:
        if isinstance(step, Prompt):
            return self._prompted(step)
        if isinstance(step, Closing):
            return self._closed(step)
        return self._exchanged(step)

    def _prompted(self, step: Prompt) -> Iterator[Json]:
        self._turn = self.uuid()
        self._begun = self.epoch // 1000
        yield self._event(
            "task_started",
            turn_id=self._turn,
            root_turn_id=self._turn,
            started_at=self._begun,
            model_context_window=258_400,
            collaboration_mode_kind="default",
        )
        context = {
            "turn_id": self._turn,
            "cwd": "/home/dev/shop",
            "approval_policy": "never",
            "model": "gpt-5.5",
            "summary": "none",
            "sandbox_policy": {"type": "danger-full-access"},
        }
        yield self._record("turn_context", context)
        yield self._item("message", role="user", content=[{"type": "input_text", "text": step.text}])
        yield self._completed({"type": "UserMessage", "id": self.uuid(), "content": [_text(step.text)]})

    def _closed(self, step: Closing) -> Iterator[Json]:
        yield from self._words(step.text)
        yield self._tokens()
        yield self._event(
            "task_complete",
            root_turn_id=self._turn,
            turn_id=self._turn,
            last_agent_message=step.text,
            started_at=self._begun,
            completed_at=self.epoch // 1000,
        )

    def _exchanged(self, step: Exchange) -> Iterator[Json]:
        if step.said is not None:
            yield from self._words(step.said)
        for call in step.calls:
            arguments = orjson.dumps({"cmd": call.arguments.get("command", call.name), **call.arguments}).decode()
            yield self._item(
                "function_call", status="completed", name="exec_command", arguments=arguments, call_id=call.id
            )
        yield self._usage()
        for answer in step.answers:
            if not isinstance(answer, Result):
                continue
            output = plain_content(answer)
            if answer.call is not None:
                yield self._completed(_command(answer.call, answer, output))
            head = f"Chunk ID: {self.hex(6)}\nWall time: 0.0000 seconds\nProcess exited with code {int(answer.error)}\n"
            yield self._item("function_call_output", call_id=answer.id, output=f"{head}Output:\n{output}")
        yield self._tokens()

    def _words(self, text: str) -> Iterator[Json]:
        yield self._completed({"type": "AgentMessage", "id": f"msg_{self.hex(24)}", "content": [_text(text)]})
        content = [{"type": "output_text", "text": text, "annotations": []}]
        yield self._item("message", status="completed", role="assistant", content=content)

    def _item(self, type_: str, **fields: Any) -> Json:
        self._sequence += 1
        payload = {"type": type_, "id": f"{_PREFIXES[type_]}_{self.hex(24)}", **fields}
        payload["internal_chat_message_metadata_passthrough"] = {"turn_id": self._turn}
        record = self._record("response_item", payload)
        record["metadata"] = {"history_sequence": self._sequence, "sampled_through_sequence": self._sequence - 1}
        return record

    def _completed(self, item: Json) -> Json:
        return self._event(
            "item_completed",
            thread_id=self._thread,
            turn_id=self._turn,
            item=item,
            started_at_ms=self.epoch,
            completed_at_ms=self.epoch,
        )

    def _usage(self) -> Json:
        payload = {"thread_id": self._thread, "turn_id": self._turn, "session_id": self._thread, "usage": _USAGE}
        return self._record("token_usage_record", payload | {"turn_token_usage": _USAGE, "thread_token_usage": _USAGE})

    def _tokens(self) -> Json:
        info = {"total_token_usage": _USAGE, "last_token_usage": _USAGE, "model_context_window": 258_400}
        return self._event("token_count", info=info, rate_limits={"limit_id": "codex", "primary": None})

    def _event(self, type_: str, **fields: Any) -> Json:
        return self._record("event_msg", {"type": type_, **fields})

    def _record(self, type_: str, payload: Json) -> Json:
        record = {"timestamp": self.time(), "ordinal": self._ordinal, "type": type_, "payload": payload}
        self._ordinal += 1
        return record


def _text(words: str) -> Json:
    return {"type": "text", "text": words}


def _command(call: Call, answer: Result, output: str) -> Json:
    """The event that shows a command at its end. It has the output once more."""
    return {
        "type": "CommandExecution",
        "id": call.id,
        "command": ["/bin/bash", "-lc", call.arguments.get("command", call.name)],
        "cwd": "file:///home/dev/shop",
        "source": "unified_exec_startup",
        "status": "failed" if answer.error else "completed",
        "aggregated_output": output,
        "exit_code": int(answer.error),
        "duration": {"secs": 0, "nanos": 6364},
    }
