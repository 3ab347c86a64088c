"""The scan's own small language: one *element* for every span that ever exists, and *versions* of the window it may
be part of.

Version 0 is the input; every statement that changes a window makes the next one. An expression names its version, so
it no longer matters where it stood. `HEAD` is the element under the scan's head (or, in a query without a scan, the
element of a mark).

What a user named is here a value that a counter made: no two things are one because they are called alike.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import field
from typing import Literal

from selfedit_formal._frozen import dataclass
from selfedit_formal.core.certificate import RuleGround
from selfedit_formal.core.traverse import by_identity
from selfedit_formal.core.window import Kind

Which = Literal["first", "last"]
Where = Literal["front", "back", "before", "after"]

EVERY = -1
"""As a version: over every element that ever exists, whatever window it is in."""


# ---------- elements and what is known of one


@dataclass(frozen=True, slots=True)
class Element:
    """What a formula calls an element. The number says which it is, and a counter makes it; the label is for people.

    A `bound` one is a quantifier's variable, a `witness` a span that is surely there (the promise speaks of it, or some
    quantifier asks for it). A definite span (`let`) and one that is put in (`fresh`) may be absent.

    Of an absent element every atom is false (`Alive`, `KnownIn`, `Older`, `Same`, `Exists`, `Related`) and every value
    zero (`FieldAt`, `Base`), and only they are: what negates one, or tells an order in other terms, says `exists` of
    it beside.
    """

    number: int
    kind: Literal["head", "bound", "witness", "let", "fresh"] = field(compare=False)
    label: str = field(default="", compare=False)

    # By hand, as formulas are compared and looked up all the time.
    def __eq__(self, other: object) -> bool:
        return self is other or (isinstance(other, Element) and self.number == other.number)

    def __hash__(self) -> int:
        return self.number


HEAD = Element(0, "head", "s")


@dataclass(frozen=True, slots=True)
class Born:
    """The value of the field that the element has in the input, or was put in with."""

    field: str


@dataclass(frozen=True, slots=True)
class Stays:
    """It is in the input window, and not in its archive."""


@dataclass(frozen=True, slots=True)
class Chosen:
    """What `ChoiceKey(run, site, the element, field)` chooses for it."""

    run: str
    site: int
    field: str


@dataclass(frozen=True, slots=True)
class Way:
    """A link of the schema; or, in a version, one or more steps along it (`reaches`)."""

    link: str
    version: int | None = None


@dataclass(frozen=True, slots=True)
class Joined:
    """The way leads from it to the other one (`forth`), or from the other one to it."""

    way: Way
    other: Element
    forth: bool


@dataclass(frozen=True, slots=True)
class Circle:
    """The way leads from it to itself."""

    way: Way


@dataclass(frozen=True, slots=True)
class Touched:
    """The statement of this version concerns it, where nothing is said of the statement."""

    version: int


@dataclass(frozen=True, slots=True)
class Overflowed:
    """The fill of this version evicts it, where nothing is said of what a fill keeps."""

    version: int


@dataclass(frozen=True, slots=True)
class KeptSoFar:
    """How much the fill of this version has kept when it comes to it."""

    version: int


Fact = Born | Stays | Chosen | Joined | Circle | Touched | Overflowed | KeptSoFar
"""Something that is so of an element for the whole of its life."""


# ---------- expressions


@dataclass(frozen=True, slots=True)
class Num:
    """`label`: what the number stands for, if it is the code of a name."""

    value: int
    label: str = ""


@dataclass(frozen=True, slots=True)
class Constant:
    value: bool


@dataclass(frozen=True, slots=True)
class Param:
    name: str


@dataclass(frozen=True, slots=True)
class Base:
    """A value an element is born with and keeps: a choice made for it, an oracle's answer."""

    element: Element
    fact: Fact
    kind: Kind


@dataclass(frozen=True, slots=True)
class FieldAt:
    """`version` `EVERY`: the value the element was born with. In a version that does not know the element: zero of
    its kind."""

    element: Element
    field: str
    version: int


@dataclass(frozen=True, slots=True)
class Alive:
    element: Element
    version: int


@dataclass(frozen=True, slots=True)
class KnownIn:
    """Present or archived in the version."""

    element: Element
    version: int


@dataclass(frozen=True, slots=True)
class Older:
    left: Element
    right: Element


@dataclass(frozen=True, slots=True)
class Same:
    left: Element
    right: Element


@dataclass(frozen=True, slots=True)
class Exists:
    """The mark denotes an element (a definite span was found)."""

    mark: Element


@dataclass(frozen=True, slots=True)
class Related:
    way: Way
    source: Element
    target: Element


Operator = Literal["and", "or", "not", "implies", "==", "<", "<=", "+", "*", "ite", "div", "mod"]


@dataclass(frozen=True, slots=True)
class Op:
    operator: Operator
    items: tuple[Flat, ...]


@dataclass(frozen=True, slots=True)
class Exist:
    """Some element alive in the version (or any element, `EVERY`) satisfies the body. Made by `some`."""

    variable: Element
    version: int
    body: Flat


@dataclass(frozen=True, slots=True)
class Identical:
    """Two windows have the same elements with the same fields (`body`), said of their equality to a reader.

    To a reader two fresh spans with equal records are the same, so with fresh spans `body` is only sufficient:
    equality may be refuted by refuting `body`, and nothing may be concluded from equality.
    """

    body: Flat


@dataclass(frozen=True, slots=True)
class Stands:
    """The left element comes before the right one in the version, in which spans were moved. `body` says so in the
    scan's terms."""

    left: Element
    right: Element
    version: int
    body: Flat


@dataclass(frozen=True, slots=True)
class Sum:
    """The weights of the elements alive in the version that satisfy the body. Made by `total`."""

    variable: Element
    version: int
    weight: Flat
    body: Flat


@dataclass(frozen=True, slots=True)
class Carry:
    """What a fill has kept when it comes to the element."""

    step: int


Flat = (
    Num
    | Constant
    | Param
    | Base
    | FieldAt
    | Alive
    | KnownIn
    | Older
    | Same
    | Exists
    | Related
    | Op
    | Exist
    | Identical
    | Stands
    | Sum
    | Carry
)

YES, NO = Constant(True), Constant(False)


def both(*items: Flat) -> Flat:
    kept = tuple(i for i in items if i != YES)
    if NO in kept:
        return NO
    return YES if not kept else kept[0] if len(kept) == 1 else Op("and", kept)


def either(*items: Flat) -> Flat:
    kept = tuple(i for i in items if i != NO)
    if YES in kept:
        return YES
    return NO if not kept else kept[0] if len(kept) == 1 else Op("or", kept)


def negate(item: Flat) -> Flat:
    match item:
        case Constant(value):
            return Constant(not value)
        case Op("not", (inner,)):
            return inner
        case _:
            return Op("not", (item,))


def exists(element: Element) -> Flat:
    """The element is there: a question only of those that may be absent."""
    match element.kind:
        case "let" | "fresh":
            return Exists(element)
        case "head" | "bound" | "witness":
            return YES


def some(variable: Element, version: int, body: Flat) -> Flat:
    """Some element of the version satisfies the body.

    Bound variables are numbered by how deep the quantifiers below them go, so that what says the same is the same.
    """
    name = _bound(variable.label, body)
    return Exist(name, version, rename(body, {variable: name}))


def total(variable: Element, version: int, weight: Flat, body: Flat) -> Flat:
    """The weights of the version's elements that satisfy the body; the variable is numbered as in `some`."""
    name = _bound(variable.label, weight, body)
    return Sum(name, version, rename(weight, {variable: name}), rename(body, {variable: name}))


def _bound(label: str, *items: Flat) -> Element:
    return Element(-1 - max(_depth(i) for i in items), "bound", label)


def _depth(item: Flat) -> int:
    below = max((_depth(c) for c in children(item)), default=0)
    return below + 1 if isinstance(item, Exist | Sum) else below


def every(variable: Element, version: int, body: Flat) -> Flat:
    return negate(some(variable, version, negate(body)))


# ---------- versions


@dataclass(frozen=True, slots=True)
class Evicting:
    condition: Flat


@dataclass(frozen=True, slots=True)
class Setting:
    """`archive`: of archived elements, not of present ones."""

    condition: Flat
    updates: Mapping[str, Flat]
    archive: bool = False


@dataclass(frozen=True, slots=True)
class Readmitting:
    condition: Flat


@dataclass(frozen=True, slots=True)
class Inserting:
    """The fresh element is the mark's; it exists if the guard holds, which says that its place is somewhere, and a free
    choice says so if it `may` only. `condition` is over `HEAD`, read on the version with it in."""

    mark: Element
    where: Where
    beside: Element | None
    constraint: Flat
    may: bool = False
    condition: Flat = YES


@dataclass(frozen=True, slots=True)
class Filling:
    newest_first: bool
    scope: Flat
    weight: Flat
    cap: Flat


@dataclass(frozen=True, slots=True)
class Choosing:
    """The other version if the (closed) condition holds."""

    condition: Flat
    other: int


@dataclass(frozen=True, slots=True)
class Dropping:
    """Without the mark's element."""

    mark: Element


@dataclass(frozen=True, slots=True)
class Moving:
    """The same elements, in another order."""


@dataclass(frozen=True, slots=True)
class Recalling:
    """Every known element is present."""


@dataclass(frozen=True, slots=True)
class Rescoring:
    """The mark's element has other values in these fields."""

    mark: Element
    updates: Mapping[str, Flat]


Step = Evicting | Setting | Readmitting | Inserting | Filling | Choosing | Dropping | Moving | Recalling | Rescoring


@dataclass(frozen=True, slots=True)
class Version:
    """`parent` is the version it was made from, `guard` a closed condition without which nothing changed.

    `rule` is the statement, None for what a promise does to a window.
    """

    parent: int
    guard: Flat
    step: Step
    rule: RuleGround | None = None


@dataclass(frozen=True, slots=True)
class LetMark:
    """The first (or last) element that satisfies `condition` (over `HEAD`, membership included), if there is one."""

    mark: Element
    which: Which
    condition: Flat


# ---------- traversals


def children(item: Flat) -> tuple[Flat, ...]:
    match item:
        case Op(_, items):
            return items
        case Exist(_, _, body) | Identical(body) | Stands(_, _, _, body):
            return (body,)
        case Sum(_, _, weight, body):
            return (weight, body)
        case Num() | Constant() | Param() | Base() | FieldAt() | Alive() | KnownIn() | Older() | Same() | Exists():
            return ()
        case Related() | Carry():
            return ()


def rename(item: Flat, names: Mapping[Element, Element]) -> Flat:
    """The expression with elements replaced. None of the new ones is one that a quantifier in it binds (see `some`)."""

    def new(name: Element) -> Element:
        return names.get(name, name)

    match item:
        case Base(element, fact, kind):
            return Base(new(element), fact, kind)
        case FieldAt(element, field, version):
            return FieldAt(new(element), field, version)
        case Alive(element, version):
            return Alive(new(element), version)
        case KnownIn(element, version):
            return KnownIn(new(element), version)
        case Older(left, right):
            return Older(new(left), new(right))
        case Same(left, right):
            return Same(new(left), new(right))
        case Exists(mark):
            return Exists(new(mark))
        case Related(way, source, target):
            return Related(way, new(source), new(target))
        case Op(operator, items):
            return Op(operator, tuple(rename(i, names) for i in items))
        case Exist(variable, version, body):
            return Exist(variable, version, rename(body, names))
        case Identical(body):
            return Identical(rename(body, names))
        case Stands(left, right, version, body):
            return Stands(new(left), new(right), version, rename(body, names))
        case Sum(variable, version, weight, body):
            return Sum(variable, version, rename(weight, names), rename(body, names))
        case Num() | Constant() | Param() | Carry():
            return item


@by_identity
@by_identity
def free(item: Flat) -> frozenset[Element]:
    """The elements it speaks of. A carry belongs to the head."""
    match item:
        case Base(element) | FieldAt(element) | Alive(element) | KnownIn(element):
            return frozenset((element,))
        case Older(left, right) | Same(left, right):
            return frozenset((left, right))
        case Related(_, source, target):
            return frozenset((source, target))
        case Exists(mark):
            return frozenset((mark,))
        case Carry():
            return frozenset((HEAD,))
        case Op(_, items):
            return frozenset().union(*(free(i) for i in items))
        case Exist(variable, _, body):
            return free(body) - {variable}
        case Identical(body) | Stands(_, _, _, body):
            return free(body)
        case Sum(variable, _, weight, body):
            return (free(weight) | free(body)) - {variable}
        case Num() | Constant() | Param():
            return frozenset()


def walk(item: Flat) -> Iterator[Flat]:
    yield item
    for child in children(item):
        yield from walk(child)


def conjuncts(item: Flat) -> list[Flat]:
    match item:
        case Op("and", items):
            return [c for i in items for c in conjuncts(i)]
        case Constant(True):
            return []
        case Op("not", (Op("or", items),)):
            return [c for i in items for c in conjuncts(negate(i))]
        case Op("not", (Op("implies", (left, right)),)):
            return conjuncts(left) + conjuncts(negate(right))
        case Op("not", (Op("not", (inner,)),)):
            return conjuncts(inner)
        case Stands(_, _, _, body):
            return conjuncts(body)
        case _:
            return [item]


def show(item: Flat) -> str:
    """As a person reads it; versions in brackets."""
    match item:
        case Num(value, label):
            return label or str(value)
        case Constant(value):
            return str(value).lower()
        case Param(name):
            return name
        case Base(element, fact):
            return _fact(element.label, fact)
        case FieldAt(element, field, version):
            return f"{element.label}.{field}" + (f"[{version}]" if version else "")
        case Alive(element, version):
            return f"{element.label} in [{version}]"
        case KnownIn(element, version):
            return f"{element.label} known in [{version}]"
        case Older(left, right):
            return f"{left.label} before {right.label}"
        case Same(left, right):
            return f"{left.label} is {right.label}"
        case Exists(mark):
            return f"there is {mark.label}"
        case Related(way, source, target):
            return f"{source.label} {_way(way)} {target.label}"
        case Op("not", (Op("==", (left, right)),)):
            return f"({show(left)}) != ({show(right)})"
        case Op("not", (Op("and" | "or" | "implies") as inner,)):
            return f"not {show(inner)}"
        case Op("not", (inner,)):
            return f"not {show(inner)}"
        case Op("==" | "<" | "<=" as operator, (left, right)):
            return f"{show(left)} {operator} {show(right)}"
        case Op("ite", (c, a, b)):
            return f"(if {show(c)} then {show(a)} else {show(b)})"
        case Op(operator, items):
            return "(" + f" {operator} ".join(show(i) for i in items) + ")"
        case Exist(variable, version, body):
            place = f" in [{version}]" if version != EVERY else ""
            return f"some {variable.label}{place}: {show(body)}"
        case Identical(body):
            return show(body)
        case Stands(left, right, version):
            return f"{left.label} before {right.label} in [{version}]"
        case Sum(variable, version, Num(1, _), body):
            return f"count({variable.label} in [{version}]: {show(body)})"
        case Sum(variable, version, weight, body):
            return f"total({show(weight)} for {variable.label} in [{version}]: {show(body)})"
        case Carry(step):
            return f"kept so far by [{step}]"


def _fact(label: str, fact: Fact) -> str:
    match fact:
        case Born(name):
            return f"{label}.{name}"
        case Stays():
            return f"{label} in [0]"
        case Chosen(run, site, name):
            return f"{label}.choice {run} {site} {name}".rstrip()
        case Joined(way, other, forth):
            return f"{label} {_way(way)} {other.label}" if forth else f"{other.label} {_way(way)} {label}"
        case Circle(way):
            return f"{label} {_way(way)} {label}"
        case Touched(version):
            return f"{label} is concerned by [{version}]"
        case Overflowed(version):
            return f"{label} is lost by [{version}]"
        case KeptSoFar(version):
            return f"kept so far by [{version}]"


def _way(way: Way) -> str:
    return way.link if way.version is None else f"reaches along {way.link} in [{way.version}]"


Binder = Callable[[Element], Flat]
"""A condition on an element, given what it is called."""
