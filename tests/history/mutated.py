"""Files and records changed at random: in their bytes, in a way that a quick reading may overlook, or in their values."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Iterator, Sequence
from typing import Any

_KEYS = re.compile(rb'"([A-Za-z_]+)":')
_VALUES = (b"7", b'"x"', b"null", b"[]", b"{}", b"true", b"1e999", b"123456789012345678901234567890", b'"\xff"')
_MORE = (*_VALUES, b'"\\ud800"', b'{"a":1,"a":2}', b"[" * 200 + b"]" * 200, b"1e5")


def mutated(data: bytes, rng: random.Random) -> bytes:
    """The lines with one or two of them changed: a key more or twice, a value of another type, bad bytes, odd numbers,
    another spelling, two records in one line, one in two lines.
    """
    lines = data.split(b"\n")
    for _ in range(rng.choice([1, 1, 2])):
        at = rng.randrange(len(lines))
        lines[at] = rng.choice([_more, _more, _twice, _other, _spelt, _damaged])(lines[at], rng)
    return b"\n".join(lines)


def _more(line: bytes, rng: random.Random) -> bytes:
    """A key that nobody writes, in one of its objects."""
    places = [match.start() for match in _KEYS.finditer(line)]
    if not places:
        return line
    place = rng.choice(places)
    return line[:place] + b'"zz":' + rng.choice(_MORE) + b"," + line[place:]


def _twice(line: bytes, rng: random.Random) -> bytes:
    """A key that stands in front of itself once more."""
    found = list(_KEYS.finditer(line))
    if not found:
        return line
    key = rng.choice(found)
    return line[: key.start()] + key[0] + rng.choice(_VALUES) + b"," + line[key.start() :]


def _other(line: bytes, rng: random.Random) -> bytes:
    """A string or a number is something else."""
    found = list(re.finditer(rb'(?<=":)(?:"[^"\\]*"|[0-9]+|true|false|null)(?=[,}])', line))
    if not found:
        return line
    value = rng.choice(found)
    return line[: value.start()] + rng.choice(_MORE) + line[value.end() :]


def _spelt(line: bytes, rng: random.Random) -> bytes:
    try:
        return json.dumps(json.loads(line), separators=rng.choice([(", ", ": "), (",", ": ")])).encode()
    except ValueError:
        return line


def _damaged(line: bytes, rng: random.Random) -> bytes:
    return rng.choice([line + line, line + b"{}", line[:-1], line.replace(b":{", b":\n{", 1), line + b"\n", b""])


def places(value: Any) -> Iterator[tuple[Any, Any]]:
    """Each member of a value and of all in it: what holds it, and its key or number."""
    for key, member in list(value.items() if isinstance(value, dict) else enumerate(value)):
        yield value, key
        if isinstance(member, (dict, list)):
            yield from places(member)


def mutated_values(
    values: list[Any], chance: random.Random, *, odd: Sequence[Any], keys: Sequence[str], parts: Sequence[Any] = ()
) -> list[Any]:
    """Some records changed at random: a value, a key, the order, one that is lost or there twice, another's value.

    `odd` are values that may stand anywhere, `keys` what is set besides, `parts` what is put into lists.
    """
    for _ in range(chance.randrange(1, 4)):
        at = chance.randrange(len(values) - 1)
        holder, key = chance.choice([*places(values[at]), (values[at], "more")])
        match chance.randrange(9):
            case 0:
                del values[at]
            case 1:
                values.insert(chance.randrange(len(values)), json.loads(json.dumps(values[at])))
            case 2:
                values[at], values[at + 1] = values[at + 1], values[at]
            case 3:
                holder[key] = chance.choice(odd)
            case 4 if isinstance(holder, dict):
                holder.pop(key, None)
            case 5 if isinstance(holder, dict):
                holder[chance.choice(keys)] = chance.choice(odd)
            case 6:
                ids = [(one, name) for one, name in places(values[at]) if "id" in str(name).lower()]
                for one, name in ids[-1:]:
                    one[name] = str(one[name]) + chance.choice(["x", "|fc_1", " ", "é"])
            case 7:
                lists = [inner[name] for inner, name in places(values[at]) if isinstance(inner[name], list)]
                if lists and parts:
                    found = chance.choice(lists)
                    found.insert(chance.randrange(len(found) + 1), json.loads(json.dumps(chance.choice(parts))))
            case _:
                other = values[chance.randrange(len(values))]
                holder[key] = json.loads(json.dumps(chance.choice([inner[name] for inner, name in places(other)])))
    return values
