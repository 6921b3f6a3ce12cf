"""What an agent that nobody has leaves in a list of messages: its record among the known systems."""

from __future__ import annotations

from toolpair.transcript.known_systems import KnownSystem, Placeholder, Seen

SYSTEM = KnownSystem(
    "Made Up",
    (Placeholder("(made up: the tool was lost)", "https://example.org/made-up"),),
    {"interrupted": Seen("https://example.org/made-up", versions="1.0")},
    interrupted=r"\[made up: you stopped it\]",
)
