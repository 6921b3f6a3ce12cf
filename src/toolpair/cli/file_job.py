"""Checking one file for `check`, in this process or in a worker."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from msgspec import Struct

from toolpair.cli import inputs
from toolpair.cli.file_report import Checked, describe, unreadable
from toolpair.session.session import SessionError
from toolpair.source.errors import TooLarge

if TYPE_CHECKING:
    import argparse


FOR_CI: Final = frozenset({"jsonl", "sarif", "github"})
"""Formats whose output is the same on every machine."""


class FileJob(Struct, frozen=True):
    """What is asked of every file. Plain data, so that it can be sent to another process."""

    format: str | None
    profiles: tuple[str, ...]
    leaf: str | None
    show_content: bool
    inactive: bool
    skip_unrecognised: bool
    max_size: int | None
    agent_version: str | None
    installed: bool
    """Unless a version is named, assume the one installed here resumes the file."""

    @classmethod
    def of(cls, options: argparse.Namespace, profiles: list[str]) -> FileJob:
        return cls(
            options.format,
            tuple(profiles),
            options.leaf,
            options.show_content,
            options.inactive,
            options.skip_unrecognised,
            options.max_size,
            options.agent_version,
            options.output_format not in FOR_CI,
        )


def judge_file(
    source: inputs.Input, work: FileJob, progress: Callable[[int], None] | None = None
) -> list[Checked] | None:
    """One report per profile; None for a file that is not a session and was not named by the user.

    `progress` is called with the number of bytes of a large file read so far.
    """
    skipping = source.walked or (work.skip_unrecognised and os.access(source.name, os.R_OK))
    if skipping and not inputs.may_be_session(source.name):
        return None
    several = len(work.profiles) > 1
    made: list[Checked] = []
    try:
        profile = work.profiles[0] if work.profiles else None
        session = source.open(
            work.format,
            profile,
            work.leaf,
            progress,
            reporting=not work.show_content,
            agent_version=work.agent_version,
            installed=work.installed,
            max_size=work.max_size,
        )
        made.append(describe(session, source.name, work.show_content, work.inactive, several))
        for other in work.profiles[1:]:
            session.set_profile(other)
            made.append(describe(session, source.name, work.show_content, work.inactive, several))
    except SessionError as error:
        # A file that is too large may well be a session.
        if skipping and not isinstance(error, TooLarge):
            return made or None
        made.append(unreadable(source.name, str(error)))
    return made
