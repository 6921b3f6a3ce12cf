"""OpenClaw's transcripts of up to 2026.7: pi's sessions with its own records, broken in the same ways."""

from __future__ import annotations

from tests import pi_sessions
from tests.broken_sessions import Planted
from tests.pi_sessions import ID, PiSession

NAME = f"{ID}.jsonl"
_SYSTEM = 2


def sound() -> PiSession:
    """pi's sound session, with what OpenClaw writes at each of its runs in place of the system prompt."""
    made = pi_sessions.sound()
    links = {key: made.records[_SYSTEM][key] for key in ("id", "parentId", "timestamp")}
    data = {"timestamp": 1795248420779, "provider": "mock", "modelApi": "anthropic-messages", "modelId": "mock-model"}
    made.records[_SYSTEM] = {"type": "custom", "customType": "model-snapshot", "data": data, **links}
    return made


def corpus() -> dict[str, Planted]:
    return pi_sessions.corpus(sound)
