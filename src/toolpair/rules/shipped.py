"""The data that the package brings with it: `rules/data/**.json`."""

from __future__ import annotations

import os
from typing import Any

import orjson


def shipped(name: str) -> Any:
    """The JSON of the data file with this name below `rules/data`, wherever the package is installed."""
    path = os.path.join(os.path.dirname(__file__), "data", *name.split("/"))
    loader: Any = __spec__.loader
    # As `pkgutil.get_data` does it, without what `importlib.resources` loads.
    return orjson.loads(loader.get_data(path))
