"""Every diagnostic has a page, every page is of a diagnostic, and what a page shows is what is printed.

A page is `# CODE: title`, prose, and examples. An example is a `sef` block (the mistake, loaded as `example.sef`), a
`text` block (what is printed) and perhaps one more `sef` block (the mistake mended, which loads). A block with a name
behind its kind is another file beside the example; a `python` block makes files that cannot be shown; a `console` block
has commands with their output.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from selfedit_formal.core.diagnostics import Rejected, render
from selfedit_formal.language.resolve import load
from tests.documents import Block, blocks, rewritten, run, steps

ROOT = Path(__file__).parents[2]
PAGES = tuple(sorted((ROOT / "spec" / "diagnostics").glob("*.md")))
CODE = re.compile(r"""["']([A-Z]\d{3})["']""")


def codes_in_source() -> frozenset[str]:
    """Every diagnostic code that the package writes as a string."""
    texts = (p.read_text(encoding="utf-8") for p in (ROOT / "selfedit_formal").rglob("*.py"))
    return frozenset(code for text in texts for code in CODE.findall(text))


def printed(folder: Path) -> str:
    """What loading `example.sef` prints: each diagnostic rendered, an empty line between two; nothing if it loads."""
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        try:
            load(Path("example.sef"))
        except Rejected as rejected:
            return "\n\n".join(render(d) for d in rejected.diagnostics) + "\n"
    return ""


def outputs(page: tuple[Block, ...], folder: Path) -> Iterator[tuple[Block, str]]:
    """Each block that shows output, with what is really printed; empty output stands for a mended example."""
    (folder / "example.sef").unlink(missing_ok=True)
    awaited: Block | None = None
    for block in page:
        match block.info.split():
            case ["sef"]:
                if awaited is not None:
                    yield awaited, printed(folder)
                (folder / "example.sef").write_text(block.text, encoding="utf-8")
                awaited = block
            case [_, name]:
                (folder / name).write_text(block.text, encoding="utf-8")
            case ["python"]:
                with pytest.MonkeyPatch.context() as patch:
                    patch.chdir(folder)
                    exec(block.text, {"Path": Path})
            case ["text"]:
                yield block, printed(folder)
                awaited = None
            case ["console"]:
                yield block, "".join(f"$ {c}\n{run(c, folder)}" for c, _ in steps(block.text))
                awaited = None
            case _:
                raise AssertionError(f"no such block on a page of diagnostics: {block.info}")
    if awaited is not None:
        yield awaited, printed(folder)


def test_every_diagnostic_has_a_page_and_every_page_a_diagnostic() -> None:
    assert codes_in_source() == {p.stem for p in PAGES}


@pytest.mark.parametrize("path", PAGES, ids=lambda p: p.stem)
def test_a_page_shows_what_is_printed_and_mends_what_it_shows(path: Path, tmp_path: Path, update_spec: bool) -> None:
    page = path.read_text(encoding="utf-8")
    assert page.startswith(f"# {path.stem}: ")
    shown = tuple(outputs(blocks(page), tmp_path))
    for block, text in shown:
        assert block.kind != "sef" or text == "", f"this is shown as mended:\n{block.text}"
    found = {b: text for b, text in shown if b.kind != "sef"}
    if update_spec:
        path.write_text(rewritten(page, found), encoding="utf-8")
        return
    for block, text in found.items():
        assert block.text == text
        assert f"error[{path.stem}]" in text


@pytest.mark.parametrize("path", PAGES, ids=lambda p: p.stem)
def test_a_page_has_an_example(path: Path) -> None:
    assert {"text", "console"} & {b.kind for b in blocks(path.read_text(encoding="utf-8"))}
