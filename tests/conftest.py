"""What every test stands on: generated tests draw the same examples each time, and no clock fails them."""

from __future__ import annotations

import signal
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

settings.register_profile(
    "house", derandomize=True, deadline=None, database=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("house")

# A shell starts what it puts into the background deaf to Ctrl-C, and that is inherited.
if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--update-spec",
        action="store_true",
        help="rewrite the output blocks of the documents that run, instead of comparing them",
    )


@pytest.fixture(scope="session")
def update_spec(request: pytest.FixtureRequest) -> bool:
    """Whether documents are to be rewritten."""
    return bool(request.config.getoption("--update-spec"))


@pytest.fixture(scope="session")
def root() -> Path:
    """The top folder of the repository."""
    return Path(__file__).parents[1]
