"""Results made by hand, on which every report is tested: no solver decides what they say."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

from selfedit_formal.core.property import Case, ChoiceKey, Expectation, Obligation
from selfedit_formal.core.verdict import Failed, Refuted, Result, Verdict
from selfedit_formal.core.window import Value
from selfedit_formal.language.module import Module
from selfedit_formal.language.resolve import load_text

TEXT = """\
window Chat {
  tag    : system | call | result | summary
  tokens : int >= 1
  call   : key
  pinned : bool
  link justifies
}

predicate paired(W) for Chat =
  all r in W: r.tag == result implies some c in W: c.tag == call and c.call == r.call and c before r

## A token budget, newest first.
policy trim_last(cap: int >= 0) for Chat {
  keep s where s.tag == system
  evict s where total(t.tokens: t not before s and t.tag != system) > cap
}

policy judge(size: int >= 1) for Chat {
  may summarize s where s.tag != system into { tag = summary, tokens <= size, call = none }
  set s where s.tag == summary { pinned }
}

policy swing for Chat {
  at once {
    evict   s where s.pinned
    readmit s where s.pinned
  }
}

policy careful for Chat {
  evict s where s.pinned
  refuse when some s: s.tag == system because "a system span is there"
}

## A written-out window.
window w41 of Chat = [
  A: result { tokens = 900, call = k1 }
  R: summary { tokens = 140 }
  R justifies A
]

plan drop on w41 { because R  delete A, R }

window orphan of Chat = [
  S: system { tokens = 1 }
  C: call { tokens = 4, call = k1 }
  R: result { tokens = 2, call = k1, pinned }
  C justifies R
]

window flag of Chat = [
  A: call { tokens = 1, pinned }
]

check trim_last: preserves(paired)
check trim_last(cap = 2): idempotent
check judge: idempotent
check judge: independent
check swing: stabilizes(4)
check careful: acts
check drop: keeps_rationale
"""


@cache
def module() -> Module:
    return load_text(TEXT, "chat.sef")


def obligation(name: str) -> Obligation:
    """The check with this name, `trim_last: preserves(paired)`."""
    return next(o for o in module().obligations if o.name == name)


def case(
    asked: Obligation,
    window: str,
    parameters: dict[str, int] | None = None,
    spans: dict[str, str] | None = None,
    choices: dict[ChoiceKey, Value] | None = None,
) -> Case:
    """A case of an obligation about one window, which the text declares."""
    return Case({asked.claim.inputs[0]: module().windows[window]}, parameters or {}, spans or {}, choices or {})


def result(asked: Obligation, verdict: Verdict | Failed, notes: tuple[str, ...] = ()) -> Result:
    return Result(asked, verdict, 0.25, "bounded", notes)


def refutation(told: Result) -> Case:
    """The case of a result that is a refutation."""
    assert isinstance(told.verdict, Refuted)
    return told.verdict.case


def orphan() -> Result:
    """A refutation with links, a kept and an evicted span, and a parameter."""
    asked = obligation("trim_last: preserves(paired)")
    return result(asked, Refuted(case(asked, "orphan", {"cap": 2}, {"r": "R"}), 3, True))


def again() -> Result:
    """A refutation in which the model answers, and a summary replaces another span."""
    asked = obligation("judge: idempotent")
    first, second = ChoiceKey("judge1", 0, "C", ""), ChoiceKey("judge2", 0, "R", "")
    return result(asked, Refuted(case(asked, "orphan", {"size": 5}, {}, {first: True, second: True}), 3, False))


def hanging() -> Result:
    """A refutation with a second run on a window without one of the spans."""
    asked = obligation("judge: independent")
    choices: dict[ChoiceKey, Value] = {ChoiceKey("judge'1", 0, "R", ""): True}
    return result(asked, Refuted(case(asked, "orphan", {"size": 1}, {"s": "R", "t": "S"}, choices), 3, True))


def swinging() -> Result:
    """A refutation with many passes, and a span that leaves and comes back."""
    asked = obligation("swing: stabilizes(4)")
    return result(asked, Refuted(case(asked, "flag"), 1, True))


def refusing() -> Result:
    """A refutation by a pass that refused."""
    asked = obligation("careful: acts")
    return result(asked, Refuted(case(asked, "orphan"), 3, True))


def planned() -> Result:
    """A plan on a written-out window."""
    asked = obligation("drop: keeps_rationale")
    window = asked.fixed
    assert window is not None
    return result(asked, Refuted(Case({"W": window}, {}, {"s": "R"}, {}), 2, True))


def expecting(asked: Obligation, verdict: Expectation) -> Obligation:
    """The same check with an `expect`."""
    return replace(asked, expect=verdict)
