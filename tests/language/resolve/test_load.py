"""A file with what it imports as a module: who has which name, and what can be asked of it besides its checks."""

from __future__ import annotations

from pathlib import Path

import pytest

from selfedit_formal.core.diagnostics import Rejected
from selfedit_formal.language.module import Module
from selfedit_formal.language.resolve import load, load_text, obligation, subjects
from tests.language.resolve.core import codes, mistake, module
from tests.language.resolve.loops import APPLY, CLEAR

TRIM = "policy p(cap: int >= 0, keep: int) for Chat { evict s where s.tokens > cap and count(t: t after s) >= keep }\n"


def test_an_obligation_can_be_asked_for_without_a_check() -> None:
    found = obligation(module(TRIM + "check p(cap = 7): within(cap) within 3 spans"), "p", "within(cap)")
    assert found.name == "p: within(cap)"
    asked = obligation(module(TRIM), "p", "within(cap)", arguments={"cap": 7}, within=3)
    (written,) = module(TRIM + "check p(cap = 7): within(cap) within 3 spans").obligations
    assert (asked.name, asked.claim, asked.policies, asked.within) == (
        written.name,
        written.claim,
        written.policies,
        written.within,
    )


@pytest.mark.parametrize(
    ("policy", "property_", "arguments", "code"),
    [
        ("o", "idempotent", {}, "R003"),
        ("p", "idempotend", {}, "R004"),
        ("p", "within", {}, "R016"),
        ("p", "idempotent", {"kap": 3}, "R018"),
        ("p", "idempotent", {"cap": -1}, "R019"),
        ("p", "within(", {}, "S"),
    ],
)
def test_what_is_asked_for_may_be_wrong(policy: str, property_: str, arguments: dict[str, int], code: str) -> None:
    with pytest.raises(Rejected) as rejected:
        obligation(module(TRIM), policy, property_, arguments=arguments)
    assert [d.code[: len(code)] for d in rejected.value.diagnostics] == [code]


def test_a_text_is_loaded_under_a_name_and_a_file_under_its_path(tmp_path: Path) -> None:
    file = tmp_path / "trim.sef"
    file.write_text("window A { tag : a }", encoding="utf-8")
    assert load(file).source.name == str(file)
    assert load_text("window A { tag : a }", "mine").source.name == "mine"
    with pytest.raises(Rejected, match="S017"):
        load(tmp_path / "none.sef")


def test_names_are_known_before_and_behind_where_they_are_declared() -> None:
    text = "check b: calm policy b for Chat { apply a } property calm(P: policy) = all W: f(W) "
    found = module(text + "predicate f(W) = count(s in W) > 1 policy a for Chat { evict s where s.pinned }")
    assert [o.name for o in found.obligations] == ["b: calm"]
    assert list(found.policies) == ["b", "a"]


def test_a_name_may_be_had_by_one_declaration_of_each_kind() -> None:
    found = module(
        "predicate f(s) = true window f { tag : a } policy f for Chat { } property f(P: policy) = all W: W == W"
    )
    assert "f" in found.schemas
    assert "f" in found.policies
    assert "f" in found.properties


def test_all_that_is_wrong_with_a_file_is_told_at_once() -> None:
    text = (
        "policy a for Chat { evict s where s.foo } policy b for Chat { apply a } check b: pure, nonsense check c: pure"
    )
    assert codes(text) == ["R006", "R004", "R003"]


def test_a_shipped_property_may_be_written_out_as_it_is_shipped() -> None:
    assert "idempotent" in module("property idempotent(P: policy) = all W: P(P(W)) == P(W)").properties


# ---------- sessions


def whole(text: str) -> Module:
    return module(f"{CLEAR}session loop of Chat {{ {APPLY} }}\n{text}")


def test_a_promise_of_policies_and_one_of_sessions_may_have_one_name() -> None:
    found = whole(
        "property small(P: policy) = all W: count(s in P(W)) < 3\n"
        "property small(S: session) = always W: count(s in W) < 3\n"
        "check clear(2): small\ncheck loop: small"
    )
    assert [o.turns is None for o in found.obligations] == [True, False]
    assert set(found.properties) == set(found.promises) == {"small"}
    assert subjects(found, "small") == ("clear", "loop")
    assert subjects(found, "idempotent") == ("clear",)
    assert subjects(found, "no_thrash") == ("loop",)
    assert subjects(found, "tombstoned(marks)") == ("clear", "loop")
    assert subjects(found, "nothing") == ()


def test_a_promise_is_asked_without_a_check() -> None:
    found = whole("")
    made = obligation(found, "loop", "bounded_growth(9)", within=3, turns=2)
    assert made.turns is not None
    assert made.turns.session == found.sessions["loop"]
    assert (made.within, made.within_turns) == (3, 2)
    with pytest.raises(Rejected, match="R057"):
        obligation(found, "clear", "idempotent", turns=2)


def test_a_window_of_a_session_has_a_history_zero_where_nothing_is_said() -> None:
    found = whole(
        "window w of loop = [ archived A: user { tokens = 3, turn = 0, role = low, score = 1, evictions = 2 } ]"
    )
    (span,) = found.windows["w"].spans
    assert found.windows["w"].schema == found.sessions["loop"].schema == found.schemas["loop"]
    assert (span["evictions"], span["evicted"], span["met"]) == (2, False, False)


def test_sessions_are_imported(tmp_path: Path) -> None:
    text = (
        "window C { tag : a } policy p for C { evict s where s.tag == a } session loop of C { each turn { apply p } }"
    )
    (tmp_path / "loops.sef").write_text(text, encoding="utf-8")
    (tmp_path / "checks.sef").write_text('import "loops.sef"\ncheck loop: no_thrash', encoding="utf-8")
    found = load(tmp_path / "checks.sef")
    assert list(found.sessions) == ["loop"]
    assert len(found.obligations) == 1


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("session clear of Chat { each turn { apply clear(3) } }", "R011 the name `clear` is declared twice"),
        (
            "property no_thrash(S: session) = always W: no s in W: s.thrashed",
            "R011 property `no_thrash` is shipped with the tool, and this is another one",
        ),
    ],
)
def test_a_name_means_one_thing(text: str, expected: str) -> None:
    assert mistake(f"{CLEAR}session loop of Chat {{ {APPLY} }}\n{text}") == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("predicate floor(s) = s.pinned", "R012 `floor` is a function of the language and cannot name a predicate"),
        ("predicate f(s) = true predicate f(s) = false", "R011 predicate `f` is declared twice"),
        ("policy f for Chat { } plan f(a) for Chat { delete a }", "R011 policy `f` is declared twice"),
        ("window w of Chat = [] window w of Chat = []", "R011 window `w` is declared twice"),
        (
            "property q(P: policy) = all W: P(W) == W property q(P: policy) = all W: P(W) == W",
            "R011 property `q` is declared twice",
        ),
        (
            "policy x for Chat { } session Chat of Chat { each turn { apply x } }",
            "R011 the name `Chat` is declared twice",
        ),
        (
            "property idempotent(P: policy) = all W: P(W) == W",
            "R011 property `idempotent` is shipped with the tool, and this is another one",
        ),
    ],
)
def test_a_name_that_cannot_be_is_a_mistake(text: str, expected: str) -> None:
    assert mistake(text) == expected
