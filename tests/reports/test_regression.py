"""The tests that are left behind: what they look like, and that they fail and pass when they should."""

from __future__ import annotations

import os
import re
import runpy
import subprocess
import sys
from dataclasses import replace
from datetime import date
from pathlib import Path

import pytest

from selfedit_formal.core.diagnostics import Source
from selfedit_formal.core.property import Case, ChoiceKey, fresh_id
from selfedit_formal.core.verdict import Bounded, Refuted, Result
from selfedit_formal.core.window import Value
from selfedit_formal.language.parse import parse, read
from selfedit_formal.language.print import print_file
from selfedit_formal.language.resolve import load, load_text
from selfedit_formal.reports.regression import files, record, same
from tests.reports import examples

TODAY = date(2026, 1, 2)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with the examples' file, and the tests below it."""
    (tmp_path / "chat.sef").write_text(examples.TEXT, encoding="utf-8")
    return tmp_path


def in_folder(found: Result, folder: Path) -> Result:
    """The same result as if the examples had been checked in the folder."""
    module = load(folder / "chat.sef")
    asked = next(o for o in module.obligations if o.name == found.obligation.name)
    return replace(found, obligation=asked)


def unhashed(text: str) -> str:
    """The text without the hashes of cases in names."""
    return re.sub(r"(?<=\w)_[0-9a-f]{6}(?![0-9a-z_])", "", text)


def written(folder: Path, *results: Result) -> dict[str, str]:
    made = files([in_folder(r, folder) for r in results], folder / "tests", TODAY, "0.1.0")
    (folder / "tests").mkdir(exist_ok=True)
    for file in made:
        (folder / "tests" / file.name).write_text(file.text, encoding="utf-8")
    return {unhashed(f.name): unhashed(f.text) for f in made}


def failures(folder: Path) -> dict[str, str]:
    """What each generated test that fails says, by its name."""
    said = {}
    for path in sorted((folder / "tests").glob("test_*.py")):
        try:
            runpy.run_path(str(path))[path.stem]()
        except AssertionError as error:
            said[unhashed(path.stem)] = str(error)
    return said


def test_a_test_is_a_plain_file_that_a_person_would_keep(folder: Path) -> None:
    assert (
        written(folder, examples.orphan())["test_trim_last_preserves_paired.py"]
        == '''\
"""`trim_last` breaks `preserves(paired)` on this window.

Closed in, closed out: a window that satisfies the invariant still does after a
pass.

No shorter window does. Found on 2026-01-02 by selfedit_formal 0.1.0. Runs without a
solver; fails while the policy is wrong and passes once it is mended. The window
alone is in `trim_last_preserves_paired.sef`.
"""

from pathlib import Path

from selfedit_formal import replay

POLICY = Path(__file__).parent / "../chat.sef"

WINDOW = """
window W of Chat = [
  S: system { tokens = 1 }
  C: call   { tokens = 4, call = k1 }
  R: result { tokens = 2, call = k1, pinned }   C justifies R
]
"""


def test_trim_last_preserves_paired() -> None:
    outcome = replay(
        POLICY,
        "trim_last",
        "preserves(paired)",
        window=WINDOW,
        parameters={"cap": 2},
    )
    assert outcome.kept, outcome.picture
'''
    )


def test_the_window_is_a_file_that_loads(folder: Path) -> None:
    text = written(folder, examples.orphan())["trim_last_preserves_paired.sef"]
    assert (
        text
        == """\
import "../chat.sef"

## `trim_last` breaks `preserves(paired)` on this window. Found on 2026-01-02 by selfedit_formal 0.1.0.
## With cap = 2.
window trim_last_preserves_paired of Chat = [
  S: system { tokens = 1 }
  C: call   { tokens = 4, call = k1 }
  R: result { tokens = 2, call = k1, pinned }   C justifies R
]
"""
    )
    (path,) = (folder / "tests").glob("*.sef")
    assert load(path).windows[path.stem] == examples.module().windows["orphan"]


def test_a_schema_of_the_library_is_imported_from_there(folder: Path) -> None:
    (folder / "mine.sef").write_text(
        'import library "policies/chat.sef"\n\n'
        "policy drop for Chat { evict s where s.tag == call }\n\n"
        "check drop: preserves(paired)\n",
        encoding="utf-8",
    )
    (asked,) = load(folder / "mine.sef").obligations
    window = load_text(
        'import library "policies/chat.sef"\n'
        "window w of Chat = [ C: call { tokens = 1 }  R: result { tokens = 1 }  R answers C ]\n"
    ).windows["w"]
    found = Result(asked, Refuted(Case({"W": window}, {}, {"r": "R"}, {}), 2, True), 0.1, "bounded")
    (folder / "tests").mkdir()
    for file in files([found], folder / "tests", TODAY, "0.1.0"):
        (folder / "tests" / file.name).write_text(file.text, encoding="utf-8")
    (path,) = (folder / "tests").glob("*.sef")
    assert path.read_text(encoding="utf-8").startswith('import library "policies/chat.sef"\n')
    assert load(path).windows[path.stem] == window
    assert list(failures(folder)) == ["test_drop_preserves_paired"]


def test_the_model_s_answers_are_written_by_pass_and_span(folder: Path) -> None:
    text = written(folder, examples.again())["test_judge_idempotent.py"]
    assert (
        """
        parameters={"size": 5},
        answers={
            "judge1": {"C": True},
            "judge2": {"R": True},
        },
    )
"""
        in text
    )


def test_a_plan_on_its_own_window_needs_none_in_the_test(folder: Path) -> None:
    text = written(folder, examples.planned())["test_drop_keeps_rationale.py"]
    assert "window=" not in text
    assert "on the window it stands on" in text


ALL = (examples.orphan, examples.again, examples.hanging, examples.swinging, examples.refusing, examples.planned)


def test_all_fail_while_the_policy_is_wrong_and_draw_why(folder: Path) -> None:
    made = written(folder, *(make() for make in ALL))
    said = failures(folder)
    assert [f"{name}.py" for name in said] == sorted(n for n in made if n.endswith(".py"))
    assert "C: call { tokens = 4, call = k1 }            - evicted (rule 2)" in said["test_trim_last_preserves_paired"]
    assert "in W it was C, but rule 2 evicted it" in said["test_trim_last_preserves_paired"]


def test_pytest_runs_them(folder: Path) -> None:
    written(folder, examples.orphan())
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "tests"],
        cwd=folder,
        env={**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert "1 failed" in done.stdout, done.stdout
    assert "in W it was C, but rule 2 evicted it" in done.stdout


MENDED = (
    examples.TEXT.replace(
        "  evict s where total(t.tokens: t not before s and t.tag != system) > cap\n",
        "  let most = cap + 1\n"
        "  keep  s where s.tag == result or s.tag == call\n"
        "  evict s where total(t.tokens: t not before s and t.tag != system) > most\n",
    )
    .replace("may summarize s where s.tag != system into", "may summarize s where s.tokens == 0 into")
    .replace("judge(size: int >= 1)", "judge(size: int >= 1, other: int >= 4)")
    .replace("    readmit s where s.pinned\n", "")
    .replace('  refuse when some s: s.tag == system because "a system span is there"\n', "")
    .replace("delete A, R", "delete A")
)


def test_all_pass_once_the_policy_is_mended(folder: Path) -> None:
    written(folder, *(make() for make in ALL))
    (folder / "chat.sef").write_text(MENDED, encoding="utf-8")
    assert failures(folder) == {}


def test_no_test_loads_the_solver(folder: Path) -> None:
    written(folder, examples.orphan())
    (path,) = (folder / "tests").glob("test_*.py")
    program = (
        "import runpy, sys\n"
        f"names = runpy.run_path('tests/{path.name}')\n"
        f"try:\n    names['{path.stem}']()\nexcept AssertionError:\n    pass\n"
        "else:\n    raise SystemExit('it passed')\n"
        "assert 'z3' not in sys.modules\n"
    )
    subprocess.run([sys.executable, "-c", program], cwd=folder, check=True)


def wide(folder: Path) -> Result:
    """A refutation with a long path, a long name and many answers."""
    deep = folder / ("a" * 40) / ("b" * 40)
    deep.mkdir(parents=True)
    (deep / "chat.sef").write_text(examples.TEXT, encoding="utf-8")
    found = in_folder(examples.again(), deep)
    assert isinstance(found.verdict, Refuted)
    case = found.verdict.case
    answers = {ChoiceKey("judge1", site, "C", ""): site % 2 == 0 for site in range(12)}
    return replace(
        found,
        obligation=replace(found.obligation, property=f"idempotent({'x' * 60})"),
        verdict=replace(found.verdict, case=replace(case, choices={**case.choices, **answers})),
    )


def test_formatters_leave_the_files_alone(folder: Path) -> None:
    written(folder, *(make() for make in ALL))
    test, window = files([wide(folder)], folder / "tests", TODAY, "0.1.0")
    assert "POLICY = Path(__file__).parent.joinpath(\n" in test.text
    assert "def test_the_promise_is_kept() -> None:" in test.text
    (folder / "tests" / test.name).write_text(test.text, encoding="utf-8")
    (folder / "tests" / window.name).write_text(window.text, encoding="utf-8")
    for width in ("79", "88", "120"):
        command = ["ruff", "format", "--isolated", "--line-length", width, "--diff", "."]
        done = subprocess.run([sys.executable, "-m", *command], cwd=folder / "tests", check=False, capture_output=True)
        assert done.stdout == b""
    subprocess.run([sys.executable, "-m", "ruff", "check", "--isolated", "."], cwd=folder, check=True)
    for path in (folder / "tests").glob("*.sef"):
        assert print_file(parse(read(path))) == path.read_text(encoding="utf-8")


def test_what_is_not_refuted_leaves_nothing_behind() -> None:
    asked = examples.obligation("trim_last: preserves(paired)")
    assert files([examples.result(asked, Bounded(8, "b"))], Path("tests"), TODAY, "0.1.0") == ()


def test_another_case_is_another_test(folder: Path) -> None:
    module = load(folder / "chat.sef")
    (asked,) = (o for o in module.obligations if o.name == "trim_last: preserves(paired)")
    case = Case({"W": module.windows["orphan"]}, {"cap": 2}, {"r": "R"}, {})

    def names(*results: tuple[str, Case]) -> list[str]:
        found = [
            Result(replace(asked, name=f"{name}: preserves(paired)"), Refuted(c, 3, True), 0.1, "bounded")
            for name, c in results
        ]
        return [f.name for f in files(found, folder, TODAY, "0.1.0") if f.name.endswith(".py")]

    first, other = ("trim_last", case), ("trim_last", replace(case, parameters={"cap": 3}))
    of_two, of_three = ("trim_last(cap = 2)", case), ("trim_last(cap = 3)", case)
    assert names(first) == names(first, first)
    assert len(set(names(first, other, of_two, of_three))) == 4
    assert {unhashed(n) for n in names(first, other, of_two)} == {"test_trim_last_preserves_paired.py"}


def test_a_file_of_another_day_or_version_is_the_same() -> None:
    old = "Found on 2026-01-02 by selfedit_formal 0.1.0. Runs"
    assert same(old, "Found on 2027-11-12 by selfedit_formal 0.2.0. Runs")
    assert not same(old, "Found on 2026-01-02 by selfedit_formal 0.1.0. Walks")


def test_answers_are_named_without_sites() -> None:
    case = Case(
        {},
        {},
        {},
        {
            ChoiceKey("judge1", 4, "a", ""): True,
            ChoiceKey("judge1", 2, "a", ""): False,
            ChoiceKey("judge1", 2, "b", ""): False,
            ChoiceKey("judge1", 5, fresh_id("judge1", 5), "tokens"): 3,
            ChoiceKey("judge1", 7, fresh_id("judge1", 7), "tokens"): 4,
            ChoiceKey("judge2", -1, "a", "score"): 7,
            ChoiceKey("judge2", -3, "a", "score"): 8,
            ChoiceKey("judge3", 2, "a", ""): False,
        },
    )
    assert record(case, case.choices) == {
        "judge1": {"a": [False, True], "new1.tokens": 3, "new2.tokens": 4},
        "judge2": {"a.score": 7, "rescored a.score": 8},
    }


def test_an_answer_is_told_by_its_place_among_all_that_are_asked() -> None:
    given: dict[ChoiceKey, Value] = {
        ChoiceKey("judge1", 4, "a", ""): True,
        ChoiceKey("judge1", 7, fresh_id("judge1", 7), ""): True,
    }
    left = {
        ChoiceKey("judge1", 2, "a", ""): False,
        ChoiceKey("judge1", 5, fresh_id("judge1", 5), ""): False,
        ChoiceKey("judge1", 7, fresh_id("judge1", 7), "tokens"): 1,
    }
    assert record(Case({}, {}, {}, given), given | left) == {"judge1": {"a": [False, True], "new2": True}}


def test_nothing_that_a_file_says_reaches_a_terminal_from_a_test(tmp_path: Path) -> None:
    text = examples.TEXT.replace("window Chat {", "window Chat {").replace(
        "## A token budget", "## \x1b]0;title\x07\u202e A token budget"
    )
    away = tmp_path / 'a\x1b[31m\u202e"b'
    away.mkdir()
    (away / "chat.sef").write_text(text, encoding="utf-8")
    found = examples.orphan()
    hostile = replace(in_folder(found, away).obligation, promise="\x1b]0;title\x07\u202e\udc80 it holds")
    made = files([replace(found, obligation=hostile)], tmp_path, TODAY, "0.1.0")
    for file in made:
        assert not {"\x1b", "\x07", "\u202e", "\udc80"} & set(file.text)
        compile(file.text, file.name, "exec") if file.name.endswith(".py") else parse(Source(file.name, file.text))
    assert "\\\\u001b]0;title" in made[0].text
    assert made[1].text.startswith("# Import the file with the schema: a path like ")
