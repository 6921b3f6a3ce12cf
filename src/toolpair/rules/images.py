"""Rules about images and documents: larger than the provider takes, or too many; and how they are taken out.

What is taken out stays beside the file, and a note says in its place what was there.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from msgspec.structs import replace

from toolpair.dialects.media import (
    SURE_BASE64,
    SURE_PIXELS,
    Media,
    as_filed,
    described,
    media_parts,
    part_at,
    text_instead,
    with_parts,
)
from toolpair.dialects.shrinking import can_shrink
from toolpair.rules.context import Context, tool_of
from toolpair.rules.problem import KEPT_ASIDE, Cause, Fix
from toolpair.rules.where import NamedPlace, Where
from toolpair.transcript.counting import plural
from toolpair.transcript.edits import Edit, KeepAside, ShrinkImages
from toolpair.transcript.model import Block, Message

_LARGE: Final = "content.image_too_large"
_MANY: Final = "content.too_many_images"
OF_ALL_IMAGES: Final = frozenset({_LARGE, _MANY})
"""Rules about images that are read, of which those that are not may be the cause, too."""
_KINDS: Final = ("media", "result", "text", "other")
"""The kinds of blocks that are or hold media."""


def check(context: Context) -> None:
    limits = context.profile.images
    if limits is None or not context.judges(_LARGE):
        return
    for number, message in enumerate(context.messages):
        for position, block in enumerate(message.blocks):
            large = [part for part in _parts_of(block) if limits.passed_by(described(part))]
            if large:
                _too_large(context, number, position, message, large)


def named_large(context: Context, place: NamedPlace) -> None:
    """An image that an API refused for its size, or because it cannot read or take it."""
    if place.message is None:
        _any_of_them(context, place)
        return
    message = context.messages[place.message]
    for block in place.blocks(message):
        parts = _parts_of(block)
        if place.part is not None:
            parts = [part for part in parts if part is part_at(block, place.part)]
        if place.measured:
            parts = [part for part in parts if not _is_small(context, part)]
        if parts:
            _too_large(context, place.message, message.blocks.index(block), message, parts, named=True)


def named_many(context: Context, place: NamedPlace) -> None:
    """A request that an API refused for the number of its images."""
    found = list(_all_media(context.messages))
    one = place.measured and place.message is not None  # one image is too large, not their number
    if len(found) < 2 or one or (place.measured and all(_is_small(context, part) for _, _, part in found)):
        return
    limits = context.profile.images
    keep = limits.many if limits is not None else _KEPT
    number, block, _ = found[0]
    message = context.messages[number]
    fixes = [_removal(found, "remove-all-images", "remove all images")]
    if len(found) > keep:
        fixes.insert(0, _removal(found[:-keep], "remove-older-images", f"remove all images but the last {keep}"))
    context.add(
        _MANY,
        f"There are {plural(len(found), 'image or document', 'images and documents')} in this conversation.",
        Where(at=(number, message.blocks.index(block)), others=(block,), about=message, record=block.record),
        severity="error",
        cause=Cause("many_images", "each screenshot and each page that was read stays in the conversation"),
        fixes=(replace(fixes[0], recommended=True), *fixes[1:]),
    )


_KEPT: Final = 20
"""How many images stay where nothing is known of the provider's limit: all take so many."""


def _any_of_them(context: Context, place: NamedPlace) -> None:
    """An image that an API refused without saying which one: all are offered, none is recommended."""
    found = [one for one in _all_media(context.messages) if not (place.measured and _is_small(context, one[2]))]
    if not found:
        return
    number, block, _ = found[0]
    message = context.messages[number]
    parts = [part for _, _, part in found]
    which = " that may be too large" if place.measured else ""
    context.add(
        _LARGE,
        f"There {'is' if len(parts) == 1 else 'are'} {_counted(parts, 'one')} in this conversation{which}.",
        Where(at=(number, message.blocks.index(block)), others=(block,), about=message, record=block.record),
        severity="error",
        cause=Cause("image_too_large", "a tool or a person put it in as it was"),
        fixes=(_removal(found, "remove-all-images" if len(parts) > 1 else "remove-image", _title(parts)),),
        no_fix="Removing what the model then no longer sees is for you to decide.",
    )


def _parts_of(block: Block) -> list[dict[str, object]]:
    return media_parts(block) if block.kind in _KINDS else []


def _all_media(messages: Sequence[Message]) -> Iterator[tuple[int, Block, dict[str, object]]]:
    for number, message in enumerate(messages):
        for block in message.blocks:
            yield from ((number, block, part) for part in _parts_of(block))


def _too_large(
    context: Context,
    number: int,
    position: int,
    message: Message,
    parts: Sequence[dict[str, object]],
    *,
    named: bool = False,
) -> None:
    block, media, limits = message.blocks[position], described(parts[0]), context.profile.images
    passed = limits.passed_by(media) if limits is not None and context.judges(_LARGE) else None
    what = (
        f"{passed.what} {context.profile.title} {passed.takes}"
        if passed is not None
        else "is not one that the API takes"
    )
    fixes = [_removal([(number, block, part) for part in parts], "remove-image", _title(parts))]
    # Where no limit of the provider's is known, one that certainly is small enough says nothing of a larger one.
    large = [part for part in parts if described(part).pixels and not (limits is None and _is_small(context, part))]
    if named and large and (passed is not None or limits is None) and _can_shrink(large):
        fixes.insert(0, _smaller(context, block, large))
    pair = context.pairing.pair_of(block)
    where = f"the result of {tool_of(pair.call if pair else None)}" if block.kind == "result" else "this message"
    context.add(
        _LARGE,
        f"The {media.kind} in {where} {what}.",
        Where(
            at=(number, position),
            pairs=(pair,),
            result=block if block.kind == "result" else None,
            others=(block,),
            about=message,
            record=block.record,
        ),
        severity="error" if named or passed is None else passed.severity,
        cause=Cause("image_too_large", "a tool or a person put it in as it was"),
        fixes=(replace(fixes[0], recommended=True), *fixes[1:]) if named else fixes,
        no_fix="Removing it is for you to decide: the model no longer sees it.",
    )


def _can_shrink(parts: Sequence[dict[str, object]]) -> bool:
    return all(can_shrink(described(part).data) for part in parts)


def _smaller(context: Context, block: Block, parts: Sequence[dict[str, object]]) -> Fix:
    pixels, length = _sure_size(context)
    one = len(parts) == 1
    return Fix(
        "shrink-image",
        f"make the {'image' if one else 'images'} smaller: up to {pixels:,} pixels wide and high",
        (ShrinkImages(block, tuple(parts), pixels, length), *(KeepAside(block, as_filed(part)) for part in parts)),
        loses=f"detail of the {'image' if one else 'images'}{KEPT_ASIDE}",
    )


def _sure_size(context: Context) -> tuple[int, int]:
    """Pixels wide or high, and characters in Base64, that the provider takes whatever else a request holds."""
    limits = context.profile.images
    if limits is None:
        return SURE_PIXELS, SURE_BASE64
    return min(limits.many_pixels, SURE_PIXELS), limits.base64


def _is_small(context: Context, part: dict[str, object]) -> bool:
    """Whether it is an image that is certainly not too large."""
    media, (most, length) = described(part), _sure_size(context)
    return media.pixels is not None and max(media.pixels) <= most and len(media.data) <= length


def _title(parts: Sequence[dict[str, object]]) -> str:
    kinds = {described(part).kind for part in parts}
    kind = kinds.pop() if len(kinds) == 1 else "file"
    return f"remove the {kind if len(parts) == 1 else kind + 's'} and keep the text"


def _removal(found: Sequence[tuple[int, Block, dict[str, object]]], id_: str, title: str) -> Fix:
    parts = [part for _, _, part in found]
    edits: list[Edit] = []
    for block in {id(block): block for _, block, _ in found}.values():
        edits += taken_out(block, [part for _, of, part in found if of is block])
    return Fix(id_, title, tuple(edits), loses=f"{_counted(parts, 'the')}{KEPT_ASIDE}")


def _counted(parts: Sequence[dict[str, object]], one: str) -> str:
    counts = [(kind, sum(described(part).kind == kind for part in parts)) for kind in ("image", "audio", "document")]
    return " and ".join(f"{one} {kind}" if count == 1 else f"{count:,} {kind}s" for kind, count in counts if count)


def taken_out(block: Block, parts: Iterable[dict[str, object]]) -> Iterator[Edit]:
    """The edits that put a note in the place of these media of a block, and keep them beside the file."""
    notes = {id(part): text_instead(block, note_on(described(part))) for part in parts}
    yield with_parts(block, lambda part: notes.get(id(part)))
    yield from (KeepAside(block, as_filed(part)) for part in media_parts(block) if id(part) in notes)


def note_on(media: Media) -> str:
    """What stands in the place of media that were taken out."""
    return f"[{media.kind} removed by toolpair: {_size_of(media)}]"


def _size_of(media: Media) -> str:
    pixels = media.pixels if media.kind == "image" else None
    size = f"{media.size:,} bytes" if media.data else media.address
    wide = f"{pixels[0]:,} x {pixels[1]:,} pixels" if pixels else ""
    type_ = "" if media.type.endswith("/") else media.type  # a library may say no more than that it is an image
    return ", ".join(filter(None, (type_, wide, size))) or "of unknown size"
