"""A part of a module by the name that a person calls it by."""

from reknit.ir.function import Function
from reknit.ir.module import Module
from reknit.source.diagnostic import Diagnostic, InputError
from reknit.source.digits import is_decimal
from reknit.source.place import Place


def function_named(module: Module, name: str) -> Function:
    """The function called `name` ("main", "@main"), with that id ("%12"), or of the entry point with that name.

    Raises InputError (RK0012) where there is none, or several.
    """
    bare = name[1:] if name[:1] in ("%", "@") else name
    functions = [function for function in module.functions if function.name == bare]
    if not functions and is_decimal(bare):
        functions = [function for function in module.functions if function.id == int(bare)]
    if not functions:
        entries = [entry.value(1) for entry in module.entry_points if entry.text(2) == bare]
        functions = [function for function in module.functions if function in entries]
    if len(functions) == 1:
        return functions[0]
    if functions:
        ids = ", ".join([f"%{function.id}" for function in functions])
        raise _fault(module, f"{len(functions)} functions are called '{bare}'", f"name one of them by its id: {ids}")
    known = ", ".join([function.name or f"%{function.id}" for function in module.functions]) or "none"
    raise _fault(module, f"there is no function '{name}'", f"functions: {known}")


def _fault(module: Module, message: str, help: str) -> InputError:
    return InputError([Diagnostic("RK0012", message, Place(module.path), help=help)])
