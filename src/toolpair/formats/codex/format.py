"""Codex's rollouts: `~/.codex/sessions/**/rollout-*.jsonl`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from toolpair.formats.codex.rollout_lines import LEVELS, is_own, is_too_deep, skipped, sniff
from toolpair.formats.engine.reading.clock import count_in, time_in
from toolpair.formats.format import (
    AS_RESUMED,
    Beside,
    Damage,
    Item,
    KeptRequest,
    ResumeEffect,
    SentRequest,
    Usage,
    View,
)
from toolpair.rules.context import Context
from toolpair.rules.problem import Fix
from toolpair.transcript.edits import Edit
from toolpair.transcript.model import Message, Transcript

if TYPE_CHECKING:
    from toolpair.formats.engine.reading.light import Light


class Codex:
    """A Codex rollout, one record per line. Modules that only some files need are imported on first use."""

    id = "codex"
    title = "Codex"
    profile = "openai-responses"
    containers = frozenset({"lines"})
    where = "~/.codex/sessions/<year>/<month>/<day>/rollout-<time>-<session id>.jsonl (or under $CODEX_HOME)"

    clean_by = frozenset({"openai-responses"})
    ids_beside = frozenset(
        {
            *("exec_command_begin", "mcp_tool_call_begin", "patch_apply_begin", "web_search_begin"),
            *("exec_approval_request", "apply_patch_approval_request", "item_started"),
        }
    )
    outputs_beside = frozenset({"exec_command_end", "mcp_tool_call_end", "patch_apply_end", "item_completed"})

    def light(self, view: View) -> Light:
        from toolpair.formats.codex.light import CodexLight

        return CodexLight()

    def sniff(self, values: Sequence[Any]) -> int:
        return sniff(values)

    def knows(self, value: dict[str, Any]) -> bool:
        return is_own(value)

    def read(self, items: Sequence[Item], view: View = AS_RESUMED) -> Transcript:
        from toolpair.formats.codex.reading import read_transcript

        return read_transcript(items, view)

    def apply(self, items: Sequence[Item], transcript: Transcript, edits: Sequence[Edit]) -> list[Item]:
        from toolpair.formats.codex.editing import apply_edits

        return apply_edits(items, transcript, edits)

    def damage(
        self, items: Sequence[Item], transcript: Transcript, found: Sequence[Damage]
    ) -> Sequence[ResumeEffect | None]:
        from toolpair.formats.codex.damage import effects_of

        return effects_of(items, transcript, found)

    def levels_refused(self, value: Any) -> int | None:
        return LEVELS if is_too_deep(value) else None

    def sees(self, items: Sequence[Item], transcript: Transcript) -> SentRequest | None:
        from toolpair.formats.codex.own_rules import begins_file, refusal
        from toolpair.formats.codex.reading import AGENT
        from toolpair.formats.codex.sending import sent_by
        from toolpair.formats.codex.sent_items import facts_of

        refuses = refusal(items, begins_file(transcript), facts_of(transcript).missing)
        return sent_by(AGENT, transcript, skipped(items), refuses)

    def check(self, context: Context, items: Sequence[Item], view: View) -> None:
        from toolpair.formats.codex.own_rules import check

        check(context, items, view)

    def notes_on_fixes(self, items: Sequence[Item], transcript: Transcript, fixes: Sequence[Fix]) -> list[str | None]:
        if not fixes:
            return []
        from toolpair.formats.codex.fix_notes import notes_on

        return notes_on(items, transcript, fixes)

    def continues(self, transcript: Transcript) -> Sequence[Message]:
        from toolpair.formats.codex.sent_items import facts_of

        return facts_of(transcript).before

    def relatives(self, first: Sequence[Any], beside: Beside) -> Iterable[tuple[str, str]]:
        from toolpair.formats.codex.forks import relatives

        return relatives(first, beside)

    def request_kept(self, items: Sequence[Item], response: int | None) -> KeptRequest:
        from toolpair.formats.codex.settings import request_kept

        return request_kept(items, response)

    def time_of(self, value: Any) -> float | None:
        return time_in(value)

    def usage_of(self, value: Any) -> Usage | None:
        payload = value.get("payload") if isinstance(value, dict) and value.get("type") == "event_msg" else None
        info = payload.get("info") if isinstance(payload, dict) and payload.get("type") == "token_count" else None
        if not isinstance(info, dict):
            return None
        last = info.get("last_token_usage")
        total = count_in(last, "total_tokens")
        limit = count_in(info, "model_context_window")
        return Usage(total, count_in(last, "output_tokens"), limit or None) if total else None


FORMAT = Codex()
