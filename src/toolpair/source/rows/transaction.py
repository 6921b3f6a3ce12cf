"""Changes of rows, carried out in one transaction that is compared with what was expected before it is committed."""

from __future__ import annotations

import contextlib
import os
import sqlite3
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager
from typing import Final

from toolpair.source.addresses import OPENING
from toolpair.source.errors import Refused, SaveFailed
from toolpair.source.rows.changes import RowChange
from toolpair.source.rows.layout import Stored, columns_of, insert, mark, quoted, text
from toolpair.source.rows.reading import COPIED, QUERY_FAILS, connected, is_damage, state_of, why_not
from toolpair.source.saving.checks import changed
from toolpair.source.saving.holders import Holder, has, holders
from toolpair.source.saving.streaming import Step

WAITS: Final = 2.0
"""Seconds to wait for a lock."""


def refuse_held(path: str, shown: str, stop: str | None = None) -> None:
    """Refuse while another process has the database open: agents keep the history in memory. Raises Refused.

    `stop` is the command that may end it.
    """
    found = _holders(path)
    if found:
        advice = f"run `{stop}`, or close it, first" if stop is not None else "close it first"
        raise Refused(f"{shown} is open in {', '.join(map(str, found))}; {advice}, or save a copy.", "held")


def _holders(path: str) -> list[Holder]:
    files = set()
    for ending in ("", "-wal", "-shm", "-journal"):
        with contextlib.suppress(OSError):
            found = os.stat(path + ending)
            files.add((found.st_dev, found.st_ino))
    return holders(lambda pid: has(pid, files))


class Transaction:
    """A transaction during which nobody else can write."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self.connection = connection
        self.committed = False
        self.is_expected: Callable[[sqlite3.Connection], bool] = lambda connection: False
        """Whether a database holds what the transaction makes of it."""


@contextmanager
def writing(path: str, shown: str, step: Step, loose: int = 0) -> Iterator[Transaction]:
    """A transaction, committed at the end; any exception before that rolls it back. `loose`: how many rows may refer to
    one that is not there, besides those that do.

    Raises Refused, and SaveFailed with the state that the database is in.
    """
    has_log = os.path.exists(path + "-wal")
    transaction: Transaction | None = None
    OPENING.acquire()
    try:
        step("connect")
        with ExitStack() as opened:
            if has_log:
                # Whoever closes a database last removes its log, unless it may not write.
                last = opened.enter_context(closing(connected(path, "mode=ro", WAITS)))
                last.execute("SELECT count(*) FROM sqlite_master").fetchone()
            connection = opened.enter_context(closing(connected(path, "mode=rw", WAITS)))
            transaction = Transaction(connection)
            connection.execute(f"PRAGMA foreign_keys={'OFF' if loose else 'ON'}")
            if has_log:
                connection.execute("PRAGMA wal_autocheckpoint=0")
            step("begin")
            connection.execute("BEGIN IMMEDIATE")
            try:
                _refuse_other_encoding(connection, shown)
                is_small = state_of(path).size <= COPIED
                broken = broken_links(connection) + loose if is_small else 0
                yield transaction
                step("check")
                if is_small:
                    _refuse_unsound(connection, broken, shown)
                step("commit")
                _commit(transaction)
            finally:
                if connection.in_transaction:
                    with contextlib.suppress(sqlite3.Error):
                        connection.execute("ROLLBACK")
            step("after")
            if not has_log:
                with contextlib.suppress(sqlite3.Error):
                    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    except QUERY_FAILS as error:
        if transaction is not None and not transaction.committed:
            transaction.committed = _is_there(path, transaction)
        raise _sentence(error, shown, _is_done(transaction)) from error
    except OSError as error:
        state = _state(_is_done(transaction))
        raise SaveFailed(f"Saving {shown} failed ({error.strerror or error}); {state}.") from error
    finally:
        OPENING.release()


def _commit(transaction: Transaction) -> None:
    connection = transaction.connection
    try:
        connection.execute("COMMIT")
        transaction.committed = True
    except sqlite3.Error:
        raise
    except BaseException:
        # An interruption may come when it has happened.
        transaction.committed = not connection.in_transaction
        raise


def _is_there(path: str, transaction: Transaction) -> bool:
    """Whether the database holds the changes although committing them failed."""
    try:
        with closing(connected(path, "mode=ro", WAITS)) as connection:
            return transaction.is_expected(connection)
    except QUERY_FAILS:
        return False


def _is_done(transaction: Transaction | None) -> bool:
    return transaction is not None and transaction.committed


def _state(done: bool) -> str:
    return "the changes are in the database" if done else "the database is unchanged"


def _sentence(error: Exception, shown: str, done: bool) -> Refused | SaveFailed:
    said = str(error)
    if not done and ("locked" in said or "busy" in said):
        return Refused(f"{shown} is being written to by another program; close it first, or save a copy.", "held")
    if not done and "readonly" in said:
        return Refused(f"{shown} is read-only; make it writable, or save a copy.", "read-only")
    if not done and "NOT NULL" in said:
        column = said.rpartition(" ")[2]
        sentence = f"a row that a fix writes must have a value in {column}, and toolpair knows none; undo that fix"
        return Refused(f"{shown} cannot be saved: {sentence}.", "form")
    if not done and is_damage(error):
        return SaveFailed(why_not(shown, error))
    return SaveFailed(f"Saving {shown} failed ({said}); {_state(done)}.")


def broken_links(connection: sqlite3.Connection) -> int:
    return len(connection.execute("PRAGMA foreign_key_check").fetchall())


def _refuse_other_encoding(connection: sqlite3.Connection, shown: str) -> None:
    """A text is written as its bytes, which are UTF-8."""
    (encoding,) = connection.execute("PRAGMA encoding").fetchone()
    if text(encoding) != "UTF-8":
        raise Refused(f"{shown} stores texts as {text(encoding)}, which toolpair does not write; save a copy.", "form")


def _refuse_unsound(connection: sqlite3.Connection, broken: int, shown: str) -> None:
    if broken_links(connection) > broken:
        raise Refused(f"{shown} cannot be saved: other rows refer to one that would be removed; save a copy.", "form")
    said = [text(row[0]) for row in connection.execute("PRAGMA integrity_check(1)")]
    if said != ["ok"]:
        raise Refused(f"{shown} is a damaged database ({said[0]}); nothing was written.", "form")


def carry_out(connection: sqlite3.Connection, changes: Sequence[RowChange], shown: str) -> None:
    """Make these changes. Each row must be as it was. Raises Refused."""
    connection.execute("PRAGMA defer_foreign_keys=ON")
    if any(map(_is_out_of_range, changes)):
        said = "a fix needs an id that is larger or smaller than the database can hold; undo that fix"
        raise Refused(f"{shown} cannot be saved: {said}.", "form")
    for change in changes:
        if change.after is None and change.before is not None and len(_found(connection, change, change.before)) != 1:
            raise Refused(changed(shown), "changed")
    # Removals first, so that what they leave free can be used.
    for change in sorted(changes, key=lambda one: (one.after is not None, one.before is None)):
        if change.after is None:
            assert change.before is not None
            where, values = _is(change.before)
            connection.execute(f"DELETE FROM {quoted(change.table)} WHERE {where}", values)
            done = 1  # it was there, or has gone with a row that it named
        elif change.before is None:
            try:
                done = insert(connection, change.table, change.after)
            except sqlite3.IntegrityError as error:
                if "UNIQUE" in str(error):
                    raise Refused(changed(shown), "changed") from None
                raise
        else:
            where, values = _is(change.before)
            sets = ", ".join(f"{quoted(name)} = {mark(value)}" for name, value in change.after.items())
            sql = f"UPDATE {quoted(change.table)} SET {sets} WHERE {where}"
            done = connection.execute(sql, [*change.after.values(), *values]).rowcount
        if done != 1:
            raise Refused(changed(shown), "changed")


def _is_out_of_range(change: RowChange) -> bool:
    """Whether it needs a whole number of more than 64 bits; one that is too small is a fraction in its line."""
    return any(
        not -(2**63) <= value < 2**63 if isinstance(value, int) else abs(value) >= 2**63
        for name, value in (change.after or {}).items()
        if isinstance(value, int) or (isinstance(value, float) and name in change.keys)
    )


def _is(columns: Mapping[str, Stored]) -> tuple[str, list[Stored]]:
    """A condition that holds for rows with these very values."""
    tests = [f"{quoted(name)} IS {mark(value)} COLLATE BINARY" for name, value in columns.items()]
    return " AND ".join(tests), list(columns.values())


def _found(
    connection: sqlite3.Connection, change: RowChange, columns: Mapping[str, Stored], names: Sequence[str] = ()
) -> list[tuple[Stored, ...]]:
    """The rows of a change's table with these very values, as far as these columns of them."""
    where, values = _is(columns)
    sql = f"SELECT {', '.join(map(quoted, names)) or '1'} FROM {quoted(change.table)} WHERE {where}"
    return connection.execute(sql, values).fetchall()


def is_made(connection: sqlite3.Connection, change: RowChange) -> bool:
    """Whether the row is as it is after the change."""
    gone = change.after is None
    # What has gone may be there again in another place.
    columns = change.before if gone else change.after
    assert columns is not None
    return bool(_found(connection, change, columns)) is not gone


def whole(connection: sqlite3.Connection, change: RowChange) -> RowChange:
    """A removal with all columns of the row, so that it can be put back."""
    if change.after is not None or change.before is None:
        return change
    names = list(dict.fromkeys((*change.before, *columns_of(connection, change.table))))
    found = _found(connection, change, change.before, names)
    before = dict(zip(names, found[0], strict=True)) if found else change.before
    return RowChange(change.table, change.keys, before, None)
