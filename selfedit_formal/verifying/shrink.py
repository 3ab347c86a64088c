"""A case that breaks a promise, made as simple as it gets, with nothing but `breaks` and an order of cases.

One case is simpler than another by the first of these in which they differ: fewer spans in all inputs, fewer of them
archived, fewer links, fewer true flags, smaller parameters, smaller numbers, earlier names, fewer keys, earlier keys,
fewer choices, simpler choices. If they differ in none of them, the values are compared place by place.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from math import inf

from selfedit_formal._frozen import dataclass
from selfedit_formal.core.budget import Work
from selfedit_formal.core.property import Case, ChoiceKey, Obligation
from selfedit_formal.core.window import NO_KEY, Field, Kind, Span, Value, Window, nearest_to_zero
from selfedit_formal.semantics.interpreter import breaks

Order = tuple[tuple[int, ...], tuple[tuple[int, str], ...]]

TRIES = 4_000
"""How often the interpreter is asked while a case is made simpler."""
LONG = 16
"""The square of the spans of a window that counts as one try; one of twice as many counts as four."""
UNNUMBERED = 1_000_000
"""The rank of a key that is not one of `k1`, `k2`, …"""


def size(case: Case) -> int:
    """The spans of all inputs, archived ones included."""
    return sum(len(window.spans) for window in case.inputs.values())


def order(obligation: Obligation, case: Case) -> Order:
    """Where the case stands: the smaller, the simpler. First the counts, then value by value."""
    slots = _slots(obligation, case)
    ranked = [(slot, _rank(kind, value, names)) for slot, (kind, names, value) in slots.items()]
    chosen = [(slot, rank) for slot, rank in ranked if isinstance(slot, ChoiceKey)]
    given = [(slots[slot][0], slot, rank) for slot, rank in ranked if not isinstance(slot, ChoiceKey)]
    windows = case.inputs.values()
    counts = (
        size(case),
        sum(len(w.archived) for w in windows),
        sum(len(w.links) for w in windows),
        sum(rank[0] for kind, _, rank in given if kind == "bool"),
        sum(rank[0] for _, slot, rank in given if isinstance(slot, Free)),
        sum(rank[0] for kind, slot, rank in given if kind == "int" and not isinstance(slot, Free)),
        sum(rank[0] for kind, _, rank in given if kind == "enum"),
        len({rank for kind, _, rank in given if kind == "key"}),
        sum(rank[0] for kind, _, rank in given if kind == "key"),
        len(chosen),
        sum(rank[0] for _, rank in chosen),
    )
    return counts, tuple(rank for _, rank in ranked)


def shrink(obligation: Obligation, case: Case, tries: int = TRIES, end: float = inf) -> Case:
    """The simplest case found in so many tries that still breaks the obligation; `case` must break it.

    Never a less simple one, and for the same case the same. Spans come out as A, B, C, … in their order (a written-out
    window keeps its names), keys as k1, k2, …. Raises `OutOfTime` at the end (monotonic).
    """
    search = _Shrinking(obligation, case, Work(tries, end))
    before = None
    while before is not search.best and not search.over():
        before = search.best
        _fewer_spans(search)
        _fewer_archived(search)
        _fewer_links(search)
        _simpler_values(search)
        _smaller_numbers(search)
        _earlier_names(search)
        _simpler_first(search)
        _fewer_keys(search)
        _fewer_choices(search)
    named = _renamed(obligation, search.best)
    return named if breaks(obligation, named) else search.best


# ---------- places for values


@dataclass(frozen=True, slots=True)
class Free:
    """The place of a parameter's value."""

    name: str


@dataclass(frozen=True, slots=True)
class ValuePlace:
    """The place of the value of a field of an input's span."""

    input: str
    span: str
    field: str


Changeable = Free | ValuePlace | ChoiceKey


def _slots(obligation: Obligation, case: Case) -> dict[Changeable, tuple[Kind, tuple[str, ...], Value]]:
    """Every value of the case that may be changed: its kind, the names it may take (an enum's), and what it is."""
    fields = {f.name: f for f in obligation.schema.fields}
    found: dict[Changeable, tuple[Kind, tuple[str, ...], Value]] = {}
    for name, number in sorted(case.parameters.items()):
        found[Free(name)] = ("int", (), number)
    for name in _open_inputs(obligation):
        for span in case.inputs[name].spans:
            for f in obligation.schema.fields:
                if f.name in span.values:
                    found[ValuePlace(name, span.id, f.name)] = (f.kind, _from_simple(f.names), span[f.name])
    for key, chosen in sorted(case.choices.items()):
        chosen_for = fields.get(key.field)
        found[key] = (
            ("bool", (), chosen) if chosen_for is None else (chosen_for.kind, _from_simple(chosen_for.names), chosen)
        )
    return found


USUAL = "user"
"""The name, where an enum has it, that is the simplest: people know windows that start with what the user said."""


def _from_simple(names: tuple[str, ...]) -> tuple[str, ...]:
    """The names of an enum as they are tried: in the order written, but for the usual one."""
    return (USUAL, *(n for n in names if n != USUAL)) if USUAL in names else names


def _open_inputs(obligation: Obligation) -> tuple[str, ...]:
    inputs = obligation.claim.inputs
    return inputs if obligation.fixed is None else inputs[1:]


def _rank(kind: Kind, value: Value, names: tuple[str, ...]) -> tuple[int, str]:
    match kind:
        case "bool":
            return int(value), ""
        case "int":
            return abs(int(value)), "-" if int(value) < 0 else ""
        case "enum":
            return (names.index(str(value)) if value in names else len(names)), str(value)
        case "key":
            return _key_rank(str(value)), str(value)


def _key_rank(key: str) -> int:
    if key == NO_KEY:
        return 0
    return int(key[1:]) if key[:1] == "k" and key[1:].isdecimal() else UNNUMBERED


def _put(case: Case, values: Mapping[Changeable, Value]) -> Case:
    """The case with these values in these places."""
    parameters = dict(case.parameters)
    choices = dict(case.choices)
    entries: dict[tuple[str, str], dict[str, Value]] = {}
    for slot, value in values.items():
        match slot:
            case Free(name):
                parameters[name] = int(value)
            case ValuePlace(name, span, f):
                entries.setdefault((name, span), {})[f] = value
            case ChoiceKey():
                choices[slot] = value
    inputs = {
        name: window
        if not any(name == changed for changed, _ in entries)
        else replace(
            window, spans=tuple(Span(s.id, {**s.values, **entries.get((name, s.id), {})}) for s in window.spans)
        )
        for name, window in case.inputs.items()
    }
    return Case(inputs, parameters, case.spans, choices)


# ---------- the search


class _Shrinking:
    """The simplest case so far, and how to try another one."""

    __slots__ = ("_rank", "_tried", "_tries", "best", "obligation")

    def __init__(self, obligation: Obligation, case: Case, tries: Work) -> None:
        self.obligation = obligation
        self.best = case
        self._tries = tries
        self._rank = order(obligation, case)
        self._tried: set[object] = set()

    def over(self) -> bool:
        return self._tries.left <= 0

    def accept(self, candidate: Case) -> bool:
        """Makes the candidate the best, if it is simpler and breaks the obligation too."""
        rank = order(self.obligation, candidate)
        if rank >= self._rank or self.over():
            return False
        identity = _unnamed(candidate)
        if identity in self._tried:
            return False
        self._tried.add(identity)
        self._tries.took(max(1, size(candidate) ** 2 // LONG))  # a long window takes longer to look at
        self._tries.in_time()
        if not breaks(self.obligation, candidate):
            return False
        self.best, self._rank = candidate, rank
        return True

    def together(self, values: Mapping[Changeable, Value]) -> None:
        """Puts as many of the values in as goes: all at once, or else each half by itself."""
        items = list(values.items())
        if items and not self.accept(_put(self.best, values)) and len(items) > 1:
            middle = len(items) // 2
            self.together(dict(items[:middle]))
            self.together(dict(items[middle:]))

    def lower(self, slots: Iterable[Changeable], start: int, goal: int) -> None:
        """Moves these numbers by one amount, the one that is `start` as near to `goal` as goes."""
        places = tuple(slots)
        current = _slots(self.obligation, self.best)
        first = {slot: int(current[slot][2]) for slot in places}

        def moved(to: int) -> Case:
            return _put(self.best, {slot: value + to - start for slot, value in first.items()})

        if start == goal or self.accept(moved(goal)):
            return
        failing, breaking = goal, start
        while abs(breaking - failing) > 1:
            middle = (breaking + failing) // 2
            if self.accept(moved(middle)):
                breaking = middle
            else:
                failing = middle


def _unnamed(case: Case) -> object:
    """The case but for what its spans are called: of thirty spans that are alike it is tried once to do without one."""
    numbers: dict[str, int] = {}
    for window in case.inputs.values():
        for span in window.spans:
            numbers.setdefault(span.id, len(numbers))
    windows = tuple(
        (
            tuple((numbers[s.id], *sorted(s.values.items())) for s in w.spans),
            frozenset(numbers[i] for i in w.archived),
            frozenset((name, numbers[a], numbers[b]) for name, a, b in w.links),
            frozenset(numbers[i] for i in w.fresh),
        )
        for w in case.inputs.values()
    )
    chosen = frozenset((replace(k, span=""), numbers.get(k.span, k.span), v) for k, v in case.choices.items())
    bound = frozenset((variable, numbers.get(span, span)) for variable, span in case.spans.items())
    return windows, frozenset(case.parameters.items()), chosen, bound


def _fewer_spans(search: _Shrinking) -> None:
    for name in _open_inputs(search.obligation):
        for span in reversed(search.best.inputs[name].spans):
            window = search.best.inputs[name]
            smaller = replace(
                window,
                spans=tuple(s for s in window.spans if s.id != span.id),
                archived=window.archived - {span.id},
                links=frozenset(link for link in window.links if span.id not in link[1:]),
                fresh=window.fresh - {span.id},
            )
            search.accept(replace(search.best, inputs={**search.best.inputs, name: smaller}))


def _fewer_archived(search: _Shrinking) -> None:
    for name in _open_inputs(search.obligation):
        for identity in sorted(search.best.inputs[name].archived):
            window = search.best.inputs[name]
            smaller = replace(window, archived=window.archived - {identity})
            search.accept(replace(search.best, inputs={**search.best.inputs, name: smaller}))


def _fewer_links(search: _Shrinking) -> None:
    """Inputs may share spans, and agree about their links: so a link goes everywhere at once."""

    def without(links: frozenset[tuple[str, str, str]]) -> Case:
        inputs = dict(search.best.inputs)
        for name in _open_inputs(search.obligation):
            inputs[name] = replace(inputs[name], links=inputs[name].links - links)
        return replace(search.best, inputs=inputs)

    links = frozenset(link for n in _open_inputs(search.obligation) for link in search.best.inputs[n].links)
    if links and not search.accept(without(links)):
        for link in sorted(links):
            search.accept(without(frozenset({link})))


def _simpler_values(search: _Shrinking) -> None:
    """Flags off, parameters and numbers at their simplest, no keys: all of a sort at once where that goes."""
    slots = _slots(search.obligation, search.best)
    given = {slot: kind for slot, (kind, _, _) in slots.items() if not isinstance(slot, ChoiceKey)}
    search.together({slot: False for slot, kind in given.items() if kind == "bool" and slots[slot][2]})
    for parameters in (True, False):
        search.together(
            {
                slot: goal
                for slot, kind in given.items()
                if kind == "int" and isinstance(slot, Free) == parameters
                for goal in [_simplest(search.obligation, slot)]
                if goal != slots[slot][2]
            }
        )
    search.together({slot: NO_KEY for slot, kind in given.items() if kind == "key" and slots[slot][2] != NO_KEY})


def _simplest(obligation: Obligation, slot: Changeable) -> int:
    """The admissible number nearest to zero."""
    match slot:
        case Free(name):
            declared = next((p for p in obligation.parameters if p.name == name), None)
            low, high = (None, None) if declared is None else (declared.low, declared.high)
        case ValuePlace(_, _, name):
            low, high = _bounds(obligation.schema.field(name))
        case ChoiceKey():
            low, high = _bounds(obligation.schema.field(slot.field))
    return nearest_to_zero(low, high)


def _bounds(f: Field) -> tuple[int | None, int | None]:
    return f.low, f.high


def _smaller_numbers(search: _Shrinking) -> None:
    """Each number by bisection; then equal numbers together; then a parameter together with each number."""

    def numbers(parameters: bool | None = None) -> dict[Changeable, int]:
        return {
            slot: int(value)
            for slot, (kind, _, value) in _slots(search.obligation, search.best).items()
            if kind == "int"
            and not isinstance(slot, ChoiceKey)
            and (parameters is None or isinstance(slot, Free) == parameters)
        }

    for slot in numbers():
        value = numbers()[slot]
        goal = _simplest(search.obligation, slot)
        search.lower((slot,), value, goal)
        value = numbers()[slot]
        if value < 0:
            search.accept(_put(search.best, {slot: -value}))
    for value in sorted(set(numbers().values()), reverse=True):
        equal = tuple(slot for slot, number in numbers().items() if number == value)
        if len(equal) > 1:
            goal = min((_simplest(search.obligation, slot) for slot in equal), key=lambda g: abs(value - g))
            search.lower(equal, value, goal)
    for parameter in numbers(parameters=True):
        for other in numbers():
            here, there = numbers()[parameter], numbers()[other]
            far = min(here - _simplest(search.obligation, parameter), there - _simplest(search.obligation, other))
            if parameter != other and far > 0:
                search.lower((parameter, other), here, here - far)


def _earlier_names(search: _Shrinking) -> None:
    for slot, (kind, names, _) in _slots(search.obligation, search.best).items():
        if kind == "enum" and not isinstance(slot, ChoiceKey):
            for name in names:
                current = _slots(search.obligation, search.best)[slot][2]
                if name == current or search.accept(_put(search.best, {slot: name})):
                    break


def _simpler_first(search: _Shrinking) -> None:
    """Neighbours change places where the order of the two does not matter, so that the simpler one comes first."""
    for name in _open_inputs(search.obligation):
        for place in range(len(search.best.inputs[name].spans) - 1):
            window = search.best.inputs[name]
            before, (first, second), after = (
                window.spans[:place],
                window.spans[place : place + 2],
                window.spans[place + 2 :],
            )
            swapped = replace(window, spans=(*before, second, first, *after))
            search.accept(replace(search.best, inputs={**search.best.inputs, name: swapped}))


def _fewer_keys(search: _Shrinking) -> None:
    """Every key by an earlier one wherever it stands; then all of them numbered in the order in which they are met."""

    def keys() -> dict[Changeable, str]:
        return {
            slot: str(value)
            for slot, (kind, _, value) in _slots(search.obligation, search.best).items()
            if kind == "key"
        }

    for old in sorted(set(keys().values()), key=lambda k: (_key_rank(k), k), reverse=True):
        for new in sorted(set(keys().values()), key=lambda k: (_key_rank(k), k)):
            places: dict[Changeable, Value] = {slot: new for slot, key in keys().items() if key == old}
            if old == new or (places and search.accept(_put(search.best, places))):
                break
    met = list(dict.fromkeys(key for key in keys().values() if key != NO_KEY))
    numbered = {key: f"k{number}" for number, key in enumerate(met, 1)}
    search.accept(_put(search.best, {slot: numbered.get(key, key) for slot, key in keys().items()}))


def _fewer_choices(search: _Shrinking) -> None:
    """Choices left to their default, all at once or by halves; then those that stay, simpler."""

    def drop(keys: list[ChoiceKey]) -> None:
        left = {key: value for key, value in search.best.choices.items() if key not in keys}
        if keys and not search.accept(replace(search.best, choices=left)) and len(keys) > 1:
            middle = len(keys) // 2
            drop(keys[:middle])
            drop(keys[middle:])

    drop(sorted(search.best.choices))
    for slot, (kind, names, value) in _slots(search.obligation, search.best).items():
        if not isinstance(slot, ChoiceKey):
            continue
        match kind:
            case "int":
                search.lower((slot,), int(value), _simplest(search.obligation, slot))
            case "enum":
                for name in names:
                    if name == value or search.accept(_put(search.best, {slot: name})):
                        break
            case "bool" | "key":
                pass


# ---------- names a person would give


def letters(number: int) -> str:
    """A, B, …, Z, AA, AB, …: the name of the span with this number, from 0."""
    rest, last = divmod(number, 26)
    return ("" if rest == 0 else letters(rest - 1)) + chr(ord("A") + last)


def _renamed(obligation: Obligation, case: Case) -> Case:
    """The case with its spans called A, B, C, … in the order in which they stand, input by input."""
    if obligation.fixed is not None:
        return case
    met = dict.fromkeys(span.id for name in obligation.claim.inputs for span in case.inputs[name].spans)
    names = {identity: letters(number) for number, identity in enumerate(met)}

    def new(identity: str) -> str:
        return names.get(identity, identity)

    def window(old: Window) -> Window:
        return replace(
            old,
            spans=tuple(Span(new(s.id), s.values) for s in old.spans),
            archived=frozenset(new(i) for i in old.archived),
            links=frozenset((link, new(a), new(b)) for link, a, b in old.links),
            fresh=frozenset(new(i) for i in old.fresh),
        )

    return Case(
        {name: window(old) for name, old in case.inputs.items()},
        case.parameters,
        {variable: new(identity) for variable, identity in case.spans.items()},
        {replace(key, span=new(key.span)): value for key, value in case.choices.items()},
    )
