"""What is proved for any number of turns, beside longer sessions than the proof ever looked at.

Sessions are drawn as text, with all that a turn may hold. A promise that is proved by induction is then asked of
sessions of more turns, on short windows through Z3 and at random through the interpreter.
"""

from __future__ import annotations

from random import Random

from selfedit_formal._frozen import dataclass
from selfedit_formal.core.property import Obligation
from selfedit_formal.core.verdict import Bounded as BoundedVerdict
from selfedit_formal.core.verdict import Failed, Proved, word
from selfedit_formal.engines import Found, Limits
from selfedit_formal.engines.bounded import BoundedRefuter
from selfedit_formal.engines.random import attack
from selfedit_formal.language.resolve import load_text
from selfedit_formal.semantics.interpreter import breaks
from selfedit_formal.verifying import turns
from selfedit_formal.verifying.verify import verify

NEAR = Limits(within=1, proof=8.0, turns=0)
"""The proof hardly sees a session, so that what is wrong with it is not found by looking."""
QUICK = Limits(within=1, proof=2.0, turns=0)
"""For many sessions in little time."""
FURTHER = (1, 2, 3)
"""Turns of the sessions that then try to break what was proved."""
SEARCH = 4.0

WINDOW = """
window Drawn {
  tag    : user | tool | note | tombstone | ledger
  tokens : int >= 1 <= 9
  a, b   : bool
  k      : key
  score  : int >= 0 <= 3 from query
  link l : user -> tool
  control s where s.tag == user
  assume no s in W: s.tag == note and s.b
}

predicate small(W) for Drawn = total(s.tokens: s in W) <= 6
"""

TRAPS = (
    ("s.tokens > 9", "{ tokens = 12 }"),
    ("s.tag == note and s.b", "{ tag = note, b }"),
    ("s.tag == note and some t: t l s", "{ tag = note }"),
    ("s.tokens < 1", "{ tokens = s.tokens - 1 }"),
)
"""What no window that a session starts from has, and what makes it true: a proof must not forget the second."""
CONDITIONS = (
    "true",
    "s.a",
    "not s.a",
    "s.b",
    "s.tag == tool",
    "s.tag == user and s.b",
    "s.tag in {tool, note}",
    "s.tokens > 4",
    "s.score < 2",
    "s.tag == tool and some t: t.tag == user and t l s",
    "no t: t after s",
    "count(t: t after s) >= 1",
    "s.a or s.tag == tombstone",
    "s.k == none",
    *(impossible for impossible, _ in TRAPS),
)
RECORDS = (
    "{ a }",
    "{ b }",
    "{ tag = note }",
    "{ tag = tool }",
    "{ tokens = 12 }",
    "{ tokens = any }",
    "{ k = any, b = any }",
)
FRESH = "{ tag = note, tokens = 2, not a, not b, k = none }"
STORES = (
    "none",
    "sidecar",
    "in_window { tag = tombstone, tokens = 1, not a, not b, k = none }",
)
PROMISES = (
    "no_thrash",
    "no_silent_readmission",
    "control_survives",
    "tombstoned",
    "audited",
    "ledger_outside",
    "bounded_growth(6)",
    "converges(1)",
    "no_cycle(2)",
    "small_numbers",
    "notes_plain",
    "tools_bound",
    "stays_small",
    "never_comes_back",
    "nothing_leaves",
    "few_notes",
)
OWN = """
property small_numbers(S: session) = always W: all {x} in known(W): {x}.tokens <= 9
property notes_plain(S: session) = always W: no {x} in W: {x}.tag == note and {x}.b
property tools_bound(S: session) = always W: all {x} in W, {y} in W where {x} l {y}: {y}.tag == tool
property stays_small(S: session) = always V then W: small(V) implies small(W)
property nothing_leaves(S: session) = always V then W: all {x} in V: {x} in W
property never_comes_back(S: session) = always V then W: all {x} in known(V) where not {x} in V: not {x} in W
property few_notes(S: session) = always W: count({x} in W: {x}.tag == note) <= 2
"""
NAMES = (
    "x",
    "y",
    "x_seen",
    "place_x",
    "m0",
    "arrived",
    "fresh_edits1_0",
    "a",
    "b",
    "k",
    "l",
    "tokens",
    "tool",
    "edits",
)
"""What the spans of promises and the `let`s of policies are called, each out of these."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of one seed. `unsound`: why a proof is wrong."""

    word: str
    unsound: str = ""


def text(seed: int) -> str:
    """A file with one session and one check."""
    random = Random(seed)

    def condition() -> str:
        return random.choice(CONDITIONS)

    free = list(random.sample(NAMES, len(NAMES)))

    def beside() -> str:
        """What stands to a definite span, that may be absent, as it says."""
        name = free.pop()
        let = f"let {name} = {random.choice(('first', 'last'))} s where {condition()}"
        place = random.choice(("at back", f"just after {name}", f"just before {name}"))
        move = f"move s where {condition()} {place}\n  " if random.random() < 0.5 else ""
        said = (
            f"evict s where {name} before s",
            f"evict s where not ({name} before s) and s != {name}",
            f"evict s where s == {name}",
            f"set s where count(t: not (t before {name}) and t != {name}) > 0 {random.choice(RECORDS)}",
            f"readmit s where {condition()} just after {name}",
            f"insert {FRESH} just before {name}",
        )
        return f"{let}\n  {move}{random.choice(said)}"

    def edit() -> str:
        if random.random() < 0.25:
            return beside()
        return random.choice(
            (
                f"evict s where {condition()}",
                f"evict s where {condition()}",
                f"may evict s where {condition()}",
                f"set s where {condition()} {random.choice(RECORDS)}",
                f"may set s where {condition()} {random.choice(RECORDS)}",
                f"readmit s where {condition()}",
                f"readmit s where {condition()} override",
                f"fill newest s where {condition()} by s.tokens up to 6",
                f"keep s where {condition()}",
                f"when some s: {condition()}",
                f"when count(s) > {random.randint(1, 3)}",
                f"insert {FRESH} at back",
                "gate preserves(small)",
            )
        )

    def world() -> str:
        return random.choice(
            (
                f"arrive s where {condition()}",
                "arrive s where s.tag == tool",
                f"may readmit s where {condition()}",
                f"may readmit s where {condition()} override",
                f"may set s where {condition()} {random.choice(RECORDS)}",
                f"evict s where {condition()}",
            )
        )

    promise = random.choice(PROMISES)
    edits = [edit() for _ in range(random.randint(1, 3))]
    if random.random() < 0.5:
        impossible, record = random.choice(TRAPS)
        edits = [f"evict s where {impossible}", f"set s where {condition()} {record}"]
        promise = random.choice((promise, "control_survives", "nothing_leaves"))
    policy = "\n".join(f"  {line}" for line in edits)
    turn = "\n".join(f"    {world()}" for _ in range(random.randint(0, 2)))
    ledger = random.choice(STORES).replace("tombstone", "ledger")
    x, y = random.sample(NAMES, 2)
    return f"""{WINDOW}{OWN.format(x=x, y=y)}
policy edits for Drawn {{
{policy}
}}

session drawn of Drawn {{
  each turn {{
{turn}
    apply edits
  }}
  tombstones {random.choice(STORES)}
  ledger {ledger}
}}

check drawn: {promise}
"""


def compare(seed: int, limits: Limits = NEAR) -> Outcome:
    """The verdict on one drawn session, and what longer ones say of it."""
    (asked,) = load_text(text(seed), f"session {seed}").obligations
    result = verify(asked, limits, vacuity=False, unanswered=None)
    verdict = result.verdict
    if isinstance(verdict, Failed):
        return Outcome("failed", verdict.message)
    if isinstance(verdict, Proved):
        return Outcome("proved", broken(asked))
    return Outcome("open" if isinstance(verdict, BoundedVerdict) else word(verdict))


def broken(asked: Obligation) -> str:
    """A session that breaks the promise, in words; empty if none was found."""
    for number in FURTHER:
        longer = turns.after(asked, number)
        answer = BoundedRefuter().solve(longer, Limits(within=2, search=SEARCH))
        case = answer.case if isinstance(answer, Found) else attack(longer, 4, 60)
        if case is not None and breaks(longer, case):
            return f"proved, but {number} turns break it: {case}"
    return ""
