"""What there is to read about a word, a promise, a verdict, …: pages and sections of `spec/`, as text.

A kind of topics has titles, and a text for each. The title of a section may have several words in it, and each of them
leads there. Nothing is parsed.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from importlib.resources.abc import Traversable

from selfedit_formal._frozen import dataclass
from selfedit_formal._resources import folder


@dataclass(frozen=True, slots=True)
class Kind:
    """Topics of one kind: their titles, and the text of each, which ends in a line break."""

    name: str
    titles: Callable[[], tuple[str, ...]]
    text: Callable[[str], str]


def topics() -> dict[str, tuple[str, ...]]:
    """Everything there is something to read about: the titles, by kind."""
    return {kind.name: kind.titles() for kind in KINDS}


def explain(topic: str) -> str | None:
    """All there is to read about the topic, ending in a line break; None if there is nothing."""
    wanted = topic.casefold()
    found = [(kind, title) for kind in KINDS for title in kind.titles() if wanted in map(str.casefold, _names(title))]
    if len(found) > 1:  # `gate` is a word, and `gate.md` a page
        found = [(kind, title) for kind, title in found if kind is not PAGES or wanted == title]
    return "\n".join(kind.text(title) for kind, title in found) or None


def everything() -> Iterator[str]:
    """All there is to read, each text once: whole pages, then what has a page of its own."""
    for kind in (PAGES, PROMISES, DIAGNOSTICS):
        for title in kind.titles():
            yield kind.text(title)


def summaries() -> Iterator[tuple[str, str, str]]:
    """Of each topic its kind, its title and what its text says first."""
    for kind in KINDS:
        for title in kind.titles():
            yield kind.name, title, _summary(kind.text(title), title)


def nearest(topic: str) -> tuple[str, ...]:
    """The topics whose names come closest, best first."""
    from difflib import get_close_matches

    names = {n.casefold(): n for kind in KINDS for title in kind.titles() for n in _names(title)}
    return tuple(names[n] for n in get_close_matches(topic.casefold(), names, n=3, cutoff=0.6))


def _names(title: str) -> frozenset[str]:
    """What leads to a title: itself, its parts, and the words of these."""
    parts = _parts(title)
    return frozenset({title, title.removesuffix(".md"), *parts, *(w for p in parts for w in p.split())})


def _parts(title: str) -> tuple[str, ...]:
    return tuple(p.strip() for p in re.split("[,:…]", title))


def _summary(text: str, title: str) -> str:
    """The title of a page; the first sentence of a section."""
    head = re.match(r"# (?:\w+: )?(.*)", text)
    if head is not None:
        return head[1]
    paragraphs = (p for p in text.split("\n\n") if not p.startswith((">", title)))
    return re.split(r"(?<=\.)\s", " ".join(next(paragraphs, "").split()), maxsplit=1)[0]


# ---------- where they are read


@cache
def _page(name: str) -> str:
    return folder("spec").joinpath(name).read_text(encoding="utf-8")


def _stems(files: Iterable[Traversable], suffix: str) -> tuple[str, ...]:
    return tuple(sorted(f.name.removesuffix(suffix) for f in files if f.name.endswith(suffix)))


@cache
def _sections(page: str, mark: str, chapter: str = "") -> dict[str, str]:
    """The sections below headings with this mark, in order; of the chapter that is named, or of all."""
    found: dict[str, list[str]] = {}
    here, title, fenced = not chapter, "", False
    for line in _page(page).splitlines():
        fenced ^= line.startswith("```")
        level, _, text = line.partition(" ")
        heading = not fenced and re.fullmatch("##+", level) is not None
        if heading and level == "##":
            here, title = chapter in ("", text), ""
        if heading and level == mark and here:
            title = text
            found[title] = []
        elif title:
            found[title].append(line)
    return {t: "\n".join(lines).strip() for t, lines in found.items()}


def _section(page: str, mark: str, what: str, title: str, chapter: str = "") -> str:
    return f"{title}{what}\n\n{_sections(page, mark, chapter)[title]}\n"


def _word(title: str) -> str:
    """What can be written, and then what it means."""
    meanings = _sections("semantics.md", "###", "Statements").items()
    meant = [text for heading, text in meanings if _parts(title)[0] in _parts(heading)]
    return (
        "\n\n".join([f"{title}\n", *[_sections("language.md", "###")[title]], *meant]).replace("\n\n\n", "\n\n") + "\n"
    )


def _promise(name: str) -> str:
    """The documentation without its marks, then the formula; so for the promise of policies and that of sessions."""
    text = _page(f"properties/{name}.sef")
    return "\n".join(_documented(part) for part in re.split(r"\n\n(?=##)", text.rstrip()))


def _documented(text: str) -> str:
    texts = [re.sub(r"^## ?", "", line) if line.startswith("##") else line for line in text.split("\n")]
    start = next((n for n, line in enumerate(texts) if line.startswith("property ")), len(texts))
    said = "\n".join(texts[:start]).strip()
    return f"{said}\n\n" + "\n".join(f"    {line}".rstrip() for line in texts[start:]) + "\n"


PROMISES = Kind("promises", lambda: _stems(folder("spec").joinpath("properties").iterdir(), ".sef"), _promise)
DIAGNOSTICS = Kind(
    "diagnostics",
    lambda: tuple(
        n for n in _stems(folder("spec").joinpath("diagnostics").iterdir(), ".md") if re.fullmatch("[A-Z][0-9]{3}", n)
    ),
    lambda title: _page(f"diagnostics/{title}.md"),
)
PAGES = Kind("pages", lambda: tuple(f"{n}.md" for n in _stems(folder("spec").iterdir(), ".md")), _page)
KINDS = (
    Kind(
        "verdicts",
        lambda: tuple(n for n in _sections("verdicts.md", "##") if n.islower()),
        lambda title: _section("verdicts.md", "##", "", title),
    ),
    Kind("words", lambda: tuple(_sections("language.md", "###")), _word),
    PROMISES,
    Kind(
        "signals",
        lambda: tuple(_sections("signals.md", "###")),
        lambda title: _section("signals.md", "###", ": a signal of a session", title),
    ),
    Kind(
        "rules",
        lambda: tuple(_sections("gate.md", "###", "The rules")),
        lambda title: _section("gate.md", "###", ": a rule of the gate at run time", title, "The rules"),
    ),
    DIAGNOSTICS,
    PAGES,
)
