"""Sessions made by hand, in the shape that the language gives them, for tests of what is said about them."""

from __future__ import annotations

from dataclasses import replace

from selfedit_formal.expression import (
    TRUE,
    All,
    And,
    Compare,
    Equal,
    Expression,
    Implies,
    Input,
    Int,
    Known,
    Name,
    Not,
    Or,
    Origin,
    Present,
    Read,
)
from selfedit_formal.policy import (
    Assign,
    End,
    Evict,
    Insert,
    LetSet,
    Original,
    ParameterDeclaration,
    Policy,
    Readmit,
    Set,
    Statement,
)
from selfedit_formal.property import Claim, Obligation
from selfedit_formal.session import (
    BINDING,
    EVICTED,
    EVICTIONS,
    HISTORY,
    MET,
    OFFERED,
    RETURNED,
    THRASHED,
    Session,
    Step,
    Store,
    Turns,
)
from selfedit_formal.window import Field, Link, Schema

W = Input("W")


def schema(*fields: Field, tags: tuple[str, ...], name: str = "loop", links: tuple[Link, ...] = ()) -> Schema:
    """A schema of a session: a tag, these fields, and the history."""
    return Schema(name, (Field("tag", "enum", names=tags), *fields, *HISTORY), links)


def read(name: str, variable: str = "s", kind: str = "bool", window: Input | Known | None = None) -> Expression:
    return Read(variable, name, kind, window)  # type: ignore[arg-type]


def tag(name: str, variable: str = "s", window: Input | Known | None = None) -> Expression:
    return Equal(Read(variable, "tag", "enum", window), Name("enum", name))


def numbered(body: list[Statement]) -> tuple[Statement, ...]:
    return tuple(replace(s, site=site) for site, s in enumerate(body))


def policy(name: str, of: Schema, *body: Statement, parameters: tuple[ParameterDeclaration, ...] = ()) -> Policy:
    return Policy(name, of, parameters, numbered(list(body)))


def changes(condition: Expression, archive: bool = False, **values: Expression) -> Set:
    assignments = tuple(Assign(f, v) for f, v in values.items())
    return Set(0, "s", condition, assignments, Origin("bookkeeping"), archive=archive)


def arrives(condition: Expression = TRUE) -> Insert:
    return Insert(0, End("back"), (), None, Origin("arrive s"), may=True, variable="s", condition=condition)


def comes_back(condition: Expression, store: Store, *, override: bool = False) -> list[Statement]:
    """`may readmit s where …` as it stands in a session."""
    silent = [] if override or store == "none" else [Not(read(EVICTED))]
    back = LetSet(0, f"back{override}", "s", And((condition, read(MET), *silent)), archive=True, may=True)
    chosen = _in(back.name)
    found: list[Statement] = [
        back,
        Readmit(0, "s", chosen, Original(), override, Origin("may readmit s" + (" override" if override else ""))),
    ]
    if override:
        from selfedit_formal.expression import FALSE

        found.append(changes(chosen, evicted=FALSE, returned=FALSE))
    return found


def _in(name: str) -> Expression:
    from selfedit_formal.expression import InSet

    return InSet("s", name)


def environment(of: Schema, control: Expression | None, *body: Statement) -> Policy:
    books: list[Statement] = [changes(read(EVICTED), **{RETURNED: TRUE})]
    if control is not None:
        books.append(changes(And((Not(read(MET)), control)), **{BINDING: TRUE}))
    books.append(changes(TRUE, **{MET: TRUE, OFFERED: TRUE}))
    return Policy(f"{of.name}.environment", of, (), numbered([*body, *books]))


def record(of: Schema) -> Policy:
    from selfedit_formal.expression import FALSE, Add

    return policy(
        f"{of.name}.record",
        of,
        changes(And((read(OFFERED), read(EVICTED))), archive=True, **{THRASHED: TRUE}),
        changes(
            read(OFFERED),
            archive=True,
            **{EVICTED: TRUE, EVICTIONS: Add((read(EVICTIONS, kind="int"), Int(1)))},
        ),
        changes(And((read(EVICTED), Not(read(RETURNED)))), **{RETURNED: TRUE}),
        changes(TRUE, **{OFFERED: FALSE}),
        changes(read(OFFERED), archive=True, **{OFFERED: FALSE}),
    )


def session(
    of: Schema, control: Expression | None, applied: Policy, *body: Statement, store: Store = "none"
) -> Session:
    steps = (
        Step(environment(of, control, *body), True),
        Step(applied, False),
        Step(record(of), False),
    )
    return Session(of.name, of, steps, applied.parameters, tombstones=store, window="Kubectl")


KUBECTL = schema(
    Field("tokens", "int", low=1),
    Field("stale", "bool"),
    Field("referenced", "bool"),
    tags=("constraint", "instruction", "tool_output", "rationale", "summary"),
    name="kubectl_loop",
)

CONTROL = Or((tag("constraint"), tag("instruction")))


def evicts(condition: Expression, text: str) -> Evict:
    return Evict(0, "s", condition, False, Origin(text))


def kubectl(store: Store = "none") -> Session:
    """R0: a stale dump goes, and the agent runs the command again."""
    prune = policy(
        "prune",
        KUBECTL,
        evicts(And((tag("tool_output"), read("stale"))), "evict s where s.tag == tool_output and s.stale"),
    )
    dump = And((tag("tool_output"), read("referenced")))
    body = [arrives(tag("tool_output")), *comes_back(dump, store)]
    if store != "none":
        body += comes_back(tag("tool_output"), store, override=True)
    return session(KUBECTL, CONTROL, prune, *body, store=store)


def always(of: Session, property: str, condition: Expression, variable: str = "s", **claim: Expression) -> Obligation:
    """`always W, s in known(W) where …: condition`."""
    from selfedit_formal.property import Bound

    return Obligation(
        f"{of.name}: {property}",
        of.schema,
        of.policies(),
        property,
        Claim(("W",), (Bound(variable, Known(W)),), consequent=condition, **claim),
        of.parameters,
        turns=Turns(of, "W"),
    )


def known(condition: Expression) -> Expression:
    return All("s", Known(W), condition)


NO_THRASH = Not(read(THRASHED, window=Known(W)))
CONTROL_IN_W = Or((tag("constraint", window=W), tag("instruction", window=W)))
SURVIVES = Implies(read(BINDING, window=Known(W)), And((Present("s", W), CONTROL_IN_W)))

__all__ = ["Compare", "NO_THRASH", "SURVIVES", "always", "kubectl", "known", "session"]
