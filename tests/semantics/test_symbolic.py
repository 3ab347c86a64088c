"""The symbolic meaning by hand: terms fold, counts share, text is standard, and models become cases."""

from __future__ import annotations

import operator
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest
import z3

from selfedit_formal.core.expression import Input, Known, Not, Present, Read
from selfedit_formal.core.property import Bound, Claim, Obligation
from selfedit_formal.core.window import Field, Schema
from selfedit_formal.engines import Found, Limits
from selfedit_formal.engines.bounded import BoundedRefuter
from selfedit_formal.semantics.interpreter import breaks
from selfedit_formal.semantics.symbolic import encode, smt2
from selfedit_formal.semantics.symbolic.counters import Counter, Linear, Tally, compare, plus
from selfedit_formal.semantics.symbolic.emit import emit, text
from selfedit_formal.semantics.symbolic.terms import Node, Terms, Valuation, entails
from selfedit_formal.semantics.symbolic.values import enum_variable
from tests.semantics.generated import obligation

OPERATORS = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "==": operator.eq,
    "!=": operator.ne,
}
Z3 = Path(sys.executable).with_name("z3")


def booleans(terms: Terms, count: int) -> list[Node]:
    return [terms.variable("bool", "b", i) for i in range(count)]


# ---------- terms


def test_constants_fold() -> None:
    terms = Terms()
    (a,) = booleans(terms, 1)
    x = terms.variable("int", "x")
    assert terms.both(a, True) is a
    assert terms.both(a, False) is False
    assert terms.either(a, terms.no(a)) is True
    assert terms.every((a, a, True)) is a
    assert terms.any((a, terms.no(a))) is True
    assert terms.iff(a, a) is True
    assert terms.choose(a, True, False) is a
    assert terms.add((2, x, -2)) is x
    assert terms.pick(a, 3, 3, "int") == 3
    assert terms.divide(-7, 2) == -4
    assert terms.modulo(-7, 2) == 1


def test_equal_terms_are_one_node() -> None:
    terms = Terms()
    a, b = booleans(terms, 2)
    assert terms.both(a, b) is terms.both(b, a)
    assert terms.no(terms.no(a)) is a


def test_a_conjunction_entails_its_parts() -> None:
    terms = Terms()
    a, b, c = booleans(terms, 3)
    assert entails(terms.every((a, terms.both(b, c))), terms.both(a, c))
    assert not entails(a, terms.both(a, b))
    assert entails(False, a)
    assert not entails(a, False)


def test_a_bound_of_a_variable_is_told_where_the_variable_is_read() -> None:
    terms = Terms()
    x, y = terms.variable("int", "x"), terms.variable("int", "y")
    terms.meanings[x] = terms.at_most(1, x)
    terms.meanings[y] = terms.equal(y, x)
    assert len(terms.grounded([terms.at_most(y, 7)])) == 3


def test_every_setting_of_an_enum_is_one_of_its_names() -> None:
    terms = Terms()
    names = ("a", "b", "c", "d", "e")
    value = enum_variable(terms, names, ("tag",))
    for setting in range(2 ** len(names)):
        random = Random(setting)
        bits = {n: random.random() < 0.5 for n in _variables([value.test(n) for n in names])}
        valuation = Valuation(bits)
        assert sum(bool(valuation(value.test(n))) for n in names) == 1


def _variables(truths: list[bool | Node]) -> list[Node]:
    found: list[Node] = []
    waiting = [t for t in truths if isinstance(t, Node)]
    while waiting:
        node = waiting.pop()
        if node.operator == "variable":
            found.append(node)
        else:
            waiting += [a for a in node.arguments if isinstance(a, Node)]
    return found


# ---------- counts


@pytest.mark.parametrize("sign", list(OPERATORS))
def test_a_count_compares_like_the_number_it_is(sign: str) -> None:
    terms = Terms()
    members = booleans(terms, 5)
    tally = Tally(terms, members[:4])
    counter = Counter(terms, tally, 3, members[4:])
    x = terms.variable("int", "x")
    facts = {
        (scale, offset): compare(terms, sign, Linear(offset, ((scale, counter),)), Linear(0, ((1, x),)))
        for scale in (1, 2, -1)
        for offset in (-1, 0, 2)
    }
    for setting in range(32):
        bits = {m: bool(setting >> i & 1) for i, m in enumerate(members)}
        count = sum(bits[m] for m in (*members[:3], members[4]))
        for number in range(-4, 10):
            value = Valuation({**bits, x: number})
            for (scale, offset), fact in facts.items():
                left = scale * count + offset
                assert value(fact) == OPERATORS[sign](left, number)


def test_two_counts_compare_like_the_numbers_they_are() -> None:
    terms = Terms()
    members = booleans(terms, 6)
    more, less = (Counter(terms, Tally(terms, half), 3) for half in (members[:3], members[3:]))
    for offset in (-2, -1, 0, 1, 2):
        fact = compare(terms, ">=", Linear(offset, ((1, more),)), Linear(0, ((1, less),)))
        for setting in range(64):
            bits = {m: bool(setting >> i & 1) for i, m in enumerate(members)}
            expected = sum(bits[m] for m in members[:3]) + offset >= sum(bits[m] for m in members[3:])
            assert Valuation(bits)(fact) == expected


def test_equal_counts_cancel() -> None:
    terms = Terms()
    counter = Counter(terms, Tally(terms, booleans(terms, 3)), 3)
    assert plus(Linear(1, ((1, counter),)), Linear(0, ((1, counter),)), -1) == Linear(1)


def test_only_the_thresholds_asked_for_are_made() -> None:
    terms = Terms()
    tally = Tally(terms, booleans(terms, 50))
    tally.at_least(3, 50)
    assert len(tally.columns) == 4


# ---------- Z3 and SMT-LIB


def test_z3_and_the_text_get_the_same_query() -> None:
    terms = Terms()
    a, b = booleans(terms, 2)
    x, k = terms.variable("int", "x"), terms.variable("key", "k")
    constraints = [
        terms.either(a, terms.at_most(terms.add((x, terms.multiply(-2, x))), -5)),
        terms.no(terms.both(a, b)),
        terms.equal(k, 2),
        terms.iff(b, terms.equal(terms.pick(a, k, 0, "key"), 0)),
        terms.equal(terms.modulo(x, 4), terms.divide(x, 3)),
    ]
    emitted = emit(constraints)
    ours, theirs = z3.Solver(), z3.Solver()
    ours.add(list(emitted.constraints))
    theirs.from_string(text(constraints, {"source": "a | b"}))
    assert ours.check() == theirs.check() == z3.sat
    for mine, other in ((ours, theirs), (theirs, ours)):
        disagree = z3.Solver()
        disagree.add(mine.assertions())
        disagree.add(z3.Not(z3.And(other.assertions())))
        assert disagree.check() == z3.unsat


def test_names_that_look_alike_stay_apart() -> None:
    terms = Terms()
    one, other = terms.variable("bool", "a", "b"), terms.variable("bool", "a.b")
    solver = z3.Solver()
    solver.add(list(emit([one, terms.no(other)]).constraints))
    assert solver.check() == z3.sat


def test_a_variable_has_one_name_whatever_is_emitted_with_it() -> None:
    terms = Terms()
    one, other = terms.variable("int", "a"), terms.variable("bool", "a")
    both = emit([terms.at_most(one, 0), other]).variables
    assert both[other].eq(emit([other]).variables[other])
    assert str(both[one]) != str(both[other])


def test_a_key_and_an_int_chosen_between_the_same_numbers_are_two() -> None:
    terms = Terms()
    a = terms.variable("bool", "a")
    assert terms.pick(a, 1, 0, "int") is not terms.pick(a, 1, 0, "key")


@pytest.mark.parametrize("name", ["known", "archived", "before", "field", "W", "tag"])
@pytest.mark.parametrize("inputs", [("W",), ("field", "known"), ("archived", "W")])
def test_a_field_may_be_called_as_anything_that_the_encoding_knows_of_a_span(
    name: str, inputs: tuple[str, ...]
) -> None:
    schema = Schema("Named", (Field(name, "bool"), Field("k", "key")))
    window = Input(inputs[0])
    bare = Claim(inputs, (Bound("s", Known(window)),), consequent=Present("s", window))
    flagged = replace(bare, consequent=Read("s", name, "bool", window), antecedent=Not(Present("s", window)))
    for claim in (bare, flagged):
        answer = BoundedRefuter().solve(Obligation("made", schema, (), "made", claim), Limits(within=2, seconds=None))
        assert isinstance(answer, Found)
        assert answer.spans == 1


@pytest.mark.parametrize("seed", range(12))
def test_bare_z3_answers_the_text_as_the_encoding_says(seed: int, tmp_path: Path) -> None:
    made = obligation(Random(seed), plan=False)
    encoding = encode(made, (2,))
    solver = z3.SimpleSolver()
    solver.add(encoding.constraints)
    path = tmp_path / "query.smt2"
    path.write_text(smt2(made, 2), encoding="utf-8")
    told = subprocess.run([Z3, path], capture_output=True, text=True, check=False).stdout
    assert told.split()[0] == str(solver.check())


# ---------- cases


@pytest.mark.parametrize("seed", range(40))
def test_a_model_becomes_a_case_that_breaks_the_claim(seed: int) -> None:
    made = obligation(Random(seed), 2 if seed % 5 == 0 else 1)
    size = (2,) * len(made.claim.inputs)
    encoding = encode(made, size)
    solver = z3.SimpleSolver()
    solver.add(encoding.constraints)
    if solver.check() == z3.sat:
        case = encoding.decode(solver.model())
        assert breaks(made, case)
        assert [len(w.spans) for w in case.inputs.values()] == list(size)


@pytest.mark.parametrize("seed", range(20))
def test_a_range_of_lengths_is_all_of_them(seed: int) -> None:
    made = obligation(Random(seed), plan=False)
    each = []
    for size in range(4):
        solver = z3.SimpleSolver()
        solver.add(encode(made, (size,)).constraints)
        each.append(solver.check() == z3.sat)
    encoding = encode(made, (3,), (0,))
    solver = z3.SimpleSolver()
    solver.add(encoding.constraints)
    assert (solver.check() == z3.sat) == any(each)
    for most in range(4):
        solver.push()
        solver.add(encoding.at_most(most))
        found = solver.check() == z3.sat
        assert found == any(each[: most + 1])
        if found:
            case = encoding.decode(solver.model())
            assert breaks(made, case)
            assert len(case.inputs["W"].spans) <= most
        solver.pop()


def test_what_nothing_reads_is_not_in_the_query() -> None:
    made = obligation(Random(0), plan=False)
    names = {str(v.arguments[1]) for v in encode(made, (2,)).emitted.variables}
    assert names <= {"archived", "field", "choice", "parameter", "link", "bound", "fits"}
