"""Whatever is shipped comes out as a well-formed core: unique names, numbered sites, fields and tags that exist."""

from __future__ import annotations

from pathlib import Path

import pytest

from selfedit_formal.core.expression import Equal, Name, Parameter, Read
from selfedit_formal.core.policy import Policy, statements
from selfedit_formal.language.module import Module
from selfedit_formal.language.resolve import load
from tests.language.resolve.core import assert_names_are_unique, nodes

ROOT = Path(__file__).parents[3]
FILES = tuple(sorted((*(ROOT / "spec" / "records").glob("*.sef"), *(ROOT / "spec" / "policies").glob("*.sef"))))


@pytest.fixture(scope="module", params=FILES, ids=lambda p: p.stem)
def module(request: pytest.FixtureRequest) -> Module:
    return load(request.param)


def policies(module: Module) -> tuple[Policy, ...]:
    return (*module.policies.values(), *(p for o in module.obligations for p in o.policies))


def test_sites_count_from_zero(module: Module) -> None:
    for policy in policies(module):
        assert [s.site for s in statements(policy.body)] == list(range(len(statements(policy.body))))


def test_names_are_unique_where_they_are_visible(module: Module) -> None:
    for policy in policies(module):
        outer = frozenset(policy.spans) | {p.name for p in policy.parameters}
        assert_names_are_unique(policy.body, outer)
        for gate in policy.gates:
            assert_names_are_unique(gate.condition, frozenset(policy.spans))
    for obligation in module.obligations:
        claim = obligation.claim
        names = [b.variable for b in claim.bound]
        assert len({*names, *obligation.spans}) == len(names) + len(obligation.spans)
        for part in (claim.premise, claim.antecedent, claim.consequent):
            assert_names_are_unique(part, frozenset(names) | frozenset(obligation.spans))
        for witness in obligation.witnesses:
            assert_names_are_unique(witness.condition, frozenset(obligation.spans))


def test_fields_and_names_are_those_of_the_schema(module: Module) -> None:
    for obligation in module.obligations:
        schema = obligation.schema
        for node in nodes((obligation.claim, obligation.policies)):
            if isinstance(node, Read):
                assert schema.field(node.field).kind == node.kind
            if isinstance(node, Equal) and isinstance(node.left, Read) and isinstance(node.right, Name):
                assert node.left.kind == node.right.kind
                assert node.right.kind != "enum" or node.right.value in schema.field(node.left.field).names


def test_open_parameters_are_declared(module: Module) -> None:
    for obligation in module.obligations:
        declared = {p.name for p in obligation.parameters}
        used = {n.name for n in nodes((obligation.claim, obligation.policies)) if isinstance(n, Parameter)}
        assert used <= declared
        assert len(declared) == len(obligation.parameters)
