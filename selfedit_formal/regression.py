"""What a generated regression test calls: one window, one policy, one promise, replayed by the interpreter alone.

No solver is loaded. A test names neither statements nor passes by number, so it outlives changes of the policy.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import permutations
from pathlib import Path

from selfedit_formal._frozen import dataclass
from selfedit_formal.core.expression import TRUE, All, Expression, Implies, Some
from selfedit_formal.core.property import Case, ChoiceKey, Obligation
from selfedit_formal.core.window import NO_KEY, Span, Value, Window, zero
from selfedit_formal.language.parse import read
from selfedit_formal.language.resolve import load_text, obligation
from selfedit_formal.reports.layout import plain
from selfedit_formal.reports.regression import Questions
from selfedit_formal.reports.text import drawn_case
from selfedit_formal.semantics.interpreter import Domain, Evaluation, Given, breaks, judge_with
from selfedit_formal.verifying.turns import after

Answers = Mapping[str, Mapping[str, Value | Sequence[Value]]]
"""What the model and the scores said, by pass and question.

Of `P(P(W))`, with a policy `judge`, the inner pass is `judge1` and the outer one `judge2`. `"a"` is whether span a is
picked, `"a.score"` a field of it, `"new1.tokens"` one of the first span that the pass puts in, and `"new1"` whether it
comes, if it only may. A list where the same is asked several times."""

RUNS = 500
"""How many ways to answer a replay tries at most."""

WIDTH = 100


@dataclass(frozen=True, slots=True)
class Replay:
    """What came of a replay. `picture` draws the case that breaks the promise; it is empty if the promise is kept.

    `applies`: in some run the premise and the antecedent of the promise held. `runs`: how many ways were tried.
    """

    kept: bool
    applies: bool
    runs: int
    picture: str

    def __bool__(self) -> bool:
        return self.kept

    def __str__(self) -> str:
        return self.picture or repr(self)

    def __repr__(self) -> str:
        return f"<Replay: {'kept' if self.kept else 'broken'}, {self.runs} runs>"


def replay(
    file: str | Path,
    policy: str,
    promise: str,
    *,
    window: str | None = None,
    parameters: Mapping[str, int] | None = None,
    answers: Answers | None = None,
    turns: int | None = None,
) -> Replay:
    """Whether the policy in the file keeps the promise on one window, whatever the model and the scores answer.

    `policy` and `promise` are written as in a `check`: `"trim_last(cap = 4)"`, `"preserves(paired)"`. `window` is the
    window as a declaration of the language, `window W of Chat = [ … ]`; several, called like the inputs of the promise,
    if it speaks of several; None for a plan that stands on a written-out window. `parameters` fills in those that the
    policy and the promise leave open: each takes the admissible value closest to the one given (to zero if none is),
    and a name that they do not have, or have no more, is passed over. `answers` are tried first, then others, up to
    `RUNS` in all: every answer where there are few, else those given, the limits and the simplest. The spans that a
    plan acts on are tried in every way. For a session `policy` is its name, `window` the one that it starts from, and
    `turns` how many turns it takes.

    Raises `Rejected` if the file, the policy, the promise or the window is wrong, and ValueError if the window cannot
    be an input of the promise (a field out of its bounds, a name that is not an input's), or if `turns` are not those
    that a promise of its kind takes.

    >>> from selfedit_formal import replay
    >>> window = "window W of Repair = [ A: trace { stale, referenced } ]"
    >>> outcome = replay("repair.sef", "prune_stale", "idempotent", window=window)
    >>> outcome.kept
    False
    >>> print(outcome.picture)  # doctest: +ELLIPSIS
    `prune_stale` breaks `idempotent`:
    <BLANKLINE>
    W                               P(W)                P(P(W))
    A: trace { stale, referenced }  - evicted (rule 1)  < readmitted (rule 2)
    ...
    """
    asked, windows = _asked(Path(file), policy, promise, window, turns)
    values = {p.name: _closest((parameters or {}).get(p.name, 0), p.low, p.high) for p in asked.parameters}
    closed = _closed(asked)
    runs, exists, applies = 0, False, False
    for spans, choices in _ways(asked, windows, answers or {}):
        runs += 1
        judged = judge_with(closed, windows, values, spans, choices)
        exists = exists or judged.exists
        if judged.exists and judged.premise:
            case = Case(windows, values, spans, choices.taken)
            broken = _broken(asked, case)
            applies = applies or _applies(asked, case)
            if broken is not None:
                picture = plain(drawn_case(asked, broken, WIDTH))
                return Replay(False, True, runs, f"`{policy}` breaks `{promise}`:\n\n{picture}")
        if runs == RUNS:
            break
    if not exists:
        raise ValueError(f"the window cannot be an input of `{promise}`, or no run of `{policy}` exists on it")
    return Replay(True, applies, runs, "")


# ---------- what is asked


def _asked(
    file: Path, policy: str, promise: str, text: str | None, turns: int | None
) -> tuple[Obligation, dict[str, Window]]:
    """The obligation, after so many turns if it is a session's, and the window of each input."""
    source = read(file, _shown(file))
    module = load_text(f"{source.text}\n{text or ''}", source.name, file.parent)
    asked = obligation(module, policy, promise)
    if (asked.turns is None) != (turns is None):
        raise ValueError(f"`{policy}` {'takes no turns' if asked.turns is None else 'takes a number of turns'}")
    if turns is not None:
        asked = after(asked, turns)
    inputs = asked.claim.inputs
    if asked.fixed is not None:
        if text is not None:
            raise ValueError(f"`{policy}` stands on a window of its own, so there is none to give")
        return asked, {inputs[0]: asked.fixed}
    given = re.findall(r"^\s*window\s+(\w+)\s+of\b", text or "", re.MULTILINE)
    if len(inputs) == 1 and len(given) == 1:
        return asked, {inputs[0]: _at_the_start(module.windows[given[0]], asked)}
    if sorted(given) != sorted(inputs):
        raise ValueError(
            f"`{promise}` speaks of {', '.join(inputs)}; the windows given are {', '.join(given) or 'none'}"
        )
    return asked, {name: module.windows[name] for name in inputs}


def _at_the_start(window: Window, asked: Obligation) -> Window:
    """The window; of a session with what the session remembers of spans to which nothing has happened."""
    if asked.turns is None or asked.turns.session.window != window.schema.name:
        return window
    schema = asked.turns.session.schema
    nothing = {f.name: zero(f.kind) for f in schema.fields if f.history}
    return replace(window, schema=schema, spans=tuple(Span(s.id, {**s.values, **nothing}) for s in window.spans))


def _shown(file: Path) -> str:
    """The path as it is shortest to read from here."""
    try:
        return os.path.relpath(file)
    except ValueError:  # another drive
        return str(file)


def _closed(asked: Obligation) -> Obligation:
    """The same promise with its bound spans quantified in the formula, so that one judgement is about all of them."""
    claim = asked.claim
    formula: Expression = Implies(claim.antecedent, claim.consequent)
    for bound in reversed(claim.bound):
        formula = All(bound.variable, bound.window, formula)
    return replace(asked, claim=replace(claim, bound=(), antecedent=TRUE, consequent=formula))


def _applies(asked: Obligation, case: Case) -> bool:
    formula = asked.claim.antecedent
    for bound in reversed(asked.claim.bound):
        formula = Some(bound.variable, bound.window, formula)
    return _evaluation(asked, case).truth(formula)


def _broken(asked: Obligation, case: Case) -> Case | None:
    """The case with bound spans for which it breaks the promise, if there are any."""
    evaluation = _evaluation(asked, case)
    found: list[dict[str, str]] = [dict(case.spans)]
    for bound in asked.claim.bound:
        found = [{**f, bound.variable: s} for f in found for s in evaluation.present(bound.window, f)]
    cases = (replace(case, spans=f) for f in found)
    return next((c for c in cases if breaks(asked, c)), None)


def _evaluation(asked: Obligation, case: Case) -> Evaluation:
    return Evaluation(_closed(asked), case.inputs, case.parameters, case.spans, Given(case.choices))


def _closest(value: int, low: int | None, high: int | None) -> int:
    value = value if low is None else max(value, low)
    return value if high is None else min(value, high)


# ---------- every way to answer


def _ways(
    asked: Obligation, windows: Mapping[str, Window], answers: Answers
) -> Iterator[tuple[Mapping[str, str], _Script]]:
    """Which spans a plan acts on, with every script of answers. Each must have been played before the next is drawn."""
    keys = sorted({v for w in windows.values() for s in w.spans for v in s.values.values() if isinstance(v, str)})
    first = windows[asked.claim.inputs[0]]
    free = () if asked.fixed is not None else asked.spans
    for chosen in permutations([s.id for s in first.present()], len(free)):
        picks: list[int] = []
        while True:
            script = _Script(answers, keys, tuple(picks))
            yield dict(zip(free, chosen, strict=True)), script
            path = script.path
            while path and path[-1][0] + 1 == path[-1][1]:
                path.pop()
            if not path:
                break
            picks = [*(at for at, _ in path[:-1]), path[-1][0] + 1]


class _Script:
    """Answers each question with the candidate that `picks` says, later ones with their first; notes what was asked."""

    def __init__(self, answers: Answers, keys: Sequence[str], picks: tuple[int, ...]) -> None:
        self._answers = answers
        self._keys = keys
        self._picks = picks
        self._questions = Questions()
        self._asked: dict[tuple[str, str], int] = {}
        self.path: list[tuple[int, int]] = []
        """For each question in turn, which candidate it got and how many there were."""
        self.taken: dict[ChoiceKey, Value] = {}

    def take(self, key: ChoiceKey, domain: Domain) -> Value:
        candidates = self._candidates(key, domain)
        at = self._picks[len(self.path)] if len(self.path) < len(self._picks) else 0
        self.path.append((at, len(candidates)))
        self.taken[key] = candidates[at]
        return candidates[at]

    def _candidates(self, key: ChoiceKey, domain: Domain) -> tuple[Value, ...]:
        name = self._questions.name(key)
        times = self._asked.get((key.run, name), 0)
        self._asked[key.run, name] = times + 1
        told = self._told(key.run, name)
        every: list[Value] = [*told[times : times + 1], domain.default(), *told]
        match domain.kind:
            case "bool":
                every += [False, True]
            case "enum":
                every += domain.names
            case "key":
                every += [NO_KEY, *self._keys]
            case "int":
                low, high = domain.low, domain.high
                every += [n for n in (low, high) if n is not None]
                if low is not None and high is not None and high - low < FEW:
                    every += range(low, high + 1)
        return tuple(dict.fromkeys(v for v in every if domain.admits(v)))

    def _told(self, run: str, name: str) -> tuple[Value, ...]:
        told = self._answers.get(run, {}).get(name, ())
        return (told,) if isinstance(told, int | str) else tuple(told)


FEW = 4
"""Open numbers with at most so many values take each of them."""
