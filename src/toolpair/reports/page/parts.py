"""What a report is made of, whatever it is written in. Texts are untrusted: a writer makes them safe, once."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

from toolpair.text.file_diffs import Hunk
from toolpair.text.tool_calls import TodoState
from toolpair.transcript.counting import plural


class Plain(Struct, frozen=True):
    """A text as it is, or its beginning."""

    text: str
    cut: str = ""
    """How much is not shown, a sentence."""


class Command(Struct, frozen=True):
    """A command for a shell."""

    line: Plain


class Changes(Struct, frozen=True):
    """What is changed in a file."""

    title: str
    hunks: tuple[Hunk, ...]
    cut: str = ""


class Todos(Struct, frozen=True):
    """A list of things to do."""

    items: tuple[tuple[TodoState, str], ...]


class Fields(Struct, frozen=True):
    """Arguments or other JSON: how deep each line is, its key, its value."""

    lines: tuple[tuple[int, str, str], ...]
    cut: str = ""


class Picture(Struct, frozen=True):
    """An image or another file: what it is, and where it is shown its type and content in Base64."""

    words: str
    type: str = ""
    data: str = ""


Body = Plain | Command | Changes | Todos | Fields | Picture
"""Something to read. Without anything in it: "(empty)"."""


class Link(Struct, frozen=True):
    """Words that lead to an anchor of this report."""

    anchor: str
    words: str
    page: int = 1


# problems


class FixPart(Struct, frozen=True):
    """One way to fix a problem. `loses` is a sentence."""

    title: str
    loses: str
    recommended: bool = False
    note: str | None = None

    @property
    def name(self) -> str:
        return "Fix" if self.recommended else "Other way"


class ProblemPart(Struct, frozen=True):
    """One problem. `title` counts it as the interface does: "Problem 1 of 42"."""

    anchor: str
    title: str
    severity: str
    impact: str
    text: str
    rule: str
    where: str
    about: str
    """The call that it is about, in one line."""
    ids: tuple[tuple[str, object], ...]
    """What the ids are of, and the ids, those that differ side by side."""
    lines: tuple[tuple[str, str], ...]
    """What else there is to say: a word for it, and sentences."""
    fixes: tuple[FixPart, ...]
    no_fix: str | None
    target: Link | None

    @property
    def no_fix_name(self) -> str:
        return "No safe fix" if self.fixes else "No fix"


class ProblemGroup(Struct, frozen=True):
    """Problems with one cause. `harmless`: nothing in it breaks anything."""

    title: str
    count: int
    harmless: bool

    @property
    def counted(self) -> str:
        """How many there are, where that is not plain to see."""
        noun = "note" if self.harmless else "problem"
        return plural(self.count, noun) if self.count > 1 or self.harmless else ""


class Opening(Struct, frozen=True):
    """The verdict on a conversation, and what is known of it."""

    title: str
    badge: str
    outlook: str
    sentence: str
    facts: tuple[tuple[str, str], ...]
    counts: tuple[int, int, int]
    """Problems, warnings, notes."""
    anchor: str
    conversation: Link | None = None

    @property
    def counted(self) -> str:
        """`3 problems, 1 note`; empty where nothing is wrong."""
        counts = zip(self.counts, ("problem", "warning", "note"), strict=True)
        return ", ".join(plural(count, noun) for count, noun in counts if count)


Front = Opening | ProblemGroup | ProblemPart
"""A part of what stands before the conversations."""


# the conversation


class Begin(Struct, frozen=True):
    """A conversation begins."""

    anchor: str
    title: str


class Turn(Struct, frozen=True):
    """A message begins."""

    anchor: str
    number: int
    who: str
    where: str
    time: str = ""
    problems: tuple[tuple[Link, str], ...] = ()
    """The problems of the message as such, and what they say."""


class Said(Struct, frozen=True):
    """What a message says: text, thinking, or something else."""

    kind: Literal["text", "thinking", "other"]
    body: Body
    words: str = ""
    """A heading for what is folded."""


class Answer(Struct, frozen=True):
    """A result: exit code or error, size and time in words, and what it says."""

    title: str
    failed: bool
    bodies: tuple[Body, ...]
    id: object | None


class PairPart(Struct, frozen=True):
    """A call beside its results, or what is left of a pair."""

    anchor: str
    number: int
    tool: str
    words: str
    """What tells the call from others, in one line."""
    state: str
    """What is wrong with it; empty when nothing is."""
    severity: str
    time: str
    call: tuple[Body, ...] | None
    call_id: object | None
    answers: tuple[Answer, ...]
    lack: str
    """Why there is no result."""
    problems: tuple[tuple[Link, str], ...]
    """The problems that it has, and what they say."""
    both_ids: bool = False
    """Whether the ids are to be compared."""

    @property
    def is_open(self) -> str:
        """The attribute of what is unfolded."""
        return " open" if self.severity in ("error", "warning") else ""

    @property
    def ending(self) -> str:
        """What is wrong, or why there is no result."""
        return self.state if self.answers or not self.lack else self.lack

    @property
    def other_id(self) -> object | None:
        """The id of a result that is not the call's."""
        return next(answer.id for answer in self.answers if answer.id != self.call_id)


class Across(Struct, frozen=True):
    """A line across the conversation: lost history, a compaction, a record that cannot be read."""

    kind: str
    words: str
    anchor: str
    problems: tuple[tuple[Link, str], ...] = ()


Part = Begin | Turn | Said | PairPart | Across
