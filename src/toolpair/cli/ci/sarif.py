"""`--output-format sarif`: SARIF 2.1.0, with what code scanning services need to show and track a problem."""

from __future__ import annotations

import hashlib
from collections import Counter
from typing import Any, Final

from toolpair import __version__
from toolpair.cli.ci import uri_of
from toolpair.cli.file_report import Checked, Entry, Totals, cause_sentence
from toolpair.cli.inputs import STDIN
from toolpair.cli.terminal import dump, out, safe
from toolpair.rules.pages import page_of
from toolpair.rules.profiles import profile as profile_named

_LEVELS: Final = {"error": "error", "warning": "warning", "info": "note"}
_SCHEMA: Final = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
_FINGERPRINT: Final = "primaryLocationLineHash"
"""The only fingerprint that GitHub accepts. Ours does not use line numbers, which move while a session grows."""


class SarifOutput:
    """Collects all files, and prints one log with one run."""

    def __init__(self) -> None:
        self.rules: dict[str, int] = {}
        self.links: dict[str, str] = {}
        self.results: list[Entry] = []
        self.notifications: list[Entry] = []
        self._times: Counter[str] = Counter()

    def file(self, checked: Checked) -> None:
        entry = checked.entry
        if not checked.read:
            notification: Entry = {"level": "error", "message": {"text": _text(entry["error"])}}
            self.notifications.append(notification | _locations(entry["path"], None))
            return
        for problem in entry["problems"]:
            index = self.rules.setdefault(problem["rule"], len(self.rules))
            self._link(entry["profile"], problem["rule"])
            text = problem["message"] + (f" Cause: {cause_sentence(problem['cause'])}." if problem["cause"] else "")
            about: Entry = {"impact": problem["impact"], "profile": entry["profile"]}
            if problem["cause"]:
                named = ((key, problem["cause"][key]) for key in ("id", "product", "link"))
                about["cause"] = {key: value for key, value in named if value}
            if problem["location"]["bytes"] is not None:
                about["bytes"] = problem["location"]["bytes"]
            self.results.append(
                {
                    "ruleId": problem["rule"],
                    "ruleIndex": index,
                    "level": _LEVELS[problem["severity"]],
                    "message": {"text": _text(text)},
                    **_locations(entry["path"], problem["location"]),
                    "partialFingerprints": {_FINGERPRINT: self._fingerprint(entry, problem)},
                    "properties": about,
                }
            )

    def end(self, totals: Totals) -> None:
        invocation: Entry = {"executionSuccessful": not self.notifications}
        if self.notifications:
            invocation["toolExecutionNotifications"] = self.notifications
        driver = {"name": "toolpair", "version": __version__, "rules": [self._described(rule) for rule in self.rules]}
        run = {
            "tool": {"driver": driver},
            "invocations": [invocation],
            "columnKind": "unicodeCodePoints",
            "results": self.results,
        }
        out(dump({"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}, indent=2))

    def _fingerprint(self, entry: Entry, problem: Entry) -> str:
        """Stable as long as the same pair of the same file breaks the same rule; a number distinguishes duplicates."""
        names = [uri_of(entry["path"]), entry["profile"], problem["rule"], problem["call_id"], problem["result_id"]]
        made = hashlib.sha256(dump(names).encode()).hexdigest()[:16]
        self._times[made] += 1
        return f"{made}:{self._times[made]}"

    def _link(self, profile: str, rule: str) -> None:
        """Remember the source for the provider's refusal; the first one of several profiles."""
        cell = profile_named(profile).cell(rule)
        if cell is not None and cell.link is not None:
            self.links.setdefault(rule, cell.link)

    def _described(self, rule: str) -> Entry:

        page = page_of(rule)
        described: Entry = {"id": rule}
        if page is not None:
            described["shortDescription"] = {"text": page.title}
            described["fullDescription"] = {"text": page.meaning}
        described["help"] = {"text": f"{page.remedy + ' ' if page else ''}`toolpair rules {rule}` shows an example."}
        if rule in self.links:
            described["helpUri"] = self.links[rule]
        return described


def _text(text: str) -> str:
    """Untrusted text without links: SARIF reads `[words](address)` in any message as one."""
    shown = safe(text)
    if "](" in shown:
        shown = shown.replace("\\", "\\\\").replace("[", "\\[").replace("]", "\\]")
    return shown


def _locations(path: str, location: Entry | None) -> dict[str, Any]:
    """The location; empty for standard input."""
    if path == STDIN:
        return {}
    physical: Entry = {"artifactLocation": {"uri": uri_of(path)}}
    region = _region(location) if location is not None else {}
    if region:
        physical["region"] = region
    return {"locations": [{"physicalLocation": physical}]}


def _region(location: Entry) -> Entry:
    """The line where the block begins, or its bytes: if both were given they would have to mean the same range."""
    if location["line"] is not None:
        end = {"endLine": location["end_line"]} if "end_line" in location else {}
        column = {"startColumn": location["column"]} if "column" in location else {}
        return {"startLine": location["line"], **column, **end}
    if location["bytes"] is not None:
        start, end = location["bytes"]
        return {"byteOffset": start, "byteLength": end - start}
    return {}
