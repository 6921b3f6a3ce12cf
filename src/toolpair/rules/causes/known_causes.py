"""The causes that are known: what is said of each is data (`rules/data/causes.json`), and who is known for it stands in
the record of each system (`transcript/known_systems.py`). A new cause is an entry there and a recogniser here.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from msgspec import Struct

from toolpair.rules.problem import Cause
from toolpair.rules.shipped import shipped
from toolpair.transcript.known_systems import SYSTEMS, titles


class Writer(Struct, frozen=True):
    """A product known to write such files. `product` includes its versions where they are known."""

    product: str
    link: str | None
    proxy: bool = False
    """A gateway between agents and providers: any agent's session may have passed through it."""
    way: str | None = None
    """Which way is its own, of several that the recogniser tells apart."""


class CausePage(Struct, frozen=True):
    """What is known of a cause in general. `text` is one clause, `about` explains how it comes about."""

    id: str
    text: str
    about: str
    writers: tuple[Writer, ...]
    always: Writer | None
    """The only product that writes like this: it is named whenever the cause is recognised."""
    link: str | None


@cache
def _all() -> Mapping[str, CausePage]:
    return {id_: _page(id_, entry) for id_, entry in shipped("causes.json").items()}


def _page(id_: str, entry: Mapping[str, str]) -> CausePage:
    """`alone` in the data is the id of the system that alone writes so, `first` of the one that is named first."""
    writers = {system: writer for system in SYSTEMS if (writer := _writer(system, id_)) is not None}
    first = entry.get("first")
    always = writers[entry["alone"]] if "alone" in entry else None
    return CausePage(
        id_,
        entry["text"],
        entry["about"],
        tuple(writers[system] for system in sorted(writers, key=lambda system: system != first)),
        always,
        entry.get("link") or (always.link if always is not None else None),
    )


def _writer(id_: str, cause: str) -> Writer | None:
    system = SYSTEMS[id_]
    seen = system.causes.get(cause)
    if seen is None:
        return None
    return Writer(f"{titles(id_, seen.also)} {seen.versions}".strip(), seen.link, system.proxy, seen.way)


def cause_ids() -> tuple[str, ...]:
    """All ids of known causes, in the order of the data."""
    return tuple(_all())


def cause_page(id_: str) -> CausePage | None:
    """The page of a cause; None for an unknown id."""
    return _all().get(id_)


def cause_called(words: str) -> CausePage | None:
    """The cause with this id, or with this text as printed in a report, with or without evidence after it."""
    text = words.removeprefix("cause:").partition(";")[0].strip()
    return _all().get(words) or next((page for page in _all().values() if page.text == text), None)


def named(
    id_: str, evidence: str = "", product: str | None = None, agent: str | None = None, way: str | None = None
) -> Cause:
    """The cause together with its evidence.

    `product` is how the name of the product begins whose pattern the evidence fits, `way` what fits it. `agent` is
    the one that wrote the session, where that is known: no other agent is named then.
    """
    page = _all()[id_]
    writer = page.always
    if way is not None:
        writer = next((one for one in page.writers if one.way == way), writer)
    if product is not None:
        writer = next((one for one in page.writers if one.product.startswith(product)), writer)
    if writer is None or not (agent is None or writer.proxy or writer.product.startswith(agent)):
        return Cause(id_, page.text, evidence, None, page.link if page.always is None else None)
    return Cause(id_, page.text, evidence, writer.product, writer.link or page.link)
