"""A trace as one small query over marks, or as a scan over the window: constrained Horn clauses over one predicate.

A *mark* is a distinguished element: a witness of an existential, a `let`-bound span, a fresh span. A *rigid* is a
value guessed at the start of the scan and never changed. The state of the scan: parameters, rigids, which marks were
passed, and an accumulator for each count, total or "some" that is read. Three conditions describe it: `init`, `step`
(one element) and `fin`; `next` gives each state variable's next value. Z3 knows all of it by names that a counter
makes, the same for the same obligation; `legend` says what they stand for.

`compilation` puts the parts together: `symbols` are names, `elements` what is so of an element before any edit,
`versions` what is so of it after each, `values` what a term is there, `aggregates` what quantifiers and sums are,
`polarity` what follows from a condition, `demands` what all of it must satisfy; of that `query` and `scan` are made.

NOTE(over-approximation): every run of the policy on every window is a run of the scan: take for the rigids the true
values, for the marks the true witnesses, for the free variables the true truth values. So if no scan ends in `fin`,
no window breaks the promise. The converse holds only if `approximations` is empty and there are no `products`,
and nothing is ever refuted here.
"""

from __future__ import annotations

from selfedit_formal.engines.unbounded.compiler.elements import ElementView
from selfedit_formal.engines.unbounded.compiler.mode import LeftOut, Mode
from selfedit_formal.engines.unbounded.compiler.query import Query, compile_query
from selfedit_formal.engines.unbounded.compiler.scan import Scan, compile_scan

__all__ = ["ElementView", "LeftOut", "Mode", "Query", "Scan", "compile_query", "compile_scan"]
