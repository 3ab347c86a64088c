"""Apply, or refuse and escalate: the one door through which an edit of a window goes.

What is applied is in the ledger before the new window is handed out; what is refused leaves the window as it was.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import field, replace
from typing import Generic, TypeVar

from selfedit_formal._frozen import dataclass
from selfedit_formal.runtime.gate.ledger import Entry, Overtaken, Receipt, Unwritten, is_text
from selfedit_formal.runtime.gate.plan import Delete, Edit, Merge, Move, Readmit, Rewrite, Unfit, described, perform
from selfedit_formal.runtime.gate.proposal import Policy, Proposal, Terms, differences, entries, propose, records, twice
from selfedit_formal.runtime.gate.rules import Concern, Rule, rules
from selfedit_formal.runtime.gate.spans import LiveSpan, Record, digest

S = TypeVar("S", bound=LiveSpan)

EDITS = (Delete, Merge, Move, Readmit, Rewrite)
SPAN = ("id", "content", "tag", "tokens", "links")
TRIALS = 2
"""How often a policy is run on its own result. Once sees that it would change it; twice, that it answers at random."""


@dataclass(frozen=True, slots=True)
class Objection:
    """A rule that was broken.

    `rule` is its file's name, `record` and `sentence` where it comes from, `promise` its name in `spec/` (or empty),
    `spans` the ids concerned, `what` what is wrong, `remedy` what to do, `lost` the spans that those concerned want,
    `freezes` whether the policy is frozen by it.
    """

    rule: str
    record: str
    sentence: str
    promise: str
    spans: tuple[str, ...]
    what: str
    remedy: str
    lost: tuple[str, ...] = ()
    freezes: bool = False


@dataclass(frozen=True, slots=True)
class Apply(Generic[S]):
    """The edit is recorded: here is the new window.

    `snapshot` is the address of the window before (`spans.digest`). `recorded` are the entries that were appended,
    with the ledger's receipt; both are empty if the edit changes nothing.
    """

    window: tuple[S, ...]
    snapshot: str
    recorded: tuple[Entry, ...] = ()
    receipt: Receipt | None = None


@dataclass(frozen=True, slots=True)
class Refuse(Generic[S]):
    """The edit is not applied: `window` is the one that was given, and every rule that was broken is named.

    `history` has what the ledger last said about the spans concerned, and those that they want. `receipt` is that of
    the refusal's own entries; None if it could not be recorded.
    """

    window: Sequence[S]
    snapshot: str
    objections: tuple[Objection, ...]
    proposal: Proposal
    plan: tuple[Edit[S], ...] = ()
    history: Mapping[str, Entry] = field(default_factory=dict)
    receipt: Receipt | None = None

    def message(self) -> dict[str, object]:
        """The proposed edit and what is wrong with it, for the supervisor, as what JSON can say."""
        proposed = self.proposal
        return {
            "decision": "refuse",
            "turn": proposed.terms.turn,
            "reason": proposed.terms.reason,
            "snapshot": self.snapshot,
            "plan": [described(e) for e in self.plan],
            "changes": {
                "remove": list(proposed.removed),
                "rewrite": list(proposed.rewritten),
                "add": list(proposed.added),
                "move": list(proposed.moved),
                "merge": dict(proposed.merged),
            },
            "objections": [
                {
                    "rule": o.rule,
                    "record": o.record,
                    "sentence": o.sentence,
                    "promise": o.promise,
                    "spans": list(o.spans),
                    "what": o.what,
                    "remedy": o.remedy,
                    "lost": list(o.lost),
                    "freezes": o.freezes,
                }
                for o in self.objections
            ],
            "history": {
                span: {"kind": e.kind, "reason": e.reason, "turn": e.turn, "into": e.into}
                for span, e in self.history.items()
            },
        }


def decide(
    window: Sequence[S],
    terms: Terms,
    *,
    plan: Sequence[Edit[S]] | None = None,
    output: Sequence[S] | None = None,
    policy: Policy[S] | None = None,
    trials: int = TRIALS,
) -> Apply[S] | Refuse[S]:
    """Whether the edit is applied, and the window that comes of it.

    The edit is a plan, or a window that somebody's policy put out, or (with neither) what the policy makes of the
    window. If the policy is given, it is run `trials` times on the result, each time anew, and must leave it alone; one
    that was frozen (`Terms.policy`) is not run. What it raises is not caught. Raises ValueError if two spans of the
    window have the same id, if no edit (or two) is given, if `trials` is less than 1, or if the policy's name is no
    text that can be recorded; and TypeError if a span of the window or the output, or a part of the plan, is none.
    """
    if (plan is not None) + (output is not None) > 1 or (plan is None and output is None and policy is None):
        raise ValueError("an edit is a plan, an output, or what a policy makes of the window")
    if trials < 1:
        raise ValueError("a policy is run on its own result at least once")
    if not is_text(terms.policy):
        raise ValueError("the policy's name is no text that can be recorded")
    for given in (window, output or ()):
        _are_spans(given)
    for edit in plan or ():
        if not isinstance(edit, EDITS):
            raise TypeError(f'a plan has edits such as `Delete("A")`, not {edit!r:.80}')
    before = records(window)
    if len(before) != len(window):
        raise ValueError(f"several spans of the window have the same id: {', '.join(twice([s.id for s in window]))}")
    snapshot = digest(before.items())
    proposal, after = _proposed(tuple(window), terms, before, plan, output, policy, trials)
    while True:
        try:
            head = terms.ledger.head() if terms.ledger is not None else None
            proposal = remembering(proposal)
            objections = examine(proposal)
            if objections:
                return _refused(window, snapshot, objections, proposal, tuple(plan or ()))
            recorded = tuple(entries(proposal))
            if not recorded or terms.ledger is None:
                return Apply(after, snapshot)
            return Apply(after, snapshot, recorded, terms.ledger.append(recorded, after=head))
        except Overtaken:
            continue
        except Unwritten as error:
            return Refuse(window, snapshot, (_unwritten(error),), proposal, tuple(plan or ()))


def _are_spans(spans: Sequence[object]) -> None:
    """Raises TypeError if one of them has not what a span has. One of each class is looked at."""
    for kind, span in {type(s): s for s in spans}.items():
        missing = [f"`{name}`" for name in SPAN if not hasattr(kind, name) and not hasattr(span, name)]
        if missing:
            has = ", ".join(f"`{name}`" for name in SPAN)
            message = f"a span has {has}, and this `{kind.__name__}` has no {', '.join(missing)}: {span!r:.80}"
            raise TypeError(f"{message}; `PlainSpan` is a span for those who have no class of their own")


def examine(proposal: Proposal) -> tuple[Objection, ...]:
    """Every rule that the proposal breaks. A plan that does not fit the window is examined no further."""
    broken = [(rule, concern) for rule in rules() for concern in [rule.refuse(proposal)] if concern is not None]
    if proposal.unfit is not None or proposal.altered:
        broken = [(rule, concern) for rule, concern in broken if rule.name in ("authorised", "plan_fits", "snapshot")]
    return tuple(_objection(rule, concern) for rule, concern in broken)


def override(terms: Terms, contents: Collection[str]) -> Receipt:
    """Records that these contents may come back (or be pruned once more), for the reason that the terms give.

    Not for the editor: an override is a turn of its own, of the user or the supervisor. Raises ValueError without a
    ledger, Unwritten if nothing could be recorded.
    """
    if terms.ledger is None:
        raise ValueError("an override needs a ledger")
    return terms.ledger.append([Entry("override", "", c, terms.reason, terms.turn) for c in contents])


# ---------- what is proposed


def _proposed(
    window: tuple[S, ...],
    terms: Terms,
    before: Mapping[str, Record],
    plan: Sequence[Edit[S]] | None,
    output: Sequence[S] | None,
    policy: Policy[S] | None,
    trials: int,
) -> tuple[Proposal, tuple[S, ...]]:
    merged: Mapping[str, str] = {}
    if policy is not None and _is_frozen(terms):
        return Proposal(terms, before, before), window
    linked = {} if policy is None else _linked(window)
    if plan is not None:
        match perform(window, plan):
            case Unfit() as unfit:
                return Proposal(terms, before, before, unfit=unfit), window
            case performed:
                after, merged = performed.window, performed.merged
    elif output is not None:
        after = tuple(output)
    else:
        assert policy is not None
        after = tuple(policy(window))
        altered = _altered(window, before, linked)
        if altered:
            return Proposal(terms, before, before, altered=altered), window
    proposal = propose(terms, window, before, after, merged)
    if policy is None or proposal.unfit is not None:
        return proposal, after

    results: list[tuple[LiveSpan, ...]] = []
    linked_after = _linked(after)
    for _ in range(trials):
        again = tuple(policy(after))
        altered = _altered(window, before, linked) + _altered(after, proposal.after, linked_after)
        if altered:
            return Proposal(terms, before, before, altered=tuple(dict.fromkeys(altered))), window
        results.append(again)
    changed = tuple(differences(after, r, before) for r in results)
    disagreeing = next((d for r in results[1:] for d in [differences(results[0], r, before)] if d), ())
    return replace(proposal, trials=changed, disagreeing=disagreeing), after


def _is_frozen(terms: Terms) -> bool:
    """Whether there is no use in running the policy. A ledger that cannot be read is found out later."""
    try:
        return bool(terms.policy) and terms.ledger is not None and terms.ledger.frozen(terms.policy) is not None
    except Unwritten:
        return False


_Linked = Mapping[int, list[tuple[str, tuple[str, ...]]]]


def _linked(window: tuple[LiveSpan, ...]) -> _Linked:
    """What each span points at now, by its place; nothing of those that point at none."""
    return {i: [(name, tuple(ids)) for name, ids in links.items()] for i, s in enumerate(window) if (links := s.links)}


def _altered(window: tuple[LiveSpan, ...], before: Mapping[str, Record], linked: _Linked) -> tuple[str, ...]:
    """The ids of spans whose record, or whose links, are not what they were."""
    now = _linked(window)
    if now == linked and all(
        s.id == i and (s.content, s.tag, s.tokens) == r for s, (i, r) in zip(window, before.items(), strict=True)
    ):
        return ()
    records_now = records(window)
    relinked = {i for place, i in enumerate(before) if now.get(place) != linked.get(place)}
    return tuple(s for s in before if records_now.get(s) != before[s] or s in relinked)


def remembering(proposal: Proposal) -> Proposal:
    """With what the ledger knows, now: of the contents that leave or come in, of what the editor wrote or gives as its
    reasons, and whether the policy is frozen."""
    terms = proposal.terms
    known, ledger, scoring = terms.known, terms.ledger, terms.scoring
    contents = {proposal.before[s][0] for s in proposal.lost}
    contents |= {proposal.after[s][0] for s in (*proposal.added, *proposal.rewritten)}
    own = sorted(filter(is_text, terms.rationale | (scoring.own if scoring is not None else frozenset())))
    return replace(
        proposal,
        pruned=known.tombstones(sorted(contents)) if known is not None and contents else {},
        written=ledger.about(own) if ledger is not None and own else {},
        frozen=ledger.frozen(terms.policy) if ledger is not None and terms.policy else None,
    )


# ---------- refusals


def _objection(rule: Rule, concern: Concern) -> Objection:
    return Objection(
        rule.name,
        rule.record,
        rule.sentence,
        rule.promise,
        concern.spans,
        concern.what,
        concern.remedy,
        concern.lost,
        rule.freezes,
    )


def _unwritten(error: Unwritten) -> Objection:
    """The ledger failed: what the rules `audited` and `ledger_outside` would say of one that is not there."""
    rule = next(r for r in rules() if r.name == "audited")
    concern = Concern((), f"the ledger cannot be used: {error}", "mend the ledger, and ask again")
    return _objection(rule, concern)


def _refused(
    window: Sequence[S],
    snapshot: str,
    objections: tuple[Objection, ...],
    proposal: Proposal,
    plan: tuple[Edit[S], ...],
) -> Refuse[S]:
    terms = proposal.terms
    receipt = None
    history: Mapping[str, Entry] = {}
    if terms.ledger is not None and terms.ledger.outside:
        lines = [
            Entry(
                "refuse",
                _sayable(span),
                _content(proposal, span),
                _sayable(f"{o.rule}: {o.what}"),
                terms.turn,
                terms.policy if o.freezes else "",
            )
            for o in objections
            for span in o.spans or ("",)
        ]
        try:
            history = terms.ledger.about(sorted({s for o in objections for s in (*o.spans, *o.lost) if is_text(s)}))
            receipt = terms.ledger.append(lines)
        except Unwritten:
            receipt = None
    return Refuse(window, snapshot, objections, proposal, plan, history, receipt)


def _sayable(text: str) -> str:
    """The text in one line, with what no ledger holds written out."""
    return " ".join(text.encode("utf-8", "backslashreplace").decode("utf-8").replace("\0", "\\0").split())


def _content(proposal: Proposal, span: str) -> str:
    record = proposal.before.get(span) or proposal.after.get(span)
    return _sayable(record[0]) if record is not None else ""
