"""The grammar has no conflict or collision, and every rule of it is built and every kind of node printed."""

from __future__ import annotations

import pytest
from lark import Lark

from selfedit_formal import _resources
from selfedit_formal.language import parse
from selfedit_formal.language.parse import grammar

FOLDER = _resources.folder("grammars")


def test_lark_finds_no_conflict_and_no_two_terminals_for_one_text() -> None:
    def read_grammar(_base: object, path: str) -> tuple[str, str]:
        return path, FOLDER.joinpath(path).read_text(encoding="utf-8")

    text = read_grammar(None, "sef.lark")[1]
    Lark(text, parser="lalr", strict=True, start=["start", "reference"], import_paths=[read_grammar])


def built() -> frozenset[str]:
    """The names under which Lark makes the nodes of its tree."""
    named = {r.alias or r.origin.name for r in grammar().rules if r.alias or not r.options.expand1}
    return frozenset(str(name) for name in named if not name.startswith("_"))


@pytest.mark.parametrize("rule", sorted(built()))
def test_every_rule_has_its_method(rule: str) -> None:
    method = vars(parse._Build).get(rule)
    assert method is not None


def test_no_method_is_of_a_rule_that_is_gone() -> None:
    methods = {name for name in vars(parse._Build) if not name.startswith("_")}
    assert methods <= built() | {r.origin.name for r in grammar().rules}


def test_every_file_of_grammars_is_used() -> None:
    text = FOLDER.joinpath("sef.lark").read_text(encoding="utf-8")
    others = {p.name.removesuffix(".lark") for p in FOLDER.iterdir() if p.name.endswith(".lark")} - {"sef"}
    assert all(f"%import .{name} " in text for name in others)
