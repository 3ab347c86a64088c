"""Results made by hand, on which every report is tested: no solver decides what they say."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from selfedit_formal.diagnostics import Source
from selfedit_formal.language.module import Module
from selfedit_formal.language.resolve import load_text
from selfedit_formal.property import Case, ChoiceKey, Obligation
from selfedit_formal.verdict import Bounded, Failed, Proved, Refuted, Result, Unknown, Vacuous, Verdict
from selfedit_formal.window import Value

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
