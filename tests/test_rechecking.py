"""Certificates asked again: held against the policy, and what takes too much ends a process of its own."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from selfedit_formal.core.budget import Work
from selfedit_formal.core.certificate import KeptProof
from selfedit_formal.core.certificate_file import Unreadable, _seal, read, write
from selfedit_formal.core.verdict import Induction, Proved
from selfedit_formal.engines import Limits
from selfedit_formal.engines.bounded import BoundedRefuter
from selfedit_formal.engines.unbounded import Certificate, prove
from selfedit_formal.engines.unbounded.recheck import recheck as solved
from selfedit_formal.language.resolve import load, obligation
from selfedit_formal.rechecking import CertificateRefused, Rechecked, _ended, exit_code, held, recheck, says_something
from selfedit_formal.reports.proof import about, kept
from selfedit_formal.verifying.induction import by_induction
from tests.cli.command import selfedit

Document = dict[str, Any]

TEXT = """
import "words.sef"

window Chat {
  tag    : user | result
  tokens : int >= 1
  link answers
}
policy recent(cap: int >= 0) for Chat {
  evict s where total(t.tokens: t not before s) > cap
}
policy results for Chat {
  keep s where is_user(s)
  evict s where count(t: t after s and t.tag == result) >= 5
}
policy gated for Chat {
  evict s where s.tag == result and no t: t answers s
  gate idempotent
}
check recent: never_grows, within(cap), order_kept
check recent: within(cap) assuming no s in W: s.tag == result
check results: idempotent, never_grows
check gated: idempotent
"""
WORDS = "predicate is_user(s) = s.tag == user\n"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A policy with a certificate of each of its promises."""
    here = tmp_path_factory.mktemp("recheck")
    (here / "words.sef").write_text(WORDS, encoding="utf-8")
    (here / "recent.sef").write_text(TEXT, encoding="utf-8")
    (here / "kept").mkdir()
    for number, asked in enumerate(load(here / "recent.sef").obligations):
        proof = prove(asked, 30.0)
        assert isinstance(proof, Certificate), asked.name
        whole = kept(asked, Proved(proof.argument, proof))
        assert whole is not None
        write(whole, here / "kept" / f"{number} {asked.name.replace(': ', ' ')}.json")
    return here


def named(folder: Path, name: str) -> Path:
    (found,) = [f for f in (folder / "kept").iterdir() if f.stem.endswith(name)]
    return found


def forged(folder: Path, name: str, into: Path, change: Callable[[Document], object]) -> Path:
    """The certificate, changed, and sealed again."""
    document = json.loads(named(folder, name).read_text(encoding="utf-8"))
    change(document)
    document.pop("seal")
    path = into / "forged.json"
    path.write_text(json.dumps({**document, "seal": _seal(document)}), encoding="utf-8")
    return path


def part(document: Document) -> Document:
    found: Document = document["parts"][0]
    return found


def script(*lines: str) -> list[str]:
    return ["(set-logic ALL)", *lines, "(check-sat)"]


NOTHING = script("(assert false)")


def test_every_certificate_is_that_of_its_policy(folder: Path) -> None:
    for file in (folder / "kept").iterdir():
        found, whose = held(read(file), [folder / "recent.sef"])
        assert whose.startswith(f"`{folder / 'recent.sef'}`, line ")
        assert [c.conditions for _, c in found.parts] == [c.conditions for _, c in read(file).parts]
        assert all(solved(c) is None for _, c in found.parts)


def set_texts(**texts: list[str]) -> Callable[[Document], object]:
    return lambda d: part(d)["texts"].update(texts)


def as_query(document: Document) -> None:
    part(document).update(texts={"query": script("(assert (and true false))")}, state=[])
    part(document)["method"]["kind"] = "query"


FORGERIES: dict[str, tuple[str, Callable[[Document], object], str]] = {
    "every text is false": (
        "recent never_grows",
        set_texts(init=NOTHING, step=NOTHING, safe=NOTHING),
        "`init` is another one",
    ),
    "no step": ("recent never_grows", set_texts(step=NOTHING), "`step` is another one"),
    "a weaker end": ("recent never_grows", set_texts(safe=NOTHING), "`safe` is another one"),
    "unrelated texts": (
        "recent never_grows",
        set_texts(init=script("(declare-fun q () Int)", "(assert (and (< q 0) (< 0 q)))")),
        "`init` is another one",
    ),
    "a query that says nothing": ("recent order_kept", set_texts(query=NOTHING), "`query` is another one"),
    "a scan said to be a query": ("recent never_grows", as_query, "`query` is another one"),
    "a gate that is none": (
        "recent order_kept",
        lambda d: (part(d).update(texts={}), part(d)["method"].update(kind="gate")),
        "its argument about the gate does not apply",
    ),
    "another direction": (
        "recent never_grows",
        lambda d: part(d)["method"].update(direction="oldest"),
        "compiled anew from",
    ),
    "something else proved instead": (
        "recent never_grows",
        lambda d: part(d)["method"].update(instead=["no trigger"]),
        "what it proves instead (`no trigger`) does not apply",
    ),
    "each step of no way": (
        "recent never_grows",
        lambda d: part(d)["method"].update(instead=["each step"]),
        "what it proves instead (`each step`) does not apply",
    ),
    "products that are not there": (
        "recent never_grows",
        lambda d: part(d)["method"].update(products=True),
        "one tracks a product of parameters",
    ),
    "more state": (
        "recent never_grows",
        lambda d: part(d)["state"].append(["more", "Int"]),
        "the state of the scan is another one",
    ),
    "another promise": (
        "recent never_grows",
        lambda d: d["about"].update(property="within(cap)"),
        "the promise that it is about, with what is assumed, is not that of",
    ),
    "another policy": ("recent never_grows", lambda d: d["about"].update(policy="results"), "the policy that it is"),
    "a policy that is not there": (
        "recent never_grows",
        lambda d: d["about"].update(policy="other"),
        "no such policy and promise is in",
    ),
    "a name that is none": ("recent never_grows", lambda d: d["about"].update(policy="((("), "no such policy"),
}


@pytest.mark.parametrize("name", FORGERIES)
def test_a_certificate_of_something_else_is_refused(folder: Path, tmp_path: Path, name: str) -> None:
    of, change, message = FORGERIES[name]
    found = read(forged(folder, of, tmp_path, change))
    with pytest.raises(CertificateRefused) as raised:
        held(found, [folder / "recent.sef"])
    assert message in str(raised.value)


def test_the_proof_of_another_promise_with_its_hashes_is_refused(folder: Path, tmp_path: Path) -> None:
    other = dict(read(folder / "kept" / "1 recent within(cap).json").about)
    path = forged(folder, "recent never_grows", tmp_path, lambda d: d.update(about=other))
    with pytest.raises(CertificateRefused, match="is another one"):
        held(read(path), [folder / "recent.sef"])


def test_the_proof_under_an_assumption_is_none_without_it(folder: Path, tmp_path: Path) -> None:
    plain = dict(read(folder / "kept" / "1 recent within(cap).json").about)
    document = json.loads((folder / "kept" / "3 recent within(cap).json").read_text(encoding="utf-8"))
    assert document["about"]["claim_sha256"] != plain["claim_sha256"]
    _, whose = held(read(folder / "kept" / "3 recent within(cap).json"), [folder / "recent.sef"])
    assert whose.endswith("line 21")
    without = TEXT.replace(" assuming no s in W: s.tag == result", "")
    (tmp_path / "words.sef").write_text(WORDS, encoding="utf-8")
    (tmp_path / "recent.sef").write_text(without, encoding="utf-8")
    with pytest.raises(CertificateRefused, match="with what is assumed, is not that of"):
        held(read(folder / "kept" / "3 recent within(cap).json"), [tmp_path / "recent.sef"])


@pytest.mark.parametrize(
    "clause",
    [
        "(assert true)",
        "(assert false)",
        "(assert (= ONE OTHER))",
        "(assert (<= ONE (+ OTHER 1)))",
    ],
)
def test_an_invariant_that_is_none_fails_a_condition(folder: Path, tmp_path: Path, clause: str) -> None:
    compared = re.search(
        r"<= ([^\s()]+) ([^\s()]+)\)", read(named(folder, "recent never_grows")).parts[0][1].texts["safe"]
    )
    assert compared is not None
    names = {"ONE": compared[1], "OTHER": compared[2]}
    declared = [f"(declare-fun {name} () Int)" for word, name in names.items() if word in clause]
    for word, name in names.items():
        clause = clause.replace(word, name)
    path = forged(folder, "recent never_grows", tmp_path, set_texts(invariant=script(*declared, clause)))
    found, _ = held(read(path), [folder / "recent.sef"])
    ((_, certificate),) = found.parts
    answer = solved(certificate)
    assert answer is not None
    assert "answers sat" in answer


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("cap: int >= 0", "cap: int >= 1"),
        ("total(t.tokens: t not before s) > cap", "total(t.tokens: t not before s) >= cap"),
        ("t not before s", "t after s"),
        ("tokens : int >= 1", "tokens : int >= 0"),
        ("tag    : user | result", "tag    : user | result | note"),
        ("link answers", "link answers : result -> user"),
        ("  keep s where is_user(s)\n", ""),
        (">= 5", ">= 6"),
        ("predicate is_user(s) = s.tag == user", "predicate is_user(s) = s.tag == result"),
        ("evict s where s.tag == result and no t: t answers s", "evict s where s.tag == result and no t: s answers t"),
        ("gate idempotent", "gate idempotent, never_grows"),
    ],
)
def test_a_change_of_meaning_is_noticed(folder: Path, tmp_path: Path, old: str, new: str) -> None:
    assert old in TEXT + WORDS
    (tmp_path / "words.sef").write_text(WORDS.replace(old, new), encoding="utf-8")
    (tmp_path / "recent.sef").write_text(TEXT.replace(old, new), encoding="utf-8")
    refused = 0
    for file in (folder / "kept").iterdir():
        try:
            held(read(file), [tmp_path / "recent.sef"])
        except CertificateRefused:
            refused += 1
    assert refused


def test_a_change_of_layout_is_none_of_meaning(folder: Path, tmp_path: Path) -> None:
    again = TEXT.replace("evict s", "\n  ## Old ones go.\n  evict   s").replace("\ncheck", "\n# a comment\ncheck")
    (tmp_path / "words.sef").write_text("# words\n" + WORDS, encoding="utf-8")
    (tmp_path / "recent.sef").write_text(again, encoding="utf-8")
    for file in (folder / "kept").iterdir():
        held(read(file), [tmp_path / "recent.sef"])


def test_a_promise_that_no_check_asks_for_can_be_held_against_the_policy(folder: Path) -> None:
    asked = obligation(load(folder / "recent.sef"), "recent(cap = 3)", "within(3)")
    proof = prove(asked, 30.0)
    assert isinstance(proof, Certificate)
    _, whose = held(KeptProof(about(asked), (("", proof),)), [folder / "recent.sef"])
    assert whose == f"`{folder / 'recent.sef'}`"


# ---------- sessions

LOOP = """
window Any { tag: note | user  tokens: int >= 1 }
policy prune for Any { evict s where s.tag == note }
session loop of Any {
  each turn { arrive up to 1 s where s.tag == note  may readmit s where s.tag == note override  apply prune }
  tombstones sidecar
  invariant all s in W: not s.evicted
}
check loop: no_silent_readmission
"""


@pytest.fixture
def loop(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> tuple[Path, Path]:
    file = tmp_path / "loop.sef"
    file.write_text(LOOP, encoding="utf-8")
    ran = selfedit(capsys, "check", str(file), "--no-vacuity", "--timeout", "0", "--certificates", str(tmp_path / "c"))
    assert ran.code == 0, ran.out
    (path,) = (tmp_path / "c").iterdir()
    return file, path


def test_an_induction_is_rebuilt_from_its_clauses(loop: tuple[Path, Path], tmp_path: Path) -> None:
    file, path = loop
    found, _ = held(read(path), [file])
    assert len(found.parts) >= 4

    def refused(change: Callable[[Document], object]) -> str:
        document = json.loads(path.read_text(encoding="utf-8"))
        change(document)
        document.pop("seal")
        other = tmp_path / "forged.json"
        other.write_text(json.dumps({**document, "seal": _seal(document)}), encoding="utf-8")
        with pytest.raises(CertificateRefused) as raised:
            held(read(other), [file])
        return str(raised.value)

    def clause(document: Document, source: str) -> Document:
        found: Document = next(c for c in document["induction"]["clauses"] if c["source"] == source)
        return found

    assert "is not the promise" in refused(lambda d: clause(d, "promise").update(text="true"))
    assert "is not stated by the session" in refused(lambda d: clause(d, "stated").update(text="true"))
    assert "cannot be read" in refused(lambda d: clause(d, "stated").update(text="no such", source="found"))
    two = "1 == 1\n  invariant 1 == 1"
    assert "is no condition" in refused(lambda d: clause(d, "stated").update(text=two, source="found"))
    assert "is another one" in refused(lambda d: clause(d, "stated").update(text="1 == 1", source="found"))
    assert "is another one" in refused(
        lambda d: d["parts"][0].update(texts=d["parts"][1]["texts"], method=d["parts"][1]["method"])
    )


STEADY = """
window Any { tag: note | user  tokens: int >= 1  hurt: bool }
policy odd for Any { set s where true { hurt = s.tokens mod 2 == 0 } }
session loop of Any {
  each turn { apply odd }
  start all s in W: not s.hurt and s.tokens mod 2 == 1
}
property unhurt(S: session) = always W: no s in known(W): s.hurt
check loop: unhurt
"""


def test_an_induction_over_two_windows_is_rebuilt(tmp_path: Path) -> None:
    file = tmp_path / "steady.sef"
    file.write_text(STEADY, encoding="utf-8")
    (asked,) = load(file).obligations
    induction, _ = by_induction(asked, BoundedRefuter(), Limits(within=3), Work(200_000_000))
    assert isinstance(induction, Induction)
    assert induction.windows == 2
    whole = kept(asked, Proved("", induction=induction))
    assert whole is not None
    write(whole, tmp_path / "steady.json")
    found, _ = held(read(tmp_path / "steady.json"), [file])
    assert len(found.parts) == 3
    assert all(solved(c, 30.0) is None for _, c in found.parts)
    file.write_text(STEADY.replace("mod 2 == 1", "mod 2 == 0"), encoding="utf-8")
    with pytest.raises(CertificateRefused, match="the session that it is about is not that of"):
        held(read(tmp_path / "steady.json"), [file])


# ---------- from the command line


def test_the_report_says_what_was_shown_and_what_was_not(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file, policy = named(folder, "recent never_grows"), folder / "recent.sef"
    ran = selfedit(capsys, "recheck", str(file))
    assert ran.code == 0
    assert "recent: never_grows: the conditions hold, in z3 5" in ran.out
    assert f"and cvc5 1.4.2; that they are those of `{policy}` was not checked: give --against" in ran.out
    ran = selfedit(capsys, "recheck", str(file), "--against", str(policy), "--solver", "cvc5")
    assert ran.code == 0
    assert f"checks with cvc5 1.4.2; its conditions are those of `{policy}`, line 20" in ran.out


def test_a_folder_is_gone_through(folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    several = tmp_path / "several"
    (several / "deep").mkdir(parents=True)
    (several / "deep" / "good.json").write_bytes(named(folder, "recent order_kept").read_bytes())
    forged(folder, "recent order_kept", several, set_texts(query=script("(declare-fun q () Bool)", "(assert q)")))
    (several / "other.json").write_text("{}", encoding="utf-8")
    ran = selfedit(capsys, "recheck", str(several))
    assert ran.code == 1
    lines = ran.out.splitlines()
    assert len(lines) == 4
    assert "good.json: recent: order_kept: the conditions hold" in lines[0]
    assert "forged.json: recent: order_kept: does not check: z3 answers sat to `query`" in lines[1]
    assert "other.json: cannot be read: it is not a certificate" in lines[2]
    assert lines[3] == "3 certificates: 1 check, 1 do not check, 1 cannot be read"
    (tmp_path / "empty").mkdir()
    ran = selfedit(capsys, "recheck", str(tmp_path / "empty"), str(tmp_path / "missing.json"))
    assert ran.code == 2
    assert "no certificate is in the folder" in ran.err
    assert "missing.json: cannot be read: No such file or directory" in ran.out


def test_what_is_false_whatever_the_policy_says_shows_nothing(folder: Path, tmp_path: Path) -> None:
    with pytest.raises(CertificateRefused, match="give --against"):
        says_something(read(forged(folder, "recent never_grows", tmp_path, set_texts(init=NOTHING))))


@pytest.mark.parametrize(
    "command",
    [
        "(push)",
        '(set-option :regular-output-channel "v.txt")',
        '(set-option :diagnostic-output-channel "v.txt")',
        '(include "v.txt")',
    ],
)
def test_commands_do_not_get_to_a_solver(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: str
) -> None:
    monkeypatch.chdir(tmp_path)
    path = forged(folder, "recent order_kept", tmp_path, set_texts(query=script(command, "(assert false)")))
    with pytest.raises(Unreadable, match="`query`, line 2, column"):
        read(path)
    assert not (tmp_path / "v.txt").exists()


def test_what_is_nested_too_deeply_is_refused_with_its_place(folder: Path, tmp_path: Path) -> None:
    deep = f"(assert {'(not ' * 200_000}true{')' * 200_000})"
    found = recheck(forged(folder, "recent order_kept", tmp_path, set_texts(query=script(deep))), [], 5.0, ["z3"])
    assert found.outcome == "unreadable"
    assert found.reason.startswith("`query`, line 2, column ")


@pytest.mark.parametrize("solver", ["z3", "cvc5"])
def test_what_is_too_large_for_a_solver_has_no_answer(folder: Path, tmp_path: Path, solver: str) -> None:
    squares = ["(declare-fun n () Int)", f"(define-fun c0 () Int {'9' * 90})"]
    squares += [f"(define-fun c{i + 1} () Int (* c{i} c{i}))" for i in range(40)]
    change = set_texts(query=script(*squares, "(assert (and (= (* n n) c40) (= (mod c40 7) 1)))"))
    found = recheck(forged(folder, "recent order_kept", tmp_path, change), [], 1.0, [solver])
    assert found.outcome == "silent"
    assert "`query`" in found.reason


def test_how_a_process_ended_is_told() -> None:
    assert _ended(-14, "") == "the time was over"
    assert _ended(-9, "") == "the process was ended, perhaps for want of memory"
    assert _ended(-11, "") == "the stack or the memory was used up"
    assert _ended(-6, "terminate called after throwing an instance of 'std::bad_alloc'") == "the memory was used up"
    assert _ended(3, "what?") == "the process died (3: what?)"


def test_the_exit_code_is_that_of_the_gravest() -> None:
    def code(*outcomes: Any) -> int:
        return exit_code([Rechecked(Path("c"), outcome) for outcome in outcomes])

    assert code() == code("shown") == 0
    assert code("shown", "silent") == 3
    assert code("silent", "unreadable") == 2
    assert code("unreadable", "refused", "shown") == 1
    assert code("refused", "broke") == 5
