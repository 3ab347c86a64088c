"""Files read and written whole: no more of one than is allowed, none without an end, none left in pieces.

Whatever stands at a path, nothing here waits for somebody to come, and nothing is written through a symbolic link.
"""

from __future__ import annotations

import errno
import io
import os
import re
import stat
from contextlib import suppress
from pathlib import Path
from typing import IO, Any

LONGEST_STEM = 150
"""Characters, which leaves room for an ending in what file systems take for a name."""


def words(text: str) -> str:
    """The letters and digits of a text, runs of anything else as one underscore."""
    return re.sub(r"[^A-Za-z0-9]+", "_", text).strip("_")


def stem(source: str, title: str) -> str:
    """A name for a file about what has this title in the source, without an ending; sources of one name in several
    folders have several.

    A folder below this one is spelled out; a number stands for any other.
    """
    folder, file = os.path.split(source.removesuffix(".sef"))
    if os.path.isabs(folder):
        with suppress(ValueError):  # another drive
            below = os.path.relpath(folder)
            folder = folder if below.startswith(os.pardir) else below.removeprefix(os.curdir)
    if os.path.isabs(folder) or folder.startswith(os.pardir):
        file, folder = f"{file} {_number(folder)}", ""
    return shortened("_".join(filter(None, map(words, (folder, file, title)))))


def shortened(name: str) -> str:
    """The name of a file without its ending; of one that is too long, a number stands for the rest."""
    return name if len(name) <= LONGEST_STEM else f"{name[:LONGEST_STEM].rstrip('_')}_{_number(name)}"


def _number(text: str) -> str:
    from zlib import crc32

    return f"{crc32(text.encode(errors='surrogatepass')):08x}"


def opened(path: Path) -> IO[bytes]:
    """The file or pipe, to be read. Raises OSError, also for a pipe into which nobody writes."""
    at = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
    try:
        first = b""
        if stat.S_ISFIFO(os.fstat(at).st_mode):
            try:
                first = os.read(at, io.DEFAULT_BUFFER_SIZE)
            except BlockingIOError:
                pass  # somebody has it open, and has said nothing yet
            else:
                if not first:
                    raise OSError(errno.EPIPE, "nobody writes into this pipe")
        if hasattr(os, "set_blocking"):
            os.set_blocking(at, True)
        return io.BufferedReader(_Begun(at, first))
    except BaseException:
        os.close(at)
        raise


class _Begun(io.RawIOBase):
    """What is read from an open file, of which the first bytes were."""

    def __init__(self, at: int, first: bytes) -> None:
        self._at, self._first = at, first

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        read = self._first[: len(buffer)] or os.read(self._at, len(buffer))
        self._first = self._first[len(read) :]
        buffer[: len(read)] = read
        return len(read)

    def close(self) -> None:
        if not self.closed:
            os.close(self._at)
        super().close()


def read_up_to(path: Path, most: int) -> bytes:
    """What the file or pipe holds; of one with more than so many bytes, one byte more than that. Raises OSError."""
    with opened(path) as file:
        return file.read(most + 1)


def write_whole(path: Path, text: str) -> None:
    """Writes the file whole or not at all: beside its place first, and then there. Raises OSError.

    A file that was there keeps its permissions. A symbolic link is not followed, unless it leads to what is no file (a
    terminal, a pipe), which is written to as it is.
    """
    try:
        found: os.stat_result | None = os.lstat(path)
    except FileNotFoundError:
        found = None
    if found is not None and stat.S_ISLNK(found.st_mode):
        there = path.stat() if path.exists() else None
        if there is None or stat.S_ISREG(there.st_mode) or stat.S_ISDIR(there.st_mode):
            raise OSError(errno.ELOOP, "it is a symbolic link", str(path))
        found = there
    data = text.encode("utf-8")
    if found is not None and not stat.S_ISREG(found.st_mode):
        _write(os.open(path, os.O_WRONLY), data)  # of a folder, this says that it is one
        return
    beside = path.parent / f".selfedit-{os.getpid():x}-{os.urandom(4).hex()}"
    at = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), 0o666)
    try:
        _write(at, data)
        if found is not None:
            os.chmod(beside, stat.S_IMODE(found.st_mode))
        os.replace(beside, path)
    except BaseException:
        os.unlink(beside)
        raise


def _write(at: int, data: bytes) -> None:
    """Writes all of it, and closes."""
    try:
        rest = memoryview(data)
        while rest:
            rest = rest[os.write(at, rest) :]
    finally:
        os.close(at)


def why_not(problem: OSError | ValueError) -> str:
    """Why the system did not do it, to stand behind a colon."""
    said = problem.strerror if isinstance(problem, OSError) and problem.strerror else str(problem)
    return said[:1].lower() + said[1:]
