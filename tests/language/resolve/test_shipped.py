"""The shipped properties: found by their files, in scope everywhere, and right by themselves."""

from __future__ import annotations

from pathlib import Path

import pytest

from selfedit_formal.language import syntax
from selfedit_formal.language.resolve import load, load_text, shipped_properties

ROOT = Path(__file__).parents[3]
PROPERTIES = tuple(sorted((ROOT / "spec" / "properties").glob("*.sef")))


def test_every_file_is_a_property() -> None:
    found, promises = shipped_properties(), shipped_properties("session")
    assert {*found, *promises} == {p.stem for p in PROPERTIES}
    assert len(found) == len(tuple(found))
    assert isinstance(found["idempotent"], syntax.PropertyDeclaration)
    assert "idempotent" not in promises
    assert "no_thrash" not in found
    assert found["tombstoned"] != promises["tombstoned"]
    assert "nothing" not in found
    with pytest.raises(KeyError):
        found["nothing"]


@pytest.mark.parametrize("path", PROPERTIES, ids=lambda p: p.stem)
def test_a_shipped_property_loads_by_itself(path: Path) -> None:
    found = load(path)
    assert {*found.properties, *found.promises} == {path.stem}
    for own, shipped in ((found.properties, shipped_properties()), (found.promises, shipped_properties("session"))):
        for name, declaration in own.items():
            assert declaration == shipped[name]
            assert declaration.doc


def test_a_property_is_parsed_when_it_is_asked_for() -> None:
    module = load_text(
        "window C { tag : a | b } policy p for C { evict s where s.tag == a } check p: idempotent, order_kept"
    )
    assert [o.property for o in module.obligations] == ["idempotent", "order_kept"]
    assert module.properties == {}
