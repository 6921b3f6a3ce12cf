"""Running an agent where it can reach nothing: a network namespace that has loopback alone, and an environment of its own.

A test calls `run(script, job)`: the script runs in the namespace and gets the job's path; what it writes there is its
answer. The script calls `loopback_up()` first and starts the agent with `environment(home)`.
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import shutil
import signal
import socket
import struct
import subprocess
import sys
import tempfile
from functools import cache
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]

_IFNAME_AND_FLAGS = "16sh14x"
_SIOCGIFFLAGS, _SIOCSIFFLAGS, _IFF_UP = 0x8913, 0x8914, 1


@cache
def prefix() -> tuple[str, ...] | None:
    """The command that starts another one in a namespace of its own; None when this machine allows none."""
    unshare = shutil.which("unshare")
    if unshare is None:
        return None
    for flags in (("-n",), ("-r", "-n")):
        tried = subprocess.run([unshare, *flags, "true"], capture_output=True, timeout=20)
        if tried.returncode == 0:
            return (unshare, *flags)
    return None


def why_not() -> str | None:
    """Why no namespace can be had here; None when it can."""
    return None if prefix() is not None else "no network namespace can be had here (unshare -n needs root)"


def run(script: Path, job: Any, seconds: float) -> Any:
    """What the script makes of `job` (JSON values both) inside a namespace. It must be done within so many seconds."""
    before = prefix()
    if before is None:
        raise RuntimeError(why_not())
    with tempfile.TemporaryDirectory(prefix="toolpair-agent-") as folder:
        path = Path(folder) / "job.json"
        path.write_text(json.dumps(job))
        done = subprocess.run(
            [*before, sys.executable, str(script), str(path)],
            cwd=folder,
            env={"PATH": os.defpath, "PYTHONPATH": f"{ROOT}{os.pathsep}{ROOT / 'src'}", "HOME": folder},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=seconds,
        )
        if done.returncode:
            raise RuntimeError(done.stderr.decode(errors="replace")[-2000:])
        return json.loads(path.read_text())


def loopback_up() -> None:
    """Inside the namespace: let 127.0.0.1 work. Nothing else is there."""
    names = [name for _, name in socket.if_nameindex()]
    if any(_is_up(name) for name in names if name != "lo"):
        raise RuntimeError("this is no namespace of its own: it has another network than loopback")
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sock:
        asked = struct.pack(_IFNAME_AND_FLAGS, b"lo", 0)
        _, flags = struct.unpack(_IFNAME_AND_FLAGS, fcntl.ioctl(sock, _SIOCGIFFLAGS, asked))
        fcntl.ioctl(sock, _SIOCSIFFLAGS, struct.pack(_IFNAME_AND_FLAGS, b"lo", flags | _IFF_UP))


def end_the_others() -> None:
    """Inside the namespace: end what an agent left running, which its own process group does not hold."""
    own = os.readlink("/proc/self/ns/net")
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit() and int(entry.name) != os.getpid():
            with contextlib.suppress(OSError):
                if os.readlink(entry / "ns/net") == own:
                    os.kill(int(entry.name), signal.SIGKILL)


def _is_up(name: str) -> bool:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sock:
        asked = struct.pack(_IFNAME_AND_FLAGS, name.encode(), 0)
        _, flags = struct.unpack(_IFNAME_AND_FLAGS, fcntl.ioctl(sock, _SIOCGIFFLAGS, asked))
        return bool(flags & _IFF_UP)


def environment(home: Path, **more: str) -> dict[str, str]:
    """An environment that holds nothing of this machine's user: an empty home, and what the agent needs."""
    return {"PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": str(home), "TERM": "xterm", "LANG": "C.UTF-8", **more}
