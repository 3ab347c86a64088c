"""From what is written to what it means: names, types and obligations, with every mistake reported at once."""

from __future__ import annotations

from selfedit_formal.language.resolve.load import load, load_text, obligation, subjects
from selfedit_formal.language.resolve.shipped import shipped_properties

__all__ = ["load", "load_text", "obligation", "shipped_properties", "subjects"]
