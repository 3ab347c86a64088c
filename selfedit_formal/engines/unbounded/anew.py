"""A certificate's conditions, compiled anew from what was promised: only its invariant is taken from it."""

from __future__ import annotations

from selfedit_formal.core.certificate import Certificate
from selfedit_formal.core.certificate_file import asked, canonical
from selfedit_formal.core.property import Obligation
from selfedit_formal.core.smtlib import NotAdmitted, Sort
from selfedit_formal.engines import Differs
from selfedit_formal.engines.unbounded.arguments.gated import rests_behind_gate
from selfedit_formal.engines.unbounded.arguments.instead import INSTEAD
from selfedit_formal.engines.unbounded.compiler import compile_query, compile_scan
from selfedit_formal.engines.unbounded.flatten import Outside
from selfedit_formal.engines.unbounded.texts import mode, of_query, of_scan, state


def anew(obligation: Obligation, certificate: Certificate) -> dict[str, str]:
    """The conditions that must hold so that the certificate proves the obligation, compiled from the obligation by the
    certificate's method, about the certificate's invariant. Raises `Differs` if they are not its own."""
    method = certificate.method
    for instead in method.instead:
        implied = INSTEAD[instead](obligation)
        if implied is None:
            raise Differs(f"what it proves instead (`{instead}`) does not apply to the promise")
        obligation = implied
    products, variables = False, tuple[tuple[str, Sort], ...]()
    try:
        match method.kind:
            case "gate":
                if not rests_behind_gate(obligation):
                    raise Differs("its argument about the gate does not apply to the promise")
                texts = dict[str, str]()
            case "query":
                texts = canonical(of_query(compile_query(obligation, mode(method))))
            case "scan":
                scan = compile_scan(obligation, mode(method))
                texts, variables, products = canonical(of_scan(scan)), state(scan), scan.products
        if products != method.products:
            raise Differs("one tracks a product of parameters, and the other does not")
        if sorted(variables) != sorted(certificate.state):
            raise Differs("the state of the scan is another one")
        own = canonical(certificate.texts)
        for name, text in texts.items():
            if text != own[name]:
                raise Differs(f"`{name}` is another one")
        return asked(method.kind, {**own, **texts}, variables, products)
    except Outside:
        raise Differs("the promise is none that this argument is about") from None
    except NotAdmitted as error:
        raise Differs(str(error)) from None
