"""What a written page holds, as a strict reader of HTML or of Markdown sees it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, Final
from urllib.parse import unquote
from xml.etree.ElementTree import Element

import html5lib
from cmarkgfm import github_flavored_markdown_to_html
from markdown_it import MarkdownIt

TAGS: Final = {
    "html": {"lang"}, "head": set(), "meta": {"http-equiv", "content", "charset", "name"}, "title": set(), "style": set(),
    "body": set(), "header": set(), "main": set(), "footer": set(), "nav": {"aria-label"}, "div": {"class"},
    "h1": set(), "h2": {"id"}, "h3": {"id"}, "h4": set(), "p": {"class", "id"}, "small": set(), "b": set(), "i": set(),
    "a": {"href"}, "ul": {"class"}, "li": {"class"}, "dl": set(), "dt": set(), "dd": set(), "code": set(),
    "pre": {"class"}, "span": {"class"}, "mark": set(), "del": set(), "ins": set(), "time": set(),
    "details": {"class", "id", "open"}, "summary": set(), "figure": set(), "figcaption": set(), "img": {"src", "alt"},
    "table": {"class"}, "tbody": set(), "tr": set(), "th": {"scope"}, "td": set(),
}  # fmt: skip
"""All that the template writes, and nothing else."""
CLASSES: Final = re.compile(r"[a-z]+(?: [a-z]+)*|to-do")
ANCHOR: Final = re.compile(
    r"(?:c\d+-)?(?:(?:pair|message|line|problem|warning|note)-\d+|verdict|verdict-problems|conversation)"
)
OWN_HTML: Final = re.compile(
    r"<!-- [^<>]* -->|</?details(?: open)?>|</?summary>|</?b>|</?code>|</a>|<a id=\"" + ANCHOR.pattern + '">'
)


def tree(page: bytes | str) -> Element:
    """The page as a browser reads it; it has to be without a single error."""
    data = page.encode() if isinstance(page, str) else page
    parser = html5lib.HTMLParser(html5lib.getTreeBuilder("etree"), strict=False, namespaceHTMLElements=False)
    found: Element = parser.parse(data, transport_encoding="utf-8")
    assert not parser.errors, parser.errors[:5]
    return found


def elements(root: Element) -> Iterator[Element]:
    return (element for element in root.iter() if isinstance(element.tag, str))


def assert_only_the_template(page: bytes | str, names: Iterable[str] = ()) -> Element:
    """Nothing is in the page but the template's elements, links to itself and to its other pages (`names`)."""
    root = tree(page)
    ids: list[str] = []
    for element in elements(root):
        assert set(element.attrib) <= TAGS[element.tag], (element.tag, element.attrib)
        if "id" in element.attrib:
            ids.append(element.attrib["id"])
            assert ANCHOR.fullmatch(ids[-1])
        if "class" in element.attrib:
            assert CLASSES.fullmatch(element.attrib["class"]), element.attrib
        if element.tag == "a":
            file, _, anchor = element.attrib["href"].partition("#")
            assert not file or unquote(file.removeprefix("./")) in names
            assert ANCHOR.fullmatch(anchor) or (file and not anchor)
        if element.tag == "img":
            assert re.fullmatch(r"data:image/(png|jpeg|gif|webp);base64,[A-Za-z0-9+/]+={0,2}", element.attrib["src"])
        if element.tag == "meta":
            refresh = element.attrib.get("http-equiv", "Content-Security-Policy")
            assert refresh == "Content-Security-Policy"
    assert len(ids) == len(set(ids))
    for element in elements(root):
        href = element.attrib.get("href", "")
        if href.startswith("#"):
            assert href[1:] in ids, href
    return root


def words(root: Element) -> str:
    return "".join(root.itertext())


def anchors_of(path: Path) -> set[str]:
    return set(re.findall(r' id="([^"]+)"', path.read_text("utf-8")))


def tokens(page: str) -> Iterator[Any]:
    """The tokens of Markdown, those inside paragraphs too."""
    for token in MarkdownIt("commonmark").enable(["table", "strikethrough"]).parse(page):
        yield token
        yield from token.children or ()


def assert_markdown_only_of_the_template(page: str, names: Iterable[str] = ()) -> None:
    """No link, image, element or reference in the page is a session's."""
    assert_github_makes_nothing_of(page)
    plain = 0
    for token in tokens(page):
        if token.type == "image":
            raise AssertionError(token.content)
        if token.type == "link_open":
            file, _, anchor = str(token.attrs["href"]).partition("#")
            assert not file or unquote(file.removeprefix("./")) in names
            assert ANCHOR.fullmatch(anchor) or (file and not anchor)
        if token.type in ("html_block", "html_inline"):
            left = OWN_HTML.sub("", token.content)
            assert "<" not in left and ">" not in left, token.content
            outside = re.sub(r"<code>[^<]*</code>", "", token.content)
            assert_refers_to_nothing(OWN_HTML.sub("", outside))
        if token.type == "text":
            plain += 1
            assert_refers_to_nothing(token.content)
        if token.type in ("table_open", "s_open", "em_open"):
            raise AssertionError(token.type)
    assert plain


def assert_github_makes_nothing_of(page: str) -> None:
    """Rendered as GitHub does, with its own library: no link but the page's own, no image, no struck or tabled text."""
    root = html5lib.parse(github_flavored_markdown_to_html(page), namespaceHTMLElements=False)
    for element in elements(root):
        assert element.tag not in ("img", "del", "table", "em", "input"), element.attrib
        if element.tag == "a" and "href" in element.attrib:
            assert "//" not in element.attrib["href"] and "mailto:" not in element.attrib["href"], element.attrib


def assert_refers_to_nothing(text: str) -> None:
    """GitHub makes no link of it: no name, number, commit or address."""
    for sign in ("@", "#", "://", "www.", "$"):
        assert sign not in text, text
    assert not re.search(r"\b(?:[0-9a-fA-F]{7,}|GH-\d+)\b", text), text
