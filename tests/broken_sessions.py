"""What the sessions of several agents have in common when they are broken: the ways to break one, and what is kept.

A session of two rounds: one call, then three at once; one call. Every output says a word that is nowhere else.
"""

from __future__ import annotations

import json
import os
import pickle
import sqlite3
from collections.abc import Callable, Iterable
from copy import deepcopy
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

Record = dict[str, Any]
Break = Callable[[list[Any]], bytes | None]
"""Breaks the records where they are, or gives the bytes of the broken file."""
WORDS = ("one", "two", "three", "four", "five")


def word(name: str) -> str:
    """What the output of the call with this name says."""
    return f"word-{name}-word"


def lines(records: Iterable[Any]) -> bytes:
    return b"".join(
        json.dumps(record, separators=(",", ":"), ensure_ascii=False).encode("utf-8", "surrogatepass") + b"\n"
        for record in records
    )


def unsynced(database: sqlite3.Connection) -> None:
    """What a test makes need not survive the machine: it is made in a tenth of the time."""
    database.execute("PRAGMA synchronous = OFF")
    database.execute("PRAGMA journal_mode = MEMORY")


def made_long_ago(path: Path) -> Path:
    """What has just been written may change within the same time, so whoever reads it waits for a moment."""
    os.utime(path, (1_790_000_000, 1_790_000_000))
    return path


@dataclass(frozen=True, slots=True)
class Planted:
    data: bytes
    words: tuple[str, ...]
    """The outputs, and words of the user, that a fixed file must still send."""


def tell(made: Any, after_the_first_words: Callable[[], object] = lambda: None) -> None:
    """Three turns, had by an agent's session: one call, then three at once; one call; none."""
    made.user("Begin.")
    after_the_first_words()
    made.says("I look.", "one")
    made.result("one")
    made.says("Now more.", "two", "three", "four")
    for name in ("two", "three", "four"):
        made.result(name)
    made.says("That is it.")
    made.user("Once more.")
    made.says("", "five")
    made.result("five")
    made.says("Done.")
    made.user("Thanks.")
    made.says("You are welcome.")


class Breaks:
    """The ways to break an agent's session, each a function that is decorated with an instance.

    `begin` makes the sound one, which has `records`; `write` makes bytes of records.
    """

    def __init__(self, begin: Callable[[], Any], write: Callable[[list[Any]], bytes] = lines) -> None:
        self._begin = begin
        self._write = write
        self._ways: dict[str, tuple[Break, tuple[str, ...], Callable[[], Any] | None]] = {}
        self._made: dict[Callable[[], Any], dict[str, Planted]] = {}

    def __call__(
        self,
        *lost: str,
        of: Callable[[], Any] | None = None,
        keeps: tuple[str, ...] = (),
        said: tuple[str, ...] = (),
    ) -> Callable[[Break], None]:
        """Register a way to break the records; `lost` are the outputs that are then nowhere in the file.

        `of` makes the session that is broken, if it is not the usual one. `keeps` are calls that the break adds, whose
        outputs must be sent, and `said` is what the user wrote there, which must be sent as well.
        """

        def register(break_: Break) -> None:
            self.add(break_.__name__, break_, *lost, of=of, said=(*map(word, keeps), *said))

        return register

    def add(
        self,
        name: str,
        break_: Break,
        *lost: str,
        of: Callable[[], Any] | None = None,
        said: tuple[str, ...] = (),
    ) -> None:
        kept = (*(word(one) for one in WORDS if one not in lost), *said)
        assert name.strip("_") not in self._ways, f"two breaks are called {name}"
        self._ways[name.strip("_")] = (break_, kept, of)

    def __getitem__(self, name: str) -> Break:
        return self._ways[name][0]

    @property
    def names(self) -> list[str]:
        return sorted(self._ways)

    def begin_for(self, names: Iterable[str]) -> list[Any]:
        """The records of the session that the first of these breaks that wants its own breaks, else of the usual."""
        own = (self._ways[name][2] for name in names)
        return deepcopy((next(filter(None, own), None) or self._begin)().records)

    def write(self, records: list[Any]) -> bytes:
        return self._write(records)

    def corpus(self, begin: Callable[[], Any] | None = None) -> dict[str, Planted]:
        """Every broken session, by what was done to it; `begin` makes another sound one. They are made once."""
        made = self._made.setdefault(begin or self._begin, {})
        if len(made) < len(self._ways):
            made |= self._corpus(begin or self._begin)
        return made.copy()

    def _corpus(self, begin: Callable[[], Any]) -> dict[str, Planted]:
        sound: dict[
            Callable[[], Any], bytes
        ] = {}  # copied a hundred times, which deepcopy does at a fifth of the speed
        made = {}
        for name, (break_, kept, of) in self._ways.items():
            maker = of or begin
            if maker not in sound:
                sound[maker] = pickle.dumps(maker().records)
            records = pickle.loads(sound[maker])
            data = break_(records)
            made[name] = Planted(data if data is not None else self._write(records), kept)
        return made


# --- records in lines that name the one before -------------------------------------------------------------


class Places(NamedTuple):
    """Where in the records the session says what: the numbers of its words, responses and results."""

    begin: int
    look: int
    one: int
    more: int
    two: int
    three: int
    four: int
    that: int
    once: int
    calls: int
    five: int
    done: int
    thanks: int
    last: int


class Links(NamedTuple):
    """How records are taken out, put in and moved so that the others name the right one before them."""

    take_out: Callable[[list[Record], int], Record]
    put_in: Callable[[list[Record], int, Record], None]
    move: Callable[[list[Record], int, int], None]
    fresh: Callable[[Record], Record]
    """The same record with an id of its own."""


def _move(records: list[Record], number: int, behind: int) -> None:
    anchor = records[behind]
    record = records.pop(number)
    records.insert(next(n for n, one in enumerate(records) if one is anchor) + 1, record)


def _put_in(records: list[Record], number: int, record: Record) -> None:
    records.insert(number + 1, record)


UNLINKED = Links(lambda records, number: records.pop(number), _put_in, _move, deepcopy)
"""Where a record names no other."""


def links(id_: str, parent: str, fresh: Callable[[Record], Record]) -> Links:
    """For records in a tree; `id_` and `parent` are the keys of a record's own id and its parent's."""

    def take_out(records: list[Record], number: int) -> Record:
        gone = records.pop(number)
        for record in records:
            if record.get(parent) == gone[id_]:
                record[parent] = gone[parent]
        return gone

    def put_in(records: list[Record], number: int, record: Record) -> None:
        above = records[number]
        for other in records:
            if other.get(parent) == above[id_]:
                other[parent] = record[id_]
        record[parent] = above[id_]
        records.insert(number + 1, record)

    def move(records: list[Record], number: int, behind: int) -> None:
        anchor = records[behind]
        record = take_out(records, number)
        put_in(records, records.index(anchor), record)

    return Links(take_out, put_in, move, fresh)


LineBreak = Callable[[list[Record], Places, Links], bytes | None]
_LINE_BREAKS: dict[str, tuple[LineBreak, tuple[str, ...]]] = {}
LOST_LINKS = frozenset(
    {
        "result_record_lost",
        "call_record_lost",
        "words_record_lost",
        "words_record_lost_and_the_line_before_again_at_the_end",
        "two_records_lost",
        "lines_swapped",
        "last_lines_swapped",
    }
)
"""Those that only break a session whose agent follows the links."""


def break_lines(breaks: Breaks, at: Places, tree: Links, but: Iterable[str] = ()) -> None:
    """Add the breaks below, `but` those that the agent has otherwise, or not at all."""
    for name, (break_, lost) in _LINE_BREAKS.items():
        if name not in but:
            breaks.add(name, _at(break_, at, tree), *lost)


def _at(break_: LineBreak, at: Places, tree: Links) -> Break:
    return lambda records: break_(records, at, tree)


def _line_break(*lost: str) -> Callable[[LineBreak], None]:
    def register(break_: LineBreak) -> None:
        _LINE_BREAKS[break_.__name__.strip("_")] = (break_, lost)

    return register


@_line_break()
def _nothing(records: list[Record], at: Places, tree: Links) -> None: ...


@_line_break("one")
def _result_gone(records: list[Record], at: Places, tree: Links) -> None:
    tree.take_out(records, at.one)


@_line_break("three")
def _parallel_result_gone(records: list[Record], at: Places, tree: Links) -> None:
    tree.take_out(records, at.three)


@_line_break("two", "three", "four")
def _all_parallel_results_gone(records: list[Record], at: Places, tree: Links) -> None:
    for _ in range(3):
        tree.take_out(records, at.two)


@_line_break("five")
def _ends_at_a_call(records: list[Record], at: Places, tree: Links) -> None:
    del records[at.five :]


@_line_break("three", "four", "five")
def _ends_in_parallel_results(records: list[Record], at: Places, tree: Links) -> None:
    del records[at.three :]


@_line_break()
def _response_gone(records: list[Record], at: Places, tree: Links) -> None:
    tree.take_out(records, at.calls)


@_line_break()
def _result_twice(records: list[Record], at: Places, tree: Links) -> None:
    tree.put_in(records, at.one, tree.fresh(records[at.one]))


@_line_break()
def _result_late(records: list[Record], at: Places, tree: Links) -> None:
    tree.move(records, at.one, at.more)


@_line_break()
def _result_behind_the_users_words(records: list[Record], at: Places, tree: Links) -> None:
    tree.move(records, at.five, at.thanks)


@_line_break()
def _result_at_the_end(records: list[Record], at: Places, tree: Links) -> None:
    tree.move(records, at.five, at.last)


@_line_break()
def _result_before_its_call(records: list[Record], at: Places, tree: Links) -> None:
    tree.move(records, at.one, at.begin)


@_line_break()
def _results_in_another_order(records: list[Record], at: Places, tree: Links) -> None:
    tree.move(records, at.two, at.four)


@_line_break("one")
def _result_record_lost(records: list[Record], at: Places, tree: Links) -> None:
    del records[at.one]


@_line_break()
def _call_record_lost(records: list[Record], at: Places, tree: Links) -> None:
    del records[at.more]


@_line_break()
def _words_record_lost(records: list[Record], at: Places, tree: Links) -> None:
    del records[at.once]


@_line_break("three")
def _two_records_lost(records: list[Record], at: Places, tree: Links) -> None:
    del records[at.once], records[at.three]


@_line_break()
def _parent_null(records: list[Record], at: Places, tree: Links) -> None:
    records[at.that]["parentId"] = None


@_line_break()
def _cycle(records: list[Record], at: Places, tree: Links) -> None:
    records[at.more]["parentId"] = records[at.done]["id"]


@_line_break()
def _line_twice(records: list[Record], at: Places, tree: Links) -> None:
    records.insert(at.five + 1, deepcopy(records[at.five]))


@_line_break()
def _earlier_line_again_at_the_end(records: list[Record], at: Places, tree: Links) -> None:
    records.append(deepcopy(records[at.four]))


@_line_break()
def _words_record_lost_and_the_line_before_again_at_the_end(records: list[Record], at: Places, tree: Links) -> None:
    records.append(deepcopy(records[at.that]))
    del records[at.once]


@_line_break()
def _lines_swapped(records: list[Record], at: Places, tree: Links) -> None:
    records[at.two], records[at.three] = records[at.three], records[at.two]


@_line_break()
def _last_lines_swapped(records: list[Record], at: Places, tree: Links) -> None:
    records[at.thanks], records[at.last] = records[at.last], records[at.thanks]


@_line_break()
def _byte_order_mark(records: list[Record], at: Places, tree: Links) -> bytes:
    return b"\xef\xbb\xbf" + lines(records)


@_line_break("five")
def _last_line_torn(records: list[Record], at: Places, tree: Links) -> bytes:
    return lines(records[: at.five]) + lines(records[at.five : at.five + 1])[:90]


@_line_break("one")
def _line_damaged(records: list[Record], at: Places, tree: Links) -> bytes:
    return lines(records[: at.one]) + lines(records[at.one : at.one + 1])[:70] + b"\n" + lines(records[at.one + 1 :])


@_line_break()
def _lines_glued(records: list[Record], at: Places, tree: Links) -> bytes:
    return lines(records[: at.five])[:-1] + lines(records[at.five :])


@_line_break()
def _nul_line(records: list[Record], at: Places, tree: Links) -> bytes:
    return lines(records[: at.once]) + b"\0" * 40 + b"\n" + lines(records[at.once :])


@_line_break()
def _blank_lines_and_windows_ends(records: list[Record], at: Places, tree: Links) -> bytes:
    return lines(records).replace(b"\n", b"\r\n").replace(b"\r\n", b"\r\n\r\n", 3)


@_line_break()
def _no_line_feed_at_the_end(records: list[Record], at: Places, tree: Links) -> bytes:
    return lines(records)[:-1]


@_line_break()
def _invalid_utf8(records: list[Record], at: Places, tree: Links) -> bytes:
    return lines(records).replace(word("one").encode(), word("one").encode() + b" \xff\xfe.")


@_line_break()
def _lone_surrogate(records: list[Record], at: Places, tree: Links) -> bytes:
    return lines(records).replace(word("one").encode(), word("one").encode() + b" \\ud83d.")


@_line_break()
def _record_that_is_no_object(records: list[Record], at: Places, tree: Links) -> bytes:
    return lines(records[: at.once]) + b"null\n" + lines(records[at.once :])
