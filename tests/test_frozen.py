"""Our `dataclass` beside the one that it stands for."""

from __future__ import annotations

import dataclasses
import pickle
from collections.abc import Mapping
from copy import deepcopy
from dataclasses import FrozenInstanceError, asdict, field, fields, is_dataclass, replace
from typing import Any

import pytest

from selfedit_formal._frozen import dataclass


@dataclass(frozen=True, slots=True)
class Ours:
    """Of everything something."""

    number: int
    name: str = "x"
    place: int | None = field(default=None, compare=False, repr=False)
    many: Mapping[str, int] = field(default_factory=dict, hash=False)
    length: int = field(init=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "length", len(self.name))


@dataclasses.dataclass(frozen=True, slots=True)
class Theirs:
    number: int
    name: str = "x"
    place: int | None = field(default=None, compare=False, repr=False)
    many: Mapping[str, int] = field(default_factory=dict, hash=False)
    length: int = field(init=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "length", len(self.name))


@dataclass(frozen=True, slots=True)
class Nothing:
    pass


@dataclass(frozen=True, slots=True)
class Own:
    number: int

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Own)

    def __hash__(self) -> int:
        return 7

    def __repr__(self) -> str:
        return "own"


@dataclass(slots=True)
class Open:
    number: int


@dataclass(frozen=True, slots=True, eq=False)
class Itself:
    number: int


ARGUMENTS: tuple[tuple[tuple[Any, ...], dict[str, Any]], ...] = (
    ((1,), {}),
    ((1, "two"), {"place": 3}),
    ((), {"number": 1, "name": "two", "many": {"a": 1}}),
)


@pytest.mark.parametrize(("positional", "named"), ARGUMENTS)
def test_it_is_made_shown_hashed_and_taken_apart_as_theirs(positional: tuple[Any, ...], named: dict[str, Any]) -> None:
    ours, theirs = Ours(*positional, **named), Theirs(*positional, **named)
    assert repr(ours) == repr(theirs).replace("Theirs", "Ours")
    assert hash(ours) == hash(theirs)
    assert asdict(ours) == asdict(theirs)
    assert [f.name for f in fields(ours)] == [f.name for f in fields(theirs)]
    assert Ours.__match_args__ == Theirs.__match_args__


@pytest.mark.parametrize("kind", [Ours, Theirs])
@pytest.mark.parametrize("arguments", [{}, {"number": 1, "length": 3}, {"number": 1, "other": 2}])
def test_what_does_not_fit_is_refused(kind: Any, arguments: dict[str, int]) -> None:
    for _ in range(2):
        with pytest.raises(TypeError, match="__init__"):
            kind(**arguments)


def test_equal_are_those_of_one_class_whose_compared_fields_are() -> None:
    assert Ours(1) == Ours(1, place=5)
    assert Ours(1) != Ours(2)
    theirs: object = Theirs(1)
    assert Ours(1) != theirs
    assert Nothing() == Nothing()
    assert {Nothing(), Nothing()} == {Nothing()}


def test_a_frozen_one_does_not_change() -> None:
    one: Any = Ours(1)
    with pytest.raises(FrozenInstanceError, match="number"):
        one.number = 2
    with pytest.raises(FrozenInstanceError, match="number"):
        del one.number
    with pytest.raises(FrozenInstanceError, match="other"):
        one.other = 2
    assert not hasattr(one, "__dict__")


def test_another_one_with_a_field_changed() -> None:
    changed = replace(Ours(1, "two"), name="three")
    assert (changed.number, changed.name, changed.length) == (1, "three", 5)
    assert is_dataclass(Ours)


def test_a_default_that_is_made_is_made_for_each() -> None:
    assert Ours(1).many is not Ours(1).many


def test_it_is_pickled_and_copied() -> None:
    one = Ours(1, "two", 3, {"a": 1})
    for other in (pickle.loads(pickle.dumps(one)), deepcopy(one)):
        assert other == one
        assert (other.place, other.length) == (3, 3)


def test_what_a_class_defines_itself_is_kept() -> None:
    assert Own(1) == Own(2)
    assert hash(Own(1)) == 7
    assert repr(Own(1)) == "own"


def test_one_that_is_not_frozen_changes_and_has_no_hash() -> None:
    one = Open(1)
    one.number = 2
    assert one == Open(2)
    with pytest.raises(TypeError, match="unhashable"):
        hash(one)


def test_without_equality_each_is_itself() -> None:
    assert Itself(1) != Itself(1)
    assert len({Itself(1), Itself(1)}) == 2
