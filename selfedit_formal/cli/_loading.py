"""What commands read: files and folders of them, what they promise."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from selfedit_formal.core.diagnostics import Diagnostic, Rejected, Source, each
from selfedit_formal.core.files import why_not

if TYPE_CHECKING:
    from selfedit_formal.core.property import Obligation
    from selfedit_formal.language.module import Module


def files_in(paths: Sequence[str]) -> tuple[list[Path], list[Diagnostic]]:
    """The files named, those of folders in order, each once; and what is wrong with the folders."""
    found: dict[Path, None] = {}
    wrong = []
    for name in paths:
        path = Path(name)
        if os.path.isdir(name):  # also of a name that is too long for one
            inside = sorted(
                f
                for f in path.rglob("*.sef")
                if not f.is_dir() and not any(p.startswith(".") for p in f.relative_to(path).parts)
            )
            if not inside:
                wrong.append(nothing_in(name, "no .sef file"))
            found |= dict.fromkeys(inside)
        else:
            found[path] = None
    return list(found), wrong


def standard_input() -> Source:
    """The text on standard input. Raises Rejected if it is none that can be read."""
    from selfedit_formal.language.parse import MAX_BYTES, decoded

    try:
        said = getattr(sys.stdin, "buffer", sys.stdin).read(MAX_BYTES + 1)
    except (OSError, UnicodeError) as problem:
        raise Rejected((Diagnostic("S018", f"standard input cannot be read: {why_not(problem)}"),)) from None
    return decoded(said if isinstance(said, bytes) else said.encode(), "<stdin>")


def nothing_in(folder: str | Path, what: str) -> Diagnostic:
    """What a folder does not have: `what` is, for instance, `no .sef file`."""
    return Diagnostic("E004", f"{what} in the folder `{folder}`")


STDIN = "-"
"""Stands for standard input where a command takes files."""


def loaded(paths: Sequence[str]) -> tuple[Module, ...]:
    """The files, loaded; of `-`, what standard input says. Raises Rejected with all that is wrong with any of them."""
    from selfedit_formal.api import load

    files, wrong = files_in(paths)
    return each(lambda file: _standard_input() if str(file) == STDIN else load(file), files, wrong)


def _standard_input() -> Module:
    """Imports are looked for in the folder where the command runs."""
    from selfedit_formal.language.resolve import load_text

    source = standard_input()
    return load_text(source.text, source.name, Path())


def nothing_checked(paths: Sequence[str], modules: Sequence[Module], properties: Sequence[str]) -> None:
    """Raises Rejected if a file that was named checks nothing, or all files of a folder do; where promises are asked
    for, if it has no policy to ask them of."""
    asking = {m.source.path or Path(STDIN) for m in modules if (_asked_of(m) if properties else m.obligations)}
    idle = [p for p in paths if not asking & set(files_in([p])[0])]
    hint = "write a `check`, ask with `--property`, or say that this is meant with `--allow-empty`"
    what = "checks nothing"
    if properties:
        hint = "name a file with policies, or say that this is meant with `--allow-empty`"
        what = "has no policy that a promise could be asked of"
    if idle:
        raise Rejected(tuple(Diagnostic("E003", f"`{p}` {what}", hint=hint) for p in idle))


def _asked_of(module: Module) -> bool:
    return bool(module.policies or module.sessions)


def asked(modules: Sequence[Module], properties: Sequence[str], policy: str | None) -> tuple[Obligation, ...]:
    """What is to be checked: the checks of the files, or the promises asked for, of every policy or of one.

    Raises Rejected with all that is wrong with what is asked.
    """
    from selfedit_formal.api import asked_of
    from selfedit_formal.language.resolve import subjects

    if not properties:
        own = tuple(o for m in modules for o in m.obligations)
        return own if policy is None else of_policy(own, policy, lambda o: o)
    if policy is not None:
        having = [m for m in modules if _name(policy) in {*m.policies, *m.sessions}] or modules[:1]
        questions = [(m, policy, p) for m in having for p in properties]
    else:
        every = [(m, name, p) for m in modules for name in (*m.policies, *m.sessions) for p in properties]
        questions = [(m, name, p) for m, name, p in every if name in subjects(m, p)] or every
    return each(lambda question: asked_of(*question), questions)


Asked = TypeVar("Asked")


def of_policy(asked: Sequence[Asked], policy: str, obligation: Callable[[Asked], Obligation]) -> tuple[Asked, ...]:
    """Those about the policy, which may be given with a check's arguments. Raises Rejected if there are none."""
    from selfedit_formal.reports.names import subject, subject_title

    subjects = [(subject_title(obligation(a)), subject(obligation(a))) for a in asked]
    found = tuple(a for a, names in zip(asked, subjects, strict=True) if squeezed(policy) in map(squeezed, names))
    if not found:
        others = ", ".join(dict.fromkeys(name for _, name in subjects))
        message = f"nothing is asked about `{policy}`{others and f', only about {others}'}"
        raise Rejected((Diagnostic("E005", message),))
    return found


def _name(reference: str) -> str:
    return reference.partition("(")[0].strip()


def squeezed(name: str) -> str:
    """A name without its blanks, which may be written in several ways."""
    return "".join(name.split())
