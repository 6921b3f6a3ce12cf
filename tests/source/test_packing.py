"""Compressed session files: what can be read from them, and how they are written back."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest
import zstandard
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.each import each
from tests.patience import PATIENCE
from tests.rounds import ROUNDS, tries
from toolpair.session.session import open_session
from toolpair.source import packing, spooled
from toolpair.source import snapshot as opening
from toolpair.source.errors import TooLarge, UnreadableFile
from toolpair.source.file_bytes import FileBytes
from toolpair.source.limits import Limits
from toolpair.source.packing import pack, unpack
from toolpair.source.snapshot import from_bytes, open_source

LINES = b'{"type":"user","message":{"role":"user","content":"hello"}}\n' * 400


def packed(data: bytes, **settings_: object) -> bytes:
    return zstandard.ZstdCompressor(**settings_).compress(data)  # type: ignore[arg-type]


def streamed(data: bytes) -> bytes:
    """A frame whose header does not give the size of its content."""
    packer = zstandard.ZstdCompressor().compressobj()
    return packer.compress(data) + packer.flush()


SKIPPABLE = b"\x52\x2a\x4d\x18" + (5).to_bytes(4, "little") + b"12345"


@pytest.mark.parametrize(
    "data",
    [
        packed(LINES),
        packed(LINES, level=19, write_checksum=True),
        streamed(LINES),
        packed(LINES[:100]) + packed(LINES[100:]),
        packed(LINES[:100]) + packed(b"") + SKIPPABLE + streamed(LINES[100:]) + SKIPPABLE,
    ],
)
@pytest.mark.parametrize("least", [None, 1])
def test_whole_files(tmp_path: Path, data: bytes, least: int | None, monkeypatch: pytest.MonkeyPatch) -> None:
    """In memory, and both the packed and the unpacked bytes on disk."""
    if least is not None:
        monkeypatch.setattr(opening, "LARGE", least)
        monkeypatch.setattr(spooled, "LARGE", least)
    path = tmp_path / "s.jsonl.zst"
    path.write_bytes(data)
    snapshot = open_source(path)
    assert [isinstance(one, FileBytes) for one in (snapshot.data, snapshot.raw)] == [least is not None] * 2
    assert snapshot.data[:] == LINES
    assert snapshot.raw[:] == data
    assert snapshot.packing is not None
    assert snapshot.packing.whole
    assert snapshot.identity is not None
    assert snapshot.identity.size == len(data)
    assert from_bytes(data, "-").data[:] == LINES


@pytest.mark.parametrize("how", ["in place", "elsewhere", "packed elsewhere", "unchanged", "touched"])
def test_a_large_one_is_saved(tmp_path: Path, how: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (opening, spooled):
        monkeypatch.setattr(module, "LARGE", 1)
    path = tmp_path / "s.jsonl.zst"
    calls = [{"role": "assistant", "content": [{"type": "tool_use", "id": "toolu_1", "name": "Bash", "input": {}}]}]
    messages = [{"role": "user", "content": "go"}, *calls, {"role": "user", "content": "on"}]
    data = packed(b"".join(json.dumps(message).encode() + b"\n" for message in messages))
    path.write_bytes(data)
    session = open_session(path)
    if how == "unchanged":
        copy = tmp_path / "copy.jsonl.zst"
        session.save_as(copy)
        assert copy.read_bytes() == data
        return
    if how == "touched":
        session.remember()
        os.utime(path)
    session.stage_recommended()
    if how in ("in place", "touched"):
        session.save()
        (backup,) = tmp_path.glob("*.bak")
        assert backup.read_bytes() == data
    else:
        session.save_as(path := tmp_path / f"copy.jsonl{'.zst' * (how == 'packed elsewhere')}")
    assert not open_session(path).problems and len(open_source(path).data) > len(messages)


def test_a_large_one_from_a_pipe_is_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(spooled, "LARGE", 1)
    lines = b'{"role":"user","content":"go"}\n{"role":"assistant","content":"gone"}\n' * 9
    with closing(spooled.Spooled("x")) as content:
        content.add(lines)
        session = open_session("-", data=content.content())
    copy = tmp_path / "copy.jsonl"
    session.save_as(copy)
    assert copy.read_bytes() == lines


@settings(max_examples=tries(20))
@given(st.lists(st.binary(max_size=500), min_size=1, max_size=5), st.data())
def test_packed_data_comes_back_and_a_cut_is_noticed(chunks: list[bytes], data: st.DataObject) -> None:
    content = b"".join(chunks) + LINES
    made = b"".join(pack([*chunks, LINES]))
    assert unpack(made, "x")[0] == content
    cut = data.draw(st.integers(min_value=4, max_value=len(made) - 1))
    try:
        begun, found = unpack(made[:cut], "x")
    except UnreadableFile as error:
        assert "nothing in it can be unpacked" in str(error)
        return
    assert not found.whole
    assert content.startswith(begun)


def test_a_torn_file_opens_as_far_as_it_goes() -> None:
    first = packed(LINES[:6000])
    for rest in (packed(LINES)[:20], b"garbage", SKIPPABLE[:10], b"\0" * 50):
        snapshot = from_bytes(first + rest, "x")
        assert snapshot.data == LINES[:6000]
        assert snapshot.packing is not None
        assert not snapshot.packing.whole
    wrong = bytearray(packed(LINES[:6000], write_checksum=True))
    wrong[-1] ^= 1
    with pytest.raises(UnreadableFile, match="nothing in it"):
        unpack(bytes(wrong[:5]), "x")


@each(
    ("data", "part"),
    [
        (packed(LINES)[:7], "nothing in it can be unpacked"),
        (packing.MAGIC + b"garbage", "nothing in it can be unpacked"),
        (packed(b""), "empty"),
        (packed(b"\x1f\x8b rest"), "gzip"),
        (packed(b"\0" * 5000), "NUL"),
    ],
)
def test_refused_with_one_sentence(data: bytes, part: str) -> None:
    with pytest.raises(UnreadableFile, match=part):
        from_bytes(data, "x")


def hollow(size: int, what: bytes = b" ", **settings_: object) -> bytes:
    """A frame with this many bytes of content, without its size in the header."""
    packer = zstandard.ZstdCompressor(**settings_).compressobj()  # type: ignore[arg-type]
    chunk = (what * ((1 << 20) // len(what) + 1))[: 1 << 20]
    return b"".join([*(packer.compress(chunk) for _ in range(size >> 20)), packer.flush()])


def test_a_bomb_is_refused() -> None:
    limits = Limits.of(1 << 20)
    for bomb in (
        packed(b" " * (1 << 24)),
        hollow(1 << 24),
        hollow(1 << 24, LINES),
        packed(LINES) + hollow(1 << 24, LINES),
    ):
        with pytest.raises(TooLarge, match=r"unpacks to more than 1 MB, .*--max-size allows more"):
            from_bytes(bomb, "x", limits)
    assert len(from_bytes(packed(LINES + b" " * (1 << 19)), "x", limits).data) > 1 << 19


@pytest.mark.parametrize("what", [b" ", LINES])
def test_a_file_that_unpacks_to_gigabytes_is_refused_before_unpacking(
    what: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither the content nor a large part of it is ever in memory."""

    def unpacked(*_: object) -> object:
        raise AssertionError("it is unpacked")

    bomb = hollow((3 if ROUNDS else 1) << 30, what)
    assert len(bomb) < 400_000
    monkeypatch.setattr(packing, "_frames", unpacked)
    with pytest.raises(TooLarge, match=r"more than 67\.1 MB and over 200 times its size"):
        from_bytes(bomb, "x")
    with pytest.raises(AssertionError, match="it is unpacked"):
        from_bytes(bomb, "x", Limits.of(4 << 30))


def test_a_frame_that_claims_too_little_is_measured(monkeypatch: pytest.MonkeyPatch) -> None:
    head = bytearray(packed(b"x" * 300))
    honest = hollow(1 << 24, LINES)
    # The header of a frame with 300 bytes of content, before blocks with 16 MB.
    size = zstandard.frame_header_size(bytes(head))
    lying = bytes(head[:size]) + honest[zstandard.frame_header_size(honest) :]
    with pytest.raises(UnreadableFile):  # a strict unpacker refuses it by itself
        from_bytes(lying, "x", Limits.of(1 << 20))
    monkeypatch.setattr(packing, "_frames", lambda *_: iter([b"x"]))
    repeated = hollow(1 << 24)
    lying = bytes(head[:size]) + repeated[zstandard.frame_header_size(repeated) :]
    with pytest.raises(TooLarge):
        from_bytes(lying, "x", Limits.of(1 << 20))


def test_a_window_without_memory_for_it(monkeypatch: pytest.MonkeyPatch) -> None:
    wide = zstandard.ZstdCompressionParameters(window_log=30)
    data = hollow(1 << 20, LINES, compression_params=wide)
    assert from_bytes(data, "x").data
    monkeypatch.setattr(packing, "fits", lambda size: size < 1 << 29)
    with pytest.raises(TooLarge, match=r"needs 1\.1 GB of memory"):
        from_bytes(data, "x")


def test_what_does_not_fit_into_memory_is_not_unpacked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(packing, "fits", lambda size: size < 1 << 20)
    for data in (packed(LINES * 100), streamed(LINES * 100)):
        with pytest.raises(TooLarge, match="does not fit into memory"):
            from_bytes(data, "x")


@given(
    st.lists(st.tuples(st.sampled_from(["packed", "streamed", "skipped"]), st.binary(max_size=300)), max_size=5),
    st.data(),
)
def test_the_content_size_is_within_the_bounds(frames: list[tuple[str, bytes]], data: st.DataObject) -> None:
    whole = b"".join(SKIPPABLE if kind == "skipped" else globals()[kind](text * 50) for kind, text in frames)
    cut = whole[: data.draw(st.integers(0, len(whole)))]
    least, most, _ = packing._bounds(whole, zstandard)
    held = sum(len(text) * 50 for kind, text in frames if kind != "skipped")
    assert least <= held <= most
    assert packing._bounds(cut, zstandard)[0] <= least or not cut


_WITHOUT = """
import sys
sys.modules["zstandard"] = None
from toolpair.cli.main import main
sys.exit(main(sys.argv[1:]))
"""


def test_without_the_library_one_sentence_says_what_to_do(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl.zst"
    path.write_bytes(packed(LINES))
    plain = tmp_path / "s.json"
    plain.write_bytes(b'[{"role": "user", "content": "hello"}]')

    def run(*arguments: str) -> tuple[int, str]:
        ran = subprocess.run(
            [sys.executable, "-c", _WITHOUT, *arguments], capture_output=True, text=True, timeout=PATIENCE
        )
        return ran.returncode, ran.stderr + ran.stdout

    code, said = run("check", str(path))
    assert code == 2
    assert "pip install zstandard" in said
    code, said = run("fix", str(plain), "-o", str(tmp_path / "out.zst"))
    assert code == 3
    assert "pip install zstandard" in said
    assert sorted(found.name for found in tmp_path.iterdir()) == ["s.json", "s.jsonl.zst"]
