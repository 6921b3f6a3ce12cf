"""Recognising a known error text in a pasted one: which error, through which gateway, and the ids and
indexes it names.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from toolpair.rules.errors.concepts import said_in
from toolpair.rules.errors.matching import Hit, hits, last_of_each_place
from toolpair.rules.errors.pasted import BLANK, QUOTE, SOFT, PastedText
from toolpair.rules.errors.places import Place, places_around
from toolpair.rules.errors.texts import ErrorText, texts, title_of
from toolpair.rules.errors.unwrapping import inner_text
from toolpair.rules.errors.wordings import GRAM, grams, wordings
from toolpair.rules.profiles import PROFILES

_AROUND: Final = 6_000
"""Characters (squeezed) around an error that are searched for its wrapper and other details."""
_DISTINCT: Final = 50
"""Maximum errors that are distinguished in one paste."""
_NEAR: Final = 300
"""Characters (squeezed) around an error in which the answer may say where it is: "param": "messages.[3].role"."""
_NOT_LEADING: Final = 40
"""Characters (squeezed) that count for what is said between a place and an error after it: most are said after it."""
_LEADING: Final = re.compile(r"[\w.\[\]]*:?")
_SHOWN_NEAR: Final = 3
_NEAR_GRAMS: Final = 8
_MARK: Final = f"[{SOFT}{BLANK}{QUOTE}]*"
_ID: Final = re.compile(r"[\w.:|+/=@#~$%!*-]+")
_END: Final = ".,:;!*"
_ID_NEAR: Final = 120
_NAMED_ID: Final = re.compile(
    rf"(?:(?<!equest{BLANK})(?<!trace{BLANK})(?<!ession{BLANK})\bids?{_MARK}[:=]?{_MARK}|\b(?=(?:call|toolu|tooluse|fc|functions)[_.-]))([\w.:|+=@-]*\d[\w.:|+=@-]*)"
)
"""An id in words that are not known: after "id" (but a request's), or with a prefix that only ids have."""
_LITELLM: Final = re.compile(r"litellm\.(?:\w{0,60}\.)?\w{0,60}error:(?:\w{0,60}error:)?(\w{0,60}?)_?exception")
_PROVIDER_NAME: Final = re.compile(f"provider_name{_MARK}[:=]{_MARK}([\\w.{BLANK} -]{{1,60}})", re.IGNORECASE)
_OPENROUTER: Final = "providerreturnederror"
_ANSWER: Final = re.compile(
    rf"[{{,](?:error|message|msg|detail|raw):[^\w,{{}}\[]*(?!{_OPENROUTER})\w|exception-[^\w,}}]*\w"
)
"""Words that a gateway passed on."""
_VERTEX: Final = re.compile(r"req_vrtx_|toolu_vrtx_")
_AZURE: Final = re.compile(r"azureexception|openai\.azure\.com|azure_?openai|azure\.core")
_FAMILIES: Final = (
    frozenset({"anthropic", "vertex-anthropic"}),
    frozenset({"openai-chat", "azure-openai", "deepseek", "moonshot", "groq", "zai", "xai", "dashscope", "minimax"})
    | {"openrouter", "llama-cpp", "ollama", "vllm", "lm-studio"},
)
"""Providers that may use each other's error texts, because one validator (or a copy of it) reads the request."""

_VENDORS: Final = (
    ("vertex", "vertex-anthropic", "Vertex AI"),
    ("googlevertex", "vertex-anthropic", "Google Vertex"),
    ("anthropic", "anthropic", "Anthropic"),
    ("bedrock", "bedrock-converse", "Amazon Bedrock"),
    ("azure", "azure-openai", "Azure"),
    ("openai", "openai-chat", "OpenAI"),
    ("gemini", "gemini", "Gemini"),
    ("google", "gemini", "Google"),
    ("mistral", "mistral", "Mistral"),
    ("deepseek", "deepseek", "DeepSeek"),
    ("moonshot", "moonshot", "Moonshot AI"),
    ("groq", "groq", "Groq"),
    ("minimax", "minimax", "MiniMax"),
    ("dashscope", "dashscope", "DashScope"),
    ("alibaba", "dashscope", "Alibaba"),
    ("openrouter", "openrouter", "OpenRouter"),
    ("ollama", "ollama", "Ollama"),
    ("vllm", "vllm", "vLLM"),
    ("lmstudio", "lm-studio", "LM Studio"),
    ("llamacpp", "llama-cpp", "llama.cpp"),
    ("zhipu", "zai", "Z.ai"),
    ("zai", "zai", "Z.ai"),
    ("xai", "xai", "xAI"),
)


NOT_KNOWN: Final = "These words are not known; they read like: "
_NOBODY: Final = "chat-server"
"""Who raised an error of which nothing says it."""


class Recognised(Struct, frozen=True):
    """A recognised text: which error it is, and what it names."""

    error: ErrorText
    ids: tuple[str, ...] = ()
    """The ids in their most likely reading."""
    readings: tuple[tuple[str, ...], ...] = ()
    """For each id all its readings, since a line break may or may not be part of it."""
    message: int | None = None
    """The index as printed, converted to count from 0."""
    block: int | None = None
    """The block within that message, counted from 0."""
    part: int | None = None
    """The part of a result's content within that block, counted from 0."""
    call: int | None = None
    """Which call of the message, where calls are counted separately."""
    parsed: Place | None = None
    """Where a parser stopped: in a call's arguments, or in the body."""
    tool: str | None = None
    provider: str = ""
    """Who raised the error: a profile's id, or a name in `texts.TITLES`."""
    through: str | None = None
    """Which gateway passed it on: "OpenRouter (Anthropic)"."""
    count: int = 1
    """How many different errors the text holds."""
    read_like: bool = False
    """Its words are not known: they only read like this error, and nobody is known to say them."""

    @property
    def meaning(self) -> str:
        """What it means, one sentence; before it, where that is so, that its words are not known."""
        return f"{NOT_KNOWN}{self.error.meaning}" if self.read_like else self.error.meaning

    @property
    def is_of_nobody(self) -> bool:
        """Whether neither its words nor a wrapper say who raised it."""
        return self.read_like and self.provider == _NOBODY

    @property
    def profile(self) -> str | None:
        """The profile whose rules it is about; None when it does not say."""
        return self.provider if self.provider in PROFILES else self.error.judged_as

    @property
    def title(self) -> str:
        """Who raised it, for a sentence."""
        name = title_of(self.provider)
        return f"{name}, through {self.through}" if self.through else name

    @property
    def names_a_place(self) -> bool:
        return bool(self.ids) or self.message is not None


def recognise(text: str) -> Recognised | None:
    """The last known error in a pasted text; None when it holds none."""
    known = recognise_all(text)
    return known[-1] if known else None


def recognise_all(text: str) -> tuple[Recognised, ...]:
    """The different known errors in a pasted text, in their order: what several words say of one request is one."""
    pasted = PastedText.of(text)
    known = _known(pasted)
    if not known:
        empty = _empty_wrapper(pasted)
        return (empty,) if empty is not None else ()
    placed = [one for one in known if one.names_a_place]
    different: dict[tuple[object, ...], Recognised] = {}
    for one in known:
        # A client's short message and the API's own text are about the same request.
        if one.names_a_place or not any(not set(one.error.rules).isdisjoint(other.error.rules) for other in placed):
            different.setdefault((one.error.rules, one.ids, one.message, one.block), one)
    return tuple(replace(one, count=len(different)) for one in reversed(different.values()))


def _known(pasted: PastedText) -> list[Recognised]:
    """The last one first."""
    found = [hit for hit in last_of_each_place(hits(pasted)) if _is_of_a_model(pasted, hit)] or said_in(pasted)
    return [_read(pasted, hit, found) for hit in found[:_DISTINCT]]


def _is_of_a_model(pasted: PastedText, hit: Hit) -> bool:
    beside = hit.wording.error.beside
    start, end = _around(pasted, hit)
    return not beside or any(word in pasted.bare[start:end] for word in beside)


def ids_quoted(text: str) -> frozenset[str]:
    """The ids that known errors in a text name."""
    pasted = PastedText.of(text)
    found = last_of_each_place(hits(pasted))[:_DISTINCT]
    return frozenset(id_ for hit in found for reading in _read(pasted, hit).readings for id_ in reading)


def _read(pasted: PastedText, hit: Hit, others: Sequence[Hit] = ()) -> Recognised:
    """What the text names at the hit. What stands in `others` is about these."""
    error = hit.wording.error
    readings: list[tuple[str, ...]] = []
    for name in ("id", "ids", "others"):
        if name in hit.places:
            readings += _ids(pasted, hit, name)
    if hit.shaped:
        said = pasted.between(hit.start, min(len(pasted.bare), hit.end + _ID_NEAR))
        readings = [(match[1].rstrip(_END),) for match in _NAMED_ID.finditer(said)]
    numbers = {name: _number(pasted, hit, name) for name in ("N", "M", "K")}
    provider, through = _sender(pasted, hit)
    base = error.base
    message, block = (None if (number := numbers[name]) is None else max(0, number - base) for name in ("N", "M"))
    call = numbers["K"]
    around = places_around(pasted, max(0, hit.start - _NEAR), min(len(pasted.bare), hit.end + _NEAR), hit.start)
    indexed = [
        place
        for at, place in around
        if (place.message is not None or place.call is not None) and _is_of(pasted, hit, at, place, others)
    ]
    if message is None and "N" not in hit.places:
        near = next((place for place in indexed if place.message is not None), None)
        message = near.message if near is not None else None
    same = [one for one in indexed if one.message == message and (block is None or one.block in (None, block))]
    tool = next((reading[0] for reading in readings), None) if error.names == "tool" else None
    if tool is not None:
        readings = []
    if hit.wording.named[:1] == ("name",) and error.id.startswith("GEM"):
        tool = _word(pasted, hit.places.get("name"))
    return Recognised(
        error,
        tuple(reading[0] for reading in readings),
        tuple(readings),
        message,
        block if block is not None else next((one.block for one in same if one.block is not None), None),
        next((one.part for one in same if one.part is not None), None),
        call if call is not None else next((one.call for one in same if one.call is not None), None),
        next((place for _, place in around if place.is_of_parser), None),
        tool,
        provider,
        through,
        read_like=hit.shaped,
    )


def _is_of(pasted: PastedText, hit: Hit, at: int, place: Place, others: Sequence[Hit]) -> bool:
    """Whether a place is what this error is about, and not another one that it stands in, before or after."""
    mine = _distance(pasted, hit, at, place)
    return all(mine <= _distance(pasted, other, at, place) for other in others if not other.wording.error.wraps)


def _distance(pasted: PastedText, hit: Hit, at: int, place: Place) -> int:
    """How far a place is from an error: nothing where it leads it, as a path with a colon does."""
    if hit.start <= at < hit.end:
        return 0
    if at >= hit.end:
        return 1 + at - hit.end
    end = at + sum(not character.isspace() for character in place.words)
    leads = end >= hit.start or _LEADING.fullmatch(pasted.bare, end, hit.start) is not None
    return 0 if leads else _NOT_LEADING + hit.start - end


def _word(pasted: PastedText, place: tuple[int, int] | None) -> str | None:
    return pasted.plain[place[0] : place[1]] or None if place is not None else None


def _number(pasted: PastedText, hit: Hit, name: str) -> int | None:
    place = hit.places.get(name)
    if place is None:
        return None
    digits = pasted.plain[place[0] : place[1]]
    at = hit.wording.named.index(name)
    if not hit.wording.fixed[at + 1] or place[1] == hit.end:
        # Nothing marks its end: what is on the next line may be another number.
        marked = pasted.between(place[0], place[1]).strip(SOFT + BLANK + QUOTE)
        pieces = re.split(f"[{SOFT}{BLANK}{QUOTE}]", marked)
        following = pasted.plain[place[1] : place[1] + 1]
        if len(pieces) > 1 and (
            not marked.replace(SOFT, "").isdigit() or following.isalnum() or following in ("-", ":")
        ):
            digits = pieces[0]
    return int(digits) if digits.isdigit() else None


def _ids(pasted: PastedText, hit: Hit, name: str) -> list[tuple[str, ...]]:
    """The ids at a place of the wording, each with all its readings, likeliest first."""
    start, end = hit.places[name]
    if start == end and hit.open != name:
        return []
    marked = pasted.between(start, end)
    single = name == "id" or (name == "others" and "ids" not in hit.places)
    if hit.open != name:
        pieces = [marked] if single else marked.split(",")
        joined = (re.sub(f"[{SOFT}{BLANK}{QUOTE}]", "", piece) for piece in pieces)
        return [(id_,) for id_ in joined if id_]
    found: list[tuple[str, ...]] = []
    for piece in [marked] if single else marked.split(","):
        quoted = QUOTE in piece[: len(piece) - len(piece.lstrip(SOFT + BLANK + QUOTE))]
        body = piece.lstrip(SOFT + BLANK + QUOTE)
        first = re.split(f"[{BLANK}{QUOTE}]", body, maxsplit=1)[0]
        readings = _readings(first, following=body[len(first) :])
        if not readings:
            break
        found.append(readings)
        rest = body[len(first) :]
        if rest and not (quoted and rest.strip(SOFT + BLANK + QUOTE) == ""):
            break
    return found


def _readings(text: str, following: str) -> tuple[str, ...]:
    """The readings of an id whose end nothing marks. `text` has no marks except line breaks."""
    parts: list[str] = []
    for part in text.split(SOFT):
        match = _ID.match(part)
        if match is None or (parts and not part):
            break
        parts.append(match.group())
        if match.end() < len(part) or part.endswith(tuple(_END)):
            break
    if not parts:
        return ()
    likely = 1
    for n in range(1, len(parts)):
        # A word after a line break is not part of an id; text with digits, or at the very end, may well be.
        ends = n == len(parts) - 1 and not following.strip(SOFT + BLANK + QUOTE)
        if not (any(char.isdigit() or char == "_" for char in parts[n]) or ends):
            break
        likely = n + 1
    order = [likely, *(n for n in range(len(parts), 0, -1) if n != likely)]
    readings = ("".join(parts[:n]).rstrip(_END) for n in order[:20])
    return tuple(dict.fromkeys(reading for reading in readings if reading))


def _around(pasted: PastedText, hit: Hit) -> tuple[int, int]:
    return max(0, hit.start - _AROUND), min(len(pasted.bare), hit.end + _AROUND)


def _sender(pasted: PastedText, hit: Hit) -> tuple[str, str | None]:
    """Who raised it, and which gateway passed it on."""
    error = hit.wording.error
    start, end = _around(pasted, hit)
    text = pasted.bare[start:end]
    wrapper, vendor = _wrapped_by(pasted, start, end)
    provider = error.provider
    named = _profile_of(vendor)
    if hit.shaped:
        provider = named[0] if named is not None else _NOBODY
    elif _VERTEX.search(text) and provider == "anthropic":
        provider = "vertex-anthropic"
    elif named is not None and any(provider in family and named[0] in family for family in _FAMILIES):
        provider = named[0]
    elif _AZURE.search(text) and provider == "openai-chat":
        provider = "azure-openai"
    return provider, _as_shown(wrapper, vendor) if wrapper is not None else None


def _wrapped_by(pasted: PastedText, start: int, end: int) -> tuple[str | None, str]:
    """The title of the wrapper, and the vendor it names."""
    text = pasted.bare[start:end]
    inside = _LITELLM.search(text)
    if inside is not None:
        return title_of("litellm"), inside.group(1)
    marked = pasted.between(start, end)
    named = _PROVIDER_NAME.search(marked)
    if _OPENROUTER in text or named is not None:
        vendor = named.group(1).replace(BLANK, " ").strip() if named is not None else ""
        return title_of("openrouter"), vendor
    return None, ""


def _profile_of(vendor: str) -> tuple[str, str] | None:
    """The profile and title for a vendor's name as a wrapper writes it."""
    plain = re.sub(r"[^a-z]", "", vendor.lower())
    return next(((id_, title) for word, id_, title in _VENDORS if plain.startswith(word) or word in plain), None)


def passed_on_by(text: str) -> str | None:
    """The gateway that passed an answer on, and whose: "OpenRouter (Anthropic)"; None when none is named."""
    return _passed_on_by(PastedText.of(text))


def _passed_on_by(pasted: PastedText) -> str | None:
    wrapper, vendor = _wrapped_by(pasted, max(0, len(pasted.bare) - 2 * _AROUND), len(pasted.bare))
    return _as_shown(wrapper, vendor) if wrapper is not None else None


def _as_shown(wrapper: str, vendor: str) -> str:
    named = _profile_of(vendor)
    shown = named[1] if named is not None else vendor
    return f"{wrapper} ({shown})" if shown else wrapper


def _empty_wrapper(pasted: PastedText) -> Recognised | None:
    """A gateway's own words, where the answer that they should pass on is not in the text."""
    through = _passed_on_by(pasted)
    if through is None or _ANSWER.search(pasted.bare, max(0, len(pasted.bare) - 2 * _AROUND)) is not None:
        return None
    wanted = "LIT01" if through.startswith(title_of("litellm")) else "ORT01"
    error = next(error for error in texts() if error.id == wanted)
    return Recognised(error, provider=error.provider, through=through if through.endswith(")") else None)


@cache
def _grams_of_errors() -> Mapping[str, frozenset[str]]:
    """Character n-gram -> ids of the texts that contain it."""
    return {gram: frozenset(wordings()[n].error.id for n, _, _ in places) for gram, places in grams().items()}


def nearest(text: str) -> tuple[ErrorText, ...]:
    """The known texts most similar to an unknown one, at most three; empty when nothing is similar."""
    text = inner_text(text) or text
    bare = PastedText.of(text[-20_000:]).bare
    known = _grams_of_errors()
    shared: dict[str, set[str]] = {}
    for at in range(len(bare) - GRAM + 1):
        gram = bare[at : at + GRAM]
        for id_ in known.get(gram, ()):
            shared.setdefault(id_, set()).add(gram)
    words = set(_WORD.findall(text[-20_000:].lower()))
    likeness: Callable[[ErrorText], float] = lambda error: (  # noqa: E731
        len(shared.get(error.id, ())) + 2 * GRAM * _share_of_words(error, words)
    )
    ranked: Sequence[ErrorText] = sorted((e for e in texts() if not e.wraps), key=likeness, reverse=True)
    alike = [e for e in ranked if len(shared.get(e.id, ())) >= _NEAR_GRAMS or _share_of_words(e, words) >= _NEAR_WORDS]
    return tuple(alike[:_SHOWN_NEAR])


_WORD: Final = re.compile(r"[a-z]{3,40}")
_NEAR_WORDS: Final = 0.5


def _share_of_words(error: ErrorText, words: set[str]) -> float:
    own = set(_WORD.findall(error.text.lower()))
    return len(own & words) / len(own) if len(own) > 2 else 0.0
