"""From the place where the parser stopped to a message in the user's words. One function a kind of mistake.

`Stop` carries the terminals that the parser could have taken there, the tokens before and the brackets still open.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise

from lark import Token

from selfedit_formal._frozen import dataclass
from selfedit_formal.core.diagnostics import Diagnostic, Location, Source
from selfedit_formal.language import foreign

DECLARATIONS = frozenset({"IMPORT", "WINDOW", "PREDICATE", "PROPERTY", "POLICY", "PLAN", "SESSION", "CHECK"})
MEMBERS = frozenset({"LINK", "CONTROL", "ASSUME", "UNIT"})
SESSION_MEMBERS = frozenset({"START", "EACH", "TOMBSTONES", "LEDGER", "INVARIANT"})
STATEMENTS = frozenset(
    {"_AT_ONCE", "WHEN", "KEEP", "MAY", "EVICT", "SET", "SUMMARIZE", "INSERT", "READMIT", "MOVE", "LET", "REFUSE"}
    | {"GATE", "APPLY", "IF", "REPEAT", "UNTIL", "FILL", "BECAUSE", "DELETE", "REWRITE", "MERGE", "ARRIVE"}
)
HEADS = frozenset({"SOME", "ALL", "NO", "IF", "FIRST", "LAST"})
VALUES = frozenset({"NAME", "INTEGER", "LPAR", "TRUE", "FALSE", "NONE", "COUNT", "TOTAL", "MINUS", "NOT"})
OPERATORS = frozenset(
    {"AND", "OR", "IMPLIES", "IFF", "COMPARISON", "EQUALITY", "PLUS", "MINUS", "STAR", "SLASH", "MOD", "PERCENT"}
    | {"BEFORE", "AFTER", "IN", "NOT", "REACHES", "DOT", "LSQB", "LPAR", "NAME", "CIRCUMFLEX"}
)
KINDS = frozenset({"INT", "POLICY", "PLAN", "SESSION", "PREDICATE", "SPAN", "WINDOW"})
# The kinds of parameters that a declaration cannot have, by its first word.
IMPOSSIBLE = {
    "POLICY": KINDS - {"INT"},
    "SESSION": KINDS - {"INT"},
    "PLAN": KINDS - {"INT", "SPAN"},
    "PREDICATE": KINDS - {"INT", "SPAN", "WINDOW"},
    "PROPERTY": KINDS & {"SPAN", "WINDOW"},
}
SELECTING = frozenset({"EVICT", "KEEP", "SET", "READMIT", "MOVE", "SUMMARIZE", "ARRIVE", "BECAUSE"})
CLOSING = {"LPAR": "RPAR", "LBRACE": "RBRACE", "LSQB": "RSQB"}

# What people write who come from another language.
CHARACTERS = {
    "&": "write `and`",
    "!": "write `not`, or `!=` for two values that differ",
    "\u201c": 'write straight quotes: `"`',
    "\u201d": 'write straight quotes: `"`',
    "\u2018": 'names have no quotes, and texts stand in straight ones: `"`',
    "\u2019": 'names have no quotes, and texts stand in straight ones: `"`',
    "'": 'texts stand in double quotes: `"`',
    "\u2264": "write `<=`",
    "\u2265": "write `>=`",
    "\u2260": "write `!=`",
    "\u2192": "write `->` between the tags of a link, and `implies` between conditions",
    "\u2212": "write `-`",
    "\u2013": "write `-`",
    "\u2014": "write `-`, or begin a comment with `#`",
    ";": "nothing stands between two statements but white space",
    "\0": "the file is not a text, or was damaged",
    "\u00a0": "this is a no-break space: write a plain one",
    "\ufeff": "this is a byte order mark: take it out",
    "$": "names are letters, digits and `_`",
    "@": "names are letters, digits and `_`",
    "\\": "a line needs no mark to go on in the next one",
}


@dataclass(frozen=True, slots=True)
class Stop:
    """Where the parser stopped. `token` is what it could not take: None at the end of the text.

    `accepted`: the terminals it could take. `tokens`: what it took of the declaration. `brackets`: those still open.
    `words`: terminals that are one fixed text each.
    """

    source: Source
    token: Token | None
    accepted: frozenset[str]
    tokens: Sequence[Token]
    brackets: Sequence[Token]
    words: Mapping[str, str]

    @property
    def last(self) -> Token | None:
        return self.tokens[-1] if self.tokens else None

    @property
    def location(self) -> Location:
        if self.token is not None:
            return at(self.source, self.token)
        lines = self.source.text.split("\n")
        used = [n for n, line in enumerate(lines, 1) if line.strip()]
        number = used[-1] if used else 1
        column = len(lines[number - 1].rstrip()) + 1
        return Location(self.source, number, column, number, column + 1)


def at(source: Source, token: Token) -> Location:
    """Where a token stands."""
    line, column = token.line or 1, token.column or 1
    return Location(source, line, column, token.end_line or line, token.end_column or column + 1)


def explain(stop: Stop) -> Diagnostic:
    """The diagnostic that says most about this stop."""
    for kind in (
        _condition_after_if,
        _nothing_said,
        _bracket,
        _always,
        _equals,
        _comment,
        _quotes,
        _names_in_braces,
        _colon,
        _nameless,
        _loop,
        _other_statement,
        _field_too_late,
        _needs_parentheses,
        _second_comparison,
        _misspelt,
        _reserved,
        _outside,
    ):
        found = kind(stop)
        if found is not None:
            return found
    return _unexpected(stop)


def character(source: Source, place: Location, text: str) -> Diagnostic:
    """A character that begins nothing; `text` is the rest of its line."""
    if text.startswith('"'):
        end = place.column + len(text.rstrip("\r"))
        place = Location(source, place.line, place.column, place.line, end)
        return Diagnostic("S003", "this text is not closed", place, 'a text ends with `"` on the line where it begins')
    shown = f"`{text[0]}`" if text[0].isprintable() and not text[0].isspace() else f"U+{ord(text[0]):04X}"
    hint = CHARACTERS.get(text[0])
    if hint is None and text[0].isalpha():
        hint = "names are letters from a to z, digits and `_`"
    return Diagnostic("S002", f"the character {shown} has no meaning here", place, hint)


def _bracket(stop: Stop) -> Diagnostic | None:
    token, innermost = stop.token, stop.brackets[-1] if stop.brackets else None
    if token is not None and token.type in CLOSING.values():
        if token.type not in {CLOSING[b.type] for b in stop.brackets}:
            return Diagnostic("S005", f"`{token}` closes nothing", stop.location, "take it out, or open it before")
        assert innermost is not None
        if CLOSING[innermost.type] != token.type:
            return _unclosed(stop.source, innermost, f"before this `{token}`", stop.location)
        return None
    if innermost is None:
        return None
    if token is None:
        return _unclosed(stop.source, innermost, "before the text ends", None)
    if token.type in DECLARATIONS and _first_on_its_line(stop.source, token):
        return _unclosed(stop.source, innermost, "before the next declaration", stop.location)
    return None


def _unclosed(source: Source, bracket: Token, when: str, place: Location | None) -> Diagnostic:
    closing = {"(": ")", "{": "}", "[": "]"}[str(bracket)]
    notes = () if place is None else (("here it should be closed already", place),)
    return Diagnostic(
        "S004", f"`{bracket}` is not closed {when}", at(source, bracket), f"write `{closing}` where it ends", notes
    )


def _always(stop: Stop) -> Diagnostic | None:
    """`always`, `never` or `at most once` somewhere else than in front of a property: then a word was a name."""
    recent = stop.tokens[-6:]
    names = [str(t) if t.type == "NAME" else "" for t in recent]
    for number, token in enumerate(recent):
        most = names[number : number + 3] == ["at", "most", "once"]
        if most or (names[number] in ("always", "never") and any(names[number + 1 : number + 2])):
            shown = "at most once" if most else str(token)
            message = f"`{shown}` stands at the front of a session's promise, and nowhere else"
            hint = f"write `property name(S: session) = {shown} …`"
            return Diagnostic("S008", message, at(stop.source, token), hint)
    return None


def _equals(stop: Stop) -> Diagnostic | None:
    if stop.token == "=" and "EQUALITY" in stop.accepted:
        return Diagnostic("S006", "`=` gives a value, and here two are compared", stop.location, "write `==`")
    last = stop.last
    if stop.token == "=" and last == "=" and last.end_pos == stop.token.start_pos:
        place = replace(stop.location, column=stop.location.column - 1)
        return Diagnostic("S006", "`==` compares two values, and here one is given", place, "write `=`")
    return None


def _found(stop: Stop, token: Token, hint: str) -> Diagnostic:
    """What was expected and found, with what to write in its place."""
    wanted = expected(stop.accepted - _impossible(stop), stop.words)
    return Diagnostic("S001", f"expected {wanted}, found `{_cut(token)}`", at(stop.source, token), hint)


def _cut(token: Token) -> str:
    return str(token) if len(token) <= 40 else f"{token[:37]}..."


def _impossible(stop: Stop) -> frozenset[str]:
    """The kinds that no parameter of this declaration can be of."""
    if not stop.accepted >= KINDS or not stop.tokens:
        return frozenset()
    return IMPOSSIBLE.get(stop.tokens[0].type, frozenset())


def _statement(stop: Stop) -> int | None:
    """Where in the tokens the statement begins that the parser is in."""
    depth = 0
    for number in range(len(stop.tokens) - 1, 0, -1):
        kind = stop.tokens[number].type
        depth += (kind in CLOSING.values()) - (kind in CLOSING)
        if depth < 0 or (depth == 0 and kind == "RBRACE"):
            return None
        if depth == 0 and kind in STATEMENTS:
            return number
    return None


def _condition_after_if(stop: Stop) -> Diagnostic | None:
    """`evict s if c`: the `if` was read as the next statement."""
    begins = _statement(stop)
    if begins is None or begins < 2 or "LBRACE" not in stop.accepted or stop.token == "[":
        return None
    verb, name, word = stop.tokens[begins - 2 : begins + 1]
    if word.type != "IF" or verb.type not in SELECTING or name.type != "NAME" or word.line != name.line:
        return None
    hint = f"which spans it is about is said with `where`: `{verb} {name} where …`"
    return Diagnostic("S001", "`if` begins a statement of its own", at(stop.source, word), hint)


def _nothing_said(stop: Stop) -> Diagnostic | None:
    """A `set` without a record, a `summarize` without `into`: told where they stand, not where the next one does."""
    begins = _statement(stop)
    if begins is None or not (stop.token is None or stop.token.type in STATEMENTS | {"RBRACE"}):
        return None
    verb = stop.tokens[begins]
    if verb.type in ("SET", "REWRITE") and "LBRACE" in stop.accepted:
        says, hint = "which fields it changes", f"write them in braces: `{verb} s where … {{ pinned, tokens = 0 }}`"
    elif verb.type == "SUMMARIZE" and {"INTO"} & stop.accepted:
        says, hint = "what it puts in", "write it behind `into`: `summarize s where … into { tag = … }`"
    else:
        return None
    return Diagnostic("S001", f"this `{verb}` does not say {says}", at(stop.source, verb), hint)


def _comment(stop: Stop) -> Diagnostic | None:
    """`//` or `/*`; of two slashes the first may have been taken for a division."""
    if stop.token is None or stop.token.type not in ("STAR", "SLASH") or stop.token.start_pos is None:
        return None
    around = stop.source.text[max(stop.token.start_pos - 1, 0) : stop.token.start_pos + 2]
    if "//" in around or "/*" in around:
        hint = "comments begin with `#`; division is `/` inside `floor(…)` or `ceil(…)`"
    elif "**" in around:
        hint = "there are no powers"
    else:
        return None
    return _found(stop, stop.token, hint)


def _quotes(stop: Stop) -> Diagnostic | None:
    """A text where a value or a name should stand."""
    if stop.token is None or stop.token.type != "STRING" or not {"NAME", "COUNT"} & stop.accepted:
        return None
    inside = stop.token.strip('"')
    hint = "texts in quotes stand behind `because` and `import` only"
    return _found(stop, stop.token, f"names take no quotes: `{inside}`" if inside.isidentifier() else hint)


def _names_in_braces(stop: Stop) -> Diagnostic | None:
    """`in [a, b]` and `in (a, b)`."""
    token, opening = stop.token, stop.token
    if token == "," and stop.brackets and stop.brackets[-1] == "(" and stop.brackets[-1] in stop.tokens:
        opening = stop.brackets[-1]
    if token is None or opening is None or opening.start_pos is None or opening not in ("[", "("):
        return None
    before = [t for t in stop.tokens if t.start_pos is not None and t.start_pos < opening.start_pos]
    if not before or before[-1].type != "IN":
        return None
    inside = stop.source.text[opening.start_pos + 1 :].split("\n")[0].split({"[": "]", "(": ")"}[str(opening)])[0]
    return _found(stop, opening, f"several names stand in braces: `in {{{inside.strip()}}}`")


def _colon(stop: Stop) -> Diagnostic | None:
    """A quantifier that goes on without its colon."""
    if stop.token is None or "COLON" not in stop.accepted:
        return None
    heads = [n for n, t in enumerate(stop.tokens) if t.type in ("SOME", "ALL", "NO")]
    if not heads or any(t.type in ("COLON", "COUNT", "TOTAL") for t in stop.tokens[heads[-1] :]):
        return None
    head, last = stop.tokens[heads[-1]], stop.tokens[-1]
    shown = " ".join(stop.source.text[head.start_pos : last.end_pos].split())
    shown = shown if len(shown) <= 40 else f"{head} …"
    message = f"expected `:`, found `{_cut(stop.token)}`"
    return Diagnostic("S001", message, stop.location, f"what it says of the spans stands behind a `:`: `{shown}: …`")


def _nameless(stop: Stop) -> Diagnostic | None:
    """`just before first s where …`, `evict last x`, `count(archived s)`: these take names."""
    tokens = (*stop.tokens[-6:], *((stop.token,) if stop.token is not None else ()))
    for number, token in enumerate(tokens):
        before = [t.type for t in tokens[:number]]
        picks = str(token) in ("first", "last", "if")
        if before[-2:] in (["JUST", "BEFORE"], ["JUST", "AFTER"]) and (picks or token == "("):
            message = f"`just {tokens[number - 1]}` takes a name, and `{token}` begins an expression"
            name = f"let cut = {'first' if token == '(' else token} s where …"
            hint = f"name it first: `{name}`, and then `just {tokens[number - 1]} cut`"
            return Diagnostic("S010", message, at(stop.source, token), hint)
        if before and before[-1] in SELECTING and picks and token != "if" and number >= len(tokens) - 2:
            hint = f"name it first: `let x = {token} s where …`, and then `{tokens[number - 1]} x`"
            return _no_name(stop, token, hint)
        if before and before[-1] in SELECTING and token in ("all", "some", "no"):
            hint = f"it is about all spans that meet its condition: `{tokens[number - 1]} s where …`"
            return _no_name(stop, token, hint)
        if before[-2:] == ["COUNT", "LPAR"] and token == "archived":
            return _no_name(
                stop, token, "name them first: `let gone = archived s where …`, and then `count(s in gone)`"
            )
    return None


def _loop(stop: Stop) -> Diagnostic | None:
    """`else if`, and a loop that does not say how often."""
    token, last = stop.token, stop.last
    if token is None or last is None:
        return None
    if token == "if" and last.type == "ELSE":
        return _found(stop, token, "write `else { if … { … } }`")
    if last.type == "REPEAT" and "INTEGER" in stop.accepted:
        return _found(stop, token, "say how often at most: `repeat 10 while total(s.tokens) > 100 { … }`")
    return None


def _other_statement(stop: Stop) -> Diagnostic | None:
    """A statement of another language."""
    hint = None if stop.token is None else foreign.STATEMENTS.get(str(stop.token))
    if stop.token is None or hint is None or not stop.accepted >= STATEMENTS:
        return None
    return _found(stop, stop.token, hint)


def _field_too_late(stop: Stop) -> Diagnostic | None:
    """A field after a link or control; its name may have been read as a link's (`… system tokens`)."""
    if not stop.tokens or stop.tokens[0].type != "WINDOW" or len(stop.brackets) != 1 or str(stop.brackets[0]) != "{":
        return None
    members = [t for t in stop.tokens if t.type in MEMBERS]
    last = stop.last
    if not members or last is None:
        return None
    if stop.token is not None and stop.token.type == "NAME" and stop.accepted >= MEMBERS:
        name = stop.token
    elif stop.token is not None and stop.token.type in ("COLON", "COMMA") and last.type == "NAME":
        name = last
    else:
        return None
    if not _first_on_its_line(stop.source, name):
        return None
    hint = f"put the fields first, before this `{members[0]}`"
    note = (("the first line that is not a field is here", at(stop.source, members[0])),)
    return Diagnostic("S009", f"the field `{name}` stands too late", at(stop.source, name), hint, note)


def _needs_parentheses(stop: Stop) -> Diagnostic | None:
    """A quantifier, `if`, pick or `not` as an operand. Its word was taken for a name, and the parser stopped later."""
    words = {stop.words[t] for t in HEADS | {"NOT"}}
    before = {"COMPARISON", "EQUALITY", "PLUS", "MINUS", "STAR", "SLASH", "MOD", "BEFORE", "AFTER"}
    recent = stop.tokens[-6:]
    for operator, token in pairwise(recent):
        if operator.type in before and token.type == "NAME" and str(token) in words:
            hint = f"put it in parentheses: `({token} …)`"
            message = f"`{token}` cannot stand right after `{operator}`"
            return Diagnostic("S011", message, at(stop.source, token), hint)
    return None


def _second_comparison(stop: Stop) -> Diagnostic | None:
    token = stop.token
    comparisons = {"COMPARISON", "EQUALITY", "BEFORE", "AFTER", "IN", "REACHES"}
    if token is None or token.type not in comparisons or token.type in stop.accepted or "AND" not in stop.accepted:
        return None
    hint = "join two comparisons with `and`: `a < b and b < c`"
    return Diagnostic("S012", f"a second comparison, `{token}`, follows the first", stop.location, hint)


def _misspelt(stop: Stop) -> Diagnostic | None:
    """A word near one that could stand there. It may have been taken for a name: then it begins the line."""
    token = stop.token
    if token is not None and token.type == "NAME":
        near = _near(token, (stop.words[t] for t in stop.accepted if t in stop.words))
        if near is not None:
            return _did_you_mean(stop, token, near)
    if token is None:
        return None
    began = next((t for t in stop.tokens if t.line == token.line and _first_on_its_line(stop.source, t)), None)
    if began is not None and began.type == "NAME" and stop.brackets and str(began) not in stop.words.values():
        kinds = {"WINDOW": MEMBERS, "SESSION": SESSION_MEMBERS | STATEMENTS}.get(stop.tokens[0].type, STATEMENTS)
        near = _near(began, (stop.words[t] for t in kinds if t in stop.words))
        if near is not None:
            return _did_you_mean(stop, began, near)
    return None


def _near(token: Token, words: Iterable[str]) -> str | None:
    found = difflib.get_close_matches(token.lower(), [w for w in words if w.isalpha()], 1, 0.7)
    return found[0] if found else None


def _did_you_mean(stop: Stop, token: Token, near: str) -> Diagnostic:
    return Diagnostic("S007", f"unknown word `{token}`", at(stop.source, token), f"did you mean `{near}`?")


def _reserved(stop: Stop) -> Diagnostic | None:
    """A word of the language where a name should be."""
    taken = stop.last
    words = set(stop.words.values())
    if stop.token is not None and stop.token.isalpha() and str(stop.token) in words and "NAME" in stop.accepted:
        return None if stop.accepted & OPERATORS - {"NAME"} else _no_name(stop, stop.token)
    if taken is not None and taken.type == "NAME" and str(taken) in words:
        return _no_name(stop, taken)
    return None


def _no_name(stop: Stop, token: Token, hint: str = "put a name before it, or choose another one") -> Diagnostic:
    message = f"`{token}` is a word of the language, and here a name should stand"
    return Diagnostic("S010", message, at(stop.source, token), hint)


def _outside(stop: Stop) -> Diagnostic | None:
    token = stop.token
    if token is None or not stop.accepted >= DECLARATIONS:
        return None
    if token.type in STATEMENTS:
        hint = "statements stand between the braces of a policy or plan"
    elif token.type in MEMBERS:
        hint = "links, controls, assumptions and units stand between the braces of a window"
    elif token.type in SESSION_MEMBERS:
        hint = "`start`, `each turn`, `tombstones`, `ledger` and `invariant` stand between the braces of a session"
    else:
        return None
    return Diagnostic("S001", f"`{token}` stands outside of every declaration", stop.location, hint)


def _unexpected(stop: Stop) -> Diagnostic:
    wanted = expected(stop.accepted - _impossible(stop), stop.words)
    if stop.token is None:
        return Diagnostic("S014", f"the text ends where {wanted} should follow", stop.location)
    hint = None
    if stop.token.type == "INTEGER" and [t.type for t in stop.tokens[-2:]] == ["INTEGER", "DOT"]:
        hint = "numbers are whole: for a part of something write `30% of x`"
    elif stop.accepted >= SESSION_MEMBERS and stop.token.type in STATEMENTS:
        hint = "what happens in a turn stands in `each turn { … }`"
    elif stop.token == "|" and "AND" in stop.accepted:
        hint = "write `or`"
    elif stop.token in (":", ".") and {"EQUAL", "COMPARISON"} <= stop.accepted:
        last = "tokens" if stop.token == "." else stop.last
        hint = f"a record has fields alone, and `=` gives each a value: `{{ {last} = 0 }}`"
    elif stop.last is not None and stop.last.type in ("COUNT", "TOTAL") and stop.token != "(":
        hint = "write `count(t)`, or `count(t: t.pinned)`" if stop.last == "count" else "write `total(t.tokens)`"
    elif stop.token == ":" and (called := _called(stop)) is not None:
        hint = f"write `{foreign.FUNCTIONS[called]}`" if called in foreign.FUNCTIONS else None
    elif stop.token.type in ("ASSUMING", "WITHIN", "EXPECT") and stop.tokens and stop.tokens[0].type == "CHECK":
        hint = "the order is `check P: promise assuming … within 3 spans expect proved`"
    return Diagnostic("S001", f"expected {wanted}, found `{_cut(stop.token)}`", stop.location, hint)


def _called(stop: Stop) -> str | None:
    """The name before the innermost open bracket, or before the last name: of `len(t:` and of `exists t:`."""
    if stop.brackets and stop.brackets[-1] == "(":
        place = next(n for n, t in enumerate(stop.tokens) if t.start_pos == stop.brackets[-1].start_pos)
        if place and str(stop.tokens[place - 1]) in foreign.FUNCTIONS:
            return str(stop.tokens[place - 1])
    recent = [str(t) for t in stop.tokens[-5:]]
    return next((w for w in reversed(recent) if w in foreign.FUNCTIONS), None)


def expected(accepted: frozenset[str], words: Mapping[str, str]) -> str:
    """What could stand there, in words, at most six of them."""
    phrases: list[str] = []
    left = set(accepted)

    def take(kinds: frozenset[str], phrase: str) -> None:
        phrases.append(phrase)
        left.difference_update(kinds)

    declaration = left >= DECLARATIONS
    if declaration:
        left -= DECLARATIONS | {"$END"}
    if left >= STATEMENTS:
        take(STATEMENTS, "a statement")
    if {"COUNT", "TOTAL"} <= left:
        take(VALUES | HEADS | {"COUNT", "TOTAL"}, "an expression")
    if {"EQUALITY", "AND"} & left:
        take(OPERATORS, "an operator")
    if left >= MEMBERS:
        take(MEMBERS, "a link, control, assumption or unit")
    if left >= SESSION_MEMBERS:
        take(SESSION_MEMBERS, "a part of a session")
    for terminal, phrase in (("NAME", "a name"), ("INTEGER", "a number"), ("STRING", "a text in quotes")):
        if terminal in left:
            take(frozenset({terminal}), phrase)
    if "COMPARISON" in left:
        take(frozenset({"COMPARISON"}), "a comparison such as `<=`")
    if "EQUALITY" in left:
        take(frozenset({"EQUALITY"}), "`==` or `!=`")
    if "$END" in left:
        take(frozenset({"$END"}), "the end of the text")
    literal = sorted((words[t] for t in left if t in words), key=lambda w: (w.isalpha(), w))
    phrases += [f"`{word}`" for word in literal]
    phrases = [*phrases[:5], "a declaration"] if declaration else phrases[:6]
    return phrases[0] if len(phrases) == 1 else f"{', '.join(phrases[:-1])} or {phrases[-1]}"


def _first_on_its_line(source: Source, token: Token) -> bool:
    start = token.start_pos or 0
    return not source.text[source.text.rfind("\n", 0, start) + 1 : start].strip()
