"""The way back to the agent: a command that can be pasted, or what to do in words."""

from __future__ import annotations

from toolpair.text.safe import SafeText, visible


def command_of(resume: str | None) -> SafeText | None:
    """The command; None where it is a sentence, or would be shown otherwise than it is."""
    if not resume or resume.endswith(".") or visible(resume) != resume:
        return None
    return visible(resume)
