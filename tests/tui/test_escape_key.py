"""A lone escape is heard when its delay is over, not at the next of ten looks in a second."""

from __future__ import annotations

import os
import selectors
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from unittest.mock import patch

import pytest
from textual import constants, events

from tests.patience import PATIENCE
from toolpair.tui import expect_escape
from toolpair.tui.app import ToolpairApp
from toolpair.tui.terminal_driver import PromptSelector

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="the driver for Unix terminals")


def test_what_the_user_has_set_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ESCDELAY", "300")
    expect_escape()
    assert os.environ["ESCDELAY"] == "300"

    monkeypatch.delenv("ESCDELAY")
    expect_escape()
    assert 5 <= int(os.environ["ESCDELAY"]) <= 50


def test_it_waits_less_behind_input_and_only_once() -> None:
    waited: list[float | None] = []
    read, write = os.pipe()

    def select(self: Any, timeout: float | None = None) -> list[Any]:
        waited.append(timeout)
        return waits(self, 0)

    waits = selectors.SelectSelector.select
    with PromptSelector(0.03) as selector, patch.object(selectors.SelectSelector, "select", select):
        selector.register(read, selectors.EVENT_READ)
        assert not selector.select(0.1)
        os.write(write, b"\x1b")
        assert selector.select(0.1)
        os.read(read, 1)
        assert not selector.select(0.1)
        assert not selector.select(0.1)
    os.close(read)
    os.close(write)

    assert waited == [0.1, 0.1, 0.03, 0.1]


def test_a_lone_escape_in_a_terminal_is_heard_soon(monkeypatch: pytest.MonkeyPatch) -> None:
    from toolpair.tui import terminal_driver

    monkeypatch.setattr(terminal_driver, "ESCAPE_DELAY", 0.02)
    monkeypatch.setattr(constants, "ESCAPE_DELAY", 0.02)
    waited: list[float | None] = []
    waits = selectors.SelectSelector.select

    def select(self: Any, timeout: float | None = None) -> list[Any]:
        waited.append(timeout)
        return waits(self, timeout)

    monkeypatch.setattr(selectors.SelectSelector, "select", select)
    with listening(monkeypatch) as (write, keys, heard):
        os.write(write, b"\x1b")
        assert heard.wait(PATIENCE)
    assert keys == ["escape"]
    assert waited[1] == pytest.approx(0.022)


@pytest.mark.parametrize(
    "odd",
    [
        b"\xff\xfe",
        b"\x1b[1114112u",
        b"\x1b[99999999999999999999u",
        b"\x1b[1;1;1114112~",
        b"\x1b[<0;0;0M",
        b"\xc3",
        b"\x1b]",
    ],
)
@pytest.mark.parametrize("pause", [0, 0.05])
def test_what_no_terminal_sends_ends_nothing(monkeypatch: pytest.MonkeyPatch, odd: bytes, pause: float) -> None:
    """Nor does it take along a key that was typed right after it."""
    with listening(monkeypatch) as (write, keys, heard):
        if pause:
            os.write(write, odd)
            time.sleep(pause)
            os.write(write, b"k")
        else:
            os.write(write, b"j" + odd + b"k")
        assert heard.wait(PATIENCE)
        deadline = time.monotonic() + PATIENCE
        while "k" not in keys and time.monotonic() < deadline:
            time.sleep(0.01)
    assert keys[-1] == "k" and keys.count("j") == (not pause) and keys.count("k") == 1


@contextmanager
def listening(monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[int, list[str], threading.Event]]:
    """The driver's thread, where to write what it hears, the keys that it makes of it, and whether there is one."""
    from toolpair.tui.terminal_driver import TerminalDriver

    driver = object.__new__(TerminalDriver)
    read, write = os.pipe()
    heard = threading.Event()
    keys: list[str] = []

    def process(message: Any) -> None:
        if isinstance(message, events.Key):
            keys.append(message.key)
            heard.set()

    driver.fileno, driver.exit_event, driver._debug = read, threading.Event(), False
    monkeypatch.setattr(driver, "process_message", process)
    thread = threading.Thread(target=driver.run_input_thread)
    thread.start()
    try:
        yield write, keys, heard
    finally:
        driver.exit_event.set()
        thread.join(PATIENCE)
        os.close(read)
        os.close(write)


def test_a_letter_with_alt_is_never_text_whatever_follows(monkeypatch: pytest.MonkeyPatch) -> None:
    with listening(monkeypatch) as (write, keys, _):
        for sent in ("\x1bw\x1b[A", "\x1bw\x1b\x1b[A", "\x1b\x1bwb\x1b[Aw"):
            os.write(write, sent.encode())
            deadline = time.monotonic() + PATIENCE
            while (not keys or keys[-1] != "x") and time.monotonic() < deadline:
                time.sleep(0.05)
                os.write(write, b"x")
    assert "circumflex_accent" not in keys
    assert [key for key in keys if key != "x"] == [
        *("alt+w", "up"),
        *("alt+w", "escape", "up"),
        *("escape", "alt+w", "b", "up", "w"),
    ]


def test_another_driver_stays_as_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TEXTUAL_DRIVER", "textual.drivers.headless_driver:HeadlessDriver")
    assert ToolpairApp(None).get_driver_class().__name__ in ("HeadlessDriver", "TerminalDriver")
