"""What a pasted answer says inside its wrappers: JSON in JSON, a gateway's own words, a stack trace, a drawn box."""

from __future__ import annotations

import re
from typing import Final

_MOST: Final = 200_000
"""Characters at the end of a paste that are looked at."""
_DEEPEST: Final = 12
_FRAME: Final = " \t|│┃║╎┆┊▏▎▍▌▐▕⎿⏺●•·✕✖✗✘×╭╮╰╯─━═┌┐└┘"
"""What terminals and agents draw round a text."""
_TRACE: Final = re.compile(
    r'at (?:async |new )?[^\s(]{1,300} ?\(|at \S{1,300}:\d+|File "|Traceback \(most|[\^~]+$|goroutine |'
    r"\S{1,300}\.(?:go|py|js|ts|java|rs):\d+"
)
"""How a line of a stack trace begins."""
_COLOUR: Final = re.compile(r"\x1b(?:\[[0-9;:?]{0,60}[ -/]?[@-~]|\][^\x07\x1b]{0,2000}(?:\x07|\x1b\\)?)")
_SAID: Final = re.compile(
    r"""(?P<key>\\{0,64}["'])(?:message|msg|detail|raw|error)(?P=key)\s{0,9}:\s{0,9}(?P<mark>\\{0,64}["'])""",
    re.IGNORECASE,
)
"""A key that holds an answer, up to the beginning of its string."""
_GATEWAY: Final = re.compile(
    r"(?:\s*(?:litellm\.[\w.]{1,80}:|\w{1,40}(?:Exception|Error)\s{0,9}[-:]|(?:API )?Error(?: code)?:|<?\b\d{3}\b>?|-)"
    r")*"
)
"""What libraries and gateways write before an answer."""
_OPENROUTER: Final = "provider returned error"
_ESCAPE: Final = re.compile(r"\\(u[0-9a-fA-F]{4}|.)", re.DOTALL)
_NAMED: Final = {"n": "\n", "r": "\n", "t": " "}


def inner_text(text: str) -> str:
    """The words of the innermost answer in a pasted text, in one line; empty when its wrappers hold no words."""
    said = _innermost(_unframed(_COLOUR.sub("", text[-_MOST:])))
    gateway = _GATEWAY.match(said)
    said = " ".join(said[gateway.end() if gateway is not None else 0 :].split())
    # Escapes name the halves of a character one by one.
    said = said.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return said if _says_something(said) else ""


def _says_something(text: str) -> bool:
    return re.search(r"\w", text) is not None and text.strip(" .").lower() != _OPENROUTER


def _unframed(text: str) -> str:
    """Without a box drawn round it, and without the lines of a stack trace."""
    lines = [line.strip(_FRAME) if line[:1] != ">" else line.strip("> ") for line in text.splitlines()]
    return " ".join(line for line in lines if line and not _TRACE.match(line))


def _innermost(text: str) -> str:
    for _ in range(_DEEPEST):
        inside = _last_said(text)
        if inside is None:
            break
        text = inside
    return text


def _last_said(text: str) -> str | None:
    """The last string under a key that holds an answer, one level of quoting less; None when there is none."""
    found: str | None = None
    at = 0
    while (key := _SAID.search(text, at)) is not None:
        at = _end_of_string(text, key.end(), key["mark"])
        inside = _ESCAPE.sub(_character, text[key.end() : at])
        if found is None or not _says_something(found) or _says_something(inside):
            found = inside
    return found


def _end_of_string(text: str, start: int, mark: str) -> int:
    """Where a string ends: at its own quote with as many backslashes, before what may follow a value."""
    closed = re.compile(rf"(?<!\\){re.escape(mark)}(?=\s*(?:[\]}}]|,\s*[\\\"'{{]|\Z))")
    match = closed.search(text, start)
    return match.start() if match is not None else len(text)


def _character(match: re.Match[str]) -> str:
    name = match[1]
    return chr(int(name[1:], 16)) if len(name) > 1 else _NAMED.get(name, name)
