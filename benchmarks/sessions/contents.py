"""What tools print, in the shapes that sessions have: slices of a few pools that are made once."""

from __future__ import annotations

import random
from base64 import b64encode
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final, NamedTuple

Quantiles = Sequence[tuple[int, int]]
"""(thousandths, characters), rising: so much of all outputs are at most so long."""

ORDINARY: Final[Quantiles] = (
    (0, 2), (100, 40), (250, 150), (500, 900), (750, 3_500), (900, 10_000), (970, 24_000), (995, 50_000),
    (1000, 200_000),
)  # fmt: skip
"""As in sessions of coding agents: half of the outputs are short, a few are whole files."""
SMALL: Final[Quantiles] = ((0, 5), (1000, 80))
HUGE: Final[Quantiles] = ((0, 2_600_000), (1000, 3_400_000))
IMAGES: Final[Quantiles] = ((0, 60_000), (700, 400_000), (1000, 1_600_000))
LENGTHS: Final = {
    "ordinary": ORDINARY, "escapes": ORDINARY, "small": SMALL, "huge": HUGE, "images": IMAGES, "cjk-line": HUGE,
}  # fmt: skip

_BYTES: Final = {"cjk-line": 3.0, "escapes": 1.3}
"""Bytes that a character of a shape takes, where it is much more than one."""
POOL: Final = 1 << 18
"""Characters of a pool. It is bigger than most outputs, so that few of them repeat themselves."""
_NOUNS: Final = (
    "cart", "order", "price", "article", "customer", "shelf", "invoice", "parcel", "voucher", "stock", "basket",
    "refund", "tax", "unit", "label",
)  # fmt: skip
_VERBS: Final = (
    "read", "write", "find", "count", "merge", "check", "split", "send", "load", "keep", "drop", "order", "close",
    "open", "price",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Image:
    """A PNG as base64; `size` is the number of its bytes."""

    data: str
    size: int


Content = str | Image


class _Pools(NamedTuple):
    code: str
    words: str
    own: str
    """All outputs of the shape are slices of it, where it has one."""
    base64: str


@lru_cache(8)
def _pools(shape: str, state: Any) -> tuple[_Pools, Any]:
    """The pools that a generator in this state draws, and the state in which that leaves it: a second session with the
    same seed costs nothing.
    """
    rng = random.Random()
    rng.setstate(state)
    code, words, own = _filled(rng, _code_line), _filled(rng, _prose_line), ""
    if shape == "escapes":
        own = _filled(rng, _escaped_line)
    elif shape == "cjk-line":
        own = "".join(chr(rng.randrange(0x4E00, 0x9FA0)) for _ in range(POOL))
    base64 = b64encode(rng.randbytes(POOL * 3 // 4)).decode() if shape in ("images", "ordinary") else ""
    return _Pools(code, words, own, base64), rng.getstate()


class Contents:
    """Draws outputs of one shape. Costs a few megabytes, whatever is drawn."""

    def __init__(self, shape: str, rng: random.Random) -> None:
        self._shape = shape
        self._rng = rng
        self._lengths = LENGTHS[shape]
        self._pools, after = _pools(shape, rng.getstate())
        rng.setstate(after)

    @property
    def mean(self) -> float:
        """Bytes of an output on average, as JSON."""
        pairs = zip(self._lengths, self._lengths[1:], strict=False)
        characters = sum((upto - since) / 1000 * (low + high) / 2 for (since, low), (upto, high) in pairs)
        return characters * _BYTES.get(self._shape, 1.05)

    def output(self, factor: float = 1.0) -> Content:
        """What a call printed; `factor` makes it longer or shorter than the shape has it."""
        length = max(1, int(self._length() * factor))
        if self._shape == "images" or (self._shape == "ordinary" and self._rng.randrange(500) == 0):
            data = _slice(self._pools.base64, self._rng, max(4, length // 4 * 4))
            return Image(data, len(data) * 3 // 4)
        pool = self._pools.own or (self._pools.words if self._rng.randrange(20) == 0 else self._pools.code)
        return _slice(pool, self._rng, length)

    def words(self, low: int, high: int) -> str:
        """Something that a person or a model says."""
        return _slice(self._pools.words, self._rng, self._rng.randrange(low, high)).replace("\n", " ")

    def _length(self) -> int:
        at = self._rng.randrange(1000)
        for (since, low), (upto, high) in zip(self._lengths, self._lengths[1:], strict=False):
            if at < upto:
                return low + (high - low) * (at - since) // (upto - since)
        return self._lengths[-1][1]


def _slice(pool: str, rng: random.Random, length: int) -> str:
    start = rng.randrange(len(pool))
    if start + length <= len(pool):
        return pool[start : start + length]
    return pool[start:] + pool * ((length - len(pool) + start) // len(pool)) + pool[: (length + start) % len(pool)]


def _filled(rng: random.Random, line: Callable[[random.Random], str]) -> str:
    lines: list[str] = []
    have = 0
    while have < POOL:
        lines.append(line(rng))
        have += len(lines[-1])
    return "".join(lines)[:POOL]


def _name(rng: random.Random) -> str:
    return f"{_VERBS[rng.randrange(len(_VERBS))]}_{_NOUNS[rng.randrange(len(_NOUNS))]}"


def _code_line(rng: random.Random) -> str:
    kind = rng.randrange(8)
    if kind == 0:
        return f"\n\ndef {_name(rng)}({_name(rng)}: int) -> str:\n"
    if kind == 1:
        return f'    """{_name(rng).capitalize()}, {rng.randrange(1000)} times."""\n'
    if kind == 2:
        return f"        if {_name(rng)} > {rng.randrange(100)} and {_name(rng)}:\n"
    if kind == 3:
        return f'            raise ValueError(f"{_name(rng)}: {{{_name(rng)}!r}}")\n'
    if kind == 4:
        return f"{rng.randrange(900):>5}\tself.{_name(rng)} = {_name(rng)}({rng.randrange(10**6)})\n"
    return f"        {_name(rng)} = {_name(rng)}({_name(rng)}, {rng.randrange(100)})\n"


def _prose_line(rng: random.Random) -> str:
    extra = ("", "", "", " – geprüft ✓", " “as told”", " 確認済み", " ☕")[rng.randrange(7)]
    words = " ".join(_name(rng).replace("_", " the ") for _ in range(4))
    return f"I {words}{extra}. That makes {rng.randrange(10**4)}.\n"


def _escaped_line(rng: random.Random) -> str:
    kind = rng.randrange(5)
    if kind == 0:
        return f'{{"{_name(rng)}": "{{\\"path\\": \\"C:\\\\\\\\{_name(rng)}\\\\\\\\{_name(rng)}.py\\"}}"}}\r\n'
    if kind == 1:
        return f"\x1b[31m{_name(rng)}\x1b[0m\t\x1b[1m{rng.randrange(1000)}\x1b[0m\n"
    if kind == 2:
        return f'\t\t"\\\\d+\\\\.\\"{_name(rng)}\\"" => "\\t{_name(rng)}\\n",\n'
    if kind == 3:
        return f'\\\\server\\{_name(rng)}\\{_name(rng)}\\\t"{rng.randrange(100)}"\n'
    return f'<a href="{_name(rng)}">\x00\x08{_name(rng)}</a>\n\n\n'
