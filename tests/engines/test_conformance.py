"""No two engines contradict each other, whatever they are: an engine is admitted by being a file in `engines/`.

Giving up is always allowed. The corpus keeps to small numbers: a referee with small domains can see what there is.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from itertools import combinations
from math import inf
from pathlib import Path

import pytest

from selfedit_formal import engines
from selfedit_formal.core.budget import Work
from selfedit_formal.core.certificate import Certificate, Method
from selfedit_formal.core.property import Obligation
from selfedit_formal.engines import Answer, Found, GaveUp, Limits, NoneFound, Prover, Refuter, prover, provers, refuters
from selfedit_formal.language.resolve import load_text
from selfedit_formal.semantics.interpreter import breaks
from selfedit_formal.verifying.shrink import size

SCHEMA = """
window Small {
  tag    : user | call
  tokens : int >= 1
  old    : bool
  link justifies
  control s where s.tag == user
}
window Keyed {
  tag  : call | result
  name : key
}
window Scored {
  tag   : user | call
  score : int >= 0 <= 2 from query
  mood  : bool from window
  control s where s.tag == user
}
predicate young(W) = all s in W: not s.old
predicate answers(r, c) for Keyed = r.tag == result and c.tag == call and r.name == c.name and c before r
predicate paired(W) for Keyed = all r in W: r.tag == result implies some c in W: answers(r, c)
property keeps_one(P: policy) = all W where (some s in W: true): some t in P(W): true
property same_twice(P: policy) = all W, V where P(W) == P(V): W == V
property far_apart(P: policy) =
  all W, s in P(W), t in P(W) where s before t in W: s before t in P(W)
"""

CORPUS = """
policy drop_old for Small { evict s where s.old }
policy drop_all for Small { evict s where true }
policy may_drop for Small { may evict s where s.old }
policy cap(n: int >= 0) for Small { evict s where total(t.tokens: t not before s) > n }
policy fill_up for Small { fill newest s where s.tag == call by s.tokens up to 2 }
policy newest for Small { let last_one = last s where s.tag == call   evict s where s before last_one }
policy shorten for Small { set s where s.tag == call { tokens = 1, old } }
policy shorten_open for Small { set s where s.old { tokens <= 2 } }
policy summarize_old for Small { summarize s where s.old into { tag = user, tokens <= 2 } }
policy put_in for Small { when no s: s.tag == user   insert { tag = user, tokens = 1 } at front }
policy to_front for Small { move s where s.tag == user at front }
policy grounded_only for Small { evict s where s.tag == call and no j: j justifies s }
policy reachable for Small { evict s where no t: s reaches t along justifies }
policy refusing for Small { refuse when some s: s.old because "old"   evict s where s.tag == call }
policy gated for Small { may evict s where s.old   gate idempotent }
policy toggling for Small { at once { evict s where s.old   readmit s where s.old } }
policy bring_back for Small { readmit s where s.tag == call override   evict s where s.old logged }
policy tear for Keyed { evict s where s.tag == call and count(t: t after s) >= 1 }
policy close for Keyed { evict s where s.tag == result and no c: answers(s, c) }
policy best for Scored { evict s where s.score < 1 and s.tag == call }
policy moody for Scored { evict s where s.mood }

check drop_old:      idempotent, never_grows, preserves(young), control_unchanged, keeps_one
check drop_all:      idempotent, within(0), keeps_one, same_twice
check may_drop:      idempotent, pure, stabilizes(2), order_kept
check cap:           idempotent, order_kept, independent
check cap(n = 2):    within(2), stable
check fill_up:       idempotent, within(2), independent
check newest:        idempotent, far_apart, keeps_one
check shorten:       idempotent, never_grows, control_disjoint
check shorten_open:  idempotent, never_grows, pure
check summarize_old: idempotent, never_grows, covered, order_kept
check put_in:        idempotent, keeps_one
check to_front:      idempotent, far_apart, order_blind
check grounded_only: justified, idempotent
check reachable:     idempotent, justified
check refusing:      acts, idempotent
check gated:         idempotent
check toggling:      idempotent, stabilizes(2), no_silent_readmission
check bring_back:    no_silent_readmission, idempotent, audited
check tear:          preserves(paired), idempotent
check close:         preserves(paired), idempotent
check best:          control_unscored, idempotent, pure
check moody:         idempotent, pure, control_unchanged

window w of Small = [
  a: call { tokens = 2, old }
  r: user { tokens = 1 }
  r justifies a
]
plan cut on w { because r   delete a }
plan cut_both on w { because r   delete a, r }
plan cut_any(a, r) for Small { because r   delete a }
check cut:      keeps_rationale, control_disjoint
check cut_both: keeps_rationale
check cut_any:  keeps_rationale, control_disjoint
"""

OBLIGATIONS = {o.name: o for o in load_text(SCHEMA + CORPUS).obligations}
LIMITS = Limits(within=3, seconds=5.0)


@dataclass(frozen=True)
class AsRefuter:
    """A prover, which never refutes, as a refuter that may give up."""

    prover: Prover

    @property
    def name(self) -> str:
        return self.prover.name

    def solve(self, obligation: Obligation, limits: Limits) -> Answer:
        proof = self.prover.prove(obligation, Work(PROOF_STEPS))
        return NoneFound(EVERY_LENGTH) if isinstance(proof, Certificate) else GaveUp(proof.reason, 0)


EVERY_LENGTH = sys.maxsize
PROOF_STEPS = 500_000

PROVERS = {p.name: p for p in provers()}
ENGINES = {e.name: e if isinstance(e, Refuter) else AsRefuter(e) for _, e in engines.engines()}


@cache
def answer(engine: str, name: str) -> Answer:
    return ENGINES[engine].solve(OBLIGATIONS[name], LIMITS)


@cache
def proofs(engine: str) -> dict[str, Certificate]:
    """What a prover proves of the corpus, by the obligation's name."""
    found = {name: PROVERS[engine].prove(OBLIGATIONS[name], Work(PROOF_STEPS)) for name in OBLIGATIONS}
    return {name: proof for name, proof in found.items() if isinstance(proof, Certificate)}


def test_the_engines_of_the_folder_are_found() -> None:
    assert {"bounded", "enumerate", "random", "unbounded"} <= ENGINES.keys()
    assert [e.name for e in refuters()] == ["bounded"]
    assert [e.name for e in provers()] == ["unbounded"]


DROPPED_IN = """
from selfedit_formal.engines import GaveUp

class Oracle:
    name = "oracle"

    def solve(self, obligation, limits):
        return GaveUp("the stars are not out", 0)

ENGINE, TURN = Oracle(), 0
"""


@pytest.fixture
def dropped_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A file more in the folder."""
    (tmp_path / "oracle.py").write_text(DROPPED_IN, encoding="utf-8")
    monkeypatch.setattr(engines, "__path__", [*engines.__path__, str(tmp_path)])
    engines.engines.cache_clear()
    yield
    engines.engines.cache_clear()
    sys.modules.pop("selfedit_formal.engines.oracle", None)


@pytest.mark.usefixtures("dropped_in")
def test_an_engine_that_is_put_into_the_folder_is_asked_in_its_turn() -> None:
    assert [e.name for e in refuters()] == ["oracle", "bounded"]


@pytest.mark.parametrize("name", OBLIGATIONS)
@pytest.mark.parametrize("engine", ENGINES)
def test_what_an_engine_finds_replays(engine: str, name: str) -> None:
    found = answer(engine, name)
    match found:
        case Found(case=case, spans=spans):
            assert breaks(OBLIGATIONS[name], case)
            assert spans == size(case)
        case NoneFound(spans=spans):
            assert spans >= LIMITS.within
        case GaveUp(reason=reason):
            assert reason


@pytest.mark.parametrize("name", OBLIGATIONS)
@pytest.mark.parametrize(("one", "other"), tuple(combinations(ENGINES, 2)), ids=" and ".join)
def test_no_two_engines_contradict_each_other(one: str, other: str, name: str) -> None:
    for this, that in ((answer(one, name), answer(other, name)), (answer(other, name), answer(one, name))):
        match this, that:
            case Found() as found, NoneFound(spans=spans) | GaveUp(spans=spans):
                lengths = [len(w.spans) for w in found.case.inputs.values()]
                assert max(lengths) > spans or (isinstance(that, GaveUp) and spans == 0)
            case Found() as found, Found(shortest=True) as shortest:
                assert found.spans >= shortest.spans
            case _:
                pass


def test_the_corpus_has_every_kind_of_answer_that_an_engine_gives() -> None:
    kinds = {engine: {type(answer(engine, name)) for name in OBLIGATIONS} for engine in ENGINES}
    assert {Found, NoneFound} <= kinds["bounded"]
    assert {Found, NoneFound} <= kinds["enumerate"]
    assert {NoneFound, GaveUp} == kinds["unbounded"]


@pytest.mark.parametrize("engine", PROVERS)
def test_a_prover_knows_its_proofs_again_and_compiles_them_anew(engine: str) -> None:
    assert proofs(engine)
    for name, proof in proofs(engine).items():
        assert prover(proof.method) is PROVERS[engine]
        assert PROVERS[engine].anew(OBLIGATIONS[name], proof).keys() == proof.conditions.keys()


@pytest.mark.parametrize("name", [n for n in OBLIGATIONS if isinstance(answer("bounded", n), Found)])
@pytest.mark.parametrize("engine", PROVERS)
def test_no_argument_of_a_prover_finds_kept_what_a_case_breaks(engine: str, name: str) -> None:
    found = answer("bounded", name)
    assert isinstance(found, Found)
    plain = {Method(p.method.kind) for p in proofs(engine).values() if not p.method.instead and p.method.kind != "gate"}
    assert plain
    for method in sorted(plain, key=lambda m: m.kind):
        assert PROVERS[engine].finds_broken(OBLIGATIONS[name], method, found.case, inf) is not False
