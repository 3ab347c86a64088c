"""House rules that a machine can hold: what files are called, what they must say, and what they must not."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from selfedit_formal.core.diagnostics import Source
from selfedit_formal.language.parse import parse
from selfedit_formal.language.print import print_file
from tests.documents import blocks, shows

ROOT = Path(__file__).parents[1]
MODULES = tuple(sorted((ROOT / "selfedit_formal").rglob("*.py")))
PROPERTIES = tuple(sorted((ROOT / "spec" / "properties").glob("*.sef")))
DECISIONS = tuple(sorted((ROOT / "spec" / "decisions").glob("*.md")))
README = ROOT / "README.md"


def name(path: Path) -> str:
    return str(path.relative_to(ROOT))


def texts() -> dict[str, str]:
    """Every text file of the repository, by name; new files that are not ignored count too."""
    listing = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        encoding="utf-8",
        check=True,
    )
    paths = (ROOT / line for line in listing.stdout.splitlines())
    return {name(p): p.read_text(encoding="utf-8") for p in paths if p.is_file()}


# ---------- the code


@pytest.mark.parametrize("path", MODULES, ids=name)
def test_a_module_says_what_it_is_in_a_few_sentences(path: Path) -> None:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    if tree.body:
        assert ast.get_docstring(tree)


@pytest.mark.parametrize("path", sorted({m.parent for m in MODULES} - {ROOT / "selfedit_formal"}), ids=name)
def test_a_folder_of_the_package_has_its_tests(path: Path) -> None:
    mirror = ROOT / "tests" / path.relative_to(ROOT / "selfedit_formal")
    assert any(mirror.glob("test_*.py")) or mirror.with_name(f"test_{mirror.name}.py").is_file()


def test_each_module_has_its_tests() -> None:
    names = [m.relative_to(ROOT / "selfedit_formal") for m in MODULES if m.stem not in ("__init__", "__main__")]
    mirrors = [n.with_name(f"test_{n.name.lstrip('_')}") for n in names]
    assert [m.as_posix() for m in mirrors if not (ROOT / "tests" / m).is_file()] == []


@pytest.mark.parametrize(
    "arguments", [["--version"], ["--help"], ["check", "--help"], ["explain", "R001"]], ids=" ".join
)
def test_a_command_that_checks_nothing_loads_no_solver_and_no_parser(arguments: list[str]) -> None:
    program = (
        "import sys\n"
        "from selfedit_formal.cli import main\n"
        "try:\n"
        f"    main({arguments!r})\n"
        "except SystemExit as end:\n"
        "    assert not end.code, end.code\n"
        "assert not {'z3', 'lark', 'hypothesis'} & sys.modules.keys(), sorted(sys.modules)\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, encoding="utf-8", check=False)
    assert done.returncode == 0, done.stderr


def test_importing_the_package_loads_no_solver_and_no_parser() -> None:
    program = "import sys, selfedit_formal\nassert not {'z3', 'lark', 'click', 'rich'} & sys.modules.keys()\n"
    subprocess.run([sys.executable, "-c", program], check=True)


# ---------- what must not be written


def test_no_file_names_a_place_on_one_machine() -> None:
    place = re.compile(r"(?<![\w.*/])/(work|tmp|home|opt|root|Users|mnt)/\w")
    assert [(n, m[0]) for n, t in texts().items() for m in place.finditer(t)] == []


def test_nothing_is_left_to_be_done() -> None:
    mark = re.compile(r"\b(TO" + r"DO|FIX" + r"ME|XX" + r"X|HA" + r"CK)\b|NotImplemented" + "Error")
    assert [(n, m[0]) for n, t in texts().items() for m in mark.finditer(t)] == []


def test_no_test_is_skipped_or_expected_to_fail() -> None:
    mark = re.compile(r"mark\.(sk" + r"ip|xf" + r"ail)|pytest\.(sk" + r"ip|xf" + r"ail|importor" + r"skip)\b")
    assert [(n, m[0]) for n, t in texts().items() if n.startswith("tests/") for m in mark.finditer(t)] == []


def test_no_line_ends_in_spaces_and_every_file_ends_in_one_line_break() -> None:
    for file, text in texts().items():
        assert not text or text.endswith("\n"), file
        assert not text.endswith("\n\n"), file
        if not file.endswith(".md"):
            assert not re.search(r"[ \t]$", text, re.MULTILINE), file


# ---------- the pages


@pytest.mark.parametrize("path", PROPERTIES, ids=lambda p: p.stem)
def test_a_promise_is_named_like_its_file_and_documented(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert re.search(rf"^## .*\nproperty {path.stem}\(", text, re.MULTILINE)


@pytest.mark.parametrize("path", DECISIONS, ids=lambda p: p.stem)
def test_a_decision_has_a_number_a_context_a_choice_and_a_price(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    number = "NNNN" if path.stem == "0000-template" else path.stem[:4]
    assert text.startswith(f"# {number}. ")
    assert re.findall(r"^## (.*)$", text, re.MULTILINE) == ["Context", "Choice", "Price"]


def test_no_two_decisions_share_a_number() -> None:
    numbers = [p.stem[:4] for p in DECISIONS]
    assert numbers == sorted(set(numbers))


# ---------- README


def test_the_readme_is_short() -> None:
    assert len(README.read_text(encoding="utf-8").splitlines()) < 80


def test_the_readme_speaks_of_commands_that_exist() -> None:
    targets = set(re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))
    named = set(re.findall(r"\bmake ([a-z]+)\b", README.read_text(encoding="utf-8")))
    assert {"demo", "test"} <= named <= targets


def test_the_readme_names_files_that_exist() -> None:
    named = re.findall(r"`((?:spec|tests|grammars|selfedit_formal)/[\w./-]*)`", README.read_text(encoding="utf-8"))
    assert [n for n in named if not (ROOT / n).exists()] == []


def test_the_example_of_the_readme_is_formatted() -> None:
    (example,) = (b.text for b in blocks(README.read_text(encoding="utf-8")) if b.kind == "sef")
    assert print_file(parse(Source("trim.sef", example))) == example


def test_the_readme_and_the_project_say_which_versions_of_python_are_tested() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    declared = re.findall(r"Python :: (3\.\d+)$", "\n".join(project["classifiers"]), re.MULTILINE)
    (said,) = re.findall(r"^CPython (.*) on Linux", README.read_text(encoding="utf-8"), re.MULTILINE)
    assert declared == re.findall(r"3\.\d+", said)
    assert project["requires-python"] == f">={declared[0]}"


def test_what_the_readme_shows_is_real(tmp_path: Path, update_spec: bool) -> None:
    shows(README, tmp_path, update_spec)
