"""What shows each sentence of the three records: the table of `spec/records/COVERAGE.md`, held to what it names."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from selfedit_formal.runtime.gate.rules import rules
from tests.spec.checks import written

ROOT = Path(__file__).parents[2]
RECORDS = ROOT / "spec" / "records"
KINDS = {"invariant", "refusal", "signal", "mitigation", "observed"}


def rows() -> list[tuple[str, int, str, str, str, str, str]]:
    """Record, row, sentence, what it is, where it is shown, what shows it, and as what."""
    found: list[tuple[str, int, str, str, str, str, str]] = []
    record = ""
    for line in (RECORDS / "COVERAGE.md").read_text(encoding="utf-8").splitlines():
        if line.startswith("## "):
            record = line[3:5]
        cells = [c.strip() for c in line.strip().removeprefix("|").removesuffix("|").split(" | ")]
        if line.startswith("|") and cells[0].isdigit():
            row, sentence, kind, where, what, *rest = cells
            found.append((record, int(row), sentence, kind, where, what, rest[0].strip(" |") if rest else ""))
    return found


def test_each_record_has_rows_without_a_gap_and_each_is_of_a_kind() -> None:
    for record in ("R0", "R1", "R2"):
        numbers = [row for name, row, *_ in rows() if name == record]
        assert sorted(set(numbers)) == list(range(1, max(numbers) + 1))
        assert numbers == sorted(numbers)
    assert {kind for *_, kind, _, _, _ in rows()} == KINDS
    assert all(sentence for _, _, sentence, *_ in rows())


def test_every_check_of_the_table_is_in_its_file_with_that_expectation() -> None:
    named = [row for row in rows() if row[4].endswith(".sef")]
    assert len({row[4] for row in named}) == len(list(RECORDS.glob("*.sef")))
    assert [row for row in named if (row[5], row[6]) not in written(RECORDS / row[4])] == []


def test_every_rule_of_the_table_is_one_of_the_gate_and_every_rule_of_the_gate_is_in_the_table() -> None:
    named = {what for *_, where, what, _ in rows() if where == "gate.md"}
    known = {rule.name for rule in rules()}
    assert named - known == set()
    assert known - named == {"plan_fits"}  # about a plan that cannot be read, of which no record speaks


def test_every_signal_is_in_the_table_and_the_other_way_round() -> None:
    defined = set(re.findall(r"^### (\w+)$", (ROOT / "spec" / "signals.md").read_text(encoding="utf-8"), re.MULTILINE))
    assert {what for *_, where, what, _ in rows() if where == "signals.md"} == defined


@pytest.mark.parametrize("where", sorted({row[4] for row in rows() if row[4].startswith("tests/")}))
def test_every_test_of_the_table_is_there(where: str) -> None:
    text = (ROOT / where).read_text(encoding="utf-8")
    named = {row[5] for row in rows() if row[4] == where}
    assert {name for name in named if f"\ndef {name}(" not in text} == set()
