"""Screenshots of the real interface: `python -m toolpair.tui.screenshot FILE OUT.svg [WIDTHxHEIGHT]`."""

from __future__ import annotations

import asyncio
import os
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from toolpair.session.session import open_session
from toolpair.tui.app import ToolpairApp

_REST: Final = 1.0
"""Seconds for what is drawn when no key is pressed."""
_FONT_FACE: Final = re.compile(r"@font-face \{.*?\}\s*", re.DOTALL)


def screenshot(path: str | Path, size: tuple[int, int] = (100, 30), keys: Sequence[str] = ()) -> str:
    """An SVG of what `toolpair path` shows at `size` (columns, lines) after `keys`, in Textual's names."""
    os.environ["TEXTUAL_ANIMATIONS"] = "none"
    return asyncio.run(_draw(path, size, keys))


async def _draw(path: str | Path, size: tuple[int, int], keys: Sequence[str]) -> str:

    app = ToolpairApp(open_session(path))
    async with app.run_test(size=size) as pilot:
        await pilot.pause()
        for key in keys:
            await pilot.press(key)
            await pilot.pause()
        await pilot.pause(_REST)
        return plain(app.export_screenshot(title="toolpair"))


def plain(svg: str) -> str:
    """The picture as it can be put anywhere."""
    # It must not fetch anything: the reader's own monospace font is used.
    svg = _FONT_FACE.sub("", svg)
    # Fira Code has ligatures; a picture of a terminal must not.
    return svg.replace("</style>", "text { font-variant-ligatures: none; }\n</style>", 1)


def main() -> None:
    """Draw FILE to OUT.svg."""
    import sys

    if len(sys.argv) not in (3, 4):
        sys.exit("usage: python -m toolpair.tui.screenshot FILE OUT.svg [WIDTHxHEIGHT]")
    columns, _, lines = (sys.argv[3] if len(sys.argv) == 4 else "100x30").partition("x")
    Path(sys.argv[2]).write_text(screenshot(sys.argv[1], (int(columns), int(lines))), encoding="utf-8")


if __name__ == "__main__":
    main()
