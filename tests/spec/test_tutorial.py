"""`spec/tutorial.md` runs from its first line to its last, and its files are formatted."""

from __future__ import annotations

from pathlib import Path

import pytest

from selfedit_formal.core.diagnostics import Source
from selfedit_formal.language.parse import parse
from selfedit_formal.language.print import print_file
from tests.documents import Block, blocks, shows

PATH = Path(__file__).parents[2] / "spec" / "tutorial.md"
FILES = tuple(b for b in blocks(PATH.read_text(encoding="utf-8")) if b.kind == "sef")


def test_what_the_page_shows_is_what_is_printed(tmp_path: Path, update_spec: bool) -> None:
    shows(PATH, tmp_path, update_spec)


@pytest.mark.parametrize("block", FILES, ids=lambda b: f"{b.info} {b.start}")
def test_a_file_is_formatted(block: Block) -> None:
    assert print_file(parse(Source("example", block.text))) == block.text
