from __future__ import annotations

from pathlib import Path

import pytest

from toolpair.reports.page.files import ReportFiles, write_files
from toolpair.reports.page.report import Wanted
from toolpair.session.session import open_session


class Writing:
    """Writes reports into a folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def __call__(self, session: Path, name: str = "report.html", **wanted: object) -> ReportFiles:
        form = "markdown" if name.endswith(".md") else "html"
        opened = open_session(session, reporting=True)
        return write_files(opened, Wanted(form=form, **wanted), self.folder / name, force=True)  # type: ignore[arg-type]


@pytest.fixture
def write(tmp_path: Path) -> Writing:
    (tmp_path / "out").mkdir()
    return Writing(tmp_path / "out")
