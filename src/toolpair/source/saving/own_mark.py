"""A mark that only this user's toolpair can make: it tells what a save left here from what somebody sent."""

from __future__ import annotations

import hmac
import os
import secrets
import stat
from typing import Final

from toolpair.source.system import FLAGS, O_NOFOLLOW

_SIZE: Final = 32


def mark_of(data: bytes) -> str:
    """Raises OSError where the key can be neither read nor made."""
    return hmac.new(_key(), data, "sha256").hexdigest()


def is_own(data: bytes, mark: str) -> bool:
    """Whether this user's toolpair marked exactly this; False where that cannot be known."""
    try:
        return hmac.compare_digest(mark_of(data).encode(), mark.encode("utf-8", "replace"))
    except OSError:
        return False


def _key() -> bytes:
    """Random bytes in the user's own state folder, made on first use."""
    from platformdirs import user_state_path

    folder = user_state_path("toolpair", appauthor=False)
    path = folder / "key"
    try:
        return _read(str(path))
    except FileNotFoundError:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    new = folder / f"key-{secrets.token_hex(8)}.tmp"
    with open(os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL | FLAGS, 0o600), "wb") as file:
        file.write(secrets.token_bytes(_SIZE))
        file.flush()
        os.fsync(file.fileno())
    try:
        os.link(new, path)  # the first one stays where two processes make one
    except FileExistsError:
        pass
    finally:
        os.unlink(new)
    return _read(str(path))


def _read(path: str) -> bytes:
    with open(os.open(path, os.O_RDONLY | O_NOFOLLOW | FLAGS), "rb") as file:
        found = os.fstat(file.fileno())
        key = file.read(_SIZE + 1)
    if not stat.S_ISREG(found.st_mode) or found.st_uid != os.geteuid() or len(key) != _SIZE:
        raise OSError(f"{path} is not this user's key")
    return key
