"""Draw the pictures of the docs with the real interface: docs/screen.svg, the short film docs/rescue.svg, and the same
as a recording that asciinema plays, docs/rescue.cast.

python scripts/make_pictures.py            write them
python scripts/make_pictures.py --check    write nothing; exit code 1 when one no longer says what is shown
"""

from __future__ import annotations

import argparse
import asyncio
import html
import json
import os
import re
import shutil
import sys
import tempfile
from io import StringIO
from pathlib import Path
from typing import TYPE_CHECKING, Final

from rich.console import Console
from rich.segment import Segment

if TYPE_CHECKING:
    from toolpair.tui.app import ToolpairApp

_ROOT: Final = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(_ROOT / "src"))

DOCS: Final = _ROOT / "docs"
SAMPLE: Final = "sanitised-on-one-side.json"
SIZE: Final = (120, 40)
FRAMES: Final = (
    ((), "classCart:", 4),
    (("space",), "defprice_of", 3),
    (("A",), "content[0].tool_use_id", 4),
    (("enter",), "Saved", 5),
)
"""The keys of each frame of the film, what shows that it is there, and how many seconds it stays."""
_REST: Final = 0.6
"""Seconds in which a frame does not change once it is whole."""
_LONGEST: Final = 60.0
_STYLE: Final = re.compile(r"\x1b\[[0-9;?]*[a-zA-Z]")
_TIME: Final = re.compile(r"toolpair-\d{8}-\d{6}")
"""In the name of an original that a save keeps."""


def text_of(svg: str) -> list[str]:
    """The lines of a picture, without spaces: those between two colours are not drawn."""
    rows: dict[float, list[tuple[float, str]]] = {}
    for x, y, text in re.findall(r'<text [^>]*?x="([\d.]+)" y="([\d.]+)"[^>]*>(.*?)</text>', svg):
        rows.setdefault(float(y), []).append((float(x), "".join(html.unescape(text).split())))
    return ["".join(text for _, text in sorted(rows[y])) for y in sorted(rows)]


def _shot(app: ToolpairApp, folder: str) -> tuple[str, str]:
    """What is shown as an SVG, and as what a terminal gets: with this folder called ~/shop, on every machine."""
    from toolpair.tui.screenshot import plain

    def renamed(segment: Segment) -> Segment:
        text = _TIME.sub("toolpair-20261121-091200", segment.text.replace(folder, "~/shop"))
        return Segment(text, segment.style, segment.control)

    size = {"width": SIZE[0], "height": SIZE[1]}
    console = Console(**size, file=StringIO(), force_terminal=True, color_system="truecolor", record=True)
    console.print(app.screen._compositor.render_update(full=True, screen_stack=app._background_screens))
    console._record_buffer[:] = segments = [renamed(each) for each in console._record_buffer if not each.control]
    written = "".join(each.style.render(each.text) if each.style else each.text for each in segments)
    return plain(console.export_svg(title="toolpair")), written.rstrip("\n").replace("\n", "\r\n")


async def drawn(folder: Path) -> list[tuple[str, str]]:
    """Each frame as an SVG, and as a terminal gets it. `folder` has the sample and is written to."""
    from toolpair.session.session import open_session
    from toolpair.tui.app import ToolpairApp

    found = []
    app = ToolpairApp(open_session(folder / SAMPLE))
    async with app.run_test(size=SIZE) as pilot:
        for keys, shows, _ in FRAMES:
            await pilot.press(*keys)
            last, written, rested, waited = "", "", 0.0, 0.0
            while rested < _REST or not any(shows in line for line in text_of(last)):
                await asyncio.sleep(0.1)
                svg, written = _shot(app, str(folder))
                svg = re.sub(r"terminal-\d+", f"frame-{len(found)}", svg)
                rested, last, waited = rested + 0.1 if svg == last else 0.0, svg, waited + 0.1
                if waited > _LONGEST:
                    raise TimeoutError(f"{shows!r} was never shown:\n" + "\n".join(text_of(last)))
            found.append((last, written))
        app.exit()
    return found


def recording_of(frames: list[str]) -> str:
    """The frames in asciinema's format, version 2: a head, then one line for each, with the second when it is drawn."""
    head = {"version": 2, "width": SIZE[0], "height": SIZE[1], "title": "toolpair fixes a session"}
    lines, at = [json.dumps(head)], 0
    for (*_, seconds), frame in zip(FRAMES, frames, strict=True):
        lines.append(json.dumps([at, "o", f"\x1b[?25l\x1b[H\x1b[2J{frame}"], ensure_ascii=False))
        at += seconds
    return "\n".join([*lines, json.dumps([at, "o", "\x1b[0m\x1b[?25h"]), ""])


def film_of(frames: list[str]) -> str:
    """The frames one after the other in one SVG, which moves by itself where that is wanted."""
    whole = sum(seconds for *_, seconds in FRAMES)
    box = re.search(r'viewBox="0 0 ([\d.]+) ([\d.]+)"', frames[0])
    assert box is not None
    styles, begun = [], 0
    for number, (*_, seconds) in enumerate(FRAMES):
        begin, end = (round(100 * at / whole, 3) for at in (begun, begun + seconds))
        begun += seconds
        hidden = "" if begin == 0 else "0% { visibility: hidden } "
        styles += [
            f"@keyframes film-{number} {{ {hidden}"
            f"{begin}% {{ visibility: visible }} {end}% {{ visibility: hidden }} }}",
            f".film-{number} {{ visibility: {'hidden' if number else 'visible'}; "
            f"animation: film-{number} {whole}s step-end infinite }}",
        ]
    styles.append("@media (prefers-reduced-motion: reduce) { [class^=film-] { animation: none } }")
    parts = [f'<g class="film-{number}">\n{svg.strip()}\n</g>' for number, svg in enumerate(frames)]
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {box[1]} {box[2]}">'
    return "\n".join([head, "<style>", *styles, "</style>", *parts, "</svg>", ""])


def made() -> dict[str, str]:
    """The pictures by the names of their files."""
    os.environ |= {"TEXTUAL_ANIMATIONS": "none", "COLORFGBG": "", "HOME": "/nowhere", "TZ": "UTC"}
    os.environ.pop("NO_COLOR", None)
    with tempfile.TemporaryDirectory() as folder:
        shutil.copy(_ROOT / "sample_sessions" / SAMPLE, folder)
        frames = asyncio.run(drawn(Path(folder).resolve()))
    pictures = [svg for svg, _ in frames]
    recording = recording_of([written for _, written in frames])
    return {"screen.svg": pictures[0], "rescue.svg": film_of(pictures), "rescue.cast": recording}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()
    pictures = made()
    if options.check:
        old = [name for name, svg in pictures.items() if _said_by(svg) != _said_by((DOCS / name).read_text("utf-8"))]
        print("".join(f"{name} is out of date\n" for name in old), end="")
        return int(bool(old))
    for name, svg in pictures.items():
        (DOCS / name).write_text(svg, encoding="utf-8")
    return 0


def _said_by(picture: str) -> list[list[str]]:
    """The lines of each frame: how they are drawn is the libraries' business."""
    if picture.startswith("{"):
        frames = [json.loads(line)[2] for line in picture.splitlines()[1:]]
        return [["".join(_STYLE.sub("", line).split()) for line in frame.split("\r\n")] for frame in frames]
    return [text_of(frame) for frame in picture.split('<g class="film-')]


if __name__ == "__main__":
    sys.exit(main())
