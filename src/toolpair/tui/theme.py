"""The colours: toolpair's own themes, and what each role is in a theme of Textual's.

A role is what a colour says. Red is what stops, amber what loses, green what is sound or saved, cyan what is applied
but not saved; everything else is muted. In our own themes the contrast of words is at least 4.5.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Final

from textual.color import Color
from textual.theme import BUILTIN_THEMES, Theme


def _theme(name: str, dark: bool, roles: dict[str, str], areas: tuple[str, str, str], bar: tuple[str, str]) -> Theme:
    """`areas`: background, surface, panel. `bar`: a scroll bar, and one under the pointer."""
    background, surface, panel = areas
    scrollbar, hover = bar
    bars = {
        "scrollbar": scrollbar, "scrollbar-hover": hover, "scrollbar-active": hover,
        "scrollbar-background": background, "scrollbar-background-hover": background,
        "scrollbar-background-active": background,
    }  # fmt: skip
    return Theme(
        name=name,
        primary=roles["hint"],
        secondary=roles["ready"],
        accent=roles["applied"],
        warning=roles["loses"],
        error=roles["stops"],
        success=roles["ready"],
        foreground=roles["words"],
        background=background,
        surface=surface,
        panel=panel,
        dark=dark,
        variables={**roles, **bars},
    )


# All are opaque: a span is drawn without what is under it, so nothing can be blended.
DARK: Final = _theme(
    "toolpair-dark",
    True,
    {
        "words": "#d5d9e8",
        "muted": "#a0a7bd", "quiet": "#9aa0b5", "rule": "#6b7389", "hint": "#7aa2f7", "stops": "#f7768e",
        "loses": "#e0af68", "ready": "#9ece6a", "applied": "#5fc9d6", "cursor-row": "#2b3350",
        "code-keyword": "#b7a8d8", "code-string": "#a9bb9b", "code-number": "#cbae90", "code-name": "#9fbbdc",
        "removed": "#3a1d26", "added": "#1a3226", "removed-mark": "#7d2f44", "added-mark": "#2c6640",
    },
    ("#16181f", "#1f222c", "#262a36"),
    ("#3a415c", "#4b5478"),
)  # fmt: skip
LIGHT: Final = _theme(
    "toolpair-light",
    False,
    {
        "words": "#1d2130",
        "muted": "#565c70", "quiet": "#5e6478", "rule": "#8a8fa0", "hint": "#2450b2", "stops": "#b3123a",
        "loses": "#7d5000", "ready": "#1c7010", "applied": "#0a6672", "cursor-row": "#dbe3f6",
        "code-keyword": "#5d4f82", "code-string": "#4a5d40", "code-number": "#705236", "code-name": "#3a5878",
        "removed": "#fbe3e6", "added": "#e1f2e0", "removed-mark": "#f3b3bd", "added-mark": "#a9dba6",
    },
    ("#fbfbf8", "#eeeee9", "#e3e3dc"),
    ("#c3cbe0", "#a9b4d2"),
)  # fmt: skip
ROLES: Final = tuple(name for name in DARK.variables if not name.startswith("scrollbar"))
OWN: Final = (DARK, LIGHT)
READABLE: Final = 4.5
"""The least contrast of words on their background."""
THEMES: Final = (*(theme.name for theme in OWN), *(name for name in BUILTIN_THEMES if not name.startswith("ansi")))
"""The themes that can be chosen. Of the terminal's own sixteen colours nobody knows how they contrast."""


def theme_for(light: bool) -> str:
    """The name of our own theme for this kind of background."""
    return LIGHT.name if light else DARK.name


def terminal_is_light() -> bool:
    """Whether COLORFGBG says that the background is light; dark if it does not say."""
    background = os.environ.get("COLORFGBG", "").rpartition(";")[2]
    return background in ("7", "15")


def roles_of(theme: Theme) -> dict[str, str]:
    """The colour of each role in a theme that does not name them, readable on every background it may have."""
    own = (DARK if theme.dark else LIGHT).variables
    named = theme.to_color_system().generate()
    background, surface = Color.parse(named["background"]), Color.parse(named["surface"])
    words = Color.parse(named["foreground"])
    words = readable(words, [background, surface], background.get_contrast_text(1.0), 2 * READABLE)
    stops, ready = Color.parse(named["error"]), Color.parse(named["success"])

    def area(colour: Color, part: float, least: float) -> Color:
        """The background tinted with a colour, as far as words on it keep their contrast."""
        steps = (background.blend(colour, part * step / 10) for step in range(10, 0, -1))
        return next((found for found in steps if contrast(words, found) >= least), background)

    areas = {
        "cursor-row": area(Color.parse(named["primary"]), 0.16, 1.4 * READABLE),
        "removed": area(stops, 0.16, 1.4 * READABLE),
        "added": area(ready, 0.16, 1.4 * READABLE),
        "removed-mark": area(stops, 0.36, READABLE),
        "added-mark": area(ready, 0.36, READABLE),
    }
    fields = Color.parse(named["panel"])
    under = [background, surface, fields, areas["cursor-row"], areas["removed"], areas["added"]]
    roles = {
        "words": words,
        "muted": background.blend(words, 0.7),
        "quiet": background.blend(words, 0.65),
        "hint": Color.parse(named["primary"]),
        "stops": stops,
        "loses": Color.parse(named["warning"]),
        "ready": ready,
        "applied": Color.parse(named["accent"]),
        **{name: Color.parse(own[name]) for name in ROLES if name.startswith("code-")},
    }
    found = {name: readable(colour, under, words) for name, colour in roles.items()}
    return {name: colour.hex6 for name, colour in {**found, **areas, "rule": background.blend(words, 0.4)}.items()}


def readable(colour: Color, under: Sequence[Color], text: Color, least: float = READABLE) -> Color:
    """The colour, blended with that of the text until it can be read on all these backgrounds."""
    for step in range(11):
        found = colour.blend(text, step / 10)
        if all(contrast(found, background) >= least for background in under):
            return found
    return text


def readable_in(theme: Mapping[str, str], own: Mapping[str, str]) -> dict[str, str]:
    """The user's own colours of roles, as far as they can be read in this theme."""
    under = [Color.parse(theme[name]) for name in ("background", "surface", "cursor-row")]
    words = Color.parse(theme["words"])
    return {role: readable(Color.parse(colour), under, words).hex6 for role, colour in own.items()}


def contrast(one: Color, other: Color) -> float:
    """The contrast of two colours, from 1 to 21, as WCAG counts it."""
    bright, dark = sorted((_luminance(one), _luminance(other)), reverse=True)
    return (bright + 0.05) / (dark + 0.05)


def _luminance(colour: Color) -> float:
    parts = (part / 12.92 if part <= 0.03928 else ((part + 0.055) / 1.055) ** 2.4 for part in colour.normalized)
    red, green, blue = parts
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue
