"""`spec/language.md` has a section on everything that can be written, and its examples do what they expect.

The `preamble` stands before each other block, but for those marked `alone`. A block loads, is formatted as `selfedit
format` would, and each of its checks is answered as it expects.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from selfedit_formal.core.diagnostics import Source
from selfedit_formal.core.session import HISTORY
from selfedit_formal.language.parse import parse
from selfedit_formal.language.print import print_file
from selfedit_formal.language.resolve import load_text
from selfedit_formal.language.resolve.names import BUILT_IN
from selfedit_formal.reports.explain import explain, topics
from tests.documents import Block, blocks
from tests.spec.checks import surprise

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "spec" / "language.md").read_text(encoding="utf-8")
(PREAMBLE,) = (b for b in blocks(PAGE) if b.info == "sef preamble")
EXAMPLES = tuple(b for b in blocks(PAGE) if b != PREAMBLE)


SECTIONS = topics()["words"]


def keywords() -> frozenset[str]:
    """Every word that the grammars write out."""
    grammar = "\n".join(p.read_text(encoding="utf-8") for p in (ROOT / "grammars").glob("*.lark"))
    grammar = re.sub(r"^\s*//.*$", "", grammar, flags=re.MULTILINE)
    fixed = re.findall(r'"([a-z_]+)"', grammar)
    spaced = re.findall(r"^_\w+\.1: /((?:[a-z]+(?:\[[^]]*\]\+)?)+)", grammar, re.MULTILINE)
    return frozenset([*fixed, *(w for text in spaced for w in re.findall(r"[a-z]+", re.sub(r"\[[^]]*\]", " ", text)))])


def words(title: str) -> frozenset[str]:
    return frozenset(re.findall(r"\w+", title))


def place(block: Block) -> str:
    return [m[1] for m in re.finditer(r"^### (.*)$", PAGE[: block.start], re.MULTILINE)][-1]


@pytest.mark.parametrize("block", EXAMPLES, ids=place)
def test_an_example_is_answered_as_it_expects(block: Block) -> None:
    assert block.info in ("sef", "sef alone")
    text = block.text if block.info == "sef alone" else f"{PREAMBLE.text}\n{block.text}"
    asked = load_text(text).obligations
    assert asked
    assert [s for o in asked if (s := surprise(o)) is not None] == []


@pytest.mark.parametrize("block", [PREAMBLE, *EXAMPLES], ids=lambda b: str(b.start))
def test_an_example_is_formatted(block: Block) -> None:
    assert print_file(parse(Source("example", block.text))) == block.text


def test_the_words_are_those_of_the_grammar() -> None:
    assert {"evict", "at", "once", "most", "in_window", "mod", "within"} <= keywords()


@pytest.mark.parametrize("word", sorted({*keywords(), *BUILT_IN, *(f.name for f in HISTORY)}))
def test_every_word_of_the_language_has_a_section(word: str) -> None:
    """A word of the grammar, a function, a field of a session's history."""
    assert any(word in words(title) for title in SECTIONS)


@pytest.mark.parametrize("title", SECTIONS)
def test_a_section_says_something_and_shows_each_of_its_words(title: str) -> None:
    text = explain(title)
    assert text is not None
    assert re.match(r"[A-Z`].+\.\n", text.removeprefix(f"{title}\n\n"))
    shown = {w for b in EXAMPLES if place(b) == title for w in re.findall(r"\w+", b.text)}
    assert words(title) - {"passes", "runs", "records"} <= shown
