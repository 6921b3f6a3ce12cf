"""Hermes Agent: its database of sessions, and the agent itself."""

from __future__ import annotations

from typing import Final

from toolpair.formats.format import Format
from toolpair.formats.lazy import lazy

FORMAT: Final = Format(
    id="hermes",
    title="Hermes Agent",
    where="~/.hermes/state.db (or under $HERMES_HOME), a database of all sessions",
    containers=frozenset({"lines"}),
    profile="openai-chat",
    agents={"hermes": lazy("toolpair.formats.hermes.agent:AGENT")},
    layouts=(lazy("toolpair.formats.hermes.database:LAYOUT"),),
    sniff=lazy("toolpair.formats.hermes.detection:sniff"),
    surest=97,
    needs=("messages", "sessions"),
    knows=lazy("toolpair.formats.hermes.detection:knows"),
    profile_for=lazy("toolpair.formats.hermes.detection:profile_for"),
    stricter={"result.not_adjacent": "error"},  # it leaves such a result out, whichever API it is sent to
    read=lazy("toolpair.formats.hermes.history:read"),
    apply=lazy("toolpair.formats.hermes.writing:apply"),
    sees=lazy("toolpair.formats.hermes.sending:sees"),
    damage=lazy("toolpair.formats.hermes.history:damage"),
    reads_nan=True,
    check=lazy("toolpair.formats.hermes.history:check"),
    light=lazy("toolpair.formats.hermes.light:light"),
    clean_by=frozenset({"openai-chat"}),
    time_of=lazy("toolpair.formats.hermes.history:time_of"),
)
