"""What people write, and what they are told: the place, and the word of the language that they meant."""

from __future__ import annotations

from pathlib import Path

import pytest

from selfedit_formal import _resources
from selfedit_formal.core.diagnostics import Diagnostic, Rejected
from selfedit_formal.language.resolve import load, load_text

SCHEMA = """\
window Chat {
  tag : user | call | result
  tokens : int >= 0
  pinned : bool
  link answers : result -> call
}
"""
POLICY = "policy p(k: int) for Chat {{\n  {}\n}}\n"


def told(text: str) -> tuple[Diagnostic, ...]:
    with pytest.raises(Rejected) as caught:
        load_text(SCHEMA + text)
    return caught.value.diagnostics


def underlined(found: Diagnostic) -> str:
    place = found.location
    assert place is not None
    assert place.line == place.end_line
    return place.source.line(place.line)[place.column - 1 : place.end_column - 1]


CONDITIONS = [
    ('r.tag == "result"', "S001", '"result"', "names take no quotes: `result`"),
    ("len(t: t after r) > 2", "S001", ":", "write `count`"),
    ("len(t) > 2", "R005", "len", "write `count`"),
    ("sum(t.tokens) > 2", "R005", "sum", "write `total`"),
    ("exists t: t.pinned", "S001", ":", "write `some`"),
    ("r.tag is result", "R009", "is", "write `==`"),
    ("r.tag in [result, call]", "S001", "[", "`in {result, call}`"),
    ("r.tag in (result, call)", "S001", "(", "`in {result, call}`"),
    ("count(r) > 2", "R011", "r", "take another name, as in `count(t)`"),
    ("some r: r.pinned", "R011", "r", "take another name, such as `t`"),
    ("count > 2", "S001", ">", "`count(t)`"),
    ("count(archived t) > 2", "S010", "archived", "`let gone = archived s where …`, and then `count(s in gone)`"),
    ("r.pinned == True", "R001", "True", "write `true`"),
    ("False", "R001", "False", "write `false`"),
    ("r.pinned // note", "S001", "/", "comments begin with `#`"),
    ("r.pinned /* note */", "S001", "*", "comments begin with `#`"),
    ("r.tokens ** 2 > 3", "S001", "*", "no powers"),
    ("all t t.pinned", "S001", "t", "stands behind a `:`: `all t: …`"),
    ("t.pinned", "R001", "t", "`set t where …`, or `some t: t.pinned`"),
]


@pytest.mark.parametrize(("condition", "code", "word", "hint"), CONDITIONS, ids=lambda v: v)
def test_a_condition_is_mended(condition: str, code: str, word: str, hint: str) -> None:
    (found,) = told(POLICY.format(f"evict r where {condition}"))
    assert (found.code, underlined(found)) == (code, word)
    assert hint in (found.hint or "")


STATEMENTS = [
    ("set s where s.pinned", "S001", "set", "`set s where … { pinned, tokens = 0 }`"),
    ("set s where s.pinned\n  evict s where s.pinned", "S001", "set", "in braces"),
    ("summarize s where s.pinned\n  evict s where s.pinned", "S001", "summarize", "`into`"),
    ("if s.pinned { evict s }", "R001", "s", "`set s where …`, or `some s: s.pinned`"),
    ("while count(s) > 2 { }", "S001", "while", "`repeat 10 while"),
    ("if count(s) > 2 { } else if count(s) > 1 { }", "S001", "if", "`else { if … { … } }`"),
    ("remove s where s.pinned", "S001", "remove", "write `evict`"),
    ("evict s where s.pinned\n  // note", "S001", "/", "comments begin with `#`"),
    ("evict x if x.pinned", "S001", "if", "`evict x where …`"),
    ("evict x when x.pinned", "R001", "x", "`x where …`"),
    ("evict last x", "S010", "last", "`let x = last s where …`, and then `evict x`"),
    ("evict all s where s.pinned", "S010", "all", "`evict s where …`"),
    ("move s where s.pinned just before first t where t.pinned", "S010", "first", "`let cut = first s where …`"),
    ("move s where s.pinned just after (last t where t.pinned)", "S010", "(", "then `just after cut`"),
    ("set s where s.pinned { tokens: 3 }", "S001", ":", "`{ tokens = 0 }`"),
]


@pytest.mark.parametrize(("statement", "code", "word", "hint"), STATEMENTS, ids=lambda v: v)
def test_a_statement_is_mended(statement: str, code: str, word: str, hint: str) -> None:
    (found,) = told(POLICY.format(statement))
    assert (found.code, underlined(found)) == (code, word)
    assert hint in (found.hint or "")


DECLARATIONS = [
    ("predicate q(W) for Chat = all r in W r.tag == result", "S001", "r", "behind a `:`: `all r in W: …`"),
    ("policy p for Chta { evict s where s.pinned }", "R002", "Chta", "did you mean `Chat`?"),
    (POLICY.format("keep s") + "check q: idempotent", "R003", "q", ""),
    (POLICY.format("keep s where s.pinned") + "check p: idempotent expect pass", "R020", "pass", "`holds`"),
    (POLICY.format("keep s where s.pinned") + "check p: idempotent expect prove", "R020", "prove", "`proved`"),
    ("window Other { tag : a  link justifies : any -> any }", "R007", "any", "leave them out: `link justifies`"),
]


@pytest.mark.parametrize(("declaration", "code", "word", "hint"), DECLARATIONS, ids=lambda v: v)
def test_a_declaration_is_mended(declaration: str, code: str, word: str, hint: str) -> None:
    found = next(d for d in told(declaration) if d.code == code)
    assert underlined(found) == word
    assert hint in (found.hint or "")


def test_a_kind_of_parameter_that_a_declaration_cannot_have_is_not_offered() -> None:
    (found,) = told("policy p(flag: integer) for Chat { }")
    assert underlined(found) == "integer"
    assert "`int`" in found.message
    assert not {"`policy`", "`predicate`", "`span`", "`window`"} & set(found.message.replace(",", "").split())


def test_a_loop_says_how_it_is_written() -> None:
    (found,) = told(POLICY.format("repeat { evict s where s.pinned }"))
    assert "`repeat 10 while" in (found.hint or "")


def test_a_name_that_nothing_has_is_told_once() -> None:
    assert [d.message for d in told(POLICY.format("when x.pinned\n  evict x\n  keep y"))] == [
        "unknown name `x`",
        "unknown name `y`",
    ]


def test_one_text_from_the_library_and_from_beside_is_told(tmp_path: Path) -> None:
    policies = _resources.folder("spec").joinpath("policies")
    for name in ("chat.sef", "keep_last.sef"):
        (tmp_path / name).write_text(policies.joinpath(name).read_text(encoding="utf-8"), encoding="utf-8")
    both = tmp_path / "both.sef"
    both.write_text('import library "policies/chat.sef"\nimport "keep_last.sef"\n', encoding="utf-8")
    with pytest.raises(Rejected) as caught:
        load(both)
    (found, *_) = caught.value.diagnostics
    assert found.code == "I002"
    assert "import it in one way everywhere" in (found.hint or "")
