"""The command `selfedit`. All printing is done here; the solver, the parser and rich are loaded when needed."""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import wraps
from pathlib import Path
from time import monotonic
from typing import IO, TYPE_CHECKING, Any, NoReturn, TypeVar

import click

from selfedit_formal import __version__
from selfedit_formal._frozen import dataclass

if TYPE_CHECKING:
    from selfedit_formal.core.diagnostics import Diagnostic
    from selfedit_formal.core.property import Obligation
    from selfedit_formal.core.verdict import Result
    from selfedit_formal.engines import Limits
    from selfedit_formal.language.module import Module
    from selfedit_formal.processes.host import Host
    from selfedit_formal.reports.layout import Line

WRONG, BROKE, INTERRUPTED, CLOSED = 2, 5, 130, 141
"""Exit codes beside those of verdicts: the input is wrong, the tool is, Ctrl-C, nobody reads our output any more."""


def main(arguments: Sequence[str] | None = None, host: Host | None = None) -> NoReturn:
    """Runs the command and exits. Whatever happens, no traceback reaches the user. `host`: one that was started."""
    gc.set_threshold(200_000)  # hardly anything that a command loads is ever garbage, nor is it worth a look at the end
    code = _run(arguments, host)
    gc.freeze()
    sys.exit(code)


def _run(arguments: Sequence[str] | None, host: Host | None) -> int:
    try:
        code = selfedit.main(arguments, prog_name="selfedit", standalone_mode=False, obj=host)
        sys.stdout.flush()
        return code if isinstance(code, int) else 0
    except click.Abort:
        click.echo("interrupted", err=True)
        return INTERRUPTED
    except click.ClickException as wrong:
        wrong.show()
        return WRONG
    except (BrokenPipeError, SystemExit):
        # NOTE(closed): click turns a closed pipe into SystemExit(1), and that code says that a promise is broken.
        # Python flushes standard output once more as it exits.
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        return CLOSED
    except Exception as error:
        click.echo(_bug(error), err=True)
        return BROKE


def _bug(error: Exception) -> str:
    """What a person can paste into a report of a bug of ours."""
    import platform
    import traceback
    from importlib.metadata import version

    frames = traceback.extract_tb(error.__traceback__)
    ours = [f for f in frames if "selfedit_formal" in f.filename][-3:]
    places = [f"  {Path(f.filename).parent.name}/{Path(f.filename).name}:{f.lineno} in {f.name}" for f in ours]
    return "\n".join(
        [
            "error: selfedit broke down; this is a bug of ours, not of your files. Please report it:",
            f"  {type(error).__name__}: {error}",
            *places,
            f"  selfedit_formal {__version__}, z3-solver {version('z3-solver')}, Python {platform.python_version()}",
            f"  arguments: {' '.join(sys.argv[1:])}",
        ]
    )


# ---------- what is printed


def _width() -> int:
    import shutil

    return max(shutil.get_terminal_size((100, 24)).columns, 40)


def _colour() -> bool:
    return sys.stdout.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def _show(lines: Sequence[Line]) -> None:
    """Lines on standard output, in colour on a terminal."""
    from selfedit_formal.reports.layout import plain

    if not _colour():
        click.echo(plain(lines))
        return
    from rich.console import Console
    from rich.text import Text

    console = Console(file=sys.stdout, force_terminal=True, width=_width(), highlight=False)
    for line in lines:
        text = Text.assemble(*((p.text, p.style) for p in line))
        text.rstrip()
        console.print(text, soft_wrap=True)


def _dump(document: object) -> None:
    import json

    click.echo(json.dumps(document, indent=2, ensure_ascii=False))


@contextmanager
def _progress(total: int) -> Iterator[Callable[[Result], None] | None]:
    """What to call with each result as it comes: moves a bar on a terminal's standard error, else nothing."""
    if not sys.stderr.isatty() or total < 2 or os.environ.get("TERM") == "dumb":
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (
        TextColumn("checking"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TextColumn("{task.fields[last]}"),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("", total=total, last="")

        def advance(result: Result) -> None:
            from selfedit_formal.reports.names import title

            bar.update(task, advance=1, last=title(result.obligation))

        yield advance


# ---------- what is read


@dataclass(frozen=True, slots=True)
class Settings:
    """What the commands that verify have in common."""

    limits: Limits
    jobs: int | None
    unanswered: Path
    host: Host


def _files(paths: Sequence[str]) -> tuple[list[Path], list[str]]:
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


def _modules(paths: Sequence[str], *, json: bool = False) -> list[Module]:
    """The files, loaded; all that is wrong with any of them is printed before the command ends."""
    from selfedit_formal.core.diagnostics import Rejected
    from selfedit_formal.language.resolve import load

    files, wrong = _files(paths)
    modules: list[Module] = []
    diagnostics: list[Diagnostic] = []
    for file in files:
        try:
            modules.append(load(file))
        except Rejected as rejected:
            diagnostics += rejected.diagnostics
    if wrong or diagnostics:
        _reject(diagnostics, wrong, json=json)
    return modules


def _nothing_checked(paths: Sequence[str], modules: Sequence[Module], *, json: bool = False) -> None:
    """Ends the command if a file that was named checks nothing, or all files of a folder do."""
    from selfedit_formal.core.diagnostics import Diagnostic

    checking = {m.source.path for m in modules if m.obligations}
    idle = [p for p in paths if not checking & set(_files([p])[0])]
    hint = "write a `check`, ask with `--property`, or say that this is meant with `--allow-empty`"
    if idle:
        _reject([Diagnostic("E003", f"`{p}` checks nothing", hint=hint) for p in idle], json=json)


def _reject(diagnostics: Sequence[Diagnostic], wrong: Sequence[str] = (), *, json: bool = False) -> NoReturn:
    """Says everything that is wrong, once, and ends the command."""
    from selfedit_formal.core.diagnostics import render

    texts = dict.fromkeys([*wrong, *(render(d) for d in diagnostics)])
    click.echo("\n\n".join(texts), err=True)
    if diagnostics:
        many = f"{len(texts)} mistake{'' if len(texts) == 1 else 's'}"
        click.echo(f"\n{many}; `selfedit explain {diagnostics[0].code}` says more about the first", err=True)
    if json:
        from selfedit_formal.reports.json import rejection

        _dump(rejection(diagnostics))
    raise click.exceptions.Exit(WRONG)


def _obligations(
    modules: Sequence[Module], properties: Sequence[str], policy: str | None, *, json: bool = False
) -> list[Obligation]:
    """What is to be checked: the checks of the files, or the promises asked for, of every policy or of one."""
    from selfedit_formal.core.diagnostics import Rejected
    from selfedit_formal.language.resolve import obligation, subjects

    if not properties:
        own = [o for m in modules for o in m.obligations]
        return own if policy is None else _of_policy(own, policy, lambda o: o)
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
        _reject(diagnostics, json=json)
    return found


Asked = TypeVar("Asked")


def _of_policy(asked: Sequence[Asked], policy: str, obligation: Callable[[Asked], Obligation]) -> list[Asked]:
    """Those about the policy, which may be given with a check's arguments; the command ends if there are none."""
    from selfedit_formal.reports.names import subject, subject_title

    subjects = [(subject_title(obligation(a)), subject(obligation(a))) for a in asked]
    found = [a for a, names in zip(asked, subjects, strict=True) if _squeezed(policy) in map(_squeezed, names)]
    if not found:
        others = ", ".join(dict.fromkeys(name for _, name in subjects))
        click.echo(f"error: nothing is asked about `{policy}`{others and f', only about {others}'}", err=True)
        raise click.exceptions.Exit(WRONG)
    return found


def _name(reference: str) -> str:
    return reference.partition("(")[0].strip()


def _verified(obligations: Sequence[Obligation], settings: Settings, *, vacuity: bool = False) -> tuple[Result, ...]:
    from selfedit_formal.verifying.workers import verify_all

    with _progress(len(obligations)) as advance:
        return verify_all(
            obligations,
            settings.limits,
            settings.jobs,
            advance,
            vacuity=vacuity,
            unanswered=settings.unanswered,
            host=settings.host,
        )


# ---------- commands


def _verifying(command: Callable[..., int]) -> Callable[..., int]:
    """The options of every command that verifies, handed on as `settings`."""

    @wraps(command)
    def run(
        within: int,
        turns: int,
        timeout: float,
        memory: int,
        proof: float,
        search: float,
        jobs: int | None,
        output_dir: Path,
        **rest: Any,
    ) -> int:
        from selfedit_formal.processes.host import Host

        started: Host | None = click.get_current_context().obj
        with started or Host() as host:  # loads the solver while this process loads the parser and reads the files
            from selfedit_formal.engines import Limits

            limits = Limits(within, timeout or None, memory or None, proof, turns, search)
            return command(settings=Settings(limits, jobs, output_dir, host), **rest)

    return _with(
        run,
        click.option(
            "--within",
            type=click.IntRange(1),
            default=8,
            show_default=True,
            metavar="N",
            help="Look at windows of up to N spans (of sessions: 4 at most). A check's own `within` comes first.",
        ),
        click.option(
            "--turns",
            type=click.IntRange(1),
            default=4,
            show_default=True,
            metavar="K",
            help="Look at sessions of up to K turns. A check's own `within` comes first.",
        ),
        click.option(
            "--timeout",
            type=click.FloatRange(0),
            default=300,
            show_default=True,
            metavar="S",
            help="Seconds for each check, the last resort: a check that takes longer is unknown. 0: no limit.",
        ),
        click.option(
            "--memory",
            type=click.IntRange(0),
            default=4096,
            show_default=True,
            metavar="MB",
            help="Megabytes for each check; 0: no limit.",
        ),
        click.option(
            "--proof",
            type=click.FloatRange(0),
            default=5,
            show_default=True,
            metavar="M",
            help="Million solver steps for a proof for every length, ten times that where "
            "a check expects one; 0: none is sought.",
        ),
        click.option(
            "--search",
            type=click.FloatRange(0, min_open=True),
            default=50,
            show_default=True,
            metavar="M",
            help="Million solver steps for looking through all windows up to the bound.",
        ),
        click.option(
            "--jobs", "-j", type=click.IntRange(1), metavar="N", help="Checks at a time.  [default: one a processor]"
        ),
        click.option(
            "--output-dir",
            type=click.Path(file_okay=False, path_type=Path),
            default=Path("selfedit-unknown"),
            show_default=True,
            metavar="DIR",
            help="Where queries that were not answered are left.",
        ),
    )


def _asking(command: Callable[..., int]) -> Callable[..., int]:
    """The options that say which promises of which policies."""
    return _with(
        command,
        click.option(
            "--property",
            "properties",
            metavar="NAME(ARGS)",
            multiple=True,
            help="Ask for this promise instead of what the files check. May be repeated.",
        ),
        click.option("--policy", metavar="NAME(ARGS)", help="Only of this policy, plan or session."),
    )


def _with(command: Callable[..., int], *options: Callable[[Any], Any]) -> Callable[..., int]:
    for option in reversed(options):
        command = option(command)
    return command


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, "--version", "-V", message="selfedit %(version)s")
def selfedit() -> None:
    """Proves what a context-pruning policy promises, or shows the smallest window that breaks it.

    Policies, promises and checks are written in .sef files. Exit codes: 0 all as expected, 1 a promise broken, 2 wrong
    files or usage, 3 unknown, 4 vacuous, 5 a bug of selfedit. `selfedit explain` lists what can be explained.
    """


@selfedit.command()
@click.argument("paths", metavar="PATH...", nargs=-1, required=True)
@_asking
@_verifying
@click.option("--no-vacuity", is_flag=True, help="Do not ask whether a promise holds for a reason that matters.")
@click.option("--format", "shape", type=click.Choice(["text", "json"]), default="text", show_default=True)
@click.option("--verbose", "-v", is_flag=True, help="Show why proofs hold, and draw refutations that are expected.")
@click.option(
    "--certificates",
    type=click.Path(file_okay=False, path_type=Path),
    metavar="DIR",
    help="Keep what each proof rests on, for `selfedit recheck`.",
)
@click.option("--allow-empty", is_flag=True, help="Let files pass that check nothing.")
@click.option(
    "--solve-for",
    metavar="NAMES",
    help="Look for the weakest condition on these open parameters, separated by commas, that makes a promise hold.",
)
def check(
    paths: tuple[str, ...],
    settings: Settings,
    properties: tuple[str, ...],
    policy: str | None,
    no_vacuity: bool,
    shape: str,
    verbose: bool,
    certificates: Path | None,
    allow_empty: bool,
    solve_for: str | None,
) -> int:
    """Check what the files promise: .sef files, or folders of them.

    A file that checks nothing is an error, and so is a folder in which no file does.
    """
    start = monotonic()
    as_json = shape == "json"
    modules = _modules(paths, json=as_json)
    if not allow_empty and not properties:
        _nothing_checked(paths, modules, json=as_json)
    obligations = _obligations(modules, properties, policy, json=as_json)
    if solve_for is not None:
        return _solve(obligations, tuple(n.strip() for n in solve_for.split(",")), settings, as_json)
    results = _verified(obligations, settings, vacuity=not no_vacuity)
    if certificates is not None:
        _keep(results, certificates)
    _keep_contradicted(results, settings.unanswered)
    seconds = monotonic() - start
    if as_json:
        from selfedit_formal.reports.json import document

        _dump(document(results, seconds))
    else:
        from selfedit_formal.reports.text import report

        _show(report(results, _width(), seconds, verbose=verbose))
    from selfedit_formal.core.verdict import exit_code

    return exit_code(results)


def _keep_contradicted(results: Sequence[Result], folder: Path) -> None:
    """Writes the proofs that a window contradicts, which the report shows."""
    from selfedit_formal.core.verdict import Failed

    wrong = [r for r in results if isinstance(r.verdict, Failed) and r.verdict.proof is not None]
    if wrong:
        _keep(wrong, folder)
        click.echo(f"note: what was proved, and is contradicted, is in {folder}", err=True)


def _keep(results: Sequence[Result], folder: Path) -> None:
    """Writes a file for each proof that has a certificate."""
    from selfedit_formal.core.certificate_file import write
    from selfedit_formal.core.smtlib import NotAdmitted
    from selfedit_formal.core.verdict import Failed, Proved
    from selfedit_formal.reports.names import title, words
    from selfedit_formal.reports.proof import kept

    taken: set[Path] = set()
    for result in results:
        proof = kept(result.obligation, result.verdict) if isinstance(result.verdict, Proved | Failed) else None
        if proof is None:
            continue
        at = result.obligation.location
        stem = "" if at is None else Path(at.source.name).stem + "_"
        stem, number = stem + words(title(result.obligation)), 1
        while (path := folder / f"{stem}{'' if number == 1 else f'_{number}'}.json") in taken:
            number += 1  # the same promise under other assumptions
        taken.add(path)
        try:
            write(proof, path)
        except NotAdmitted as error:
            click.echo(f"note: no certificate of `{title(result.obligation)}` is kept: {error}", err=True)


def _solve(obligations: Sequence[Obligation], names: tuple[str, ...], settings: Settings, as_json: bool) -> int:
    """The conditions found, one for each check that has the parameters; 3 if none was found for one of them."""
    from selfedit_formal.reports.solved import document, lines
    from selfedit_formal.verifying.solve_for import Solved, solve_for

    having = [o for o in obligations if set(names) <= {p.name for p in o.parameters}]
    if not having:
        open_ones = sorted({p.name for o in obligations for p in o.parameters})
        click.echo(f"error: no check leaves {', '.join(f'`{n}`' for n in names)} open", err=True)
        if open_ones:
            click.echo(f"  = hint: open parameters are {', '.join(open_ones)}", err=True)
        return WRONG
    answers = [(o, solve_for(o, names, settings.limits)) for o in having]
    if as_json:
        _dump(document(answers))
    else:
        _show([piece for o, a in answers for piece in lines(o, a, _width())])
    return 0 if all(isinstance(a, Solved) for _, a in answers) else 3


@selfedit.command()
@click.argument("paths", metavar="PATH...", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option(
    "--against",
    metavar="PATH",
    multiple=True,
    help="A .sef file, or a folder of them, that the certificates must be about. May be repeated.",
)
@click.option(
    "--timeout",
    type=click.FloatRange(0, min_open=True),
    default=30,
    show_default=True,
    metavar="S",
    help="Seconds for each condition.",
)
@click.option(
    "--solver",
    "solvers",
    type=click.Choice(["z3", "cvc5"]),
    multiple=True,
    help="Ask this one only. May be repeated.  [default: those that are installed]",
)
@click.option("--jobs", "-j", type=click.IntRange(1), metavar="N", help="Files at a time.  [default: one a processor]")
def recheck(
    paths: tuple[Path, ...], against: tuple[str, ...], timeout: float, solvers: tuple[str, ...], jobs: int | None
) -> int:
    """Ask fresh solvers again whether certificates, files or folders of them, prove what they say.

    With --against they must be proofs of checks of these files. Exit codes: 0 all is shown, 1 something does not check,
    2 a file cannot be read or was changed, 3 a solver gave no answer.
    """
    from concurrent.futures import ThreadPoolExecutor

    from selfedit_formal.engines.unbounded.recheck import available
    from selfedit_formal.rechecking import certificates, exit_code, summary, told
    from selfedit_formal.rechecking import recheck as asked_again

    missing = [s for s in solvers if s not in available()]
    if missing:
        click.echo(f"error: {', '.join(missing)} is not installed; `pip install 'selfedit-formal[cvc5]'`", err=True)
        return WRONG
    files, empty = certificates(paths)
    policies = [Path(m.source.name) for m in _modules(against)]
    for folder in empty:
        click.echo(f"error: no certificate is in the folder `{folder}`", err=True)
    found = []
    with ThreadPoolExecutor(jobs or os.cpu_count()) as pool:
        for one in pool.map(lambda f: asked_again(f, policies, timeout, solvers or available()), files):
            _show([told(one)])
            found.append(one)
    if len(found) > 1:
        _show([summary(found)])
    return max(exit_code(found), WRONG if empty and exit_code(found) not in (1, BROKE) else 0)


@selfedit.command()
@click.argument("file", metavar="FILE")
@click.option(
    "--output",
    "-o",
    "directory",
    required=True,
    metavar="DIR",
    type=click.Path(file_okay=False, path_type=Path),
    help="Where the tests go.",
)
@click.option("--force", is_flag=True, help="Write over files that differ.")
@_asking
@_verifying
def regress(
    file: str, directory: Path, force: bool, settings: Settings, properties: tuple[str, ...], policy: str | None
) -> int:
    """Leave each refuted check of FILE behind as a pytest file, and its window as .sef.

    A test needs no solver. It fails while the policy is wrong and passes once it is mended.
    """
    from datetime import date

    from selfedit_formal.core.verdict import Failed, Refuted, Unknown
    from selfedit_formal.reports.regression import files, same

    modules = _modules([file])
    if not properties:
        _nothing_checked([file], modules)
    results = _verified(_obligations(modules, properties, policy), settings)
    made = files(results, directory, date.today(), __version__)
    old = {f: p.read_text(encoding="utf-8") for f in made if (p := directory / f.name).is_file()}
    unlike = [f for f in old if not same(old[f], f.text)]
    if unlike and not force:
        for f in unlike:
            click.echo(f"error: `{directory / f.name}` is there already and differs", err=True)
        click.echo("nothing was written; --force writes over them", err=True)
        return WRONG
    directory.mkdir(parents=True, exist_ok=True)
    for f in made:
        if f in old and f not in unlike:
            click.echo(f"unchanged  {directory / f.name}")
        else:
            (directory / f.name).write_text(f.text, encoding="utf-8")
            click.echo(f"wrote      {directory / f.name}")
    refuted = sum(isinstance(r.verdict, Refuted) for r in results)
    click.echo(f"{refuted} of {len(results)} check{'' if len(results) == 1 else 's'} refuted")
    unanswered = [r for r in results if isinstance(r.verdict, Unknown | Failed)]
    if unanswered:
        from selfedit_formal.reports.text import check as check_lines

        for result in unanswered:
            _show(check_lines(result, _width()))
    return 5 if any(isinstance(r.verdict, Failed) for r in unanswered) else 3 if unanswered else 0


@selfedit.command()
@click.argument("paths", metavar="PATH...", nargs=-1, required=True)
@click.option("--policy", metavar="NAME", help="Only of this policy or plan.")
@_verifying
def witness(paths: tuple[str, ...], settings: Settings, policy: str | None) -> int:
    """Show a window for each rule that acts, each way through a branch, each gate and each condition of a check.

    What no window shows is said, and is no failure. Exit codes: 0, 3 if a question was not answered, 5.
    """
    from selfedit_formal.reports.witness import report
    from selfedit_formal.verifying.witness import Contradicted, NotSettled, questions, witnessed

    asked = [q for module in _modules(paths) for q in questions(module)]
    asked = asked if policy is None else _of_policy(asked, policy, lambda q: q.obligation)
    results = _verified([q.obligation for q in asked], settings)
    answers = [witnessed(q, r) for q, r in zip(asked, results, strict=True)]
    _show(report(answers, _width()))
    if any(isinstance(a, Contradicted) for a in answers):
        return BROKE
    return 3 if any(isinstance(a, NotSettled) for a in answers) else 0


@selfedit.command()
@click.argument("file", metavar="FILE")
@click.option(
    "--check", "name", required=True, metavar="NAME", help="Which one, as reports name it: `policy: promise`."
)
@click.option(
    "--spans", type=click.IntRange(0), default=4, show_default=True, metavar="N", help="Spans of each window."
)
@click.option(
    "--turns", type=click.IntRange(0), default=2, show_default=True, metavar="K", help="Turns, of a session's check."
)
def smt2(file: str, name: str, spans: int, turns: int) -> int:
    """Print a check of FILE as standard SMT-LIB 2: satisfiable if and only if windows of N spans break it.

    Of a session, if and only if K turns from windows of N spans do.
    """
    from selfedit_formal.semantics.symbolic.encoding import smt2 as query
    from selfedit_formal.verifying.turns import after, least

    own = _obligations(_modules([file]), (), None)
    found = [o for o in own if _squeezed(o.name) == _squeezed(name)] or [
        o for o in own if _squeezed(o.name).startswith(_squeezed(name))
    ]
    if len(found) != 1:
        what = f"no check `{name}`" if not found else f"several checks `{name}`"
        click.echo(f"error: {what} in `{file}`; its checks are", err=True)
        for obligation in found or own:
            click.echo(f"  {obligation.name}", err=True)
        return WRONG
    asked = found[0]
    if asked.turns is not None:
        asked = after(asked, max(turns, least(asked)))
    click.echo(query(asked, spans))
    return 0


def _squeezed(name: str) -> str:
    return "".join(name.split())


@selfedit.command("format")
@click.argument("paths", metavar="PATH...", nargs=-1, required=True)
@click.option("--check", "only_check", is_flag=True, help="Change nothing; exit with 1 if a file would change.")
def format_(paths: tuple[str, ...], only_check: bool) -> int:
    """Rewrite files in the canonical form. `-` reads standard input and writes standard output."""
    from selfedit_formal.core.diagnostics import Rejected, Source
    from selfedit_formal.language.parse import parse, read
    from selfedit_formal.language.print import print_file

    files, wrong = _files([p for p in paths if p != "-"])
    sources: list[Source] = []
    texts: dict[int, str] = {}
    diagnostics: list[Diagnostic] = []
    if "-" in paths:
        sources.append(Source("<stdin>", sys.stdin.read()))
    for file in files:
        try:
            sources.append(read(file))
        except Rejected as rejected:
            diagnostics += rejected.diagnostics
    for number, source in enumerate(sources):
        try:
            texts[number] = print_file(parse(source))
        except Rejected as rejected:
            diagnostics += rejected.diagnostics
    if wrong or diagnostics:
        _reject(diagnostics, wrong)
    changed = 0
    for number, source in enumerate(sources):
        changes = texts[number] != source.text
        changed += changes
        if source.path is None:
            if not only_check:
                click.echo(texts[number], nl=False)
        elif changes:
            click.echo(f"{'would format' if only_check else 'formatted'} {source.name}", err=True)
            if not only_check:
                _replace(source.path, texts[number])
    return 1 if only_check and changed else 0


def _replace(path: Path, text: str) -> None:
    """Writes the file whole or not at all."""
    import tempfile

    with tempfile.NamedTemporaryFile("w", encoding="utf-8", newline="", dir=path.parent, delete=False) as file:
        file.write(text)
    os.chmod(file.name, path.stat().st_mode)
    os.replace(file.name, path)


@selfedit.command()
@click.argument("topic", required=False)
def explain(topic: str | None) -> int:
    """Say what a diagnostic code, a promise or a verdict means; without a topic, list them all."""
    from selfedit_formal.reports import explain as pages

    if topic is None:
        for kind, names in pages.topics().items():
            click.echo("\n".join(_wrapped(f"{kind}:".ljust(10), names)))
        return 0
    page = pages.explain(topic.partition("(")[0].strip())
    if page is not None:
        click.echo(page, nl=False)
        return 0
    close = pages.nearest(topic)
    click.echo(f"error: there is no page for `{topic}`", err=True)
    hint = f"did you mean {' or '.join(f'`{n}`' for n in close)}?" if close else "`selfedit explain` lists all pages"
    click.echo(f"  = hint: {hint}", err=True)
    return WRONG


def _wrapped(label: str, names: Sequence[str]) -> list[str]:
    import textwrap

    return textwrap.wrap(" ".join(names), _width(), initial_indent=label, subsequent_indent=" " * len(label))


@selfedit.command("monitor")
@click.argument("log", metavar="LOG", type=click.File("rb"))
@click.option("--format", "shape", type=click.Choice(["text", "json"]), default="text", show_default=True)
def monitor_(log: IO[bytes], shape: str) -> int:
    """Tell which signals show in the LOG of a session, a file of JSON lines; `-` reads standard input.

    Exit codes: 0 no signals, 1 signals, 2 the log is wrong. spec/signals.md has the signals, and
    spec/session-log.schema.json the log.
    """
    from selfedit_formal.core.diagnostics import Rejected
    from selfedit_formal.reports.monitor import document, report
    from selfedit_formal.runtime.monitor import monitor

    try:
        found = monitor(log, log.name)
    except Rejected as rejected:
        _reject(rejected.diagnostics, json=shape == "json")
    if shape == "json":
        _dump(document(found, log.name))
    else:
        _show(report(found, log.name, _width()))
    return 1 if found.findings else 0


def _settings(_: click.Context, __: click.Parameter, given: tuple[str, ...]) -> dict[str, int]:
    """Values of parameters, each written `name=value`."""
    values = {}
    for text in given:
        name, _equals, value = text.partition("=")
        try:
            values[name.strip()] = int(value)
        except ValueError:
            raise click.BadParameter(f"`{text}` is not a name, `=`, and a whole number") from None
    return values


@selfedit.command("simulate")
@click.argument("file", type=click.Path())
@click.argument("session", required=False)
@click.option("--turns", type=click.IntRange(0), default=60, show_default=True, metavar="N", help="How many turns.")
@click.option("--seed", type=int, default=0, show_default=True, metavar="N", help="Equal seeds give equal logs.")
@click.option(
    "--set",
    "parameters",
    multiple=True,
    metavar="NAME=VALUE",
    callback=_settings,
    help="The value of a parameter; each parameter needs one.",
)
@click.option(
    "--from", "start", metavar="WINDOW", help="A window of FILE to start from.  [default: drawn, as small as can be]"
)
@click.option(
    "-o",
    "--output",
    type=click.File("w", encoding="utf-8", lazy=True),
    default="-",
    metavar="LOG",
    help="Where the log goes.  [default: standard output]",
)
def simulate_(
    file: str,
    session: str | None,
    turns: int,
    seed: int,
    parameters: dict[str, int],
    start: str | None,
    output: IO[str],
) -> int:
    """Run a SESSION of FILE (its only one, if none is named) as it might go, and write a log for `selfedit monitor`.

    spec/simulation.md says how what the session leaves open is drawn, and what the log shows.
    """
    from selfedit_formal.api import simulate
    from selfedit_formal.core.diagnostics import Rejected
    from selfedit_formal.runtime.session_log import write

    try:
        events = simulate(file, session, turns=turns, seed=seed, parameters=parameters, start=start)
    except Rejected as rejected:
        _reject(rejected.diagnostics)
    output.writelines(f"{write(event)}\n" for event in events)
    return 0


if __name__ == "__main__":
    main()
