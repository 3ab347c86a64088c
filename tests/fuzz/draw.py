"""Random policies and promises of the core, by seed: the same seed draws the same obligation, wherever it is drawn."""

from __future__ import annotations

from dataclasses import replace
from random import Random

from selfedit_formal.core import expression as e
from selfedit_formal.core import policy as p
from selfedit_formal.core.property import Obligation
from tests.fuzz.drawer import (
    CLAIMS,
    LIVED,
    MORE_CLAIMS,
    MOVE_CLAIMS,
    PARAMETERS,
    PLAN,
    SCHEMA,
    TIGHT,
    TURN_CLAIMS,
    Drawer,
    Mover,
    Turner,
    W,
    Wider,
)
from tests.fuzz.names import colliding
from tests.fuzz.pointed import pointed
from tests.fuzz.strange import strange

WIDE = 1_000_000
"""Seeds from here on draw of more constructs, windows with tighter bounds, and plans."""
TURNS = 2_000_000
"""Seeds from here on draw what sessions are made of: passes of several policies in turn, spans that may come, changes
of what left, fields that no reader sees."""
MOVES = 3_000_000
"""Seeds from here on draw policies that also move spans and bring them back elsewhere, and ask about orders."""
STRANGE = 4_000_000
"""Seeds from here on draw what is rare by itself: names that collide, windows made of windows, gates that try things
out, absent spans, names of several fields."""
POINTED = 5_000_000
"""Seeds from here on draw the same, in short policies that do one such thing and promises that hang on it."""
KINDS = (0, WIDE, TURNS, MOVES, STRANGE, POINTED)
COLLIDING = 0.4
"""The share of the seeds below that whose names collide too; of those above, as many as do not."""


def obligation(seed: int) -> Obligation:
    """A policy of one to four statements and one of the promises of `drawer` or `strange`."""
    asked = with_names_of_its_own(seed)
    random = Random(f"names {seed}")
    share = 1 - COLLIDING if seed >= STRANGE else COLLIDING
    return colliding(asked, random) if random.random() < share else asked


def with_names_of_its_own(seed: int) -> Obligation:
    """The same before any of its names collide: each is bound once."""
    random = Random(seed)
    kinds = ((POINTED, pointed), (STRANGE, strange), (MOVES, _moves), (TURNS, _turns), (WIDE, _wide), (0, _plain))
    return next(kind for start, kind in kinds if seed >= start)(seed, random)


def _plain(seed: int, random: Random) -> Obligation:
    drawer = Drawer(random)
    policy = drawer.policy()
    name = random.choice(sorted(CLAIMS))
    claim = CLAIMS[name](drawer)
    return Obligation(f"{seed}: {name}", SCHEMA, (policy,), name, claim, parameters=PARAMETERS)


def _wide(seed: int, random: Random) -> Obligation:
    drawer = Wider(random)
    spans = PLAN if random.random() < 0.3 else ()
    drawer.spans += spans
    policy = replace(drawer.policy(), schema=TIGHT, spans=spans)
    claims = CLAIMS | MORE_CLAIMS
    name = random.choice(sorted(claims))
    claim = claims[name](drawer)
    parameters = (p.ParameterDeclaration("k", 0, random.choice((None, 2))), p.ParameterDeclaration("cap", 0))
    return Obligation(f"{seed}: {name}", TIGHT, (policy,), name, claim, parameters=parameters, spans=spans)


def _turns(seed: int, random: Random) -> Obligation:
    drawer = Turner(random)
    policies = tuple(
        replace(drawer.begin().policy(), name=name, schema=LIVED, gates=())
        for name in random.choice(("P", "PE", "PEB"))
    )
    last: e.WindowTerm = W
    for policy in policies:
        last = e.Pass(policy.name, "", last)
    name = random.choice(sorted(TURN_CLAIMS))
    claim = TURN_CLAIMS[name](drawer.begin(), last)
    return Obligation(f"{seed}: {name}", LIVED, policies, name, claim, parameters=PARAMETERS)


def _moves(seed: int, random: Random) -> Obligation:
    drawer = Mover(random)
    policy = drawer.policy()
    name = random.choice(sorted(MOVE_CLAIMS))
    claim = MOVE_CLAIMS[name](drawer)
    return Obligation(f"{seed}: {name}", SCHEMA, (policy,), name, claim, parameters=PARAMETERS)
