"""Logs to look for breaks in: files from records, and what is found in them."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from toolpair.reports.first_break.breaks import FirstBreaks, breaks_of
from toolpair.reports.first_break.log import FileLog
from toolpair.source.snapshot import from_bytes


def lines(records: Iterable[Any]) -> bytes:
    return b"".join(json.dumps(record).encode() + b"\n" for record in records)


def found_in(log: bytes | Path | Iterable[Any], profile: str | None = None) -> FirstBreaks:
    """What is found in a log: its bytes, its file, or its records, one a line."""
    if isinstance(log, Path):
        log = log.read_bytes()
    data = log if isinstance(log, bytes) else lines(log)
    return breaks_of(FileLog(from_bytes(data, "log.jsonl")), profile)


def rules_in(found: FirstBreaks) -> list[tuple[int, str]]:
    """The number of the request and the rule of each break."""
    return [(one.request.number, one.rule) for one in found.breaks]
