from __future__ import annotations

from selfedit_formal.core.files import words
from selfedit_formal.reports.names import property_title, slug, subject_title, title
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
