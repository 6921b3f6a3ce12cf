"""The Python API for lists of messages: check and repair. Accepts plain dicts and the SDKs' own objects."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import Any, Final

from toolpair.formats import get_format
from toolpair.formats.engine.detection.list_evidence import ANTHROPIC, ListEvidence, shape_of_profile
from toolpair.formats.format import Format, Item
from toolpair.history.checked_records import CheckedRecords, Ids
from toolpair.history.growing_lists import json_of
from toolpair.history.list_windows import ListWindows, shape_of, windows_in
from toolpair.history.losses import Losses, gone, less_sent, losses_between, missing_texts
from toolpair.library.framework_objects import Framework, framework_of
from toolpair.library.report import Report, in_short
from toolpair.library.sdk_objects import plain, why_not_understood
from toolpair.recipes import RECIPES
from toolpair.recipes.careful import carefully
from toolpair.recipes.engine import Pick
from toolpair.recipes.recipe import Options, RecipeStep
from toolpair.rules.problem import Problem
from toolpair.rules.profiles import Profile, is_profile, no_such_profile
from toolpair.rules.profiles import profile as profile_named
from toolpair.source.deep_values import is_deeper
from toolpair.source.gc_pause import gc_paused
from toolpair.source.json_spans import LEVELS
from toolpair.transcript.model import DeepValue

LONG: Final = 2_000
"""Messages from which on a list is repaired in windows: below it is quick as a whole."""


@dataclass(frozen=True)
class Taken:
    """A fix that was applied: its rule, the fix, and what it loses."""

    rule: str
    fix: str
    title: str
    message: int | None
    loses: str | None


@dataclass(frozen=True)
class Repaired:
    """Messages that are valid, or as valid as possible. Untouched messages are the original objects."""

    messages: Sequence[Any]
    taken: tuple[Taken, ...]
    left: tuple[Problem, ...]
    _states: tuple[tuple[CheckedRecords, CheckedRecords], ...] = field(default=(), repr=False, compare=False)
    """What was changed, before and after."""

    @cached_property
    def losses(self) -> Losses:
        """What is lost of what was sent: outputs, user text, calls. Computed on first use."""
        return losses_between(self._states, missing_texts(self._states))

    @property
    def changed(self) -> bool:
        return bool(self.taken)

    @property
    def ok(self) -> bool:
        return not self.left


def check(messages: Sequence[Any], profile: str | None = None) -> Report:
    """Check a list of messages as the provider would. Never changes it.

    `profile` names the provider (`toolpair profiles`); by default the one the messages look like. Raises ValueError
    when the list is not understood or cannot be read, or the profile is unknown, TypeError when it is not a list.
    """
    with _only_documented_errors(), gc_paused():
        messages = list(iter(_listed(messages)))
        found = _windows_of(messages, profile)
        if found is not None:
            windows, judged_by = found
            return Report(judged_by.id, tuple(windows.problems))
        judged = _judged(messages, profile, framework=framework_of(messages))
        return Report(judged.profile.id, tuple(judged.problems))


def _windows_of(messages: Sequence[Any], profile: str | None) -> tuple[ListWindows, Profile] | None:
    """A list of plain messages as windows, so that the whole is not checked at once; None for others."""
    shape = shape_of(messages)
    if shape is None or (profile is not None and not is_profile(profile)):
        return None
    judged_by = profile_named(profile or get_format(shape).profile)

    def sure() -> bool:
        return _format_for(list(messages), profile).id == shape

    found = windows_in(messages, shape, judged_by, sure=sure)
    return None if found is None else (found, judged_by)


def repair(
    messages: Sequence[Any],
    profile: str | None = None,
    recipe: str = "recommended",
    max_id_length: int | None = None,
) -> Repaired:
    """Fix a list of messages. The input is never changed; the same list is returned when there is nothing to do.

    `recipe` names the way (`toolpair recipes`); `max_id_length` is for recipes that copy a system which truncates long
    ids. Raises as `check` does, and ValueError for an unknown recipe or a length that the recipe does not use.
    """
    with _only_documented_errors(), gc_paused():
        return _repaired(messages, profile, recipe, max_id_length)


def _repaired(given: Sequence[Any], profile: str | None, recipe: str, max_id_length: int | None) -> Repaired:
    chosen = RECIPES.get(recipe)
    if chosen is None:
        raise ValueError(f"there is no recipe {recipe!r}; there are {', '.join(RECIPES)}")
    if max_id_length is not None and "max_id_length" not in chosen.options:
        raise ValueError(f"the recipe {recipe} has no max_id_length")
    listed = _listed(given)
    messages = list(iter(listed))
    shape = None
    if chosen.pick is not None:
        found = _windows_of(messages, profile)
        if found is not None:
            problems = found[0].problems
            if not any(map(chosen.pick, problems)):
                return Repaired(listed, (), _errors(problems))
            if (
                len(messages) >= LONG
                and (done := _repaired_windows(listed, messages, found[0], chosen.pick)) is not None
            ):
                return done
        # Then they are plain messages, surely of this shape.
        shape = shape_of(messages) if found is not None else None
    held, framework = Held(), framework_of(messages)
    before = judged = _judged(messages, profile, held, shape, framework)
    original = {item.uid: (item, message) for item, message in zip(judged.items, messages, strict=True)}
    if chosen.pick is not None:
        taken, judged = carefully(judged, _apply, chosen.pick, _missing, _carried_out).made
    else:
        (taken, judged), _ = _carried_out(judged, chosen.run(judged, _apply, Options(max_id_length)))
    left = _errors(judged.problems)
    if not taken:
        return Repaired(listed, (), left)
    return Repaired(
        [_handed_back(item, original.get(item.uid), held, framework) for item in judged.items],
        tuple(taken),
        left,
        ((before, judged),),
    )


def _errors(problems: Iterable[Problem]) -> tuple[Problem, ...]:
    return tuple(problem for problem in problems if problem.severity == "error")


def _repaired_windows(
    given: Sequence[Any], messages: Sequence[Any], windows: ListWindows, pick: Pick
) -> Repaired | None:
    """Only what the fixes reach is read and judged again. None where that may not come out as with the whole, of which
    other parts may say what a fix would take along.
    """
    taken: list[Taken] = []
    states: dict[int, tuple[CheckedRecords, CheckedRecords]] = {}
    made = list(messages)
    apply = partial(_apply, highest=len(messages) - 1)
    for number, (found, first) in enumerate(windows.placed()):
        before = found.found.judged
        if any(map(pick, before.problems)):
            some, after = carefully(before, apply, pick, _missing, _carried_out).made
            if any(map(pick, after.problems)):
                return None
            if some:
                states[number] = before, after
                taken += [replace(one, message=None if one.message is None else one.message + first) for one in some]
    now = windows.changed({number: after for number, (_, after) in states.items()})
    if now is None:
        return None
    for before, after in reversed(states.values()):
        own = {item.uid: (item, messages[item.uid]) for item in before.items}
        start, end = before.items[0].uid, before.items[-1].uid + 1
        made[start:end] = [_handed_back(item, own.get(item.uid), None) for item in after.items]
    return Repaired(made if states else given, tuple(taken), _errors(now.problems), tuple(states.values()))


def _missing(opened: CheckedRecords, first: CheckedRecords, now: CheckedRecords) -> Losses:
    changed = [(opened, now)]
    return less_sent(first, now) + gone(changed, missing_texts(changed))


def _carried_out(
    state: CheckedRecords, steps: Iterator[RecipeStep[CheckedRecords]]
) -> tuple[tuple[list[Taken], CheckedRecords], CheckedRecords]:
    taken: list[Taken] = []
    for step in steps:
        state = step.after
        taken.extend(Taken(problem.rule, fix.id, fix.title, problem.message, fix.loses) for problem, fix in step.taken)
    return (taken, state), state


def _handed_back(
    item: Item, given: tuple[Item, Any] | None, held: Held | None, framework: Framework | None = None
) -> Any:
    """The original object if the item still equals it; else a dict, or an object of the framework."""
    if given is not None and (given[0] is item or given[0].value == item.value):
        return given[1]
    value = held.whole(item.value) if held else item.value
    if framework is None or (given is not None and not framework.is_read(given[1])):
        return value
    made = framework.made(value, framework.like)
    if given is not None and hasattr(made, framework.kept) and hasattr(given[1], framework.kept):
        setattr(made, framework.kept, getattr(given[1], framework.kept))
    return made


def _listed(messages: Any) -> Sequence[Any]:
    """The messages as a sequence, the original one if it is a sequence. Consumes no iterator."""
    if isinstance(messages, Sequence) and not isinstance(messages, (str, bytes, bytearray, memoryview)):
        return messages
    if isinstance(messages, Mapping):
        raise TypeError('these are not messages but a dict; give the list itself, such as body["messages"]')
    if isinstance(messages, (str, bytes, bytearray, memoryview)):
        raise TypeError("these are not messages but text; use toolpair.open for files")
    if isinstance(messages, Iterator):
        raise TypeError("these messages can be read only once; make a list of them")
    if isinstance(messages, Set) or not isinstance(messages, Iterable):
        raise TypeError(f"these are not messages but {type(messages).__name__}; give a list of messages")
    return list(messages)


def _apply(judged: CheckedRecords, edits: Any, highest: int = -1) -> CheckedRecords:
    """`highest` is the last number that a message outside of these has."""
    items = judged.apply(edits)
    highest = max(highest, *(item.uid for item in judged.items), -1)
    numbered: list[Item] = []
    for item in items:
        if item.uid < 0:
            highest += 1
            item = Item(highest, item.value)
        numbered.append(item)
    return judged.with_items(numbered)


def _judged(
    messages: Sequence[Any],
    profile: str | None,
    held: Held | None = None,
    shape: str | None = None,
    framework: Framework | None = None,
) -> CheckedRecords:
    """All of them as one; with `shape`, plain messages that are known to be of this format."""
    if profile is not None and not is_profile(profile):
        raise ValueError(no_such_profile(profile))
    # What is plain JSON, as nearly all of it is, is not nested too deeply.
    held = None if shape is not None or json_of(messages) is not None else Held() if held is None else held
    plains = messages
    if shape is None:
        plains = [_plain(number, one, held, framework) for number, one in enumerate(messages)]
    items = [Item(number, value) for number, value in enumerate(plains)]
    found = _format_for(list(plains), profile, framework) if shape is None else get_format(shape)
    ids = Ids(None, items, found)
    return CheckedRecords(items, found, profile_named(profile or found.profile), ids=ids)


@contextmanager
def _only_documented_errors() -> Iterator[None]:
    """An object in the messages may do anything when it is read, compared or printed."""
    try:
        yield
    except (ValueError, TypeError, MemoryError):
        raise
    except Exception as error:
        raise ValueError(f"these messages cannot be read: {in_short(error)}") from error


def _plain(number: int, message: Any, held: Held | None, framework: Framework | None) -> Any:
    try:
        if framework is not None and framework.is_read(message):
            message = framework.plain(message)
        if held is not None and is_deeper(message, LEVELS):
            try:
                message = held.shallow(message)
            except ValueError:
                raise RecursionError from None
        return plain(message)
    except RecursionError:
        raise ValueError(f"message {number} is nested too deeply, or contains itself") from None
    except Exception as error:
        what = type(message).__name__
        raise ValueError(f"message {number}, a {what}, cannot be read: {in_short(error)}") from error


def _format_for(values: list[Any], profile: str | None, framework: Framework | None = None) -> Format:
    """The format the messages look like; if several fit, the one that the profile is used with."""
    from toolpair.formats.forms.detection import form_of_list
    from toolpair.formats.forms.registry import form_of

    if framework is not None:
        of_its_lists = get_format(framework.form)
        own = form_of(of_its_lists)
        return of_its_lists if own is None else own.for_list(values).format
    if not values:
        return get_format(ANTHROPIC if profile is None else shape_of_profile(profile))
    shape = ListEvidence().hear_all(values).shape(profile)
    if shape is not None:
        return get_format(shape)
    form = form_of_list(values)
    if form is None:
        raise ValueError(why_not_understood(values))
    return form


class Held:
    """What is nested deeper in messages than is read: kept by its stand-in, and put back."""

    def __init__(self) -> None:
        self._objects: dict[DeepValue, Any] = {}

    def shallow(self, value: Any, level: int = 1) -> Any:
        """The value with what is below the levels that are read held. Raises ValueError if it contains itself."""
        if not isinstance(value, (dict, list)):
            return value
        if level > LEVELS:
            if _contains_itself(value):
                raise ValueError
            held = DeepValue(b"%d" % id(value))
            self._objects[held] = value
            return held
        if isinstance(value, dict):
            return {key: self.shallow(member, level + 1) for key, member in value.items()}
        return [self.shallow(member, level + 1) for member in value]

    def whole(self, value: Any) -> Any:
        """The value with what was held in its place again."""
        if isinstance(value, DeepValue):
            return self._objects.get(value, value)
        if isinstance(value, dict):
            return {key: self.whole(member) for key, member in value.items()}
        return [self.whole(member) for member in value] if isinstance(value, list) else value

    def __bool__(self) -> bool:
        return bool(self._objects)


def _contains_itself(value: Any) -> bool:
    above: set[int] = set()
    done: set[int] = set()
    todo: list[tuple[Any, bool]] = [(value, False)]
    while todo:
        here, left = todo.pop()
        if left:
            above.discard(id(here))
            done.add(id(here))
        elif id(here) in above:
            return True
        elif id(here) not in done and isinstance(here, (dict, list)):
            above.add(id(here))
            todo.append((here, True))
            todo.extend((below, False) for below in (here.values() if isinstance(here, dict) else here))
    return False
