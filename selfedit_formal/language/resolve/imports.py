"""The files that a file imports, and those they import, each read once."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import field, replace
from importlib.resources.abc import Traversable
from pathlib import Path, PurePosixPath

from selfedit_formal import _resources
from selfedit_formal._frozen import dataclass
from selfedit_formal.core.diagnostics import Location, Rejected, Source
from selfedit_formal.language import syntax
from selfedit_formal.language.parse import parse, read
from selfedit_formal.language.resolve.problems import Problems, suggestion


@dataclass(frozen=True, slots=True)
class Loaded:
    """A file and those it imports. `imported` has, by the name of a source, the import of this file that led to it."""

    own: syntax.File
    others: tuple[syntax.File, ...]
    imported: Mapping[str, Location]

    def declarations(self) -> tuple[syntax.Declaration, ...]:
        """Those of imported files first."""
        return tuple(d for f in (*self.others, self.own) for d in f.declarations)


@dataclass(slots=True)
class _Reading:
    problems: Problems
    seen: set[str] = field(default_factory=set)
    files: list[syntax.File] = field(default_factory=list)
    imported: dict[str, Location] = field(default_factory=dict)


def loaded(source: Source, folder: Path | None, problems: Problems) -> Loaded:
    """The file and all it imports. Raises Rejected for its own text; what is wrong with imports is reported."""
    own = parse(source)
    reading = _Reading(problems)
    if source.path is not None:
        reading.seen.add(str(source.path.resolve()))
    _follow(own, folder, reading, None)
    return Loaded(own, tuple(reading.files), reading.imported)


def _follow(file: syntax.File, folder: Path | Traversable | None, reading: _Reading, origin: Location | None) -> None:
    """Reads what the file imports. `folder`: where it stands; `origin`: the import in the first file that led here."""
    for declaration in file.declarations:
        if isinstance(declaration, syntax.Import):
            _read(declaration, folder, reading, origin or declaration.location)


def _read(declaration: syntax.Import, folder: Path | Traversable | None, reading: _Reading, origin: Location) -> None:
    found = _library(declaration, reading) if declaration.library else _beside(declaration, folder, reading)
    if found is None:
        return
    source, around, key = found
    if key in reading.seen:
        return
    reading.seen.add(key)
    reading.imported.setdefault(source.name, origin)
    try:
        file = parse(source)
    except Rejected as rejected:
        _pass_on(rejected, declaration, reading)
        return
    _follow(file, around, reading, origin)
    reading.files.append(file)


def _pass_on(rejected: Rejected, declaration: syntax.Import, reading: _Reading) -> None:
    for diagnostic in rejected.diagnostics:
        note = ("it is imported here", declaration.location)
        reading.problems.add(replace(diagnostic, notes=(*diagnostic.notes, note)))


def _beside(
    declaration: syntax.Import, folder: Path | Traversable | None, reading: _Reading
) -> tuple[Source, Path | Traversable, str] | None:
    if folder is None:
        message = "this text stands in no folder, so there is nothing to import from"
        reading.problems.report("I001", message, declaration.location, "put it into a file")
        return None
    if not isinstance(folder, Path):
        return _packaged(declaration, folder, reading)
    path = folder / declaration.path
    if not declaration.path.endswith(".sef") or not _leads_to(path).endswith(".sef"):  # messages show what is in it
        reading.problems.report("I004", f"`{declaration.path}` is no `.sef` file", declaration.location)
        return None
    if not _is_file(path):
        beside = tuple(p.name for p in path.parent.glob("*.sef")) if path.parent.is_dir() else ()
        near = suggestion(path.name, beside)
        message = f"there is no file `{declaration.path}` to import"
        reading.problems.report("I001", message, declaration.location, near)
        return None
    try:
        source = read(path, _shown(declaration, path))
    except Rejected as rejected:
        _pass_on(rejected, declaration, reading)
        return None
    return source, path.parent, str(path.resolve())


def _leads_to(path: Path) -> str:
    """The path, without symbolic links."""
    try:
        return os.path.realpath(path)
    except ValueError:  # no file can be called so
        return str(path)


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except (OSError, ValueError):
        return False


def _shown(declaration: syntax.Import, path: Path) -> str:
    """An imported file is shown beside the file that imports it."""
    importing = declaration.location.source
    if importing.path is None:
        return declaration.path
    return str(Path(importing.name).parent / declaration.path)


def _library(declaration: syntax.Import, reading: _Reading) -> tuple[Source, Traversable, str] | None:
    folder = _resources.folder("spec")
    return _packaged(declaration, folder, reading)


def _packaged(
    declaration: syntax.Import, folder: Traversable, reading: _Reading
) -> tuple[Source, Traversable, str] | None:
    parts = PurePosixPath(declaration.path).parts
    if not parts or ".." in parts or declaration.path.startswith("/"):
        message = f"`{declaration.path}` is not inside of the library"
        hint = 'name a file below `spec`, as in `import library "policies/chat.sef"`'
        reading.problems.report("I003", message, declaration.location, hint)
        return None
    around = folder
    for part in parts[:-1]:
        around = around.joinpath(part)
    found = around.joinpath(parts[-1])
    if not found.is_file():
        beside = tuple(f.name for f in around.iterdir() if f.name.endswith(".sef")) if around.is_dir() else ()
        message = f"the library has no file `{declaration.path}`"
        reading.problems.report("I001", message, declaration.location, suggestion(parts[-1], beside))
        return None
    source = Source(f"spec/{declaration.path}", found.read_text(encoding="utf-8"))
    return source, around, f"library {found}"
