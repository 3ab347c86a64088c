"""Whatever a worker does, there is an answer, and when the call is over nothing runs any more."""

from __future__ import annotations

import os
import pickle
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from threading import Thread

import pytest

from selfedit_formal.core.expression import TRUE, Expression, Not
from selfedit_formal.core.property import Case, ChoiceKey, Obligation
from selfedit_formal.core.verdict import Bounded, Failed, Refuted, Result, Unknown, Verdict
from selfedit_formal.engines import Limits
from selfedit_formal.processes.host import Host
from selfedit_formal.verifying.workers import verify_all
from tests.obligations import W, evict, keeps, may_evict, pinned, policy, span, window

OBLIGATION = keeps(policy(evict(Not(pinned("s")))), pinned("k", W))

WORK = '''
"""What a worker may do instead of answering."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

from selfedit_formal.core.verdict import Bounded, Result


def answers(obligation, limits, **options):
    if obligation.name.startswith("slow"):
        time.sleep(0.5)
    return Result(obligation, Bounded(limits.within, "told"), 0.25, "fake", (obligation.name,))


def tells(obligation, limits, vacuity, unanswered, spare):
    return Result(obligation, Bounded(0, f"{limits.seconds:g} {vacuity} {unanswered} {spare}"), 0.0, "fake")


def sleeps(obligation, limits, **options):
    child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
    with Path(obligation.doc).open("a") as file:
        print(os.getpid(), child.pid, file=file)
    time.sleep(60)


def dies(obligation, limits, **options):
    os.kill(os.getpid(), signal.SIGSEGV)


def leaves(obligation, limits, **options):
    os._exit(3)


def hoards(obligation, limits, **options):
    return bytearray(1 << 40)


def digs(obligation, limits, **options):
    return digs(obligation, limits, **options)


def fails(obligation, limits, **options):
    raise KeyError("a name of ours")


def shouts(obligation, limits, **options):
    print("to whom it may concern", flush=True)
    os.write(1, b"and once more")
    return answers(obligation, limits)


def races(obligation, limits, **options):
    from selfedit_formal.processes.race import begin, in_order

    def tell():
        with Path(obligation.doc).open("a") as file:
            print(os.getpid(), file=file)

    def on_and_on():
        tell()
        time.sleep(60)

    def races_too():
        tell()
        in_order([on_and_on, on_and_on], bool, True)

    tell()
    begin(races_too).found()


def hoards_together(obligation, limits, **options):
    from selfedit_formal.processes.race import in_order

    def hoard():
        much = bytearray(b"x" * (500 << 20))
        time.sleep(60)
        return len(much)

    return in_order([hoard, hoard, hoard], bool, True)


def kills_the_host(obligation, limits, **options):
    os.kill(os.getppid(), signal.SIGKILL)
    time.sleep(60)
'''


@pytest.fixture(autouse=True)
def _work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "worker_tasks.py").write_text(WORK, encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)


def done(work: str, limits: Limits | None = None, obligation: Obligation = OBLIGATION) -> Verdict | Failed:
    (result,) = verify_all((obligation,), limits or Limits(), work=f"worker_tasks:{work}")
    assert result.obligation is obligation
    return result.verdict


def running(pid: int) -> bool:
    """Whether the process is there and more than a zombie."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return False
    return state != "Z"


def gone(pids: list[int]) -> bool:
    """Whether all of them end, given some time to."""
    end = time.monotonic() + 20
    while any(running(pid) for pid in pids):
        if time.monotonic() > end:
            return False
        time.sleep(0.02)
    return True


def started(file: Path, count: int) -> list[int]:
    """The processes that told their number, once so many workers have."""
    end = time.monotonic() + 60
    while not file.exists() or len(file.read_text(encoding="utf-8").splitlines()) < count:
        assert time.monotonic() < end
        time.sleep(0.02)
    return [int(pid) for pid in file.read_text(encoding="utf-8").split()]


# ---------- answers


def test_obligations_are_verified_and_results_come_in_order() -> None:
    broken = keeps(policy(evict(TRUE)), TRUE)
    results = verify_all((OBLIGATION, broken), Limits(within=2, proof=0), 2, unanswered=None)
    assert [r.obligation for r in results] == [OBLIGATION, broken]
    assert isinstance(results[0].verdict, Bounded)
    assert results[1].verdict == Refuted(Case({"W": window(span("A"))}, {}, {"k": "A"}, {}), 1, True)
    assert [r.engine for r in results] == ["bounded", "bounded"]


def test_results_are_told_as_they_come_and_returned_in_order() -> None:
    told: list[str] = []
    names = ["slow one", "quick one", "quick two"]
    obligations = [replace(OBLIGATION, name=name) for name in names]
    results = verify_all(obligations, Limits(), 2, lambda r: told.append(r.notes[0]), work="worker_tasks:answers")
    assert [r.notes[0] for r in results] == names
    assert told == ["quick one", "quick two", "slow one"]
    assert results[0].seconds == 0.25


def test_one_job_answers_one_after_the_other() -> None:
    told: list[str] = []
    obligations = [replace(OBLIGATION, name=name) for name in ("slow one", "quick one")]
    verify_all(obligations, Limits(), 1, lambda r: told.append(r.notes[0]), work="worker_tasks:answers")
    assert told == ["slow one", "quick one"]


def test_nothing_to_do_is_done_at_once() -> None:
    assert verify_all((), Limits()) == ()


def test_the_worker_hears_what_is_wanted() -> None:
    def reasons(limits: Limits, jobs: int, vacuity: bool, unanswered: Path | None) -> list[str]:
        asked, work = (OBLIGATION, OBLIGATION), "worker_tasks:tells"
        results = verify_all(asked, limits, jobs, vacuity=vacuity, unanswered=unanswered, work=work)
        return [r.verdict.reason for r in results if isinstance(r.verdict, Bounded)]

    assert reasons(Limits(seconds=60.0), 2, True, Path("left")) == ["60 True left False"] * 2
    assert reasons(Limits(seconds=2.0), 3, False, None) == ["2 False None True"] * 2


def test_what_starts_a_host_loads_nothing_of_what_the_host_is_to_load_meanwhile() -> None:
    program = (
        "import sys, selfedit_formal.processes.host\n"
        "assert not {'z3', 'lark', 'multiprocessing'} & sys.modules.keys()\n"
        "ours = {m for m in sys.modules if m.startswith('selfedit_formal.')}\n"
        "assert ours == {'selfedit_formal.processes', 'selfedit_formal.processes.host'}, ours\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, encoding="utf-8", check=False)
    assert done.returncode == 0, done.stderr


def test_a_host_can_be_started_before_there_is_anything_to_do() -> None:
    host = Host("worker_tasks:answers")
    (result,) = verify_all((OBLIGATION,), Limits(), work="worker_tasks:answers", host=host)
    assert isinstance(result.verdict, Bounded)
    with Host("worker_tasks:answers"):
        pass


def test_what_a_worker_prints_is_not_taken_for_an_answer() -> None:
    assert done("shouts") == Bounded(8, "told")


# ---------- no answers


def test_a_worker_over_its_time_is_ended_with_all_it_started(tmp_path: Path) -> None:
    file = tmp_path / "pids"
    found = done("sleeps", Limits(seconds=2.0), replace(OBLIGATION, doc=str(file)))
    assert found == Unknown("2 s were over, and it could not say while doing what")
    pids = started(file, 1)
    assert len(pids) == 2
    assert gone(pids)


def test_a_worker_over_its_memory_says_so() -> None:
    assert done("hoards", Limits(megabytes=2048)) == Unknown("memory limit of 2048 MB")


def test_what_a_worker_started_counts_for_its_memory() -> None:
    begun = time.monotonic()
    assert done("hoards_together", Limits(megabytes=1400)) == Unknown("memory limit of 1400 MB")
    assert time.monotonic() - begun < 30


@pytest.mark.parametrize("killed", ["host", "worker"])
def test_whoever_is_killed_leaves_nothing_running_and_is_noticed_at_once(tmp_path: Path, killed: str) -> None:
    file, found = tmp_path / "pids", list[Verdict | Failed]()
    asked = replace(OBLIGATION, doc=str(file))
    verifying = Thread(target=lambda: found.append(done("races", Limits(seconds=None), asked)))
    verifying.start()
    pids = started(file, 4)
    victim = host_of(pids[0]) if killed == "host" else pids[0]
    os.kill(victim, signal.SIGKILL)
    verifying.join(10)
    assert gone([*pids, victim])
    (verdict,) = found
    assert isinstance(verdict, Unknown)
    says = (
        "the process that starts the workers ended" if killed == "host" else "the process died with signal 9 (SIGKILL)"
    )
    assert verdict.reason.startswith(says)


def test_a_worker_that_dies_is_no_answer() -> None:
    assert done("dies") == Unknown("the process died with signal 11 (SIGSEGV)")
    assert done("leaves") == Unknown("the process ended with status 3")


def test_a_worker_that_runs_out_of_stack_says_so() -> None:
    assert done("digs") == Unknown("the formula is nested too deeply")


def test_an_obligation_too_deep_to_hand_over_says_so() -> None:
    deep: Expression = TRUE
    for _ in range(100_000):
        deep = Not(deep)
    # Only the chain itself is too deep: nothing compares, prints or hashes it.
    claim = replace(OBLIGATION.claim, premise=deep)
    results = verify_all((replace(OBLIGATION, claim=claim), OBLIGATION), Limits(), work="worker_tasks:answers")
    assert results[0].verdict == Unknown("the formula is nested too deeply")
    assert isinstance(results[1].verdict, Bounded)


def test_an_exception_of_ours_is_a_failure_of_ours() -> None:
    found = done("fails")
    assert isinstance(found, Failed)
    assert "a part of this tool failed on `P: keeps`" in found.message
    assert "KeyError: 'a name of ours'" in found.message


def test_without_the_host_there_are_no_answers_but_an_end() -> None:
    found = done("kills_the_host")
    assert isinstance(found, Unknown)
    assert found.reason.startswith("the process that starts the workers ended")


# ---------- ends


def test_an_exception_of_the_caller_ends_everything(tmp_path: Path) -> None:
    file = tmp_path / "pids"
    sleepy = replace(OBLIGATION, doc=str(file))

    def stop(result: Result) -> None:
        started(file, 1)
        raise RuntimeError("enough")

    with pytest.raises(RuntimeError, match="enough"):
        verify_all((sleepy, sleepy), Limits(seconds=3.0), 2, stop, work="worker_tasks:sleeps")
    assert gone(started(file, 2))


CALLER = """
import pickle, sys
sys.path.insert(0, sys.argv[1])
from selfedit_formal.engines import Limits
from selfedit_formal.verifying.workers import verify_all
obligation = pickle.loads(bytes.fromhex(sys.argv[2]))
try:
    verify_all((obligation,) * 3, Limits(seconds=None), 2, work="worker_tasks:sleeps")
except KeyboardInterrupt:
    print("interrupted")
    sys.exit(130)
"""


@pytest.fixture
def caller(tmp_path: Path) -> Iterator[subprocess.Popen[str]]:
    """A program that verifies what never ends."""
    task = pickle.dumps(replace(OBLIGATION, doc=str(tmp_path / "pids"))).hex()
    command = [sys.executable, "-c", CALLER, str(tmp_path), task]
    with subprocess.Popen(command, stdout=subprocess.PIPE, encoding="utf-8", start_new_session=True) as program:
        yield program
        program.kill()


def host_of(pid: int) -> int:
    """The parent of a process."""
    return int(Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()[1])


@pytest.mark.parametrize("end", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL], ids=lambda s: s.name)
def test_however_the_caller_ends_nothing_is_left_running(
    caller: subprocess.Popen[str], tmp_path: Path, end: signal.Signals
) -> None:
    pids = started(tmp_path / "pids", 2)
    host = host_of(pids[0])
    os.killpg(caller.pid, end)
    told, _ = caller.communicate(timeout=30)
    if end == signal.SIGINT:
        assert (told, caller.returncode) == ("interrupted\n", 130)
    assert gone([*pids, host])


# ---------- what crosses


def test_what_crosses_to_a_worker_comes_back_the_same() -> None:
    case = Case({"W": window(span("A"), links=())}, {"cap": 3}, {"k": "A"}, {ChoiceKey("P1", 0, "A", ""): True})
    obligation = keeps(policy(*may_evict(TRUE)), TRUE)
    assert pickle.loads(pickle.dumps((case, obligation))) == (case, obligation)
