"""The output formats of `check`: text for people, JSON and JSON Lines for programs; those for CI are in `ci`."""

from __future__ import annotations

from typing import Final, Protocol

from msgspec.structs import replace

from toolpair.cli import streams
from toolpair.cli.file_report import (
    REPORT_VERSION,
    Checked,
    Entry,
    Totals,
    cause_sentence,
    place_shown,
    rule_shown,
)
from toolpair.cli.terminal import TerminalStyle, dump, out, out_content, safe, say
from toolpair.transcript.counting import plural

FORMATS: Final = ("text", "json", "jsonl", "sarif", "github")


class Output(Protocol):
    """Takes one checked file after the other; `end` prints what had to wait."""

    def file(self, checked: Checked) -> None: ...

    def end(self, totals: Totals) -> None: ...


class Quiet:
    """Wraps another output, and passes on only files with an error or a warning, and unreadable ones."""

    def __init__(self, output: Output) -> None:
        self._output = output

    def file(self, checked: Checked) -> None:
        if not checked.read or any(problem["severity"] != "info" for problem in checked.entry["problems"]):
            self._output.file(checked)

    def end(self, totals: Totals) -> None:
        self._output.end(replace(totals, skipped=0))


def make_output(name: str, style: TerminalStyle) -> Output:
    """The output called `name`, one of FORMATS."""
    match name:
        case "json":
            return JsonOutput()
        case "jsonl":
            return JsonLinesOutput()
        case "sarif":
            from toolpair.cli.ci.sarif import SarifOutput

            return SarifOutput()
        case "github":
            from toolpair.cli.ci.github import GithubOutput

            return GithubOutput()
        case _:
            return TextOutput(style)


class TextOutput:
    """One paragraph per problem, as linters print it; notes take one line per rule."""

    def __init__(self, style: TerminalStyle) -> None:
        self.style = style
        self._explained: set[str] = set()
        """Causes of this file whose origin has been printed already."""

    def file(self, checked: Checked) -> None:
        entry = checked.entry
        if not checked.read:
            say(entry["error"])
            return
        self._explained.clear()
        notes: dict[str, list[Entry]] = {}
        for problem, says in zip(entry["problems"], checked.on_resume, strict=True):
            if problem["severity"] == "info":
                notes.setdefault(problem["rule"], []).append(problem)
            else:
                self._problem(entry, problem, says, checked.several)
        for rule, problems in notes.items():
            self._note(entry, rule, problems, checked.several)
        self._close(checked)

    def end(self, totals: Totals) -> None:
        if totals.skipped:
            say(f"{plural(totals.skipped, 'file')} skipped: no session in {'it' if totals.skipped == 1 else 'them'}.")
        if totals.files - totals.unreadable > 1:
            out(self.style.bold(totals.sentence))

    def _problem(self, entry: Entry, problem: Entry, on_resume: str | None, several: bool) -> None:
        style = self.style
        severity = style.severity(problem["severity"], problem["severity"])
        rule = style.dim(rule_shown(entry, problem["rule"], several))
        head = f"{self._place(entry, problem)}: {severity} {rule}  {safe(problem['message'])}"
        ids = list(dict.fromkeys(i for i in (problem["call_id"], problem["result_id"]) if i))
        if ids:
            head += "  " + style.dim(f"[{' ≠ '.join(safe(i) for i in ids)}]")
        out(head)
        if problem["cause"]:
            out(f"    cause: {safe(cause_sentence(problem['cause']))}")
            known = [problem["cause"][key] for key in ("product", "link") if problem["cause"][key]]
            if known and problem["cause"]["id"] not in self._explained:
                self._explained.add(problem["cause"]["id"])
                lead = "known from:" if problem["cause"]["product"] else "see"
                out(f"    {lead} {safe(', '.join(known))}")
        if problem["on_resume"]:
            out(f"    on resume: {safe(_effect(problem['on_resume'], on_resume or ''))}")
        for line in self._fixes(problem):
            out(style.dim(line))
        for side in ("call", "result"):
            out_content(style, side, problem.get("content", {}).get(side))

    def _fixes(self, problem: Entry) -> list[str]:
        fixes = problem["fixes"]
        if problem.get("no_fix"):
            by_hand = [f"    by hand: {', '.join(safe(fix['id']) for fix in fixes)}"] if fixes else []
            return [f"    no safe fix: {safe(problem['no_fix'])}", *by_hand]
        if not fixes:
            return []
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

    def _note(self, entry: Entry, rule: str, problems: list[Entry], several: bool) -> None:
        first = problems[0]
        times = f" ×{len(problems):,}" if len(problems) > 1 else ""
        severity = self.style.severity("info", "info")
        shown = self.style.dim(rule_shown(entry, rule, several))
        out(f"{self._place(entry, first)}: {severity} {shown}{times}  {safe(first['message'])}")

    def _close(self, checked: Checked) -> None:
        entry, counts = checked.entry, checked.entry["counts"]
        errors = sum(problem["severity"] == "error" for problem in entry["problems"])
        warnings = sum(problem["severity"] == "warning" for problem in entry["problems"])
        what = f"{safe(entry['format'])}, checked against {safe(entry['profile'])}"
        if checked.verdict:
            verdict = safe(checked.verdict)
        else:
            verdict = f"{plural(counts['pairs'], 'pair')}, {plural(errors, 'error')}, {plural(warnings, 'warning')}."
        if checked.hidden:
            verdict += f" {plural(checked.hidden, 'other problem')} not asked for."
        if checked.known:
            verdict += f" {plural(checked.known, 'known problem')} not shown."
        colour = self.style.red if errors else self.style.yellow if checked.known else self.style.green
        out(f"{self.style.bold(safe(entry['path']))} ({what}): {colour(verdict)}")

    def _place(self, entry: Entry, problem: Entry) -> str:
        path = safe(entry["path"])
        return self.style.bold(path) + place_shown(path, problem["location"])[len(path) :]


def _effect(on_resume: Entry, says: str) -> str:
    """What the agent does, `says` in a sentence of its own."""
    agent = on_resume["agent"] + (f" {on_resume['version']}" if on_resume["version"] else "")
    words = {
        "dropped": "drops it without telling you",
        "placeholder": "replaces it with a placeholder",
        "healed": "fixes it in memory",
        "kept": "sends it as it is",
    }
    # An API that refuses what is sent, an agent that stops before it sends anything: only the sentence says which.
    clause = words.get(on_resume["effect"]) or says.removeprefix(f"{on_resume['agent']} ").removesuffix(".")
    return f"{agent}: {clause}" + (f"; lost: {on_resume['loses']}" if on_resume["loses"] else "")


class JsonOutput:
    """A single JSON document, printed at the end."""

    def __init__(self) -> None:
        self.files: list[Checked] = []

    def file(self, checked: Checked) -> None:
        self.files.append(checked)

    def end(self, totals: Totals) -> None:
        files = [checked.entry for checked in self.files]
        out(dump({"version": REPORT_VERSION, "files": files, "summary": totals.as_json()}, indent=2))


class JsonLinesOutput:
    """One line per file and profile, as soon as it is checked: complete in itself, `path` first.

    It is the file's entry in the JSON report plus the version and its problem counts by severity; for an unreadable
    file, `error` replaces those.
    """

    def file(self, checked: Checked) -> None:
        entry = checked.entry
        line: Entry = {"path": entry["path"], "version": REPORT_VERSION}
        if checked.read:
            line |= {"format": entry["format"], "profile": entry["profile"]}
            for key, severity in (("errors", "error"), ("warnings", "warning"), ("notes", "info")):
                line[key] = sum(problem["severity"] == severity for problem in entry["problems"])
        out(dump(line | entry))
        # A reader that collects lines from many machines, or stops early, has every finished file.
        streams.flush()

    def end(self, totals: Totals) -> None:
        pass
