"""A lone escape is heard when its delay is over, not at the next of ten looks in a second."""

from __future__ import annotations

import os
import selectors
import sys
import threading
from typing import Any
from unittest.mock import patch

import pytest
from textual import constants, events
from textual.driver import Driver

from toolpair.tui.escape_key import PromptSelector, expect_soon, prompt

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="the driver for Unix terminals")


def test_what_the_user_has_set_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ESCDELAY", "300")
    expect_soon()
    assert os.environ["ESCDELAY"] == "300"

    monkeypatch.delenv("ESCDELAY")
    expect_soon()
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


def test_the_driver_of_textual_listens_so(monkeypatch: pytest.MonkeyPatch) -> None:
    from textual.drivers import linux_driver

    monkeypatch.setattr(linux_driver, "selectors", selectors)
    monkeypatch.setattr(constants, "ESCAPE_DELAY", 0.02)
    waited: list[float | None] = []
    waits = selectors.SelectSelector.select

    def select(self: Any, timeout: float | None = None) -> list[Any]:
        waited.append(timeout)
        return waits(self, timeout)

    monkeypatch.setattr(selectors.SelectSelector, "select", select)
    made = prompt(linux_driver.LinuxDriver)
    assert issubclass(made, linux_driver.LinuxDriver)
    driver = object.__new__(made)
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
    os.write(write, b"\x1b")
    assert heard.wait(20)
    driver.exit_event.set()
    thread.join(20)
    os.close(read)
    os.close(write)

    assert keys == ["escape"]
    assert waited[1] == pytest.approx(0.022)


def test_another_driver_stays_as_it_is() -> None:
    from textual.drivers import linux_driver

    before = linux_driver.selectors  # type: ignore[attr-defined]

    class Own(Driver):
        pass

    assert prompt(Own) is Own
    assert linux_driver.selectors is before  # type: ignore[attr-defined]
