"""The command line: what is printed where, and the exit code that goes with it."""

from __future__ import annotations

import io
import json
import os
import signal
import subprocess
import sys
import tomllib
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path
from time import monotonic, sleep

import pytest

from selfedit_formal import __version__, cli
from selfedit_formal.core.property import Expectation, Obligation
from selfedit_formal.core.verdict import (
    Bounded,
    Failed,
    Proved,
    Result,
    Unknown,
    Vacuous,
    Verdict,
    as_expected,
    exit_code,
)
from selfedit_formal.engines import Limits
from selfedit_formal.reports.json import document
from tests.reports import examples

ROOT = Path(__file__).parents[2]

GOOD = """\
window Log { tag : rule | dump | note  stale : bool }

policy drop for Log { evict s where s.tag == dump and s.stale }
policy hide for Log { evict s where s.tag == rule }

predicate ruled(W) for Log = some s in W: s.tag == rule

check drop: preserves(ruled)
check hide: preserves(ruled)  expect refuted
"""


@dataclass(frozen=True, slots=True)
class Run:
    code: int
    out: str
    err: str


def selfedit(capsys: pytest.CaptureFixture[str], *arguments: object) -> Run:
    capsys.readouterr()
    with pytest.raises(SystemExit) as end:
        cli.main([str(a) for a in arguments])
    said = capsys.readouterr()
    assert "Traceback" not in said.err
    assert isinstance(end.value.code, int)
    return Run(end.value.code, said.out, said.err)


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Each test runs in a folder of its own, 100 columns wide."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "100")
    return tmp_path


@pytest.fixture
def good(here: Path) -> Path:
    path = here / "log.sef"
    path.write_text(GOOD, encoding="utf-8")
    return path


def process(*arguments: str) -> subprocess.Popen[str]:
    """The command in a process group of its own."""
    return subprocess.Popen(
        [sys.executable, "-m", "selfedit_formal.cli", *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        encoding="utf-8",
        start_new_session=True,
    )


Answer = Callable[[Sequence[Obligation]], Sequence[Result]]


def answering(monkeypatch: pytest.MonkeyPatch, answer: Answer) -> list[tuple[object, ...]]:
    """Makes the command believe these answers, without any process; returns what it is asked, call by call."""
    asked: list[tuple[object, ...]] = []

    def verify_all(
        obligations: Sequence[Obligation], limits: Limits, jobs: int | None, on_done: object, **more: object
    ) -> tuple[Result, ...]:
        more.pop("host")
        asked.append((limits, jobs, more))
        return tuple(answer(obligations))

    monkeypatch.setattr("selfedit_formal.verifying.workers.Host", nullcontext)
    monkeypatch.setattr("selfedit_formal.verifying.workers.verify_all", verify_all)
    return asked


# ---------- explain, version, help


def test_the_version_is_that_of_the_project(capsys: pytest.CaptureFixture[str]) -> None:
    declared = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"]
    assert selfedit(capsys, "--version") == Run(0, f"selfedit {declared}\n", "")
    assert __version__ == declared


def test_explain_prints_a_page(capsys: pytest.CaptureFixture[str]) -> None:
    assert selfedit(capsys, "explain", "idempotent").out.startswith("Applying the policy to its own output")
    assert selfedit(capsys, "explain", "preserves(paired)").out.startswith("Closed in, closed out")
    assert selfedit(capsys, "explain", "refuted").code == 0


def test_explain_without_a_topic_lists_them(capsys: pytest.CaptureFixture[str]) -> None:
    listed = selfedit(capsys, "explain").out
    for topic in ("proved", "idempotent", "R001"):
        assert topic in listed.split()


def test_explain_names_what_comes_nearest(capsys: pytest.CaptureFixture[str]) -> None:
    done = selfedit(capsys, "explain", "idempotnt")
    assert (done.code, done.out) == (2, "")
    assert "did you mean `idempotent`" in done.err


@pytest.mark.parametrize(
    "command", [(), ("check",), ("witness",), ("regress",), ("format",), ("explain",), ("smt2",)], ids=" ".join
)
def test_every_command_has_help(capsys: pytest.CaptureFixture[str], command: tuple[str, ...]) -> None:
    done = selfedit(capsys, *command, "--help")
    assert done.code == 0
    assert done.out.startswith(f"Usage: selfedit {' '.join(command)}".rstrip())


# ---------- wrong files and usage


@pytest.mark.parametrize(
    "arguments",
    [
        ("check",),
        ("chek", "a.sef"),
        ("check", "a.sef", "--within", "0"),
        ("check", "a.sef", "--format", "xml"),
        ("regress", "a.sef"),
        ("smt2", "a.sef"),
    ],
    ids=" ".join,
)
def test_wrong_usage_exits_with_2(capsys: pytest.CaptureFixture[str], arguments: tuple[str, ...]) -> None:
    done = selfedit(capsys, *arguments)
    assert (done.code, done.out) == (2, "")
    assert "Usage: selfedit" in done.err


@pytest.mark.parametrize("command", ["check", "witness", "format"])
def test_a_missing_path_and_an_empty_folder_are_said_together(
    capsys: pytest.CaptureFixture[str], here: Path, command: str
) -> None:
    (here / "empty").mkdir()
    done = selfedit(capsys, command, "gone.sef", "empty")
    assert (done.code, done.out) == (2, "")
    assert "gone.sef" in done.err
    assert "error: no .sef file in the folder `empty`" in done.err


def test_the_mistakes_of_all_files_are_said_at_once(capsys: pytest.CaptureFixture[str], good: Path, here: Path) -> None:
    (here / "one.sef").write_text("policy p for Nowhere { }\n", encoding="utf-8")
    (here / "two.sef").write_text("policy {\n", encoding="utf-8")
    done = selfedit(capsys, "check", ".")
    assert (done.code, done.out) == (2, "")
    assert "one.sef:1:" in done.err
    assert "two.sef:1:" in done.err
    assert "selfedit explain" in done.err


def test_an_unknown_policy_or_promise_is_said_with_the_nearest(capsys: pytest.CaptureFixture[str], good: Path) -> None:
    done = selfedit(capsys, "check", good, "--property", "idempotnt")
    assert done.code == 2
    assert "idempotent" in done.err
    done = selfedit(capsys, "check", good, "--property", "idempotent", "--policy", "dorp")
    assert done.code == 2
    assert "drop" in done.err
    for command in ("check", "witness"):
        done = selfedit(capsys, command, good, "--policy", "dorp")
        assert (done.code, done.err) == (2, "error: nothing is asked about `dorp`, only about drop, hide\n")


def test_promises_are_asked_of_those_they_are_about(capsys: pytest.CaptureFixture[str], here: Path) -> None:
    file = here / "loop.sef"
    file.write_text(f"{GOOD}session loop of Log {{ each turn {{ apply drop }} }}\n", encoding="utf-8")
    quick = ("--within", 2, "--turns", 1, "--proof", 0, "--format", "json", "--no-vacuity")

    def asked(*options: object) -> list[str]:
        done = selfedit(capsys, "check", file, *options, *quick)
        return [c["policy"] for c in json.loads(done.out)["checks"]]

    assert asked("--property", "idempotent") == ["drop", "hide"]
    assert asked("--property", "no_thrash") == ["loop"]
    assert asked("--property", "no_thrash", "--policy", "loop") == ["loop"]
    done = selfedit(capsys, "check", file, "--property", "no_thrash", "--policy", "drop")
    assert done.code == 2
    assert "`no_thrash` is a promise of sessions, and `drop` is a policy" in done.err


def test_a_defect_of_ours_is_a_short_report(
    capsys: pytest.CaptureFixture[str], good: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(_: object) -> tuple[Result, ...]:
        raise KeyError("the wrong drawer")

    answering(monkeypatch, broken)
    done = selfedit(capsys, "check", good)
    assert (done.code, done.out) == (5, "")
    assert "KeyError: 'the wrong drawer'" in done.err
    assert f"selfedit_formal {__version__}" in done.err


# ---------- check


def test_a_file_is_checked(capsys: pytest.CaptureFixture[str], good: Path) -> None:
    done = selfedit(capsys, "check", "log.sef")
    assert (done.code, done.err) == (0, "")
    lines = done.out.splitlines()
    assert lines[0] == "log.sef"
    assert "drop: preserves(ruled)" in lines[1]
    assert lines[2].startswith("  refuted  by 1 span")
    assert lines[2].endswith("hide: preserves(ruled)  as expected")
    assert lines[-1].startswith("2 checks: ")


def test_a_folder_is_searched_for_files_but_not_where_it_hides_them(
    capsys: pytest.CaptureFixture[str], here: Path
) -> None:
    for name in ("b.sef", "a/c.sef", ".hidden/d.sef"):
        (here / name).parent.mkdir(exist_ok=True)
        (here / name).write_text(GOOD, encoding="utf-8")
    done = selfedit(capsys, "check", ".", "b.sef", "--format", "json")
    assert {c["file"] for c in json.loads(done.out)["checks"]} == {str(Path("a/c.sef")), "b.sef"}


def test_promises_can_be_asked_of_every_policy_or_of_one(capsys: pytest.CaptureFixture[str], good: Path) -> None:
    done = selfedit(capsys, "check", good, "--property", "idempotent", "--property", "order_kept", "--format", "json")
    asked = [(c["policy"], c["property"]) for c in json.loads(done.out)["checks"]]
    assert asked == [(p, q) for p in ("drop", "hide") for q in ("idempotent", "order_kept")]
    done = selfedit(capsys, "check", good, "--property", "preserves(ruled)", "--policy", "hide")
    assert done.code == 1
    assert "A window of 1 span breaks it; no shorter one does." in done.out
    assert "window hide_preserves_ruled of Log = [" in done.out


def test_an_expected_refutation_is_drawn_with_verbose(capsys: pytest.CaptureFixture[str], good: Path) -> None:
    assert "- evicted (rule 1)" not in selfedit(capsys, "check", good).out
    assert "- evicted (rule 1)" in selfedit(capsys, "check", good, "--verbose").out


def test_wrong_files_make_a_json_document_too(capsys: pytest.CaptureFixture[str], here: Path) -> None:
    (here / "one.sef").write_text("policy p for Nowhere { }\n", encoding="utf-8")
    done = selfedit(capsys, "check", "one.sef", "--format", "json")
    made = json.loads(done.out)
    assert (done.code, made["exit_code"], made["checks"]) == (2, 2, [])
    assert made["diagnostics"][0]["file"] == "one.sef"


VERDICTS: tuple[Verdict | Failed, ...] = (
    Proved("one query over the spans that matter"),
    Bounded(8, "the bounded engine looks no further"),
    examples.orphan().verdict,
    Vacuous(("no window satisfies the premise",), 8),
    Unknown("time limit of 60 s"),
    Failed("this and that"),
)
EXPECTED: tuple[Expectation | None, ...] = (None, "holds", "proved", "bounded", "refuted", "vacuous", "unknown")


@pytest.mark.parametrize("verdict", VERDICTS, ids=lambda v: type(v).__name__)
@pytest.mark.parametrize("expected", EXPECTED)
def test_text_json_and_exit_code_tell_one_story(
    capsys: pytest.CaptureFixture[str],
    good: Path,
    monkeypatch: pytest.MonkeyPatch,
    verdict: Verdict | Failed,
    expected: Expectation | None,
) -> None:
    asked = examples.expecting(examples.orphan().obligation, expected) if expected else examples.orphan().obligation
    found = Result(asked, verdict, 0.25, "bounded")

    answering(monkeypatch, lambda _: (found,))
    text = selfedit(capsys, "check", good)
    data = selfedit(capsys, "check", good, "--format", "json")
    made = json.loads(data.out)
    (check,) = made["checks"]
    line = text.out.splitlines()[1]

    assert text.code == data.code == made["exit_code"] == exit_code((found,))
    assert (text.code == 0) == check["as_expected"] == as_expected(found)
    assert line.split()[0] == check["verdict"]
    assert ("expected: " in line) == (not check["as_expected"])
    assert ("all as expected" in text.out) == check["as_expected"]
    assert {**made, "seconds": 0} == {**json.loads(json.dumps(document((found,), 0.0))), "seconds": 0}
    for told in [*check["reasons"], *check["notes"], check["argument"] or ""]:
        assert told in text.out
    if check["case"] is not None and not check["as_expected"]:
        for told in [*check["case"]["why"], *check["case"]["broken_links"]]:
            assert told in text.out
        for drawn in check["case"]["windows"].values():
            for entry in drawn["text"].splitlines():
                assert entry in text.out


def test_the_limits_reach_the_workers(
    capsys: pytest.CaptureFixture[str], good: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = answering(monkeypatch, lambda _: ())
    options = ("--within", 5, "--timeout", 2.5, "--memory", 0, "--jobs", 3, "--no-vacuity", "--output-dir", "left")
    assert selfedit(capsys, "check", good, *options).code == 0
    assert asked == [(Limits(5, 2.5, None), 3, {"vacuity": False, "unanswered": Path("left")})]


def test_there_is_no_colour_but_on_a_terminal_that_wants_it(
    capsys: pytest.CaptureFixture[str], good: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    answering(monkeypatch, lambda _: (examples.orphan(),))
    for no_colour, term, coloured in (("", "xterm", True), ("1", "xterm", False), ("", "dumb", False)):
        monkeypatch.setenv("NO_COLOR", no_colour)
        monkeypatch.setenv("TERM", term)
        screen = Terminal()
        monkeypatch.setattr(sys, "stdout", screen)
        with pytest.raises(SystemExit):
            cli.main(["check", "log.sef"])
        assert ("\x1b[" in screen.getvalue()) == coloured


# ---------- regress, witness, smt2, format


def test_each_refuted_check_leaves_two_files(capsys: pytest.CaptureFixture[str], good: Path, here: Path) -> None:
    done = selfedit(capsys, "regress", "log.sef", "-o", "left")
    assert (done.code, done.err) == (0, "")
    assert done.out.splitlines() == [
        f"wrote      {Path('left/test_hide_preserves_ruled.py')}",
        f"wrote      {Path('left/hide_preserves_ruled.sef')}",
        "1 of 2 checks refuted",
    ]
    again = selfedit(capsys, "regress", "log.sef", "-o", "left")
    assert again.out.splitlines()[0] == f"unchanged  {Path('left/test_hide_preserves_ruled.py')}"


def test_a_file_that_differs_is_only_written_over_by_force(
    capsys: pytest.CaptureFixture[str], good: Path, here: Path
) -> None:
    (here / "left").mkdir()
    mine = here / "left" / "hide_preserves_ruled.sef"
    mine.write_text("# mine\n", encoding="utf-8")
    done = selfedit(capsys, "regress", "log.sef", "-o", "left")
    assert done.code == 2
    assert "is there already and differs" in done.err
    assert [p.name for p in (here / "left").iterdir()] == [mine.name]
    assert mine.read_text(encoding="utf-8") == "# mine\n"
    assert selfedit(capsys, "regress", "log.sef", "-o", "left", "--force").code == 0
    assert mine.read_text(encoding="utf-8") != "# mine\n"


def test_no_answer_leaves_no_test(
    capsys: pytest.CaptureFixture[str], good: Path, here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    answering(monkeypatch, lambda asked: [Result(o, Unknown("time limit of 60 s"), 60.0, "bounded") for o in asked])
    done = selfedit(capsys, "regress", "log.sef", "-o", "left")
    assert done.code == 3
    assert "time limit of 60 s" in done.out


def test_a_witness_shows_each_rule(capsys: pytest.CaptureFixture[str], good: Path) -> None:
    done = selfedit(capsys, "witness", "log.sef", "--policy", "drop")
    assert (done.code, done.err) == (0, "")
    assert "acts     evict s where s.tag == dump and s.stale  [log.sef:3]" in done.out
    assert "A: dump { stale }  - evicted (rule 1)" in done.out
    assert "window drop_fires_1 of Log = [" in done.out
    assert done.out.rstrip().endswith("all shown")


def test_a_check_is_printed_for_other_solvers(capsys: pytest.CaptureFixture[str], good: Path) -> None:
    done = selfedit(capsys, "smt2", "log.sef", "--check", "hide:preserves(ruled)", "--spans", "1")
    assert done.code == 0
    assert done.out.count("(check-sat)") == 1


def test_a_check_that_is_not_there_is_said_with_those_that_are(capsys: pytest.CaptureFixture[str], good: Path) -> None:
    done = selfedit(capsys, "smt2", "log.sef", "--check", "nothing")
    assert (done.code, done.out) == (2, "")
    assert "  drop: preserves(ruled)\n  hide: preserves(ruled)" in done.err


UGLY = "window Log{tag:rule|dump}  # two\npolicy drop for Log{evict s where s.tag==dump}\n"


def test_files_are_formatted_in_place(capsys: pytest.CaptureFixture[str], here: Path) -> None:
    (here / "ugly.sef").write_text(UGLY, encoding="utf-8")
    done = selfedit(capsys, "format", "ugly.sef", "--check")
    assert (done.code, done.err) == (1, "would format ugly.sef\n")
    assert (here / "ugly.sef").read_text(encoding="utf-8") == UGLY
    assert selfedit(capsys, "format", "ugly.sef") == Run(0, "", "formatted ugly.sef\n")
    assert "evict s where s.tag == dump" in (here / "ugly.sef").read_text(encoding="utf-8")
    assert selfedit(capsys, "format", "ugly.sef", "--check") == Run(0, "", "")


def test_standard_input_is_formatted_to_standard_output(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO(UGLY))
    done = selfedit(capsys, "format", "-")
    assert (done.code, done.err) == (0, "")
    assert "evict s where s.tag == dump" in done.out


def test_nothing_is_formatted_if_a_file_is_wrong(capsys: pytest.CaptureFixture[str], here: Path) -> None:
    (here / "ugly.sef").write_text(UGLY, encoding="utf-8")
    (here / "wrong.sef").write_text("policy {\n", encoding="utf-8")
    assert selfedit(capsys, "format", ".").code == 2
    assert (here / "ugly.sef").read_text(encoding="utf-8") == UGLY


# ---------- processes


def test_a_reader_that_goes_away_is_no_failure() -> None:
    with process("explain", "refuted") as running:
        assert running.stdout is not None
        assert running.stderr is not None
        running.stdout.close()
        assert running.stderr.read() == ""
    assert running.returncode == 141


def offspring(pid: int) -> set[int]:
    """The processes that this one started, and those that they started."""
    listed = subprocess.run(["ps", "-eo", "pid=,ppid="], capture_output=True, encoding="utf-8", check=True).stdout
    parents = {int(child): int(parent) for child, parent in (line.split() for line in listed.splitlines())}
    found = {pid}
    while more := {p for p, parent in parents.items() if parent in found} - found:
        found |= more
    return found - {pid}


def alive(pid: int) -> bool:
    shown = subprocess.run(["ps", "-o", "stat=", "-p", str(pid)], capture_output=True, encoding="utf-8", check=False)
    return shown.stdout.strip() != "" and not shown.stdout.strip().startswith("Z")


def test_control_c_leaves_nothing_running(here: Path) -> None:
    (here / "slow.sef").write_text(
        "window Chat { tag : user | call  tokens : int >= 1 }\n"
        "policy fit(cap: int >= 0) for Chat { fill newest s where true by s.tokens up to cap }\n"
        "check fit: never_grows within 5000 spans\n",
        encoding="utf-8",
    )
    with process("check", "slow.sef", "--timeout", "0") as running:
        started: set[int] = set()
        while len(started) < 2 and running.poll() is None:
            started = offspring(running.pid)
        assert len(started) >= 2
        os.kill(running.pid, signal.SIGINT)
        assert running.wait(60) == 130
        assert running.stderr is not None
        assert running.stderr.read().strip() == "interrupted"
    end = monotonic() + 10
    while any(map(alive, started)) and monotonic() < end:
        sleep(0.1)
    assert not any(map(alive, started))


def test_a_file_that_checks_nothing_is_wrong_unless_that_is_meant(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    idle = tmp_path / "idle.sef"
    idle.write_text("window Chat { tag : user }\npolicy p for Chat { evict s where true }\n", encoding="utf-8")
    for named in (idle, tmp_path):
        ran = selfedit(capsys, "check", named)
        assert ran.code == 2
        assert f"error[E003]: `{named}` checks nothing" in ran.err
        assert selfedit(capsys, "check", named, "--allow-empty").code == 0
    assert selfedit(capsys, "regress", idle, "-o", tmp_path / "left").code == 2
    told = json.loads(selfedit(capsys, "check", idle, "--format", "json").out)
    assert (told["exit_code"], [d["code"] for d in told["diagnostics"]]) == (2, ["E003"])


def test_a_folder_may_hold_files_that_check_nothing(capsys: pytest.CaptureFixture[str], good: Path) -> None:
    (good.parent / "idle.sef").write_text("window Chat { tag : user }\n", encoding="utf-8")
    assert selfedit(capsys, "check", good.parent).code == 0
