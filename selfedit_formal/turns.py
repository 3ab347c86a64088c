"""A claim about a session as plain claims that engines answer: after so many turns, and by induction over turns."""

from __future__ import annotations
