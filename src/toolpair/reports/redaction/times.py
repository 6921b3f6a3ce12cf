"""Times, all moved by the same amount: their order and the gaps between them stay."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from hashlib import blake2b
from typing import Final

TIME: Final = (
    r"(?:19|20)(?<![0-9]..)[0-9]{2}-[01][0-9]-[0-3][0-9]"
    r"(?:[Tt ][0-2][0-9]:[0-5][0-9](?::[0-5][0-9](?:[.,][0-9]{1,9})?)?(?:[Zz]|[+-][0-9]{2}:?[0-9]{2}(?![0-9]))?)?"
    r"(?![0-9])"
)
"""A date, or a date with a time, as ISO 8601 writes them; first what it may begin with, so that it is found fast."""
_PARTS: Final = re.compile(
    r"(\d{4})-(\d\d)-(\d\d)(?:([Tt ])(\d\d):(\d\d)(?::(\d\d)(?:([.,])(\d{1,9}))?)?(?:([Zz])|([+-])(\d\d)(:?)(\d\d))?)?"
)
_EPOCH: Final = {10: 1, 13: 1_000, 16: 1_000_000, 19: 1_000_000_000}
"""By the number of digits: how many units a second has."""
_FROM, _TO = 1_000_000_000, 4_000_000_000
_LEAST, _MOST = 200 * 86_400_000, 900 * 86_400_000
"""How far times are moved back, in milliseconds."""


class Times:
    """One shift for a session."""

    def __init__(self, key: bytes) -> None:
        drawn = int.from_bytes(blake2b(b"times", key=key, digest_size=8).digest(), "big")
        self.milliseconds: Final = _LEAST + drawn % (_MOST - _LEAST)

    def moved(self, written: str) -> str | None:
        """A time that matches TIME, moved, in as many characters; None if there is no such day."""
        match = _PARTS.fullmatch(written)
        if match is None:
            return None
        year, month, day, between, hour, minute, second, point, fraction, _, sign, off_h, colon, off_m = match.groups()
        try:
            at = datetime(
                int(year), int(month), int(day), int(hour or 0), int(minute or 0), int(second or 0), tzinfo=UTC
            )
            offset = timedelta(hours=int(off_h or 0), minutes=int(off_m or 0))
            parts = int((fraction or "").ljust(9, "0")[:9])
            nanoseconds = parts - self.milliseconds % 1000 * 1_000_000
            at -= timedelta(seconds=self.milliseconds // 1000) + (-offset if sign == "-" else offset)
            if nanoseconds < 0:
                at, nanoseconds = at - timedelta(seconds=1), nanoseconds + 1_000_000_000
        except (ValueError, OverflowError):
            return None
        text = f"{at:%Y-%m-%d}"
        if between:
            text += f"{between}{at:%H:%M}"
        if second:
            text += f":{at:%S}"
        if fraction:
            text += f"{point}{nanoseconds:09}"[: 1 + len(fraction)]
        if match[10]:
            text += match[10]
        if sign:
            text += f"+00{colon}00"  # an offset says where somebody lives
        return text.rjust(len(written), "0")

    def moved_number(self, digits: str) -> str | None:
        """Seconds, milliseconds, microseconds or nanoseconds since 1970, moved; None for any other number."""
        units = _EPOCH.get(len(digits))
        if units is None or not _FROM * units <= int(digits) < _TO * units:
            return None
        moved = int(digits) - self.milliseconds * units // 1000
        return str(moved) if len(str(moved)) == len(digits) else None
