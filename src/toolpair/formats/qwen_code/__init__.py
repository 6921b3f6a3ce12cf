"""Qwen Code: its session files, what it sends of them, and the agent itself."""

from __future__ import annotations

from typing import Final

from toolpair.formats.format import Format
from toolpair.formats.lazy import lazy

FORMAT: Final = Format(
    id="qwen-code",
    title="Qwen Code",
    where="~/.qwen/projects/<folder>/chats/<session id>.jsonl (or under $QWEN_RUNTIME_DIR or $QWEN_HOME)",
    containers=frozenset({"lines"}),
    profile="openai-chat",
    agents={"qwen-code": lazy("toolpair.formats.qwen_code.agent:AGENT")},
    sniff=lazy("toolpair.formats.qwen_code.detection:sniff"),
    surest=95,
    knows=lazy("toolpair.formats.qwen_code.detection:knows"),
    profile_for=lazy("toolpair.formats.qwen_code.detection:profile_for"),
    read=lazy("toolpair.formats.qwen_code.history:read"),
    apply=lazy("toolpair.formats.qwen_code.writing:apply"),
    session_slots=(("sessionId",),),
    id_key="uuid",
    links=("parentUuid",),
    sees=lazy("toolpair.formats.qwen_code.sending:sees"),
    damage=lazy("toolpair.formats.qwen_code.checks:damage"),
    check=lazy("toolpair.formats.qwen_code.checks:check"),
    light=lazy("toolpair.formats.qwen_code.light:light"),
    clean_by=frozenset({"openai-chat", "anthropic", "gemini"}),
    inactive=lazy("toolpair.formats.qwen_code.history:inactive"),
    request_kept=lazy("toolpair.formats.qwen_code.history:request_kept"),
    ids_beside=frozenset({"ui_telemetry"}),
    time_of=lazy("toolpair.formats.engine.reading.clock:time_in"),
    usage_of=lazy("toolpair.formats.qwen_code.history:usage"),
)
