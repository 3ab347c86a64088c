"""What is declared where: the schema of each declaration, and names behind those they use."""

from __future__ import annotations

import pytest

from selfedit_formal.language.resolve import load_text
from selfedit_formal.language.resolve.names import BUILT_IN, Names, of_sessions, schema_of, used_first
from tests.language.resolve.core import mistake, mistakes

TEXT = """
window Log { tag : a }
window w of Log = [ A: a ]
policy p for Log { evict s where s.tag == a }
plan on_spans(s) for Log { delete s }
plan on_window on w { delete A }
session loop of Log { each turn { apply p } }
property q(P: policy) = all W: P(W) == W
property r(k: int, S: session) = always W: count(s in W) < k
"""


@pytest.fixture(scope="module")
def names() -> Names:
    return load_text(TEXT).names


@pytest.mark.parametrize("policy", ["p", "on_spans", "on_window"])
def test_a_policy_or_plan_has_the_schema_it_is_written_for(names: Names, policy: str) -> None:
    found = schema_of(names.policies[policy], names)
    assert found is not None
    assert found.name == "Log"


def test_of_what_is_not_there_there_is_no_schema(names: Names) -> None:
    assert [schema_of(declaration, Names()) for declaration in names.policies.values()] == [None] * 3


def test_the_schema_of_a_written_window_is_a_declared_one_or_a_sessions(names: Names) -> None:
    plain, lived = names.written_schema("Log"), names.written_schema("loop")
    assert plain is not None
    assert lived is not None
    assert plain.schema != lived.schema
    assert (plain.name, lived.name) == ("Log", "Log")
    assert lived.schema.name == "loop"
    assert names.written_schema("w") is None


def test_a_property_with_a_session_among_its_parameters_is_a_promise_of_sessions(names: Names) -> None:
    assert not of_sessions(names.properties["q"])
    assert of_sessions(names.promises["r"])


def test_each_name_stands_behind_those_it_uses() -> None:
    uses = {"a": ("b", "c"), "b": ("c",), "c": (), "d": ("a",)}
    assert used_first(("a", "b", "c", "d"), uses.__getitem__) == ("c", "b", "a", "d")
    assert used_first(("d",), uses.__getitem__) == ("c", "b", "a", "d")


def test_names_that_use_each_other_come_once_each_in_some_order() -> None:
    uses = {"a": ("b",), "b": ("a", "c"), "c": ("c",)}
    assert used_first(("a", "b", "c"), uses.__getitem__) == ("c", "b", "a")


def test_a_long_way_of_uses_is_no_recursion() -> None:
    last = 50_000
    found = used_first(("0",), lambda n: (str(int(n) + 1),) if int(n) < last else ())
    assert (found[0], found[-1], len(found)) == (str(last), "0", last + 1)


@pytest.mark.parametrize("name", BUILT_IN)
@pytest.mark.parametrize(
    ("declaration", "word"),
    [
        ("predicate {}(s) = true", "predicate"),
        ("property {}(P: policy) = all W: P(W) == W", "property"),
        ("policy {} for Chat {{ }}", "policy"),
        ("session {} of Chat {{ each turn {{ apply x }} }} policy x for Chat {{ }}", "session"),
    ],
)
def test_a_function_of_the_language_names_nothing_else(declaration: str, word: str, name: str) -> None:
    found = mistake(declaration.format(name))
    assert found == f"R012 `{name}` is a function of the language and cannot name a {word}"


@pytest.mark.parametrize("name", BUILT_IN)
def test_a_function_of_the_language_is_one_that_can_be_called(name: str) -> None:
    """A call of one is told what it takes, not that there is no such thing."""
    text = f"property q(P: policy) = all W: {name}() == W\n"
    (found,) = mistakes(text)
    assert (found.code, found.message.startswith(f"`{name}` takes ")) == ("R016", True)
