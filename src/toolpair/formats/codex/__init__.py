"""Codex: its rollouts, what it sends of them, and the agent itself."""

from __future__ import annotations

from typing import Final

from toolpair.formats.format import Format
from toolpair.formats.lazy import lazy

FORMAT: Final = Format(
    id="codex",
    title="Codex",
    where="~/.codex/sessions/<year>/<month>/<day>/rollout-<time>-<session id>.jsonl (or under $CODEX_HOME)",
    containers=frozenset({"lines"}),
    profile="openai-responses",
    agents={"codex": lazy("toolpair.formats.codex.agent:AGENT")},
    sniff=lazy("toolpair.formats.codex.rollout_lines:sniff"),
    surest=97,
    knows=lazy("toolpair.formats.codex.rollout_lines:is_own"),
    read=lazy("toolpair.formats.codex.reading:read_transcript"),
    apply=lazy("toolpair.formats.codex.editing:apply_edits"),
    session_slots=(("payload", "id"), ("payload", "session_id")),
    sees=lazy("toolpair.formats.codex.sending:sees"),
    damage=lazy("toolpair.formats.codex.damage:effects_of"),
    levels_refused=lazy("toolpair.formats.codex.rollout_lines:levels_refused"),
    check=lazy("toolpair.formats.codex.own_rules:check"),
    notes_on_fixes=lazy("toolpair.formats.codex.fix_notes:notes_on_fixes"),
    light=lazy("toolpair.formats.codex.light:light"),
    clean_by=frozenset({"openai-responses"}),
    numbered_by="ordinal",
    continues=lazy("toolpair.formats.codex.sent_items:continues"),
    relatives=lazy("toolpair.formats.codex.forks:relatives"),
    request_kept=lazy("toolpair.formats.codex.settings:request_kept"),
    ids_beside=frozenset(
        {
            *("exec_command_begin", "mcp_tool_call_begin", "patch_apply_begin", "web_search_begin"),
            *("exec_approval_request", "apply_patch_approval_request", "item_started"),
        }
    ),
    outputs_beside=frozenset({"exec_command_end", "mcp_tool_call_end", "patch_apply_end", "item_completed"}),
    time_of=lazy("toolpair.formats.engine.reading.clock:time_in"),
    usage_of=lazy("toolpair.formats.codex.settings:usage"),
)
