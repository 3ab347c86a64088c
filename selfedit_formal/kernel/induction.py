"""A contradiction from facts, with the help of what is true of sums by induction along the positions.

Each lemma is guessed and then shown by a query of its own, from the definitions and the lemmas before it; a guess that
is wrong is dropped. All is said of one run that breaks the claim, whatever it is, so lemmas may use that it does.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable

import z3

from selfedit_formal._frozen import dataclass
from selfedit_formal.kernel.book import Book, Sum, Term, constants, subterms
from selfedit_formal.kernel.ground import Arguments, Ground, TooMuch, step

Cut = Callable[[Term], Term]
"""A sum from its cut."""
Template = Callable[[Term], Term]
"""What may be true of each cut."""

DEPTHS = (1, 2)
"""How many searches deep positions are looked at, in turn."""
MOST_GUESSES = 400
ORDERS = (z3.Z3_OP_LE, z3.Z3_OP_LT, z3.Z3_OP_GE, z3.Z3_OP_GT)


@dataclass(frozen=True, slots=True)
class Measure:
    """A sum, and what it adds at the position in question."""

    upto: Cut
    adds: Term


@dataclass(frozen=True, slots=True)
class Guess:
    """A lemma about a pair of cuts (`holds`) or about one (`at`). `wrong`: that it is not so where it is to be shown;
    `before`: that it is so where the sums come from."""

    holds: Callable[..., Term]
    wrong: Term
    before: Term
    at: Template = lambda i: i


def refute(book: Book, facts: tuple[Term, ...], steps: int) -> tuple[str, ...] | str:
    """The queries that show that the facts contradict each other; or in words, why that was not seen."""
    reason = "what it knows of counts, totals and the spans concerned does not exclude a window that breaks the promise"
    for depth in DEPTHS:
        attempt = _Attempt(book, facts, steps, depth)
        try:
            if attempt.succeeds():
                return tuple(attempt.queries)
        except TooMuch:
            reason = "it would have to look at more spans at once than it does"
    return reason


class _Attempt:
    """`queries` are those that were found to be contradictory; `lemmas` say their facts of what stands on a ground."""

    def __init__(self, book: Book, facts: tuple[Term, ...], steps: int, depth: int) -> None:
        self.book = book
        self.facts = facts
        self.steps = steps
        self.depth = depth
        self.queries: list[str] = []
        self.lemmas: list[Callable[[Ground], list[Term]]] = []

    def succeeds(self) -> bool:
        if self._contradicts(self._ground()):
            return True
        if not self.book.sums:
            return False
        self._split()
        if self._contradicts(self._ground()):
            return True
        for both in (False, False, True):
            if self._pointwise(both) and self._contradicts(self._ground()):
                return True
        for rich in (False, True):
            for backward in (True, False):
                if self._inductive(backward, rich) and self._contradicts(self._ground()):
                    return True
        return False

    # ---------- asking

    def _ground(self, *positions: Term) -> Ground:
        """All that is known, also of these positions, which are of spans in reach of the run."""
        inside = [self.book.inside(p) for p in positions]
        ground = Ground(self.book, (*self.facts, *inside), (*self.book.marked, *positions), self.depth)
        for lemma in self.lemmas:
            for fact in lemma(ground):
                ground.tell(fact)
            ground.settle()
        return ground

    def _contradicts(self, ground: Ground, *more: Term) -> bool:
        """Whether the facts, and these, have no model: asked of a fresh solver, in text."""
        written = z3.Solver(ctx=self.book.context)
        written.add(*ground.facts, *more)
        query = written.to_smt2()
        solver = z3.Solver(ctx=z3.Context())
        solver.set("rlimit", self.steps)
        solver.from_string(query)
        if solver.check() != z3.unsat:
            return False
        self.queries.append(query)
        return True

    # ---------- sums that look at the order only

    def _split(self) -> None:
        """`count(t: φ(t) and t after s)` is what `φ` counts in all without what it counts up to `s`."""
        done: set[str] = set()
        while new := [s for s in self.book.sums.values() if s.upto.name() not in done]:
            for sum in new:
                done.add(sum.upto.name())
                laws = (self._halves(sum, argument) for argument in sum.arguments)
                law = next((law for law in laws if law is not None), None)
                if law is not None and sum.upto.name() not in self.book.laws:
                    self.book.laws[sum.upto.name()] = [law]

    def _halves(self, sum: Sum, argument: Term) -> Callable[..., Term] | None:
        """That the sum is made of one over the positions before its argument and one over those after it; None if that
        is not so."""
        book = self.book
        if sum.backward or argument.get_id() not in constants(sum.step):
            return None
        guards = _apart(sum.step, argument, sum.hole)
        rest = tuple(a for a in sum.arguments if not a.eq(argument))
        sides = []
        for older in (True, False):
            told = [(g, book.true) for g in guards]
            told += [(t, self._truth(when == older)) for t, when in _orders(sum.step, argument, sum.hole)]
            body = z3.simplify(z3.substitute(sum.step, *told))
            if argument.get_id() in constants(body):
                return None
            sides.append(book.defined_sum(rest, body))
        index = next(i for i, a in enumerate(sum.arguments) if a.eq(argument))

        def law(*applied: Term) -> Term:
            arguments, cut = applied[:-1], applied[-1]
            place = arguments[index]
            others = (*arguments[:index], *arguments[index + 1 :])
            names = list(zip(sum.arguments, arguments, strict=True))
            before, after = (_from(s, others) for s in sides)
            here = sum.upto(*arguments, cut)
            whole = before(place) + step(sum, arguments, place) + after(cut) - after(place + 1)
            guard = (book.inside(place), _cut(book, cut), *(z3.substitute(g, *names) for g in guards))
            two = (z3.Implies(cut <= place, here == before(cut)), z3.Implies(cut > place, here == whole))
            return z3.Implies(z3.And(*guard), z3.And(*two))

        arguments = tuple(book.constant() for _ in sum.arguments)
        cut = book.constant()
        first, now, then = law(*arguments, book.zero), law(*arguments, cut), law(*arguments, cut + 1)
        start = Ground(book, (), arguments, 0, (first,))
        further = Ground(book, (now, book.inside(cut)), (*arguments, cut), 0, (then,))
        proved = self._contradicts(start, z3.Not(first)) and self._contradicts(further, z3.Not(then))
        return law if proved else None

    def _truth(self, value: bool) -> Term:
        return self.book.true if value else self.book.false

    # ---------- guesses that are shown, or dropped

    def _surviving(self, ground: Ground, guesses: list[Guess], needs: bool) -> list[Guess]:
        """The guesses that the facts imply; or, if it `needs` them, that they imply with all of the guesses assumed
        where the sums come from. Those that a model breaks are dropped, until there is none."""
        for guess in guesses:
            ground.mention(guess.wrong)
        solver = z3.Solver(ctx=self.book.context)
        solver.set("rlimit", self.steps)
        solver.add(*ground.facts)
        while guesses:
            assumed = [g.before for g in guesses] if needs else []
            wrong = z3.Or([g.wrong for g in guesses])
            solver.push()
            solver.add(*assumed, wrong)
            answer = solver.check()
            if answer != z3.sat:
                return guesses if answer == z3.unsat and self._contradicts(ground, *assumed, wrong) else []
            model = solver.model()
            guesses = [g for g in guesses if not z3.is_true(model.eval(g.wrong, model_completion=True))]
            solver.pop()
        return []

    def _pointwise(self, both: bool = False) -> bool:
        """Which sums nowhere add more than others, or than nothing."""
        book, here = self.book, self.book.constant()
        ground = self._ground(here)
        moves = [(s, a) for s, a in self._rigid(ground, here) if not s.backward]
        adds = [Measure(lambda i: book.zero, book.zero)]
        adds += [Measure(_from(s, a), step(s, a, here)) for s, a in moves]
        guesses = [
            Guess(_slower(book, a.upto, b.upto), a.adds > b.adds, book.true)
            for a, b in itertools.permutations(adds, 2)
            if not both
        ]
        proved = self._surviving(ground, guesses, needs=False)
        if both:
            proved = self._surviving(
                ground,
                [
                    Guess(_slower(book, a.upto, _added(b.upto, c.upto)), a.adds > b.adds + c.adds, book.true)
                    for b, c in itertools.combinations(adds[1:], 2)
                    for a in adds[1:]
                    if a is not b and a is not c
                ],
                needs=False,
            )

        def facts(ground: Ground) -> list[Term]:
            ordered = list(itertools.permutations(ground.cuts(), 2))
            return [guess.holds(i, j) for guess in proved for i, j in ordered if not i.eq(book.length)]

        self.lemmas += [facts] if proved else []
        return bool(proved)

    def _rigid(self, ground: Ground, *moving: Term) -> list[tuple[Sum, Arguments]]:
        """The sums there whose arguments do not speak of what moves."""
        ids = {m.get_id() for m in moving}
        return [(s, g) for s, g in ground.sums if not any(set(constants(a)) & ids for a in g)]

    def _inductive(self, backward: bool, rich: bool) -> bool:
        """Bounds of sums over the positions before a cut (or after it), by induction from that end to the other."""
        book, here = self.book, self.book.constant()
        ground = self._ground(here)
        first, last = (here + 1, here) if backward else (here, here + 1)
        end = book.length if backward else book.zero
        sums = self._rigid(ground, here)
        side = [_measure(book, s, a, backward) for s, a in sums]
        bounds = self._bounds()
        templates = [_at_most(m, x) for m in side for x in bounds]
        templates += [_at_most(m, book.zero, k) for m, k in itertools.permutations(side, 2)]
        if rich:
            templates += [_at_most(m, x, k) for m, k in itertools.permutations(side, 2) for x in bounds]
        templates = templates[:MOST_GUESSES]
        guesses = [Guess(lambda *i: book.true, z3.Not(t(end)), book.true, t) for t in templates]
        guesses = self._surviving(self._ground(), guesses, needs=False)
        guesses = [Guess(lambda *i: book.true, z3.Not(g.at(last)), g.at(first), g.at) for g in guesses]
        proved = self._surviving(ground, guesses, needs=True)

        def facts(ground: Ground) -> list[Term]:
            return [z3.Implies(_cut(book, i), guess.at(i)) for guess in proved for i in ground.cuts()]

        self.lemmas += [facts] if proved else []
        return bool(proved)

    def _bounds(self) -> list[Term]:
        """What sums are compared with where the facts and the definitions compare them, if it is one number; and 0."""
        book = self.book
        where = [*self.facts, *(s.step for s in book.sums.values()), *(s.body for s in book.searches.values())]
        loose = {p.get_id() for p in (*book.holes, *book.places)}
        found, seen = {book.zero.get_id(): book.zero}, set[int]()
        for term in itertools.chain.from_iterable(subterms(w, seen) for w in where):
            if z3.is_app(term) and term.decl().kind() in ORDERS:
                for side, bound in itertools.permutations(term.children()):
                    names = {t.decl().name() for t in subterms(bound) if z3.is_app(t)}
                    if names.isdisjoint(book.found) and not set(constants(bound)) & loose and _is_sum(book, side):
                        found[bound.get_id()] = bound
        return list(found.values())


def _is_sum(book: Book, term: Term) -> bool:
    return z3.is_app(term) and term.decl().name() in book.sums


def _cut(book: Book, place: Term) -> Term:
    return z3.And(place >= 0, place <= book.length)


def _slower(book: Book, left: Cut, right: Cut) -> Callable[[Term, Term], Term]:
    """Between two cuts the one sum grows at most as the other does."""

    def holds(i: Term, j: Term) -> Term:
        ordered = z3.And(_cut(book, i), _cut(book, j), i <= j)
        return z3.Implies(ordered, left(j) - left(i) <= right(j) - right(i))

    return holds


def _from(sum: Sum, arguments: Arguments) -> Cut:
    return lambda i: sum.upto(*arguments, i)


def _at_most(sum: Cut, bound: Term, other: Cut | None = None) -> Template:
    return (lambda i: sum(i) <= bound) if other is None else (lambda i: sum(i) <= other(i) + bound)


def _added(left: Cut, right: Cut) -> Cut:
    return lambda i: left(i) + right(i)


def _measure(book: Book, sum: Sum, arguments: Arguments, backward: bool) -> Cut:
    """What the sum has over the positions before a cut, or from the cut on."""
    whole = sum.upto(*arguments, book.zero if sum.backward else book.length)
    if sum.backward == backward:
        return lambda i: sum.upto(*arguments, i)
    return lambda i: whole - sum.upto(*arguments, i)


def _apart(body: Term, argument: Term, hole: Term) -> list[Term]:
    """The largest tests in it that speak of the argument and not of the hole."""
    found, waiting, seen = [], [body], set()
    while waiting:
        term = waiting.pop()
        if term.get_id() in seen:
            continue
        seen.add(term.get_id())
        inside = constants(term)
        if argument.get_id() not in inside:
            continue
        if z3.is_bool(term) and hole.get_id() not in inside:
            found.append(term)
        else:
            waiting += term.children()
    return found


def _orders(body: Term, argument: Term, hole: Term) -> list[tuple[Term, bool | None]]:
    """The tests of their order in it: with whether each is true of a hole before the argument, or after it."""
    found: list[tuple[Term, bool | None]] = []
    for term in subterms(body):
        if z3.is_app(term) and term.num_args() == 2:
            a, b = term.children()
            if (a.eq(hole) and b.eq(argument)) or (a.eq(argument) and b.eq(hole)):
                kind = term.decl().kind()
                if kind in (z3.Z3_OP_LT, z3.Z3_OP_LE):
                    found.append((term, a.eq(hole)))
                elif kind == z3.Z3_OP_EQ:
                    found.append((term, None))
    return found
