"""What becomes of contents that an API cannot carry as they are: sentences with a count, for people and for docs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from msgspec import Struct

from toolpair.transcript.counting import plural


class Way(Struct, frozen=True):
    """What becomes of one kind of content. `text` holds `{count}`."""

    noun: str
    text: str
    short: str
    """The same in a few words, for a table."""
    lost: bool = False
    several: str | None = None


class Note(Struct, frozen=True):
    """One sentence about an export. `what` is its stable key, `count` how often it applies."""

    what: str
    count: int
    text: str

    def __str__(self) -> str:
        return self.text


COMMON: Final[Mapping[str, Way]] = {
    "thinking": Way(
        "thinking block",
        "Left out {count}: reasoning is signed or sealed for the model that wrote it.",
        "left out",
        lost=True,
    ),
    "server": Way(
        "block of tools that a provider ran itself",
        "Turned {count} into text: no program of yours has to answer them.",
        "as text",
        several="blocks of tools that a provider ran itself",
    ),
    "citations": Way("citation", "Left out {count}; the texts that cite stay.", "text stays", lost=True),
    "cache": Way("cache mark", "Left out {count}.", "left out", lost=True),
    "title": Way("document title", "Left out {count}.", "left out", lost=True),
    "detail": Way("image detail", "Left out {count}.", "left out", lost=True),
    "message_name": Way("name of a speaker", "Left out {count}.", "left out", lost=True, several="names of speakers"),
    "parameters": Way(
        "parameter", "Left out {count} that only the file's own API has: {names}.", "left out", lost=True
    ),
    "unknown_fields": Way(
        "field", "Left out {count} beside the messages that the API does not know: {names}.", "left out", lost=True
    ),
    "block_fields": Way(
        "block", "Left out fields of {count} that the API does not know: {names}.", "fields left out", lost=True
    ),
    "unknown_blocks": Way(
        "block",
        "Kept {count} of a type that toolpair does not know: the API may refuse it.",
        "kept",
    ),
    "provider_tools": Way(
        "tool", "Left out {count} that only the file's own provider can run: {names}.", "left out", lost=True
    ),
    "media": Way(
        "image, recording or document",
        "Only named {count} that {api} cannot take.",
        "named in text",
        lost=True,
        several="images, recordings or documents",
    ),
    "stored": Way(
        "stored file", "Only named {count}: a file stored by another provider cannot be fetched.", "named", lost=True
    ),
    "odd": Way(
        "block of an unknown type", "Wrote {count} as JSON text.", "JSON text", several="blocks of unknown types"
    ),
    "search": Way("search result", "Turned {count} into text under title and source.", "as text"),
    "text_document": Way("text document", "Turned {count} into text under its title.", "as text"),
    "tool_reference": Way("tool reference", "Turned {count} into text that names the tool.", "as text"),
    "mid_system": Way(
        "system message amid the history",
        "Sent {count} as a user's text.",
        "as user text",
        several="system messages amid the history",
    ),
    "arguments": Way(
        "call with arguments other than a JSON object",
        'Wrapped the arguments of {count} as {{"arguments": …}}.',
        "wrapped",
        several="calls with arguments other than a JSON object",
    ),
    "free_text": Way(
        "call with free text",
        'Wrapped the text of {count} as {{"input": …}}.',
        "wrapped",
        several="calls with free text",
    ),
    "refusal": Way("refusal", "Turned {count} into plain text.", "as text"),
    "agent_drops": Way(
        "output",
        "The agent itself leaves {count} out of what it sends; `toolpair sees` shows where.",
        "left out by the agent",
        lost=True,
    ),
}
"""What holds for most APIs; an API's own table adds to it, and replaces."""


FAILED: Final = Way(
    "failed result", "Began {count} with `Error: `: {api} has no field for a failed result.", "text `Error: …`"
)
"""For an API whose results say nothing of a failure."""


class Notes:
    """Gathers what an export says: each key once, with its count."""

    def __init__(self, ways: Mapping[str, Way], api: str) -> None:
        self._ways = ways
        self._api = api
        self._counts: dict[str, int] = {}
        self._names: dict[str, list[str]] = {}

    def say(self, key: str, count: int = 1, names: list[str] | None = None) -> None:
        self._counts[key] = self._counts.get(key, 0) + count
        if names:
            self._names.setdefault(key, []).extend(names)

    def told(self, lost: bool) -> tuple[Note, ...]:
        """The sentences about what is lost, or about what arrives in another form."""
        return tuple(
            Note(key, count, self._sentence(key, count))
            for key, count in self._counts.items()
            if self._way(key).lost is lost
        )

    def _way(self, key: str) -> Way:
        return self._ways.get(key) or COMMON[key]

    def _sentence(self, key: str, count: int) -> str:
        way = self._way(key)
        names = ", ".join(dict.fromkeys(self._names.get(key, ())))
        return way.text.format(count=plural(count, way.noun, way.several), api=self._api, names=names)
