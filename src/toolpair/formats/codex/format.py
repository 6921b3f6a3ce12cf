"""Codex's rollouts: `~/.codex/sessions/**/rollout-*.jsonl`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from toolpair.formats.codex.rollout_lines import LEVELS, is_too_deep, skipped
from toolpair.formats.engine.reading.clock import count_in
from toolpair.formats.format import (
    Item,
    SentRequest,
    Usage,
    View,
)
from toolpair.rules.problem import Fix
from toolpair.transcript.model import Message, Transcript

if TYPE_CHECKING:
    from toolpair.formats.engine.reading.light import Light


def light(view: View) -> Light:
    from toolpair.formats.codex.light import CodexLight

    return CodexLight()


def levels_refused(value: Any) -> int | None:
    return LEVELS if is_too_deep(value) else None


def sees(items: Sequence[Item], transcript: Transcript) -> SentRequest | None:
    from toolpair.formats.codex.own_rules import begins_file, refusal
    from toolpair.formats.codex.reading import AGENT
    from toolpair.formats.codex.sending import sent_by
    from toolpair.formats.codex.sent_items import facts_of

    refuses = refusal(items, begins_file(transcript), facts_of(transcript).missing)
    return sent_by(AGENT, transcript, skipped(items), refuses)


def notes_on_fixes(items: Sequence[Item], transcript: Transcript, fixes: Sequence[Fix]) -> list[str | None]:
    if not fixes:
        return []
    from toolpair.formats.codex.fix_notes import notes_on

    return notes_on(items, transcript, fixes)


def continues(transcript: Transcript) -> Sequence[Message]:
    from toolpair.formats.codex.sent_items import facts_of

    return facts_of(transcript).before


def usage(value: Any) -> Usage | None:
    payload = value.get("payload") if isinstance(value, dict) and value.get("type") == "event_msg" else None
    info = payload.get("info") if isinstance(payload, dict) and payload.get("type") == "token_count" else None
    if not isinstance(info, dict):
        return None
    last = info.get("last_token_usage")
    total = count_in(last, "total_tokens")
    limit = count_in(info, "model_context_window")
    return Usage(total, count_in(last, "output_tokens"), limit or None) if total else None
