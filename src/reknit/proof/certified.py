"""Certificates of a proof: written where one is found, and checked instead of proving anything again.

The checker judges which invocations do what together; that both declare maximal reconvergence as far as it matters,
what they promise besides, and the size of a workgroup, is asked of the modules as for any proof.
"""

from reknit.analysis.tangles.declared import rules_for
from reknit.analysis.tangles.rules import MAXIMAL
from reknit.ir.module import Module
from reknit.proof.by_terms import has_tangles
from reknit.proof.certificate.check import Broken, check
from reknit.proof.certificate.find import find
from reknit.proof.certificate.text import framed, unframed
from reknit.proof.normal_form.decorations import Decorations
from reknit.proof.normal_form.judge import Finding
from reknit.proof.normal_form.workgroups import size_of_workgroup
from reknit.sim.entry import find_entry, function_of_entry
from reknit.source.diagnostic import Diagnostic, InputError
from reknit.source.place import Place


def written(before: Module, after: Module, entry: str, rules: str) -> tuple[str, Finding]:
    """A certificate that holds, and what it says; "" where there is none, and why."""
    reason = _why_not(before, after, entry, rules)
    if reason:
        return "", Finding(reason, None, None)
    mine, other = (function_of_entry(find_entry(module, entry), True) for module in (before, after))
    lines, reason = find([before, after], [mine, other])
    if reason:
        return "", Finding(reason, None, None)
    text = framed(before, after, entry, lines)
    return text, checked(before, after, entry, rules, text)


def checked(before: Module, after: Module, entry: str, rules: str, text: str) -> Finding:
    """What a certificate proves. Raises InputError (RK1306) where it doesn't hold."""
    reason = _why_not(before, after, entry, rules)
    if reason:
        raise broken(after, reason)
    mine, other = (function_of_entry(find_entry(module, entry), True) for module in (before, after))
    try:
        finding = Finding("", None, None)
        lines, first = unframed(before, after, entry, text)
        finding.certified = check([before, after], [mine, other], lines, first)
    except Broken as fault:
        raise broken(after, f"line {fault.line}: {fault.reason}") from None
    finding.effects = 1
    return finding


def _why_not(before: Module, after: Module, entry: str, rules: str) -> str:
    """Why no certificate can speak of the two, else ""."""
    mine, other = (function_of_entry(find_entry(module, entry), True) for module in (before, after))
    if rules_for(after, other, rules) != MAXIMAL and has_tangles(after, other):
        return "after does not declare maximal reconvergence"
    sizes = [size_of_workgroup(each, point, Decorations(each)) for each, point in ((before, mine), (after, other))]
    return "" if sizes[0] == sizes[1] else "the size of a workgroup is declared otherwise"


def broken(module: Module, reason: str) -> InputError:
    """RK1306."""
    return InputError([Diagnostic("RK1306", f"the certificate does not hold: {reason}", Place(module.path))])


def lacking(module: Module, reason: str) -> InputError:
    """RK1305."""
    return InputError([Diagnostic("RK1305", f"no certificate can be written: {reason}", Place(module.path))])
