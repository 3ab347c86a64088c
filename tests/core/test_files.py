"""Files are read and written whole, or the system's reason is told; nobody waits, and no link is followed."""

from __future__ import annotations

import os
import threading
from pathlib import Path

import pytest

from selfedit_formal.core.files import LONGEST_STEM, read_up_to, shortened, stem, why_not, words, write_whole


def test_a_name_is_made_of_letters_and_digits() -> None:
    assert words("trim(cap = 2): preserves(paired)") == "trim_cap_2_preserves_paired"
    assert words("..") == ""


def test_sources_of_one_name_in_several_folders_have_several(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert stem("trim.sef", "p: q") == "trim_p_q"
    assert stem("a/trim.sef", "p: q") == "a_trim_p_q"
    assert stem(str(tmp_path / "a" / "trim.sef"), "p: q") == "a_trim_p_q"
    outside = {stem("../a/trim.sef", "p: q"), stem("../b/trim.sef", "p: q"), stem("/elsewhere/trim.sef", "p: q")}
    assert len(outside) == 3
    assert all(name.startswith("trim_") for name in outside)


def test_of_a_long_name_a_number_stands_for_the_rest() -> None:
    one, other = shortened("x" * 400), shortened("x" * 401)
    assert one != other
    assert max(len(one), len(other)) <= LONGEST_STEM + 9
    assert shortened("short") == "short"


def test_no_more_is_read_than_one_byte_over_what_is_allowed(tmp_path: Path) -> None:
    path = tmp_path / "long"
    path.write_bytes(b"x" * 100)
    assert len(read_up_to(path, 10)) == 11
    assert len(read_up_to(path, 200)) == 100
    assert len(read_up_to(Path("/dev/zero"), 10)) == 11


def test_into_a_pipe_somebody_has_to_write(tmp_path: Path) -> None:
    path = tmp_path / "pipe"
    os.mkfifo(path)
    with pytest.raises(OSError, match="nobody writes into this pipe"):
        read_up_to(path, 10)
    held = os.open(path, os.O_RDWR | os.O_NONBLOCK)

    def say() -> None:
        os.write(held, b"late")
        os.close(held)

    writer = threading.Timer(0.1, say)
    writer.start()
    assert read_up_to(path, 10) == b"late"
    writer.join()


def test_a_file_is_written_whole_and_keeps_its_permissions(tmp_path: Path) -> None:
    path = tmp_path / "file"
    write_whole(path, "first")
    path.chmod(0o600)
    write_whole(path, "second")
    assert path.read_text(encoding="utf-8") == "second"
    assert path.stat().st_mode & 0o777 == 0o600
    assert list(tmp_path.iterdir()) == [path]


def test_what_cannot_be_written_leaves_what_was_there(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_text("before", encoding="utf-8")
    with pytest.raises(UnicodeEncodeError):
        write_whole(path, "\ud800")
    with pytest.raises(OSError, match="No space left"):
        write_whole(Path("/dev/full"), "x")
    with pytest.raises(IsADirectoryError):
        write_whole(tmp_path, "x")
    assert path.read_text(encoding="utf-8") == "before"
    assert list(tmp_path.iterdir()) == [path]


def test_a_link_is_not_written_through(tmp_path: Path) -> None:
    target, link = tmp_path / "target", tmp_path / "link"
    target.write_text("mine", encoding="utf-8")
    link.symlink_to(target)
    with pytest.raises(OSError, match="symbolic link"):
        write_whole(link, "theirs")
    assert target.read_text(encoding="utf-8") == "mine"
    (tmp_path / "nowhere").symlink_to(tmp_path / "new")
    with pytest.raises(OSError, match="symbolic link"):
        write_whole(tmp_path / "nowhere", "theirs")
    assert not (tmp_path / "new").exists()


def test_a_reason_stands_behind_a_colon() -> None:
    assert why_not(PermissionError(13, "Permission denied")) == "permission denied"
    assert why_not(ValueError("Embedded null byte")) == "embedded null byte"
