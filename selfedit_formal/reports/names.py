"""What a check is called in reports and in the names of files."""

from __future__ import annotations

from selfedit_formal.core.files import shortened, words
from selfedit_formal.core.property import Obligation


def subject(obligation: Obligation) -> str:
    """The name of the policy, plan or session."""
    return obligation.policies[0].name if obligation.turns is None else obligation.turns.session.name


def subject_title(obligation: Obligation) -> str:
    """The policy with the arguments the check gives: `trim_last(cap = 4)`."""
    return obligation.name.removesuffix(f": {obligation.property}")


def property_title(obligation: Obligation) -> str:
    """The promise with its arguments: `preserves(paired)`."""
    return obligation.property


def title(obligation: Obligation) -> str:
    """As a `check` line would say it: `trim_last(cap = 4): preserves(paired)`, and what it assumes."""
    return obligation.title()


def slug(obligation: Obligation) -> str:
    """A name for files and declarations: `trim_last_preserves_paired`."""
    return shortened(words(f"{subject(obligation)} {property_title(obligation)}"))


def unlike(name: str, taken: set[str]) -> str:
    """The name, with a number if it is taken; it is taken then."""
    number, found = 1, name
    while found in taken:
        number += 1
        found = f"{name}_{number}"
    taken.add(found)
    return found
