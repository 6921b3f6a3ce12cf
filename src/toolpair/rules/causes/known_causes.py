"""The known causes, as data: `rules/data/causes.json`. A new cause is an entry there and a recogniser in
this package.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from msgspec import Struct

from toolpair.rules.problem import Cause
from toolpair.rules.shipped import shipped


class Writer(Struct, frozen=True):
    """A product known to write such files. `product` includes its versions where they are known."""

    product: str
    link: str | None
    proxy: bool = False
    """A gateway between agents and providers: any agent's session may have passed through it."""


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


def _page(id_: str, entry: Mapping[str, object]) -> CausePage:
    known = entry.get("known", [])
    assert isinstance(known, list)
    product, link = entry.get("product"), entry.get("link")
    always = Writer(str(product), str(link) if link else None, bool(entry.get("proxy"))) if product else None
    writers = tuple(Writer(one["product"], one["link"], bool(one.get("proxy"))) for one in known)
    return CausePage(
        id_,
        str(entry["text"]),
        str(entry["about"]),
        (always, *writers) if always else writers,
        always,
        str(link) if link else None,
    )


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


def named(id_: str, evidence: str = "", product: str | None = None, agent: str | None = None) -> Cause:
    """The cause together with its evidence.

    `product` is the start of the name of the product whose pattern the evidence fits. `agent` is the agent that wrote
    the session, if known: then no other agent is named.
    """
    page = _all()[id_]
    writer = page.always
    if product is not None:
        writer = next((one for one in page.writers if one.product.startswith(product)), writer)
    if writer is None or not (agent is None or writer.proxy or writer.product.startswith(agent)):
        return Cause(id_, page.text, evidence, None, page.link if page.always is None else None)
    return Cause(id_, page.text, evidence, writer.product, writer.link or page.link)
