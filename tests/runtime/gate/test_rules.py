"""What the rules have in common: a rule is a file that is found by being there, and says where it comes from."""

from __future__ import annotations

from pathlib import Path

import pytest

from selfedit_formal.gate import rules
from selfedit_formal.runtime.gate.rules import named

FOLDER = Path(__file__).parents[3] / "selfedit_formal" / "runtime" / "gate" / "rules"


def test_every_file_of_the_folder_is_a_rule() -> None:
    assert {r.name for r in rules()} == {p.stem for p in FOLDER.glob("*.py")} - {"__init__"}


def test_rules_are_sorted_by_name_and_found_once() -> None:
    assert [r.name for r in rules()] == sorted(r.name for r in rules())
    assert rules() is rules()


def test_every_rule_has_its_sentence_in_one_line_and_its_record() -> None:
    assert all(r.sentence.endswith(".") and "\n" not in r.sentence for r in rules())
    assert {r.record for r in rules()} == {"R0", "R1", "R2"}


@pytest.mark.parametrize(
    ("spans", "shown"),
    [
        ((), ""),
        (("A",), "`A`"),
        (("A", "B", "C", "D", "E"), "`A`, `B`, `C`, `D`, `E`"),
        (("A", "B", "C", "D", "E", "F", "G"), "`A`, `B`, `C`, `D`, `E` and 2 more"),
    ],
)
def test_a_message_names_the_first_five_spans_and_counts_the_rest(spans: tuple[str, ...], shown: str) -> None:
    assert named(spans) == shown
