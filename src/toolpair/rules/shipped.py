"""The files of data and of text that are shipped in this package."""

from __future__ import annotations

import os
from typing import Any

import orjson


def shipped(name: str) -> Any:
    """The JSON value of a file below `rules/data`."""
    return orjson.loads(shipped_bytes(f"data/{name}"))


def shipped_bytes(name: str) -> bytes:
    """What is in a file below `rules`, wherever the package is installed."""
    path = os.path.join(os.path.dirname(__file__), *name.split("/"))
    loader: Any = __spec__.loader
    # Like `pkgutil.get_data`, without loading `importlib.resources`.
    found: bytes = loader.get_data(path)
    return found
