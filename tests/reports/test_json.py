from __future__ import annotations

import json
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from selfedit_formal._resources import folder
from selfedit_formal.core.diagnostics import Rejected
from selfedit_formal.core.verdict import Bounded, Failed, Proved, Result, RunEnd, Unknown, Vacuous
from selfedit_formal.language.resolve import load_text
from selfedit_formal.reports.json import document, rejection
from tests.reports import examples

SCHEMA = json.loads(folder("spec").joinpath("report.schema.json").read_text(encoding="utf-8"))
REFUTED = (examples.orphan, examples.again, examples.hanging, examples.swinging, examples.refusing, examples.planned)


def conforms(made: dict[str, Any]) -> dict[str, Any]:
    """The document as a reader gets it, once it has been held to its schema."""
    read: dict[str, Any] = json.loads(json.dumps(made))
    Draft202012Validator(SCHEMA).validate(read)
    return read


def test_the_schema_is_one() -> None:
    Draft202012Validator.check_schema(SCHEMA)


@pytest.mark.parametrize("make", REFUTED, ids=lambda make: make.__name__)
def test_a_refutation_conforms(make: Any) -> None:
    made = conforms(document([make()], RunEnd(1.0)))
    assert made["exit_code"] == 1
    assert made["checks"][0]["case"]["why"]


def test_the_other_verdicts_conform() -> None:
    asked = examples.obligation("trim_last: preserves(paired)")
    verdicts = (Proved("a"), Bounded(8, "b"), Vacuous(("c",), 8), Unknown("d"), Failed("e"))
    made = conforms(document([examples.result(asked, v, ("a note",)) for v in verdicts], RunEnd(1.0)))
    assert [c["verdict"] for c in made["checks"]] == ["proved", "bounded", "vacuous", "unknown", "failed"]
    assert [c["reasons"] for c in made["checks"]] == [[], ["b"], ["c"], ["d"], ["e"]]
    assert made["checks"][0]["argument"] == "a"
    assert made["exit_code"] == 5


def test_a_case_is_there_as_data_and_as_text() -> None:
    check = conforms(document([examples.orphan()], RunEnd(1.0)))["checks"][0]
    assert (check["file"], check["line"]) == ("chat.sef", 55)
    assert (check["policy"], check["property"]) == ("trim_last", "preserves(paired)")
    assert check["promise"].startswith("Closed in, closed out")
    assert check["formula"] == "all W where I(W): I(P(W))"
    case = check["case"]
    assert case["parameters"] == {"cap": 2}
    assert [s["id"] for s in case["windows"]["W"]["spans"]] == ["S", "C", "R"]
    assert case["windows"]["W"]["links"] == [{"link": "justifies", "from": "C", "to": "R"}]
    assert "S: system { tokens = 1 }" in case["windows"]["W"]["text"]
    (only,) = case["passes"]
    assert only["term"] == "P(W)"
    assert [s["id"] for s in only["after"]["spans"] if s["archived"]] == ["C"]
    assert only["events"][1]["kind"] == "evict"
    assert only["events"][1]["spans"] == ["C"]
    assert only["events"][1]["rule"]["line"] == 15
    assert case["broken_links"] == ["C justifies R, and C is not in P(W)"]


def test_choices_are_there_as_data_and_in_sentences() -> None:
    case = conforms(document([examples.again()], RunEnd(1.0)))["checks"][0]["case"]
    assert {"run": "judge2", "site": 0, "span": "R", "field": "", "value": True} in case["choices"]
    assert case["answers"] == [
        "in P(W) the model picks C (rule 1)",
        "in P(P(W)) the model picks R (rule 1)",
    ]
    assert not case["shortest"]


def test_wrong_files_make_a_document_too() -> None:
    with pytest.raises(Rejected) as wrong:
        load_text("policy p for Nowhere { }\n", "bad.sef")
    made = conforms(rejection(wrong.value.diagnostics))
    assert made["exit_code"] == 2
    assert made["checks"] == []
    assert (made["diagnostics"][0]["file"], made["diagnostics"][0]["line"]) == ("bad.sef", 1)


def test_every_field_of_the_schema_is_described_by_an_example() -> None:
    """No field is promised that nothing fills in."""
    check = conforms(document([examples.orphan()], RunEnd(1.0)))["checks"][0]
    assert set(SCHEMA["$defs"]["check"]["properties"]) == set(check)
    assert set(SCHEMA["$defs"]["case"]["properties"]) == set(check["case"])
    assert set(SCHEMA["$defs"]["pass"]["properties"]) == set(check["case"]["passes"][0])


def test_times_are_rounded_to_milliseconds() -> None:
    found = examples.orphan()
    made = document([Result(found.obligation, found.verdict, 0.123456, "bounded")], RunEnd(1.23456))
    assert (made["seconds"], made["checks"][0]["seconds"]) == (1.235, 0.123)
