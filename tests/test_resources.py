"""What ships beside the code is found, from a checkout too."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

import pytest

from selfedit_formal import _resources
from selfedit_formal._resources import folder


@pytest.mark.parametrize(("name", "file"), [("grammars", "sef.lark"), ("spec", "report.schema.json")])
def test_a_checkout_reads_its_folders_in_place(root: Path, name: Literal["grammars", "spec"], file: str) -> None:
    assert folder(name) == root / name
    assert folder(name).joinpath(file).is_file()


def test_what_the_package_carries_comes_before_what_stands_beside_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "spec").mkdir()
    monkeypatch.setattr(_resources, "files", lambda package: tmp_path)
    assert folder("spec") == tmp_path / "spec"
    assert folder("grammars") != tmp_path / "grammars"
