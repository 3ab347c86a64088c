"""Certificates in files, asked again: each in a process of its own that is ended at its limits.

NOTE(child): a certificate is a file of others. It is read, held against the policy and put to the solvers in a process
that may write no file, has so much memory and stack, and so much time for each question. Whatever becomes of that
process, this one reports it.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from selfedit_formal._frozen import dataclass
from selfedit_formal.core.certificate import Certificate, Clauses, KeptProof
from selfedit_formal.core.certificate_file import Unreadable, read
from selfedit_formal.core.smtlib import NotAdmitted
from selfedit_formal.processes.family import end_with

if TYPE_CHECKING:
    from selfedit_formal.core.expression import Expression
    from selfedit_formal.core.property import Obligation
    from selfedit_formal.language.module import Module
    from selfedit_formal.reports.layout import Line

Outcome = Literal["shown", "refused", "unreadable", "silent", "broke"]

CODES: Mapping[Outcome, int] = {"shown": 0, "refused": 1, "unreadable": 2, "silent": 3, "broke": 5}

MEGABYTES = 4096
STACK_MEGABYTES = 64
GRACE = 2.0
"""Seconds after the limit of a solver that did not keep it, at which the process is ended."""
PREPARING = 120.0
"""Seconds for reading a certificate, and for compiling each of its parts anew."""


@dataclass(frozen=True, slots=True)
class Rechecked:
    """What came of a file. `reason` is for the user, empty if all was `shown`; `against`: the check that the conditions
    were compiled anew from, if that was asked, and `kernel` what the independent kernel says of its promise;
    `solvers`: those that were asked, with their versions."""

    file: Path
    outcome: Outcome
    reason: str = ""
    about: Mapping[str, object] = field(default_factory=dict)
    solvers: Mapping[str, str] = field(default_factory=dict)
    against: str | None = None
    kernel: str = ""


def exit_code(found: Sequence[Rechecked]) -> int:
    """The gravest: 5 the tool broke down, 1 something does not check, 2 unreadable, 3 no answer, 0 all shown."""
    codes = {CODES[f.outcome] for f in found}
    return next((c for c in (5, 1, 2, 3) if c in codes), 0)


def certificates(paths: Sequence[Path]) -> tuple[list[Path], list[Path]]:
    """The files, and those in the folders, in order, each once; and the folders in which there are none."""
    found: dict[Path, None] = {}
    empty = []
    for path in paths:
        inside = sorted(path.rglob("*.json")) if path.is_dir() else [path]
        found |= dict.fromkeys(inside)
        empty += [] if inside else [path]
    return list(found), empty


def recheck(file: Path, against: Sequence[Path], seconds: float, solvers: Sequence[str]) -> Rechecked:
    """Asks the solvers about every condition of a certificate again, so many seconds each. With `against`, files of
    policies, the conditions are those that are compiled anew from the one that the certificate is about."""
    task = {
        "file": str(file),
        "against": [str(p) for p in against],
        "seconds": seconds,
        "solvers": list(solvers),
        "parent": os.getpid(),
    }
    code = (
        f"import sys; sys.path[:] = {sys.path!r}; sys.dont_write_bytecode = True;"
        "from selfedit_formal.rechecking import child; child()"
    )
    with subprocess.Popen(
        [sys.executable, "-S", "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        try:
            said, errors = process.communicate(json.dumps(task).encode())
        finally:
            process.kill()
    told = dict[str, object]()
    for line in said.splitlines(keepends=True):
        if line.endswith(b"\n"):  # it may have been ended in the middle of one
            told |= json.loads(line)
    doing = str(told.pop("doing", "starting"))
    if "outcome" not in told:
        last = errors.decode(errors="replace").strip().splitlines()[-1:]
        return Rechecked(file, "silent", f"{_ended(process.returncode, ''.join(last))}, while {doing}", _about(told))
    outcome: Outcome = told["outcome"]  # type: ignore[assignment]
    versions = told.get("solvers", {})
    assert isinstance(versions, dict)
    whose = told.get("against")
    reason = str(told.get("reason", ""))
    whose = None if whose is None else str(whose)
    return Rechecked(file, outcome, reason, _about(told), versions, whose, str(told.get("kernel", "")))


def _about(told: Mapping[str, object]) -> Mapping[str, object]:
    about = told.get("about", {})
    return about if isinstance(about, dict) else {}


def _ended(status: int, last: str) -> str:
    """Why the process ended without a word."""
    name = {int(s): s.name for s in signal.Signals}.get(-status, "")
    match name:
        case "SIGALRM" | "SIGXCPU":
            return "the time was over"
        case "SIGKILL":
            return "the process was ended, perhaps for want of memory"
        case "SIGABRT" if "bad_alloc" in last or "memory" in last:
            return "the memory was used up"
        case "SIGSEGV" | "SIGBUS":
            return "the stack or the memory was used up"
        case _:
            return f"the process died ({name or status}{': ' if last else ''}{last})"


# ---------- in the process of its own


class CertificateRefused(Exception):
    """The certificate shows nothing, or not this; the message says why."""


class Silent(Exception):
    """A question has no answer; the message says which."""


def child() -> None:
    """Reads a task from standard input, and writes what comes of it, line by line, to standard output."""
    out = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # whatever a library prints must not get between the lines
    _confine()

    def say(**told: object) -> None:
        out.write(json.dumps(told) + "\n")
        out.flush()

    task = json.loads(sys.stdin.read())
    end_with(task["parent"])
    try:
        whose = _Task(task, say).answer()
        say(outcome="shown", against=whose)
    except Unreadable as error:
        say(outcome="unreadable", reason=str(error))
    except OSError as error:
        say(outcome="unreadable", reason=error.strerror or str(error))
    except CertificateRefused as error:
        say(outcome="refused", reason=str(error))
    except Silent as error:
        say(outcome="silent", reason=str(error))
    except MemoryError:
        say(outcome="silent", reason="the memory was used up")
    except RecursionError:
        say(outcome="silent", reason="it is nested too deeply")
    except Exception as error:
        if "out of memory" in str(error):
            say(outcome="silent", reason="the memory was used up")
        else:
            at = error.__traceback__
            while at is not None and at.tb_next is not None:
                at = at.tb_next
            place = "" if at is None else f" ({Path(at.tb_frame.f_code.co_filename).name}:{at.tb_lineno})"
            say(outcome="broke", reason=f"{type(error).__name__}: {error}{place}")
    out.flush()
    os._exit(0)


def _confine() -> None:
    """No files, no core, so much memory and stack, where the system can."""
    if os.name != "posix":
        return
    import resource

    for what, most in (
        (resource.RLIMIT_CORE, 0),
        (resource.RLIMIT_FSIZE, 0),
        (resource.RLIMIT_AS, MEGABYTES << 20),
        (resource.RLIMIT_STACK, STACK_MEGABYTES << 20),
    ):
        _, hard = resource.getrlimit(what)
        resource.setrlimit(what, (most if hard == resource.RLIM_INFINITY else min(most, hard), hard))


@contextmanager
def _within(seconds: float) -> Iterator[None]:
    """The process is ended, whatever it is doing, after so many seconds, or so many of the processor."""
    if os.name != "posix":
        yield
        return
    import resource

    used = resource.getrusage(resource.RUSAGE_SELF)
    most = int(used.ru_utime + used.ru_stime + seconds + GRACE) + 1
    _, hard = resource.getrlimit(resource.RLIMIT_CPU)
    resource.setrlimit(resource.RLIMIT_CPU, (most if hard == resource.RLIM_INFINITY else min(most, hard), hard))
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    signal.setitimer(signal.ITIMER_REAL, seconds + GRACE)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)


class _Task:
    """One certificate. `say` tells how far it got."""

    def __init__(self, task: Mapping[str, Any], say: Callable[..., None]) -> None:
        self.file = Path(task["file"])
        self.against = [Path(p) for p in task["against"]]
        self.seconds: float = task["seconds"]
        self.solvers: tuple[str, ...] = tuple(task["solvers"])
        self.say = say

    def answer(self) -> str | None:
        """Whose conditions they are, if that was asked, once everything is shown. Raises what says why it is not."""
        with self._doing("reading it", PREPARING):
            kept = read(self.file)
            self.say(about=dict(kept.about))
            from selfedit_formal.engines.unbounded.recheck import questions, version

            self.say(solvers={s: version(s) for s in self.solvers})
        whose = None
        if self.against:
            kept, whose = held(kept, self.against, lambda what: self._doing(what, PREPARING))
        else:
            says_something(kept)
        for name, certificate in kept.parts:
            for question in questions(certificate, self.solvers):
                where = f"{name}: {question.condition}" if name else question.condition
                with self._doing(f"{question.solver} looked at `{where}`", self.seconds):
                    answer = question.ask(self.seconds)
                if answer == "sat":
                    raise CertificateRefused(f"{question.solver} answers sat to `{where}`")
                if answer != "unsat":
                    answer = answer or "nothing"
                    raise Silent(f"{question.solver} answers {answer} to `{where}` within {self.seconds:g} s")
        if self.against:
            with self._doing("the independent kernel looked at the promise", PREPARING):
                self.say(kernel=confirmed(kept, self.against))
        return whose

    @contextmanager
    def _doing(self, what: str, seconds: float) -> Iterator[None]:
        self.say(doing=what)
        with _within(seconds):
            yield


# ---------- held against a policy


def _simply(what: str) -> AbstractContextManager[None]:
    return nullcontext()


def held(
    kept: KeptProof, files: Sequence[Path], during: Callable[[str], AbstractContextManager[None]] = _simply
) -> tuple[KeptProof, str]:
    """The proof with the conditions compiled anew, from the check that it is about, and where that check stands.

    Only invariants are taken from the proof. `during` surrounds each piece of work, and is told what it is. Raises
    `CertificateRefused` if the proof is about none of the files, or anything in it differs.
    """
    with during("reading the policy"):
        module, obligation = _of(kept.about, files)
        needed = _parts(kept, module, obligation)
    parts = []
    for (name, certificate), part in zip(kept.parts, needed, strict=True):
        with during(f"compiling {f'part `{name}`' if name else 'the policy'} anew"):
            parts.append((name, _compiled(part, name, certificate, module.source.name)))
    at = obligation.location
    written = at is not None and at.source.name == module.source.name
    return replace(kept, parts=tuple(parts)), f"`{module.source.name}`{f', line {at.line}' if at and written else ''}"


def confirmed(kept: KeptProof, files: Sequence[Path]) -> str:
    """What the independent kernel says of the promise that the proof is about, for a person; nothing of the proof is
    used. Raises `CertificateRefused` if none of the files has the promise."""
    from selfedit_formal.kernel import Confirmed, NotReached, Unconfirmed, confirm

    _, obligation = _of(kept.about, files)
    if kept.induction is not None:
        return "the independent kernel does not reach sessions"
    match confirm(obligation):
        case Confirmed():
            return "an independent kernel confirms the promise"
        case NotReached(reason):
            return f"the independent kernel does not reach it ({reason})"
        case Unconfirmed():
            return "the independent kernel does not confirm it, nor deny it"


def says_something(kept: KeptProof) -> None:
    """Raises `CertificateRefused` if a condition is nothing but `false`: by itself that shows nothing of any policy."""
    for name, certificate in kept.parts:
        for text_name, text in certificate.texts.items():
            if "(assert false)" in text.splitlines():
                where = f"{name}: {text_name}" if name else text_name
                raise CertificateRefused(f"`{where}` is `false` whatever the policy says; give --against to compare it")


def _of(about: Mapping[str, object], files: Sequence[Path]) -> tuple[Module, Obligation]:
    """The check that the certificate is about, in the first of the files that has it. Raises `CertificateRefused`."""
    from selfedit_formal.core.diagnostics import Rejected
    from selfedit_formal.language.resolve import load
    from selfedit_formal.reports.proof import hashes

    same = [f for f in files if f.name == Path(str(about["file"])).name]
    differs = None
    for file in same or files:
        try:
            module = load(file)
        except Rejected as error:
            raise CertificateRefused(f"`{file}` has a mistake: {error.diagnostics[0].message}") from None
        for obligation in _called(module, str(about["policy"]), str(about["property"])):
            now = hashes(obligation)
            wrong = next(
                (n for n in ("policy_sha256", "claim_sha256", "session_sha256") if now.get(n) != about.get(n)), ""
            )
            if not wrong:
                return module, obligation
            differs = differs or f"{DIFFERING[wrong]} is not that of `{module.source.name}`"
    names = ", ".join(f"`{f}`" for f in same or files)
    if differs is not None:
        raise CertificateRefused(differs)
    raise CertificateRefused(f"no such policy and promise is in {names}")


DIFFERING = {
    "policy_sha256": "the policy that it is about",
    "claim_sha256": "the promise that it is about, with what is assumed,",
    "session_sha256": "the session that it is about",
}


def _called(module: Module, policy: str, promise: str) -> list[Obligation]:
    """The module's checks of these names, or what a check of these names would ask."""
    from selfedit_formal.core.diagnostics import Rejected
    from selfedit_formal.language.resolve import obligation
    from selfedit_formal.reports.names import property_title, subject_title

    own = [o for o in module.obligations if (subject_title(o), property_title(o)) == (policy, promise)]
    try:
        return [*own, obligation(module, policy, promise)]
    except Rejected:
        return own


def _parts(kept: KeptProof, module: Module, obligation: Obligation) -> list[Obligation]:
    """What each part of the certificate must prove, in its order. Raises `CertificateRefused`."""
    of_turns = obligation.turns is not None and obligation.turns.taken is None
    if of_turns != (kept.induction is not None):
        raise CertificateRefused("only what is promised of any number of turns is proved by induction")
    if kept.induction is None:
        return [obligation]
    from selfedit_formal.verifying.turns import inductive, parts

    about = inductive(obligation)
    if isinstance(about, str):
        raise CertificateRefused(about)
    invariants = tuple(dict.fromkeys(_invariants(kept.induction, module, obligation, about.condition)))
    if len(invariants) != len(kept.induction.clauses):
        raise CertificateRefused("the invariant has a clause twice")
    if kept.induction.windows == 2 and about.condition is None:
        raise CertificateRefused("the promise is no condition on one window, and is assumed of two")
    needed = {p.name: p.obligation for p in parts(about, invariants, kept.induction.windows)}
    if needed.keys() != {name for name, _ in kept.parts}:
        raise CertificateRefused(f"the induction has the parts {', '.join(needed)}, and the certificate has others")
    return [needed[name] for name, _ in kept.parts]


def _invariants(
    induction: Clauses, module: Module, obligation: Obligation, promise: Expression | None
) -> Iterator[Expression]:
    """The clauses of the invariant, read from their text as the session's file would say them. Raises
    `CertificateRefused`."""
    from selfedit_formal.core.verdict import Clause
    from selfedit_formal.reports.proof import clause
    from selfedit_formal.verifying.turns import obstacle_of_invariant

    assert obligation.turns is not None
    session = obligation.turns.session
    stated = {clause(Clause(i.condition, "stated", i.origin.text)): i.condition for i in session.invariants}
    for source, text in induction.clauses:
        match source:
            case "promise" if promise is not None and text == clause(Clause(promise, "promise")):
                yield promise
            case "stated" if text in stated:
                yield stated[text]
            case "found":
                condition = _condition(text, module, obligation)
                reason = obstacle_of_invariant(session, condition)
                if reason is not None:
                    raise CertificateRefused(f"`{text}` can be no invariant: {reason}")
                yield condition
            case _:
                raise CertificateRefused(
                    f"`{text}` is not {'the promise' if source == 'promise' else 'stated by the session'}"
                )


def _condition(text: str, module: Module, obligation: Obligation) -> Expression:
    """The condition that an `invariant` of the session would be, if it said this. Raises `CertificateRefused`."""
    from selfedit_formal.core.diagnostics import Rejected, Source
    from selfedit_formal.language import syntax
    from selfedit_formal.language.parse import parse
    from selfedit_formal.language.resolve import obligation as resolved
    from selfedit_formal.reports.names import property_title, subject, subject_title

    own = module.names.sessions[subject(obligation)]
    try:
        file = parse(Source("<certificate>", f"session s of W {{\n  invariant {text}\n}}\n"))
        match file.declarations:
            case (syntax.SessionDeclaration(members=(syntax.Invariant() as invariant,)),):
                pass
            case _:
                raise CertificateRefused(f"`{text}` is no condition")
        members = tuple(m for m in own.declaration.members if not isinstance(m, syntax.Invariant))
        with_it = replace(own, declaration=replace(own.declaration, members=(*members, invariant)))
        names = replace(module.names, sessions={**module.names.sessions, subject(obligation): with_it})
        said = resolved(replace(module, names=names), subject_title(obligation), property_title(obligation))
    except Rejected as error:
        raise CertificateRefused(f"its clause `{text}` cannot be read: {error.diagnostics[0].message}") from None
    assert said.turns is not None
    (only,) = said.turns.session.invariants
    return only.condition


def _compiled(part: Obligation, name: str, certificate: Certificate, whose: str) -> Certificate:
    """The certificate with the conditions that its policy asks of its invariant. Raises `CertificateRefused`."""
    from selfedit_formal.engines import Differs, prover

    try:
        return replace(certificate, conditions=prover(certificate.method).anew(part, certificate))
    except (Differs, NotAdmitted) as error:
        where = f"part `{name}`: " if name else ""
        raise CertificateRefused(f"{where}compiled anew from `{whose}`, {error}") from None


# ---------- what is said of it


def told(found: Rechecked) -> Line:
    """One line for a file."""
    from selfedit_formal.reports.layout import line

    name = _shown(str(found.file))
    if found.about:
        name += f": {_shown(str(found.about.get('policy')))}: {_shown(str(found.about.get('property')))}"
    versions = " and ".join(f"{solver} {version}" for solver, version in found.solvers.items())
    match found.outcome:
        case "shown" if found.against is not None:
            kernel = f"; {_shown(found.kernel)}" if found.kernel else ""
            return line(f"{name}: checks with {versions}; its conditions are those of {_shown(found.against)}{kernel}")
        case "shown":
            file = found.about.get("file")
            whose = f"those of `{_shown(str(file))}`" if file else "those of its policy"
            return line(
                f"{name}: the conditions hold, in {versions}; that they are {whose} was not checked: give --against"
            )
        case "refused":
            return line(f"{name}: does not check: {_shown(found.reason)}", "red")
        case "unreadable":
            return line(f"{name}: cannot be read: {_shown(found.reason)}", "red")
        case "silent":
            return line(f"{name}: no answer: {_shown(found.reason)}", "yellow")
        case "broke":
            return line(f"{name}: selfedit broke down; please report it: {_shown(found.reason)}", "red")


def summary(found: Sequence[Rechecked]) -> Line:
    """How many of several came to what."""
    from selfedit_formal.reports.layout import line

    words = {
        "shown": "check",
        "refused": "do not check",
        "unreadable": "cannot be read",
        "silent": "without an answer",
        "broke": "broke the tool",
    }
    counts = [(sum(f.outcome == outcome for f in found), text) for outcome, text in words.items()]
    told = ", ".join(f"{count} {text}" for count, text in counts if count)
    return line(f"{len(found)} certificates: {told}")


def _shown(text: str) -> str:
    """Text from a file of others as a terminal may show it."""
    return "".join(c if c.isprintable() else "?" for c in text)
