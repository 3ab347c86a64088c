"""Why a claim is false in a case, in sentences: which part of the promise fails, for which spans, and what took them.

Every judgement here is the interpreter's: the claim is taken apart from outside, and each part judged in the same case.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from selfedit_formal._frozen import dataclass
from selfedit_formal.core.expression import (
    FALSE,
    TRUE,
    All,
    And,
    Compare,
    Equal,
    Expression,
    If,
    Implies,
    Input,
    Int,
    Logged,
    Not,
    Or,
    Present,
    Read,
    SameRecord,
    SameWindow,
    Some,
    Triggered,
    WindowTerm,
    conjunction,
)
from selfedit_formal.core.property import Case, ChoiceKey, Obligation
from selfedit_formal.core.traverse import nodes, rebuilt, used
from selfedit_formal.reports.formula import Writer
from selfedit_formal.reports.picture import Picture, differences, lone_run
from selfedit_formal.reports.session import watched
from selfedit_formal.semantics.interpreter import Evaluation, Given

if TYPE_CHECKING:
    from selfedit_formal.core.window import Span, Window
    from selfedit_formal.semantics.interpreter import PassRecord


def why(obligation: Obligation, case: Case, passes: tuple[PassRecord, ...], drawn: Picture) -> tuple[str, ...]:
    """Sentences without a full stop; none if the claim holds in the case."""
    windows: dict[WindowTerm, Window] = {Input(n): w for n, w in case.inputs.items()}
    for p in passes:
        if not isinstance(p.term, Input):
            windows.setdefault(p.term.window, p.before)
        windows[p.term] = p.after
    evaluation = Evaluation(obligation, case.inputs, case.parameters, case.spans, Given(case.choices))
    claim = obligation.claim
    homes = {b.variable: b.window for b in claim.bound} | {s: Input(claim.inputs[0]) for s in obligation.spans}
    finder = _Finder(
        obligation.policies[0].name, evaluation, passes, windows, drawn, case.spans, homes, frozenset(case.choices)
    )
    if finder.holds(claim.consequent):
        return ()
    if claim.consequent == FALSE and claim.antecedent != TRUE:
        lines = [f"{finder.writer.formula(claim.antecedent)}, which must not be"]
    else:
        lines = [] if drawn.stories and _counted(obligation) else finder.false(claim.consequent)
    return tuple(dict.fromkeys((*lines, *drawn.stories)))


def _counted(obligation: Obligation) -> bool:
    """Whether the promise is that something is true at most once, of which the picture tells the times."""
    match obligation.claim.consequent:
        case Not(Read(_, field)) if obligation.turns is not None:
            return field in watched(obligation.turns.session)
        case _:
            return False


@dataclass(frozen=True, slots=True)
class _Finder:
    """`spans` has the claim's bound spans and those met on the way into it, `homes` the windows that bound them;
    `chosen` what the case answers."""

    subject: str
    evaluation: Evaluation
    passes: tuple[PassRecord, ...]
    windows: Mapping[WindowTerm, Window]
    drawn: Picture
    spans: Mapping[str, str]
    homes: Mapping[str, WindowTerm]
    chosen: frozenset[ChoiceKey]

    # ---------- asking

    def holds(self, expression: Expression) -> bool:
        return self.evaluation.truth(expression, self.spans)

    def with_span(self, variable: str, window: WindowTerm, span: str) -> _Finder:
        return replace(self, spans={**self.spans, variable: span}, homes={**self.homes, variable: window})

    def first(self, variable: str, window: WindowTerm, condition: Expression, truth: bool) -> _Finder | None:
        """With the variable standing for the first span of the window of which the condition has that truth."""
        each = (self.with_span(variable, window, s) for s in self.evaluation.present(window, self.spans))
        return next((f for f in each if f.holds(condition) == truth), None)

    # ---------- wording

    @property
    def writer(self) -> Writer:
        names = {**self.drawn.names, **{v: self.called(v) for v in self.spans}}
        return Writer(self.subject, names, self.homes, lone_run(self.passes), self.drawn.terms)

    def called(self, span: str) -> str:
        """A variable or id as the picture names the span."""
        identity = self.spans.get(span, span)
        return self.drawn.names.get(identity, identity)

    def fate(self, span: str, window: WindowTerm) -> str:
        """Which rule of which pass took the span out on the way to the window, or nothing."""
        identity = self.spans.get(span, span)
        chain: list[WindowTerm] = []
        at = window
        while not isinstance(at, Input):
            chain.append(at)
            at = at.window
        for p in reversed(self.passes):
            if p.term in chain and p.before.span(identity) is not None:
                was = identity not in p.before.archived
                now = p.after.span(identity) is not None and identity not in p.after.archived
                if was and not now:
                    events = [e for e in p.events if e.kind == "evict" and identity in e.spans]
                    number = next((r.number for e in events for r in self.drawn.rules if r.text == e.origin.text), None)
                    where = "" if p.term == window else f" in {self.writer.term(p.term)}"
                    return f"rule {number} evicted it{where}" if number else ""
        return ""

    # ---------- taking the claim apart

    def false(self, expression: Expression) -> list[str]:
        """Why it is false."""
        write = self.writer
        match expression:
            case And(items):
                broken = next((i for i in items if not self.holds(i)), None)
                return [] if broken is None else self.false(broken)
            case Implies(_, right):
                return self.false(right)
            case Or(items):
                return [line for i in items for line in self.false(i)]
            case If(condition, then, otherwise):
                return self.false(then if self.holds(condition) else otherwise)
            case All(variable, window, condition) if window is not None:
                found = self.first(variable, window, condition, False)
                return [] if found is None else found.false(condition)
            case Not(Some(variable, window, condition)) if window is not None:
                found = self.first(variable, window, condition, True)
                if found is None:
                    return []
                return [f"{found.called(variable)} is in {write.term(window)}, and {found.writer.formula(condition)}"]
            case Not(Triggered(window=window)):
                return [f"{write.term(window)} triggers the policy again"]
            case Not(item):
                return [f"{write.formula(item)}, which must not be"]
            case Some(variable, window, condition) if window is not None:
                return self.nobody(variable, window, condition)
            case SameWindow(left, right):
                return self.differ(left, right)
            case Present(span, window) if window is not None:
                fate = self.fate(span, window)
                return [f"{self.called(span)} is not in {write.term(window)}{fate and ': ' + fate}"]
            case SameRecord(span, left, right):
                return self.changed(span, left, right)
            case Equal(left, right) if self.both_truths(left, right):
                yes, no = (left, right) if self.holds(left) else (right, left)
                return [f"{write.formula(yes)} holds, and {write.formula(no)} does not{self.lost(no)}"]
            case Compare(operator, left, right):
                a, b = self.evaluation.number(left, self.spans), self.evaluation.number(right, self.spans)
                named = [f"{write.formula(e)} = {n}" for e, n in ((left, a), (right, b)) if not isinstance(e, Int)]
                return [f"not {a} {operator} {b}, where {' and '.join(named)}"]
            case Logged(span, window):
                fate = self.fate(span, window)
                return [f"{self.called(span)} is in no ledger after {write.term(window)}{fate and ': ' + fate}"]
            case _:
                return [f"not so: {write.formula(expression)}"]

    def both_truths(self, left: Expression, right: Expression) -> bool:
        """Whether an equality is one of truths (`iff`)."""
        return isinstance(left, Present | And | Or | Not | Some | All | Implies | Compare) or isinstance(
            right, Present | And | Or | Not | Some | All | Implies | Compare
        )

    def lost(self, expression: Expression) -> str:
        """For an expression that says that a span is in a window: what became of that span (": evicted by rule 2"), if
        it is not in it; else nothing."""
        match expression:
            case Present(span, window) if window is not None and (fate := self.fate(span, window)):
                return f": {fate}"
            case _:
                return ""

    def nobody(self, variable: str, window: WindowTerm, condition: Expression) -> list[str]:
        """No span of the window will do; one of an earlier window may have."""
        write = self.writer
        items = condition.items if isinstance(condition, And) else (condition,)
        about = tuple(i for i in items if mentions(i, variable))
        others = tuple(i for i in items if i not in about)
        false = next((i for i in others if not self.holds(i)), None)
        if false is not None:
            return self.false(false)
        said = write.binding(variable, window).formula(conjunction(about))
        lines = [f"no {variable} in {write.term(window)} has: {said}"]
        earlier = window
        while not isinstance(earlier, Input):
            earlier = earlier.window
            for span in self.evaluation.present(earlier, self.spans):
                found = self.with_span(variable, earlier, span)
                if found.holds(read_in(earlier, window, condition)):
                    fate = self.fate(span, window)
                    lines.append(f"in {write.term(earlier)} it was {self.called(span)}{fate and ', but ' + fate}")
                    return lines
        return lines

    def changed(self, span: str, left: WindowTerm, right: WindowTerm) -> list[str]:
        write, identity = self.writer, self.spans.get(span, span)
        left, right = sorted((left, right), key=_made, reverse=True)
        a = self.windows[left].span(identity) if left in self.windows else None
        b = self.windows[right].span(identity) if right in self.windows else None
        head = f"{self.called(span)} in {write.term(left)} is not what it is in {write.term(right)}"
        if a is None or b is None:
            return [head]
        return [f"{head}: {', '.join(differences(b.values, a.values))}"]

    def differ(self, left: WindowTerm, right: WindowTerm) -> list[str]:
        """Two windows are not the same: which spans only one of them has, whose record differs, or the order.

        Created spans are compared by their place, as the equality does.
        """
        write = self.writer
        left, right = sorted((left, right), key=_made, reverse=True)
        head = f"{write.term(left)} is not {write.term(right)}"
        if left not in self.windows or right not in self.windows:
            return [head]
        a, b = self.windows[left], self.windows[right]
        ours, theirs = _places(a), _places(b)
        if [i for i, _ in ours] == [i for i, _ in theirs]:
            lines = []
            for (_, mine), (_, other) in zip(ours, theirs, strict=True):
                if changes := ", ".join(differences(other.values, mine.values)):
                    now, was = self.called(mine.id), self.called(other.id)
                    if now == was:
                        lines.append(f"{head}: {now} {changes}")
                    elif self.open(mine.id, other.id, differences(other.values, mine.values)):
                        fate = self.fate(other.id, left)
                        lines.append(
                            f"{write.term(left)} has {now} in the place of {was}{fate and f' ({fate})'}, and nothing "
                            f"says that they are alike: {changes}"
                        )
                    else:
                        lines.append(f"{now} in {write.term(left)} is not {was} in {write.term(right)}: {changes}")
            return lines
        lines = self.only(right, theirs, left, ours) + self.only(left, ours, right, theirs)
        return lines or [f"{head}: the order is another one"]

    def open(self, mine: str, other: str, changes: tuple[str, ...]) -> bool:
        """Whether two spans that were put in differ only in what was left open where they were."""
        chosen = {(key.span, key.field) for key in self.chosen}
        fields = {change.split()[0] for change in changes}
        return all((mine, f) in chosen or (other, f) in chosen for f in fields)

    def only(
        self, term: WindowTerm, have: list[tuple[str, Span]], other: WindowTerm, lack: list[tuple[str, Span]]
    ) -> list[str]:
        """The spans that one window has and the other has not; of created ones, those it has more of."""
        ids = {i for i, _ in lack}
        made = [s.id for i, s in have if i == CREATED][sum(i == CREATED for i, _ in lack) :]
        found = [s.id for i, s in have if i != CREATED and i not in ids] + made
        if not found:
            return []
        names = ", ".join(self.called(i) for i in found)
        fates = {f for i in found if (f := self.fate(i, other))}
        them = " them" if len(found) > 1 else " it"
        took = f": {fates.pop().replace(' it', them)}" if len(fates) == 1 else ""
        return [f"{self.writer.term(term)} has {names}, and {self.writer.term(other)} has not{took}"]


def _made(window: WindowTerm) -> int:
    """In how many steps the window is made of an input."""
    return 0 if isinstance(window, Input) else 1 + _made(window.window)


CREATED = ""


def _places(window: Window) -> list[tuple[str, Span]]:
    """The present spans with what equality of windows sees of their identity."""
    return [(CREATED if s.id in window.fresh else s.id, s) for s in window.present()]


def read_in(earlier: WindowTerm, window: WindowTerm, condition: Expression) -> Expression:
    """The condition with everything it reads in the window read in the earlier one instead."""

    def change(node: Any) -> Any:
        if node == window:
            return earlier
        return node if isinstance(node, WindowTerm) else rebuilt(node, change)

    changed: Expression = change(condition)
    return changed


def mentions(expression: Expression, variable: str) -> bool:
    """Whether the span variable occurs."""
    return any(variable in used(n) for n in nodes(expression))
