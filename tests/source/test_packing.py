"""Compressed session files: what can be read of them, and how they are written back."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
import zstandard
from hypothesis import given, settings
from hypothesis import strategies as st

from toolpair.source import packing
from toolpair.source.errors import Unreadable
from toolpair.source.opening import from_bytes, open_source
from toolpair.source.packing import pack, unpack

LINES = b'{"type":"user","message":{"role":"user","content":"hello"}}\n' * 400


def packed(data: bytes, **settings_: object) -> bytes:
    return zstandard.ZstdCompressor(**settings_).compress(data)  # type: ignore[arg-type]


def streamed(data: bytes) -> bytes:
    """One frame that does not say how much is in it."""
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
def test_whole_files(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "s.jsonl.zst"
    path.write_bytes(data)
    snapshot = open_source(path)
    assert snapshot.data == LINES
    assert snapshot.raw == data
    assert snapshot.packing is not None
    assert snapshot.packing.whole
    assert snapshot.identity is not None
    assert snapshot.identity.size == len(data)
    assert from_bytes(data, "-").data == LINES


@settings(max_examples=20, deadline=None)
@given(st.lists(st.binary(max_size=500), min_size=1, max_size=5), st.data())
def test_whatever_is_packed_comes_back_and_a_cut_is_noticed(chunks: list[bytes], data: st.DataObject) -> None:
    content = b"".join(chunks) + LINES
    made = b"".join(pack([*chunks, LINES]))
    assert unpack(made, "x")[0] == content
    cut = data.draw(st.integers(min_value=4, max_value=len(made) - 1))
    try:
        begun, found = unpack(made[:cut], "x")
    except Unreadable as error:
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
    with pytest.raises(Unreadable, match="nothing in it"):
        unpack(bytes(wrong[:5]), "x")


@pytest.mark.parametrize(
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
    with pytest.raises(Unreadable, match=part):
        from_bytes(data, "x")


def test_a_bomb_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(packing, "LIMIT", 1 << 20)
    with pytest.raises(Unreadable, match="more than 1 MiB"):
        from_bytes(packed(b" " * (1 << 24)), "x")
    assert len(from_bytes(packed(LINES + b" " * (1 << 19)), "x").data) > 1 << 19


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
        ran = subprocess.run([sys.executable, "-c", _WITHOUT, *arguments], capture_output=True, text=True, timeout=60)
        return ran.returncode, ran.stderr + ran.stdout

    code, said = run("check", str(path))
    assert code == 2
    assert "pip install zstandard" in said
    code, said = run("fix", str(plain), "-o", str(tmp_path / "out.zst"))
    assert code == 3
    assert "pip install zstandard" in said
    assert sorted(found.name for found in tmp_path.iterdir()) == ["s.json", "s.jsonl.zst"]
