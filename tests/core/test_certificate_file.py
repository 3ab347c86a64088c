"""A certificate's file is read as it was written, or it is said what is wrong with it."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from selfedit_formal.core.certificate import (
    Assumption,
    Certificate,
    Clauses,
    FieldBounds,
    KeptProof,
    Method,
    ParameterBound,
    RuleGround,
)
from selfedit_formal.core.certificate_file import Unreadable, _seal, asked, read, write
from selfedit_formal.core.smtlib import NotAdmitted, Sort

Document = dict[str, Any]

ABOUT = {
    "policy": "p",
    "property": "never_grows",
    "file": "p.sef",
    "line": 3,
    "policy_sha256": "0" * 64,
    "claim_sha256": "1" * 64,
    "selfedit_formal": "0",
    "z3": "5",
    "python": "3",
}


def text(*lines: str, names: str = "n") -> str:
    declared = [f"(declare-fun {'|' + n + '|' if ' ' in n else n} () Int)" for n in names.split(",")]
    return "\n".join(["(set-logic ALL)", *declared, *lines, "(check-sat)", ""])


TEXTS = {
    "init": text("(assert (= n 0))"),
    "step": text("(assert (= |n next| (+ n 1)))", names="n,n next"),
    "safe": text("(assert (< n 0))"),
    "invariant": text("(assert (<= 0 n))"),
}
STATE: tuple[tuple[str, Sort], ...] = (("n", "Int"),)
SCAN = Certificate(
    Method("scan", ("no trigger",), "oldest"),
    asked("scan", TEXTS, STATE, False),
    TEXTS,
    STATE,
    ("0 <= n",),
    {"n": "how many"},
    (RuleGround("p", 0), Assumption(1)),
    (ParameterBound("k", "least", 0), FieldBounds("tokens")),
)
QUERY = Certificate(Method("query"), {"query": TEXTS["init"]}, {"query": TEXTS["init"]})
KEPT = KeptProof(ABOUT, (("", SCAN),))
TURNS = KeptProof(ABOUT, (("start 1", QUERY), ("turn 1", QUERY)), Clauses(1, (("promise", "true"),)))


def forged(path: Path, kept: KeptProof, change: Callable[[Document], object]) -> Path:
    """The file of the proof, changed, and sealed again."""
    write(kept, path)
    document = json.loads(path.read_text(encoding="utf-8"))
    change(document)
    document.pop("seal", None)
    path.write_text(json.dumps({**document, "seal": _seal(document)}), encoding="utf-8")
    return path


@pytest.mark.parametrize("kept", [KEPT, TURNS, KeptProof(ABOUT, (("", QUERY),))])
def test_a_proof_comes_back_from_its_file(tmp_path: Path, kept: KeptProof) -> None:
    write(kept, tmp_path / "deep" / "c.json")
    found = read(tmp_path / "deep" / "c.json")
    write(found, tmp_path / "again.json")
    assert read(tmp_path / "again.json") == found
    assert (found.about, found.induction) == (kept.about, kept.induction)
    for (name, one), (same, other) in zip(found.parts, kept.parts, strict=True):
        assert (name, one.method, one.state, one.invariant) == (same, other.method, other.state, other.invariant)
        assert (one.needed, one.unneeded) == (other.needed, other.unneeded)
    assert found.parts[0][1].conditions.keys() == kept.parts[0][1].conditions.keys()


def test_the_conditions_are_about_the_one_invariant(tmp_path: Path) -> None:
    conditions = asked("scan", TEXTS, STATE, False)
    assert list(conditions) == ["init", "step", "safe"]
    assert "(assert (not (and (<= 0 n))))" in conditions["init"].splitlines()
    assert "(assert (and (<= 0 n)))" in conditions["step"].splitlines()
    assert "(assert (not (and (<= 0 |n next|))))" in conditions["step"].splitlines()
    assert "(assert (and (<= 0 n)))" in conditions["safe"].splitlines()
    assert list(asked("scan", TEXTS, STATE, True)) == ["init", "step", "safe", "product facts", "product signs"]


@pytest.mark.parametrize(
    ("change", "state", "message"),
    [
        ({"invariant": text("(assert (<= 0 m))", names="m")}, STATE, "`m` is no variable of the state"),
        ({"invariant": text("(assert (= |n next| n))", names="n,n next")}, STATE, "`n next` is no variable"),
        ({"invariant": text("(assert n)").replace("Int", "Bool")}, STATE, "`n` is no variable of the state"),
        ({"init": text("(assert n)").replace("Int", "Bool")}, STATE, "`n` has another sort"),
        ({}, (*STATE, *STATE), "two variables of the state have one name"),
        ({}, (*STATE, ("n next", "Int")), "two variables of the state have one name"),
        ({"step": text("(assert (= m 0))")}, STATE, "`step`, line 3, column 12: `m` is not declared"),
    ],
)
def test_texts_that_make_no_conditions_are_refused(change: dict[str, str], state: Any, message: str) -> None:
    with pytest.raises(NotAdmitted) as raised:
        asked("scan", {**TEXTS, **change}, state, False)
    assert message in str(raised.value)


def test_a_changed_file_is_caught(tmp_path: Path) -> None:
    path = tmp_path / "c.json"
    changes: list[Document] = [{"about": {}}, {"induction": {}}, {"parts": []}]
    for change in changes:
        write(KEPT, path)
        path.write_text(json.dumps({**json.loads(path.read_text()), **change}), encoding="utf-8")
        with pytest.raises(Unreadable, match="changed after it was written"):
            read(path)


def part(document: Document) -> Document:
    found: Document = document["parts"][0]
    return found


@pytest.mark.parametrize(
    ("kept", "change", "message"),
    [
        (KEPT, lambda d: d.update(about={}), "`about` does not have `policy`"),
        (KEPT, lambda d: d["about"].update(policy=""), "`policy` is empty"),
        (KEPT, lambda d: d["about"].update(policy="x" * 20_000), "says too much"),
        (KEPT, lambda d: d["about"].update(claim_sha256="1"), "`claim_sha256` is no hash"),
        (KEPT, lambda d: d["about"].update(line=True), "`line` is no number"),
        (KEPT, lambda d: d["about"].update(more=1), "`about` has `more`, which means nothing"),
        (KEPT, lambda d: d.update(more=1), "it has `more`, which means nothing"),
        (KEPT, lambda d: d.update(parts=[]), "it has no part"),
        (KEPT, lambda d: d["parts"].append(part(d)), "it has two parts ``"),
        (KEPT, lambda d: part(d)["texts"].pop("step"), "a scan does not have `step`"),
        (KEPT, lambda d: part(d)["texts"].update(more=[]), "a scan has `more`"),
        (KEPT, lambda d: part(d).update(texts={"anything": ["(assert false)"]}), "a scan does not have `init`"),
        (KEPT, lambda d: part(d)["texts"].update(init="(assert true)"), "`init` is no list"),
        (KEPT, lambda d: part(d)["method"].update(kind="query"), "only a scan has a state"),
        (KEPT, lambda d: part(d)["method"].update(kind="magic"), "`magic` is none of query, scan, gate"),
        (KEPT, lambda d: part(d)["method"].update(direction=["newest"]), "is none of oldest, newest"),
        (KEPT, lambda d: part(d)["method"].update(instead=["each step"] * 2), "`instead` has something twice"),
        (KEPT, lambda d: part(d)["method"].update(instead=["less"]), "`less` is none of"),
        (KEPT, lambda d: part(d)["method"].update(depth=10**9), "`depth` is a number"),
        (KEPT, lambda d: part(d)["method"].update(half=1), "`half` is true or false"),
        (KEPT, lambda d: part(d)["state"].append(["n"]), "a name and a sort"),
        (KEPT, lambda d: part(d)["state"].append(["m", "Real"]), "`Real` is none of Bool, Int"),
        (KEPT, lambda d: part(d)["needed"].append(["luck"]), "something that no proof rests on"),
        (KEPT, lambda d: part(d).update(name="start 1"), "its part `` is missing|it has no part"),
        (KEPT, lambda d: d.update(induction={"windows": 1, "clauses": []}), "its part `promise` is missing"),
        (TURNS, lambda d: d.update(induction=None), "it has no part"),
        (TURNS, lambda d: d["parts"].pop(), "its part `turn 1` is missing"),
        (TURNS, lambda d: d["induction"].update(windows=2), "its part `after 0 turns` is missing"),
        (TURNS, lambda d: d["induction"].update(windows=3), "over one window or two"),
        (TURNS, lambda d: d["induction"]["clauses"].append({"source": "found", "text": "x"}), "`start 2` is missing"),
        (TURNS, lambda d: d["induction"]["clauses"].append({"source": "me", "text": "x"}), "`me` is none of"),
        (TURNS, lambda d: part(d).update(texts={}), "part `start 1`: a query does not have `query`"),
    ],
)
def test_a_forged_file_is_refused_although_its_seal_is_good(
    tmp_path: Path, kept: KeptProof, change: Callable[[Document], object], message: str
) -> None:
    with pytest.raises(Unreadable, match=message):
        read(forged(tmp_path / "c.json", kept, change))


def test_an_older_file_is_to_be_made_anew(tmp_path: Path) -> None:
    path = forged(tmp_path / "c.json", KEPT, lambda d: d.update(format="selfedit-certificate-1"))
    with pytest.raises(Unreadable, match="make it anew"):
        read(path)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "not a certificate"),
        ("[]", "not a certificate"),
        ("{}", "not a certificate"),
        ("3", "not a certificate"),
        ('{"seal": 1, "format": "other"}', "its format is another one"),
        ('{"format": "x", "format": "y"}', "`format` stands in it twice"),
        pytest.param("[" * 200_000, "not a certificate", id="nested"),
        pytest.param('{"format": ' + "9" * 10_000 + "}", "not a certificate", id="digits"),
    ],
)
def test_what_is_no_certificate_is_said_to_be_none(tmp_path: Path, content: str, message: str) -> None:
    path = tmp_path / "c.json"
    path.write_text(content, encoding="utf-8")
    with pytest.raises(Unreadable, match=message):
        read(path)
