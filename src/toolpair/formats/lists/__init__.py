"""Plain lists of messages or items of an API: no agent resumes them."""

from __future__ import annotations

from typing import Final

from toolpair.formats.format import Format
from toolpair.formats.lazy import lazy

_DAMAGE: Final = lazy("toolpair.formats.engine.damage.lost:effects_without_agent")
ANTHROPIC: Final = Format(
    id="anthropic",
    title="Anthropic messages",
    where="request bodies, logs and exports of programs that use the Anthropic API",
    containers=frozenset({"array", "lines"}),
    profile="anthropic",
    sniff=lazy("toolpair.formats.lists.anthropic:sniff"),
    surest=90,
    read=lazy("toolpair.formats.lists.anthropic:read"),
    apply=lazy("toolpair.formats.lists.anthropic:apply"),
    damage=_DAMAGE,
    light=lazy("toolpair.formats.lists.anthropic_light:light"),
    clean_by=frozenset({"anthropic", "vertex-anthropic"}),
)
OPENAI_CHAT: Final = Format(
    id="openai-chat",
    title="OpenAI chat messages",
    where="request bodies, logs and exports of programs that use the Chat Completions API or one like it",
    containers=frozenset({"array", "lines"}),
    profile="openai-chat",
    sniff=lazy("toolpair.formats.lists.openai_chat:sniff"),
    surest=92,
    read=lazy("toolpair.formats.lists.openai_chat:read"),
    apply=lazy("toolpair.formats.lists.openai_chat:apply"),
    damage=_DAMAGE,
    light=lazy("toolpair.formats.lists.openai_chat_light:light"),
    clean_by=frozenset({"openai-chat", "azure-openai"}),
)
OPENAI_RESPONSES: Final = Format(
    id="openai-responses",
    title="OpenAI Responses items",
    where="the `input` of request bodies, logs and exports of programs that use the Responses API",
    containers=frozenset({"array", "lines"}),
    profile="openai-responses",
    sniff=lazy("toolpair.formats.lists.openai_responses:sniff"),
    surest=91,
    read=lazy("toolpair.formats.lists.openai_responses:read"),
    apply=lazy("toolpair.formats.lists.openai_responses:apply"),
    damage=_DAMAGE,
)
FORMATS: Final = (ANTHROPIC, OPENAI_CHAT, OPENAI_RESPONSES)
