"""What agents and toolpair themselves write into texts, and by which a text is judged: it stays."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import Final

from toolpair.formats.claude_code.retries import GO_ON
from toolpair.formats.engine.reading import context_texts
from toolpair.formats.gemini_cli.left_out import COMMANDS
from toolpair.formats.qwen_code.sending import TIMED_OUT
from toolpair.reports.redaction.vocabulary import TOKEN
from toolpair.transcript.known_systems import SYSTEMS, known_texts
from toolpair.transcript.model import PLACEHOLDER, kept_call_label, kept_output_label
from toolpair.transcript.placeholders import known_placeholder, spans_of

_TAGS: Final = (
    *("tool_use_error", "system-reminder", "persisted-output", "command-name", "command-message", "command-args"),
    *("local-command-stdout", "local-command-stderr", "local-command-caveat", "task-notification", "tool-use-id"),
    *("task-id", "bash-input", "bash-stdout", "bash-stderr", "session_context", "hook_context"),
    *("INSTRUCTIONS", "cwd", "summary", "analysis"),
    *(text.strip("<>") for text in (*context_texts.USER, *context_texts.DEVELOPER) if text[:1] == "<"),
    *("task", "user_message", "user_input", "feedback", "answer", "environment_details", "file_content", "status"),
)
"""Of tags around texts, without brackets."""
_AT_THE_START: Final = (
    r"Error: |\[ERROR\] |\[?(?:[Tt]ool )?[Ee]rror\]?:\s|Caveat: |Exit code \d{1,3}\b|Error: Exit code \d{1,3}\b",
    r"# AGENTS\.md instructions",
    re.escape(context_texts.SUMMARY),
    r"This session is being continued from a previous conversation",
    r"The conversation history before this point was compacted into the following summary:",
    r"The following is a summary of a branch that this conversation came back from:",
    r"Operation cancelled|No response requested\.|API Error: \d{3}\b|API Error",
    rf"/(?:{'|'.join(sorted(COMMANDS, reverse=True))})(?=\s|\Z)",
    r"(?:https?|file|s3|gs|vscode)://|data:[a-z]{4,12}/[\w.+-]{1,40};base64,",
)
_ANYWHERE: Final = (
    r"\[Request interrupted(?: by user(?: for tool use)?)?\]?",
    r"Output too large \([^()\n]{1,20}\)\. Full output saved to: |Preview \(first \d+KB\):",
    r"[/\\]\.(?:openclaw|clawdbot|moltbot)(?=[-/\\]|\Z)",
    r"Current (?:Workspace|Working) Directory|Current working directory: ",
)
_SHORT: Final = 60
_LEAD: Final = re.compile(r"\s{0,20}")
_MOST_LEADING: Final = 3


def spans(text: str) -> list[tuple[int, int]]:
    """What stays of a text: stretches in order, which do not overlap."""
    if len(text) < _SHORT and (GO_ON.match(text.strip()) or text.strip() == TIMED_OUT):
        return [(0, len(text))]
    found = [*(spans_of(text) if known_placeholder(text) is not None else ()), *_leading(text)]
    if "<" in text or "[" in text or "urrent" in text or "KB" in text or "/." in text or "\\." in text:
        found += [match.span() for match in _anywhere().finditer(text)]
    if not found:
        return found
    found.sort()
    apart = [found[0]]
    for start, end in found[1:]:
        if start >= apart[-1][1]:
            apart.append((start, end))
        elif end > apart[-1][1]:
            apart[-1] = (apart[-1][0], end)
    return [span for span in apart if span[1] > span[0]]


def _leading(text: str) -> Iterator[tuple[int, int]]:
    """The marks at the beginning: some stand after others."""
    at = 0
    for _ in range(_MOST_LEADING):
        lead = _LEAD.match(text, at)
        match = _leads().match(text, lead.end() if lead else at)
        if match is None:
            return
        yield match.span()
        at = match.end()


@cache
def _leads() -> re.Pattern[str]:
    said = [system.rejected for system in SYSTEMS.values() if system.rejected is not None]
    said += [system.interrupted for system in SYSTEMS.values() if system.interrupted is not None]
    own = (PLACEHOLDER, kept_call_label(None), kept_output_label(None))
    tags = "|".join(map(re.escape, _TAGS))
    return re.compile("|".join([*_AT_THE_START, *said, *map(re.escape, own), rf"</?(?:{tags})>"]))


@cache
def _anywhere() -> re.Pattern[str]:
    said = [system.interrupted for system in SYSTEMS.values() if system.interrupted is not None]
    tags = "|".join(map(re.escape, _TAGS))
    return re.compile("|".join([rf"</?(?:{tags})>", *_ANYWHERE, *said, r"(?i:operation cancelled)"]))


@cache
def words() -> frozenset[str]:
    """The words of all marks, in lower case: the copy may have them."""
    texts = [*_TAGS, *_AT_THE_START, *_ANYWHERE, PLACEHOLDER, kept_call_label(None), kept_output_label(None)]
    texts += [known.text for known in known_texts()]
    texts += [regex for system in SYSTEMS.values() for regex in (system.rejected, system.interrupted) if regex]
    texts += ["operation cancelled", "base64", GO_ON.pattern, TIMED_OUT]
    return frozenset(word.lower() for text in texts for word in TOKEN.findall(text))
