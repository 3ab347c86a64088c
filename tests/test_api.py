"""The public interface: what it has, that it is typed and cheap to import, and that its examples are true."""

from __future__ import annotations

import doctest
import subprocess
import sys
from importlib import import_module
from importlib.resources import files
from pathlib import Path

import pytest

import selfedit_formal
from selfedit_formal import Bounded, Proved, Refuted, Rejected, Span, check, check_policy, load, replay

REPAIR = """\
## The code-repair loop: a trace is what justifies a source excerpt.
window Repair {
  tag        : task | trace | source
  stale      : bool
  referenced : bool
  link justifies : trace -> source
}

policy prune_stale for Repair {
  at once {
    evict   s where s.tag == trace and s.stale
    evict   s where s.tag == source and no j: j justifies s
    readmit s where s.tag == trace and s.referenced
    readmit s where s.tag == source and some j: j justifies s
  }
}

policy pinned for Repair { evict s where s.tag == trace and s.stale and no t: s justifies t }

session repair_loop of Repair {
  each turn { apply prune_stale }
  tombstones none
  ledger none
}

check prune_stale: idempotent  expect refuted
check pinned: justified
"""


@pytest.fixture(autouse=True)
def repair(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The file that the examples in the documentation speak of."""
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "repair.sef"
    path.write_text(REPAIR, encoding="utf-8")
    return path


@pytest.mark.parametrize("module", ["api", "regression"])
def test_the_examples_in_the_documentation_are_true(module: str) -> None:
    done = doctest.testmod(import_module(f"selfedit_formal.{module}"))
    assert done.attempted > 0
    assert done.failed == 0


def test_every_public_name_is_there_and_no_other_is_listed() -> None:
    for name in selfedit_formal.__all__:
        assert getattr(selfedit_formal, name) is not None
    assert sorted(selfedit_formal.__all__) == list(selfedit_formal.__all__)
    assert set(dir(selfedit_formal)) == {*selfedit_formal.__all__, "__version__"}
    with pytest.raises(AttributeError, match="nothing"):
        _ = selfedit_formal.nothing


def test_the_package_says_that_it_is_typed() -> None:
    assert files("selfedit_formal").joinpath("py.typed").is_file()


@pytest.mark.parametrize(
    "use", ["selfedit_formal.Window", "selfedit_formal.Rejected", "selfedit_formal.Result", "selfedit_formal.replay"]
)
def test_what_does_not_verify_loads_no_solver(use: str) -> None:
    program = f"import sys, selfedit_formal; {use}; assert 'z3' not in sys.modules"
    subprocess.run([sys.executable, "-c", program], check=True)


def test_a_file_is_checked_and_its_counterexample_replayed(repair: Path) -> None:
    refuted, kept = check(repair, jobs=1)
    assert isinstance(refuted.verdict, Refuted)
    assert isinstance(kept.verdict, Proved | Bounded)
    (span,) = refuted.verdict.case.inputs["W"].spans
    assert span == Span("A", {"tag": "trace", "stale": True, "referenced": True})
    window = "window W of Repair = [ A: trace { stale, referenced } ]"
    assert not replay(repair, "prune_stale", "idempotent", window=window)
    assert replay(repair, "pinned", "idempotent", window=window)


def test_one_promise_of_one_policy_can_be_asked(repair: Path) -> None:
    module = load(repair)
    assert isinstance(check_policy(module, "pinned", "idempotent", within=3).verdict, Proved | Bounded)
    found = check_policy(module, "prune_stale", "no_cycle(2)", within=3)
    assert isinstance(found.verdict, Refuted)
    assert found.verdict.spans == 1
    with pytest.raises(Rejected, match="did you mean `pinned`"):
        check_policy(module, "pined", "idempotent")


def test_a_path_is_no_module() -> None:
    with pytest.raises(TypeError, match=r"takes what `load` returns, not 'repair.sef'"):
        check_policy("repair.sef", "pinned", "idempotent")  # type: ignore[arg-type]


def test_a_result_prints_as_its_report_and_so_does_a_notebook(repair: Path) -> None:
    refuted, kept = check(repair, jobs=1)
    assert "A window of 1 span breaks it; no shorter one does." in str(refuted)
    assert "- evicted (rule 1)" in str(refuted)
    assert str(kept).startswith("  proved   every window")
    shown = refuted._repr_html_()  # type: ignore[attr-defined]
    assert shown.startswith("<pre>  refuted")
    assert "trace { stale, referenced }  - evicted (rule 1)  &lt; readmitted" in shown
    assert refuted._repr_markdown_() == f"```text\n{refuted}\n```"  # type: ignore[attr-defined]
    window = "window W of Repair = [ A: trace { stale, referenced } ]"
    assert str(replay(repair, "prune_stale", "idempotent", window=window)).startswith("`prune_stale` breaks")
    assert str(replay(repair, "pinned", "idempotent", window=window)) == "<Replay: kept, 1 runs>"


def test_the_mistakes_of_all_files_come_together(tmp_path: Path) -> None:
    for name in ("a.sef", "b.sef"):
        (tmp_path / name).write_text("policy p for Nowhere { }\n", encoding="utf-8")
    with pytest.raises(Rejected) as wrong:
        check("a.sef", "b.sef")
    assert [d.location.source.name for d in wrong.value.diagnostics if d.location] == ["a.sef", "b.sef"]
