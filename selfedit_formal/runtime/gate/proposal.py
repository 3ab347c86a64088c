"""What is proposed, as facts that rules read: what an edit would change, and on which terms it is asked for."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Collection, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import field
from itertools import pairwise
from operator import is_
from typing import TypeVar

from selfedit_formal._frozen import dataclass
from selfedit_formal.runtime.gate.ledger import Entry, Kind, Ledger, Tombstone, Tombstones, is_text
from selfedit_formal.runtime.gate.plan import Unfit
from selfedit_formal.runtime.gate.spans import COVERS, LiveSpan, Record, says_nothing

S = TypeVar("S", bound=LiveSpan)
Policy = Callable[[Sequence[S]], Sequence[S]]

CONTROL_TAGS = frozenset(
    {
        "system",
        "constraint",
        "instruction",
        "invariant",
        "system_policy",
        "scoring_rubric",
        "query_anchor",
        "eviction_log_ptr",
    }
)
"""The tags that R0 and R2 name, and that of the system prompt."""


@dataclass(frozen=True, slots=True)
class Control:
    """The control set C: what governs pruning or binds the agent.

    In the window: spans with one of these tags or ids. `outside` names what is held out of the window, by whoever an
    edit is escalated to.
    """

    tags: frozenset[str] = CONTROL_TAGS
    ids: frozenset[str] = frozenset()
    outside: frozenset[str] = frozenset()

    def has(self, span: str, record: Record) -> bool:
        """Whether a span of the window is one of them."""
        return record[1] in self.tags or span in self.ids


@dataclass(frozen=True, slots=True)
class Scoring:
    """What is known of the relevance scores that an edit goes by.

    `scores`: of each span that was scored, None where the scorer gave nothing. `depends`: of a span, the other spans
    whose presence its score depends on. `own`: the scored spans that the editor itself wrote in this turn or the one
    before. `feeds_back`: the scorer read its own answers in the call that made them.
    """

    scores: Mapping[str, float | None]
    depends: Mapping[str, Collection[str]] = field(default_factory=dict)
    own: frozenset[str] = frozenset()
    feeds_back: bool = False


@dataclass(frozen=True, slots=True)
class Terms:
    """On which terms an edit is asked for.

    `reason`: one line. `rationale`: ids of the spans that argue for the edit; one that is not in the window is safe.
    `candidates`: the prunable set P, the spans that the editor might have changed; None if only what it does change is
    known. `tombstones`: where it is known what was pruned, if not in the ledger itself. `ground`: tags of spans that
    need no reason; None if nothing is to be traced back to them. `order_free`: tags of spans that mean the same
    wherever they stand. `recoverable`: the contents that can be had back from outside the window; None if that is not
    known. `policy`: the name (and version) of the policy that edits, by which it is frozen; empty if it has none.
    """

    turn: int
    reason: str
    ledger: Ledger | None
    rationale: frozenset[str] = frozenset()
    control: Control = Control()
    candidates: frozenset[str] | None = None
    scoring: Scoring | None = None
    tombstones: Tombstones | None = None
    authorised: bool = True
    ground: frozenset[str] | None = None
    order_free: frozenset[str] = frozenset()
    recoverable: Container[str] | None = None
    policy: str = ""

    @property
    def known(self) -> Tombstones | None:
        """Where it is known what was pruned."""
        return self.tombstones if self.tombstones is not None else self.ledger


@dataclass(frozen=True, slots=True)
class Proposal:
    """What an edit would do to a window.

    `before` and `after` are in order. `removed` are in window order, `merged` says into which new span some of them
    went, `rewritten` have another record or other links, `emptied` are those of them that say nothing any more, `added`
    were not there, `moved` are the fewest spans whose moving explains the order of those kept. `links` are pairs of ids
    by name: those of the spans before, and of the ones added; `standing` those of the spans after.
    `pruned` has the tombstones of every content that leaves or comes in, `written` the last edits of spans that the
    editor wrote or gives as its reasons, `frozen` the refusal that froze the policy. `trials`: for each time that the
    policy was run on the result, the spans that it changed. `disagreeing`: the spans on which two such runs differ.
    `altered`: the spans of the window that the policy changed in place.
    """

    terms: Terms
    before: Mapping[str, Record]
    after: Mapping[str, Record]
    removed: tuple[str, ...] = ()
    rewritten: tuple[str, ...] = ()
    emptied: tuple[str, ...] = ()
    added: tuple[str, ...] = ()
    moved: tuple[str, ...] = ()
    merged: Mapping[str, str] = field(default_factory=dict)
    links: Mapping[str, tuple[tuple[str, str], ...]] = field(default_factory=dict)
    standing: Mapping[str, tuple[tuple[str, str], ...]] = field(default_factory=dict)
    control: tuple[str, ...] = ()
    pruned: Mapping[str, Tombstone] = field(default_factory=dict)
    written: Mapping[str, Entry] = field(default_factory=dict)
    frozen: Entry | None = None
    unfit: Unfit | None = None
    trials: tuple[tuple[str, ...], ...] = ()
    disagreeing: tuple[str, ...] = ()
    altered: tuple[str, ...] = ()

    @property
    def changed(self) -> tuple[str, ...]:
        """The spans of the window that leave or get another record."""
        return self.removed + self.rewritten

    @property
    def changes(self) -> bool:
        """Whether anything at all is changed."""
        return bool(self.removed or self.rewritten or self.added or self.moved)

    @property
    def lost(self) -> tuple[str, ...]:
        """The spans of which nothing is left: those that leave, and those that are rewritten to nothing."""
        return self.removed + self.emptied

    def pairs(self, link: str) -> tuple[tuple[str, str], ...]:
        """The links of that name, none from a span to itself."""
        return self.links.get(link, ())

    def pairs_after(self, link: str) -> tuple[tuple[str, str], ...]:
        """Those that there are after the edit, between spans that say something."""
        pairs, empty = self.standing.get(link, ()), set(self.emptied)
        return tuple(p for p in pairs if empty.isdisjoint(p)) if empty else pairs


# ---------- the facts

_Compared = tuple[dict[str, Record], tuple[str, ...], tuple[str, ...], tuple[str, ...], tuple[str, ...]]


def records(spans: Iterable[LiveSpan]) -> dict[str, Record]:
    """The record of each span, in order. Of two spans with the same id, the last (`twice` names them)."""
    return {s.id: (s.content, s.tag, s.tokens) for s in spans}


def twice(ids: Sequence[str]) -> tuple[str, ...]:
    """The ids that are there more than once."""
    return tuple(i for i, times in Counter(ids).items() if times > 1)


def propose(
    terms: Terms,
    window: Sequence[LiveSpan],
    before: Mapping[str, Record],
    output: Sequence[LiveSpan],
    merged: Mapping[str, str],
) -> Proposal:
    """What turning the window, whose records are `before`, into the output changes.

    `merged` says where the plan merges spans; where it does not, an added span that `covers` removed ones does.
    """
    compared = _compared(window, before, output)
    if compared is None:
        doubled = twice([s.id for s in output])
        return Proposal(
            terms,
            before,
            records(output),
            unfit=Unfit(doubled, f"the output has several spans `{'`, `'.join(doubled)}`"),
        )
    after, removed, rewritten, added, moved = compared
    recorded = [(s, before[s][0]) for s in (*removed, *rewritten, *moved)]
    recorded += [(s, after[s][0]) for s in (*rewritten, *added)]
    unsaid = tuple(dict.fromkeys(s for s, content in recorded if not (is_text(s) and is_text(content))))
    if unsaid:
        return Proposal(terms, before, after, unfit=Unfit(unsaid, "an id or a content is no text that can be recorded"))
    new = set(added)
    links = _links([*window, *(s for s in output if s.id in new)] if new else window)
    # The links of what stays as it was are those it had, and need no second look.
    changed = bool(removed or rewritten or new)
    standing = _links(output) if changed else links
    gone = set(removed)
    covering = {t: m for m, t in links.get(COVERS, ()) if t in gone and m not in before}
    return Proposal(
        terms=terms,
        before=before,
        after=after,
        removed=removed,
        rewritten=rewritten,
        emptied=tuple(s for s in rewritten if says_nothing(after[s]) and not says_nothing(before[s])),
        added=added,
        moved=moved,
        merged={s: into for s, into in {**covering, **merged}.items() if s in gone and into in after},
        links={name: tuple(pairs) for name, pairs in links.items()},
        standing={name: tuple(pairs) for name, pairs in standing.items()},
        control=_control(terms.control, before),
    )


def _compared(window: Sequence[LiveSpan], before: Mapping[str, Record], output: Sequence[LiveSpan]) -> _Compared | None:
    """The window's records after, and the ids of the spans that leave, get another record, come in, and move.

    None if the output has a span twice.
    """
    in_order = _compared_in_order(window, before, output)
    if in_order is not None:
        return in_order
    after = records(output)
    if len(after) != len(output):
        return None
    linked = {s.id: s for s in window}
    return (
        after,
        tuple(s for s in before if s not in after),
        tuple(
            s.id for s in output if s.id in before and (after[s.id] != before[s.id] or not same_links(s, linked[s.id]))
        ),
        tuple(s for s in after if s not in before),
        out_of_place([s for s in after if s in before], before),
    )


def _compared_in_order(
    window: Sequence[LiveSpan], before: Mapping[str, Record], output: Sequence[LiveSpan]
) -> _Compared | None:
    """The same where no span moves, in one walk along both; None if one does, or is there twice.

    Ids are looked up only where the two differ: in a large window each look-up misses the processor's cache.
    """
    ids = list(before)
    removed: list[str] = []
    rewritten: dict[str, Record] = {}
    added: dict[str, Record] = {}
    place, end = 0, len(ids)
    for span in output:
        if place < end and span is window[place]:
            place += 1
            continue
        identity = span.id
        if place == end or identity != ids[place]:
            if identity not in before:
                if identity in added:
                    return None
                added[identity] = (span.content, span.tag, span.tokens)
                continue
            while place < end and identity != ids[place]:
                removed.append(ids[place])
                place += 1
            if place == end:
                return None
        if span is not window[place]:
            record = (span.content, span.tag, span.tokens)
            if record != before[identity] or not same_links(span, window[place]):
                rewritten[identity] = record
        place += 1
    removed += ids[place:]
    if added:
        changed = {**rewritten, **added}
        after = {s.id: changed.get(s.id) or before[s.id] for s in output}
    else:
        after = {**before, **rewritten}
        for identity in removed:
            del after[identity]
    return after, tuple(removed), tuple(rewritten), tuple(added), ()


def same_links(one: LiveSpan, other: LiveSpan) -> bool:
    """Whether they point at the same spans."""
    if one is other or one.links is other.links:
        return True
    links, others = ({name: set(ids) for name, ids in s.links.items() if ids} for s in (one, other))
    return links == others


def _links(spans: Sequence[LiveSpan]) -> dict[str, list[tuple[str, str]]]:
    """The links of the spans by name, none from a span to itself."""
    links: dict[str, list[tuple[str, str]]] = {}
    for span in spans:
        named = span.links
        if named:
            source = span.id
            for name, targets in named.items():
                pairs = links.setdefault(name, [])
                for target in targets:
                    if target != source:
                        pairs.append((source, target))
    return links


def _control(control: Control, before: Mapping[str, Record]) -> tuple[str, ...]:
    return tuple(s for s, record in before.items() if control.has(s, record))


def out_of_place(order: Sequence[str], before: Iterable[str]) -> tuple[str, ...]:
    """The fewest of these spans, in order, without which the others stand as they stood before."""
    positions = {s: p for p, s in enumerate(before)}
    places = [positions[s] for s in order]
    if all(a < b for a, b in pairwise(places)):
        return ()
    # The longest rising subsequence: `ends[n]` is the smallest end of one of length n + 1.
    ends: list[int] = []
    at: list[int] = []
    previous: list[int] = []
    for index, place in enumerate(places):
        length = bisect_left(ends, place)
        if length < len(ends):
            ends[length], at[length] = place, index
        else:
            ends.append(place)
            at.append(index)
        previous.append(at[length - 1] if length else -1)
    staying: set[int] = set()
    index = at[-1]
    while index >= 0:
        staying.add(index)
        index = previous[index]
    return tuple(s for i, s in enumerate(order) if i not in staying)


def differences(result: Sequence[LiveSpan], again: Sequence[LiveSpan], known: Mapping[str, Record]) -> tuple[str, ...]:
    """The spans that show that the two windows are not equal; none if a reader cannot tell them apart.

    Equal are two sequences with the same span, or in both a span that is not `known`, at each position, and with equal
    records.
    """
    if len(result) == len(again) and all(map(is_, result, again)):
        return ()
    first, second = records(result), records(again)
    if len(second) != len(again):
        return twice([s.id for s in again])
    if len(first) == len(second) and all(
        r == q and (s == t or (s not in known and t not in known))
        for (s, r), (t, q) in zip(first.items(), second.items(), strict=True)
    ):
        return ()
    changed = [s for s in first if second.get(s) != first[s]] + [s for s in second if s not in first]
    return tuple(changed) or out_of_place(list(second), first)


def still_said(proposal: Proposal) -> dict[str, str]:
    """Of each content of a span that is lost, and that another span still has afterwards, the first such span."""
    contents = {proposal.before[s][0] for s in proposal.lost}
    staying: dict[str, str] = {}
    if contents:
        for span, record in proposal.after.items():
            if record[0] in contents:
                staying.setdefault(record[0], span)
    return staying


def entries(proposal: Proposal) -> Iterator[Entry]:
    """What the ledger is to say of the edit."""
    terms, before, after = proposal.terms, proposal.before, proposal.after
    staying = still_said(proposal)

    def entry(kind: Kind, span: str, content: str, into: str = "") -> Entry:
        return Entry(kind, span, content, terms.reason, terms.turn, into)

    for span in proposal.removed:
        content = before[span][0]
        if span in proposal.merged:
            yield entry("merge", span, content, proposal.merged[span])
        else:
            yield entry("evict", span, content, staying.get(content, ""))
    empty = set(proposal.emptied)
    for span in proposal.emptied:
        yield entry("evict", span, before[span][0], staying.get(before[span][0], ""))
    for span in proposal.rewritten:
        if span not in empty:
            yield entry("rewrite", span, before[span][0], after[span][0])
    for span in proposal.added:
        if after[span][0] in proposal.pruned:
            yield entry("readmit", span, after[span][0])
    for span in proposal.moved:
        yield entry("move", span, before[span][0])
