"""A counterexample as a test that a person would keep: a pytest file, and the window as `.sef` beside it.

The texts are made here; whoever calls writes them. `ruff format` leaves the Python alone, `selfedit format` the other.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import field
from datetime import date
from pathlib import Path

from selfedit_formal._frozen import dataclass
from selfedit_formal.core.diagnostics import printable
from selfedit_formal.core.property import RESCORED_SITE, Case, ChoiceKey, Obligation, fresh_id
from selfedit_formal.core.verdict import Refuted, Result, turns_text
from selfedit_formal.core.window import Value, Window
from selfedit_formal.language.write import write_window
from selfedit_formal.reports.names import property_title, slug, subject_title
from selfedit_formal.reports.session import at_rest
from selfedit_formal.reports.text import first_paragraph
from selfedit_formal.semantics.interpreter import taken

WIDTH = 84
NARROW = 79
"""Code on one line is shorter than this, so that formatters of any line length leave it alone."""

HASH = 6
"""Letters of a case's hash in the names of its files."""


@dataclass(frozen=True, slots=True)
class WrittenFile:
    """A file to be written, by its name within the folder."""

    name: str
    text: str


def files(results: Sequence[Result], directory: Path, today: date, version: str) -> tuple[WrittenFile, ...]:
    """The files for every refuted result, two for each. Their names depend on the check and the case alone, so that
    another case of the same check is another test."""
    stamp = f"on {today.isoformat()} by selfedit_formal {version}"
    made: dict[str, WrittenFile] = {}
    for result in results:
        if isinstance(result.verdict, Refuted):
            name, test = _test(result.obligation, result.verdict, directory, stamp)
            window = _window(name, result.obligation, result.verdict, directory, stamp)
            for file in (WrittenFile(f"test_{name}.py", test), WrittenFile(f"{name}.sef", window)):
                made.setdefault(
                    file.name, file
                )  # two checks that differ in what they assume may be refuted by one case
    return tuple(made.values())


def same(old: str, new: str) -> bool:
    """Whether two texts of a file differ in nothing but when and by which version it was written."""
    stamp = re.compile(r"on \d{4}-\d{2}-\d{2} by selfedit_formal \S+")
    return stamp.sub("", old) == stamp.sub("", new)


# ---------- the test


def _test(obligation: Obligation, verdict: Refuted, directory: Path, stamp: str) -> tuple[str, str]:
    """What the test is called, and its text."""
    subject, promise = subject_title(obligation), property_title(obligation)
    source = obligation.location.source if obligation.location is not None else None
    assert source is not None
    assert source.path is not None
    case = verdict.case
    fixed = obligation.fixed is not None
    windows = "\n".join(write_window(w, n).rstrip() for n, w in _inputs(obligation, case).items())
    arguments = ["POLICY", _string(subject), _string(promise)]
    arguments += [] if fixed else ["window=WINDOW"]
    arguments += [] if verdict.turns is None else [f"turns={verdict.turns}"]
    arguments += [f"parameters={_literal(case.parameters, 8)}"] if case.parameters else []
    answers = record(case, taken(obligation, case))
    arguments += [f"answers={_literal(answers, 8)}"] if answers else []
    policy = _relative(source.path, directory)
    case_hash = hashlib.sha256("\n".join([policy, windows, *arguments]).encode()).hexdigest()[:HASH]
    name = f"{slug(obligation)}_{case_hash}"
    lines = [
        f'"""{_docstring(name, obligation, verdict, stamp)}"""',
        "",
        "from pathlib import Path",
        "",
        "from selfedit_formal import replay",
        "",
        *_policy(policy),
        *([] if fixed else ["", 'WINDOW = """', windows, '"""']),
        "",
        "",
        _definition(name),
        "    outcome = replay(",
        *(f"        {a}," for a in arguments),
        "    )",
        "    assert outcome.kept, outcome.picture",
        "",
    ]
    return name, "\n".join(lines)


def _policy(relative: str) -> list[str]:
    one = f"POLICY = Path(__file__).parent / {_string(relative)}"
    if len(one) < NARROW:
        return [one]
    return ["POLICY = Path(__file__).parent.joinpath(", f"    {_string(relative)},", ")"]


def _definition(name: str) -> str:
    one = f"def test_{name}() -> None:"
    return one if len(one) < NARROW else "def test_the_promise_is_kept() -> None:"


def _docstring(name: str, obligation: Obligation, verdict: Refuted, stamp: str) -> str:
    subject, promise = subject_title(obligation), property_title(obligation)
    which = "on the window it stands on" if obligation.fixed is not None else "on this window"
    if verdict.turns is not None:
        which = f"in {turns_text(verdict.turns)} from this window"
    said = first_paragraph(obligation.promise)
    known = "The check expects it: a known defect. " if obligation.expect == "refuted" else ""
    shortest = "No shorter window does. " if verdict.shortest and obligation.fixed is None else ""
    paragraphs = [
        f"`{subject}` breaks `{promise}` {which}.",
        said,
        f"{known}{shortest}Found {stamp}. Runs without a solver; fails while the policy is wrong "
        f"and passes once it is mended. The window alone is in `{name}.sef`.",
    ]
    text = "\n\n".join(textwrap.fill(p, WIDTH, break_long_words=False, break_on_hyphens=False) for p in paragraphs if p)
    return printable(text).replace("\\", "\\\\").replace('"""', "'''") + "\n"


def _string(text: str) -> str:
    """A Python literal, in which nothing controls a terminal either."""
    return printable(json.dumps(text, ensure_ascii=False))


def _literal(value: object, indent: int) -> str:
    """A Python literal: mappings of several entries, or of mappings, one entry a line."""
    if isinstance(value, Mapping):
        entries = [f"{_string(str(k))}: {_literal(v, indent + 4)}" for k, v in value.items()]
        if (
            len(entries) == 1
            and len(entries[0]) < NARROW // 2
            and not any(isinstance(v, Mapping) for v in value.values())
        ):
            return "{" + entries[0] + "}"
        inner = "".join(f"{' ' * (indent + 4)}{e},\n" for e in entries)
        return "{\n" + inner + " " * indent + "}"
    if isinstance(value, list | tuple):
        items = [_literal(v, indent + 4) for v in value]
        if len(", ".join(items)) < NARROW // 3:
            return "[" + ", ".join(items) + "]"
        return "[\n" + "".join(f"{' ' * (indent + 4)}{i},\n" for i in items) + " " * indent + "]"
    return _string(value) if isinstance(value, str) else repr(value)


def _relative(path: Path, directory: Path) -> str:
    try:
        return Path(os.path.relpath(path.resolve(), directory.resolve())).as_posix()
    except ValueError:  # another drive
        return path.resolve().as_posix()


# ---------- the window


def _window(name: str, obligation: Obligation, verdict: Refuted, directory: Path, stamp: str) -> str:
    case = verdict.case
    which = "on this window" if verdict.turns is None else f"in {turns_text(verdict.turns)} from this window"
    said = [f"`{subject_title(obligation)}` breaks `{property_title(obligation)}` {which}. Found {stamp}."]
    if case.parameters:
        said.append(f"With {', '.join(f'{n} = {v}' for n, v in case.parameters.items())}.")
    doc = "\n".join(f"## {line}" for text in said for line in textwrap.wrap(text, 117, break_on_hyphens=False))
    windows = [
        write_window(w, name if len(case.inputs) == 1 else f"{name}_{n}").rstrip()
        for n, w in _inputs(obligation, case).items()
    ]
    return f"{_import(obligation, directory)}\n\n" + "\n\n".join(f"{doc}\n{w}" for w in windows) + "\n"


def _inputs(obligation: Obligation, case: Case) -> dict[str, Window]:
    """The windows of the case; those that sessions start from without what these remember."""
    if obligation.turns is None:
        return dict(case.inputs)
    return {n: at_rest(w, obligation.turns.session) for n, w in case.inputs.items()}


def _import(obligation: Obligation, directory: Path) -> str:
    """The import of the file that has the schema."""
    location = obligation.schema.location
    assert location is not None
    source = location.source
    if source.path is None:
        return f'import library "{source.name.removeprefix("spec/")}"'
    path = _relative(source.path, directory)
    if '"' in path or "\n" in path or printable(path) != path:
        return f"# Import the file with the schema: a path like {_string(path)} cannot be written here."
    return f'import "{path}"'


# ---------- answers


def record(case: Case, asked: Mapping[ChoiceKey, Value]) -> dict[str, dict[str, Value | list[Value]]]:
    """The answers of a case as `selfedit_formal.replay` takes them: by pass and question, without sites.

    `asked` is all that is `taken` in its replay: a question is called by its place among them. What is 0, false or left
    to its default is left out.
    """
    questions = Questions()
    told: dict[str, dict[str, list[ChoiceKey]]] = {}
    for key in sorted(asked, key=lambda k: (not _own(k), k.run, k.site < 0, k.site, k.span, k.field)):
        told.setdefault(key.run, {}).setdefault(questions.name(key), []).append(key)
    found: dict[str, dict[str, Value | list[Value]]] = {}
    for run, named in told.items():
        for name, keys in named.items():
            if any(asked[key] for key in keys if key in case.choices):
                values = [asked[key] for key in keys]
                found.setdefault(run, {})[name] = values[0] if len(values) == 1 else values
    return found


@dataclass(frozen=True, slots=True)
class Questions:
    """What a question is called within its pass: `a`, `a.score`, `new1.tokens` of the first span the pass puts in.

    Of a span that an earlier pass put in, `judge1 new1`.
    """

    _fresh: dict[str, list[str]] = field(default_factory=dict)

    def name(self, key: ChoiceKey) -> str:
        """The name; those about spans that a pass puts in must be named in the order in which they are asked, and
        before others about these spans."""
        span = key.span
        if _own(key):
            fresh = self._fresh.setdefault(key.run, [])
            if span not in fresh:
                fresh.append(span)
            span = f"new{fresh.index(span) + 1}"
        else:
            owner = next((run for run, made in self._fresh.items() if span in made), None)
            span = span if owner is None else f"{owner} new{self._fresh[owner].index(span) + 1}"
        named = f"{span}.{key.field}" if key.field else span
        return f"rescored {named}" if key.site == RESCORED_SITE else named


def _own(key: ChoiceKey) -> bool:
    """Whether it is about the span that its statement puts in."""
    return key.span == fresh_id(key.run, key.site)
