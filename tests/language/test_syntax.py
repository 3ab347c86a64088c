"""Every statement has a keyword: messages call it by that, and statements may be expected to begin with it."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import get_args

import pytest

from selfedit_formal.core.diagnostics import Source
from selfedit_formal.core.traverse import nodes
from selfedit_formal.language import syntax
from selfedit_formal.language.mistakes import STATEMENTS
from selfedit_formal.language.parse import parse
from selfedit_formal.language.print import print_statement

SPEC = Path(__file__).parents[2] / "spec"
ALONE = """
policy p for W {
  until total(t.tokens) <= 9 { evict s where s.old } then { evict s where s.tag == call }
}
plan q on w { because r   delete a, b   rewrite a { tokens = 1 }   merge a, b into { tokens = 1 } }
"""
KINDS: tuple[type[syntax.Stmt], ...] = tuple(k for part in get_args(syntax.Stmt) for k in (get_args(part) or (part,)))


@cache
def written() -> dict[type, syntax.Stmt]:
    """A statement of each kind, as people write it."""
    texts = [ALONE, *(p.read_text(encoding="utf-8") for p in sorted((SPEC / "policies").glob("*.sef")))]
    texts += [p.read_text(encoding="utf-8") for p in sorted((SPEC / "records").glob("*.sef"))]
    parsed = (parse(Source("here", text)) for text in texts)
    return {type(node): node for file in parsed for node in nodes(file.declarations) if isinstance(node, KINDS)}


@pytest.mark.parametrize("kind", KINDS, ids=lambda k: k.__name__)
def test_a_statement_begins_with_its_keyword_and_is_expected_where_statements_are(kind: type[syntax.Stmt]) -> None:
    statement = written()[kind]
    word = syntax.keyword(statement)
    assert print_statement(statement).removeprefix("may ").split()[0] == word.split()[0]
    assert word.upper() in STATEMENTS or "_" + word.upper().replace(" ", "_") in STATEMENTS
