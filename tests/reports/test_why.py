"""Which part of a promise fails, for which spans, and what took them: judged by the interpreter, said in a sentence."""

from __future__ import annotations

from dataclasses import replace

import pytest

from selfedit_formal.core.property import Case, ChoiceKey
from selfedit_formal.core.window import Value
from selfedit_formal.language.resolve import load_text, obligation
from selfedit_formal.reports.picture import picture
from selfedit_formal.reports.why import why
from selfedit_formal.semantics.interpreter import passes, taken

TEXT = """\
window Chat {
  tag    : user | result | summary
  tokens : int >= 1
  pinned : bool
  link answers
}
policy drop for Chat { evict s where s.pinned }
policy fold for Chat { summarize s where s.pinned into { tag = summary, tokens = 3 } }
policy clear for Chat { set s where s.pinned { tokens = 9 } }
policy turn for Chat { move s where s.pinned at front }
policy seen(limit: int) for Chat { refuse when count(t) > limit because "too many" }
window two of Chat = [
  A: user { tokens = 1 }
  B: result { tokens = 2, pinned }  B answers A
]
property stays(P: policy)   = all W, s in W: s in P(W)
property alike(P: policy)   = all W: P(W) == W
property unchanged(P: policy) = all W, s in W: P(W)[s] == W[s]
property few(P: policy)     = all W: total(s.tokens: s in P(W)) <= 2
property both(P: policy)    = all W: (count(s in P(W)) >= 0) and count(s in P(W)) == 2
property never(P: policy)   = all W: no s in P(W): s.pinned
property linked(P: policy)  = all W, s in P(W): some t in P(W): t.tag == result and t answers s
property quiet(P: policy)   = all W: not refused(P, W)
property told(P: policy)    = all W, s in W where s not in P(W): logged(P, s, W)
property fewer(P: policy)   = all W: if count(s in P(W)) == 1 then false else count(s in P(W)) == 2
"""


def said(policy: str, promise: str, **spans: str) -> list[str]:
    module = load_text(TEXT)
    asked = obligation(module, policy, promise)
    choices: dict[ChoiceKey, Value] = {}
    parameters = {p.name: 1 for p in asked.parameters}
    case = Case({"W": module.windows["two"]}, parameters, spans, choices)
    records = passes(asked, case)
    return list(why(asked, case, records, picture(asked, case, records)))


@pytest.mark.parametrize(
    ("policy", "promise", "spans", "sentences"),
    [
        ("drop", "stays", {"s": "B"}, ["B is not in P(W): rule 1 evicted it"]),
        ("drop", "stays", {"s": "A"}, []),
        ("drop", "alike", {}, ["W has B, and P(W) has not: rule 1 evicted it"]),
        ("fold", "alike", {}, ["W has B, and P(W) has not: rule 1 evicted it", "P(W) has new1, and W has not"]),
        ("clear", "alike", {}, ["P(W) is not W: B tokens 2 -> 9"]),
        ("turn", "alike", {}, ["P(W) is not W: the order is another one"]),
        ("clear", "unchanged", {"s": "B"}, ["B in P(W) is not what it is in W: tokens 2 -> 9"]),
        ("clear", "few", {}, ["not 10 <= 2, where total(s.tokens: s in P(W)) = 10"]),
        ("drop", "both", {}, ["not 1 == 2, where count(s in P(W)) = 1"]),
        ("clear", "never", {"s": "B"}, ["B.pinned, which must not be"]),
        (
            "drop",
            "linked",
            {"s": "A"},
            ["no t in P(W) has: t.tag == result and t answers A", "in W it was B, but rule 1 evicted it"],
        ),
        ("seen", "quiet", {}, ["refused(P, W), which must not be"]),
        ("drop", "told", {"s": "B"}, ["B is in no ledger after P(W): rule 1 evicted it"]),
        ("drop", "fewer", {}, ["not so: false"]),
    ],
)
def test_the_reason_is_found(policy: str, promise: str, spans: dict[str, str], sentences: list[str]) -> None:
    assert said(policy, promise, **spans) == sentences


def test_what_was_left_open_is_no_reason_by_itself() -> None:
    """Two summaries are of several sizes because nothing ties them, which says more than the sizes."""
    module = load_text(
        "window Chat { tag : user | summary  tokens : int >= 0 }\n"
        "policy roll for Chat { summarize s where true into { tag = summary, tokens <= 9 } }\n"
        "policy fix for Chat { summarize s where true into { tag = summary, tokens = 1 + total(t.tokens) } }\n"
        "window one of Chat = [ A: user { tokens = 0 } ]\n"
    )
    reasons: list[str] = []
    for policy in ("roll", "fix"):
        asked = obligation(module, policy, "idempotent")
        case = Case({"W": module.windows["one"]}, {}, {}, {})
        if open_sizes := [key for key in taken(asked, case) if key.field == "tokens"]:
            case = replace(case, choices={open_sizes[0]: 5})
        records = passes(asked, case)
        reasons += why(asked, case, records, picture(asked, case, records))
    assert reasons == [
        "P(P(W)) has new2 in the place of new1 (rule 1 evicted it), and nothing says that they are alike: "
        "tokens 5 -> 0",
        "new2 in P(P(W)) is not new1 in P(W): tokens 1 -> 2",
    ]
