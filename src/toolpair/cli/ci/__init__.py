"""Output formats of `check` that CI services read, and file paths as these want them."""

from __future__ import annotations

import os
import urllib.parse


def from_here(path: str) -> str:
    """The path relative to the working directory if it is below it, else unchanged; always with slashes."""
    here = os.getcwd()
    if os.path.isabs(path):
        below = os.path.relpath(path, here)
        path = path if below.split(os.sep, 1)[0] == os.pardir else below
    return os.path.normpath(path).replace(os.sep, "/")


def uri_of(path: str) -> str:
    """The path as a URI: relative if below the working directory, else a file URI."""
    shown = from_here(path)
    quoted = urllib.parse.quote(os.fsencode(shown))
    return f"file://{quoted}" if os.path.isabs(shown) else quoted
