"""Quick reading of Strands' files, by the table of its messages. A session with a summary it leaves."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from toolpair.formats.engine.reading.light import Event, Light, Whole
from toolpair.formats.format import View
from toolpair.formats.forms.light import FormLight
from toolpair.formats.strands.detection import MESSAGE, message_in
from toolpair.formats.strands.format import form, is_message


class StrandsLight(FormLight):
    """Each file is a message."""

    def __init__(self) -> None:
        super().__init__(form().compiled, form().reader)

    def read(self, value: Any, number: int) -> Event | None:
        if MESSAGE not in value or not is_message(message_in(value)):
            raise Whole
        return super().read(value, number)

    def left(self, value: Any, number: int, strict: bool) -> tuple[Iterable[Any], int]:
        if not strict:
            raise Whole
        return super().left(value, number, strict)


def light(view: View) -> Light | None:
    return StrandsLight() if view.reporting else None
