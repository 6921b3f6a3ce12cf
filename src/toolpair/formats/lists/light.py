"""Quick reading of plain lists of messages, which also collects the evidence for the API they are for."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, ClassVar

from msgspec.structs import replace

from toolpair.formats.engine.detection.list_evidence import ListEvidence
from toolpair.formats.engine.reading.light import Event, Light


class ListLight(Light):
    """Counts the messages that it recognises as plain, and passes the others on as evidence."""

    shape: ClassVar[str]
    """The API whose messages it recognises."""

    def __init__(self) -> None:
        self.listed = False
        """The content of some plain message is a list."""
        self._heard = ListEvidence()
        self._plain = self._calls = self._telling = 0
        self._newest = (-1, False, False)

    def event(
        self, number: int, who: int, parts: Sequence[tuple[Any, ...]], calls: bool = False, tells: bool = False
    ) -> Event:
        """The event of a plain message, which counts if the scan accepts it. `tells`: only this API has its parts."""
        self._plain += 1
        self._calls += calls
        self._telling += tells
        self._newest = number, calls, tells
        return who, parts, None

    def left(self, value: Any, number: int, strict: bool) -> tuple[Iterable[Any], int]:
        newest, calls, tells = self._newest
        if newest == number:
            self._plain -= 1
            self._calls -= calls
            self._telling -= tells
        self._heard.hear(value)
        return self.known_of(value) if isinstance(value, dict) else ((), 0)

    def known_of(self, value: dict[str, Any]) -> tuple[Iterable[Any], int]:
        """All ids of a message, and its number of signed thinking blocks."""
        raise NotImplementedError

    def silent(self, value: Any, id_: str, text: str) -> None:
        """Does nothing: an empty result is fine here."""

    @property
    def evidence(self) -> ListEvidence:
        told = replace(self._heard, by=dict(self._heard.by))
        told.add_plain(self.shape, self._plain, self._calls, self._telling, listed=self.listed)
        return told
