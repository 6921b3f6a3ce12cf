"""The one place that holds the version; the build reads it from here."""

from __future__ import annotations

TYPE_CHECKING = False  # as in `typing`, which takes as long to load as all else that `toolpair --version` needs
if TYPE_CHECKING:
    from typing import Final

__version__: Final = "0.1.0"
