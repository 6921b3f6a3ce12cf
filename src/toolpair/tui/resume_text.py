"""The resume command as it can be pasted, if it is a command rather than an instruction."""

from __future__ import annotations

from toolpair.text.safe import SafeText, visible


def command_of(resume: str | None) -> SafeText | None:
    """The command; None when it is a sentence, or cannot be shown exactly as it is."""
    if not resume or resume.endswith(".") or visible(resume) != resume:
        return None
    return visible(resume)
