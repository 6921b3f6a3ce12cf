"""The ids that pi sends of calls that another model made, as its code has them for each API."""

from __future__ import annotations

import re
from typing import Any, Final

from toolpair.dialects.pi import JOINED

_WITH_TWO_IDS: Final = ("openai", "openai-codex", "opencode", "azure")
"""Providers that are sent the first part of such an id; others get all of it."""
_OF_GOOGLE: Final = ("google-generative-ai", "google-vertex", "google-gemini-cli")
_WANTS_IDS: Final = re.compile(r"claude-|gpt-oss-|(?i:gemini(?:-live)?-(?:[3-9]|\d\d))")
"""Models that Google sends ids to."""
_NOT_IN_AN_ID: Final = re.compile(r"[^a-zA-Z0-9_-]")
_NO_LETTER: Final = re.compile(r"[^a-zA-Z0-9]")
_WORD: Final = 0xFFFFFFFF


def for_another_model(whole: str, model: tuple[Any, Any, Any]) -> str:
    """The id of another model's call, as this one (its provider, API and name) gets it."""
    provider, api, name = model
    first, joint, item = whole.partition("|")
    google = api in _OF_GOOGLE and _WANTS_IDS.match(str(name)) is not None
    if api in ("anthropic-messages", "bedrock-converse-stream") or google:
        return _plain(whole)[:64]
    if api in JOINED:
        return _plain(first if joint and provider in _WITH_TWO_IDS else whole)[:64].rstrip("_")
    if api == "openai-completions" and joint:
        both = _plain(whole if item else first)
        return both if len(both) <= 40 else f"{_plain(first)[:31]}_{_hash(whole)[:8]}"
    if api == "mistral-conversations":
        letters = _NO_LETTER.sub("", whole)
        return letters if len(letters) == 9 else _hash(letters or whole)[:9]
    return whole[:40] if api == "openai-completions" and provider == "openai" else whole


def _plain(id_: str) -> str:
    return _NOT_IN_AN_ID.sub("_", id_)


def _hash(text: str) -> str:
    """pi's own hash of a string."""
    one, two = 0xDEADBEEF, 0x41C6CE57
    units = text.encode("utf-16-le", "surrogatepass")
    for unit in (int.from_bytes(units[at : at + 2], "little") for at in range(0, len(units), 2)):
        one, two = (one ^ unit) * 2654435761 & _WORD, (two ^ unit) * 1597334677 & _WORD
    one = ((one ^ one >> 16) * 2246822507 ^ (two ^ two >> 13) * 3266489909) & _WORD
    two = ((two ^ two >> 16) * 2246822507 ^ (one ^ one >> 13) * 3266489909) & _WORD
    return _base_36(two) + _base_36(one)


def _base_36(number: int) -> str:
    digit = "0123456789abcdefghijklmnopqrstuvwxyz"[number % 36]
    return digit if number < 36 else _base_36(number // 36) + digit
