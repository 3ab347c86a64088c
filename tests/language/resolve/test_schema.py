"""Window declarations: fields, links, control sets, units and assumptions."""

from __future__ import annotations

import pytest

from selfedit_formal.core.expression import All, Compare, Count, Input, Int, Read
from selfedit_formal.core.window import Field, Link
from selfedit_formal.language.resolve import load_text
from tests.language.resolve.core import codes, mistake


def test_a_schema_has_fields_links_and_assumptions() -> None:
    text = """
    ## About logs.
    window Log {
      tag     : a | b
      n, m    : int >= 1 < 9 from query
      flag    : bool from window
      name    : key
      link to : a | b -> b
      link any
      assume all s in W: s.n > 1
      assume count(s) < 9
    }
    """
    found = load_text(text).schemas["Log"]
    window = Input("W")
    assert found.doc == "About logs."
    assert found.fields == (
        Field("tag", "enum", names=("a", "b")),
        Field("n", "int", 1, 8, oracle="query"),
        Field("m", "int", 1, 8, oracle="query"),
        Field("flag", "bool", oracle="window"),
        Field("name", "key"),
    )
    assert found.links == (Link("to", ("a", "b"), ("b",)), Link("any"))
    assert found.assumptions == (
        All("s", window, Compare(">", Read("s", "n", "int", window), Int(1))),
        Compare(
            "<", Count("s", window, load_text("window X { tag : a assume true }").schemas["X"].assumptions[0]), Int(9)
        ),
    )


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("n : int", "R042 window `Log` has no tags"),
        ("tag : int", "R042 window `Log` has no tags"),
        ("tag : a  tag : b", "R011 field `tag` is declared twice"),
        ("tag : a | a", "R011 name `a` is declared twice"),
        ("tag : a  n, n : int", "R011 field `n` is declared twice"),
        ("tag : a  n : int >= 3 <= 2", "R042 no number is within the limits of `n`"),
        ("tag : a  link to : a -> c", "R007 the window has no tag `c`"),
        ("tag : a  link covers", "R012 `covers` is the link from a summary to what it read, which every window has"),
        ("tag : a  link to  link to", "R011 link `to` is declared twice"),
        (
            "tag : a  unit turn starts s where s.tag == a  unit turn starts s where s.tag == a",
            "R011 unit `turn` is declared twice",
        ),
        ("tag : a  unit turn starts s where s.foo", "R006 window `Log` has no field `foo`"),
        ("tag : a  control s where s.tag == c", "R007 window `Log` has no tag `c`"),
        ("tag : a  assume s.tag == a", "R001 unknown name `s`"),
        (
            "tag : a  n : int from window  assume all s in W: s.n > 1",
            "R024 `n` comes from the window with every pass, so outside of a pass it has no value",
        ),
    ],
)
def test_a_declaration_may_be_wrong(text: str, expected: str) -> None:
    assert mistake(f"window Log {{ {text} }}") == expected


def test_two_windows_of_one_name_are_a_mistake() -> None:
    assert codes("window A { tag : a } window A { tag : b }") == ["R011"]
    assert codes("window A { tag : a } window A of Chat = [ ]") == ["R011"]


def test_several_control_lines_are_one_set() -> None:
    text = "window A { tag : a | b  p : bool  control s where s.tag == a  control t where t.p }"
    policy = load_text(text + " policy q for A { evict s where control(s) }").policies["q"]
    assert "Or(items=" in str(policy.body[0])
    assert codes("window A { tag : a | b  control s where s.tag == a  control t where t.p }") == ["R006"]
