"""Lists of messages that grow: most requests of a log hold what one before them held, and some more."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final, Generic, TypeVar

import orjson

_SURELY_JSON: Final = (
    orjson.OPT_PASSTHROUGH_SUBCLASS | orjson.OPT_PASSTHROUGH_DATACLASS | orjson.OPT_PASSTHROUGH_DATETIME
)
_BEGINNING: Final = 3
"""Messages by which a conversation is told from others: a system prompt is that of many."""
_MARKED: Final = 3
"""The last messages, which may be written otherwise in the next list: a mark of what is cached moves on."""
_MOST: Final = 32 << 20
"""Bytes of lists that are kept to compare others with."""

Known = TypeVar("Known")


def json_of(messages: Sequence[Any]) -> bytes | None:
    """The messages as bytes, if they are plain JSON throughout, without half surrogates, so that they are sent as they
    are: lists with the same bytes are the same.
    """
    try:
        return orjson.dumps(messages if type(messages) is list else list(messages), option=_SURELY_JSON)
    except (TypeError, ValueError, RecursionError):
        return None


class GrowingLists(Generic[Known]):
    """What is known of the newest list of each conversation, for the next one that begins as it did."""

    def __init__(self) -> None:
        self._lists: dict[bytes, tuple[bytes, int, Known]] = {}
        self._size = 0

    def known(
        self, messages: list[Any], body: bytes, new: Callable[[], Known], more: Callable[[Known, list[Any]], Known]
    ) -> tuple[Known, list[Any]]:
        """What is known of the messages but the last ones, and these. `body`: the messages as bytes.

        `more` says what is known with some more messages; it may change what it is given.
        """
        beginning = orjson.dumps(messages[:_BEGINNING])
        before, count, known = self._lists.get(beginning, (b"", 0, None))
        if known is None or not body.startswith(before) or body[len(before)] not in b",]":
            count, known = 0, new()
        settled = len(messages) - _MARKED
        if settled > count:
            known = more(known, messages[count:settled])
            kept = body[: len(body) - len(orjson.dumps(messages[settled:]))]
            self._size += len(kept)
            if self._size > _MOST:
                self._lists.clear()
                self._size = len(kept)
            self._lists[beginning] = kept, settled, known
            count = settled
        return known, messages[count:]
