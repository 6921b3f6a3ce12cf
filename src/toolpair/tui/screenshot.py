"""Pictures of the real screen, for the documentation."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Sequence
from pathlib import Path


def screenshot(path: str | Path, size: tuple[int, int] = (100, 30), keys: Sequence[str] = ()) -> str:
    """An SVG of what `toolpair path` shows at `size` (columns, lines) after `keys`, in Textual's names."""
    os.environ["TEXTUAL_ANIMATIONS"] = "none"
    return asyncio.run(_draw(path, size, keys))


async def _draw(path: str | Path, size: tuple[int, int], keys: Sequence[str]) -> str:
    from toolpair.session import open_session
    from toolpair.tui.app import ToolpairApp

    app = ToolpairApp(open_session(path))
    async with app.run_test(size=size) as pilot:
        await pilot.pause()
        for key in keys:
            await pilot.press(key)
            await pilot.pause()
        svg = app.export_screenshot(title="toolpair")
    # Fira Code joins some signs into one; a picture of a terminal must not.
    return svg.replace("</style>", "text { font-variant-ligatures: none; }\n</style>", 1)
