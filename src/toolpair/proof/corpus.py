"""An agent is asked about many sessions, and what each agent's release loses becomes a page of Markdown."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from typing import Final

from msgspec import Struct

from toolpair.proof.proof import Proof, prove
from toolpair.proof.who import Asked
from toolpair.proof.words import KIND_NAMES
from toolpair.session.handed_over import KINDS, SentText
from toolpair.session.session import Session
from toolpair.transcript.counting import plural

HEAD: Final = """# What each release loses

Sessions that were resumed in the agent itself: what it does not send of a session as it is, and what of it still is not
sent after toolpair's recommended fixes, where a guess is left for a person or no fix is safe. Written by
`toolpair prove --corpus FOLDER --write PAGE`, which keeps the tables of the agents that it does not ask.
"""
_SECTION: Final = re.compile(r"^(?=## )", re.MULTILINE)
_PATH: Final = re.compile(r"""(?<![\w~./:])(?:file://)?/[^\s/:;,)"'`]+/[^\s:;,)"'`]*""")
"""Of the copy that was resumed, or of the agent: what is nobody else's folder."""
_COLOURS: Final = re.compile(r"\x1b\[[\d;]*m")
_SAID: Final = 80
"""How much of an agent's last words stands in a table."""


class Found(Struct, frozen=True):
    """What an agent sends of one session as it is, and after the recommended fixes."""

    name: str
    before: Proof
    after: Proof

    @property
    def is_known(self) -> bool:
        return self.before.is_known and self.after.is_known

    @property
    def agrees(self) -> bool:
        return self.before.agrees and self.after.agrees

    @property
    def is_whole(self) -> bool:
        return self.before.is_whole and self.after.is_whole


def prove_all(
    asked: Asked, sessions: Mapping[str, Session], *, isolated: bool, seconds: int | None
) -> tuple[Asked, list[Found]]:
    """What the agent sends of each; as `prove`."""
    pairs: dict[str, tuple[Session, Session]] = {}
    for name, session in sessions.items():
        fixed = session.draft()
        fixed.stage_recommended()
        pairs[f"{name} before"], pairs[f"{name} after"] = (session, fixed), (fixed, fixed)
    asked, proofs = prove(asked, pairs, isolated=isolated, seconds=seconds, at_once=os.cpu_count() or 1)
    return asked, [Found(name, proofs[f"{name} before"], proofs[f"{name} after"]) for name in sessions]


def short_names(paths: Sequence[str]) -> list[str]:
    """What tells the paths apart: without the folders and names in which all of them begin and end."""
    parts = [path.split(os.sep) for path in paths]
    begin = _common(parts)
    end = _common([one[:begin:-1] for one in parts])
    return [os.sep.join(one[begin : len(one) - end]) or one[-1] for one in parts]


def _common(lists: Sequence[Sequence[str]]) -> int:
    """How many members are the same at the beginning of all."""
    return next(
        (n for n, same in enumerate(zip(*lists, strict=False)) if len(set(same)) > 1), min(map(len, lists), default=0)
    )


def said(proof: Proof) -> str:
    """What is wrong with a proof, in a few words; empty when nothing is. It may quote the agent."""
    if not proof.sent:
        last = _PATH.sub("…", _last_words(proof.note))
        last = f"{last[: _SAID - 1]}…" if len(last) > _SAID else last
        return f"not resumed: {last}" if last else "not resumed"
    lost = counted([one for one in proof.missing if one.kind != "call"])
    rules = ", ".join(sorted({problem.rule for problem in proof.problems}))
    return "; ".join([*([f"loses {lost}"] if lost else []), *([f"refused for {rules}"] if rules else [])])


def _last_words(note: str) -> str:
    """The last line that says something: a bracket, a part of JSON or a place in the agent's code does not."""
    lines = (line.strip() for line in reversed(_COLOURS.sub("", note).splitlines()))
    return next((line for line in lines if any(map(str.isalnum, line)) and not line.startswith(("at ", '"'))), "")


def counted(texts: Sequence[SentText]) -> str:
    """How many there are of each kind."""
    counts = {kind: sum(one.kind == kind for one in texts) for kind in KINDS}
    return ", ".join(plural(count, KIND_NAMES[kind]) for kind, count in counts.items() if count)


def section(asked: Asked, found: Sequence[Found], date: str) -> str:
    """An agent's part of the page."""
    known = [one for one in found if one.is_known]
    broken = [one for one in known if not one.is_whole]
    rows = [(one.name, said(one.before) or "sent whole", said(one.after)) for one in broken]
    table = (
        ["| session | as it is | after the fixes |", "|---|---|---|", *(_row(row) for row in rows), ""] if rows else []
    )
    sent = (
        f"Not sent whole and valid: {len(broken):,}." if broken else "All are sent whole and valid, before and after."
    )
    if len(known) < len(found):
        sent += f" Besides these, {plural(len(found) - len(known), 'session')} got no answer in time."
    version = f"Version {asked.version}" if asked.version is not None else "Its version is not known"
    lines = [
        f"## {asked.agent.title}",
        "",
        f"{version}, asked about {plural(len(known), 'session')} on {date}. {sent}",
        "",
        *table,
    ]
    return "\n".join(lines)


def _row(cells: Sequence[str]) -> str:
    plain = (" ".join(one.replace("|", "/").replace("<", "&lt;").split()) for one in cells)
    return f"| {' | '.join(plain)} |"


def page(old: str, sections: Mapping[str, str]) -> str:
    """The page with these sections by the agents' titles, and those of `old` for all others, in the order of titles."""
    kept = {one.partition("\n")[0].removeprefix("## ").strip(): one for one in _SECTION.split(old)[1:]}
    return "\n".join(part.rstrip("\n") + "\n" for part in (HEAD, *dict(sorted({**kept, **sections}.items())).values()))
