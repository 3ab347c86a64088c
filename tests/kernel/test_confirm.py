"""The kernel confirms what is true of each construct that it knows, and nothing that is false."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import cast

import cvc5
import pytest

from selfedit_formal.core.expression import Expression
from selfedit_formal.core.property import Obligation
from selfedit_formal.kernel import Confirmed, NotReached, Unconfirmed, confirm, ground, induction
from selfedit_formal.kernel.book import Book
from selfedit_formal.kernel.meaning import Meaning
from selfedit_formal.language.resolve import load, load_text

HERE = Path(__file__).parent
PROMISES = load(HERE / "promises.sef").obligations
BY_NAME = {o.name: o for o in PROMISES}
FALSE = load(HERE / "false.sef").obligations
FEW = 100_000
"""Steps for what is not to be confirmed; `python -m tests.kernel` gives it as many as anything else."""
REACHED = {"p2", "p3", "p4", "p5", "p6", "p7", "p8", "p11", "p13"}


def named(obligation: Obligation) -> str:
    return obligation.name


@pytest.mark.parametrize("obligation", [o for o in PROMISES if o.expect == "proved"], ids=named)
def test_what_is_true_of_a_construct_is_confirmed(obligation: Obligation) -> None:
    assert isinstance(confirm(obligation), Confirmed)


@pytest.mark.parametrize("obligation", [o for o in PROMISES if o.expect == "refuted"], ids=named)
def test_what_is_false_of_a_construct_is_not(obligation: Obligation, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(induction, "DEPTHS", (1,))
    assert isinstance(confirm(obligation, FEW), Unconfirmed)


@pytest.mark.parametrize("obligation", FALSE, ids=named)
def test_what_a_compiler_was_seen_to_prove_wrongly_is_not_confirmed(
    obligation: Obligation, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(induction, "DEPTHS", (1,))
    expected = Unconfirmed if obligation.policies[0].name in REACHED else NotReached
    assert isinstance(confirm(obligation, FEW), expected)


def test_equal_obligations_get_equal_answers() -> None:
    first, second = confirm(BY_NAME["last_k: at_most(k)"]), confirm(BY_NAME["last_k: at_most(k)"])
    assert isinstance(first, Confirmed)
    assert first == second
    assert len(first.queries) > 3


def test_too_few_steps_confirm_nothing() -> None:
    assert isinstance(confirm(BY_NAME["last_k: at_most(k)"], 1), Unconfirmed)


@pytest.mark.parametrize("name", ["evicts: idempotent", "last_k: at_most(k)", "summarizes: covered"])
def test_another_solver_finds_the_same_of_every_query(name: str) -> None:
    answer = confirm(BY_NAME[name])
    assert isinstance(answer, Confirmed)
    for query in answer.queries:
        solver = cvc5.Solver()
        parser = cvc5.InputParser(solver)
        parser.setStringInput(cvc5.InputLanguage.SMT_LIB_2_6, f"(set-logic ALL)\n{query}", "query")
        said = []
        while not (command := parser.nextCommand()).isNull():
            said.append(command.invoke(solver, parser.getSymbolManager()).strip())
        assert [s for s in said if s] == ["unsat"]


@pytest.mark.parametrize(
    ("statement", "reason"),
    [
        ("move s where s.flag at back", "a policy moves spans"),
        ("evict s where some t: t reaches s along l", "it speaks of what a span reaches over several links"),
        ("readmit s where s.flag at back", "a policy readmits spans to another place"),
    ],
)
def test_what_it_has_no_meaning_for_is_named(statement: str, reason: str) -> None:
    text = f"""
window C {{
  tag : user | note
  flag : bool
  link l
}}
policy p for C {{
  {statement}
}}
check p: idempotent
"""
    assert confirm(load_text(text).obligations[0]) == NotReached(reason)


def test_what_is_newer_than_the_kernel_is_refused() -> None:
    @dataclass(frozen=True)
    class Newer:
        pass

    known = BY_NAME["evicts: idempotent"]
    newer = replace(known, claim=replace(known.claim, consequent=cast(Expression, Newer())))
    assert isinstance(confirm(newer), NotReached)


# ---------- a kernel that is wrong confirms one of these false promises


def nothing_leaves(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Meaning, "_evicted", lambda self, gone, progress: None)


def nothing_is_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (ground, induction):
        monkeypatch.setattr(module, "step", lambda sum, arguments, position: position - position)


def last_is_first(monkeypatch: pytest.MonkeyPatch) -> None:
    search = Book.search
    monkeypatch.setattr(Book, "search", lambda self, which, hole, body: search(self, "first", hole, body))


def runs_share_choices(monkeypatch: pytest.MonkeyPatch) -> None:
    choice = Meaning._choice
    monkeypatch.setattr(Meaning, "_choice", lambda self, key: choice(self, key[1:]))


def no_pass_refuses(monkeypatch: pytest.MonkeyPatch) -> None:
    settled = Meaning._settled
    monkeypatch.setattr(Meaning, "_settled", lambda self, progress, refused: settled(self, progress, self.book.false))


def every_guess_is_a_lemma(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(induction._Attempt, "_surviving", lambda self, ground, guesses, needs: guesses)


@pytest.mark.parametrize(
    ("fault", "promise"),
    [
        (nothing_leaves, "evicts: nothing_goes"),
        (nothing_is_counted, "evicts: nothing_goes"),
        (last_is_first, "lets: first_has_all"),
        (runs_share_choices, "chooses: other_choice"),
        (no_pass_refuses, "refuses: never_refused"),
        (every_guess_is_a_lemma, "last_k: at_most(k - 1)"),
    ],
)
def test_a_fault_of_the_kernel_would_be_noticed(
    fault: Callable[[pytest.MonkeyPatch], None], promise: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    fault(monkeypatch)
    monkeypatch.setattr(induction, "DEPTHS", (1,))
    assert isinstance(confirm(BY_NAME[promise]), Confirmed)
