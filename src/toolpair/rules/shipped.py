"""The data files shipped with the package: `rules/data/**.json`."""

from __future__ import annotations

import os
from typing import Any

import orjson


def shipped(name: str) -> Any:
    """The JSON value of a data file below `rules/data`, wherever the package is installed."""
    path = os.path.join(os.path.dirname(__file__), "data", *name.split("/"))
    loader: Any = __spec__.loader
    # Like `pkgutil.get_data`, without loading `importlib.resources`.
    return orjson.loads(loader.get_data(path))
