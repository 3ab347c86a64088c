"""What a diagnostic code, a promise or a verdict means: a page of `spec/`, read as text (nothing is parsed)."""

from __future__ import annotations

import re
from collections.abc import Iterable
from importlib.resources.abc import Traversable

from selfedit_formal._resources import folder

CODE = re.compile(r"[A-Z][0-9]{3}")


def topics() -> dict[str, tuple[str, ...]]:
    """Everything there is a page for, by kind, sorted."""
    spec = folder("spec")
    return {
        "verdicts": tuple(n for n in _sections() if n.islower()),
        "promises": _stems(spec.joinpath("properties").iterdir(), ".sef"),
        "codes": tuple(n for n in _stems(spec.joinpath("diagnostics").iterdir(), ".md") if CODE.fullmatch(n)),
    }


def explain(topic: str) -> str | None:
    """The page, ending in a line break; None if there is none."""
    known = topics()
    spec = folder("spec")
    if topic.upper() in known["codes"]:
        return spec.joinpath("diagnostics", f"{topic.upper()}.md").read_text(encoding="utf-8")
    if topic.lower() in known["verdicts"]:
        return f"{topic.lower()}\n\n{_sections()[topic.lower()]}\n"
    if topic in known["promises"]:
        return _promise(spec.joinpath("properties", f"{topic}.sef").read_text(encoding="utf-8"))
    return None


def nearest(topic: str) -> tuple[str, ...]:
    """The topics whose names come closest, best first."""
    from difflib import get_close_matches

    names = {n.lower(): n for group in topics().values() for n in group}
    return tuple(names[n] for n in get_close_matches(topic.lower(), names, n=3, cutoff=0.5))


def _stems(files: Iterable[Traversable], suffix: str) -> tuple[str, ...]:
    return tuple(sorted(f.name.removesuffix(suffix) for f in files if f.name.endswith(suffix)))


def _sections() -> dict[str, str]:
    text = folder("spec").joinpath("verdicts.md").read_text(encoding="utf-8")
    parts = (part.partition("\n") for part in text.split("\n## ")[1:])
    return {name.strip(): body.strip() for name, _, body in parts}


def _promise(text: str) -> str:
    """The documentation without its marks, then the formula; so for the promise of policies and that of sessions."""
    return "\n".join(_documented(part) for part in re.split(r"\n\n(?=##)", text.rstrip()))


def _documented(text: str) -> str:
    lines = [re.sub(r"^## ?", "", line) if line.startswith("##") else line for line in text.split("\n")]
    start = next((n for n, line in enumerate(lines) if line.startswith("property ")), len(lines))
    said = "\n".join(lines[:start]).strip()
    return f"{said}\n\n" + "\n".join(f"    {line}".rstrip() for line in lines[start:]) + "\n"
