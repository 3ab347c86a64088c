"""Files are read as far as is allowed and never waited for, and written whole or not at all."""

from __future__ import annotations

import os
from pathlib import Path
from threading import Thread

import pytest

from selfedit_formal.core.files import LONGEST_STEM, opened, read_up_to, shortened, stem, why_not, write_whole


def test_no_more_is_read_than_is_allowed(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"0123456789")
    assert read_up_to(tmp_path / "a", 20) == b"0123456789"
    assert read_up_to(tmp_path / "a", 4) == b"01234"
    assert read_up_to(Path("/dev/zero"), 3) == bytes(4)


def test_a_pipe_is_read_to_its_end_if_somebody_writes_into_it(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with pytest.raises(OSError, match="nobody writes into this pipe"):
        opened(pipe)
    kept = os.open(pipe, os.O_RDWR)  # so that whoever comes first waits for nobody
    try:
        os.write(kept, b"first ")

        def write() -> None:
            at = os.open(pipe, os.O_WRONLY)
            os.write(at, b"line\nsecond\n")
            os.close(at)

        with opened(pipe) as lines:
            writer = Thread(target=write)
            writer.start()
            writer.join()
            os.close(kept)
            kept = -1
            assert lines.readlines() == [b"first line\n", b"second\n"]
    finally:
        if kept >= 0:
            os.close(kept)


def test_a_file_is_written_over_whole_and_keeps_its_permissions(tmp_path: Path) -> None:
    path = tmp_path / "a"
    write_whole(path, "one")
    path.chmod(0o640)
    write_whole(path, "two")
    assert path.read_text(encoding="utf-8") == "two"
    assert path.stat().st_mode & 0o777 == 0o640
    assert os.listdir(tmp_path) == ["a"]


def test_nothing_is_left_of_what_could_not_be_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a"
    path.write_text("before", encoding="utf-8")

    def full(at: int, data: bytes) -> int:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "write", full)
    with pytest.raises(OSError, match="No space left") as failed:
        write_whole(path, "after")
    monkeypatch.undo()
    assert why_not(failed.value) == "no space left on device"
    assert path.read_text(encoding="utf-8") == "before"
    assert os.listdir(tmp_path) == ["a"]
    with pytest.raises(UnicodeEncodeError):
        write_whole(tmp_path / "b", "\udc80")
    assert os.listdir(tmp_path) == ["a"]


def test_nothing_is_written_through_a_link_to_a_file(tmp_path: Path) -> None:
    (tmp_path / "there").write_text("mine", encoding="utf-8")
    for name, target in (("link", "there"), ("dangling", "nowhere"), ("folder", ".")):
        (tmp_path / name).symlink_to(target)
        with pytest.raises(OSError, match="it is a symbolic link"):
            write_whole(tmp_path / name, "theirs")
    assert (tmp_path / "there").read_text(encoding="utf-8") == "mine"
    assert not (tmp_path / "nowhere").exists()


def test_what_is_no_file_is_written_to_as_it_is(tmp_path: Path) -> None:
    (tmp_path / "null").symlink_to("/dev/null")
    write_whole(tmp_path / "null", "text")
    write_whole(Path("/dev/null"), "text")
    assert not Path("/dev/null").is_file()
    with pytest.raises(OSError, match="No space left"):
        write_whole(Path("/dev/full"), "text")
    with pytest.raises(IsADirectoryError):
        write_whole(tmp_path, "text")


def test_files_of_one_name_in_several_folders_have_several_stems(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert stem("trim.sef", "p: gone") == "trim_p_gone"
    assert stem("a/trim.sef", "p: gone") == stem(str(tmp_path / "a" / "trim.sef"), "p: gone") == "a_trim_p_gone"
    assert stem("b/trim.sef", "p: gone") == "b_trim_p_gone"
    others = {stem(f"{folder}/trim.sef", "p: gone") for folder in ("/elsewhere/a", "/elsewhere/b", "../c")}
    assert len(others) == 3
    assert all(s.startswith("trim_") and s.endswith("_p_gone") for s in others)


def test_a_stem_is_no_longer_than_a_file_may_be_called() -> None:
    long, longer = stem("a.sef", "p" * 400), stem("a.sef", "p" * 401)
    assert len(long) == len(longer) == LONGEST_STEM + 9
    assert long != longer
    assert shortened("p" * LONGEST_STEM) == "p" * LONGEST_STEM
