"""`spec/gate.md` runs, and says of every rule which sentence asks for it and which promise of `spec/` it keeps."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from selfedit_formal.core.certificate import Certificate
from selfedit_formal.engines.unbounded import prove
from selfedit_formal.gate import Rule, rules
from selfedit_formal.language.resolve import load, obligation
from tests.documents import blocks
from tests.spec.checks import written

SPEC = Path(__file__).parents[3] / "spec"
PROOFS = SPEC / "records" / "r1_gate.sef"
PAGE = (SPEC / "gate.md").read_text(encoding="utf-8")
SECTIONS = dict(re.findall(r"^### (\w+)\n(.*?)(?=^### |\Z)", PAGE, re.MULTILINE | re.DOTALL))


def test_the_examples_are_true(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {}
    shown = blocks(PAGE)
    assert {b.kind for b in shown} == {"python"}
    for block in shown:
        exec(block.text, names)


def test_the_page_says_of_the_gate_what_is_checked_of_it_and_nothing_else() -> None:
    rows = re.findall(r"^\| `(\w+)` \| `(.+?)` \| (\w+) \|$", PAGE, re.MULTILINE)
    assert sorted((f"{policy}: {promise}", verdict) for policy, promise, verdict in rows) == sorted(written(PROOFS))


@pytest.mark.parametrize("promise", ["let_through_for_good", "rejected_for_good"])
def test_what_holds_of_every_policy_is_proved_for_every_length(promise: str) -> None:
    assert isinstance(prove(obligation(load(PROOFS), "model", promise), 20.0), Certificate)


def test_the_rules_that_freeze_a_policy_are_those_of_which_the_page_says_it() -> None:
    said = {name for name, section in SECTIONS.items() if "Freezes the policy." in " ".join(section.split())}
    assert said == {r.name for r in rules() if r.freezes}


def test_every_rule_has_its_section() -> None:
    assert list(SECTIONS) == [r.name for r in rules()]


@pytest.mark.parametrize("rule", rules(), ids=lambda r: r.name)
def test_a_section_quotes_the_record(rule: Rule) -> None:
    quoted = " ".join(line[2:] for line in SECTIONS[rule.name].splitlines() if line.startswith("> "))
    assert quoted == f"{rule.record}: {rule.sentence}"


@pytest.mark.parametrize("rule", rules(), ids=lambda r: r.name)
def test_a_section_names_the_promise_and_there_is_one(rule: Rule) -> None:
    section = SECTIONS[rule.name]
    match rule.promise.split("/"):
        case ["properties", name]:
            assert f"Promise: `spec/properties/{name}.sef`." in section
            assert (SPEC / "properties" / f"{name}.sef").is_file()
        case ["records", file, name]:
            assert f"Promise: `{name}` in `spec/records/{file}.sef`." in section
            text = (SPEC / "records" / f"{file}.sef").read_text(encoding="utf-8")
            assert re.search(rf"^(property|policy|plan) {name}\b", text, re.MULTILINE)
        case _:
            assert rule.promise == ""
            assert "Promise:" not in section
