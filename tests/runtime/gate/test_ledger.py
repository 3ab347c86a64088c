"""What both ledgers do: they take entries, tell tombstones, and notice what was done to them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from selfedit_formal.gate import (
    Broken,
    Entry,
    Intact,
    Ledger,
    MemoryLedger,
    Overtaken,
    Receipt,
    SqliteLedger,
    Tombstone,
)
from selfedit_formal.runtime.gate.ledger import KINDS, is_reason


@pytest.fixture(params=["memory", "sqlite"])
def ledger(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Ledger]:
    if request.param == "memory":
        yield MemoryLedger()
        return
    with SqliteLedger(tmp_path / "ledger.db") as made:
        yield made


def evict(span: str, content: str = "", turn: int = 1, into: str = "") -> Entry:
    return Entry("evict", span, content or span.lower(), "stale", turn, into)


def test_entries_are_there_in_the_order_they_came(ledger: Ledger) -> None:
    start = ledger.head()
    first = ledger.append([evict("A"), evict("B")])
    second = ledger.append([evict("C")])
    assert [start.position, first.position, second.position] == [0, 2, 3]
    assert [e.span for e in ledger.entries()] == ["A", "B", "C"]
    assert [e.span for e in ledger.entries(2)] == ["C"]
    assert second == ledger.head()
    assert ledger.verify(start, first, second) == Intact(second)


def test_appending_nothing_changes_nothing(ledger: Ledger) -> None:
    assert ledger.append([]) == ledger.head() == ledger.append([], after=ledger.head())


def test_who_was_overtaken_appends_nothing(ledger: Ledger) -> None:
    seen = ledger.head()
    ledger.append([evict("A")])
    with pytest.raises(Overtaken):
        ledger.append([evict("B")], after=seen)
    assert [e.span for e in ledger.entries()] == ["A"]
    ledger.append([evict("B")], after=ledger.head())


def test_a_tombstone_stands_until_an_override_and_again_after_the_next_pruning(ledger: Ledger) -> None:
    ledger.append([evict("A", "x", 3)])
    assert ledger.tombstones(["x", "y"]) == {"x": Tombstone("A", "x", "stale", 3, lifted=False)}
    ledger.append([Entry("override", "", "x", "asked for", 4)])
    assert ledger.tombstones(["x"])["x"].lifted
    ledger.append([Entry("readmit", "A", "x", "needed", 4), evict("A", "x", 5)])
    assert ledger.tombstones(["x"]) == {"x": Tombstone("A", "x", "stale", 5, lifted=False)}


def test_a_merge_lays_a_tombstone_and_what_lives_on_or_is_moved_lays_none(ledger: Ledger) -> None:
    ledger.append(
        [
            Entry("merge", "A", "a", "condensed", 1, "M"),
            evict("B", "b", into="B2"),
            *(Entry(k, "C", "c", "other", 1) for k in KINDS if k not in ("evict", "merge")),
        ]
    )
    assert set(ledger.tombstones(["a", "b", "c"])) == {"a"}


def test_the_last_word_about_a_span_may_be_that_it_was_made(ledger: Ledger) -> None:
    entries = [evict("A"), Entry("merge", "B", "b", "condensed", 2, "M"), evict("A", "again", 3)]
    ledger.append(entries)
    assert ledger.about(["A", "B", "M", "Z"]) == {"A": entries[2], "B": entries[1], "M": entries[1]}


def test_refusals_and_overrides_are_no_edits_of_a_span(ledger: Ledger) -> None:
    ledger.append([Entry("refuse", "A", "a", "no", 1), Entry("override", "A", "a", "yes", 2)])
    assert ledger.about(["A"]) == {}


def test_a_policy_is_frozen_by_a_refusal_that_names_it(ledger: Ledger) -> None:
    last = Entry("refuse", "", "", "pure: it varies", 3, "judge")
    ledger.append([Entry("refuse", "A", "a", "no", 1), Entry("refuse", "A", "a", "idempotent: no", 2, "judge"), last])
    ledger.append([Entry("merge", "A", "a", "condensed", 4, "other"), evict("A", into="other")])
    assert ledger.frozen("judge") == last
    assert ledger.frozen("other") is None


def test_many_values_can_be_asked_for_at_once(ledger: Ledger) -> None:
    ledger.append([evict(f"S{n}") for n in range(1500)])
    assert len(ledger.tombstones([f"s{n}" for n in range(2000)])) == 1500
    assert len(ledger.about([f"S{n}" for n in range(2000)])) == 1500
    assert len(list(ledger.entries())) == 1500


def test_a_receipt_of_another_ledger_is_noticed(ledger: Ledger) -> None:
    other = MemoryLedger().append([evict("Z")])
    ledger.append([evict("A")])
    assert ledger.verify(other) == Broken(1, "the entry is not the one that was acknowledged")
    assert ledger.verify(Receipt(7, "")) == Broken(7, "an acknowledged entry is missing")


texts = st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=8)


@settings(max_examples=40)
@given(
    st.lists(
        st.builds(
            Entry,
            st.sampled_from(KINDS),
            st.sampled_from(["A", "B"]),
            st.sampled_from(["a", "b", "c"]),
            texts.filter(is_reason),
            st.integers(-(2**63), 2**63 - 1),
            st.sampled_from(["", "A", "M"]) | texts,
        ),
        max_size=12,
    )
)
def test_both_ledgers_agree_on_everything(entries: list[Entry]) -> None:
    memory = MemoryLedger()
    with TemporaryDirectory() as folder, SqliteLedger(Path(folder) / "ledger.db") as file:
        for entry in entries:
            assert memory.append([entry]) == file.append([entry])
        assert list(memory.entries()) == list(file.entries()) == entries
        for contents in (["a"], ["a", "b", "c", "d"], []):
            assert memory.tombstones(contents) == file.tombstones(contents)
        assert memory.about(["A", "B", "M", ""]) == file.about(["A", "B", "M", ""])
        assert all(memory.frozen(p) == file.frozen(p) for p in ("A", "M", "Z"))
        assert memory.verify() == file.verify() == Intact(memory.head())


@pytest.mark.parametrize(
    "wrong",
    [
        ("eat", "A", "a", "why", 1),
        ("evict", "A", "a", "", 1),
        ("evict", "A", "a", "two\nlines", 1),
        ("evict", "A", "a", "one line\n", 1),
        ("evict", "A\0", "a", "why", 1),
        ("evict", "A", "\ud800", "why", 1),
        ("evict", "A", "a", "why", 2**63),
        ("evict", "A", "a", "why", True),
    ],
)
def test_what_no_ledger_can_hold_is_no_entry(wrong: tuple[str, str, str, str, int]) -> None:
    with pytest.raises(ValueError, match=r"no such kind|one line|null|64 bits"):
        Entry(*wrong)  # type: ignore[arg-type]


def test_a_tombstone_can_be_shown_in_the_window() -> None:
    stone = Tombstone("A", "describe_pod", "stale dump", 41, lifted=False)
    assert stone.line() == "[A (describe_pod) was pruned at turn 41: stale dump]"
