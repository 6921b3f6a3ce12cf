"""What differs between two states of a session's rows, as changes of single rows."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Final

from msgspec import Struct

from toolpair.source.document import Document
from toolpair.source.errors import Refused
from toolpair.source.record import Record
from toolpair.source.record_values import parse
from toolpair.source.rows.layout import Part, Row, Stored, Table, columns_of, quoted
from toolpair.source.rows.lines import columns_of_line, line_of, stored, table_of
from toolpair.transcript.model import Damaged

if TYPE_CHECKING:
    from sqlite3 import Connection

_FOLDED: Final = bytes.maketrans(b"\t\r", b"  ")
"""What replaces a line end depends on the whole text."""
_NOT_A_ROW: Final = "a record of it can no longer be written as a row"


class RowChange(Struct, frozen=True):
    """A row before and after: the columns that differ and the key, or all columns of a new or a removed row."""

    table: str
    keys: tuple[str, ...]
    """The columns that name the row."""
    before: Mapping[str, Stored] | None
    after: Mapping[str, Stored] | None

    @property
    def inverse(self) -> RowChange:
        return RowChange(self.table, self.keys, self.after, self.before)


def changes_between(
    base: Document, now: Document, rows: Mapping[int, Row], tables: Sequence[Table], shown: str
) -> list[RowChange]:
    """The changes that make `now` of `base`, whose records are these rows, by uid. Raises Refused."""
    found: list[RowChange] = []
    counted = frozenset(name for row in rows.values() for name in row.table.sizes if name in row.stored)
    kept = {record.uid for record in now.records}
    for record in base.records:
        if record.uid not in kept and (row := rows.get(record.uid)) is not None:
            found += _divided(row.table, {**row.columns, **row.stored}, None)
    for record in now.records:
        row = rows.get(record.uid)
        if row is not None and record.body == base.record(record.uid).body:
            continue
        table = row.table if row is not None else table_of(record.body, tables)
        columns = columns_of_line(record.body, table) if table is not None else None
        if table is None or columns is None or (row is not None and row.columns.keys() - columns.keys()):
            raise Refused(f"{shown} cannot be saved: {_NOT_A_ROW}; undo that fix, or save it under a new name.", "form")
        if row is None:
            found += _divided(table, None, _added(table, columns, counted))
        else:
            found += _changed(row, base.record(record.uid).body, columns)
    return found


def dangling(
    connection: Connection, changes: Sequence[RowChange], tables: Sequence[Table], session: str
) -> Iterator[RowChange]:
    """The removal of what names a row that is gone, as after one was deleted by hand: it is in the way of what is
    written of the others. Nothing where no such rows are written.
    """
    written = {change.table for change in changes}
    for table in tables:
        if not any(part.table in written for part in table.parts):
            continue
        for part in table.parts:
            names = columns_of(connection, part.table)
            same = " AND ".join(
                f"{quoted(table.name)}.{quoted(of)} = p.{quoted(name)}" for name, of in part.row.items()
            )
            there = f"SELECT 1 FROM {quoted(table.name)} WHERE {same}"
            own = f"p.{quoted(next(name for name, of in part.row.items() if of in table.within))} = ?"
            listed = ", ".join(f"p.{quoted(name)}" for name in names)
            sql = f"SELECT {listed} FROM {quoted(part.table)} p WHERE {own} AND NOT EXISTS ({there})"
            for values in connection.execute(sql, (session,)).fetchall():
                yield RowChange(part.table, tuple(part.row), dict(zip(names, values, strict=True)), None)


def in_tables(row: Row) -> Iterator[tuple[str, Mapping[str, Stored]]]:
    """What a record has in each table, as it is stored."""
    for change in _divided(row.table, None, {**row.columns, **row.stored}):
        yield change.table, change.after or {}


def _added(table: Table, columns: Mapping[str, bytes], counted: Collection[str]) -> dict[str, Stored]:
    values = {name: stored(token, name in table.json) for name, token in columns.items()}
    return {**values, **{name: _size(values.get(of)) for name, of in table.sizes.items() if name in counted}}


def _changed(row: Row, line: bytes, columns: Mapping[str, bytes]) -> Iterator[RowChange]:
    table = row.table
    old = columns_of_line(line, table) or _all_but_the_message(row)
    before: dict[str, Stored] = {}
    after: dict[str, Stored] = {}
    for name, token in columns.items():
        if name in row.columns and token != old.get(name):
            is_text = name in table.json and not isinstance(parse(token), Damaged)
            before[name] = row.columns[name]
            after[name] = stored(token, is_text, row.columns[name])
    if not before:
        return
    if row.stored and table.json[-1] in after:
        before |= row.stored
        after = {**dict.fromkeys(row.stored), **after}
        for name, of in table.sizes.items():
            if row.stored.get(name) is not None:
                after[name] = _size(after[of])
    if not table.parts:
        named = {name: row.columns[name] for name in table.keys}
        yield RowChange(table.name, table.keys, {**before, **named}, {**named, **after})
        return
    whole = {**row.columns, **row.stored}
    yield from _divided(table, whole, {**whole, **after}, before.keys())


def _divided(
    table: Table,
    before: Mapping[str, Stored] | None,
    after: Mapping[str, Stored] | None,
    changed: Collection[str] | None = None,
) -> Iterator[RowChange]:
    """The changes of the single rows that a record is made of. `changed`: the columns that are not as they were."""
    ours = {*(before or {}), *(after or {})}
    for part in table.parts:
        theirs = {name for name in ours if name.startswith(part.prefix)}
        ours -= theirs
        old, new = (_of_part(part, columns, theirs) for columns in (before, after))
        if old == new:
            continue
        keys = tuple(part.row)
        if old is not None and new is not None and not part.moves:
            differ = {name for name in new if name in keys or new[name] != old.get(name)}
            yield RowChange(part.table, keys, _only(old, differ), _only(new, differ))
            continue
        if old is not None:
            yield RowChange(part.table, keys, old, None)
        if new is not None:
            yield RowChange(part.table, keys, None, new)
    if before is None or after is None:
        yield RowChange(table.name, table.keys, before and _only(before, ours), after and _only(after, ours))
    elif differ := ours & set(changed or ()):
        differ |= set(table.keys)
        yield RowChange(table.name, table.keys, _only(before, differ), _only(after, differ))


def _of_part(part: Part, columns: Mapping[str, Stored] | None, theirs: Collection[str]) -> dict[str, Stored] | None:
    """A part's row, of the columns of its record."""
    if columns is None or columns.get(part.prefix + part.mark) is None:
        return None
    named = {name: columns[of] for name, of in part.row.items()}
    return named | {name.removeprefix(part.prefix): columns.get(name) for name in theirs}


def _only(columns: Mapping[str, Stored], names: Collection[str]) -> dict[str, Stored]:
    return {name: value for name, value in columns.items() if name in names}


def _size(text: Stored) -> int | None:
    return len(text) if isinstance(text, bytes) else None


def _all_but_the_message(row: Row) -> dict[str, bytes]:
    """The columns of a damaged row, as its line has them: its message, which ends the line, is what is damaged."""
    message = row.table.json[-1]
    found = columns_of_line(line_of(Row(row.table, {**row.columns, message: None})), row.table) or {}
    return {name: token for name, token in found.items() if name != message}


def moved_columns(rows: Sequence[Row], records: Sequence[Record], has_triggers: bool = False) -> frozenset[str] | None:
    """The columns that are not as the records, in order, have them; None if the rows are other rows."""
    if len(rows) != len(records):
        return None
    found: set[str] = set()
    for row, record in zip(rows, records, strict=True):
        moved = _moved_in(row, record, has_triggers)
        if moved is None:
            return None
        found |= moved
    return frozenset(found)


def _moved_in(row: Row, record: Record, has_triggers: bool) -> set[str] | None:
    line, body = line_of(row), record.body
    if line == body:
        return set()
    there, said = columns_of_line(line, row.table), columns_of_line(body, row.table)
    # A new record need not name all columns.
    if (
        there is None
        or said is None
        or not said.keys() <= there.keys()
        or (record.start is not None and said.keys() != there.keys())
    ):
        return None
    moved = {name for name, token in said.items() if not _same(there[name], token)}
    fixed = {*row.table.keys, *row.table.json} if has_triggers else there.keys()
    return None if moved & fixed else {f"{row.table.name}.{name}" for name in moved}


def _same(one: bytes, other: bytes) -> bool:
    if one[:1] not in b"[{":
        return one == other or parse(one) == parse(other)
    return one.translate(_FOLDED) == other.translate(_FOLDED)
