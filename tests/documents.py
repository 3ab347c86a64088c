"""Markdown pages that run: their fenced blocks, the commands in them, and a page with other text in some blocks."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

FENCE = re.compile(r"^```(?P<info>[^\n`]*)\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True, slots=True)
class Block:
    """A fenced block: what stands behind the opening fence, the lines inside, and where they start in the page."""

    info: str
    text: str
    start: int

    @property
    def kind(self) -> str:
        return self.info.split()[0] if self.info else ""


def blocks(page: str) -> tuple[Block, ...]:
    """Every fenced block of a page, in order."""
    return tuple(Block(m["info"].strip(), m["text"], m.start("text")) for m in FENCE.finditer(page))


def rewritten(page: str, texts: Mapping[Block, str]) -> str:
    """The page with other text in some of its blocks."""
    for block in sorted(texts, key=lambda b: b.start, reverse=True):
        page = page[: block.start] + texts[block] + page[block.start + len(block.text) :]
    return page


def steps(console: str) -> tuple[tuple[str, str], ...]:
    """The commands of a `console` block (lines after `$ `), each with the output shown below it."""
    found: list[tuple[str, str]] = []
    for line in console.splitlines(keepends=True):
        if line.startswith("$ "):
            found.append((line[2:].strip(), ""))
        else:
            command, output = found[-1]
            found[-1] = (command, output + line)
    return tuple(found)


def run(command: str, folder: Path) -> str:
    """What the shell command prints, on both streams, run in the folder with this environment's tools in front."""
    tools = str(Path(sys.executable).parent)
    environment = {k: v for k, v in os.environ.items() if k not in ("FORCE_COLOR", "CLICOLOR_FORCE", "COLUMNS")}
    environment |= {"PATH": f"{tools}{os.pathsep}{environment['PATH']}", "COLUMNS": "100", "NO_COLOR": "1"}
    done = subprocess.run(
        ["sh", "-c", command],
        cwd=folder,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        timeout=120,
        check=False,
    )
    return done.stdout


def executed(page: str, folder: Path) -> dict[Block, str]:
    """What the `console` blocks of the page print, run in the folder.

    `sef NAME` and `python NAME` blocks are files there, written as the page comes to them; `sh` blocks are only shown.
    """
    found: dict[Block, str] = {}
    for block in blocks(page):
        match block.info.split():
            case ["sef" | "python", file]:
                (folder / file).write_text(block.text, encoding="utf-8")
            case ["console"]:
                found[block] = "".join(f"$ {c}\n{run(c, folder)}" for c, _ in steps(block.text))
            case _:
                assert block.info == "sh", f"no such block here: {block.info}"
    return found


def shows(path: Path, folder: Path, update: bool) -> None:
    """The page shows what its commands print, but for times. `update`: rewrites it where it does not."""
    page = path.read_text(encoding="utf-8")
    found = executed(page, folder)
    assert found
    if update:
        changed = {b: t for b, t in found.items() if timeless(t) != timeless(b.text)}
        path.write_text(rewritten(page, changed), encoding="utf-8")
        return
    for block, text in found.items():
        assert timeless(block.text) == timeless(text)


def timeless(output: str) -> str:
    """The output with every duration as `0.0 s` and every date as one day, since no two runs agree on them."""
    return re.sub(r"\b\d{4}-\d\d-\d\d\b", "2026-01-01", re.sub(r"\b\d+(\.\d+)? ?(ms|s)\b", "0.0 s", output))
