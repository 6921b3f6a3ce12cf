"""`check --statistics`: counts by rule, tool and cause, instead of the problems themselves."""

from __future__ import annotations

from collections import Counter
from typing import Any, Final

from toolpair.cli.file_report import REPORT_VERSION, Checked, Entry, Totals
from toolpair.cli.terminal import TerminalStyle, dump, out, safe, say
from toolpair.transcript.counting import plural

FORMATS: Final = ("text", "json")
_NO_TOOL: Final = "(no tool)"


class Statistics:
    """Counts the problems of all files, and prints the totals at the end."""

    def __init__(self, output_format: str, style: TerminalStyle) -> None:
        self._format = output_format
        self._style = style
        self._rules: Counter[tuple[str, str]] = Counter()
        """By rule and severity."""
        self._files: dict[tuple[str, str], set[str]] = {}
        """The files with such problems."""
        self._tools: Counter[str] = Counter()
        self._causes: Counter[str] = Counter()
        self._texts: dict[str, str] = {}

    def file(self, checked: Checked) -> None:
        if not checked.read:
            say(checked.entry["error"])
            return
        problems = checked.entry["problems"]
        for problem in problems:
            rule = problem["rule"], problem["severity"]
            self._rules[rule] += 1
            self._files.setdefault(rule, set()).add(checked.entry["path"])
            self._tools[problem["tool"] or _NO_TOOL] += 1
            if problem["cause"]:
                self._causes[problem["cause"]["id"]] += 1
                self._texts.setdefault(problem["cause"]["id"], problem["cause"]["text"])

    def end(self, totals: Totals) -> None:
        if self._format == "json":
            out(dump({"version": REPORT_VERSION, "statistics": self._as_json(), "summary": totals.as_json()}, indent=2))
        else:
            self._print(totals)

    def _as_json(self) -> Entry:
        return {
            "rules": [
                {"rule": rule, "severity": severity, "count": count, "files": len(self._files[rule, severity])}
                for (rule, severity), count in _ordered(self._rules)
            ],
            "tools": [
                {"tool": None if tool == _NO_TOOL else tool, "count": count} for tool, count in _ordered(self._tools)
            ],
            "causes": [
                {"id": cause, "text": self._texts[cause], "count": count} for cause, count in _ordered(self._causes)
            ],
        }

    def _print(self, totals: Totals) -> None:
        rules = [
            (count, f"{rule}  {self._style.severity(severity, severity)}, in {plural(files, 'file')}")
            for (rule, severity), count in _ordered(self._rules)
            if (files := len(self._files[rule, severity]))
        ]
        tools = [(count, safe(tool)) for tool, count in _ordered(self._tools)]
        causes = [(count, f"{cause}  {safe(self._texts[cause])}") for cause, count in _ordered(self._causes)]
        for title, rows in (("rules", rules), ("tools", tools), ("causes", causes)):
            if rows:
                out(self._style.bold(title))
                for count, text in rows:
                    out(f"{count:>8,}  {text}")
        out(self._style.bold(totals.sentence))


def _ordered(counter: Counter[Any]) -> list[tuple[Any, int]]:
    """Most frequent first; ties by name."""
    return sorted(counter.items(), key=lambda row: (-row[1], row[0]))
