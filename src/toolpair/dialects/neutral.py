"""What messages say, in no API's spelling: what a converter reads from one API and writes for another."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final, Literal

from msgspec import Struct

Role = Literal["system", "user", "assistant"]
Say = Callable[..., None]
"""`say(key, count=1)` notes that something cannot be carried as it is; the keys are those of `SAID`."""


class Text(Struct, frozen=True, eq=False):
    text: str
    citations: int = 0
    marked: bool = False
    """The provider was asked to cache everything up to here."""


class Media(Struct, frozen=True, eq=False):
    """An image, a recording or a document: its content in Base64, an address, a file stored by a provider, or text."""

    kind: Literal["image", "audio", "document"]
    type: str = ""
    data: str = ""
    url: str = ""
    stored: str = ""
    text: str | None = None
    title: str = ""
    context: str = ""
    cited: bool = False
    detail: str = ""
    marked: bool = False


class Found(Struct, frozen=True, eq=False):
    """A search result that is handed to the model."""

    title: str
    source: str
    texts: tuple[str, ...]
    marked: bool = False


class ToolName(Struct, frozen=True, eq=False):
    """In a result: a tool that a search of tools has found."""

    name: str


class Call(Struct, frozen=True, eq=False):
    id: str
    name: str
    input: Any
    """An object in a valid call; a string where the arguments are not JSON."""
    free: bool = False
    """The tool takes free text, not an object."""
    signature: str = ""
    """Gemini's signature of the thought before it."""
    marked: bool = False


class Result(Struct, frozen=True, eq=False):
    id: str
    parts: tuple[Text | Media | Found | ToolName, ...]
    is_error: bool = False
    marked: bool = False

    @property
    def texts(self) -> list[str]:
        return [text for part in self.parts if (text := text_of_part(part)) is not None]


class Thinking(Struct, frozen=True, eq=False):
    text: str
    signature: str = ""
    sealed: str = ""
    """Encrypted reasoning, where there is no text."""


class OnServer(Struct, frozen=True, eq=False):
    """A call that the provider ran itself, or its result."""

    text: str


class Odd(Struct, frozen=True, eq=False):
    """Something that no other API has, as JSON."""

    text: str


Part = Text | Media | Found | ToolName | Call | Result | Thinking | OnServer | Odd


class Turn(Struct, frozen=True, eq=False):
    role: Role
    parts: tuple[Part, ...]


class Tool(Struct, frozen=True, eq=False):
    """The definition of a tool. `schema` None: the provider runs the tool itself, and `raw` is all that is known."""

    name: str
    description: str
    schema: dict[str, Any] | None
    raw: Any = None
    free: bool = False


NO_OUTPUT: Final = "(no output)"
ERROR: Final = "Error: "
ANY_OBJECT: Final[dict[str, Any]] = {"type": "object", "additionalProperties": True}


def text_of_part(part: Text | Media | Found | ToolName) -> str | None:
    """A part of a result as text; None for media that have none."""
    match part:
        case Text():
            return part.text
        case Found():
            return found_text(part)
        case ToolName():
            return f"[tool {part.name}]"
    return document_text(part) if part.text is not None else None


def in_result(part: Part) -> Text | Media | Found | ToolName:
    """A part as one that a result may hold."""
    if isinstance(part, (Text, Media, Found, ToolName)):
        return part
    return Text(part.text if isinstance(part, (Odd, OnServer, Thinking)) else "")


def found_text(found: Found) -> str:
    return "\n".join(filter(None, (found.title, found.source, *found.texts)))


def document_text(media: Media) -> str:
    return "\n".join(filter(None, (media.title, media.context, media.text)))


def media_name(media: Media) -> str:
    """Media in words, for an API that has no place for them."""
    where = media.url or media.stored
    named = " ".join(filter(None, (media.kind, media.title, media.type, where)))
    return f"[{named}]"


def data_url(media: Media) -> str:
    """The address of media: their own, or a data URL."""
    return media.url or f"data:{media.type};base64,{media.data}"


def spoken(turn: Turn) -> bool:
    """Whether anything of the turn would be sent."""
    return any(not (isinstance(part, Text) and not part.text.strip()) for part in turn.parts)


def split(turn: Turn) -> tuple[list[Result], list[Part]]:
    """A user's turn as the results in it, and the rest."""
    results = [part for part in turn.parts if isinstance(part, Result)]
    return results, [part for part in turn.parts if not isinstance(part, Result)]


def merged(turns: Sequence[Turn]) -> list[Turn]:
    """Neighbouring turns of one role as one, results first; what says nothing is left out."""
    made: list[Turn] = []
    for turn in turns:
        if not spoken(turn):
            continue
        if made and made[-1].role == turn.role:
            made[-1] = Turn(turn.role, (*made[-1].parts, *turn.parts))
        else:
            made.append(turn)
    return [_results_first(turn) for turn in made]


def _results_first(turn: Turn) -> Turn:
    results, others = split(turn)
    return Turn(turn.role, (*results, *others)) if results and turn.role == "user" else turn
