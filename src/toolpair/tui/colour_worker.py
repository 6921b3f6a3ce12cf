"""The worker process of `colours`: reads lines of code as JSON on standard input, and answers each with two lines:
`null` once the lexer is loaded, then which colour is where.

A separate process, because some texts keep a lexer busy for seconds, and nothing can interrupt it.
"""

from __future__ import annotations

import json
import os
import sys
from typing import Any, Final

_LONGEST: Final = 8
"""Seconds after which it ends by itself: whoever asked has long given up, or is gone."""
Run = tuple[int, int, str]


def runs_of(lexer: Any, lines: list[str]) -> list[list[Run]]:
    """For each line its runs: start, end, style."""
    out: list[list[Run]] = [[] for _ in lines]
    row = column = 0
    for token, text in lexer.get_tokens("\n".join(lines) + "\n"):
        style = _style(str(token).split("."))
        for number, part in enumerate(text.split("\n")):
            if number:
                row, column = row + 1, 0
            if part and style and row < len(out):
                out[row].append((column, column + len(part), style))
            column += len(part)
    return out


def _lexer(file: str | None, language: str | None) -> Any:
    """The lexer for a language or a file name; None where none is known."""
    from pygments.lexers import get_lexer_by_name, get_lexer_for_filename  # type: ignore[import-untyped]
    from pygments.util import ClassNotFound  # type: ignore[import-untyped]

    try:
        if language is not None:
            return get_lexer_by_name(language, stripnl=False, ensurenl=False)
        return get_lexer_for_filename((file or "").replace("\\", "/").rpartition("/")[2], stripnl=False, ensurenl=False)
    except ClassNotFound:
        return None


def _style(token: list[str]) -> str:
    """The style for a token's type, such as `Token.Literal.String.Doc`."""
    match token[1:]:
        case ["Comment", *_]:
            return "code-comment"
        case ["Keyword", "Constant", *_] | ["Literal", "Number", *_]:
            return "code-number"
        case ["Keyword", *_] | ["Operator", "Word", *_]:
            return "code-keyword"
        case ["Literal", "String", *_] | ["Literal", *_]:
            return "code-string"
        case ["Name", ("Function" | "Class" | "Tag" | "Attribute" | "Decorator" | "Builtin" | "Namespace"), *_]:
            return "code-name"
        case ["Generic", ("Heading" | "Subheading"), *_]:
            return "code-heading"
        case ["Generic", "Strong", *_]:
            return "bold"
        case ["Generic", "Emph", *_]:
            return "italic"
        case ["Generic", "Deleted", *_]:
            return "removed"
        case ["Generic", "Inserted", *_]:
            return "added"
    return ""


def main() -> None:
    """Answer each line of standard input."""
    for line in sys.stdin.buffer:
        _watch_for_the_end(True)
        asked = json.loads(line)
        answer: list[list[Run]] = []
        try:
            lexer = _lexer(asked["file"], asked["language"])
            if lexer is not None:
                runs_of(lexer, ["x"])  # compiles its patterns
            _say(None)
            if lexer is not None:
                answer = runs_of(lexer, asked["lines"])
        except Exception:  # whatever the text does to a lexer, it is shown without colours
            answer = []
        _watch_for_the_end(False)
        _say(answer)


def _watch_for_the_end(on: bool) -> None:
    """Nothing in this process can interrupt a lexer, so while one works, the system ends it when its input is closed,
    or, where the system cannot do that, after a while. Nothing else arrives meanwhile.
    """
    try:
        import fcntl
        import select
        import signal

        for number in (signal.SIGIO, signal.SIGALRM):
            signal.signal(number, signal.SIG_DFL)
        signal.alarm(_LONGEST if on else 0)
        flags = fcntl.fcntl(0, fcntl.F_GETFL)
        fcntl.fcntl(0, fcntl.F_SETOWN, os.getpid())
        fcntl.fcntl(0, fcntl.F_SETFL, flags | os.O_ASYNC if on else flags & ~os.O_ASYNC)
        if on and select.select([0], [], [], 0)[0]:
            os._exit(0)  # closed before the system was asked to watch
    except (ImportError, AttributeError, OSError):
        pass  # a system without signals: there it is only killed by whoever started it


def _say(answer: Any) -> None:
    sys.stdout.write(json.dumps(answer) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
