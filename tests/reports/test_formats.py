"""What admits a format of reports: whatever a run came to, and whatever things are called, it tells it, twice the same.

A format that is added is held to all of this by being there.
"""

from __future__ import annotations

import re
import subprocess
import sys
import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from selfedit_formal.cli import selfedit
from selfedit_formal.core.diagnostics import Diagnostic, Location, Source
from selfedit_formal.core.property import Case, Obligation
from selfedit_formal.core.verdict import Bounded, Failed, Proved, Refuted, Result, RunEnd, Unknown, Vacuous, Verdict
from selfedit_formal.reports import formats
from selfedit_formal.reports.formats import DEFAULT, Format, Look, named, names
from selfedit_formal.verifying.solve_for import Solved, Unsolved
from tests.reports import examples

HOSTILE = (
    "\x1b[2J\x1b]0;title\x07",
    "\x00\r\b\x7f\x9b31m",
    "two\nlines\n\n\tand a tab",
    "\u202eright to left\u2066\u2028",
    "half of a pair \udc80",
    "<script>&amp;]]>'\"`$(rm)",
    "[bold red]not markup[/] %s {0} \\",
    "n" * 5000,
    "many words " * 200,
    "",
)
END = RunEnd(1.5)
LOOKS = (Look(), Look(40), Look(200, colour=True), Look(verbose=True), Look(40, colour=True, verbose=True))

ASKED = examples.obligation("trim_last: preserves(paired)")
EVERY: tuple[Verdict | Failed, ...] = (
    Proved("an argument"),
    Bounded(8, "a reason"),
    Bounded(3, "a reason", 2),
    Vacuous(("one reason", "and another"), 8),
    Unknown("a reason"),
    Unknown("a reason", Path("left") / "a.smt2", 3, 1),
    Failed("a message\nof two lines"),
)
REFUTED = (
    examples.orphan,
    examples.again,
    examples.hanging,
    examples.swinging,
    examples.refusing,
    examples.planned,
)


def hostile(text: str) -> tuple[Result, ...]:
    """Results of every kind in which all that a user names is called so."""
    place = Location(Source(f"{text}.sef", f"{text}\n{text}"), 1, 1, 2, 3)
    asked = replace(ASKED, name=f"{text}: {text}", property=text, promise=text, formula=text, doc=text, location=place)
    case = examples.case(ASKED, "orphan", {"cap": 2}, {"r": "R"})
    windows = {
        n: replace(w, spans=tuple(replace(s, id=text + s.id) for s in w.spans), links=frozenset())
        for n, w in case.inputs.items()
    }
    renamed = Case(windows, {"cap": 2}, {"r": f"{text}R"}, {})
    verdicts: tuple[Verdict | Failed, ...] = (
        Proved(text),
        Bounded(8, text),
        Refuted(renamed, 3, True),
        Vacuous((text, text), 8),
        Unknown(text, Path(f"{text}.smt2") if text else None),
        Failed(text),
    )
    return tuple(Result(asked, v, 0.25, "bounded", (text, "shared")) for v in verdicts)


def mistakes(text: str) -> tuple[Diagnostic, ...]:
    place = Location(Source(f"{text}.sef", text), 1, 1, 1, 2)
    return (Diagnostic("E004", text), Diagnostic("S017", f"`{text}`", place, text, ((text, place),)))


def answers(text: str) -> tuple[tuple[Obligation, Solved | Unsolved], ...]:
    case = examples.case(ASKED, "orphan", {"cap": 2}, {"r": "R"})
    named_so = replace(ASKED, name=f"{text}: {text}")
    return (
        (named_so, Solved(text, (Proved(text),), case)),
        (named_so, Solved("", (Proved(text),), None)),
        (named_so, Unsolved(text, ("cap",), case)),
        (named_so, Unsolved(text)),
    )


@pytest.fixture(params=names())
def made(request: pytest.FixtureRequest) -> Format:
    return named(request.param)


def checked(made: Format, results: Sequence[Result], look: Look, end: RunEnd = END) -> str:
    """All that it says, and that it says the same of results that come one by one."""
    texts = list(made.checked(results, lambda: end, look))
    assert texts == list(made.checked(iter(results), lambda: end, look))
    return "\n".join(texts)


def told(make: Callable[[Look], str]) -> list[str]:
    """The text in every look, once it has been held to what is asked of every text."""
    found = []
    for look in LOOKS:
        text = make(look)
        assert text == make(look)
        text.encode("utf-8")
        rest = re.sub(r"\x1b\[[0-9;]*m", "", text) if look.colour else text
        assert [c for c in rest if unicodedata.category(c) in ("Cc", "Cs") and c not in "\n\t"] == []
        found.append(rest)
    return found


def test_the_formats_are_what_the_option_offers() -> None:
    (option,) = (p for p in selfedit.commands["check"].params if p.name == "shape")
    assert tuple(getattr(option.type, "choices", ())) == names()
    assert option.default == DEFAULT
    assert {"json", "text"} <= set(names())


LOUD = """\
class Loud:
    def checked(self, results, end, look):
        yield f"{len(tuple(results))} CHECKED"

FORMAT = Loud()
"""


def test_a_file_that_is_put_there_is_a_format(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "loud.py").write_text(LOUD, encoding="utf-8")
    (tmp_path / "_shared.py").touch()
    monkeypatch.setattr(formats, "__path__", [*formats.__path__, str(tmp_path)])
    assert "loud" in names()
    assert "_shared" not in names()
    assert list(named("loud").checked((), lambda: RunEnd(0.0), Look())) == ["0 CHECKED"]
    del sys.modules["selfedit_formal.reports.formats.loud"]


def test_to_know_the_formats_loads_none() -> None:
    program = (
        "import sys; from selfedit_formal.reports.formats import names; found = names()\n"
        "assert not [m for m in sys.modules if m.startswith('selfedit_formal.reports.formats.')], sys.modules\n"
        "assert 'selfedit_formal.semantics' not in sys.modules\n"
    )
    subprocess.run([sys.executable, "-c", program], check=True)


@pytest.mark.parametrize("verdict", EVERY, ids=lambda v: type(v).__name__)
def test_every_verdict_is_told(made: Format, verdict: Verdict | Failed) -> None:
    result = examples.result(ASKED, verdict, ("a note",))
    for results in ((result,), (result, result, examples.orphan())):
        for text in told(lambda look, r=results: checked(made, r, look)):  # type: ignore[misc]
            assert "preserves(paired)" in text


@pytest.mark.parametrize("make", REFUTED, ids=lambda make: make.__name__)
def test_every_refutation_is_told(made: Format, make: Callable[[], Result]) -> None:
    assert all(told(lambda look: checked(made, (make(),), look)))


def test_a_run_without_checks_is_told(made: Format) -> None:
    assert all(told(lambda look: checked(made, (), look)))


@pytest.mark.parametrize("text", HOSTILE, ids=lambda t: ascii(t[:8]))
def test_things_may_be_called_anything(made: Format, text: str) -> None:
    results = hostile(text)
    for some in (results, *((r,) for r in results)):
        assert all(told(lambda look, s=some: checked(made, s, look)))  # type: ignore[misc]
    assert all(told(lambda look: made.solved(answers(text), look)))
    told(lambda _: made.rejected(mistakes(text)))


def test_what_is_wrong_is_told_in_its_order(made: Format) -> None:
    def placed(text: str) -> Sequence[int]:
        return [text.index(word) for word in ("alpha", "omega") if word in text]

    for text in told(lambda _: made.rejected((Diagnostic("E004", "alpha"), Diagnostic("E005", "omega")))):
        assert placed(text) == sorted(placed(text))
