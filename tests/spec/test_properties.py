"""Every promise that is shipped is documented, and known both kept and broken."""

from __future__ import annotations

from pathlib import Path

import pytest

from selfedit_formal.language import syntax
from selfedit_formal.language.parse import parse, read
from selfedit_formal.language.resolve import shipped_properties
from tests.spec.checks import checks

SPEC = Path(__file__).parents[2] / "spec"
PROPERTIES = tuple(sorted((SPEC / "properties").glob("*.sef")))
SHIPPED_CHECKS = tuple(
    check
    for folder in ("policies", "records")
    for path in sorted((SPEC / folder).glob("*.sef"))
    for check in checks(path)
)


def expectations(promise: str) -> set[str]:
    """What the shipped checks of policies expect of a promise."""
    return {c.expect or "holds" for c in SHIPPED_CHECKS for p in c.properties if p.name == promise}


@pytest.mark.parametrize("path", PROPERTIES, ids=lambda p: p.stem)
def test_a_file_is_one_promise_of_its_name_with_documentation(path: Path) -> None:
    (declaration,) = parse(read(path)).declarations
    assert isinstance(declaration, syntax.PropertyDeclaration)
    assert declaration.name == path.stem
    assert declaration.parameters[0].kind == "policy"
    assert declaration.doc.strip()


@pytest.mark.parametrize("path", PROPERTIES, ids=lambda p: p.stem)
def test_some_shipped_policy_keeps_it_and_some_breaks_it(path: Path) -> None:
    found = expectations(path.stem)
    assert "refuted" in found
    assert found & {"holds", "proved", "bounded"}


def test_the_shipped_promises_are_the_files_of_the_folder() -> None:
    assert sorted(shipped_properties()) == [p.stem for p in PROPERTIES]
