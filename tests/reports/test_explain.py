from __future__ import annotations

from typing import get_args

import pytest

from selfedit_formal.core.verdict import Failed, Verdict
from selfedit_formal.reports.explain import explain, nearest, topics


@pytest.mark.parametrize("verdict", [*get_args(Verdict), Failed])
def test_every_verdict_has_a_section(verdict: type) -> None:
    assert verdict.__name__.lower() in topics()["verdicts"]


def test_a_verdict_prints_its_section_alone() -> None:
    page = explain("Vacuous")
    assert page is not None
    assert page.startswith("vacuous\n\nThe promise holds for every window, which was proved")
    assert "unknown" not in page


def test_a_promise_prints_what_it_says_and_its_formula() -> None:
    page = explain("preserves")
    assert page is not None
    assert page.startswith("Closed in, closed out")
    assert "    property preserves(P: policy, I: predicate) = all W where I(W): I(P(W))" in page.splitlines()


def test_a_promise_of_policies_and_of_sessions_prints_both() -> None:
    assert explain("no_cycle") is not None
    page = (explain("no_silent_readmission") or "").splitlines()
    assert page[0] == "A span comes back only by an explicit override."
    second = page.index("Nothing that was evicted is in the window again unless an override brought it back.")
    assert page[second - 1] == ""
    assert page[-1] == "    property no_silent_readmission(S: session) = always W: no s in known(W): s.returned"


@pytest.mark.parametrize("promise", topics()["promises"])
def test_every_shipped_promise_has_a_page(promise: str) -> None:
    page = explain(promise)
    assert page is not None
    assert not page.startswith("\n")
    assert f"property {promise}(" in page


def test_every_code_prints_its_page_in_either_case() -> None:
    for code in topics()["codes"]:
        assert explain(code.lower()) == explain(code)


def test_what_is_not_there_has_no_page_but_a_nearest_name() -> None:
    assert explain("idempotnt") is None
    assert nearest("idempotnt")[0] == "idempotent"
    assert nearest("xyzzy") == ()
