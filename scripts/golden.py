"""Write down all that toolpair says of many files, so that two states of the program can be compared byte by byte.

    python scripts/golden.py OUT [PATH...]      of the samples, of generated sessions and of PATHs, into the folder OUT
    diff -r BEFORE AFTER                        what a change has changed for those who use it
    python scripts/golden.py --small tests/golden   the short answers about the samples, which a test compares

Besides, of the sessions in which the tests plant defects: what their agents make of each problem.

Every file gets a folder, every command a file in it: arguments, exit code, standard output, standard error. What is
long is its length and its hash. Frames of the interface are drawn at three sizes.
"""

from __future__ import annotations

import argparse
import contextlib
import hashlib
import io
import os
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Final

_ROOT: Final = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(_ROOT), str(_ROOT / "src")]

_LONG: Final = 100_000
"""Characters of one answer that are written down; of more only the hash."""
_LARGE: Final = 1_000_000
"""Bytes of a file of which no frame is drawn, and on which no recipe but the first is tried."""
_VERSION: Final = ["--agent-version", "2.1.330"]
_SIZES: Final = ((80, 24), (120, 40), (200, 60))
_IN_MEMORY: Final = "/dev/shm"
_SHORT: Final = 4_000
"""Bytes that an answer may have which is kept with the tests."""
_KEPT: Final = ("check-text", "check-json", "diff-recommended", "sees-text", "compare")
_DRAWN: Final = ("sanitised-on-one-side.json", "claude-code-branches.jsonl")
"""The samples whose first frame is kept with the tests."""
_SCENES: Final[dict[str, tuple[str, ...]]] = {
    "first": (),
    "next": ("]",),
    "ways": ("f",),
    "bytes": ("p",),
    "fixed": ("space",),
    "all": ("A",),
    "recipes": ("M",),
    "seen": ("s",),
    "viewer": ("enter",),
}
_GENERATED: Final = (
    ("claude-code.jsonl", "--format claude-code"),
    ("claude-code-dense.jsonl", "--format claude-code --problems 200"),
    ("codex.jsonl", "--format codex --problems 20"),
    ("anthropic.jsonl", "--format anthropic --problems 20"),
    ("anthropic.json", "--format anthropic --layout request --problems 20"),
    ("openai-chat.jsonl", "--format openai-chat --problems 20"),
)


def main() -> None:
    """Write OUT."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", metavar="OUT", type=Path)
    parser.add_argument("paths", metavar="PATH", nargs="*", type=Path)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--no-frames", action="store_true", help="only what commands print")
    parser.add_argument("--small", action="store_true", help="only what is kept with the tests")
    parser.add_argument("--no-planted", action="store_true", help="nothing about the planted sessions")
    options = parser.parse_args()
    if options.small and options.paths:
        parser.error("--small is about the samples alone")
    out = options.out.resolve()
    shutil.rmtree(out, ignore_errors=True)
    write = _small if options.small else _all
    write(out, [path.resolve() for path in options.paths], options)
    if not options.no_planted:
        _planted(out / "outcomes")
    print(f"{sum(path.is_file() for path in out.rglob('*')):,} answers in {out}")


def _all(out: Path, paths: list[Path], options: argparse.Namespace) -> None:
    with tempfile.TemporaryDirectory() as folder, ProcessPoolExecutor(options.jobs) as workers:
        inputs = Path(folder, "files")
        _samples(inputs / "samples")
        _gather(paths, inputs)
        home = Path(folder, "home")
        home.mkdir()
        done = [
            workers.submit(_write_down, inputs, path.relative_to(inputs), out, home, not options.no_frames)
            for path in sorted(inputs.rglob("*"))
            if path.is_file()
        ]
        done.append(workers.submit(_general, out / "general", home))
        for one in done:
            one.result()


def _small(out: Path, paths: list[Path], options: argparse.Namespace) -> None:
    with tempfile.TemporaryDirectory() as folder:
        home, inputs = Path(folder, "home"), Path(folder, "samples")
        home.mkdir()
        _samples(inputs)
        _calm(home)
        os.chdir(inputs)
        for path in sorted(inputs.iterdir()):
            into = out / path.name
            into.mkdir(parents=True)
            for answer, arguments in _commands(path.name, large=False):
                said = _run(arguments).encode(errors="surrogateescape") if answer in _KEPT else b""
                if 0 < len(said) <= _SHORT:
                    (into / f"{answer}.txt").write_bytes(said)
            if path.name in _DRAWN and not options.no_frames:
                for size in _SIZES:
                    (into / _frame_name("first", size)).write_text(_frame(Path(path.name), size, ()), encoding="utf-8")
        os.chdir(_ROOT)


def _planted(out: Path) -> None:
    from tests.planted_corpora import CORPORA, decisions

    out.mkdir()
    for agent in CORPORA:
        # Memory, where a folder is kept there: many small databases are written.
        with tempfile.TemporaryDirectory(dir=_IN_MEMORY if os.path.isdir(_IN_MEMORY) else None) as folder:
            (out / f"{agent}.txt").write_text(decisions(agent, Path(folder)), encoding="utf-8")


def _samples(folder: Path) -> None:
    shutil.copytree(_ROOT / "sample_sessions", folder, ignore=shutil.ignore_patterns("*.py", "*.md", "__pycache__"))


def _gather(paths: list[Path], folder: Path) -> None:
    """Copies, so that what is said of a file never names where the original lies."""
    from benchmarks.generate import main as generate

    for path in paths:
        copy = shutil.copytree if path.is_dir() else shutil.copy2
        copy(path, folder / path.name)
    made = folder / "generated"
    made.mkdir()
    for name, words in _GENERATED:
        with contextlib.redirect_stdout(io.StringIO()):
            generate([str(made / name), "--size", "300KB", *words.split()])


def _write_down(inputs: Path, name: Path, out: Path, home: Path, frames: bool) -> None:
    """All answers about one file."""
    _calm(home)
    os.chdir((inputs / name).parent)
    into = out / name
    into.mkdir(parents=True)
    large = os.path.getsize(name.name) > _LARGE
    for answer, arguments in _commands(name.name, large):
        (into / f"{answer}.txt").write_text(_run(arguments), encoding="utf-8", errors="surrogateescape")
    if frames and not large and _run(["check", "--", name.name]).partition("\n")[2].startswith(("exit 0", "exit 1")):
        for size in _SIZES:
            for scene, keys in _SCENES.items():
                (into / _frame_name(scene, size)).write_text(
                    _frame(Path(name.name), size, keys), encoding="utf-8", errors="surrogateescape"
                )


def _general(out: Path, home: Path) -> None:
    """What is supported, and help."""
    from toolpair.rules.pages import pages

    _calm(home)
    out.mkdir(parents=True)
    for command in ("formats", "profiles", "rules", "recipes"):
        for form in ("text", "json"):
            answer = _run([command, "--output-format", form])
            (out / f"{command}-{form}.txt").write_text(answer, encoding="utf-8")
    for command in ("check", "fix", "explain", "sees", "compare", "restore", "sessions"):
        (out / f"{command}-help.txt").write_text(_run([command, "--help"]), encoding="utf-8")
    for rule in pages():
        (out / f"explain-{rule}.txt").write_text(_run(["explain", rule]), encoding="utf-8")


def _commands(file: str, large: bool) -> Iterator[tuple[str, list[str]]]:
    from toolpair.recipes import RECIPES

    for form in ("text", "json", "jsonl", "sarif", "github"):
        yield f"check-{form}", ["check", *_VERSION, "--output-format", form, "--", file]
    yield "check-content", ["check", *_VERSION, "--show-content", "--inactive", "--", file]
    for form in ("text", "json"):
        yield f"sees-{form}", ["sees", *_VERSION, "--output-format", form, "--", file]
    yield "compare", ["compare", *_VERSION, "--", file]
    for recipe in list(RECIPES)[: 1 if large else None]:
        yield f"fix-{recipe}", ["fix", *_VERSION, "--recipe", recipe, "-o", "-", "--", file]
        yield f"diff-{recipe}", ["fix", *_VERSION, "--recipe", recipe, "--diff", "--", file]
    if not large:
        for profile in ("openai-chat", "openai-responses", "gemini", "bedrock-converse"):
            yield f"check-{profile}", ["check", *_VERSION, "--profile", profile, "--", file]


def _run(arguments: list[str]) -> str:
    from toolpair.cli.main import main as toolpair

    out, error = (io.TextIOWrapper(io.BytesIO(), encoding="utf-8", write_through=True) for _ in range(2))
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(error):
        code = toolpair(arguments)
    said = "\n".join(_short(stream) for stream in (out, error))
    return f"toolpair {' '.join(arguments)}\nexit {code}\n{said}"


def _short(stream: io.TextIOWrapper) -> str:
    stream.flush()
    data = stream.buffer.getvalue()  # type: ignore[attr-defined]
    if len(data) > _LONG:
        return f"{len(data):,} bytes, SHA-256 {hashlib.sha256(data).hexdigest()}\n"
    return str(data.decode("utf-8", "surrogateescape"))


def _frame_name(scene: str, size: tuple[int, int]) -> str:
    return f"{scene}-{size[0]}x{size[1]}.txt"


def _frame(path: Path, size: tuple[int, int], keys: tuple[str, ...]) -> str:
    from tests.tui.driving import at_rest, drive, press

    frames: list[str] = []

    async def play(app: object, pilot: object) -> None:
        await press(pilot, *keys)  # type: ignore[arg-type]
        frames.append(await at_rest(pilot, app))  # type: ignore[arg-type]

    _quietly(lambda: drive(path, play, size))  # type: ignore[arg-type]
    return frames[0] + "\n"


def _quietly(action: Callable[[], object]) -> None:
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        action()


def _calm(home: Path) -> None:
    """The same on every machine and at every hour."""
    for name in [name for name in os.environ if name.startswith(("TOOLPAIR", "XDG_", "CLAUDE", "CODEX"))]:
        del os.environ[name]
    os.environ.update(
        HOME=str(home), NO_COLOR="1", COLUMNS="100", LINES="30", TZ="UTC", LC_ALL="C.UTF-8", TEXTUAL_ANIMATIONS="none"
    )


if __name__ == "__main__":
    main()
