"""Deliberately broken encodings are caught by the checks that hold the two meanings together, within a budget."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from types import UnionType
from typing import Any

import pytest

from selfedit_formal.core.expression import (
    Arrived,
    Before,
    Count,
    Divide,
    Equal,
    Fires,
    InSet,
    Known,
    Linked,
    Name,
    Pass,
    Reaches,
    Read,
    Rescored,
    SameRecord,
    SameWindow,
    Swapped,
    Total,
    Triggered,
    Without,
)
from selfedit_formal.core.policy import (
    Block,
    Fill,
    Gate,
    Insert,
    Keep,
    LetSet,
    LetSpan,
    Move,
    Open,
    Pick,
    Readmit,
    Refuse,
    Set,
    Statement,
)
from selfedit_formal.core.property import Obligation
from selfedit_formal.core.traverse import nodes
from selfedit_formal.core.window import COVERS, Field
from selfedit_formal.semantics.reads import reads_archive
from selfedit_formal.semantics.symbolic import counters, expressions, passes, state, world
from selfedit_formal.semantics.symbolic.counters import Counter
from selfedit_formal.semantics.symbolic.expressions import kind_of
from selfedit_formal.semantics.symbolic.passes import Passes, _Run
from selfedit_formal.semantics.symbolic.state import Order, Place, Ref, Slot, State
from selfedit_formal.semantics.symbolic.terms import Terms, Truth
from selfedit_formal.semantics.symbolic.values import Enum
from selfedit_formal.semantics.symbolic.world import Outcome, View, World
from tests.semantics.agreement import difference
from tests.semantics.generated import SCHEMA

BUDGET = 2000
"""How many examples a broken encoding is given to pass for a right one."""

HISTORY = frozenset(f.name for f in SCHEMA.fields if f.history)

Patch = pytest.MonkeyPatch
Original = Callable[..., Any]


def wrap(patch: Patch, owner: object, name: str, wrapper: Callable[[Original], Original]) -> None:
    """Puts something else in the place of a function, made from the function."""
    patch.setattr(owner, name, wrapper(getattr(owner, name)))


def counts_one_too_few(patch: Patch) -> None:
    wrap(patch, Counter, "at_least", lambda right: lambda self, threshold: right(self, threshold + 1))


def counts_among_one_span_less(patch: Patch) -> None:
    def broken(right: Original) -> Original:
        def init(self: Counter, terms: Terms, tally: object, length: int, *rest: object) -> None:
            right(self, terms, tally, max(length - 1, 0), *rest)

        return init

    wrap(patch, Counter, "__init__", broken)


def two_counts_compare_without_their_constant(patch: Patch) -> None:
    wrap(patch, counters, "not_negative", lambda right: lambda terms, value: right(terms, replace(value, constant=0)))


def before_is_after(patch: Patch) -> None:
    broken = expressions.stands_before
    patch.setattr(expressions, "stands_before", lambda world, here, first, second: broken(world, here, second, first))


def an_absent_span_stands_before_all(patch: Patch) -> None:
    def broken(right: Original) -> Original:
        def before(inside: World, here: State, first: Ref, second: Ref) -> Truth:
            absent = inside.terms.no(inside.terms.any(g for _, g in first.choices))
            return inside.terms.either(absent, right(inside, here, first, second))

        return before

    wrap(patch, expressions, "stands_before", broken)


def set_reads_new_values(patch: Patch) -> None:
    def broken(right: Original) -> Original:
        def change(self: _Run, statement: Set) -> None:
            for assignment in statement.assignments:
                right(self, replace(statement, assignments=(assignment,)))

        return change

    wrap(patch, _Run, "_set", broken)


def set_reads_its_own_result(patch: Patch) -> None:
    def broken(right: Original) -> Original:
        def change(self: _Run, statement: Set) -> None:
            right(self, statement)
            right(self, statement)

        return change

    wrap(patch, _Run, "_set", broken)


def evict_ignores_protection(patch: Patch) -> None:
    patch.setattr(_Run, "_free", lambda self: self._state.present)


def readmit_takes_any_known_span(patch: Patch) -> None:
    def broken(right: Original) -> Original:
        return lambda self, archive: self._state.known if archive else right(self, archive)

    wrap(patch, _Run, "_candidates", broken)


def a_gate_keeps_the_candidate(patch: Patch) -> None:
    def broken(right: Original) -> Original:
        def gated(self: Passes, policy: object, key: str, done: Outcome) -> Outcome:
            outcome: Outcome = right(self, policy, key, done)
            return replace(outcome, after=done.after)

        return gated

    wrap(patch, Passes, "_gated", broken)


def gates_are_not_asked(patch: Patch) -> None:
    patch.setattr(Passes, "_gated", lambda self, policy, key, done: done)


def refuse_is_ignored(patch: Patch) -> None:
    def broken(right: Original) -> Original:
        def step(self: _Run, statement: Statement) -> None:
            if not isinstance(statement, Refuse):
                right(self, statement)

        return step

    wrap(patch, _Run, "_step", broken)


def what_was_done_before_a_refusal_stays(patch: Patch) -> None:
    patch.setattr(passes, "restored", lambda terms, condition, then, otherwise, fields: otherwise)


def a_block_is_always_entered(patch: Patch) -> None:
    patch.setattr(_Run, "_guard", property(lambda self: self._alive))


def a_fresh_span_is_put_on_the_other_side(patch: Patch) -> None:
    def broken(right: Original) -> Original:
        def added(terms: Terms, here: State, element: Slot, cells: object, place: Place, guard: Truth) -> State:
            sides: Mapping[str, Any] = {"before": "after", "after": "before"}
            other = Place(sides.get(place.side, place.side), place.anchor)
            result: State = right(terms, here, element, cells, other, guard)
            return result

        return added

    wrap(patch, passes, "added", broken)


def a_fresh_span_beside_an_absent_one_is_put_somewhere(patch: Patch) -> None:
    patch.setattr(passes, "somewhere", lambda terms, here, place: True)


def division_rounds_up(patch: Patch) -> None:
    def broken(right: Original) -> Original:
        return lambda self, dividend, divisor: right(self, self.add((dividend, divisor - 1)), divisor)

    wrap(patch, Terms, "divide", broken)


def totals_skip_the_first_span(patch: Patch) -> None:
    wrap(patch, expressions, "sums", lambda right: lambda world, items: right(world, [0, *items[1:]]))


def primed_runs_make_the_same_choices(patch: Patch) -> None:
    wrap(patch, passes, "run_key", lambda right: lambda policy, run, depth: right(policy, run.replace("'", ""), depth))


def the_second_pass_makes_the_choices_of_the_first(patch: Patch) -> None:
    patch.setattr(passes, "depth", lambda term: 1)


def rescored_is_ignored(patch: Patch) -> None:
    def broken(self: Passes, view: View, ref: Ref) -> View:
        return view

    patch.setattr(Passes, "_rescored", broken)


def without_is_ignored(patch: Patch) -> None:
    patch.setattr(passes, "without", lambda terms, here, ref: here)


def swapped_is_ignored(patch: Patch) -> None:
    patch.setattr(passes, "swapped", lambda terms, here, first, second: here)


def arrived_spans_bring_one_token_more(patch: Patch) -> None:
    def broken(right: Original) -> Original:
        return lambda self, view, tokens, number: right(self, view, self._terms.add((tokens, 1)), number)

    wrap(patch, Passes, "_arrived", broken)


def names_of_an_enum_are_told_apart_by_their_field(patch: Patch) -> None:
    def broken(right: Original) -> Original:
        def equal(terms: Terms, kind: str, left: object, other: object) -> Truth:
            if isinstance(left, Enum) and isinstance(other, Enum) and left.names != other.names:
                return False
            return right(terms, kind, left, other)  # type: ignore[no-any-return]

        return equal

    wrap(patch, expressions, "equal", broken)


def equal_windows_may_have_other_records(patch: Patch) -> None:
    patch.setattr(state, "same_fields", lambda terms, left, right, fields: True)


def created_spans_are_never_told_apart(patch: Patch) -> None:
    patch.setattr(state, "_same_created", lambda *anything: True)


def reach_passes_through_archived_spans(patch: Patch) -> None:
    def broken(right: Original) -> Original:
        return lambda self, link, here: right(self, link, replace(here, present=here.known))

    wrap(patch, Passes, "_closed", broken)


def reach_takes_one_step_only(patch: Patch) -> None:
    def broken(self: Passes, link: str, here: State) -> Mapping[tuple[Slot, Slot], Truth]:
        every = self._terms.every
        return {
            (a, b): every((p, q, self._world.linked(link, a, b, here)))
            for a, p in here.present.items()
            for b, q in here.present.items()
        }

    patch.setattr(Passes, "_closed", broken)


def move_turns_the_order_around(patch: Patch) -> None:
    def broken(right: Original) -> Original:
        def moved(terms: Terms, here: State, chosen: Mapping[Slot, Truth], place: Place) -> object:
            chain = here.order.chain[::-1]
            turned = Order(chain, {(b, a): truth for (a, b), truth in here.order.pairs.items()})
            return right(terms, replace(here, order=turned), chosen, place)

        return moved

    wrap(patch, passes, "moved", broken)


def fill_walks_the_other_way(patch: Patch) -> None:
    def broken(right: Original) -> Original:
        def filled(self: _Run, fill: Fill) -> dict[Slot, Truth]:
            result: dict[Slot, Truth] = right(self, replace(fill, newest_first=not fill.newest_first))
            return result

        return filled

    wrap(patch, _Run, "_filled", broken)


def first_is_last(patch: Patch) -> None:
    wrap(patch, _Run, "_foremost", lambda right: lambda self, members, first: right(self, members, not first))


def a_model_that_may_always_does(patch: Patch) -> None:
    patch.setattr(_Run, "_asked", lambda self, key: True)


def limits_of_open_fields_are_ignored(patch: Patch) -> None:
    patch.setattr(passes, "within", lambda terms, value, low, high: True)


def summaries_cover_nothing(patch: Patch) -> None:
    def broken(right: Original) -> Original:
        return lambda self, link, a, b, here: link != "covers" and right(self, link, a, b, here)

    wrap(patch, World, "linked", broken)


def a_block_fires_when_it_is_skipped(patch: Patch) -> None:
    wrap(patch, expressions, "fact", lambda right: lambda outcome, site, otherwise: right(outcome, site, not otherwise))


def every_pass_is_triggered(patch: Patch) -> None:
    patch.setattr(Passes, "triggered", lambda self, frame, expression, env: True)


def a_set_of_archived_spans_changes_present_ones(patch: Patch) -> None:
    def broken(right: Original) -> Original:
        return lambda self, statement: right(self, replace(statement, archive=False))

    wrap(patch, _Run, "_set", broken)


def a_set_of_archived_spans_changes_every_known_span(patch: Patch) -> None:
    def broken(right: Original) -> Original:
        def change(self: _Run, statement: Set) -> None:
            with pytest.MonkeyPatch.context() as inside:
                inside.setattr(_Run, "_candidates", lambda self, archive: self._state.known)
                right(self, statement)

        return change

    wrap(patch, _Run, "_set", broken)


def a_span_that_may_come_always_does(patch: Patch) -> None:
    wrap(patch, _Run, "_insert", lambda right: lambda self, insert: right(self, replace(insert, may=False)))


def a_span_comes_whatever_is_asked_of_it(patch: Patch) -> None:
    wrap(patch, _Run, "_insert", lambda right: lambda self, insert: right(self, replace(insert, variable="")))


def what_is_asked_of_a_fresh_span_is_read_without_it(patch: Patch) -> None:
    def broken(right: Original) -> Original:
        def inserted(self: _Run, insert: Insert) -> None:
            scope = self.scope()
            with pytest.MonkeyPatch.context() as inside:
                inside.setattr(_Run, "scope", lambda self: scope)
                right(self, insert)

        return inserted

    wrap(patch, _Run, "_insert", broken)


def what_is_asked_of_a_fresh_span_is_asked_even_if_it_does_not_come(patch: Patch) -> None:
    def broken(right: Original) -> Original:
        def inserted(self: _Run, insert: Insert) -> None:
            done = len(self._exists)
            right(self, insert)
            if insert.variable and len(self._exists) > done:
                inside = {**self.env, insert.variable: self._world.made[self._key, insert.site].ref}
                self._exists[-1] = self._compiler.condition(insert.condition, insert.variable)(self.scope(), inside)

        return inserted

    wrap(patch, _Run, "_insert", broken)


def known_windows_keep_their_archive(patch: Patch) -> None:
    patch.setattr(passes, "known", lambda here: here)


def the_history_is_compared(patch: Patch) -> None:
    def broken(right: Original) -> Original:
        def same(terms: Terms, left: object, right_one: object, fields: Mapping[str, Field]) -> Truth:
            seen = {name: replace(declared, history=False) for name, declared in fields.items()}
            result: Truth = right(terms, left, right_one, seen)
            return result

        return same

    wrap(patch, state, "same_fields", broken)


def fresh_spans_have_any_history(patch: Patch) -> None:
    def broken(right: Original) -> Original:
        def init(self: World, obligation: Obligation) -> None:
            right(self, obligation)
            self.recorded = tuple(replace(f, history=False) for f in self.recorded)

        return init

    wrap(patch, World, "__init__", broken)


def positions_of_definite_spans(made: Obligation) -> bool:
    """A policy asks where a span stands that a `let` may not have found."""
    found = list(nodes(made.policies))
    named = {n.name for n in found if isinstance(n, LetSpan)}
    return any(isinstance(n, Before) and n.window is None and named & {n.first, n.second} for n in found)


def two_assignments(made: Obligation) -> bool:
    """A `set` changes two fields."""
    return any(isinstance(n, Set) and len(n.assignments) > 1 for n in nodes(made))


def covers_are_read(made: Obligation) -> bool:
    """A fresh span covers a set, and something asks for it."""
    found = list(nodes(made))
    made_some = any(isinstance(n, Insert) and n.covers is not None for n in found)
    return made_some and any(isinstance(n, Linked | Reaches) and n.link == COVERS for n in found)


def choices_are_read(made: Obligation) -> bool:
    """A set is the model's choice, and something reads it."""
    found = list(nodes(made))
    named = {n.name for n in found if isinstance(n, LetSet) and n.may}
    return any(isinstance(n, InSet) and n.set in named for n in found)


def archived_spans_are_set(made: Obligation) -> bool:
    """A `set` changes archived spans, of which there may be some."""
    return any(isinstance(n, Set) and n.archive for n in nodes(made)) and reads_archive(made)


def spans_that_may_come(made: Obligation) -> bool:
    """Whether a span comes is left open."""
    return any(isinstance(n, Insert) and n.may for n in nodes(made))


def conditions_on_fresh_spans(made: Obligation) -> bool:
    """Something is asked of a fresh span."""
    return any(isinstance(n, Insert) and n.variable for n in nodes(made))


def changed_history(made: Obligation) -> bool:
    """A `set` changes the history, and windows or records are compared."""
    found = list(nodes(made))
    changed = {a.field for n in found if isinstance(n, Set) for a in n.assignments}
    return bool(changed & HISTORY) and any(isinstance(n, SameWindow | SameRecord) for n in found)


def history_of_fresh_spans(made: Obligation) -> bool:
    """A span comes in, and something reads what happened to it."""
    found = list(nodes(made))
    comes = any(isinstance(n, Insert | Arrived) for n in found)
    return comes and any(isinstance(n, Read) and n.field == "turns" for n in found)


def enums_are_compared(made: Obligation) -> bool:
    """Two values with listed names are compared, none of them a name as such."""
    pairs = [(n.left, n.right) for n in nodes(made) if isinstance(n, Equal)]
    return any(not {Name} & {type(a), type(b)} and kind_of(a) == "enum" for a, b in pairs)


def lemmas_are_turned_around(patch: Patch) -> None:
    wrap(patch, world, "smaller", lambda right: lambda terms, less, more: right(terms, more, less))


BUGS: Mapping[Callable[[Patch], None], type | UnionType | Callable[[Obligation], bool]] = {
    counts_one_too_few: Count,
    counts_among_one_span_less: Count,
    two_counts_compare_without_their_constant: Count,
    lemmas_are_turned_around: Count,
    before_is_after: Before,
    an_absent_span_stands_before_all: positions_of_definite_spans,
    set_reads_new_values: two_assignments,
    set_reads_its_own_result: Set,
    evict_ignores_protection: Keep,
    readmit_takes_any_known_span: Readmit,
    a_gate_keeps_the_candidate: Gate,
    gates_are_not_asked: Gate,
    refuse_is_ignored: Refuse,
    what_was_done_before_a_refusal_stays: Refuse | Gate,
    a_block_is_always_entered: Block,
    a_fresh_span_is_put_on_the_other_side: Insert,
    a_fresh_span_beside_an_absent_one_is_put_somewhere: Insert,
    division_rounds_up: Divide,
    totals_skip_the_first_span: Total,
    primed_runs_make_the_same_choices: Pass,
    the_second_pass_makes_the_choices_of_the_first: Pass,
    rescored_is_ignored: Rescored,
    without_is_ignored: Without,
    swapped_is_ignored: Swapped,
    arrived_spans_bring_one_token_more: Arrived,
    names_of_an_enum_are_told_apart_by_their_field: enums_are_compared,
    equal_windows_may_have_other_records: SameWindow | SameRecord,
    created_spans_are_never_told_apart: SameWindow,
    reach_passes_through_archived_spans: Reaches,
    reach_takes_one_step_only: Reaches,
    move_turns_the_order_around: Move,
    fill_walks_the_other_way: Fill,
    first_is_last: Pick,
    a_model_that_may_always_does: choices_are_read,
    limits_of_open_fields_are_ignored: Open,
    summaries_cover_nothing: covers_are_read,
    a_block_fires_when_it_is_skipped: Fires,
    every_pass_is_triggered: Triggered,
    a_set_of_archived_spans_changes_present_ones: archived_spans_are_set,
    a_set_of_archived_spans_changes_every_known_span: archived_spans_are_set,
    a_span_that_may_come_always_does: spans_that_may_come,
    a_span_comes_whatever_is_asked_of_it: conditions_on_fresh_spans,
    what_is_asked_of_a_fresh_span_is_read_without_it: conditions_on_fresh_spans,
    what_is_asked_of_a_fresh_span_is_asked_even_if_it_does_not_come: conditions_on_fresh_spans,
    known_windows_keep_their_archive: Known,
    the_history_is_compared: changed_history,
    fresh_spans_have_any_history: history_of_fresh_spans,
}
"""Each with what an example must have to show it: a construct of the core, or more than that."""


@pytest.mark.parametrize("bug", list(BUGS), ids=lambda bug: bug.__name__)
def test_a_broken_encoding_is_caught(bug: Callable[[Patch], None], monkeypatch: Patch) -> None:
    bug(monkeypatch)
    about = BUGS[bug]

    def shows(made: Obligation) -> bool:
        if isinstance(about, type | UnionType):
            return any(isinstance(node, about) for node in nodes(made))
        return about(made)

    assert difference(range(BUDGET), shows) is not None
