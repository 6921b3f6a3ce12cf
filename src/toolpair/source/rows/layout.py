"""What has to be known of an agent's database: its tables, its sessions, and which rows make one."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from msgspec import Struct

if TYPE_CHECKING:
    from sqlite3 import Connection


class Text(bytes):
    """A value of SQLite's type TEXT, as the bytes it is stored in; other bytes are a BLOB."""


class MarkedText(Text):
    """A text after a byte order mark that whoever reads it leaves out."""


FACTS: Final = "facts"
"""The key of a line that `Row.facts` are under, besides that of the row."""
Stored = Text | bytes | int | float | None
"""A value as the database stores it."""
_MEASURED: Final = 8 << 20
"""In a database of up to this many bytes, texts are measured."""


class Part(Struct, frozen=True):
    """A table of which at most one row belongs to a record, and is shown in it, where its columns have the prefix."""

    table: str
    prefix: str
    row: Mapping[str, str]
    """Column -> the column of the record's own table that has the same value; together they name the row."""
    mark: str
    """A column that is never null: in a record without such a row it is."""
    moves: bool = False
    """Such rows may exchange what is unique of them: one that changes is removed and added."""


class Table(Struct, frozen=True):
    """A table whose rows are records."""

    name: str
    record: str = ""
    """What a record of it is called, where the table's name is up to the program."""
    key: str = "id"
    """The column that names a row."""
    within: tuple[str, ...] = ()
    """Columns within whose values the key names only one."""
    json: tuple[str, ...] = ()
    """The columns that hold JSON text; the last one is the message, and ends the line."""
    hidden: frozenset[str] = frozenset()
    """Columns that are never read."""
    whole: bool = False
    """A text that is not JSON, where JSON should be, is in the line as a string, so that its other columns can be
    read and the row be repaired where it is."""
    has_rowid: bool = False
    """What its rows are ordered by includes SQLite's own number, which is then read and put back as a column is."""
    sizes: Mapping[str, str] = {}
    """Column that is not shown -> the one whose bytes it counts."""
    parts: tuple[Part, ...] = ()

    @property
    def keys(self) -> tuple[str, ...]:
        return (*self.within, self.key)

    @property
    def called(self) -> str:
        """The key of its records."""
        return self.record or self.name


class Row(Struct, frozen=True):
    """One row: the values of its columns, in the table's order. `facts` are what a format has to know besides.

    `stored` are columns that depend on the message: as they are in the database, where the row shows them otherwise or
    not at all. Once the message changes, they are what the row shows, a size, or null.
    """

    table: Table
    columns: Mapping[str, Stored]
    facts: Mapping[str, Any] | None = None
    stored: Mapping[str, Stored] = {}


class StoredSession(Struct, frozen=True):
    """A session of a database. Its texts are untrusted."""

    id: str
    title: str | None
    folder: str | None
    modified: float
    """Seconds since the epoch."""
    parent: str | None = None
    """The session that started it, if it is a sub-agent's."""
    size: int = 0
    """Bytes of its messages, about."""
    nameless: bool = False
    """Its id is no text: nobody can ask for it."""


ANY_NUMBER: Final = -1
"""The limit of a query that has none."""
ALL: Final = "TRUE"
"""A condition that every row meets."""


class Layout(ABC):
    """How one agent keeps sessions in a database. Queries may raise sqlite3.Error."""

    agent: str | None = None
    """The id of the agent whose database it is; None where any program may keep such a one."""
    writer: str = ""
    """The library that writes it, where that is no agent."""
    title: str
    """What such a database is, in a sentence: "goose's database of sessions"."""
    tables: Sequence[Table]
    """The tables of its records."""
    needs: Mapping[str, Collection[str]] = {}
    """The tables, each with columns of it, by which such a database is known."""
    only_read: str = ""
    """Why no session is saved there, a phrase: then one is read as the list of its `elements`."""
    stop: str | None = None
    """The command that ends what usually has the database open; None where each process is to be closed."""
    column: str = ""
    """A column that shows it where its tables have names of their own."""
    besides: Mapping[str, str] = {}
    """Other tables of which a copy of one session needs rows, such as those by which the agent knows the database's
    version: `ALL`, or those that meet a condition, in which `?` is the session; where not all of a row may be handed
    on, the query that makes it, which may name columns that not every version has.
    """

    def claims(self, tables: Mapping[str, frozenset[str]], connection: Connection) -> bool:
        """Whether a database with these tables, each with its columns, is this agent's. Little else of it is read."""
        return all(name in tables and tables[name].issuperset(columns) for name, columns in self.needs.items())

    def of(self, tables: Mapping[str, frozenset[str]], connection: Connection) -> Layout:
        """The same for a database that it claims, where its tables have names of their own."""
        return self

    def refusal(self, connection: Connection) -> str | None:
        """Why a database of this agent cannot be read, and what to do, as the rest of a sentence; None if it can."""
        return None

    @abstractmethod
    def sessions(self, connection: Connection, most: int = ANY_NUMBER) -> Iterator[StoredSession]:
        """The sessions, the one used last first; at most so many, which are then found without a look at the others'
        messages, if the database can say which they are.
        """

    @abstractmethod
    def words(self, connection: Connection, session: str) -> str | None:
        """The user's last text in a session."""

    @abstractmethod
    def rows(self, connection: Connection, session: str) -> Iterator[Row]:
        """The rows that make a session: its own row, then the others in the order in which the agent reads them.

        Nothing if there is no such session.
        """

    def elements(self, connection: Connection, session: str) -> Iterator[bytes]:
        """The messages of a session that is only read, as JSON. Raises Unreadable."""
        raise NotImplementedError


def rows_of(connection: Connection, table: Table, rest: str, *values: Any) -> Iterator[Row]:
    """The rows of a table, with all columns that may be read. `rest` follows `FROM table` in the query."""
    columns = [name for name in columns_of(connection, table.name) if name not in table.hidden]
    columns[:0] = ["rowid"] if table.has_rowid else []
    names = ", ".join(map(quoted, columns))
    for found in connection.execute(f"SELECT {names} FROM {quoted(table.name)} {rest}", values):
        yield Row(table, dict(zip(columns, found, strict=True)))


def parts_of(connection: Connection, part: Part, rest: str, *values: Any) -> dict[Stored, dict[str, Stored]]:
    """The rows of a record's part, as the record shows them, by what the last of its `row` says."""
    names = columns_of(connection, part.table)
    if not names:
        return {}
    own = [name for name in names if name not in part.row]
    listed = ", ".join(map(quoted, [list(part.row)[-1], *own]))
    shown = [part.prefix + name for name in own]
    found = connection.execute(f"SELECT {listed} FROM {quoted(part.table)} {rest}", values)
    return {row[0]: dict(zip(shown, row[1:], strict=True)) for row in found}


def columns_of(connection: Connection, table: str) -> list[str]:
    """The names of a table's columns, in order."""
    return [text(row[1]) for row in connection.execute(f"PRAGMA table_info({quoted(table)})")]


def tables_of(connection: Connection) -> dict[str, frozenset[str]]:
    """The tables of a database, each with its columns, but those that only their module can read."""
    query = "SELECT name FROM sqlite_master WHERE type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL%'"
    names = [text(row[0]) for row in connection.execute(query)]
    return {name: frozenset(columns_of(connection, name)) for name in names}


def holds_rows(connection: Connection, besides: Collection[str]) -> bool:
    """Whether any other table than these has a row. What SQLite and its modules keep for themselves does not count."""
    modules = connection.execute("SELECT name FROM sqlite_master WHERE sql LIKE 'CREATE VIRTUAL%'").fetchall()
    own = ("sqlite_", *(f"{text(name)}_" for (name,) in modules))
    others = (name for name in tables_of(connection) if name not in besides and not name.startswith(own))
    return any(connection.execute(f"SELECT 1 FROM {quoted(name)} LIMIT 1").fetchone() for name in others)


def sizes_of(
    connection: Connection, table: str, session: str, column: str, only: Sequence[Stored] | None = None
) -> dict[Stored, int]:
    """The bytes of a column in the rows of each session, about, or of `only` these. `session` is the column that names
    it.

    One pass, with or without an index. To measure a text SQLite reads all of it, so in a large database each row counts
    as much as the others.
    """
    (whole,) = connection.execute("SELECT page_count * page_size FROM pragma_page_count, pragma_page_size").fetchone()
    size = f"sum(length({quoted(column)}))"
    if whole > _MEASURED:
        (rows,) = connection.execute(f"SELECT count(*) FROM {quoted(table)}").fetchone()
        size = f"count(*) * {whole // max(rows, 1)}"
    which, values = ("", ()) if only is None else (f"WHERE {quoted(session)} IN ({', '.join(map(mark, only))})", only)
    sql = f"SELECT {quoted(session)}, coalesce({size}, 0) FROM {quoted(table)} {which} GROUP BY {quoted(session)}"
    return dict(connection.execute(sql, values))


def listed(
    connection: Connection, query: str, most: int, table: str, session: str, column: str
) -> Iterator[tuple[tuple[Any, ...], int]]:
    """What a query says of at most so many sessions, whose ids are its first column, each with its `sizes_of`."""
    found = connection.execute(f"{query} LIMIT {most}")
    if most == ANY_NUMBER:
        sizes = sizes_of(connection, table, session, column)
        return ((row, sizes.get(row[0], 0)) for row in found)
    rows = found.fetchall()
    sizes = sizes_of(connection, table, session, column, [row[0] for row in rows])
    return ((row, sizes.get(row[0], 0)) for row in rows)


def ids_given(connection: Connection, table: str) -> dict[str, int]:
    """The first id of a table that counts them, and the last one that any row has, or had before it was removed."""
    first, last = connection.execute(f"SELECT min(id), max(id) FROM {quoted(table)}").fetchone()
    (given,) = connection.execute("SELECT max(seq) FROM sqlite_sequence WHERE name = ?", (table,)).fetchone()
    return {"first_id": first or 0, "last_id": max(last or 0, given or 0)}


def those_there(connection: Connection, table: Table, keys: Collection[str]) -> set[str]:
    """Those of the keys that rows of the table have."""
    marks = ", ".join("?" * len(keys))
    query = f"SELECT {quoted(table.key)} FROM {quoted(table.name)} WHERE {quoted(table.key)} IN ({marks})"
    return {text(row[0]) for row in connection.execute(query, list(keys))} if keys else set()


def is_text(value: Stored) -> bool:
    """Whether it is a text of whole characters."""
    return isinstance(value, Text) and text(value).encode() == value


def quoted(name: str) -> str:
    """A name as SQL."""
    return '"' + name.replace('"', '""') + '"'


def mark(value: Stored) -> str:
    """The mark for a value in SQL. A text is bound as its bytes, which may be anything."""
    return "CAST(? AS TEXT)" if isinstance(value, Text) else "?"


def insert(connection: Connection, table: str, columns: Mapping[str, Stored]) -> int:
    """Add a row; 0 if a trigger kept it out, else 1. Raises sqlite3.Error."""
    names = ", ".join(map(quoted, columns))
    marks = ", ".join(map(mark, columns.values()))
    sql = f"INSERT INTO {quoted(table)} ({names}) VALUES ({marks})"
    return connection.execute(sql, list(columns.values())).rowcount


def text(value: Any) -> str:
    """A stored text as a string; "" for anything else."""
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else value if isinstance(value, str) else ""
