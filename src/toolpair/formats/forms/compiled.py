"""Python made from a table, which reads elements some ten times faster than walking its paths would.

Only keys and values of the table get into the source, each as a literal; what the parts of an element become is made
by the functions that the caller names. So one source makes blocks, and the few facts that a scan wants.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from functools import cached_property
from typing import Any, Final

from msgspec import Struct

from toolpair.formats.forms.paths import At, Condition, Each, InMap, Key, Only, Path, conditions_of, path_of
from toolpair.formats.forms.table import Call, Paths, Result, Table

Slot = tuple[str | int, ...]
KEY_OF: Final = "~"
"""In a slot: what follows is a key, not its value."""
INSIDE: Final = "="
"""The end of the slot of a result that is a part of its call."""


class Rule(Struct, frozen=True, eq=False):
    """What a table says of one kind of calls or results, with its paths from the element on."""

    table: Call | Result
    at: Path
    id: tuple[Path, ...]
    name: tuple[Path, ...]
    content: tuple[Path, ...]
    """A result's, or a call's arguments."""
    copies: tuple[tuple[Path, Path], ...]
    """(where the unit is, where in it its id is)."""

    strip: str = ""
    inside: bool = False
    signature: tuple[Path, ...] = ()
    media: tuple[Path, ...] = ()


Emit = Callable[[str, str], None]
"""(variable, the elements of its slot as source) -> the lines for it are written."""


class _Part(Struct, frozen=True):
    """One thing that is looked for in an element."""

    kind: str
    path: Path
    rule: Rule | None = None


class Source:
    """Lines of Python, and the values that they name."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.values: dict[str, Any] = {}
        self._indent = 0
        self._count = 0

    def fresh(self, letter: str = "v") -> str:
        self._count += 1
        return f"{letter}{self._count}"

    def value(self, held: Any) -> str:
        name = self.fresh("k")
        self.values[name] = held
        return name

    def line(self, text: str) -> None:
        self.lines.append("    " * self._indent + text)

    @contextmanager
    def block(self, text: str | None) -> Iterator[None]:
        """What is written in it is indented, below this line if there is one."""
        if text is not None:
            self.line(text)
        self._indent += text is not None
        yield
        self._indent -= text is not None

    def function(self, name: str, parameters: str) -> AbstractContextManager[None]:
        return self.block(f"def {name}({parameters}):")

    def run(self, name: str, values: Mapping[str, Any] | None = None) -> dict[str, Callable[..., Any]]:
        made = {**self.values, **(values or {})}
        exec(compile("\n".join(self.lines), name, "exec"), made)
        return made

    # --- paths -------------------------------------------------------------------------------------------

    def walk(self, path: Path, var: str, emit: Emit, slot: str = "", is_object: bool = False) -> None:
        """Write what finds all values at a path; `emit` writes what is done with each."""
        if not path:
            emit(var, slot)
            return
        step, rest = path[0], path[1:]
        match step:
            case Key(names):
                key, made = repr(names[0]), self.fresh()
                with self.block(None if is_object else f"if type({var}) is dict:"):
                    if len(names) > 1:
                        key = self.fresh("n")
                        chosen = "".join(f"{name!r} if {var}.get({name!r}) is not None else " for name in names[:-1])
                        self.line(f"{key} = {chosen}{names[-1]!r}")
                    self.line(f"{made} = {var}.get({key})")
                    with self.block(f"if {made} is not None:"):
                        self.walk(rest, made, emit, f"{slot}{key}, ")
            case Each(conditions):
                made, number = self.fresh(), self.fresh("n")
                meets = f"if type({made}) is dict and {self.test(conditions, made)}:" if conditions else None
                with (
                    self.block(f"if type({var}) is list:"),
                    self.block(f"for {number}, {made} in enumerate({var}):"),
                    self.block(meets),
                ):
                    self.walk(rest, made, emit, f"{slot}{number}, ", bool(conditions))
            case Only(conditions):
                with self.block(f"if type({var}) is dict and {self.test(conditions, var)}:"):
                    self.walk(rest, var, emit, slot, True)
            case At(index):
                made, number = self.fresh(), self.fresh("n")
                with self.block(f"if type({var}) is list and {-index if index < 0 else index + 1} <= len({var}):"):
                    self.line(f"{number} = {index} % len({var})")
                    self.line(f"{made} = {var}[{number}]")
                    self.walk(rest, made, emit, f"{slot}{number}, ")
            case InMap(keys):
                made, number = self.fresh(), self.fresh("n")
                with (
                    self.block(f"if type({var}) is dict:"),
                    self.block(f"for {number}, {made} in list({var}.items()):"),
                ):
                    self.walk(
                        rest, number if keys else made, emit, f"{slot}{repr(KEY_OF) + ', ' if keys else ''}{number}, "
                    )

    def first(self, paths: Sequence[Path], var: str) -> str:
        """The first value at any of these paths of an object, as source."""
        if not paths:
            return "None"
        if len(paths) == 1 and (held := self._held(paths[0], var)) is not None:
            return held
        return f"{self._helper('f', 'None', lambda: self._returning(paths))}({var})"

    def _held(self, path: Path, var: str) -> str | None:
        """What an object has under a key, or a key below it, as source; None for any other path."""
        names = [step.names[0] for step in path if isinstance(step, Key) and len(step.names) == 1]
        if not names or len(names) < len(path):
            return None
        held = f"{var}.get({names[0]!r})"
        for name in names[1:]:
            above = self.fresh()
            held = f"({above}.get({name!r}) if type({above} := {held}) is dict else None)"
        return held

    def _returning(self, paths: Sequence[Path]) -> None:
        for path in paths:
            self.walk(path, "o", lambda var, _: self.line(f"return {var}"))

    def _helper(self, letter: str, otherwise: str, body: Callable[[], None]) -> str:
        """A function of `o` at the module's level, written in front of what is being written."""
        lines, self.lines, indent, self._indent = self.lines, [], self._indent, 0
        name = self.fresh(letter)
        with self.function(name, "o"):
            body()
            self.line(f"return {otherwise}")
        lines[:0], self.lines, self._indent = self.lines, lines, indent
        return name

    # --- conditions --------------------------------------------------------------------------------------

    def test(self, conditions: Sequence[Condition], var: str) -> str:
        """Whether an object meets all of these, as source."""
        return "(" + (" and ".join(self._condition(one, var) for one in conditions) or "True") + ")"

    def any_of(self, texts: Sequence[str], var: str, at: Path = ()) -> str:
        """Whether it meets any of these conditions of a table."""
        return "(" + (" or ".join(self.test(_below(at, conditions_of(text)), var) for text in texts) or "False") + ")"

    def _condition(self, one: Condition, var: str) -> str:
        if (held := self._held(one.path, var)) is not None:
            match one.operator:
                case "has":
                    return f"{held} is not None"
                case "lacks":
                    return f"not {held}"
                case "object":
                    return f"type({held}) is dict"
                case "is" if not any(map(_may_be_other, one.values)):
                    return f"{held} == {one.values[0]!r}" if len(one.values) == 1 else f"{held} in {one.values!r}"
        if one.operator == "has" and len(one.path) == 1 and isinstance(one.path[0], Key):
            return f"({' or '.join(f'{var}.get({name!r}) is not None' for name in one.path[0].names)})"
        negative = one.operator in ("lacks", "is not")

        def body() -> None:
            def found(value: str, _: str) -> None:
                with self.block(f"if {_matches(one, value)}:"):
                    self.line(f"return {not negative}")

            self.walk(one.path, "o", found)

        return f"{self._helper('c', str(negative), body)}({var})"


def _may_be_other(word: str) -> bool:
    """Whether a value that is written in a condition may mean a number or a truth."""
    return word in ("true", "false") or word.lstrip("-").isdigit()


def _matches(one: Condition, var: str) -> str:
    match one.operator:
        case "has":
            return "True"
        case "lacks":
            return var
        case "object":
            return f"type({var}) is dict"
        case "begins":
            return f"isinstance({var}, str) and {var}.startswith({one.values!r})"
    tests = [f"{var} == {word!r}" for word in one.values]
    tests += [f"{var} is {word == 'true'}" for word in one.values if word in ("true", "false")]
    tests += [f"(type({var}) is int and {var} == {int(word)})" for word in one.values if word.lstrip("-").isdigit()]
    return " or ".join(tests)


def _below(at: Path, conditions: Sequence[Condition]) -> list[Condition]:
    return [Condition((*at, *one.path), one.operator, one.values) for one in conditions]


def listed(paths: Paths) -> list[str]:
    return [path for path in ([paths] if isinstance(paths, str) else paths) if path]


class Compiled:
    """A table made ready for use."""

    def __init__(self, table: Table, shown: str) -> None:
        self.table = table
        self.shown = shown
        self.at = path_of(table.at)

    @cached_property
    def rules(self) -> Sequence[Rule]:
        return [*map(self._rule, self.table.call), *map(self._rule, self.table.result)]

    def whole(self, path: str) -> Path:
        """A path of the table from the element on."""
        return path_of(path[1:]) if path.startswith("/") else (*self.at, *path_of(path))

    def _rule(self, one: Call | Result) -> Rule:
        content = one.arguments if isinstance(one, Call) else one.content
        id_, name, held = (tuple(map(path_of, listed(paths))) for paths in (one.id, one.name, content))
        copies = tuple((self.whole(copy.at), path_of(copy.id)) for copy in one.copy)
        strip, inside = (one.strip, False) if isinstance(one, Call) else ("", one.inside)
        signature = tuple(map(path_of, listed(one.signature))) if isinstance(one, Call) else ()
        media = tuple(map(path_of, listed(one.media))) if isinstance(one, Result) else ()
        return Rule(one, self.whole(one.at), id_, name, held, copies, strip, inside, signature, media)

    def functions(self, makers: Mapping[str, Any]) -> Mapping[str, Any]:
        """`blocks`, `role` and the others, with these functions to make what is found."""
        return self._reading.run(f"<{self.shown}>", makers)

    @cached_property
    def tests(self) -> Mapping[str, Any]:
        """The functions that tell whether an element is of this form. Of most tables no others are asked for."""
        source, evidence = Source(), self.table.evidence
        _test(source, "some", source.any_of(evidence.some, "e"))
        _test(source, "none", source.any_of(evidence.none, "e"))
        each = " and ".join(source.test(conditions_of(text), "e") for text in evidence.each) or "True"
        _test(source, "mine", f"{each} and not none(e)")
        _test(source, "around", source.any_of(evidence.file, "e"))
        return source.run(f"<{self.shown}>")

    def finder(self, path: Path) -> Callable[[Any], Iterator[tuple[Slot, Any]]]:
        """A function that finds each place of a path in a value, with what is there."""
        source = Source()
        with source.function("find", "o"):
            source.line("yield from ()")
            source.walk(path, "o", lambda var, slot: source.line(f"yield ({slot}), {var}"))
        return source.run(f"<{self.shown}>")["find"]

    def meets(self, texts: Sequence[str]) -> Callable[[Any], bool]:
        """A function that says whether an element meets all of these conditions, and there is one."""
        source = Source()
        tests = " and ".join(source.test(conditions_of(text), "e") for text in texts) or "False"
        _test(source, "meets", f"type(e) is dict and {tests}")
        return source.run(f"<{self.shown}>")["meets"]

    # --- the source --------------------------------------------------------------------------------------

    @cached_property
    def _reading(self) -> Source:
        source, table = Source(), self.table
        _test(source, "skipped", source.any_of(table.skip, "e"))
        for name, texts in (("role", table.role), ("group", [] if table.group is None else [table.group])):
            with source.function(name, "e"):
                for text in texts:
                    self._returned(source, text, name)
                source.line("return None")
        self._blocks(source)
        return source

    def _returned(self, source: Source, text: str, name: str) -> None:
        roles = self.table.roles
        known = f" and {{}} in {tuple(roles)!r}" if name == "role" and text != self.table.role[-1] else ""

        def emit(var: str, _: str) -> None:
            with source.block(f"if type({var}) is str{known.format(var)}:"):
                source.line(f"return {var}")

        source.walk(self.whole(text), "e", emit, is_object=True)

    def _parts(self) -> list[_Part]:
        table = self.table
        parts = [_Part("call" if isinstance(one.table, Call) else "result", one.at, one) for one in self.rules]
        parts += [_Part("thinking", self.whole(text)) for text in table.thinking]
        parts += [_Part("text", self.whole(text)) for text in table.text]
        parts += [_Part("image", self.whole(text)) for text in table.images]
        parts += [_Part("copy", at) for rule in self.rules for at, _ in rule.copies if _list_of(at)]
        return parts + ([] if table.step is None else [_Part("step", self.whole(table.step))])

    def _blocks(self, source: Source) -> None:
        """`blocks(e, r)`: what stands in an element, in order: first what it says, then its calls."""
        alone = [part for part in self._parts() if not _list_of(part.path)]
        lists: dict[Path, list[_Part]] = {}
        for part in self._parts():
            if _list_of(part.path) and (part.kind != "copy" or _list_of(part.path) in lists):
                lists.setdefault(_list_of(part.path), []).append(part)
        results = [part for part in alone if part.kind == "result" and not (part.rule and part.rule.inside)]
        with source.function("blocks", "e, r"):
            source.line("made = []")
            source.line("add = made.append")
            source.line("swallow = False")
            for part in results:
                _alone(source, part, "swallow = True")
            with source.block("if not swallow:"):
                source.line("pass")
                for part in (part for part in alone if part.kind in ("thinking", "text")):
                    _alone(source, part)
                for head, found in sorted(
                    lists.items(), key=lambda pair: all(part.rule is not None for part in pair[1])
                ):
                    _in_list(source, head, found)
            for part in (part for part in alone if part.rule is not None and part not in results):
                _alone(source, part)
            source.line("return made")


def _test(source: Source, name: str, test: str) -> None:
    with source.function(name, "e"):
        source.line(f"return {test}")


def _alone(source: Source, part: _Part, then: str = "") -> None:
    """What is found in one place of an element."""

    def emit(var: str, slot: str) -> None:
        _made(source, part, var, slot, then, " and {}")

    source.walk(part.path, "e", emit, is_object=True)


def _in_list(source: Source, head: Path, parts: Sequence[_Part]) -> None:
    """What is found in the parts of a list: each is the first thing that it can be."""

    def emit(var: str, slot: str) -> None:
        number, one = source.fresh("n"), source.fresh()
        with source.block(f"if type({var}) is list:"), source.block(f"for {number}, {one} in enumerate({var}):"):
            place = f"{slot}{number}, "
            words = [part for part in parts if part.kind == "image" or _is_plain(part)]
            for part in words[:1]:
                on_element, _ = _guards(part.path)
                test = f" and {source.test(on_element, 'e')}" if on_element else ""
                with source.block(f"if type({one}) is str{test}:"):
                    source.line(f"add(said({part.kind!r}, r, ({place}), {one}))")
            with source.block(f"if type({one}) is not dict:"):
                source.line("continue")
            source.line("hit = False")
            for part in (part for part in parts if part not in words):
                _one_of(source, part, one, place)
            with source.block("if not hit:"):
                source.line(f"add(other(r, ({place}), {one}))")

    source.walk(tuple(step for step in head if not isinstance(step, Only)), "e", emit, is_object=True)


def _is_plain(part: _Part) -> bool:
    """Whether it is about texts that are parts of a list themselves."""
    return part.kind == "text" and _guards(part.path) == ([], ()) and not _tail(part.path)


def _one_of(source: Source, part: _Part, one: str, place: str) -> None:
    on_element, on_part = _guards(part.path)
    if part.kind == "copy":
        with source.block(f"if {source.test(on_part, one)}:"):
            source.line("hit = True")
        return
    tests = [] if part.rule is not None and part.rule.inside else ["not hit"]
    tests += [source.test(on_element, "e")] if on_element else []
    tests += [source.test(on_part, one)] if on_part else []

    within = part.kind == "text" and any(isinstance(step, Each) for step in _tail(part.path))

    def emit(var: str, slot: str) -> None:
        _made(source, part, var, slot, "hit = True")
        if within:  # a list in a part: texts, and images between them
            with source.block(f"if type({var}) is dict:"):
                source.line(f"add(other(r, ({slot}), {var}))")
                source.line("hit = True")

    with source.block(f"if {' and '.join(tests) or 'True'}:"):
        source.walk(_tail(part.path), one, emit, place, True)


def _made(source: Source, part: _Part, var: str, slot: str, then: str, filled: str = "") -> None:
    """What is made of a value that was found."""
    rule = part.rule
    with source.block(
        f"if type({var}) is {'str' + filled.format(var) if rule is None and part.kind != 'step' else 'dict'}:"
    ):
        if rule is None:
            source.line(f"add(said({part.kind!r}, r, ({slot}), {var}))")
        else:
            id_, name, content = (source.first(paths, var) for paths in (rule.id, rule.name, rule.content))
            kind = f"server_{part.kind}" if rule.table.server else part.kind
            if isinstance(rule.table, Result):
                slot += f"{INSIDE!r}, " if rule.inside else ""
                error = source.any_of(rule.table.error, var)
                media = f", {source.first(rule.media, var)}" if rule.media else ""
                rest = f"{content}, {error}, {source.value(rule)}{media}"
                made = f"result({kind!r}, r, ({slot}), {id_}, {name}, {rest})"
            else:
                signed = f"{source.first(rule.signature, var)} or ''" if rule.signature else "None"
                made = f"call({kind!r}, r, ({slot}), {id_}, {name}, {content}, {source.value(rule)}, {signed})"
            source.line(f"add({made})")
        if then:
            source.line(then)


def _list_of(path: Path) -> Path:
    """The path of the list whose parts a path is about; () for one that is about no list of blocks."""
    at = next((n for n, step in enumerate(path) if isinstance(step, Each)), None)
    return () if at is None else tuple(step for step in path[:at] if not isinstance(step, Only))


def _guards(path: Path) -> tuple[list[Condition], tuple[Condition, ...]]:
    """The conditions on the element, and on the part of its list."""
    at = next(n for n, step in enumerate(path) if isinstance(step, Each))
    part = path[at]
    own: list[Condition] = []
    for n, step in enumerate(path[:at]):
        if isinstance(step, Only):
            own += _below(tuple(one for one in path[:n] if not isinstance(one, Only)), step.conditions)
    return own, part.conditions if isinstance(part, Each) else ()


def _tail(path: Path) -> Path:
    return path[next(n for n, step in enumerate(path) if isinstance(step, Each)) + 1 :]
