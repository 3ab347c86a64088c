"""Certificates as files.

In a file an invariant stands once, apart from the system (start, step, end) that it is an invariant of, and the three
conditions are put together here. So they are always all there, and always about one invariant.

The seal of a file protects against accidents. It is no signature: who changes a file can seal it again.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TypeVar, get_args

from selfedit_formal.core import smtlib
from selfedit_formal.core.certificate import (
    GATE,
    PRODUCTS,
    TEXTS,
    Assumption,
    Certificate,
    Clauses,
    Direction,
    FieldBounds,
    Ground,
    Instances,
    Instead,
    KeptProof,
    Kind,
    Method,
    ParameterBound,
    RuleGround,
    Source,
)
from selfedit_formal.core.files import read_up_to, write_whole
from selfedit_formal.core.smtlib import NotAdmitted, Script, Sort

FORMAT = "selfedit-certificate-2"
MOST_BYTES = 64_000_000
MOST_ABOUT = 10_000
"""Characters of a name."""

KINDS: tuple[Kind, ...] = get_args(Kind)
INSTEAD: tuple[Instead, ...] = get_args(Instead)
DIRECTIONS: tuple[Direction, ...] = get_args(Direction)
INSTANCES: tuple[Instances, ...] = get_args(Instances)
SOURCES: tuple[Source, ...] = get_args(Source)
SORTS: tuple[Sort, ...] = get_args(Sort)

NEXT = " next"
"""What a state variable's name after a step ends with."""


class Unreadable(Exception):
    """A certificate file that is not one, or that was changed after it was written."""


# ---------- conditions


def asked(kind: Kind, texts: Mapping[str, str], state: Sequence[tuple[str, Sort]], products: bool) -> dict[str, str]:
    """The conditions that the texts make. Raises `NotAdmitted` if they make none."""
    match kind:
        case "gate":
            return {"gate": GATE}
        case "query":
            return {"query": _text("query", texts["query"])}
        case "scan":
            return _of_scan(texts, state) | (dict(PRODUCTS) if products else {})


def _of_scan(texts: Mapping[str, str], state: Sequence[tuple[str, Sort]]) -> dict[str, str]:
    terms = smtlib.TermTable()
    init, step, safe, clauses = (_script(name, texts[name], terms) for name in TEXTS["scan"])
    sorts: dict[str, Sort] = dict(state)
    following: dict[str, Sort] = {name + NEXT: sort for name, sort in state}
    if len(sorts | following) != 2 * len(state):
        raise NotAdmitted("two variables of the state have one name")
    for name, script in (("init", init), ("step", step), ("safe", safe)):
        for symbol, sort in script.declared.items():
            if (sorts | following).get(symbol, sort) != sort:
                raise NotAdmitted(f"`{name}`: `{symbol}` has another sort than the state says")
    for symbol, sort in clauses.declared.items():
        if sorts.get(symbol) != sort:
            raise NotAdmitted(f"`invariant`: `{symbol}` is no variable of the state")
    invariant = terms.conjunction(clauses.assertions)
    after = {terms.symbol(n, s): terms.symbol(n + NEXT, s) for n, s in state}
    (then,) = terms.substituted([invariant], after)
    conditions = {
        "init": [*init.assertions, terms.apply("not", [invariant])],
        "step": [*step.assertions, invariant, terms.apply("not", [then])],
        "safe": [*safe.assertions, invariant],
    }
    return {name: smtlib.write(Script(terms, {}, tuple(items))) for name, items in conditions.items()}


def _script(name: str, text: str, terms: smtlib.TermTable, ours: bool = False) -> Script:
    try:
        return smtlib.read(text, terms, ours=ours)
    except NotAdmitted as error:
        raise NotAdmitted(f"`{name}`, {error}") from None


def _text(name: str, text: str, ours: bool = False) -> str:
    """The text as `smtlib` writes it."""
    return smtlib.write(_script(name, text, smtlib.TermTable(), ours))


def canonical(texts: Mapping[str, str]) -> dict[str, str]:
    """Texts that a solver wrote from our own formulas, as files have them."""
    return {name: _text(name, text, ours=True) for name, text in texts.items()}


# ---------- the file


def write(kept: KeptProof, path: Path) -> None:
    """Keeps the proof, sealed against accidents. Raises `NotAdmitted` if it says something that `read` would refuse,
    and OSError."""
    document: dict[str, object] = {
        "format": FORMAT,
        "about": dict(kept.about),
        "induction": None
        if kept.induction is None
        else {
            "windows": kept.induction.windows,
            "clauses": [{"source": source, "text": text} for source, text in kept.induction.clauses],
        },
        "parts": [{"name": name, **_part(certificate)} for name, certificate in kept.parts],
    }
    path.parent.mkdir(parents=True, exist_ok=True)
    write_whole(path, json.dumps({**document, "seal": _seal(document)}, indent=1) + "\n")


def _part(certificate: Certificate) -> dict[str, object]:
    method = certificate.method
    return {
        "method": {
            "kind": method.kind,
            "instead": list(method.instead),
            "direction": method.direction,
            "depth": method.depth,
            "instances": method.instances,
            "half": method.half,
            "products": method.products,
        },
        "state": [list(pair) for pair in certificate.state],
        "texts": {name: text.splitlines() for name, text in canonical(certificate.texts).items()},
        "always": list(certificate.invariant),
        "legend": dict(certificate.legend),
        "needed": [_written(g) for g in certificate.needed],
        "unneeded": [_written(g) for g in certificate.unneeded],
    }


def read(path: Path) -> KeptProof:
    """A proof from its file, its conditions put together and written by ourselves. Raises `Unreadable`, `OSError`."""
    data = read_up_to(path, MOST_BYTES)
    if len(data) > MOST_BYTES:
        raise Unreadable(f"it is larger than {MOST_BYTES:,} bytes")
    try:
        document = json.loads(data.decode("utf-8"), object_pairs_hook=_once)
    except (ValueError, RecursionError) as error:
        raise Unreadable(str(error) if isinstance(error, _Twice) else "it is not a certificate") from None
    if not isinstance(document, dict) or not isinstance(document.get("format"), str):
        raise Unreadable("it is not a certificate")
    if document["format"] != FORMAT:
        if document["format"] == "selfedit-certificate-1":
            raise Unreadable(
                f"it was written by an older version (`{document['format']}`), and says too little to be checked; "
                "make it anew with `selfedit check --certificates`"
            )
        raise Unreadable(f"its format is another one, and this version reads `{FORMAT}`")
    _keys("it", document, ("format", "about", "induction", "parts", "seal"))
    if document.pop("seal") != _seal(document):
        raise Unreadable("its content does not match its seal: it was changed after it was written")
    about = _about(document["about"])
    induction = None if document["induction"] is None else _clauses(document["induction"])
    parts = []
    for number, part in enumerate(_list("`parts`", document["parts"], dict), 1):
        name = _string(f"the name of part {number}", part.pop("name", None))
        where = f"part `{_shown(name)}`: " if name else ""
        try:
            parts.append((name, _certificate(part)))
        except (Unreadable, NotAdmitted) as error:
            raise Unreadable(f"{where}{error}") from None
    _complete([name for name, _ in parts], induction)
    return KeptProof(about, tuple(parts), induction)


class _Twice(ValueError):
    pass


def _once(pairs: list[tuple[str, object]]) -> dict[str, object]:
    found = dict(pairs)
    if len(found) != len(pairs):
        twice = next(n for i, (n, _) in enumerate(pairs) if n in (m for m, _ in pairs[:i]))
        raise _Twice(f"`{_shown(twice)}` stands in it twice")
    return found


HASHES = ("policy_sha256", "claim_sha256", "session_sha256")


def _about(value: object) -> Mapping[str, object]:
    about = _dict("`about`", value)
    texts = ("policy", "property", "policy_sha256", "claim_sha256", "selfedit_formal", "z3", "python")
    _keys("`about`", about, (*texts, "file", "line"), ("session_sha256",))
    for name in (*texts, *about.keys() & {"session_sha256"}):
        if not _string(f"`{name}`", about[name]):
            raise Unreadable(f"`{name}` is empty: it does not say what it is about")
    for name in HASHES:
        text = about.get(name, "0" * 64)
        if not (isinstance(text, str) and len(text) == 64 and set(text) <= set("0123456789abcdef")):
            raise Unreadable(f"`{name}` is no hash")
    if about["file"] is not None:
        _string("`file`", about["file"])
    if not (about["line"] is None or type(about["line"]) is int):
        raise Unreadable("`line` is no number")
    if any(isinstance(text, str) and len(text) > MOST_ABOUT for text in about.values()):
        raise Unreadable("it says too much of what it is about")
    return about


def _clauses(value: object) -> Clauses:
    found = _dict("`induction`", value)
    _keys("`induction`", found, ("windows", "clauses"))
    if type(found["windows"]) is not int or found["windows"] not in (1, 2):
        raise Unreadable("an induction is over one window or two")
    clauses: list[tuple[Source, str]] = []
    for clause in _list("`clauses`", found["clauses"], dict):
        _keys("a clause", clause, ("source", "text"))
        clauses.append((_one_of(clause["source"], SOURCES), _string("a clause", clause["text"])))
    return Clauses(found["windows"], tuple(clauses))


def _certificate(part: dict[str, object]) -> Certificate:
    _keys("it", part, ("method", "state", "texts", "always", "legend", "needed", "unneeded"))
    method = _method(part["method"])
    state: list[tuple[str, Sort]] = []
    for pair in _list("`state`", part["state"], list):
        if len(pair) != 2:
            raise Unreadable("a variable of the state has a name and a sort")
        state.append((_string("a variable of the state", pair[0]), _one_of(pair[1], SORTS)))
    if state and method.kind != "scan":
        raise Unreadable("only a scan has a state")
    lines = _dict("`texts`", part["texts"])
    _keys(f"a {method.kind}", lines, TEXTS[method.kind])
    texts = {name: "\n".join(_list(f"`{name}`", lines[name], str)) + "\n" for name in TEXTS[method.kind]}
    conditions = asked(method.kind, texts, state, method.products)
    legend = {name: _string("the legend", meaning) for name, meaning in _dict("`legend`", part["legend"]).items()}
    always = tuple(_list("`always`", part["always"], str))
    needed, unneeded = (tuple(map(_ground, _list(f"`{n}`", part[n], list))) for n in ("needed", "unneeded"))
    texts = {name: _text(name, text) for name, text in texts.items()}
    return Certificate(method, conditions, texts, tuple(state), always, legend, needed, unneeded)


def _written(ground: Ground) -> list[str | int]:
    match ground:
        case RuleGround(policy, site):
            return ["rule", policy, site]
        case Assumption(number):
            return ["assumption", number]
        case ParameterBound(parameter, side, value):
            return ["bound", parameter, side, value]
        case FieldBounds(name):
            return ["field", name]


def _ground(written: object) -> Ground:
    match written:
        case ["rule", str(policy), int(site)]:
            return RuleGround(policy, site)
        case ["assumption", int(number)]:
            return Assumption(number)
        case ["bound", str(parameter), "least" | "most" as side, int(value)]:
            return ParameterBound(parameter, side, value)
        case ["field", str(name)]:
            return FieldBounds(name)
        case _:
            raise Unreadable("it has something that no proof rests on")


def _method(value: object) -> Method:
    found = _dict("`method`", value)
    _keys("`method`", found, ("kind", "instead", "direction", "depth", "instances", "half", "products"))
    for name in ("half", "products"):
        if type(found[name]) is not bool:
            raise Unreadable(f"`{name}` is true or false")
    if type(found["depth"]) is not int or not 0 <= found["depth"] <= 4:
        raise Unreadable("`depth` is a number from 0 to 4")
    kind = _one_of(found["kind"], KINDS)
    instead = tuple(_one_of(i, INSTEAD) for i in _list("`instead`", found["instead"], str))
    direction, instances = _one_of(found["direction"], DIRECTIONS), _one_of(found["instances"], INSTANCES)
    method = Method(
        kind, instead, direction, found["depth"], instances, found["half"] is True, found["products"] is True
    )
    if len(set(instead)) != len(instead):
        raise Unreadable("`instead` has something twice")
    if method.products and kind != "scan":
        raise Unreadable("only a scan tracks products")
    return method


def _complete(names: list[str], induction: Clauses | None) -> None:
    """Whether these are the parts that the argument has, each once."""
    if induction is None:
        expected, optional = {""}, set[str]()
    else:
        numbers = range(1, len(induction.clauses) + 1)
        expected = {f"{kind} {n}" for n in numbers for kind in ("start", "turn")}
        optional = {"promise"} if induction.windows == 1 else set()
        if induction.windows == 2:
            expected |= {"after 0 turns", "after 1 turn", "turn after 2 windows"}
        elif not expected:
            expected = {"promise"}
    twice = next((n for i, n in enumerate(names) if n in names[:i]), None)
    if twice is not None:
        raise Unreadable(f"it has two parts `{_shown(twice)}`")
    missing, more = expected - set(names), set(names) - expected - optional
    if missing:
        raise Unreadable(f"its part `{min(missing)}` is missing" if induction else "it has no part")
    if more:
        raise Unreadable(f"it has a part `{_shown(min(more))}` too many")


Item = TypeVar("Item")


def _keys(what: str, found: Mapping[str, object], expected: Sequence[str], optional: Sequence[str] = ()) -> None:
    missing = [n for n in expected if n not in found]
    if missing:
        raise Unreadable(f"{what} does not have `{missing[0]}`")
    more = [n for n in found if n not in expected and n not in optional]
    if more:
        raise Unreadable(f"{what} has `{_shown(more[0])}`, which means nothing")


def _string(what: str, value: object) -> str:
    if not isinstance(value, str):
        raise Unreadable(f"{what} is no text")
    return value


def _dict(what: str, value: object) -> dict[str, object]:
    if not isinstance(value, dict):
        raise Unreadable(f"{what} is no object")
    return value


def _list(what: str, value: object, kind: type[Item]) -> list[Item]:
    if not isinstance(value, list) or not all(isinstance(item, kind) for item in value):
        raise Unreadable(f"{what} is no list of the right kind")
    return value


def _one_of(value: object, choices: tuple[Item, ...]) -> Item:
    if not isinstance(value, str) or value not in choices:
        raise Unreadable(f"`{_shown(str(value))}` is none of {', '.join(map(str, choices))}")
    return choices[choices.index(value)]


def _shown(text: str) -> str:
    return "".join(c if c.isprintable() else "?" for c in (text if len(text) <= 60 else text[:59] + "…"))


def _seal(document: Mapping[str, object]) -> str:
    import hashlib  # it loads a cryptographic library, and most proofs are not kept

    return hashlib.sha256(json.dumps(document, sort_keys=True).encode()).hexdigest()
