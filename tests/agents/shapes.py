"""Small sessions of Claude Code, each with one oddity of its records, and what they are there to show.

What the real agent sent for each of them is in `tests/data/claude_code/sent.json`.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import permutations
from pathlib import Path
from typing import Any, Final

from tests.agents.planted import MODEL, written
from tests.formats.claude_code_files import SESSION, Log, call, text

Records = list[dict[str, Any]]
SENT: Final = Path(__file__).parents[1] / "data" / "claude_code" / "sent.json"
_FAMILIES: Final[list[Callable[[], Iterator[tuple[str, Records]]]]] = []
_THINKING: Final = {"type": "thinking", "thinking": "hm", "signature": "c2ln"}
_CAVEAT: Final = "<local-command-caveat>Caveat: the user ran a command.</local-command-caveat>"
_COMMAND: Final = "<command-name>/exit</command-name>\n<command-message>exit</command-message>"
_PRINTED: Final = "<local-command-stdout>Bye!</local-command-stdout>"


def family(made: Callable[[], Iterator[tuple[str, Records]]]) -> Callable[[], Iterator[tuple[str, Records]]]:
    _FAMILIES.append(made)
    return made


def shapes() -> dict[str, bytes]:
    """Name -> the session file."""
    found: dict[str, bytes] = {}
    for made in _FAMILIES:
        for name, records in made():
            for record in records:
                if record.get("type") == "assistant" and record["message"].get("model") == "m":
                    record["message"]["model"] = MODEL
            found[f"{made.__name__}: {name}"] = written(records)
    return found


def brief(messages: Sequence[tuple[str, Sequence[Mapping[str, Any]]]]) -> str:
    """A request on one line: roles, beginnings of texts, calls, results with what they say, `!` for an error."""
    said = []
    for role, blocks in messages:
        parts = []
        for block in blocks:
            match block.get("type"):
                case "text":
                    parts.append(repr(str(block.get("text"))[:24]))
                case "tool_use":
                    parts.append(f"call {block.get('id')}")
                case "tool_result":
                    error = "!" if block.get("is_error") else ""
                    parts.append(f"result {block.get('tool_use_id')}={str(block.get('content'))[:16]!r}{error}")
                case kind:
                    parts.append(str(kind))
        said.append(f"{role}[{', '.join(parts)}]")
    return " ".join(said)


def by_name(log: Log) -> dict[str, dict[str, Any]]:
    return {value["uuid"]: value for value in log.values if "uuid" in value}


def picked(log: Log, order: str) -> Records:
    """The records with these uuids, in this order of lines; `lp:X` is a note that the history ends at X."""
    known = by_name(log)
    return [_note(name[3:]) if name.startswith("lp:") else known[name] for name in order.split()]


def _note(leaf: Any) -> dict[str, Any]:
    return {"type": "last-prompt", "sessionId": SESSION, "lastPrompt": "x", "leafUuid": leaf}


def at(record: dict[str, Any], seconds: float | None) -> None:
    """Give it this time, or none."""
    if seconds is None:
        record.pop("timestamp", None)
    else:
        minutes, rest = divmod(seconds, 60)
        record["timestamp"] = f"2026-11-21T08:{int(minutes):02d}:{rest:06.3f}Z"


# How parallel calls are ordered.


def _tree() -> Log:
    """The chain leads over the first call's result to the third call; the second one hangs beside it."""
    log = Log()
    log.user("u1", "commit")
    log.says("a0", "m1", text("T0"))
    log.says("a1", "m1", call("A"))
    log.says("a2", "m1", call("B"), parent="a1")
    log.result("r1", "a1", "A", "out A")
    log.says("a3", "m1", call("C"), parent="r1")
    log.result("r2", "a2", "B", "out B")
    log.result("r3", "a3", "C", "out C")
    log.says("a5", "m2", text("done"), parent="r3")
    return log


@family
def tree() -> Iterator[tuple[str, Records]]:
    for order in (
        "u1 a0 a1 a2 r1 a3 r2 r3 a5",
        "u1 a1 a2 r1 a3 r2 r3 a5",
        "u1 a0 a1 r1 a3 a2 r2 r3 a5",
        "u1 a2 a0 a1 r1 a3 r2 r3 a5",
        "a2 u1 a0 a1 r1 a3 r2 r3 a5",
        "u1 a0 a3 a2 a1 r1 r2 r3 a5",
        "u1 a0 a1 a2 r2 r1 a3 r3 a5",
        "u1 a0 a1 a2 r1 a3 r3 r2 a5",
    ):
        yield order, picked(_tree(), order)
    for parent in ("u1", "a0", "a3", "gone"):
        log = _tree()
        by_name(log)["a2"]["parentUuid"] = parent
        yield f"the second call hangs on {parent}", log.values
    for moment in (0.5, 30.0, None):
        log = _tree()
        at(by_name(log)["a2"], moment)
        yield f"the second call at {moment}", log.values


def _parallel() -> Log:
    log = Log()
    log.user("u1", "q")
    for name in "ABC":
        log.says(f"a{name}", "m1", call(name))
    for name in "ABC":
        log.result(f"r{name}", f"a{name}", name, f"out {name}")
    log.says("z", "m2", text("end"), parent="rC")
    return log


@family
def parallel() -> Iterator[tuple[str, Records]]:
    for follows in ("rA", "rB", "rC"):
        for order in permutations(("rA", "rB", "rC")):
            log = _parallel()
            by_name(log)["z"]["parentUuid"] = follows
            lines = " ".join(order)
            yield f"{lines}, goes on from {follows}", picked(log, f"u1 aA aB aC {lines} z")
    for order in permutations(("rA", "rB", "rC")):
        lines = " ".join(order)
        yield f"{lines} at the end", picked(_parallel(), f"u1 aA aB aC {lines}")
        yield f"{lines} at the end, the first call moved behind", picked(_parallel(), f"u1 aB aC {lines} aA")
    yield "the first result moved behind", picked(_parallel(), "u1 aA aB aC rB rC z rA")
    yield "the last result in front", picked(_parallel(), "rC u1 aA aB aC rA rB z")
    yield "a call moved behind", picked(_parallel(), "u1 aA aC rB rC rA aB")
    yield "a result twice", [*picked(_parallel(), "u1 aA aB rA rB"), by_name(_parallel())["rA"]]


# Where a history ends.


def fork(order: str, times: Mapping[str, float | None] | None = None) -> Records:
    """Two answers branch off: u2 a2 and, later, u3 a3. Reports hang on the first branch."""
    log = Log(step=10.0)
    log.user("u1", "q1")
    log.says("a1", "m1", text("ans1"))
    log.user("u2", "q2 first branch", parent="a1")
    log.says("a2", "m2", text("ans2 first"))
    log.user("u3", "q3 second branch", parent="a1")
    log.says("a3", "m3", text("ans3 second"))
    log.record("attachment", "t2", "a2", attachment={"type": "total_tokens_reminder"})
    log.record("system", "s2", "a2", subtype="stop_hook_summary")
    log.record("progress", "p2", "a2", data={"type": "hook_progress"})
    log.user("w2", "behind progress", parent="p2")
    known = by_name(log)
    for name, moment in (times or {}).items():
        at(known[name], moment)
    return picked(log, order)


_ALIKE: Final = dict.fromkeys(("u1", "a1", "u2", "a2", "u3", "a3"), 50.0)
_ENDS: Final[Sequence[tuple[str, Mapping[str, float | None]]]] = (
    ("u1 a1 u2 a2 u3 a3", {}),
    ("u1 a1 u3 a3 u2 a2", {}),
    ("u1 a1 u2 a2 u3 a3", {"u2": 100, "a2": 110}),
    ("u1 a1 u2 u3 a3 a2", {}),
    ("u1 a1 u2 a2 u3 a3", {"a3": None}),
    ("u1 a1 u2 a2 u3 a3 t2", {}),
    ("u1 a1 u2 a2 u3 a3 s2", {}),
    ("u1 a1 u2 a2 u3 a3 p2", {}),
    ("u1 a1 u2 a2 u3 a3 p2 w2", {}),
    ("u1 a1 u2 a2 t2 u3 a3", {}),
    ("u1 a1 u2 a2 u3 a3 lp:a2", {}),
    ("u1 a1 u2 a2 u3 a3 lp:u2", {}),
    ("u1 a1 u2 a2 u3 a3 lp:a1", {}),
    ("u1 a1 u3 a3 u2 a2 lp:u3", {}),
    ("u1 a1 u2 a2 lp:a2 u3 a3", {}),
    ("u1 a1 u2 a2 lp:a2 u3 a3 lp:gone", {}),
    ("u3 u1 a1 u2 a2", {}),
    # The last line is none that a history ends at.
    ("u2 a2 u3 a3 u1 a1", {}),
    ("a3 u3 a2 u2 a1 u1", {}),
    ("a3 u3 a2 u2 a1 u1", {"a2": 200}),
    ("a3 u3 a2 u2 a1 u1", {"u2": 200}),
    ("u1 a1 u3 a3 a2 u2", {}),
    ("u1 a1 u2 a2 a3 u3", {"a2": 200}),
    ("u1 u2 a2 u3 a3 a1", {"a3": None}),
    ("u1 u2 a2 u3 a3 a1", {"a3": None, "a2": None, "u2": None, "u3": None}),
    ("u1 u2 a2 t2 u3 a3 a1", {"t2": 200}),
    ("u1 u2 a2 s2 u3 a3 a1", {"s2": 200}),
    ("u1 u2 a2 p2 u3 a3 a1", {"p2": 300}),
    ("u1 u2 a2 p2 w2 u3 a3 a1", {"w2": 300}),
    ("u1 u2 a2 u3 a3 a1", {"a1": 300}),
    ("a3 u3 a2 u2 a1 u1", _ALIKE),
    ("u1 u2 a2 u3 a3 a1", _ALIKE),
    ("u1 u3 a3 u2 a2 a1", _ALIKE),
    ("u1 u3 a3 a2 u2 a1", _ALIKE),
    ("u1 u2 a2 u3 a3 a1 lp:u2", {}),
    ("u1 u2 a2 u3 a3 a1 lp:a1", {}),
    ("u1 u2 a2 u3 a3 a1 lp:gone", {}),
    ("u1 a1 u3 a3 a2 u2 lp:u2", {}),
    ("u1 a1 u3 a3 a2 u2 lp:a2", {}),
    ("u1 a1 u3 a3 a2 u2 lp:a1", {}),
)


@family
def ends() -> Iterator[tuple[str, Records]]:
    for order, times in _ENDS:
        told = ", ".join(f"{name} at {moment}" for name, moment in times.items())
        yield f"{order}{f'; {told}' if told else ''}", fork(order, times)
    for leaf in (None, ""):
        yield f"a note that names {leaf!r}", [*fork("u1 u2 a2 u3 a3 a1"), _note(leaf)]
    note = {key: value for key, value in _note(None).items() if key != "leafUuid"}
    yield "a note that names nothing at all", [*fork("u1 u2 a2 u3 a3 a1"), note]
    records = fork("u1 u2 a2 u3 a3 a1")
    records[4]["timestamp"] = "garbage"
    yield "a time that is none", records
    for child, parent in (("u1", "a3"), ("u3", "a3")):
        records = fork("u1 a1 u2 a2 u3 a3")
        next(record for record in records if record["uuid"] == child)["parentUuid"] = parent
        yield f"a circle from {child} to {parent}", records


def _beside(path: str, goes_on: str, leaf: str) -> Records:
    """A call A; from it the chain goes on in one way, and a path of records hangs beside it."""
    log = Log(step=10.0)
    log.user("u1", "q")
    log.says("a1", "m1", call("A"))
    before = "a1"
    for number, kind in enumerate(path):
        name = f"x{number}"
        match kind:
            case "t":
                log.record("attachment", name, before, attachment={"type": "total_tokens_reminder"})
            case "s":
                log.record("system", name, before, subtype="stop_hook_summary")
            case "p":
                log.record("progress", name, before, data={})
            case "c":
                log.says(name, "m1", call("S"), parent=before)
            case "C":
                log.says(name, "m7", call("S"), parent=before)
            case "r":
                log.result(name, before, "S", "out S", parent=before)
            case "R":
                log.result(name, before, "A", "out A again", parent=before)
            case "o":
                log.result(name, before, "Z", "orphan", parent=before)
            case "u":
                log.user(name, "side words", parent=before)
        before = name
    match goes_on:
        case "result":
            log.result("rA", "a1", "A", "out A", parent="a1")
        case "words":
            log.user("rA", "main words", parent="a1")
        case "note":
            log.record("attachment", "tA", "a1", attachment={"type": "total_tokens_reminder"})
            log.result("rA", "a1", "A", "out A", parent="tA")
        case "call":
            log.says("cA", "m1", call("B"), parent="a1")
            log.result("rB", "cA", "B", "out B")
        case "response":
            log.says("cA", "m5", text("other response"), parent="a1")
    log.user("u2", "more")
    log.says("a2", "m2", text("end"))
    log.values.append(_note(leaf))
    return log.values


@family
def note_of_a_record_beside() -> Iterator[tuple[str, Records]]:
    for path in ("t", "s", "p", "c", "cr", "C", "Cr", "R", "o", "tr", "ct", "crt", "cs", "crs", "crc", "cpr", "cru"):
        yield f"{path} beside the result", _beside(path, "result", f"x{len(path) - 1}")
    for goes_on in ("words", "note", "call", "response"):
        for path in ("t", "c", "cr", "R", "o"):
            yield f"{path} beside the {goes_on}", _beside(path, goes_on, f"x{len(path) - 1}")


# A lost parent.


def _lost(between: Sequence[tuple[str, float | None]], follows: float | None, lost: Any = "gone") -> Records:
    """An answer at 30 s; then records that hang on nothing that is there, and the user's words."""
    log = Log()
    log.user("u1", "q1")
    log.says("a1", "m1", text("ans1"))
    log.user("u2", "q2")
    log.says("a2", "m2", text("ans2"))
    parent = lost
    for number, (kind, _) in enumerate(between):
        name = f"x{number}"
        if kind == "progress":
            log.record("progress", name, parent, data={"type": "hook_progress"})
        elif kind == "attachment":
            log.record("attachment", name, parent, attachment={"type": "total_tokens_reminder"})
        elif kind == "system":
            log.record("system", name, parent, subtype="stop_hook_summary")
        else:
            log.user(name, "between", parent=parent)
        parent = name
    log.user("u3", "q3", parent=parent)
    log.says("a3", "m3", text("ans3"))
    known = by_name(log)
    for name, moment in {"u1": 0.0, "a1": 10.0, "u2": 20.0, "a2": 30.0}.items():
        at(known[name], moment)
    for number, (_, moment) in enumerate(between):
        at(known[f"x{number}"], moment)
    at(known["u3"], follows)
    at(known["a3"], (follows or 40.0) + 1)
    return log.values


@family
def lost_parent() -> Iterator[tuple[str, Records]]:
    for follows in (34.0, 35.0, 35.001, 25.0, 0.0, None):
        yield f"words at {follows}", _lost((), follows)
    for kinds in (
        [("progress", 32.0)],
        [("progress", 39.0)],
        [("progress", 32.0), ("progress", 33.0)],
        [("progress", 32.0), ("attachment", 33.0)],
        [("progress", 32.0), ("attachment", 39.0)],
        [("attachment", 33.0)],
        [("system", 33.0)],
        [("attachment", 39.0)],
        [("words", 33.0)],
        [("progress", None)],
    ):
        for follows in (34.0, 40.0):
            yield f"{kinds}, words at {follows}", _lost(kinds, follows)
    yield "a report that hangs on nothing", _lost([("progress", 32.0)], 33.0, lost=None)
    yield "a report that hangs on itself", _lost([("progress", 32.0)], 33.0, lost="x0")
    records = _lost([("progress", 32.0)], 34.0, lost="a2")
    records.append(records.pop(4))
    yield "a report that stands further down", records
    records = _lost((), 34.0)
    at(records[3], None)
    yield "the answer has no time", records


@family
def sub_agents() -> Iterator[tuple[str, Records]]:
    for names in ("rA", "rB", "aB", "z", "u1", "rA rB", "aB rB"):
        log = _parallel()
        for name in names.split():
            by_name(log)[name]["isSidechain"] = True
        yield f"{names} of a sub-agent", log.values
    log = _parallel()
    log.user("x", "side words")["isSidechain"] = True
    yield "its words at the end", log.values
    yield "a note that names its words", [*log.values, _note("x")]


@family
def without_uuid() -> Iterator[tuple[str, Records]]:
    for step in (1.0, 10.0):
        for names in ("rA", "rA rB", "aA", "aB", "aA aB", "a1", "a4", "a5", "u2", "u1", "u2 a5", "u1 a5"):
            for absent in (True, False):
                log = Log(step=step)
                log.user("u1", "q")
                log.says("a1", "m1", text("one"))
                log.says("aA", "m1", call("A"))
                log.says("aB", "m1", call("B"))
                log.result("rA", "aA", "A", "out A")
                log.result("rB", "aB", "B", "out B")
                log.says("a4", "m2", text("two"))
                log.user("u2", "more")
                log.says("a5", "m3", text("end"))
                known = by_name(log)
                for name in names.split():
                    known[name]["uuid"] = None
                    if absent:
                        del known[name]["uuid"]
                yield f"{names} {'lack it' if absent else 'have null'}, {step} s apart", log.values


# What is said at the end.


def _tail(*said: Any) -> Records:
    log = Log()
    log.user("u1", "hello")
    log.says("a1", "m1", text("hi there"))
    for number, words in enumerate(said):
        name = f"x{number}"
        if words == "attachment":
            log.record("attachment", name, attachment={"type": "environment"})
        elif words == "error":
            log.says(name, "me", text("API Error: 400"), isApiErrorMessage=True)["message"]["model"] = "<synthetic>"
        elif isinstance(words, tuple):
            log.record("system", name, subtype="local_command", content=words[0], level="info")
        else:
            log.user(
                name, words, **({"isMeta": True} if words in (_CAVEAT, "meta") or words == [text(_CAVEAT)] else {})
            )
    return log.values


@family
def last_words() -> Iterator[tuple[str, Records]]:
    caveat, command, printed = _CAVEAT, _COMMAND, _PRINTED
    for said in (
        ("more",),
        (caveat, command, printed),
        (command, printed),
        (printed,),
        (caveat,),
        (caveat, command),
        (caveat, printed),
        (command, caveat, printed),
        (caveat, command, printed, "more"),
        ("more", caveat, command, printed),
        (caveat, command, printed, command, printed),
        (caveat, command, printed, caveat, command, printed),
        (caveat, printed, printed),
        (caveat, command, command),
        ([text(caveat)], command, printed),
        (caveat, [text(printed), text("x")]),
        (caveat, [text("x"), text(printed)]),
        (caveat, f" {printed}"),
        (caveat, "<local-command-stderr>no</local-command-stderr>"),
        (caveat, "<bash-input>ls</bash-input>"),
        ("meta",),
        (caveat, "meta"),
        ("meta", caveat),
        (caveat, "[Request interrupted by user]"),
        ((printed,),),
        ("more", (printed,)),
        ((printed,), "more"),
        (caveat, (printed,)),
        ("more", "attachment"),
        (caveat, "attachment"),
        (caveat, "attachment", command),
        ("more", "error"),
        (caveat, "error"),
        ("more", "error", "attachment"),
    ):
        yield " / ".join(_named(words) for words in said), _tail(*said)


def _named(words: Any) -> str:
    known = {_CAVEAT: "caveat", _COMMAND: "command", _PRINTED: "printed"}
    if isinstance(words, tuple):
        return f"system {_named(words[0])}"
    if isinstance(words, list):
        return "+".join(_named(part["text"]) for part in words)
    return known.get(words, words)


@family
def api_errors() -> Iterator[tuple[str, Records]]:
    for flag in (True, False, None):
        for model in ("<synthetic>", "m"):
            for words in ("API Error: 400 x", "some words", "No response requested."):
                for end in (True, False):
                    log = Log()
                    log.user("u1", "hello")
                    log.says("a1", "m1", text("hi"))
                    log.user("u2", "again")
                    error = log.says("e1", "me", text(words))
                    error["message"]["model"] = model
                    if flag is not None:
                        error["isApiErrorMessage"] = flag
                    if not end:
                        log.user("u3", "more")
                        log.says("a3", "m3", text("yes"))
                    yield f"{flag} {model} {words!r} {'at the end' if end else 'in between'}", log.values


@family
def nothing_said() -> Iterator[tuple[str, Records]]:
    blank, empty, none = text(" "), text(""), {"type": "text", "text": None}
    contents: Sequence[Any] = (
        "", "  ", [blank], [empty], [blank, text("x")], [text("x"), blank], [blank, empty], [], [none], [text("x"), none],
    )  # fmt: skip
    for role in ("user", "assistant"):
        for content in contents:
            log = Log()
            log.user("u1", "hello")
            log.says("a1", "m1", text("hi"))
            log.user("u2", content if role == "user" else "next")
            log.says("a2", "m2", text("yes"))
            if role == "assistant":
                log.values[-1]["message"]["content"] = content
            log.user("u3", "more")
            log.says("a3", "m3", text("fine"))
            yield f"{role} {json.dumps(content)}", log.values
    for parts in (
        "HNC",
        "NC",
        "HC",
        "HN",
        "N",
        "H",
        "HNT",
        "HBC",
        "BC",
        "HB",
        "HNU",
        "HU",
        "TU",
        "HTU",
        "BU",
        "CU",
        "CHU",
    ):
        yield f"response {parts}", _turn(" ".join(f"{part}1" for part in parts) + " " + " ".join(
            f"r{part}" for part in parts if part == "C"
        ) + " T9")  # fmt: skip


# Calls without a result.


def _turn(told: str) -> Records:
    """A turn in short: `A1` call A of response 1, `rA` its result, `T1` `H1` `N1` `B1` text, thinking, nothing, blank;
    `u` words, `t` an attachment, `s` a system record, `c` a command's output, `p` progress, `E1` an API error."""
    log = Log(step=2.0)
    log.user("u0", "q")
    home: dict[str, str] = {}
    for number, word in enumerate(told.split()):
        name, kind = f"x{number}", word[0]
        if word in ("u", "M"):
            log.user(name, "words" if word == "u" else "meta", **({"isMeta": True} if word == "M" else {}))
        elif word == "t":
            log.record("attachment", name, attachment={"type": "environment"})
        elif word == "s":
            log.record("system", name, subtype="stop_hook_summary")
        elif word == "c":
            log.record("system", name, subtype="local_command", content=_PRINTED, level="info")
        elif word == "p":
            log.record("progress", name, data={})
        elif kind == "r":
            log.result(name, home.get(word[1], "nope"), word[1], f"out {word[1]}", parent=log.last)
        elif kind == "E":
            error = log.says(name, f"m{word[1:]}", text("API Error"), isApiErrorMessage=True)
            error["message"]["model"] = "<synthetic>"
        else:
            said = {"T": text("say"), "N": text("(no content)"), "H": _THINKING, "B": text(" ")}.get(kind)
            log.says(name, f"m{word[1:]}", said or call(kind))
            home[kind] = name
    return log.values


@family
def open_calls() -> Iterator[tuple[str, Records]]:
    for told in (
        "A1 rX C1", "A1 rX C1 rC", "A1 C1", "A1 C2", "A1 C2 rC", "A1 C2 D2 rC", "A1 C2 u", "A1 rA C1", "A1 D1 rD C1",
        "A1 D1 rD C1 rC", "A1 D1 rD C2", "A1 D1 rD C2 rC", "A1 D1 rD C2 rC u", "A1 D1 rD C2 rC T3", "A1 D1 rD C2 T2",
        "A1 D1 rD T2", "A1 D1 rD", "A1 T1", "A1 T2", "A1 D2 rD C3", "A1 T2 C3", "A1 u C2", "A1 rX", "A1 rX u", "A1 t C2",
        "A1 rX C2", "A1 rX T2", "A1 C1 rX", "A1 C1 rC T1", "A1 C1 rC T1 D1", "A1 rA C1 t", "A1 D1 rD t", "A1 t",
        "A1 u D2 C2 rC", "A1 rX rA", "A1 D1 rX rA C2", "A1 D1 rD C2 F2", "A1 D1 rD C2 F3", "A1 D1 rD T2 C2",
        "A1 D1 rD H2 C2", "A1 s C2", "A1 p C2", "A1 t T2", "A1 s", "A1 D1 rD t C2", "A1 D1 rD M C2", "A1 M C2", "A1 M",
        "A1 D1 rD C2 t", "A1 D1 rD C2 s", "A1 D1 rD C2 M", "A1 D1 rD C2 E3", "A1 D1 rD E3", "A1 E3", "A1 c", "A1 c C2",
        "A1 D1 rD C2 c", "A1 t T2 t", "A1 D1 rD T2 t", "A1 D1 rD N2", "A1 D1 rD H2", "A1 D1 rD H2 s", "A1 t H2", "A1 N2",
        "A1 D1 rD E3 t", "A1 E3 C2", "A1 E3 t", "E3 A1", "A1 t c", "A1 c t", "A1 D1 rD c t", "A1 D1 rD C2 c t",
        "A1 N1 C2", "A1 H1", "H1 A1 u", "A1 D2 t", "A1 D2 rD t T3", "A1 t D2 T3 C4", "u u", "A1 D1 rD H2 N2", "A1 T2 D1",
        "A1 T2 rA D1", "A1 D2 rX T2",
    ):  # fmt: skip
        yield told, _turn(told)


@family
def results_first() -> Iterator[tuple[str, Records]]:
    for told in (
        "rA A1 T2",
        "T9 rA A1 T2",
        "T9 rA A1 u T2",
        "D9 rD rA A1 T2",
        "A1 u rA T2",
        "A1 T2 rA T3",
        "A1 D2 rA rD T3",
    ):
        yield told, _turn(told)
