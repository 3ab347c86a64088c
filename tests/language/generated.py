"""Syntax nodes of every kind, and texts that look like the language, for Hypothesis."""

from __future__ import annotations

from hypothesis import strategies as st

from selfedit_formal.core.diagnostics import Location, Source
from selfedit_formal.language import syntax
from selfedit_formal.language.parse import grammar
from selfedit_formal.language.print import print_file

AT = Location(Source("", ""), 1, 1, 1, 1)
WORDS = frozenset(t.pattern.value for t in grammar().terminals if t.pattern.value.isalpha()) | {"once"}

_shorts = st.sampled_from(["a", "b", "s", "W", "P", "old", "tokens", "tag", "justifies", "x1", "_"])
_longs = st.from_regex("[a-z][a-z0-9_]{0,30}", fullmatch=True).filter(lambda n: n not in WORDS)
names = st.one_of(_shorts, _longs)
runs = st.builds(lambda name, primes: name + "'" * primes, names, st.integers(0, 2))
some_names = st.lists(names, min_size=1, max_size=4).map(tuple)
counts = st.integers(0, 10**18)
flags = st.booleans()
reasons = st.text(st.characters(exclude_characters='"\n', exclude_categories=["Cs"]), max_size=12)
_doc_lines = st.text(st.characters(codec="ascii", exclude_categories=["Cc"]), max_size=12).map(str.rstrip)
docs = st.one_of(st.just(""), st.lists(_doc_lines, min_size=1, max_size=3).map("\n".join))


def _some(items: st.SearchStrategy[object], least: int = 0, most: int = 2) -> st.SearchStrategy[tuple[object, ...]]:
    return st.lists(items, min_size=least, max_size=most).map(tuple)


def _node(kind: type, *parts: st.SearchStrategy[object]) -> st.SearchStrategy[object]:
    return st.builds(lambda *values: kind(*values, AT), *parts)


def _maybe(items: st.SearchStrategy[object]) -> st.SearchStrategy[object]:
    return st.one_of(st.none(), items)


def _larger(inner: st.SearchStrategy[object]) -> st.SearchStrategy[object]:
    """Every kind of expression that has parts."""
    sides = st.sampled_from(["before", "after"])
    domains = st.one_of(st.none(), inner, _node(syntax.Range, inner, inner))
    binders = _node(syntax.Binder, names, domains, _maybe(inner))
    sums = _some(st.tuples(st.sampled_from(["+", "-"]), inner), 1)
    products = _some(st.tuples(st.sampled_from(["*", "/", "mod"]), inner), 1)
    operators = st.sampled_from(["implies", "iff", "==", "!=", "<", "<=", ">", ">="])
    return st.one_of(
        _node(syntax.Attribute, inner, names),
        _node(syntax.Index, inner, names),
        _node(syntax.Call, runs, _some(inner)),
        _node(syntax.Power, runs, inner, inner),
        _node(syntax.Not, inner),
        _node(syntax.Negative, inner),
        _node(syntax.Junction, st.sampled_from(["and", "or"]), _some(inner, 2)),
        _node(syntax.Binary, operators, inner, inner),
        _node(syntax.Chain, inner, st.one_of(sums, products)),
        _node(syntax.Percent, counts, inner),
        _node(syntax.InNames, inner, some_names, flags),
        _node(syntax.InWindow, inner, inner, flags),
        _node(syntax.Order, inner, sides, inner, flags, _maybe(inner)),
        _node(syntax.LinkTest, inner, names, inner),
        _node(syntax.ReachTest, inner, inner, names, _maybe(inner)),
        _node(syntax.Quantifier, st.sampled_from(["some", "all", "no"]), _some(binders, 1, 2), inner),
        _node(syntax.Conditional, inner, inner, inner),
        _node(syntax.PickTerm, st.sampled_from(["first", "last"]), flags, names, inner),
        _node(syntax.CountTerm, names, _maybe(inner), _maybe(inner)),
        _node(syntax.TotalTerm, inner, _maybe(inner)),
    )


_leaves = st.one_of(
    _node(syntax.NameRef, names),
    _node(syntax.Number, counts),
    _node(syntax.Truth, flags),
    _node(syntax.Nothing),
    _node(syntax.UnitCount, names, st.sampled_from(["before", "after"]), names),
)
expressions = st.recursive(_leaves, _larger, max_leaves=5)

_arguments = _node(syntax.Argument, _maybe(names), expressions)
references = _node(syntax.Reference, names, _maybe(_some(_arguments)))
_selectors = _node(syntax.Selector, names, _maybe(expressions))
_places = st.one_of(
    _node(syntax.PlaceAt, st.sampled_from(["front", "back"])),
    _node(syntax.PlaceBeside, st.sampled_from(["before", "after"]), names),
)
_assignments = st.one_of(
    _node(syntax.AssignmentTerm, names, st.sampled_from(["=", "<", "<=", ">", ">="]), expressions),
    _node(syntax.AssignmentTerm, names, st.just("any"), st.none()),
)
_records = _some(_assignments)
_let_terms = st.one_of(
    expressions,
    _node(syntax.SetTerm, names, expressions, flags, flags),
    _node(syntax.Snap, names, st.sampled_from(["back", "forward"]), names, expressions, _maybe(expressions)),
)
_simple_statements = st.one_of(
    _node(syntax.When, expressions),
    _node(syntax.Keep, _selectors),
    _node(syntax.Evict, _selectors, flags, flags),
    _node(syntax.Set, _selectors, _records, flags),
    _node(syntax.Summarize, _selectors, _maybe(_selectors), _records, _maybe(_places), flags),
    _node(syntax.Insert, _records, _places),
    _node(syntax.Readmit, _selectors, _maybe(_places), flags, flags),
    _node(syntax.Move, _selectors, _places),
    _node(syntax.Let, names, _let_terms),
    _node(syntax.Refuse, expressions, reasons),
    _node(syntax.Gate, _some(references, 1)),
    _node(syntax.Apply, references),
    _node(syntax.Fill, flags, names, expressions, expressions, expressions),
    _node(syntax.Because, _some(_selectors, 1)),
    _node(syntax.Delete, some_names),
    _node(syntax.Rewrite, names, _records),
    _node(syntax.Merge, st.lists(names, min_size=2, max_size=3).map(tuple), _records, _maybe(_places)),
    _node(syntax.Arrive, _maybe(counts), names, expressions),
)


def _with_blocks(inner: st.SearchStrategy[object]) -> st.SearchStrategy[object]:
    body = _some(inner)
    return st.one_of(
        _node(syntax.AtOnce, body),
        _node(syntax.Branch, expressions, body, _maybe(body)),
        _node(syntax.Repeat, counts, _maybe(expressions), body),
        _node(syntax.Tiers, expressions, _some(body, 1)),
    )


statements = st.recursive(_simple_statements, _with_blocks, max_leaves=3)

_limits = _some(_node(syntax.Limit, st.sampled_from(["<", "<=", ">", ">="]), st.integers(-(10**18), 10**18)), 0, 2)
_parameters = _some(
    st.one_of(
        _node(syntax.Parameter, names, st.none(), st.just(())),
        _node(syntax.Parameter, names, st.just("int"), _limits),
        _node(
            syntax.Parameter,
            names,
            st.sampled_from(["policy", "plan", "session", "predicate", "span", "window"]),
            st.just(()),
        ),
    )
)
_oracles = st.sampled_from([None, "query", "window"])
_fields = st.one_of(
    _node(syntax.FieldDeclaration, some_names, st.just("int"), _limits, st.just(()), _oracles),
    _node(syntax.FieldDeclaration, some_names, st.sampled_from(["bool", "key"]), st.just(()), st.just(()), _oracles),
    _node(syntax.FieldDeclaration, some_names, st.just("enum"), st.just(()), some_names, st.none()),
)
_members = st.one_of(
    _node(syntax.LinkDeclaration, names, st.none(), st.none()),
    _node(syntax.LinkDeclaration, names, some_names, some_names),
    _node(syntax.ControlDeclaration, names, expressions),
    _node(syntax.AssumeDeclaration, expressions),
    _node(syntax.UnitDeclaration, names, names, expressions),
)
_values = _node(syntax.FieldValue, names, st.one_of(st.integers(-(10**18), 10**18), flags, names, st.just("none")))
_entries = st.builds(
    lambda identity, tag, values, archived, created: syntax.WindowEntry(
        identity, tag, values, archived, AT, created=created
    ),
    names,
    names,
    _some(_values),
    flags,
    flags,
)
_body = _some(statements)
_binders = _node(syntax.Binder, names, _maybe(expressions), _maybe(expressions))
_kinds = st.sampled_from(["always", "never"])
promises = st.one_of(
    expressions,
    _node(syntax.Always, _kinds, names, st.none(), st.none(), _maybe(names), _some(_binders), expressions),
    _node(syntax.Always, _kinds, names, names, _maybe(expressions), st.none(), _some(_binders), expressions),
    _node(syntax.AtMostOnce, _binders, expressions),
)
_keeping = st.sampled_from(["tombstones", "ledger"])
_session_members = st.one_of(
    _node(syntax.Start, expressions),
    _node(syntax.Turn, _body),
    _node(syntax.Keeping, _keeping, st.sampled_from(["none", "sidecar"]), st.just(())),
    _node(syntax.Keeping, _keeping, st.just("in_window"), _records),
    _node(syntax.Invariant, expressions),
)
_plan_bases = st.one_of(st.tuples(names, st.none()), st.tuples(st.none(), names))
declarations = st.one_of(
    _node(syntax.Import, reasons, flags),
    _node(syntax.SchemaDeclaration, names, _some(_fields), _some(_members), docs),
    _node(
        syntax.WindowDeclaration,
        names,
        names,
        _some(st.one_of(_entries, _node(syntax.LinkFact, names, names, names))),
        docs,
    ),
    _node(syntax.PredicateDeclaration, names, _parameters, _maybe(names), expressions, docs),
    _node(syntax.PropertyDeclaration, names, _parameters, promises, docs),
    _node(syntax.SessionDeclaration, names, _parameters, names, _some(_session_members, 0, 3), docs),
    _node(syntax.PolicyDeclaration, names, _parameters, names, _body, docs),
    st.builds(
        lambda name, parameters, base, body, doc: syntax.PlanDeclaration(
            name, parameters, base[0], base[1], body, doc, AT
        ),
        names,
        _parameters,
        _plan_bases,
        _body,
        docs,
    ),
    _node(
        syntax.CheckDeclaration,
        references,
        _some(references, 1),
        _some(expressions),
        _maybe(counts),
        _maybe(counts),
        _maybe(names),
        docs,
    ),
)
files = _some(declarations, 1, 3).map(lambda items: syntax.File(Source("", ""), items))  # type: ignore[arg-type]

_signs = [
    "{",
    "}",
    "(",
    ")",
    "[",
    "]",
    ",",
    ":",
    "=",
    "==",
    "<=",
    "..",
    ".",
    "->",
    "|",
    "^",
    "%",
    "*",
    "-",
    "'",
    '"',
    "#",
    "\n",
]
soups = st.lists(
    st.one_of(st.sampled_from(sorted(WORDS)), st.sampled_from(_signs), names, st.integers(0, 99).map(str), runs),
    max_size=30,
).map(" ".join)
"""Texts of the language's words and signs, in any order."""


def text(file: syntax.File) -> str:
    """The file as it is printed."""
    return print_file(file)
