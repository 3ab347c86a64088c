"""What tests of the parser's messages share: what is told of a text that is wrong, and where."""

from __future__ import annotations

import pytest

from selfedit_formal.core.diagnostics import Rejected, Source
from selfedit_formal.language.parse import parse
from tests.language.resolve.core import marked


def told(text: str) -> tuple[str, str, str | None]:
    """Code and message of the one thing that is wrong, the text at its place, and the hint."""
    with pytest.raises(Rejected) as caught:
        parse(Source("example.sef", text))
    (found,) = caught.value.diagnostics
    return f"{found.code} {found.message}", marked(found.location), found.hint


def within_policy(body: str) -> str:
    """The text of a policy with this body."""
    return f"policy p for W {{ {body} }}"
