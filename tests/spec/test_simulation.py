"""`spec/simulation.md` runs: its session is simulated, and what the page shows is what is printed."""

from __future__ import annotations

from pathlib import Path

from tests.documents import blocks, rewritten, run, steps

PATH = Path(__file__).parents[2] / "spec" / "simulation.md"


def test_what_the_page_shows_is_what_is_printed(tmp_path: Path, update_spec: bool) -> None:
    page = PATH.read_text(encoding="utf-8")
    found = {}
    for block in blocks(page):
        if block.kind == "sef":
            (tmp_path / block.info.split()[1]).write_text(block.text, encoding="utf-8")
        else:
            assert block.kind == "console"
            found[block] = "".join(f"$ {c}\n{run(c, tmp_path)}" for c, _ in steps(block.text))
    assert found
    if update_spec:
        PATH.write_text(rewritten(page, found), encoding="utf-8")
        return
    for block, text in found.items():
        assert block.text == text
