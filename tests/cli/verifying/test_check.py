"""`selfedit check`: what is printed where, and the exit code that goes with it."""

from __future__ import annotations

import io
import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from time import monotonic, sleep

import pytest
from jsonschema import Draft202012Validator

from selfedit_formal.core.property import Expectation
from selfedit_formal.core.verdict import (
    Bounded,
    Failed,
    Proved,
    Result,
    RunEnd,
    Unknown,
    UnwrittenQuery,
    Vacuous,
    Verdict,
    as_expected,
    exit_code,
)
from selfedit_formal.engines import Limits
from selfedit_formal.reports.json import document
from tests.cli.command import GOOD, answering, process, selfedit
from tests.reports import examples

ROOT = Path(__file__).parents[3]
SCHEMA = json.loads((ROOT / "spec" / "report.schema.json").read_text(encoding="utf-8"))


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
        assert done.code == 2
        assert "error[E005]: nothing is asked about `dorp`, only about drop, hide\n" in done.err


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
    assert {**made, "seconds": 0} == {**json.loads(json.dumps(document((found,), RunEnd(0.0)))), "seconds": 0}
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


def test_a_promise_that_is_asked_of_no_policy_is_wrong_unless_that_is_meant(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    idle = tmp_path / "idle.sef"
    idle.write_text("window Chat { tag : user }\n", encoding="utf-8")
    for promise in ("idempotent", "no_such_promise"):
        ran = selfedit(capsys, "check", idle, "--property", promise)
        assert ran.code == 2
        assert f"error[E003]: `{idle}` has no policy that a promise could be asked of" in ran.err
    assert selfedit(capsys, "check", idle, "--property", "idempotent", "--allow-empty").code == 0


def test_a_folder_may_hold_files_that_check_nothing(capsys: pytest.CaptureFixture[str], good: Path) -> None:
    (good.parent / "idle.sef").write_text("window Chat { tag : user }\n", encoding="utf-8")
    assert selfedit(capsys, "check", good.parent).code == 0


def test_where_nothing_can_be_written_is_said_before_anything_is_checked(
    capsys: pytest.CaptureFixture[str], good: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = answering(monkeypatch, lambda _: ())
    for command in (("check", "--certificates"), ("regress", "-o")):
        done = selfedit(capsys, command[0], "log.sef", command[1], "log.sef/kept")
        assert (done.code, done.out, asked) == (2, "", [])
        assert f"error[E008]: `{Path('log.sef/kept')}` cannot be written: not a directory" in done.err


def test_standard_input_is_checked_as_a_file_here(
    capsys: pytest.CaptureFixture[str], good: Path, here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = (
        'import "log.sef"\npolicy none for Log { keep s where s.stale }\ncheck none: preserves(ruled) expect vacuous\n'
    )
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text.encode())))
    done = selfedit(capsys, "check", "-")
    assert (done.code, done.err) == (0, "")
    assert done.out.startswith("<stdin>\n")
    for wrong, code in ((b"window A {", "S004"), (b"\xff", "S019"), (b"window A { tag : a }", "E003")):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(wrong)))
        done = selfedit(capsys, "check", "-")
        assert (done.code, done.out) == (2, "")
        assert f"error[{code}]" in done.err


# ---------- what is told when


SLOW = """\
window Chat { tag : user | call  tokens : int >= 1 }
policy quick for Chat { evict s where s.tag == call }
policy fit(cap: int >= 0) for Chat { fill newest s where true by s.tokens up to cap }
check quick: order_kept within 1 spans expect holds
check fit: never_grows within 5000 spans
check quick: never_grows within 1 spans expect holds
"""


@pytest.mark.parametrize("module", ["selfedit_formal", "selfedit_formal.cli"])
@pytest.mark.parametrize("shape", ["text", "json"])
def test_control_c_tells_what_was_answered_by_then(here: Path, shape: str, module: str) -> None:
    (here / "slow.sef").write_text(SLOW, encoding="utf-8")
    options = ("--timeout", "0", "--search", "100000", "--proof", "0", "--no-vacuity", "--jobs", "1", "--format", shape)
    with subprocess.Popen(
        [sys.executable, "-m", module, "check", "slow.sef", *options],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        encoding="utf-8",
        start_new_session=True,
    ) as running:
        assert running.stdout is not None
        told = ""
        if shape == "text":  # it comes while the rest is being worked on, though nobody looks at a screen
            told = running.stdout.readline() + running.stdout.readline()
            assert "quick: order_kept" in told
        else:
            sleep(3)
        os.kill(running.pid, signal.SIGINT)
        rest, errors = running.communicate(timeout=60)
    assert (running.returncode, errors.strip()) == (130, "interrupted")
    if shape == "text":
        assert rest.splitlines()[-1].startswith("1 of 3 checks: 1 bounded, interrupted (")
    else:
        made = json.loads(rest)
        Draft202012Validator(SCHEMA).validate(made)
        assert made["exit_code"] == 130
        assert [c["property"] for c in made["checks"]] == ["order_kept"]


def test_control_c_shows_no_traceback_however_early(good: Path) -> None:
    for step in range(12):
        with subprocess.Popen(
            [sys.executable, "-m", "selfedit_formal", "check", "log.sef"],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            encoding="utf-8",
            start_new_session=True,
        ) as running:
            sleep(0.04 + step * 0.05)
            running.send_signal(signal.SIGINT)
            _, errors = running.communicate(timeout=60)
        # Before our first line, Python itself ends by the signal.
        assert running.returncode in (-signal.SIGINT, 130, 0)
        assert running.returncode == -signal.SIGINT or "Traceback" not in errors


# ---------- what cannot be written


def test_verdicts_are_told_and_a_certificate_that_cannot_be_written_is_named(
    capsys: pytest.CaptureFixture[str], good: Path, here: Path
) -> None:
    (here / "kept").mkdir()
    (here / "kept" / "log_drop_preserves_ruled.json").mkdir()
    for shape in ("text", "json"):
        done = selfedit(capsys, "check", "log.sef", "--certificates", "kept", "--format", shape)
        assert done.code == 2
        assert "preserves(ruled)" in done.out
        said = f"`{Path('kept/log_drop_preserves_ruled.json')}` cannot be written: is a directory"
        assert f"error[E008]: {said}" in done.err
    made = json.loads(done.out)
    Draft202012Validator(SCHEMA).validate(made)
    assert (made["exit_code"], [d["message"] for d in made["diagnostics"]]) == (2, [said])
    assert [c["verdict"] for c in made["checks"]] == ["proved", "refuted"]


def test_a_query_that_cannot_be_written_is_named(
    capsys: pytest.CaptureFixture[str], good: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = examples.orphan().obligation
    unknown = Result(
        asked, Unknown("z3 had enough", UnwrittenQuery(Path("left/a.smt2"), "permission denied")), 0.1, "bounded"
    )
    answering(monkeypatch, lambda _: (unknown,))
    for shape in ("text", "json"):
        done = selfedit(capsys, "check", good, "--format", shape)
        assert done.code == 2
        assert "z3 had enough" in done.out
        assert f"error[E008]: `{Path('left/a.smt2')}` cannot be written: permission denied" in done.err


def test_certificates_of_files_of_one_name_do_not_collide(capsys: pytest.CaptureFixture[str], here: Path) -> None:
    for folder in ("a", "b"):
        (here / folder).mkdir()
        (here / folder / "trim.sef").write_text(GOOD, encoding="utf-8")
        assert selfedit(capsys, "check", f"{folder}/trim.sef", "--certificates", "kept").code == 0
    assert sorted(os.listdir("kept")) == [f"{f}_trim_drop_preserves_ruled.json" for f in "ab"]
    assert selfedit(capsys, "recheck", "kept", "--against", "a", "--against", "b").code == 0


def test_names_may_be_as_long_as_can_be(capsys: pytest.CaptureFixture[str], here: Path) -> None:
    long = "p" * 400
    (here / "log.sef").write_text(GOOD.replace("drop", long).replace("hide", "q" * 400), encoding="utf-8")
    assert selfedit(capsys, "check", "log.sef", "--certificates", "kept").code == 0
    assert len(os.listdir("kept")) == 1
    assert selfedit(capsys, "regress", "log.sef", "-o", "left").code == 0
    assert len(os.listdir("left")) == 2
