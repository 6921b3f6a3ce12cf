"""Messages that Codex itself writes in the user or developer role; they are not turns of a person."""

from __future__ import annotations

from typing import Any, Final

from toolpair.dialects.openai_responses import texts_of, type_of

USER: Final = (
    "<environment_context>",
    "<user_instructions>",
    "# agents.md instructions",
    "<turn_aborted>",
    "<skill>",
    "<user_shell_command>",
    "<subagent_notification>",
    "<recommended_plugins>",
    "<goal_context>",
    "<legacy_warning>",
)
"""How such texts in the user role begin, in lower case."""
DEVELOPER: Final = (
    "<permissions instructions>",
    "<model_switch>",
    "<collaboration_mode>",
    "<multi_agent_mode>",
    "<realtime_conversation>",
    "<skills_instructions>",
    "<personality_spec>",
    "<token_budget>",
    "<token_budget_reminder>",
    "<context_window>",
    "<context_window_guidance>",
    "<rollout_budget>",
)
"""The same for the developer role."""
SUMMARY: Final = "Another language model started to solve this problem and produced a summary"


def _begins(item: dict[str, Any], prefixes: tuple[str, ...]) -> bool:
    return any(text.lstrip()[:40].lower().startswith(prefixes) for text in texts_of(item))


def is_context(item: Any) -> bool:
    """Whether it is a user or developer message that only describes the context."""
    if type_of(item) != "message":
        return False
    if item.get("role") == "user":
        return _begins(item, USER)
    return item.get("role") == "developer" and _begins(item, DEVELOPER)


def begins_turn(item: Any) -> bool:
    """Whether a rollback counts the item as the start of a turn."""
    type_ = type_of(item)
    if type_ == "agent_message":
        return True
    return type_ == "message" and item.get("role") == "user" and not is_context(item)


def is_summary(item: Any) -> bool:
    """Whether it is the summary that a compaction left."""
    return type_of(item) == "message" and any(text.startswith(SUMMARY) for text in texts_of(item))
