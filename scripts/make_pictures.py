"""Draw the pictures of the docs with the real interface: docs/screen.svg and the short film docs/rescue.svg.

python scripts/make_pictures.py            write them
python scripts/make_pictures.py --check    write nothing; exit code 1 when one no longer says what is shown
"""

from __future__ import annotations

import argparse
import asyncio
import html
import os
import re
import shutil
import sys
import tempfile
from pathlib import Path
from typing import Final

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
_TIME: Final = re.compile(r"toolpair-\d{8}-\d{6}")
"""In the name of an original that a save keeps."""


def text_of(svg: str) -> list[str]:
    """The lines of a picture, without spaces: those between two colours are not drawn."""
    rows: dict[float, list[tuple[float, str]]] = {}
    for x, y, text in re.findall(r'<text [^>]*?x="([\d.]+)" y="([\d.]+)"[^>]*>(.*?)</text>', svg):
        rows.setdefault(float(y), []).append((float(x), "".join(html.unescape(text).split())))
    return ["".join(text for _, text in sorted(rows[y])) for y in sorted(rows)]


def _elsewhere(svg: str, folder: str) -> str:
    """The picture with this folder called ~/shop, on every machine."""

    def renamed(found: re.Match[str]) -> str:
        before, length, between, text = found.groups()
        new = text.replace(folder, "~/shop")
        letters, fewer = len(html.unescape(text)), len(text) - len(new)
        return f'{before}textLength="{round(float(length) * (letters - fewer) / letters, 1):g}"{between}>{new}</text>'

    return re.sub(r'(<text [^>]*?)textLength="([\d.]+)"([^>]*)>([^<]*)</text>', renamed, svg)


async def drawn(folder: Path) -> list[str]:
    """An SVG of each frame. `folder` has the sample and is written to."""
    from toolpair.session.session import open_session
    from toolpair.tui.app import ToolpairApp
    from toolpair.tui.screenshot import plain

    found = []
    app = ToolpairApp(open_session(folder / SAMPLE))
    async with app.run_test(size=SIZE) as pilot:
        for keys, shows, _ in FRAMES:
            await pilot.press(*keys)
            last, rested, waited = "", 0.0, 0.0
            while rested < _REST or not any(shows in line for line in text_of(last)):
                await asyncio.sleep(0.1)
                svg = _elsewhere(plain(app.export_screenshot(title="toolpair")), str(folder))
                svg = _TIME.sub("toolpair-20261121-091200", svg)
                rested, last, waited = rested + 0.1 if svg == last else 0.0, svg, waited + 0.1
                if waited > _LONGEST:
                    raise TimeoutError(f"{shows!r} was never shown:\n" + "\n".join(text_of(last)))
            found.append(re.sub(r"terminal-\d+", f"frame-{len(found)}", last))
        app.exit()
    return found


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
    return {"screen.svg": frames[0], "rescue.svg": film_of(frames)}


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


def _said_by(svg: str) -> list[list[str]]:
    """The lines of each frame: how they are drawn is the libraries' business."""
    return [text_of(frame) for frame in svg.split('<g class="film-')]


if __name__ == "__main__":
    sys.exit(main())
