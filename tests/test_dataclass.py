"""The package's own dataclasses behave as those of the standard library do."""

from __future__ import annotations

import copy
import dataclasses
import pickle
import subprocess
import sys
import weakref
from collections.abc import Callable
from functools import cached_property
from typing import Any, ClassVar

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.patience import PATIENCE
from toolpair import dataclass as ours

_LIST_COMPILED = """
import sys
import toolpair.dataclass
compiled = []
sys.addaudithook(lambda event, what: compiled.append(what) if event == "compile" else None)
import toolpair.transcript.model, toolpair.transcript.edits
print(sum(b"__init__" in bytes(what[0] or b"") for what in compiled))
"""


@ours.dataclass(frozen=True, slots=True)
class Point:
    """A place."""

    x: int
    y: int = 2
    """How far down."""
    tags: list[str] = ours.field(default_factory=list, compare=False)
    hidden: str = ours.field(default="h", repr=False)
    kind: str = ours.field(init=False, default="point")
    SHARED: ClassVar[int] = 7

    @property
    def sum(self) -> int:
        return self.x + self.y


@ours.dataclass(frozen=True, slots=True)
class Point3(Point):
    z: int = 3


@ours.dataclass
class Open:
    a: int
    b: str = "b"


@ours.dataclass(frozen=True)
class Remembering:
    a: int

    @cached_property
    def double(self) -> int:
        return self.a * 2


def _twin(**arguments: Any) -> tuple[type, type]:
    """The same class by both kinds."""

    def made(kind: Any) -> type:
        @kind.dataclass(**arguments)
        class Twin:
            a: int
            b: Any = None
            c: tuple[int, ...] = kind.field(default=(1,), repr=False)
            d: list[int] = kind.field(default_factory=list, compare=False)

        return Twin

    return made(ours), made(dataclasses)


_KINDS = [
    {},
    {"slots": True},
    {"eq": False},
    {"frozen": True},
    {"frozen": True, "slots": True},
    {"frozen": True, "slots": True, "eq": False},
    {"frozen": True, "slots": True, "order": True},
]


def _outcome(action: Callable[[], Any]) -> Any:
    try:
        return action()
    except Exception as error:
        return type(error)


@pytest.mark.parametrize("arguments", _KINDS, ids=str)
@settings(max_examples=15)
@given(first=st.tuples(st.integers(0, 2), st.integers(0, 2)), second=st.tuples(st.integers(0, 2), st.integers(0, 2)))
def test_both_kinds_do_the_same(arguments: dict[str, bool], first: tuple[int, int], second: tuple[int, int]) -> None:
    told = []
    for kind, made in zip((ours, dataclasses), _twin(**arguments), strict=True):
        one, other = made(*first), made(first[0], b=second[1], d=[1])
        assert one == one
        told.append(
            [
                one == other,
                one != other,
                one == first,
                _outcome(lambda: one < other),  # noqa: B023
                _outcome(lambda: one >= other),  # noqa: B023
                _outcome(lambda: (hash(one), hash(other)) if arguments.get("eq", True) else None),  # noqa: B023
                repr(one),
                repr(other),
                _outcome(lambda: setattr(one, "a", 5)),  # noqa: B023
                _outcome(lambda: delattr(one, "b")),  # noqa: B023
                _outcome(made),
                _outcome(lambda: made(1, 2, 3, 4, 5)),  # noqa: B023
                _outcome(lambda: made(1, e=2)),  # noqa: B023
                hasattr(other, "__dict__"),
                dataclasses.is_dataclass(other),
                [found.name for found in dataclasses.fields(other)],
                dataclasses.asdict(other),
                dataclasses.asdict(dataclasses.replace(other, a=9)),
                dataclasses.asdict(kind.replace(other, a=9, d=[3])),
                made.__match_args__,
            ]
        )
    assert told[0] == told[1]


def test_defaults_properties_and_class_variables() -> None:
    point = Point(1)
    assert (point.x, point.y, point.tags, point.kind, point.sum, point.SHARED) == (1, 2, [], "point", 3, 7)
    assert Point(1).tags is not Point(1).tags
    assert repr(point) == "Point(x=1, y=2, tags=[], kind='point')"
    assert Point(1, tags=["a"]) == Point(1) != Point(2)
    assert Point.__doc__ == "A place."


def test_many_instances_are_made_as_few_are() -> None:
    made = [Point(1, y=number, tags=["t"]) for number in range(50)]
    assert [(point.x, point.y, point.tags, point.hidden, point.kind) for point in made] == [
        (1, number, ["t"], "h", "point") for number in range(50)
    ]
    for wrong in (Point, lambda: Point(1, x=1), lambda: Point(1, z=1), lambda: Point(1, kind="other")):
        with pytest.raises(TypeError, match=r"__init__\(\)"):
            wrong()
    assert Point.__init__.__qualname__ == "Point.__init__"


def test_what_is_inherited_comes_first() -> None:
    point = Point3(1, 2, ["t"], "h", 9)
    assert (point.z, point.tags) == (9, ["t"])
    assert point != Point(1)
    assert [found.name for found in dataclasses.fields(point)] == ["x", "y", "tags", "hidden", "kind", "z"]


def test_a_field_without_a_parameter_cannot_be_replaced() -> None:
    with pytest.raises(ValueError, match="kind"):
        ours.replace(Point(1), kind="other")


def test_a_pattern_matches_by_position() -> None:
    match Point(4, 5):
        case Point(x, y):
            assert (x, y) == (4, 5)
        case _:
            pytest.fail("no match")


@pytest.mark.parametrize("value", [Point(1, tags=["a"]), Point3(1, z=4), Open(1), Remembering(3)])
def test_instances_can_be_copied_and_sent_to_another_process(value: Any) -> None:
    for other in (copy.copy(value), copy.deepcopy(value), pickle.loads(pickle.dumps(value))):
        assert other == value
        assert repr(other) == repr(value)


def test_a_property_can_be_remembered_in_a_frozen_one() -> None:
    remembering = Remembering(4)
    assert remembering.double == 8
    assert remembering.__dict__["double"] == 8


def test_one_can_be_referred_to_weakly_when_it_says_so() -> None:
    @ours.dataclass(frozen=True, slots=True, weakref_slot=True)
    class Held:
        a: int

    held = Held(1)
    assert weakref.ref(held)() is held


def test_mistakes_in_a_class_are_told() -> None:
    with pytest.raises(ValueError, match="mutable default"):

        @ours.dataclass
        class Shared:
            a: list[int] = []  # noqa: RUF012

    with pytest.raises(TypeError, match="another kind"):

        @ours.dataclass
        class Mixed:
            a: list[int] = dataclasses.field(default_factory=list)


def test_what_runs_behind_the_fields_runs() -> None:
    @ours.dataclass(frozen=True, slots=True)
    class Checked:
        a: int

        def __post_init__(self) -> None:
            if self.a < 0:
                raise ValueError("a is negative")

    assert Checked(1).a == 1
    with pytest.raises(ValueError, match="negative"):
        Checked(-1)


def test_no_method_is_compiled_while_modules_are_imported() -> None:
    ran = subprocess.run(
        [sys.executable, "-c", _LIST_COMPILED], capture_output=True, text=True, check=True, timeout=PATIENCE
    )
    assert int(ran.stdout) <= 4  # those that are made in the modules themselves
