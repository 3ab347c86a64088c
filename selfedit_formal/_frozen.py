"""`dataclasses.dataclass` with slots, in a twentieth of the time: a command makes hundreds of such classes.

`dataclasses` compiles seven functions for each class. Here `__init__`, `__eq__` and `__hash__` are compiled when they
are first called, which for most never happens, and the others are shared. `fields`, `replace`, `is_dataclass` and
`asdict` of `dataclasses` work on both. A class has no other dataclass for a base.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from dataclasses import MISSING, Field, FrozenInstanceError
from typing import Any, Literal, NoReturn, TypeVar, dataclass_transform

T = TypeVar("T")


@dataclass_transform(field_specifiers=(dataclasses.field,))
def dataclass(*, slots: Literal[True], frozen: bool = False, eq: bool = True) -> Callable[[type[T]], type[T]]:
    """As `dataclasses.dataclass` with these arguments."""
    methods: dict[str, Any] = {
        "__repr__": _repr,
        "__getstate__": _state,
        "__setstate__": _restore,
        **({"__eq__": _first_eq, "__hash__": _first_hash if frozen else None} if eq else {}),
    }
    always = {"__init__": _first_init, **({"__setattr__": _no_change, "__delattr__": _no_change} if frozen else {})}
    return lambda cls: _made(cls, methods, always)


def _made(cls: type[T], methods: Mapping[str, object], always: Mapping[str, object]) -> type[T]:
    """The class with slots, and with the methods that it does not define itself."""
    fields = {name: _field(name, kind, cls.__dict__.get(name, MISSING)) for name, kind in cls.__annotations__.items()}
    own = {name: value for name, value in cls.__dict__.items() if name not in {*fields, "__dict__", "__weakref__"}}
    body = {
        **methods,
        **own,
        **always,
        "__slots__": tuple(fields),
        "__match_args__": tuple(f.name for f in fields.values() if f.init),
        "__qualname__": cls.__qualname__,
        "__dataclass_fields__": fields,
    }
    again: Callable[..., type[T]] = type(cls)
    return again(cls.__name__, cls.__bases__, body)


def _field(name: str, kind: Any, given: Any) -> Field[Any]:
    field: Any = given if isinstance(given, Field) else dataclasses.field(default=given)
    field.name, field.type, field.kw_only = name, kind, False
    field._field_type = dataclasses._FIELD  # type: ignore[attr-defined]
    return field  # type: ignore[no-any-return]


# ---------- compiled at the first call


def _first_init(self: Any, *args: Any, **kwargs: Any) -> None:
    cls = type(self)
    parameters, lines = ["self"], []
    known: dict[str, Any] = {"_set": object.__setattr__, "_missing": MISSING}
    for name, field in cls.__dataclass_fields__.items():
        value = name
        if not field.init:
            continue
        if field.default_factory is not MISSING:
            known[f"_make_{name}"] = field.default_factory
            parameters.append(f"{name}=_missing")
            value = f"_make_{name}() if {name} is _missing else {name}"
        elif field.default is not MISSING:
            known[f"_default_{name}"] = field.default
            parameters.append(f"{name}=_default_{name}")
        else:
            parameters.append(name)
        lines.append(f"_set(self, {name!r}, {value})")
    if hasattr(cls, "__post_init__"):
        lines.append("self.__post_init__()")
    cls.__init__ = _compiled("__init__", parameters, lines or ["pass"], known)
    cls.__init__(self, *args, **kwargs)


def _first_eq(self: Any, other: object) -> Any:
    cls = type(self)
    compared = [f.name for f in cls.__dataclass_fields__.values() if f.compare]
    same = f"{_values('self', compared)} == {_values('other', compared)}"
    cls.__eq__ = _compiled(
        "__eq__", ["self", "other"], [f"return {same} if other.__class__ is self.__class__ else NotImplemented"], {}
    )
    return cls.__eq__(self, other)


def _first_hash(self: Any) -> int:
    cls = type(self)
    hashed = [f.name for f in cls.__dataclass_fields__.values() if (f.compare if f.hash is None else f.hash)]
    cls.__hash__ = _compiled("__hash__", ["self"], [f"return hash({_values('self', hashed)})"], {})
    return hash(self)


def _values(of: str, names: list[str]) -> str:
    return f"({''.join(f'{of}.{name},' for name in names)})"


def _compiled(name: str, parameters: list[str], lines: list[str], known: dict[str, Any]) -> Callable[..., Any]:
    exec(f"def {name}({', '.join(parameters)}):\n " + "\n ".join(lines), known)
    return known[name]  # type: ignore[no-any-return]


# ---------- shared by all classes


def _repr(self: Any) -> str:
    shown = [f.name for f in dataclasses.fields(self) if f.repr]
    return f"{type(self).__qualname__}({', '.join(f'{name}={getattr(self, name)!r}' for name in shown)})"


def _state(self: Any) -> list[object]:
    return [getattr(self, name) for name in self.__slots__]


def _restore(self: Any, state: list[object]) -> None:
    for name, value in zip(self.__slots__, state, strict=True):
        object.__setattr__(self, name, value)


def _no_change(self: object, name: str, *value: object) -> NoReturn:
    raise FrozenInstanceError(f"cannot change the field `{name}`")
