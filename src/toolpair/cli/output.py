"""The outputs of `check`: text for people, JSON and JSON Lines for programs, SARIF and annotations for CI."""

from __future__ import annotations

import json
import os
import urllib.parse
from typing import Any, Final, Protocol

from toolpair.cli.report import Checked, Entry, Totals, report_json
from toolpair.cli.terminal import Style, out, safe, say
from toolpair.version import __version__

FORMATS: Final = ("text", "json", "jsonl", "sarif", "github")
_CONTENT_LINES: Final = 12


class Output(Protocol):
    """Takes one judged file after the other; `end` prints what could not be printed before."""

    def file(self, checked: Checked) -> None: ...

    def end(self, totals: Totals) -> None: ...


def make_output(name: str, style: Style) -> Output:
    """The output called `name`, one of FORMATS."""
    match name:
        case "json":
            return JsonOutput()
        case "jsonl":
            return JsonLinesOutput()
        case "sarif":
            return SarifOutput()
        case "github":
            return GithubOutput()
        case _:
            return TextOutput(style)


def dump(value: Any, indent: int | None = None) -> str:
    """JSON in ASCII alone: control characters, bidirectional marks and lone surrogates are all escaped."""
    return json.dumps(value, ensure_ascii=True, indent=indent)


def plural(count: int, one: str, many: str | None = None) -> str:
    return f"{count:,} {one if count == 1 else many or one + 's'}"


class TextOutput:
    """One paragraph per problem, as linters print it; what is only worth a note takes one line per rule."""

    def __init__(self, style: Style) -> None:
        self.style = style

    def file(self, checked: Checked) -> None:
        entry = checked.entry
        if not checked.read:
            say(entry["error"])
            return
        notes: dict[str, list[Entry]] = {}
        for problem in entry["problems"]:
            if problem["severity"] == "info":
                notes.setdefault(problem["rule"], []).append(problem)
            else:
                self._problem(entry, problem)
        for rule, problems in notes.items():
            self._note(entry, rule, problems)
        self._close(checked)

    def end(self, totals: Totals) -> None:
        if totals.skipped:
            say(f"{plural(totals.skipped, 'file')} in the directories skipped: no session in {_them(totals.skipped)}.")
        if totals.files - totals.unreadable < 2:
            return
        counts = [plural(totals.errors, "error"), plural(totals.warnings, "warning")]
        line = f"{plural(totals.files, 'file')}: {', '.join(counts)}"
        if totals.unreadable:
            line += f", {totals.unreadable:,} not readable"
        out(self.style.bold(line + "."))

    def _problem(self, entry: Entry, problem: Entry) -> None:
        style = self.style
        severity = style.severity(problem["severity"], problem["severity"])
        head = f"{self._place(entry, problem)}: {severity} {style.dim(problem['rule'])}  {safe(problem['message'])}"
        ids = list(dict.fromkeys(i for i in (problem["call_id"], problem["result_id"]) if i))
        if ids:
            head += "  " + style.dim(f"[{' ≠ '.join(safe(i) for i in ids)}]")
        out(head)
        if problem["cause"]:
            out(f"    cause: {safe(problem['cause']['text'])}")
        if problem["on_resume"]:
            out(f"    on resume: {safe(_effect(problem['on_resume']))}")
        for line in self._fixes(problem):
            out(style.dim(line))
        self._content(problem)

    def _fixes(self, problem: Entry) -> list[str]:
        fixes = problem["fixes"]
        if not fixes:
            return [f"    no safe fix: {safe(problem['no_fix'])}"] if problem.get("no_fix") else []
        best = next((fix for fix in fixes if fix["recommended"]), fixes[0])
        line = (
            f"    fix: {safe(best['title'])} ({'loses ' + safe(best['loses']) if best['loses'] else 'loses nothing'})"
        )
        if not best["certain"]:
            line += ", a guess: choose it by hand"
        lines = [line]
        others = [safe(fix["id"]) for fix in fixes if fix is not best]
        if others:
            lines.append(f"    or: {', '.join(others)}")
        return lines

    def _content(self, problem: Entry) -> None:
        for side in ("call", "result"):
            text = problem.get("content", {}).get(side)
            if text is None:
                continue
            lines = text.split("\n")
            out(f"    {side}:")
            for line in lines[:_CONTENT_LINES]:
                out(self.style.dim(f"    | {safe(line)}"))
            if len(lines) > _CONTENT_LINES:
                out(self.style.dim(f"    | … {len(lines) - _CONTENT_LINES:,} more lines"))

    def _note(self, entry: Entry, rule: str, problems: list[Entry]) -> None:
        first = problems[0]
        times = f" ×{len(problems):,}" if len(problems) > 1 else ""
        severity = self.style.severity("info", "info")
        out(f"{self._place(entry, first)}: {severity} {self.style.dim(rule)}{times}  {safe(first['message'])}")

    def _close(self, checked: Checked) -> None:
        entry, counts = checked.entry, checked.entry["counts"]
        errors = sum(problem["severity"] == "error" for problem in entry["problems"])
        warnings = sum(problem["severity"] == "warning" for problem in entry["problems"])
        what = f"{safe(entry['format'])}, judged as {safe(entry['profile'])}"
        if checked.verdict:
            verdict = safe(checked.verdict)
        else:
            verdict = f"{plural(counts['pairs'], 'pair')}, {plural(errors, 'error')}, {plural(warnings, 'warning')}."
        colour = self.style.red if errors else self.style.green
        out(f"{self.style.bold(safe(entry['path']))} ({what}): {colour(verdict)}")

    def _place(self, entry: Entry, problem: Entry) -> str:
        place = self.style.bold(safe(entry["path"]))
        line = problem["location"]["line"]
        return place if line is None else f"{place}:{line}"


def _them(count: int) -> str:
    return "it" if count == 1 else "them"


def _effect(on_resume: Entry) -> str:
    agent = on_resume["agent"] + (f" {on_resume['version']}" if on_resume["version"] else "")
    words = {
        "rejected": "what it sends is refused",
        "dropped": "drops it without a word",
        "placeholder": "puts a placeholder in its place",
        "healed": "mends it in memory",
        "kept": "sends it as it is",
    }
    sentence = f"{agent}: {words.get(on_resume['effect'], on_resume['effect'])}"
    return sentence + (f"; lost: {on_resume['loses']}" if on_resume["loses"] else "")


class JsonOutput:
    """One document at the end."""

    def __init__(self) -> None:
        self.files: list[Checked] = []

    def file(self, checked: Checked) -> None:
        self.files.append(checked)

    def end(self, totals: Totals) -> None:
        out(dump(report_json(self.files, totals), indent=2))


class JsonLinesOutput:
    """One problem a line, each with its file; a file that cannot be read is one line with `error`."""

    def file(self, checked: Checked) -> None:
        entry = checked.entry
        if not checked.read:
            out(dump(entry))
            return
        for problem in entry["problems"]:
            out(dump({"path": entry["path"], "format": entry["format"], "profile": entry["profile"], **problem}))

    def end(self, totals: Totals) -> None:
        pass


class GithubOutput:
    """Workflow commands, which GitHub shows beside the changed lines."""

    _LEVELS: Final = {"error": "error", "warning": "warning", "info": "notice"}

    def file(self, checked: Checked) -> None:
        entry = checked.entry
        if not checked.read:
            self._command("error", {"file": entry["path"], "title": "toolpair"}, entry["error"])
            return
        for problem in entry["problems"]:
            properties = {"file": entry["path"]}
            if problem["location"]["line"] is not None:
                properties["line"] = str(problem["location"]["line"])
            properties["title"] = problem["rule"]
            text = problem["message"]
            if problem["cause"]:
                text += "\n" + problem["cause"]["text"]
            self._command(self._LEVELS[problem["severity"]], properties, text)

    def end(self, totals: Totals) -> None:
        pass

    @staticmethod
    def _command(level: str, properties: dict[str, str], text: str) -> None:
        listed = ",".join(f"{key}={_escape(value, prop=True)}" for key, value in properties.items())
        out(f"::{level} {listed}::{_escape(text)}")


def _escape(text: str, prop: bool = False) -> str:
    """As GitHub's own toolkit escapes it; other control characters are made visible first."""
    text = "%0A".join(safe(line).replace("%", "%25") for line in text.replace("\r\n", "\n").split("\n"))
    return text.replace(":", "%3A").replace(",", "%2C") if prop else text


class SarifOutput:
    """SARIF 2.1.0, the least that code scanning services take."""

    _LEVELS: Final = {"error": "error", "warning": "warning", "info": "note"}

    def __init__(self) -> None:
        self.rules: dict[str, int] = {}
        self.results: list[Entry] = []
        self.notifications: list[Entry] = []

    def file(self, checked: Checked) -> None:
        entry = checked.entry
        if not checked.read:
            self.notifications.append({"level": "error", "message": {"text": entry["error"]}})
            return
        for problem in entry["problems"]:
            index = self.rules.setdefault(problem["rule"], len(self.rules))
            text = problem["message"] + (f" {problem['cause']['text']}" if problem["cause"] else "")
            physical: Entry = {"artifactLocation": {"uri": _uri(entry["path"])}}
            region = _region(problem["location"])
            if region:
                physical["region"] = region
            self.results.append(
                {
                    "ruleId": problem["rule"],
                    "ruleIndex": index,
                    "level": self._LEVELS[problem["severity"]],
                    "message": {"text": text},
                    "locations": [{"physicalLocation": physical}],
                    "properties": {"impact": problem["impact"], "profile": entry["profile"]},
                }
            )

    def end(self, totals: Totals) -> None:
        invocation: Entry = {"executionSuccessful": not self.notifications}
        if self.notifications:
            invocation["toolExecutionNotifications"] = self.notifications
        driver = {"name": "toolpair", "version": __version__, "rules": [{"id": rule} for rule in self.rules]}
        run = {
            "tool": {"driver": driver},
            "invocations": [invocation],
            "columnKind": "unicodeCodePoints",
            "results": self.results,
        }
        log = {
            "$schema": "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json",
            "version": "2.1.0",
            "runs": [run],
        }
        out(dump(log, indent=2))


def _region(location: Entry) -> Entry:
    region: Entry = {}
    if location["line"] is not None:
        region["startLine"] = location["line"]
    if location["bytes"] is not None:
        region["byteOffset"] = location["bytes"][0]
        region["byteLength"] = location["bytes"][1] - location["bytes"][0]
    return region


def _uri(path: str) -> str:
    quoted = urllib.parse.quote(os.fsencode(path.replace(os.sep, "/")))
    return f"file://{quoted}" if os.path.isabs(path) else quoted
