"""Profiles: what each provider accepts, as data. One JSON file per profile in `rules/data/profiles/`."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from typing import TYPE_CHECKING, Any, Final

from msgspec import Struct, convert
from msgspec.structs import replace

from toolpair.dialects.new_ids import IdShape
from toolpair.rules.problem import Severity
from toolpair.rules.shipped import shipped
from toolpair.shell.program import command

if TYPE_CHECKING:
    from toolpair.dialects.media import Media

PROFILES: Final = (
    "anthropic",
    "vertex-anthropic",
    "bedrock-converse",
    "openai-chat",
    "azure-openai",
    "openai-responses",
    "gemini",
    "mistral",
    "deepseek",
    "moonshot",
    "groq",
    "zai",
    "xai",
    "dashscope",
    "minimax",
    "openrouter",
    "llama-cpp",
    "ollama",
    "vllm",
    "lm-studio",
)
"""Every profile; a new one is a data file and a line here."""
_ALSO_CALLED: Final = {
    "claude": "anthropic",
    "gpt": "openai-chat",
    "google": "gemini",
    "aws": "bedrock-converse",
    "kimi": "moonshot",
    "codex": "openai-responses",
    "glm": "zai",
    "zhipu": "zai",
    "grok": "xai",
    "qwen": "dashscope",
    "alibaba": "dashscope",
    "llamacpp": "llama-cpp",
    "llama.cpp": "llama-cpp",
    "lmstudio": "lm-studio",
}
"""Other names that people use for a provider."""
_WEIGHT: Final = {None: 0, "info": 1, "warning": 2, "error": 3}


class Cell(Struct, frozen=True):
    """One profile's entry for one rule: `severity` is None where the provider accepts it."""

    severity: Severity | None
    evidence: str
    note: str | None = None
    link: str | None = None


class Passed(Struct, frozen=True):
    """A limit that an image is over, as the parts of a sentence around the name of the provider."""

    what: str
    takes: str
    severity: Severity


class ImageLimits(Struct, frozen=True):
    """How large an image may be."""

    pixels: int
    """Its width, and its height."""
    base64: int
    """Its length as it is sent: in Base64."""
    many: int
    """In a request with more images than this one may be no larger than `many_pixels`."""
    many_pixels: int

    def passed_by(self, media: Media) -> Passed | None:
        """The limit that it is over; None for what is no image, or within all of them."""
        if media.kind != "image" or not media.data:
            return None
        if len(media.data) > self.base64:
            most = f"takes up to {self.base64 * 3 // 4:,}"
            return Passed(f"has {media.size:,} bytes, and", most, "error")
        longest = max(media.pixels or (0,))
        said = f"is {longest:,} pixels wide or high, and"
        if longest > self.pixels:
            return Passed(said, f"takes up to {self.pixels:,}", "error")
        if longest > self.many_pixels:
            most = f"takes up to {self.many_pixels:,} in requests with more than {self.many} images"
            return Passed(said, most, "info")
        return None


class Family(Struct, frozen=True):
    """Models of a provider that differ from its others: `profile/id` is the profile with the differences applied.

    `models` matches the models' names, None when names do not show the family. `cells` are the rules that differ.
    `unless_chosen`: its models are not the provider's, so they say nothing where the user named the provider.
    """

    id: str
    title: str
    models: re.Pattern[str] | None
    cells: Mapping[str, Cell]
    unless_chosen: bool = False


class Profile(Struct, frozen=True, eq=False):
    """The rules of one provider's API, or of one family of its models."""

    id: str
    """"mistral", or with a family "mistral/v13"."""
    base: str
    """The id without the family."""
    family: str | None
    title: str
    id_pattern: re.Pattern[str] | None
    """The characters allowed in ids of any length."""
    id_min: int
    id_max: int | None
    new_ids: IdShape
    name_pattern: re.Pattern[str]
    name_max: int
    results: str
    not_judged: tuple[str, ...]
    cells: Mapping[str, Cell]
    families: tuple[Family, ...]
    """All families of the provider."""
    images: ImageLimits | None = None
    """None where no limit is known."""
    chosen: bool = True
    """False for the profile that a format comes with: the user has not said where the session goes."""

    @property
    def judged(self) -> int:
        """The number of rules that this profile checks."""
        return sum(cell.severity is not None for cell in self.cells.values())

    @property
    def name(self) -> str:
        """The title as used in a sentence: "Anthropic", "OpenAI chat"."""
        title = self.title.replace(" Messages API", "").replace(" Chat Completions", " chat")
        return title.replace(" chat completions", "").replace(" generateContent", "")

    def cell(self, rule: str) -> Cell | None:
        return self.cells.get(rule)

    def accepts_id(self, id_: Any) -> bool:
        """Whether the id itself is accepted: a non-empty str of allowed characters and length."""
        if not isinstance(id_, str) or not id_:
            return False
        if self.id_pattern is not None and not self.id_pattern.fullmatch(id_):
            return False
        return self.id_min <= len(id_) and (self.id_max is None or len(id_) <= self.id_max)

    def for_model(self, model: str | None) -> Profile:
        """The profile relaxed by what is known of this model: rules that the model's family takes more lightly.

        A name alone never makes anything stricter: a saved history need not be sent to that model again. A chosen
        family stays.
        """
        if self.family is not None or not model or not self.families:
            return self
        found = family_of_model(self.base, model)
        if found is None or (self.chosen and any(one.id == found and one.unless_chosen for one in self.families)):
            return self
        return _lightened(self.base, found)

    def stricter(self, severities: Mapping[str, Severity]) -> Profile:
        """The profile with these severities, for a program that is stricter than the provider."""
        if not severities:
            return self
        cells = {rule: Cell(severity, "observed") for rule, severity in severities.items()}
        return replace(self, cells={**self.cells, **cells})


@cache
def profile(id_: str) -> Profile:
    """The profile with this id, or `profile/family`. Raises KeyError for an unknown one."""
    base, _, family = id_.partition("/")
    if base not in PROFILES or (family == "" and "/" in id_):
        raise KeyError(id_)
    data = _data(base)
    families = tuple(
        Family(
            listed["id"],
            listed["title"],
            re.compile(listed["models"]) if listed["models"] else None,
            _cells(listed["rules"]),
            listed.get("unless_chosen", False),
        )
        for listed in data["families"]
    )
    if family:
        chosen = next((listed for listed in data["families"] if listed["id"] == family), None)
        if chosen is None:
            raise KeyError(id_)
        data |= {key: value for key, value in chosen.items() if key in ("id_pattern", "id_min", "id_max")}
        data["new_ids"] |= chosen.get("new_ids", {})
        data["title"] += f" ({chosen['title']})"
        data["rules"] |= chosen["rules"]
    shape = data["new_ids"]
    return Profile(
        id=id_,
        base=base,
        family=family or None,
        title=data["title"],
        id_pattern=re.compile(data["id_pattern"]) if data["id_pattern"] else None,
        id_min=data["id_min"],
        id_max=data["id_max"],
        new_ids=IdShape(shape["alphabet"], shape["max"], shape["exact"], shape["prefix"], frozenset(shape["keeps"])),
        name_pattern=re.compile(data["name_pattern"]),
        name_max=data["name_max"],
        results=data["results"],
        not_judged=tuple(data["not_judged"]),
        cells=_cells(data["rules"]),
        families=families,
        images=convert(data["images"], ImageLimits) if "images" in data else None,
    )


def _data(base: str) -> dict[str, Any]:
    """A profile's data. One that is `like` another has of the other what it does not say itself, and less surely."""
    data: dict[str, Any] = shipped(f"profiles/{base}.json")
    if "like" not in data:
        return data
    other = _data(data["like"])
    told = {rule: _less_sure(cell, other["title"]) for rule, cell in other["rules"].items()}
    return other | data | {"rules": told | data["rules"]}


def _less_sure(cell: dict[str, Any], title: str) -> dict[str, Any]:
    """What is known of another endpoint: never an error."""
    severity = cell["severity"]
    if severity is None:
        return {"severity": None, "evidence": "unknown"}
    note = f"inferred: it follows the rules of {title}; nothing is known of its own"
    return {"severity": "warning" if severity == "error" else severity, "evidence": "inferred", "note": note}


@cache
def usual_profile(id_: str) -> Profile:
    """The profile that a format comes with, which the user has not chosen."""
    return replace(profile(id_), chosen=False)


def _cells(rules: Mapping[str, Any]) -> dict[str, Cell]:
    return {
        rule: Cell(cell["severity"], cell["evidence"], cell.get("note"), cell.get("link"))
        for rule, cell in rules.items()
    }


def family_of_model(base: str, model: str) -> str | None:
    """The id of the family that a model's name matches; None when it matches none."""
    return next((one.id for one in profile(base).families if one.models and one.models.search(model)), None)


@cache
def _lightened(base: str, family: str) -> Profile:
    plain = profile(base)
    fitting = profile(f"{base}/{family}")
    cells = {
        rule: fitting.cells[rule] if _WEIGHT[fitting.cells[rule].severity] < _WEIGHT[cell.severity] else cell
        for rule, cell in plain.cells.items()
    }
    return replace(fitting, cells=cells, title=plain.title)


def profile_names() -> tuple[str, ...]:
    """Every name that `profile` accepts, including families."""
    return tuple(
        name for base in PROFILES for name in (base, *(f"{base}/{family.id}" for family in profile(base).families))
    )


def is_profile(name: str) -> bool:
    """Whether `profile` accepts this name."""
    try:
        profile(name)
    except KeyError:
        return False
    return True


def no_such_profile(name: str) -> str:
    """A sentence about a name that `profile` does not accept: what was probably meant, or what exists."""
    import difflib

    base, _, family = name.partition("/")
    if base in PROFILES:
        there = [one.id for one in profile(base).families]
        if not there:
            return f"The profile {base} has no families, so there is no {family!r}; give {base} alone."
        close = difflib.get_close_matches(family, there, n=1)
        hint = f"did you mean {base}/{close[0]}?" if close else f"it has {', '.join(there)}."
        return f"The profile {base} has no family {family!r}; {hint}"
    meant = base.casefold().strip()
    close = [known for word, known in _ALSO_CALLED.items() if word in meant]
    close = close or [known for known in PROFILES if meant and meant in known]
    close = close or difflib.get_close_matches(meant, PROFILES, n=1)
    hint = f"did you mean {close[0]}?" if close else f"`{command('profiles')}` lists them."
    return f"There is no profile {name!r}; {hint}"
