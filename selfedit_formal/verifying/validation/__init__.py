"""Claims held against the other meaning: proofs before they are shown, and long windows that break a promise, on the
same road.

`opening` makes parameters of the numbers that windows are measured with. `semantics.symbolic.cases` finds short windows
that break what is open, `padding` makes them long enough for the numbers as written, and `trial` asks what proved the
claim about them.
"""
