"""opencode and Kilo themselves: their databases, folders and processes, and how a session is resumed."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from msgspec.structs import replace

from toolpair.formats.agent import Outcome, Program, SessionFile
from toolpair.formats.engine.agents.database_agent import DatabaseAgent
from toolpair.formats.engine.agents.way_back import WayBack
from toolpair.formats.format import SentRequest
from toolpair.formats.lazy import lazy
from toolpair.formats.opencode.history import KILO, OPENCODE, STOPS, history_of
from toolpair.formats.opencode.sending import LAST_WITH_FOLDER, NEWEST, version_of
from toolpair.rules.problem import OnResume, Problem
from toolpair.shell.machine import Machine
from toolpair.transcript.model import Transcript

_OUTCOMES: Final[dict[str, Outcome]] = {
    "record.failed": ("dropped", "{agent} leaves this response out without telling you.", "its outputs"),
    "record.no_message": ("dropped", "{agent} leaves these parts out without telling you.", "their outputs"),
    "record.bad_json": ("rejected", f"{{agent}} cannot load this row: {STOPS}.", "history"),
    "role.unknown": ("dropped", "{agent} leaves this message out without telling you.", "its outputs"),
}
"""What the agents make of rows, by the rule that these break."""


class OpencodeAgent(DatabaseAgent):
    """opencode, or Kilo, which is made of it."""

    def __init__(self, id_: str, title: str, name: str, package: str, variable: str, moving: str | None = None) -> None:
        """`moving`: the version that moves a folder into a database, where the newest does not."""
        self.id, self.title, self._name, self._package, self._moving = id_, title, name, package, moving
        self.variable = variable
        self.outcomes = {rule: (what, says.format(agent=title), lost) for rule, (what, says, lost) in _OUTCOMES.items()}
        self.ask = lazy(f"toolpair.formats.opencode.asking:{'ASK_KILO' if name == 'kilo' else 'ASK'}")
        self.program = Program(
            name,
            title,
            rf"[/\\]{package}[/\\]",
            session_options=("-s", "--session"),
            other_work=frozenset({"auth", "models", "upgrade", "uninstall", "export", "import", "stats", "session"}),
            package=package,
            places=(f".{name}/bin", ".local/bin"),
        )

    def databases(self, machine: Machine) -> tuple[Path, ...]:
        data = machine.folder("XDG_DATA_HOME", machine.home / ".local" / "share") / self._name
        named = machine.environ.get(self.variable, "") if self.variable is not None else ""
        usual = data / f"{self._name}.db"
        return (data / named,) if named and named != ":memory:" else (usual,)

    def folders(self, machine: Machine) -> tuple[Path, ...]:
        return (machine.folder("XDG_DATA_HOME", machine.home / ".local" / "share") / self._name / "storage",)

    def way_in_its_own(self, file: SessionFile) -> WayBack | None:
        if not file.session_id:
            return None
        way = WayBack((self._name, "-s", file.session_id), file.folder)
        return way if file.path is None or not file.path.is_dir() else self._way_of_folder(file.path, way)

    def way_in_another(self, path: Path, file: SessionFile) -> WayBack | None:
        way = WayBack((self._name, "-s", file.session_id), file.folder) if file.session_id else None
        assert self.variable is not None
        if way is None or not path.is_dir():
            return None if way is None else replace(way, variables=((self.variable, str(path)),))
        if path.parts[-2:] != (self._name, "storage"):
            said = f"{self.title} reads a folder only as {self._name}/storage, in a folder that XDG_DATA_HOME names."
            return WayBack((), sentence=said)
        return self._way_of_folder(path, replace(way, variables=(("XDG_DATA_HOME", str(path.parent.parent)),)))

    def _way_of_folder(self, path: Path, way: WayBack) -> WayBack:
        """Today's versions read their database, into which some move a folder while they have none yet."""
        moves = not (path.parent / f"{self._name}.db").exists()
        if self._moving is None:
            said = f"{self.title} moves this folder into its database only while it has none: there is one already."
            return way if moves else WayBack((), sentence=said)
        if way.prose is not None:
            return way
        version = self._moving if moves else LAST_WITH_FOLDER[self.title]
        so = "moves it into the database that newer ones read" if moves else "reads it although there is a database"
        other = replace(way, words=("npx", f"{self._package}@{version}", *way.words[1:]))
        said = f"Run `{other.text}`: {version} {so}. {self.title} {NEWEST[self.title]} no longer reads a folder."
        return WayBack((), sentence=said)

    def on_resume(self, transcript: Transcript, problem: Problem, seen: SentRequest | None = None) -> OnResume | None:
        history = history_of(transcript)
        version = version_of(history)
        record = problem.call.record if problem.call is not None else problem.record
        if record in history.failing and (problem.severity == "error" or problem.rule == "turn.trailing_call"):
            what = "call" if problem.call is not None else "part"
            said = f"{self.title} cannot send this {what}: {STOPS}."
            return OnResume(self.title, version, "rejected", "history", said, sends=False)
        if problem.rule == "field.missing":
            # A call without arguments is sent; a message that has no role is not.
            if all(message.uid != record for message in history.stored):
                said = f"{self.title} sends it as it is, and the API refuses the session."
                return OnResume(self.title, version, "rejected", None, said)
            effect, says, lost = self.outcomes["record.bad_json" if problem.impact == "stops" else "role.unknown"]
            return OnResume(self.title, version, effect, lost, says, sends=False)
        return None


OPENCODE_AGENT: Final = OpencodeAgent("opencode", OPENCODE, "opencode", "opencode-ai", "OPENCODE_DB", "1.2.1")
KILO_AGENT: Final = OpencodeAgent("kilo-cli", KILO, "kilo", "@kilocode/cli", "KILO_DB")
