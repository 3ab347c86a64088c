from __future__ import annotations

from dataclasses import replace

from selfedit_formal.core.files import words
from selfedit_formal.language.resolve import load_text
from selfedit_formal.reports.names import property_title, slug, subject_title, title, unlike
from tests.reports import examples


def test_a_check_is_called_as_it_is_written() -> None:
    asked = examples.obligation("trim_last(cap = 2): idempotent")
    assert title(asked) == "trim_last(cap = 2): idempotent"
    assert subject_title(asked) == "trim_last(cap = 2)"
    assert property_title(asked) == "idempotent"


def test_a_file_is_called_after_policy_and_promise() -> None:
    assert slug(examples.obligation("trim_last: preserves(paired)")) == "trim_last_preserves_paired"
    assert slug(examples.obligation("trim_last(cap = 2): idempotent")) == "trim_last_idempotent"


def test_anything_else_than_letters_and_digits_becomes_one_underscore() -> None:
    assert words("a(b = -1), 'c'!") == "a_b_1_c"


def test_a_check_is_headed_with_what_it_assumes() -> None:
    text = examples.TEXT + "check careful: acts assuming no s in W: s.pinned, count(s in W) > 1\n"
    *_, asked = load_text(text).obligations
    assert title(asked) == "careful: acts assuming no s in W: s.pinned, count(s in W) > 1"
    assert (subject_title(asked), property_title(asked)) == ("careful", "acts")


def test_a_name_is_given_once() -> None:
    taken: set[str] = set()
    assert [unlike("a", taken), unlike("a", taken), unlike("b", taken), unlike("a", taken)] == ["a", "a_2", "b", "a_3"]


def test_a_name_is_no_longer_than_a_file_may_be_called() -> None:
    asked = replace(examples.obligation("careful: acts"), property="p" * 400)
    assert len(slug(asked)) < 200
    assert slug(asked).isidentifier()
