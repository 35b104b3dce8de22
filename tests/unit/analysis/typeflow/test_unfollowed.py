"""Pointers of which type flow doesn't know the variable are refused by name; all others are followed."""

import pytest
from kit.text.dispatch_texts import HEAD, MAKE, METHODS, call

from reknit.analysis.typeflow.report import dispatch_sites
from reknit.ir.text.parser import parse
from reknit.passes.manager import run_passes
from reknit.source.diagnostic import InputError

GLOBALS = """%shared = Variable Workgroup : ptr<Workgroup, %IFoo>
%number = Variable Private : ptr<Private, u32>
%held = Variable Private : ptr<Private, %Holder>
"""


def set_in(storage: str, type: str = "%IFoo", value: str = "%b") -> str:
    """A function that stores through what it is given."""
    return f"func @set(%to: ptr<{storage}, {type}>) -> void {{\n{MAKE}  Store %to, {value}\n  return\n}}\n"


def module_text(functions: str, body: str) -> str:
    test = "  %local = Variable Function : ptr<Function, %IFoo>\n  %k = IEqual %x, 3u : bool\n"
    main = f"func @main() -> void {{\n{test}{MAKE}{body}  return\n}}\n"
    return HEAD + GLOBALS + METHODS + functions + main


def after_a_call(variable: str) -> str:
    return (
        f"  Store {variable}, %a\n  %u = FunctionCall @set {variable} : void\n  %e = Load {variable} : %IFoo\n"
        + call("e", "r")
    )


PARAMETER = "%to of @set may point into any variable of storage class {}, to an object of dynamic type"
REFUSED = {
    "a parameter into Private": (module_text(set_in("Private"), after_a_call("%cell")), PARAMETER.format("Private")),
    "a parameter into Workgroup": (
        module_text(set_in("Workgroup"), after_a_call("%shared")), PARAMETER.format("Workgroup"),
    ),
    "a parameter to a struct with an object": (
        module_text(
            f"func @set(%to: ptr<Private, %Holder>) -> void {{\n{MAKE}  %new = CompositeConstruct %b, 1u : %Holder\n"
            "  Store %to, %new\n  return\n}\n",
            "  %u = FunctionCall @set %held : void\n",
        ),
        PARAMETER.format("Private"),
    ),
    "a pointer that is chosen": (
        module_text(
            "", "  %p = Select %k, %shared, %shared : ptr<Workgroup, %IFoo>\n  Store %p, %a\n",
        ),
        "%p of @main may point into any variable of storage class Workgroup",
    ),
}  # fmt: skip
FOLLOWED = {
    "the variable itself": (module_text("", "  Store %cell, %b\n  %e = Load %cell : %IFoo\n" + call("e", "r")), ["B"]),
    "a member of a variable": (
        module_text(
            "",
            "  %p = AccessChain %held, 0u : ptr<Private, %IFoo>\n  %q = CopyObject %p : ptr<Private, %IFoo>\n"
            "  Store %q, %b\n  %e = Load %p : %IFoo\n" + call("e", "r"),
        ),
        ["B"],
    ),
    "a parameter to a number": (
        module_text(
            set_in("Private", "u32", "3u"),
            "  %u = FunctionCall @set %number : void\n  Store %cell, %a\n  %e = Load %cell : %IFoo\n" + call("e", "r"),
        ),
        ["A"],
    ),
    "a parameter to a variable of the function": (module_text(set_in("Function"), after_a_call("%local")), ["B"]),
}


@pytest.mark.parametrize("title", REFUSED)
def test_refused(title: str) -> None:
    text, message = REFUSED[title]
    for ask in (dispatch_sites, lambda module: run_passes(module, "specialize-dispatch")):
        with pytest.raises(InputError) as refusal:
            ask(parse(text, "unfollowed.rk"))
        (only,) = refusal.value.diagnostics
        assert only.code == "RK2625" and only.message.startswith(message) and only.help
        assert only.place is not None and only.place.line > 0


@pytest.mark.parametrize("title", FOLLOWED)
def test_followed(title: str) -> None:
    text, types = FOLLOWED[title]
    (site,) = dispatch_sites(parse(text, "followed.rk"))
    assert site.types == types
