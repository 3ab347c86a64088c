"""`selfedit witness`: a window for each thing that a policy does."""

from __future__ import annotations

import click

from selfedit_formal.cli._exits import BROKE
from selfedit_formal.cli._loading import loaded, of_policy
from selfedit_formal.cli._screen import show, width
from selfedit_formal.cli.verifying import Answers, VerifySettings, verifying


@click.command()
@click.argument("paths", metavar="PATH...", nargs=-1, required=True)
@click.option("--policy", metavar="NAME", help="Only of this policy or plan.")
@verifying
def witness(paths: tuple[str, ...], settings: VerifySettings, policy: str | None) -> int:
    """Show a window for each rule that acts, each way through a branch, each gate and each condition of a check.

    What no window shows is said, and is no failure. Exit codes: 0, 3 if a question was not answered, 5.
    """
    from selfedit_formal.reports.witness import report
    from selfedit_formal.verifying.witness import Inconsistent, NotSettled, questions, witnessed

    asked = tuple(q for module in loaded(paths) for q in questions(module))
    asked = asked if policy is None else of_policy(asked, policy, lambda q: q.obligation)
    results = Answers([q.obligation for q in asked], settings)
    for _ in results:
        pass
    answers = [witnessed(asked[number], result) for number, result in sorted(results.found.items())]
    show(report(answers, width()))
    if results.left:
        raise KeyboardInterrupt
    if any(isinstance(a, Inconsistent) for a in answers):
        return BROKE
    return 3 if any(isinstance(a, NotSettled) for a in answers) else 0


COMMAND = witness
