"""Finding known errors in a pasted text: n-grams of the wordings are looked up, and each hit is extended both ways."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from msgspec import Struct, field

from toolpair.rules.errors.pasted import BLANK, QUOTE, SOFT, PastedText
from toolpair.rules.errors.wordings import GRAM, LISTS, NAMES, NUMBERS, Point, Wording, grams, locates, wordings

_SMALL: Final = 100_000
_STRIDE: Final = 8
"""In a long text every eighth position is looked up, which finds any unbroken match of 17 characters."""
_ENOUGH: Final = GRAM + _STRIDE - 1
"""Minimum fixed characters that must match."""
_TRIED: Final = 1_500
"""Maximum hits looked at: of an error that occurs more often, the last ones are still found."""
_NO_BEGINNING: Final = 4
_SHORT: Final = 30
"""Fixed characters: fewer may be part of any sentence, and must begin one."""
_NUMBER: Final = re.compile(r"\d{1,9}|[nmxi](?![a-z])")
"""An index, or the letter that stands for it where somebody tells of an error."""
_NUMBER_BEFORE: Final = re.compile(r"(?:\d{1,9}|(?<![a-z])[nmxi])\Z")
_TOKEN: Final = re.compile(r"[^\s,;(){}\[\]<>]*")
_LIST: Final = re.compile(r"[^\s;()\[\]<>]*")
_TOKEN_SIZE: Final = 300
_LIST_SIZE: Final = 20_000
_LOOKED_FOR: Final = 24
_AFTER_STRING: Final = ",}])"
"""What stands after a string in JSON: it is over, though more text follows."""
_AFTER_CUT: Final = "….}])"
_ELLIPSES: Final = ("…", "...", "[trunc", "(trunc", "<trunc", "[cut", "[+", "…")


class Hit(Struct, eq=False):
    """A wording that was found. Offsets are in `PastedText.bare`, half-open."""

    wording: Wording
    start: int
    end: int
    score: int
    """Matched fixed characters."""
    first: Point
    last: Point
    """What of the wording matched, half-open."""
    wrong: int = 0
    """Fixed characters expected where the text has others."""
    places: dict[str, tuple[int, int]] = field(default_factory=dict)
    open: str | None = None
    """The last named value, when nothing fixed marks its end."""
    shaped: bool = False
    """It was known by what it says, in words of which nobody knows whose they are."""
    begins: bool = True
    """Its beginning matched, apart from parts that only locate."""

    @property
    def rank(self) -> tuple[int, float, bool]:
        """The higher, the more certain the match."""
        sure = self.score - 2 * self.wrong - (0 if self.begins else _NO_BEGINNING)
        return (sure, self.score / self.wording.size, not self.wording.error.legacy)


def hits(pasted: PastedText) -> Iterator[Hit]:
    """The hits, from the end of the text backwards; they may overlap."""
    text = pasted.bare
    tried: set[tuple[int, int, int]] = set()
    for at, found in _seeds(text):
        for number, part, offset in found:
            start = at - offset
            if (number, part, start) in tried:
                continue
            if len(tried) >= _TRIED:
                return
            tried.add((number, part, start))
            hit = _grown(pasted, wordings()[number], part, start, offset)
            if hit is not None:
                yield hit


def _seeds(text: str) -> Iterator[tuple[int, tuple[tuple[int, int, int], ...]]]:
    known = grams()
    last = len(text) - GRAM
    if len(text) > _SMALL:
        for number, wording in enumerate(wordings()):
            core = wording.fixed[wording.core]
            if len(core) < _ENOUGH:
                at = text.rfind(core)
                if at >= 0:
                    yield at, ((number, wording.core, 0),)
    step = 1 if len(text) <= _SMALL else _STRIDE
    for at in range(last, -1, -step):
        found = known.get(text[at : at + GRAM])
        if found is not None:
            yield at, found


def _same_after(text: str, at: int, fixed: str, offset: int) -> int:
    """How many characters of `fixed` from `offset` on match `text` from `at` on."""
    count = min(len(fixed) - offset, len(text) - at)
    if text.startswith(fixed[offset : offset + count], at):
        return count
    return next(n for n in range(count) if text[at + n] != fixed[offset + n])


def _same_before(text: str, at: int, fixed: str, offset: int) -> int:
    """How many characters of `fixed` before `offset` match `text` before `at`."""
    count = 0
    while count < offset and at - count > 0 and text[at - count - 1] == fixed[offset - count - 1]:
        count += 1
    return count


def _grown(pasted: PastedText, wording: Wording, part: int, start: int, offset: int) -> Hit | None:
    """The hit whose fixed part `part` begins at `start`; None when the text does not match."""
    text = pasted.bare
    fixed = wording.fixed[part]
    backward = _same_before(text, start + offset, fixed, offset)
    ahead = _same_after(text, start + offset, fixed, offset)
    same = backward + ahead
    first, last = offset - backward, offset + ahead
    hit = Hit(wording, start + first, start + last, same, (part, first), (part, last))
    missing = offset - backward
    if not missing:
        _grow_left(pasted, hit, part)
    elif locates(fixed[:missing]):
        hit.begins = all(wording.only_locates(n) for n in range(part))
    elif not _cut_before(text, hit.start):
        return None
    else:
        hit.begins = False
    if not hit.begins and not _cut_before(text, hit.start):
        return None
    if offset + ahead == len(fixed):
        _grow_right(text, hit, part)
    else:
        hit.wrong = len(fixed) - offset - ahead
    # The last named value may be the rest of the text, or be followed by other words.
    cut = hit.open is not None or _cut_behind(pasted, hit.end)
    if cut:
        hit.wrong = 0
    if hit.score < min(_ENOUGH, wording.size):
        return None
    return hit if _is_told(hit, cut) and _starts_well(pasted, hit) and _values_fit(pasted, hit) else None


def _is_told(hit: Hit, cut: bool) -> bool:
    """Whether what makes it this error is there, and not only words that it shares with others."""
    tells = hit.wording.tells
    return any(hit.first <= tell.first and (tell.last if cut else tell.sentence) <= hit.last for tell in tells)


def _starts_well(pasted: PastedText, hit: Hit) -> bool:
    """Whether it does not start inside a word or another path, and a short one not inside a sentence."""
    if hit.wording.is_name and pasted.bare[hit.end : hit.end + 1].isalnum() and _goes_on(pasted, hit):
        return False
    if not hit.start or not hit.begins or (hit.first == (0, 0) and hit.wording.only_locates(0)):
        return True
    before = pasted.bare[hit.start - 1]
    lead = pasted.between(hit.start, hit.start + 1)[:1]
    if lead not in (SOFT, BLANK, QUOTE):
        # Only digits before it: the text was cut off inside its index.
        another = (before.isalnum() or before in "_.") and not pasted.bare[: hit.start].isdigit()
        return pasted.bare[hit.start] == ":" or not another
    return lead != BLANK or not before.isalpha() or hit.wording.size >= _SHORT or hit.wording.is_name


def _goes_on(pasted: PastedText, hit: Hit) -> bool:
    """Whether a word goes on behind it."""
    return pasted.between(hit.end, hit.end + 1)[:1] not in (SOFT, BLANK, QUOTE)


def _values_fit(pasted: PastedText, hit: Hit) -> bool:
    """Whether no named value is several words: then another sentence is between the two parts."""
    for name, (start, end) in hit.places.items():
        if name in NUMBERS or name == hit.open:
            continue
        marked = pasted.between(start, end)
        values = marked.split(",") if name in LISTS else [marked]
        if any(BLANK in value.strip(SOFT + BLANK + QUOTE) for value in values):
            return False
    return True


def _cut_before(text: str, at: int) -> bool:
    return at <= 2 or text[:at].endswith(("…", "...")) if at < 8 else text[at - 4 : at].endswith(("…", "..."))


def _cut_behind(pasted: PastedText, at: int) -> bool:
    text = pasted.bare
    if at >= len(text) - 2 or text.startswith(_ELLIPSES, at):
        return True
    mark = pasted.between(at, at + 1)[:1]
    return mark == SOFT or (mark == QUOTE and text[at] in _AFTER_STRING)


def _grow_left(pasted: PastedText, hit: Hit, part: int) -> None:
    text, wording = pasted.bare, hit.wording
    for n in range(part - 1, -1, -1):
        name, fixed = wording.named[n], wording.fixed[n]
        end = hit.start
        if not fixed and name not in NUMBERS:
            # Nothing marks where this value begins, and what it is tells nothing.
            hit.first = (n, 0)
            return
        if name in NUMBERS:
            found = _NUMBER_BEFORE.search(text, max(0, end - 9), end)
            begin = found.start() if found else end
            same = _same_before(text, begin, fixed, len(fixed)) if found else 0
        else:
            size = _LIST_SIZE if name in LISTS else _TOKEN_SIZE
            plain = len(fixed) > 2 or name in NAMES
            at = text.rfind(fixed[-_LOOKED_FOR:], max(0, end - size), end) if plain else -1
            begin = at + len(fixed[-_LOOKED_FOR:])
            shape = _LIST if name in LISTS else _TOKEN
            fits = at >= 0 and shape.fullmatch(text, begin, end)
            same = _same_before(text, begin, fixed, len(fixed)) if fits else 0
            if not same and end <= size:
                begin = same = _rest_of(text, fixed, shape, end)
        if not same and fixed:
            if name not in NUMBERS and end <= _TOKEN_SIZE and _one_token(pasted, end):
                # The text begins inside this named value.
                hit.start = 0
            hit.begins = all(wording.only_locates(before) for before in range(n + 1))
            return
        hit.places[name] = (begin, end)
        hit.start = begin - same
        hit.score += same
        hit.first = (n, len(fixed) - same)
        if same < len(fixed):
            hit.begins = locates(fixed[: len(fixed) - same]) and all(map(wording.only_locates, range(n)))
            return


def _rest_of(text: str, fixed: str, shape: re.Pattern[str], end: int) -> int:
    """How much of the end of a fixed part the text begins with, when nothing precedes the named value."""
    for count in range(min(len(fixed) - 1, end), 1, -1):
        if text.startswith(fixed[-count:]) and shape.fullmatch(text, count, end):
            return count
    return 0


def _one_token(pasted: PastedText, end: int) -> bool:
    """Whether everything before `end` may be the rest of one id."""
    marked = pasted.between(0, end).strip(SOFT + BLANK + QUOTE)
    return BLANK not in marked and QUOTE not in marked and _TOKEN.fullmatch(pasted.bare, 0, end) is not None


def _grow_right(text: str, hit: Hit, part: int) -> None:
    wording = hit.wording
    for n in range(part, len(wording.named)):
        name, fixed = wording.named[n], wording.fixed[n + 1]
        begin = hit.end
        if name in NUMBERS:
            found = _NUMBER.match(text, begin)
            if found is None:
                hit.wrong = len(fixed)
                return
            end = found.end()
        else:
            end = _end_of_token(text, begin, name, fixed)
            if end < 0:
                hit.open = name
                size = _LIST_SIZE if name in LISTS else _TOKEN_SIZE
                hit.places.setdefault(name, (begin, min(len(text), begin + size)))
                return
        hit.places.setdefault(name, (begin, end))
        same = _same_after(text, end, fixed, 0)
        hit.end = end + same
        hit.score += same
        hit.last = (n + 1, same)
        if same < len(fixed):
            hit.wrong = len(fixed) - same
            return


def _end_of_token(text: str, begin: int, name: str, fixed: str) -> int:
    """The end of the value named from `begin` on, where the next fixed part follows; -1 when it does not."""
    if len(fixed) < 3:
        return -1
    size = _LIST_SIZE if name in LISTS else _TOKEN_SIZE
    wanted = fixed[:_LOOKED_FOR]
    at = text.find(wanted, begin, begin + size + len(wanted))
    if at < 0:
        # The text may end inside the next fixed part.
        left = text.rstrip(_AFTER_CUT)
        for count in range(min(len(wanted) - 1, len(left) - begin), 1, -1):
            if left.endswith(wanted[:count]):
                at = len(left) - count
                break
    shape = _LIST if name in LISTS else _TOKEN
    return at if at >= begin and shape.fullmatch(text, begin, at) else -1


def last_of_each_place(found: Iterator[Hit]) -> list[Hit]:
    """The most certain of overlapping hits; from the end of the text backwards."""
    ordered = sorted(found, key=lambda hit: (-hit.end, hit.start))
    chosen: list[Hit] = []
    for hit in ordered:
        if chosen and hit.end > chosen[-1].start:
            if hit.rank > chosen[-1].rank:
                merged_start = min(hit.start, chosen[-1].start)
                chosen[-1] = hit
                chosen[-1].start = merged_start
        else:
            chosen.append(hit)
    return chosen
