"""The files of `grammars/` and `spec/`, whether we run from a wheel or from a checkout.

Both folders live at the top of the repository; the wheel carries them inside the package (`force-include` in
pyproject.toml). An editable install and a bare checkout read them in place.
"""

from __future__ import annotations

from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Literal


def folder(name: Literal["grammars", "spec"]) -> Traversable:
    """One of the two folders that ship with the tool."""
    packaged = files("selfedit_formal").joinpath(name)
    return packaged if packaged.is_dir() else Path(__file__).parents[1] / name
