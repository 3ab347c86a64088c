"""Windows and plans drawn at random, as `.sef` text, and what the interpreter and the gate make of each."""

from __future__ import annotations

from dataclasses import dataclass, replace

from hypothesis import strategies as st

from selfedit_formal.core.window import Window
from selfedit_formal.engines import Found, Limits, NoneFound, Refuter
from selfedit_formal.engines.enumerate import Enumerate
from selfedit_formal.gate import Control, Entry, MemoryLedger, PlainSpan, Terms, spans_of
from selfedit_formal.language.module import Module
from selfedit_formal.language.resolve import load_text, obligation
from selfedit_formal.runtime.gate.decision import remembering
from selfedit_formal.runtime.gate.proposal import Proposal, propose, records
from selfedit_formal.semantics.interpreter import Given, apply

SCHEMA = """
window Live {
  tag      : constraint | instruction | tool_output | rationale | summary | tombstone
  tokens   : int >= 0 <= 9
  content  : key
  stale    : bool
  unscored : bool
  link justifies
  link precedes
  link overlaps
  control s where s.tag in {constraint, instruction}
}

predicate needs_no_reason(s) for Live = s.tag == instruction

property sequence_survives(P: policy) =
  all W, a in W, b in W where a precedes b: a in P(W) and b in P(W) and a before b in P(W)

## What `overlap_kept` of the gate refuses: that of R0 asks for the spans that the rationale points at, and lets them be
## rewritten.
property overlaps_unchanged(P: policy) =
  all W, r in W, s in W
    where rationale(P, r, W) and not rationale(P, s, W) and (r overlaps s or s overlaps r):
    s in P(W) and P(W)[s] == W[s]

property overlap_kept(P: policy) =
  all W, r in W, s in W where rationale(P, r, W) and not rationale(P, s, W) and r overlaps s: s in P(W)

property tombstones_unchanged(P: policy) =
  all W, s in W where s.tag == tombstone: s in P(W) and P(W)[s] == W[s]

property unscored_stay(P: policy) = all W, s in W where s.unscored: s in P(W)
"""

SCORED = SCHEMA.replace("  unscored : bool\n", "  unscored : bool\n  score    : int >= 0 <= 3 from query\n")
"""The same with a score from outside."""

CONTROL = Control()
ENUMERATE = Enumerate()
TAGS = ("constraint", "instruction", "tool_output", "rationale", "summary", "tombstone")
KINDS = ("delete", "rewrite", "merge", "move", "readmit")
NAMES = ("A", "B", "C", "D", "E")


@st.composite
def windows(draw: st.DrawFn, *, archive: bool = True, scored: bool = False) -> str:
    """A window of two to five spans with distinct contents, some archived, some linked, with scores or without."""
    chance = draw(st.randoms(use_true_random=True))
    names = NAMES[: chance.randint(2, 5)]
    lines = []
    for name in names:
        archived = "archived " if archive and chance.random() < 0.3 else ""
        flags = "".join(f", {flag}" for flag in ("stale", "unscored") if chance.random() < 0.5)
        flags += f", score = {chance.randint(0, 3)}" if scored else ""
        tag, tokens = chance.choice(TAGS), chance.randint(0, 2)
        lines.append(f"  {archived}{name}: {tag} {{ tokens = {tokens}, content = k{name}{flags} }}")
    pairs = [(a, b) for a in names for b in names if a != b]
    for link in ("justifies", "precedes", "overlaps"):
        for a, b in chance.sample(pairs, chance.randint(0, min(5, len(pairs)))):
            lines.append(f"  {a} {link} {b}")
    return "window w of Live = [\n" + "\n".join(lines) + "\n]\n"


@st.composite
def plans(draw: st.DrawFn, window: str, kinds: tuple[str, ...] = KINDS) -> str:
    """A plan of up to three edits on spans of the window, and perhaps a rationale."""
    chance = draw(st.randoms(use_true_random=True))
    archived = [n for n in NAMES if f"  archived {n}:" in window]
    present = [n for n in NAMES if f"  {n}:" in window]
    lines = []
    if present and chance.random() < 0.7:
        lines.append(f"because {chance.choice(present)}")
    for number in range(chance.randint(1, 3)):
        kind = chance.choice(kinds)
        if kind == "readmit" and archived:
            back = archived.pop(chance.randrange(len(archived)))
            lines.append(f"readmit {back}{chance.choice(['', ' override'])}")
        elif kind == "merge" and len(present) > 1:
            some = chance.sample(present, chance.randint(2, min(3, len(present))))
            lines.append(f"merge {', '.join(some)} into {{ tag = summary, tokens = 1, content = none }}")
        elif kind == "move" and len(present) > 1:
            one, other = chance.sample(present, 2)
            lines.append(f"move {one} {chance.choice(['at front', 'at back', f'just before {other}'])}")
        elif kind == "rewrite" and present:
            lines.append(f"rewrite {chance.choice(present)} {{ tokens = {5 + number} }}")
        elif kind == "delete" and present:
            lines.append(f"delete {chance.choice(present)}")
    return "plan p on w {\n" + "\n".join(f"  {line}" for line in dict.fromkeys(lines)) + "\n}\n"


@dataclass(frozen=True, repr=False)
class Drawn:
    """A window and a plan (or policy) `p` on it, loaded, and the window after one pass."""

    text: str
    module: Module
    before: Window
    after: Window

    def __repr__(self) -> str:
        return self.text

    def holds(self, promise: str, engine: Refuter = ENUMERATE) -> bool:
        """Whether the plan keeps the promise on this window, as the interpreter (or another engine) says."""
        claim = replace(obligation(self.module, "p", promise), fixed=self.before)
        answer = engine.solve(claim, Limits(within=1))
        assert isinstance(answer, Found | NoneFound), answer
        return isinstance(answer, NoneFound)

    def ledger(self) -> MemoryLedger:
        """What is archived was evicted earlier; an override in the plan stands for one that was given."""
        known = {s.id: s for s in spans_of(replace(self.before, archived=frozenset()))}
        ledger = MemoryLedger()
        ledger.append([Entry("evict", s, known[s].content, "earlier", 1) for s in sorted(self.before.archived)])
        overridden = [s for s in sorted(self.before.archived) if f"readmit {s} override" in self.text]
        ledger.append([Entry("override", s, known[s].content, "needed again", 2) for s in overridden])
        return ledger

    def terms(self, control: Control = CONTROL) -> Terms:
        rationale = {line.split()[1] for line in self.text.splitlines() if line.startswith("  because")}
        return Terms(3, "drawn", self.ledger(), frozenset(rationale), control, ground=frozenset({"instruction"}))

    def windows(self) -> tuple[tuple[PlainSpan, ...], tuple[PlainSpan, ...]]:
        """The window before and after, as an agent has them."""
        return spans_of(self.before), spans_of(self.after)

    def proposal(self, control: Control = CONTROL) -> Proposal:
        """What the gate makes of the two windows."""
        before, after = self.windows()
        return remembering(propose(self.terms(control), before, records(before), after, {}))


def drawn(text: str, schema: str = SCHEMA) -> Drawn:
    """The text loaded and run."""
    module = load_text(schema + text)
    policy, window = module.policies["p"], module.windows["w"]
    done = apply(policy, window, {}, {s: s for s in policy.spans}, Given())
    return Drawn(text, module, window, done.after)
