"""Regular expressions that are compiled when they are first used: a check of a sound file uses few of all."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, AnyStr

if TYPE_CHECKING:

    def compiled(pattern: AnyStr, flags: int = 0) -> re.Pattern[AnyStr]:
        """As `re.compile`; what is wrong with the pattern is told at its first use."""

else:

    class compiled:  # called as `re.compile` is
        def __init__(self, pattern: Any, flags: int = 0) -> None:
            self._given = pattern, flags

        def __getattr__(self, name: str) -> Any:
            # What was asked for is found on the object itself from then on.
            if "_made" not in self.__dict__:
                self._made = re.compile(*self._given)
            found = getattr(self._made, name)
            setattr(self, name, found)
            return found
