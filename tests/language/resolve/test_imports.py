"""Imports: what comes into scope, and what is said of files that are not there or do not go together."""

from __future__ import annotations

from pathlib import Path

import pytest

from selfedit_formal.core.diagnostics import Rejected
from selfedit_formal.language.module import Module
from selfedit_formal.language.resolve import load, load_text

CHAT = "window Chat { tag : user | result  tokens : int }\n"
CLEAR = "policy clear for Chat { evict s where s.tag == result }\n"


def write(folder: Path, **files: str) -> None:
    for name, text in files.items():
        path = folder / f"{name.replace('__', '/')}.sef"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


def loaded(folder: Path) -> Module:
    return load(folder / "main.sef")


def wrong(folder: Path) -> list[str]:
    with pytest.raises(Rejected) as rejected:
        loaded(folder)
    return [f"{d.code} {d.message}" for d in rejected.value.diagnostics]


def test_an_imported_file_brings_all_its_names_but_not_its_checks(tmp_path: Path) -> None:
    write(
        tmp_path,
        chat=CHAT + CLEAR + "check clear: idempotent\n",
        main='import "chat.sef"\ncheck clear: pure\n',
    )
    found = loaded(tmp_path)
    assert [o.name for o in found.obligations] == ["clear: pure"]
    assert set(found.schemas) == {"Chat"}
    assert set(found.policies) == {"clear"}


def test_imports_are_followed_from_where_they_stand(tmp_path: Path) -> None:
    write(
        tmp_path,
        lib__chat=CHAT,
        lib__clear='import "chat.sef"\n' + CLEAR,
        main='import "lib/clear.sef"\ncheck clear: pure\n',
    )
    assert len(loaded(tmp_path).obligations) == 1


def test_a_file_is_read_once_however_it_is_reached(tmp_path: Path) -> None:
    write(
        tmp_path,
        a='import "b.sef"\nimport "main.sef"\n' + CHAT,
        b='import "a.sef"\n' + CLEAR,
        main='import "a.sef"\nimport "b.sef"\nimport "main.sef"\ncheck clear: pure\n',
    )
    assert len(loaded(tmp_path).obligations) == 1


def test_the_library_can_be_imported() -> None:
    found = load_text('import library "policies/chat.sef"\npolicy p for Chat { evict s where s.tag == result }')
    assert "Chat" in found.schemas


def test_a_text_may_import_from_a_folder(tmp_path: Path) -> None:
    write(tmp_path, chat=CHAT)
    assert set(load_text('import "chat.sef"', folder=tmp_path).schemas) == {"Chat"}
    with pytest.raises(Rejected, match="this text stands in no folder"):
        load_text('import "chat.sef"')


def test_a_missing_file_is_told_with_the_nearest_one(tmp_path: Path) -> None:
    write(tmp_path, chat=CHAT, main='import "chats.sef"\n')
    assert wrong(tmp_path) == ["I001 there is no file `chats.sef` to import"]
    write(tmp_path, main='import "none/chats.sef"\n')
    assert wrong(tmp_path) == ["I001 there is no file `none/chats.sef` to import"]
    write(tmp_path, main='import library "policies/nothing.sef"\n')
    assert wrong(tmp_path) == ["I001 the library has no file `policies/nothing.sef`"]
    write(tmp_path, main='import library "../README.md"\n')
    assert wrong(tmp_path) == ["I003 `../README.md` is not inside of the library"]
    write(tmp_path, main='import library ""\n')
    assert wrong(tmp_path) == ["I003 `` is not inside of the library"]


def test_names_of_two_files_must_not_clash(tmp_path: Path) -> None:
    write(tmp_path, a=CHAT, b=CHAT, main='import "a.sef"\nimport "b.sef"\n')
    (found,) = wrong(tmp_path)
    assert found.startswith("I002 window `Chat` is declared in ")
    write(tmp_path, main='import "a.sef"\n' + CHAT)
    (found,) = wrong(tmp_path)
    assert found.startswith("I002")


def test_mistakes_of_imported_files_are_told_in_their_own_text(tmp_path: Path) -> None:
    write(tmp_path, a="window {\n", main='import "a.sef"\n')
    with pytest.raises(Rejected) as rejected:
        loaded(tmp_path)
    found = rejected.value.diagnostics[0]
    assert found.code.startswith("S")
    assert found.location is not None
    assert found.location.source.name.endswith("a.sef")
    assert found.notes[-1][0] == "it is imported here"
    write(tmp_path, a=CHAT + "policy p for Chat { evict s where s.foo }\n")
    assert wrong(tmp_path) == ["R006 window `Chat` has no field `foo`"]


def test_an_import_shows_nothing_of_what_is_no_sef_file(tmp_path: Path) -> None:
    (tmp_path / "secret.txt").write_text("the launch is on Monday", encoding="utf-8")
    (tmp_path / "link.sef").symlink_to("secret.txt")
    (tmp_path / "loop.sef").symlink_to("loop.sef")
    named = ("secret.txt", str(tmp_path / "secret.txt"), "/etc/passwd", "link.sef")
    (tmp_path / "main.sef").write_text(
        "".join(f'import "{n}"\n' for n in (*named, "loop.sef", "a\0.sef")) + CHAT, "utf-8"
    )
    found = wrong(tmp_path)
    assert found[:4] == [f"I004 `{n}` is no `.sef` file" for n in named]
    assert [d[:4] for d in found[4:]] == ["I001", "I001"]
    with pytest.raises(Rejected) as rejected:
        loaded(tmp_path)
    assert "Monday" not in str(rejected.value)
