"""Small files of toolpair's own, or of a user's settings, written whole or not at all."""

from __future__ import annotations

import os
import secrets
from collections.abc import Callable

MARK = ".toolpair-"
"""In the names of files that are not in their place yet."""


def write_whole(path: str, data: bytes, mode: int = 0o600, last: Callable[[], None] = lambda: None) -> None:
    """Replace a file, or make it; its folder has to exist. `last` is asked right before, and may raise to keep what is
    there. A link is replaced, never followed. Raises OSError.
    """
    folder, name = os.path.split(path)
    made = os.path.join(folder, f".{name}{MARK}{secrets.token_hex(4)}")
    # A new file, never an existing one or what a link leads to.
    with open(made, "xb", opener=lambda name, flags: os.open(name, flags, 0o600)) as file:
        try:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
            os.chmod(made, mode)
            last()
            os.replace(made, path)
        except BaseException:
            os.unlink(made)
            raise
