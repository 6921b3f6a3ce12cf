"""The sessions of a machine counted: by agent and version, month, rule and cause. Nothing of a session is in it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any, Final

from msgspec import Struct

from toolpair.formats.agent import FoundSession
from toolpair.rules.causes.known_causes import cause_page
from toolpair.session.session import SessionError
from toolpair.session.verdict_cache import Findings
from toolpair.shell.program import command
from toolpair.text.shell import shell_word
from toolpair.transcript.counting import plural

_WORST: Final = 10


class Counted(Struct):
    """What was found in sessions that have something in common."""

    sessions: int = 0
    calls: int = 0
    outputs: int = 0
    unsent: int = 0
    refused: int = 0
    losing: int = 0

    @property
    def broken(self) -> int:
        return self.refused + self.losing

    def add(self, found: Findings) -> None:
        self.sessions += 1
        self.calls += found.counts["calls"]
        self.outputs += found.outputs
        self.unsent += found.unsent
        self.refused += found.outlook == "stops"
        self.losing += found.outlook == "loses"

    def as_json(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in self.__struct_fields__} | {"broken": self.broken}

    @property
    def numbers(self) -> tuple[int, ...]:
        """Its numbers in the order of `COLUMNS`."""
        return self.sessions, self.calls, self.outputs, self.broken, self.refused, self.unsent


COLUMNS: Final = ("sessions", "calls", "outputs", "broken", "refused", "not sent")


class Census:
    """The counts so far."""

    def __init__(self, sessions: list[FoundSession]) -> None:
        """Of these sessions, those of agents whose files are not understood are only counted."""
        self.all = Counted()
        self.unreadable = 0
        self.empty = 0
        """Files in an agent's folder in which there is no history."""
        self.not_understood = Counter(one.title for one in sessions if not one.understood)
        self.agents: dict[tuple[str, str], Counted] = {}
        self.months: dict[str, Counted] = {}
        self.rules: Counter[str] = Counter()
        self.causes: Counter[str] = Counter()
        self.worst: list[tuple[FoundSession, Findings]] = []

    def add(self, session: FoundSession, found: Findings | SessionError | None) -> None:
        """`found`: None in a file without a history."""
        if found is None or isinstance(found, SessionError):
            self.empty += found is None
            self.unreadable += found is not None
            return
        month = datetime.fromtimestamp(session.modified, UTC).strftime("%Y-%m")
        agent = session.title, found.agent_version or ""
        for counted in (self.all, self.agents.setdefault(agent, Counted()), self.months.setdefault(month, Counted())):
            counted.add(found)
        if found.outlook != "ready":
            self.rules.update(found.rules.keys())
            self.causes.update(found.causes.keys())
            self.worst.append((session, found))
            self.worst.sort(key=lambda one: (-one[1].unsent, one[1].outlook != "stops", -one[1].errors))
            del self.worst[_WORST:]

    @property
    def sentence(self) -> str:
        """What it comes to."""
        found = self.all
        if not found.broken:
            told = "none is broken"
        else:
            parts = [f"{found.refused:,} would be refused"] if found.refused else []
            parts += [f"{found.losing:,} would lose something"] if found.losing else []
            told = f"{found.broken:,} {'is' if found.broken == 1 else 'are'} broken ({', '.join(parts)})"
        lost = f"{found.unsent:,} of {plural(found.outputs, 'output')} will never be sent again"
        return f"Of {plural(found.sessions, 'session')} {told}; {lost}."

    def left_out(self) -> Iterator[str]:
        """What is not counted, sentences."""
        if self.unreadable:
            yield f"{plural(self.unreadable, 'more session')} could not be read."
        if self.not_understood:
            named = ", ".join(f"{count:,} of {title}" for title, count in self.not_understood.most_common())
            yield f"Not counted, since toolpair does not understand these files yet: {named}."

    @property
    def uneven(self) -> str | None:
        """What to say where there are more outputs than calls."""
        if not any(one.calls < one.outputs for one in (*self.agents.values(), *self.months.values())):
            return None
        return "Calls are counted in the history that is resumed, outputs in the whole file, forgotten ones too."

    def of_agents(self, title: str | None = None) -> dict[str, Counted]:
        """The counts of this agent, or of all, by name and version: the most broken first."""
        found = {key: one for key, one in self.agents.items() if title in (None, key[0])}
        return {" ".join(filter(None, key)): one for key, one in sorted(found.items(), key=_most)}

    def of_months(self) -> dict[str, Counted]:
        return dict(sorted(self.months.items()))

    def lists(self) -> Iterator[tuple[str, list[tuple[int, str, str]]]]:
        """The rules and the causes, each by the number of sessions that have it; what a cause is, one sentence."""
        yield "rules", [(count, rule, "") for rule, count in self.rules.most_common()]
        pages = ((count, id_, cause_page(id_)) for id_, count in self.causes.most_common())
        yield "causes", [(count, id_, page.text if page is not None else "") for count, id_, page in pages]

    def of_worst(self, paths: bool) -> Iterator[tuple[str, str | None]]:
        """The worst sessions, a sentence each, and the command that opens it where paths may be named."""
        for session, found in self.worst:
            lost = f"{found.unsent:,} of {plural(found.outputs, 'output')} not sent again"
            yield f"{session.title}: {found.badge}; {lost}", command(shell_word(session.path)) if paths else None

    def as_json(self, paths: bool) -> dict[str, Any]:
        return {
            **self.all.as_json(),
            "unreadable": self.unreadable,
            "empty": self.empty,
            "not_understood": [
                {"agent": agent, "sessions": count} for agent, count in self.not_understood.most_common()
            ],
            "agents": [
                {"agent": agent, "agent_version": version or None, **counted.as_json()}
                for (agent, version), counted in sorted(self.agents.items(), key=_most)
            ],
            "months": [{"month": month, **counted.as_json()} for month, counted in self.of_months().items()],
            "rules": [{"rule": rule, "sessions": count} for rule, count in self.rules.most_common()],
            "causes": [{"cause": cause, "sessions": count} for cause, count in self.causes.most_common()],
            "worst": [
                {
                    "agent": session.title,
                    "outlook": found.outlook,
                    "unsent": found.unsent,
                    "outputs": found.outputs,
                    "rules": found.rules,
                    **({"path": session.path} if paths else {}),
                }
                for session, found in self.worst
            ],
        }


def _most(item: tuple[tuple[str, str], Counted]) -> tuple[int, int, tuple[str, str]]:
    return -item[1].broken, -item[1].sessions, item[0]
