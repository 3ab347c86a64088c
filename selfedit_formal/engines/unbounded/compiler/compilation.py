"""One obligation being compiled: the parts of the compiler, each with a state of its own, and what they all read."""

from __future__ import annotations

import z3

from selfedit_formal.core.budget import Work
from selfedit_formal.core.property import Obligation
from selfedit_formal.engines.unbounded.compiler.aggregates import Aggregates
from selfedit_formal.engines.unbounded.compiler.demands import Demands
from selfedit_formal.engines.unbounded.compiler.elements import Elements
from selfedit_formal.engines.unbounded.compiler.mode import Mode
from selfedit_formal.engines.unbounded.compiler.polarity import Polarity
from selfedit_formal.engines.unbounded.compiler.symbols import Symbols
from selfedit_formal.engines.unbounded.compiler.values import Values
from selfedit_formal.engines.unbounded.compiler.versions import Versions
from selfedit_formal.engines.unbounded.flatten import flatten
from selfedit_formal.engines.unbounded.ir import Inserting
from selfedit_formal.engines.unbounded.terms import INT
from selfedit_formal.semantics.reads import reads_archive


class Compilation:
    """`inserts` are the marks of fresh spans, with the versions that put them in. `approximations` say, for people,
    what is not exact."""

    def __init__(self, obligation: Obligation, mode: Mode, tracked: bool, work: Work) -> None:
        self.obligation, self.mode, self.work, self.schema = obligation, mode, work, obligation.schema
        self.trace = flatten(obligation, work)
        self.archive = reads_archive(obligation)
        self.approximations: list[str] = list(self.trace.approximations)
        self.inserts = {
            s.step.mark: v for v, s in enumerate(self.trace.versions) if v and isinstance(s.step, Inserting)
        }
        self.symbols = Symbols(tracked)
        self.parameters: dict[str, z3.ArithRef] = {p.name: self.symbols.symbol("p", INT) for p in obligation.parameters}
        self.elements = Elements(self)
        self.versions = Versions(self)
        self.values = Values(self)
        self.aggregates = Aggregates(self)
        self.polarity = Polarity(self)
        self.demands = Demands(self)
        self.demands.make()
