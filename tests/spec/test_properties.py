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


def subject(declaration: syntax.Declaration) -> tuple[str, str]:
    """The name of a property, and whether it is a promise of policies or of sessions."""
    assert isinstance(declaration, syntax.PropertyDeclaration)
    return declaration.name, declaration.parameters[0].kind or ""


def sessions(path: Path) -> frozenset[str]:
    return frozenset(d.name for d in parse(read(path)).declarations if isinstance(d, syntax.SessionDeclaration))


SHIPPED_CHECKS = tuple(
    (check, "session" if check.target.name in own else "policy")
    for folder in ("policies", "records")
    for path in sorted((SPEC / folder).glob("*.sef"))
    for own in [sessions(path)]
    for check in checks(path)
)


PROMISES = tuple(
    (name, kind) for path in PROPERTIES for d in parse(read(path)).declarations for name, kind in [subject(d)]
)


def expectations(promise: str, kind: str) -> set[str]:
    """What the shipped checks of policies, or of sessions, expect of a promise."""
    return {c.expect or "holds" for c, k in SHIPPED_CHECKS for p in c.properties if (p.name, k) == (promise, kind)}


@pytest.mark.parametrize("path", PROPERTIES, ids=lambda p: p.stem)
def test_a_file_is_one_promise_of_its_name_or_one_of_policies_and_one_of_sessions(path: Path) -> None:
    declared = parse(read(path)).declarations
    kinds = [subject(d) for d in declared]
    assert kinds in ([(path.stem, "policy")], [(path.stem, "session")], [(path.stem, "policy"), (path.stem, "session")])
    for declaration in declared:
        assert isinstance(declaration, syntax.PropertyDeclaration)
        assert declaration.doc.strip()


@pytest.mark.parametrize(("name", "kind"), PROMISES)
def test_something_shipped_keeps_it_and_something_breaks_it(name: str, kind: str) -> None:
    found = expectations(name, kind)
    assert "refuted" in found
    assert found & {"holds", "proved", "bounded"}


def test_the_shipped_promises_are_the_files_of_the_folder() -> None:
    for kind in ("policy", "session"):
        assert sorted(shipped_properties(kind)) == [n for n, k in PROMISES if k == kind]
