"""Claude Code: its session files, what it sends of them, and the agent itself."""

from __future__ import annotations

from typing import Final

from toolpair.formats.format import Format
from toolpair.formats.lazy import lazy

FORMAT: Final = Format(
    id="claude-code",
    title="Claude Code",
    where="~/.claude/projects/<folder>/<session id>.jsonl (or under $CLAUDE_CONFIG_DIR)",
    containers=frozenset({"lines"}),
    profile="anthropic",
    agents={"claude-code": lazy("toolpair.formats.claude_code.agent:AGENT")},
    sniff=lazy("toolpair.formats.claude_code.record_kinds:sniff"),
    surest=95,
    knows=lazy("toolpair.formats.claude_code.record_kinds:is_own"),
    read=lazy("toolpair.formats.claude_code.reading:read_transcript"),
    apply=lazy("toolpair.formats.claude_code.editing:apply_edits"),
    session_slots=(("sessionId",),),
    id_key="uuid",
    links=("parentUuid", "compactMetadata"),
    sees=lazy("toolpair.formats.claude_code.sending:sees"),
    damage=lazy("toolpair.formats.claude_code.damage:effects_of"),
    light=lazy("toolpair.formats.claude_code.light:ClaudeCodeLight"),
    clean_by=frozenset({"anthropic"}),
    inactive=lazy("toolpair.formats.claude_code.branches:inactive"),
    subagent_sessions=lazy("toolpair.formats.claude_code.subagent_sessions:subagent_sessions_of"),
    relatives=lazy("toolpair.formats.claude_code.subagent_sessions:relatives"),
    request_kept=lazy("toolpair.formats.claude_code.own_requests:request_kept"),
    ids_beside=frozenset(
        {
            "progress",  # what it keeps of an output is among the copies
            *("hook_success", "hook_additional_context", "hook_blocking_error", "hook_non_blocking_error"),
            *("hook_cancelled", "hook_permission_decision", "async_hook_response"),
        }
    ),
    time_of=lazy("toolpair.formats.engine.reading.clock:time_in"),
    usage_of=lazy("toolpair.formats.claude_code.own_requests:usage"),
    seconds_of=lazy("toolpair.formats.claude_code.own_requests:seconds_of"),
    patch_of=lazy("toolpair.formats.claude_code.own_requests:patch_of"),
    output_file=lazy("toolpair.formats.claude_code.output_files:file_of"),
)
