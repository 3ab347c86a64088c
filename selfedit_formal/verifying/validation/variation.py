"""A window varied at random, a little at a time, so that what a policy does on long windows is met in many forms."""

from __future__ import annotations

from dataclasses import replace
from random import Random

from selfedit_formal.core.property import Case, Obligation
from selfedit_formal.core.window import Span, Window
from selfedit_formal.engines.random import draw_window
from selfedit_formal.semantics.reads import reads_archive

CHANGES = 3
"""How many changes a variation is away from its window, at most."""


def varied(obligation: Obligation, case: Case, random: Random, pool: tuple[int, ...]) -> Case:
    """The case with other input windows, a few changes away, and nothing bound or chosen; what is written out stays."""
    inputs = dict(case.inputs)
    for name in obligation.claim.inputs[obligation.fixed is not None :]:
        for _ in range(random.randint(0, CHANGES)):
            inputs[name] = _changed(obligation, inputs[name], random, pool)
    spans = {name: span for name, span in case.spans.items() if name in obligation.spans}
    return replace(case, inputs=inputs, spans=spans, choices={})


def _changed(obligation: Obligation, window: Window, random: Random, pool: tuple[int, ...]) -> Window:
    """The window with one span's record drawn anew, two spans at each other's place, or a link more or less."""
    if not window.spans:
        return window
    at = random.randrange(len(window.spans))
    spans, links = list(window.spans), set(window.links)
    match random.choice(("record", "record", "place", "links")):
        case "record":
            (drawn,) = draw_window(obligation.schema, 1, random, pool, False, "drawn").spans
            spans[at] = Span(spans[at].id, drawn.values)
        case "place":
            other = random.randrange(len(spans))
            spans[at], spans[other] = spans[other], spans[at]
        case _:
            for link in obligation.schema.links:
                end = random.choice(spans).id
                links ^= {(link.name, spans[at].id, end)} if end != spans[at].id else set()
    archived = window.archived
    if reads_archive(obligation) and random.random() < 0.2:
        archived = archived ^ {spans[at].id}
    tags = {s.id: s["tag"] for s in spans}
    fitting = frozenset(
        (link.name, a, b)
        for link in obligation.schema.links
        for name, a, b in links
        if name == link.name and link.admits(tags[a], tags[b])
    )
    return Window(window.schema, tuple(spans), archived, fitting, window.fresh)
