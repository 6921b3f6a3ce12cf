"""toolpair's own colours, for dark and light terminals."""

from __future__ import annotations

import os

from textual.theme import Theme

# "muted" and "faint" are opaque colours: a span is drawn without what is under it, so nothing can be blended.
DARK = Theme(
    name="toolpair-dark",
    primary="#7aa2f7",
    secondary="#9ece6a",
    accent="#e0af68",
    warning="#e0af68",
    error="#f7768e",
    success="#9ece6a",
    foreground="#d5d9e8",
    background="#16181f",
    surface="#1f222c",
    panel="#262a36",
    dark=True,
    variables={
        "muted": "#a0a7bd",
        "faint": "#565d74",
        "quiet": "#9aa0b5",
        "code-keyword": "#b7a8d8",
        "code-string": "#a9bb9b",
        "code-number": "#cbae90",
        "code-name": "#9fbbdc",
        "removed": "#3a1d26",
        "added": "#1a3226",
        "removed-mark": "#7d2f44",
        "added-mark": "#2c6640",
    },
)
LIGHT = Theme(
    name="toolpair-light",
    primary="#2450b2",
    secondary="#3f7d20",
    accent="#8a5a00",
    warning="#8a5a00",
    error="#b3123a",
    success="#2f6f1b",
    foreground="#1d2130",
    background="#fbfbf8",
    surface="#eeeee9",
    panel="#e3e3dc",
    dark=False,
    variables={
        "muted": "#5b6176",
        "faint": "#a7abb8",
        "quiet": "#5e6478",
        "code-keyword": "#5d4f82",
        "code-string": "#4a5d40",
        "code-number": "#705236",
        "code-name": "#3a5878",
        "removed": "#fbe3e6",
        "added": "#e1f2e0",
        "removed-mark": "#f3b3bd",
        "added-mark": "#a9dba6",
    },
)


def terminal_is_light() -> bool:
    """Whether COLORFGBG says that the background is light; dark if it does not say."""
    background = os.environ.get("COLORFGBG", "").rpartition(";")[2]
    return background in ("7", "15")
