"""Which histories can be read stretch by stretch: by format and profile, one line each."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from toolpair.formats.format import AS_RESUMED, View
from toolpair.history.outline import LEAST, HistoryScan
from toolpair.history.scans.anthropic_scan import BlocksScan
from toolpair.history.scans.chat_scan import ChatScan
from toolpair.rules.profiles import Profile


def _blocks(profile: Profile, declared: Any, least: int, *, count_outputs: bool, view: View) -> HistoryScan:
    return BlocksScan(profile, declared, least, count_outputs=count_outputs)


def _chat(profile: Profile, declared: Any, least: int, *, count_outputs: bool, view: View) -> HistoryScan:
    return ChatScan(profile, declared, least, count_outputs=count_outputs)


def _claude_code(profile: Profile, declared: Any, least: int, *, count_outputs: bool, view: View) -> HistoryScan:
    from toolpair.history.scans.claude_code_scan import ClaudeCodeScan

    return ClaudeCodeScan(profile, view, least)


def _codex(profile: Profile, declared: Any, least: int, *, count_outputs: bool, view: View) -> HistoryScan:
    from toolpair.history.scans.codex_scan import CodexScan

    return CodexScan(profile, least)


_SCANS: Final[Mapping[str, tuple[Callable[..., HistoryScan], frozenset[str]]]] = {
    "anthropic": (_blocks, frozenset({"anthropic", "vertex-anthropic"})),
    "claude-code": (_claude_code, frozenset({"anthropic"})),
    "codex": (_codex, frozenset({"openai-responses"})),
    "openai-chat": (_chat, frozenset({"openai-chat", "azure-openai"})),
}
"""Format -> its scan, and the profiles by which nothing is wrong with what that takes for plain."""


def scan_for(
    format_id: str,
    profile: Profile,
    declared: frozenset[str] | None = None,
    least: int = LEAST,
    *,
    count_outputs: bool = True,
    view: View = AS_RESUMED,
) -> HistoryScan | None:
    """A scan for histories of this format; None when they are judged as a whole.

    `view`: how the file is looked at; outputs may be found in the files beside it.
    """
    make, profiles = _SCANS.get(format_id, (None, frozenset()))
    if make is None or profile.base not in profiles:
        return None
    return make(profile, declared, least, count_outputs=count_outputs, view=view)
