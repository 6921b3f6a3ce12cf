"""What shows that a list of messages is Roo Code's, Cline's or Kilo Code's."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from toolpair.formats.engine.detection.list_evidence import evidence_of


def sniff(values: Sequence[Any]) -> int:
    return 95 if evidence_of(values).is_roo else 0
