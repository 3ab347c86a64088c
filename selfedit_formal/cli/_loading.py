"""What commands read: files and folders of them, what they promise, and how all that is wrong is said."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn, TypeVar

import click

from selfedit_formal.cli._exits import WRONG
from selfedit_formal.cli._screen import dump

if TYPE_CHECKING:
    from selfedit_formal.core.diagnostics import Diagnostic
    from selfedit_formal.core.property import Obligation
    from selfedit_formal.language.module import Module


def files_in(paths: Sequence[str]) -> tuple[list[Path], list[str]]:
    """The files named, those of folders in order, each once; and what is wrong with the folders."""
    found: dict[Path, None] = {}
    wrong = []
    for name in paths:
        path = Path(name)
        if path.is_dir():
            inside = sorted(
                f for f in path.rglob("*.sef") if not any(p.startswith(".") for p in f.relative_to(path).parts)
            )
            if not inside:
                wrong.append(f"error: no .sef file in the folder `{name}`")
            found |= dict.fromkeys(inside)
        else:
            found[path] = None
    return list(found), wrong


def loaded(paths: Sequence[str], *, json: bool = False) -> list[Module]:
    """The files, loaded; all that is wrong with any of them is printed before the command ends."""
    from selfedit_formal.core.diagnostics import Rejected
    from selfedit_formal.language.resolve import load

    files, wrong = files_in(paths)
    modules: list[Module] = []
    diagnostics: list[Diagnostic] = []
    for file in files:
        try:
            modules.append(load(file))
        except Rejected as rejected:
            diagnostics += rejected.diagnostics
    if wrong or diagnostics:
        reject(diagnostics, wrong, json=json)
    return modules


def nothing_checked(paths: Sequence[str], modules: Sequence[Module], *, json: bool = False) -> None:
    """Ends the command if a file that was named checks nothing, or all files of a folder do."""
    from selfedit_formal.core.diagnostics import Diagnostic

    checking = {m.source.path for m in modules if m.obligations}
    idle = [p for p in paths if not checking & set(files_in([p])[0])]
    hint = "write a `check`, ask with `--property`, or say that this is meant with `--allow-empty`"
    if idle:
        reject([Diagnostic("E003", f"`{p}` checks nothing", hint=hint) for p in idle], json=json)


def reject(diagnostics: Sequence[Diagnostic], wrong: Sequence[str] = (), *, json: bool = False) -> NoReturn:
    """Says everything that is wrong, once, and ends the command."""
    from selfedit_formal.core.diagnostics import render

    texts = dict.fromkeys([*wrong, *(render(d) for d in diagnostics)])
    click.echo("\n\n".join(texts), err=True)
    if diagnostics:
        many = f"{len(texts)} mistake{'' if len(texts) == 1 else 's'}"
        click.echo(f"\n{many}; `selfedit explain {diagnostics[0].code}` says more about the first", err=True)
    if json:
        from selfedit_formal.reports.json import rejection

        dump(rejection(diagnostics))
    raise click.exceptions.Exit(WRONG)


def asked_of(
    modules: Sequence[Module], properties: Sequence[str], policy: str | None, *, json: bool = False
) -> list[Obligation]:
    """What is to be checked: the checks of the files, or the promises asked for, of every policy or of one."""
    from selfedit_formal.core.diagnostics import Rejected
    from selfedit_formal.language.resolve import obligation, subjects

    if not properties:
        own = [o for m in modules for o in m.obligations]
        return own if policy is None else of_policy(own, policy, lambda o: o)
    if policy is not None:
        having = [m for m in modules if _name(policy) in {*m.policies, *m.sessions}] or modules[:1]
        asked = [(m, policy, p) for m in having for p in properties]
    else:
        every = [(m, name, p) for m in modules for name in (*m.policies, *m.sessions) for p in properties]
        asked = [(m, name, p) for m, name, p in every if name in subjects(m, p)] or every
    found: list[Obligation] = []
    diagnostics: list[Diagnostic] = []
    for module, name, promise in asked:
        try:
            made = obligation(module, name, promise)
            subject = made.policies[0] if made.turns is None else made.turns.session
            found.append(replace(made, location=subject.location))
        except Rejected as rejected:
            diagnostics += rejected.diagnostics
    if diagnostics:
        reject(diagnostics, json=json)
    return found


Asked = TypeVar("Asked")


def of_policy(asked: Sequence[Asked], policy: str, obligation: Callable[[Asked], Obligation]) -> list[Asked]:
    """Those about the policy, which may be given with a check's arguments; the command ends if there are none."""
    from selfedit_formal.reports.names import subject, subject_title

    subjects = [(subject_title(obligation(a)), subject(obligation(a))) for a in asked]
    found = [a for a, names in zip(asked, subjects, strict=True) if squeezed(policy) in map(squeezed, names)]
    if not found:
        others = ", ".join(dict.fromkeys(name for _, name in subjects))
        click.echo(f"error: nothing is asked about `{policy}`{others and f', only about {others}'}", err=True)
        raise click.exceptions.Exit(WRONG)
    return found


def _name(reference: str) -> str:
    return reference.partition("(")[0].strip()


def squeezed(name: str) -> str:
    return "".join(name.split())
