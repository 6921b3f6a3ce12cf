"""A page is HTML without an error, holds the template's elements alone, and everything of a session in it is text."""

from __future__ import annotations

import base64
import hashlib
import json
import os
import re
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import toolpair
from tests.reports.page.conftest import Writing
from tests.reports.page.parsed import assert_only_the_template, elements, tree, words
from tests.reports.page.sessions import (
    HOSTILE,
    LONG,
    PNG,
    assistant,
    call,
    hostile,
    one_of_everything,
    result,
    text,
    user,
    written,
)
from tests.rounds import mixed, tries
from toolpair.text.safe import visible_text

SAMPLES = sorted((Path(__file__).parents[3] / "sample_sessions").glob("*.*"))
SESSIONS = os.environ.get("TOOLPAIR_SESSIONS")
"""A folder with sessions of one's own."""


@pytest.mark.parametrize(
    ("sample", "full"), mixed([path for path in SAMPLES if path.suffix not in (".py", ".md")], [False, True]), ids=str
)
def test_every_sample(sample: Path, full: bool, write: Writing) -> None:
    files = write(sample, full=full, images=full)
    for path in files.paths:
        assert_only_the_template(path.read_bytes(), [path.name for path in files.paths])


@pytest.mark.parametrize("images", [False, True])
def test_hostile_content_stays_text(tmp_path: Path, write: Writing, images: bool) -> None:
    files = write(written(tmp_path, hostile()), images=images)
    (page,) = files.paths
    said = words(assert_only_the_template(page.read_bytes()))
    assert "<script>document.title='owned'</script>" in said
    for planted in HOSTILE[:10]:
        assert said.count(planted.replace("PORT", "9")) > 8


ODD = st.lists(
    st.one_of(
        st.sampled_from("<>&\"'`\0\x1b\x9b\r\n\t-![]()#@\u202e\u2066\ufeff\ufffe\ud800\udfff\u0301="),
        st.sampled_from(["</pre>", "<script>", "-->", "&lt;", "```", "javascript:", "http://x", "GH-1", "deadbeef"]),
        st.characters(),
    ),
    max_size=40,
).map("".join)


@given(ODD, ODD, st.recursive(ODD, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(ODD, inner, max_size=3)))
@settings(max_examples=tries(60), deadline=None, suppress_health_check=list(HealthCheck))
def test_any_content_stays_text(tmp_path_factory: pytest.TempPathFactory, one: str, two: str, any_: object) -> None:
    folder = tmp_path_factory.mktemp("odd")
    messages = [
        user(text(one)),
        assistant(
            text(two),
            call(one, two, command=any_, **{two: one}),
            call("b", "Edit", path=one, old_string=two, new_string=one),
        ),
        user(result(two, any_ if isinstance(any_, (str, list)) else one), result("b", two, is_error=True)),
        user(text("x")),
    ]
    session = written(folder, messages)
    page = toolpair.report(session)
    said = words(assert_only_the_template(page))
    if one.strip():
        assert visible_text(one).replace("\r", "\n") in said
    assert_only_the_template(toolpair.report(session, full=True, images=True))


def test_the_first_lines(tmp_path: Path, write: Writing) -> None:
    page = write(written(tmp_path, one_of_everything())).paths[0].read_text("utf-8")
    first, second, *_ = page.split("\n")
    assert first == "<!DOCTYPE html>"
    assert (
        second
        == "<!-- This file contains the content of a session: messages, commands, outputs. Read it before you share it. -->"
    )
    head = page[page.index("<head>") + len("<head>\n") :]
    assert head.startswith(
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'sha256-"
    )
    assert "This report contains the session's content" in words(tree(page))


def test_the_policy_allows_the_style_and_nothing_else(tmp_path: Path, write: Writing) -> None:
    session = written(tmp_path, one_of_everything())
    page = write(session).paths[0].read_text("utf-8")
    (policy,) = re.findall(r'Policy" content="([^"]*)"', page)
    style = page[page.index("<style>") + len("<style>") : page.index("</style>")]
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    assert policy == f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"
    assert "@import" not in style and "url(" not in style and "<" not in style
    assert "img-src data:; style-src" in write(session, images=True).paths[0].read_text("utf-8")


def test_what_the_page_says(tmp_path: Path, write: Writing) -> None:
    root = tree(write(written(tmp_path, one_of_everything())).paths[0].read_bytes())
    said = words(root)
    assert "API REFUSES IT 2 problems, 2 causes. All 6 outputs are still in the file." in said
    by_id = {element.attrib["id"]: element for element in elements(root) if "id" in element.attrib}
    problem = words(by_id["problem-1"])
    assert "error, the API refuses it" in problem and "result.id_mismatch" in problem
    assert "The ids differ: character 10 is _ in the call and . in the result" in problem
    assert "Fix" in problem and "Give the result the call's id. Loses nothing." in problem
    assert "Other way" in problem and "Remove the call. Loses its input and its output" in problem
    assert [words(mark) for mark in by_id["problem-1"].iter("mark")] == ["_", "_", ".", ":"]
    assert {link.attrib["href"] for link in by_id["problem-1"].iter("a")} == {"#pair-4"}
    assert {link.attrib["href"] for link in by_id["pair-4"].iter("a")} == {"#problem-1"}
    assert "different id" in words(by_id["pair-4"]) and "open" in by_id["pair-4"].attrib
    assert "no result anywhere in this file" in words(by_id["pair-6"])
    assert "open" not in by_id["pair-0"].attrib
    # calls as what they do
    assert "$" not in words(by_id["pair-1"]) and "pytest -q tests/test_cart.py | tail -40" in words(by_id["pair-1"])
    assert "ERROR exit 1 · 901 lines" in words(by_id["pair-1"]) and "\\x1b" not in words(by_id["pair-1"])
    assert "[x] Find where the coupon is applied" in words(by_id["pair-2"])
    assert next(words(line) for line in by_id["pair-3"].iter("ins")) == "+     net = sum(items)"
    assert "image  PNG, 1 x 1, 70 B" in words(by_id["pair-4"]) and PNG not in said
    assert "total: 12.30" in words(by_id["pair-5"])
    assert "Thinking, 46 characters" in words(by_id["pair-0"]) or "Thinking, 46 characters" in said


def test_numbers_are_as_the_file_writes_them(tmp_path: Path) -> None:
    data = json.dumps([assistant(call("a", "query", factor=1.5, big=1)), user(result("a", "ok"))])
    data = data.replace("1.5", "1.50e0").replace('"big": 1', '"big": 123456789012345678901234567890')
    said = words(tree(toolpair.report(toolpair.open("x.json", data=data.encode()))))
    assert "factor: 1.50e0" in said and "big: 123456789012345678901234567890" in said


def test_long_texts_are_cut_with_a_count(tmp_path: Path, write: Writing) -> None:
    session = written(tmp_path, one_of_everything())
    cut, whole = (words(tree(write(session, full=full).paths[0].read_bytes())) for full in (False, True))
    assert LONG in whole and LONG not in cut
    (found,) = re.findall(r"… ([\d,]+) more characters, ([\d,]+) lines, not shown; --full shows all\.", cut)
    shown = cut.count("PASSED")
    assert shown + int(found[1].replace(",", "")) == 900
    assert "not shown" not in whole


def test_nothing_of_a_long_value_is_lost_with_full(tmp_path: Path, write: Writing) -> None:
    value = "x" * 150_000 + "END"
    session = written(tmp_path, [assistant(call("a", "query", sql=value)), user(result("a", json.dumps({"k": value})))])
    assert words(tree(write(session, full=True).paths[0].read_bytes())).count(value) == 2
    cut = words(tree(write(session).paths[0].read_bytes()))
    assert "END" not in cut and cut.count("130,003 more characters") >= 1


def test_images_on_request(tmp_path: Path, write: Writing) -> None:
    session = written(tmp_path, one_of_everything())
    (image,) = tree(write(session, images=True).paths[0].read_bytes()).iter("img")
    assert image.attrib["src"] == f"data:image/png;base64,{PNG}"


@pytest.mark.parametrize(
    ("kind", "data"),
    [
        ("image/svg+xml", base64.b64encode(b"<svg onload='alert(1)'/>").decode()),
        ("image/png", base64.b64encode(b"<html>").decode()),
        ("image/png", PNG + '" onerror="alert(1)'),
        ('image/png" onerror="alert(1)', PNG),
        ("text/html", PNG),
    ],
)
def test_only_pictures_are_embedded(tmp_path: Path, write: Writing, kind: str, data: str) -> None:
    image = {"type": "image", "source": {"type": "base64", "media_type": kind, "data": data}}
    session = written(tmp_path, [user(text("see"), image), assistant(call("a", "shot")), user(result("a", [image]))])
    page = write(session, images=True).paths[0]
    assert not list(assert_only_the_template(page.read_bytes()).iter("img"))


def test_the_same_bytes_each_time(tmp_path: Path, write: Writing) -> None:
    session = written(tmp_path, one_of_everything())
    assert write(session, "a.html").paths[0].read_bytes() == write(session, "b.html").paths[0].read_bytes()


def test_staged_fixes_are_in_it(tmp_path: Path) -> None:
    session = toolpair.open(written(tmp_path, one_of_everything()))
    session.stage_recommended()
    said = words(assert_only_the_template(toolpair.report(session)))
    assert "Applied, not saved2 fixes" in said.replace("\n", "")
    assert "VALID" in said and "No result was recorded for this call" in said


@pytest.mark.skipif(not SESSIONS, reason="TOOLPAIR_SESSIONS names no folder with sessions")
@pytest.mark.parametrize("form", ["html", "markdown"])
def test_sessions_of_ones_own(form: str, write: Writing) -> None:
    from tests.reports.page.parsed import assert_markdown_only_of_the_template

    count = 0
    for path in sorted(path for path in Path(str(SESSIONS)).rglob("*") if path.is_file()):
        try:
            files = write(path, "report.html" if form == "html" else "report.md")
        except toolpair.SessionError:
            continue
        count += 1
        names = [page.name for page in files.paths]
        for page in files.paths:
            if form == "html":
                assert_only_the_template(page.read_bytes(), names)
            else:
                assert_markdown_only_of_the_template(page.read_text("utf-8"), names)
    assert count
