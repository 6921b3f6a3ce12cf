"""Claude Code's session files: `~/.claude/projects/**.jsonl`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from toolpair.formats.claude_code.record_kinds import is_own, sniff
from toolpair.formats.engine.reading.clock import count_in, time_in, usage_of
from toolpair.formats.format import (
    AS_RESUMED,
    Beside,
    Damage,
    Item,
    KeptRequest,
    Patch,
    ResumeEffect,
    SentRequest,
    SubagentSession,
    Usage,
    View,
)
from toolpair.transcript.edits import Edit
from toolpair.transcript.model import Message, Transcript

if TYPE_CHECKING:
    from toolpair.formats.engine.reading.light import Light


class ClaudeCode:
    """Claude Code's session file, one record per line. Modules that only some files need are imported on first use."""

    id = "claude-code"
    title = "Claude Code"
    profile = "anthropic"
    containers = frozenset({"lines"})
    id_key = "uuid"
    links = ("parentUuid", "compactMetadata")
    where = "~/.claude/projects/<folder>/<session id>.jsonl (or under $CLAUDE_CONFIG_DIR)"

    clean_by = frozenset({"anthropic"})
    ids_beside = frozenset(
        {
            "progress",  # what it keeps of an output is among the copies
            *("hook_success", "hook_additional_context", "hook_blocking_error", "hook_non_blocking_error"),
            *("hook_cancelled", "hook_permission_decision", "async_hook_response"),
        }
    )

    def light(self, view: View) -> Light:
        from toolpair.formats.claude_code.light import ClaudeCodeLight

        return ClaudeCodeLight(view)

    def sniff(self, values: Sequence[Any]) -> int:
        return sniff(values)

    def knows(self, value: dict[str, Any]) -> bool:
        return is_own(value)

    def read(self, items: Sequence[Item], view: View = AS_RESUMED) -> Transcript:
        from toolpair.formats.claude_code.reading import read_transcript

        return read_transcript(items, view)

    def apply(self, items: Sequence[Item], transcript: Transcript, edits: Sequence[Edit]) -> list[Item]:
        from toolpair.formats.claude_code.editing import apply_edits

        return apply_edits(items, transcript, edits)

    def damage(
        self, items: Sequence[Item], transcript: Transcript, found: Sequence[Damage]
    ) -> Sequence[ResumeEffect | None]:
        from toolpair.formats.claude_code.damage import effects_of

        return effects_of(items, transcript, found)

    def sees(self, items: Sequence[Item], transcript: Transcript) -> SentRequest | None:
        from toolpair.formats.claude_code.sending import sees

        return sees(items, transcript)

    def inactive(self, items: Sequence[Item], transcript: Transcript) -> Iterable[tuple[str, Sequence[Item]]]:
        from toolpair.formats.claude_code.inactive import inactive_histories

        return inactive_histories(items, transcript.tree.leaf)

    def subagent_sessions(
        self, items: Sequence[Item], transcript: Transcript, beside: Beside
    ) -> Iterable[SubagentSession]:
        from toolpair.formats.claude_code.subagent_sessions import subagent_sessions_of

        return subagent_sessions_of(items, transcript, beside)

    def continues(self, transcript: Transcript) -> Sequence[Message]:
        return ()  # a fork's file repeats what it continues

    def relatives(self, first: Sequence[Any], beside: Beside) -> Iterable[tuple[str, str]]:
        from toolpair.formats.claude_code.relatives import relatives

        return relatives(first, beside)

    def seconds_of(self, value: Any) -> float | None:
        from toolpair.formats.claude_code.kept_details import seconds_of

        return seconds_of(value)

    def patch_of(self, value: Any) -> Patch:
        from toolpair.formats.claude_code.kept_details import patch_of

        return patch_of(value)

    def output_file(self, output: str, beside: Beside) -> str | None:
        from toolpair.formats.claude_code.output_files import file_of

        return file_of(output, beside)

    def request_kept(self, items: Sequence[Item], response: int | None) -> KeptRequest:
        from toolpair.formats.claude_code.own_requests import request_kept

        return request_kept(items, response)

    def time_of(self, value: Any) -> float | None:
        return time_in(value)

    def usage_of(self, value: Any) -> Usage | None:
        message = value.get("message") if isinstance(value, dict) and value.get("type") == "assistant" else None
        usage = message.get("usage") if isinstance(message, dict) else None
        written = count_in(usage, "output_tokens")
        read = count_in(usage, "input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens")
        return usage_of(read, written)


FORMAT = ClaudeCode()
