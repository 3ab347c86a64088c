"""What commands read: files and folders of them, and which of their promises are asked for."""

from __future__ import annotations

from pathlib import Path

import pytest

from selfedit_formal.cli import _loading
from selfedit_formal.core.diagnostics import Diagnostic, Rejected
from selfedit_formal.language.module import Module
from tests.cli.command import selfedit


@pytest.mark.parametrize("command", ["check", "witness", "format"])
def test_a_missing_path_and_an_empty_folder_are_said_together(
    capsys: pytest.CaptureFixture[str], here: Path, command: str
) -> None:
    (here / "empty").mkdir()
    done = selfedit(capsys, command, "gone.sef", "empty")
    assert (done.code, done.out) == (2, "")
    assert "gone.sef" in done.err
    assert "error[E004]: no .sef file in the folder `empty`" in done.err


TWO = """\
window Log { tag : rule | dump }
predicate ruled(W) = some s in W: s.tag == rule
policy drop(k: int) for Log { when count(s) > k evict s where s.tag == dump }
policy hide for Log { evict s where s.tag == rule }
session loop of Log { each turn { apply hide } }
check drop(k = 3): preserves(ruled)
check hide: preserves(ruled)  expect refuted
"""
BARE = "window Bare { tag : a }\n"


def written(folder: Path, *names: str, text: str = TWO) -> None:
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")


def told(error: Rejected) -> list[str]:
    return [f"{d.code} {d.message}" for d in error.diagnostics]


# ---------- files


def test_files_are_found_in_the_order_they_are_named_and_those_of_a_folder_sorted(here: Path) -> None:
    written(here, "b.sef", "lib/z.sef", "lib/a/y.sef", "lib/notes.txt", "a.sef")
    found, wrong = _loading.files_in(["b.sef", "lib", "a.sef"])
    assert found == [Path(p) for p in ("b.sef", "lib/a/y.sef", "lib/z.sef", "a.sef")]
    assert wrong == []


def test_a_file_is_found_once_however_often_it_is_named(here: Path) -> None:
    written(here, "lib/a.sef", "lib/b.sef")
    assert _loading.files_in(["lib/b.sef", "lib", "./lib/b.sef", "lib"])[0] == [Path("lib/b.sef"), Path("lib/a.sef")]


def test_what_a_folder_hides_is_not_searched_unless_it_is_named_itself(here: Path) -> None:
    written(here, "lib/.old/a.sef", "lib/.b.sef", "lib/c.sef")
    assert _loading.files_in(["lib"])[0] == [Path("lib/c.sef")]
    assert _loading.files_in(["lib/.old", "lib/.b.sef"])[0] == [Path("lib/.old/a.sef"), Path("lib/.b.sef")]


def test_a_folder_that_is_called_like_a_file_is_searched_and_not_read(here: Path) -> None:
    written(here, "lib/old.sef/a.sef")
    assert _loading.files_in(["lib"])[0] == _loading.files_in(["lib/old.sef"])[0] == [Path("lib/old.sef/a.sef")]


def test_a_folder_without_files_is_wrong_and_a_path_that_is_none_is_left_to_who_reads_it(here: Path) -> None:
    (here / "empty").mkdir()
    found, wrong = _loading.files_in(["empty", "gone.sef"])
    assert found == [Path("gone.sef")]
    assert wrong == [_loading.nothing_in("empty", "no .sef file")]
    assert wrong == [Diagnostic("E004", "no .sef file in the folder `empty`")]


def test_the_mistakes_of_all_files_and_folders_are_told_at_once(here: Path) -> None:
    written(here, "good.sef")
    written(here, "bad.sef", text="policy {\n")
    (here / "empty").mkdir()
    with pytest.raises(Rejected) as rejected:
        _loading.loaded(["gone.sef", "bad.sef", "good.sef", "empty"])
    assert [d.code for d in rejected.value.diagnostics] == ["E004", "S017", "S001"]
    assert [m.source.name for m in _loading.loaded(["good.sef"])] == ["good.sef"]


# ---------- files that ask nothing


def test_every_path_has_to_check_something_a_folder_as_a_whole(here: Path) -> None:
    written(here, "lib/two.sef")
    written(here, "lib/bare.sef", "bare.sef", text=BARE)
    modules = _loading.loaded(["lib", "bare.sef"])
    _loading.nothing_checked(["lib"], modules, [])
    with pytest.raises(Rejected) as rejected:
        _loading.nothing_checked(["lib", "bare.sef", "lib/bare.sef"], modules, [])
    assert told(rejected.value) == ["E003 `bare.sef` checks nothing", "E003 `lib/bare.sef` checks nothing"]
    hints = {d.hint for d in rejected.value.diagnostics}
    assert hints == {"write a `check`, ask with `--property`, or say that this is meant with `--allow-empty`"}


def test_where_promises_are_asked_for_a_policy_is_enough(here: Path) -> None:
    written(here, "quiet.sef", text="window A { tag : a } policy p for A { }")
    written(here, "bare.sef", text=BARE)
    modules = _loading.loaded(["quiet.sef", "bare.sef"])
    _loading.nothing_checked(["quiet.sef"], modules, ["idempotent"])
    with pytest.raises(Rejected, match="checks nothing"):
        _loading.nothing_checked(["quiet.sef"], modules, [])
    with pytest.raises(Rejected) as rejected:
        _loading.nothing_checked(["quiet.sef", "bare.sef"], modules, ["idempotent"])
    assert told(rejected.value) == ["E003 `bare.sef` has no policy that a promise could be asked of"]


# ---------- what is asked


@pytest.fixture
def modules(here: Path) -> tuple[Module, ...]:
    written(here, "two.sef")
    written(here, "bare.sef", text=BARE)
    return _loading.loaded(["two.sef", "bare.sef"])


@pytest.mark.parametrize(
    ("properties", "policy", "names"),
    [
        ([], None, ["drop(k = 3): preserves(ruled)", "hide: preserves(ruled)"]),
        ([], "hide", ["hide: preserves(ruled)"]),
        ([], "drop", ["drop(k = 3): preserves(ruled)"]),
        ([], "drop( k=3 )", ["drop(k = 3): preserves(ruled)"]),
        (["pure", "idempotent"], None, ["drop: pure", "drop: idempotent", "hide: pure", "hide: idempotent"]),
        (["no_thrash"], None, ["loop: no_thrash"]),
        (["pure"], "drop(k = 5)", ["drop(k = 5): pure"]),
        (["preserves(ruled)"], "hide", ["hide: preserves(ruled)"]),
    ],
)
def test_the_checks_of_the_files_are_asked_or_the_promises_that_are_named(
    modules: tuple[Module, ...], properties: list[str], policy: str | None, names: list[str]
) -> None:
    found = [o.name for o in _loading.asked(modules, properties, policy)]
    assert sorted(found) == sorted(names)


@pytest.mark.parametrize(
    ("properties", "policy", "expected"),
    [
        ([], "dorp", ["E005 nothing is asked about `dorp`, only about drop, hide"]),
        ([], "drop(k = 4)", ["E005 nothing is asked about `drop(k = 4)`, only about drop, hide"]),
        (["pure"], "dorp", ["R003 unknown policy, plan or session `dorp`"]),
        (["idempotnt", "pure"], "hide", ["R004 unknown property `idempotnt`"]),
        (["no_thrash"], "hide", ["R054 `no_thrash` is a promise of sessions, and `hide` is a policy"]),
    ],
)
def test_what_is_asked_of_nothing_that_is_there_is_told(
    modules: tuple[Module, ...], properties: list[str], policy: str, expected: list[str]
) -> None:
    with pytest.raises(Rejected) as rejected:
        _loading.asked(modules, properties, policy)
    assert told(rejected.value) == expected


def test_where_nothing_is_asked_nothing_else_is_named() -> None:
    with pytest.raises(Rejected) as rejected:
        _loading.of_policy((), "drop", lambda o: o)
    assert told(rejected.value) == ["E005 nothing is asked about `drop`"]


def test_blanks_in_a_name_do_not_matter() -> None:
    assert _loading.squeezed(" drop( k = 3 )\n") == "drop(k=3)"
