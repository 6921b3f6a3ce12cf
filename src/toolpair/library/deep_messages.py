"""Messages that are nested deeper than they are read: what lies deeper is held as it is, and handed back as it is."""

from __future__ import annotations

from typing import Any

from toolpair.source.json_spans import LEVELS
from toolpair.transcript.model import DeepValue


class Held:
    """The objects that were held, by what stands for them."""

    def __init__(self) -> None:
        self._objects: dict[DeepValue, Any] = {}

    def shallow(self, value: Any, level: int = 1) -> Any:
        """The value with what is below the levels that are read held. Raises ValueError if it contains itself."""
        if not isinstance(value, (dict, list)):
            return value
        if level > LEVELS:
            if _contains_itself(value):
                raise ValueError
            held = DeepValue(b"%d" % id(value))
            self._objects[held] = value
            return held
        if isinstance(value, dict):
            return {key: self.shallow(member, level + 1) for key, member in value.items()}
        return [self.shallow(member, level + 1) for member in value]

    def whole(self, value: Any) -> Any:
        """The value with what was held in its place again."""
        if isinstance(value, DeepValue):
            return self._objects.get(value, value)
        if isinstance(value, dict):
            return {key: self.whole(member) for key, member in value.items()}
        return [self.whole(member) for member in value] if isinstance(value, list) else value

    def __bool__(self) -> bool:
        return bool(self._objects)


def _contains_itself(value: Any) -> bool:
    above: set[int] = set()
    done: set[int] = set()
    todo: list[tuple[Any, bool]] = [(value, False)]
    while todo:
        here, left = todo.pop()
        if left:
            above.discard(id(here))
            done.add(id(here))
        elif id(here) in above:
            return True
        elif id(here) not in done and isinstance(here, (dict, list)):
            above.add(id(here))
            todo.append((here, True))
            todo.extend((below, False) for below in (here.values() if isinstance(here, dict) else here))
    return False
