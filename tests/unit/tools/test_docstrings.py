"""What the source says of a module, class, function or method, `help` says too, compiled or not."""

import ast
import importlib
import inspect
from pathlib import Path
from types import WrapperDescriptorType

import docstrings
import pytest
from core_modules import libraries

import reknit

PACKAGE = Path(__file__).resolve().parents[3] / "src" / "reknit"
CORE = [file for library in libraries().values() for file in library]
CODE = """\
static PyMethodDef block___Block_methods[] = {
    {"phis",
     (PyCFunction)CPyPy_block___Block___phis,
     METH_FASTCALL | METH_KEYWORDS, PyDoc_STR("phis($self)\\n--\\n\\n")},
    {NULL}  /* Sentinel */
};
static PyGetSetDef block___Block_getseters[] = {
    {"name",
     (getter)block___Block_get_name, (setter)block___Block_set_name,
     NULL, NULL},
    {"size",
     (getter)block___Block_get_size,
    NULL, NULL, NULL},
    .tp_name = "Block",
    .tp_doc = PyDoc_STR(NULL),
    {"first", (PyCFunction)CPyPy_block___first, METH_FASTCALL, PyDoc_STR("first(a)\\n--\\n\\n") /* docstring */},
    {"phis", (PyCFunction)CPyPy_block___phis, METH_FASTCALL, PyDoc_STR(NULL) /* docstring */},
    "reknit.ir.block",
    NULL, /* docstring */
"""


def test_each_text_goes_to_its_own_place() -> None:
    texts = {"": 'a "module"', "Block": "é", "Block.phis": "A\n??/", "Block.size": "S", "first": "F", "phis": "P"}
    code = docstrings.documented(CODE, texts)
    for line in (
        'METH_KEYWORDS, PyDoc_STR("phis($self)\\n--\\n\\nA\\012\\077\\077/")},',
        '    NULL, "S", NULL},',
        '     NULL, NULL},',
        '.tp_doc = PyDoc_STR("\\303\\251"),',
        'PyDoc_STR("first(a)\\n--\\n\\nF") /* docstring */',
        'PyDoc_STR("P") /* docstring */',
        '    "a \\042module\\042", /* docstring */',
    ):
        assert line in code, line
    assert docstrings.documented(CODE, {}) == CODE


@pytest.mark.parametrize("folder", sorted({file.relative_to(PACKAGE).parts[0] for file in CORE}))
def test_none_is_lost(folder: str) -> None:
    """Of the core's modules as they are imported here. What a decorator made of a function has its own text, and so has
    a method of a compiled class that Python calls by a slot (`__iter__`, `__str__`): the slot's."""
    seen = 0
    for file in CORE:
        if file.relative_to(PACKAGE).parts[0] != folder:
            continue
        module = importlib.import_module(".".join(["reknit", *file.relative_to(PACKAGE).with_suffix("").parts]))
        for name, text in docstrings.docstrings(file.read_text(encoding="utf-8")).items():
            value: object = module
            for part in filter(None, name.split(".")):
                value = inspect.getattr_static(value, part)
            if isinstance(value, WrapperDescriptorType):
                continue
            assert inspect.getdoc(value) == text, (module.__name__, name)
            seen += 1
    assert seen or not any(ast.get_docstring(ast.parse(file.read_text())) for file in (PACKAGE / folder).glob("*.py"))
    assert reknit.__doc__
