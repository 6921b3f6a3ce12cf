"""The kinds of losses from one state of a conversation to another, and their descriptions."""

from __future__ import annotations

from typing import Final, Literal

from msgspec import Struct

from toolpair.transcript.counting import plural


class Loss(Struct, frozen=True):
    """Something real that is lost. `size` is in bytes of UTF-8; for words their number, for an image 1, or 0 where a
    smaller one has its place.
    """

    kind: Literal["output", "words", "image", "call", "text"]
    record: int
    """The uid of the record that held it."""
    id: str | None
    tool: str | None
    size: int


class Crossed(Struct, frozen=True):
    """An output that is now the answer of another call. Ids are the old ones."""

    record: int
    result_id: str | None
    belongs_to: str | None
    """The id of its original call; None if its id matched no call."""
    answers: str | None
    size: int


class Losses(Struct, frozen=True):
    """Everything that is lost. False when nothing is."""

    outputs: tuple[Loss, ...] = ()
    words: tuple[Loss, ...] = ()
    images: tuple[Loss, ...] = ()
    calls: tuple[Loss, ...] = ()
    crossed: tuple[Crossed, ...] = ()
    texts: tuple[Loss, ...] = ()
    """Content of unknown blocks and fields."""
    unsent: tuple[Loss, ...] = ()
    """Outputs and texts that are still there, but that the agent would no longer send."""

    def __bool__(self) -> bool:
        gone = self.outputs or self.words or self.images or self.calls or self.crossed or self.texts
        return bool(gone or self.unsent)

    def __add__(self, other: Losses) -> Losses:
        return Losses(
            self.outputs + other.outputs,
            self.words + other.words,
            self.images + other.images,
            self.calls + other.calls,
            self.crossed + other.crossed,
            self.texts + other.texts,
            self.unsent + other.unsent,
        )

    @property
    def without(self) -> str | None:
        """What a fix must not take silently, as a clause: "the agent would no longer send 1 output (34 bytes)"."""
        sent = _sent((*self.outputs, *self.words))
        parts = [f"the agent would no longer send {sent}"] if sent else []
        parts += [f"{_texts(self.texts)} would be gone from the file"] if self.texts else []
        return ", and ".join(parts) or None

    @property
    def phrase(self) -> str | None:
        """The same as what is lost: "1 output (34 bytes), no longer sent"."""
        sent = _sent((*self.outputs, *self.words))
        return (
            ", ".join([*([f"{sent}, no longer sent"] if sent else []), *([_texts(self.texts)] if self.texts else [])])
            or None
        )

    @property
    def output_bytes(self) -> int:
        return sum(lost.size for lost in self.outputs)

    @property
    def user_words(self) -> int:
        return sum(lost.size for lost in self.words)

    @property
    def input_bytes(self) -> int:
        return sum(lost.size for lost in self.calls)

    @property
    def images_gone(self) -> int:
        return sum(lost.size for lost in self.images)

    @property
    def text(self) -> str | None:
        """ "2 outputs (134 bytes), 12 words from the user"; None when nothing is lost."""
        parts = []
        if self.outputs:
            parts.append(f"{plural(len(self.outputs), 'output')} ({plural(self.output_bytes, 'byte')})")
        if self.words:
            parts.append(f"{plural(self.user_words, 'word')} from the user")
        if self.images_gone:
            parts.append(plural(self.images_gone, "image"))
        if smaller := len(self.images) - self.images_gone:
            parts.append(f"detail of {plural(smaller, 'image')}")
        if self.calls:
            parts.append(f"{plural(len(self.calls), 'call')} with {plural(self.input_bytes, 'byte')} of input")
        if self.texts:
            parts.append(_texts(self.texts))
        if self.crossed:
            parts.append(f"{plural(len(self.crossed), 'output')} given to another call")
        if self.unsent:
            parts.append(f"{_sent(self.unsent)} no longer sent")
        return ", ".join(parts) or None


def _texts(found: tuple[Loss, ...]) -> str:
    return f"{plural(len(found), 'other text')} ({plural(sum(lost.size for lost in found), 'byte')})"


def _sent(found: tuple[Loss, ...]) -> str:
    outputs = [lost.size for lost in found if lost.kind == "output"]
    words = sum(lost.size for lost in found if lost.kind == "words")
    parts = [f"{plural(len(outputs), 'output')} ({plural(sum(outputs), 'byte')})"] if outputs else []
    return " and ".join([*parts, *([plural(words, "word") + " from the user"] if words else [])])


NOTHING: Final = Losses()
