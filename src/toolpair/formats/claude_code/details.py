"""The `toolUseResult` next to a result in its record, kept consistent with the result."""

from __future__ import annotations

from typing import Any

from toolpair.formats.claude_code.outputs import said_by, worth_keeping
from toolpair.formats.claude_code.working import Working
from toolpair.transcript.draft import DraftMessage


def says_nothing(result: Any) -> bool:
    """Whether a result block is empty, or a placeholder."""
    return not isinstance(result, dict) or not worth_keeping(result.get("content"))


def forget_details(work: Working, line: DraftMessage) -> None:
    """Remove what the agent wrote along with its placeholder: that the call was interrupted, in the same words."""
    details = work.get(line, "toolUseResult")
    if isinstance(details, str) and not worth_keeping(said_by(details)[0]):
        work.unset(line, "toolUseResult")
    work.unset(line, "toolDenialKind")
