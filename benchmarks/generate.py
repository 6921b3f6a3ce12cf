"""Makes a session of any size: `python -m benchmarks.generate OUT --size 500MB --format claude-code --shape ordinary`.

The same options make the same bytes. What is written goes to disk as it is made: memory stays at a few megabytes.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import BinaryIO, Final

from benchmarks.sessions import options as known
from benchmarks.sessions.agents import AGENTS
from benchmarks.sessions.chat_rows import Adk, AgentsSdk, Hermes
from benchmarks.sessions.claude_code import ClaudeCode
from benchmarks.sessions.codex import Codex
from benchmarks.sessions.docker_agent import DockerAgent
from benchmarks.sessions.forms import (
    AISDKUI,
    BedrockConverse,
    GeminiContents,
    GeminiWithoutIds,
    KiroCli,
    LiveKit,
    PydanticAI,
)
from benchmarks.sessions.goose import Goose
from benchmarks.sessions.messages import Anthropic, OpenAIChat
from benchmarks.sessions.openclaw import OpenClaw
from benchmarks.sessions.opencode import Opencode, fill_folder
from benchmarks.sessions.options import Options, bytes_of
from benchmarks.sessions.rows import RowWriter, fill
from benchmarks.sessions.story import Prompt, Story
from benchmarks.sessions.writer import Json, Writer, line

WRITERS: Final[dict[str, type[Writer]]] = {
    "claude-code": ClaudeCode,
    "codex": Codex,
    "anthropic": Anthropic,
    "openai-chat": OpenAIChat,
    "gemini-contents": GeminiContents,
    "gemini-without-ids": GeminiWithoutIds,
    "bedrock-converse": BedrockConverse,
    "kiro-cli": KiroCli,
    "pydantic-ai": PydanticAI,
    "ai-sdk-ui": AISDKUI,
    "livekit": LiveKit,
    "docker-agent": DockerAgent,
    "goose": Goose,
    "opencode": Opencode,
    "openclaw": OpenClaw,
    "hermes": Hermes,
    "agents-sdk": AgentsSdk,
    "google-adk-database": Adk,
    **AGENTS,
}
_FRAMES: Final = {
    "lines": (b"", b"\n", b"\n"),
    "array": (b"[", b",", b"]\n"),
    "request": (b'{"model":"claude-sonnet-4-5","max_tokens":8192,"messages":[', b",", b"]}\n"),
    "contents": (b'{"contents":[', b",", b"]}\n"),
    "items": (b'{"items":[', b",", b"]}\n"),
    "messages": (b'{"version":1,"agent":"lead","sessionId":"1795248706802_5vjda","messages":[', b",", b"]}\n"),
    "history": (b'{"sessionId":"5a1f3c8e-7d42-4b6f-9e0a-1c2d3e4f5a6b","title":"A","history":[', b",", b"]}\n"),
    "conversations": (b'[{"messages":[', b",", b"]}]\n"),
}
"""Layout -> what stands before, between and behind the records."""
_NEXT: Final = b']},{"messages":['
"""What parts two conversations of one document."""
_TURNS: Final = 4
"""Prompts in each of them."""
_BLOCK: Final = 1 << 20


@dataclass(frozen=True, slots=True)
class Made:
    """What was written."""

    bytes: int
    records: int
    pairs: int
    problems: dict[str, int]
    """How a pair was broken -> how often. Each is one problem, as long as the ids are fresh."""


class Generation:
    """One session on its way to the disk, or into a program's memory."""

    def __init__(self, options: Options) -> None:
        self._options = options
        writer = WRITERS[options.format]
        self._writer = writer(options.seed)
        self._bytes = 0
        self._records = 0
        self._story = Story(options, lambda: self._bytes, writer.OVERHEAD, writer.COPIES)

    def lines(self) -> Iterator[bytes]:
        """Each record's bytes, without what parts them."""
        for data in self._written():
            if data is not None:
                yield data

    def _written(self) -> Iterator[bytes | None]:
        """The same, and None where the next conversation begins."""
        for record in self._all():
            if record is None:
                yield None
                continue
            data = line(record)
            self._bytes += len(data) + 1
            self._records += 1
            yield data

    def write_rows(self, path: Path) -> Made:
        """Write a database, or a folder of files."""
        assert isinstance(self._writer, RowWriter)
        if self._options.layout == "folder":
            fill_folder(self._counted(), path)
        else:
            fill(self._writer, self._counted(), path, self._options.sessions)
        return self._made(self._bytes)

    def _counted(self) -> Iterator[Json]:
        for record in self._all():
            if record is not None:
                self._bytes += len(line(record))
                self._records += 1
                yield record

    def write(self, out: BinaryIO) -> Made:
        before, between, behind = _FRAMES[self._options.layout]
        block = [before]
        waiting = total = len(before)
        part = b""
        for data in self._written():
            if data is None:
                part = _NEXT
                continue
            block += (part, data)
            waiting += len(part) + len(data)
            part = between
            if waiting >= _BLOCK:
                total += out.write(b"".join(block))
                block, waiting = [], 0
        total += out.write(b"".join([*block, behind]))
        return self._made(total)

    def _made(self, total: int) -> Made:
        return Made(total, self._records, self._story.pairs, dict(self._story.broken))

    def _all(self) -> Iterator[Json | None]:
        yield from self._writer.begin()
        prompts = 0
        for step in self._story.steps():
            if isinstance(step, Prompt) and self._options.layout == "conversations":
                prompts += 1
                if prompts % _TURNS == 0:
                    yield from self._writer.records(step)  # a list that is sent ends with the user
                    yield None
            yield from self._writer.records(step)


def generate(options: Options, path: Path) -> Made:
    """Write the session to `path`."""
    if issubclass(WRITERS[options.format], RowWriter):
        return Generation(options).write_rows(path)
    with path.open("wb") as out:
        return Generation(options).write(out)


def messages(options: Options) -> list[Json]:
    """The session as a list in memory: what a program hands to the library."""
    return [json.loads(data) for data in Generation(options).lines()]


def parser() -> argparse.ArgumentParser:
    defaults = Options(pairs=1)
    result = argparse.ArgumentParser(prog="python -m benchmarks.generate", description=__doc__)
    result.add_argument("out", type=Path, help="the file to write")
    result.add_argument("--size", type=_size, help="how big: 500MB, 1.5GB, or a number of bytes")
    result.add_argument("--pairs", type=int, help="how many calls; with --size, outputs get the length that fits")
    result.add_argument("--format", choices=tuple(WRITERS), default=defaults.format)
    result.add_argument(
        "--layout", choices=known.LAYOUTS, default=defaults.layout, help="of lists of messages; a folder of opencode's"
    )
    result.add_argument("--shape", choices=known.SHAPES, default=defaults.shape, help="what the outputs are like")
    result.add_argument("--problems", type=int, default=0, metavar="N", help="break N pairs, at equal distances")
    result.add_argument("--every", type=int, metavar="N", help="break each Nth pair, in place of --problems")
    result.add_argument("--kinds", help=f"how, in turn: a list of {', '.join(known.PROBLEMS)}")
    result.add_argument("--ids", choices=known.IDS, default=defaults.ids, help="all equal, or alike but for their end")
    result.add_argument("--parallel", type=int, metavar="N", help="calls in one message")
    result.add_argument("--sessions", type=int, default=1, metavar="N", help="of a database, all alike")
    result.add_argument("--seed", type=int, default=defaults.seed)
    return result


def _size(words: str) -> int:
    try:
        return bytes_of(words)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from None


def main(argv: Sequence[str] | None = None) -> int:
    arguments = parser().parse_args(argv)
    fields = vars(arguments)
    out = fields.pop("out")
    kinds = fields.pop("kinds")
    try:
        options = Options(**fields, kinds=tuple(kinds.split(",")) if kinds else None)
        made = generate(options, out)
    except (ValueError, OSError) as error:
        print(f"nothing made: {error}", file=sys.stderr)
        return 2
    print(json.dumps(asdict(made)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
