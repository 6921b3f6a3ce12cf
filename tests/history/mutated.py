"""One record of a file, changed in its bytes in a way that a quick reading may overlook."""

from __future__ import annotations

import json
import random
import re

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
