"""Dataclasses whose methods are made when they are first used; otherwise they are those of the standard library.

The standard library compiles about five methods for each class while its module is imported. That is half a
millisecond, and a check of a small file meets more than a hundred classes. Here `__init__` is compiled when there are
more than a few instances, and what else a class needs is made of closures.

To type checkers these are the functions of `dataclasses`; its `fields`, `replace`, `asdict` and `is_dataclass` know the
instances, too. Only what this package uses is there: no `InitVar`, no `kw_only`, no annotation that is not a string
(each module has `from __future__ import annotations`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from dataclasses import dataclass as dataclass  # noqa: PLC0414 - to be imported from here
    from dataclasses import field as field  # noqa: PLC0414
    from dataclasses import replace as replace  # noqa: PLC0414
else:
    from operator import attrgetter, ge, gt, le, lt
    from reprlib import recursive_repr

    _NOTHING = object()
    _FEW = 8
    _FIELDS = "__dataclass_fields__"
    _LAYOUT = "__dataclass_layout__"

    class _Field:
        """One field: its default or the factory of it, and which methods know it."""

        __slots__ = ("compare", "default", "factory", "init", "name", "repr")

        def __init__(self, default=_NOTHING, factory=_NOTHING, init=True, repr=True, compare=True):
            self.default = default
            self.factory = factory
            self.init = init
            self.repr = repr
            self.compare = compare

    def field(*, default=_NOTHING, default_factory=_NOTHING, init=True, repr=True, compare=True):
        return _Field(default, default_factory, init, repr, compare)

    def dataclass(cls=None, /, *, frozen=False, slots=False, eq=True, order=False, weakref_slot=False):
        def made(cls):
            layout = _layout(cls)
            own = cls.__dict__
            if slots:
                cls = _with_slots(cls, layout, weakref_slot)
                if frozen:
                    _add(cls, __getstate__=_get_state, __setstate__=_set_state)
            setattr(cls, _LAYOUT, layout)
            setattr(cls, _FIELDS, _RealFields())
            _add(cls, __init__=_first_init(cls, frozen, slots), __repr__=_repr)
            _add(cls, __match_args__=tuple(name for name, found in layout.items() if found.init))
            if eq:
                compared = _getter([name for name, found in layout.items() if found.compare])
                hashed = own.get("__hash__") is not None
                _add(cls, __eq__=_comparing(compared, None))
                if not hashed:
                    cls.__hash__ = (lambda self: hash(compared(self))) if frozen else None
                if order:
                    _add(cls, **{f"__{how.__name__}__": _comparing(compared, how) for how in (lt, le, gt, ge)})
            if frozen:
                _add(cls, __setattr__=_refuse_to_set, __delattr__=_refuse_to_delete)
            return cls

        return made if cls is None else made(cls)

    def replace(obj, /, **changes):
        for name, found in getattr(obj, _LAYOUT).items():
            if found.init:
                if name not in changes:
                    changes[name] = getattr(obj, name)
            elif name in changes:
                raise ValueError(f"field {name} is declared with init=False, it cannot be specified with replace()")
        return obj.__class__(**changes)

    def _add(cls, **members):
        """Set what the class has not defined itself."""
        for name, member in members.items():
            if name not in cls.__dict__:
                setattr(cls, name, member)

    def _layout(cls):
        """Name -> field, those of the bases first."""
        layout = {}
        for base in reversed(cls.__mro__[1:]):
            layout.update(base.__dict__.get(_LAYOUT, ()))
        for name, kind in cls.__annotations__.items():
            if kind.startswith(("ClassVar", "typing.ClassVar")):
                continue
            default = cls.__dict__.get(name, _NOTHING)
            found = default if isinstance(default, _Field) else _Field(default)
            found.name = name
            if found.default.__class__.__module__ == "dataclasses":
                raise TypeError(f"field {name} is one of another kind of dataclass")
            if found.default.__class__.__hash__ is None:
                raise ValueError(f"mutable default for field {name} is not allowed: use default_factory")
            if found.default is not _NOTHING:
                setattr(cls, name, found.default)
            elif default is found:
                delattr(cls, name)
            layout[name] = found
        return layout

    def _with_slots(cls, layout, weakref_slot):
        """The class anew with its own fields in slots, whose defaults would be in their way."""
        inherited = {name for base in cls.__mro__[1:] for name in base.__dict__.get("__slots__", ())}
        members = {name: member for name, member in cls.__dict__.items() if name not in layout}
        members.pop("__dict__", None)
        members.pop("__weakref__", None)
        members["__slots__"] = (
            *(name for name in layout if name not in inherited),
            *(("__weakref__",) if weakref_slot else ()),
        )
        made = type(cls)(cls.__name__, cls.__bases__, members)
        made.__qualname__ = cls.__qualname__
        return made

    def _first_init(cls, frozen, slots):
        """An `__init__` for few instances: it compiles the real one and stands back for it when there are more."""
        left = _FEW

        def __init__(self, *args, **named):
            nonlocal left
            left -= 1
            if left < 0 or not _fill(self, getattr(cls, _LAYOUT), args, named):
                if cls.__init__ is __init__:
                    cls.__init__ = _compile_init(cls, frozen, slots)
                cls.__init__(self, *args, **named)

        return __init__

    def _fill(self, layout, args, named):
        """Set the fields; False when the arguments are not those of the class, which the real `__init__` tells."""
        given = dict(zip([name for name, found in layout.items() if found.init], args, strict=False))
        if len(given) < len(args) or not given.keys().isdisjoint(named):
            return False
        given |= named
        for name, found in layout.items():
            if name in given and found.init:
                value = given.pop(name)
            elif found.factory is not _NOTHING:
                value = found.factory()
            elif found.default is not _NOTHING:
                value = found.default
            elif found.init:
                return False
            else:
                continue
            object.__setattr__(self, name, value)
        if given:
            return False
        if hasattr(self, "__post_init__"):
            self.__post_init__()
        return True

    def _compile_init(cls, frozen, slots):
        parameters, lines, names = [], [], {"_NOTHING": _NOTHING, "_object": object.__setattr__}
        for name, found in getattr(cls, _LAYOUT).items():
            value = name
            if found.factory is not _NOTHING:
                names[f"_made_{name}"] = found.factory
                value = f"_made_{name}()"
                if found.init:
                    parameters.append(f"{name}=_NOTHING")
                    value += f" if {name} is _NOTHING else {name}"
            elif found.default is not _NOTHING:
                names[f"_default_{name}"] = found.default
                if found.init:
                    parameters.append(f"{name}=_default_{name}")
                else:
                    value = f"_default_{name}"
            elif found.init:
                parameters.append(name)
            else:
                continue
            if not frozen:
                lines.append(f"self.{name} = {value}")
            elif slots:
                names[f"_set_{name}"] = getattr(cls, name).__set__  # half the cost of object.__setattr__
                lines.append(f"_set_{name}(self, {value})")
            else:
                lines.append(f"_object(self, {name!r}, {value})")
        if hasattr(cls, "__post_init__"):
            lines.append("self.__post_init__()")
        head = f"def __init__({', '.join(['self', *parameters])}):"
        body = "\n  ".join(lines or ["pass"])
        made = {}
        # What an outer function is given are cells, which are read faster than globals.
        exec(f"def make({', '.join(names)}):\n {head}\n  {body}\n return __init__", {}, made)
        init = made["make"](**names)
        init.__qualname__ = f"{cls.__qualname__}.__init__"
        init.__module__ = cls.__module__
        return init

    def _getter(names):
        """The values of the fields, as a tuple."""
        if len(names) > 1:
            return attrgetter(*names)
        return (lambda self: (getattr(self, names[0]),)) if names else (lambda self: ())

    def _comparing(values, how):
        def compare(self, other):
            if other.__class__ is not self.__class__:
                return NotImplemented
            return values(self) == values(other) if how is None else how(values(self), values(other))

        return compare

    @recursive_repr()
    def _repr(self):
        shown = (f"{name}={getattr(self, name)!r}" for name, found in getattr(self, _LAYOUT).items() if found.repr)
        return f"{self.__class__.__qualname__}({', '.join(shown)})"

    def _refuse_to_set(self, name, value):
        from dataclasses import FrozenInstanceError

        raise FrozenInstanceError(f"cannot assign to field {name!r}")

    def _refuse_to_delete(self, name):
        from dataclasses import FrozenInstanceError

        raise FrozenInstanceError(f"cannot delete field {name!r}")

    def _get_state(self):
        return [getattr(self, name) for name in getattr(self, _LAYOUT)]

    def _set_state(self, state):
        for name, value in zip(getattr(self, _LAYOUT), state, strict=True):
            object.__setattr__(self, name, value)

    class _RealFields:
        """`__dataclass_fields__` for the functions of the standard library: made by itself, when one of them asks."""

        def __get__(self, instance, owner):
            import dataclasses

            shadow = {"__annotations__": {}}
            for name, found in getattr(owner, _LAYOUT).items():
                shadow["__annotations__"][name] = owner.__annotations__.get(name, "object")
                given = {} if found.default is _NOTHING else {"default": found.default}
                if found.factory is not _NOTHING:
                    given = {"default_factory": found.factory}
                shadow[name] = dataclasses.field(
                    **given, init=found.init, repr=found.repr, compare=found.compare, kw_only=False
                )
            made = dataclasses.dataclass(eq=False, init=False)(type(owner.__name__, (), shadow))
            setattr(owner, _FIELDS, getattr(made, _FIELDS))
            return getattr(made, _FIELDS)
