"""Tests that `selfedit regress` left behind earlier: found by what stands in them, and replayed."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from typing import Any

from selfedit_formal._frozen import dataclass
from selfedit_formal.core.diagnostics import Rejected


@dataclass(frozen=True, slots=True)
class Earlier:
    """A test of an earlier counterexample. `said`: what came of it today; `obsolete`: it can say nothing any more."""

    path: Path
    said: str
    obsolete: bool


def earlier(directory: Path, policy: Path, made: Collection[str]) -> tuple[Earlier, ...]:
    """The tests in the folder about the policy's file that are not among those just made, by name."""
    paths = sorted(p for p in directory.glob("test_*.py") if p.name not in made)
    found = ((p, arguments) for p in paths if (arguments := _written(p)) is not None)
    return tuple(_replayed(p, a) for p, a in found if (p.parent / a["file"]).resolve() == policy.resolve())


def _replayed(path: Path, arguments: Mapping[str, Any]) -> Earlier:
    from selfedit_formal.regression import replay

    try:
        outcome = replay(**{**arguments, "file": path.parent / arguments["file"]})
    except Rejected as rejected:
        return Earlier(path, rejected.diagnostics[0].message, True)
    except (TypeError, ValueError) as wrong:
        return Earlier(path, str(wrong), True)
    if not outcome.kept:
        return Earlier(path, "still fails", False)
    if not outcome.applies:
        return Earlier(path, "the promise does not speak of its window any more", True)
    return Earlier(path, "passes", False)


def _written(path: Path) -> dict[str, Any] | None:
    """The arguments of the `replay` in a test, as `selfedit regress` writes them; None if it is no such test."""
    try:
        tree = ast.parse(path.read_text(encoding="utf-8"))
        constants = dict(_constants(tree))
        calls = [n for n in ast.walk(tree) if isinstance(n, ast.Call) and getattr(n.func, "id", "") == "replay"]
        file, subject, promise = (constants.get(getattr(a, "id", ""), a) for a in calls[0].args)
        given = {k.arg: constants.get(getattr(k.value, "id", ""), k.value) for k in calls[0].keywords if k.arg}
        values = {"file": file, "policy": subject, "promise": promise, **given}
        return {name: ast.literal_eval(value) for name, value in values.items()}
    except (OSError, SyntaxError, ValueError, IndexError):
        return None


def _constants(tree: ast.Module) -> Iterator[tuple[str, ast.expr]]:
    """`WINDOW = …`, and of `POLICY = Path(__file__).parent / …` the text at its end."""
    for node in tree.body:
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            value = node.value
            if isinstance(value, ast.BinOp):
                value = value.right
            elif isinstance(value, ast.Call) and value.args:
                value = value.args[0]
            yield node.targets[0].id, value
