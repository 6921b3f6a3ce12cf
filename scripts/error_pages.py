"""A page for each provider with the error texts that are known of it: found by their words, read without toolpair."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from toolpair.rules.errors.texts import ErrorText, texts, title_of
from toolpair.rules.pages import pages as rule_pages

_EVIDENCE = {"live": "seen in a live answer", "observed": "seen in a report", "claimed": "said, not seen by us"}


def pages() -> dict[str, str]:
    of: dict[str, list[ErrorText]] = defaultdict(list)
    for one in texts():
        of[one.provider].append(one)
    titles = {provider: title_of(provider) for provider in of}
    order = sorted(of, key=lambda provider: titles[provider].casefold())
    rows = [f"| [{titles[provider]}]({provider}.md) | {len(of[provider])} |" for provider in order]
    about = (
        "What a provider, or a program in front of it, says when it refuses a history, what it means, and what to do. "
        "`toolpair explain - FILE` takes such a text however it was wrapped or cut, and shows the block in the file."
    )
    index = "\n".join(("# Error texts", "", about, "", "| says it | texts |", "|---|--:|", *rows))
    made = {f"{provider}.md": "\n".join(_page(titles[provider], of[provider])) for provider in order}
    return {"README.md": index, **made}


def _page(title: str, known: list[ErrorText]) -> Iterator[str]:
    yield f"# {title}: error texts"
    for one in known:
        yield from ("", f"## {_head(one.text)}", "", "```", *(word.replace("```", "'''") for word in one.words), "```")
        yield from ("", one.meaning, "", f"What to do: {one.remedy}")
        if one.command:
            yield from ("", f"`toolpair {one.command}`")
        rules = [f"[`{name}`](../rules/{name}.md)" for name in one.rules if name in rule_pages()]
        evidence = _EVIDENCE.get(one.evidence, one.evidence)
        told = [f"Rules: {', '.join(rules)}."] if rules else []
        yield from ("", " ".join((*told, f"{evidence[:1].upper()}{evidence[1:]}: <{one.link}>")))
    yield from ("", "[All error texts](README.md)")


def _head(text: str) -> str:
    """The beginning of an error text as a heading, which has no code and no markup."""
    plain = "".join(char for char in text if char not in "`*<>[]#|\n")
    return (plain if len(plain) <= 90 else plain[:90].rsplit(" ", 1)[0] + " …").replace("_", "\\_")
