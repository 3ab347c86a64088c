"""The wheel, installed elsewhere, has all its files and does its work. Needs a package index; `make wheel` runs it."""

from __future__ import annotations

import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

pytestmark = pytest.mark.network

ROOT = Path(__file__).parents[1]


def run(*command: str | Path, folder: Path) -> str:
    """What the command prints on its output; it must succeed."""
    environment = {k: v for k, v in os.environ.items() if not k.startswith(("PYTHON", "VIRTUAL_ENV"))}
    done = subprocess.run(
        command,
        cwd=folder,
        env=environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel, built from the sdist alone."""
    folder = tmp_path_factory.mktemp("dist")
    run(sys.executable, "-m", "build", "--outdir", folder, ROOT, folder=folder)
    return next(folder.glob("*.whl"))


@pytest.fixture(scope="module")
def tools(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The `bin` folder of a fresh environment that has the wheel and what it depends on, nothing else."""
    folder = tmp_path_factory.mktemp("elsewhere")
    run(sys.executable, "-m", "venv", folder / "venv", folder=folder)
    tools = folder / "venv" / "bin"
    constraints = ROOT / ".ci" / "constraints.txt"
    run(tools / "python", "-m", "pip", "install", "-qq", "-c", constraints, wheel, folder=folder)
    return tools


def shipped() -> frozenset[str]:
    """Every file of the repository that the wheel must carry, by its name in the wheel."""
    listing = ("git", "ls-files", "--cached", "--others", "--exclude-standard", "grammars", "spec", "selfedit_formal")
    tracked = run(*listing, folder=ROOT).splitlines()
    return frozenset(n if n.startswith("selfedit_formal/") else f"selfedit_formal/{n}" for n in tracked)


def test_the_wheel_carries_the_package_its_grammars_and_its_spec_and_nothing_else(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        carried = {n for n in archive.namelist() if ".dist-info/" not in n}
    assert carried == shipped()


def test_the_installed_command_tells_its_version(tools: Path, tmp_path: Path) -> None:
    told = run(tools / "selfedit", "--version", folder=tmp_path).splitlines()
    assert told[0].endswith("0.1.0")
    assert "no cvc5" in told


def test_the_installed_command_has_everything_to_read(tools: Path, tmp_path: Path) -> None:
    assert run(tools / "selfedit", "explain", "evict", folder=tmp_path).startswith("evict")
    assert "# Twenty minutes on one policy" in run(tools / "selfedit", "explain", "--all", folder=tmp_path)


def test_the_installed_command_explains_a_diagnostic(tools: Path, tmp_path: Path) -> None:
    code = min(p.stem for p in (ROOT / "spec" / "diagnostics").glob("*.md"))
    assert code in run(tools / "selfedit", "explain", code, folder=tmp_path)


def test_the_installed_command_checks_a_policy_from_another_folder(tools: Path, tmp_path: Path) -> None:
    policy = tmp_path / "policy.sef"
    policy.write_text(
        "window Chat { tag : user | result }\n"
        "policy drop_results for Chat { evict s where s.tag == result }\n"
        "check drop_results: idempotent expect holds\n",
        encoding="utf-8",
    )
    assert "idempotent" in run(tools / "selfedit", "check", policy.name, folder=tmp_path)


def test_the_installed_command_checks_a_shipped_policy(tools: Path, tmp_path: Path) -> None:
    where = run(tools / "python", "-c", "import selfedit_formal as s; print(s.__path__[0])", folder=tmp_path).strip()
    policy = min(Path(where, "spec", "policies").glob("*.sef"), key=lambda p: p.stat().st_size)
    assert not Path(where).is_relative_to(ROOT)
    assert run(tools / "selfedit", "check", policy, folder=tmp_path)
