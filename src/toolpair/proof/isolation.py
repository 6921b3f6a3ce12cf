"""A network that has loopback alone, for a process and all that it starts."""

from __future__ import annotations

import fcntl
import shutil
import socket
import struct
import subprocess
import sys
from functools import cache
from typing import Final

_IFNAME_AND_FLAGS: Final = "16sh14x"
_SIOCGIFFLAGS, _SIOCSIFFLAGS, _IFF_UP = 0x8913, 0x8914, 1
_ENDED_TOGETHER: Final = ("-p", "-f", "--kill-child=KILL", "--mount-proc")
"""Everything in it ends when the first process does, also what went into the background."""
_WAYS: Final = (("-n", *_ENDED_TOGETHER), ("-r", "-n", *_ENDED_TOGETHER), ("-n",), ("-r", "-n"))


@cache
def prefix() -> tuple[str, ...] | None:
    """The command that starts another one in a network of its own; None when this machine allows none."""
    unshare = shutil.which("unshare") if sys.platform == "linux" else None
    if unshare is None:
        return None
    for flags in _WAYS:
        try:
            tried = subprocess.run([unshare, *flags, "true"], capture_output=True, timeout=20, check=False)
        except (OSError, subprocess.TimeoutExpired):
            continue
        if tried.returncode == 0:
            return (unshare, *flags)
    return None


def loopback_up() -> None:
    """Inside: let 127.0.0.1 work. Nothing else is there. Raises RuntimeError if something is."""
    names = [name for _, name in socket.if_nameindex()]
    if any(_is_up(name) for name in names if name != "lo"):
        raise RuntimeError("this is no network of its own: it has another interface than loopback")
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sock:
        asked = struct.pack(_IFNAME_AND_FLAGS, b"lo", 0)
        _, flags = struct.unpack(_IFNAME_AND_FLAGS, fcntl.ioctl(sock, _SIOCGIFFLAGS, asked))
        fcntl.ioctl(sock, _SIOCSIFFLAGS, struct.pack(_IFNAME_AND_FLAGS, b"lo", flags | _IFF_UP))


def _is_up(name: str) -> bool:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sock:
        asked = struct.pack(_IFNAME_AND_FLAGS, name.encode(), 0)
        _, flags = struct.unpack(_IFNAME_AND_FLAGS, fcntl.ioctl(sock, _SIOCGIFFLAGS, asked))
        return bool(flags & _IFF_UP)
