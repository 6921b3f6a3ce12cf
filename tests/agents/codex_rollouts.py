"""Rollouts as Codex writes them. Every output says a word that is nowhere else."""

from __future__ import annotations

import json
from typing import Any, Final

THREAD: Final = "5e551011-0000-7000-8000-000000000001"
TURN: Final = "5e551011-0000-7000-8000-0000000000bb"
FOLDER: Final = "/"
"""Where it was written: a folder that is everywhere, since an agent that is resumed elsewhere reads less of the file."""
OUTPUT_OF: Final = {
    "function_call": "function_call_output",
    "local_shell_call": "function_call_output",
    "custom_tool_call": "custom_tool_call_output",
    "tool_search_call": "tool_search_output",
}

Record = dict[str, Any]


def word(name: str) -> str:
    """What the output of the call with this name says."""
    return f"word-{name}-word"


class Rollout:
    """The records of one rollout. `paginated` is how newer versions write them: with ordinals and item ids."""

    def __init__(self, paginated: bool) -> None:
        self.paginated = paginated
        self.records: list[Record] = []
        meta = {"id": THREAD, "timestamp": "2026-01-02T03:04:05.000Z", "cwd": FOLDER, "originator": "codex_exec"}
        meta |= {"cli_version": "0.169.0" if paginated else "0.40.0", "source": "exec", "model_provider": "mock"}
        if paginated:
            meta |= {"session_id": THREAD, "history_mode": "paginated"}
        self.add("session_meta", meta)

    def add(self, kind: str, payload: dict[str, Any]) -> Record:
        record = {"timestamp": "2026-01-02T03:04:05.678Z", "type": kind, "payload": payload}
        if self.paginated:
            record = {"timestamp": record["timestamp"], "ordinal": 0, "type": kind, "payload": payload}
        self.records.append(record)
        return record

    def item(self, **payload: Any) -> Record:
        if self.paginated:
            prefix = {"function_call": "fc", "custom_tool_call": "ctc", "reasoning": "rs", "message": "msg"}
            prefix |= {"function_call_output": "fco", "custom_tool_call_output": "ctco"}
            payload["id"] = f"{prefix.get(payload['type'], 'it')}_{len(self.records):08d}"
        return self.add("response_item", payload)

    def says(self, role: str, text: str) -> Record:
        kind = "output_text" if role == "assistant" else "input_text"
        return self.item(type="message", role=role, content=[{"type": kind, "text": text}])

    def begins(self, text: str) -> None:
        """A turn of the user."""
        self.add("event_msg", {"type": "task_started", "turn_id": TURN, "model_context_window": 258400})
        context: dict[str, Any] = {"cwd": FOLDER, "approval_policy": "never", "model": "gpt-5.5", "summary": "none"}
        context |= {"turn_id": TURN, "sandbox_policy": {"type": "danger-full-access"}}
        if self.paginated:
            settings = {"model": "gpt-5.5", "reasoning_effort": None, "developer_instructions": None}
            context |= {"root_turn_id": TURN, "disabled_plugin_ids": [], "approvals_reviewer": "user"}
            context |= {"permission_profile": {"type": "disabled"}, "comp_hash": "2911", "multi_agent_version": "v1"}
            context |= {"collaboration_mode": {"mode": "default", "settings": settings}, "realtime_active": False}
        self.add("turn_context", context)
        if self.paginated:
            settings = {"model": "gpt-5.5", "model_provider_id": "mock", "runtime_workspace_roots": [FOLDER]}
            settings |= {name: context[name] for name in ("cwd", "approval_policy", "approvals_reviewer")}
            settings |= {name: context[name] for name in ("permission_profile", "collaboration_mode")}
            settings |= {"requested_approvals_reviewer": "user", "disabled_plugin_ids": []}
            applied = {"type": "thread_settings_applied", "thread_id": THREAD, "thread_settings": settings}
            self.add("event_msg", applied)
        self.says("user", text)
        self.add("event_msg", {"type": "user_message", "message": text, "images": []})

    def call(self, name: str, kind: str = "function_call") -> Record:
        payload: dict[str, Any] = {"type": kind, "call_id": f"call_{name}"}
        if kind == "function_call":
            payload |= {"name": "exec_command", "arguments": json.dumps({"cmd": f"echo {name}"})}
        elif kind == "custom_tool_call":
            payload |= {"name": "apply_patch", "status": "completed", "input": f"*** Begin Patch {name}"}
        elif kind == "local_shell_call":
            payload |= {"status": "completed", "action": {"type": "exec", "command": ["echo", name], "env": {}}}
        else:
            payload |= {"execution": "client", "status": "completed", "arguments": {"query": name}}
        return self.item(**payload)

    def output(self, name: str, kind: str = "function_call") -> Record:
        payload: dict[str, Any] = {"type": OUTPUT_OF[kind], "call_id": f"call_{name}"}
        if kind == "tool_search_call":
            payload |= {"status": "completed", "execution": "client", "tools": []}
        else:
            payload |= {"output": f"Process exited with code 0\nOutput:\n{word(name)}\n"}
        return self.item(**payload)

    def ran(self, name: str) -> Record:
        """The event that a command ended, with its output."""
        item = {"type": "CommandExecution", "id": f"call_{name}", "command": ["echo", name], "cwd": "file:///tmp"}
        item |= {"status": "completed", "aggregated_output": f"{word(name)}\n", "exit_code": 0}
        item |= {"process_id": "1", "parsed_cmd": [], "source": "unified_exec_startup"}
        item |= {"duration": {"secs": 0, "nanos": 1}}
        payload = {"type": "item_completed", "thread_id": THREAD, "turn_id": TURN, "item": item}
        return self.add("event_msg", payload | {"started_at_ms": 1, "completed_at_ms": 2})

    def of(self, name: str, *, output: bool = False) -> Record:
        """The record of a call, or of its output."""
        return next(found for found in self.all_of(name) if ("output" in found["payload"]["type"]) == output)

    def all_of(self, name: str) -> list[Record]:
        return [found for found in self.records if found["payload"].get("call_id") == f"call_{name}"]

    def drop(self, *records: Record) -> None:
        self.records = [kept for kept in self.records if not any(kept is found for found in records)]

    def insert(self, behind: Record, record: Record) -> None:
        self.records.insert(next(n for n, found in enumerate(self.records) if found is behind) + 1, record)

    def lines(self) -> list[bytes]:
        if self.paginated:
            for ordinal, record in enumerate(self.records):
                record["ordinal"] = ordinal
        return [json.dumps(record, ensure_ascii=False, separators=(",", ":")).encode() for record in self.records]

    def data(self) -> bytes:
        return b"".join(line + b"\n" for line in self.lines())


def whole(paginated: bool = True, shell: str = "function_call") -> Rollout:
    """Two turns: three parallel calls, reasoning with one call, a patch; then one call more."""
    made = Rollout(paginated)
    made.begins("Look at everything.")
    made.says("assistant", "Three at once.")
    for name in "abc":
        made.call(name)
    for name in "abc":
        made.ran(name)
        made.output(name)
    made.item(type="reasoning", summary=[], encrypted_content="bW9jaw==")
    made.call("d", shell)
    made.output("d", shell)
    made.call("p", "custom_tool_call")
    made.output("p", "custom_tool_call")
    made.says("assistant", "All done.")
    made.begins("And the rest?")
    made.call("e")
    made.output("e")
    made.says("assistant", "Nothing left.")
    return made
