"""`--output-format github`: workflow commands, which GitHub shows next to the lines of a file."""

from __future__ import annotations

from typing import Final

from toolpair.cli.ci import from_here
from toolpair.cli.file_report import Checked, Totals, cause_sentence, rule_shown
from toolpair.cli.inputs import STDIN
from toolpair.cli.terminal import out, safe
from toolpair.transcript.counting import plural

_LEVELS: Final = {"error": "error", "warning": "warning", "info": "notice"}
_SHOWN: Final = 10
"""GitHub shows at most this many errors per step, and as many warnings and notices."""


class GithubOutput:
    """One command per problem. GitHub shows the first few of each kind next to the files, and all of them
    in the log.
    """

    def file(self, checked: Checked) -> None:
        entry = checked.entry
        path = {} if entry["path"] == STDIN else {"file": from_here(entry["path"])}
        if not checked.read:
            _command("error", {**path, "title": "toolpair"}, entry["error"])
            return
        for problem in entry["problems"]:
            properties = dict(path)
            if problem["location"]["line"] is not None:
                properties["line"] = str(problem["location"]["line"])
                if "column" in problem["location"] and "end_line" not in problem["location"]:
                    properties["col"] = str(problem["location"]["column"])
                if "end_line" in problem["location"]:
                    properties["endLine"] = str(problem["location"]["end_line"])
            properties["title"] = rule_shown(entry, problem["rule"], checked.several)
            text = problem["message"]
            if problem["cause"]:
                text += "\nCause: " + cause_sentence(problem["cause"])
            _command(_LEVELS[problem["severity"]], properties, text)

    def end(self, totals: Totals) -> None:
        if max(totals.errors, totals.warnings) > _SHOWN:
            found = f"{plural(totals.errors, 'error')} and {plural(totals.warnings, 'warning')}"
            out(f"{found} in {plural(totals.files, 'file')}; GitHub shows the first {_SHOWN} of each beside the files.")


def _command(level: str, properties: dict[str, str], text: str) -> None:
    listed = ",".join(f"{key}={_escape(value, prop=True)}" for key, value in properties.items())
    out(f"::{level} {listed}::{_escape(text)}")


def _escape(text: str, prop: bool = False) -> str:
    """Escape as GitHub's own toolkit does, after making other control characters visible."""
    text = "%0A".join(safe(line).replace("%", "%25") for line in text.replace("\r\n", "\n").split("\n"))
    return text.replace(":", "%3A").replace(",", "%2C") if prop else text
