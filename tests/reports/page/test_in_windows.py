"""A long session is read window by window, and of the broken windows only what was found is kept: the report is the same."""

from __future__ import annotations

import tempfile

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import toolpair
from tests.history.opening import judged_by
from tests.hostile.test_odd_fields import case, laid_down
from tests.reports.page.parsed import assert_markdown_only_of_the_template, assert_only_the_template
from tests.rounds import tries
from toolpair.session.session import open_session


@given(st.integers(0, 2**32))
@settings(max_examples=tries(15), deadline=None, suppress_health_check=list(HealthCheck))
def test_the_same_page_however_it_is_read(seed: int) -> None:
    name, value, _ = case(seed)
    with tempfile.TemporaryDirectory() as folder:
        path = laid_down(folder, name, value)
        pages: dict[tuple[int | None, bool], str] = {}
        for least in (None, 0, 3):
            for reporting in (False, True):
                with judged_by(least):
                    try:
                        session = open_session(path, reporting=reporting)
                    except toolpair.SessionError:
                        continue
                    pages[least, reporting] = toolpair.report(session)
        if pages:
            whole = pages[None, False]
            assert_only_the_template(whole)
            assert_markdown_only_of_the_template(toolpair.report(path, form="markdown"))
        for how, page in pages.items():
            assert page == whole, how


@pytest.mark.parametrize("reporting", [False, True])
def test_the_last_call_is_named_with_its_input(reporting: bool, samples: object) -> None:
    with judged_by(0):
        session = open_session(f"{samples}/codex-killed.jsonl", reporting=reporting)
        page = toolpair.report(session)
    with judged_by(None):
        assert page == toolpair.report(f"{samples}/codex-killed.jsonl")
