"""What is true of opcodes is said in tools/ops.toml. A list of four or more of them elsewhere is refused here.

    if code in (op.IAdd, op.IMul, op.BitwiseAnd, op.BitwiseOr):       a copy of `traits.COMMUTES`, or a word of its own

What stays is about the code beside it rather than about opcodes; each such list has its reason here.
"""

import ast
import re

import pytest
from kit import ROOT

pytestmark = pytest.mark.once

PACKAGE = ROOT / "src" / "reknit"
MAX_LISTED = 3
GENERATED = ("ir/op.py", "ir/traits.py")

# By file and the first opcode of the list.
ALLOWED = {
    ("analysis/descriptors.py", "Load"): "what a resource is followed through to its variable",
    ("analysis/effects.py", "Load"): "where the memory operands of an access begin",
    ("analysis/effects.py", "ImageSampleDrefImplicitLod"): "where the image operands begin",
    ("proof/normal_form/rearranged.py", "FAdd"): "what is computed with exact numbers",
    ("sim/ops/float_sets.py", "FAdd"): "which function gives the set of results",
    ("sim/ops/float_sets.py", "FOrdEqual"): "which function gives the set of results",
    ("sim/ops/float_sets.py", "IsNan"): "which function gives the set of results",
    ("sim/ops/float_sets.py", "IsNormal"): "what is asked of a float's bits",
    ("sim/shadow/bounds.py", "CopyObject"): "what hands a set on as it is",
    ("sim/shadow/bounds.py", "Load"): "what hands a set on as it is",
    ("sim/shadow/bounds.py", "Dot"): "sums of products",
    ("analysis/freedoms.py", "AccessChain"): "what a resource is followed through to its variable",
    ("analysis/freedoms.py", "Load"): "what a resource is followed through to its variable",
    ("sim/shadow/assigned.py", "EntryPoint"): "what names a variable and doesn't access it",
    ("sim/shadow/assigned.py", "Load"): "what reads a variable early",
    ("sim/shadow/fixed.py", "BitwiseAnd"): "which function decides what is fixed",
    ("sim/shadow/fixed.py", "IEqual"): "which function decides what is fixed",
    ("sim/shadow/memory.py", "AtomicStore"): "atomics whose new value is their operand",
    ("sim/shadow/tracker.py", "PtrEqual"): "operations whose result is undefined where an operand is",
    ("sim/shadow/values.py", "IAddCarry"): "operations with two results",
    ("sim/wraps.py", "IAdd"): "the exact result of operations that may be declared not to wrap",
    ("analysis/freedoms.py", "CompositeExtract"): "what a value is followed through to the operation that computed it",
    ("analysis/freedoms.py", "ConvertSToF"): "where a float comes from no other float operation",
    ("analysis/typeflow/function_facts.py", "Phi"): "what this analysis follows numbers through",
    ("analysis/typeflow/guarded.py", "Phi"): "what this analysis follows existentials through",
    ("analysis/uniformity/value_ranges.py", "UConvert"): "what the function below maps values through",
    ("front/llvm/clspv_calls.py", "AtomicExchange"): "the word of LLVM's atomicrmw",
    ("front/llvm/clspv_calls.py", "IAddCarry"): "which function lowers a call of the opcode",
    ("front/llvm/dxil_buffers.py", "AtomicIAdd"): "DXIL's numbers of atomic operations, by position",
    ("ir/sparse.py", "ImageSampleImplicitLod"): "the instruction for the same access with a status",
    ("ir/text/tree.py", "Return"): "words of the text form",
    ("ir/verify/elements.py", "LookupWitness"): "one rule's operands",
    ("ir/verify/shapes.py", "Select"): "what may pass functions and types on where there is dynamic dispatch",
    ("proof/certificate/follow.py", "Phi"): "what a checker that shares nothing looks at apart from all else",
    ("proof/frame/bodies.py", "Load"): "what hands a value on as it is, where precision is followed",
    ("proof/frame/bodies.py", "TypeBool"): "types whose decorations no value shows",
    ("proof/frame/compare.py", "Variable"): "declarations that other rules of the same file compare",
    ("proof/normal_form/values.py", "Phi"): "what hands a value on as it is, where precision is followed",
    ("proof/normal_form/dispatch.py", "GetTagForSuperSet"): "what is its operand, where a tag is its element",
    ("proof/normal_form/operations.py", "ImageRead"): "reads of texels that nothing keeps in bounds",
    ("proof/normal_form/kinds.py", "TypeWitnessTable"): "how types of dynamic dispatch are seen in terms",
    ("proof/normal_form/ordered.py", "SLessThan"): "comparisons in the order of signed numbers",
    ("proof/normal_form/ordered.py", "ULessThan"): "comparisons in the order of unsigned numbers",
    ("proof/normal_form/sums.py", "IAdd"): "what sums are made of",
    ("proof/promises.py", "FMul"): "operations that may change no number, and may flush it",
    ("proof/solver/words.py", "IAdd"): "what z3 calls it",
    ("sim/float_watch.py", "VectorTimesScalar"): "what gives the infinitely precise result of the opcode",
    ("sim/jit/arithmetic.py", "ConvertFToS"): "which function writes it in LLVM's text",
    ("sim/jit/arithmetic.py", "IAdd"): "what LLVM calls it",
    ("sim/jit/arithmetic.py", "IAddCarry"): "which function writes it in LLVM's text",
    ("sim/jit/arithmetic.py", "IEqual"): "what LLVM calls it",
    ("sim/jit/arithmetic.py", "UAddSatINTEL"): "what LLVM calls it",
    ("sim/jit/arithmetic.py", "UDiv"): "which function writes it in LLVM's text",
    ("sim/jit/facts.py", "GroupNonUniformAll"): "of which all lanes of a tangle get the same in native code",
    ("sim/jit/floats.py", "FAdd"): "what LLVM calls it",
    ("sim/jit/floats.py", "FOrdEqual"): "what LLVM calls it",
    ("sim/jit/groups.py", "GroupIAdd"): "what LLVM calls it",
    ("sim/jit/groups.py", "GroupNonUniformBroadcast"): "which function writes it in LLVM's text",
    ("sim/jit/groups.py", "GroupNonUniformInverseBallot"): "which function writes it in LLVM's text",
    ("sim/jit/images.py", "Load"): "what an image is followed through to its variable",
    ("sim/ops/float_kernels.py", "FAdd"): "which loop computes it",
    ("sim/ops/float_kernels.py", "FOrdLessThan"): "which loop computes it",
    ("sim/ops/group_kernels.py", "GroupNonUniformElect"): "which loop computes it",
    ("sim/ops/kernels.py", "IAdd"): "which loop computes it",
    ("sim/ops/kernels.py", "IEqual"): "which loop computes it",
    ("spirv/form/kinds.py", "Load"): "what is asked of one opcode alone",
    ("spirv/names.py", "TypeVoid"): "the names that spirv-dis gives",
    ("spirv/names.py", "TypeInt"): "functions that name, by opcode",
    ("spirv/rules/uses.py", "Label"): "what has no operand that is a use, in a loop over all words",
    ("view/fault_svg.py", "Branch"): "words of pictures",
}


def opcode(node: ast.AST) -> str:
    """The opcode that an expression `op.X` names; "" for any other."""
    named = isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "op"
    return node.attr if named and isinstance(node, ast.Attribute) else ""


def parts(node: ast.AST) -> list[ast.expr]:
    """What an expression or statement lists: members, keys, arguments, what is compared, cases."""
    if isinstance(node, ast.Set | ast.Tuple | ast.List):
        return node.elts
    if isinstance(node, ast.Dict):
        return [key for key in node.keys if key is not None]
    if isinstance(node, ast.Call):
        return node.args
    if isinstance(node, ast.BoolOp):
        return [each for value in node.values if isinstance(value, ast.Compare) for each in value.comparators]
    if isinstance(node, ast.MatchOr):
        return [each.value for each in node.patterns if isinstance(each, ast.MatchValue)]
    if isinstance(node, ast.Match):
        return [case.pattern.value for case in node.cases if isinstance(case.pattern, ast.MatchValue)]
    return []


def lists(text: str) -> list[list[str]]:
    """The opcodes of each list that has more than MAX_LISTED different ones."""
    found: list[list[str]] = []
    for node in ast.walk(ast.parse(text)):
        names = [name for part in parts(node) if (name := opcode(part))]
        if len(set(names)) > MAX_LISTED:
            found.append(names)
    return found


@pytest.mark.parametrize(
    "text",
    [
        "A = (op.IAdd, op.ISub, op.IMul, op.UDiv)",
        "A = frozenset({op.IAdd, op.ISub, op.IMul, op.UDiv})",
        "A = {op.IAdd: 1, op.ISub: 2, op.IMul: 3, op.UDiv: 4}",
        "x = a == op.IAdd or a == op.ISub or a == op.IMul or a == op.UDiv",
        "match a:\n case op.IAdd: pass\n case op.ISub: pass\n case op.IMul: pass\n case op.UDiv: pass",
        "match a:\n case op.IAdd | op.ISub | op.IMul | op.UDiv: pass",
        "x = has(a, op.IAdd, op.ISub, op.IMul, op.UDiv)",
    ],
)
def test_every_way_to_write_a_list_is_seen(text: str) -> None:
    assert lists(text) == [["IAdd", "ISub", "IMul", "UDiv"]]


def test_what_another_language_calls_an_opcode_is_no_list_of_opcodes() -> None:
    assert lists('A = {"add": op.IAdd, "sub": op.ISub, "mul": op.IMul, "udiv": op.UDiv}') == []


def test_lists_of_opcodes_are_in_the_table() -> None:
    found: dict[tuple[str, str], list[str]] = {}
    for file in sorted(PACKAGE.rglob("*.py")):
        name = file.relative_to(PACKAGE).as_posix()
        text = file.read_text()
        if name not in GENERATED and len(set(re.findall(r"\bop\.[A-Z]\w+", text))) > MAX_LISTED:
            for names in lists(text):
                found[name, names[0]] = names
    new = {place: names for place, names in found.items() if place not in ALLOWED}
    assert not new, "say it in tools/ops.toml, or here why it is about the code beside it"
    assert set(ALLOWED) == set(found), "some are gone: take them out here"


def test_code_asks_the_table_and_not_the_names_of_opcodes() -> None:
    """A family that is known by how its names begin or end takes in what a later grammar calls alike."""
    by_name = re.compile(r"(info|about)\.name\.(starts|ends)with|in (info|about)\.name\b")
    assert [file.name for file in sorted(PACKAGE.rglob("*.py")) if by_name.search(file.read_text())] == []
