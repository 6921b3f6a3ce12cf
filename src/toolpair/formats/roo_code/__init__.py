"""Roo Code, Zoo Code, Cline and Kilo Code, extensions of VS Code: their tasks."""

from __future__ import annotations

from typing import Final

from toolpair.formats.format import Format
from toolpair.formats.lazy import lazy

FORMAT: Final = Format(
    id="roo-code",
    title="Roo Code, Zoo Code, Cline, Kilo Code",
    where="<VS Code's globalStorage>/<extension>/tasks/<task>/api_conversation_history.json",
    containers=frozenset({"array"}),
    profile="anthropic",
    agents={
        "zoo-code": lazy("toolpair.formats.roo_code.extensions:ZOO_CODE"),
        "roo-code": lazy("toolpair.formats.roo_code.extensions:ROO_CODE"),
        "cline": lazy("toolpair.formats.roo_code.extensions:CLINE"),
        "kilo-code": lazy("toolpair.formats.roo_code.extensions:KILO_CODE"),
    },
    sniff=lazy("toolpair.formats.roo_code.detection:sniff"),
    surest=95,
    read=lazy("toolpair.formats.roo_code.format:read"),
    apply=lazy("toolpair.formats.roo_code.format:apply"),
    damage=lazy("toolpair.formats.engine.damage.lost:effects_without_agent"),
    time_of=lazy("toolpair.formats.roo_code.format:time_of"),
    usage_of=lazy("toolpair.formats.engine.reading.clock:usage_in_metrics"),
)
