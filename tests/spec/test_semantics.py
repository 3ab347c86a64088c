"""The examples of `spec/semantics.md` are true.

The `preamble` stands before every other block. In an `example` one pass of `p` turns `before` into `after`; the lines
`# with cap = 3`, `# choices: B, tokens = 4` and `# refused: reason` say with what, and what it refused. In
`expressions` each line is an expression and its value, in `claims` each property holds or is broken for `p` on the
window `w`. In a `turn` the session `loop` does the same in one turn (`new` among the choices: whatever may arrive
does), and in `sessions` each check is of a promise that holds or is broken within two turns from the window `w`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, fields, is_dataclass, replace
from pathlib import Path
from typing import get_args

import pytest

from selfedit_formal.core.diagnostics import Source
from selfedit_formal.core.property import ChoiceKey
from selfedit_formal.core.window import Value, Window, zero
from selfedit_formal.engines import Found, Limits, NoneFound
from selfedit_formal.engines.enumerate import Enumerate
from selfedit_formal.language import syntax
from selfedit_formal.language.parse import parse
from selfedit_formal.language.resolve import load_text, obligation
from selfedit_formal.semantics.interpreter import Domain, Given, PassRecord, apply
from selfedit_formal.verifying.turns import after, least
from tests.documents import Block, blocks

PAGE = (Path(__file__).parents[2] / "spec" / "semantics.md").read_text(encoding="utf-8")
BLOCKS = tuple(b for b in blocks(PAGE) if b.kind == "sef")
(PREAMBLE,) = (b.text for b in BLOCKS if b.info == "sef preamble")
LINE = re.compile(r"^(?P<text>.+?)\s+# (?P<value>true|false|= -?\d+|holds|broken)$", re.MULTILINE)


def place(block: Block) -> str:
    """The heading that a block stands under, and its line."""
    above = PAGE[: block.start]
    heading = re.findall(r"^##+ (.*)$", above, re.MULTILINE)[-1]
    return f"{heading}, line {above.count(chr(10)) + 1}"


def of_kind(kind: str) -> list[Block]:
    return [b for b in BLOCKS if b.info == f"sef {kind}"]


def remark(block: Block, word: str) -> str | None:
    found = re.search(rf"^# {word} (.*)$", block.text, re.MULTILINE)
    return found[1] if found else None


@dataclass(frozen=True)
class Answers:
    """The model chooses the named spans, and gives the named fields these values; anything else is the default."""

    spans: frozenset[str]
    values: dict[str, int | str]

    def take(self, key: ChoiceKey, domain: Domain) -> Value:
        if key.field == "":
            return key.span in self.spans or (key.span.startswith("new_") and "new" in self.spans)
        return self.values.get(key.field, domain.default())


def answers(text: str) -> Answers:
    items = [i.strip() for i in text.split(",")] if text else []
    values = dict(i.split(" = ") for i in items if "=" in i)
    numbers = {f: int(v) if v.isdigit() else v for f, v in values.items()}
    return Answers(frozenset(i for i in items if "=" not in i), numbers)


def entries(window: Window, known: Window) -> list[object]:
    """What a window says, with spans that the other one does not know called by their place."""
    ids = {s.id for s in known.spans}
    names = {s.id: s.id if s.id in ids else f"created {i}" for i, s in enumerate(window.spans)}
    links = sorted((link, names[a], names[b]) for link, a, b in window.links)
    return [*((names[s.id], s.id in window.archived, dict(s.values)) for s in window.spans), links]


@pytest.mark.parametrize("block", of_kind("example"), ids=place)
def test_one_pass_turns_before_into_after(block: Block) -> None:
    module = load_text(PREAMBLE + block.text)
    policy, before, after = module.policies["p"], module.windows["before"], module.windows["after"]
    given = dict(i.split(" = ") for i in (remark(block, "with") or "").split(", ") if i)
    parameters = {p.name: int(given[p.name]) for p in policy.parameters}
    done: PassRecord = apply(
        policy, before, parameters, {s: s for s in policy.spans}, answers(remark(block, "choices:") or "")
    )
    assert entries(done.after, before) == entries(after, before)
    assert done.refused == remark(block, "refused:")


@pytest.mark.parametrize("block", of_kind("expressions"), ids=place)
def test_expressions_have_the_values_shown(block: Block) -> None:
    window, _, rest = block.text.partition("\n]\n")
    names = "\n".join(line for line in rest.splitlines() if line.startswith("let "))
    lines = list(LINE.finditer(rest))
    assert len(lines) == len(rest.splitlines()) - len(names.splitlines())
    plans = [
        f'plan p{i} on w {{\n{names}\nrefuse when {claimed(line["text"], line["value"])} because "true"\n}}'
        for i, line in enumerate(lines)
    ]
    module = load_text("\n".join([PREAMBLE, window, "]", *plans]))
    for i, line in enumerate(lines):
        plan = module.policies[f"p{i}"]
        done = apply(plan, module.windows["w"], {}, {s: s for s in plan.spans}, Given())
        assert done.refused == "true", line[0]


def claimed(expression: str, value: str) -> str:
    """The expression has the value."""
    match value:
        case "true":
            return expression
        case "false":
            return f"not ({expression})"
        case number:
            return f"({expression}) == {number.removeprefix('= ')}"


CLAIMS = [
    pytest.param(block, line["name"], line["verdict"], id=f"{place(block)}, {line['name']}")
    for block in of_kind("claims")
    for line in re.finditer(r"^property (?P<name>\w+)\(.*# (?P<verdict>holds|broken)$", block.text, re.MULTILINE)
]


@pytest.mark.parametrize(("block", "name", "verdict"), CLAIMS)
def test_claims_hold_or_are_broken(block: Block, name: str, verdict: str) -> None:
    module = load_text(PREAMBLE + block.text)
    claim = replace(obligation(module, "p", name), fixed=module.windows["w"])
    answer = Enumerate().solve(claim, Limits(within=3))
    match answer:
        case NoneFound():
            assert verdict == "holds"
        case Found():
            assert verdict == "broken"
        case _:
            pytest.fail(answer.reason)


@pytest.mark.parametrize("block", of_kind("turn"), ids=place)
def test_one_turn_turns_before_into_after(block: Block) -> None:
    module = load_text(PREAMBLE + block.text)
    window, after = module.windows["before"], module.windows["after"]
    for step in module.sessions["loop"].steps:
        window = apply(step.policy, window, {}, {}, answers(remark(block, "choices:") or "")).after
    assert entries(window, module.windows["before"]) == entries(after, module.windows["before"])


CHECKED = [
    pytest.param(block, line["session"], line["promise"], line["verdict"], id=f"{place(block)}, {line['promise']}")
    for block in of_kind("sessions")
    for line in re.finditer(
        r"^check (?P<session>\w+): +(?P<promise>\S+) +# (?P<verdict>holds|broken)$", block.text, re.MULTILINE
    )
]


@pytest.mark.parametrize(("block", "session", "promise", "verdict"), CHECKED)
def test_promises_of_sessions_hold_or_are_broken(block: Block, session: str, promise: str, verdict: str) -> None:
    module = load_text(PREAMBLE + block.text)
    asked = obligation(module, session, promise)
    start = replace(
        module.windows["w"],
        schema=asked.schema,
        spans=tuple(
            replace(s, values={**s.values, **{f.name: zero(f.kind) for f in asked.schema.fields if f.history}})
            for s in module.windows["w"].spans
        ),
    )
    found = [
        Enumerate().solve(replace(after(asked, turns), fixed=start), Limits(within=3))
        for turns in range(least(asked), 3)
    ]
    assert all(isinstance(f, Found | NoneFound) for f in found), found
    assert any(isinstance(f, Found) for f in found) == (verdict == "broken")


def test_every_line_of_the_page_that_claims_something_is_run() -> None:
    kinds = {"preamble", "example", "expressions", "claims", "turn", "sessions"}
    assert {b.info for b in BLOCKS} == {f"sef {k}" for k in kinds}
    for block in of_kind("sessions"):
        checks = re.findall(r"^check ", block.text, re.MULTILINE)
        assert len(checks) == sum(c.values[0] == block for c in CHECKED)
    for block in of_kind("claims"):
        properties = re.findall(r"^property ", block.text, re.MULTILINE)
        assert len(properties) == sum(c.values[0] == block for c in CLAIMS)


def parsed(block: Block) -> syntax.File:
    text = block.text
    if block.info == "sef expressions":
        window, _, rest = text.partition("\n]\n")
        lines = [line["text"] for line in LINE.finditer(rest)]
        names = [line for line in rest.splitlines() if line.startswith("let ")]
        text = "\n".join([window, "]", "plan q on w {", *names, *(f"let x = {line}" for line in lines), "}"])
    return parse(Source("example", text))


def types_in(node: object) -> Iterator[type]:
    """The classes of a syntax tree's nodes."""
    if isinstance(node, tuple):
        for item in node:
            yield from types_in(item)
    elif is_dataclass(node):
        yield type(node)
        for part in fields(node):
            if part.name not in ("location", "source", "comments"):
                yield from types_in(getattr(node, part.name))


def test_every_statement_and_every_kind_of_expression_has_an_example() -> None:
    shown = {kind for block in BLOCKS for kind in types_in(parsed(block))}
    assert set(get_args(syntax.Stmt)) <= shown
    assert set(get_args(syntax.Expr)) <= shown
    assert {syntax.Always, syntax.AtMostOnce, *get_args(syntax.SessionMember)} <= shown
