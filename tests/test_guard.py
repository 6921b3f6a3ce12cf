"""The guard in front of a request: what it refuses, mends and lets through, and that it never breaks the request."""

from __future__ import annotations

import copy
import enum
import gc
import json
import logging
import pickle
import random
import subprocess
import sys
import warnings
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from types import CodeType, FrameType, FunctionType, MappingProxyType
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import toolpair
from tests.each import each
from tests.guard_types import check_types
from tests.patience import PATIENCE
from tests.properties.transcripts import anthropic, chat, plant
from tests.rounds import tries
from toolpair.library import guard as guarding
from toolpair.library import report as library_report
from toolpair.rules.profiles import profile_names

CALL = {"type": "tool_use", "id": "toolu_1", "name": "Bash", "input": {}}
RESULT = {"type": "tool_result", "tool_use_id": "toolu_1", "content": "3 passed"}
BROKEN: list[dict[str, Any]] = [
    {"role": "user", "content": "run the tests"},
    {"role": "assistant", "content": [CALL]},
    {"role": "user", "content": "and?"},
]
VALID: list[dict[str, Any]] = [*BROKEN[:2], {"role": "user", "content": [RESULT]}]
MODES = ("raise", "report", "repair")


# --- what it does ------------------------------------------------------------------------------------------


def test_it_raises_with_every_problem_in_the_words() -> None:
    lost = {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "toolu_9", "content": "lost"}]}
    messages = [BROKEN[0], lost, *BROKEN[1:]]
    with pytest.raises(toolpair.InvalidMessages) as raised:
        toolpair.guard(messages, profile="anthropic")
    error = raised.value
    assert [problem.rule for problem in error.problems] == [problem.rule for problem in error.report.errors]
    for problem, wanted in zip(error.problems, (("messages.1", "toolu_9"), ("messages.2", "toolu_1")), strict=True):
        (line,) = [line for line in str(error).splitlines() if wanted[0] in line]
        assert problem.rule in line and problem.text in line and wanted[1] in line
    assert "lost" not in str(error), "what a tool said stays out of the words"
    assert str(pickle.loads(pickle.dumps(error))) == str(error)


def test_many_problems_are_counted() -> None:
    messages = [part for number in range(30) for part in (*_lone_call(f"toolu_{number}"),)]
    with pytest.raises(toolpair.InvalidMessages, match="and 10 more") as raised:
        toolpair.guard(messages)
    assert len(raised.value.problems) == 30


def _lone_call(id_: str) -> list[dict[str, Any]]:
    return [{"role": "assistant", "content": [{**CALL, "id": id_}]}, {"role": "user", "content": "go on"}]


def test_it_reports() -> None:
    report = toolpair.guard(BROKEN, mode="report")
    assert not report and report.fault is None and report.profile == "anthropic"
    assert "messages.1 result.missing" in str(report)
    assert toolpair.guard(VALID, mode="report")


def test_it_hands_valid_messages_back_themselves() -> None:
    for messages in (VALID, tuple(VALID), deque(VALID)):
        assert toolpair.guard(messages) is messages
        assert toolpair.guard(messages, mode="repair") is messages


def test_repair_gives_valid_messages_and_the_untouched_ones_themselves() -> None:
    for given_ in (BROKEN, tuple(BROKEN), deque(BROKEN)):
        mended = toolpair.guard(given_, mode="repair")
        assert isinstance(mended, list) and toolpair.check(mended).ok
        assert mended[0] is BROKEN[0] and mended[1] is BROKEN[1]


def test_what_cannot_be_mended_is_warned_of_and_handed_back(monkeypatch: pytest.MonkeyPatch) -> None:
    import toolpair.library.message_lists as library

    def mends_nothing(messages: Any, profile: str | None) -> toolpair.Repaired:
        return toolpair.Repaired(messages, (), toolpair.check(messages, profile).errors)

    monkeypatch.setattr(library, "repair", mends_nothing)
    with pytest.warns(RuntimeWarning, match=r"could not fix everything: messages\.1 result\.missing") as caught:
        assert toolpair.guard(BROKEN, mode="repair") is BROKEN
    assert caught[0].filename == __file__, "the warning names the caller's line"


def test_a_mistake_in_the_call_is_told_at_once() -> None:
    with pytest.raises(ValueError, match="'mend'"):
        toolpair.guard(VALID, mode="mend")  # type: ignore[call-overload]
    with pytest.raises(ValueError, match="antropic"):
        toolpair.guard(VALID, profile="antropic")
    with pytest.raises(ValueError, match="mistral has no family 'none'"):
        toolpair.guard(VALID, profile="mistral/none")


def test_every_profile_can_be_guarded_for() -> None:
    for profile in profile_names():
        assert toolpair.guard([{"role": "user", "content": "hi"}], profile=profile, mode="report").profile == profile


def test_the_types_hold() -> None:
    check_types(VALID, tuple(VALID), VALID)


# --- it never changes anything -----------------------------------------------------------------------------


@settings(max_examples=tries(40))
@given(st.integers(0, 10**9), st.sampled_from([anthropic, chat]), st.integers(0, 4))
def test_it_never_mutates_and_what_it_mends_is_valid(seed: int, make: Callable[..., Any], count: int) -> None:
    rng = random.Random(seed)
    made = plant(rng, make(rng, 3), count)
    before = copy.deepcopy(made.messages)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        mended = toolpair.guard(made.messages, mode="repair")
        report = toolpair.guard(made.messages, mode="report")
    assert made.messages == before
    assert (mended is made.messages) == report.ok
    kept = {id(message) for message in mended}
    for number, message in enumerate(made.messages):
        if number < len(mended) and message == mended[number] and made.messages.count(message) == 1:
            assert message is mended[number] or id(message) not in kept, "an untouched message was copied"
    frozen = copy.deepcopy(mended)
    mended.append({"role": "user", "content": "mine"})
    assert (made.messages == before) or mended is made.messages
    assert mended[:-1] == frozen


# --- a fault is never the reason that a request fails ------------------------------------------------------


class _Raises:
    """An SDK's object that cannot be read."""

    def __init__(self, error: BaseException) -> None:
        self._error = error

    def model_dump(self, **_: Any) -> Any:
        raise self._error


class _Property:
    @property
    def model_dump(self) -> Any:
        raise OSError("no")


class _Repr(Exception):
    def __str__(self) -> str:
        raise ValueError("no words")

    __repr__ = __str__


class _List(list[Any]):
    def __iter__(self) -> Iterator[Any]:
        raise MemoryError

    def __len__(self) -> int:
        raise OSError


def _cyclic() -> list[Any]:
    block: dict[str, Any] = {"type": "tool_use", "id": "t", "name": "n"}
    block["input"] = block
    return [{"role": "assistant", "content": [block]}]


ODD: dict[str, Any] = {
    "none": None,
    "a number": 7,
    "text": "hello",
    "bytes": b"hello",
    "a body": {"messages": VALID},
    "a generator": (message for message in VALID),
    "an iterator": iter(VALID),
    "a set": {1, 2},
    "an object": object(),
    "a class": dict,
    "objects": [object()],
    "nulls": [None, None],
    "numbers": [1, 2],
    "raises": [_Raises(RuntimeError("broken"))],
    "raises deep": [{"role": "user", "content": [_Raises(MemoryError())]}],
    "recursion": [{"role": "user", "content": [_Raises(RecursionError())]}],
    "an error without words": [_Raises(_Repr())],
    "a property": [{"role": "user", "content": [_Property()]}],
    "a list that cannot be read": _List(BROKEN),
    "within itself": _cyclic(),
    "an iterator inside": [{"role": "user", "content": iter([RESULT])}],
}


@each("mode", MODES)
@each("name", ODD)
def test_odd_things_go_through_with_a_warning(name: str, mode: str) -> None:
    odd = ODD[name]
    with pytest.warns(RuntimeWarning, match="let the messages through unchecked") as caught:
        handed = toolpair.guard(odd, mode=mode)  # type: ignore[call-overload]
    assert caught[0].filename == __file__
    if mode == "report":
        assert handed.ok and "unchecked" in handed.fault and str(handed) == handed.fault
    else:
        assert handed is odd


def test_nothing_is_used_up() -> None:
    messages = (message for message in VALID)
    with pytest.warns(RuntimeWarning, match="list"):
        assert list(toolpair.guard(messages, mode="repair")) == VALID  # type: ignore[call-overload]


@pytest.mark.parametrize("mode", MODES)
def test_where_warnings_are_errors_the_request_goes_on(mode: str, caplog: pytest.LogCaptureFixture) -> None:
    with warnings.catch_warnings(), caplog.at_level(logging.WARNING, "toolpair"):
        warnings.simplefilter("error")
        toolpair.guard([object()], mode=mode)  # type: ignore[call-overload]
    assert "let the messages through unchecked" in caplog.text


def _of_toolpair(code: CodeType) -> bool:
    return "/toolpair/" in code.co_filename and code.co_name != "guard"


def _run_failing(error: BaseException, fails: Callable[[int, CodeType], bool], messages: Any, mode: str) -> Any:
    """`guard` where each call of a function of toolpair's for which `fails` is true raises `error`, once."""
    number = 0

    def hook(frame: FrameType, event: str, _: Any) -> None:
        nonlocal number
        if event == "call" and _of_toolpair(frame.f_code):
            number += 1
            if fails(number, frame.f_code):
                raise error

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        before = sys.getprofile()
        sys.setprofile(hook)
        try:
            return toolpair.guard(messages, "anthropic", mode)  # type: ignore[call-overload]
        finally:
            sys.setprofile(before)


def _functions(mode: str) -> dict[CodeType, int]:
    """Every function of toolpair's that runs, and when first."""
    found: dict[CodeType, int] = {}

    def note(number: int, code: CodeType) -> bool:
        found.setdefault(code, number)
        return False

    try:
        _run_failing(RuntimeError(), note, BROKEN, mode)
    except toolpair.InvalidMessages:
        pass
    return found


ERRORS = (RuntimeError("planted"), RecursionError(), MemoryError(), KeyError("x"), AssertionError(), ImportError("x"))


def _always_raises(*_: Any, **__: Any) -> Any:
    raise RuntimeError("planted")


@pytest.mark.parametrize("mode", MODES)
def test_each_function_inside_may_fail(mode: str) -> None:
    toolpair.guard(BROKEN, mode="repair")  # what is loaded at first use is loaded
    ran = {code for code in _functions(mode) if not code.co_freevars}
    gc.unfreeze()  # what is frozen is not listed
    functions = [found for found in gc.get_objects() if isinstance(found, FunctionType) and found.__code__ in ran]
    gc.freeze()
    # What hands a report over is the answer, not a step on the way to it.
    functions = [function for function in functions if function.__module__ != "toolpair.library.report"]
    functions += [library_report.in_short, guarding._warn]  # what runs only after a fault
    assert len(functions) > 60
    for function in functions:
        whole = function.__code__
        function.__code__ = _always_raises.__code__.replace(co_name=whole.co_name)
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                handed = toolpair.guard(BROKEN, "anthropic", mode)  # type: ignore[call-overload]
                odd = toolpair.guard([object()], "anthropic", mode)  # type: ignore[call-overload]
        except toolpair.InvalidMessages:
            assert mode == "raise"
            continue
        except RuntimeError:
            raise AssertionError(f"{function.__qualname__} fails, and so does the request") from None
        finally:
            function.__code__ = whole
        if mode == "raise":
            assert handed is BROKEN and len(odd) == 1
        elif mode == "report":
            assert isinstance(handed, toolpair.Report) and isinstance(odd, toolpair.Report)
        else:
            assert handed is BROKEN or toolpair.check(handed).ok


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
@settings(max_examples=tries(40))
@given(st.integers(1, 1500), st.sampled_from(ERRORS), st.sampled_from(MODES))
def test_any_call_inside_may_fail(at: int, error: Exception, mode: str) -> None:
    try:
        handed = _run_failing(error, lambda number, _: number == at, BROKEN, mode)
    except toolpair.InvalidMessages:
        assert mode == "raise"
    else:
        assert mode != "raise" or handed is BROKEN


def test_a_library_that_cannot_be_loaded_lets_the_messages_through() -> None:
    script = """
import sys, warnings
sys.modules["orjson"] = None
from toolpair import guard
messages = [{"role": "user", "content": "hi"}]
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    for mode in ("raise", "repair"):
        assert guard(messages, mode=mode) is messages
    assert guard(messages, mode="report").fault
assert len(caught) == 3 and "orjson" in str(caught[0].message), caught
"""
    subprocess.run([sys.executable, "-c", script], check=True, timeout=PATIENCE)


def test_importing_the_guard_loads_next_to_nothing() -> None:
    script = (
        "import sys, json; before = set(sys.modules); from toolpair import guard, InvalidMessages, Report;"
        "print(json.dumps(sorted(set(sys.modules) - before)))"
    )
    ran = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True, timeout=PATIENCE)
    ours = {name for name in json.loads(ran.stdout) if name.partition(".")[0] == "toolpair"}
    assert ours == {"toolpair", "toolpair.library", "toolpair.library.guard", "toolpair.library.report"}
    assert not set(json.loads(ran.stdout)) & {"orjson", "msgspec", "rich", "textual", "zstandard", "psutil"}


# --- objects -----------------------------------------------------------------------------------------------


class Role(str, enum.Enum):  # noqa: UP042 - as people write it
    user = "user"
    assistant = "assistant"


@dataclass
class Message:
    role: Any
    content: Any
    name: str | None = None


@dataclass
class Use:
    id: str
    name: str = "Bash"
    input: dict[str, Any] = field(default_factory=dict)
    type: str = "tool_use"
    caller: None = None


class OldPydantic:
    """An object of pydantic 1."""

    def __init__(self, **values: Any) -> None:
        self._values = values

    def dict(self) -> dict[str, Any]:
        return self._values


@pytest.mark.parametrize(
    "message",
    [
        Message(Role.assistant, [Use("toolu_1")]),
        Message("assistant", (Use("toolu_1"),)),
        {"role": Role.assistant, "content": deque([CALL])},
        MappingProxyType({"role": "assistant", "content": [MappingProxyType(CALL)]}),
        OldPydantic(role="assistant", content=[OldPydantic(**CALL, caller=None)]),
    ],
)
def test_objects_of_all_kinds_are_read_and_handed_back(message: Any) -> None:
    broken = [Message(Role.user, "go"), message, {"role": "user", "content": "and?"}]
    assert [found.rule for found in toolpair.check(broken).errors] == ["result.missing"]
    mended = toolpair.guard(broken, mode="repair")
    assert mended[0] is broken[0] and mended[1] is message
    assert json.dumps(mended[2]) and mended[2]["content"][0]["tool_use_id"] == "toolu_1"
    valid = [*broken[:2], {"role": "user", "content": [RESULT]}]
    assert toolpair.guard(valid) is valid


@each(
    ("messages", "words"),
    [
        ([{"type": "human", "content": "hi"}], "convert_to_openai_messages"),
        ([{"type": "ai", "content": "", "tool_calls": [{"name": "f", "args": {}, "id": "1"}]}], "LangChain"),
        ([{"role": "user", "content": "hi"}, {"id": "c", "choices": [{"message": {}}]}][1:], "choices\\[0\\].message"),
        ([{"object": "response", "output": []}], "response.output"),
        ([{"role": "user", "parts": "hi"}], "keys that no API knows \\(parts\\)"),
        ([3], "no message in this list, but int"),
    ],
)
def test_what_is_no_message_is_named(messages: list[Any], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        toolpair.check(messages)


def test_keys_that_are_no_text_are_judged_as_json_has_them() -> None:
    asks = {"role": "assistant", "content": [{**CALL, "input": {1: "one", None: "none"}}]}
    assert toolpair.guard([BROKEN[0], asks, VALID[2]], profile="anthropic")
    odd = [BROKEN[0], {**BROKEN[0], None: "key"}, {**BROKEN[0], 7: "seven"}]
    assert toolpair.check(odd, profile="bedrock-converse").problems
    with pytest.raises(ValueError, match="JSON knows no tuple as a key"):
        toolpair.check([{**BROKEN[0], ("a",): 1}])


class _Array:
    """As numpy's: nothing that is true or false."""

    def __bool__(self) -> bool:
        raise ValueError("ambiguous")


def test_a_report_on_an_odd_id_can_be_printed() -> None:
    odd = [{**CALL, "id": _Array()}]
    report = toolpair.guard([BROKEN[0], {"role": "assistant", "content": odd}], "anthropic", mode="report")
    assert report.fault is None and "id.empty" in str(report)
