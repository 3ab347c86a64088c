"""What the core means, as Z3 terms over windows with a fixed number of spans: the interpreter's cases, in its order."""

from selfedit_formal.semantics.symbolic.encoding import Encoding, encode, query, smt2

__all__ = ["Encoding", "encode", "query", "smt2"]
